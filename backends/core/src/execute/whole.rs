//! The operands of scans, sorts, gathers and scatters.

use super::executor::Executor;
use super::{BoundIndex, BoundScan, BoundSearch, BoundSort, Kernels, Site};
use crate::{AxisId, BoundAxis, Result};
use tensor_op_spec::ir::{DimId, DimSet};
use tensor_op_spec::prim::Order;
use tensor_op_spec::schedule::{Index, Ordering, Recurrence, Source};

impl<'a, K: Kernels> Executor<'a, K> {
    pub(super) fn bound_scan(&self, kernel: &Recurrence) -> Result<BoundScan<K::Tensor>> {
        let (out, dtype) = self.buffer_form(kernel.out);
        let axis = AxisId { dim: kernel.dim, part: 0 };
        let operands = kernel.operands.iter().map(|operand| self.whole(*operand));
        Ok(BoundScan {
            scan: kernel.scan,
            reverse: kernel.reverse,
            operands: operands.collect::<Result<_>>()?,
            along: BoundAxis { axis, size: self.binding.size(kernel.dim) },
            out,
            dtype,
            computed: self.dtypes.compute(self.schedule.buffer(kernel.out).kind),
        })
    }

    /// Positions in what is sorted.
    pub(super) fn order(&mut self, kernel: &Ordering) -> Result<K::Tensor> {
        let out = self.buffer_form(kernel.out).0;
        let axis = |dim: DimId| BoundAxis { axis: AxisId { dim, part: 0 }, size: self.binding.size(dim) };
        let along = axis(kernel.dim);
        match kernel.order {
            Order::Sort { to, descending } => {
                let (source, kept) = (self.whole(kernel.operands[0])?, axis(to));
                self.kernels.sort(BoundSort { source, along, kept, descending, out })
            }
            Order::Search { right } => {
                let [sorted, values] = [self.whole(kernel.operands[0])?, self.whole(kernel.operands[1])?];
                self.kernels.search(BoundSearch { sorted, values, along, right, out })
            }
        }
    }

    pub(super) fn indexing(&self, kernel: &Index) -> Result<BoundIndex<'a, K::Tensor>> {
        let graph = self.graph;
        let out_dims = self.schedule.buffer(kernel.out).dims;
        let free = out_dims.difference(DimSet::one(kernel.dim));
        let axis = AxisId { dim: kernel.dim, part: 0 };
        let arg = match kernel.index {
            Source::Arg(arg) => Some(graph.args[arg].name.as_str()),
            Source::Buffer(_) | Source::Len(_) | Source::Iota(_) => None,
            Source::Statistic(_) | Source::Kept(_) => None,
        };
        Ok(BoundIndex {
            source: self.whole(kernel.source)?,
            index: self.whole(kernel.index)?,
            along: BoundAxis { axis, size: self.binding.size(kernel.dim) },
            out: self.buffer_form(kernel.out).0,
            free: self.binding.axes(free),
            summed: self.binding.axes(kernel.read.difference(free)),
            walked: self.binding.axes(kernel.read.union(free)),
            once: kernel.once,
            computed: self.dtypes.compute(self.schedule.buffer(kernel.out).kind),
            site: Site { op: &graph.name, arg, dim: &graph.dim(kernel.dim).name },
        })
    }
}
