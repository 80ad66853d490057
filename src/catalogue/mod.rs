//! Standard operations, declared as a user would.

use crate::Op;

pub mod adaptive;
pub mod arith;
pub mod bits;
pub mod compare;
pub mod convolution;
pub mod losses;
pub mod movement;
pub mod nn;
pub mod padding;
pub mod pooling;
pub mod random;
pub mod resize;
pub mod sample;
pub mod scan;
pub mod segments;
pub mod sort;

/// Every op of the catalogue. An op of several formulas is there by each of them.
pub fn ops() -> Vec<&'static dyn Op> {
    let layers = [&arithmetic()[..], &bits(), &comparisons(), &layers(), &losses()].concat();
    [&layers[..], &windows(), &images(), &places(), &scans(), &orders(), &segments(), &draws()].concat()
}

fn arithmetic() -> Vec<&'static dyn Op> {
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
    ]
}

fn bits() -> Vec<&'static dyn Op> {
    vec![
        &bits::BitwiseAnd,
        &bits::BitwiseOr,
        &bits::BitwiseXor,
        &bits::BitwiseNot,
        &bits::LeftShift,
        &bits::RightShift,
        &bits::Popcount,
        &bits::FloorDiv,
        &bits::FloorDivInt,
        &bits::Remainder,
        &bits::RemainderInt,
        &bits::UnpackInt4,
    ]
}

fn comparisons() -> Vec<&'static dyn Op> {
    vec![
        &compare::Eq,
        &compare::EqScalar,
        &compare::EqInt,
        &compare::EqScalarInt,
        &compare::Ne,
        &compare::NeScalar,
        &compare::NeInt,
        &compare::NeScalarInt,
        &compare::Lt,
        &compare::LtScalar,
        &compare::LtInt,
        &compare::LtScalarInt,
        &compare::Le,
        &compare::LeScalar,
        &compare::LeInt,
        &compare::LeScalarInt,
        &compare::Gt,
        &compare::GtScalar,
        &compare::GtInt,
        &compare::GtScalarInt,
        &compare::Ge,
        &compare::GeScalar,
        &compare::GeInt,
        &compare::GeScalarInt,
    ]
}

fn scans() -> Vec<&'static dyn Op> {
    vec![
        &scan::Cumsum,
        &scan::Cumprod,
        &scan::Cummax,
        &scan::Cummin,
        &scan::Logcumsumexp,
        &scan::SelectiveScan,
        &scan::GatedLinearAttention,
        &scan::Wkv,
    ]
}

fn orders() -> Vec<&'static dyn Op> {
    vec![
        &sort::SortDescending,
        &sort::SortNotDescending,
        &sort::ArgsortDescending,
        &sort::ArgsortNotDescending,
        &sort::Msort,
        &sort::TopkLargest,
        &sort::TopkNotLargest,
        &sort::Kthvalue,
        &sort::Median,
        &sort::Nanmedian,
        &sort::Quantile,
        &sort::SearchsortedRight,
        &sort::SearchsortedNotRight,
        &sort::BucketizeRight,
        &sort::BucketizeNotRight,
    ]
}

fn segments() -> Vec<&'static dyn Op> {
    vec![
        &segments::Bincount,
        &segments::IndexAdd,
        &segments::SegmentSum,
        &segments::SegmentMean,
        &segments::SegmentMax,
        &segments::SegmentSoftmax,
    ]
}

fn draws() -> Vec<&'static dyn Op> {
    vec![
        &random::Dropout,
        &random::FeatureDropout,
        &random::AlphaDropout,
        &random::FeatureAlphaDropout,
        &random::Rrelu,
        &random::Bernoulli,
        &random::Normal,
        &random::Categorical,
        &random::GumbelSoftmaxHard,
        &random::GumbelSoftmaxNotHard,
        &random::StochasticRound,
        &random::AttentionWithDropout,
    ]
}

fn layers() -> Vec<&'static dyn Op> {
    vec![
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
    ]
}

fn losses() -> Vec<&'static dyn Op> {
    vec![
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
    ]
}

fn windows() -> Vec<&'static dyn Op> {
    vec![
        &convolution::Conv1dWithBias,
        &convolution::Conv1dWithoutBias,
        &convolution::Conv2dWithBias,
        &convolution::Conv2dWithoutBias,
        &convolution::Conv3dWithBias,
        &convolution::Conv3dWithoutBias,
        &convolution::ConvTranspose1dWithBias,
        &convolution::ConvTranspose1dWithoutBias,
        &convolution::ConvTranspose2dWithBias,
        &convolution::ConvTranspose2dWithoutBias,
        &convolution::ConvTranspose3dWithBias,
        &convolution::ConvTranspose3dWithoutBias,
        &convolution::CausalConv1d,
        &convolution::Unfold,
        &convolution::Fold,
        &pooling::MaxPool1d,
        &pooling::MaxPool2d,
        &pooling::MaxPool3d,
        &pooling::MaxPool1dWithIndices,
        &pooling::MaxPool2dWithIndices,
        &pooling::MaxPool3dWithIndices,
        &pooling::AvgPool1d,
        &pooling::AvgPool2d,
        &pooling::AvgPool3d,
        &pooling::LpPool1d,
        &pooling::LpPool2d,
        &adaptive::AdaptiveAvgPool1d,
        &adaptive::AdaptiveAvgPool2d,
        &adaptive::AdaptiveAvgPool3d,
        &adaptive::AdaptiveMaxPool1d,
        &adaptive::AdaptiveMaxPool2d,
    ]
}

fn images() -> Vec<&'static dyn Op> {
    vec![
        &padding::Pad,
        &padding::ConstantPad2d,
        &padding::ConstantPad3d,
        &padding::ReflectionPad1d,
        &padding::ReflectionPad2d,
        &padding::ReflectionPad3d,
        &padding::ReplicationPad1d,
        &padding::ReplicationPad2d,
        &padding::ReplicationPad3d,
        &padding::CircularPad1d,
        &padding::CircularPad2d,
        &padding::CircularPad3d,
        &resize::UpsampleNearest1d,
        &resize::UpsampleNearest2d,
        &resize::UpsampleNearest3d,
        &resize::UpsampleLinear1d,
        &resize::UpsampleBilinear2d,
        &resize::UpsampleTrilinear3d,
        &resize::CubicWeight,
        &resize::UpsampleCubic1d,
        &resize::UpsampleBicubic2d,
        &sample::GridPlaces,
        &sample::GridSampleBilinear,
        &sample::GridSampleNearest,
        &sample::AffineGrid,
        &sample::AffineGrid3d,
    ]
}

fn places() -> Vec<&'static dyn Op> {
    vec![
        &movement::Flip,
        &movement::Roll,
        &movement::Diff,
        &movement::Diagonal,
        &movement::DiagEmbed,
        &movement::Tril,
        &movement::Triu,
        &movement::Cat,
        &movement::Stack,
        &movement::Glu,
        &movement::RotaryHalves,
        &movement::RotaryPairs,
        &movement::PixelShuffle,
        &movement::PixelUnshuffle,
        &movement::ChannelShuffle,
    ]
}
