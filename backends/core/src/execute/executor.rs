//! One call of an op: its arguments, the buffers between its kernels, and its results.

use super::{BoundIndex, BoundProduct, Gathered, Kernels, Labeled, Read};
use crate::{Binding, BoundAxis, DType, Dtypes, Error, ErrorKind, Result, Shape, Value};
use tensor_op_spec::ir::{DimSet, Graph, Kind, Output};
use tensor_op_spec::schedule::{BufferId, Contraction, Index, Kernel, Loop, Schedule, Source, Sweep};

/// The state of a call.
pub(super) struct Executor<'a, K: Kernels> {
    pub(super) graph: &'a Graph,
    pub(super) schedule: &'a Schedule,
    pub(super) kernels: &'a mut K,
    pub(super) binding: Binding,
    pub(super) dtypes: Dtypes,
    pub(super) args: Vec<Value<K::Tensor>>,
    /// What kernels have stored, until nobody reads it any more.
    pub(super) buffers: Vec<Option<Labeled<K::Tensor>>>,
    /// Buffers that have no memory of their own: windows that reach outside of their source, and what gathers
    /// give. Only loops read them.
    pub(super) unstored: Vec<Option<Read<K::Tensor>>>,
    /// Which buffers are wanted, by the caller or by a kernel that is needed.
    pub(super) needed: Vec<bool>,
    pub(super) wanted: &'a [bool],
    /// If this is one tile of a stream: what it takes over from the whole.
    pub(super) tile: Option<Tile<'a>>,
}

/// What a tile of a stream takes over from the whole.
#[derive(Clone, Copy)]
pub(super) struct Tile<'a> {
    /// The buffers that are summed over rows. The tile computes a term of each.
    pub(super) sums: &'a [BufferId],
    /// The buffers that have a part of the tile. Outside of the tile they may be read through a view.
    pub(super) stored: &'a [BufferId],
    /// The dtype of each buffer of the schedule. Those of sums are the ones that they are computed in.
    pub(super) dtypes: &'a [DType],
}

/// A kernel that runs: its place in the schedule, and the number of its first pass.
#[derive(Clone, Copy)]
pub(super) struct Current {
    pub(super) kernel: usize,
    pub(super) first_pass: usize,
}

impl Current {
    /// The kernel after this one, which is `kernel`.
    pub(super) fn after(self, kernel: &Kernel) -> Current {
        Current { kernel: self.kernel + 1, first_pass: self.first_pass + kernel.passes().len() }
    }
}

impl<'a, K: Kernels> Executor<'a, K> {
    /// Binds dims and dtypes.
    pub(super) fn new(
        graph: &'a Graph,
        schedule: &'a Schedule,
        args: Vec<Value<K::Tensor>>,
        wanted: &'a [bool],
        kernels: &'a mut K,
    ) -> Result<Executor<'a, K>> {
        let binding = Binding::from_args(graph, &args, K::shape)?;
        let dtypes = Dtypes::from_args(graph, &args, K::dtype)?;
        let buffers = schedule.buffers.iter().map(|_| None).collect();
        let unstored = schedule.buffers.iter().map(|_| None).collect();
        let needed = schedule.needed_buffers(wanted);
        Ok(Executor {
            graph,
            schedule,
            kernels,
            binding,
            dtypes,
            args,
            buffers,
            unstored,
            needed,
            wanted,
            tile: None,
        })
    }

    /// Runs the kernels in the order of the schedule. A buffer is freed after the last kernel that reads it.
    pub(super) fn run(mut self) -> Result<Vec<Option<K::Tensor>>> {
        let schedule = self.schedule;
        let mut next = Current { kernel: 0, first_pass: 0 };
        let (mut streams, mut sweeps) =
            (schedule.streams.iter().peekable(), schedule.sweeps.iter().peekable());
        loop {
            let starts = |sweep: &&Sweep| {
                streams.peek().is_none_or(|stream| sweep.kernels.start < stream.kernels.start)
            };
            if let Some(sweep) = sweeps.next_if(starts) {
                next = self.run_kernels(next, sweep.kernels.start)?;
                next = match self.run_sweep(sweep, next)? {
                    Some(next) => next,
                    None => self.run_kernels(next, sweep.kernels.end)?,
                };
            } else if let Some(stream) = streams.next() {
                next = self.run_kernels(next, stream.kernels.start)?;
                next = match self.run_fused(stream, next)? {
                    Some(next) => next,
                    None => self.run_stream(stream, next)?,
                };
            } else {
                break;
            }
        }
        self.run_kernels(next, schedule.kernels.len())?;
        self.results()
    }

    /// Runs the kernels from one on, one after the other. Returns the kernel at `end`, which is next.
    pub(super) fn run_kernels(&mut self, mut next: Current, end: usize) -> Result<Current> {
        let schedule = self.schedule;
        for kernel in &schedule.kernels[next.kernel..end] {
            if kernel.is_needed(&self.needed) {
                self.run_kernel(kernel, next)?;
                self.free(next.kernel);
            }
            next = next.after(kernel);
        }
        Ok(next)
    }

    fn run_kernel(&mut self, kernel: &'a Kernel, current: Current) -> Result<()> {
        match kernel {
            Kernel::Loop(nest) => self.run_loop(nest, current),
            Kernel::Contraction(product) => self.multiply(product, current),
            Kernel::View(view) => self.view(view),
            Kernel::Scan(kernel) => {
                let tensor = self.bound_scan(kernel).and_then(|scan| self.kernels.scan(scan))?;
                self.keep(kernel.out, tensor)
            }
            Kernel::Order(kernel) => {
                let tensor = self.order(kernel)?;
                self.keep(kernel.out, tensor)
            }
            Kernel::Gather(kernel) => self.gather(kernel),
            Kernel::Scatter(fold, kernel) => {
                let tensor =
                    self.indexing(kernel).and_then(|indexing| self.kernels.scatter(*fold, indexing))?;
                self.keep(kernel.out, tensor)
            }
        }
    }

    /// Gathers, or leaves it to the loops that read the result.
    fn gather(&mut self, kernel: &'a Index) -> Result<()> {
        let indexing = self.indexing(kernel)?;
        let is_looped = !self.is_result(kernel.out) && self.schedule.looped_gather(kernel.out).is_some();
        if is_looped && self.kernels.defers(&indexing)? {
            let BoundIndex { source, index, along, .. } = indexing;
            let gathered = Gathered { source, index, along: along.axis };
            self.unstored[kernel.out.0 as usize] = Some(Read::Gathered(gathered));
            return Ok(());
        }
        let tensor = self.kernels.gather(indexing)?;
        self.keep(kernel.out, tensor)
    }

    pub(super) fn run_loop(&mut self, nest: &'a Loop, current: Current) -> Result<()> {
        let (mut bound, ids) = self.bind_loop(nest, current)?;
        self.kernels.run_loop(&mut bound)?;
        for (write, id) in bound.writes.into_iter().zip(ids) {
            self.buffers[id.0 as usize] = Some(write.value);
        }
        Ok(())
    }

    fn multiply(&mut self, product: &'a Contraction, current: Current) -> Result<()> {
        let (out, dtype) = self.buffer_form(product.out);
        let axes = |dims| self.binding.axes(dims);
        let [batch, m, n, k] = [product.batch, product.m, product.n, product.k].map(axes);
        let (lhs, rhs) = (self.factor(product.lhs)?, self.factor(product.rhs)?);
        let precision = self.graph.precision.unwrap_or_else(|| self.kernels.precision());
        let bound = BoundProduct { lhs, rhs, batch, m, n, k, out, dtype, precision };
        let tensor = self.kernels.multiply(bound)?;
        self.keep(product.out, tensor)?;
        let is_term = self.tile.is_some_and(|tile| tile.sums.contains(&product.out));
        match &product.epilogue {
            Some(nest) if !is_term => self.run_loop(nest, current),
            Some(_) | None => Ok(()),
        }
    }

    /// A factor of a product, rounded if factors are.
    pub(super) fn factor(&self, source: Source) -> Result<Labeled<K::Tensor>> {
        let Labeled { tensor, axes } = self.whole(source)?;
        let dtype = self.factor_dtype(K::dtype(&tensor));
        Ok(Labeled { tensor: K::cast(tensor, dtype)?, axes })
    }

    /// The dtype of a factor that is stored as this one.
    pub(super) fn factor_dtype(&self, stored: DType) -> DType {
        if self.rounds_factors() { self.dtypes.float } else { stored }
    }

    /// Whether computed factors of products become halves.
    fn rounds_factors(&self) -> bool {
        self.dtypes.float.is_half() && self.graph.may_round_to_half() && self.kernels.rounds_factors()
    }

    /// Keeps what a product or indexing gave, in the dtype of the buffer.
    fn keep(&mut self, id: BufferId, tensor: K::Tensor) -> Result<()> {
        let (axes, dtype) = self.buffer_form(id);
        self.buffers[id.0 as usize] = Some(Labeled { tensor: K::cast(tensor, dtype)?, axes });
        Ok(())
    }

    /// An input that is in memory, with its axes.
    pub(super) fn whole(&self, source: Source) -> Result<Labeled<K::Tensor>> {
        match source {
            Source::Buffer(id) => Ok(self.stored(id).clone()),
            Source::Arg(arg) => match &self.args[arg] {
                Value::Tensor(tensor) => self.split(arg, tensor.clone()),
                Value::Scalar(_) => Err(not_in_memory()),
                Value::Shape(_) => Err(self.only_a_shape(arg)),
            },
            Source::Len(_) | Source::Iota(_) | Source::Statistic(_) | Source::Kept(_) => Err(not_in_memory()),
        }
    }

    /// An argument with its axes: composites are split, which strides can always express.
    pub(super) fn split(&self, arg: usize, tensor: K::Tensor) -> Result<Labeled<K::Tensor>> {
        let axes = self.binding.arg_axes(arg).to_vec();
        let is_split = axes.len() != K::shape(&tensor).rank();
        let tensor = if is_split { K::reshape(tensor, shape_of(&axes))? } else { tensor };
        Ok(Labeled { tensor, axes })
    }

    fn only_a_shape(&self, arg: usize) -> Error {
        Error::new(ErrorKind::Unsupported, "only the shape of it was given")
            .with_arg(&self.graph.args[arg].name)
    }

    /// A buffer that an earlier kernel has filled.
    fn stored(&self, id: BufferId) -> &Labeled<K::Tensor> {
        self.buffers[id.0 as usize].as_ref().expect("kernels run in an order that respects their data")
    }

    /// The axes and dtype of a buffer: as the result is declared, or in canonical order and as computed.
    pub(super) fn buffer_form(&self, id: BufferId) -> (Vec<BoundAxis>, DType) {
        let buffer = self.schedule.buffer(id);
        let axes = match self.wanted_outputs(id).next() {
            Some(first) => self.binding.result_axes(&self.graph.outputs[first].axes, buffer.dims),
            None => self.inner_last(self.binding.axes(buffer.dims), &buffer.windows),
        };
        (axes, self.tile.map_or_else(|| self.buffer_dtype(id), |tile| tile.dtypes[id.0 as usize]))
    }

    /// The axes of a copy of windows: the longest axis of each position comes after the others.
    fn inner_last(&self, axes: Vec<BoundAxis>, windows: &[DimSet]) -> Vec<BoundAxis> {
        let mut inner = DimSet::EMPTY;
        for dims in windows {
            // `max_by_key` gives the last of equals.
            let longest = dims.iter().max_by_key(|dim| self.binding.size(*dim));
            longest.into_iter().for_each(|dim| inner.insert(dim));
        }
        let (last, first): (Vec<BoundAxis>, Vec<BoundAxis>) =
            axes.into_iter().partition(|bound| inner.contains(bound.axis.dim));
        [first, last].concat()
    }

    /// The dtype of a buffer. What is summed later, read again, or kept as computed, is not rounded before,
    /// even if a result beside it is. What is only multiplied is rounded if factors are.
    pub(super) fn buffer_dtype(&self, id: BufferId) -> DType {
        let buffer = self.schedule.buffer(id);
        let computed = self.dtypes.compute(buffer.kind);
        let Some(first) = self.wanted_outputs(id).next() else {
            return if self.is_half(id) { self.dtypes.float } else { computed };
        };
        let dtype = self.dtypes.of_result(self.graph, first);
        let is_rounded = (!self.is_read_from(0, Source::Buffer(id)) || self.is_half(id))
            && self.wanted_outputs(id).all(|index| {
                let output = &self.graph.outputs[index];
                self.is_whole(output) && !output.hidden && self.dtypes.of_result(self.graph, index) == dtype
            });
        if is_rounded { dtype } else { computed }
    }

    /// Whether a buffer is a half without being a result: its numbers are halves, or only products read it,
    /// which round their factors.
    fn is_half(&self, id: BufferId) -> bool {
        let buffer = self.schedule.buffer(id);
        let is_factor = || self.rounds_factors() && self.schedule.is_only_multiplied(id, &self.needed);
        self.dtypes.float.is_half()
            && buffer.kind == Kind::Float
            && (self.kernels.is_exact(buffer.node) || is_factor())
    }

    /// The results that a buffer is and that the caller wants.
    fn wanted_outputs(&self, id: BufferId) -> impl Iterator<Item = usize> {
        self.schedule.buffer(id).outputs.iter().copied().filter(|index| self.wanted[*index])
    }

    /// Whether a buffer is wanted, by the caller or by a kernel that is needed.
    pub(super) fn is_needed(&self, id: BufferId) -> bool {
        self.needed[id.0 as usize]
    }

    /// Whether one of the kernels from this one on reads an argument or buffer.
    pub(super) fn is_read_from(&self, kernel: usize, source: Source) -> bool {
        self.schedule.is_read_from(kernel, source, &self.needed)
    }

    pub(super) fn free(&mut self, after: usize) {
        for index in 0..self.buffers.len() {
            let id = BufferId(index as u32);
            let is_kept = self.tile.is_some_and(|tile| tile.sums.contains(&id) || tile.stored.contains(&id));
            if (self.buffers[index].is_some() || self.unstored[index].is_some())
                && !is_kept
                && !self.is_result(id)
                && !self.is_read_from(after + 1, Source::Buffer(id))
            {
                self.buffers[index] = None;
                self.unstored[index] = None;
            }
        }
    }

    /// Whether the caller wants a buffer.
    pub(super) fn is_result(&self, id: BufferId) -> bool {
        self.wanted_outputs(id).next().is_some()
    }

    fn results(mut self) -> Result<Vec<Option<K::Tensor>>> {
        let mut results = Vec::with_capacity(self.wanted.len());
        for (index, output) in self.graph.outputs.iter().enumerate() {
            results.push(if self.wanted[index] { Some(self.result(index, output)?) } else { None });
        }
        Ok(results)
    }

    fn result(&mut self, index: usize, output: &Output) -> Result<K::Tensor> {
        let at = self.schedule.buffers.iter().position(|buffer| buffer.outputs.contains(&index));
        let at = at.ok_or_else(|| Error::new(ErrorKind::Backend, "the schedule stores no such result"))?;
        let buffer = &self.schedule.buffers[at];
        let is_last = (index + 1..self.wanted.len()).all(|later| !buffer.outputs.contains(&later));
        let stored = if is_last { self.buffers[at].take() } else { self.buffers[at].clone() };
        let Labeled { tensor, axes } = stored.expect("all kernels that were needed have run");
        let tensor = match output.like {
            Some(arg) => self.sum_like(tensor, axes, arg)?,
            None => {
                let order = self.binding.result_axes(&output.axes, buffer.dims);
                let tensor = permute::<K>(tensor, &axes, &order)?;
                reshape::<K>(tensor, self.binding.result_shape(&output.axes, buffer.dims)?)?
            }
        };
        K::cast(tensor, self.dtypes.of_result(self.graph, index))
    }

    /// Whether a result has the shape that its kernel stores.
    fn is_whole(&self, output: &Output) -> bool {
        output.like.is_none_or(|arg| {
            let target = self.binding.arg_axes(arg);
            let axes = self.binding.axes(self.graph.output_dims(output));
            axes.iter().all(|bound| target.contains(bound))
        })
    }

    /// The value summed over the axes along which the argument is broadcast, in the argument's shape.
    fn sum_like(&self, tensor: K::Tensor, axes: Vec<BoundAxis>, arg: usize) -> Result<K::Tensor> {
        let target = self.binding.arg_axes(arg);
        let is_whole = |bound: &BoundAxis| target.contains(bound);
        let summed: Vec<usize> = (0..axes.len()).filter(|at| !is_whole(&axes[*at])).collect();
        let tensor = if summed.is_empty() { tensor } else { K::sum(tensor, &summed)? };
        let kept: Vec<BoundAxis> = axes.into_iter().filter(is_whole).collect();
        let order: Vec<BoundAxis> = target.iter().filter(|bound| kept.contains(bound)).copied().collect();
        reshape::<K>(permute::<K>(tensor, &kept, &order)?, self.binding.like_shape(arg))
    }
}

/// The sizes of axes.
pub(super) fn shape_of(axes: &[BoundAxis]) -> Shape {
    axes.iter().map(|bound| bound.size).collect()
}

/// The tensor in another shape, which most are in already.
pub(super) fn reshape<K: Kernels>(tensor: K::Tensor, shape: Shape) -> Result<K::Tensor> {
    if K::shape(&tensor) == shape { Ok(tensor) } else { K::reshape(tensor, shape) }
}

fn permute<K: Kernels>(tensor: K::Tensor, axes: &[BoundAxis], order: &[BoundAxis]) -> Result<K::Tensor> {
    if axes == order {
        return Ok(tensor);
    }
    let places: Vec<usize> =
        order.iter().filter_map(|bound| axes.iter().position(|own| own == bound)).collect();
    K::permute(tensor, &places)
}

fn not_in_memory() -> Error {
    Error::new(ErrorKind::Backend, "products and indexing take values that are in memory")
}
