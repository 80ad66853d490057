//! What a backend is: storage, about fifteen structural primitives, and `run`.

use crate::composed;
use crate::{DType, Draw, Error, ErrorKind, Op, Result, Shape, TensorData};
use std::fmt::Debug;
use tensor_op_spec::ir::Scalar;
use tensor_op_spec::prim::{Fold, Prim};

/// An argument of an op, in declared order.
#[derive(Clone, Debug)]
pub enum Value<T> {
    /// A tensor.
    Tensor(T),
    /// A scalar; an `Axis` is an int.
    Scalar(Scalar),
    /// Only the shape of a tensor: all that some gradients need of an input.
    Shape(Shape),
}

impl<T> Value<T> {
    /// The same argument with its tensor converted.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Value<U> {
        match self {
            Value::Tensor(tensor) => Value::Tensor(f(tensor)),
            Value::Scalar(scalar) => Value::Scalar(scalar),
            Value::Shape(shape) => Value::Shape(shape),
        }
    }

    /// The same argument with its tensor converted, which may fail.
    pub fn try_map<U>(self, f: impl FnOnce(T) -> Result<U>) -> Result<Value<U>> {
        match self {
            Value::Tensor(tensor) => Ok(Value::Tensor(f(tensor)?)),
            Value::Scalar(scalar) => Ok(Value::Scalar(scalar)),
            Value::Shape(shape) => Ok(Value::Shape(shape)),
        }
    }

    /// The tensor, if the argument is one.
    pub fn into_tensor(self) -> Option<T> {
        match self {
            Value::Tensor(tensor) => Some(tensor),
            Value::Scalar(_) | Value::Shape(_) => None,
        }
    }

    /// The tensor, if the argument is one.
    pub fn tensor(&self) -> Option<&T> {
        match self {
            Value::Tensor(tensor) => Some(tensor),
            Value::Scalar(_) | Value::Shape(_) => None,
        }
    }
}

/// A backend of tensor-op. From storage and the structural primitives alone every declared op works,
/// composed; a backend gets faster by overriding [`Backend::run`] with the generated kernels. A decorator
/// such as autodiff wraps a backend and is one.
///
/// Tensors passed by value may be reused for the result when nobody else holds their storage.
pub trait Backend: Clone + Debug + Send + Sync + 'static {
    /// Where a tensor lives.
    type Device: Clone + Debug + Default + PartialEq + Send + Sync + 'static;
    /// A tensor of any shape and dtype. Cloning shares storage.
    type Tensor: Clone + Debug + Send + Sync + 'static;

    /// Name and kind of the device, for people: `cpu`.
    fn name(device: &Self::Device) -> String;
    /// Number of devices.
    fn device_count() -> usize;
    /// The device with this number; the first is the default.
    fn nth_device(index: usize) -> Result<Self::Device> {
        if index == 0 {
            return Ok(Self::Device::default());
        }
        Err(Error::new(ErrorKind::Device, format!("there is no device {index}: there is only one, number 0")))
    }
    /// Whether tensors of this dtype can be stored and computed with. Of other floats than f32, single
    /// functions may still be refused with an error of the kind [`ErrorKind::Unsupported`].
    fn supports_dtype(device: &Self::Device, dtype: DType) -> bool;
    /// Whether gradients are recorded on the device.
    fn ad_enabled(device: &Self::Device) -> bool {
        let _ = device;
        false
    }
    /// Waits for all work that was started, and gives its error if it failed. An index out of range that only
    /// the device has seen is one if nobody has got that error yet; who reads what depends on it gets it all
    /// the same.
    fn sync(device: &Self::Device) -> Result<()>;
    /// Gives cached memory back.
    fn memory_cleanup(device: &Self::Device);

    /// Moves data to the device. Data has been checked: as many elements as the shape says.
    fn from_data(data: TensorData, device: &Self::Device) -> Result<Self::Tensor>;
    /// Moves a tensor's data to the host, row-major.
    fn into_data(tensor: Self::Tensor) -> Result<TensorData>;
    /// As [`Backend::into_data`], for callers that must not block: the future waits for the device, and what
    /// was started before is read, whenever it is polled. By default it is ready at once.
    fn into_data_async(tensor: Self::Tensor) -> impl Future<Output = Result<TensorData>> + Send {
        std::future::ready(Self::into_data(tensor))
    }
    /// The tensor on another device of the backend.
    fn to_device(tensor: Self::Tensor, device: &Self::Device) -> Result<Self::Tensor> {
        if Self::device(&tensor) == *device {
            return Ok(tensor);
        }
        Self::from_data(Self::into_data(tensor)?, device)
    }
    /// Shape of a tensor.
    fn shape(tensor: &Self::Tensor) -> Shape;
    /// Element type of a tensor.
    fn dtype(tensor: &Self::Tensor) -> DType;
    /// Device of a tensor.
    fn device(tensor: &Self::Tensor) -> Self::Device;

    /// Runs an op. `args` are in declared order; `wanted` says which outputs the caller needs, and only those
    /// are `Some`.
    fn run(
        op: &dyn Op,
        args: Vec<Value<Self::Tensor>>,
        wanted: &[bool],
    ) -> Result<Vec<Option<Self::Tensor>>> {
        composed::run::<Self>(op, args, wanted)
    }

    /// An elementwise primitive over tensors of one shape.
    fn apply(prim: Prim, args: Vec<Self::Tensor>) -> Result<Self::Tensor>;
    /// A reduction over axes (ascending, in range), which leave the shape. The result of argmax is i64.
    fn reduce(fold: Fold, tensor: Self::Tensor, axes: &[usize]) -> Result<Self::Tensor>;
    /// `[b, m, k]` times `[b, k, n]`; float.
    fn matmul(lhs: Self::Tensor, rhs: Self::Tensor) -> Result<Self::Tensor>;
    /// `out[p.., j, s..] = tensor[p.., index[p.., j, s..], s..]`, where axis `axis` is indexed and all other
    /// sizes agree. The index is of any int dtype. One that is out of range is an `Err` of kind
    /// [`ErrorKind::Index`](crate::ErrorKind::Index): of this call, or, where only the device sees it, of
    /// each [`Backend::into_data`] of what was computed from the result.
    fn gather(tensor: Self::Tensor, axis: usize, index: Self::Tensor) -> Result<Self::Tensor>;
    /// The adjoint of [`Backend::gather`] for an axis of this size; deterministic.
    fn scatter_add(
        source: Self::Tensor,
        axis: usize,
        index: Self::Tensor,
        size: usize,
    ) -> Result<Self::Tensor>;
    /// Conversion of the element type. Float to int truncates and saturates, NaN gives 0; to bool is `!= 0`.
    fn cast(tensor: Self::Tensor, dtype: DType) -> Result<Self::Tensor>;
    /// The same elements, row-major, in another shape of the same size.
    fn reshape(tensor: Self::Tensor, shape: Shape) -> Result<Self::Tensor>;
    /// Axis `i` of the result is axis `axes[i]`.
    fn permute(tensor: Self::Tensor, axes: &[usize]) -> Result<Self::Tensor>;
    /// Broadcasts axes of size 1; the rank stays.
    fn expand(tensor: Self::Tensor, shape: Shape) -> Result<Self::Tensor>;
    /// Elements `ranges[i].0`, then each `ranges[i].2`-th, before `ranges[i].1` of each axis; in range, step
    /// at least 1.
    fn slice(tensor: Self::Tensor, ranges: &[(usize, usize, usize)]) -> Result<Self::Tensor>;
    /// A tensor like `into`, with `source` written at `ranges`.
    fn slice_assign(
        into: Self::Tensor,
        ranges: &[(usize, usize, usize)],
        source: Self::Tensor,
    ) -> Result<Self::Tensor>;
    /// Joined along an axis; at least one tensor, other sizes agree.
    fn cat(tensors: Vec<Self::Tensor>, axis: usize) -> Result<Self::Tensor>;
    /// All elements one value.
    fn full(shape: Shape, value: Scalar, dtype: DType, device: &Self::Device) -> Result<Self::Tensor>;
    /// Random elements. They depend on the draw alone, so that what other threads draw has no effect; by
    /// default the host computes them.
    fn random(draw: &Draw, device: &Self::Device) -> Result<Self::Tensor> {
        Self::from_data(draw.to_data()?, device)
    }
}
