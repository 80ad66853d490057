//! The definition of a backend: storage, structural primitives, and `run`.

use crate::recording::{Recording, Step};
use crate::{DType, DTypeUsage, Draw, Error, ErrorKind, MemoryUse, Op, Result, Shape, TensorData};
use crate::{by_hand, composed, on_host};
use std::fmt::Debug;
use tensor_op_spec::ir::Scalar;
use tensor_op_spec::prim::{Fold, Prim};

/// An argument of an op, in declared order.
#[derive(Clone, Debug)]
pub enum Value<T> {
    /// A tensor.
    Tensor(T),
    /// A scalar. An `Axis` argument is an int, and an `Axes` argument is the code of [`Axes`](crate::Axes).
    Scalar(Scalar),
    /// Only the shape of a tensor. Some gradients need no more of an input.
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

/// A backend of tensor-op. It must have seven functions: its name and dtypes, data in and out, and what is
/// known of a tensor. Every declared op then works with its gradients.
///
/// - The **structural primitives**, [`Backend::apply`] and what follows it, by default take the data to the
///   host and compute there. A backend has its own for what its hardware does.
/// - Any op is a composition of these. A backend gets faster with kernels of its own: for single ops
///   (`#[kernel(Mine = path)]` and [`register_kernel`](crate::register_kernel)), or with a
///   [`Backend::run`] that runs all ops as fused kernels, through [`execute`](crate::execute).
///
/// A tensor that is passed by value may be reused for the result, if nobody else holds its storage. A
/// decorator such as autodiff wraps a backend and is a backend itself.
pub trait Backend: Clone + Debug + Send + Sync + 'static {
    /// Where a tensor lives.
    type Device: Clone + Debug + Default + PartialEq + Send + Sync + 'static;
    /// A tensor of any shape and dtype. Cloning shares storage.
    type Tensor: Clone + Debug + Send + Sync + 'static;

    /// Whether the backend itself makes sure of the shapes and dtypes that it returns. Of other backends the
    /// data that goes in and out and the results of ops are checked, so that a mistake is an error that names
    /// the backend.
    const CHECKS_ITSELF: bool = false;

    /// Name and kind of the device, as people read it: `cpu`.
    fn name(device: &Self::Device) -> String;
    /// What the device does with tensors of this dtype. Ops of halves compute in f32, so that a backend with
    /// f16 or bf16 needs f32; ops of ints compute in i64, so that one with ints needs i64. In floats other
    /// than f32, single functions may still be refused with an error of the kind
    /// [`ErrorKind::Unsupported`].
    fn dtype_usage(device: &Self::Device, dtype: DType) -> DTypeUsage;
    /// Moves data to the device. The data was checked: it has as many elements as the shape says.
    fn from_data(data: TensorData, device: &Self::Device) -> Result<Self::Tensor>;
    /// Moves a tensor's data to the host, row-major.
    fn into_data(tensor: Self::Tensor) -> Result<TensorData>;
    /// Shape of a tensor.
    fn shape(tensor: &Self::Tensor) -> Shape;
    /// Element type of a tensor.
    fn dtype(tensor: &Self::Tensor) -> DType;
    /// Device of a tensor.
    fn device(tensor: &Self::Tensor) -> Self::Device;

    /// Whether tensors of this dtype can be stored and computed with. It follows from
    /// [`Backend::dtype_usage`], which callers may ask instead: a backend writes that one alone.
    fn supports_dtype(device: &Self::Device, dtype: DType) -> bool {
        Self::dtype_usage(device, dtype).contains(DTypeUsage::GENERAL)
    }
    /// Number of devices. One by default.
    fn device_count() -> usize {
        1
    }
    /// The device with this number; the first is the default.
    fn nth_device(index: usize) -> Result<Self::Device> {
        if index == 0 {
            return Ok(Self::Device::default());
        }
        Err(Error::new(ErrorKind::Device, format!("there is no device {index}: there is only one, number 0")))
    }
    /// Whether gradients are recorded on the device.
    fn ad_enabled(device: &Self::Device) -> bool {
        let _ = device;
        false
    }
    /// Waits for all work that was started, and returns its error if it failed. If only the device has seen
    /// an index out of range, that is such an error, unless somebody has already got it. Reading a tensor
    /// that depends on the index returns the error in any case. By default there is nothing to wait for.
    fn sync(device: &Self::Device) -> Result<()> {
        let _ = device;
        Ok(())
    }
    /// Returns cached memory to the system. By default none is cached.
    fn memory_cleanup(device: &Self::Device) {
        let _ = device;
    }
    /// How much memory the tensors of the device take. `None` if the backend does not count it, as by
    /// default. [`Account`](crate::Account) counts.
    fn memory(device: &Self::Device) -> Option<MemoryUse> {
        let _ = device;
        None
    }
    /// Forgets the peak of [`Backend::memory`]: what is in use now is the new one.
    fn reset_peak_memory(device: &Self::Device) {
        let _ = device;
    }
    /// Runs a task whose tensors live long, such as the parameters of a model. A backend may give them memory
    /// of their own, which is not cut up for others. The task runs on the calling thread. By default it just
    /// runs.
    fn persistent(device: &Self::Device, task: &mut (dyn FnMut() + Send)) {
        let _ = device;
        task();
    }
    /// Says that the calls of this thread belong together from now on, until as many calls of
    /// [`Backend::end_together`]. A backend may put off what they launch, and launch what is alike at once,
    /// as long as nobody can see it. By default nothing is put off.
    fn begin_together(device: &Self::Device) {
        let _ = device;
    }
    /// Ends what [`Backend::begin_together`] has begun, and launches what was put off.
    fn end_together(device: &Self::Device) {
        let _ = device;
    }
    /// Prepares data for [`Backend::from_data`], such as by a copy in memory that the device reads directly,
    /// which [`TensorData::stage`] keeps beside the elements. The elements stay as they are. By default
    /// nothing is prepared.
    fn staging(data: &mut [TensorData], device: &Self::Device) {
        let _ = (data, device);
    }
    /// Records a step, so that it can be started again as a whole, without the host's work for each kernel.
    /// The state and the inputs are copied first, and the step runs on the copies, twice on GPUs. `None` if
    /// the device records nothing, as by default. An `Err` if the step does what can't be recorded, such as
    /// a read.
    #[allow(clippy::type_complexity, reason = "an optional object")]
    fn record(
        device: &Self::Device,
        state: &[Self::Tensor],
        inputs: &[Self::Tensor],
        step: &mut Step<'_, Self::Tensor>,
    ) -> Result<Option<Box<dyn Recording<Self::Tensor>>>> {
        let _ = (device, state, inputs, step);
        Ok(None)
    }
    /// Whether the backend has a transport between these devices, for [`Backend::all_reduce_mean`]. By
    /// default it has none.
    fn has_transport(devices: &[Self::Device]) -> bool {
        let _ = devices;
        false
    }
    /// The mean of the tensors that all these devices pass. They are alike, and each is passed by a thread of
    /// its own. Without a transport it is an `Err` of the kind [`ErrorKind::Unsupported`], as by default.
    ///
    /// `meet` waits for the other threads, and is an `Err` if one of them has ended. It is called when
    /// nothing is left to do that can fail on this thread alone: a thread that does not come to the transport
    /// lets the others wait for ever.
    fn all_reduce_mean(
        tensor: Self::Tensor,
        devices: &[Self::Device],
        meet: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Self::Tensor> {
        let _ = meet;
        let message = format!(
            "there is no transport from {} to {} devices",
            Self::name(&Self::device(&tensor)),
            devices.len()
        );
        Err(Error::new(ErrorKind::Unsupported, message))
    }
    /// Moves the data of several tensors to the host, in few transactions where the backend has such. They
    /// may lie on several devices.
    fn into_data_all(tensors: Vec<Self::Tensor>) -> Result<Vec<TensorData>> {
        tensors.into_iter().map(Self::into_data).collect()
    }
    /// Does the same as [`Backend::into_data_all`], for callers that must not block, as
    /// [`Backend::into_data_async`] does.
    fn into_data_all_async(
        tensors: Vec<Self::Tensor>,
    ) -> impl Future<Output = Result<Vec<TensorData>>> + Send {
        std::future::ready(Self::into_data_all(tensors))
    }
    /// Does the same as [`Backend::into_data`], for callers that must not block: the future waits for the
    /// device. It reads the tensor as of this call, whenever it is polled. By default the future is ready at
    /// once.
    fn into_data_async(tensor: Self::Tensor) -> impl Future<Output = Result<TensorData>> + Send {
        std::future::ready(Self::into_data(tensor))
    }
    /// Moves a tensor to another device of the backend.
    fn to_device(tensor: Self::Tensor, device: &Self::Device) -> Result<Self::Tensor> {
        if Self::device(&tensor) == *device {
            return Ok(tensor);
        }
        Self::from_data(Self::into_data(tensor)?, device)
    }

    /// Runs an op. `args` are in declared order. `wanted` says which outputs the caller needs, and only those
    /// are `Some`. By default the op runs as a kernel that was written for it and this backend, and otherwise
    /// as a composition.
    fn run(
        op: &dyn Op,
        args: Vec<Value<Self::Tensor>>,
        wanted: &[bool],
    ) -> Result<Vec<Option<Self::Tensor>>> {
        match by_hand::kernel::<Self>(op) {
            Some(kernel) => by_hand::run::<Self>(kernel, op, &args, wanted),
            None => composed::run::<Self>(op, args, wanted),
        }
    }

    /// An elementwise primitive over tensors of one shape. Random numbers are not asked for here: the
    /// composed run draws them on the host.
    fn apply(prim: Prim, args: Vec<Self::Tensor>) -> Result<Self::Tensor> {
        on_host::apply::<Self>(prim, args)
    }
    /// A reduction over axes, which are ascending and in range. They are removed from the shape. The result
    /// of argmax is i64.
    fn reduce(fold: Fold, tensor: Self::Tensor, axes: &[usize]) -> Result<Self::Tensor> {
        on_host::reduce::<Self>(fold, tensor, axes)
    }
    /// `[b, m, k]` times `[b, k, n]`, for floats.
    fn matmul(lhs: Self::Tensor, rhs: Self::Tensor) -> Result<Self::Tensor> {
        on_host::matmul::<Self>(lhs, rhs)
    }
    /// `out[p.., j, s..] = tensor[p.., index[p.., j, s..], s..]`, where `axis` is the indexed axis and all
    /// other sizes agree. The index has any int dtype. An index out of range is an `Err` of kind
    /// [`ErrorKind::Index`](crate::ErrorKind::Index). It comes from this call, or, if only the device sees
    /// it, from each [`Backend::into_data`] of a tensor that was computed from the result.
    fn gather(tensor: Self::Tensor, axis: usize, index: Self::Tensor) -> Result<Self::Tensor> {
        on_host::gather::<Self>(tensor, axis, index)
    }
    /// The adjoint of [`Backend::gather`] for an axis of this size. It is deterministic.
    fn scatter_add(
        source: Self::Tensor,
        axis: usize,
        index: Self::Tensor,
        size: usize,
    ) -> Result<Self::Tensor> {
        on_host::scatter_add::<Self>(source, axis, index, size)
    }
    /// Converts the element type. Float to int truncates and saturates, and NaN gives 0. To bool is `!= 0`.
    fn cast(tensor: Self::Tensor, dtype: DType) -> Result<Self::Tensor> {
        on_host::cast::<Self>(tensor, dtype)
    }
    /// The same elements, row-major, in another shape with as many elements.
    fn reshape(tensor: Self::Tensor, shape: Shape) -> Result<Self::Tensor> {
        on_host::reshape::<Self>(tensor, shape)
    }
    /// Reorders axes: axis `i` of the result is axis `axes[i]` of the tensor.
    fn permute(tensor: Self::Tensor, axes: &[usize]) -> Result<Self::Tensor> {
        on_host::permute::<Self>(tensor, axes)
    }
    /// Broadcasts axes of size 1. The rank stays the same.
    fn expand(tensor: Self::Tensor, shape: Shape) -> Result<Self::Tensor> {
        on_host::expand::<Self>(tensor, shape)
    }
    /// Takes from each axis the element `ranges[i].0` and then every `ranges[i].2`-th element before
    /// `ranges[i].1`. Ranges fit the shape, and steps are at least 1.
    fn slice(tensor: Self::Tensor, ranges: &[(usize, usize, usize)]) -> Result<Self::Tensor> {
        on_host::slice::<Self>(tensor, ranges)
    }
    /// A copy of `into`, with `source` written at `ranges`.
    fn slice_assign(
        into: Self::Tensor,
        ranges: &[(usize, usize, usize)],
        source: Self::Tensor,
    ) -> Result<Self::Tensor> {
        on_host::slice_assign::<Self>(into, ranges, source)
    }
    /// Joins tensors along an axis. There is at least one tensor, and all other sizes agree.
    fn cat(tensors: Vec<Self::Tensor>, axis: usize) -> Result<Self::Tensor> {
        on_host::cat::<Self>(tensors, axis)
    }
    /// A tensor whose elements all have one value.
    fn full(shape: Shape, value: Scalar, dtype: DType, device: &Self::Device) -> Result<Self::Tensor> {
        on_host::full::<Self>(shape, value, dtype, device)
    }
    /// Random elements. They depend on the draw alone, so other threads that draw have no effect. By default
    /// the host computes them.
    fn random(draw: &Draw, device: &Self::Device) -> Result<Self::Tensor> {
        Self::from_data(draw.to_data()?, device)
    }
}
