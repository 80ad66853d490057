//! One call of an op: its arguments, the buffers between its kernels, and its results.
//!
//! Kernels run in the order of the schedule; those whose results nobody wants are skipped, and a buffer goes back to its pool after
//! the last kernel that reads it.

use super::plan::{Body, Place};
use super::stream::{Real, match_real};
use crate::layout::{Few, Layout, row_major};
use crate::parallel::Shared;
use crate::tensor::{NdArrayTensor, map_array};
use crate::{cast, reduce};
use tensor_op_core::{AxisId, Binding, BoundAxis, DType, Dtypes, Error, ErrorKind, Result, Shape, Value};
use tensor_op_spec::ir::{Graph, Kind, NodeId, Output, Scalar};
use tensor_op_spec::prim::Fold;
use tensor_op_spec::schedule::{BufferId, Kernel, Leaf, Schedule, Source};

/// One call of an op.
pub(super) struct Call<'a> {
    pub(super) graph: &'a Graph,
    pub(super) schedule: &'a Schedule,
    pub(super) binding: Binding,
    pub(super) dtypes: Dtypes,
    pub(super) args: Vec<Value<NdArrayTensor>>,
    /// What kernels have stored, until nobody reads it any more.
    pub(super) buffers: Vec<Option<StoredValue>>,
    /// Which buffers are wanted, by the caller or by a kernel that is.
    pub(super) needed: Vec<bool>,
    wanted: &'a [bool],
}

/// A value in memory: row-major over these axes.
#[derive(Clone)]
pub(super) struct StoredValue {
    pub(super) tensor: NdArrayTensor,
    pub(super) axes: Vec<BoundAxis>,
}

/// An input of a kernel.
pub(super) enum Input {
    /// A number.
    Single(Scalar),
    /// Memory or an index.
    Strided(Strided),
}

/// Memory, or an index, over axes.
#[derive(Clone)]
pub(super) struct Strided {
    pub(super) place: Place,
    pub(super) dtype: DType,
    /// Strides of the axes along which it varies.
    pub(super) strides: Few<(AxisId, isize)>,
    /// Number of elements, to tell large operands from small ones.
    pub(super) len: usize,
}

impl<'a> Call<'a> {
    /// Binds dims and dtypes.
    pub(super) fn new(
        graph: &'a Graph,
        schedule: &'a Schedule,
        args: Vec<Value<NdArrayTensor>>,
        wanted: &'a [bool],
    ) -> Result<Call<'a>> {
        let binding = Binding::from_args(graph, &args, |tensor: &NdArrayTensor| tensor.shape().clone())?;
        let dtypes = Dtypes::from_args(graph, &args, NdArrayTensor::dtype)?;
        let buffers = vec![None; schedule.buffers.len()];
        let needed = schedule.needed_buffers(wanted);
        Ok(Call { graph, schedule, binding, dtypes, args, buffers, needed, wanted })
    }

    /// Runs all kernels that are needed, in the float type of their arithmetic.
    pub(super) fn run_with(self, bodies: &[Body<'_>]) -> Result<Vec<Option<NdArrayTensor>>> {
        match_real!(self.dtypes.float, E => self.run::<E>(bodies))
    }

    fn run<E: Real>(mut self, bodies: &[Body<'_>]) -> Result<Vec<Option<NdArrayTensor>>> {
        let mut first = 0;
        for (index, kernel) in self.schedule.kernels.iter().enumerate() {
            let passes = kernel.nest().map_or(0, |nest| nest.passes.len());
            let of_kernel =
                bodies.get(first..first + passes).ok_or_else(|| missing_bodies(self.graph, bodies.len()))?;
            first += passes;
            if kernel.is_needed(&self.needed) {
                self.run_kernel::<E>(index, kernel, of_kernel)?;
                self.free(index);
            }
        }
        self.results()
    }

    fn run_kernel<E: Real>(&mut self, index: usize, kernel: &'a Kernel, bodies: &[Body<'_>]) -> Result<()> {
        match kernel {
            Kernel::Loop(nest) => self.run_loop::<E>(nest, bodies, index),
            Kernel::Contraction(product) => self.contract::<E>(product, bodies, index),
            Kernel::Gather(kernel) => self.gather(kernel),
            Kernel::Scatter(kernel) => self.scatter(kernel),
        }
    }

    /// Where an input is.
    pub(super) fn input(&self, leaf: &Leaf) -> Result<Input> {
        let kind = self.graph.node(leaf.node).kind;
        match leaf.source {
            Source::Arg(arg) => match &self.args[arg] {
                Value::Tensor(tensor) => Ok(Input::Strided(self.arg(arg, tensor))),
                Value::Scalar(value) => Ok(Input::Single(value.cast(kind))),
                Value::Shape(_) => Err(Error::new(ErrorKind::Unsupported, "only the shape of it was given")
                    .with_arg(&self.graph.args[arg].name)),
            },
            Source::Buffer(id) => Ok(Input::Strided(self.stored(id).strided())),
            Source::Len(dims) => Ok(Input::Single(Scalar::Int(self.binding.len(dims)? as i64).cast(kind))),
            Source::Iota(dim) => {
                let axes = self.binding.axes(tensor_op_spec::ir::DimSet::one(dim));
                let strides = strides(&axes, &row_major(&axes.iter().map(|a| a.size).collect::<Vec<_>>()));
                Ok(Input::Strided(Strided { place: Place::Iota, dtype: DType::I64, strides, len: 0 }))
            }
            Source::Statistic => {
                Err(Error::new(ErrorKind::Backend, "the schedule reads a statistic outside of its loop"))
            }
        }
    }

    fn arg(&self, arg: usize, tensor: &NdArrayTensor) -> Strided {
        let axes = self.binding.arg_axes(arg);
        let layout = tensor.layout();
        let place = Place::Memory(Shared(tensor.as_ptr().cast_mut()));
        let split = axes.len() != layout.shape.len();
        let strides = if split {
            let sizes: Vec<usize> = axes.iter().map(|bound| bound.size).collect();
            let parts = layout.reshape(&sizes).expect("an axis can always be split into its parts");
            strides(axes, &parts.strides)
        } else {
            strides(axes, &layout.strides)
        };
        Strided { place, dtype: tensor.dtype(), strides, len: layout.len() }
    }

    /// An input as a whole tensor with its axes, composites split.
    pub(super) fn whole(&self, leaf: &Leaf) -> Result<StoredValue> {
        match leaf.source {
            Source::Buffer(id) => Ok(self.stored(id).clone()),
            Source::Arg(arg) => match &self.args[arg] {
                Value::Tensor(tensor) => {
                    let axes = self.binding.arg_axes(arg).to_vec();
                    let sizes: Vec<usize> = axes.iter().map(|bound| bound.size).collect();
                    let layout =
                        tensor.layout().reshape(&sizes).expect("an axis can always be split into its parts");
                    Ok(StoredValue { tensor: tensor.clone().with_layout(layout), axes })
                }
                Value::Scalar(_) | Value::Shape(_) => Err(not_in_memory()),
            },
            Source::Len(_) | Source::Iota(_) | Source::Statistic => Err(not_in_memory()),
        }
    }

    /// A buffer that an earlier kernel has filled.
    pub(super) fn stored(&self, id: BufferId) -> &StoredValue {
        self.buffers[id.0 as usize].as_ref().expect("kernels run in an order that respects their data")
    }

    /// The axes and dtype of a buffer: as the result is declared, or in canonical order and as computed.
    pub(super) fn buffer_form(&self, id: BufferId) -> (Vec<BoundAxis>, DType) {
        let buffer = self.schedule.buffer(id);
        let computed = self.dtypes.compute(self.kind(buffer.node));
        let mut outputs = buffer.outputs.iter().copied().filter(|index| self.wanted[*index]);
        let Some(first) = outputs.clone().next() else {
            return (self.binding.axes(buffer.dims), computed);
        };
        // What is summed later, read again, or kept as computed, is not rounded before, even if a result beside it is.
        let dtype = self.dtypes.of_result(self.graph, first);
        let is_rounded = !self.is_read(Source::Buffer(id))
            && outputs.all(|index| {
                let output = &self.graph.outputs[index];
                self.is_whole(output) && !output.hidden && self.dtypes.of_result(self.graph, index) == dtype
            });
        let axes = self.binding.result_axes(&self.graph.outputs[first].axes, buffer.dims);
        (axes, if is_rounded { dtype } else { computed })
    }

    /// Makes room for a buffer.
    pub(super) fn allocate(&mut self, id: BufferId) -> Result<()> {
        let (axes, dtype) = self.buffer_form(id);
        let shape: Shape = axes.iter().map(|bound| bound.size).collect();
        let tensor = NdArrayTensor::recycled(&shape, dtype)?;
        self.buffers[id.0 as usize] = Some(StoredValue { tensor, axes });
        Ok(())
    }

    /// A buffer that has room.
    pub(super) fn stored_mut(&mut self, id: BufferId) -> &mut StoredValue {
        self.buffers[id.0 as usize].as_mut().expect("a kernel makes room before it writes")
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

    fn results(mut self) -> Result<Vec<Option<NdArrayTensor>>> {
        let mut results = Vec::with_capacity(self.wanted.len());
        for (index, output) in self.graph.outputs.iter().enumerate() {
            results.push(if self.wanted[index] { Some(self.result(index, output)?) } else { None });
        }
        Ok(results)
    }

    fn result(&mut self, index: usize, output: &Output) -> Result<NdArrayTensor> {
        let at = self.schedule.buffers.iter().position(|buffer| buffer.outputs.contains(&index));
        let at = at.ok_or_else(|| Error::new(ErrorKind::Backend, "the schedule stores no such result"))?;
        let buffer = &self.schedule.buffers[at];
        let is_last = (index + 1..self.wanted.len()).all(|later| !buffer.outputs.contains(&later));
        let stored = if is_last { self.buffers[at].take() } else { self.buffers[at].clone() };
        let StoredValue { tensor, axes } = stored.expect("all kernels that were needed have run");
        let tensor = match output.like {
            Some(arg) => self.sum_like(tensor, axes, arg)?,
            None => {
                let order = self.binding.result_axes(&output.axes, buffer.dims);
                let tensor = permute(tensor, &axes, &order);
                let shape = self.binding.result_shape(&output.axes, buffer.dims)?;
                map_array!(tensor, array => array.reshape(&shape)?)
            }
        };
        cast::cast(tensor, self.dtypes.of_result(self.graph, index))
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
    fn sum_like(&self, tensor: NdArrayTensor, axes: Vec<BoundAxis>, arg: usize) -> Result<NdArrayTensor> {
        let target = self.binding.arg_axes(arg);
        let is_whole = |bound: &BoundAxis| target.contains(bound);
        let summed: Vec<usize> = (0..axes.len()).filter(|at| !is_whole(&axes[*at])).collect();
        let tensor = if summed.is_empty() { tensor } else { reduce::reduce(Fold::Sum, &tensor, &summed)? };
        let kept: Vec<BoundAxis> = axes.into_iter().filter(is_whole).collect();
        let order: Vec<BoundAxis> = target.iter().filter(|bound| kept.contains(bound)).copied().collect();
        let tensor = permute(tensor, &kept, &order);
        let shape = self.binding.like_shape(arg);
        Ok(map_array!(tensor, array => array.reshape(&shape)?))
    }

    /// The kind of a node's elements.
    pub(super) fn kind(&self, node: NodeId) -> Kind {
        self.graph.node(node).kind
    }
}

impl StoredValue {
    /// As an input.
    pub(super) fn strided(&self) -> Strided {
        self.at(self.tensor.as_ptr().cast_mut())
    }

    /// As a result. Nobody else holds the tensor.
    pub(super) fn target(&mut self) -> Strided {
        let place =
            self.tensor.as_mut_ptr().expect("a result's buffer has one owner until its kernel is done");
        self.at(place)
    }

    /// How far it moves along an axis.
    pub(super) fn stride(&self, axis: AxisId) -> isize {
        let strides = &self.tensor.layout().strides;
        let own = self.axes.iter().zip(strides).find(|(own, _)| own.axis == axis && own.size != 1);
        own.map_or(0, |(_, stride)| *stride)
    }

    fn at(&self, place: *mut u8) -> Strided {
        let layout = self.tensor.layout();
        let place = Place::Memory(Shared(place));
        Strided {
            place,
            dtype: self.tensor.dtype(),
            strides: strides(&self.axes, &layout.strides),
            len: layout.len(),
        }
    }
}

impl Strided {
    /// How far it moves along an axis.
    pub(super) fn stride(&self, axis: AxisId) -> isize {
        self.strides.iter().find(|(own, _)| *own == axis).map_or(0, |(_, stride)| *stride)
    }
}

/// Axes of size 1 are broadcast, or of no account.
fn strides(axes: &[BoundAxis], strides: &[isize]) -> Few<(AxisId, isize)> {
    let axes = axes.iter().zip(strides);
    axes.filter(|(bound, _)| bound.size != 1).map(|(bound, stride)| (bound.axis, *stride)).collect()
}

fn permute(tensor: NdArrayTensor, axes: &[BoundAxis], order: &[BoundAxis]) -> NdArrayTensor {
    if axes == order {
        return tensor;
    }
    let places: Vec<usize> =
        order.iter().filter_map(|bound| axes.iter().position(|own| own == bound)).collect();
    let layout: Layout = tensor.layout().permute(&places);
    tensor.with_layout(layout)
}

fn not_in_memory() -> Error {
    Error::new(ErrorKind::Backend, "contractions and indexing take values that are in memory")
}

fn missing_bodies(graph: &Graph, found: usize) -> Error {
    let message = format!("the schedule has more passes than the {found} bodies that were generated");
    Error::new(ErrorKind::Backend, message).with_op(&graph.name)
}
