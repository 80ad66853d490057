//! Gather and scatter: one operand moves by an integer value along one of its axes. An index out of range is noted on the device, and
//! leaves a [`Doubt`](crate::fault::Doubt) on what is computed.

mod gather;
mod scatter;

pub(crate) use gather::gather;
pub(crate) use scatter::scatter;

use super::call::{Call, StoredValue};
use super::nest::{Axis, Nest};
use super::pass::{Dest, Element, Output};
use super::plan::{LoopPlan, Memory, Read, Write};
use super::simple;
use crate::fault::{Doubts, Site};
use crate::primitive;
use crate::tensor::CubeTensor;
use tensor_op_core::{AxisId, BoundAxis, Result};
use tensor_op_spec::ir::{DimSet, Kind};
use tensor_op_spec::schedule::{Index, Source};

const SOURCE: usize = 0;
const INDEX: usize = 1;
const OUT: usize = 2;

impl Call<'_> {
    /// `out = source[dim = index]`.
    pub(super) fn gather(&mut self, kernel: &Index) -> Result<()> {
        let (source, index) = (self.whole(&kernel.source)?, self.whole(&kernel.index)?);
        let (axes, dtype) = self.buffer_form(kernel.out);
        let out = self.allocate(axes, source.tensor.dtype)?;
        let along = AxisId { dim: kernel.dim, part: 0 };
        // The indexed dim may come back through the index: then it is the index's.
        let source_step = |axis| if axis == along { 0 } else { source.stride(axis) };
        let axes = nest(&out.axes, |axis| vec![source_step(axis), index.stride(axis), out.stride(axis)]);
        let indexed = Indexed {
            step: source.stride(along),
            size: self.binding.size(kernel.dim),
            site: self.site(kernel),
        };
        self.doubts.push(if out.tensor.elements() == 0 {
            look_at(indexed, &index.tensor)?
        } else {
            gather(&indexed, axes, &source.tensor, &index.tensor, &out.tensor)?
        });
        let tensor = primitive::cast(out.tensor, dtype)?;
        self.keep(kernel.out, StoredValue { tensor, axes: out.axes });
        Ok(())
    }

    /// `out[dim = index] += source`, from zero.
    pub(super) fn scatter(&mut self, kernel: &Index) -> Result<()> {
        let (source, index) = (self.whole(&kernel.source)?, self.whole(&kernel.index)?);
        let (axes, dtype) = self.buffer_form(kernel.out);
        let out_dims = self.schedule.buffer(kernel.out).dims;
        let computed = self.dtypes.compute(self.kind(self.schedule.buffer(kernel.out).node));
        let source = StoredValue { tensor: primitive::cast(source.tensor, computed)?, axes: source.axes };
        let out = self.allocate(axes, computed)?;
        let along = AxisId { dim: kernel.dim, part: 0 };
        let own = DimSet::one(kernel.dim);
        let free = out_dims.difference(own);
        let read = self.graph.node(kernel.source.node).dims.union(self.graph.node(kernel.index.node).dims);
        let steps = |axis: AxisId| {
            let out = if axis == along { 0 } else { out.stride(axis) };
            vec![source.stride(axis), index.stride(axis), out]
        };
        let outer = nest(&self.binding.axes(free), steps);
        let inner = nest(&self.binding.axes(read.difference(free)), steps);
        let indexed =
            Indexed { step: out.stride(along), size: self.binding.size(kernel.dim), site: self.site(kernel) };
        self.doubts.push(scatter(&indexed, [outer, inner], &source.tensor, &index.tensor, &out.tensor)?);
        let tensor = primitive::cast(out.tensor, dtype)?;
        self.keep(kernel.out, StoredValue { tensor, axes: out.axes });
        Ok(())
    }

    /// What an error names: the dim that is indexed, and the index if it is an argument.
    fn site(&self, kernel: &Index) -> Site {
        let arg = match kernel.index.source {
            Source::Arg(arg) => Some(self.graph.args[arg].name.clone()),
            Source::Buffer(_) | Source::Len(_) | Source::Iota(_) | Source::Statistic => None,
        };
        Site {
            op: Some(self.graph.name.clone()),
            arg,
            dim: Some(self.graph.dim(kernel.dim).name.clone()),
            size: self.binding.size(kernel.dim),
        }
    }
}

fn nest(axes: &[BoundAxis], steps: impl Fn(AxisId) -> Vec<usize>) -> Nest {
    Nest { axes: axes.iter().map(|bound| Axis { size: bound.size, steps: steps(bound.axis) }).collect() }
}

/// Checks an index that nothing is read by, since the result has no elements: what it gathers is its own first element.
fn look_at(indexed: Indexed, index: &CubeTensor) -> Result<Doubts> {
    let out = CubeTensor::empty(index.shape(), index.dtype, index.device)?;
    let axis = |at: usize| Axis {
        size: index.shape()[at],
        steps: vec![0, index.layout.strides[at], out.layout.strides[at]],
    };
    let axes = Nest { axes: (0..index.shape().rank()).map(axis).collect() };
    gather(&Indexed { step: 0, ..indexed }, axes, index, index, &out)
}

/// How an operand moves by the index.
pub(crate) struct Indexed {
    /// Elements for one step of the index.
    pub(crate) step: usize,
    /// Of the indexed axis.
    pub(crate) size: usize,
    /// What an error names.
    pub(crate) site: Site,
}

/// A plan that tells where everything is and of which types; steps are those of source, index and out.
fn plan(
    outer: Nest,
    inner: Nest,
    source: &CubeTensor,
    index: &CubeTensor,
    out: &CubeTensor,
) -> Result<LoopPlan> {
    // The pass tells only of the types: a gather computes nothing.
    let element = Element::Input { buffer: INDEX, operand: INDEX };
    let pass = simple::copy(Kind::Int, element, Dest::Element(Output { output: 0, operand: OUT }));
    let mut plan = LoopPlan {
        device: source.device,
        reads: [source, index].map(|tensor| Read::Memory(Memory::of(tensor))).into(),
        writes: vec![Write { memory: Memory::of(out), over: None }],
        columns: Vec::new(),
        partials: Vec::new(),
        outer,
        inner,
        passes: vec![pass],
        scalars: Vec::new(),
        float: source.dtype.compute(),
    };
    plan.widen(INDEX)?;
    Ok(plan)
}
