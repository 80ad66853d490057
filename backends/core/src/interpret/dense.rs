//! Values over axes, and loops over their points.

use crate::bind::{AxisId, BoundAxis};
use tensor_op_spec::ir::DimId;

/// Values over axes, row-major.
#[derive(Clone, Debug)]
pub(super) struct Dense<V> {
    pub(super) axes: Vec<BoundAxis>,
    pub(super) values: Vec<V>,
}

impl<V> Dense<V> {
    /// For each of some axes, how many elements one step along it is: 0 if the value lacks the axis or has it
    /// with size 1.
    pub(super) fn strides(&self, along: &[BoundAxis]) -> Vec<usize> {
        along.iter().map(|bound| self.stride(bound.axis)).collect()
    }

    fn stride(&self, axis: AxisId) -> usize {
        let mut step = 1;
        for bound in self.axes.iter().rev() {
            if bound.axis == axis {
                return if bound.size == 1 { 0 } else { step };
            }
            step *= bound.size;
        }
        0
    }

    /// The same as [`Dense::strides`], but with stride 0 along a dim; also the stride along that dim.
    pub(super) fn strides_but(&self, along: &[BoundAxis], dim: DimId) -> (Vec<usize>, usize) {
        let axis = AxisId { dim, part: 0 };
        let mut strides = self.strides(along);
        for (bound, stride) in along.iter().zip(&mut strides) {
            if bound.axis == axis {
                *stride = 0;
            }
        }
        (strides, self.stride(axis))
    }
}

/// Calls `visit` at each point of some axes, row-major, with the offset by each list of strides.
pub(super) fn walk<const N: usize>(
    axes: &[BoundAxis],
    strides: [&[usize]; N],
    mut visit: impl FnMut([usize; N]),
) {
    walk_many(axes, &strides, |offsets| {
        let mut fixed = [0; N];
        fixed.copy_from_slice(offsets);
        visit(fixed);
    });
}

/// Does the same as [`walk`], for any number of stride lists.
pub(super) fn walk_many(axes: &[BoundAxis], strides: &[&[usize]], mut visit: impl FnMut(&[usize])) {
    if axes.iter().any(|bound| bound.size == 0) {
        return;
    }
    let mut point = vec![0; axes.len()];
    let mut offsets = vec![0; strides.len()];
    loop {
        visit(&offsets);
        let Some(axis) = (0..axes.len()).rev().find(|axis| point[*axis] + 1 < axes[*axis].size) else {
            return;
        };
        for later in axis + 1..axes.len() {
            let back = std::mem::take(&mut point[later]);
            offsets.iter_mut().zip(strides).for_each(|(offset, strides)| *offset -= back * strides[later]);
        }
        point[axis] += 1;
        offsets.iter_mut().zip(strides).for_each(|(offset, strides)| *offset += strides[axis]);
    }
}

/// The offsets of all points of some axes.
pub(super) fn offsets(axes: &[BoundAxis], strides: &[usize]) -> Vec<usize> {
    let mut result = vec![];
    walk(axes, [strides], |[offset]| result.push(offset));
    result
}
