//! The families of the catalogue: the modules, the features that they belong to, and all ops.

use crate::Op;

/// Names the ops of each family, which may belong to a feature of the crate.
macro_rules! families {
    ($($($feature:literal)? $module:ident: $($op:ident)*;)*) => {
        /// Every op of the catalogue, as far as features have it. An op of several formulas is there by each
        /// of them.
        pub fn ops() -> Vec<&'static dyn Op> {
            let mut all: Vec<&'static dyn Op> = vec![];
            $(
                $(#[cfg(feature = $feature)])?
                all.extend([$(&super::$module::$op as &'static dyn Op),*]);
            )*
            all
        }
    };
}

families! {
    activation:
        Relu Relu6 LeakyRelu Prelu Elu Celu Selu Gelu GeluTanh Silu Mish Sigmoid Logsigmoid Softplus
        Softsign Hardtanh Hardsigmoid Hardswish Hardshrink Softshrink Tanhshrink Threshold Geglu Reglu;
    "vision" adaptive:
        AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d;
    arith:
        AddFloat AddInt AddScalarFloat AddScalarInt SubFloat SubInt SubScalarFloat SubScalarInt
        ScalarSubFloat ScalarSubInt MulFloat MulInt MulScalarFloat MulScalarInt DivFloat DivInt
        DivScalarFloat DivScalarInt ScalarDivFloat ScalarDivInt NegFloat NegInt;
    "attention" attention:
        ScaledDotProductAttentionWithAttnMaskIsCausal ScaledDotProductAttentionWithAttnMaskNotIsCausal
        ScaledDotProductAttentionWithoutAttnMaskIsCausal
        ScaledDotProductAttentionWithoutAttnMaskNotIsCausal GroupedQueryAttention SlidingWindowAttention
        SoftCappedAttention AlibiAttention AttentionWithCache;
    bits:
        BitwiseAnd BitwiseOr BitwiseXor BitwiseNot LeftShift RightShift Popcount FloorDivFloat
        FloorDivInt RemainderFloat RemainderInt UnpackInt4;
    compare:
        EqFloat EqInt EqScalarFloat EqScalarInt NeFloat NeInt NeScalarFloat NeScalarInt LtFloat LtInt
        LtScalarFloat LtScalarInt LeFloat LeInt LeScalarFloat LeScalarInt GtFloat GtInt GtScalarFloat
        GtScalarInt GeFloat GeInt GeScalarFloat GeScalarInt;
    "vision" convolution:
        Conv1dWithBias Conv1dWithoutBias Conv2dWithBias Conv2dWithoutBias Conv3dWithBias Conv3dWithoutBias
        ConvTranspose1dWithBias ConvTranspose1dWithoutBias ConvTranspose2dWithBias
        ConvTranspose2dWithoutBias ConvTranspose3dWithBias ConvTranspose3dWithoutBias CausalConv1d Unfold
        Fold;
    "vision" image:
        NormalizeChannels RgbToGrayscale AdjustBrightness AdjustContrast AdjustSaturation AdjustGamma
        Invert Solarize;
    logic:
        Isnan Isinf Isfinite Signbit Isclose LogicalAnd LogicalOr LogicalXor LogicalNot WhereFloat
        WhereInt WhereBool MaskedFill Heaviside;
    "losses" losses:
        CrossEntropyWithWeightNone CrossEntropyWithWeightMean CrossEntropyWithWeightSum
        CrossEntropyWithoutWeightNone CrossEntropyWithoutWeightMean CrossEntropyWithoutWeightSum
        CrossEntropyOfProbabilitiesWithWeightNone CrossEntropyOfProbabilitiesWithWeightMean
        CrossEntropyOfProbabilitiesWithWeightSum CrossEntropyOfProbabilitiesWithoutWeightNone
        CrossEntropyOfProbabilitiesWithoutWeightMean CrossEntropyOfProbabilitiesWithoutWeightSum
        NllLossWithWeightNone NllLossWithWeightMean NllLossWithWeightSum NllLossWithoutWeightNone
        NllLossWithoutWeightMean NllLossWithoutWeightSum MultiMarginLossSquaredNone
        MultiMarginLossSquaredMean MultiMarginLossSquaredSum MultiMarginLossNotSquaredNone
        MultiMarginLossNotSquaredMean MultiMarginLossNotSquaredSum MultilabelSoftMarginLossWithWeightNone
        MultilabelSoftMarginLossWithWeightMean MultilabelSoftMarginLossWithWeightSum
        MultilabelSoftMarginLossWithoutWeightNone MultilabelSoftMarginLossWithoutWeightMean
        MultilabelSoftMarginLossWithoutWeightSum SigmoidFocalLossNone SigmoidFocalLossMean
        SigmoidFocalLossSum MseLossNone MseLossMean MseLossSum L1LossNone L1LossMean L1LossSum
        SmoothL1LossNone SmoothL1LossMean SmoothL1LossSum HuberLossNone HuberLossMean HuberLossSum
        KlDivNoneLogTarget KlDivNoneNotLogTarget KlDivMeanLogTarget KlDivMeanNotLogTarget
        KlDivSumLogTarget KlDivSumNotLogTarget BinaryCrossEntropyWithWeightNone
        BinaryCrossEntropyWithWeightMean BinaryCrossEntropyWithWeightSum
        BinaryCrossEntropyWithoutWeightNone BinaryCrossEntropyWithoutWeightMean
        BinaryCrossEntropyWithoutWeightSum BinaryCrossEntropyWithLogitsWithWeightNoneWithPosWeight
        BinaryCrossEntropyWithLogitsWithWeightNoneWithoutPosWeight
        BinaryCrossEntropyWithLogitsWithWeightMeanWithPosWeight
        BinaryCrossEntropyWithLogitsWithWeightMeanWithoutPosWeight
        BinaryCrossEntropyWithLogitsWithWeightSumWithPosWeight
        BinaryCrossEntropyWithLogitsWithWeightSumWithoutPosWeight
        BinaryCrossEntropyWithLogitsWithoutWeightNoneWithPosWeight
        BinaryCrossEntropyWithLogitsWithoutWeightNoneWithoutPosWeight
        BinaryCrossEntropyWithLogitsWithoutWeightMeanWithPosWeight
        BinaryCrossEntropyWithLogitsWithoutWeightMeanWithoutPosWeight
        BinaryCrossEntropyWithLogitsWithoutWeightSumWithPosWeight
        BinaryCrossEntropyWithLogitsWithoutWeightSumWithoutPosWeight SoftMarginLossNone SoftMarginLossMean
        SoftMarginLossSum HingeEmbeddingLossNone HingeEmbeddingLossMean HingeEmbeddingLossSum
        PoissonNllLossLogInputFullNone PoissonNllLossLogInputFullMean PoissonNllLossLogInputFullSum
        PoissonNllLossLogInputNotFullNone PoissonNllLossLogInputNotFullMean
        PoissonNllLossLogInputNotFullSum PoissonNllLossNotLogInputFullNone
        PoissonNllLossNotLogInputFullMean PoissonNllLossNotLogInputFullSum
        PoissonNllLossNotLogInputNotFullNone PoissonNllLossNotLogInputNotFullMean
        PoissonNllLossNotLogInputNotFullSum GaussianNllLossNone GaussianNllLossMean GaussianNllLossSum
        CosineSimilarity PairwiseDistance CosineEmbeddingLossNone CosineEmbeddingLossMean
        CosineEmbeddingLossSum MarginRankingLossNone MarginRankingLossMean MarginRankingLossSum
        TripletMarginLossNone TripletMarginLossMean TripletMarginLossSum InfoNce DpoLossNone DpoLossMean
        DpoLossSum GroupAdvantages GrpoLoss ZLossNone ZLossMean ZLossSum;
    math:
        AbsFloat AbsInt SignFloat SignInt SquareFloat SquareInt Sqrt Rsqrt Reciprocal Pow Powf Exp Exp2
        Expm1 Log Log2 Log10 Log1p Logaddexp Sin Cos Tan Asin Acos Atan Atan2 Sinh Cosh Tanh Asinh Acosh
        Atanh Deg2rad Rad2deg Hypot Floor Ceil Round Trunc Frac MaximumFloat MaximumInt MinimumFloat
        MinimumInt Fmax Fmin Clamp ClampMin ClampMax Copysign FmodFloat FmodInt Lerp Addcmul Addcdiv
        NanToNum;
    movement:
        Flip Roll Diff Diagonal DiagEmbed Tril Triu Cat Stack Glu RotaryHalves RotaryPairs PixelShuffle
        PixelUnshuffle ChannelShuffle;
    nn:
        SiluMul Softmax LogSoftmax RmsNorm LayerNorm AddRmsNorm CrossEntropy Embedding Matmul
        LinearWithBias LinearWithoutBias MatmulAddRelu Attention;
    norm:
        Normalize BatchNormTrainWithWeightWithBias BatchNormTrainWithWeightWithoutBias
        BatchNormTrainWithoutWeightWithBias BatchNormTrainWithoutWeightWithoutBias
        BatchNormWithWeightWithBias BatchNormWithWeightWithoutBias BatchNormWithoutWeightWithBias
        BatchNormWithoutWeightWithoutBias InstanceNormWithWeightWithBias InstanceNormWithWeightWithoutBias
        InstanceNormWithoutWeightWithBias InstanceNormWithoutWeightWithoutBias GroupNormWithWeightWithBias
        GroupNormWithWeightWithoutBias GroupNormWithoutWeightWithBias GroupNormWithoutWeightWithoutBias
        LocalResponseNorm WeightNorm;
    "optim" optim:
        Sgd SgdMomentumNesterov SgdMomentumNotNesterov Adamw Adam Lion Rmsprop Adagrad Adafactor
        AdafactorUnfactored NewtonSchulz Orthogonalize MuonNesterov MuonNotNesterov Ema ClipToNorm;
    "vision" padding:
        Pad ConstantPad2d ConstantPad3d ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d
        ReplicationPad2d ReplicationPad3d CircularPad1d CircularPad2d CircularPad3d;
    "vision" pooling:
        MaxPool1d MaxPool2d MaxPool3d MaxPool1dWithIndices MaxPool2dWithIndices MaxPool3dWithIndices AvgPool1d AvgPool2d
        AvgPool3d LpPool1d LpPool2d;
    "attention" position:
        SinusoidalPositions RotaryAngles AlibiSlopes RelativePositionBias;
    product:
        Dot Vecdot Outer Kron Mv Addmm Addmv Addr Baddbmm Addbmm BilinearWithBias BilinearWithoutBias
        Cross Cdist;
    "quantize" quantize:
        QuantizeRows DequantizeRows QuantizePerTensor FakeQuantize LinearInt8;
    random:
        Dropout FeatureDropout AlphaDropout FeatureAlphaDropout Rrelu Bernoulli Normal Categorical
        GumbelSoftmaxHard GumbelSoftmaxNotHard StochasticRound AttentionWithDropout;
    reduce:
        SumFloat SumInt ProdFloat ProdInt Mean Nansum Nanmean AmaxFloat AmaxInt AminFloat AminInt
        AminmaxFloat AminmaxInt ArgmaxFloat ArgmaxInt ArgminFloat ArgminInt All Any CountNonzeroFloat
        CountNonzeroInt Logsumexp Var Std VarMean Norm PNorm TraceFloat TraceInt;
    "vision" resize:
        UpsampleNearest1d UpsampleNearest2d UpsampleNearest3d UpsampleLinear1d UpsampleBilinear2d
        UpsampleTrilinear3d CubicWeight UpsampleCubic1d UpsampleBicubic2d;
    "vision" sample:
        GridPlaces GridSampleBilinear GridSampleNearest AffineGrid AffineGrid3d;
    scan:
        Cumsum Cumprod Cummax Cummin Logcumsumexp SelectiveScan GatedLinearAttention Wkv;
    segments:
        Bincount Histogram2d IndexPutAdd IndexAdd SegmentSum SegmentMean SegmentMax SegmentSoftmax;
    select:
        GatherFloat GatherInt GatherBool IndexSelectFloat IndexSelectInt IndexSelectBool IndexFill OneHot
        EmbeddingBag TopkAccuracy;
    sort:
        SortDescending SortNotDescending ArgsortFloatDescending ArgsortFloatNotDescending
        ArgsortIntDescending ArgsortIntNotDescending MsortFloat MsortInt TopkLargest TopkNotLargest
        KthvalueFloat KthvalueInt Median Nanmedian Quantile SearchsortedRight SearchsortedNotRight
        BucketizeRight BucketizeNotRight;
    special:
        Erf Erfc Lgamma Digamma Trigamma Sinc Logit Xlogy Xlog1py Entr Ndtr LogNdtr;
}
