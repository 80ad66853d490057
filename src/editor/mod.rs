//! The module that rust-analyzer reads for formulas. It is hidden, and has an item with documentation for
//! each word of the language.
//!
//! In an editor each declaration also expands to a function with the user's tokens, which
//! `ops-spec/src/emit/editor/` describes. The names in that function lead to this module. Nothing here is
//! ever run. All values have one type, so every correct formula has a type; only the macro reports what is
//! wrong with a formula.

pub mod constants;
pub mod functions;
mod operators;
pub mod types;

/// A value of a formula: a tensor, a scalar, a number, or the name of a dim.
///
/// The functions of the language are its methods too: `x.exp()` is `exp(x)`.
#[derive(Clone, Copy, Debug)]
pub struct Value;

/// An operand of a function of the language: a [`Value`], or the `bool` that Rust's comparisons give.
pub trait Operand: Sized {}
impl Operand for Value {}
impl Operand for bool {}

/// Dims of a value: `n`, `(m, n)`, or `..` for the group.
pub trait Dims: Sized {}
impl Dims for Value {}
impl Dims for std::ops::RangeFull {}

/// An argument that may be left out of a call; `()` stands in its place.
pub trait Optional: Sized {}
impl Optional for Value {}
impl Optional for () {}

/// Indices of `at`: pairs of a dim, or of `or`, and a value.
pub trait Indices: Sized {}
/// One of them.
pub trait Index: Sized {}
impl<T: Operand> Index for (Value, T) {}

/// Dims that may be left out of a call; `()` stands in their place.
pub trait OptionalDims: Sized {}
impl<T: Dims> OptionalDims for T {}
impl OptionalDims for () {}

/// What may be said of a scan or a draw behind its dims; `()` if nothing is.
pub trait Settings: Sized {}
impl<T: Indices> Settings for T {}
impl Settings for () {}

/// Tuples of dims, and of indices.
macro_rules! tuples {
    ($first:ident $($rest:ident)*) => {
        impl<$first: Dims, $($rest: Dims),*> Dims for ($first, $($rest),*) {}
        impl<$first: Index, $($rest: Index),*> Indices for ($first, $($rest),*) {}
        tuples! { $($rest)* }
    };
    () => {};
}
tuples! { A B C D E F G H I J K L }

/// An argument of a declaration.
pub fn argument<T>() -> Value {
    Value
}

/// An argument of a type of the user's own, by which a call chooses a formula.
pub fn chosen<T>() -> T {
    unreachable!("an editor reads it, and nothing runs it")
}

/// What decides an `if`.
pub fn condition<T: Operand>(_: T) -> bool {
    true
}

/// A dim, at the place where the signature first names it.
pub fn dim() -> Value {
    Value
}

/// A number as it is written.
pub fn number<T>(_: T) -> Value {
    Value
}

/// The result of an op that the formula calls, or a value that a rule of `#[grad(..)]` gets.
pub fn value() -> Value {
    Value
}

/// Tokens for an editor. Like the tokens of any macro call, they are neither read nor checked if the call is
/// under a `cfg` that is off.
#[doc(hidden)]
#[macro_export]
macro_rules! __editor_item {
    ($($item:tt)*) => { $($item)* };
}
