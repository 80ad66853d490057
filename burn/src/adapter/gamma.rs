//! Derivatives of the logarithm of the gamma function, which Burn lacks, by the formulas of the language's
//! reference.

use super::bools;
use super::elementwise::{constant, one_minus};
use burn::backend::tensor::{BoolTensor, FloatTensor};
use burn::backend::{Backend, TensorMetadata};
use std::f64::consts::PI;
use tensor_op_spec::prim::gamma;

/// So many steps lead from 0 to where the series begin.
const STEPS: usize = 10;

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
