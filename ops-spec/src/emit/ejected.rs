//! The kernels of an op for the CPU as source: a file that a user edits, and names in `#[kernel(..)]`.

use super::cpu::pass_impl;
use super::op_type;
use crate::ir::Graph;
use crate::schedule::{Pass, Schedule};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};

/// A graph and its schedule.
type Planned = (Graph, Schedule);

/// A Rust file with the kernels of an op and of its gradient.
pub(crate) fn ejected(forward: &Planned, backward: Option<&Planned>) -> TokenStream {
    let name = &forward.0.name;
    let mut names = format!("cpu = {name}_cpu");
    if let Some(backward) = backward {
        names += &format!(", cpu_backward = {}_cpu", backward.0.name);
    }
    if forward.0.outputs.iter().any(|output| output.hidden) {
        names += ", saves";
    }
    let head = [
        format!(" The generated CPU kernels of `{name}`. To run this file instead, write"),
        format!(" `#[kernel({names})]` on the op."),
    ];
    let all = || [Some(forward), backward].into_iter().flatten();
    let has_passes = all().any(|op| op.1.passes().next().is_some());
    let words = has_passes.then(|| {
        quote! {
            use tensor_op::cpu::{Block, Lane, Pass};
            #[allow(unused_imports)]
            use tensor_op::cpu::{IntLane as _, MaskLane as _};
        }
    });
    let kernels = all().map(kernel);
    quote! {
        #(#![doc = #head])*
        #![allow(clippy::approx_constant)]
        use tensor_op::Result;
        use tensor_op::cpu::{Args, NdArrayTensor, PassFns, run_passes};
        #words
        #(#kernels)*
    }
}

/// The function that runs the passes of a schedule, and the passes.
fn kernel((graph, schedule): &Planned) -> TokenStream {
    let op = op_type(&Ident::new(&graph.name, Span::call_site()));
    let function = format_ident!("{}_cpu", graph.name);
    let passes: Vec<&Pass> = schedule.passes().collect();
    let names: Vec<Ident> = (0..passes.len()).map(|index| format_ident!("{op}Pass{index}")).collect();
    let docs = docs(graph, schedule);
    let fingerprint = Literal::u64_unsuffixed(schedule.fingerprint(graph));
    let bodies = names.iter().zip(passes).map(|(name, pass)| pass_impl(name, graph, pass, &quote!()));
    quote! {
        #(#[doc = #docs])*
        pub(crate) fn #function(args: &Args<'_, NdArrayTensor>) -> Result<Vec<NdArrayTensor>> {
            const PASSES: &[PassFns] = &[#(PassFns::of::<#names>()),*];
            run_passes(args, PASSES, #fingerprint)
        }
        #(#bodies)*
    }
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
