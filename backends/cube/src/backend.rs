//! The GPU as a [`Backend`], one type per runtime.

use crate::fault::Doubts;
use crate::kernel::{self, whole};
use crate::primitive;
use crate::random;
use crate::recording;
use crate::runtime::{CubeDevice, Runtime};
use crate::tensor::CubeTensor;
use crate::upload;
use cubecl::MemoryScope;
use cubecl::future::block_on;
use std::marker::PhantomData;
use tensor_op_core::recording::{Recording, Step};
use tensor_op_core::{
    Backend, DType, DTypeUsage, Draw, Error, ErrorKind, MemoryUse, Op, Result, Shape, TensorData, Value,
    by_hand,
};
use tensor_op_spec::ir::Scalar;
use tensor_op_spec::prim::{Fold, Prim};

/// The backend of a runtime: `Cube<Wgpu>`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cube<R>(PhantomData<R>);

/// What a kernel for the GPUs of all runtimes is offered for.
#[derive(Clone, Copy, Debug)]
pub struct AnyGpu;

impl<R: Runtime> Cube<R> {
    fn device_of(tensors: &[&CubeTensor]) -> Result<()> {
        let Some((first, rest)) = tensors.split_first() else { return Ok(()) };
        if rest.iter().all(|tensor| std::ptr::eq(tensor.device, first.device)) {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Device, "tensors lie on two devices; move one with `to`"))
    }

    /// The doubts of values that are computed from these tensors. All of them are on one device.
    fn doubts_of(tensors: &[&CubeTensor]) -> Result<Doubts> {
        Self::device_of(tensors)?;
        Doubts::all(tensors.iter().map(|tensor| &tensor.doubts))
    }
}

impl<R: Runtime> Backend for Cube<R> {
    type Device = CubeDevice<R>;
    type Tensor = CubeTensor;

    /// The executor does.
    const CHECKS_ITSELF: bool = true;

    fn name(device: &CubeDevice<R>) -> String {
        device.opened().map_or_else(|_| R::NAME.to_string(), |opened| opened.name().to_string())
    }
    fn device_count() -> usize {
        R::devices().len()
    }
    fn nth_device(index: usize) -> Result<CubeDevice<R>> {
        let device = CubeDevice::new(index);
        device.opened()?;
        Ok(device)
    }
    fn dtype_usage(device: &CubeDevice<R>, dtype: DType) -> DTypeUsage {
        // The device may lack functions of f64, such as `exp`. Each of these is refused when it is used.
        device.opened().map_or(DTypeUsage::NONE, |opened| opened.usage(dtype))
    }
    fn sync(device: &CubeDevice<R>) -> Result<()> {
        let opened = device.opened()?;
        opened.sync()
    }
    fn memory_cleanup(device: &CubeDevice<R>) {
        if let Ok(opened) = device.opened() {
            // Memory that can't be freed now is freed later.
            let _ = opened.client().memory_cleanup();
        }
    }
    fn memory(device: &CubeDevice<R>) -> Option<MemoryUse> {
        let opened = device.opened().ok()?;
        let reserved = opened.client().memory_report(MemoryScope::Device).usage().bytes_reserved;
        Some(opened.account.with_kept(reserved.saturating_sub(opened.account.in_use())))
    }
    fn reset_peak_memory(device: &CubeDevice<R>) {
        if let Ok(opened) = device.opened() {
            opened.account.reset_peak();
        }
    }
    fn persistent(device: &CubeDevice<R>, task: &mut (dyn FnMut() + Send)) {
        match device.opened() {
            Ok(opened) => opened.client().memory_persistent_allocation((), |()| task()),
            Err(_) => task(),
        }
    }
    fn begin_together(device: &CubeDevice<R>) {
        if let Ok(opened) = device.opened() {
            opened.begin_together();
        }
    }
    fn end_together(device: &CubeDevice<R>) {
        if let Ok(opened) = device.opened() {
            opened.end_together();
        }
    }
    fn staging(data: &mut [TensorData], device: &CubeDevice<R>) {
        if let Ok(opened) = device.opened() {
            upload::stage(data, opened);
        }
    }

    fn record(
        device: &CubeDevice<R>,
        state: &[CubeTensor],
        inputs: &[CubeTensor],
        step: &mut Step<'_, CubeTensor>,
    ) -> Result<Option<Box<dyn Recording<CubeTensor>>>> {
        recording::record(device.opened()?, state, inputs, step)
    }

    fn has_transport(devices: &[CubeDevice<R>]) -> bool {
        devices
            .iter()
            .all(|device| device.opened().is_ok_and(|opened| opened.client().has_device_transport()))
    }
    fn all_reduce_mean(
        tensor: CubeTensor,
        devices: &[CubeDevice<R>],
        meet: &mut dyn FnMut() -> Result<()>,
    ) -> Result<CubeTensor> {
        if !Self::has_transport(devices) {
            let message = format!("{} has no transport between its devices", tensor.device.name());
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        let opened = devices.iter().map(CubeDevice::opened).collect::<Result<Vec<_>>>()?;
        block_on(tensor.doubts.check())?;
        primitive::all_reduce_mean(tensor, &opened, meet)
    }

    fn from_data(data: TensorData, device: &CubeDevice<R>) -> Result<CubeTensor> {
        CubeTensor::from_data(&data, device.opened()?)
    }
    fn into_data(tensor: CubeTensor) -> Result<TensorData> {
        block_on(primitive::into_data(tensor))
    }
    fn into_data_async(tensor: CubeTensor) -> impl Future<Output = Result<TensorData>> + Send {
        primitive::into_data(tensor)
    }
    fn into_data_all(tensors: Vec<CubeTensor>) -> Result<Vec<TensorData>> {
        block_on(Self::into_data_all_async(tensors))
    }
    fn into_data_all_async(tensors: Vec<CubeTensor>) -> impl Future<Output = Result<Vec<TensorData>>> + Send {
        primitive::into_data_all(tensors)
    }
    fn shape(tensor: &CubeTensor) -> Shape {
        tensor.shape().clone()
    }
    fn dtype(tensor: &CubeTensor) -> DType {
        tensor.dtype
    }
    fn device(tensor: &CubeTensor) -> CubeDevice<R> {
        CubeDevice::new(tensor.device.index)
    }

    fn run(op: &dyn Op, args: Vec<Value<CubeTensor>>, wanted: &[bool]) -> Result<Vec<Option<CubeTensor>>> {
        let tensors: Vec<&CubeTensor> = args.iter().filter_map(Value::tensor).collect();
        Self::device_of(&tensors).map_err(|error| error.with_op(op.spec().name()))?;
        let device = match tensors.first() {
            Some(tensor) => tensor.device,
            None => CubeDevice::<R>::default().opened()?,
        };
        match by_hand::kernel::<Self>(op).or_else(|| by_hand::kernel_of::<AnyGpu, CubeTensor>(op)) {
            Some(kernel) => {
                let doubts = Self::doubts_of(&tensors)?;
                let results = by_hand::run::<Self>(kernel, op, &args, wanted)?;
                let doubted = |result: Option<CubeTensor>| result.map(|x| x.doubted(&doubts)).transpose();
                results.into_iter().map(doubted).collect()
            }
            None => kernel::run(op, args, wanted, device),
        }
    }

    fn apply(prim: Prim, args: Vec<CubeTensor>) -> Result<CubeTensor> {
        let doubts = Self::doubts_of(&args.iter().collect::<Vec<_>>())?;
        whole::apply(prim, &args)?.doubted(&doubts)
    }
    fn reduce(fold: Fold, tensor: CubeTensor, axes: &[usize]) -> Result<CubeTensor> {
        let doubts = tensor.doubts.clone();
        whole::reduce(fold, tensor, axes)?.doubted(&doubts)
    }
    fn matmul(lhs: CubeTensor, rhs: CubeTensor) -> Result<CubeTensor> {
        let doubts = Self::doubts_of(&[&lhs, &rhs])?;
        primitive::matmul(&lhs, &rhs)?.doubted(&doubts)
    }
    fn gather(tensor: CubeTensor, axis: usize, index: CubeTensor) -> Result<CubeTensor> {
        let doubts = Self::doubts_of(&[&tensor, &index])?;
        primitive::gather(&tensor, axis, &index)?.doubted(&doubts)
    }
    fn scatter_add(source: CubeTensor, axis: usize, index: CubeTensor, size: usize) -> Result<CubeTensor> {
        let doubts = Self::doubts_of(&[&source, &index])?;
        primitive::scatter_add(source, axis, &index, size)?.doubted(&doubts)
    }
    fn cast(tensor: CubeTensor, dtype: DType) -> Result<CubeTensor> {
        let doubts = tensor.doubts.clone();
        whole::cast(tensor, dtype)?.doubted(&doubts)
    }
    fn reshape(tensor: CubeTensor, shape: Shape) -> Result<CubeTensor> {
        let doubts = tensor.doubts.clone();
        whole::reshape(tensor, shape)?.doubted(&doubts)
    }
    fn permute(tensor: CubeTensor, axes: &[usize]) -> Result<CubeTensor> {
        primitive::permute(tensor, axes)
    }
    fn expand(tensor: CubeTensor, shape: Shape) -> Result<CubeTensor> {
        primitive::expand(tensor, &shape)
    }
    fn slice(tensor: CubeTensor, ranges: &[(usize, usize, usize)]) -> Result<CubeTensor> {
        primitive::slice(tensor, ranges)
    }
    fn slice_assign(
        into: CubeTensor,
        ranges: &[(usize, usize, usize)],
        source: CubeTensor,
    ) -> Result<CubeTensor> {
        let doubts = Self::doubts_of(&[&into, &source])?;
        primitive::slice_assign(into, ranges, &source)?.doubted(&doubts)
    }
    fn cat(tensors: Vec<CubeTensor>, axis: usize) -> Result<CubeTensor> {
        let doubts = Self::doubts_of(&tensors.iter().collect::<Vec<_>>())?;
        primitive::cat(&tensors, axis)?.doubted(&doubts)
    }
    fn full(shape: Shape, value: Scalar, dtype: DType, device: &CubeDevice<R>) -> Result<CubeTensor> {
        let out = CubeTensor::empty(&shape, dtype, device.opened()?)?;
        whole::fill(&out, value)?;
        Ok(out)
    }
    fn random(draw: &Draw, device: &CubeDevice<R>) -> Result<CubeTensor> {
        random::random(draw, device.opened()?)
    }
}
