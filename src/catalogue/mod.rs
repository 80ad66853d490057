//! Standard operations, declared as a user would.

use crate::Op;

pub mod arith;
pub mod losses;
pub mod nn;
pub mod windows;

/// Every op of the catalogue. An op of several formulas is there by each of them.
pub fn ops() -> Vec<&'static dyn Op> {
    [ARITH, NN, LOSSES, WINDOWS].concat()
}

const ARITH: &[&dyn Op] = &[
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
];

const NN: &[&dyn Op] = &[
    &nn::SiluMul,
    &nn::Softmax,
    &nn::LogSoftmax,
    &nn::RmsNorm,
    &nn::LayerNorm,
    &nn::AddRmsNorm,
    &nn::CrossEntropy,
    &nn::Embedding,
    &nn::Matmul,
    &nn::LinearWithBias,
    &nn::LinearWithoutBias,
    &nn::MatmulAddRelu,
    &nn::Attention,
];

const LOSSES: &[&dyn Op] = &[
    &losses::MseLossNone,
    &losses::MseLossMean,
    &losses::MseLossSum,
    &losses::L1LossNone,
    &losses::L1LossMean,
    &losses::L1LossSum,
    &losses::KlDivNoneLogTarget,
    &losses::KlDivNoneNotLogTarget,
    &losses::KlDivMeanLogTarget,
    &losses::KlDivMeanNotLogTarget,
    &losses::KlDivSumLogTarget,
    &losses::KlDivSumNotLogTarget,
    &losses::NllLossWithWeightNone,
    &losses::NllLossWithWeightMean,
    &losses::NllLossWithWeightSum,
    &losses::NllLossWithoutWeightNone,
    &losses::NllLossWithoutWeightMean,
    &losses::NllLossWithoutWeightSum,
];

const WINDOWS: &[&dyn Op] = &[
    &windows::Conv1dWithBias,
    &windows::Conv1dWithoutBias,
    &windows::Conv2dWithBias,
    &windows::Conv2dWithoutBias,
    &windows::Conv3dWithBias,
    &windows::Conv3dWithoutBias,
    &windows::ConvTranspose1dWithBias,
    &windows::ConvTranspose1dWithoutBias,
    &windows::ConvTranspose2dWithBias,
    &windows::ConvTranspose2dWithoutBias,
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
];
