//! The transforms of rows, as functions whose gradients are the adjoint transforms.

#[cfg(feature = "gpu")]
use super::gpu;
use crate::{Arrived, Function, Result, Shape, Tensor, apply};
use rustfft::FftPlanner;
use rustfft::num_complex::Complex;
use tensor_op_core::memory;

/// The only result of a transform.
pub(super) fn one(function: impl Function<Tensor>, x: Tensor) -> Result<Tensor> {
    Ok(apply(function, &[x])?.remove(0))
}

/// Transforms each row of `length` complex numbers. `element` adds what a row gives to the result.
fn rows(
    shape: Vec<usize>,
    like: &Tensor,
    mut numbers: Vec<Complex<f64>>,
    length: usize,
    is_inverse: bool,
    element: impl Fn(&[Complex<f64>], &mut Vec<f64>),
) -> Result<Tensor> {
    // A plan takes memory like a row, also if there are none.
    if !numbers.is_empty() {
        let mut planner = FftPlanner::new();
        let plan =
            if is_inverse { planner.plan_fft_inverse(length) } else { planner.plan_fft_forward(length) };
        plan.process(&mut numbers);
    }
    let mut found = memory::reserved(Shape::new(&shape).elements()?)?;
    numbers.chunks(length).for_each(|row| element(row, &mut found));
    Tensor::from_vec(found, shape, &like.device())?.cast(like.dtype())
}

fn pairs(x: &Tensor) -> Result<Vec<Complex<f64>>> {
    Ok(x.to_vec::<f64>()?.chunks(2).map(|pair| Complex::new(pair[0], pair[1])).collect())
}

/// From complex numbers to complex numbers, along the axis before the pairs.
#[derive(Clone, Copy)]
pub(super) struct Complete {
    pub(super) is_inverse: bool,
    pub(super) scale: f64,
}

impl Function<Tensor> for Complete {
    fn name(&self) -> &str {
        if self.is_inverse { "ifft" } else { "fft" }
    }

    fn forward(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        let (x, shape) = (&inputs[0], inputs[0].shape().to_vec());
        let length = shape[shape.len() - 2];
        #[cfg(feature = "gpu")]
        if gpu::serves(x, length) {
            return Ok(vec![scaled(gpu::complete(x, self.is_inverse)?, self.scale)?]);
        }
        let y = rows(shape, x, pairs(x)?, length, self.is_inverse, |row, found| {
            found.extend(row.iter().flat_map(|y| [y.re * self.scale, y.im * self.scale]));
        })?;
        Ok(vec![y])
    }

    fn backward(&self, call: &Arrived<'_, Tensor>) -> Result<Vec<Option<Tensor>>> {
        let adjoint = Complete { is_inverse: !self.is_inverse, ..*self };
        Ok(vec![call.gradients[0].clone().map(|gradient| one(adjoint, gradient)).transpose()?])
    }
}

/// From real numbers, along the last axis, to the first half of their transform.
pub(super) struct Half {
    pub(super) scale: f64,
}

impl Function<Tensor> for Half {
    fn name(&self) -> &str {
        "rfft"
    }

    fn forward(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        let (x, mut shape) = (&inputs[0], inputs[0].shape().to_vec());
        let Some(last) = shape.last_mut() else { unreachable!("the tensor has the axis of the transform") };
        let length = std::mem::replace(last, *last / 2 + 1);
        #[cfg(feature = "gpu")]
        if gpu::serves(x, length) {
            return Ok(vec![scaled(gpu::half(x)?, self.scale)?]);
        }
        shape.push(2);
        let numbers = x.to_vec::<f64>()?.into_iter().map(Complex::from).collect();
        let y = rows(shape, x, numbers, length, false, |row, found| {
            let half = row[..length / 2 + 1].iter();
            found.extend(half.flat_map(|y| [y.re * self.scale, y.im * self.scale]));
        })?;
        Ok(vec![y])
    }

    fn backward(&self, call: &Arrived<'_, Tensor>) -> Result<Vec<Option<Tensor>>> {
        let Some(gradient) = &call.gradients[0] else { return Ok(vec![None]) };
        let shape = call.inputs[0].shape();
        let length = shape[shape.rank() - 1];
        let shared = (gradient / weights(length, gradient)?)?;
        Ok(vec![Some(one(Whole { scale: self.scale, length }, shared)?)])
    }
}

/// From the first half of a transform, along the axis before the pairs, to real numbers.
pub(super) struct Whole {
    pub(super) scale: f64,
    pub(super) length: usize,
}

impl Function<Tensor> for Whole {
    fn name(&self) -> &str {
        "irfft"
    }

    fn forward(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        let (x, length) = (&inputs[0], self.length);
        #[cfg(feature = "gpu")]
        if gpu::serves(x, length) {
            return Ok(vec![scaled(gpu::whole(x, length)?, self.scale * length as f64)?]);
        }
        let half = pairs(x)?;
        let mut numbers = Vec::new();
        for row in half.chunks(length / 2 + 1) {
            let number = |i: usize| match i {
                0 => Complex::from(row[0].re),
                _ if 2 * i == length => Complex::from(row[i].re),
                _ if 2 * i < length => row[i],
                _ => row[length - i].conj(),
            };
            numbers.extend((0..length).map(number));
        }
        let shape = x.shape();
        let shape = [&shape[..shape.rank() - 2], &[length]].concat();
        let y = rows(shape, x, numbers, length, true, |row, found| {
            found.extend(row.iter().map(|y| y.re * self.scale));
        })?;
        Ok(vec![y])
    }

    fn backward(&self, call: &Arrived<'_, Tensor>) -> Result<Vec<Option<Tensor>>> {
        let Some(gradient) = &call.gradients[0] else { return Ok(vec![None]) };
        let half = one(Half { scale: self.scale }, gradient.clone())?;
        Ok(vec![Some((&half * weights(self.length, &half)?)?)])
    }
}

#[cfg(feature = "gpu")]
fn scaled(x: Tensor, scale: f64) -> Result<Tensor> {
    if scale == 1.0 { Ok(x) } else { x * scale }
}

/// How often each number of the first half counts in the whole: `[n / 2 + 1, 1]`.
fn weights(length: usize, like: &Tensor) -> Result<Tensor> {
    let count = length / 2 + 1;
    let weight = |i: usize| if i == 0 || 2 * i == length { 1.0 } else { 2.0 };
    let weights: Vec<f64> = (0..count).map(weight).collect();
    Tensor::from_vec(weights, [count, 1], &like.device())?.cast(like.dtype())
}
