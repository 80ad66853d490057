//! The backend `Dynamic`, whose device is a value. Its tensors hold a tensor of any registered backend.
//!
//! A [`DynTensor`] holds the typed tensor in an [`Arc`]. So its clones allocate nothing, and a tensor that is
//! passed by value keeps its storage unshared and reusable. An op costs one virtual call, and one allocation
//! for each result.

mod erased;
mod expected;
mod far;
pub(crate) mod guard;
mod held;
mod recorded;
mod watch;
mod watched;
mod worker;

pub(crate) use erased::{Bridge, ErasedBackend};
pub use watch::is_waited_for;
pub(crate) use watched::Watched;

use crate::device::Entry;
use crate::recording::{Recording, Step};
use crate::{
    Backend, DType, DTypeUsage, Device, Draw, Error, ErrorKind, MemoryUse, Op, Result, Shape, TensorData,
    Value,
};
use erased::{Erased, open};
use std::any::TypeId;
use std::sync::Arc;
use std::{fmt, ptr};
use tensor_op_spec::ir::Scalar;
use tensor_op_spec::prim::{Fold, Prim};

#[cfg(test)]
mod tests;

/// The backend that runs each op on the backend of its tensors' device.
#[derive(Clone, Copy, Debug)]
pub struct Dynamic;

/// A tensor on any registered backend. Cloning shares storage.
#[derive(Clone)]
pub struct DynTensor {
    entry: &'static Entry,
    index: usize,
    /// `None` while the tensor is taken apart.
    inner: Option<Erased>,
}

impl DynTensor {
    /// Wraps a tensor of a registered backend.
    pub fn from_primitive<B: Backend>(tensor: B::Tensor) -> Result<DynTensor> {
        let device = Device::of_backend::<B>(&B::device(&tensor))?;
        Ok(DynTensor { entry: device.entry()?, index: device.index(), inner: Some(Arc::new(tensor)) })
    }

    /// The tensor inside, for its backend; an `Err` if it belongs to another backend.
    pub fn try_into_primitive<B: Backend>(self) -> Result<B::Tensor> {
        if self.entry.backend_type == TypeId::of::<B>() {
            return open::<B>(self.into_inner());
        }
        let message = format!("the tensor is on {}, which is another backend; move it first", self.device());
        Err(Error::new(ErrorKind::Device, message))
    }

    /// The device of the tensor.
    pub fn device(&self) -> Device {
        Device::of(self.entry, self.index)
    }

    fn is_beside(&self, other: &DynTensor) -> bool {
        ptr::eq(self.entry, other.entry) && self.index == other.index
    }

    /// A result on the same device.
    fn beside(entry: &'static Entry, index: usize, inner: Erased) -> DynTensor {
        DynTensor { entry, index, inner: Some(inner) }
    }

    /// The backend, as it is called for the device of the tensor.
    fn backend(&self) -> &'static dyn ErasedBackend {
        self.entry.backend(self.index)
    }

    fn inner(&self) -> &Erased {
        self.inner.as_ref().expect("only `into_inner` takes it, with the whole tensor")
    }

    fn into_inner(mut self) -> Erased {
        self.inner.take().expect("only `into_inner` takes it, with the whole tensor")
    }
}

/// What lies on a lost device is leaked, since its backend could block here too.
impl Drop for DynTensor {
    fn drop(&mut self) {
        if self.entry.is_lost(self.index)
            && let Some(inner) = self.inner.take()
        {
            inner.leak();
        }
    }
}

impl fmt::Debug for DynTensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DynTensor({}, {:?})", self.device(), self.inner())
    }
}

/// Checks that all tensors are on one device.
fn same_device<'t>(tensors: impl IntoIterator<Item = &'t DynTensor>) -> Result<()> {
    let mut tensors = tensors.into_iter();
    let Some(first) = tensors.next() else { return Ok(()) };
    match tensors.find(|tensor| !tensor.is_beside(first)) {
        None => Ok(()),
        Some(other) => {
            let message =
                format!("tensors are on {} and {}; move one of them", first.device(), other.device());
            Err(Error::new(ErrorKind::Device, message))
        }
    }
}

/// Calls the tensor's backend with one tensor.
fn one(
    tensor: DynTensor,
    call: impl FnOnce(&dyn ErasedBackend, Erased) -> Result<Erased>,
) -> Result<DynTensor> {
    let (entry, index) = (tensor.entry, tensor.index);
    Ok(DynTensor::beside(entry, index, call(tensor.backend(), tensor.into_inner())?))
}

/// Calls the backend with two tensors, which must be on one device.
fn two(
    a: DynTensor,
    b: DynTensor,
    call: impl FnOnce(&dyn ErasedBackend, Erased, Erased) -> Result<Erased>,
) -> Result<DynTensor> {
    same_device([&a, &b])?;
    one(a, |backend, inner| call(backend, inner, b.into_inner()))
}

/// Calls the backend with at least one tensor. All of them must be on one device.
fn many(
    tensors: Vec<DynTensor>,
    call: impl FnOnce(&dyn ErasedBackend, Vec<Erased>) -> Result<Erased>,
) -> Result<DynTensor> {
    same_device(&tensors)?;
    let Some(first) = tensors.first() else {
        return Err(Error::new(ErrorKind::Length, "at least one tensor is wanted, but none was given"));
    };
    let (entry, index, backend) = (first.entry, first.index, first.backend());
    let inner = tensors.into_iter().map(DynTensor::into_inner).collect();
    Ok(DynTensor::beside(entry, index, call(backend, inner)?))
}

/// Makes a tensor on a device.
fn make(
    device: &Device,
    call: impl FnOnce(&dyn ErasedBackend, usize) -> Result<Erased>,
) -> Result<DynTensor> {
    let (entry, index) = (device.entry()?, device.index());
    Ok(DynTensor::beside(entry, index, call(entry.backend(index), index)?))
}

/// Tensors that one call reads.
type Group = (&'static dyn ErasedBackend, Vec<Erased>);

/// The tensors of each backend, and for each tensor the number of its group. A device with a time limit has
/// a group of its own.
fn by_backend(tensors: Vec<DynTensor>) -> (Vec<Group>, Vec<usize>) {
    let mut groups: Vec<Group> = Vec::new();
    let mut order = Vec::with_capacity(tensors.len());
    for tensor in tensors {
        let backend = tensor.backend();
        let known = groups.iter().position(|(other, _)| ptr::addr_eq(*other, backend));
        let group = known.unwrap_or(groups.len());
        if known.is_none() {
            groups.push((backend, Vec::new()));
        }
        groups[group].1.push(tensor.into_inner());
        order.push(group);
    }
    (groups, order)
}

/// What was read for each backend, in the order of the tensors.
fn in_order(found: Vec<Vec<TensorData>>, order: &[usize]) -> Vec<TensorData> {
    let mut found: Vec<_> = found.into_iter().map(Vec::into_iter).collect();
    order.iter().filter_map(|group| found[*group].next()).collect()
}

/// A range of a slice.
type Range = (usize, usize, usize);

impl Backend for Dynamic {
    type Device = Device;
    type Tensor = DynTensor;

    fn name(device: &Device) -> String {
        device.name()
    }
    fn device_count() -> usize {
        Device::all().len()
    }
    fn nth_device(index: usize) -> Result<Device> {
        let devices = Device::all();
        devices.get(index).copied().ok_or_else(|| {
            Error::new(
                ErrorKind::Device,
                format!("there is no device {index}: {} are registered", devices.len()),
            )
        })
    }
    fn dtype_usage(device: &Device, dtype: DType) -> DTypeUsage {
        device.entry().map_or(DTypeUsage::NONE, |entry| {
            entry.backend(device.index()).dtype_usage(device.index(), dtype)
        })
    }
    fn ad_enabled(device: &Device) -> bool {
        device.entry().is_ok_and(|entry| entry.backend(device.index()).ad_enabled(device.index()))
    }
    fn sync(device: &Device) -> Result<()> {
        device.entry()?.backend(device.index()).sync(device.index())
    }
    fn memory_cleanup(device: &Device) {
        if let Ok(entry) = device.entry() {
            entry.backend(device.index()).memory_cleanup(device.index());
        }
    }
    fn memory(device: &Device) -> Option<MemoryUse> {
        device.entry().ok()?.backend(device.index()).memory(device.index())
    }
    fn reset_peak_memory(device: &Device) {
        if let Ok(entry) = device.entry() {
            entry.backend(device.index()).reset_peak_memory(device.index());
        }
    }
    fn persistent(device: &Device, task: &mut (dyn FnMut() + Send)) {
        match device.entry() {
            Ok(entry) => entry.backend(device.index()).persistent(device.index(), task),
            Err(_) => task(),
        }
    }
    fn begin_together(device: &Device) {
        if let Ok(entry) = device.entry() {
            entry.backend(device.index()).begin_together(device.index());
        }
    }
    fn end_together(device: &Device) {
        if let Ok(entry) = device.entry() {
            entry.backend(device.index()).end_together(device.index());
        }
    }
    fn staging(data: &mut [TensorData], device: &Device) {
        if let Ok(entry) = device.entry() {
            entry.backend(device.index()).staging(data, device.index());
        }
    }

    fn record(
        device: &Device,
        state: &[DynTensor],
        inputs: &[DynTensor],
        step: &mut Step<'_, DynTensor>,
    ) -> Result<Option<Box<dyn Recording<DynTensor>>>> {
        recorded::record_on(device, state, inputs, step)
    }

    /// Only between devices of one backend, each of which is there once.
    fn has_transport(devices: &[Device]) -> bool {
        let Some(first) = devices.first() else { return false };
        let Ok(entry) = first.entry() else { return false };
        let is_own = |device: &Device| device.entry().is_ok_and(|other| ptr::eq(other, entry));
        let is_once = |at: usize| !devices[..at].contains(&devices[at]);
        devices.iter().all(is_own)
            && (0..devices.len()).all(is_once)
            && entry
                .backend(first.index())
                .has_transport(&devices.iter().map(Device::index).collect::<Vec<_>>())
    }
    fn all_reduce_mean(
        tensor: DynTensor,
        devices: &[Device],
        meet: &mut dyn FnMut() -> Result<()>,
    ) -> Result<DynTensor> {
        let indices: Vec<usize> = devices.iter().map(Device::index).collect();
        one(tensor, |backend, tensor| backend.all_reduce_mean(tensor, &indices, meet))
    }

    fn from_data(data: TensorData, device: &Device) -> Result<DynTensor> {
        make(device, |backend, index| backend.upload(data, index))
    }
    fn into_data(tensor: DynTensor) -> Result<TensorData> {
        tensor.backend().download(tensor.into_inner())
    }
    fn into_data_async(tensor: DynTensor) -> impl Future<Output = Result<TensorData>> + Send {
        tensor.backend().download_async(tensor.into_inner())
    }
    /// One transaction for each backend.
    fn into_data_all(tensors: Vec<DynTensor>) -> Result<Vec<TensorData>> {
        let (groups, order) = by_backend(tensors);
        let read = |(backend, inner): Group| backend.download_all(inner);
        // All are read before one fails: what lies on a lost device must not be dropped here.
        let found: Vec<Result<Vec<TensorData>>> = groups.into_iter().map(read).collect();
        Ok(in_order(found.into_iter().collect::<Result<_>>()?, &order))
    }
    fn into_data_all_async(tensors: Vec<DynTensor>) -> impl Future<Output = Result<Vec<TensorData>>> + Send {
        let (groups, order) = by_backend(tensors);
        let start = |(backend, inner): Group| backend.download_all_async(inner);
        let reads: Vec<_> = groups.into_iter().map(start).collect();
        async move {
            let mut found = Vec::with_capacity(reads.len());
            for read in reads {
                found.push(read.await?);
            }
            Ok(in_order(found, &order))
        }
    }
    /// Between its own devices a backend moves the tensor itself; otherwise the tensor goes through the host,
    /// also to and from a device with a time limit.
    fn to_device(tensor: DynTensor, device: &Device) -> Result<DynTensor> {
        let backend = device.entry()?.backend(device.index());
        if !ptr::addr_eq(backend, tensor.backend()) {
            return Dynamic::from_data(Dynamic::into_data(tensor)?, device);
        }
        make(device, |backend, index| backend.to_device(tensor.into_inner(), index))
    }
    fn shape(tensor: &DynTensor) -> Shape {
        tensor.backend().shape(&**tensor.inner())
    }
    fn dtype(tensor: &DynTensor) -> DType {
        tensor.backend().dtype(&**tensor.inner())
    }
    fn device(tensor: &DynTensor) -> Device {
        tensor.device()
    }

    fn run(op: &dyn Op, args: Vec<Value<DynTensor>>, wanted: &[bool]) -> Result<Vec<Option<DynTensor>>> {
        let device = crate::composed::common_device::<Dynamic>(op.spec().graph(), &args)?.unwrap_or_default();
        let (entry, index) = (device.entry()?, device.index());
        let inner = args.into_iter().map(|arg| arg.map(DynTensor::into_inner)).collect();
        let results = entry.backend(index).run(op, inner, wanted)?;
        Ok(results.into_iter().map(|r| r.map(|inner| DynTensor::beside(entry, index, inner))).collect())
    }

    fn apply(prim: Prim, args: Vec<DynTensor>) -> Result<DynTensor> {
        many(args, |backend, args| backend.apply(prim, args))
    }
    fn reduce(fold: Fold, tensor: DynTensor, axes: &[usize]) -> Result<DynTensor> {
        one(tensor, |backend, tensor| backend.reduce(fold, tensor, axes))
    }
    fn matmul(lhs: DynTensor, rhs: DynTensor) -> Result<DynTensor> {
        two(lhs, rhs, |backend, lhs, rhs| backend.matmul(lhs, rhs))
    }
    fn gather(tensor: DynTensor, axis: usize, index: DynTensor) -> Result<DynTensor> {
        two(tensor, index, |backend, tensor, index| backend.gather(tensor, axis, index))
    }
    fn scatter_add(source: DynTensor, axis: usize, index: DynTensor, size: usize) -> Result<DynTensor> {
        two(source, index, |backend, source, index| backend.scatter_add(source, axis, index, size))
    }
    fn cast(tensor: DynTensor, dtype: DType) -> Result<DynTensor> {
        one(tensor, |backend, tensor| backend.cast(tensor, dtype))
    }
    fn reshape(tensor: DynTensor, shape: Shape) -> Result<DynTensor> {
        one(tensor, |backend, tensor| backend.reshape(tensor, shape))
    }
    fn permute(tensor: DynTensor, axes: &[usize]) -> Result<DynTensor> {
        one(tensor, |backend, tensor| backend.permute(tensor, axes))
    }
    fn expand(tensor: DynTensor, shape: Shape) -> Result<DynTensor> {
        one(tensor, |backend, tensor| backend.expand(tensor, shape))
    }
    fn slice(tensor: DynTensor, ranges: &[Range]) -> Result<DynTensor> {
        one(tensor, |backend, tensor| backend.slice(tensor, ranges))
    }
    fn slice_assign(into: DynTensor, ranges: &[Range], source: DynTensor) -> Result<DynTensor> {
        two(into, source, |backend, into, source| backend.slice_assign(into, ranges, source))
    }
    fn cat(tensors: Vec<DynTensor>, axis: usize) -> Result<DynTensor> {
        many(tensors, |backend, tensors| backend.cat(tensors, axis))
    }
    fn full(shape: Shape, value: Scalar, dtype: DType, device: &Device) -> Result<DynTensor> {
        make(device, |backend, index| backend.full(shape, value, dtype, index))
    }
    fn random(draw: &Draw, device: &Device) -> Result<DynTensor> {
        make(device, |backend, index| backend.random(draw, index))
    }
}
