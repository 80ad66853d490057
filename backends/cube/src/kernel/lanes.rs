//! What the bodies of passes are written with: vectors of each kind, and each primitive as a function of them.
//! A formula's primitives have their names in the language here too; where ints are computed in another way
//! than floats, their function ends in `_int`.
//!
//! The types are fixed, so that a body is one function: which float, which int and how many lanes they mean is
//! known when a kernel is compiled (`body.rs`).

#![allow(missing_docs, reason = "a `#[cube]` function brings a module of its name")]

use super::math::parts::all;
use super::math::{self, bools as masks, convert};
use super::program;
use cubecl::prelude::*;
use tensor_op_spec::prim::{Arithmetic, Bits, Comparison, Equality, FloatBinary, Function, Rounding};
use tensor_op_spec::prim::{Test, Unary};

/// Stands for the float type of the kernel.
#[derive(Clone, Copy, Debug)]
pub struct FloatMark;
/// Stands for the int type of the kernel.
#[derive(Clone, Copy, Debug)]
pub struct IntMark;
/// Stands for the number of lanes.
#[derive(Clone, Copy, Debug)]
pub struct WidthMark;

/// The float type of the kernel: f32 or f64.
pub type BodyFloat = DynamicScalar<FloatMark>;
/// The int type of the kernel: i64, or i32 where the device has no other.
pub type BodyInt = DynamicScalar<IntMark>;
/// The number of lanes.
pub type Width = DynamicSize<WidthMark>;

/// A float in each lane.
pub type Floats = Vector<BodyFloat, Width>;
/// An int in each lane.
pub type Ints = Vector<BodyInt, Width>;
/// A bool in each lane.
pub type Bools = Vector<bool, Width>;

/// The values of a pass, by kind: first its uniforms, then its elements. A body pushes the results.
pub type Values = program::Values<BodyFloat, BodyInt, Width>;

/// A float in all lanes.
#[cube]
pub fn floats(#[comptime] value: f64) -> Floats {
    all::<BodyFloat, Width>(value)
}

/// An int in all lanes. Of a device without i64 it has the low bits.
#[cube]
pub fn ints(#[comptime] value: i64) -> Ints {
    program::int_literal::<BodyInt, Width>(value)
}

/// A bool in all lanes.
#[cube]
pub fn bools(#[comptime] value: bool) -> Bools {
    Vector::<bool, Width>::new(value.runtime())
}

/// Functions of floats.
macro_rules! of_floats {
    ($($name:ident = $by:ident($member:path)),+ $(,)?) => {$(
        #[doc = concat!("`", stringify!($name), "` of the language.")]
        #[cube]
        pub fn $name(x: Floats) -> Floats {
            math::$by::<BodyFloat, Width>(x, comptime!($member))
        }
    )+};
}

of_floats! {
    exp = function(Function::Exp),
    exp2 = function(Function::Exp2),
    expm1 = function(Function::Expm1),
    ln = function(Function::Ln),
    log2 = function(Function::Log2),
    log1p = function(Function::Log1p),
    sqrt = function(Function::Sqrt),
    rsqrt = function(Function::Rsqrt),
    recip = function(Function::Recip),
    sin = function(Function::Sin),
    cos = function(Function::Cos),
    tan = function(Function::Tan),
    asin = function(Function::Asin),
    acos = function(Function::Acos),
    atan = function(Function::Atan),
    sinh = function(Function::Sinh),
    cosh = function(Function::Cosh),
    tanh = function(Function::Tanh),
    asinh = function(Function::Asinh),
    acosh = function(Function::Acosh),
    atanh = function(Function::Atanh),
    erf = function(Function::Erf),
    erfc = function(Function::Erfc),
    lgamma = function(Function::Lgamma),
    digamma = function(Function::Digamma),
    trigamma = function(Function::Trigamma),
    floor = rounding(Rounding::Floor),
    ceil = rounding(Rounding::Ceil),
    round = rounding(Rounding::Round),
    trunc = rounding(Rounding::Trunc),
    abs = unary(Unary::Abs),
    sign = unary(Unary::Sign),
}

/// Functions of two floats.
macro_rules! of_two_floats {
    ($($name:ident = $by:ident($member:path)),+ $(,)?) => {$(
        #[doc = concat!("`", stringify!($name), "` of the language.")]
        #[cube]
        pub fn $name(a: Floats, b: Floats) -> Floats {
            math::$by::<BodyFloat, Width>(a, b, comptime!($member))
        }
    )+};
}

of_two_floats! {
    rem = arithmetic(Arithmetic::Rem),
    maximum = arithmetic(Arithmetic::Maximum),
    minimum = arithmetic(Arithmetic::Minimum),
    pow = binary(FloatBinary::Pow),
    atan2 = binary(FloatBinary::Atan2),
}

/// Functions of ints.
macro_rules! of_ints {
    ($($name:ident($($x:ident),+) = $by:ident($member:path)),+ $(,)?) => {$(
        #[doc = concat!("`", stringify!($name), "` of ints, as the language has it.")]
        #[cube]
        pub fn $name($($x: Ints),+) -> Ints {
            math::ints::$by::<BodyInt, Width>($($x),+, comptime!($member))
        }
    )+};
}

of_ints! {
    neg_int(x) = int_unary(Unary::Neg),
    abs_int(x) = int_unary(Unary::Abs),
    sign_int(x) = int_unary(Unary::Sign),
    div_int(a, b) = int_arithmetic(Arithmetic::Div),
    rem_int(a, b) = int_arithmetic(Arithmetic::Rem),
    maximum_int(a, b) = int_arithmetic(Arithmetic::Maximum),
    minimum_int(a, b) = int_arithmetic(Arithmetic::Minimum),
    bit_and(a, b) = bits(Bits::BitAnd),
    bit_or(a, b) = bits(Bits::BitOr),
    bit_xor(a, b) = bits(Bits::BitXor),
    shl(a, b) = bits(Bits::Shl),
    shr(a, b) = bits(Bits::Shr),
}

/// Bools of two floats or of two ints.
macro_rules! of_numbers {
    ($($name:ident = $by:ident($member:path)),+ $(,)?) => {$(
        #[doc = concat!("`", stringify!($name), "` of the language, of floats or of ints.")]
        #[cube]
        pub fn $name<E: Numeric>(a: Vector<E, Width>, b: Vector<E, Width>) -> Bools {
            masks::$by::<E, Width>(a, b, comptime!($member))
        }
    )+};
}

of_numbers! {
    lt = compare(Comparison::Lt),
    le = compare(Comparison::Le),
    gt = compare(Comparison::Gt),
    ge = compare(Comparison::Ge),
    eq = equality(Equality::Eq),
    ne = equality(Equality::Ne),
}

/// Whether two bools are equal.
#[cube]
pub fn eq_bool(a: Bools, b: Bools) -> Bools {
    masks::bool_equality::<Width>(a, b, comptime!(Equality::Eq))
}

/// Whether two bools differ.
#[cube]
pub fn ne_bool(a: Bools, b: Bools) -> Bools {
    masks::bool_equality::<Width>(a, b, comptime!(Equality::Ne))
}

/// Whether both hold.
#[cube]
pub fn and(a: Bools, b: Bools) -> Bools {
    a.vec_and(b)
}

/// Whether one of them holds.
#[cube]
pub fn or(a: Bools, b: Bools) -> Bools {
    a.or(b)
}

/// Whether it does not hold.
#[cube]
pub fn not(a: Bools) -> Bools {
    !a
}

/// Whether a float is NaN.
#[cube]
pub fn is_nan(x: Floats) -> Bools {
    masks::test::<BodyFloat, Width>(x, comptime!(Test::IsNan))
}

/// Whether a float is neither infinite nor NaN.
#[cube]
pub fn is_finite(x: Floats) -> Bools {
    masks::test::<BodyFloat, Width>(x, comptime!(Test::IsFinite))
}

/// `a` where the condition holds, `b` elsewhere: floats or ints.
#[cube]
pub fn select<E: Numeric>(condition: Bools, a: Vector<E, Width>, b: Vector<E, Width>) -> Vector<E, Width> {
    select_many(condition, a, b)
}

/// `a` where the condition holds, `b` elsewhere: bools.
#[cube]
pub fn select_bool(condition: Bools, a: Bools, b: Bools) -> Bools {
    masks::logic_select::<Width>(condition, a, b)
}

/// A random float in [0, 1) of a seed, a stream and a position.
#[cube]
pub fn random(seed: Ints, stream: Ints, position: Ints) -> Floats {
    math::random::random::<BodyFloat, BodyInt, Width>(seed, stream, position)
}

/// Ints as floats.
#[cube]
pub fn floats_from_ints(x: Ints) -> Floats {
    Vector::<BodyFloat, Width>::cast_from(x)
}

/// 1 where a bool holds, 0 elsewhere.
#[cube]
pub fn floats_from_bools(x: Bools) -> Floats {
    Vector::<BodyFloat, Width>::cast_from(x)
}

/// Floats as ints, without their fraction. What no int is becomes the nearest int, and NaN 0.
#[cube]
pub fn ints_from_floats(x: Floats) -> Ints {
    convert::to_int::<BodyFloat, BodyInt, Width>(x)
}

/// 1 where a bool holds, 0 elsewhere.
#[cube]
pub fn ints_from_bools(x: Bools) -> Ints {
    Vector::<BodyInt, Width>::cast_from(x)
}

/// Whether a float is not 0.
#[cube]
pub fn bools_from_floats(x: Floats) -> Bools {
    convert::float_to_bool::<BodyFloat, Width>(x)
}

/// Whether an int is not 0.
#[cube]
pub fn bools_from_ints(x: Ints) -> Bools {
    convert::int_to_bool::<BodyInt, Width>(x)
}
