//! What is measured: ops with shapes and dtypes. `pytorch.py` has the same list.

use super::ops;
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
        Case { op: stringify!($op), dtype: DType::$dtype, shapes: &[$(&$shape),+], run: |args| call!($op args $($shape),+) }
    };
}

macro_rules! call {
    ($op:ident $args:ident $a:expr, $b:expr) => {
        ops::$op(&$args[0], &$args[1])
    };
    ($op:ident $args:ident $a:expr, $b:expr, $c:expr) => {
        ops::$op(&$args[0], &$args[1], &$args[2])
    };
    ($op:ident $args:ident $a:expr, $b:expr, $c:expr, $d:expr) => {
        ops::$op(&$args[0], &$args[1], &$args[2], &$args[3])
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
];
