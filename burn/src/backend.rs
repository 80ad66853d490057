//! A Burn backend that runs ops.

use crate::adapter;
use crate::dtype::to_burn;
use crate::tensor::OpTensor;
use burn::backend::{Backend, DType as BurnDType, DeviceOps};
use tensor_op_core::{DType, Op, Result, Value};

/// A backend of Burn that runs declared ops. It uses its own kernels if it has any; otherwise ops are
/// composed of Burn's operations.
pub trait OpBackend: Backend {
    /// Runs an op. `args` are in declared order. `wanted` says which results the caller needs, and only those
    /// are `Some`. Burn has no tensors without axes: a tensor that an op declares without axes has one axis
    /// of size 1.
    ///
    /// # Errors
    /// Sizes or dtypes that disagree, and dtypes that ops don't take.
    fn run_op(
        op: &dyn Op,
        args: Vec<Value<OpTensor<Self>>>,
        wanted: &[bool],
    ) -> Result<Vec<Option<OpTensor<Self>>>> {
        adapter::run::<Self>(op, args, wanted)
    }

    /// The dtype in which a device stores results of a dtype. Bools are stored as the device stores them, and
    /// ints are i32 if it has no i64.
    ///
    /// # Errors
    /// A dtype that the device is known to lack.
    fn stored(dtype: DType, device: &Self::Device) -> Result<BurnDType> {
        let dtype = match dtype {
            DType::I64 if !Self::supports_dtype(device, BurnDType::I64) => DType::I32,
            dtype => dtype,
        };
        Ok(to_burn(dtype, device.defaults().bool_dtype))
    }
}

#[cfg(feature = "ndarray")]
#[allow(deprecated, reason = "Burn keeps it for now")]
impl OpBackend for burn::backend::NdArray {}
