//! Tensors of another library that uses the same CubeCL. Ops run on its memory, through its client, without a
//! copy.

use crate::device::{Opened, open};
use crate::failure::failed_to_open;
use crate::fault::Doubts;
use crate::kernel;
use crate::layout::Layout;
use crate::tensor::CubeTensor;
use cubecl::ir::ElemType;
use cubecl::server::Handle;
use std::sync::{Mutex, PoisonError};
use tensor_op_core::{DType, Error, ErrorKind, Op, Precision, Result, Shape, Value};

/// Where a tensor of another library is: its memory, and a stride for each axis, in elements. The first
/// element is at the start of the handle.
#[derive(Clone, Debug)]
pub struct Lent {
    /// The memory.
    pub handle: Handle,
    /// Sizes.
    pub shape: Shape,
    /// Strides.
    pub strides: Shape,
    /// The dtype of the elements for an op.
    pub dtype: DType,
    /// The type of the elements in memory.
    pub elem: ElemType,
}

/// A device of another library, opened for ops.
#[derive(Clone, Copy, Debug)]
pub struct LentDevice(&'static Opened);

impl LentDevice {
    /// Opens the device, if it was not opened before.
    ///
    /// # Errors
    /// If the driver refuses.
    pub fn of(device: &cubecl::Device) -> Result<LentDevice> {
        static OPENED: Mutex<Vec<(cubecl::Device, &'static Opened)>> = Mutex::new(Vec::new());
        let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = opened.iter().find(|(known, _)| known == device) {
            return Ok(LentDevice(found));
        }
        let mut found = open(device, opened.len()).map_err(|why| failed_to_open(&why))?;
        // Burn's own products of f32 use TF32 where the device has it.
        found.default_precision = Precision::High;
        let found: &'static Opened = Box::leak(Box::new(found));
        opened.push((device.clone(), found));
        Ok(LentDevice(found))
    }

    /// The type in memory of results that have this dtype. An `Err` if the device has no such type.
    pub fn elem(self, dtype: DType) -> Result<ElemType> {
        self.0.elem(dtype)
    }

    /// Runs an op. Memory that nobody else holds may be reused for a result.
    ///
    /// # Errors
    /// Any error of the op. Also an error if elements are stored in another type than ops use on this device,
    /// or if strides lead out of the memory.
    pub fn run(self, op: &dyn Op, args: Vec<Value<Lent>>, wanted: &[bool]) -> Result<Vec<Option<Lent>>> {
        let spec = op.spec();
        let graph = spec.graph();
        let take = |(at, arg): (usize, Value<Lent>)| {
            arg.try_map(|lent| self.take(lent)).map_err(|error| error.of_arg(graph, at))
        };
        let args = args.into_iter().enumerate().map(take).collect::<Result<_>>()?;
        let results = kernel::run(op, args, wanted, self.0)?;
        Ok(results.into_iter().map(|result| result.map(|tensor| self.give_back(tensor))).collect())
    }

    fn take(self, lent: Lent) -> Result<CubeTensor> {
        let Lent { handle, shape, strides, dtype, elem } = lent;
        let kept = self.0.elem(dtype)?;
        if kept != elem {
            let message = format!("{dtype} lies in memory as {elem}, but is kept as {kept} on this device");
            return Err(Error::new(ErrorKind::DType, message));
        }
        check_inside(&handle, &shape, &strides, elem)?;
        // If there are no elements, the strides are never used.
        let strides = if shape.contains(&0) { shape.strides() } else { strides };
        let layout = Layout { shape, strides, offset: 0 };
        Ok(CubeTensor { handle, _held: None, layout, dtype, device: self.0, doubts: Doubts::default() })
    }

    fn give_back(self, tensor: CubeTensor) -> Lent {
        let elem = tensor.elem();
        let CubeTensor { handle, layout: Layout { shape, strides, offset }, dtype, .. } = tensor;
        let handle = if offset == 0 { handle } else { handle.offset_start((offset * elem.size()) as u64) };
        Lent { handle, shape, strides, dtype, elem }
    }
}

/// Refuses strides that lead out of the memory, because kernels don't check them.
fn check_inside(handle: &Handle, shape: &Shape, strides: &Shape, elem: ElemType) -> Result<()> {
    if shape.rank() != strides.rank() {
        let message = format!("has {} sizes and {} strides", shape.rank(), strides.rank());
        return Err(Error::new(ErrorKind::Rank, message));
    }
    shape.elements()?;
    let here = handle.size_in_used() / elem.size() as u64;
    let mut axes = shape.iter().zip(strides.iter());
    let last = axes.try_fold(0_u64, |last, (size, stride)| {
        last.checked_add((size.saturating_sub(1) as u64).checked_mul(*stride as u64)?)
    });
    if shape.contains(&0) || last.is_some_and(|last| last < here) {
        return Ok(());
    }
    let message = format!("of shape {shape} with strides {strides} leads out of memory for {here} elements");
    Err(Error::new(ErrorKind::Shape, message))
}

#[cfg(all(test, feature = "wgpu"))]
mod tests {
    use super::*;
    use cubecl::device::WgpuDeviceKind;

    #[test]
    fn strides_that_lead_out_of_the_memory_are_refused() {
        let device =
            cubecl::Device::wgpu(WgpuDeviceKind::DefaultDevice).expect("a GPU, or what poses as one");
        let device = LentDevice::of(&device).expect("its driver works");
        let tensor = CubeTensor::empty(&Shape::new(&[2, 3]), DType::F32, device.0).expect("24 bytes");
        let lent = device.give_back(tensor);
        let run = |shape: &[usize], strides: &[usize]| {
            let (shape, strides) = (Shape::new(shape), Shape::new(strides));
            let args = vec![Value::Tensor(Lent { shape, strides, ..lent.clone() })];
            device.run(&tensor_op::catalogue::arith::NegFloat, args, &[true]).map(drop)
        };
        assert!(run(&[2, 3], &[3, 1]).is_ok() && run(&[3, 2], &[1, 3]).is_ok() && run(&[0], &[99]).is_ok());
        // These strides lead beyond the memory even after the allocator has rounded its size up.
        let error = run(&[2, 3], &[1 << 20, 1]).unwrap_err().to_string();
        assert!(error.starts_with("neg_float: ") && error.contains("leads out of memory"), "{error}");
        let error = run(&[2, 3], &[usize::MAX, 1]).unwrap_err().to_string();
        assert!(error.contains("leads out of memory"), "{error}");
        let error = run(&[6], &[1, 1]).unwrap_err().to_string();
        assert!(error.contains("has 1 sizes and 2 strides"), "{error}");
    }
}
