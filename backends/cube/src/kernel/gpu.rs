//! Memory and kernels of a GPU, as the executor asks for them.

use super::body::{Bodies, Pass};
use super::exact::is_exact;
use super::index::sorted::LastOrder;
use super::stream::bounds::Bounds;
use super::stream::launch::Devices;
use super::{bind, contraction, index, launch, order, scan, stream, sweep, whole};
use crate::device::Opened;
use crate::fault::Doubts;
use crate::primitive;
use crate::tensor::CubeTensor;
use std::ops::Range;
use tensor_op_core::execute::{
    BoundIndex, BoundLoop, BoundProduct, BoundScan, BoundSearch, BoundSort, BoundStream, BoundSweep,
    FusedSize, KeptColumns, Kernels, StreamSize, Strides, SweepSize, TileSize,
};
use tensor_op_core::{DType, Precision, Result, Shape, Spec, Value};
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
    /// The columns that tiles of streams need, from earlier calls of the op.
    bounds: &'g Bounds,
    last_order: LastOrder,
    /// What runs in place of the programs of all passes of the schedule.
    bodies: Option<&'static [Pass]>,
    limits: Limits,
    /// How many kernels of streams and of sweeps have run.
    #[cfg(test)]
    fused: usize,
}

/// Which streams are one kernel or are cut into tiles, and where.
#[derive(Clone, Copy)]
struct Limits {
    /// The devices on which streams are one kernel.
    fused: Devices,
    /// The values between the kernels of a stream are not stored whole if they have more elements.
    large: usize,
    /// Long tiles begin at multiples of this many rows. If columns are left out, a tile has as many rows of
    /// each batch, or more if there are few batches.
    rows: usize,
    /// Columns are left out in blocks of this many, or of a multiple.
    columns: usize,
    /// Sweeps over fewer points are several kernels: a unit has few points, and few units leave a device
    /// idle for all steps.
    points: usize,
}

/// A gigabyte of f32 fits into the memory of any device. Of 4096 rows under a causal mask, tiles of 512
/// compute 9/16 of the columns. Products of fewer rows are slow.
const LIMITS: Limits =
    Limits { fused: Devices::WithMatrices, large: 1 << 28, rows: 512, columns: 128, points: 1 << 15 };
/// A tile has this part of what is large. It is enough to keep a device busy: the product of the weights and
/// the values has few columns, and so few blocks of threads.
const TILES: usize = 2;

impl<'g> Gpu<'g> {
    pub(super) fn new(spec: &'g Spec, device: &'static Opened, args: &[Value<CubeTensor>]) -> Gpu<'g> {
        let is_half = args.iter().map(|arg| arg.tensor().is_some_and(|tensor| tensor.dtype.is_half()));
        let doubts = args.iter().filter_map(Value::tensor).map(|tensor| tensor.doubts.clone());
        Gpu {
            graph: spec.graph(),
            device,
            is_half: is_half.collect(),
            doubts: doubts.collect(),
            bounds: spec.memo(),
            last_order: LastOrder::default(),
            bodies: None,
            limits: LIMITS,
            #[cfg(test)]
            fused: 0,
        }
    }

    /// With these bodies of the passes of the schedule.
    pub(super) fn with_bodies(self, bodies: &'static [Pass]) -> Gpu<'g> {
        Gpu { bodies: Some(bodies), ..self }
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
    fn filled(&self, shape: &Shape, value: Scalar, dtype: DType) -> Result<CubeTensor> {
        let out = CubeTensor::empty(shape, dtype, self.device)?;
        whole::fill(&out, value)?;
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
    fn with_part(
        tensor: CubeTensor,
        ranges: &[(usize, usize, usize)],
        part: &CubeTensor,
    ) -> Result<CubeTensor> {
        primitive::slice_assign(tensor, ranges, part)
    }
    fn view(tensor: CubeTensor, view: &Strides) -> Result<CubeTensor> {
        let layout = tensor.layout.view(view);
        Ok(tensor.with_layout(layout))
    }
    fn add(left: CubeTensor, right: &CubeTensor) -> Result<CubeTensor> {
        whole::apply(Prim::Add, &[left, right.clone()])
    }
    fn tile(&self, size: &StreamSize) -> Option<TileSize> {
        tile(size, self.limits)
    }
    fn fuses(&self, size: &FusedSize) -> bool {
        self.follows_programs() && stream::launch::fits(size)
    }
    fn follows_programs(&self) -> bool {
        self.bodies.is_none()
    }
    fn is_exact(&self, value: NodeId) -> bool {
        self.follows_programs() && is_exact(self.graph, value, |arg| self.is_half[arg])
    }
    fn rounds_factors(&self) -> bool {
        true
    }
    fn precision(&self) -> Precision {
        self.device.precision()
    }

    fn run_stream(
        &mut self,
        bound: &mut BoundStream<'_, CubeTensor>,
        kept: &KeptColumns<'_, CubeTensor>,
    ) -> Result<bool> {
        if !self.follows_programs() {
            return Ok(false);
        }
        let has_run = stream::launch::run(bound, kept, self.bounds, self.limits.fused, self.device)?;
        #[cfg(test)]
        {
            self.fused += usize::from(has_run);
        }
        Ok(has_run)
    }
    fn sweeps(&self, size: &SweepSize) -> bool {
        self.follows_programs() && size.points >= self.limits.points && !size.is_along_memory
    }
    fn run_sweep(&mut self, sweep: &mut BoundSweep<'_, CubeTensor>) -> Result<bool> {
        let has_run = sweep::launch::run(sweep, self.device)?;
        #[cfg(test)]
        {
            self.fused += usize::from(has_run);
        }
        Ok(has_run)
    }
    fn run_loop(&mut self, nest: &mut BoundLoop<'_, CubeTensor>) -> Result<()> {
        let (op, is_native) = (&self.graph.name, self.device.is_native);
        let bodies = self.bodies.map(|passes| Bodies { passes, op, is_native });
        launch::run(bind::plan(nest, bodies, self.device))
    }
    fn multiply(&mut self, product: BoundProduct<CubeTensor>) -> Result<CubeTensor> {
        contraction::multiply(product)
    }
    fn scan(&mut self, scan: BoundScan<CubeTensor>) -> Result<CubeTensor> {
        scan::scan_bound(scan)
    }
    fn sort(&mut self, sort: BoundSort<CubeTensor>) -> Result<CubeTensor> {
        order::sort_bound(sort)
    }
    fn search(&mut self, search: BoundSearch<CubeTensor>) -> Result<CubeTensor> {
        order::search_bound(search)
    }
    fn defers(&mut self, indexing: &BoundIndex<'_, CubeTensor>) -> Result<bool> {
        let doubts = index::defers(indexing)?;
        let is_deferred = doubts.is_some();
        self.doubts.extend(doubts);
        Ok(is_deferred)
    }
    fn gather(&mut self, indexing: BoundIndex<'_, CubeTensor>) -> Result<CubeTensor> {
        let (tensor, doubts) = index::gather_bound(indexing)?;
        self.doubts.push(doubts);
        Ok(tensor)
    }
    fn scatter(&mut self, fold: Fold, indexing: BoundIndex<'_, CubeTensor>) -> Result<CubeTensor> {
        let (tensor, doubts) = index::scatter_bound(fold, indexing, &mut self.last_order)?;
        self.doubts.push(doubts);
        Ok(tensor)
    }
}

fn tile(size: &StreamSize, limits: Limits) -> Option<TileSize> {
    let Limits { large, rows: step, columns, .. } = limits;
    let in_steps = |rows: usize| if rows > step { rows / step * step } else { rows.max(1) };
    let rows = in_steps(large / TILES / size.along);
    let close = in_steps(rows / size.batches.max(1)).max(step);
    let block = (size.along / 64).max(1).next_multiple_of(columns);
    let is_large = size.rows.saturating_mul(size.along) > large;
    // Factors that are larger than a tile would be read more often than the values between the kernels.
    let is_shared = size.shared > rows.saturating_mul(size.along);
    (is_large && !is_shared).then_some(TileSize { rows, close, block, tasks: 1 })
}

/// Ranges as slices take them.
fn with_steps(ranges: &[Range<usize>]) -> Vec<(usize, usize, usize)> {
    ranges.iter().map(|range| (range.start, range.end, 1)).collect()
}

#[cfg(feature = "wgpu")]
#[cfg(test)]
mod tests;
