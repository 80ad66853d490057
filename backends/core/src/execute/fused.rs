//! A stream as kernels that store no scores, for backends that have such kernels.
//!
//! Such a kernel goes over the columns of a row in blocks. It computes a block of each product that the
//! passes read, runs the passes on it, and multiplies the results by a block of another factor. So what
//! passes between the kernels of the stream is never stored, not even for a tile.

use super::bind::Bound;
use super::executor::{Current, Executor, shape_of};
use super::kept::KeptColumns;
use super::{BoundLoop, BoundPass, Dest, Kernels, Labeled, Read, Write};
use crate::{BoundAxis, DType, Result};
use tensor_op_spec::schedule::{BufferId, Contraction, Fused, Kernel, Source, Stream};

/// A kernel: `out = sum over columns of weight * factor`, where passes over each row give the weights.
#[derive(Debug)]
pub struct BoundStream<'s, T> {
    /// The passes over each row. What they read of the products before them, and the weights that they
    /// write, have no axes: no memory holds them.
    pub nest: BoundLoop<'s, T>,
    /// The products that the passes read.
    pub scores: Vec<Score>,
    /// The products that read the passes' results.
    pub sums: Vec<WeightedSum>,
}

/// `value[row, column] = sum over some axes of rows[row, ..] * columns[column, ..]`.
#[derive(Clone, Debug)]
pub struct Score {
    /// The read of the passes that this product gives.
    pub value: usize,
    /// The factor that has the rows: a read that no pass reads.
    pub rows: usize,
    /// The factor that has the columns: a read that no pass reads.
    pub columns: usize,
    /// The axes that are summed.
    pub summed: Vec<BoundAxis>,
}

/// `out[row, ..] = sum over the columns of weight[row, column] * columns[column, ..]`.
#[derive(Clone, Debug)]
pub struct WeightedSum {
    /// The write of the passes that gives the weights.
    pub weight: usize,
    /// The dtype that the weights have as factors.
    pub dtype: DType,
    /// The other factor: a read that no pass reads. It may be a factor of scores, too.
    pub columns: usize,
    /// The axes of the result that are not axes of rows.
    pub free: Vec<BoundAxis>,
    /// The result: a write that no pass writes.
    pub out: usize,
}

/// The sizes of a kernel that determine how many registers it needs.
#[derive(Clone, Debug)]
pub struct FusedSize {
    /// Of each product that gives scores, the number of terms of a sum.
    pub scores: Vec<usize>,
    /// Of each sum over columns, the number of elements of a row.
    pub sums: Vec<usize>,
}

impl<'a, K: Kernels> Executor<'a, K> {
    /// Runs a stream as kernels that store no scores, if the backend has such kernels for it. Returns the
    /// kernel after the stream, whose first one is `first`.
    pub(super) fn run_fused(&mut self, stream: &'a Stream, first: Current) -> Result<Option<Current>> {
        let sizes = stream.fused.iter().map(|part| self.fused_size(part)).collect::<Result<Vec<_>>>()?;
        if sizes.is_empty() || !sizes.iter().all(|size| self.kernels.fuses(size)) {
            return Ok(None);
        }
        let needed = self.needed.clone();
        let fused = self.needed_of(stream);
        let mut are_done = fused.iter().all(|part| self.is_readable(stream, part));
        for part in &fused {
            are_done = are_done && self.run_part(stream, part, first)?;
        }
        if !are_done {
            self.needed = needed;
            return Ok(None);
        }
        let sums: Vec<usize> = fused.iter().flat_map(|part| part.sums.clone()).collect();
        let mut next = first;
        for (at, kernel) in stream.kernels.clone().zip(&self.schedule.kernels[stream.kernels.clone()]) {
            let epilogue = kernel.nest().filter(|_| sums.contains(&at) && kernel.is_needed(&self.needed));
            if let Some(nest) = epilogue {
                self.run_loop(nest, next)?;
            }
            next = next.after(kernel);
        }
        self.free(stream.kernels.end - 1);
        Ok(Some(next))
    }

    fn fused_size(&self, part: &Fused) -> Result<FusedSize> {
        let summed = |at: &usize| self.binding.len(self.product(*at).k);
        let free = |at: &usize| {
            let out = self.schedule.buffer(self.product(*at).out);
            self.binding.len(out.dims.difference(part.nest.outer))
        };
        Ok(FusedSize {
            scores: part.scores.iter().map(summed).collect::<Result<_>>()?,
            sums: part.sums.iter().map(free).collect::<Result<_>>()?,
        })
    }

    /// The kernels whose results somebody needs. What they read of each other is needed from here on.
    fn needed_of(&mut self, stream: &'a Stream) -> Vec<&'a Fused> {
        let mut found = Vec::new();
        for part in stream.fused.iter().rev() {
            let is_needed = |at: &usize| self.schedule.kernels[*at].is_needed(&self.needed);
            let is_stored = |id: &BufferId| self.is_needed(*id) && !part.weights.contains(id);
            let written = part.nest.passes.iter().flat_map(|pass| pass.written());
            if part.sums.iter().any(is_needed) || written.into_iter().any(|id| is_stored(&id)) {
                for source in
                    part.nest.passes.iter().flat_map(|pass| pass.uniforms.iter().chain(&pass.elements))
                {
                    if let Source::Buffer(id) = source {
                        self.needed[id.0 as usize] = true;
                    }
                }
                found.push(part);
            }
        }
        found.reverse();
        found
    }

    /// Whether all that a kernel reads is there, or comes from the stream. What only unwanted results read is
    /// not there.
    fn is_readable(&self, stream: &Stream, part: &Fused) -> bool {
        let kernels = &self.schedule.kernels[stream.kernels.clone()];
        let of_kernels = kernels.iter().flat_map(Kernel::written);
        let of_parts = stream.fused.iter().flat_map(|part| &part.nest.passes).flat_map(|pass| pass.written());
        let inside: Vec<BufferId> = of_kernels.chain(of_parts).collect();
        let of_passes = part.nest.passes.iter().flat_map(|pass| pass.uniforms.iter().chain(&pass.elements));
        let products = part.scores.iter().chain(&part.sums).map(|at| self.product(*at));
        let of_products = products.flat_map(|product| [product.lhs, product.rhs]);
        of_passes.copied().chain(of_products).all(|source| match source {
            Source::Buffer(id) if inside.contains(&id) => true,
            Source::Buffer(_) | Source::Arg(_) | Source::Len(_) => self.is_there(source),
            Source::Iota(_) | Source::Statistic(_) | Source::Kept(_) => self.is_there(source),
        })
    }

    fn run_part(&mut self, stream: &'a Stream, part: &'a Fused, first: Current) -> Result<bool> {
        let (mut bound, ids) = self.bind_fused(part, first)?;
        let axis = self.trimmed(stream, part);
        let Executor { graph, schedule, args, needed, binding, kernels, .. } = self;
        let kept = KeptColumns { graph, schedule, stream, args, needed, binding, axis };
        let is_done = kernels.run_stream(&mut bound, &kept)?;
        for at in &part.scores {
            let out = self.product(*at).out;
            self.buffers[out.0 as usize] = None;
        }
        if is_done {
            for (write, id) in bound.nest.writes.into_iter().zip(ids) {
                if !part.weights.contains(&id) {
                    self.buffers[id.0 as usize] = Some(write.value);
                }
            }
        }
        Ok(is_done)
    }

    /// The axis along which columns may be left out: they lie along it alone, and some pass knows positions.
    fn trimmed(&self, stream: &Stream, part: &Fused) -> Option<BoundAxis> {
        let axes = self.binding.axes(part.nest.inner);
        let mut long = axes.into_iter().filter(|bound| bound.size > 1);
        let (axis, None) = (long.next()?, long.next()) else { return None };
        let kernels = &self.schedule.kernels[stream.kernels.clone()];
        let mut sources = kernels.iter().flat_map(Kernel::sources);
        sources.any(|source| matches!(source, Source::Iota(_))).then_some(axis)
    }

    /// The operands of a kernel, and the buffers of its writes.
    fn bind_fused(
        &mut self,
        part: &'a Fused,
        current: Current,
    ) -> Result<(BoundStream<'a, K::Tensor>, Vec<BufferId>)> {
        for at in &part.scores {
            let out = self.product(*at).out;
            let tensor = self.kernels.empty(&Default::default(), self.buffer_dtype(out))?;
            self.buffers[out.0 as usize] = Some(Labeled { tensor, axes: Vec::new() });
        }
        let Bound { nest, ids, sources } = self.bind_inside(&part.nest, current, Some(&part.weights))?;
        let stream = BoundStream { nest, scores: Vec::new(), sums: Vec::new() };
        let mut operands = Operands { stream, ids, sources, factors: Vec::new() };
        for at in &part.scores {
            self.bind_score(self.product(*at), part, &mut operands)?;
        }
        for at in &part.sums {
            if self.schedule.kernels[*at].is_needed(&self.needed) {
                self.bind_sum(self.product(*at), part, &mut operands)?;
            }
        }
        let BoundStream { nest, sums, .. } = &mut operands.stream;
        for dest in nest.passes.iter_mut().flat_map(|pass| &mut pass.dests) {
            if matches!(dest, Dest::Element(write) if sums.iter().all(|sum| sum.weight != *write)) {
                *dest = Dest::Nowhere;
            }
        }
        nest.passes.retain(BoundPass::has_results);
        Ok((operands.stream, operands.ids))
    }

    fn bind_score(
        &self,
        product: &Contraction,
        part: &Fused,
        operands: &mut Operands<'_, K::Tensor>,
    ) -> Result<()> {
        let value = Source::Buffer(product.out);
        let Some(value) = operands.sources.iter().position(|own| *own == value) else { return Ok(()) };
        let has_columns = !product.m.intersection(part.nest.inner).is_empty();
        let [columns, rows] =
            if has_columns { [product.lhs, product.rhs] } else { [product.rhs, product.lhs] };
        let (rows, columns) = (self.bind_factor(rows, operands)?, self.bind_factor(columns, operands)?);
        operands.stream.scores.push(Score { value, rows, columns, summed: self.binding.axes(product.k) });
        Ok(())
    }

    fn bind_sum(
        &self,
        product: &Contraction,
        part: &Fused,
        operands: &mut Operands<'_, K::Tensor>,
    ) -> Result<()> {
        let write = |factor: Source| operands.ids.iter().position(|id| Source::Buffer(*id) == factor);
        let (weight, columns) = match (write(product.lhs), write(product.rhs)) {
            (Some(weight), _) => (weight, product.rhs),
            (None, Some(weight)) => (weight, product.lhs),
            (None, None) => return Ok(()),
        };
        let columns = self.bind_factor(columns, operands)?;
        let (axes, dtype) = self.buffer_form(product.out);
        let tensor = self.kernels.empty(&shape_of(&axes), dtype)?;
        let free = self.binding.axes(self.schedule.buffer(product.out).dims.difference(part.nest.outer));
        let nest = &mut operands.stream.nest;
        let dtype = self.factor_dtype(K::dtype(&nest.writes[weight].value.tensor));
        nest.writes.push(Write { value: Labeled { tensor, axes }, over: None });
        operands.ids.push(product.out);
        let out = nest.writes.len() - 1;
        operands.stream.sums.push(WeightedSum { weight, dtype, columns, free, out });
        Ok(())
    }

    /// The read of a factor: one for each source.
    fn bind_factor(&self, source: Source, operands: &mut Operands<'_, K::Tensor>) -> Result<usize> {
        if let Some((_, read)) = operands.factors.iter().find(|(own, _)| *own == source) {
            return Ok(*read);
        }
        let reads = &mut operands.stream.nest.reads;
        reads.push(Read::Memory(self.factor(source)?));
        operands.factors.push((source, reads.len() - 1));
        Ok(reads.len() - 1)
    }

    fn product(&self, at: usize) -> &'a Contraction {
        match &self.schedule.kernels[at] {
            Kernel::Contraction(product) => product,
            Kernel::Loop(_)
            | Kernel::View(_)
            | Kernel::Scan(_)
            | Kernel::Order(_)
            | Kernel::Gather(_)
            | Kernel::Scatter(..) => {
                unreachable!("the products of a stream are products")
            }
        }
    }
}

/// The operands of a kernel so far.
struct Operands<'s, T> {
    stream: BoundStream<'s, T>,
    /// The buffer of each write.
    ids: Vec<BufferId>,
    /// The source of each read of the passes.
    sources: Vec<Source>,
    /// The reads of factors.
    factors: Vec<(Source, usize)>,
}
