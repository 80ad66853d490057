//! Positions in what is sorted, row by row.

use super::Machine;
use super::dense::{Dense, offsets};
use super::domain::Domain;
use crate::Result;
use std::cmp::Ordering;
use tensor_op_spec::ir::{DimId, DimSet, Node, NodeId, Scalar};
use tensor_op_spec::prim::Order;

/// The order of two numbers: NaN is larger than any number, and -0 is equal to 0.
pub(crate) fn order(a: Scalar, b: Scalar) -> Ordering {
    match (a, b) {
        (Scalar::Int(a), Scalar::Int(b)) => a.cmp(&b),
        (a, b) => {
            let (a, b) = (a.as_f64(), b.as_f64());
            a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
        }
    }
}

/// The places of elements in their order. Equal elements keep their order.
pub(crate) fn sorted(elements: &[Scalar], descending: bool) -> Vec<usize> {
    let mut places: Vec<usize> = (0..elements.len()).collect();
    places.sort_by(|a, b| {
        let order = order(elements[*a], elements[*b]);
        if descending { order.reverse() } else { order }
    });
    places
}

/// How many of `len` sorted elements come before a value. Every backend halves the rest in the same way, so
/// that elements that are not sorted give the same number everywhere.
pub fn lower_bound(len: usize, mut is_before: impl FnMut(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_before(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

/// Whether an element of what is sorted comes before a value that is looked up.
pub(crate) fn is_before(element: Scalar, value: Scalar, right: bool) -> bool {
    match order(element, value) {
        Ordering::Less => true,
        Ordering::Equal => right,
        Ordering::Greater => false,
    }
}

impl<D: Domain> Machine<'_, D> {
    pub(super) fn order(
        &mut self,
        order: Order,
        dim: DimId,
        operands: &[NodeId],
        node: &Node,
    ) -> Result<Dense<D::Value>> {
        match order {
            Order::Sort { to, descending } => self.sort(operands[0], [dim, to], descending, node),
            Order::Search { right } => self.search([operands[0], operands[1]], dim, right, node),
        }
    }

    fn sort(
        &mut self,
        x: NodeId,
        [from, to]: [DimId; 2],
        descending: bool,
        node: &Node,
    ) -> Result<Dense<D::Value>> {
        let x = self.value(x)?;
        let along = self.binding.axes(DimSet::one(from));
        let steps = offsets(&along, &x.strides(&along));
        let kept = self.binding.axes(DimSet::one(to));
        let rows = self.binding.axes(node.dims.difference(DimSet::one(to)));
        let mut result =
            Dense { axes: self.binding.axes(node.dims), values: vec![None; self.binding.len(node.dims)?] };
        let places = offsets(&kept, &result.strides(&kept));
        let starts = offsets(&rows, &x.strides(&rows)).into_iter();
        for (start, out) in starts.zip(offsets(&rows, &result.strides(&rows))) {
            let row: Vec<&D::Value> = steps.iter().map(|step| &x.values[start + step]).collect();
            let found = self.positions(&row, descending);
            places.iter().zip(found).for_each(|(step, place)| result.values[out + step] = Some(place));
        }
        Ok(Dense { axes: result.axes, values: result.values.into_iter().flatten().collect() })
    }

    /// The positions of a row.
    fn positions(&self, row: &[&D::Value], descending: bool) -> Vec<D::Value> {
        let values: Vec<Scalar> = row.iter().map(|value| self.domain.scalar(value)).collect();
        let places = sorted(&values, descending);
        let sign = if descending { -1.0 } else { 1.0 };
        let ranges = places.iter().map(|place| {
            let (value, slack) = (sign * values[*place].as_f64(), self.domain.slack(row[*place]));
            // All NaNs are equal.
            if value.is_nan() {
                (sign * f64::INFINITY, sign * f64::INFINITY, slack)
            } else {
                (value - slack, value + slack, slack)
            }
        });
        let ranges: Vec<(f64, f64, f64)> = ranges.collect();
        let after = close(ranges.iter().copied());
        let before = close(ranges.iter().rev().map(|(low, high, slack)| (-high, -low, *slack)));
        let is_close = after.into_iter().zip(before.into_iter().rev()).map(|(a, b)| a || b);
        places.iter().zip(is_close).map(|(place, close)| self.domain.position(*place, !close)).collect()
    }

    fn search(
        &mut self,
        [sorted, x]: [NodeId; 2],
        dim: DimId,
        right: bool,
        node: &Node,
    ) -> Result<Dense<D::Value>> {
        let (sorted, x) = (self.value(sorted)?, self.value(x)?);
        let along = self.binding.axes(DimSet::one(dim));
        let steps = offsets(&along, &sorted.strides(&along));
        let axes = self.binding.axes(node.dims);
        // What is looked up may vary along the dim too; that is another position.
        let mut strides = sorted.strides(&axes);
        let own = strides.iter_mut().zip(&axes).filter(|(_, bound)| bound.axis.dim == dim);
        own.for_each(|(stride, _)| *stride = 0);
        let starts = offsets(&axes, &strides).into_iter().zip(offsets(&axes, &x.strides(&axes)));
        let values = starts.map(|(start, at)| {
            let value = &x.values[at];
            let mut is_certain = true;
            let count = lower_bound(steps.len(), |at| {
                let element = &sorted.values[start + steps[at]];
                let (a, b) = (self.domain.scalar(element), self.domain.scalar(value));
                let slack = self.domain.slack(element) + self.domain.slack(value);
                is_certain &= slack == 0.0 || (a.as_f64() - b.as_f64()).abs() > slack;
                is_before(a, b, right)
            });
            self.domain.position(count, is_certain)
        });
        let values = values.collect();
        Ok(Dense { axes, values })
    }
}

/// For each range, whether an earlier one reaches it. Ranges of one number may be equal.
fn close(ranges: impl Iterator<Item = (f64, f64, f64)>) -> Vec<bool> {
    let (mut all, mut wide) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    let mut close = vec![];
    for (low, high, slack) in ranges {
        close.push(all > low || wide >= low && wide > f64::NEG_INFINITY || slack > 0.0 && all >= low);
        all = all.max(high);
        if slack > 0.0 {
            wide = wide.max(high);
        }
    }
    close
}
