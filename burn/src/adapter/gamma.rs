//! Derivatives of the logarithm of the gamma function, which Burn lacks, by the formulas of the language's
//! reference.

use super::bools;
use super::elementwise::{constant, one_minus};
use burn::backend::tensor::{BoolTensor, FloatTensor};
use burn::backend::{Backend, TensorMetadata};
use std::f64::consts::PI;

/// From here on the series have all digits, and so many steps lead there from 0.
const FAR: f64 = 10.0;
const STEPS: usize = 10;

pub(super) fn trigamma<B: Backend>(x: FloatTensor<B>) -> FloatTensor<B> {
    let is_left = is_below::<B>(x.clone(), 0.0);
    let mut y = B::float_mask_where(x.clone(), is_left.clone(), one_minus::<B>(x.clone()));
    let mut sum = B::float_zeros(y.shape(), &y.device(), y.dtype().into());
    for _ in 0..STEPS {
        let is_near = is_below::<B>(y.clone(), FAR);
        let more = B::float_add(sum.clone(), square::<B>(B::float_recip(y.clone())));
        sum = B::float_mask_where(sum, is_near.clone(), more);
        let next = B::float_add_scalar(y.clone(), constant(1.0));
        y = B::float_mask_where(y, is_near, next);
    }
    let inverse = B::float_recip(y);
    let terms = [5.0 / 66.0, -1.0 / 30.0, 1.0 / 42.0, -1.0 / 30.0, 1.0 / 6.0];
    let terms = [43867.0 / 798.0, -3617.0 / 510.0, 7.0 / 6.0, -691.0 / 2730.0].into_iter().chain(terms);
    let z = square::<B>(inverse.clone());
    let series = B::float_mul(z.clone(), polynomial::<B>(z, terms));
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

/// The last coefficient first.
fn polynomial<B: Backend>(x: FloatTensor<B>, coefficients: impl Iterator<Item = f64>) -> FloatTensor<B> {
    let zero = B::float_zeros(x.shape(), &x.device(), x.dtype().into());
    coefficients.fold(zero, |sum, next| B::float_add_scalar(B::float_mul(sum, x.clone()), constant(next)))
}
