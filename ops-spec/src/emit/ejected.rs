//! The kernels of an op as source: a file that a user edits, and names in `#[kernel(..)]`.

use super::cpu::{self, CpuPass};
use super::gpu::pass_function;
use super::op_type;
use crate::ir::Graph;
use crate::schedule::{Pass, Schedule};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};
use std::collections::BTreeSet;

/// A graph and its schedule.
type Planned = (Graph, Schedule);

/// For what kernels are ejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Processor {
    Cpu,
    Gpu,
}

impl Processor {
    /// As the attribute `#[kernel(..)]` has it.
    fn key(self) -> &'static str {
        match self {
            Processor::Cpu => "cpu",
            Processor::Gpu => "cube",
        }
    }

    /// What registers a kernel while a program runs.
    fn register(self) -> &'static str {
        match self {
            Processor::Cpu => "tensor_op::backend::register_kernel::<tensor_op::NdArray>",
            Processor::Gpu => "tensor_op::gpu::register_kernel",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Processor::Cpu => "CPU",
            Processor::Gpu => "GPU",
        }
    }
}

/// A Rust file with the kernels of an op and of its gradient.
pub(crate) fn ejected(processor: Processor, forward: &Planned, backward: Option<&Planned>) -> TokenStream {
    let (name, key) = (&forward.0.name, processor.key());
    let mut names = format!("{key} = {name}_{key}");
    if let Some(backward) = backward {
        names += &format!(", {key}_backward = {}_{key}", backward.0.name);
    }
    if forward.0.outputs.iter().any(|output| output.hidden) {
        names += ", saves";
    }
    let head = [
        format!(" The generated {} kernels of `{name}`. To run this file instead, write", processor.name()),
        format!(" `#[kernel({names})]` on the op."),
        format!(" An op of another crate gets it by `{}`.", processor.register()),
    ];
    let kernels: Vec<Kernel> =
        [Some(forward), backward].into_iter().flatten().map(|op| kernel(processor, op)).collect();
    let has_passes = kernels.iter().any(|kernel| kernel.has_passes);
    let imports = match processor {
        Processor::Cpu => cpu_imports(has_passes),
        Processor::Gpu => gpu_imports(has_passes, kernels.iter().flat_map(|kernel| &kernel.calls)),
    };
    let kernels = kernels.iter().map(|kernel| &kernel.tokens);
    quote! {
        #(#![doc = #head])*
        #![allow(clippy::approx_constant, clippy::eq_op, clippy::legacy_numeric_constants)]
        #imports
        #(#kernels)*
    }
}

fn cpu_imports(has_passes: bool) -> TokenStream {
    let words = has_passes.then(|| {
        quote! {
            use tensor_op::cpu::{Block, Lane, Pass};
            #[allow(unused_imports)]
            use tensor_op::cpu::{IntLane as _, MaskLane as _};
        }
    });
    quote! {
        use tensor_op::Result;
        use tensor_op::cpu::{Args, NdArrayTensor, PassFns, run_passes};
        #words
    }
}

fn gpu_imports<'c>(has_passes: bool, calls: impl Iterator<Item = &'c String>) -> TokenStream {
    let calls: BTreeSet<&String> = calls.collect();
    let calls = calls.iter().map(|name| format_ident!("{name}"));
    let words = has_passes.then(|| {
        quote! {
            use cubecl::prelude::*;
            use tensor_op::gpu::lanes::{Values, #(#calls),*};
        }
    });
    quote! {
        #words
        use tensor_op::gpu::{Args, CubeTensor, Pass, run_passes};
        use tensor_op::Result;
    }
}

/// The kernels of one op.
struct Kernel {
    tokens: TokenStream,
    has_passes: bool,
    /// The functions that bodies call.
    calls: BTreeSet<String>,
}

/// The function that runs the passes of a schedule, and the passes.
fn kernel(processor: Processor, (graph, schedule): &Planned) -> Kernel {
    let function = format_ident!("{}_{}", graph.name, processor.key());
    let passes: Vec<&Pass> = schedule.passes().collect();
    let docs = docs(graph, schedule);
    let fingerprint = Literal::u64_unsuffixed(schedule.fingerprint(graph));
    let mut calls = BTreeSet::new();
    let (tensor, pass, table, bodies) = match processor {
        Processor::Cpu => {
            let op = op_type(&Ident::new(&graph.name, Span::call_site()));
            let names: Vec<Ident> = (0..passes.len()).map(|index| format_ident!("{op}Pass{index}")).collect();
            let written =
                names.iter().zip(&passes).map(|(name, pass)| cpu::pass(name, graph, pass, &quote!()));
            let (bodies, functions): (Vec<_>, Vec<_>) =
                written.map(|CpuPass { body, functions }| (body, functions)).unzip();
            (quote!(NdArrayTensor), quote!(PassFns), quote!(#(#functions),*), bodies)
        }
        Processor::Gpu => {
            let names: Vec<Ident> =
                (0..passes.len()).map(|index| format_ident!("{}_pass{index}", graph.name)).collect();
            let mut body = |(name, pass): (&Ident, &&Pass)| {
                let body = pass_function(name, graph, pass);
                calls.extend(body.calls);
                body.tokens
            };
            let bodies: Vec<TokenStream> = names.iter().zip(&passes).map(&mut body).collect();
            (quote!(CubeTensor), quote!(Pass), quote!(#(Pass::of(#names::expand)),*), bodies)
        }
    };
    let tokens = quote! {
        #(#[doc = #docs])*
        pub(crate) fn #function(args: &Args<'_, #tensor>) -> Result<Vec<#tensor>> {
            const PASSES: &[#pass] = &[#table];
            run_passes(args, PASSES, #fingerprint)
        }
        #(#bodies)*
    };
    Kernel { tokens, has_passes: !passes.is_empty(), calls }
}

/// The graph and the schedule: what the numbers of values and passes mean.
fn docs(graph: &Graph, schedule: &Schedule) -> Vec<String> {
    let mut docs = vec![format!(" Runs `{}`: its graph, and the passes of its kernels.", graph.name)];
    let mut block = |text: String| {
        docs.extend([String::new(), " ```text".into()]);
        docs.extend(text.lines().map(|line| format!(" {line}")));
        docs.push(" ```".into());
    };
    block(graph.to_string());
    block(schedule.explain(graph));
    docs
}
