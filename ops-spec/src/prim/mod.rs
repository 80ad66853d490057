//! The one table of primitives: name, operand kinds, f64 reference, gradient rule, singular points.
//!
//! Everything else in the language is a formula over these (`formulas.ops`). Adding a primitive is one
//! variant here and one row in [`Prim::row`] (`table.rs`); the compiler then points at every emitter that
//! must spell it.

use crate::ir::{Kind, Value};

mod accuracy;
mod eval;
mod fold;
pub mod gamma;
mod kink;
mod operator;
mod order;
pub mod philox;
mod reach;
mod scan;
mod table;

pub use fold::Together;
pub use fold::{Fold, FoldRow, FoldRule};
pub(crate) use operator::{Binding, Operator};
pub use order::Order;
pub use reach::Reach;
pub use scan::{Scan, ScanRow};

macro_rules! prims {
    ($($(#[$doc:meta])* $group:ident { $($variant:ident),+ })+) => {
        /// An elementwise primitive.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs, reason = "the row of each variant documents it")]
        pub enum Prim { $($($variant),+),+ }

        /// The primitives by what they take and give. Code matches on groups, and names members only where
        /// they differ.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Group { $($(#[$doc])* $group($group)),+ }

        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            #[allow(missing_docs, reason = "the row of each variant documents it")]
            pub enum $group { $($variant),+ }
        )+

        impl Prim {
            /// Every primitive, in order of declaration.
            pub const ALL: &[Prim] = &[$($(Prim::$variant),+),+];

            /// The group of the primitive, and which member it is.
            pub fn group(self) -> Group {
                match self {
                    $($(Prim::$variant => Group::$group($group::$variant)),+),+
                }
            }
        }
    };
}
prims! {
    /// A float of a float.
    Function {
        Exp, Exp2, Expm1, Ln, Log2, Log1p, Sqrt, Rsqrt, Recip, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Asinh,
        Acosh, Atanh, Erf, Erfc, Lgamma, Digamma, Trigamma
    }
    /// A whole float near a float.
    Rounding { Floor, Ceil, Round, Trunc }
    /// A float or int of one of its kind.
    Unary { Neg, Abs, Sign }
    /// A float or int of two of its kind.
    Arithmetic { Add, Sub, Mul, Div, Rem, Maximum, Minimum }
    /// A float of two floats.
    FloatBinary { Pow, Atan2 }
    /// A bool of two floats or ints.
    Comparison { Lt, Le, Gt, Ge }
    /// A bool of two values of one kind.
    Equality { Eq, Ne }
    /// A bool of bools.
    Logic { And, Or, Not }
    /// An int of two ints, bit by bit.
    Bits { BitAnd, BitOr, BitXor, Shl, Shr }
    /// A bool of a float.
    Test { IsNan, IsFinite }
    /// One of two values of a kind, as a bool says.
    Choice { Select }
    /// A random float of three ints: a seed, a stream and a position.
    Draw { Random }
}

/// Gradient of each operand, from the operands, the result and the result's gradient; `None` where there is
/// none. It knows nothing of broadcasting or accumulation.
pub type Rule = for<'b> fn(&[Value<'b>], Value<'b>, Value<'b>) -> Vec<Option<Value<'b>>>;

/// One row of the table.
#[derive(Clone, Copy)]
pub struct Row {
    /// As called in a formula; operators have names too (`add`), which formulas can't call.
    pub name: &'static str,
    /// Names of the operands.
    pub operands: &'static [&'static str],
    /// Value in f64; bools are 0 and 1.
    pub reference: fn(&[f64]) -> f64,
    /// `Err` says why there is no derivative and what to write instead.
    pub rule: Result<Rule, &'static str>,
    /// Operand values at which the primitive has a kink or is singular: differences avoid them, conventions
    /// are tested there.
    pub special: &'static [f64],
}

impl Prim {
    /// As called in a formula.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The primitive of this name, operators included (`add`).
    pub fn from_name(name: &str) -> Option<Prim> {
        Prim::ALL.iter().copied().find(|prim| prim.name() == name)
    }

    /// Kind of the result, or `None` if it doesn't take operands of these kinds or number.
    pub fn result_kind(self, kinds: &[Kind]) -> Option<Kind> {
        let row = self.row();
        if kinds.len() == row.operands.len() { self.group().result_kind(kinds) } else { None }
    }

    /// Whether operands can be exchanged.
    pub fn is_commutative(self) -> bool {
        use Prim::{Add, And, BitAnd, BitOr, BitXor, Eq, Maximum, Minimum, Mul, Ne, Or};
        matches!(self, Add | Mul | Maximum | Minimum | Eq | Ne | And | Or | BitAnd | BitOr | BitXor)
    }

    /// The operands that the result is computed from: all but a condition, which only chooses.
    pub fn values<T>(self, operands: &[T]) -> &[T] {
        match self.group() {
            Group::Choice(Choice::Select) => &operands[1..],
            Group::Function(_)
            | Group::Rounding(_)
            | Group::Unary(_)
            | Group::Arithmetic(_)
            | Group::FloatBinary(_)
            | Group::Comparison(_)
            | Group::Equality(_)
            | Group::Logic(_)
            | Group::Bits(_)
            | Group::Test(_)
            | Group::Draw(_) => operands,
        }
    }
}
