//! The decorator: it runs every operation of the wrapped backend, and records the operation if a gradient may
//! flow through it.

use crate::checkpoint::{Checkpointing, NoCheckpointing};
use crate::dual;
use crate::error::no_gradient;
use crate::movement::Movement;
use crate::primitive::Primitive;
use crate::tensor::AutodiffTensor;
use std::fmt;
use std::marker::PhantomData;
use tensor_op_core::{Backend, DType, DTypeUsage, Draw, MemoryUse, Op, Result, Shape, TensorData, Value};
use tensor_op_spec::ir::Scalar;
use tensor_op_spec::prim::{Fold, Prim};

/// The backend `B` with gradients. `C` decides what the graph keeps for the backward pass:
/// [`NoCheckpointing`], or [`BalancedCheckpointing`](crate::BalancedCheckpointing) to save memory. Both use
/// the same tensor type, so their tensors may be mixed.
pub struct Autodiff<B, C = NoCheckpointing>(PhantomData<fn() -> (B, C)>);

impl<B, C> Clone for Autodiff<B, C> {
    fn clone(&self) -> Autodiff<B, C> {
        Autodiff(PhantomData)
    }
}

impl<B, C> fmt::Debug for Autodiff<B, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Autodiff")
    }
}

impl<B: Backend, C: Checkpointing> Backend for Autodiff<B, C> {
    type Device = B::Device;
    type Tensor = AutodiffTensor<B>;

    fn name(device: &B::Device) -> String {
        B::name(device)
    }

    fn device_count() -> usize {
        B::device_count()
    }

    fn nth_device(index: usize) -> Result<B::Device> {
        B::nth_device(index)
    }

    fn dtype_usage(device: &B::Device, dtype: DType) -> DTypeUsage {
        B::dtype_usage(device, dtype)
    }

    fn ad_enabled(_: &B::Device) -> bool {
        true
    }

    fn sync(device: &B::Device) -> Result<()> {
        B::sync(device)
    }

    fn memory_cleanup(device: &B::Device) {
        B::memory_cleanup(device);
    }

    fn memory(device: &B::Device) -> Option<MemoryUse> {
        B::memory(device)
    }

    fn reset_peak_memory(device: &B::Device) {
        B::reset_peak_memory(device);
    }

    fn persistent(device: &B::Device, task: &mut (dyn FnMut() + Send)) {
        B::persistent(device, task);
    }

    fn begin_together(device: &B::Device) {
        B::begin_together(device);
    }

    fn end_together(device: &B::Device) {
        B::end_together(device);
    }

    fn staging(data: &mut [TensorData], device: &B::Device) {
        B::staging(data, device);
    }

    fn has_transport(devices: &[B::Device]) -> bool {
        B::has_transport(devices)
    }

    fn all_reduce_mean(
        tensor: AutodiffTensor<B>,
        devices: &[B::Device],
        meet: &mut dyn FnMut() -> Result<()>,
    ) -> Result<AutodiffTensor<B>> {
        if tensor.is_tracked() || tensor.level().is_some() {
            return Err(no_gradient(
                "all_reduce_mean",
                "a mean over devices has no gradient; detach the tensor",
            ));
        }
        B::all_reduce_mean(tensor.into_inner(), devices, meet).map(AutodiffTensor::from_inner)
    }

    fn from_data(data: TensorData, device: &B::Device) -> Result<AutodiffTensor<B>> {
        B::from_data(data, device).map(AutodiffTensor::from_inner)
    }

    fn into_data(tensor: AutodiffTensor<B>) -> Result<TensorData> {
        B::into_data(tensor.into_inner())
    }

    fn into_data_async(tensor: AutodiffTensor<B>) -> impl Future<Output = Result<TensorData>> + Send {
        B::into_data_async(tensor.into_inner())
    }

    fn into_data_all(tensors: Vec<AutodiffTensor<B>>) -> Result<Vec<TensorData>> {
        B::into_data_all(tensors.into_iter().map(AutodiffTensor::into_inner).collect())
    }

    fn into_data_all_async(
        tensors: Vec<AutodiffTensor<B>>,
    ) -> impl Future<Output = Result<Vec<TensorData>>> + Send {
        B::into_data_all_async(tensors.into_iter().map(AutodiffTensor::into_inner).collect())
    }

    fn to_device(tensor: AutodiffTensor<B>, device: &B::Device) -> Result<AutodiffTensor<B>> {
        dual::run_movement(Movement::To(device.clone()), vec![tensor], C::recomputes())
    }

    fn shape(tensor: &AutodiffTensor<B>) -> Shape {
        B::shape(tensor.inner())
    }

    fn dtype(tensor: &AutodiffTensor<B>) -> DType {
        B::dtype(tensor.inner())
    }

    fn device(tensor: &AutodiffTensor<B>) -> B::Device {
        B::device(tensor.inner())
    }

    fn run(
        op: &dyn Op,
        args: Vec<Value<AutodiffTensor<B>>>,
        wanted: &[bool],
    ) -> Result<Vec<Option<AutodiffTensor<B>>>> {
        dual::run_op(op, args, wanted, C::recomputes())
    }

    fn apply(prim: Prim, args: Vec<AutodiffTensor<B>>) -> Result<AutodiffTensor<B>> {
        dual::run_primitive(Primitive::Apply(prim), args, C::recomputes())
    }

    fn reduce(fold: Fold, tensor: AutodiffTensor<B>, axes: &[usize]) -> Result<AutodiffTensor<B>> {
        dual::run_primitive(Primitive::Reduce(fold, axes.to_vec()), vec![tensor], C::recomputes())
    }

    fn matmul(lhs: AutodiffTensor<B>, rhs: AutodiffTensor<B>) -> Result<AutodiffTensor<B>> {
        dual::run_primitive(Primitive::Matmul, vec![lhs, rhs], C::recomputes())
    }

    fn gather(tensor: AutodiffTensor<B>, axis: usize, index: AutodiffTensor<B>) -> Result<AutodiffTensor<B>> {
        dual::run_primitive(Primitive::Gather(axis), vec![tensor, index], C::recomputes())
    }

    fn scatter_add(
        source: AutodiffTensor<B>,
        axis: usize,
        index: AutodiffTensor<B>,
        size: usize,
    ) -> Result<AutodiffTensor<B>> {
        dual::run_primitive(Primitive::ScatterAdd { axis, size }, vec![source, index], C::recomputes())
    }

    fn cast(tensor: AutodiffTensor<B>, dtype: DType) -> Result<AutodiffTensor<B>> {
        dual::run_movement(Movement::Cast(dtype), vec![tensor], C::recomputes())
    }

    fn reshape(tensor: AutodiffTensor<B>, shape: Shape) -> Result<AutodiffTensor<B>> {
        dual::run_movement(Movement::Reshape(shape), vec![tensor], C::recomputes())
    }

    fn permute(tensor: AutodiffTensor<B>, axes: &[usize]) -> Result<AutodiffTensor<B>> {
        dual::run_movement(Movement::Permute(axes.to_vec()), vec![tensor], C::recomputes())
    }

    fn expand(tensor: AutodiffTensor<B>, shape: Shape) -> Result<AutodiffTensor<B>> {
        dual::run_movement(Movement::Expand(shape), vec![tensor], C::recomputes())
    }

    fn slice(tensor: AutodiffTensor<B>, ranges: &[(usize, usize, usize)]) -> Result<AutodiffTensor<B>> {
        dual::run_movement(Movement::Slice(ranges.to_vec()), vec![tensor], C::recomputes())
    }

    fn slice_assign(
        into: AutodiffTensor<B>,
        ranges: &[(usize, usize, usize)],
        source: AutodiffTensor<B>,
    ) -> Result<AutodiffTensor<B>> {
        dual::run_movement(Movement::SliceAssign(ranges.to_vec()), vec![into, source], C::recomputes())
    }

    fn cat(tensors: Vec<AutodiffTensor<B>>, axis: usize) -> Result<AutodiffTensor<B>> {
        dual::run_movement(Movement::Cat(axis), tensors, C::recomputes())
    }

    fn full(shape: Shape, value: Scalar, dtype: DType, device: &B::Device) -> Result<AutodiffTensor<B>> {
        B::full(shape, value, dtype, device).map(AutodiffTensor::from_inner)
    }

    fn random(draw: &Draw, device: &B::Device) -> Result<AutodiffTensor<B>> {
        B::random(draw, device).map(AutodiffTensor::from_inner)
    }
}
