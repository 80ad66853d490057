//! Primitives on vectors inside a kernel.
//!
//! Conventions at special values are those of the language. Where a shading language computes a function with few digits near a point
//! (`log(1 + x)` near 0), the function is written out for f32; f64 takes the device's own.

use super::program::float;
use cubecl::ir::{ElemType, FloatKind};
use cubecl::prelude::*;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, LN_2, LOG2_E, PI};
use tensor_op_spec::prim::Prim;

/// A primitive of one float.
#[cube]
pub(crate) fn unary<A: Float, N: Size>(x: Vector<A, N>, #[comptime] prim: Prim) -> Vector<A, N> {
    match prim {
        Prim::Neg => -x,
        Prim::Exp => Vector::exp(x),
        Prim::Exp2 => Vector::exp(x * all::<A, N>(LN_2)),
        Prim::Expm1 => expm1::<A, N>(x),
        Prim::Ln => Vector::ln(x),
        Prim::Log2 => Vector::ln(x) * all::<A, N>(LOG2_E),
        Prim::Log1p => log1p::<A, N>(x),
        Prim::Sqrt => Vector::sqrt(x),
        Prim::Rsqrt => all::<A, N>(1.0) / Vector::sqrt(x),
        Prim::Recip => all::<A, N>(1.0) / x,
        Prim::Sin => Vector::sin(x),
        Prim::Cos => Vector::cos(x),
        Prim::Tan => Vector::tan(x),
        Prim::Asin => asin::<A, N>(x),
        Prim::Acos => acos::<A, N>(x),
        Prim::Atan => atan::<A, N>(x),
        Prim::Sinh => sinh::<A, N>(x),
        Prim::Cosh => Vector::cosh(x),
        Prim::Tanh => tanh::<A, N>(x),
        Prim::Asinh => asinh::<A, N>(x),
        Prim::Acosh => acosh::<A, N>(x),
        Prim::Atanh => atanh::<A, N>(x),
        Prim::Erf => erf::<A, N>(x),
        Prim::Erfc => erfc::<A, N>(x),
        Prim::Abs => Vector::abs(x),
        Prim::Sign => sign::<A, N>(x),
        Prim::Floor => Vector::floor(x),
        Prim::Ceil => Vector::ceil(x),
        Prim::Round => Vector::round(x),
        _ => comptime!(unreachable!("{prim:?} does not take one float to a float")),
    }
}

/// A primitive of two floats.
#[cube]
pub(crate) fn binary<A: Float, N: Size>(
    a: Vector<A, N>,
    b: Vector<A, N>,
    #[comptime] prim: Prim,
) -> Vector<A, N> {
    match prim {
        Prim::Add => a + b,
        Prim::Sub => a - b,
        Prim::Mul => a * b,
        Prim::Div => a / b,
        Prim::Rem => rem::<A, N>(a, b),
        Prim::Maximum => max_nan(a, b),
        Prim::Minimum => min_nan(a, b),
        Prim::Pow => pow::<A, N>(a, b),
        Prim::Atan2 => atan2::<A, N>(a, b),
        _ => comptime!(unreachable!("{prim:?} does not take two floats to a float")),
    }
}

/// A primitive of one int.
#[cube]
pub(crate) fn int_unary<I: Int, N: Size>(x: Vector<I, N>, #[comptime] prim: Prim) -> Vector<I, N> {
    let zero = Vector::<I, N>::new(I::new(0));
    match prim {
        Prim::Neg => zero - x,
        Prim::Abs => select_many(x.less_than(&zero), zero - x, x),
        Prim::Sign => {
            let one = Vector::<I, N>::new(I::new(1));
            select_many(x.less_than(&zero), zero - one, select_many(x.equal(&zero), zero, one))
        }
        _ => comptime!(unreachable!("{prim:?} does not take one int to an int")),
    }
}

/// A primitive of two ints. Division by zero gives 0.
#[cube]
pub(crate) fn int_binary<I: Int, N: Size>(
    a: Vector<I, N>,
    b: Vector<I, N>,
    #[comptime] prim: Prim,
) -> Vector<I, N> {
    let zero = Vector::<I, N>::new(I::new(0));
    let one = Vector::<I, N>::new(I::new(1));
    match prim {
        Prim::Add => a + b,
        Prim::Sub => a - b,
        Prim::Mul => a * b,
        Prim::Div => {
            // The smallest int by -1 wraps; it is no division that hardware defines.
            let minus = b.equal(&(zero - one));
            let safe = select_many(b.equal(&zero), one, select_many(minus, one, b));
            select_many(b.equal(&zero), zero, select_many(minus, zero - a, a / safe))
        }
        Prim::Rem => {
            let minus = b.equal(&(zero - one));
            let safe = select_many(b.equal(&zero), one, select_many(minus, one, b));
            a - (a / safe) * safe
        }
        Prim::Maximum => select_many(a.less_than(&b), b, a),
        Prim::Minimum => select_many(b.less_than(&a), b, a),
        _ => comptime!(unreachable!("{prim:?} does not take two ints to an int")),
    }
}

/// A comparison.
#[cube]
pub(crate) fn compare<E: Numeric, N: Size>(
    a: Vector<E, N>,
    b: Vector<E, N>,
    #[comptime] prim: Prim,
) -> Vector<bool, N> {
    match prim {
        Prim::Lt => a.less_than(&b),
        Prim::Le => a.less_equal(&b),
        Prim::Gt => a.greater_than(&b),
        Prim::Ge => a.greater_equal(&b),
        Prim::Eq => a.equal(&b),
        // Not `not_equal`, which is ordered in some shading languages: false for NaN.
        Prim::Ne => !a.equal(&b),
        _ => comptime!(unreachable!("{prim:?} is no comparison")),
    }
}

/// A test of one float.
#[cube]
pub(crate) fn test<A: Float, N: Size>(x: Vector<A, N>, #[comptime] prim: Prim) -> Vector<bool, N> {
    match prim {
        Prim::IsNan => Vector::is_nan(x),
        Prim::IsFinite => !(Vector::is_nan(x).or(Vector::is_inf(x))),
        _ => comptime!(unreachable!("{prim:?} is no test of a float")),
    }
}

#[cube]
pub(crate) fn not<N: Size>(x: Vector<bool, N>) -> Vector<bool, N> {
    !x
}

/// A primitive of two bools.
#[cube]
pub(crate) fn logic<N: Size>(
    a: Vector<bool, N>,
    b: Vector<bool, N>,
    #[comptime] prim: Prim,
) -> Vector<bool, N> {
    match prim {
        Prim::And => a.vec_and(b),
        Prim::Or => a.or(b),
        Prim::Eq => (a.vec_and(b)).or((!a).vec_and(!b)),
        Prim::Ne => (a.vec_and(!b)).or((!a).vec_and(b)),
        _ => comptime!(unreachable!("{prim:?} does not take two bools")),
    }
}

#[cube]
pub(crate) fn logic_select<N: Size>(
    cond: Vector<bool, N>,
    a: Vector<bool, N>,
    b: Vector<bool, N>,
) -> Vector<bool, N> {
    (cond.vec_and(a)).or((!cond).vec_and(b))
}

/// Truncates and saturates; NaN gives 0.
#[cube]
pub(crate) fn to_int<A: Float, I: Int, N: Size>(x: Vector<A, N>) -> Vector<I, N> {
    let bits = I::size_bits().comptime();
    let bound = comptime!(2f64.powi(bits as i32 - 1));
    let largest = comptime!(if bits == 64 { i64::MAX } else { (1i64 << (bits - 1)) - 1 });
    let smallest = comptime!(-largest - 1);
    let zero = all::<A, N>(0.0);
    let above = x.greater_equal(&all::<A, N>(bound));
    let below = x.less_than(&all::<A, N>(-bound));
    let outside = above.or(below).or(Vector::is_nan(x));
    let inside = Vector::<I, N>::cast_from(Vector::trunc(select_many(outside, zero, x)));
    let high = Vector::<I, N>::new(I::new(largest));
    let low = Vector::<I, N>::new(I::new(smallest));
    select_many(above, high, select_many(below, low, inside))
}

/// `x != 0`, which NaN is.
#[cube]
pub(crate) fn float_to_bool<A: Float, N: Size>(x: Vector<A, N>) -> Vector<bool, N> {
    !x.equal(&all::<A, N>(0.0))
}

#[cube]
pub(crate) fn int_to_bool<I: Int, N: Size>(x: Vector<I, N>) -> Vector<bool, N> {
    !x.equal(&Vector::<I, N>::new(I::new(0)))
}

/// A constant in all lanes.
#[cube]
pub(crate) fn all<A: Float, N: Size>(#[comptime] value: f64) -> Vector<A, N> {
    Vector::<A, N>::new(float::<A>(value))
}

/// Whether arithmetic is in f64, where the device's functions are taken.
#[cube]
#[allow(clippy::extra_unused_type_parameters, reason = "the question is about the type")]
fn is_double<A: Float>() -> comptime_type!(bool) {
    intrinsic!(|scope| A::elem_type(scope) == ElemType::Float(FloatKind::F64))
}

/// `c[0] + x * (c[1] + x * (..))`.
#[cube]
fn polynomial<A: Float, N: Size>(x: Vector<A, N>, #[comptime] c: Vec<f64>) -> Vector<A, N> {
    let last = comptime!(c.len() - 1);
    let mut value = all::<A, N>(comptime!(c[last]));
    #[unroll]
    for i in 0..last {
        value = value * x + all::<A, N>(comptime!(c[last - 1 - i]));
    }
    value
}

#[cube]
fn sign<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let zero = all::<A, N>(0.0);
    let negative = select_many(x.less_than(&zero), all::<A, N>(-1.0), zero);
    select_many(x.greater_than(&zero), all::<A, N>(1.0), negative)
}

/// Taylor's series near 0.
#[cube]
fn expm1<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    if is_double::<A>() {
        Vector::exp_m1(x)
    } else {
        let terms = comptime!(vec![
            1.0,
            1.0 / 2.0,
            1.0 / 6.0,
            1.0 / 24.0,
            1.0 / 120.0,
            1.0 / 720.0,
            1.0 / 5040.0,
            1.0 / 40320.0
        ]);
        let near = x * polynomial::<A, N>(x, terms);
        let is_near = Vector::abs(x).less_than(&all::<A, N>(0.5));
        select_many(is_near, near, Vector::exp(x) - all::<A, N>(1.0))
    }
}

/// `2 artanh(x / (2 + x))` by its series near 0.
#[cube]
fn log1p<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    if is_double::<A>() {
        Vector::log1p(x)
    } else {
        let s = x / (x + all::<A, N>(2.0));
        let terms = comptime!(vec![2.0, 2.0 / 3.0, 2.0 / 5.0, 2.0 / 7.0, 2.0 / 9.0, 2.0 / 11.0]);
        let near = s * polynomial::<A, N>(s * s, terms);
        let is_near = Vector::abs(x).less_than(&all::<A, N>(0.5));
        select_many(is_near, near, Vector::ln(x + all::<A, N>(1.0)))
    }
}

/// The sign of `x` on a value of at least 0; keeps -0 and NaN.
#[cube]
fn with_sign<A: Float, N: Size>(magnitude: Vector<A, N>, x: Vector<A, N>) -> Vector<A, N> {
    let zero = all::<A, N>(0.0);
    select_many(x.equal(&zero), x, select_many(x.less_than(&zero), -magnitude, magnitude))
}

#[cube]
fn sinh<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    if is_double::<A>() {
        Vector::sinh(x)
    } else {
        // Near 0 through expm1; far from it in two factors, which overflow where the value does.
        let size = Vector::abs(x);
        let e = expm1::<A, N>(size);
        let near = (e + e / (e + all::<A, N>(1.0))) * all::<A, N>(0.5);
        let half = Vector::exp(size * all::<A, N>(0.5));
        let far = half * all::<A, N>(0.5) * half;
        with_sign::<A, N>(select_many(size.less_than(&all::<A, N>(20.0)), near, far), x)
    }
}

#[cube]
fn tanh<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    if is_double::<A>() {
        Vector::tanh(x)
    } else {
        let size = Vector::abs(x);
        let e = expm1::<A, N>(size * all::<A, N>(2.0));
        let near = e / (e + all::<A, N>(2.0));
        let far = select_many(Vector::is_nan(x), x, all::<A, N>(1.0));
        with_sign::<A, N>(select_many(size.less_than(&all::<A, N>(10.0)), near, far), x)
    }
}

#[cube]
fn asinh<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    if is_double::<A>() {
        Vector::asinh(x)
    } else {
        let one = all::<A, N>(1.0);
        let size = Vector::abs(x);
        let square = size * size;
        let near = log1p::<A, N>(size + square / (one + Vector::sqrt(square + one)));
        let far = Vector::ln(size) + all::<A, N>(LN_2);
        with_sign::<A, N>(select_many(size.less_than(&all::<A, N>(1e8)), near, far), x)
    }
}

#[cube]
fn acosh<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    if is_double::<A>() {
        Vector::acosh(x)
    } else {
        let t = x - all::<A, N>(1.0);
        let near = log1p::<A, N>(t + Vector::sqrt(t * (t + all::<A, N>(2.0))));
        let far = Vector::ln(x) + all::<A, N>(LN_2);
        select_many(x.less_than(&all::<A, N>(1e8)), near, far)
    }
}

#[cube]
fn atanh<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    if is_double::<A>() {
        Vector::atanh(x)
    } else {
        let size = Vector::abs(x);
        let value = log1p::<A, N>((size + size) / (all::<A, N>(1.0) - size)) * all::<A, N>(0.5);
        with_sign::<A, N>(value, x)
    }
}

/// After Cephes, `ndtrf.c`.
#[cube]
fn erf<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    if is_double::<A>() {
        Vector::erf(x)
    } else {
        let is_near = Vector::abs(x).less_than(&all::<A, N>(1.0));
        select_many(is_near, erf_near::<A, N>(x), all::<A, N>(1.0) - erfc_far::<A, N>(x))
    }
}

#[cube]
fn erfc<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    if is_double::<A>() {
        all::<A, N>(1.0) - Vector::erf(x)
    } else {
        let is_near = Vector::abs(x).less_than(&all::<A, N>(1.0));
        select_many(is_near, all::<A, N>(1.0) - erf_near::<A, N>(x), erfc_far::<A, N>(x))
    }
}

/// erf where |x| < 1.
#[cube]
fn erf_near<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let terms = comptime!(vec![
        1.128379165726710E+0,
        -3.761262582423300E-1,
        1.128358514861418E-1,
        -2.685381193529856E-2,
        5.188327685732524E-3,
        -8.010193625184903E-4,
        7.853861353153693E-5,
    ]);
    x * polynomial::<A, N>(x * x, terms)
}

/// erfc where |x| >= 1.
#[cube]
fn erfc_far<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let middle = comptime!(vec![
        5.638259427386472E-1,
        -2.741127028184656E-1,
        3.404879937665872E-1,
        -4.944515323274145E-1,
        6.210004621745983E-1,
        -5.824733027278666E-1,
        3.687424674597105E-1,
        -1.387039388740657E-1,
        2.326819970068386E-2,
    ]);
    let far = comptime!(vec![
        5.641895067754075E-1,
        -2.820767439740514E-1,
        4.218463358204948E-1,
        -1.015265279202700E+0,
        2.921019019210786E+0,
        -7.495518717768503E+0,
        1.297719955372516E+1,
        -1.047766399936249E+1,
    ]);
    let size = Vector::abs(x);
    let q = all::<A, N>(1.0) / size;
    let is_middle = size.less_than(&all::<A, N>(2.0));
    let p = select_many(is_middle, polynomial::<A, N>(q * q, middle), polynomial::<A, N>(q * q, far));
    let tail = Vector::exp(-(size * size)) * q * p;
    // Below the smallest number; the polynomial may have overflowed there.
    let tail = select_many(size.greater_than(&all::<A, N>(10.5)), all::<A, N>(0.0), tail);
    let both = select_many(x.less_than(&all::<A, N>(0.0)), all::<A, N>(2.0) - tail, tail);
    select_many(Vector::is_nan(x), x, both)
}

/// `x^0` and `1^p` are 1, whatever the other is; of a negative base only whole powers exist.
#[cube]
fn pow<A: Float, N: Size>(x: Vector<A, N>, p: Vector<A, N>) -> Vector<A, N> {
    let (zero, one, two) = (all::<A, N>(0.0), all::<A, N>(1.0), all::<A, N>(2.0));
    let size = Vector::abs(x);
    let whole = Vector::floor(p).equal(&p);
    let odd = whole.vec_and(!(two * Vector::floor(p / two)).equal(&p));
    let infinite = Vector::is_inf(p).or(Vector::is_inf(x));
    let power = Vector::powf(size, p);
    let negative = x.less_than(&zero);
    let exists = (!negative).or(whole).or(infinite);
    let signed = select_many(negative.vec_and(odd), -power, power);
    let value = select_many(exists, signed, all::<A, N>(f64::NAN));
    let value = select_many(Vector::is_nan(x).or(Vector::is_nan(p)), x + p, value);
    let of_one = x.equal(&one).or(size.equal(&one).vec_and(Vector::is_inf(p)));
    select_many(of_one.or(p.equal(&zero)), one, value)
}

/// The sign of the dividend. The quotient may be rounded up to a whole number: one divisor is given back.
#[cube]
fn rem<A: Float, N: Size>(a: Vector<A, N>, b: Vector<A, N>) -> Vector<A, N> {
    if is_double::<A>() {
        a % b
    } else {
        let (size, by) = (Vector::abs(a), Vector::abs(b));
        let rest = fma(-Vector::floor(size / by), by, size);
        let rest = select_many(rest.less_than(&all::<A, N>(0.0)), rest + by, rest);
        let rest = select_many(rest.greater_equal(&by), rest - by, rest);
        let finite = !(Vector::is_inf(a).or(Vector::is_nan(a)));
        let rest = select_many(Vector::is_inf(b).vec_and(finite), size, rest);
        select_many(a.less_than(&all::<A, N>(0.0)), -rest, rest)
    }
}

/// After Cephes, `asinf.c`: `asin(s)` where `z = s²` is at most 1/4.
#[cube]
fn asin_near<A: Float, N: Size>(s: Vector<A, N>, z: Vector<A, N>) -> Vector<A, N> {
    let terms =
        comptime!(vec![1.6666752422E-1, 7.4953002686E-2, 4.5470025998E-2, 2.4181311049E-2, 4.2163199048E-2,]);
    s + s * z * polynomial::<A, N>(z, terms)
}

#[cube]
fn asin<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    if is_double::<A>() {
        Vector::asin(x)
    } else {
        let (half, size) = (all::<A, N>(0.5), Vector::abs(x));
        let z = (all::<A, N>(1.0) - size) * half;
        let far = all::<A, N>(FRAC_PI_2) - asin_near::<A, N>(Vector::sqrt(z), z) * all::<A, N>(2.0);
        with_sign::<A, N>(select_many(size.less_than(&half), asin_near::<A, N>(size, size * size), far), x)
    }
}

#[cube]
fn acos<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    if is_double::<A>() {
        Vector::acos(x)
    } else {
        let (half, size) = (all::<A, N>(0.5), Vector::abs(x));
        let z = (all::<A, N>(1.0) - size) * half;
        let far = asin_near::<A, N>(Vector::sqrt(z), z) * all::<A, N>(2.0);
        let far = select_many(x.less_than(&all::<A, N>(0.0)), all::<A, N>(PI) - far, far);
        let near = all::<A, N>(FRAC_PI_2) - asin_near::<A, N>(x, x * x);
        select_many(size.less_than(&half), near, far)
    }
}

/// After Cephes, `atanf.c`.
#[cube]
fn atan<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    if is_double::<A>() {
        Vector::atan(x)
    } else {
        let (one, size) = (all::<A, N>(1.0), Vector::abs(x));
        let beyond = size.greater_than(&one);
        let angle = atan_unit::<A, N>(select_many(beyond, one / size, size));
        with_sign::<A, N>(select_many(beyond, all::<A, N>(FRAC_PI_2) - angle, angle), x)
    }
}

/// The arc tangent of 0 to 1.
#[cube]
fn atan_unit<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let one = all::<A, N>(1.0);
    let upper = x.greater_than(&all::<A, N>(0.414_213_562_373_095));
    let s = select_many(upper, (x - one) / (x + one), x);
    let terms = comptime!(vec![-3.33329491539E-1, 1.99777106478E-1, -1.38776856032E-1, 8.05374449538E-2]);
    let angle = s + s * (s * s) * polynomial::<A, N>(s * s, terms);
    select_many(upper, angle + all::<A, N>(FRAC_PI_4), angle)
}

#[cube]
fn atan2<A: Float, N: Size>(y: Vector<A, N>, x: Vector<A, N>) -> Vector<A, N> {
    if is_double::<A>() {
        Vector::atan2(y, x)
    } else {
        let (zero, one) = (all::<A, N>(0.0), all::<A, N>(1.0));
        let (rise, run) = (Vector::abs(y), Vector::abs(x));
        let steep = rise.greater_than(&run);
        let (low, high) = (select_many(steep, run, rise), select_many(steep, rise, run));
        // Equal ones, infinities and zeros included, have a ratio of 1 or, at the origin, of 0.
        let ratio = select_many(low.equal(&high), select_many(low.equal(&zero), zero, one), low / high);
        let angle = atan_unit::<A, N>(ratio);
        let angle = select_many(steep, all::<A, N>(FRAC_PI_2) - angle, angle);
        let angle = select_many(is_negative::<A, N>(x), all::<A, N>(PI) - angle, angle);
        let angle = select_many(is_negative::<A, N>(y), -angle, angle);
        select_many(Vector::is_nan(x).or(Vector::is_nan(y)), x + y, angle)
    }
}

/// Whether the sign bit is set, of no NaN.
#[cube]
fn is_negative<A: Float, N: Size>(x: Vector<A, N>) -> Vector<bool, N> {
    let zero = all::<A, N>(0.0);
    x.less_than(&zero).or(x.equal(&zero).vec_and((all::<A, N>(1.0) / x).less_than(&zero)))
}
