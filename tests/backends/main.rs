//! Compares backends with each other: the CPU, and a backend without kernels. The generated tests of each op
//! check it on the CPU.

mod composed;
mod ints;
mod ops;
mod out_of_range;
mod programs;
mod samples;

use composed::Composed;
use tensor_op::Op;
use tensor_op::catalogue::{arith, nn};
use tensor_op::prelude::*;

/// Ops with kernels of every class.
const OPS: &[&dyn Op] = &[
    &arith::AddFloat,
    &arith::AddFloatBackward,
    &arith::DivFloat,
    &arith::DivFloatBackward,
    &ops::AxisExtremes,
    &ops::AxisExtremesBackward,
    &ops::AxisLength,
    &ops::AxisLengthBackward,
    &ops::AxisTotal,
    &ops::AxisTotalBackward,
    &ops::Counts,
    &ops::OfAllKinds,
    &ops::OfAllKindsBackward,
    &ops::GroupNorm,
    &ops::GroupNormBackward,
    &ops::Rotary,
    &ops::RotaryBackward,
    &nn::AddRmsNorm,
    &nn::AddRmsNormBackward,
    &nn::Attention,
    &nn::AttentionBackward,
    &nn::CrossEntropy,
    &nn::CrossEntropyBackward,
    &nn::Embedding,
    &nn::EmbeddingBackward,
    &nn::LayerNorm,
    &nn::LayerNormBackward,
    &nn::LogSoftmax,
    &nn::LogSoftmaxBackward,
    &nn::Matmul,
    &nn::MatmulBackward,
    &nn::MatmulAddRelu,
    &nn::MatmulAddReluBackward,
    &nn::RmsNorm,
    &nn::RmsNormBackward,
    &nn::SiluMul,
    &nn::SiluMulBackward,
    &nn::Softmax,
    &nn::SoftmaxBackward,
];

#[test]
fn model_code_runs_on_a_registered_backend() -> Result<()> {
    tensor_op::register_backend::<Composed>("composed")?;
    let device = Device::new("composed")?;
    let x = Tensor::from_vec(vec![1.0_f64, 2.0, 3.0], [3], &Device::default())?;
    let on_cpu = nn::softmax(&x, 0)?;
    let on_other = nn::softmax(x.to(&device)?, 0)?;
    assert_eq!(on_other.device().name(), device.name());
    assert_eq!(on_other.to_vec::<f64>()?, on_cpu.to_vec::<f64>()?);
    let error = nn::silu_mul(&x, &on_other).unwrap_err();
    assert_eq!(error.kind(), tensor_op::ErrorKind::Device);
    Ok(())
}

#[test]
fn int_results_have_the_dtypes_of_pytorch() -> Result<()> {
    ints::agree_with_pytorch::<tensor_op::NdArray>()?;
    ints::agree_with_pytorch::<Composed>()
}

#[test]
fn an_index_out_of_range_is_an_error_though_nothing_is_read() -> Result<()> {
    out_of_range::is_an_error::<tensor_op::NdArray>()?;
    out_of_range::is_an_error::<Composed>()
}
