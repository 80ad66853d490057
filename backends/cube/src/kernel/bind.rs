//! From a loop of a schedule to a [`LoopPlan`]: leaves become memory and steps, axes get an order, results get room.

use super::call::{Call, Input, StoredValue};
use super::fold::FoldPlan;
use super::launch;
use super::nest::{Axis, Nest};
use super::pass::{Dest, Element, Output, PassPlan, Uniform};
use super::plan::{Column, LoopPlan, Memory, Read, Write};
use crate::layout::Layout;
use crate::tensor::CubeTensor;
use std::sync::Arc;
use tensor_op_core::{AxisId, BoundAxis, DType, Error, ErrorKind, Result, Shape, Value};
use tensor_op_spec::ir::{Kind, NodeId, Scalar};
use tensor_op_spec::prim::Fold;
use tensor_op_spec::schedule::{BufferId, Leaf, Loop, Pass, PassResult, Program, Source, Target};

impl Call<'_> {
    /// Runs a loop.
    pub(super) fn run_loop(&mut self, nest: &Loop, programs: &[Arc<Program>], kernel: usize) -> Result<()> {
        let mut binder = Binder::new(nest);
        for (pass, program) in nest.passes.iter().zip(programs) {
            binder.add_inputs(self, pass, program)?;
        }
        for at in 0..nest.passes.len() {
            binder.add_results(self, at, kernel)?;
        }
        launch::run(binder.plan(self))
    }
}

/// A plan in the making.
struct Binder<'s> {
    nest: &'s Loop,
    reads: Vec<Bound>,
    writes: Vec<Bound>,
    columns: Vec<(FoldPlan, Bound)>,
    /// By node.
    inputs: Vec<(NodeId, usize)>,
    /// Folds along the row and the kinds of their results.
    statistics: Vec<(NodeId, Kind)>,
    passes: Vec<PassPlan>,
    scalars: Vec<Scalar>,
}

/// An operand and how it moves.
struct Bound {
    memory: Option<Memory>,
    steps: Vec<(AxisId, usize)>,
    /// Number of elements, to tell large operands from small ones.
    len: usize,
    over: Option<usize>,
}

impl Bound {
    fn stored(value: &StoredValue) -> Bound {
        let steps = value.axes.iter().filter(|bound| bound.size != 1);
        let steps = steps.map(|bound| (bound.axis, value.stride(bound.axis))).collect();
        let memory = Some(Memory::of(&value.tensor));
        Bound { memory, steps, len: value.tensor.elements(), over: None }
    }

    fn index(axes: &[BoundAxis]) -> Bound {
        let shape: Shape = axes.iter().map(|bound| bound.size).collect();
        let steps =
            axes.iter().zip(shape.strides().iter()).map(|(bound, step)| (bound.axis, *step)).collect();
        Bound { memory: None, steps, len: 0, over: None }
    }

    fn step(&self, axis: AxisId) -> usize {
        self.steps.iter().find(|(own, _)| *own == axis).map_or(0, |(_, step)| *step)
    }
}

impl<'s> Binder<'s> {
    fn new(nest: &'s Loop) -> Binder<'s> {
        Binder {
            nest,
            reads: Vec::new(),
            writes: Vec::new(),
            columns: Vec::new(),
            inputs: Vec::new(),
            statistics: Vec::new(),
            passes: Vec::new(),
            scalars: Vec::new(),
        }
    }

    fn add_inputs(&mut self, call: &Call<'_>, pass: &Pass, program: &Arc<Program>) -> Result<()> {
        let uniforms = pass.uniforms.iter().map(|leaf| self.uniform(call, leaf)).collect::<Result<_>>()?;
        let elements = pass.elements.iter().map(|leaf| self.element(call, leaf)).collect::<Result<_>>()?;
        for result in &pass.results {
            if let Target::Fold { node, .. } = result.target {
                self.statistics.push((node, call.kind(node)));
            }
        }
        let (program, per_row) = (program.clone(), pass.is_per_row());
        self.passes.push(PassPlan { program, uniforms, elements, results: Vec::new(), per_row });
        Ok(())
    }

    fn uniform(&mut self, call: &Call<'_>, leaf: &Leaf) -> Result<Uniform> {
        if leaf.source == Source::Statistic {
            let at = self.statistics.iter().position(|(node, _)| *node == leaf.node);
            let at =
                at.ok_or_else(|| Error::new(ErrorKind::Backend, "the schedule reads a statistic too early"))?;
            let kind = self.statistics[at].1;
            return Ok(Uniform::Statistic(
                self.statistics[..at].iter().filter(|(_, own)| *own == kind).count(),
            ));
        }
        match call.input(leaf)? {
            Input::Single(value) => {
                self.scalars.push(value);
                Ok(Uniform::Scalar(self.scalars.len() - 1))
            }
            Input::Stored(_) | Input::Index(_) => Ok(Uniform::Row(self.element(call, leaf)?)),
        }
    }

    /// The operand of a leaf; one per node.
    fn element(&mut self, call: &Call<'_>, leaf: &Leaf) -> Result<Element> {
        let known = self.inputs.iter().find(|(node, _)| *node == leaf.node).map(|(_, operand)| *operand);
        let operand = match known {
            Some(operand) => operand,
            None => {
                self.reads.push(match call.input(leaf)? {
                    Input::Stored(value) => Bound::stored(&value),
                    Input::Index(axes) => Bound::index(&axes),
                    Input::Single(_) => {
                        return Err(Error::new(
                            ErrorKind::Backend,
                            "a value that varies along a row has axes",
                        ));
                    }
                });
                self.inputs.push((leaf.node, self.reads.len() - 1));
                self.reads.len() - 1
            }
        };
        let buffer = self.reads[..operand].iter().filter(|read| read.memory.is_some()).count();
        Ok(match self.reads[operand].memory {
            Some(_) => Element::Input { buffer, operand },
            None => Element::Index(operand),
        })
    }

    fn add_results(&mut self, call: &mut Call<'_>, at: usize, kernel: usize) -> Result<()> {
        let pass = &self.nest.passes[at];
        for result in &pass.results {
            let dest = self.dest(call, at, result, kernel)?;
            self.passes[at].results.push(dest);
        }
        Ok(())
    }

    fn dest(&mut self, call: &mut Call<'_>, pass: usize, result: &PassResult, kernel: usize) -> Result<Dest> {
        Ok(match result.target {
            Target::Fold { fold, .. } => Dest::Fold(fold),
            Target::Element(id) | Target::Row(id) | Target::Column { buffer: id, .. }
                if !call.needed[id.0 as usize] =>
            {
                Dest::Nowhere
            }
            Target::Element(id) => {
                let is_last = self.nest.passes[pass + 1..].iter().all(Pass::is_per_row);
                let over = if is_last { self.reuse(call, pass, id, kernel) } else { None };
                Dest::Element(self.add_write(call, id, over)?)
            }
            Target::Row(id) => Dest::Row(self.add_write(call, id, None)?),
            Target::Column { fold, buffer } => {
                let (axes, dtype) = call.buffer_form(buffer);
                let value = call.allocate(axes, dtype)?;
                let fold = FoldPlan { fold, kind: call.kind(result.value) };
                self.columns.push((fold, Bound::stored(&value)));
                call.keep(buffer, value);
                Dest::Column(self.columns.len() - 1)
            }
        })
    }

    fn add_write(&mut self, call: &mut Call<'_>, id: BufferId, over: Option<usize>) -> Result<Output> {
        if over.is_none() {
            let (axes, dtype) = call.buffer_form(id);
            let value = call.allocate(axes, dtype)?;
            call.keep(id, value);
        }
        self.writes.push(Bound { over, ..Bound::stored(call.stored(id)) });
        let output = self.writes.len() - 1;
        Ok(Output { output, operand: self.reads.len() + output })
    }

    /// Takes the memory of an element that nobody reads after this loop, if it is laid out like the buffer. Gives the operand.
    fn reuse(&mut self, call: &mut Call<'_>, pass: usize, id: BufferId, kernel: usize) -> Option<usize> {
        let (axes, dtype) = call.buffer_form(id);
        let leaves = &self.nest.passes[pass].elements;
        let (node, tensor) =
            leaves.iter().find_map(|leaf| Some((leaf.node, call.take_for(leaf, &axes, dtype, kernel)?)))?;
        call.keep(id, StoredValue { tensor, axes });
        self.inputs.iter().find(|(own, _)| *own == node).map(|(_, operand)| *operand)
    }

    fn plan(self, call: &Call<'_>) -> LoopPlan {
        let mut outer = self.axes_nest(&call.binding.axes(self.nest.outer));
        let mut inner = self.axes_nest(&call.binding.axes(self.nest.inner));
        let order = self.by_size();
        outer.sort_by(&order);
        outer.merge();
        // A position along several axes is counted in their declared order.
        if !self.finds_positions() {
            inner.sort_by(&order);
        }
        inner.merge();
        // A pass for hidden results that nobody asked for.
        let is_wanted = |pass: &PassPlan| pass.results.iter().any(|dest| *dest != Dest::Nowhere);
        let read = |bound: Bound| bound.memory.map_or(Read::Index, Read::Memory);
        let memory = |bound: &Bound| bound.memory.clone().expect("what is written is memory");
        LoopPlan {
            device: call.device,
            writes: self.writes.iter().map(|w| Write { memory: memory(w), over: w.over }).collect(),
            columns: self.columns.iter().map(|(fold, c)| Column { fold: *fold, memory: memory(c) }).collect(),
            partials: Vec::new(),
            reads: self.reads.into_iter().map(read).collect(),
            outer,
            inner,
            passes: self.passes.into_iter().filter(is_wanted).collect(),
            scalars: self.scalars,
            float: call.dtypes.float.compute(),
        }
    }

    fn axes_nest(&self, axes: &[BoundAxis]) -> Nest {
        let axis = |bound: &BoundAxis| {
            let steps = self.operands().map(|operand| operand.step(bound.axis)).collect();
            Axis { size: bound.size, steps }
        };
        Nest { axes: axes.iter().map(axis).collect() }
    }

    fn operands(&self) -> impl Iterator<Item = &Bound> {
        self.reads.iter().chain(&self.writes).chain(self.columns.iter().map(|(_, bound)| bound))
    }

    /// Operands from the largest to the smallest, results before inputs: loops follow the memory order of the first.
    fn by_size(&self) -> Vec<usize> {
        let sizes: Vec<usize> = self.operands().map(|operand| operand.len).collect();
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        order.sort_by_key(|&operand| (std::cmp::Reverse(sizes[operand]), operand < self.reads.len()));
        order
    }

    fn finds_positions(&self) -> bool {
        let dests = self.passes.iter().flat_map(|pass| &pass.results);
        dests.into_iter().any(|dest| matches!(dest, Dest::Fold(Fold::ArgMax | Fold::ArgMin)))
    }
}

impl Call<'_> {
    /// The tensor of a leaf, taken from where it is, if nobody else holds or reads it and it has these axes in this order.
    fn take_for(
        &mut self,
        leaf: &Leaf,
        axes: &[BoundAxis],
        dtype: DType,
        kernel: usize,
    ) -> Option<CubeTensor> {
        if self.is_read_after(kernel, leaf.source) {
            return None;
        }
        let (tensor, own) = match leaf.source {
            Source::Arg(arg) => match &self.args[arg] {
                Value::Tensor(tensor) => (tensor, self.binding.arg_axes(arg)),
                Value::Scalar(_) | Value::Shape(_) => return None,
            },
            Source::Buffer(id) => {
                let stored = self.buffers[id.0 as usize].as_ref().filter(|_| !self.is_result(id))?;
                (&stored.tensor, stored.axes.as_slice())
            }
            Source::Len(_) | Source::Iota(_) | Source::Statistic => return None,
        };
        let long =
            |axes: &[BoundAxis]| axes.iter().filter(|bound| bound.size != 1).copied().collect::<Vec<_>>();
        let fits = tensor.dtype == dtype && tensor.layout.is_contiguous() && long(own) == long(axes);
        if !fits || !tensor.is_unique() {
            return None;
        }
        let shape: Shape = axes.iter().map(|bound| bound.size).collect();
        let layout = Layout { offset: tensor.layout.offset, ..Layout::row_major(&shape) };
        let tensor = tensor.clone().with_layout(layout);
        match leaf.source {
            Source::Arg(arg) => self.args[arg] = Value::Shape(tensor.shape().clone()),
            Source::Buffer(id) => self.buffers[id.0 as usize] = None,
            Source::Len(_) | Source::Iota(_) | Source::Statistic => {}
        }
        Some(tensor)
    }
}
