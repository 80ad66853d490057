//! Runs the program of a pass without compiling it: each step calls the compiled body of one primitive on a
//! block.
//!
//! A graph that exists only at run time (a second derivative, a direction, some of the results of an op) has
//! no compiled bodies. Its passes run in the same skeletons: the values of a program live in registers of up
//! to [`CHUNK`] elements. Registers stay in cache from one step to the next, so that memory is touched as
//! often as by a compiled body. A step costs one call of a vectorised loop.

pub(crate) mod buffer;
mod build;
mod machine;
#[cfg(test)]
mod tests;

pub(crate) use machine::Machine;

use crate::block::{ByKind, PassFns};
use smallvec::SmallVec;
use tensor_op_spec::ir::{Kind, Scalar};

/// Most elements of a register. The call of a step then takes little time compared with its work, and a dozen
/// registers fit into the cache.
pub(crate) const CHUNK: usize = 1024;

/// Most operands of a primitive.
const OPERANDS: usize = 3;

/// A program whose values have scalars and registers. A [`Machine`] runs it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Registers {
    /// On values that do not vary along the row, once per row.
    once: Vec<Once>,
    /// On blocks.
    each: Vec<Step>,
    /// The scalars of a row: the uniforms of the pass, then constants, then what `once` computes.
    scalars: ByKind<Vec<Init>, Vec<Init>, Vec<Init>>,
    /// The scalars that steps read as blocks.
    spread: ByKind<Vec<usize>, Vec<usize>, Vec<usize>>,
    /// Number of registers.
    registers: ByKind<usize, usize, usize>,
    /// Results that are scalars: kind, result, scalar.
    given: Vec<(Kind, usize, usize)>,
}

/// What a scalar holds before any step.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Init {
    /// A constant.
    Constant(Scalar),
    /// The uniform of the pass with this index.
    Uniform(usize),
    /// Nothing yet.
    Step,
}

/// A step over scalars.
#[derive(Clone, Debug, PartialEq)]
struct Once {
    body: Primitive,
    kind: Kind,
    to: usize,
    args: Args<usize>,
}

/// A step over blocks.
#[derive(Clone, Debug, PartialEq)]
struct Step {
    body: Primitive,
    kind: Kind,
    to: Cell,
    args: Args<Slot>,
    /// A float scalar that the body takes as a uniform.
    scalar: Option<usize>,
}

/// Operands by kind, in the order of the body.
type Args<S> = ByKind<SmallVec<[S; OPERANDS]>, SmallVec<[S; OPERANDS]>, SmallVec<[S; OPERANDS]>>;

/// Where a step reads a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    /// The element operand of the pass with this index.
    Element(usize),
    /// A scalar as a block.
    Spread(usize),
    /// What a step has written.
    Cell(Cell),
}

/// Where a step writes a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    /// Kept for later steps.
    Register(usize),
    /// The result of the pass with this index, which later steps may read.
    Result(usize),
}

/// The compiled body of a primitive. Bodies are functions, which have no identity to compare.
#[derive(Clone, Copy, Debug)]
struct Primitive(&'static PassFns);

impl PartialEq for Primitive {
    fn eq(&self, other: &Primitive) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Registers {
    /// Values that are computed at each point.
    pub(crate) fn work(&self) -> usize {
        self.each.len()
    }
}
