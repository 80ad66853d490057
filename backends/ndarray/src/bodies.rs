//! Bodies of the primitives, of conversions and of the identity: for the structural primitives of the
//! backend, and the steps of programs.

use crate::block::{Block, Pass, PassFns};
use crate::lane::{IntLane, Lane, MaskLane};
use tensor_op_spec::ir::Kind;
use tensor_op_spec::prim::{
    Arithmetic, Bits, Choice, Comparison, Draw, Equality, FloatBinary, Function, Group, Logic, Prim,
    Rounding, Test, Unary,
};

/// A body that maps floats, ints and bools to floats, ints and bools.
macro_rules! pass {
    ([$($f:ident)*] [$($i:ident)*] [$($b:ident)*] => [$($rf:expr)?] [$($ri:expr)?] [$($rb:expr)?]) => {{
        struct Body;
        impl Pass for Body {
            #[inline(always)]
            fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
                block.elements(|[$($f),*], [$($i),*], [$($b),*]| ([$($rf)?], [$($ri)?], [$($rb)?]));
            }
        }
        const FNS: PassFns = PassFns::of::<Body>();
        &FNS
    }};
}

/// A function of one float.
macro_rules! float {
    ($method:ident) => {
        Some(pass!([x] [] [] => [x.$method()] [] []))
    };
}

/// A function of floats.
macro_rules! floats {
    ($method:ident) => {
        Some(pass!([x y] [] [] => [x.$method(y)] [] []))
    };
}

/// A comparison of floats or ints.
macro_rules! compare {
    ($kind:expr, $method:ident) => {
        match $kind {
            Kind::Float => Some(pass!([x y] [] [] => [] [] [x.$method(y)])),
            Kind::Int => Some(pass!([] [x y] [] => [] [] [x.$method(y)])),
            Kind::Bool => None,
        }
    };
}

/// A comparison of any kind.
macro_rules! equal {
    ($kind:expr, $method:ident) => {
        match $kind {
            Kind::Float => Some(pass!([x y] [] [] => [] [] [x.$method(y)])),
            Kind::Int => Some(pass!([] [x y] [] => [] [] [x.$method(y)])),
            Kind::Bool => Some(pass!([] [] [x y] => [] [] [x.$method(y)])),
        }
    };
}

/// Arithmetic on floats or ints.
macro_rules! number {
    ($kind:expr, |$x:ident $(, $y:ident)?| $value:expr) => {
        match $kind {
            Kind::Float => Some(pass!([$x $($y)?] [] [] => [$value] [] [])),
            Kind::Int => Some(pass!([] [$x $($y)?] [] => [] [$value] [])),
            Kind::Bool => None,
        }
    };
}

/// The body of a primitive whose last operand is of this kind; `None` if there is none.
pub(crate) fn body(prim: Prim, kind: Kind) -> Option<&'static PassFns> {
    match prim.group() {
        Group::Function(function) => of_function(function),
        Group::Rounding(rounding) => of_rounding(rounding),
        Group::Unary(Unary::Neg) => number!(kind, |x| -x),
        Group::Unary(Unary::Abs) => number!(kind, |x| x.abs()),
        Group::Unary(Unary::Sign) => number!(kind, |x| x.sign()),
        Group::Arithmetic(Arithmetic::Add) => number!(kind, |x, y| x + y),
        Group::Arithmetic(Arithmetic::Sub) => number!(kind, |x, y| x - y),
        Group::Arithmetic(Arithmetic::Mul) => number!(kind, |x, y| x * y),
        Group::Arithmetic(Arithmetic::Div) => number!(kind, |x, y| x / y),
        Group::Arithmetic(Arithmetic::Rem) => number!(kind, |x, y| x % y),
        Group::Arithmetic(Arithmetic::Maximum) => number!(kind, |x, y| x.maximum(y)),
        Group::Arithmetic(Arithmetic::Minimum) => number!(kind, |x, y| x.minimum(y)),
        Group::FloatBinary(FloatBinary::Pow) => floats!(pow),
        Group::FloatBinary(FloatBinary::Atan2) => floats!(atan2),
        Group::Comparison(Comparison::Lt) => compare!(kind, lt),
        Group::Comparison(Comparison::Le) => compare!(kind, le),
        Group::Comparison(Comparison::Gt) => compare!(kind, gt),
        Group::Comparison(Comparison::Ge) => compare!(kind, ge),
        Group::Equality(Equality::Eq) => equal!(kind, equal),
        Group::Equality(Equality::Ne) => equal!(kind, not_equal),
        Group::Logic(Logic::And) => Some(pass!([] [] [x y] => [] [] [x & y])),
        Group::Logic(Logic::Or) => Some(pass!([] [] [x y] => [] [] [x | y])),
        Group::Logic(Logic::Not) => Some(pass!([] [] [x] => [] [] [!x])),
        Group::Bits(Bits::BitAnd) => Some(pass!([] [x y] [] => [] [x & y] [])),
        Group::Bits(Bits::BitOr) => Some(pass!([] [x y] [] => [] [x | y] [])),
        Group::Bits(Bits::BitXor) => Some(pass!([] [x y] [] => [] [x ^ y] [])),
        Group::Bits(Bits::Shl) => Some(pass!([] [x y] [] => [] [x << y] [])),
        Group::Bits(Bits::Shr) => Some(pass!([] [x y] [] => [] [x >> y] [])),
        Group::Test(Test::IsNan) => Some(pass!([x] [] [] => [] [] [x.is_nan()])),
        Group::Test(Test::IsFinite) => Some(pass!([x] [] [] => [] [] [x.is_finite()])),
        Group::Choice(Choice::Select) => match kind {
            Kind::Float => Some(pass!([x y] [] [c] => [L::select(c, x, y)] [] [])),
            Kind::Int => Some(pass!([] [x y] [c] => [] [L::select_int(c, x, y)] [])),
            Kind::Bool => Some(pass!([] [] [c x y] => [] [] [L::select_mask(c, x, y)])),
        },
        Group::Draw(Draw::Random) => {
            Some(pass!([] [seed stream position] [] => [L::random(seed, stream, position)] [] []))
        }
    }
}

fn of_function(function: Function) -> Option<&'static PassFns> {
    match function {
        Function::Exp => float!(exp),
        Function::Exp2 => float!(exp2),
        Function::Expm1 => float!(expm1),
        Function::Ln => float!(ln),
        Function::Log2 => float!(log2),
        Function::Log1p => float!(log1p),
        Function::Sqrt => float!(sqrt),
        Function::Rsqrt => float!(rsqrt),
        Function::Recip => float!(recip),
        Function::Sin => float!(sin),
        Function::Cos => float!(cos),
        Function::Tan => float!(tan),
        Function::Asin => float!(asin),
        Function::Acos => float!(acos),
        Function::Atan => float!(atan),
        Function::Sinh => float!(sinh),
        Function::Cosh => float!(cosh),
        Function::Tanh => float!(tanh),
        Function::Asinh => float!(asinh),
        Function::Acosh => float!(acosh),
        Function::Atanh => float!(atanh),
        Function::Erf => float!(erf),
        Function::Erfc => float!(erfc),
        Function::Lgamma => float!(lgamma),
        Function::Digamma => float!(digamma),
        Function::Trigamma => float!(trigamma),
    }
}

fn of_rounding(rounding: Rounding) -> Option<&'static PassFns> {
    match rounding {
        Rounding::Floor => float!(floor),
        Rounding::Ceil => float!(ceil),
        Rounding::Trunc => float!(trunc),
        Rounding::Round => float!(round),
    }
}

/// A function of a float and a float that is one per row.
macro_rules! scaled {
    (|$x:ident, $scalar:ident| $value:expr) => {{
        struct Body;
        impl Pass for Body {
            #[inline(always)]
            fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
                let ([$scalar], [], []) = block.uniforms();
                block.elements(|[$x], [], []| ([$value], [], []));
            }
        }
        const FNS: PassFns = PassFns::of::<Body>();
        &FNS
    }};
}

/// Arithmetic whose operand at this place is one per row.
const SCALED: [(Prim, usize, &PassFns); 8] = [
    (Prim::Add, 0, scaled!(|x, scalar| scalar + x)),
    (Prim::Add, 1, scaled!(|x, scalar| x + scalar)),
    (Prim::Sub, 0, scaled!(|x, scalar| scalar - x)),
    (Prim::Sub, 1, scaled!(|x, scalar| x - scalar)),
    (Prim::Mul, 0, scaled!(|x, scalar| scalar * x)),
    (Prim::Mul, 1, scaled!(|x, scalar| x * scalar)),
    (Prim::Div, 0, scaled!(|x, scalar| scalar / x)),
    (Prim::Div, 1, scaled!(|x, scalar| x / scalar)),
];

/// The body of a primitive on floats whose operand at this place is a uniform, if it is common enough to have
/// one.
pub(crate) fn scaled(prim: Prim, at: usize) -> Option<&'static PassFns> {
    SCALED.iter().find(|(own, place, _)| (*own, *place) == (prim, at)).map(|(_, _, body)| *body)
}

/// The body that gives each element of this kind as it is.
pub(crate) fn identity(kind: Kind) -> &'static PassFns {
    match kind {
        Kind::Float => pass!([x] [] [] => [x] [] []),
        Kind::Int => pass!([] [x] [] => [] [x] []),
        Kind::Bool => pass!([] [] [x] => [] [] [x]),
    }
}

/// The body that converts from one kind to another.
pub(crate) fn cast(from: Kind, to: Kind) -> &'static PassFns {
    match (from, to) {
        (Kind::Int, Kind::Float) => pass!([] [x] [] => [L::from_int(x)] [] []),
        (Kind::Bool, Kind::Float) => pass!([] [] [x] => [L::from_mask(x)] [] []),
        (Kind::Float, Kind::Int) => pass!([x] [] [] => [] [x.to_int()] []),
        (Kind::Bool, Kind::Int) => pass!([] [] [x] => [] [L::int_from_mask(x)] []),
        (Kind::Float, Kind::Bool) => pass!([x] [] [] => [] [] [x.to_mask()]),
        (Kind::Int, Kind::Bool) => pass!([] [x] [] => [] [] [x.to_mask()]),
        (Kind::Float, Kind::Float) | (Kind::Int, Kind::Int) | (Kind::Bool, Kind::Bool) => identity(from),
    }
}

/// A body that gives its one uniform, once per row.
macro_rules! once {
    ($f:literal $i:literal $b:literal) => {{
        struct Body;
        impl Pass for Body {
            #[inline(always)]
            fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
                let (floats, ints, bools) = block.uniforms::<$f, $i, $b>();
                block.per_row(floats, ints, bools);
            }
        }
        const FNS: PassFns = PassFns::of::<Body>();
        &FNS
    }};
}

/// The body that gives a uniform of this kind, once per row.
pub(crate) fn uniform(kind: Kind) -> &'static PassFns {
    match kind {
        Kind::Float => once!(1 0 0),
        Kind::Int => once!(0 1 0),
        Kind::Bool => once!(0 0 1),
    }
}
