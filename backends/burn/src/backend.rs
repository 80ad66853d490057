//! A Burn backend that runs ops.

use crate::composed;
use crate::tensor::OpTensor;
use burn::backend::Backend;
use tensor_op_core::{Op, Result, Value};

/// A backend of Burn that runs declared ops. With its own kernels if it has any; as it comes, composed of Burn's operations.
pub trait OpBackend: Backend {
    /// Runs an op. `args` are in declared order; `wanted` says which results the caller needs, and only those are `Some`. Burn has no
    /// tensors without axes: what an op declares as one has one axis of size 1.
    ///
    /// # Errors
    /// Sizes or dtypes that disagree, and dtypes that ops don't take.
    fn run_op(
        op: &dyn Op,
        args: Vec<Value<OpTensor<Self>>>,
        wanted: &[bool],
    ) -> Result<Vec<Option<OpTensor<Self>>>> {
        composed::run::<Self>(op, args, wanted)
    }
}

#[cfg(feature = "ndarray")]
#[allow(deprecated, reason = "Burn keeps it for now")]
impl OpBackend for burn::backend::NdArray {}
