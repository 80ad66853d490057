//! Standard operations, declared as a user would.

use crate::Op;

pub mod arith;
pub mod nn;
pub mod windows;

/// Every op of the catalogue.
pub fn ops() -> Vec<&'static dyn Op> {
    vec![
        &arith::Add,
        &arith::AddScalar,
        &arith::Sub,
        &arith::SubScalar,
        &arith::ScalarSub,
        &arith::Mul,
        &arith::MulScalar,
        &arith::Div,
        &arith::DivScalar,
        &arith::ScalarDiv,
        &arith::Neg,
        &arith::AddInt,
        &arith::AddScalarInt,
        &arith::SubInt,
        &arith::SubScalarInt,
        &arith::ScalarSubInt,
        &arith::MulInt,
        &arith::MulScalarInt,
        &arith::DivInt,
        &arith::DivScalarInt,
        &arith::ScalarDivInt,
        &arith::NegInt,
        &nn::SiluMul,
        &nn::Softmax,
        &nn::LogSoftmax,
        &nn::RmsNorm,
        &nn::LayerNorm,
        &nn::AddRmsNorm,
        &nn::CrossEntropy,
        &nn::Embedding,
        &nn::Matmul,
        &nn::Linear,
        &nn::MatmulAddRelu,
        &nn::Attention,
        &windows::Conv1d,
        &windows::Conv2d,
        &windows::Conv3d,
        &windows::ConvTranspose1d,
        &windows::ConvTranspose2d,
        &windows::CausalConv1d,
        &windows::MaxPool1d,
        &windows::MaxPool2d,
        &windows::AvgPool1d,
        &windows::AvgPool2d,
        &windows::Unfold,
        &windows::Pad,
        &windows::Flip,
        &windows::Roll,
        &windows::Diff,
        &windows::Diagonal,
        &windows::Glu,
        &windows::RotaryHalves,
        &windows::RotaryPairs,
        &windows::PixelShuffle,
    ]
}
