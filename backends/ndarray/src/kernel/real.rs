//! The float types that bodies compute with, and the choice of one by dtype.

use crate::block::Compute;
use crate::block::fold::Fold;
use crate::block::taps::Multiplied;
use crate::program::buffer::Recycled;
use crate::tensor::Stored;
use gemm_common::Parallelism;

/// A product of the crates `gemm-f32` and `gemm-f64`: sizes, the result with the strides of its columns and
/// rows and whether it is added to, the factors with theirs, what the result and the product are multiplied
/// by, three bools for complex numbers, and threads.
pub(crate) type Gemm<E> = unsafe fn(
    usize,
    usize,
    usize,
    *mut E,
    isize,
    isize,
    bool,
    *const E,
    isize,
    isize,
    *const E,
    isize,
    isize,
    E,
    E,
    bool,
    bool,
    bool,
    Parallelism,
);

/// A float type that bodies compute with.
pub(crate) trait Real: Recycled + Compute + Fold<Wide = f64> + Multiplied + Stored {
    /// The product of two matrices, for the instructions of this machine.
    fn gemm() -> Gemm<Self>;
}

impl Real for f32 {
    fn gemm() -> Gemm<f32> {
        gemm_f32::gemm::f32::get_gemm_fn()
    }
}

impl Real for f64 {
    fn gemm() -> Gemm<f64> {
        gemm_f64::gemm::f64::get_gemm_fn()
    }
}

/// Evaluates an expression with a type alias for the float type that a dtype is computed in. The alias is f32
/// if the dtype is not a float.
macro_rules! match_real {
    ($dtype:expr, $E:ident => $body:expr) => {
        match $dtype.compute() {
            tensor_op_core::DType::F64 => {
                type $E = f64;
                $body
            }
            tensor_op_core::DType::F32
            | tensor_op_core::DType::F16
            | tensor_op_core::DType::BF16
            | tensor_op_core::DType::I64
            | tensor_op_core::DType::I32
            | tensor_op_core::DType::U32
            | tensor_op_core::DType::U8
            | tensor_op_core::DType::Bool => {
                type $E = f32;
                $body
            }
        }
    };
}
pub(crate) use match_real;
