//! Tensors in a device's memory: a buffer that clones share, and the layout of the elements in it.

use crate::device::Opened;
use crate::failure::failed;
use crate::fault::Doubts;
use crate::layout::Layout;
use crate::upload::check_size;
use crate::{storage, upload};
use cubecl::ir::ElemType;
use cubecl::server::Handle;
use std::sync::Arc;
use tensor_op_core::{DType, Error, ErrorKind, Held, Result, Shape, TensorData};
use tensor_op_spec::ir::Scalar;

/// A tensor in a device's memory. Clones share the memory, and views are other layouts of the same buffer.
#[derive(Clone, Debug)]
pub struct CubeTensor {
    pub(crate) handle: Handle,
    /// Counts the memory, if it is not lent.
    pub(crate) _held: Option<Arc<Held>>,
    pub(crate) layout: Layout,
    pub(crate) dtype: DType,
    pub(crate) device: &'static Opened,
    /// Calls that may have failed. If one did, the values are wrong.
    pub(crate) doubts: Doubts,
}

/// The most bytes of one read. For more, CUDA's runtime makes new memory of the host each time, which takes
/// longer than the reads.
const MOST_AT_ONCE: usize = 1 << 20;

impl CubeTensor {
    /// A new row-major tensor. Its elements are not written yet.
    pub(crate) fn empty(shape: &Shape, dtype: DType, device: &'static Opened) -> Result<CubeTensor> {
        let elem = device.elem(dtype)?;
        let bytes = shape.elements()?.checked_mul(elem.size()).filter(|bytes| *bytes <= isize::MAX as usize);
        let bytes = bytes.ok_or_else(|| {
            Error::new(
                ErrorKind::Overflow,
                format!("{shape} elements of {dtype} are more bytes than can be counted"),
            )
        })?;
        check_size(bytes, device)?;
        // An empty tensor has a buffer too, so that other code need not handle this case.
        let handle = device.allocator().empty(bytes.max(elem.size()));
        Ok(CubeTensor::made(handle, shape, dtype, device))
    }

    /// A row-major tensor that has this memory alone.
    fn made(handle: Handle, shape: &Shape, dtype: DType, device: &'static Opened) -> CubeTensor {
        let _held = Some(Arc::new(device.account.hold(handle.size_in_used())));
        CubeTensor {
            handle,
            _held,
            layout: Layout::row_major(shape),
            dtype,
            device,
            doubts: Doubts::default(),
        }
    }

    /// Moves data to the device.
    pub(crate) fn from_data(data: &TensorData, device: &'static Opened) -> Result<CubeTensor> {
        let handle = device.allocator().create(upload::bytes_of(data, device)?);
        Ok(CubeTensor::made(handle, data.shape(), data.dtype(), device))
    }

    /// The data of row-major tensors of one device, whose elements begin at the start of their buffers. All
    /// reads are started before the first one is awaited.
    pub(crate) async fn into_data_all(tensors: Vec<CubeTensor>) -> Result<Vec<TensorData>> {
        let Some(client) = tensors.first().map(|tensor| tensor.device.client()) else { return Ok(vec![]) };
        let used = |tensor: &CubeTensor| tensor.elements() * tensor.elem().size();
        let mut batches: Vec<(usize, Vec<Handle>)> = Vec::new();
        for tensor in tensors.iter().filter(|tensor| tensor.elements() > 0) {
            let (bytes, handle) = (used(tensor), first_bytes(tensor.handle.clone(), used(tensor)));
            match batches.last_mut().filter(|(total, _)| *total + bytes <= MOST_AT_ONCE) {
                Some((total, handles)) => {
                    *total += bytes;
                    handles.push(handle);
                }
                None => batches.push((bytes, vec![handle])),
            }
        }
        let reads: Vec<_> = batches.into_iter().map(|(_, handles)| client.read_async(handles)).collect();
        let mut read = Vec::with_capacity(tensors.len());
        for batch in reads {
            read.extend(batch.await.map_err(failed)?);
        }
        let mut read = read.iter();
        let data = |tensor: &CubeTensor| {
            let (shape, dtype) = (tensor.shape().clone(), tensor.dtype);
            match if tensor.elements() > 0 { read.next() } else { None } {
                Some(bytes) => {
                    let elements = storage::from_bytes(&bytes[..used(tensor)], dtype, tensor.elem());
                    TensorData::from_storage(elements, shape)
                }
                None => TensorData::full(shape, Scalar::Int(0), dtype),
            }
        };
        tensors.iter().map(data).collect()
    }

    /// Sizes of the axes.
    pub fn shape(&self) -> &Shape {
        &self.layout.shape
    }

    /// Shape and dtype.
    pub(crate) fn form(&self) -> (&Shape, DType) {
        (self.shape(), self.dtype)
    }

    pub(crate) fn elements(&self) -> usize {
        self.layout.shape.iter().product()
    }

    /// The type in memory.
    pub(crate) fn elem(&self) -> ElemType {
        self.device.types.get(self.dtype).expect("a tensor was made of a dtype that its device has")
    }

    /// Whether nothing else uses the memory, so that it can be written.
    pub(crate) fn is_unique(&self) -> bool {
        self.handle.can_mut()
    }

    /// The same tensor with these doubts added: its values were computed from values that have them.
    pub(crate) fn doubted(self, doubts: &Doubts) -> Result<CubeTensor> {
        let doubts = Doubts::all([&self.doubts, doubts])?;
        Ok(CubeTensor { doubts, ..self })
    }

    /// The same memory under another layout.
    pub(crate) fn with_layout(self, layout: Layout) -> CubeTensor {
        CubeTensor { layout, ..self }
    }
}

/// The same memory, limited to its first bytes, so that only these are moved to the host.
fn first_bytes(handle: Handle, count: usize) -> Handle {
    let rest = handle.size_in_used() - count as u64;
    handle.offset_end(rest)
}

#[cfg(all(test, feature = "wgpu"))]
mod tests {
    use super::*;
    use crate::runtime::{CubeDevice, Wgpu};
    use cubecl::future::block_on;

    #[test]
    fn a_prefix_is_read_without_the_rest() -> Result<()> {
        let device = CubeDevice::<Wgpu>::default().opened()?;
        for dtype in [DType::F32, DType::F16, DType::I32, DType::U8, DType::Bool] {
            let Some(elem) = device.types.get(dtype) else { continue };
            let data = TensorData::new((0..999).collect::<Vec<i64>>(), [999])?.cast(dtype);
            let tensor = CubeTensor::from_data(&data, device)?;
            for count in [1, 2, 3, 999] {
                let bytes = count * elem.size();
                assert_eq!(first_bytes(tensor.handle.clone(), bytes).size_in_used(), bytes as u64);
                let prefix = tensor.clone().with_layout(tensor.layout.slice(&[(0, count, 1)]));
                let expected = (0..count as i64).collect::<Vec<_>>();
                let read = block_on(CubeTensor::into_data_all(vec![prefix]))?;
                assert_eq!(read, [TensorData::new(expected, [count])?.cast(dtype)]);
            }
        }
        Ok(())
    }
}
