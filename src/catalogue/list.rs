//! The families of the catalogue: the modules, the features that they belong to, and all ops.

use crate::Op;

/// Names the ops of each family, which may belong to a feature of the crate.
macro_rules! families {
    ($($($feature:literal)? $module:ident: $($op:ident)*;)*) => {
        /// The families of the catalogue, as far as features have them, by the names of their modules. An op
        /// of several formulas is there by each of them.
        ///
        /// ```
        /// let families = tensor_op::catalogue::families();
        /// let (name, ops) = &families[0];
        /// assert_eq!((*name, ops[0].spec().name()), ("activation", "relu"));
        /// ```
        pub fn families() -> Vec<(&'static str, Vec<&'static dyn Op>)> {
            vec![$(
                $(#[cfg(feature = $feature)])?
                (stringify!($module), vec![$(&super::$module::$op as &'static dyn Op),*]),
            )*]
        }
    };
}

/// Every op of the [`families`].
pub fn ops() -> Vec<&'static dyn Op> {
    families().into_iter().flat_map(|(_, ops)| ops).collect()
}

families! {
    activation:
        Relu Relu6 LeakyRelu Prelu Elu Celu Selu Gelu GeluTanh Silu Mish Sigmoid Logsigmoid Softplus
        Softsign Hardtanh Hardsigmoid Hardswish Hardshrink Softshrink Tanhshrink Threshold Geglu Reglu;
    "vision" adaptive:
        AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d
        AdaptiveMaxPool3d;
    arith:
        AddFloat AddInt AddScalarFloat AddScalarInt SubFloat SubInt SubScalarFloat SubScalarInt
        ScalarSubFloat ScalarSubInt MulFloat MulInt MulScalarFloat MulScalarInt DivFloat DivInt
        DivScalarFloat DivScalarInt ScalarDivFloat ScalarDivInt NegFloat NegInt;
    "attention" attention:
        AttendWithAttnMaskIsCausal AttendWithAttnMaskNotIsCausal AttendWithoutAttnMaskIsCausal
        AttendWithoutAttnMaskNotIsCausal AttendInGroupsWithAttnMaskIsCausal
        AttendInGroupsWithAttnMaskNotIsCausal AttendInGroupsWithoutAttnMaskIsCausal
        AttendInGroupsWithoutAttnMaskNotIsCausal AttendWhere AttendWithDropoutWithAttnMask
        AttendWithDropoutWithoutAttnMask GroupedQueryAttention SlidingWindowAttention SoftCappedAttention
        AlibiAttention AttentionWithCache;
    bits:
        BitwiseAnd BitwiseOr BitwiseXor BitwiseNot LeftShift RightShift Popcount FloorDivFloat
        FloorDivInt RemainderFloat RemainderInt;
    calculus:
        TrapezoidAreasWithX TrapezoidAreasWithoutX TrapezoidLastWithX TrapezoidLastWithoutX
        CumulativeTrapezoidLastWithX CumulativeTrapezoidLastWithoutX GradientLastWithPoints
        GradientLastWithoutPoints SmoothGradientLastWithPoints SmoothGradientLastWithoutPoints;
    compare:
        EqFloat EqInt EqScalarFloat EqScalarInt NeFloat NeInt NeScalarFloat NeScalarInt LtFloat LtInt
        LtScalarFloat LtScalarInt LeFloat LeInt LeScalarFloat LeScalarInt GtFloat GtInt GtScalarFloat
        GtScalarInt GeFloat GeInt GeScalarFloat GeScalarInt;
    "vision" convolution:
        Conv1dWithBias Conv1dWithoutBias Conv2dWithBias Conv2dWithoutBias Conv3dWithBias Conv3dWithoutBias
        ConvTranspose1dWithBias ConvTranspose1dWithoutBias ConvTranspose2dWithBias
        ConvTranspose2dWithoutBias ConvTranspose3dWithBias ConvTranspose3dWithoutBias ConvTbc CausalConv1d Unfold
        Fold;
    embedding:
        EmbeddingWithPadding BagsByRowsWithPerSampleWeightsSum BagsByRowsWithPerSampleWeightsMean
        BagsByRowsWithPerSampleWeightsMax BagsByRowsWithoutPerSampleWeightsSum
        BagsByRowsWithoutPerSampleWeightsMean BagsByRowsWithoutPerSampleWeightsMax
        BagsByOffsetsWithPerSampleWeightsSum BagsByOffsetsWithPerSampleWeightsMean
        BagsByOffsetsWithPerSampleWeightsMax BagsByOffsetsWithoutPerSampleWeightsSum
        BagsByOffsetsWithoutPerSampleWeightsMean BagsByOffsetsWithoutPerSampleWeightsMax;
    "vision" image:
        NormalizeChannels RgbToGrayscale AdjustBrightness AdjustContrast AdjustSaturation AdjustGamma
        Invert Solarize;
    logic:
        Isnan Isinf Isposinf Isneginf Isfinite Signbit Isclose Allclose LogicalAnd LogicalOr LogicalXor LogicalNot WhereFloat
        WhereInt WhereBool MaskedFillFloat MaskedFillInt MaskedFillBool Heaviside;
    "losses" losses:
        CrossEntropyOfClassesWithWeightNone CrossEntropyOfClassesWithWeightMean CrossEntropyOfClassesWithWeightSum
        CrossEntropyOfClassesWithoutWeightNone CrossEntropyOfClassesWithoutWeightMean CrossEntropyOfClassesWithoutWeightSum
        CrossEntropyOfProbabilitiesWithWeightNone CrossEntropyOfProbabilitiesWithWeightMean
        CrossEntropyOfProbabilitiesWithWeightSum CrossEntropyOfProbabilitiesWithoutWeightNone
        CrossEntropyOfProbabilitiesWithoutWeightMean CrossEntropyOfProbabilitiesWithoutWeightSum
        NllLossOfBatchWithWeightNone NllLossOfBatchWithWeightMean NllLossOfBatchWithWeightSum NllLossOfBatchWithoutWeightNone
        NllLossOfBatchWithoutWeightMean NllLossOfBatchWithoutWeightSum
        MultiMarginLossOfBatchWithWeightNone MultiMarginLossOfBatchWithWeightMean
        MultiMarginLossOfBatchWithWeightSum MultiMarginLossOfBatchWithoutWeightNone
        MultiMarginLossOfBatchWithoutWeightMean MultiMarginLossOfBatchWithoutWeightSum MultilabelMarginLossNone
        MultilabelMarginLossMean MultilabelMarginLossSum MultilabelSoftMarginLossWithWeightNone
        MultilabelSoftMarginLossWithWeightMean MultilabelSoftMarginLossWithWeightSum
        MultilabelSoftMarginLossWithoutWeightNone MultilabelSoftMarginLossWithoutWeightMean
        MultilabelSoftMarginLossWithoutWeightSum SigmoidFocalLossNone SigmoidFocalLossMean
        SigmoidFocalLossSum CtcLabels CtcEmissions CtcStart CtcStep CtcEndNone CtcEndMean
        CtcEndSum MseLossNone MseLossMean MseLossSum L1LossNone L1LossMean L1LossSum
        SmoothL1LossNone SmoothL1LossMean SmoothL1LossSum HuberLossNone HuberLossMean HuberLossSum
        KlDivNoneLogTarget KlDivNoneNotLogTarget KlDivMeanLogTarget KlDivMeanNotLogTarget
        KlDivSumLogTarget KlDivSumNotLogTarget KlDivBatchmeanLogTarget KlDivBatchmeanNotLogTarget BinaryCrossEntropyWithWeightNone
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
        PoissonNllLossNotLogInputNotFullSum GaussianNllLossOfTensorsNone GaussianNllLossOfTensorsMean
        GaussianNllLossOfTensorsSum
        CosineSimilarity PairwiseDistanceL2 CosineEmbeddingLossNone CosineEmbeddingLossMean
        CosineEmbeddingLossSum MarginRankingLossNone MarginRankingLossMean MarginRankingLossSum
        TripletMarginLossL2SwapNone TripletMarginLossL2SwapMean TripletMarginLossL2SwapSum
        TripletMarginLossL2NotSwapNone TripletMarginLossL2NotSwapMean TripletMarginLossL2NotSwapSum
        TripletMarginWithDistanceLossSwapNone TripletMarginWithDistanceLossSwapMean
        TripletMarginWithDistanceLossSwapSum
        TripletMarginWithDistanceLossNotSwapNone TripletMarginWithDistanceLossNotSwapMean
        TripletMarginWithDistanceLossNotSwapSum InfoNce DpoLossNone DpoLossMean
        DpoLossSum GroupAdvantages GrpoLoss ZLossNone ZLossMean ZLossSum;
    math:
        AbsFloat AbsInt SignFloat SignInt SgnFloat SgnInt Angle SquareFloat SquareInt Sqrt Rsqrt Reciprocal Pow Powf Ldexp Exp Exp2
        Expm1 Log Log2 Log10 Log1p Logaddexp Logaddexp2 Sin Cos Tan Asin Acos Atan Atan2 Sinh Cosh Tanh Asinh Acosh
        Atanh Deg2rad Rad2deg Hypot Floor Ceil Round RoundByCoarse RoundByNotCoarse Trunc Frac MaximumFloat MaximumInt MinimumFloat
        MinimumInt Fmax Fmin ClampFloat ClampInt ClampMinFloat ClampMinInt
        ClampMaxFloat ClampMaxInt Copysign FmodFloat FmodInt Lerp Addcmul Addcdiv
        NanToNum;
    movement:
        FlipFloat FlipInt FlipBool RollAlongFloat RollAlongInt RollAlongBool DiffOfLastFloat DiffOfLastInt
        DiagonalOfLastFloat DiagonalOfLastInt DiagonalOfLastBool DiagEmbedAtFloat DiagEmbedAtInt
        DiagEmbedAtBool TrilFloat TrilInt TrilBool TriuFloat TriuInt
        TriuBool CatFloat CatInt CatBool StackFloat StackInt StackBool GluOfLast RotaryHalves RotaryPairs
        PixelShuffleFloat PixelShuffleInt PixelShuffleBool PixelUnshuffleFloat PixelUnshuffleInt
        PixelUnshuffleBool ChannelShuffleFloat ChannelShuffleInt ChannelShuffleBool;
    nn:
        SiluMul Softmax Softmin SafeSoftmax LogSoftmax RmsNorm LayerNorm AddRmsNorm CrossEntropy Embedding Matmul
        LinearWithBias LinearWithoutBias MatmulAddRelu Attention;
    norm:
        NormalizeL2 GroupNormWithWeightWithBias GroupNormWithWeightWithoutBias GroupNormWithoutWeightWithBias
        GroupNormWithoutWeightWithoutBias LocalResponseNorm WeightNormBetween BatchNormTrainWithWeightWithBias
        BatchNormTrainWithWeightWithoutBias BatchNormTrainWithoutWeightWithBias
        BatchNormTrainWithoutWeightWithoutBias BatchNormEvalWithWeightWithBias
        BatchNormEvalWithWeightWithoutBias BatchNormEvalWithoutWeightWithBias
        BatchNormEvalWithoutWeightWithoutBias InstanceNormTrainWithWeightWithBias
        InstanceNormTrainWithWeightWithoutBias InstanceNormTrainWithoutWeightWithBias
        InstanceNormTrainWithoutWeightWithoutBias RunningStatistics LayerNormOfRowsWithWeightWithBias
        LayerNormOfRowsWithWeightWithoutBias LayerNormOfRowsWithoutWeightWithBias
        LayerNormOfRowsWithoutWeightWithoutBias RmsNormOfRowsWithWeight RmsNormOfRowsWithoutWeight;
    "optim" optim:
        Sgd SgdMomentumNesterov SgdMomentumNotNesterov Adamw Adam Lion Adagrad Adafactor
        AdafactorUnfactored NewtonSchulz Orthogonalize MuonNesterov MuonNotNesterov Ema ClipToNorm AdamwAmsgrad AdamAmsgrad
        Adamax Nadam Radam Lamb Adadelta Rmsprop RmspropMomentum RmspropCentered;
    padding:
        ConstantPad1dFloat ConstantPad1dInt ConstantPad1dBool ConstantPad2dFloat ConstantPad2dInt ConstantPad2dBool ConstantPad3dFloat
        ConstantPad3dInt ConstantPad3dBool ReflectionPad1dFloat ReflectionPad1dInt ReflectionPad1dBool
        ReflectionPad2dFloat ReflectionPad2dInt ReflectionPad2dBool ReflectionPad3dFloat ReflectionPad3dInt
        ReflectionPad3dBool ReplicationPad1dFloat ReplicationPad1dInt ReplicationPad1dBool
        ReplicationPad2dFloat ReplicationPad2dInt ReplicationPad2dBool ReplicationPad3dFloat
        ReplicationPad3dInt ReplicationPad3dBool CircularPad1dFloat CircularPad1dInt CircularPad1dBool
        CircularPad2dFloat CircularPad2dInt CircularPad2dBool CircularPad3dFloat CircularPad3dInt
        CircularPad3dBool;
    "vision" pooling:
        MaxPool1d MaxPool2d MaxPool3d MaxPool1dWithIndices MaxPool2dWithIndices MaxPool3dWithIndices AvgPool1d AvgPool2d
        AvgPool3d LpPool1d LpPool2d LpPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d FractionalMaxPool2d
        FractionalMaxPool3d;
    "attention" position:
        SinusoidalPositions RotaryAngles AlibiSlopes RelativePositionBias;
    product:
        Dot Vecdot Outer Kron Mv Addmm Addmv Addr Baddbmm Addbmm BilinearWithBias BilinearWithoutBias
        Cross Cdist Pdist CovarianceWithFweightsWithAweights CovarianceWithFweightsWithoutAweights
        CovarianceWithoutFweightsWithAweights CovarianceWithoutFweightsWithoutAweights Correlation;
    "quantize" quantize:
        QuantizeWithZeroPoint QuantizeWithoutZeroPoint DequantizeWithZeroPoint DequantizeWithoutZeroPoint
        FakeQuantizeWithZeroPoint FakeQuantizeWithoutZeroPoint SymmetricScale AffineScale Pack Unpack
        QuantizePackedWithZeroPoint QuantizePackedWithoutZeroPoint DequantizePackedWithZeroPoint
        DequantizePackedWithoutZeroPoint LinearPackedWithZeroPoint LinearPackedWithoutZeroPoint
        LinearRowPackedWithZeroPoint LinearRowPackedWithoutZeroPoint;
    random:
        Dropout Dropout1d Dropout2d Dropout3d FeatureDropout AlphaDropout FeatureAlphaDropout Rrelu Bernoulli Normal Categorical
        GumbelSoftmaxHard GumbelSoftmaxNotHard StochasticRound AttentionWithDropout;
    recurrent:
        LstmCellWithBIhWithBHh LstmCellWithBIhWithoutBHh LstmCellWithoutBIhWithBHh LstmCellWithoutBIhWithoutBHh
        LstmStepWithBHh LstmStepWithoutBHh
        GruCellWithBIhWithBHh GruCellWithBIhWithoutBHh GruCellWithoutBIhWithBHh GruCellWithoutBIhWithoutBHh
        GruStepWithBHh GruStepWithoutBHh
        RnnTanhCellWithBIhWithBHh RnnTanhCellWithBIhWithoutBHh RnnTanhCellWithoutBIhWithBHh RnnTanhCellWithoutBIhWithoutBHh
        RnnTanhStepWithBHh RnnTanhStepWithoutBHh
        RnnReluCellWithBIhWithBHh RnnReluCellWithBIhWithoutBHh RnnReluCellWithoutBIhWithBHh RnnReluCellWithoutBIhWithoutBHh
        RnnReluStepWithBHh RnnReluStepWithoutBHh;
    reduce:
        SumFloat SumInt ProdFloat ProdInt Mean Nansum Nanmean AmaxFloat AmaxInt AminFloat AminInt
        AminmaxFloat AminmaxInt ArgmaxFloat ArgmaxInt ArgminFloat ArgminInt All Any CountNonzeroFloat
        CountNonzeroInt Logsumexp Var Std VarMean StdMean Norm PNorm TraceFloat TraceInt;
    "vision" resize:
        UpsampleNearest1d UpsampleNearest2d UpsampleNearest3d UpsampleLinear1d UpsampleBilinear2d
        UpsampleTrilinear3d CubicWeight UpsampleCubic1d UpsampleBicubic2d UpsampleAntialias1dCubic
        UpsampleAntialias1dNotCubic;
    "vision" sample:
        GridPlaces GridPlacesInside GridSampleBilinear GridSampleNearest GridSampleBicubic GridSampleBilinear3d
        InPlane GridSampleBicubic3d GridSampleNearest3d AffineGrid AffineGrid3d;
    scan:
        CumsumFloat CumsumInt CumprodFloat CumprodInt CummaxFloat CummaxInt CumminFloat CumminInt Logcumsumexp
        SelectiveScan GatedLinearAttention Wkv;
    scatter:
        ScatterLastFloat ScatterLastInt ScatterLastBool ScatterNumberLastFloat ScatterNumberLastInt
        ScatterNumberLastBool ScatterSumLastFloatIncludeSelf ScatterSumLastFloatNotIncludeSelf
        ScatterSumLastIntIncludeSelf ScatterSumLastIntNotIncludeSelf ScatterProdLastFloatIncludeSelf
        ScatterProdLastFloatNotIncludeSelf ScatterProdLastIntIncludeSelf ScatterProdLastIntNotIncludeSelf
        ScatterMeanLastIncludeSelf ScatterMeanLastNotIncludeSelf ScatterAmaxLastFloat ScatterAmaxLastInt
        ScatterAminLastFloat ScatterAminLastInt ScatterOtherAmaxLastFloat ScatterOtherAmaxLastInt
        ScatterOtherAminLastFloat ScatterOtherAminLastInt MaskedScatterFlatFloat MaskedScatterFlatInt
        MaskedScatterFlatBool IndexAddRowsFloat IndexAddRowsInt IndexCopyRowsFloat IndexCopyRowsInt
        IndexCopyRowsBool FlatPlace;
    segments:
        Bincount Histogram2d IndexPutAdd SegmentSum SegmentMean SegmentMax SegmentSoftmax;
    select:
        OfRowsFloat OfRowsInt OfRowsBool RowsFloat RowsInt RowsBool RowsFilledFloat RowsFilledInt
        RowsFilledBool OneHot
        TopkAccuracy;
    sort:
        SortFloatDescending SortFloatNotDescending SortIntDescending SortIntNotDescending ArgsortFloatDescending ArgsortFloatNotDescending
        ArgsortIntDescending ArgsortIntNotDescending MsortFloat MsortInt TopkOfLastFloatLargest
        TopkOfLastFloatNotLargest TopkOfLastIntLargest TopkOfLastIntNotLargest KthvalueFloat KthvalueInt MedianFloat MedianInt NanmedianFloat NanmedianInt Quantile
        SearchsortedFloatRight SearchsortedFloatNotRight SearchsortedIntRight SearchsortedIntNotRight
        BucketizeFloatRight BucketizeFloatNotRight BucketizeIntRight BucketizeIntNotRight;
    special:
        Erf Erfc Lgamma Digamma Trigamma Sinc Logit Xlogy Xlog1py Entr Ndtr LogNdtr Erfinv Ndtri I0 I0e I1
        I1e BesselJ0 BesselJ1 Zeta Polygamma;
    windows:
        WindowPlaces HannWindow HammingWindow BlackmanWindow BartlettWindow KaiserWindow Cosine Gaussian;
}
