//! Which operands the blocks of a loop read and write in place, and which go through buffers.

use super::plan::{Base, Dest, LoopPlan, Operand, PassPlan};
use super::stream::Lanes;
use crate::block::BLOCK;

impl<E: Lanes> LoopPlan<E> {
    /// Whether a pass reads and writes all its blocks in place, without buffers.
    pub(crate) fn is_direct(&self, pass: &PassPlan<E>) -> bool {
        let reads = |operands: &[usize], is_direct: fn(&Self, usize) -> bool| {
            operands.iter().all(|operand| is_direct(self, *operand))
        };
        let writes = |dests: &[Dest], is_direct: fn(&Self, usize) -> bool| {
            dests.iter().all(|dest| match *dest {
                Dest::Element(operand) => !self.operands[operand].in_place && is_direct(self, operand),
                Dest::Fold { .. } | Dest::Row(_) | Dest::Column(_) | Dest::Nowhere => false,
            })
        };
        let (elements, results) = (&pass.elements, &pass.results);
        reads(&elements.floats, Self::is_direct_operand::<E>)
            && reads(&elements.ints, Self::is_direct_operand::<i64>)
            && reads(&elements.bools, Self::is_direct_operand::<bool>)
            && writes(&results.floats, Self::is_direct_operand::<E>)
            && writes(&results.ints, Self::is_direct_operand::<i64>)
            && writes(&results.bools, Self::is_direct_operand::<bool>)
    }
}

impl<E> LoopPlan<E> {
    /// Whether blocks lose nothing if they go across the ends of runs along the innermost axis: operands are
    /// contiguous, or have the same elements in all blocks, so that a buffer is filled once. This holds for a
    /// bias if its length divides [`BLOCK`].
    pub(crate) fn crosses_runs(&self) -> bool {
        let is_flat = |operand: usize| match self.operands[operand].base {
            Base::Memory(_) | Base::Iota(_) => self.inner.flat_stride(operand) == Some(1),
            Base::Kept(_) => true,
            Base::Window(..) | Base::Gathered(..) => false,
        };
        let repeats = |operand: usize| BLOCK.is_multiple_of(self.period(operand));
        let reads = |operands: &[usize]| operands.iter().all(|own| is_flat(*own) || repeats(*own));
        let writes = |dests: &[Dest]| {
            dests.iter().all(|dest| match dest {
                Dest::Element(operand) => is_flat(*operand),
                Dest::Fold { .. } | Dest::Row(_) | Dest::Column(_) | Dest::Nowhere => true,
            })
        };
        self.passes.iter().all(|PassPlan { elements, results, .. }| {
            reads(&elements.floats)
                && reads(&elements.ints)
                && reads(&elements.bools)
                && writes(&results.floats)
                && writes(&results.ints)
                && writes(&results.bools)
        })
    }

    /// After how many elements of a row an operand has the same elements again; `usize::MAX` if nobody knows
    /// that it has.
    pub(super) fn period(&self, operand: usize) -> usize {
        let repeats =
            (0..self.inner.rank()).take_while(|axis| self.inner.stride(*axis, operand) == 0).count();
        match self.operands[operand].base {
            Base::Memory(_) | Base::Iota(_) if repeats > 0 => {
                (repeats..self.inner.rank()).map(|axis| self.inner.size(axis)).product()
            }
            Base::Memory(_) | Base::Iota(_) | Base::Window(..) | Base::Gathered(..) => usize::MAX,
            Base::Kept(_) => usize::MAX,
        }
    }

    /// Whether every block of an operand is contiguous and of a type that bodies compute with.
    pub(super) fn is_direct_operand<T: Lanes>(&self, operand: usize) -> bool {
        let Operand { base, dtype, .. } = &self.operands[operand];
        match base {
            Base::Memory(_) => *dtype == T::NATIVE && self.inner.flat_stride(operand) == Some(1),
            Base::Kept(_) => true,
            Base::Iota(_) | Base::Window(..) | Base::Gathered(..) => false,
        }
    }
}
