//! Runs the kernels of a stream on one tile of rows after the other.
//!
//! A tile is a call of the same schedule with smaller sizes: its arguments are parts of the arguments, and
//! the kernels don't know that there are other tiles. What only the tile's kernels use goes away with the
//! tile. The other results are written into the whole ones, and terms of sums are added up.
//! Columns that add nothing are left out of a tile.

use super::executor::{Current, Executor, Tile, shape_of};
use super::sums::{Part, Sums, Term, with_steps};
use super::tiles::{StreamSize, TileSize, Tiles};
use super::trim::Trim;
use super::{Kernels, Labeled, Read};
use crate::{Binding, BoundAxis, Cut, DType, Dtypes, Result, Value};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use tensor_op_spec::ir::{DimSet, Graph};
use tensor_op_spec::schedule::{BufferId, Kernel, Loop, Schedule, Source, Stream};

impl<'a, K: Kernels> Executor<'a, K> {
    /// Runs the kernels of a stream: in tiles, if they are large.
    pub(super) fn run_stream(&mut self, stream: &'a Stream, first: Current) -> Result<Current> {
        match self.tiles(stream)? {
            Some(tiles) => self.run_tiles(stream, &tiles, first),
            None => self.run_kernels(first, stream.kernels.end),
        }
    }

    /// How a stream is cut; `None` if its kernels run one after the other.
    fn tiles(&self, stream: &Stream) -> Result<Option<Tiles>> {
        let size = StreamSize {
            rows: self.binding.len(stream.rows)?,
            batches: self.binding.len(stream.batch)?,
            along: self.binding.len(stream.along)?,
            shared: self.shared(stream)?,
        };
        if size.rows == 0 || size.along == 0 {
            return Ok(None);
        }
        let Some(tile) = self.kernels.tile(&size) else { return Ok(None) };
        let batch = self.binding.axes(stream.batch);
        let others = self.binding.axes(stream.rows.difference(stream.batch));
        let sums = stream.sums.iter().filter(|id| self.is_needed(**id));
        let sums: Vec<DimSet> = sums.map(|id| self.schedule.buffer(*id).dims).collect();
        let is_apart = |axis: BoundAxis| sums.iter().all(|dims| dims.contains(axis.axis.dim));
        let tiles = |size| Tiles::new([&batch, &others], size, is_apart);
        let (close, long) = (tiles(tile), tiles(TileSize { close: usize::MAX, ..tile }));
        let is_close = close != long && self.leaves_out(stream, &close);
        Ok(Some(if is_close { close } else { long }))
    }

    /// Whether the first or the last of some tiles is trimmed.
    fn leaves_out(&self, stream: &Stream, tiles: &Tiles) -> bool {
        let Some(axis) = self.trimmed_axis(stream) else { return false };
        let Executor { schedule, args, needed, .. } = self;
        let trim = Trim { schedule, stream, args, needed, axis, block: tiles.block };
        tiles.ends().any(|rows| trim.kept(&self.binding, &rows).len < axis.size)
    }

    /// The number of elements that each tile of a batch reads again: factors of products that don't vary
    /// along the other dims of rows.
    fn shared(&self, stream: &Stream) -> Result<usize> {
        let moving = stream.rows.difference(stream.batch);
        let mut shared = 0;
        for kernel in &self.schedule.kernels[stream.kernels.clone()] {
            let Kernel::Contraction(product) = kernel else { continue };
            for side in [product.m, product.n] {
                let dims = side.union(product.k);
                if dims.intersection(moving).is_empty() {
                    shared += self.binding.len(dims)?;
                }
            }
        }
        Ok(shared)
    }

    /// Runs a stream, whose first kernel is `first`. Returns the kernel after it.
    fn run_tiles(&mut self, stream: &'a Stream, tiles: &Tiles, first: Current) -> Result<Current> {
        let job = Job::new(self, stream, first)?;
        let sums = self.kernels.each_task(tiles.tasks(), |task, kernels| job.run(tiles, task, kernels))?;
        for (id, result) in job.results.into_inner().unwrap_or_else(PoisonError::into_inner) {
            self.buffers[id.0 as usize] = Some(result);
        }
        self.add_up(stream, sums)?;
        let mut next = first;
        for kernel in &self.schedule.kernels[stream.kernels.clone()] {
            if kernel.is_needed(&self.needed)
                && let Some(nest) = late(stream, kernel)
            {
                self.run_loop(nest, next)?;
            }
            if let Kernel::View(view) = kernel
                && kernel.is_needed(&self.needed)
                && !stream.local.contains(&view.out)
            {
                self.view(view)?;
            }
            next = next.after(kernel);
        }
        self.free(stream.kernels.end - 1);
        Ok(next)
    }

    /// Writes the sums of a stream, given those of its tasks in order.
    fn add_up(&mut self, stream: &Stream, tasks: Vec<Sums<K::Tensor>>) -> Result<()> {
        let mut sums = Sums::new(stream.sums.len());
        for task in tasks {
            sums.join::<K>(task, self.kernels)?;
        }
        for (id, parts) in stream.sums.iter().zip(sums.into_parts()).filter(|(_, parts)| !parts.is_empty()) {
            let (axes, dtype) = self.buffer_form(*id);
            let mut whole = self.kernels.empty(&shape_of(&axes), dtype)?;
            for Part { ranges, tensor } in parts {
                whole = K::with_part(whole, &with_steps(&ranges), &K::cast(tensor, dtype)?)?;
            }
            self.buffers[id.0 as usize] = Some(Labeled { tensor: whole, axes });
        }
        Ok(())
    }

    /// The axis along which tiles may be trimmed: the columns of the stream lie along it alone, some kernel
    /// knows positions, and all columns of the results are written.
    fn trimmed_axis(&self, stream: &Stream) -> Option<BoundAxis> {
        if !self.kernels.follows_programs() {
            return None;
        }
        let axes = self.binding.axes(stream.along);
        let mut long = axes.into_iter().filter(|bound| bound.size > 1);
        let (axis, None) = (long.next()?, long.next()) else { return None };
        let kernels = &self.schedule.kernels[stream.kernels.clone()];
        let knows_positions =
            kernels.iter().flat_map(Kernel::sources).any(|source| matches!(source, Source::Iota(_)));
        let has_columns = |id: BufferId| self.buffer_form(id).0.iter().any(|own| own.axis == axis.axis);
        let is_whole = !self.results_of_tiles(stream).any(has_columns);
        (knows_positions && is_whole).then_some(axis)
    }

    /// The buffers that tiles write parts of.
    fn results_of_tiles(&self, stream: &'a Stream) -> impl Iterator<Item = BufferId> {
        let kernels = &self.schedule.kernels[stream.kernels.clone()];
        let is_left_out =
            |kernel: &&Kernel| late(stream, kernel).is_some() || matches!(kernel, Kernel::View(_));
        let on_time = kernels.iter().filter(move |kernel| !is_left_out(kernel));
        on_time
            .flat_map(Kernel::written)
            .filter(|id| self.is_needed(*id) && !stream.sums.contains(id) && !stream.local.contains(id))
    }
}

/// The loop of a kernel that runs when its sum is complete.
fn late<'s>(stream: &Stream, kernel: &'s Kernel) -> Option<&'s Loop> {
    match kernel {
        Kernel::Contraction(product) if stream.sums.contains(&product.out) => product.epilogue.as_ref(),
        Kernel::Contraction(_) | Kernel::Loop(_) => None,
        Kernel::View(_) | Kernel::Scan(_) | Kernel::Order(_) => None,
        Kernel::Gather(_) | Kernel::Scatter(..) => None,
    }
}

/// What all tasks of a stream share.
struct Job<'a, T> {
    graph: &'a Graph,
    schedule: &'a Schedule,
    stream: &'a Stream,
    first: Current,
    binding: Binding,
    dtypes: Dtypes,
    /// The dtype of each buffer in a tile.
    of_buffers: Vec<DType>,
    needed: Vec<bool>,
    wanted: &'a [bool],
    /// The arguments that the kernels read, with composite axes split. Of the others, the shapes.
    args: Vec<Value<Labeled<T>>>,
    /// What earlier kernels have stored and these read.
    stored: Vec<Option<Labeled<T>>>,
    /// The windows that reach outside of their source, which these read.
    windows: Vec<Option<Read<T>>>,
    /// The axes of each sum, whole.
    sums: Vec<Vec<BoundAxis>>,
    /// The axis along which columns that add nothing are left out.
    trimmed: Option<BoundAxis>,
    /// The buffers that tiles write parts of.
    stored_by_tiles: Vec<BufferId>,
    /// These buffers, whole.
    results: Mutex<BTreeMap<BufferId, Labeled<T>>>,
}

impl<'a, T: Clone> Job<'a, T> {
    fn new<K: Kernels<Tensor = T>>(
        call: &Executor<'a, K>,
        stream: &'a Stream,
        first: Current,
    ) -> Result<Job<'a, T>> {
        let kernels = &call.schedule.kernels[stream.kernels.clone()];
        let is_read = |source: Source| kernels.iter().flat_map(Kernel::sources).any(|own| own == source);
        let arg = |(at, value): (usize, &Value<T>)| match value {
            Value::Tensor(tensor) if is_read(Source::Arg(at)) => {
                Ok(Value::Tensor(call.split(at, tensor.clone())?))
            }
            Value::Tensor(tensor) => Ok(Value::Shape(K::shape(tensor))),
            Value::Scalar(value) => Ok(Value::Scalar(*value)),
            Value::Shape(shape) => Ok(Value::Shape(shape.clone())),
        };
        let ids = || (0..call.buffers.len() as u32).map(BufferId);
        let stored =
            ids().map(|id| call.buffers[id.0 as usize].clone().filter(|_| is_read(Source::Buffer(id))));
        let windows =
            ids().map(|id| call.unstored[id.0 as usize].clone().filter(|_| is_read(Source::Buffer(id))));
        let results = call.results_of_tiles(stream).map(|id| {
            let (axes, dtype) = call.buffer_form(id);
            Ok((id, Labeled { tensor: call.kernels.empty(&shape_of(&axes), dtype)?, axes }))
        });
        let results: BTreeMap<BufferId, Labeled<T>> = results.collect::<Result<_>>()?;
        let of_buffer = |id: BufferId| match stream.sums.contains(&id) {
            true => call.dtypes.compute(call.schedule.buffer(id).kind),
            false => call.buffer_dtype(id),
        };
        Ok(Job {
            graph: call.graph,
            schedule: call.schedule,
            stream,
            first,
            binding: call.binding.clone(),
            dtypes: call.dtypes.clone(),
            of_buffers: ids().map(of_buffer).collect(),
            needed: call.needed.clone(),
            wanted: call.wanted,
            args: call.args.iter().enumerate().map(arg).collect::<Result<_>>()?,
            stored: stored.collect(),
            windows: windows.collect(),
            sums: stream.sums.iter().map(|id| call.buffer_form(*id).0).collect(),
            trimmed: call.trimmed_axis(stream),
            stored_by_tiles: results.keys().copied().collect(),
            results: Mutex::new(results),
        })
    }

    /// Runs the tiles of a task. Returns what they add up to.
    fn run<K: Kernels<Tensor = T>>(&self, tiles: &Tiles, task: usize, kernels: &mut K) -> Result<Sums<T>> {
        let mut sums = Sums::new(self.stream.sums.len());
        for rows in tiles.of_task(task) {
            let kept = self.trimmed.map(|axis| self.trim(axis, tiles.block).kept(&self.binding, &rows));
            let cuts: Vec<Cut> = rows.iter().copied().chain(kept).collect();
            let mut tile = self.tile(&cuts, kernels)?;
            tile.run_kernels(self.first, self.stream.kernels.end)?;
            let mut buffers = tile.buffers;
            for (sum, id) in self.stream.sums.iter().enumerate() {
                if let Some(Labeled { tensor, .. }) = buffers[id.0 as usize].take() {
                    let part = ranges(&self.sums[sum], &rows);
                    let within = within(&self.sums[sum], &part, kept);
                    sums.add(sum, Term { part, within, tensor }, kernels)?;
                }
            }
            self.keep::<K>(buffers, &cuts)?;
        }
        Ok(sums)
    }

    fn trim(&self, axis: BoundAxis, block: usize) -> Trim<'_, Labeled<T>> {
        let Job { schedule, stream, args, needed, .. } = self;
        Trim { schedule, stream, args, needed, axis, block }
    }

    /// The call of a tile.
    fn tile<'t, K: Kernels<Tensor = T>>(
        &'t self,
        cuts: &[Cut],
        kernels: &'t mut K,
    ) -> Result<Executor<'t, K>> {
        let part = |value: &Labeled<T>| {
            let ranges = ranges(&value.axes, cuts);
            let size =
                |(bound, range): (&BoundAxis, &Range<usize>)| BoundAxis { size: range.len(), ..*bound };
            let axes = value.axes.iter().zip(&ranges).map(size).collect();
            Ok(Labeled { tensor: K::part(value.tensor.clone(), &ranges)?, axes })
        };
        let args = self.args.iter().map(|arg| arg.clone().try_map(|value| Ok(part(&value)?.tensor)));
        let buffers = self.stored.iter().map(|stored| stored.as_ref().map(part).transpose());
        let mut windows = self.windows.clone();
        windows.iter_mut().flatten().for_each(|read| match read {
            Read::Window(window) => window.cut(cuts),
            Read::Memory(_) | Read::Written(_) | Read::Index(_) | Read::Kept(_) => {}
            Read::Gathered(_) => unreachable!("what a stream reads of a gather is stored"),
        });
        Ok(Executor {
            graph: self.graph,
            schedule: self.schedule,
            kernels,
            binding: self.binding.tile(cuts),
            dtypes: self.dtypes.clone(),
            args: args.collect::<Result<_>>()?,
            buffers: buffers.collect::<Result<_>>()?,
            unstored: windows,
            needed: self.needed.clone(),
            wanted: self.wanted,
            tile: Some(Tile {
                sums: &self.stream.sums,
                stored: &self.stored_by_tiles,
                dtypes: &self.of_buffers,
            }),
        })
    }

    /// Writes the results of a tile into the whole ones.
    fn keep<K: Kernels<Tensor = T>>(&self, mut parts: Vec<Option<Labeled<T>>>, cuts: &[Cut]) -> Result<()> {
        let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        let ids: Vec<BufferId> = results.keys().copied().collect();
        for id in ids {
            let part = parts[id.0 as usize].take();
            if let (Some(part), Some(whole)) = (part, results.remove(&id)) {
                let tensor =
                    K::with_part(whole.tensor, &with_steps(&ranges(&whole.axes, cuts)), &part.tensor)?;
                results.insert(id, Labeled { tensor, axes: whole.axes });
            }
        }
        Ok(())
    }
}

/// The range of each axis of a value that a tile has. An axis of size 1, along which the value is broadcast,
/// stays.
fn ranges(axes: &[BoundAxis], cuts: &[Cut]) -> Vec<Range<usize>> {
    let range = |bound: &BoundAxis| match cuts.iter().find(|cut| cut.axis == bound.axis) {
        Some(cut) if bound.size != 1 => cut.start..cut.start + cut.len,
        Some(_) | None => 0..bound.size,
    };
    axes.iter().map(range).collect()
}

/// The ranges in a part of a sum that a tile computes, if it was trimmed.
fn within(axes: &[BoundAxis], part: &[Range<usize>], kept: Option<Cut>) -> Vec<Range<usize>> {
    let range = |(bound, part): (&BoundAxis, &Range<usize>)| match kept {
        Some(cut) if cut.axis == bound.axis => cut.start..cut.start + cut.len,
        Some(_) | None => 0..part.len(),
    };
    axes.iter().zip(part).map(range).collect()
}
