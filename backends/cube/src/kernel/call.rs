//! One call of an op: its arguments, the buffers between its kernels, and its results.
//!
//! Kernels run in the order of the schedule; those whose results nobody wants are skipped, and a buffer goes back to its pool after the
//! last kernel that reads it.

use crate::device::Opened;
use crate::fault::Doubts;
use crate::layout::Layout;
use crate::primitive;
use crate::tensor::CubeTensor;
use std::sync::Arc;
use tensor_op_core::{AxisId, Binding, BoundAxis, DType, Dtypes, Error, ErrorKind, Result, Shape, Value};
use tensor_op_spec::ir::{DimSet, Graph, Kind, NodeId, Output, Scalar};
use tensor_op_spec::prim::Fold;
use tensor_op_spec::schedule::{BufferId, Kernel, Leaf, Program, Schedule, Source, is_exact};

/// One call of an op.
pub(super) struct Call<'a> {
    pub(super) graph: &'a Graph,
    pub(super) schedule: &'a Schedule,
    pub(super) device: &'static Opened,
    pub(super) binding: Binding,
    pub(super) dtypes: Dtypes,
    pub(super) args: Vec<Value<CubeTensor>>,
    /// What kernels have stored, until nobody reads it any more.
    pub(super) buffers: Vec<Option<StoredValue>>,
    /// Which buffers are wanted, by the caller or by a kernel that is.
    pub(super) needed: Vec<bool>,
    /// Of the arguments, and of what its kernels leave in doubt: of all results, as a call has one error.
    pub(super) doubts: Vec<Doubts>,
    wanted: &'a [bool],
}

/// A value in memory: these axes in this order.
#[derive(Clone)]
pub(super) struct StoredValue {
    pub(super) tensor: CubeTensor,
    pub(super) axes: Vec<BoundAxis>,
}

/// An input of a kernel.
pub(super) enum Input {
    /// A number.
    Single(Scalar),
    /// Memory.
    Stored(Box<StoredValue>),
    /// The index along axes, row-major.
    Index(Vec<BoundAxis>),
}

impl<'a> Call<'a> {
    /// Binds dims and dtypes.
    pub(super) fn new(
        graph: &'a Graph,
        schedule: &'a Schedule,
        args: Vec<Value<CubeTensor>>,
        wanted: &'a [bool],
        device: &'static Opened,
    ) -> Result<Call<'a>> {
        let binding = Binding::from_args(graph, &args, |tensor: &CubeTensor| tensor.shape().clone())?;
        let dtypes = Dtypes::from_args(graph, &args, |tensor| tensor.dtype)?;
        let buffers = vec![None; schedule.buffers.len()];
        let needed = schedule.needed_buffers(wanted);
        let doubts = args.iter().filter_map(Value::tensor).map(|tensor| tensor.doubts.clone()).collect();
        Ok(Call { graph, schedule, device, binding, dtypes, args, buffers, needed, doubts, wanted })
    }

    /// Runs all kernels that are needed.
    pub(super) fn run(mut self, programs: &[Arc<Program>]) -> Result<Vec<Option<CubeTensor>>> {
        let mut first = 0;
        for (index, kernel) in self.schedule.kernels.iter().enumerate() {
            let passes = kernel.nest().map_or(0, |nest| nest.passes.len());
            let of_kernel = &programs[first..first + passes];
            first += passes;
            if kernel.is_needed(&self.needed) {
                self.run_kernel(index, kernel, of_kernel)?;
                self.free(index);
            }
        }
        self.results()
    }

    fn run_kernel(&mut self, index: usize, kernel: &'a Kernel, programs: &[Arc<Program>]) -> Result<()> {
        match kernel {
            Kernel::Loop(nest) => self.run_loop(nest, programs, index),
            Kernel::Contraction(product) => self.contract(product, programs, index),
            Kernel::Gather(kernel) => self.gather(kernel),
            Kernel::Scatter(kernel) => self.scatter(kernel),
        }
    }

    /// Where an input is.
    pub(super) fn input(&self, leaf: &Leaf) -> Result<Input> {
        let kind = self.graph.node(leaf.node).kind;
        match leaf.source {
            Source::Arg(arg) => match &self.args[arg] {
                Value::Tensor(tensor) => Ok(Input::Stored(Box::new(self.arg(arg, tensor)))),
                Value::Scalar(value) => Ok(Input::Single(value.cast(kind))),
                Value::Shape(_) => Err(Error::new(ErrorKind::Unsupported, "only the shape of it was given")
                    .with_arg(&self.graph.args[arg].name)),
            },
            Source::Buffer(id) => Ok(Input::Stored(Box::new(self.stored(id).clone()))),
            Source::Len(dims) => Ok(Input::Single(Scalar::Int(self.binding.len(dims)? as i64).cast(kind))),
            Source::Iota(dim) => Ok(Input::Index(self.binding.axes(DimSet::one(dim)))),
            Source::Statistic => {
                Err(Error::new(ErrorKind::Backend, "the schedule reads a statistic outside of its loop"))
            }
        }
    }

    /// An argument with its axes, composites split.
    fn arg(&self, arg: usize, tensor: &CubeTensor) -> StoredValue {
        let axes = self.binding.arg_axes(arg).to_vec();
        let sizes: Vec<usize> = axes.iter().map(|bound| bound.size).collect();
        let layout = tensor.layout.reshape(&sizes).expect("an axis can always be split into its parts");
        StoredValue { tensor: tensor.clone().with_layout(layout), axes }
    }

    /// An input as a whole tensor with its axes.
    pub(super) fn whole(&self, leaf: &Leaf) -> Result<StoredValue> {
        match self.input(leaf)? {
            Input::Stored(stored) => Ok(*stored),
            Input::Single(_) | Input::Index(_) => Err(Error::new(
                ErrorKind::Backend,
                "contractions and indexing take values that are in memory",
            )),
        }
    }

    /// A buffer that an earlier kernel has filled.
    pub(super) fn stored(&self, id: BufferId) -> &StoredValue {
        self.buffers[id.0 as usize].as_ref().expect("kernels run in an order that respects their data")
    }

    /// The axes and dtype of a buffer: as the result is declared, or in canonical order and as computed.
    pub(super) fn buffer_form(&self, id: BufferId) -> (Vec<BoundAxis>, DType) {
        let buffer = self.schedule.buffer(id);
        let kind = self.kind(buffer.node);
        let mut outputs = buffer.outputs.iter().copied().filter(|index| self.wanted[*index]);
        let Some(first) = outputs.clone().next() else {
            let dtype =
                if self.is_exact(buffer.node) { self.dtypes.float } else { self.dtypes.compute(kind) };
            return (self.binding.axes(buffer.dims), dtype);
        };
        // What is summed later, read again, or kept as computed, is not rounded before, even if a result beside it is.
        let dtype = self.dtypes.of_result(self.graph, first);
        let is_rounded = (!self.is_read(Source::Buffer(id)) || self.is_exact(buffer.node))
            && outputs.all(|index| {
                let output = &self.graph.outputs[index];
                self.is_whole(output) && !output.hidden && self.dtypes.of_result(self.graph, index) == dtype
            });
        let axes = self.binding.result_axes(&self.graph.outputs[first].axes, buffer.dims);
        (axes, if is_rounded { dtype } else { self.dtypes.compute(kind) })
    }

    /// Whether rounding to a half leaves a value as it is.
    fn is_exact(&self, node: NodeId) -> bool {
        let half = self.dtypes.float;
        let is_half = |arg: usize| match &self.args[arg] {
            Value::Tensor(tensor) => tensor.dtype == half,
            Value::Scalar(_) | Value::Shape(_) => false,
        };
        half.is_half() && self.kind(node) == Kind::Float && is_exact(self.graph, node, is_half)
    }

    /// Makes room for a value.
    pub(super) fn allocate(&self, axes: Vec<BoundAxis>, dtype: DType) -> Result<StoredValue> {
        let shape: Shape = axes.iter().map(|bound| bound.size).collect();
        Ok(StoredValue { tensor: CubeTensor::empty(&shape, dtype, self.device)?, axes })
    }

    /// Keeps what a kernel fills.
    pub(super) fn keep(&mut self, id: BufferId, value: StoredValue) {
        self.buffers[id.0 as usize] = Some(value);
    }

    /// Whether a kernel reads an argument or buffer.
    fn is_read(&self, source: Source) -> bool {
        self.schedule.is_read_from(0, source, &self.needed)
    }

    /// Whether a kernel after this one reads an argument or buffer.
    pub(super) fn is_read_after(&self, kernel: usize, source: Source) -> bool {
        self.schedule.is_read_from(kernel + 1, source, &self.needed)
    }

    fn free(&mut self, after: usize) {
        for index in 0..self.buffers.len() {
            let id = BufferId(index as u32);
            if self.buffers[index].is_some()
                && !self.is_result(id)
                && !self.is_read_after(after, Source::Buffer(id))
            {
                self.buffers[index] = None;
            }
        }
    }

    /// Whether the caller wants a buffer.
    pub(super) fn is_result(&self, id: BufferId) -> bool {
        self.schedule.buffer(id).outputs.iter().any(|output| self.wanted[*output])
    }

    fn results(self) -> Result<Vec<Option<CubeTensor>>> {
        let doubts = Doubts::all(&self.doubts)?;
        let result = |(index, output): (usize, &Output)| {
            if !self.wanted[index] {
                return Ok(None);
            }
            self.result(index, output).map(|tensor| Some(CubeTensor { doubts: doubts.clone(), ..tensor }))
        };
        self.graph.outputs.iter().enumerate().map(result).collect()
    }

    fn result(&self, index: usize, output: &Output) -> Result<CubeTensor> {
        let at = self.schedule.buffers.iter().position(|buffer| buffer.outputs.contains(&index));
        let at = at.ok_or_else(|| Error::new(ErrorKind::Backend, "the schedule stores no such result"))?;
        let buffer = &self.schedule.buffers[at];
        let StoredValue { tensor, axes } = self.stored(BufferId(at as u32)).clone();
        let tensor = match output.like {
            Some(arg) => self.sum_like(tensor, axes, arg)?,
            None => {
                let order = self.binding.result_axes(&output.axes, buffer.dims);
                let shape = self.binding.result_shape(&output.axes, buffer.dims)?;
                primitive::reshape(permute(tensor, &axes, &order), shape)?
            }
        };
        primitive::cast(tensor, self.dtypes.of_result(self.graph, index))
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
    fn sum_like(&self, tensor: CubeTensor, axes: Vec<BoundAxis>, arg: usize) -> Result<CubeTensor> {
        let target = self.binding.arg_axes(arg);
        let is_whole = |bound: &BoundAxis| target.contains(bound);
        let summed: Vec<usize> = (0..axes.len()).filter(|at| !is_whole(&axes[*at])).collect();
        let tensor = if summed.is_empty() { tensor } else { primitive::reduce(Fold::Sum, tensor, &summed)? };
        let kept: Vec<BoundAxis> = axes.into_iter().filter(is_whole).collect();
        let order: Vec<BoundAxis> = target.iter().filter(|bound| kept.contains(bound)).copied().collect();
        primitive::reshape(permute(tensor, &kept, &order), self.binding.like_shape(arg))
    }

    /// The kind of a node's elements.
    pub(super) fn kind(&self, node: NodeId) -> Kind {
        self.graph.node(node).kind
    }
}

impl StoredValue {
    /// How far it moves along an axis.
    pub(super) fn stride(&self, axis: AxisId) -> usize {
        let own = self.axes.iter().zip(self.tensor.layout.strides.iter());
        own.filter(|(own, _)| own.size != 1)
            .find(|(own, _)| own.axis == axis)
            .map_or(0, |(_, stride)| *stride)
    }
}

fn permute(tensor: CubeTensor, axes: &[BoundAxis], order: &[BoundAxis]) -> CubeTensor {
    if axes == order {
        return tensor;
    }
    let places: Vec<usize> =
        order.iter().filter_map(|bound| axes.iter().position(|own| own == bound)).collect();
    let layout: Layout = tensor.layout.permute(&places);
    tensor.with_layout(layout)
}
