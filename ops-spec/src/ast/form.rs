//! Forms that speak of what a call chooses: `if`, `match`, and optional tensors.

use super::{Expr, Let};
use crate::ir::Kind;
use proc_macro2::{Ident, Span};

/// A form that speaks of what a call chooses. The first four are gone when `choose` has made a formula for
/// each choice.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// `if condition { then } else { otherwise }`.
    If(Box<[Expr; 3]>),
    /// `match value { A | B => x, .. }`.
    Match(Box<Expr>, Vec<Arm>),
    /// `bias.unwrap_or(0.0)`.
    UnwrapOr(Box<[Expr; 2]>),
    /// `bias.is_some()`.
    IsSome(Box<Expr>),
    /// `{ let y = x; y }`, as an arm of a choice.
    Block(Vec<Let>, Box<Expr>),
    /// The value of `bias.unwrap_or(0.0)` where the tensor is not passed; it has the tensor's kind.
    Instead(Ident, Kind, Box<Expr>),
    /// `None`, for an optional argument of an op.
    Absent,
    /// `Reduction::Mean`, for an argument of an op.
    Variant(syn::Path),
}

/// `A | B => value` in a `match`.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    /// What it is for.
    pub(crate) patterns: Vec<Pattern>,
    /// Its value.
    pub(crate) value: Expr,
}

/// What an arm is for.
#[derive(Clone, Debug)]
pub(crate) enum Pattern {
    /// `true` or `false`.
    Bool(bool, Span),
    /// `Reduction::Mean`.
    Variant(syn::Path),
}

impl Form {
    /// The expressions that it is made of, in order.
    pub(super) fn parts(&self) -> Vec<&Expr> {
        match self {
            Form::If(parts) => parts.iter().collect(),
            Form::Match(on, arms) => {
                std::iter::once(&**on).chain(arms.iter().map(|arm| &arm.value)).collect()
            }
            Form::UnwrapOr(parts) => parts.iter().collect(),
            Form::IsSome(value) | Form::Instead(_, _, value) => vec![value],
            Form::Block(lets, value) => lets.iter().map(|binding| &binding.value).chain([&**value]).collect(),
            Form::Absent | Form::Variant(_) => vec![],
        }
    }
}
