//! The object-safe form of [`Backend`]: devices are numbers, and tensors are boxed. One bridge implements it
//! for every backend.

use super::{Range, guard, recorded};
use crate::recording::{Recording, Step};
use crate::{
    Backend, DType, DTypeUsage, Draw, Error, ErrorKind, MemoryUse, Op, Result, Shape, TensorData, Value,
};
use std::any::Any;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::pin::Pin;
use tensor_op_spec::ir::Scalar;
use tensor_op_spec::prim::{Fold, Prim};

/// A tensor of some backend.
pub(crate) trait ErasedTensor: Any + Debug + Send + Sync {
    /// Clones the tensor. The clone shares storage.
    fn clone_box(&self) -> Box<dyn ErasedTensor>;
}

impl<T: Any + Clone + Debug + Send + Sync> ErasedTensor for T {
    fn clone_box(&self) -> Box<dyn ErasedTensor> {
        Box::new(self.clone())
    }
}

/// An erased tensor.
pub(crate) type Boxed = Box<dyn ErasedTensor>;

impl Clone for Boxed {
    fn clone(&self) -> Boxed {
        (**self).clone_box()
    }
}

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
    fn record(&self, device: usize, state: &[&Boxed], inputs: &[&Boxed], step: &mut Step<'_, Boxed>) -> Result<Option<Box<dyn Recording<Boxed>>>>;
    fn has_transport(&self, devices: &[usize]) -> bool;
    fn all_reduce_mean(&self, tensor: Boxed, devices: &[usize], meet: &mut dyn FnMut() -> Result<()>) -> Result<Boxed>;
    fn upload(&self, data: TensorData, device: usize) -> Result<Boxed>;
    fn download(&self, tensor: Boxed) -> Result<TensorData>;
    fn download_async(&self, tensor: Boxed) -> Downloading<TensorData>;
    fn download_all(&self, tensors: Vec<Boxed>) -> Result<Vec<TensorData>>;
    fn download_all_async(&self, tensors: Vec<Boxed>) -> Downloading<Vec<TensorData>>;
    fn to_device(&self, tensor: Boxed, device: usize) -> Result<Boxed>;
    fn shape(&self, tensor: &dyn ErasedTensor) -> Shape;
    fn dtype(&self, tensor: &dyn ErasedTensor) -> DType;
    fn run(&self, op: &dyn Op, args: Vec<Value<Boxed>>, wanted: &[bool]) -> Result<Vec<Option<Boxed>>>;
    fn apply(&self, prim: Prim, args: Vec<Boxed>) -> Result<Boxed>;
    fn reduce(&self, fold: Fold, tensor: Boxed, axes: &[usize]) -> Result<Boxed>;
    fn matmul(&self, lhs: Boxed, rhs: Boxed) -> Result<Boxed>;
    fn gather(&self, tensor: Boxed, axis: usize, index: Boxed) -> Result<Boxed>;
    fn scatter_add(&self, source: Boxed, axis: usize, index: Boxed, size: usize) -> Result<Boxed>;
    fn cast(&self, tensor: Boxed, dtype: DType) -> Result<Boxed>;
    fn reshape(&self, tensor: Boxed, shape: Shape) -> Result<Boxed>;
    fn permute(&self, tensor: Boxed, axes: &[usize]) -> Result<Boxed>;
    fn expand(&self, tensor: Boxed, shape: Shape) -> Result<Boxed>;
    fn slice(&self, tensor: Boxed, ranges: &[Range]) -> Result<Boxed>;
    fn slice_assign(&self, into: Boxed, ranges: &[Range], source: Boxed) -> Result<Boxed>;
    fn cat(&self, tensors: Vec<Boxed>, axis: usize) -> Result<Boxed>;
    fn full(&self, shape: Shape, value: Scalar, dtype: DType, device: usize) -> Result<Boxed>;
    fn random(&self, draw: &Draw, device: usize) -> Result<Boxed>;
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

    /// Calls a primitive.
    fn one(&self, call: impl FnOnce() -> Result<B::Tensor>) -> Result<Boxed> {
        Ok(Box::new(guard::call(&self.name, call)?))
    }
}

/// The typed tensor, by value.
pub(super) fn open<B: Backend>(tensor: Boxed) -> Result<B::Tensor> {
    let tensor: Box<dyn Any> = tensor;
    tensor.downcast::<B::Tensor>().map(|tensor| *tensor).map_err(|_| foreign())
}

fn open_all<B: Backend>(tensors: Vec<Boxed>) -> Result<Vec<B::Tensor>> {
    tensors.into_iter().map(open::<B>).collect()
}

pub(super) fn peek<B: Backend>(tensor: &dyn ErasedTensor) -> &B::Tensor {
    let tensor: &dyn Any = tensor;
    tensor.downcast_ref().expect("a `DynTensor` holds a tensor of the backend that it names")
}

fn nth_devices<B: Backend>(devices: &[usize]) -> Result<Vec<B::Device>> {
    devices.iter().map(|device| B::nth_device(*device)).collect()
}

/// A future that may have failed before it began.
fn later<T: Send + 'static>(
    future: Result<impl Future<Output = Result<T>> + Send + 'static>,
) -> Downloading<T> {
    match future {
        Ok(future) => Box::pin(future),
        Err(error) => Box::pin(std::future::ready(Err(error))),
    }
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
        guard::call(&self.name, || B::nth_device(device).map(drop))
    }
    fn dtype_usage(&self, device: usize, dtype: DType) -> DTypeUsage {
        let usage = |device: B::Device| B::dtype_usage(&device, dtype);
        guard::call_or(DTypeUsage::NONE, || B::nth_device(device).map_or(DTypeUsage::NONE, usage))
    }
    fn ad_enabled(&self, device: usize) -> bool {
        guard::call_or(false, || B::nth_device(device).is_ok_and(|device| B::ad_enabled(&device)))
    }
    fn sync(&self, device: usize) -> Result<()> {
        guard::call(&self.name, || B::sync(&B::nth_device(device)?))
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
        guard::call_or((), || {
            if let Ok(device) = B::nth_device(device) {
                B::persistent(&device, task);
            }
        });
    }
    fn record(&self, device: usize, state: &[&Boxed], inputs: &[&Boxed], step: &mut Step<'_, Boxed>) -> Result<Option<Box<dyn Recording<Boxed>>>> {
        recorded::record::<B>(&self.name, device, state, inputs, step)
    }
    fn has_transport(&self, devices: &[usize]) -> bool {
        guard::call_or(false, || nth_devices::<B>(devices).is_ok_and(|devices| B::has_transport(&devices)))
    }
    fn all_reduce_mean(&self, tensor: Boxed, devices: &[usize], meet: &mut dyn FnMut() -> Result<()>) -> Result<Boxed> {
        self.one(|| B::all_reduce_mean(open::<B>(tensor)?, &nth_devices::<B>(devices)?, meet))
    }
    fn upload(&self, data: TensorData, device: usize) -> Result<Boxed> {
        self.one(|| guard::upload::<B>(&self.name, data, &B::nth_device(device)?))
    }
    fn download(&self, tensor: Boxed) -> Result<TensorData> {
        guard::call(&self.name, || guard::download::<B>(&self.name, open::<B>(tensor)?))
    }
    fn download_async(&self, tensor: Boxed) -> Downloading<TensorData> {
        later(guard::call(&self.name, || Ok(B::into_data_async(open::<B>(tensor)?))))
    }
    fn download_all(&self, tensors: Vec<Boxed>) -> Result<Vec<TensorData>> {
        guard::call(&self.name, || guard::download_all::<B>(&self.name, open_all::<B>(tensors)?))
    }
    fn download_all_async(&self, tensors: Vec<Boxed>) -> Downloading<Vec<TensorData>> {
        later(guard::call(&self.name, || guard::download_all_async::<B>(&self.name, open_all::<B>(tensors)?)))
    }
    fn to_device(&self, tensor: Boxed, device: usize) -> Result<Boxed> {
        self.one(|| B::to_device(open::<B>(tensor)?, &B::nth_device(device)?))
    }
    fn shape(&self, tensor: &dyn ErasedTensor) -> Shape {
        B::shape(peek::<B>(tensor))
    }
    fn dtype(&self, tensor: &dyn ErasedTensor) -> DType {
        B::dtype(peek::<B>(tensor))
    }
    fn run(&self, op: &dyn Op, args: Vec<Value<Boxed>>, wanted: &[bool]) -> Result<Vec<Option<Boxed>>> {
        let args = args.into_iter().map(|arg| arg.try_map(open::<B>)).collect::<Result<_>>()?;
        let results = guard::call(&self.name, || guard::run::<B>(&self.name, op, args, wanted))?;
        Ok(results.into_iter().map(|result| result.map(|tensor| Box::new(tensor) as Boxed)).collect())
    }
    fn apply(&self, prim: Prim, args: Vec<Boxed>) -> Result<Boxed> {
        self.one(|| B::apply(prim, open_all::<B>(args)?))
    }
    fn reduce(&self, fold: Fold, tensor: Boxed, axes: &[usize]) -> Result<Boxed> {
        self.one(|| B::reduce(fold, open::<B>(tensor)?, axes))
    }
    fn matmul(&self, lhs: Boxed, rhs: Boxed) -> Result<Boxed> {
        self.one(|| B::matmul(open::<B>(lhs)?, open::<B>(rhs)?))
    }
    fn gather(&self, tensor: Boxed, axis: usize, index: Boxed) -> Result<Boxed> {
        self.one(|| B::gather(open::<B>(tensor)?, axis, open::<B>(index)?))
    }
    fn scatter_add(&self, source: Boxed, axis: usize, index: Boxed, size: usize) -> Result<Boxed> {
        self.one(|| B::scatter_add(open::<B>(source)?, axis, open::<B>(index)?, size))
    }
    fn cast(&self, tensor: Boxed, dtype: DType) -> Result<Boxed> {
        self.one(|| guard::cast::<B>(&self.name, open::<B>(tensor)?, dtype))
    }
    fn reshape(&self, tensor: Boxed, shape: Shape) -> Result<Boxed> {
        self.one(|| B::reshape(open::<B>(tensor)?, shape))
    }
    fn permute(&self, tensor: Boxed, axes: &[usize]) -> Result<Boxed> {
        self.one(|| B::permute(open::<B>(tensor)?, axes))
    }
    fn expand(&self, tensor: Boxed, shape: Shape) -> Result<Boxed> {
        self.one(|| B::expand(open::<B>(tensor)?, shape))
    }
    fn slice(&self, tensor: Boxed, ranges: &[Range]) -> Result<Boxed> {
        self.one(|| B::slice(open::<B>(tensor)?, ranges))
    }
    fn slice_assign(&self, into: Boxed, ranges: &[Range], source: Boxed) -> Result<Boxed> {
        self.one(|| B::slice_assign(open::<B>(into)?, ranges, open::<B>(source)?))
    }
    fn cat(&self, tensors: Vec<Boxed>, axis: usize) -> Result<Boxed> {
        self.one(|| B::cat(open_all::<B>(tensors)?, axis))
    }
    fn full(&self, shape: Shape, value: Scalar, dtype: DType, device: usize) -> Result<Boxed> {
        self.one(|| B::full(shape, value, dtype, &B::nth_device(device)?))
    }
    fn random(&self, draw: &Draw, device: usize) -> Result<Boxed> {
        self.one(|| B::random(draw, &B::nth_device(device)?))
    }
}
