//! The object-safe form of [`Backend`]: devices are numbers, and tensors have no type. One bridge implements
//! it for every backend.

use super::expected::{self, Form, form};
use super::guard::Program;
use super::{Range, guard, recorded};
use crate::recording::{Recording, Step};
use crate::{
    Backend, DType, DTypeUsage, Draw, Error, ErrorKind, MemoryUse, Op, Result, Shape, TensorData, Value,
};
use std::any::Any;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use tensor_op_spec::ir::Scalar;
use tensor_op_spec::prim::{Fold, Prim};

/// A tensor of some backend.
pub(crate) trait ErasedTensor: Any + Debug + Send + Sync {
    /// Drops it without calling its backend. The last owner leaks what it holds.
    fn leak(self: Arc<Self>);
}

impl<T: Any + Debug + Send + Sync> ErasedTensor for T {
    fn leak(self: Arc<T>) {
        mem::forget(Arc::into_inner(self));
    }
}

/// An erased tensor. A clone allocates nothing. A tensor that one value alone holds is moved out of it, so
/// that the backend may reuse its storage.
pub(crate) type Erased = Arc<dyn ErasedTensor>;

/// The future of data on its way to the host.
pub(crate) type Downloading<T> = Pin<Box<dyn Future<Output = Result<T>> + Send>>;

/// [`Backend`] with its types erased. Tensors that are passed in must come from the same backend; others are
/// an `Err`.
#[allow(missing_docs, reason = "each method is the one of `Backend`")]
#[rustfmt::skip]
pub(crate) trait ErasedBackend: Send + Sync {
    fn device_count(&self) -> usize;
    fn open(&self, device: usize) -> Result<()>;
    fn dtype_usage(&self, device: usize, dtype: DType) -> DTypeUsage;
    fn ad_enabled(&self, device: usize) -> bool;
    fn sync(&self, device: usize) -> Result<()>;
    fn memory_cleanup(&self, device: usize);
    fn memory(&self, device: usize) -> Option<MemoryUse>;
    fn reset_peak_memory(&self, device: usize);
    fn persistent(&self, device: usize, task: &mut (dyn FnMut() + Send));
    fn begin_together(&self, device: usize);
    fn end_together(&self, device: usize);
    fn staging(&self, data: &mut [TensorData], device: usize);
    fn record(&self, device: usize, state: &[&Erased], inputs: &[&Erased], step: &mut Step<'_, Erased>) -> Result<Option<Box<dyn Recording<Erased>>>>;
    fn has_transport(&self, devices: &[usize]) -> bool;
    fn all_reduce_mean(&self, tensor: Erased, devices: &[usize], meet: &mut dyn FnMut() -> Result<()>) -> Result<Erased>;
    fn upload(&self, data: TensorData, device: usize) -> Result<Erased>;
    fn download(&self, tensor: Erased) -> Result<TensorData>;
    fn download_async(&self, tensor: Erased) -> Downloading<TensorData>;
    fn download_all(&self, tensors: Vec<Erased>) -> Result<Vec<TensorData>>;
    fn download_all_async(&self, tensors: Vec<Erased>) -> Downloading<Vec<TensorData>>;
    fn to_device(&self, tensor: Erased, device: usize) -> Result<Erased>;
    fn shape(&self, tensor: &dyn ErasedTensor) -> Shape;
    fn dtype(&self, tensor: &dyn ErasedTensor) -> DType;
    fn run(&self, op: &dyn Op, args: Vec<Value<Erased>>, wanted: &[bool]) -> Result<Vec<Option<Erased>>>;
    fn apply(&self, prim: Prim, args: Vec<Erased>) -> Result<Erased>;
    fn reduce(&self, fold: Fold, tensor: Erased, axes: &[usize]) -> Result<Erased>;
    fn matmul(&self, lhs: Erased, rhs: Erased) -> Result<Erased>;
    fn gather(&self, tensor: Erased, axis: usize, index: Erased) -> Result<Erased>;
    fn scatter_add(&self, source: Erased, axis: usize, index: Erased, size: usize) -> Result<Erased>;
    fn cast(&self, tensor: Erased, dtype: DType) -> Result<Erased>;
    fn reshape(&self, tensor: Erased, shape: Shape) -> Result<Erased>;
    fn permute(&self, tensor: Erased, axes: &[usize]) -> Result<Erased>;
    fn expand(&self, tensor: Erased, shape: Shape) -> Result<Erased>;
    fn slice(&self, tensor: Erased, ranges: &[Range]) -> Result<Erased>;
    fn slice_assign(&self, into: Erased, ranges: &[Range], source: Erased) -> Result<Erased>;
    fn cat(&self, tensors: Vec<Erased>, axis: usize) -> Result<Erased>;
    fn full(&self, shape: Shape, value: Scalar, dtype: DType, device: usize) -> Result<Erased>;
    fn random(&self, draw: &Draw, device: usize) -> Result<Erased>;
}

/// Implements [`ErasedBackend`] for any backend.
pub(crate) struct Bridge<B> {
    /// The name under which the backend is registered.
    name: String,
    backend: PhantomData<B>,
}

impl<B: Backend> Bridge<B> {
    pub(crate) fn new(name: &str) -> Bridge<B> {
        Bridge { name: name.to_string(), backend: PhantomData }
    }

    /// Calls a function of the backend, which its errors name.
    fn call<R>(&self, call: impl FnOnce() -> Result<R>) -> Result<R> {
        guard::call::<B, R>(&self.name, call)
    }

    /// Calls a function that makes a tensor.
    fn one(&self, call: impl FnOnce() -> Result<B::Tensor>) -> Result<Erased> {
        Ok(Arc::new(self.call(call)?))
    }

    /// Calls a function that makes a tensor of this form, which is checked.
    fn made(&self, form: Option<Form>, call: impl FnOnce() -> Result<B::Tensor>) -> Result<Erased> {
        self.one(|| guard::made::<B>(&self.name, form, call))
    }

    /// The form of a result. `None` if it need not be checked.
    fn form(&self, form: impl FnOnce() -> Option<Form>) -> Option<Form> {
        if B::CHECKS_ITSELF { None } else { guard::call_or(None, form) }
    }

    /// A future of the backend that may have failed before it began.
    fn later<T: Send + 'static>(
        &self,
        future: Result<impl Future<Output = Result<T>> + Send + 'static>,
    ) -> Downloading<T> {
        match future {
            Ok(future) => Box::pin(guard::polled::<B, T>(self.name.clone(), future)),
            Err(error) => Box::pin(std::future::ready(Err(error))),
        }
    }
}

/// The typed tensor, by value.
pub(super) fn open<B: Backend>(tensor: Erased) -> Result<B::Tensor> {
    let tensor: Arc<dyn Any + Send + Sync> = tensor;
    tensor.downcast::<B::Tensor>().map(Arc::unwrap_or_clone).map_err(|_| foreign())
}

fn open_all<B: Backend>(tensors: Vec<Erased>) -> Result<Vec<B::Tensor>> {
    tensors.into_iter().map(open::<B>).collect()
}

pub(super) fn peek<B: Backend>(tensor: &dyn ErasedTensor) -> &B::Tensor {
    let tensor: &dyn Any = tensor;
    tensor.downcast_ref().expect("a `DynTensor` holds a tensor of the backend that it names")
}

fn forms<B: Backend>(tensors: &[Erased]) -> Vec<Form> {
    tensors.iter().map(|tensor| form::<B>(&**tensor)).collect()
}

fn nth_devices<B: Backend>(devices: &[usize]) -> Result<Vec<B::Device>> {
    devices.iter().map(|device| B::nth_device(*device)).collect()
}

fn foreign() -> Error {
    Error::new(ErrorKind::Device, "a tensor of another backend was given; move it first")
}

#[rustfmt::skip]
impl<B: Backend> ErasedBackend for Bridge<B> {
    fn device_count(&self) -> usize {
        guard::call_or(0, B::device_count)
    }
    fn open(&self, device: usize) -> Result<()> {
        self.call(|| B::nth_device(device).map(drop))
    }
    fn dtype_usage(&self, device: usize, dtype: DType) -> DTypeUsage {
        let usage = |device: B::Device| B::dtype_usage(&device, dtype);
        guard::call_or(DTypeUsage::NONE, || B::nth_device(device).map_or(DTypeUsage::NONE, usage))
    }
    fn ad_enabled(&self, device: usize) -> bool {
        guard::call_or(false, || B::nth_device(device).is_ok_and(|device| B::ad_enabled(&device)))
    }
    fn sync(&self, device: usize) -> Result<()> {
        self.call(|| B::sync(&B::nth_device(device)?))
    }
    fn memory_cleanup(&self, device: usize) {
        guard::call_or((), || {
            if let Ok(device) = B::nth_device(device) {
                B::memory_cleanup(&device);
            }
        });
    }
    fn memory(&self, device: usize) -> Option<MemoryUse> {
        guard::call_or(None, || B::memory(&B::nth_device(device).ok()?))
    }
    fn reset_peak_memory(&self, device: usize) {
        guard::call_or((), || {
            if let Ok(device) = B::nth_device(device) {
                B::reset_peak_memory(&device);
            }
        });
    }
    fn persistent(&self, device: usize, task: &mut (dyn FnMut() + Send)) {
        let (mut program, mut has_run) = (Program::default(), false);
        guard::call_or((), || {
            if let Ok(device) = B::nth_device(device) {
                B::persistent(&device, &mut || { has_run = true; program.run(&mut *task) });
            }
        });
        program.resume();
        if !has_run {
            task();
        }
    }
    fn begin_together(&self, device: usize) {
        guard::call_or((), || {
            if let Ok(device) = B::nth_device(device) {
                B::begin_together(&device);
            }
        });
    }
    fn end_together(&self, device: usize) {
        guard::call_or((), || {
            if let Ok(device) = B::nth_device(device) {
                B::end_together(&device);
            }
        });
    }
    fn staging(&self, data: &mut [TensorData], device: usize) {
        guard::call_or((), || {
            if let Ok(device) = B::nth_device(device) {
                B::staging(data, &device);
            }
        });
    }
    fn record(&self, device: usize, state: &[&Erased], inputs: &[&Erased], step: &mut Step<'_, Erased>) -> Result<Option<Box<dyn Recording<Erased>>>> {
        recorded::record::<B>(&self.name, device, state, inputs, step)
    }
    fn has_transport(&self, devices: &[usize]) -> bool {
        guard::call_or(false, || nth_devices::<B>(devices).is_ok_and(|devices| B::has_transport(&devices)))
    }
    fn all_reduce_mean(&self, tensor: Erased, devices: &[usize], meet: &mut dyn FnMut() -> Result<()>) -> Result<Erased> {
        let form = self.form(|| Some(form::<B>(&*tensor)));
        let mean = guard::call_back::<B, _>(&self.name, |program| {
            let mut meet = || program.answer(&mut *meet);
            let mean = || B::all_reduce_mean(open::<B>(tensor)?, &nth_devices::<B>(devices)?, &mut meet);
            guard::made::<B>(&self.name, form, mean)
        });
        Ok(Arc::new(mean?))
    }
    fn upload(&self, data: TensorData, device: usize) -> Result<Erased> {
        self.one(|| guard::upload::<B>(&self.name, data, &B::nth_device(device)?))
    }
    fn download(&self, tensor: Erased) -> Result<TensorData> {
        self.call(|| guard::download::<B>(&self.name, open::<B>(tensor)?))
    }
    fn download_async(&self, tensor: Erased) -> Downloading<TensorData> {
        self.later(self.call(|| guard::download_async::<B>(&self.name, open::<B>(tensor)?)))
    }
    fn download_all(&self, tensors: Vec<Erased>) -> Result<Vec<TensorData>> {
        self.call(|| guard::download_all::<B>(&self.name, open_all::<B>(tensors)?))
    }
    fn download_all_async(&self, tensors: Vec<Erased>) -> Downloading<Vec<TensorData>> {
        self.later(self.call(|| guard::download_all_async::<B>(&self.name, open_all::<B>(tensors)?)))
    }
    fn to_device(&self, tensor: Erased, device: usize) -> Result<Erased> {
        let form = self.form(|| Some(form::<B>(&*tensor)));
        self.made(form, || B::to_device(open::<B>(tensor)?, &B::nth_device(device)?))
    }
    fn shape(&self, tensor: &dyn ErasedTensor) -> Shape {
        B::shape(peek::<B>(tensor))
    }
    fn dtype(&self, tensor: &dyn ErasedTensor) -> DType {
        B::dtype(peek::<B>(tensor))
    }
    fn run(&self, op: &dyn Op, args: Vec<Value<Erased>>, wanted: &[bool]) -> Result<Vec<Option<Erased>>> {
        let open = || args.into_iter().map(|arg| arg.try_map(open::<B>)).collect::<Result<Vec<_>>>();
        let results = guard::run::<B>(&self.name, op, self.call(open)?, wanted)?;
        Ok(results.into_iter().map(|result| result.map(|tensor| Arc::new(tensor) as Erased)).collect())
    }
    fn apply(&self, prim: Prim, args: Vec<Erased>) -> Result<Erased> {
        let form = self.form(|| expected::apply(prim, &forms::<B>(&args)));
        self.made(form, || B::apply(prim, open_all::<B>(args)?))
    }
    fn reduce(&self, fold: Fold, tensor: Erased, axes: &[usize]) -> Result<Erased> {
        let form = self.form(|| expected::reduce(fold, form::<B>(&*tensor), axes));
        self.made(form, || B::reduce(fold, open::<B>(tensor)?, axes))
    }
    fn matmul(&self, lhs: Erased, rhs: Erased) -> Result<Erased> {
        let form = self.form(|| expected::matmul(form::<B>(&*lhs), form::<B>(&*rhs)));
        self.made(form, || B::matmul(open::<B>(lhs)?, open::<B>(rhs)?))
    }
    fn gather(&self, tensor: Erased, axis: usize, index: Erased) -> Result<Erased> {
        let form = self.form(|| expected::gather(form::<B>(&*tensor), axis, form::<B>(&*index)));
        self.made(form, || B::gather(open::<B>(tensor)?, axis, open::<B>(index)?))
    }
    fn scatter_add(&self, source: Erased, axis: usize, index: Erased, size: usize) -> Result<Erased> {
        let form = self.form(|| expected::scatter_add(form::<B>(&*source), axis, form::<B>(&*index), size));
        self.made(form, || B::scatter_add(open::<B>(source)?, axis, open::<B>(index)?, size))
    }
    fn cast(&self, tensor: Erased, dtype: DType) -> Result<Erased> {
        let form = self.form(|| Some((form::<B>(&*tensor).0, dtype)));
        self.made(form, || B::cast(open::<B>(tensor)?, dtype))
    }
    fn reshape(&self, tensor: Erased, shape: Shape) -> Result<Erased> {
        let form = self.form(|| Some((shape.clone(), form::<B>(&*tensor).1)));
        self.made(form, || B::reshape(open::<B>(tensor)?, shape))
    }
    fn permute(&self, tensor: Erased, axes: &[usize]) -> Result<Erased> {
        let form = self.form(|| expected::permute(form::<B>(&*tensor), axes));
        self.made(form, || B::permute(open::<B>(tensor)?, axes))
    }
    fn expand(&self, tensor: Erased, shape: Shape) -> Result<Erased> {
        let form = self.form(|| Some((shape.clone(), form::<B>(&*tensor).1)));
        self.made(form, || B::expand(open::<B>(tensor)?, shape))
    }
    fn slice(&self, tensor: Erased, ranges: &[Range]) -> Result<Erased> {
        let form = self.form(|| expected::slice(form::<B>(&*tensor), ranges));
        self.made(form, || B::slice(open::<B>(tensor)?, ranges))
    }
    fn slice_assign(&self, into: Erased, ranges: &[Range], source: Erased) -> Result<Erased> {
        let form = self.form(|| Some(form::<B>(&*into)));
        self.made(form, || B::slice_assign(open::<B>(into)?, ranges, open::<B>(source)?))
    }
    fn cat(&self, tensors: Vec<Erased>, axis: usize) -> Result<Erased> {
        let form = self.form(|| expected::cat(&forms::<B>(&tensors), axis));
        self.made(form, || B::cat(open_all::<B>(tensors)?, axis))
    }
    fn full(&self, shape: Shape, value: Scalar, dtype: DType, device: usize) -> Result<Erased> {
        let form = self.form(|| Some((shape.clone(), dtype)));
        self.made(form, || B::full(shape, value, dtype, &B::nth_device(device)?))
    }
    fn random(&self, draw: &Draw, device: usize) -> Result<Erased> {
        let form = self.form(|| Some((draw.shape().clone(), draw.dtype())));
        self.made(form, || B::random(draw, &B::nth_device(device)?))
    }
}
