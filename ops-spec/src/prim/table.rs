//! The rows. Conventions at ties, kinks and special values are PyTorch's.
//!
//! A row reads `name, (operands) = value in f64; gradient`, where the gradient is `(g, y) => [d
//! first], [d second]` in the operands, the result `y` and its gradient `g`, `[]` is none, and `flat "why"`
//! says that there is no derivative.

use super::{
    Arithmetic, Bits, Choice, Comparison, Draw, Equality, FloatBinary, Function, Group, Logic, Prim,
    Rounding, Row, Test, Unary, gamma, philox,
};
use crate::ir::{Kind, Value};
use std::f64::consts::{FRAC_2_SQRT_PI, FRAC_PI_2, LN_2};

macro_rules! row {
    ($name:literal, ($($x:ident),+) = $value:expr;
     ($g:ident, $y:ident) => $([$($gradient:expr)?]),+; at $special:expr) => {
        row!(@ $name, ($($x),+) = $value; $special; Ok(|args, $y, $g| {
            let &[$($x),+] = args else { return vec![] };
            // Most rules need only some of these.
            let _ = ($y, $g, $($x),+);
            vec![$(row!(@option $($gradient)?)),+]
        }))
    };
    ($name:literal, ($($x:ident),+) = $value:expr; flat $why:literal; at $special:expr) => {
        row!(@ $name, ($($x),+) = $value; $special; Err($why))
    };
    (@ $name:literal, ($($x:ident),+) = $value:expr; $special:expr; $rule:expr) => {
        Row {
            name: $name,
            operands: &[$(stringify!($x)),+],
            reference: |args| { let &[$($x),+] = args else { return f64::NAN }; $value },
            rule: $rule,
            special: &$special,
        }
    };
    (@option) => { None };
    (@option $gradient:expr) => { Some($gradient) };
}

impl Prim {
    /// The row of the table. `match` keeps it complete.
    pub fn row(self) -> Row {
        match self.group() {
            Group::Function(function) => self::function(function),
            Group::Rounding(rounding) => self::rounding(rounding),
            Group::Unary(unary) => self::unary(unary),
            Group::Arithmetic(arithmetic) => self::arithmetic(arithmetic),
            Group::FloatBinary(binary) => float_binary(binary),
            Group::Comparison(comparison) => self::comparison(comparison),
            Group::Equality(equality) => self::equality(equality),
            Group::Logic(logic) => self::logic(logic),
            Group::Bits(bits) => self::bits(bits),
            Group::Test(test) => self::test(test),
            Group::Choice(choice) => self::choice(choice),
            Group::Draw(draw) => self::draw(draw),
        }
    }
}

#[rustfmt::skip]
fn function(function: Function) -> Row {
    match function {
        Function::Exp => row!("exp", (x) = libm::exp(x); (g, y) => [g * y]; at []),
        Function::Exp2 => row!("exp2", (x) = libm::exp2(x); (g, y) => [g * y * LN_2]; at []),
        Function::Expm1 => row!("expm1", (x) = libm::expm1(x); (g, y) => [g * (y + 1.0)]; at []),
        Function::Ln => row!("ln", (x) = libm::log(x); (g, y) => [g / x]; at [0.0]),
        Function::Log2 => row!("log2", (x) = libm::log2(x); (g, y) => [g / (x * LN_2)]; at [0.0]),
        Function::Log1p => row!("log1p", (x) = libm::log1p(x); (g, y) => [g / (x + 1.0)]; at [-1.0]),
        Function::Sqrt => row!("sqrt", (x) = x.sqrt(); (g, y) => [g / (2.0 * y)]; at [0.0]),
        Function::Rsqrt => row!("rsqrt", (x) = 1.0 / x.sqrt(); (g, y) => [g * y * y * y * -0.5]; at [0.0]),
        Function::Recip => row!("recip", (x) = 1.0 / x; (g, y) => [-(g * y * y)]; at [0.0]),
        Function::Sin => row!("sin", (x) = libm::sin(x); (g, y) => [g * x.map(Prim::Cos)]; at []),
        Function::Cos => row!("cos", (x) = libm::cos(x); (g, y) => [-(g * x.map(Prim::Sin))]; at []),
        Function::Tan => row!("tan", (x) = libm::tan(x); (g, y) => [g * (y * y + 1.0)]; at [-FRAC_PI_2, FRAC_PI_2]),
        Function::Asin => row!("asin", (x) = libm::asin(x); (g, y) => [g * one_minus_square(x).map(Prim::Rsqrt)]; at [-1.0, 1.0]),
        Function::Acos => row!("acos", (x) = libm::acos(x); (g, y) => [-(g * one_minus_square(x).map(Prim::Rsqrt))]; at [-1.0, 1.0]),
        Function::Atan => row!("atan", (x) = libm::atan(x); (g, y) => [g / (x * x + 1.0)]; at []),
        Function::Sinh => row!("sinh", (x) = libm::sinh(x); (g, y) => [g * x.map(Prim::Cosh)]; at []),
        Function::Cosh => row!("cosh", (x) = libm::cosh(x); (g, y) => [g * x.map(Prim::Sinh)]; at []),
        Function::Tanh => row!("tanh", (x) = libm::tanh(x); (g, y) => [g * (1.0 - y * y)]; at []),
        Function::Asinh => row!("asinh", (x) = libm::asinh(x); (g, y) => [g / root_near(x, x * x + 1.0)]; at []),
        Function::Acosh => row!("acosh", (x) = acosh(x); (g, y) => [g / root_near(x, (x - 1.0) * (x + 1.0))]; at [1.0]),
        Function::Atanh => row!("atanh", (x) = libm::atanh(x); (g, y) => [g / one_minus_square(x)]; at [-1.0, 1.0]),
        Function::Erf => row!("erf", (x) = libm::erf(x); (g, y) => [g * (FRAC_2_SQRT_PI * (-(x * x)).map(Prim::Exp))]; at []),
        Function::Erfc => row!("erfc", (x) = libm::erfc(x); (g, y) => [g * (-FRAC_2_SQRT_PI * (-(x * x)).map(Prim::Exp))]; at []),
        Function::Lgamma => row!("lgamma", (x) = libm::lgamma(x); (g, y) => [g * x.map(Prim::Digamma)]; at [0.0, -1.0]),
        Function::Digamma => row!("digamma", (x) = gamma::digamma(x); (g, y) => [g * x.map(Prim::Trigamma)]; at [0.0, -1.0]),
        Function::Trigamma => row!("trigamma", (x) = gamma::trigamma(x); flat "is the derivative of `digamma` and has no derivative in the language: write `stop_grad(trigamma(..))`, or give the gradient with `#[grad(..)]`"; at [0.0, -1.0]),
    }
}

#[rustfmt::skip]
fn rounding(rounding: Rounding) -> Row {
    match rounding {
        Rounding::Floor => row!("floor", (x) = x.floor(); flat "is flat wherever it has a derivative: write `stop_grad(floor(..))`"; at [-1.0, 0.0, 1.0]),
        Rounding::Ceil => row!("ceil", (x) = x.ceil(); flat "is flat wherever it has a derivative: write `stop_grad(ceil(..))`"; at [-1.0, 0.0, 1.0]),
        Rounding::Trunc => row!("trunc", (x) = x.trunc(); flat "is flat wherever it has a derivative: write `stop_grad(trunc(..))`"; at [-1.0, 1.0]),
        Rounding::Round => row!("round", (x) = x.round_ties_even(); flat "is flat wherever it has a derivative: write `stop_grad(round(..))`"; at [-0.5, 0.5, 1.5, 2.5]),
    }
}

#[rustfmt::skip]
fn unary(unary: Unary) -> Row {
    match unary {
        Unary::Neg => row!("neg", (x) = -x; (g, y) => [-g]; at []),
        Unary::Abs => row!("abs", (x) = x.abs(); (g, y) => [g * x.map(Prim::Sign).stop_grad()]; at [0.0]),
        Unary::Sign => row!("sign", (x) = sign(x); flat "is flat wherever it has a derivative: write `stop_grad(sign(..))`"; at [0.0]),
    }
}

#[rustfmt::skip]
fn arithmetic(arithmetic: Arithmetic) -> Row {
    match arithmetic {
        Arithmetic::Add => row!("add", (a, b) = a + b; (g, y) => [g], [g]; at []),
        Arithmetic::Sub => row!("sub", (a, b) = a - b; (g, y) => [g], [-g]; at []),
        Arithmetic::Mul => row!("mul", (a, b) = a * b; (g, y) => [g * b], [g * a]; at []),
        Arithmetic::Div => row!("div", (a, b) = a / b; (g, y) => [g / b], [-(g / b * y)]; at [0.0]),
        Arithmetic::Rem => row!("rem", (a, b) = a % b; (g, y) => [g], [-(g * (a / b).map(Prim::Trunc).stop_grad())]; at [0.0]),
        Arithmetic::Maximum => row!("maximum", (a, b) = maximum(a, b); (g, y) => [shared(g, Prim::Lt, a, b)], [shared(g, Prim::Lt, b, a)]; at [0.0]),
        Arithmetic::Minimum => row!("minimum", (a, b) = -maximum(-a, -b); (g, y) => [shared(g, Prim::Gt, a, b)], [shared(g, Prim::Gt, b, a)]; at [0.0]),
    }
}

#[rustfmt::skip]
fn float_binary(binary: FloatBinary) -> Row {
    match binary {
        FloatBinary::Pow => row!("pow", (a, b) = libm::pow(a, b); (g, y) => [pow_base(g, a, b)], [pow_exponent(g, a, b, y)]; at [0.0]),
        FloatBinary::Atan2 => row!("atan2", (a, b) = libm::atan2(a, b); (g, y) => [over_radius(g, b, a, b)], [over_radius(g, -a, a, b)]; at [0.0]),
    }
}

#[rustfmt::skip]
fn comparison(comparison: Comparison) -> Row {
    match comparison {
        Comparison::Lt => row!("lt", (a, b) = truth(a < b); flat "is a choice and has no derivative"; at [0.0]),
        Comparison::Le => row!("le", (a, b) = truth(a <= b); flat "is a choice and has no derivative"; at [0.0]),
        Comparison::Gt => row!("gt", (a, b) = truth(a > b); flat "is a choice and has no derivative"; at [0.0]),
        Comparison::Ge => row!("ge", (a, b) = truth(a >= b); flat "is a choice and has no derivative"; at [0.0]),
    }
}

#[rustfmt::skip]
fn equality(equality: Equality) -> Row {
    match equality {
        Equality::Eq => row!("eq", (a, b) = truth(a == b); flat "is a choice and has no derivative"; at [0.0]),
        Equality::Ne => row!("ne", (a, b) = truth(a != b); flat "is a choice and has no derivative"; at [0.0]),
    }
}

#[rustfmt::skip]
fn logic(logic: Logic) -> Row {
    match logic {
        Logic::And => row!("and", (a, b) = truth(a != 0.0 && b != 0.0); flat "has no derivative"; at []),
        Logic::Or => row!("or", (a, b) = truth(a != 0.0 || b != 0.0); flat "has no derivative"; at []),
        Logic::Not => row!("not", (x) = truth(x == 0.0); flat "has no derivative"; at []),
    }
}

#[rustfmt::skip]
fn bits(bits: Bits) -> Row {
    match bits {
        Bits::BitAnd => row!("bit_and", (a, b) = Bits::BitAnd.of_floats(a, b); flat "has no derivative"; at []),
        Bits::BitOr => row!("bit_or", (a, b) = Bits::BitOr.of_floats(a, b); flat "has no derivative"; at []),
        Bits::BitXor => row!("bit_xor", (a, b) = Bits::BitXor.of_floats(a, b); flat "has no derivative"; at []),
        Bits::Shl => row!("shl", (a, b) = Bits::Shl.of_floats(a, b); flat "has no derivative"; at []),
        Bits::Shr => row!("shr", (a, b) = Bits::Shr.of_floats(a, b); flat "has no derivative"; at []),
    }
}

#[rustfmt::skip]
fn test(test: Test) -> Row {
    match test {
        Test::IsNan => row!("is_nan", (x) = truth(x.is_nan()); flat "is a choice and has no derivative"; at []),
        Test::IsFinite => row!("is_finite", (x) = truth(x.is_finite()); flat "is a choice and has no derivative"; at []),
    }
}

#[rustfmt::skip]
fn choice(choice: Choice) -> Row {
    match choice {
        Choice::Select => row!("select", (cond, a, b) = if cond != 0.0 { a } else { b };
            (g, y) => [], [select(cond, g, zero(g))], [select(cond, zero(g), g)]; at []),
    }
}

#[rustfmt::skip]
fn draw(draw: Draw) -> Row {
    match draw {
        Draw::Random => row!("random", (seed, stream, position) = philox::uniform(seed as i64, stream as i64, position as i64);
            flat "is drawn for ints, and has no derivative"; at []),
    }
}

fn truth(value: bool) -> f64 {
    f64::from(u8::from(value))
}

/// -1, 0 or 1; 0 for NaN and for zeros of either sign.
fn sign(x: f64) -> f64 {
    truth(x > 0.0) - truth(x < 0.0)
}

fn maximum(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else if a > b {
        a
    } else {
        b
    }
}

/// `1 - x²` as a product: near 1 the difference of squares would lose half its digits.
fn one_minus_square(x: Value<'_>) -> Value<'_> {
    (1.0 - x) * (x + 1.0)
}

fn zero(like: Value<'_>) -> Value<'_> {
    like.builder().float(0.0)
}

fn select<'b>(cond: Value<'b>, yes: Value<'b>, no: Value<'b>) -> Value<'b> {
    cond.builder().select(cond, yes, no)
}

/// The winner's gradient; a tie halves it. `loses` says when `a` has none.
fn shared<'b>(g: Value<'b>, loses: Prim, a: Value<'b>, b: Value<'b>) -> Value<'b> {
    select(a.zip(loses, b), zero(g), select(a.zip(Prim::Eq, b), g * 0.5, g))
}

/// The root of `x² + 1` or `x² - 1`. From 2^27 on it is `|x|` in f64, and in f32 the square is finite up to
/// there.
fn root_near<'b>(x: Value<'b>, square: Value<'b>) -> Value<'b> {
    let size = x.map(Prim::Abs);
    let far = size.zip(Prim::Gt, x.builder().float(134_217_728.0));
    select(far, size, square.map(Prim::Sqrt))
}

/// `g * side / (a² + b²)`, and 0 at the origin. The result doesn't depend on the scale, which keeps squares
/// from overflowing or vanishing: derivatives of any order take it as a constant.
fn over_radius<'b>(g: Value<'b>, side: Value<'b>, a: Value<'b>, b: Value<'b>) -> Value<'b> {
    let largest = a.map(Prim::Abs).zip(Prim::Maximum, b.map(Prim::Abs)).stop_grad();
    let is_scale = largest.map(Prim::IsFinite).zip(Prim::And, largest.zip(Prim::Gt, zero(g)));
    let scale = select(is_scale, largest, g.builder().float(1.0));
    let (a, b) = (a / scale, b / scale);
    let radius = scale * (a * a + b * b);
    select(radius.zip(Prim::Eq, zero(g)), zero(g), g * (side / scale / radius))
}

/// `x^0` is flat even where `x^-1` is infinite.
fn pow_base<'b>(g: Value<'b>, x: Value<'b>, p: Value<'b>) -> Value<'b> {
    let slope = g * (p * x.zip(Prim::Pow, p - 1.0));
    select(p.zip(Prim::Eq, zero(g)), zero(g), slope)
}

/// `0^p` is flat in `p` although `ln(0)` is infinite.
fn pow_exponent<'b>(g: Value<'b>, x: Value<'b>, p: Value<'b>, y: Value<'b>) -> Value<'b> {
    let flat = x.zip(Prim::Eq, zero(g)).zip(Prim::And, p.zip(Prim::Ge, zero(g)));
    select(flat, zero(g), g * (y * x.map(Prim::Ln)))
}

impl Group {
    /// Kind of the result, if the primitives of the group take operands of these kinds.
    pub fn result_kind(self, kinds: &[Kind]) -> Option<Kind> {
        let first = *kinds.first()?;
        let same = kinds.iter().all(|k| *k == first);
        match self {
            Group::Function(_) | Group::Rounding(_) | Group::FloatBinary(_) => {
                (same && first == Kind::Float).then_some(Kind::Float)
            }
            Group::Unary(_) | Group::Arithmetic(_) => (same && first != Kind::Bool).then_some(first),
            Group::Comparison(_) => (same && first != Kind::Bool).then_some(Kind::Bool),
            Group::Equality(_) => same.then_some(Kind::Bool),
            Group::Logic(_) => (same && first == Kind::Bool).then_some(Kind::Bool),
            Group::Bits(_) => (same && first == Kind::Int).then_some(Kind::Int),
            Group::Test(_) => (same && first == Kind::Float).then_some(Kind::Bool),
            Group::Choice(_) => match kinds {
                [Kind::Bool, yes, no] if yes == no => Some(*yes),
                [..] => None,
            },
            Group::Draw(_) => (same && first == Kind::Int).then_some(Kind::Float),
        }
    }
}

/// `libm` gives numbers for arguments below about -1e3.
fn acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Function = (Prim, fn(f64) -> f64);

    /// The references beside those of the standard library, over all magnitudes and both signs.
    #[test]
    fn references_are_the_standard_librarys() {
        let functions: [Function; 20] = [
            (Prim::Exp, f64::exp),
            (Prim::Exp2, f64::exp2),
            (Prim::Expm1, f64::exp_m1),
            (Prim::Ln, f64::ln),
            (Prim::Log2, f64::log2),
            (Prim::Log1p, f64::ln_1p),
            (Prim::Sin, f64::sin),
            (Prim::Cos, f64::cos),
            (Prim::Tan, f64::tan),
            (Prim::Asin, f64::asin),
            (Prim::Acos, f64::acos),
            (Prim::Atan, f64::atan),
            (Prim::Sinh, f64::sinh),
            (Prim::Cosh, f64::cosh),
            (Prim::Tanh, f64::tanh),
            (Prim::Asinh, f64::asinh),
            (Prim::Acosh, f64::acosh),
            (Prim::Atanh, f64::atanh),
            (Prim::Sqrt, f64::sqrt),
            (Prim::Abs, f64::abs),
        ];
        let magnitudes = (-300..=300).flat_map(|e| [1.0, 1.37, 1.99].map(|m| m * 2.0_f64.powi(e)));
        for x in magnitudes.flat_map(|x| [x, -x]).chain([0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN]) {
            for (prim, function) in functions {
                let (found, wanted) = ((prim.row().reference)(&[x]), function(x));
                let close = (found - wanted).abs() <= 1e-12 * wanted.abs();
                assert!(
                    found == wanted || close || found.is_nan() && wanted.is_nan(),
                    "{}({x:e}): {found:e}, {wanted:e}",
                    prim.name()
                );
            }
        }
    }
}
