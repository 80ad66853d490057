//! Memory and kernels of a GPU, as the executor asks for them.

use super::exact::is_exact;
use super::{bind, contraction, index, launch, whole};
use crate::device::Opened;
use crate::fault::Doubts;
use crate::primitive;
use crate::tensor::CubeTensor;
use std::ops::Range;
use tensor_op_core::execute::{BoundIndex, BoundLoop, BoundProduct, Kernels};
use tensor_op_core::{DType, Result, Shape, Value};
use tensor_op_spec::ir::{Graph, NodeId, Scalar};
use tensor_op_spec::prim::{Fold, Prim};

/// Runs the kernels of one call.
pub(super) struct Gpu<'g> {
    graph: &'g Graph,
    device: &'static Opened,
    /// Which arguments are halves.
    is_half: Vec<bool>,
    /// What may have failed: the calls that the arguments come from, and the kernels of this call. A call has
    /// one error, so that all of its results depend on all of these.
    doubts: Vec<Doubts>,
}

impl<'g> Gpu<'g> {
    pub(super) fn new(graph: &'g Graph, device: &'static Opened, args: &[Value<CubeTensor>]) -> Gpu<'g> {
        let is_half = args.iter().map(|arg| arg.tensor().is_some_and(|tensor| tensor.dtype.is_half()));
        let doubts = args.iter().filter_map(Value::tensor).map(|tensor| tensor.doubts.clone());
        Gpu { graph, device, is_half: is_half.collect(), doubts: doubts.collect() }
    }

    /// What all results of the call depend on.
    pub(super) fn doubts(&self) -> Result<Doubts> {
        Doubts::all(&self.doubts)
    }
}

impl Kernels for Gpu<'_> {
    type Tensor = CubeTensor;

    fn shape(tensor: &CubeTensor) -> Shape {
        tensor.shape().clone()
    }
    fn dtype(tensor: &CubeTensor) -> DType {
        tensor.dtype
    }
    fn empty(&self, shape: &Shape, dtype: DType) -> Result<CubeTensor> {
        CubeTensor::empty(shape, dtype, self.device)
    }
    fn zeros(&self, shape: &Shape, dtype: DType) -> Result<CubeTensor> {
        let out = CubeTensor::empty(shape, dtype, self.device)?;
        whole::fill(&out, Scalar::Bool(false).cast(dtype.kind()))?;
        Ok(out)
    }
    fn is_reusable(tensor: &mut CubeTensor) -> bool {
        tensor.layout.is_contiguous() && tensor.is_unique()
    }
    fn reshape(tensor: CubeTensor, shape: Shape) -> Result<CubeTensor> {
        whole::reshape(tensor, shape)
    }
    fn permute(tensor: CubeTensor, axes: &[usize]) -> Result<CubeTensor> {
        let layout = tensor.layout.permute(axes);
        Ok(tensor.with_layout(layout))
    }
    fn cast(tensor: CubeTensor, dtype: DType) -> Result<CubeTensor> {
        whole::cast(tensor, dtype)
    }
    fn sum(tensor: CubeTensor, axes: &[usize]) -> Result<CubeTensor> {
        whole::reduce(Fold::Sum, tensor, axes)
    }
    fn part(tensor: CubeTensor, ranges: &[Range<usize>]) -> Result<CubeTensor> {
        primitive::slice(tensor, &with_steps(ranges))
    }
    fn with_part(tensor: CubeTensor, ranges: &[Range<usize>], part: &CubeTensor) -> Result<CubeTensor> {
        primitive::slice_assign(tensor, &with_steps(ranges), part)
    }
    fn add(left: CubeTensor, right: &CubeTensor) -> Result<CubeTensor> {
        whole::apply(Prim::Add, &[left, right.clone()])
    }
    fn is_exact(&self, value: NodeId) -> bool {
        is_exact(self.graph, value, |arg| self.is_half[arg])
    }

    fn run_loop(&mut self, nest: &mut BoundLoop<'_, CubeTensor>) -> Result<()> {
        launch::run(bind::plan(nest, self.device))
    }
    fn multiply(&mut self, product: BoundProduct<CubeTensor>) -> Result<CubeTensor> {
        contraction::multiply(product)
    }
    fn gather(&mut self, indexing: BoundIndex<'_, CubeTensor>) -> Result<CubeTensor> {
        let (tensor, doubts) = index::gather_bound(indexing)?;
        self.doubts.push(doubts);
        Ok(tensor)
    }
    fn scatter(&mut self, indexing: BoundIndex<'_, CubeTensor>) -> Result<CubeTensor> {
        let (tensor, doubts) = index::scatter_bound(indexing)?;
        self.doubts.push(doubts);
        Ok(tensor)
    }
}

/// Ranges as slices take them.
fn with_steps(ranges: &[Range<usize>]) -> Vec<(usize, usize, usize)> {
    ranges.iter().map(|range| (range.start, range.end, 1)).collect()
}
