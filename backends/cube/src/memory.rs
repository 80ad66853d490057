//! Memory of CUDA devices at its address, for other libraries. They use the same context, the primary one of
//! the device, but streams of their own. So each side waits here until the device has done all that was
//! enqueued.

use crate::failure::failed;
use crate::layout::Layout;
use crate::runtime::{CubeDevice, Cuda};
use crate::tensor::CubeTensor;
use cubecl::cuda::CudaRuntime;
use cubecl::future::block_on;
use cubecl_runtime::runtime::Runtime as Cubecl;
use cudarc::driver::{CudaContext, DriverError, result};
use tensor_op_core::{DType, Error, ErrorKind, Result, Shape};

/// A tensor's memory, kept in its place for another library. When this is dropped, it waits until the device
/// is idle: the memory then serves other tensors, and the other library may have enqueued work with it.
#[derive(Debug)]
pub struct CudaMemory {
    address: u64,
    tensor: CubeTensor,
}

impl CudaMemory {
    /// Waits until all work is done on which the tensor depends.
    ///
    /// # Errors
    /// That work failed. The device records steps. The device keeps the dtype in another type.
    pub fn of(tensor: CubeTensor) -> Result<CudaMemory> {
        let device = tensor.device;
        check_stored(tensor.dtype, tensor.elem().size())?;
        if device.client().is_capturing() {
            let message = "the device records steps, and their memory is not known outside of them";
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        block_on(device.client().sync()).map_err(failed)?;
        block_on(tensor.doubts.check())?;
        let start = (tensor.layout.offset * tensor.elem().size()) as u64;
        Ok(CudaMemory { address: address(&tensor)? + start, tensor })
    }

    /// Where the first element is.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// The number of the device.
    pub fn device(&self) -> usize {
        self.tensor.device.index
    }

    /// Type of the elements.
    pub fn dtype(&self) -> DType {
        self.tensor.dtype
    }

    /// Sizes of the axes.
    pub fn shape(&self) -> &Shape {
        self.tensor.shape()
    }

    /// Strides of the axes, in elements.
    pub fn strides(&self) -> &Shape {
        &self.tensor.layout.strides
    }

    /// Whether no other tensor shares the memory.
    pub fn is_unique(&self) -> bool {
        self.tensor.is_unique()
    }
}

impl Drop for CudaMemory {
    fn drop(&mut self) {
        // A device that fails here says so to whoever uses it next.
        wait(self.tensor.device.index).ok();
    }
}

/// Elements in the memory of another library.
#[derive(Clone, Debug)]
pub struct CudaView {
    /// The number of the device.
    pub device: usize,
    /// Where the lowest element is.
    pub address: u64,
    /// Elements from the lowest to the highest, both included; 0 if there are none.
    pub len: usize,
    /// Type of the elements.
    pub dtype: DType,
    /// Sizes of the axes.
    pub shape: Shape,
    /// Strides of the axes, in elements.
    pub strides: Shape,
    /// Elements from the lowest to the first.
    pub offset: usize,
}

/// A tensor with a copy of the elements.
///
/// # Errors
/// There is no device of this number, or no memory on it. The device keeps the dtype in another type, or it
/// records steps, or it fails.
///
/// # Safety
/// The device can read the elements from the lowest to the highest, and the view lies among them.
pub unsafe fn copied(view: CudaView) -> Result<CubeTensor> {
    let CudaView { device, address: from, len, dtype, shape, strides, offset } = view;
    let opened = CubeDevice::<Cuda>::new(device).opened()?;
    check_stored(dtype, opened.elem(dtype)?.size())?;
    if opened.client().is_capturing() {
        let message = "the device records steps, which copy from no other memory";
        return Err(Error::new(ErrorKind::Unsupported, message));
    }
    if len == 0 {
        return CubeTensor::empty(&shape, dtype, opened);
    }
    let tensor = CubeTensor::empty(&Shape::new(&[len]), dtype, opened)?;
    let to = address(&tensor)?;
    // The other library may not have written the elements yet, and a freed tensor that was at the new place
    // may still be read.
    wait(device)?;
    // SAFETY: the caller vouches for the source, and `tensor` has the memory of as many elements.
    unsafe { result::memcpy_dtod_sync(to, from, len * dtype.size()) }.map_err(driver)?;
    // The copy was only enqueued, and the streams of this library do not wait for it.
    wait(device)?;
    Ok(tensor.with_layout(Layout { shape, strides, offset }))
}

/// Where the buffer of a tensor is. All work with it that was launched before is enqueued.
fn address(tensor: &CubeTensor) -> Result<u64> {
    let resource = tensor
        .device
        .client()
        .get_resource::<<CudaRuntime as Cubecl>::Server>(tensor.handle.clone())
        .map_err(failed)?;
    Ok(resource.resource().ptr)
}

/// Waits until the device is idle.
fn wait(device: usize) -> Result<()> {
    CudaContext::new(device).and_then(|context| context.synchronize()).map_err(driver)
}

fn check_stored(dtype: DType, size: usize) -> Result<()> {
    if size == dtype.size() {
        return Ok(());
    }
    let message =
        format!("the device keeps {dtype} in {size} bytes, and other libraries in {}", dtype.size());
    Err(Error::new(ErrorKind::DType, message))
}

fn driver(error: DriverError) -> Error {
    Error::new(ErrorKind::Backend, format!("the driver of CUDA failed: {error}"))
}
