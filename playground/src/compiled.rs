//! A declaration as ops that run without generated code, or its mistakes.

use crate::place::{Lines, Range};
use proc_macro2::TokenStream;
use std::sync::Arc;
use tensor_op_core::{GraphOp, Op, Spec};
use tensor_op_spec::{Described, stages};

/// What is wrong, at which tokens.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Mistake {
    /// What is wrong and what to write instead.
    pub message: String,
    /// From the first to the last of the tokens.
    #[serde(flatten)]
    pub range: Range,
}

/// An op that was declared at run time. Its kernels are interpreted.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    forward: GraphOp,
    backward: Option<Arc<GraphOp>>,
}

impl Declared {
    pub(crate) fn new(op: &Described) -> Declared {
        Declared {
            forward: GraphOp::new(op.forward.clone()),
            backward: op.backward.clone().map(|graph| Arc::new(GraphOp::new(graph))),
        }
    }
}

impl Op for Declared {
    fn spec(&self) -> &Spec {
        self.forward.spec()
    }

    fn backward(&self) -> Option<Arc<dyn Op>> {
        self.backward.clone().map(|op| op as Arc<dyn Op>)
    }
}

/// The ops of the last declaration of a text.
pub(crate) fn compiled(source: &str) -> Result<Vec<Described>, Vec<Mistake>> {
    let lines = Lines::new(source);
    let tokens: TokenStream = source.parse().map_err(|error: proc_macro2::LexError| {
        let message = "this is not made of Rust's tokens: a bracket or a quote has no partner, or a character is unknown";
        vec![Mistake { message: message.to_string(), range: lines.range(error.span(), error.span()) }]
    })?;
    if tokens.is_empty() {
        let message =
            "nothing is declared: write a function, such as `fn double(x: Tensor) -> Tensor { x + x }`";
        return Err(vec![Mistake { message: message.to_string(), range: lines.first() }]);
    }
    stages(tokens).map(|stages| stages.ops).map_err(|mistakes| {
        let of = |mistake: tensor_op_spec::Mistake| Mistake {
            message: mistake.message,
            range: lines.range(mistake.place.start, mistake.place.end),
        };
        mistakes.0.into_iter().map(of).collect()
    })
}

/// One op of a declaration. `Err` says in a sentence why there is none.
pub(crate) fn op(source: &str, index: usize) -> Result<Declared, String> {
    let ops = compiled(source).map_err(|_| "the declaration has mistakes".to_string())?;
    let op = ops.get(index).ok_or_else(|| format!("the declaration has {} formulas", ops.len()))?;
    Ok(Declared::new(op))
}
