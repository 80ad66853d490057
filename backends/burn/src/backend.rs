//! A Burn backend that runs ops.

use crate::adapter;
use crate::dtype::to_burn;
use crate::tensor::OpTensor;
use burn::backend::{Backend, DType as BurnDType, DeviceOps};
use tensor_op_core::{DType, Op, Result, Value};

/// A backend of Burn that runs declared ops. With its own kernels if it has any; as it comes, composed of
/// Burn's operations.
pub trait OpBackend: Backend {
    /// Runs an op. `args` are in declared order; `wanted` says which results the caller needs, and only those
    /// are `Some`. Burn has no tensors without axes: what an op declares as one has one axis of size 1.
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

    /// How results of a dtype are stored on a device. Bools are kept as the device keeps them, and ints are
    /// i32 where it has no i64.
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
