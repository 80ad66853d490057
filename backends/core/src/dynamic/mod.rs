//! The backend `Dynamic`, whose device is a value. Its tensors hold a tensor of any registered backend.
//!
//! A [`DynTensor`] holds the typed tensor in an [`Arc`]. So its clones allocate nothing, and a tensor that is
//! passed by value keeps its storage unshared and reusable. An op costs one virtual call, and one allocation
//! for each result.

mod erased;
pub(crate) mod guard;
mod recorded;

pub(crate) use erased::{Bridge, ErasedBackend};

use crate::device::Entry;
use crate::recording::{Recording, Step};
use crate::{
    Backend, DType, DTypeUsage, Device, Draw, Error, ErrorKind, MemoryUse, Op, Result, Shape, TensorData,
    Value,
};
use erased::{Erased, open};
use std::any::TypeId;
use std::fmt;
use std::sync::Arc;
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
    inner: Erased,
}

impl DynTensor {
    /// Wraps a tensor of a registered backend.
    pub fn from_primitive<B: Backend>(tensor: B::Tensor) -> Result<DynTensor> {
        let device = Device::of_backend::<B>(&B::device(&tensor))?;
        Ok(DynTensor { entry: device.entry()?, index: device.index(), inner: Arc::new(tensor) })
    }

    /// The tensor inside, for its backend; an `Err` if it belongs to another backend.
    pub fn try_into_primitive<B: Backend>(self) -> Result<B::Tensor> {
        if self.entry.backend_type == TypeId::of::<B>() {
            return open::<B>(self.inner);
        }
        let message = format!("the tensor is on {}, which is another backend; move it first", self.device());
        Err(Error::new(ErrorKind::Device, message))
    }

    /// The device of the tensor.
    pub fn device(&self) -> Device {
        Device::of(self.entry, self.index)
    }

    fn is_beside(&self, other: &DynTensor) -> bool {
        std::ptr::eq(self.entry, other.entry) && self.index == other.index
    }

    /// A result on the same device.
    fn beside(entry: &'static Entry, index: usize, inner: Erased) -> DynTensor {
        DynTensor { entry, index, inner }
    }
}

impl fmt::Debug for DynTensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DynTensor({}, {:?})", self.device(), self.inner)
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
    let DynTensor { entry, index, inner } = tensor;
    Ok(DynTensor::beside(entry, index, call(&*entry.backend, inner)?))
}

/// Calls the backend with two tensors, which must be on one device.
fn two(
    a: DynTensor,
    b: DynTensor,
    call: impl FnOnce(&dyn ErasedBackend, Erased, Erased) -> Result<Erased>,
) -> Result<DynTensor> {
    same_device([&a, &b])?;
    one(a, |backend, inner| call(backend, inner, b.inner))
}

/// Calls the backend with at least one tensor. All of them must be on one device.
fn many(
    tensors: Vec<DynTensor>,
    call: impl FnOnce(&dyn ErasedBackend, Vec<Erased>) -> Result<Erased>,
) -> Result<DynTensor> {
    same_device(&tensors)?;
    let Some(DynTensor { entry, index, .. }) = tensors.first() else {
        return Err(Error::new(ErrorKind::Length, "at least one tensor is wanted, but none was given"));
    };
    let (entry, index) = (*entry, *index);
    let inner = tensors.into_iter().map(|tensor| tensor.inner).collect();
    Ok(DynTensor::beside(entry, index, call(&*entry.backend, inner)?))
}

/// Makes a tensor on a device.
fn make(
    device: &Device,
    call: impl FnOnce(&dyn ErasedBackend, usize) -> Result<Erased>,
) -> Result<DynTensor> {
    let (entry, index) = (device.entry()?, device.index());
    Ok(DynTensor::beside(entry, index, call(&*entry.backend, index)?))
}

/// The tensors of each backend, and for each tensor the number of its backend.
#[allow(clippy::type_complexity, reason = "two lists")]
fn by_backend(tensors: Vec<DynTensor>) -> (Vec<(&'static Entry, Vec<Erased>)>, Vec<usize>) {
    let mut groups: Vec<(&'static Entry, Vec<Erased>)> = Vec::new();
    let mut order = Vec::with_capacity(tensors.len());
    for tensor in tensors {
        let known = groups.iter().position(|(entry, _)| std::ptr::eq(*entry, tensor.entry));
        let group = known.unwrap_or(groups.len());
        if known.is_none() {
            groups.push((tensor.entry, Vec::new()));
        }
        groups[group].1.push(tensor.inner);
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
        device.entry().map_or(DTypeUsage::NONE, |entry| entry.backend.dtype_usage(device.index(), dtype))
    }
    fn ad_enabled(device: &Device) -> bool {
        device.entry().is_ok_and(|entry| entry.backend.ad_enabled(device.index()))
    }
    fn sync(device: &Device) -> Result<()> {
        device.entry()?.backend.sync(device.index())
    }
    fn memory_cleanup(device: &Device) {
        if let Ok(entry) = device.entry() {
            entry.backend.memory_cleanup(device.index());
        }
    }
    fn memory(device: &Device) -> Option<MemoryUse> {
        device.entry().ok()?.backend.memory(device.index())
    }
    fn reset_peak_memory(device: &Device) {
        if let Ok(entry) = device.entry() {
            entry.backend.reset_peak_memory(device.index());
        }
    }
    fn persistent(device: &Device, task: &mut (dyn FnMut() + Send)) {
        match device.entry() {
            Ok(entry) => entry.backend.persistent(device.index(), task),
            Err(_) => task(),
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
        let Some(Ok(entry)) = devices.first().map(Device::entry) else { return false };
        let is_own = |device: &Device| device.entry().is_ok_and(|other| std::ptr::eq(other, entry));
        let is_once = |at: usize| !devices[..at].contains(&devices[at]);
        devices.iter().all(is_own)
            && (0..devices.len()).all(is_once)
            && entry.backend.has_transport(&devices.iter().map(Device::index).collect::<Vec<_>>())
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
        tensor.entry.backend.download(tensor.inner)
    }
    fn into_data_async(tensor: DynTensor) -> impl Future<Output = Result<TensorData>> + Send {
        tensor.entry.backend.download_async(tensor.inner)
    }
    /// One transaction for each backend.
    fn into_data_all(tensors: Vec<DynTensor>) -> Result<Vec<TensorData>> {
        let (groups, order) = by_backend(tensors);
        let read = |(entry, inner): (&'static Entry, Vec<_>)| entry.backend.download_all(inner);
        Ok(in_order(groups.into_iter().map(read).collect::<Result<_>>()?, &order))
    }
    fn into_data_all_async(tensors: Vec<DynTensor>) -> impl Future<Output = Result<Vec<TensorData>>> + Send {
        let (groups, order) = by_backend(tensors);
        let start = |(entry, inner): (&'static Entry, Vec<_>)| entry.backend.download_all_async(inner);
        let reads: Vec<_> = groups.into_iter().map(start).collect();
        async move {
            let mut found = Vec::with_capacity(reads.len());
            for read in reads {
                found.push(read.await?);
            }
            Ok(in_order(found, &order))
        }
    }
    /// Between its own devices a backend moves the tensor itself; otherwise the tensor goes through the host.
    fn to_device(tensor: DynTensor, device: &Device) -> Result<DynTensor> {
        let entry = device.entry()?;
        if !std::ptr::eq(entry, tensor.entry) {
            return Dynamic::from_data(Dynamic::into_data(tensor)?, device);
        }
        make(device, |backend, index| backend.to_device(tensor.inner, index))
    }
    fn shape(tensor: &DynTensor) -> Shape {
        tensor.entry.backend.shape(&*tensor.inner)
    }
    fn dtype(tensor: &DynTensor) -> DType {
        tensor.entry.backend.dtype(&*tensor.inner)
    }
    fn device(tensor: &DynTensor) -> Device {
        tensor.device()
    }

    fn run(op: &dyn Op, args: Vec<Value<DynTensor>>, wanted: &[bool]) -> Result<Vec<Option<DynTensor>>> {
        let device = crate::composed::common_device::<Dynamic>(op.spec().graph(), &args)?.unwrap_or_default();
        let (entry, index) = (device.entry()?, device.index());
        let inner = args.into_iter().map(|arg| arg.map(|tensor| tensor.inner)).collect();
        let results = entry.backend.run(op, inner, wanted)?;
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
