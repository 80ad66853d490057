//! What the bodies of passes are written with: vectors of each kind, and the primitives as functions of them.
//!
//! The body of a pass is a `#[cube]` function over [`Values`]. It reads the values of the pass by kind and
//! number: first the uniforms, which are the same in all of a row, then the elements. It pushes the results
//! in the order in which the text of the schedule has them. Other numbers or kinds of results, and a read
//! beyond the end, are errors when the kernel is compiled.
//!
//! Functions have the names that primitives have in formulas. Those of ints end in `_int` where ints are
//! computed in another way than floats, and those of bools in `_bool`. `floats(2.0)`, `ints(3)` and
//! `bools(true)` are constants, and `floats_from_ints(x)` converts.
//!
//! ```
//! use cubecl::prelude::*;
//! use tensor_op_cube::Pass;
//! use tensor_op_cube::lanes::{Values, exp, floats};
//!
//! /// `x * sigmoid(gate)`
//! #[cube]
//! fn gated(at: &mut Values) {
//!     let x = at.floats[0];
//!     let gate = at.floats[1];
//!     at.floats.push(x / (floats(1.0) + exp(-gate)));
//! }
//!
//! const PASSES: &[Pass] = &[Pass::of(gated::expand)];
//! # fn main() {}
//! ```
//!
//! The types are fixed, so that a body is one function. Which float, which int and how many lanes they mean
//! is known when a kernel is compiled.

#![allow(missing_docs, reason = "a `#[cube]` function brings a module of its name")]

use super::math::parts::all;
use super::math::{self, bools as masks, convert};
use super::program;
use cubecl::prelude::*;
use cubecl::unexpanded;
use tensor_op_spec::prim::{Arithmetic, Bits, Comparison, Equality, FloatBinary, Function, Group};
use tensor_op_spec::prim::{Rounding, Test, Unary};

/// Stands for the float type of the kernel.
#[derive(Clone, Copy, Debug)]
pub struct FloatMark;
/// Stands for the int type of the kernel.
#[derive(Clone, Copy, Debug)]
pub struct IntMark;
/// Stands for the number of lanes.
#[derive(Clone, Copy, Debug)]
pub struct WidthMark;

/// Whether the device has all functions of f64: 1 or 0.
pub(super) type Native = DynamicSize<NativeMark>;
/// Stands for what the device has.
#[derive(Clone, Copy, Debug)]
pub(super) struct NativeMark;

/// Whether functions are as exact as halves need: 1 or 0.
pub(super) type Short = DynamicSize<ShortMark>;
/// Stands for how exact functions are.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShortMark;

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

/// A function that the device lacks in f64 is the error of the kernel: there it would give garbage, or the
/// digits of f32.
fn refuse_in_f64(_group: Group) {
    unexpanded!()
}

mod refuse_in_f64 {
    use crate::kernel::lanes::{BodyFloat, Native};
    use crate::kernel::program::{Doubles, doubles};
    use cubecl::ir::{ElemType, FloatKind, Scope};
    use cubecl::prelude::*;
    use tensor_op_spec::prim::Group;

    pub(super) fn expand(scope: &Scope, group: Group) {
        let is_f64 = BodyFloat::elem_type(scope) == ElemType::Float(FloatKind::F64);
        let exists = match doubles(group) {
            Doubles::Everywhere => true,
            Doubles::Native => Native::__expand_value(scope) == 1,
            Doubles::Nowhere => false,
        };
        assert!(
            exists || !is_f64,
            "the device has no function of f64 that a body calls ({group:?}); cast to f32"
        );
    }
}

/// A function with the digits of the kernel's op.
#[cube]
fn function(x: Floats, #[comptime] of: Function) -> Floats {
    let is_short = Short::value().comptime();
    if comptime!(is_short == 1) {
        math::function_for_halves::<BodyFloat, Width>(x, of)
    } else {
        math::function::<BodyFloat, Width>(x, of)
    }
}

/// The same for a function of two.
#[cube]
fn binary(a: Floats, b: Floats, #[comptime] of: FloatBinary) -> Floats {
    let is_short = Short::value().comptime();
    if comptime!(is_short == 1) {
        math::binary_for_halves::<BodyFloat, Width>(a, b, of)
    } else {
        math::binary::<BodyFloat, Width>(a, b, of)
    }
}

/// Functions of a float.
macro_rules! of_floats {
    ($($name:ident = $member:ident),+ $(,)?) => {$(
        #[doc = concat!("`", stringify!($name), "` of the language.")]
        #[cube]
        pub fn $name(x: Floats) -> Floats {
            refuse_in_f64(comptime!(Group::Function(Function::$member)));
            function(x, comptime!(Function::$member))
        }
    )+};
}

of_floats! {
    exp = Exp,
    exp2 = Exp2,
    expm1 = Expm1,
    ln = Ln,
    log2 = Log2,
    log1p = Log1p,
    sqrt = Sqrt,
    rsqrt = Rsqrt,
    recip = Recip,
    sin = Sin,
    cos = Cos,
    tan = Tan,
    asin = Asin,
    acos = Acos,
    atan = Atan,
    sinh = Sinh,
    cosh = Cosh,
    tanh = Tanh,
    asinh = Asinh,
    acosh = Acosh,
    atanh = Atanh,
    erf = Erf,
    erfc = Erfc,
    lgamma = Lgamma,
    digamma = Digamma,
    trigamma = Trigamma,
}

/// Functions of a float or of two that every device has.
macro_rules! simple {
    ($($name:ident($($x:ident),+) = $by:ident($member:path)),+ $(,)?) => {$(
        #[doc = concat!("`", stringify!($name), "` of the language.")]
        #[cube]
        pub fn $name($($x: Floats),+) -> Floats {
            math::$by::<BodyFloat, Width>($($x),+, comptime!($member))
        }
    )+};
}

simple! {
    floor(x) = rounding(Rounding::Floor),
    ceil(x) = rounding(Rounding::Ceil),
    round(x) = rounding(Rounding::Round),
    trunc(x) = rounding(Rounding::Trunc),
    abs(x) = unary(Unary::Abs),
    sign(x) = unary(Unary::Sign),
    rem(a, b) = arithmetic(Arithmetic::Rem),
    maximum(a, b) = arithmetic(Arithmetic::Maximum),
    minimum(a, b) = arithmetic(Arithmetic::Minimum),
}

/// `pow` of the language.
#[cube]
pub fn pow(a: Floats, b: Floats) -> Floats {
    refuse_in_f64(comptime!(Group::FloatBinary(FloatBinary::Pow)));
    binary(a, b, comptime!(FloatBinary::Pow))
}

/// `atan2` of the language.
#[cube]
pub fn atan2(a: Floats, b: Floats) -> Floats {
    refuse_in_f64(comptime!(Group::FloatBinary(FloatBinary::Atan2)));
    binary(a, b, comptime!(FloatBinary::Atan2))
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
    math::random::random::<BodyFloat, BodyInt, Width>(seed, stream, position, false)
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
