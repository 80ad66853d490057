//! Scans through the backend's slices: each step combines every result with the one `1, 2, 4, ..` places
//! before it, so that `log n` steps suffice.
//!
//! Source: Hillis and Steele, Data Parallel Algorithms, 1986.

use super::align::{Aligned, sizes};
use crate::bind::{Binding, BoundAxis};
use crate::{Backend, Error, ErrorKind, Result};
use tensor_op_spec::ir::{DimId, DimSet, Node};
use tensor_op_spec::prim::{Prim, Scan};

/// A scan of values that are aligned to its axes.
pub(super) struct Scanned<'b> {
    pub(super) binding: &'b Binding,
    pub(super) scan: Scan,
    pub(super) dim: DimId,
    pub(super) reverse: bool,
    /// The node of the scan.
    pub(super) node: &'b Node,
}

impl Scanned<'_> {
    pub(super) fn run<B: Backend>(&self, operands: Vec<Aligned<B>>) -> Result<Aligned<B>> {
        let others = self.binding.axes(self.node.dims.difference(DimSet::one(self.dim)));
        let axes = [others, self.binding.axes(DimSet::one(self.dim))].concat();
        let mut values: Vec<B::Tensor> =
            operands.into_iter().map(|operand| operand.align(&axes)).collect::<Result<_>>()?;
        let len = self.binding.size(self.dim);
        let mut step = 1;
        while step < len && sizes(&axes).all(|size| size > 0) {
            values = self.step::<B>(values, &axes, step)?;
            step *= 2;
        }
        let results = values.pop().ok_or_else(|| Error::new(ErrorKind::Backend, "a scan takes operands"))?;
        Ok(Aligned::new(results, axes))
    }

    /// Combines what was combined so far with that of so many places before.
    fn step<B: Backend>(
        &self,
        values: Vec<B::Tensor>,
        axes: &[BoundAxis],
        step: usize,
    ) -> Result<Vec<B::Tensor>> {
        let range = |start: usize, end: usize| -> Vec<(usize, usize, usize)> {
            let last = axes.len() - 1;
            let of = |(at, size)| if at == last { (start, end, 1) } else { (0, size, 1) };
            sizes(axes).enumerate().map(of).collect()
        };
        let len = self.binding.size(self.dim);
        let (low, high) = (range(0, len - step), range(step, len));
        let (before, after) = if self.reverse { (high, low) } else { (low, high) };
        let part = |range: &[_]| values.iter().map(|value| B::slice(value.clone(), range)).collect();
        let (earlier, later): (Result<Vec<_>>, Result<Vec<_>>) = (part(&before), part(&after));
        let combined = self.combined::<B>(earlier?, later?)?;
        let put = |(value, new): (B::Tensor, B::Tensor)| B::slice_assign(value, &after, new);
        values.into_iter().zip(combined).map(put).collect()
    }

    /// Two neighbouring parts as one. A part of a recurrence is the product of its factors, and what it adds.
    fn combined<B: Backend>(&self, earlier: Vec<B::Tensor>, later: Vec<B::Tensor>) -> Result<Vec<B::Tensor>> {
        let apply = |prim, a: &B::Tensor, b: &B::Tensor| B::apply(prim, vec![a.clone(), b.clone()]);
        match (self.scan.row().fold, &earlier[..], &later[..]) {
            (Some(fold), [before], [after]) => Ok(vec![apply(fold.row().combine, before, after)?]),
            (None, [factor_before, before], [factor, after]) => Ok(vec![
                apply(Prim::Mul, factor, factor_before)?,
                apply(Prim::Add, &apply(Prim::Mul, factor, before)?, after)?,
            ]),
            _ => Err(Error::new(ErrorKind::Backend, "a scan takes one operand, or two")),
        }
    }
}
