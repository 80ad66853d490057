//! A backend for the tests of this crate, which has storage and nothing else. It has two devices and a broken
//! one. Its storage is shared, and reused if nobody else holds it.

use crate::{Backend, DType, DTypeUsage, Error, ErrorKind, Result, Shape, TensorData};
use std::sync::Arc;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Host;

#[derive(Clone, Debug)]
pub(crate) struct HostTensor {
    pub(crate) data: Arc<TensorData>,
    pub(crate) device: usize,
}

impl Backend for Host {
    type Device = usize;
    type Tensor = HostTensor;

    fn name(device: &usize) -> String {
        format!("host {device}")
    }
    fn device_count() -> usize {
        3
    }
    /// The last device has a driver that fails.
    fn nth_device(index: usize) -> Result<usize> {
        if index < 2 {
            return Ok(index);
        }
        Err(Error::new(
            ErrorKind::Device,
            format!("device {index} of `host` can't be opened: its driver failed"),
        ))
    }
    fn dtype_usage(_: &usize, _: DType) -> DTypeUsage {
        DTypeUsage::GENERAL
    }
    fn from_data(data: TensorData, device: &usize) -> Result<HostTensor> {
        Ok(HostTensor { data: Arc::new(data), device: *device })
    }
    fn into_data(tensor: HostTensor) -> Result<TensorData> {
        Ok(Arc::unwrap_or_clone(tensor.data))
    }
    fn shape(tensor: &HostTensor) -> Shape {
        tensor.data.shape().clone()
    }
    fn dtype(tensor: &HostTensor) -> DType {
        tensor.data.dtype()
    }
    fn device(tensor: &HostTensor) -> usize {
        tensor.device
    }
}
