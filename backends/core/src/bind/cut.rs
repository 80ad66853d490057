//! Parts of axes: a tile of a larger computation has the dims of the whole, with smaller sizes.

use super::{AxisId, Binding, BoundAxis};
use tensor_op_spec::ir::{DimId, DimSet};

/// A part of an axis.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The axis.
    pub axis: AxisId,
    /// Where the part starts.
    pub start: usize,
    /// Size of the part.
    pub len: usize,
    /// Size of the whole axis.
    pub whole: usize,
}

/// The index along a dim as a function of the place: `first`, and a step for each axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Positions {
    /// The index at the first place.
    pub first: usize,
    /// The axes of the dim.
    pub axes: Vec<BoundAxis>,
    /// How much the index grows from one place to the next, for each axis.
    pub steps: Vec<usize>,
}

impl Binding {
    /// The binding of a tile: the same dims, but only these parts of their axes, each cut once. An axis of
    /// size 1, along which a tensor is broadcast, stays. [`Binding::len`] stays that of the whole.
    pub fn tile(&self, cuts: &[Cut]) -> Binding {
        let mut tile = self.clone();
        for cut in cuts {
            let bound = |bound: &mut BoundAxis| {
                if bound.axis == cut.axis && bound.size != 1 {
                    bound.size = cut.len;
                }
            };
            tile.group.iter_mut().for_each(bound);
            tile.arg_axes.iter_mut().for_each(bound);
            if !self.wide.contains(cut.axis.dim) {
                tile.sizes[cut.axis.dim.index()] = cut.len;
            }
        }
        tile.cuts.extend_from_slice(cuts);
        tile
    }

    /// The index along a dim. The index along the group counts its axes row-major.
    pub fn positions(&self, dim: DimId) -> Positions {
        let axes = self.axes(DimSet::one(dim));
        let mut positions = Positions { first: 0, steps: vec![0; axes.len()], axes };
        let mut step = 1;
        for (at, bound) in positions.axes.iter().enumerate().rev() {
            let cut = self.cuts.iter().find(|cut| cut.axis == bound.axis);
            positions.steps[at] = step;
            positions.first += step * cut.map_or(0, |cut| cut.start);
            step *= cut.map_or(bound.size, |cut| cut.whole);
        }
        positions
    }

    /// The size of a dim without cuts.
    pub(super) fn whole_size(&self, dim: DimId) -> usize {
        let cut = self.cuts.iter().find(|cut| cut.axis.dim == dim && !self.wide.contains(dim));
        cut.map_or(self.sizes[dim.index()], |cut| cut.whole)
    }
}
