//! A loop in which everything is decided: addresses, strides, bodies and where each result goes.
//!
//! Plans are made from a schedule by [`bind`](super::bind), or by hand for the structural primitives.
//! [`rows`](super::rows) and [`columns`](super::columns) run them.

use super::fold::{Columns, Single};
use super::real::Real;
use crate::block::{ByKind, PassFns};
use crate::layout::Few;
use crate::nest::Nest;
use crate::parallel::Shared;
use crate::program::Registers;
use std::sync::Arc;
use tensor_op_core::{DType, Result};
use tensor_op_spec::ir::{Kind, Scalar};
use tensor_op_spec::prim::Fold;
use tensor_op_spec::schedule::Program;

/// A loop: for each point of `outer`, each pass over all of `inner`.
#[derive(Debug)]
pub(crate) struct LoopPlan<E> {
    /// All operands that are read or written.
    pub(crate) operands: Vec<Operand>,
    /// Strides of each operand from row to row.
    pub(crate) outer: Nest,
    /// Strides of each operand along a row.
    pub(crate) inner: Nest,
    /// The passes, in the order in which they run.
    pub(crate) passes: Vec<PassPlan<E>>,
    /// Number of folds along the row.
    pub(crate) statistics: usize,
    /// Folds over the rows.
    pub(crate) columns: Vec<ColumnPlan>,
    /// What windows ask at each point.
    pub(crate) windows: Vec<Window>,
    /// How many places passes have to keep values at each element.
    pub(crate) kept: usize,
}

/// An operand: memory, or the index along axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand {
    /// Where the operand starts.
    pub(crate) base: Base,
    /// The dtype in memory.
    pub(crate) dtype: DType,
    /// Whether the operand is a result that shares memory with an element that is read at the same point.
    /// Then it must be written after that element was read.
    pub(crate) in_place: bool,
}

/// Where an operand starts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Base {
    /// An address.
    Memory(Shared<u8>),
    /// The operand has no memory: its offset from this number is the value.
    Iota(i64),
    /// An address, to be read where the window with this index is inside.
    Window(Shared<u8>, usize),
    /// An address, from which an index moves on.
    Gathered(Shared<u8>, Gather),
    /// The place with this number, of those where passes keep values, in memory of the worker.
    Kept(usize),
}

/// The index of a gathered operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gather {
    /// The operand that has the indices.
    pub(crate) index: usize,
    /// How far the gathered operand moves in memory with each index.
    pub(crate) stride: isize,
}

/// What a window asks at each point.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    /// The value outside.
    pub(crate) outside: Scalar,
    /// A point is inside if all of these hold.
    pub(crate) guards: Few<Guard>,
}

/// A number that must be a multiple of a divisor, and the quotient an index of an axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guard {
    /// The operand that is the number.
    pub(crate) operand: usize,
    /// The divisor.
    pub(crate) divisor: i64,
    /// The size of the axis.
    pub(crate) size: usize,
    /// How far the window moves in memory with each quotient.
    pub(crate) stride: isize,
}

/// One pass with its operands resolved.
#[derive(Clone, Debug)]
pub(crate) struct PassPlan<E> {
    /// The code that computes a block.
    pub(crate) body: Body,
    /// What the body computes, if that is known.
    pub(crate) program: Option<Arc<Program>>,
    /// Whether the pass is evaluated only once per row.
    pub(crate) per_row: bool,
    /// Uniforms. Those that change from row to row are set at the start of each row.
    pub(crate) uniforms: ByKind<Vec<E>, Vec<i64>, Vec<bool>>,
    /// Uniforms that change from row to row.
    pub(crate) row_uniforms: Vec<RowUniform>,
    /// Operands that vary along the row.
    pub(crate) elements: ByKind<Vec<usize>, Vec<usize>, Vec<usize>>,
    /// Where each result goes.
    pub(crate) results: ByKind<Vec<Dest>, Vec<Dest>, Vec<Dest>>,
}

/// The code that computes a block.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// One loop, compiled for this pass.
    Compiled(&'static PassFns),
    /// The same, over elements of many rows: it takes what is computed once per row as elements.
    OfRows(&'static PassFns),
    /// A program, which runs one compiled loop per value.
    Program(Arc<Registers>),
}

/// A uniform that changes from row to row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowUniform {
    /// Kind of the uniform, which decides the list that it is in.
    pub(crate) kind: Kind,
    /// Index in that list.
    pub(crate) slot: usize,
    /// Where its value comes from.
    pub(crate) source: UniformSource,
}

/// Where the value of a uniform comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum UniformSource {
    /// An operand: memory, or an index.
    Operand(usize),
    /// A fold of an earlier pass.
    Statistic(usize),
}

/// Where a result goes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Dest {
    /// It is folded along the row.
    Fold {
        /// The fold.
        fold: Fold,
        /// Index of the statistic.
        statistic: usize,
    },
    /// It is written to this operand at each point.
    Element(usize),
    /// It is written to this operand once per row.
    Row(usize),
    /// It is folded over the rows, into the column with this number.
    Column(usize),
    /// It is not needed.
    Nowhere,
}

/// A fold over the rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColumnPlan {
    /// The fold.
    pub(crate) fold: Fold,
    /// Kind of the values that are folded.
    pub(crate) kind: Kind,
    /// The operand that the result is written to.
    pub(crate) operand: usize,
}

impl<E> LoopPlan<E> {
    /// Whether something is computed once per row, or depends on the row.
    pub(crate) fn has_rows(&self) -> bool {
        self.statistics > 0 || self.passes.iter().any(PassPlan::depends_on_rows)
    }
}

impl<E: Real> LoopPlan<E> {
    /// Accumulators that have seen no rows yet.
    pub(crate) fn empty_columns(&self, len: usize) -> Result<Vec<Columns<E>>> {
        let empty = |column: &ColumnPlan| match column.kind {
            Kind::Float => Columns::floats(column.fold, len),
            Kind::Int => Columns::ints(column.fold, len),
            Kind::Bool => Columns::bools(column.fold, len).map(Some),
        };
        self.columns
            .iter()
            .map(|c| Ok(empty(c)?.expect("the schedule keeps argmax and argmin along rows")))
            .collect()
    }

    /// Room for the statistics of a row.
    pub(crate) fn empty_statistics(&self) -> Vec<Single<E>> {
        vec![Single::Bool(false); self.statistics]
    }
}

impl Dest {
    /// The fold and the index of the statistic, if the result is folded along the row.
    pub(crate) fn folded(&self) -> Option<(Fold, usize)> {
        match *self {
            Dest::Fold { fold, statistic } => Some((fold, statistic)),
            Dest::Element(_) | Dest::Row(_) | Dest::Column(_) | Dest::Nowhere => None,
        }
    }
}

impl Body {
    /// The program, if the body is one.
    pub(crate) fn program(&self) -> Option<&Registers> {
        match self {
            Body::Compiled(_) | Body::OfRows(_) => None,
            Body::Program(program) => Some(program),
        }
    }
}

impl<E> PassPlan<E> {
    /// Whether the pass computes something that changes from row to row, and not along a row.
    pub(crate) fn depends_on_rows(&self) -> bool {
        self.per_row || !self.row_uniforms.is_empty()
    }

    /// Where all results go.
    pub(crate) fn dests(&self) -> impl Iterator<Item = Dest> {
        self.results.floats.iter().chain(&self.results.ints).chain(&self.results.bools).copied()
    }
}
