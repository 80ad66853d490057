//! Generated code, formatted.

use crate::page::Processor;
use proc_macro2::TokenStream;
use tensor_op_spec::{Explained, Explanation, eject, eject_gpu};

/// Which code is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    Kernels(Processor),
    Expansion,
    /// The part of the expansion that is for Burn.
    Burn,
}

/// A file of code with a title.
pub(crate) struct Listing {
    pub(crate) title: String,
    pub(crate) text: String,
}

impl Code {
    pub(crate) const ALL: [Code; 4] =
        [Code::Kernels(Processor::Cpu), Code::Kernels(Processor::Gpu), Code::Expansion, Code::Burn];

    /// As the command line has it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Code::Kernels(Processor::Cpu) => "cpu",
            Code::Kernels(Processor::Gpu) => "gpu",
            Code::Expansion => "rust",
            Code::Burn => "burn",
        }
    }

    /// The files: one for each formula, or one for the whole declaration.
    pub(crate) fn listings(self, op: &Explained, shown: &[&Explanation]) -> Result<Vec<Listing>, String> {
        let whole =
            |title: String, code: &TokenStream| Ok(vec![Listing { title, text: formatted(code.clone())? }]);
        let processor = match self {
            Code::Kernels(processor) => processor,
            Code::Expansion => return whole(format!("All that #[tensor_op] makes of {}", op.name), &op.code),
            Code::Burn => {
                return whole(format!("What #[tensor_op(burn)] makes of {} for Burn", op.name), &op.on_burn);
            }
        };
        let listing = |own: &&Explanation| {
            let (forward, backward) = (&own.forward.graph, own.backward.as_ref().map(|op| &op.graph));
            let (name, tokens) = match processor {
                Processor::Cpu => ("CPU", eject(forward, backward)),
                Processor::Gpu => ("GPU", eject_gpu(forward, backward)),
            };
            Ok(Listing { title: format!("{name} kernels of {}", forward.name), text: formatted(tokens)? })
        };
        shown.iter().map(listing).collect()
    }
}

fn formatted(tokens: TokenStream) -> Result<String, String> {
    let file = syn::parse2(tokens).map_err(|error| format!("the generated code is no Rust: {error}"))?;
    Ok(prettyplease::unparse(&file))
}
