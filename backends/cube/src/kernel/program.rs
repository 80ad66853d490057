//! A pass's [`Program`] unrolled into the kernel that is being compiled.
//!
//! Values lie in three lists by kind. A step knows at compile time of the kernel what it does and where its
//! operands are, so nothing of the program is left in the kernel but its arithmetic.

use super::math::parts::float;
use super::math::random::random;
use super::math::{self, bools, convert, halves, ints};
use cubecl::prelude::*;
use std::sync::Arc;
use tensor_op_spec::ir::{Kind, Scalar as Constant};
use tensor_op_spec::prim::{Arithmetic, Equality, FloatBinary, Function, Group, Logic};
use tensor_op_spec::schedule::{Compute, Program, ValueId};

/// The values of a program in order, by kind: `A` is the type of the float arithmetic, `I` that of the ints.
#[derive(CubeType, Clone)]
#[expand(derive(Clone))]
pub struct Values<A: Float, I: Int, N: Size> {
    /// Those that are floats.
    pub floats: Sequence<Vector<A, N>>,
    /// Those that are ints.
    pub ints: Sequence<Vector<I, N>>,
    /// Those that are bools.
    pub bools: Sequence<Vector<bool, N>>,
}

/// How exact functions are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Digits {
    /// As exact as their type.
    All,
    /// Functions are as exact as a result in a half needs. Quotients keep all digits: a formula may ask
    /// whether one of whole numbers is whole.
    FunctionsOfHalves,
    /// As exact as a result in a half needs, quotients too.
    OfHalves,
}

/// A step with its operands found: the place of each among the values of its kind.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    compute: Compute,
    kind: Kind,
    operands: Vec<(Kind, usize)>,
    digits: Digits,
    neighbours: bool,
}

impl Placed {
    fn new(program: &Program, step: usize, digits: Digits, neighbours: bool) -> Placed {
        let step = &program.steps()[step];
        let operands: &[ValueId] = match &step.compute {
            Compute::Literal(_) => &[],
            Compute::Apply(_, operands) => operands,
            Compute::Cast(operand) => std::slice::from_ref(operand),
        };
        let operands = operands.iter().map(|value| (program.kind(*value), slot(program, *value))).collect();
        Placed { compute: step.compute.clone(), kind: step.kind, operands, digits, neighbours }
    }

    fn at(&self, operand: usize) -> usize {
        self.operands[operand].1
    }

    fn from(&self, operand: usize) -> Kind {
        self.operands[operand].0
    }
}

/// The place of a value among the values of its kind.
pub(crate) fn slot(program: &Program, value: ValueId) -> usize {
    let kind = program.kind(value);
    (0..value.0).filter(|before| program.kind(ValueId(*before)) == kind).count()
}

#[cube]
impl<A: Float, I: Int, N: Size> Values<A, I, N> {
    pub(crate) fn empty() -> Self {
        Values::<A, I, N> { floats: Sequence::new(), ints: Sequence::new(), bools: Sequence::new() }
    }
}

/// Appends the values of the steps in a range. Lanes of draws may be `neighbours` (`draws.rs`).
#[cube]
pub(crate) fn run_steps<A: Float, I: Int, N: Size>(
    values: &mut Values<A, I, N>,
    #[comptime] program: Arc<Program>,
    #[comptime] digits: Digits,
    #[comptime] neighbours: bool,
    #[comptime] from: usize,
    #[comptime] to: usize,
) {
    #[unroll]
    for at in from..to {
        let step = comptime!(Placed::new(&program, at, digits, neighbours));
        match comptime!(step.kind) {
            Kind::Float => {
                let value = float_step::<A, I, N>(&*values, step);
                values.floats.push(value);
            }
            Kind::Int => {
                let value = int_step::<A, I, N>(&*values, step);
                values.ints.push(value);
            }
            Kind::Bool => {
                let value = bool_step::<A, I, N>(&*values, step);
                values.bools.push(value);
            }
        }
    }
}

#[cube]
fn float_step<A: Float, I: Int, N: Size>(values: &Values<A, I, N>, #[comptime] step: Placed) -> Vector<A, N> {
    match comptime!(step.compute.clone()) {
        Compute::Literal(value) => Vector::<A, N>::new(float::<A>(comptime!(value.as_f64()))),
        Compute::Cast(_) => match comptime!(step.from(0)) {
            Kind::Float => values.floats[comptime!(step.at(0))],
            Kind::Int => Vector::<A, N>::cast_from(values.ints[comptime!(step.at(0))]),
            Kind::Bool => Vector::<A, N>::cast_from(values.bools[comptime!(step.at(0))]),
        },
        Compute::Apply(prim, _) => match comptime!(prim.group()) {
            Group::Function(function) if step.digits != Digits::All => {
                math::function_for_halves::<A, N>(values.floats[comptime!(step.at(0))], function)
            }
            Group::Function(function) => {
                math::function::<A, N>(values.floats[comptime!(step.at(0))], function)
            }
            Group::Rounding(rounding) => {
                math::rounding::<A, N>(values.floats[comptime!(step.at(0))], rounding)
            }
            Group::Unary(unary) => math::unary::<A, N>(values.floats[comptime!(step.at(0))], unary),
            Group::Arithmetic(Arithmetic::Div) if step.digits == Digits::OfHalves => {
                halves::quotient::<A, N>(
                    values.floats[comptime!(step.at(0))],
                    values.floats[comptime!(step.at(1))],
                )
            }
            Group::Arithmetic(arithmetic) => math::arithmetic::<A, N>(
                values.floats[comptime!(step.at(0))],
                values.floats[comptime!(step.at(1))],
                arithmetic,
            ),
            Group::FloatBinary(binary) if step.digits != Digits::All => math::binary_for_halves::<A, N>(
                values.floats[comptime!(step.at(0))],
                values.floats[comptime!(step.at(1))],
                binary,
            ),
            Group::FloatBinary(binary) => math::binary::<A, N>(
                values.floats[comptime!(step.at(0))],
                values.floats[comptime!(step.at(1))],
                binary,
            ),
            Group::Choice(_) => select_many(
                values.bools[comptime!(step.at(0))],
                values.floats[comptime!(step.at(1))],
                values.floats[comptime!(step.at(2))],
            ),
            Group::Draw(_) => random::<A, I, N>(
                values.ints[comptime!(step.at(0))],
                values.ints[comptime!(step.at(1))],
                values.ints[comptime!(step.at(2))],
                comptime!(step.neighbours),
            ),
            Group::Comparison(_) | Group::Equality(_) | Group::Logic(_) | Group::Bits(_) | Group::Test(_) => {
                comptime!(unreachable!("{prim:?} gives no float"))
            }
        },
    }
}

#[cube]
fn int_step<A: Float, I: Int, N: Size>(values: &Values<A, I, N>, #[comptime] step: Placed) -> Vector<I, N> {
    match comptime!(step.compute.clone()) {
        Compute::Literal(value) => int_literal::<I, N>(comptime!(value.as_i64())),
        Compute::Cast(_) => match comptime!(step.from(0)) {
            Kind::Float => convert::to_int::<A, I, N>(values.floats[comptime!(step.at(0))]),
            Kind::Int => values.ints[comptime!(step.at(0))],
            Kind::Bool => Vector::<I, N>::cast_from(values.bools[comptime!(step.at(0))]),
        },
        Compute::Apply(prim, _) => match comptime!(prim.group()) {
            Group::Unary(unary) => ints::int_unary::<I, N>(values.ints[comptime!(step.at(0))], unary),
            Group::Arithmetic(arithmetic) => ints::int_arithmetic::<I, N>(
                values.ints[comptime!(step.at(0))],
                values.ints[comptime!(step.at(1))],
                arithmetic,
            ),
            Group::Bits(bits) => ints::bits::<I, N>(
                values.ints[comptime!(step.at(0))],
                values.ints[comptime!(step.at(1))],
                bits,
            ),
            Group::Choice(_) => select_many(
                values.bools[comptime!(step.at(0))],
                values.ints[comptime!(step.at(1))],
                values.ints[comptime!(step.at(2))],
            ),
            Group::Function(_)
            | Group::Rounding(_)
            | Group::FloatBinary(_)
            | Group::Comparison(_)
            | Group::Equality(_)
            | Group::Logic(_)
            | Group::Test(_)
            | Group::Draw(_) => comptime!(unreachable!("{prim:?} gives no int")),
        },
    }
}

#[cube]
fn bool_step<A: Float, I: Int, N: Size>(
    values: &Values<A, I, N>,
    #[comptime] step: Placed,
) -> Vector<bool, N> {
    match comptime!(step.compute.clone()) {
        Compute::Literal(value) => Vector::<bool, N>::new(comptime!(value.as_bool()).runtime()),
        Compute::Cast(_) => match comptime!(step.from(0)) {
            Kind::Float => convert::float_to_bool::<A, N>(values.floats[comptime!(step.at(0))]),
            Kind::Int => convert::int_to_bool::<I, N>(values.ints[comptime!(step.at(0))]),
            Kind::Bool => values.bools[comptime!(step.at(0))],
        },
        Compute::Apply(prim, _) => match comptime!(prim.group()) {
            Group::Test(test) => bools::test::<A, N>(values.floats[comptime!(step.at(0))], test),
            Group::Comparison(comparison) => match comptime!(step.from(0)) {
                Kind::Float => bools::compare::<A, N>(
                    values.floats[comptime!(step.at(0))],
                    values.floats[comptime!(step.at(1))],
                    comparison,
                ),
                Kind::Int => bools::compare::<I, N>(
                    values.ints[comptime!(step.at(0))],
                    values.ints[comptime!(step.at(1))],
                    comparison,
                ),
                Kind::Bool => comptime!(unreachable!("{prim:?} takes no bools")),
            },
            Group::Equality(equality) => equality_step::<A, I, N>(values, step, equality),
            Group::Logic(Logic::Not) => !values.bools[comptime!(step.at(0))],
            Group::Logic(logic) => bools::pair::<N>(
                values.bools[comptime!(step.at(0))],
                values.bools[comptime!(step.at(1))],
                logic,
            ),
            Group::Choice(_) => bools::logic_select::<N>(
                values.bools[comptime!(step.at(0))],
                values.bools[comptime!(step.at(1))],
                values.bools[comptime!(step.at(2))],
            ),
            Group::Function(_)
            | Group::Rounding(_)
            | Group::Unary(_)
            | Group::Arithmetic(_)
            | Group::Bits(_)
            | Group::FloatBinary(_)
            | Group::Draw(_) => {
                comptime!(unreachable!("{prim:?} gives no bool"))
            }
        },
    }
}

/// Whether two values of any kind are equal, or whether they are not.
#[cube]
fn equality_step<A: Float, I: Int, N: Size>(
    values: &Values<A, I, N>,
    #[comptime] step: Placed,
    #[comptime] equality: Equality,
) -> Vector<bool, N> {
    match comptime!(step.from(0)) {
        Kind::Float => bools::equality::<A, N>(
            values.floats[comptime!(step.at(0))],
            values.floats[comptime!(step.at(1))],
            equality,
        ),
        Kind::Int => bools::equality::<I, N>(
            values.ints[comptime!(step.at(0))],
            values.ints[comptime!(step.at(1))],
            equality,
        ),
        Kind::Bool => bools::bool_equality::<N>(
            values.bools[comptime!(step.at(0))],
            values.bools[comptime!(step.at(1))],
            equality,
        ),
    }
}

/// A constant in all lanes.
#[cube]
pub(crate) fn int_literal<I: Int, N: Size>(#[comptime] value: i64) -> Vector<I, N> {
    let count = I::size_bits().comptime();
    Vector::<I, N>::new(I::new(comptime!(low_bits(value, count))))
}

/// A constant as ints of this many bits hold it: a mask of 64 bits loses its upper half on devices without
/// them.
fn low_bits(value: i64, count: usize) -> i64 {
    if count == 32 { i64::from(value as i32) } else { value }
}

/// What a constant is, whatever its kind.
trait Of {
    fn as_bool(&self) -> bool;
    fn as_i64(&self) -> i64;
}

impl Of for Constant {
    fn as_bool(&self) -> bool {
        matches!(self.cast(Kind::Bool), Constant::Bool(true))
    }
    fn as_i64(&self) -> i64 {
        match self.cast(Kind::Int) {
            Constant::Int(value) => value,
            Constant::Float(_) | Constant::Bool(_) => 0,
        }
    }
}

/// Which devices compute a primitive in f64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doubles {
    /// All that have f64.
    Everywhere,
    /// Those for which kernels are compiled natively: shading languages have no such functions.
    Native,
    /// None: it is written out for f32.
    Nowhere,
}

/// Which devices compute a primitive of this group in f64.
pub(crate) fn doubles(group: Group) -> Doubles {
    match group {
        Group::Function(function) => match function {
            Function::Sqrt | Function::Rsqrt | Function::Recip => Doubles::Everywhere,
            Function::Erf | Function::Erfc => Doubles::Nowhere,
            Function::Lgamma | Function::Digamma | Function::Trigamma => Doubles::Nowhere,
            Function::Exp | Function::Exp2 | Function::Expm1 | Function::Ln | Function::Log2 => {
                Doubles::Native
            }
            Function::Log1p | Function::Sin | Function::Cos | Function::Tan | Function::Asin => {
                Doubles::Native
            }
            Function::Acos | Function::Atan | Function::Sinh | Function::Cosh | Function::Tanh => {
                Doubles::Native
            }
            Function::Asinh | Function::Acosh | Function::Atanh => Doubles::Native,
        },
        Group::FloatBinary(FloatBinary::Pow | FloatBinary::Atan2) => Doubles::Native,
        Group::Unary(_) | Group::Arithmetic(_) | Group::Comparison(_) | Group::Equality(_) => {
            Doubles::Everywhere
        }
        Group::Rounding(_) | Group::Logic(_) | Group::Bits(_) => Doubles::Everywhere,
        Group::Test(_) | Group::Choice(_) | Group::Draw(_) => Doubles::Everywhere,
    }
}
