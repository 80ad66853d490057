//! The table of reductions: what they take and give, what combines two elements, and the gradient.

use super::Prim;
use crate::ir::{DimId, DimSet, GivenRule, Kind, Scalar, Value};

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

/// Gradient of the operand, from the elements that are reduced together, the operand, the result and the
/// gradient of the result. The last two are given for each element.
pub type FoldRule = for<'b> fn(Together<'b>, Value<'b>, Value<'b>, Value<'b>) -> Value<'b>;

/// Which elements are reduced together.
#[derive(Clone, Copy)]
pub enum Together<'b> {
    /// Those along dims.
    Along(DimSet),
    /// Those that have one index along a dim of the result, which has these dims.
    At(DimId, Value<'b>, DimSet),
}

impl<'b> Together<'b> {
    /// The reduction of the elements that an element is reduced with.
    fn reduce(self, fold: Fold, x: Value<'b>) -> Value<'b> {
        match self {
            Together::Along(dims) => x.reduce(fold, dims),
            Together::At(dim, index, dims) => x.scatter(fold, dim, index, dims).at(dim, index),
        }
    }
}

/// One row of the table.
#[derive(Clone, Copy)]
pub struct FoldRow {
    /// As called in a formula.
    pub name: &'static str,
    /// What combines two elements: the fold of a row of elements is this, from the first to the last. A fold
    /// that gives a position looks for the element that this gives.
    pub combine: Prim,
    /// What does not change an element that it is combined with. If it is infinite, the fold has no value
    /// over no elements.
    pub identity: f64,
    /// Whether it takes bools; else it takes numbers.
    pub takes_bools: bool,
    /// Whether it gives the position of an element; else it gives a value of the elements' kind.
    pub finds_position: bool,
    /// `Err` says why there is no derivative.
    pub rule: Result<FoldRule, &'static str>,
}

macro_rules! row {
    ($name:literal: $kind:ident by $combine:ident from $identity:expr; $rule:expr) => {
        FoldRow {
            name: $name,
            combine: Prim::$combine,
            identity: $identity,
            takes_bools: row!(@bools $kind),
            finds_position: row!(@position $kind),
            rule: $rule,
        }
    };
    (@bools bool) => { true };
    (@bools number) => { false };
    (@bools position) => { false };
    (@position bool) => { false };
    (@position number) => { false };
    (@position position) => { true };
}

const CHOICE: &str = "gives a choice and has no derivative";
const POSITION: &str = "gives an index and has no derivative";

impl Fold {
    /// Every reduction, in order of declaration.
    pub const ALL: &[Fold] =
        &[Fold::Sum, Fold::Prod, Fold::Max, Fold::Min, Fold::ArgMax, Fold::ArgMin, Fold::Any, Fold::All];

    /// The row of the table. `match` keeps it complete.
    #[rustfmt::skip]
    pub fn row(self) -> FoldRow {
        match self {
            Fold::Sum => row!("sum": number by Add from 0.0; Ok(|_, _, _, g| g)),
            Fold::Prod => row!("prod": number by Mul from 1.0; Ok(product)),
            Fold::Max => row!("max": number by Maximum from f64::NEG_INFINITY; Ok(extremum)),
            Fold::Min => row!("min": number by Minimum from f64::INFINITY; Ok(extremum)),
            Fold::ArgMax => row!("argmax": position by Maximum from f64::NEG_INFINITY; Err(POSITION)),
            Fold::ArgMin => row!("argmin": position by Minimum from f64::INFINITY; Err(POSITION)),
            Fold::Any => row!("any": bool by Or from 0.0; Err(CHOICE)),
            Fold::All => row!("all": bool by And from 1.0; Err(CHOICE)),
        }
    }

    /// As called in a formula.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The reduction of this name.
    pub fn from_name(name: &str) -> Option<Fold> {
        Fold::ALL.iter().copied().find(|fold| fold.name() == name)
    }

    /// What it is called if elements that have one index are combined.
    pub fn scatter_name(self) -> &'static str {
        match self {
            Fold::Sum => "scatter_add",
            Fold::Prod => "scatter_mul",
            Fold::Max => "scatter_max",
            Fold::Min => "scatter_min",
            Fold::ArgMax => "scatter_argmax",
            Fold::ArgMin => "scatter_argmin",
            Fold::Any => "scatter_any",
            Fold::All => "scatter_all",
        }
    }

    /// The reduction by which this function combines elements.
    pub fn from_scatter_name(name: &str) -> Option<Fold> {
        Fold::ALL.iter().copied().find(|fold| fold.scatter_name() == name && !fold.finds_position())
    }

    /// Whether it takes elements of this kind.
    pub fn accepts(self, kind: Kind) -> bool {
        self.row().takes_bools == (kind == Kind::Bool)
    }

    /// Whether it gives the position of an element, counted over the reduced dims.
    pub fn finds_position(self) -> bool {
        self.row().finds_position
    }

    /// Whether it has no value over no elements.
    pub fn needs_elements(self) -> bool {
        self.row().identity.is_infinite()
    }

    /// What is stored for a reduction of no elements to a value of this kind. For a fold that needs elements,
    /// nobody reads it, but the memory must be filled.
    pub fn of_nothing(self, kind: Kind) -> Scalar {
        let row = self.row();
        if row.finds_position { Scalar::Int(0) } else { Scalar::Float(row.identity).cast(kind) }
    }

    /// Kind of the result over elements of a kind that it accepts.
    pub fn result_kind(self, kind: Kind) -> Kind {
        if self.finds_position() { Kind::Int } else { kind }
    }
}

/// Elements that share the extremum share its gradient.
fn extremum<'b>(together: Together<'b>, x: Value<'b>, y: Value<'b>, g: Value<'b>) -> Value<'b> {
    let hit = x.zip(Prim::Eq, y).cast(Kind::Float).stop_grad();
    g / together.reduce(Fold::Sum, hit) * hit
}

/// The product of the other elements, exact even if some are zero. For an element beside a zero, it is zero,
/// or NaN if one of the others is not finite. When this product is differentiated in turn, the form of
/// [`others`] is used, which costs more.
fn product<'b>(together: Together<'b>, x: Value<'b>, y: Value<'b>, g: Value<'b>) -> Value<'b> {
    let builder = x.builder();
    let (zero, one) = (builder.float(0.0), builder.float(1.0));
    let is_zero = x.zip(Prim::Eq, zero);
    let count = |is: Value<'b>| together.reduce(Fold::Sum, is.cast(Kind::Float).stop_grad());
    let (is_infinite, zeros) = (x.map(Prim::IsFinite).map(Prim::Not), count(is_zero));
    let nonzero = builder.select(is_zero, one, x);
    let rest = together.reduce(Fold::Prod, nonzero) / nonzero;
    let alone = count(is_infinite).zip(Prim::Eq, is_infinite.cast(Kind::Float));
    let with_zeros = builder.select(alone, zero, builder.float(f64::NAN));
    let without = zeros.zip(Prim::Eq, is_zero.cast(Kind::Float));
    let value = builder.select(without, rest, with_zeros).stop_grad();
    let input = others(together, x, y, zeros).id;
    // The rule is just its seed, and no other rule stands inside it, so any number identifies the seed.
    let seed = builder.seed(0, value.dims());
    g * builder.given(value.id, vec![GivenRule { input, rule: seed.id, seed: seed.id }])
}

/// The product of the other elements, in a form that can be differentiated. For a nonzero element it is
/// `y / x`, where `y` has its own derivatives. For a zero it is the product of the nonzero elements, times
/// the product of the other zeros. If there are at most two other zeros, their product is written as a
/// polynomial in power sums, whose derivatives are right to any order. If there are more, it is left out,
/// because its derivatives up to the second order are zero. So third derivatives are lost where four elements
/// are zero.
fn others<'b>(together: Together<'b>, x: Value<'b>, y: Value<'b>, zeros: Value<'b>) -> Value<'b> {
    let builder = x.builder();
    let (zero, one) = (builder.float(0.0), builder.float(1.0));
    let is_zero = x.zip(Prim::Eq, zero);
    let nonzero = builder.select(is_zero, one, x);
    let of_zeros = |x: Value<'b>| builder.select(is_zero, x, zero);
    let one_other = together.reduce(Fold::Sum, of_zeros(x)) - x;
    let squares = together.reduce(Fold::Sum, of_zeros(x.square())) - x.square();
    let two_others = (one_other.square() - squares) * 0.5;
    let are = |count: f64| zeros.zip(Prim::Eq, builder.float(count));
    let of_others = builder.select(are(3.0), two_others, zero);
    let of_others = builder.select(are(2.0), one_other, of_others);
    let of_others = builder.select(are(1.0), one, of_others);
    builder.select(is_zero, together.reduce(Fold::Prod, nonzero) * of_others, y / nonzero)
}
