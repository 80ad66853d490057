//! Runs the schedule of an op on the memory and the kernels of a backend.
//!
//! The executor is the same for all backends. It binds dims and dtypes, skips kernels whose results nobody
//! wants, allocates and frees buffers, lets a result take over the memory of an input that nobody else holds,
//! and gives results the dtype and shape that the caller expects. A backend implements [`Kernels`]: memory, a
//! few functions of whole tensors, and one kernel of each class.

mod bind;
mod bound;
mod executor;
mod fused;
mod kept;
mod stream;
mod sums;
mod sweep;
mod tiles;
mod trim;
mod view;
mod whole;

pub use bound::{
    BoundIndex, BoundLoop, BoundPass, BoundProduct, BoundScan, BoundSearch, BoundSort, Dest, Gathered, Guard,
    Labeled, Read, Site, Uniform, Window, Write,
};
pub use fused::{BoundStream, FusedSize, Score, WeightedSum};
pub use kept::KeptColumns;
pub use sweep::{BoundSweep, Carried, SweepSize};
pub use tiles::{StreamSize, TileSize};
pub use view::{Strides, ViewAxis};

use crate::{DType, Error, ErrorKind, Precision, Result, Shape, Value, float32_matmul_precision};
use executor::Executor;
use std::ops::Range;
use tensor_op_spec::ir::{Graph, NodeId, Scalar};
use tensor_op_spec::prim::Fold;
use tensor_op_spec::schedule::Schedule;

/// What a backend brings to run schedules. A value lives as long as one call of an op, so that it can hold
/// what belongs to the call.
pub trait Kernels {
    /// A tensor of any shape and dtype. Cloning shares its memory.
    type Tensor: Clone + Send + Sync;

    /// Shape of a tensor.
    fn shape(tensor: &Self::Tensor) -> Shape;
    /// Element type of a tensor.
    fn dtype(tensor: &Self::Tensor) -> DType;
    /// A tensor whose elements are not written yet, row-major.
    fn empty(&self, shape: &Shape, dtype: DType) -> Result<Self::Tensor>;
    /// A tensor whose elements all have this value, row-major.
    fn filled(&self, shape: &Shape, value: Scalar, dtype: DType) -> Result<Self::Tensor>;
    /// Whether a result may be written over the tensor: its elements are row-major, and nobody else holds its
    /// memory.
    fn is_reusable(tensor: &mut Self::Tensor) -> bool;
    /// The same elements in another shape of the same size. No copy is made of a tensor whose strides can
    /// express the shape.
    fn reshape(tensor: Self::Tensor, shape: Shape) -> Result<Self::Tensor>;
    /// The same elements with other axes: axis `i` of the result is axis `axes[i]`.
    fn permute(tensor: Self::Tensor, axes: &[usize]) -> Result<Self::Tensor>;
    /// The elements converted to another dtype.
    fn cast(tensor: Self::Tensor, dtype: DType) -> Result<Self::Tensor>;
    /// The sum over axes, in ascending order, which leave the shape.
    fn sum(tensor: Self::Tensor, axes: &[usize]) -> Result<Self::Tensor>;
    /// A part of a tensor, with a range for each axis. It shares the memory.
    fn part(tensor: Self::Tensor, ranges: &[Range<usize>]) -> Result<Self::Tensor>;
    /// The tensor with a part of it replaced: for each axis a start, an end and a step. Nobody else holds its
    /// memory.
    fn with_part(
        tensor: Self::Tensor,
        ranges: &[(usize, usize, usize)],
        part: &Self::Tensor,
    ) -> Result<Self::Tensor>;
    /// A view, whose elements are all inside of the tensor. It shares the memory. Its axes may overlap or run
    /// backwards, so that only [`run_loop`](Kernels::run_loop) reads it. One that repeats elements may also
    /// be the source of another view, or of a part.
    fn view(tensor: Self::Tensor, view: &Strides) -> Result<Self::Tensor>;
    /// The elementwise sum of two tensors of one shape and dtype.
    fn add(left: Self::Tensor, right: &Self::Tensor) -> Result<Self::Tensor>;
    /// Whether a float value needs no more digits than the float arguments of the call. Then a buffer for it
    /// may have their dtype although the value is read again.
    fn is_exact(&self, value: NodeId) -> bool {
        let _ = value;
        false
    }

    /// Whether kernels compute what the programs of their passes say. Bodies that somebody edited may compute
    /// something else, so nothing is left out because of what a program would give.
    fn follows_programs(&self) -> bool {
        true
    }

    /// Whether products of halves are faster than those of f32. If so, computed factors of the products in an
    /// op on halves are rounded to the half, unless the op is declared to keep their digits.
    fn rounds_factors(&self) -> bool {
        false
    }

    /// How exactly an op that does not say it multiplies matrices of f32.
    fn precision(&self) -> Precision {
        float32_matmul_precision().unwrap_or(Precision::Highest)
    }

    /// How large the tiles of a stream of this size are; `None` if its kernels should run one after the
    /// other, each over all rows. It depends on nothing else, so that results have the same bits each time.
    fn tile(&self, size: &StreamSize) -> Option<TileSize> {
        let _ = size;
        None
    }
    /// The results of independent tasks, in order. A backend may run tasks at the same time, each with
    /// kernels of its own.
    fn each_task<R: Send>(
        &mut self,
        tasks: usize,
        run: impl Fn(usize, &mut Self) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        (0..tasks).map(|task| run(task, self)).collect()
    }

    /// Whether a stream of these sizes may run as one kernel.
    fn fuses(&self, size: &FusedSize) -> bool {
        let _ = size;
        false
    }
    /// Runs a stream as one kernel and fills what it writes; or returns false, if there is no kernel for it.
    /// Whether there is one depends on nothing but shapes, dtypes and the device.
    fn run_stream(
        &mut self,
        stream: &mut BoundStream<'_, Self::Tensor>,
        kept: &KeptColumns<'_, Self::Tensor>,
    ) -> Result<bool> {
        let _ = (stream, kept);
        Ok(false)
    }

    /// Whether a sweep of this size should run as one kernel.
    fn sweeps(&self, size: &SweepSize) -> bool {
        let _ = size;
        false
    }
    /// Runs a sweep as one kernel and fills what it writes; or returns false, if there is no kernel for it.
    /// Whether there is one depends on nothing but shapes, dtypes and the device.
    fn run_sweep(&mut self, sweep: &mut BoundSweep<'_, Self::Tensor>) -> Result<bool> {
        let _ = sweep;
        Ok(false)
    }

    /// Runs the passes of a loop and fills what it writes.
    fn run_loop(&mut self, nest: &mut BoundLoop<'_, Self::Tensor>) -> Result<()>;
    /// A sum of products. The result has the axes `product.out`, and the dtype of the product or the one that
    /// the product is computed in.
    fn multiply(&mut self, product: BoundProduct<Self::Tensor>) -> Result<Self::Tensor>;
    /// A scan. The result has the axes `scan.out`, and the dtype of the scan or the one that it is computed
    /// in.
    fn scan(&mut self, scan: BoundScan<Self::Tensor>) -> Result<Self::Tensor>;
    /// The positions of elements in ascending or descending order. NaN is larger than any number, -0 is equal
    /// to 0, and equal elements keep their order. The result has the axes `sort.out`, and any dtype of ints.
    fn sort(&mut self, sort: BoundSort<Self::Tensor>) -> Result<Self::Tensor>;
    /// For each value, how many of the sorted elements are smaller. The result has the axes `search.out`, and
    /// any dtype of ints.
    fn search(&mut self, search: BoundSearch<Self::Tensor>) -> Result<Self::Tensor>;
    /// `out = source[along = index]`. The result has the axes `indexing.out`, and the dtype of the source.
    fn gather(&mut self, indexing: BoundIndex<'_, Self::Tensor>) -> Result<Self::Tensor>;
    /// Whether loops read the result of a gather by its index, as [`Read::Gathered`], so that it is not
    /// stored. If they do, this checks the index, or starts a check: the error of a device may come later,
    /// and its loops must not read beyond the memory until then.
    fn defers(&mut self, indexing: &BoundIndex<'_, Self::Tensor>) -> Result<bool> {
        let _ = indexing;
        Ok(false)
    }
    /// `out[along = index] += source`, from zero, or with another reduction from its identity. The result has
    /// the axes `indexing.out`, and the dtype that sums are computed in.
    fn scatter(&mut self, fold: Fold, indexing: BoundIndex<'_, Self::Tensor>) -> Result<Self::Tensor>;
}

/// Runs the kernels of a schedule that are needed for the wanted results. `args` are in declared order.
pub fn execute<K: Kernels>(
    graph: &Graph,
    schedule: &Schedule,
    args: Vec<Value<K::Tensor>>,
    wanted: &[bool],
    kernels: &mut K,
) -> Result<Vec<Option<K::Tensor>>> {
    check_wanted(graph, wanted)
        .and_then(|()| Executor::new(graph, schedule, args, wanted, kernels)?.run())
        .map_err(|error| error.with_op(&graph.name))
}

/// Checks that there is a flag for each result.
pub fn check_wanted(graph: &Graph, wanted: &[bool]) -> Result<()> {
    if wanted.len() == graph.outputs.len() {
        return Ok(());
    }
    let message =
        format!("gives {} results, but {} flags say which are wanted", graph.outputs.len(), wanted.len());
    Err(Error::new(ErrorKind::Length, message).with_op(&graph.name))
}
