//! The dtypes that a device takes where none is said.

use super::{Device, Runtime};
use crate::{Backend, DType, Error, ErrorKind, Result};
use std::sync::{PoisonError, RwLock};
use tensor_op_spec::ir::Kind;

/// What was set, for the devices for which somebody has set it.
static SET: RwLock<Vec<(Device, Defaults)>> = RwLock::new(Vec::new());

/// The default dtypes of floats and ints.
type Defaults = (DType, DType);

impl Device {
    /// The dtype of floats for which `None` is said, as in `Tensor::zeros(shape, None, &device)`: f32, unless
    /// [`set_default_dtypes`](Device::set_default_dtypes) was called.
    pub fn default_float(&self) -> DType {
        self.defaults().0
    }

    /// The dtype of the ints of [`Tensor::randperm`](crate::Tensor::randperm): i64, unless
    /// [`set_default_dtypes`](Device::set_default_dtypes) was called.
    pub fn default_int(&self) -> DType {
        self.defaults().1
    }

    /// Sets the default dtypes of the device, for the whole process. `torch.set_default_dtype`, but for each
    /// device.
    ///
    /// ```
    /// use tensor_op::prelude::*;
    ///
    /// # fn main() -> Result<()> {
    /// let device = Device::default();
    /// assert_eq!(Tensor::zeros([2], None, &device)?.dtype(), DType::F32);
    /// device.set_default_dtypes(DType::BF16, DType::I32)?;
    /// assert_eq!(Tensor::zeros([2], None, &device)?.dtype(), DType::BF16);
    /// assert!(device.set_default_dtypes(DType::I32, DType::I32).is_err());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Dtypes that are no float and no int, or that the device does not have.
    pub fn set_default_dtypes(&self, float: DType, int: DType) -> Result<()> {
        for (dtype, kind, name) in [(float, Kind::Float, "float"), (int, Kind::Int, "int")] {
            let message = if dtype.kind() != kind {
                format!("is {dtype}, which is no {name}")
            } else if !Runtime::supports_dtype(self.core(), dtype) {
                format!("is {dtype}, and {self} has no tensors of {dtype}")
            } else {
                continue;
            };
            return Err(Error::new(ErrorKind::DType, message).with_arg(name).with_op("set_default_dtypes"));
        }
        let mut set = SET.write().unwrap_or_else(PoisonError::into_inner);
        set.retain(|(device, _)| device != self);
        set.push((*self, (float, int)));
        Ok(())
    }

    fn defaults(&self) -> Defaults {
        let set = SET.read().unwrap_or_else(PoisonError::into_inner);
        set.iter().find(|(device, _)| device == self).map_or((DType::F32, DType::I64), |(_, found)| *found)
    }
}
