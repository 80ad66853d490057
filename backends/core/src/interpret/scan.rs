//! Scans of values: each row goes to the domain, in the order of the scan.

use super::Machine;
use super::dense::{Dense, offsets};
use super::domain::Domain;
use crate::{BoundAxis, Result};
use std::rc::Rc;
use tensor_op_spec::ir::{DimId, DimSet, Node, NodeId};
use tensor_op_spec::prim::Scan;

/// Where the rows of a value are: where each starts, and its steps in the order of the scan.
struct Rows {
    starts: Vec<usize>,
    steps: Vec<usize>,
}

impl<D: Domain> Machine<'_, D> {
    pub(super) fn scan(
        &mut self,
        scan: Scan,
        dim: DimId,
        reverse: bool,
        operands: &[NodeId],
        node: &Node,
    ) -> Result<Dense<D::Value>> {
        let operands = operands.iter().map(|id| self.value(*id)).collect::<Result<Vec<_>>>()?;
        let along = self.binding.axes(DimSet::one(dim));
        let others = self.binding.axes(node.dims.difference(DimSet::one(dim)));
        let places = |strides: &dyn Fn(&[BoundAxis]) -> Vec<usize>| {
            let mut steps = offsets(&along, &strides(&along));
            if reverse {
                steps.reverse();
            }
            Rows { starts: offsets(&others, &strides(&others)), steps }
        };
        let rows: Vec<Rows> = operands.iter().map(|x| places(&|axes| x.strides(axes))).collect();
        let axes = self.binding.axes(node.dims);
        let mut result = Dense { axes, values: vec![None; self.binding.len(node.dims)?] };
        let to = places(&|axes| result.strides(axes));
        for (row, start) in to.starts.iter().enumerate() {
            let read = |(x, Rows { starts, steps }): (&Rc<Dense<D::Value>>, &Rows)| -> Vec<D::Value> {
                steps.iter().map(|step| x.values[starts[row] + step].clone()).collect()
            };
            let elements: Vec<Vec<D::Value>> = operands.iter().zip(&rows).map(read).collect();
            let found = self.domain.scan(scan, &elements, node.kind)?;
            to.steps.iter().zip(found).for_each(|(step, value)| result.values[start + step] = Some(value));
        }
        Ok(Dense { axes: result.axes, values: result.values.into_iter().flatten().collect() })
    }
}
