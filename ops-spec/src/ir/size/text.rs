//! Sizes as a user writes them.

use super::{Size, SizeOp};
use crate::ir::{Graph, word};
use std::fmt;

/// A size for readers.
#[derive(Clone, Copy, Debug)]
pub struct SizeText<'a> {
    pub(super) size: &'a Size,
    pub(super) graph: &'a Graph,
    /// In a formula the size of dim `n` is `len(n)`, in a type it is `n`.
    pub(super) in_formula: bool,
}

impl fmt::Display for SizeText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |size| SizeText { size, ..*self };
        match self.size {
            Size::Literal(value) => write!(f, "{value}"),
            Size::Len(dim) if self.in_formula => write!(f, "len({})", word(&self.graph.dim(*dim).name)),
            Size::Len(dim) => f.write_str(&word(&self.graph.dim(*dim).name)),
            Size::Arg(index) if self.graph.args[*index].is_bool() => {
                write!(f, "cast({}, int)", word(&self.graph.args[*index].name))
            }
            Size::Arg(index) => f.write_str(&word(&self.graph.args[*index].name)),
            Size::Pair(operation @ (SizeOp::Min | SizeOp::Max), pair) => {
                write!(f, "{}({}, {})", operation.sign(), text(&pair[0]), text(&pair[1]))
            }
            Size::Pair(operation, pair) => {
                let [a, b] = [&pair[0], &pair[1]];
                let is_sum = |size: &Size| match size {
                    Size::Literal(value) => *value < 0,
                    Size::Pair(SizeOp::Add | SizeOp::Sub, _) => true,
                    Size::Len(_) | Size::Arg(_) | Size::Pair(..) => false,
                };
                let is_quotient = |size: &Size| matches!(size, Size::Pair(SizeOp::Mul | SizeOp::Div, _));
                let (in_a, in_b) = match operation {
                    SizeOp::Add | SizeOp::Min | SizeOp::Max => (false, false),
                    SizeOp::Sub => (false, is_sum(b)),
                    SizeOp::Mul | SizeOp::Div => (is_sum(a), is_sum(b) || is_quotient(b)),
                };
                let write = |f: &mut fmt::Formatter<'_>, size, closed: bool| match closed {
                    true => write!(f, "({})", text(size)),
                    false => write!(f, "{}", text(size)),
                };
                write(f, a, in_a)?;
                write!(f, " {} ", operation.sign())?;
                write(f, b, in_b)
            }
        }
    }
}
