//! Scans of values: each row goes to the domain, in the order of the scan.

use super::Machine;
use super::dense::{Dense, offsets};
use super::domain::Domain;
use crate::{BoundAxis, Result};
use std::rc::Rc;
use tensor_op_spec::ir::{DimId, DimSet, Node, NodeId};
use tensor_op_spec::prim::Scan;

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
        let axes = self.binding.axes(node.dims);
        let along = self.binding.axes(DimSet::one(dim));
        let others = self.binding.axes(node.dims.difference(DimSet::one(dim)));
        let places = |value: &Dense<D::Value>, axes: &[BoundAxis]| offsets(axes, &value.strides(axes));
        let ways: Vec<_> = operands.iter().map(|x| (places(x, &others), places(x, &along))).collect();
        let mut result = Dense { axes, values: vec![None; self.binding.len(node.dims)?] };
        let (starts, mut steps) =
            (offsets(&others, &result.strides(&others)), offsets(&along, &result.strides(&along)));
        if reverse {
            steps.reverse();
        }
        for (row, start) in starts.iter().enumerate() {
            let read = |(x, (starts, steps)): (&Rc<Dense<D::Value>>, &(Vec<usize>, Vec<usize>))| {
                let mut row: Vec<D::Value> =
                    steps.iter().map(|step| x.values[starts[row] + step].clone()).collect();
                if reverse {
                    row.reverse();
                }
                row
            };
            let rows: Vec<Vec<D::Value>> = operands.iter().zip(&ways).map(read).collect();
            let found = self.domain.scan(scan, &rows, node.kind)?;
            steps.iter().zip(found).for_each(|(step, value)| result.values[start + step] = Some(value));
        }
        Ok(Dense { axes: result.axes, values: result.values.into_iter().flatten().collect() })
    }
}
