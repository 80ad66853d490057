//! The one table of primitives: name, operand kinds, f64 reference, gradient rule, singular points.
//!
//! Everything else in the language is a formula over these (`formulas.rs`). Adding a primitive is one variant
//! here and one row in [`Prim::row`] (`table.rs`); the compiler then points at every emitter that must spell
//! it.

use crate::ir::{Kind, Scalar, Value};

mod accuracy;
mod eval;
mod kink;
mod reach;
mod table;

pub use reach::Reach;

macro_rules! prims {
    ($($variant:ident,)+) => {
        /// An elementwise primitive.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs, reason = "the row of each variant documents it")]
        pub enum Prim { $($variant),+ }

        impl Prim {
            /// Every primitive, in order of declaration.
            pub const ALL: &[Prim] = &[$(Prim::$variant),+];
        }
    };
}
prims! {
    Neg, Exp, Exp2, Expm1, Ln, Log2, Log1p, Sqrt, Rsqrt, Recip,
    Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Asinh, Acosh, Atanh,
    Erf, Erfc, Abs, Sign, Floor, Ceil, Round,
    Add, Sub, Mul, Div, Rem, Maximum, Minimum, Pow, Atan2,
    Lt, Le, Gt, Ge, Eq, Ne, And, Or, Not, IsNan, IsFinite, Select,
}

/// A reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fold {
    /// 0 over no elements.
    Sum,
    /// 1 over no elements.
    Prod,
    /// NaN if any element is; over no elements an error, where a result is computed from it.
    Max,
    /// NaN if any element is; over no elements an error, where a result is computed from it.
    Min,
    /// Index of the first largest element (a NaN counts as largest), row-major over several dims.
    ArgMax,
    /// Index of the first smallest element (a NaN counts as smallest), row-major over several dims.
    ArgMin,
    /// False over no elements.
    Any,
    /// True over no elements.
    All,
}

/// Operand and result kinds of a primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signature {
    /// Floats to a float.
    Float,
    /// All float or all int, to the same.
    Number,
    /// All float or all int, to bool.
    Compare,
    /// All of one kind, to bool.
    Equal,
    /// Bools to bool.
    Logic,
    /// One float to bool.
    Test,
    /// Bool, then two of one kind, to that kind.
    Select,
}

/// Gradient of each operand, from the operands, the result and the result's gradient; `None` where there is
/// none. It knows nothing of broadcasting or accumulation.
pub type Rule = for<'b> fn(&[Value<'b>], Value<'b>, Value<'b>) -> Vec<Option<Value<'b>>>;

/// One row of the table.
#[derive(Clone, Copy)]
pub struct Row {
    /// As called in a formula; operators have names too (`add`), which formulas can't call.
    pub name: &'static str,
    /// Number of operands.
    pub arity: usize,
    /// Their kinds.
    pub signature: Signature,
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
        if kinds.len() == row.arity { row.signature.result_kind(kinds) } else { None }
    }

    /// Whether operands can be exchanged.
    pub fn is_commutative(self) -> bool {
        use Prim::{Add, And, Eq, Maximum, Minimum, Mul, Ne, Or};
        matches!(self, Add | Mul | Maximum | Minimum | Eq | Ne | And | Or)
    }

    /// Whether computing it takes much longer than reading a value from memory: the functions that the CPU
    /// computes element by element. The rest are a few instructions, or polynomials on whole vectors.
    pub fn is_costly(self) -> bool {
        use Prim::{Acos, Acosh, Asin, Asinh, Atan, Atan2, Atanh, Cos, Cosh, Pow, Sin, Sinh, Tan};
        matches!(
            self,
            Sin | Cos | Tan | Asin | Acos | Atan | Atan2 | Sinh | Cosh | Asinh | Acosh | Atanh | Pow
        )
    }
}

impl Fold {
    /// Every reduction, in order of declaration.
    pub const ALL: &[Fold] =
        &[Fold::Sum, Fold::Prod, Fold::Max, Fold::Min, Fold::ArgMax, Fold::ArgMin, Fold::Any, Fold::All];

    /// As called in a formula.
    pub fn name(self) -> &'static str {
        match self {
            Fold::Sum => "sum",
            Fold::Prod => "prod",
            Fold::Max => "max",
            Fold::Min => "min",
            Fold::ArgMax => "argmax",
            Fold::ArgMin => "argmin",
            Fold::Any => "any",
            Fold::All => "all",
        }
    }

    /// The reduction of this name.
    pub fn from_name(name: &str) -> Option<Fold> {
        Fold::ALL.iter().copied().find(|fold| fold.name() == name)
    }

    /// Whether it takes elements of this kind.
    pub fn accepts(self, kind: Kind) -> bool {
        match self {
            Fold::Sum | Fold::Prod | Fold::Max | Fold::Min | Fold::ArgMax | Fold::ArgMin => {
                kind != Kind::Bool
            }
            Fold::Any | Fold::All => kind == Kind::Bool,
        }
    }

    /// Whether it has no value over no elements.
    pub fn needs_elements(self) -> bool {
        match self {
            Fold::Max | Fold::Min | Fold::ArgMax | Fold::ArgMin => true,
            Fold::Sum | Fold::Prod | Fold::Any | Fold::All => false,
        }
    }

    /// What stands in memory for a reduction of no elements to a value of this kind. Of a fold that needs
    /// elements it is no value that anybody may see, but something has to be there.
    pub fn of_nothing(self, kind: Kind) -> Scalar {
        let extreme = |float: f64, int: i64| match kind {
            Kind::Float => Scalar::Float(float),
            Kind::Int | Kind::Bool => Scalar::Int(int),
        };
        match self {
            Fold::Sum => Scalar::Int(0).cast(kind),
            Fold::Prod => Scalar::Int(1).cast(kind),
            Fold::Max => extreme(f64::NEG_INFINITY, i64::MIN),
            Fold::Min => extreme(f64::INFINITY, i64::MAX),
            Fold::ArgMax | Fold::ArgMin => Scalar::Int(0),
            Fold::Any => Scalar::Bool(false),
            Fold::All => Scalar::Bool(true),
        }
    }

    /// Kind of the result over elements of a kind that it accepts.
    pub fn result_kind(self, kind: Kind) -> Kind {
        match self {
            Fold::Sum | Fold::Prod | Fold::Max | Fold::Min => kind,
            Fold::ArgMax | Fold::ArgMin => Kind::Int,
            Fold::Any | Fold::All => Kind::Bool,
        }
    }
}
