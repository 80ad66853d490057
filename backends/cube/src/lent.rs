//! Tensors that another library has on a device of the same CubeCL: ops run on its memory, on its client, without a copy.

use crate::device::{Opened, failed_to_open, open};
use crate::kernel;
use crate::layout::Layout;
use crate::tensor::CubeTensor;
use cubecl::ir::ElemType;
use cubecl::server::Handle;
use std::sync::{Mutex, PoisonError};
use tensor_op_core::{DType, Error, ErrorKind, Op, Result, Shape, Value};

/// Where a tensor of another library lies: a stride per axis, in elements, from the start of the handle.
#[derive(Clone, Debug)]
pub struct Lent {
    /// The memory.
    pub handle: Handle,
    /// Sizes.
    pub shape: Shape,
    /// Strides.
    pub strides: Shape,
    /// What the elements are to an op.
    pub dtype: DType,
    /// What they are in memory.
    pub elem: ElemType,
}

/// A device of another library, opened for ops.
#[derive(Clone, Copy, Debug)]
pub struct LentDevice(&'static Opened);

impl LentDevice {
    /// Opens the device, once.
    ///
    /// # Errors
    /// A driver that refuses.
    pub fn of(device: &cubecl::Device) -> Result<LentDevice> {
        static OPENED: Mutex<Vec<(cubecl::Device, &'static Opened)>> = Mutex::new(Vec::new());
        let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = opened.iter().find(|(known, _)| known == device) {
            return Ok(LentDevice(found));
        }
        let found: &'static Opened =
            Box::leak(Box::new(open(device, opened.len()).map_err(|why| failed_to_open(&why))?));
        opened.push((device.clone(), found));
        Ok(LentDevice(found))
    }

    /// The type in memory of the results of ops that have this dtype; an `Err` if the device has none.
    pub fn elem(self, dtype: DType) -> Result<ElemType> {
        self.0.elem(dtype)
    }

    /// Runs an op. Memory that nobody else holds may be taken for a result.
    ///
    /// # Errors
    /// As any op; and elements that lie in memory otherwise than ops keep them on this device.
    pub fn run(self, op: &dyn Op, args: Vec<Value<Lent>>, wanted: &[bool]) -> Result<Vec<Option<Lent>>> {
        let spec = op.spec();
        let graph = spec.graph();
        let take = |(at, arg): (usize, Value<Lent>)| {
            arg.try_map(|lent| self.take(lent)).map_err(|error| match graph.args.get(at) {
                Some(arg) => error.with_arg(&arg.name).with_op(&graph.name),
                None => error,
            })
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
        Ok(CubeTensor { handle, layout: Layout { shape, strides, offset: 0 }, dtype, device: self.0 })
    }

    fn give_back(self, tensor: CubeTensor) -> Lent {
        let elem = tensor.elem();
        let CubeTensor { handle, layout: Layout { shape, strides, offset }, dtype, .. } = tensor;
        let handle = if offset == 0 { handle } else { handle.offset_start((offset * elem.size()) as u64) };
        Lent { handle, shape, strides, dtype, elem }
    }
}
