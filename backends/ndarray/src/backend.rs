//! The CPU as a [`Backend`]. The structural primitives are in the modules of their names; ops run through the
//! executor.

use crate::kernel;
use crate::tensor::NdArrayTensor;
use crate::{buffer, cast, elementwise, indexing, matmul, pool, random, reduce, shape};
use tensor_op_core::{
    Backend, DType, DTypeUsage, Draw, MemoryUse, Op, Result, Shape, TensorData, Value, by_hand,
};
use tensor_op_spec::ir::Scalar;
use tensor_op_spec::prim::{Fold, Prim};

/// The CPU backend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NdArray;

/// The CPU device. There is only one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CpuDevice;

impl Backend for NdArray {
    type Device = CpuDevice;
    type Tensor = NdArrayTensor;

    /// The executor does.
    const CHECKS_ITSELF: bool = true;

    fn name(_: &CpuDevice) -> String {
        "cpu".into()
    }
    fn device_count() -> usize {
        1
    }
    fn dtype_usage(_: &CpuDevice, _: DType) -> DTypeUsage {
        DTypeUsage::GENERAL
    }
    fn sync(_: &CpuDevice) -> Result<()> {
        Ok(())
    }
    fn memory_cleanup(_: &CpuDevice) {
        pool::clear_all();
    }
    fn memory(_: &CpuDevice) -> Option<MemoryUse> {
        Some(buffer::ACCOUNT.with_kept(pool::held() as u64))
    }
    fn reset_peak_memory(_: &CpuDevice) {
        buffer::ACCOUNT.reset_peak();
    }

    fn from_data(data: TensorData, _: &CpuDevice) -> Result<NdArrayTensor> {
        Ok(NdArrayTensor::from_data(data))
    }
    fn into_data(tensor: NdArrayTensor) -> Result<TensorData> {
        tensor.into_data()
    }
    fn shape(tensor: &NdArrayTensor) -> Shape {
        tensor.shape().clone()
    }
    fn dtype(tensor: &NdArrayTensor) -> DType {
        tensor.dtype()
    }
    fn device(_: &NdArrayTensor) -> CpuDevice {
        CpuDevice
    }

    fn run(
        op: &dyn Op,
        args: Vec<Value<NdArrayTensor>>,
        wanted: &[bool],
    ) -> Result<Vec<Option<NdArrayTensor>>> {
        match by_hand::kernel::<NdArray>(op) {
            Some(kernel) => by_hand::run::<NdArray>(kernel, op, &args, wanted),
            None => kernel::run(op, args, wanted),
        }
    }

    fn apply(prim: Prim, args: Vec<NdArrayTensor>) -> Result<NdArrayTensor> {
        elementwise::apply(prim, args)
    }
    fn reduce(fold: Fold, tensor: NdArrayTensor, axes: &[usize]) -> Result<NdArrayTensor> {
        reduce::reduce(fold, &tensor, axes)
    }
    fn matmul(lhs: NdArrayTensor, rhs: NdArrayTensor) -> Result<NdArrayTensor> {
        matmul::matmul(lhs, rhs)
    }
    fn gather(tensor: NdArrayTensor, axis: usize, index: NdArrayTensor) -> Result<NdArrayTensor> {
        indexing::gather(&tensor, axis, &index)
    }
    fn scatter_add(
        source: NdArrayTensor,
        axis: usize,
        index: NdArrayTensor,
        size: usize,
    ) -> Result<NdArrayTensor> {
        indexing::scatter_add(source, axis, &index, size)
    }
    fn cast(tensor: NdArrayTensor, dtype: DType) -> Result<NdArrayTensor> {
        cast::cast(tensor, dtype)
    }
    fn reshape(tensor: NdArrayTensor, shape: Shape) -> Result<NdArrayTensor> {
        shape::reshape(tensor, &shape)
    }
    fn permute(tensor: NdArrayTensor, axes: &[usize]) -> Result<NdArrayTensor> {
        shape::permute(tensor, axes)
    }
    fn expand(tensor: NdArrayTensor, shape: Shape) -> Result<NdArrayTensor> {
        shape::expand(tensor, &shape)
    }
    fn slice(tensor: NdArrayTensor, ranges: &[(usize, usize, usize)]) -> Result<NdArrayTensor> {
        shape::slice(tensor, ranges)
    }
    fn slice_assign(
        into: NdArrayTensor,
        ranges: &[(usize, usize, usize)],
        source: NdArrayTensor,
    ) -> Result<NdArrayTensor> {
        shape::slice_assign(into, ranges, &source)
    }
    fn cat(tensors: Vec<NdArrayTensor>, axis: usize) -> Result<NdArrayTensor> {
        shape::cat(&tensors, axis)
    }
    fn full(shape: Shape, value: Scalar, dtype: DType, _: &CpuDevice) -> Result<NdArrayTensor> {
        shape::full(&shape, value, dtype)
    }
    fn random(draw: &Draw, _: &CpuDevice) -> Result<NdArrayTensor> {
        random::random(draw)
    }
}
