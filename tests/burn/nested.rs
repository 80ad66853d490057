//! Second derivatives on Burn's autodiff of its own autodiff, compared with differences of first derivatives.

use crate::burn::backend::flex::Flex;
use crate::burn::backend::ops::FloatTensorOps;
use crate::burn::backend::tensor::FloatTensor;
use crate::burn::backend::{Autodiff, AutodiffBackend, TensorData};
use tensor_op::backend::{Scalar, Value};
use tensor_op::burn::{OpBackend, OpTensor};
use tensor_op::catalogue::nn;
use tensor_op::{Op, Result};

type Once = Autodiff<Flex>;
type Twice = Autodiff<Once>;

/// The sum of all results, with a different weight for each element, so that all elements count.
fn weighted<B: OpBackend>(results: Vec<Option<OpTensor<B>>>, device: &B::Device) -> Result<FloatTensor<B>> {
    let mut sum = None;
    for (at, result) in results.into_iter().flatten().enumerate() {
        let result = result.float()?;
        let shape = crate::burn::backend::TensorMetadata::shape(&result);
        let weights = values(shape.num_elements(), 5 + at);
        let weights = B::float_from_data(TensorData::new(weights, shape), device);
        let part = B::float_sum(B::float_mul(result, weights));
        sum = Some(match sum {
            Some(sum) => B::float_add(sum, part),
            None => part,
        });
    }
    sum.ok_or_else(|| tensor_op::Error::new(tensor_op::ErrorKind::Backend, "no result"))
}

fn values(count: usize, seed: usize) -> Vec<f64> {
    (0..count).map(|at| ((at * 37 + seed * 11) % 17) as f64 / 8.0 - 1.0).collect()
}

fn call<B: OpBackend>(op: &dyn Op, inputs: &[FloatTensor<B>], rest: &[Scalar]) -> Result<FloatTensor<B>> {
    let tensors = inputs.iter().map(|x| Value::Tensor(OpTensor::Float(x.clone())));
    let args = tensors.chain(rest.iter().map(|x| Value::Scalar(*x))).collect();
    let outputs = &op.spec().graph().outputs;
    let visible: Vec<bool> = outputs.iter().map(|output| !output.hidden).collect();
    weighted::<B>(B::run_op(op, args, &visible)?, &Default::default())
}

/// The weighted sum of the gradients of all inputs: one number on the inner backend.
fn first<B: OpBackend>(
    op: &dyn Op,
    inputs: &[FloatTensor<Autodiff<B>>],
    rest: &[Scalar],
) -> Result<FloatTensor<B>> {
    let gradients = call::<Autodiff<B>>(op, inputs, rest)?.backward();
    let found = inputs.iter().map(|x| x.grad(&gradients).map(OpTensor::Float)).collect();
    weighted::<B>(found, &Default::default())
}

fn check(op: &dyn Op, shapes: &[&[usize]], rest: &[Scalar]) -> Result<()> {
    let inputs: Vec<Vec<f64>> =
        (0..).zip(shapes).map(|(seed, shape)| values(shape.iter().product(), seed)).collect();
    let data = |at: usize, values: &[f64]| TensorData::new(values.to_vec(), shapes[at].to_vec());
    let lowest: Vec<FloatTensor<Once>> = inputs
        .iter()
        .enumerate()
        .map(|(at, values)| Once::float_from_data(data(at, values), &Default::default()).require_grad())
        .collect();
    let lifted: Vec<FloatTensor<Twice>> =
        lowest.iter().map(|x| Twice::from_inner(x.clone()).require_grad()).collect();
    let gradients = first::<Once>(op, &lifted, rest)?.backward();
    let once = |inputs: &[Vec<f64>]| -> Result<f64> {
        let inputs: Vec<FloatTensor<Once>> = inputs
            .iter()
            .enumerate()
            .map(|(at, values)| Once::float_from_data(data(at, values), &Default::default()).require_grad())
            .collect();
        Ok(number(first::<Flex>(op, &inputs, rest)?))
    };
    let step = 1e-5;
    for (at, x) in lowest.iter().enumerate() {
        let found = x.grad(&gradients).map(|grad| grad.storage::<f64>().to_vec()).unwrap_or_default();
        assert_eq!(found.len(), inputs[at].len(), "{}: input {at}", op.spec().name());
        for (element, found) in found.iter().enumerate() {
            let moved = |by: f64| {
                let mut inputs = inputs.clone();
                inputs[at][element] += by;
                once(&inputs)
            };
            let wanted = (moved(step)? - moved(-step)?) / (2.0 * step);
            let error = (found - wanted).abs() / wanted.abs().max(1.0);
            assert!(
                error < 1e-6,
                "{}: input {at}, element {element}: {found} for {wanted}",
                op.spec().name()
            );
        }
    }
    Ok(())
}

fn number(x: FloatTensor<Flex>) -> f64 {
    x.storage::<f64>()[0]
}

#[test]
fn pointwise() -> Result<()> {
    check(&nn::SiluMul, &[&[3, 4], &[3, 4]], &[])?;
    check(&nn::SiluMul, &[&[1, 4], &[3, 1]], &[])
}

#[test]
fn rows() -> Result<()> {
    check(&nn::Softmax, &[&[3, 4]], &[Scalar::Int(1)])?;
    check(&nn::RmsNorm, &[&[3, 4], &[4]], &[Scalar::Float(1e-3)])?;
    check(&nn::LayerNorm, &[&[3, 4], &[4], &[4]], &[Scalar::Float(1e-3)])
}

#[test]
fn several_results() -> Result<()> {
    check(&nn::AddRmsNorm, &[&[3, 4], &[3, 4], &[4]], &[Scalar::Float(1e-3)])
}

#[test]
fn products() -> Result<()> {
    check(&nn::Matmul, &[&[3, 4], &[4, 2]], &[])?;
    check(&nn::Attention, &[&[3, 4], &[5, 4], &[5, 2]], &[])
}
