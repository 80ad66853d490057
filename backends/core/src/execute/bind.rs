//! From a loop of a schedule to a [`BoundLoop`]: each source becomes an operand, and each result gets memory.

use super::executor::{Current, Executor, reshape, shape_of};
use super::{BoundLoop, BoundPass, Dest, Kernels, Labeled, Read, Uniform, Write};
use crate::{BoundAxis, DType, Error, ErrorKind, Result, Value};
use std::collections::BTreeSet;
use tensor_op_spec::ir::{Kind, Scalar};
use tensor_op_spec::schedule::{BufferId, Loop, Pass, Source, Target};

impl<'a, K: Kernels> Executor<'a, K> {
    /// A loop with its operands, and the buffer of each write.
    pub(super) fn bind_loop(
        &mut self,
        nest: &'a Loop,
        current: Current,
    ) -> Result<(BoundLoop<'a, K::Tensor>, Vec<BufferId>)> {
        let Bound { nest, ids, .. } = self.bind_inside(nest, current, None)?;
        Ok((nest, ids))
    }

    /// A loop with its operands. If it is a part of a kernel, its writes take over no memory, and those to
    /// the buffers that are `local` to the kernel have neither memory nor axes.
    pub(super) fn bind_inside(
        &mut self,
        nest: &'a Loop,
        current: Current,
        local: Option<&'a [BufferId]>,
    ) -> Result<Bound<'a, K::Tensor>> {
        let mut operands = Operands {
            local,
            reads: Vec::new(),
            sources: Vec::new(),
            writes: Vec::new(),
            ids: Vec::new(),
            taken: Vec::new(),
        };
        // Memory is taken over first: a tensor that is read would have two owners.
        let mut dests = Vec::with_capacity(nest.passes.len());
        for at in 0..nest.passes.len() {
            dests.push(self.bind_targets(nest, at, current.kernel, &mut operands)?);
        }
        let mut passes = Vec::with_capacity(nest.passes.len());
        for ((at, pass), dests) in nest.passes.iter().enumerate().zip(dests) {
            let kinds = pass.program.uniforms().iter();
            let uniforms = pass.uniforms.iter().zip(kinds);
            let uniforms = uniforms.map(|(source, kind)| self.uniform(*source, *kind, &mut operands));
            let uniforms = uniforms.collect::<Result<_>>()?;
            let elements = pass.elements.iter().map(|source| self.element(*source, &mut operands));
            let elements = elements.collect::<Result<_>>()?;
            passes.push(BoundPass { number: current.first_pass + at, pass, uniforms, elements, dests });
        }
        leave_out_unread(&mut passes, &operands.reads);
        // A pass may have hidden results only, which nobody asked for.
        passes.retain(BoundPass::has_results);
        let Operands { reads, sources, mut writes, ids, taken, .. } = operands;
        for (source, write) in taken {
            writes[write].over = sources.iter().position(|own| *own == source);
        }
        let float = self.dtypes.float.compute();
        let [outer, inner] = [nest.outer, nest.inner].map(|dims| self.binding.axes(dims));
        Ok(Bound { nest: BoundLoop { float, outer, inner, reads, writes, passes }, ids, sources })
    }

    fn bind_targets(
        &mut self,
        nest: &Loop,
        at: usize,
        kernel: usize,
        operands: &mut Operands<'_, K::Tensor>,
    ) -> Result<Vec<Dest>> {
        let pass = &nest.passes[at];
        // Later passes over the row would read what this one has written over.
        let may_reuse = nest.passes[at + 1..].iter().all(Pass::is_per_row);
        let read = nest.passes[..=at].iter().filter(|_| may_reuse).flat_map(|pass| &pass.elements);
        let leaves: Vec<Source> = read.copied().collect();
        let dest = |target: &Target| {
            Ok(match *target {
                Target::Fold { fold, .. } => Dest::Fold(fold),
                Target::Kept(kept) => Dest::Kept(kept.place),
                Target::Element(id) | Target::Row(id) | Target::Column { buffer: id, .. }
                    if !self.is_needed(id) =>
                {
                    Dest::Nowhere
                }
                Target::Element(id) => Dest::Element(self.write(id, &leaves, kernel, operands)?),
                Target::Row(id) => Dest::Row(self.write(id, &[], kernel, operands)?),
                Target::Column { fold, buffer } => {
                    Dest::Column(fold, self.write(buffer, &[], kernel, operands)?)
                }
            })
        };
        pass.targets.iter().map(dest).collect()
    }

    /// Memory for a buffer: that of one of these sources, if nobody reads it after this kernel, or new
    /// memory.
    fn write(
        &mut self,
        id: BufferId,
        sources: &[Source],
        kernel: usize,
        operands: &mut Operands<'_, K::Tensor>,
    ) -> Result<usize> {
        let (mut axes, dtype) = self.buffer_form(id);
        if operands.local.is_some_and(|local| local.contains(&id)) {
            axes.clear();
        }
        let write = operands.writes.len();
        let mut tensor = None;
        for source in sources.iter().filter(|_| operands.local.is_none()) {
            tensor = self.take(*source, &axes, dtype, kernel)?;
            if tensor.is_some() {
                operands.taken.push((*source, write));
                break;
            }
        }
        let tensor = match tensor {
            Some(tensor) => tensor,
            None => self.kernels.empty(&shape_of(&axes), dtype)?,
        };
        operands.writes.push(Write { value: Labeled { tensor, axes }, over: None });
        operands.ids.push(id);
        Ok(write)
    }

    /// The tensor of a source, taken from where it is, if nobody else holds or reads it and it has these axes
    /// in this order.
    fn take(
        &mut self,
        source: Source,
        axes: &[BoundAxis],
        dtype: DType,
        kernel: usize,
    ) -> Result<Option<K::Tensor>> {
        if self.is_read_from(kernel + 1, source) {
            return Ok(None);
        }
        let is_result = matches!(source, Source::Buffer(id) if self.is_result(id));
        let (tensor, own) = match source {
            Source::Arg(arg) => match &mut self.args[arg] {
                Value::Tensor(tensor) => (tensor, self.binding.arg_axes(arg)),
                Value::Scalar(_) | Value::Shape(_) => return Ok(None),
            },
            Source::Buffer(id) => match &mut self.buffers[id.0 as usize] {
                Some(stored) if !is_result => (&mut stored.tensor, &stored.axes[..]),
                Some(_) | None => return Ok(None),
            },
            Source::Len(_) | Source::Iota(_) | Source::Statistic(_) | Source::Kept(_) => return Ok(None),
        };
        let long = |bound: &&BoundAxis| bound.size != 1;
        let is_alike = own.iter().filter(long).eq(axes.iter().filter(long));
        if K::dtype(tensor) != dtype || !is_alike || !K::is_reusable(tensor) {
            return Ok(None);
        }
        let taken = match source {
            Source::Arg(arg) => {
                let shape = Value::Shape(K::shape(tensor));
                std::mem::replace(&mut self.args[arg], shape).into_tensor()
            }
            Source::Buffer(id) => self.buffers[id.0 as usize].take().map(|stored| stored.tensor),
            Source::Len(_) | Source::Iota(_) | Source::Statistic(_) | Source::Kept(_) => None,
        };
        taken.map(|tensor| reshape::<K>(tensor, shape_of(axes))).transpose()
    }

    /// Whether a source can be read now. What only unwanted results read is not there.
    pub(super) fn is_there(&self, source: Source) -> bool {
        match source {
            Source::Buffer(id) => {
                self.buffers[id.0 as usize].is_some() || self.unstored[id.0 as usize].is_some()
            }
            Source::Arg(arg) => !matches!(self.args[arg], Value::Shape(_)),
            Source::Len(_) | Source::Iota(_) | Source::Statistic(_) | Source::Kept(_) => true,
        }
    }

    fn uniform(&self, source: Source, kind: Kind, operands: &mut Operands<'_, K::Tensor>) -> Result<Uniform> {
        match source {
            Source::Statistic(index) => Ok(Uniform::Statistic(index)),
            Source::Len(dims) => Ok(Uniform::Scalar(Scalar::Int(self.binding.len(dims)? as i64).cast(kind))),
            Source::Arg(arg) => match &self.args[arg] {
                Value::Scalar(value) => Ok(Uniform::Scalar(value.cast(kind))),
                Value::Tensor(_) | Value::Shape(_) => Ok(Uniform::Read(self.element(source, operands)?)),
            },
            Source::Buffer(_) | Source::Iota(_) | Source::Kept(_) => {
                Ok(Uniform::Read(self.element(source, operands)?))
            }
        }
    }

    /// The read of a source: one for each.
    fn element(&self, source: Source, operands: &mut Operands<'_, K::Tensor>) -> Result<usize> {
        if let Some(known) = operands.sources.iter().position(|own| *own == source) {
            return Ok(known);
        }
        let taken = operands.taken.iter().find(|(own, _)| *own == source);
        let read = match (taken, source) {
            (Some((_, write)), _) => Read::Written(*write),
            (None, Source::Iota(dim)) => Read::Index(self.binding.positions(dim)),
            (None, Source::Buffer(id)) => match &self.unstored[id.0 as usize] {
                Some(read) => read.clone(),
                None => Read::Memory(self.whole(source)?),
            },
            (None, Source::Arg(_)) => Read::Memory(self.whole(source)?),
            (None, Source::Kept(kept)) => Read::Kept(kept.place),
            (None, Source::Len(_) | Source::Statistic(_)) => {
                return Err(Error::new(
                    ErrorKind::Backend,
                    "the schedule reads a number at each point of a row",
                ));
            }
        };
        operands.reads.push(read);
        operands.sources.push(source);
        Ok(operands.reads.len() - 1)
    }
}

/// Passes keep nothing for a pass that nobody needs.
fn leave_out_unread<T>(passes: &mut [BoundPass<'_>], reads: &[Read<T>]) {
    let mut read = BTreeSet::new();
    for pass in passes.iter_mut().rev() {
        for dest in &mut pass.dests {
            if matches!(dest, Dest::Kept(place) if !read.remove(place)) {
                *dest = Dest::Nowhere;
            }
        }
        if pass.has_results() {
            read.extend(pass.elements.iter().filter_map(|element| reads[*element].kept()));
        }
    }
}

/// A loop with its operands.
pub(super) struct Bound<'s, T> {
    pub(super) nest: BoundLoop<'s, T>,
    /// The buffer of each write.
    pub(super) ids: Vec<BufferId>,
    /// The source of each read.
    pub(super) sources: Vec<Source>,
}

/// The operands of a loop so far.
struct Operands<'l, T> {
    /// Of a part of a kernel, the buffers without memory.
    local: Option<&'l [BufferId]>,
    reads: Vec<Read<T>>,
    /// Of each read.
    sources: Vec<Source>,
    writes: Vec<Write<T>>,
    /// Of each write.
    ids: Vec<BufferId>,
    /// Sources whose memory a write has taken over.
    taken: Vec<(Source, usize)>,
}
