//! Memory and kernels of the CPU, as the executor asks for them.

use super::plan::Body;
use super::real::match_real;
use super::{bind, contraction, index, rows};
use crate::tensor::NdArrayTensor;
use crate::{cast, reduce, shape};
use tensor_op_core::execute::{BoundIndex, BoundLoop, BoundProduct, Kernels};
use tensor_op_core::{DType, Result, Shape};
use tensor_op_spec::prim::Fold;

/// Runs the kernels of one call.
pub(super) struct Cpu<'b> {
    /// The body of each pass of the schedule, in order.
    pub(super) bodies: &'b [Body<'b>],
}

impl Kernels for Cpu<'_> {
    type Tensor = NdArrayTensor;

    fn shape(tensor: &NdArrayTensor) -> Shape {
        tensor.shape().clone()
    }
    fn dtype(tensor: &NdArrayTensor) -> DType {
        tensor.dtype()
    }
    fn empty(&self, shape: &Shape, dtype: DType) -> Result<NdArrayTensor> {
        NdArrayTensor::recycled(shape, dtype)
    }
    fn is_reusable(tensor: &mut NdArrayTensor) -> bool {
        tensor.layout().is_contiguous() && tensor.is_unique()
    }
    fn reshape(tensor: NdArrayTensor, shape: Shape) -> Result<NdArrayTensor> {
        shape::reshape(tensor, &shape)
    }
    fn permute(tensor: NdArrayTensor, axes: &[usize]) -> Result<NdArrayTensor> {
        shape::permute(tensor, axes)
    }
    fn cast(tensor: NdArrayTensor, dtype: DType) -> Result<NdArrayTensor> {
        cast::cast(tensor, dtype)
    }
    fn sum(tensor: NdArrayTensor, axes: &[usize]) -> Result<NdArrayTensor> {
        reduce::reduce(Fold::Sum, &tensor, axes)
    }

    fn run_loop(&mut self, nest: &mut BoundLoop<'_, NdArrayTensor>) -> Result<()> {
        match_real!(nest.float, E => rows::run(&bind::plan::<E>(nest, self.bodies)))
    }
    fn multiply(&mut self, product: BoundProduct<NdArrayTensor>) -> Result<NdArrayTensor> {
        match_real!(product.dtype, E => contraction::multiply::<E>(product))
    }
    fn gather(&mut self, indexing: BoundIndex<'_, NdArrayTensor>) -> Result<NdArrayTensor> {
        index::gather_bound(indexing)
    }
    fn scatter(&mut self, indexing: BoundIndex<'_, NdArrayTensor>) -> Result<NdArrayTensor> {
        index::scatter_bound(indexing)
    }
}
