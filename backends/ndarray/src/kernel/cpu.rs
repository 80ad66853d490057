//! Memory and kernels of the CPU, as the executor asks for them.

use super::plan::Body;
use super::real::match_real;
use super::{bind, contraction, index, order, place, rows, scan, sweep};
use crate::layout::Layout;
use crate::tensor::NdArrayTensor;
use crate::{cast, elementwise, parallel, reduce, shape};
use std::ops::Range;
use tensor_op_core::execute::{
    BoundIndex, BoundLoop, BoundProduct, BoundScan, BoundSearch, BoundSort, BoundSweep, Kernels, StreamSize,
    Strides, SweepSize, TileSize,
};
use tensor_op_core::{DType, Result, Shape};
use tensor_op_spec::ir::Scalar;
use tensor_op_spec::prim::{Fold, Prim};

/// Runs the kernels of one call.
pub(crate) struct Cpu<'b> {
    /// The body of each pass of the schedule, in order.
    pub(crate) bodies: &'b [Body],
    /// Whether they compute what the schedule says: nobody has edited them.
    pub(crate) is_generated: bool,
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
    fn filled(&self, shape: &Shape, value: Scalar, dtype: DType) -> Result<NdArrayTensor> {
        shape::full(shape, value, dtype)
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

    fn part(tensor: NdArrayTensor, ranges: &[Range<usize>]) -> Result<NdArrayTensor> {
        shape::slice(tensor, &with_steps(ranges))
    }
    fn with_part(
        tensor: NdArrayTensor,
        ranges: &[(usize, usize, usize)],
        part: &NdArrayTensor,
    ) -> Result<NdArrayTensor> {
        shape::slice_assign(tensor, ranges, part)
    }
    fn view(tensor: NdArrayTensor, view: &Strides) -> Result<NdArrayTensor> {
        let layout = tensor.layout();
        let (start, strides) = view.within(&layout.strides);
        let offset = layout.offset.wrapping_add_signed(start);
        let layout = Layout { shape: view.shape(), strides: strides.into_iter().collect(), offset };
        Ok(tensor.with_layout(layout))
    }
    fn add(left: NdArrayTensor, right: &NdArrayTensor) -> Result<NdArrayTensor> {
        elementwise::apply(Prim::Add, vec![left, right.clone()])
    }
    fn tile(&self, size: &StreamSize) -> Option<TileSize> {
        tile(size)
    }
    fn follows_programs(&self) -> bool {
        self.is_generated
    }
    fn each_task<R: Send>(
        &mut self,
        tasks: usize,
        run: impl Fn(usize, &mut Self) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        parallel::each_alone(tasks, |task| run(task, &mut Cpu { ..*self })).into_iter().collect()
    }

    fn sweeps(&self, size: &SweepSize) -> bool {
        self.is_generated && sweep::pays(size)
    }
    fn run_sweep(&mut self, sweep: &mut BoundSweep<'_, NdArrayTensor>) -> Result<bool> {
        sweep::run(self, sweep)
    }

    fn run_loop(&mut self, nest: &mut BoundLoop<'_, NdArrayTensor>) -> Result<()> {
        match_real!(nest.float, E => rows::run(&bind::plan::<E, _>(nest, self.bodies, self.is_generated)))
    }
    fn multiply(&mut self, product: BoundProduct<NdArrayTensor>) -> Result<NdArrayTensor> {
        match_real!(product.dtype, E => contraction::multiply::<E>(product))
    }
    fn scan(&mut self, scan: BoundScan<NdArrayTensor>) -> Result<NdArrayTensor> {
        scan::scan_bound(scan)
    }
    fn sort(&mut self, sort: BoundSort<NdArrayTensor>) -> Result<NdArrayTensor> {
        order::sort_bound(sort)
    }
    fn search(&mut self, search: BoundSearch<NdArrayTensor>) -> Result<NdArrayTensor> {
        order::search_bound(search)
    }
    fn defers(&mut self, indexing: &BoundIndex<'_, NdArrayTensor>) -> Result<bool> {
        index::defers(indexing)
    }
    fn gather(&mut self, indexing: BoundIndex<'_, NdArrayTensor>) -> Result<NdArrayTensor> {
        index::gather_bound(indexing)
    }
    fn scatter(&mut self, fold: Fold, indexing: BoundIndex<'_, NdArrayTensor>) -> Result<NdArrayTensor> {
        if indexing.once { place::place_bound(indexing) } else { index::scatter_bound(fold, indexing) }
    }
}

/// The values that pass between kernels of a stream stay near the core in tiles of this many elements.
const TILE: usize = 1 << 18;
/// Products of fewer rows are slow: they read the other factor once for each few rows.
const FEWEST_ROWS: usize = 64;
/// More rows don't make products faster.
const MOST_ROWS: usize = 256;
/// Values of fewer elements than this stay in the cache anyway.
const LARGE: usize = 1 << 18;

/// Streams pay if the values between the kernels leave the cache, and if the factors that each tile reads
/// again are not many times larger than a tile.
fn tile(size: &StreamSize) -> Option<TileSize> {
    let fewest = FEWEST_ROWS.min(size.rows / size.batches);
    let rows = (TILE / size.along).clamp(fewest, MOST_ROWS);
    let is_large = size.rows.saturating_mul(size.along) >= LARGE;
    let tile =
        TileSize { rows, close: rows, block: (size.along / 64).max(32), tasks: parallel::ENOUGH_TASKS };
    (is_large && size.shared <= rows.saturating_mul(size.along).saturating_mul(8)).then_some(tile)
}

/// Ranges as slices take them.
fn with_steps(ranges: &[Range<usize>]) -> Vec<(usize, usize, usize)> {
    ranges.iter().map(|range| (range.start, range.end, 1)).collect()
}
