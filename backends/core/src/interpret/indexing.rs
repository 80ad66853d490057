//! Indexing of values: by an index from memory, and at positions that are known.

use super::Machine;
use super::dense::{Dense, walk};
use super::domain::Domain;
use crate::{BoundAxis, Element, Error, ErrorKind, Result};
use tensor_op_spec::ir::{DimId, DimSet, Node, NodeId, Op, Position, Scalar};
use tensor_op_spec::prim::Fold;

impl<D: Domain> Machine<'_, D> {
    pub(super) fn gather(
        &mut self,
        source: NodeId,
        dim: DimId,
        index: NodeId,
        node: &Node,
    ) -> Result<Dense<D::Value>> {
        let id = index;
        let (source, index) = (self.value(source)?, self.value(index)?);
        // All indices are checked, even if the result has no elements.
        let positions = index.values.iter().map(|at| self.position(at, dim, id));
        let positions: Vec<usize> = positions.collect::<Result<_>>()?;
        let axes = self.binding.axes(node.dims);
        let (strides, step) = source.strides_but(&axes, dim);
        let mut values = vec![];
        walk(&axes, [&strides, &index.strides(&axes)], |[start, at]| {
            let found = &source.values[start + positions[at] * step];
            values.push(self.domain.at(&index.values[at], found));
        });
        Ok(Dense { axes, values })
    }

    pub(super) fn window(
        &mut self,
        source: NodeId,
        dim: DimId,
        position: &Position,
        node: &Node,
    ) -> Result<Dense<D::Value>> {
        let (source, size) = (self.value(source)?, self.binding.size(dim));
        let place = self.binding.place(position)?;
        let axes = self.binding.axes(node.dims);
        let (strides, step) = source.strides_but(&axes, dim);
        // The strides of a walk are not negative, so positive and negative steps are added up apart.
        let part = |sign: i64| -> Vec<usize> {
            let of = |bound: &BoundAxis| {
                let own = place.steps.iter().find(|(own, _)| *own == bound.axis.dim);
                own.map_or(0, |(_, step)| (sign * step).max(0) as usize)
            };
            axes.iter().map(of).collect()
        };
        let mut values = vec![];
        walk(&axes, [&strides, &part(1), &part(-1)], |[start, up, down]| {
            let element = place.element(place.offset + up as i64 - down as i64, size);
            values.push(match (element, position.outside) {
                (Some(element), _) => source.values[start + element * step].clone(),
                (None, Some(outside)) => self.domain.constant(outside),
                (None, None) => self.domain.constant(Scalar::Float(f64::NAN).cast(node.kind)),
            });
        });
        Ok(Dense { axes, values })
    }

    pub(super) fn scatter(
        &mut self,
        fold: Fold,
        source: NodeId,
        dim: DimId,
        index: NodeId,
        node: &Node,
    ) -> Result<Dense<D::Value>> {
        let others = node.dims.difference(DimSet::one(dim));
        let over = self.graph.node(source).dims.union(self.graph.node(index).dims).union(others);
        let id = index;
        let (source, index) = (self.value(source)?, self.value(index)?);
        let over = self.binding.axes(over);
        let mut sums = self.sums(self.binding.axes(node.dims));
        let (strides, step) = sums.strides_but(&over, dim);
        let (mut outcome, mut uncertain) = (Ok(()), vec![]);
        walk(
            &over,
            [&strides, &source.strides(&over), &index.strides(&over)],
            |[start, from, at]| match self.position(&index.values[at], dim, id) {
                Ok(position) => {
                    if self.domain.slack(&index.values[at]) > 0.0 {
                        uncertain.push((start, at));
                    }
                    let value = self.domain.at(&index.values[at], &source.values[from]);
                    sums.values[start + position * step].push(value);
                }
                Err(error) if outcome.is_ok() => outcome = Err(error),
                Err(_) => {}
            },
        );
        outcome?;
        let mut found = self.folded(fold, sums, node.kind)?;
        // An element whose place is uncertain may be at each of them.
        for (start, at) in uncertain {
            for position in 0..self.binding.size(dim) {
                let value = &mut found.values[start + position * step];
                *value = self.domain.at(&index.values[at], value);
            }
        }
        Ok(found)
    }

    /// The index as a position, checked against the size of its dim.
    fn position(&self, index: &D::Value, dim: DimId, node: NodeId) -> Result<usize> {
        let (index, size) = (i64::from_scalar(self.domain.scalar(index)), self.binding.size(dim));
        usize::try_from(index).ok().filter(|position| *position < size).ok_or_else(|| {
            let message = format!("has size {size}, so that index {index} is out of range");
            let error = Error::new(ErrorKind::Index, message).with_dim(&self.graph.dim(dim).name);
            if let Op::Input(arg) = self.graph.node(node).op {
                return error.with_arg(&self.graph.args[arg].name);
            }
            error
        })
    }
}
