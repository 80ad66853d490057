//! The CPU backend with a meter: bytes that are alive, their peak, and which ops ran. Counts are those of the
//! test's thread.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;
use tensor_op_core::{Backend, DType, DTypeUsage, Draw, Op, Result, Shape, TensorData, Value};
use tensor_op_ndarray::{CpuDevice, NdArray, NdArrayTensor};
use tensor_op_spec::ir::Scalar;
use tensor_op_spec::prim::{Fold, Prim};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Metered;

#[derive(Clone, Debug)]
pub(crate) struct Tensor {
    inner: NdArrayTensor,
    storage: Arc<Storage>,
}

/// Memory that views share.
#[derive(Debug)]
struct Storage {
    bytes: usize,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Meter {
    pub(crate) alive: usize,
    pub(crate) peak: usize,
    /// Calls by the name of the op.
    pub(crate) runs: BTreeMap<String, usize>,
    /// Of each call: which results it was asked for, and their bytes.
    pub(crate) asked: Vec<(String, Vec<bool>, usize)>,
}

thread_local! {
    static METER: RefCell<Meter> = RefCell::default();
    static SILENT: Cell<Option<&'static str>> = Cell::default();
}

/// From now on the op of this name gives no results: a backend that is wrong.
pub(crate) fn silence(op: &'static str) {
    SILENT.set(Some(op));
}

/// What was counted since the last time, with the peak from here on.
pub(crate) fn read() -> Meter {
    METER.with_borrow_mut(|meter| {
        let read = meter.clone();
        (meter.peak, meter.runs, meter.asked) = (meter.alive, BTreeMap::new(), Vec::new());
        read
    })
}

/// Tells tensors that share memory.
pub(crate) fn storage(tensor: &Tensor) -> usize {
    Arc::as_ptr(&tensor.storage).addr()
}

impl Drop for Storage {
    fn drop(&mut self) {
        METER.with_borrow_mut(|meter| meter.alive -= self.bytes);
    }
}

fn new(inner: NdArrayTensor) -> Tensor {
    let bytes = NdArray::shape(&inner).iter().product::<usize>() * NdArray::dtype(&inner).size();
    METER.with_borrow_mut(|meter| {
        meter.alive += bytes;
        meter.peak = meter.peak.max(meter.alive);
    });
    Tensor { inner, storage: Arc::new(Storage { bytes }) }
}

fn view(tensor: Tensor, inner: impl FnOnce(NdArrayTensor) -> Result<NdArrayTensor>) -> Result<Tensor> {
    Ok(Tensor { inner: inner(tensor.inner)?, storage: tensor.storage })
}

/// The arguments stay alive until the result is there.
fn compute(
    tensors: &[Tensor],
    run: impl FnOnce(Vec<NdArrayTensor>) -> Result<NdArrayTensor>,
) -> Result<Tensor> {
    run(tensors.iter().map(|tensor| tensor.inner.clone()).collect()).map(new)
}

impl Backend for Metered {
    type Device = CpuDevice;
    type Tensor = Tensor;

    fn name(device: &CpuDevice) -> String {
        NdArray::name(device)
    }
    fn device_count() -> usize {
        1
    }
    fn dtype_usage(device: &CpuDevice, dtype: DType) -> DTypeUsage {
        NdArray::dtype_usage(device, dtype)
    }
    fn sync(device: &CpuDevice) -> Result<()> {
        NdArray::sync(device)
    }
    fn memory_cleanup(device: &CpuDevice) {
        NdArray::memory_cleanup(device);
    }
    fn from_data(data: TensorData, device: &CpuDevice) -> Result<Tensor> {
        NdArray::from_data(data, device).map(new)
    }
    fn into_data(tensor: Tensor) -> Result<TensorData> {
        NdArray::into_data(tensor.inner)
    }
    fn shape(tensor: &Tensor) -> Shape {
        NdArray::shape(&tensor.inner)
    }
    fn dtype(tensor: &Tensor) -> DType {
        NdArray::dtype(&tensor.inner)
    }
    fn device(tensor: &Tensor) -> CpuDevice {
        NdArray::device(&tensor.inner)
    }
    fn run(op: &dyn Op, args: Vec<Value<Tensor>>, wanted: &[bool]) -> Result<Vec<Option<Tensor>>> {
        METER.with_borrow_mut(|meter| *meter.runs.entry(op.spec().name().to_string()).or_default() += 1);
        if SILENT.get() == Some(op.spec().name()) {
            return Ok(vec![]);
        }
        let inner = args.iter().map(|arg| arg.clone().map(|tensor| tensor.inner)).collect();
        let results = NdArray::run(op, inner, wanted)?;
        let bytes = |tensor: &NdArrayTensor| tensor.shape().iter().product::<usize>() * tensor.dtype().size();
        let written = results.iter().flatten().map(bytes).sum();
        METER.with_borrow_mut(|meter| {
            meter.asked.push((op.spec().name().to_string(), wanted.to_vec(), written))
        });
        Ok(results.into_iter().map(|result| result.map(new)).collect())
    }
    fn apply(prim: Prim, args: Vec<Tensor>) -> Result<Tensor> {
        compute(&args, |args| NdArray::apply(prim, args))
    }
    fn reduce(fold: Fold, tensor: Tensor, axes: &[usize]) -> Result<Tensor> {
        compute(&[tensor], |mut args| NdArray::reduce(fold, args.remove(0), axes))
    }
    fn matmul(lhs: Tensor, rhs: Tensor) -> Result<Tensor> {
        compute(&[lhs, rhs], |mut args| NdArray::matmul(args.remove(0), args.remove(0)))
    }
    fn gather(tensor: Tensor, axis: usize, index: Tensor) -> Result<Tensor> {
        compute(&[tensor, index], |mut args| NdArray::gather(args.remove(0), axis, args.remove(0)))
    }
    fn scatter_add(source: Tensor, axis: usize, index: Tensor, size: usize) -> Result<Tensor> {
        compute(&[source, index], |mut args| NdArray::scatter_add(args.remove(0), axis, args.remove(0), size))
    }
    fn cast(tensor: Tensor, dtype: DType) -> Result<Tensor> {
        compute(&[tensor], |mut args| NdArray::cast(args.remove(0), dtype))
    }
    fn reshape(tensor: Tensor, shape: Shape) -> Result<Tensor> {
        view(tensor, |tensor| NdArray::reshape(tensor, shape))
    }
    fn permute(tensor: Tensor, axes: &[usize]) -> Result<Tensor> {
        view(tensor, |tensor| NdArray::permute(tensor, axes))
    }
    fn expand(tensor: Tensor, shape: Shape) -> Result<Tensor> {
        view(tensor, |tensor| NdArray::expand(tensor, shape))
    }
    fn slice(tensor: Tensor, ranges: &[(usize, usize, usize)]) -> Result<Tensor> {
        view(tensor, |tensor| NdArray::slice(tensor, ranges))
    }
    fn slice_assign(into: Tensor, ranges: &[(usize, usize, usize)], source: Tensor) -> Result<Tensor> {
        compute(&[into, source], |mut args| NdArray::slice_assign(args.remove(0), ranges, args.remove(0)))
    }
    fn cat(tensors: Vec<Tensor>, axis: usize) -> Result<Tensor> {
        compute(&tensors, |tensors| NdArray::cat(tensors, axis))
    }
    fn full(shape: Shape, value: Scalar, dtype: DType, device: &CpuDevice) -> Result<Tensor> {
        NdArray::full(shape, value, dtype, device).map(new)
    }
    fn random(draw: &Draw, device: &CpuDevice) -> Result<Tensor> {
        NdArray::random(draw, device).map(new)
    }
}
