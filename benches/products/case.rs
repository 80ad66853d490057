//! What is measured: ops with shapes and dtypes. `pytorch.py` has the same list.

use super::{draws, ops, orders, scans, windows};
use tensor_op::prelude::*;

/// An op with the shapes of its arguments.
pub(crate) struct Case {
    op: &'static str,
    pub(crate) dtype: DType,
    pub(crate) shapes: &'static [&'static [usize]],
    pub(crate) run: fn(&[Tensor]) -> Result<Tensor>,
}

impl Case {
    /// As `pytorch.py` prints it: op, dtype and the shapes.
    pub(crate) fn name(&self) -> String {
        let shape = |shape: &&[usize]| shape.iter().map(usize::to_string).collect::<Vec<_>>().join("x");
        let shapes: Vec<String> = self.shapes.iter().take(2).map(shape).collect();
        format!("{} {} {}", self.op, self.dtype, shapes.join("*"))
    }
}

macro_rules! case {
    ($op:ident $dtype:ident $($shape:expr),+) => {
        case!(ops::$op $dtype $($shape),+)
    };
    ($from:ident::$op:ident $dtype:ident $($shape:expr),+) => {
        Case {
            op: stringify!($op),
            dtype: DType::$dtype,
            shapes: &[$(&$shape),+],
            run: |args| call!($from::$op args $($shape),+),
        }
    };
}

macro_rules! call {
    ($from:ident::$op:ident $args:ident $a:expr, $b:expr) => {
        $from::$op(&$args[0], &$args[1])
    };
    ($from:ident::$op:ident $args:ident $a:expr, $b:expr, $c:expr) => {
        $from::$op(&$args[0], &$args[1], &$args[2])
    };
    ($from:ident::$op:ident $args:ident $a:expr, $b:expr, $c:expr, $d:expr) => {
        $from::$op(&$args[0], &$args[1], &$args[2], &$args[3])
    };
    ($from:ident::$op:ident $args:ident $a:expr, $b:expr, $c:expr, $d:expr, $e:expr) => {
        $from::$op(&$args[0], &$args[1], &$args[2], &$args[3], &$args[4])
    };
}

/// The cases on the CPU.
pub(crate) static CASES: &[Case] = &[
    case!(product F32 [1024, 1024], [1024, 1024]),
    case!(product F32 [512, 1024], [1024, 1024]),
    case!(product F32 [8192, 128], [128, 512]),
    case!(product F32 [64, 2048], [2048, 2048]),
    case!(product F32 [16384, 64], [64, 64]),
    case!(product F32 [64, 16384], [16384, 64]),
    case!(product F32 [64, 64, 64], [64, 64, 64]),
    case!(product F32 [256, 32, 32], [256, 32, 32]),
    case!(left_transposed F32 [1024, 512], [1024, 1024]),
    case!(right_transposed F32 [512, 1024], [1024, 1024]),
    case!(product BF16 [512, 1024], [1024, 1024]),
    case!(right_transposed BF16 [512, 1024], [1024, 1024]),
    case!(linear_gelu F32 [512, 1024], [1024, 1024], [1024]),
    case!(swiglu F32 [256, 1024], [2816, 1024], [2816, 1024], [1024, 2816]),
    case!(full F32 [4, 16, 128, 64], [4, 16, 128, 64], [4, 16, 128, 64]),
    case!(full F32 [1, 8, 1024, 64], [1, 8, 1024, 64], [1, 8, 1024, 64]),
    case!(causal F32 [1, 8, 1024, 64], [1, 8, 1024, 64], [1, 8, 1024, 64]),
    case!(full F32 [1, 2, 4096, 64], [1, 2, 4096, 64], [1, 2, 4096, 64]),
    case!(causal F32 [1, 2, 4096, 64], [1, 2, 4096, 64], [1, 2, 4096, 64]),
    case!(causal F32 [1, 2, 4096, 128], [1, 2, 4096, 128], [1, 2, 4096, 128]),
    case!(windows::conv3x3 F32 [1, 64, 56, 56], [64, 64, 3, 3]),
    case!(windows::conv3x3 F32 [8, 256, 14, 14], [256, 256, 3, 3]),
    case!(windows::conv3x3_s2 F32 [4, 128, 56, 56], [128, 128, 3, 3]),
    case!(windows::conv1x1 F32 [4, 256, 56, 56], [64, 256, 1, 1]),
    case!(windows::conv7x7 F32 [4, 3, 224, 224], [64, 3, 7, 7]),
    case!(windows::depthwise F32 [4, 96, 56, 56], [96, 1, 3, 3]),
    case!(windows::audio F32 [4, 128, 4096], [128, 128, 9]),
    case!(windows::causal_conv F32 [4, 768, 1024], [768, 4]),
    case!(windows::max_pool F32 [4, 64, 112, 112], [1]),
    case!(windows::avg_pool F32 [4, 64, 112, 112], [1]),
    case!(windows::max_pool2x2 F32 [4, 64, 112, 112], [1]),
    case!(windows::avg_pool3x3 F32 [4, 64, 112, 112], [1]),
    case!(windows::lp_pool F32 [4, 64, 112, 112], [1]),
    case!(windows::pad F32 [4096, 1022], [1]),
    case!(windows::rotary_halves F32 [4, 8, 1024, 128], [1024, 64], [1024, 64]),
    case!(windows::rotary_pairs F32 [4, 8, 1024, 128], [1024, 64], [1024, 64]),
    case!(windows::geglu F32 [2048, 4096], [1]),
    case!(scans::cumsum F32 [4096, 1024], [1]),
    case!(scans::cumsum F32 [1, 4194304], [1]),
    case!(scans::cumsum_columns F32 [1024, 4096], [1]),
    case!(scans::cumprod F32 [4096, 1024], [1]),
    case!(scans::cummax F32 [4096, 1024], [1]),
    case!(scans::logcumsumexp F32 [4096, 1024], [1]),
    case!(scans::selective F32 [2, 512, 256], [2, 512, 256], [256, 16], [2, 512, 16], [2, 512, 16]),
    case!(scans::gated_attention F32 [1, 4, 512, 32], [1, 4, 512, 32], [1, 4, 512, 32], [1, 4, 512, 32]),
    case!(scans::gated_average F32 [4, 512, 1024], [4, 512, 1024]),
    case!(scans::running_mean F32 [1024, 4096], [1024, 4096]),
    case!(orders::copy F32 [4096, 1024], [1]),
    case!(orders::sort F32 [4096, 1024], [1]),
    case!(orders::sort F32 [1, 1000000], [1]),
    case!(orders::sort_columns F32 [1024, 4096], [1]),
    case!(orders::topk50 F32 [64, 128000], [1]),
    case!(orders::median F32 [4096, 1024], [1]),
    case!(orders::search F32 [1000000], [10000]),
    case!(orders::gather_rows F32 [100000, 64], [10000, 64], [100000]),
    case!(orders::segment_sum F32 [100000, 64], [10000, 64], [100000]),
    case!(orders::segment_max F32 [100000, 64], [10000, 64], [100000]),
    case!(draws::dropout F32 [4096, 1024], [1]),
    case!(draws::gelu_dropout F32 [4096, 1024], [1]),
    case!(draws::dropout_add_norm F32 [4096, 1024], [4096, 1024]),
    case!(draws::noise F32 [4096, 1024], [1]),
    case!(draws::gumbel F32 [4096, 1024], [1]),
];

/// The cases on a GPU.
pub(crate) static GPU_CASES: &[Case] = &[
    case!(product F32 [256, 256], [256, 256]),
    case!(product BF16 [512, 512], [512, 512]),
    case!(product BF16 [1024, 1024], [1024, 1024]),
    case!(product F32 [4096, 4096], [4096, 4096]),
    case!(product BF16 [4096, 4096], [4096, 4096]),
    case!(left_transposed BF16 [4096, 4096], [4096, 4096]),
    case!(right_transposed BF16 [4096, 4096], [4096, 4096]),
    case!(product BF16 [64, 1024, 1024], [64, 1024, 1024]),
    case!(product BF16 [8192, 512], [512, 8192]),
    case!(linear_gelu F32 [8192, 4096], [4096, 4096], [4096]),
    case!(linear_gelu BF16 [8192, 4096], [4096, 4096], [4096]),
    case!(swiglu F32 [8192, 4096], [11008, 4096], [11008, 4096], [4096, 11008]),
    case!(swiglu BF16 [8192, 4096], [11008, 4096], [11008, 4096], [4096, 11008]),
    case!(full F32 [4, 16, 4096, 64], [4, 16, 4096, 64], [4, 16, 4096, 64]),
    case!(full BF16 [4, 16, 4096, 64], [4, 16, 4096, 64], [4, 16, 4096, 64]),
    case!(full BF16 [4, 16, 4096, 128], [4, 16, 4096, 128], [4, 16, 4096, 128]),
    case!(causal F32 [4, 16, 4096, 64], [4, 16, 4096, 64], [4, 16, 4096, 64]),
    case!(causal BF16 [4, 16, 4096, 64], [4, 16, 4096, 64], [4, 16, 4096, 64]),
    case!(causal BF16 [4, 16, 4096, 128], [4, 16, 4096, 128], [4, 16, 4096, 128]),
    case!(causal BF16 [1, 12, 8192, 64], [1, 12, 8192, 64], [1, 12, 8192, 64]),
    case!(window BF16 [4, 16, 4096, 64], [4, 16, 4096, 64], [4, 16, 4096, 64]),
    case!(alibi BF16 [4, 16, 4096, 64], [4, 16, 4096, 64], [4, 16, 4096, 64]),
    case!(capped BF16 [4, 16, 4096, 64], [4, 16, 4096, 64], [4, 16, 4096, 64]),
    case!(grouped BF16 [4, 4, 4, 4096, 64], [4, 4, 4096, 64], [4, 4, 4096, 64]),
    case!(full BF16 [1, 16, 16384, 128], [1, 16, 16384, 128], [1, 16, 16384, 128]),
    case!(causal BF16 [1, 16, 16384, 128], [1, 16, 16384, 128], [1, 16, 16384, 128]),
    case!(windows::conv3x3 F32 [64, 64, 56, 56], [64, 64, 3, 3]),
    case!(windows::conv3x3 BF16 [64, 64, 56, 56], [64, 64, 3, 3]),
    case!(windows::conv3x3 BF16 [64, 256, 14, 14], [256, 256, 3, 3]),
    case!(windows::conv3x3_s2 BF16 [64, 128, 56, 56], [128, 128, 3, 3]),
    case!(windows::conv1x1 BF16 [64, 256, 56, 56], [64, 256, 1, 1]),
    case!(windows::conv7x7 BF16 [64, 3, 224, 224], [64, 3, 7, 7]),
    case!(windows::depthwise BF16 [64, 96, 112, 112], [96, 1, 3, 3]),
    case!(windows::audio BF16 [32, 256, 16384], [256, 256, 9]),
    case!(windows::causal_conv BF16 [32, 2048, 4096], [2048, 4]),
    case!(windows::max_pool BF16 [64, 64, 112, 112], [1]),
    case!(windows::avg_pool BF16 [64, 64, 112, 112], [1]),
    case!(windows::max_pool2x2 BF16 [64, 64, 112, 112], [1]),
    case!(windows::avg_pool3x3 BF16 [64, 64, 112, 112], [1]),
    case!(windows::lp_pool BF16 [64, 64, 112, 112], [1]),
    case!(windows::pad F32 [32768, 4094], [1]),
    case!(windows::rotary_halves BF16 [8, 32, 4096, 128], [4096, 64], [4096, 64]),
    case!(windows::rotary_pairs BF16 [8, 32, 4096, 128], [4096, 64], [4096, 64]),
    case!(windows::rotary_pairs F32 [8, 32, 4096, 128], [4096, 64], [4096, 64]),
    case!(windows::geglu BF16 [16384, 16384], [1]),
    case!(scans::cumsum F32 [32768, 4096], [1]),
    case!(scans::cumsum BF16 [32768, 4096], [1]),
    case!(scans::cumsum F32 [64, 1048576], [1]),
    case!(scans::cumsum_columns F32 [4096, 32768], [1]),
    case!(scans::cummax F32 [32768, 4096], [1]),
    case!(scans::cumsum F32 [1, 100000000], [1]),
    case!(scans::logcumsumexp F32 [32768, 4096], [1]),
    case!(scans::selective F32 [8, 2048, 2048], [8, 2048, 2048], [2048, 16], [8, 2048, 16], [8, 2048, 16]),
    case!(scans::selective BF16 [8, 2048, 2048], [8, 2048, 2048], [2048, 16], [8, 2048, 16], [8, 2048, 16]),
    case!(scans::gated_attention F32 [4, 8, 2048, 64], [4, 8, 2048, 64], [4, 8, 2048, 64], [4, 8, 2048, 64]),
    case!(scans::gated_average F32 [16, 2048, 2048], [16, 2048, 2048]),
    case!(scans::gated_average BF16 [16, 2048, 2048], [16, 2048, 2048]),
    case!(scans::running_mean F32 [4096, 32768], [4096, 32768]),
    case!(orders::copy F32 [4096, 128000], [1]),
    case!(orders::topk50 F32 [4096, 128000], [1]),
    case!(orders::topk50 BF16 [4096, 128000], [1]),
    case!(orders::topk50 F32 [1, 4194304], [1]),
    case!(orders::sort F32 [32768, 1024], [1]),
    case!(orders::sort F32 [4096, 4096], [1]),
    case!(orders::sort BF16 [4096, 16384], [1]),
    case!(orders::sort F32 [1, 16777216], [1]),
    case!(orders::sort_columns F32 [1024, 32768], [1]),
    case!(orders::median F32 [4096, 4096], [1]),
    case!(orders::search F32 [16777216], [65536]),
    case!(orders::gather_rows F32 [1000000, 64], [100000, 64], [1000000]),
    case!(orders::segment_sum F32 [1000000, 64], [100000, 64], [1000000]),
    case!(orders::segment_sum BF16 [1000000, 64], [100000, 64], [1000000]),
    case!(orders::segment_sum F32 [1000000, 64], [100, 64], [1000000]),
    case!(orders::segment_sum F32 [1000000, 8], [100000, 8], [1000000]),
    case!(orders::segment_sum F32 [65536, 1024], [50000, 1024], [65536]),
    case!(orders::segment_mean F32 [1000000, 64], [100000, 64], [1000000]),
    case!(orders::segment_max F32 [1000000, 64], [100000, 64], [1000000]),
    case!(draws::dropout F32 [32768, 4096], [1]),
    case!(draws::dropout BF16 [32768, 4096], [1]),
    case!(draws::gelu_dropout BF16 [32768, 4096], [1]),
    case!(draws::dropout_add_norm F32 [32768, 4096], [32768, 4096]),
    case!(draws::dropout_add_norm BF16 [32768, 4096], [32768, 4096]),
    case!(draws::channel_dropout BF16 [64, 256, 56, 56], [1]),
    case!(draws::noise F32 [32768, 4096], [1]),
    case!(draws::gumbel F32 [32768, 4096], [1]),
    case!(draws::attention_dropout BF16 [4, 16, 4096, 64], [4, 16, 4096, 64], [4, 16, 4096, 64]),
];
