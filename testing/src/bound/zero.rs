//! Which zeros have a sign that every backend must agree on.
//!
//! Backends must agree on the sign of a zero whose bound is 0. Rounding, the order of operations or a
//! rewritten formula may change the sign of other zeros. Such a zero has the bound [`LEAST`], so that a value
//! computed from it, such as its reciprocal, is just as uncertain. Signs are those of IEEE 754 and, for
//! functions, of annex F of C, which OpenCL refers to.

use super::Bounded;
use tensor_op_spec::ir::Scalar;
use tensor_op_spec::prim::{Arithmetic, Choice, FloatBinary, Function, Group, Prim, Unary};

/// The least positive number. It is the bound of a zero that may have either sign.
pub(super) const LEAST: f64 = f64::from_bits(1);

/// The bound of the value of a primitive. A zero whose sign is sure has no rounding of its own, so its bound
/// is the carried error; any other value has the rounded bound.
pub(super) fn error(prim: Prim, args: &[Bounded], value: Scalar, carried: f64, rounded: f64) -> f64 {
    match value {
        Scalar::Float(0.0) if is_signed(prim, args) => carried,
        Scalar::Float(0.0) => rounded.max(LEAST),
        Scalar::Float(_) | Scalar::Int(_) | Scalar::Bool(_) => rounded,
    }
}

/// Whether every backend gives this zero the sign that the reference gives it.
fn is_signed(prim: Prim, args: &[Bounded]) -> bool {
    let (Some(first), Some(last)) = (args.first(), args.last()) else { return false };
    match prim.group() {
        Group::Unary(Unary::Neg | Unary::Abs | Unary::Sign) => first.error == 0.0,
        Group::Rounding(_) => has_sign(first),
        Group::Function(Function::Recip) => is_infinite(first),
        // Other zeros come from underflow or from rounding.
        Group::Function(_) => is_zero(first) && keeps_sign_of_zero(prim),
        Group::Arithmetic(Arithmetic::Mul) => {
            has_sign(first) && has_sign(last) && (is_zero(first) || is_zero(last))
        }
        Group::Arithmetic(Arithmetic::Div) => {
            has_sign(first) && has_sign(last) && (is_zero(first) || is_infinite(last))
        }
        Group::Arithmetic(Arithmetic::Rem) => has_sign(first) && first.error == 0.0 && last.error == 0.0,
        // Of zeros with different signs either is the larger.
        Group::Arithmetic(Arithmetic::Maximum | Arithmetic::Minimum) => {
            let [a, b] = [first, last].map(|arg| arg.value.as_f64());
            let are_alike = a.is_sign_positive() == b.is_sign_positive() || a != b;
            first.error == 0.0 && last.error == 0.0 && are_alike
        }
        // Sums may be regrouped, and zeros in them left out.
        Group::Arithmetic(Arithmetic::Add | Arithmetic::Sub) => false,
        Group::FloatBinary(FloatBinary::Atan2) => is_zero(first) && has_sign(last),
        Group::FloatBinary(FloatBinary::Pow) => false,
        // The bound of the branch says it.
        Group::Choice(Choice::Select) => true,
        // Nothing about the sign of a zero is left to a backend.
        Group::Draw(_) => true,
        // To bool, or of ints.
        Group::Comparison(_) | Group::Equality(_) | Group::Logic(_) | Group::Test(_) => false,
        Group::Bits(_) => false,
    }
}

/// Whether a function is zero at zero, of the sign of its operand.
fn keeps_sign_of_zero(prim: Prim) -> bool {
    let reference = prim.row().reference;
    [0.0, -0.0].iter().all(|zero: &f64| reference(&[*zero]).to_bits() == zero.to_bits())
}

/// A zero, whatever rounding does.
fn is_zero(x: &Bounded) -> bool {
    x.error == 0.0 && x.value.as_f64() == 0.0
}

fn is_infinite(x: &Bounded) -> bool {
    x.error == 0.0 && x.value.as_f64().is_infinite()
}

/// Whether all values within the bound have the same sign.
fn has_sign(x: &Bounded) -> bool {
    x.value.as_f64().abs() > x.error || is_zero(x)
}
