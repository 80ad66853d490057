//! From a loop of a schedule to a [`LoopPlan`]: leaves become addresses and strides, axes get an order, results get memory.

use super::call::{Call, Input, StoredValue, Strided};
use super::plan::{Body, ColumnPlan, Dest, LoopPlan, Operand, PassPlan, RowUniform, UniformSource};
use super::rows;
use super::stream::Real;
use crate::block::ByKind;
use crate::layout::Few;
use crate::nest::Nest;
use crate::tensor::NdArrayTensor;
use tensor_op_core::{BoundAxis, Error, ErrorKind, Result, Value};
use tensor_op_spec::ir::{Kind, NodeId, Scalar};
use tensor_op_spec::prim::Fold;
use tensor_op_spec::schedule::{BufferId, Leaf, Loop, Pass, PassResult, Source, Target};

impl Call<'_> {
    /// Runs a loop.
    pub(super) fn run_loop<E: Real>(&mut self, nest: &Loop, bodies: &[Body<'_>], index: usize) -> Result<()> {
        let mut binder = Binder::<E> {
            nest,
            operands: Vec::new(),
            inputs: Vec::new(),
            statistics: Vec::new(),
            columns: Vec::new(),
            passes: Vec::new(),
        };
        for (pass, body) in nest.passes.iter().zip(bodies) {
            binder.add_inputs(self, pass, *body)?;
        }
        for at in 0..nest.passes.len() {
            binder.add_results(self, at, index)?;
        }
        rows::run(&binder.plan(self))
    }
}

/// A plan in the making.
struct Binder<'s, 'b, E> {
    nest: &'s Loop,
    operands: Vec<(Strided, bool)>,
    /// Operands that are read, by node.
    inputs: Vec<(NodeId, usize)>,
    /// Folds along the row, by node.
    statistics: Vec<NodeId>,
    columns: Vec<ColumnPlan>,
    passes: Vec<PassPlan<'b, E>>,
}

impl<'b, E: Real> Binder<'_, 'b, E> {
    fn add_inputs(&mut self, call: &Call<'_>, pass: &Pass, body: Body<'b>) -> Result<()> {
        let mut plan = PassPlan {
            body,
            per_row: pass.is_per_row(),
            uniforms: ByKind::default(),
            row_uniforms: Vec::new(),
            elements: ByKind::default(),
            results: ByKind::default(),
        };
        for leaf in &pass.uniforms {
            self.add_uniform(call, &mut plan, leaf)?;
        }
        for leaf in &pass.elements {
            let operand = self.operand(call, leaf)?;
            match call.kind(leaf.node) {
                Kind::Float => plan.elements.floats.push(operand),
                Kind::Int => plan.elements.ints.push(operand),
                Kind::Bool => plan.elements.bools.push(operand),
            }
        }
        for result in &pass.results {
            if let Target::Fold { node, .. } = result.target {
                self.statistics.push(node);
            }
        }
        self.passes.push(plan);
        Ok(())
    }

    fn add_uniform(&mut self, call: &Call<'_>, plan: &mut PassPlan<'_, E>, leaf: &Leaf) -> Result<()> {
        let kind = call.kind(leaf.node);
        let mut value = Scalar::Bool(false).cast(kind);
        let mut source = None;
        if leaf.source == Source::Statistic {
            let at = self.statistics.iter().position(|node| *node == leaf.node);
            source = at.map(UniformSource::Statistic);
        } else {
            match call.input(leaf)? {
                Input::Single(single) => value = single,
                Input::Strided(_) => source = Some(UniformSource::Operand(self.operand(call, leaf)?)),
            }
        }
        let uniforms = &mut plan.uniforms;
        let slot = match kind {
            Kind::Float => {
                uniforms.floats.push(E::from_scalar(value));
                uniforms.floats.len() - 1
            }
            Kind::Int => {
                uniforms.ints.push(tensor_op_core::Element::from_scalar(value));
                uniforms.ints.len() - 1
            }
            Kind::Bool => {
                uniforms.bools.push(tensor_op_core::Element::from_scalar(value));
                uniforms.bools.len() - 1
            }
        };
        plan.row_uniforms.extend(source.map(|source| RowUniform { kind, slot, source }));
        Ok(())
    }

    /// The operand of a leaf in memory; one per node.
    fn operand(&mut self, call: &Call<'_>, leaf: &Leaf) -> Result<usize> {
        if let Some((_, operand)) = self.inputs.iter().find(|(node, _)| *node == leaf.node) {
            return Ok(*operand);
        }
        let Input::Strided(strided) = call.input(leaf)? else {
            return Err(Error::new(ErrorKind::Backend, "a value that varies along a row has axes"));
        };
        self.inputs.push((leaf.node, self.operands.len()));
        self.operands.push((strided, false));
        Ok(self.operands.len() - 1)
    }

    fn add_results(&mut self, call: &mut Call<'_>, at: usize, kernel: usize) -> Result<()> {
        let pass = &self.nest.passes[at];
        for result in &pass.results {
            let dest = self.dest(call, at, result, kernel)?;
            let results = &mut self.passes[at].results;
            match call.kind(result.value) {
                Kind::Float => results.floats.push(dest),
                Kind::Int => results.ints.push(dest),
                Kind::Bool => results.bools.push(dest),
            }
        }
        Ok(())
    }

    fn dest(&mut self, call: &mut Call<'_>, pass: usize, result: &PassResult, kernel: usize) -> Result<Dest> {
        Ok(match result.target {
            Target::Fold { fold, node } => {
                let statistic = self.statistics.iter().position(|own| *own == node);
                Dest::Fold { fold, statistic: statistic.expect("each fold was listed with its pass") }
            }
            Target::Element(id) | Target::Row(id) | Target::Column { buffer: id, .. }
                if !call.is_needed(id) =>
            {
                Dest::Nowhere
            }
            Target::Element(id) => {
                let is_last = self.nest.passes[pass + 1..].iter().all(Pass::is_per_row);
                let reused = is_last && self.reuse(call, pass, id, kernel);
                Dest::Element(self.add_target(call, id, reused)?)
            }
            Target::Row(id) => Dest::Row(self.add_target(call, id, false)?),
            Target::Column { fold, buffer } => {
                let operand = self.add_target(call, buffer, false)?;
                self.columns.push(ColumnPlan { fold, kind: call.kind(result.value), operand });
                Dest::Column(self.columns.len() - 1)
            }
        })
    }

    fn add_target(&mut self, call: &mut Call<'_>, id: BufferId, in_place: bool) -> Result<usize> {
        if !in_place {
            call.allocate(id)?;
        }
        self.operands.push((call.stored_mut(id).target(), in_place));
        Ok(self.operands.len() - 1)
    }

    /// Takes the memory of an element that nobody reads after this loop, if it is laid out like the buffer.
    fn reuse(&mut self, call: &mut Call<'_>, pass: usize, id: BufferId, kernel: usize) -> bool {
        let (axes, dtype) = call.buffer_form(id);
        let leaves = &self.nest.passes[pass].elements;
        let found = leaves.iter().find_map(|leaf| call.take_for(leaf, &axes, dtype, kernel));
        let Some(tensor) = found else { return false };
        call.buffers[id.0 as usize] = Some(StoredValue { tensor, axes });
        true
    }

    fn plan(self, call: &Call<'_>) -> LoopPlan<'b, E> {
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
        let operand = |(strided, in_place): &(Strided, bool)| Operand {
            place: strided.place,
            dtype: strided.dtype,
            in_place: *in_place,
        };
        // A pass for hidden results that nobody asked for.
        let is_wanted = |pass: &PassPlan<'b, E>| pass.dests().any(|dest| !matches!(dest, Dest::Nowhere));
        let passes = self.passes.into_iter().filter(is_wanted).collect();
        LoopPlan {
            operands: self.operands.iter().map(operand).collect(),
            outer,
            inner,
            passes,
            statistics: self.statistics.len(),
            columns: self.columns,
        }
    }

    fn axes_nest(&self, axes: &[BoundAxis]) -> Nest {
        let mut nest = Nest::new(self.operands.len());
        for bound in axes {
            nest.push(bound.size, self.operands.iter().map(|(strided, _)| strided.stride(bound.axis)));
        }
        nest
    }

    /// Operands from the largest to the smallest, results before inputs: loops follow the memory order of the first.
    fn by_size(&self) -> Few<usize> {
        let mut order: Few<usize> = (0..self.operands.len()).collect();
        let is_input = |operand: usize| self.inputs.iter().any(|(_, own)| *own == operand);
        order.sort_by_key(|&operand| (std::cmp::Reverse(self.operands[operand].0.len), is_input(operand)));
        order
    }

    fn finds_positions(&self) -> bool {
        let dests = self.passes.iter().flat_map(PassPlan::dests);
        dests.into_iter().any(|dest| matches!(dest, Dest::Fold { fold: Fold::ArgMax | Fold::ArgMin, .. }))
    }
}

impl Call<'_> {
    pub(super) fn is_needed(&self, id: BufferId) -> bool {
        self.needed[id.0 as usize]
    }

    /// The tensor of a leaf, taken from where it is, if nobody else holds or reads it and it has these axes in this order.
    fn take_for(
        &mut self,
        leaf: &Leaf,
        axes: &[BoundAxis],
        dtype: tensor_op_core::DType,
        kernel: usize,
    ) -> Option<NdArrayTensor> {
        if self.is_read_after(kernel, leaf.source) {
            return None;
        }
        let (tensor, own) = match leaf.source {
            Source::Arg(arg) => match &mut self.args[arg] {
                Value::Tensor(tensor) => (tensor, self.binding.arg_axes(arg)),
                Value::Scalar(_) | Value::Shape(_) => return None,
            },
            Source::Buffer(id) => {
                let is_result = self.is_result(id);
                let stored = self.buffers[id.0 as usize].as_mut().filter(|_| !is_result)?;
                (&mut stored.tensor, stored.axes.as_slice())
            }
            Source::Len(_) | Source::Iota(_) | Source::Statistic => return None,
        };
        let long =
            |axes: &[BoundAxis]| axes.iter().filter(|bound| bound.size != 1).copied().collect::<Few<_>>();
        let fits = tensor.dtype() == dtype && tensor.layout().is_contiguous() && long(own) == long(axes);
        if !fits || !tensor.is_unique() {
            return None;
        }
        let tensor = tensor.clone();
        match leaf.source {
            Source::Arg(arg) => self.args[arg] = Value::Shape(tensor.shape().clone()),
            Source::Buffer(id) => self.buffers[id.0 as usize] = None,
            Source::Len(_) | Source::Iota(_) | Source::Statistic => {}
        }
        let shape: Vec<usize> = axes.iter().map(|bound| bound.size).collect();
        let layout = tensor.layout().reshape(&shape)?;
        Some(tensor.with_layout(layout))
    }
}
