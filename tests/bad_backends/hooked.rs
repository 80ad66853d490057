//! A backend with two devices, and what uses each of its functions.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use tensor_op::backend::{
    Args, Backend, Draw, Fold, Prim, Recording, Scalar, Step, Value, composed, on_host, register_kernel,
};
use tensor_op::catalogue::nn::{Softmax, embedding};
use tensor_op::prelude::Tensor;
use tensor_op::{DType, DTypeUsage, Device, Error, ErrorKind, Op, Result, Shape, TensorData};
use tensor_op::{capture, distributed, register_backend};

/// A function of the trait that has a result, or what else a backend brings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Hook {
    NthDevice,
    Sync,
    Persistent,
    MemoryCleanup,
    Record,
    Replay,
    State,
    AllReduceMean,
    FromData,
    IntoData,
    IntoDataAsync,
    IntoDataAll,
    IntoDataAllAsync,
    ToDevice,
    Run,
    KernelByHand,
    Apply,
    Reduce,
    Matmul,
    Gather,
    ScatterAdd,
    Cast,
    Reshape,
    Permute,
    Expand,
    Slice,
    SliceAssign,
    Cat,
    Full,
    Random,
}

/// What the function does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Way {
    Fails,
    Panics,
    Blocks,
    /// It returns a tensor of another shape, or one more.
    ReturnsAnother,
    /// It calls the program back from another thread.
    RunsElsewhere,
}

/// How many such backends there are.
pub(crate) const COUNT: usize = 23;

static FAULTS: [Mutex<Option<(Hook, Way)>>; COUNT] = [const { Mutex::new(None) }; COUNT];

/// Whether a call blocks: then tensors of the first device can't be dropped either.
static IS_STUCK: [AtomicBool; COUNT] = [const { AtomicBool::new(false) }; COUNT];

/// The backend of this number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hooked<const N: usize>;

/// A tensor of it.
#[derive(Debug)]
pub(crate) struct Own<const N: usize> {
    data: TensorData,
    device: usize,
}

/// How many tensors each backend has.
static TENSORS: [AtomicUsize; COUNT] = [const { AtomicUsize::new(0) }; COUNT];

impl<const N: usize> Own<N> {
    fn new(data: TensorData, device: usize) -> Own<N> {
        TENSORS[N].fetch_add(1, Ordering::SeqCst);
        Own { data, device }
    }
}

impl<const N: usize> Clone for Own<N> {
    fn clone(&self) -> Own<N> {
        Own::new(self.data.clone(), self.device)
    }
}

impl<const N: usize> Drop for Own<N> {
    fn drop(&mut self) {
        TENSORS[N].fetch_sub(1, Ordering::SeqCst);
        while self.device == 0 && IS_STUCK[N].load(Ordering::SeqCst) {
            thread::park();
        }
    }
}

impl<const N: usize> Hooked<N> {
    /// Registers it, and gives its two devices.
    pub(crate) fn devices() -> [Device; 2] {
        register_backend::<Hooked<N>>(&Self::name(&0)).expect("a new name");
        register_kernel::<Hooked<N>>(&Softmax, |args: &Args<'_, Own<N>>| {
            Self::at(Hook::KernelByHand)?;
            Ok(vec![args.tensor("x")?.clone()])
        })
        .expect("it has a type");
        [0, 1].map(|index| Device::new(&format!("hooked-{N}:{index}").replace(":0", "")).expect("registered"))
    }

    /// From now on this function has this fault.
    pub(crate) fn break_in(fault: Option<(Hook, Way)>) {
        *FAULTS[N].lock().unwrap_or_else(PoisonError::into_inner) = fault;
        IS_STUCK[N].store(false, Ordering::SeqCst);
    }

    /// New calls work again. Tensors of the first device still can't be dropped if a call blocks.
    pub(crate) fn mend() {
        *FAULTS[N].lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn at(hook: Hook) -> Result<()> {
        match Self::way(hook) {
            None | Some(Way::ReturnsAnother | Way::RunsElsewhere) => Ok(()),
            Some(Way::Fails) => Err(Error::new(ErrorKind::Shape, "a driver says no")),
            Some(Way::Panics) => panic!("a driver is gone"),
            Some(Way::Blocks) => {
                IS_STUCK[N].store(true, Ordering::SeqCst);
                loop {
                    thread::park();
                }
            }
        }
    }

    fn way(hook: Hook) -> Option<Way> {
        let fault = *FAULTS[N].lock().unwrap_or_else(PoisonError::into_inner);
        fault.filter(|(own, _)| *own == hook).map(|(_, way)| way)
    }

    /// A function that makes a tensor.
    fn made(hook: Hook, make: impl FnOnce() -> Result<Own<N>>) -> Result<Own<N>> {
        Self::at(hook)?;
        let tensor = make()?;
        if Self::way(hook) != Some(Way::ReturnsAnother) {
            return Ok(tensor);
        }
        let elements = tensor.data.elements() + 1;
        let another = TensorData::new(vec![1.0; elements], [elements])?.cast(tensor.data.dtype());
        Ok(Own::new(another, tensor.device))
    }

    /// A function that makes several tensors.
    fn several(hook: Hook, tensors: &[Own<N>]) -> Vec<Own<N>> {
        let another = if Self::way(hook) == Some(Way::ReturnsAnother) { tensors } else { &[] };
        [tensors, another].concat()
    }

    /// How many of its tensors there are.
    pub(crate) fn tensors() -> usize {
        TENSORS[N].load(Ordering::SeqCst)
    }
}

/// A recording that does nothing.
struct Recorded<const N: usize>(Vec<Own<N>>);

impl<const N: usize> Recording<Own<N>> for Recorded<N> {
    fn replay(&mut self, inputs: &[Own<N>]) -> Result<Vec<Own<N>>> {
        Hooked::<N>::at(Hook::Replay)?;
        Ok(Hooked::<N>::several(Hook::Replay, inputs))
    }
    fn state(&self) -> Result<Vec<Own<N>>> {
        Hooked::<N>::at(Hook::State)?;
        Ok(Hooked::<N>::several(Hook::State, &self.0))
    }
}

impl<const N: usize> Backend for Hooked<N> {
    type Device = usize;
    type Tensor = Own<N>;

    fn name(_: &usize) -> String {
        format!("hooked-{N}")
    }
    fn dtype_usage(_: &usize, _: DType) -> DTypeUsage {
        DTypeUsage::GENERAL
    }
    fn from_data(data: TensorData, device: &usize) -> Result<Own<N>> {
        Self::made(Hook::FromData, || Ok(Own::new(data, *device)))
    }
    fn into_data(tensor: Own<N>) -> Result<TensorData> {
        Self::at(Hook::IntoData)?;
        Ok(tensor.data.clone())
    }
    fn shape(tensor: &Own<N>) -> Shape {
        tensor.data.shape().clone()
    }
    fn dtype(tensor: &Own<N>) -> DType {
        tensor.data.dtype()
    }
    fn device(tensor: &Own<N>) -> usize {
        tensor.device
    }
    fn device_count() -> usize {
        2
    }
    fn nth_device(index: usize) -> Result<usize> {
        Self::at(Hook::NthDevice)?;
        Ok(index)
    }
    fn sync(_: &usize) -> Result<()> {
        Self::at(Hook::Sync)
    }
    fn memory_cleanup(_: &usize) {
        Self::at(Hook::MemoryCleanup).unwrap_or_default();
    }
    fn persistent(_: &usize, task: &mut (dyn FnMut() + Send)) {
        Self::at(Hook::Persistent).unwrap_or_default();
        match Self::way(Hook::Persistent) {
            Some(Way::RunsElsewhere) => thread::scope(|scope| drop(scope.spawn(task))),
            Some(Way::Fails | Way::Panics | Way::Blocks | Way::ReturnsAnother) | None => task(),
        }
    }
    fn record(
        _: &usize,
        state: &[Own<N>],
        inputs: &[Own<N>],
        step: &mut Step<'_, Own<N>>,
    ) -> Result<Option<Box<dyn Recording<Own<N>>>>> {
        Self::at(Hook::Record)?;
        Ok(Some(Box::new(Recorded(step(state, inputs)?.0))))
    }
    fn has_transport(_: &[usize]) -> bool {
        true
    }
    fn all_reduce_mean(tensor: Own<N>, _: &[usize], meet: &mut dyn FnMut() -> Result<()>) -> Result<Own<N>> {
        Self::made(Hook::AllReduceMean, || meet().map(|()| tensor))
    }
    fn into_data_all(tensors: Vec<Own<N>>) -> Result<Vec<TensorData>> {
        Self::at(Hook::IntoDataAll)?;
        tensors.into_iter().map(Self::into_data).collect()
    }
    async fn into_data_all_async(tensors: Vec<Own<N>>) -> Result<Vec<TensorData>> {
        Self::at(Hook::IntoDataAllAsync)?;
        tensors.into_iter().map(Self::into_data).collect()
    }
    async fn into_data_async(tensor: Own<N>) -> Result<TensorData> {
        Self::at(Hook::IntoDataAsync)?;
        Self::into_data(tensor)
    }
    fn to_device(tensor: Own<N>, device: &usize) -> Result<Own<N>> {
        Self::made(Hook::ToDevice, || Ok(Own::new(tensor.data.clone(), *device)))
    }
    fn run(op: &dyn Op, args: Vec<Value<Own<N>>>, wanted: &[bool]) -> Result<Vec<Option<Own<N>>>> {
        Self::at(Hook::Run)?;
        match tensor_op::backend::by_hand::kernel::<Self>(op) {
            Some(kernel) => tensor_op::backend::by_hand::run::<Self>(kernel, op, &args, wanted),
            None => composed::run::<Self>(op, args, wanted),
        }
    }
    fn apply(prim: Prim, args: Vec<Own<N>>) -> Result<Own<N>> {
        Self::made(Hook::Apply, || on_host::apply::<Self>(prim, args))
    }
    fn reduce(fold: Fold, tensor: Own<N>, axes: &[usize]) -> Result<Own<N>> {
        Self::made(Hook::Reduce, || on_host::reduce::<Self>(fold, tensor, axes))
    }
    fn matmul(lhs: Own<N>, rhs: Own<N>) -> Result<Own<N>> {
        Self::made(Hook::Matmul, || on_host::matmul::<Self>(lhs, rhs))
    }
    fn gather(tensor: Own<N>, axis: usize, index: Own<N>) -> Result<Own<N>> {
        Self::made(Hook::Gather, || on_host::gather::<Self>(tensor, axis, index))
    }
    fn scatter_add(source: Own<N>, axis: usize, index: Own<N>, size: usize) -> Result<Own<N>> {
        Self::made(Hook::ScatterAdd, || on_host::scatter_add::<Self>(source, axis, index, size))
    }
    fn cast(tensor: Own<N>, dtype: DType) -> Result<Own<N>> {
        Self::made(Hook::Cast, || on_host::cast::<Self>(tensor, dtype))
    }
    fn reshape(tensor: Own<N>, shape: Shape) -> Result<Own<N>> {
        Self::made(Hook::Reshape, || on_host::reshape::<Self>(tensor, shape))
    }
    fn permute(tensor: Own<N>, axes: &[usize]) -> Result<Own<N>> {
        Self::made(Hook::Permute, || on_host::permute::<Self>(tensor, axes))
    }
    fn expand(tensor: Own<N>, shape: Shape) -> Result<Own<N>> {
        Self::made(Hook::Expand, || on_host::expand::<Self>(tensor, shape))
    }
    fn slice(tensor: Own<N>, ranges: &[(usize, usize, usize)]) -> Result<Own<N>> {
        Self::made(Hook::Slice, || on_host::slice::<Self>(tensor, ranges))
    }
    fn slice_assign(into: Own<N>, ranges: &[(usize, usize, usize)], source: Own<N>) -> Result<Own<N>> {
        Self::made(Hook::SliceAssign, || on_host::slice_assign::<Self>(into, ranges, source))
    }
    fn cat(tensors: Vec<Own<N>>, axis: usize) -> Result<Own<N>> {
        Self::made(Hook::Cat, || on_host::cat::<Self>(tensors, axis))
    }
    fn full(shape: Shape, value: Scalar, dtype: DType, device: &usize) -> Result<Own<N>> {
        Self::made(Hook::Full, || on_host::full::<Self>(shape, value, dtype, device))
    }
    fn random(draw: &Draw, device: &usize) -> Result<Own<N>> {
        Self::made(Hook::Random, || Self::from_data(draw.to_data()?, device))
    }
}

/// Uses a function through the facade. `x` is `[[1, 2], [3, 4]]` on the first device.
pub(crate) fn use_of(hook: Hook, x: &Tensor, other: &Device) -> Result<()> {
    let device = x.device();
    let turned = |state: &[Tensor], inputs: &[Tensor]| Ok((inputs.to_vec(), state.to_vec()));
    let own = [x.clone()];
    let rows = || Tensor::from([0_i64, 1]).to(&device);
    match hook {
        Hook::NthDevice => Device::new(&device.name()).map(drop),
        Hook::Sync => device.sync(),
        Hook::Persistent => {
            assert_eq!(device.persistent(|| 7), 7);
            device.sync()
        }
        Hook::MemoryCleanup => {
            device.memory_cleanup();
            device.sync()
        }
        Hook::Record => capture(&own, &own, turned).map(drop),
        Hook::Replay => capture(&own, &own, turned)?.replay(&own).map(drop),
        Hook::State => capture(&own, &own, turned)?.state().map(drop),
        Hook::AllReduceMean => {
            let mean = |member: &distributed::Member| {
                member.all_reduce_mean(&Tensor::ones([2], DType::F32, &member.device())?)
            };
            distributed::run(&[device, *other], mean).map(drop)
        }
        Hook::FromData => Tensor::from_data(TensorData::new(vec![1.0], [1])?, &device).map(drop),
        Hook::IntoData => x.to_data().map(drop),
        Hook::IntoDataAsync => pollster::block_on(x.to_data_async()).map(drop),
        Hook::IntoDataAll => Tensor::to_data_all(&[x, x]).map(drop),
        Hook::IntoDataAllAsync => pollster::block_on(Tensor::to_data_all_async(&[x, x])).map(drop),
        Hook::ToDevice => x.to(other).map(drop),
        Hook::Run | Hook::Apply => x.exp().map(drop),
        Hook::KernelByHand => x.softmax(-1).map(drop),
        Hook::Reduce => x.sum(..).map(drop),
        Hook::Matmul => x.matmul(x).map(drop),
        Hook::Gather => embedding(x, rows()?).map(drop),
        Hook::ScatterAdd => embedding(x.clone().require_grad(), rows()?)?.sum(..)?.backward().map(drop),
        Hook::Cast => x.cast(DType::F32).map(drop),
        Hook::Reshape => x.reshape([4]).map(drop),
        Hook::Permute => x.permute([1, 0]).map(drop),
        Hook::Expand => x.unsqueeze(0)?.broadcast_to([3, 2, 2]).map(drop),
        Hook::Slice => x.slice(0, 0..1).map(drop),
        Hook::SliceAssign => x.clone().slice_assign(0..1, x.slice(0, 1..2)?).map(drop),
        Hook::Cat => Tensor::cat(&[x, x], 0).map(drop),
        Hook::Full => Tensor::zeros([2], DType::F32, &device).map(drop),
        Hook::Random => Tensor::uniform([2], 0.0, 1.0, DType::F32, &device).map(drop),
    }
}
