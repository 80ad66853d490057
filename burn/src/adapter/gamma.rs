//! The logarithm of the gamma function and its derivatives, which Burn lacks: by the formulas of the
//! language's reference (`tensor_op_spec::prim::gamma`).

use super::bools;
use super::elementwise::{constant, one_minus};
use burn::backend::tensor::{BoolTensor, FloatTensor};
use burn::backend::{Backend, TensorMetadata};
use std::f64::consts::PI;
use tensor_op_spec::prim::gamma;

/// So many steps lead from 0 to where the series begin.
const STEPS: usize = 10;

pub(super) fn lgamma<B: Backend>(x: FloatTensor<B>) -> FloatTensor<B> {
    let (is_left, is_small) = (is_below::<B>(x.clone(), 0.0), is_below::<B>(x.clone(), 1.0));
    let size = B::float_abs(x.clone());
    // Less than 1 is taken one step further.
    let below = |by| B::float_sub_scalar(x.clone(), constant(by));
    let from_1 = B::float_mask_where(below(1.0), is_small.clone(), size.clone());
    let next = B::float_sub_scalar(size.clone(), constant(1.0));
    let value = lgamma_from_1::<B>(from_1, B::float_mask_where(below(2.0), is_small.clone(), next));
    let rest = B::float_abs(beyond_whole::<B>(x.clone()));
    let sine = B::float_sin(B::float_mul_scalar(rest.clone(), constant(PI)));
    let sine = B::float_mul_scalar(sine, constant(1.0 / PI));
    let step = B::float_log(B::float_mask_where(size, is_left.clone(), sine));
    let left = B::float_neg(B::float_add(value.clone(), step.clone()));
    let small = B::float_sub(value.clone(), step);
    let value = B::float_mask_where(B::float_mask_where(value, is_small, small), is_left.clone(), left);
    // At the poles, where the parts may be infinities with both signs.
    let bools = bools::<B>(&x.device());
    let is_whole = B::float_equal_elem(rest, constant(0.0), bools);
    let is_pole = B::bool_or(B::float_is_inf(x, bools), B::bool_and(is_left, is_whole));
    B::float_mask_fill(value, is_pole, constant(f64::INFINITY))
}

/// Of a number from 1 on, which is given less 1 and less 2: these are the factors of a small result.
fn lgamma_from_1<B: Backend>(from_1: FloatTensor<B>, from_2: FloatTensor<B>) -> FloatTensor<B> {
    let step = |x: FloatTensor<B>, by: f64| B::float_add_scalar(x, constant(by));
    let y = step(from_1.clone(), 1.0);
    let is_near = is_below::<B>(y.clone(), gamma::FAR);
    let (mut a, mut b, mut product) = (from_1, from_2, step(zeros::<B>(&y), 1.0));
    // Down to between 2 and 3.
    for _ in 0..STEPS {
        let is_last = is_below::<B>(b.clone(), 1.0);
        product = B::float_mask_where(B::float_mul(product.clone(), a.clone()), is_last.clone(), product);
        a = B::float_mask_where(step(a.clone(), -1.0), is_last.clone(), a);
        b = B::float_mask_where(step(b.clone(), -1.0), is_last, b);
    }
    let ratio = polynomial::<B>(b.clone(), &LGAMMA_NEAR);
    let near = B::float_add(B::float_log(product), B::float_mul(B::float_mul(a, b), ratio));
    let inverse = B::float_recip(y.clone());
    let series = B::float_mul(inverse.clone(), polynomial::<B>(square::<B>(inverse), &STIRLING));
    let slope = step(B::float_log(y.clone()), -1.0);
    let far = B::float_mul(step(y, -0.5), slope);
    let far = B::float_add(far, step(series, (2.0 * PI).ln() / 2.0 - 0.5));
    B::float_mask_where(far, is_near, near)
}

/// `lgamma(2 + x) / (x (1 + x))` from -1 to 1, a polynomial at Chebyshev's points.
const LGAMMA_NEAR: [f64; 27] = [
    0.42278433509846713,
    -0.10031730167435421,
    0.03296500062115597,
    -0.012384192193336403,
    0.00499864116468036,
    -0.0021081308352055112,
    0.0009153769228592748,
    -0.0004057073767183402,
    0.00018255262896164608,
    -8.30953205143401e-05,
    3.816898383928973e-05,
    -1.7660549436859962e-05,
    8.221641184688458e-06,
    -3.851628024568635e-06,
    1.8101965374585382e-06,
    -8.417878185566207e-07,
    3.9829198619176525e-07,
    -2.1160209415295267e-07,
    1.0090082501416391e-07,
    -1.9155798912805917e-08,
    8.980752931319328e-09,
    -2.9689377236178223e-08,
    1.4354602538186547e-08,
    7.546982106044216e-09,
    -3.6707781973177215e-09,
    -3.045083104616406e-09,
    1.4756784497956257e-09,
];

/// Bernoulli's numbers by their indices and the indices less 1.
const STIRLING: [f64; 8] = [
    1.0 / 12.0,
    -1.0 / 360.0,
    1.0 / 1260.0,
    -1.0 / 1680.0,
    1.0 / 1188.0,
    -691.0 / 360360.0,
    1.0 / 156.0,
    -3617.0 / 122400.0,
];

pub(super) fn digamma<B: Backend>(x: FloatTensor<B>) -> FloatTensor<B> {
    let (is_left, is_small) = (is_below::<B>(x.clone(), 0.0), is_below::<B>(x.clone(), 1.0));
    let next = B::float_add_scalar(x.clone(), constant(1.0));
    let y = B::float_mask_where(x.clone(), is_small.clone(), next);
    let y = B::float_mask_where(y, is_left.clone(), one_minus::<B>(x.clone()));
    let value = digamma_from_1::<B>(y);
    let small = B::float_sub(value.clone(), B::float_recip(x.clone()));
    let rest = beyond_whole::<B>(x);
    let left = B::float_sub(value.clone(), pi_over_tangent::<B>(rest.clone()));
    let is_whole = B::float_equal_elem(rest.clone(), constant(0.0), bools::<B>(&rest.device()));
    let left = B::float_mask_fill(left, is_whole, constant(f64::NAN));
    B::float_mask_where(B::float_mask_where(value, is_small, small), is_left, left)
}

fn digamma_from_1<B: Backend>(x: FloatTensor<B>) -> FloatTensor<B> {
    let inverse = B::float_recip(x.clone());
    let z = square::<B>(inverse.clone());
    let series = B::float_mul(z.clone(), polynomial::<B>(z, &gamma::DIGAMMA_FAR));
    let series = B::float_add(series, B::float_mul_scalar(inverse, constant(0.5)));
    let far = B::float_sub(B::float_log(x.clone()), series);
    let is_near = is_below::<B>(x.clone(), gamma::FAR);
    // Down to between 1 and 2.
    let (mut y, mut sum) = (x.clone(), zeros::<B>(&x));
    for _ in 0..STEPS {
        let is_last = is_below::<B>(y.clone(), 2.0);
        let next = B::float_sub_scalar(y.clone(), constant(1.0));
        let more = B::float_add(sum.clone(), B::float_recip(next.clone()));
        sum = B::float_mask_where(more, is_last.clone(), sum);
        y = B::float_mask_where(next, is_last, y);
    }
    let ratio = polynomial::<B>(B::float_sub_scalar(y.clone(), constant(1.5)), &gamma::DIGAMMA_NEAR);
    let distance = gamma::ROOT.iter().fold(y, |y, part| B::float_sub_scalar(y, constant(*part)));
    let near = B::float_mul(distance, ratio);
    B::float_mask_where(far, is_near, B::float_add(sum, near))
}

/// `π / tan(πx)` up to 1/2, where the tangent of what is left to there has all digits.
fn pi_over_tangent<B: Backend>(x: FloatTensor<B>) -> FloatTensor<B> {
    let tangent = |x: FloatTensor<B>| B::float_tan(B::float_mul_scalar(x, constant(PI)));
    let left = B::float_add_scalar(B::float_neg(B::float_abs(x.clone())), constant(0.5));
    let is_near = is_below::<B>(B::float_abs(x.clone()), 0.25);
    let far = B::float_mul(tangent(left), B::float_sign(x.clone()));
    let cotangent = B::float_mask_where(far, is_near, B::float_recip(tangent(x)));
    B::float_mul_scalar(cotangent, constant(PI))
}

pub(super) fn trigamma<B: Backend>(x: FloatTensor<B>) -> FloatTensor<B> {
    let is_left = is_below::<B>(x.clone(), 0.0);
    let mut y = B::float_mask_where(x.clone(), is_left.clone(), one_minus::<B>(x.clone()));
    let mut sum = zeros::<B>(&y);
    for _ in 0..STEPS {
        let is_near = is_below::<B>(y.clone(), gamma::FAR);
        let more = B::float_add(sum.clone(), square::<B>(B::float_recip(y.clone())));
        sum = B::float_mask_where(sum, is_near.clone(), more);
        let next = B::float_add_scalar(y.clone(), constant(1.0));
        y = B::float_mask_where(y, is_near, next);
    }
    let inverse = B::float_recip(y);
    let z = square::<B>(inverse.clone());
    let series = B::float_mul(z.clone(), polynomial::<B>(z, &gamma::TRIGAMMA_FAR));
    let series = B::float_add(series, B::float_mul_scalar(inverse.clone(), constant(0.5)));
    let far = B::float_mul(inverse, B::float_add_scalar(series, constant(1.0)));
    let value = B::float_add(sum, far);
    let angle = B::float_mul_scalar(beyond_whole::<B>(x), constant(PI));
    let secant = B::float_mul_scalar(B::float_recip(B::float_sin(angle)), constant(PI));
    let left = B::float_sub(square::<B>(secant), value.clone());
    B::float_mask_where(value, is_left, left)
}

fn is_below<B: Backend>(x: FloatTensor<B>, bound: f64) -> BoolTensor<B> {
    let bools = bools::<B>(&x.device());
    B::float_lower_elem(x, constant(bound), bools)
}

/// What is beyond the nearest whole number.
fn beyond_whole<B: Backend>(x: FloatTensor<B>) -> FloatTensor<B> {
    B::float_sub(x.clone(), B::float_round(x))
}

fn square<B: Backend>(x: FloatTensor<B>) -> FloatTensor<B> {
    B::float_mul(x.clone(), x)
}

/// Constant first.
fn polynomial<B: Backend>(x: FloatTensor<B>, coefficients: &[f64]) -> FloatTensor<B> {
    coefficients.iter().rev().fold(zeros::<B>(&x), |sum, coefficient| {
        B::float_add_scalar(B::float_mul(sum, x.clone()), constant(*coefficient))
    })
}

fn zeros<B: Backend>(like: &FloatTensor<B>) -> FloatTensor<B> {
    B::float_zeros(like.shape(), &like.device(), like.dtype().into())
}
