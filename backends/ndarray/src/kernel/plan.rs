//! A loop with everything resolved: addresses, strides, bodies and where each result goes.
//!
//! Made from a schedule by [`bind`](super::bind), or by hand for the structural primitives; run by
//! [`rows`](super::rows) and [`columns`](super::columns).

use super::fold::{Columns, Single};
use super::stream::Real;
use crate::block::{ByKind, PassFns};
use crate::nest::Nest;
use crate::parallel::Shared;
use crate::program::Registers;
use tensor_op_core::{DType, Result};
use tensor_op_spec::ir::Kind;
use tensor_op_spec::prim::Fold;

/// A loop: for each point of `outer`, each pass over all of `inner`.
#[derive(Debug)]
pub(crate) struct LoopPlan<'p, E> {
    /// What is read and written.
    pub(crate) operands: Vec<Operand>,
    /// Strides of each operand from row to row.
    pub(crate) outer: Nest,
    /// Strides of each operand along a row.
    pub(crate) inner: Nest,
    /// In order.
    pub(crate) passes: Vec<PassPlan<'p, E>>,
    /// Number of folds along the row.
    pub(crate) statistics: usize,
    /// Folds over the rows.
    pub(crate) columns: Vec<ColumnPlan>,
}

/// Memory, or the index along axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand {
    /// Where it starts.
    pub(crate) place: Place,
    /// How it is stored.
    pub(crate) dtype: DType,
    /// Whether a result shares memory with an element that is read at the same point, so that it must be
    /// written after.
    pub(crate) in_place: bool,
}

/// Where an operand starts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// An address.
    Memory(Shared<u8>),
    /// The offset itself is the value.
    Iota,
}

/// One pass with its operands resolved.
#[derive(Clone, Debug)]
pub(crate) struct PassPlan<'p, E> {
    /// What computes a block.
    pub(crate) body: Body<'p>,
    /// Evaluated once per row.
    pub(crate) per_row: bool,
    /// Uniforms; those that change from row to row are set then.
    pub(crate) uniforms: ByKind<Vec<E>, Vec<i64>, Vec<bool>>,
    /// Uniforms that change from row to row.
    pub(crate) row_uniforms: Vec<RowUniform>,
    /// Operands that vary along the row.
    pub(crate) elements: ByKind<Vec<usize>, Vec<usize>, Vec<usize>>,
    /// What becomes of each result.
    pub(crate) results: ByKind<Vec<Dest>, Vec<Dest>, Vec<Dest>>,
}

/// What computes a block.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Body<'p> {
    /// One loop, compiled for this pass.
    Compiled(&'p PassFns),
    /// A compiled loop per value.
    Program(&'p Registers),
}

/// A uniform that changes from row to row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowUniform {
    /// Which list it is in.
    pub(crate) kind: Kind,
    /// Place in the list.
    pub(crate) slot: usize,
    /// Where it comes from.
    pub(crate) source: UniformSource,
}

/// Where a uniform comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum UniformSource {
    /// Memory or index.
    Operand(usize),
    /// A fold of an earlier pass.
    Statistic(usize),
}

/// What becomes of a result.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Dest {
    /// Folded along the row.
    Fold {
        /// How.
        fold: Fold,
        /// Index of the statistic.
        statistic: usize,
    },
    /// Written at each point.
    Element(usize),
    /// Written once per row.
    Row(usize),
    /// Folded over the rows.
    Column(usize),
    /// Nobody wants it.
    Nowhere,
}

/// A fold over the rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColumnPlan {
    /// How.
    pub(crate) fold: Fold,
    /// Kind of what is folded.
    pub(crate) kind: Kind,
    /// Where it is written.
    pub(crate) operand: usize,
}

impl<E: Real> LoopPlan<'_, E> {
    /// Accumulators over no rows.
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

    /// Statistics of no row.
    pub(crate) fn empty_statistics(&self) -> Vec<Single<E>> {
        vec![Single::Bool(false); self.statistics]
    }
}

impl<'p> Body<'p> {
    /// The program, if it is one.
    pub(crate) fn program(self) -> Option<&'p Registers> {
        match self {
            Body::Compiled(_) => None,
            Body::Program(program) => Some(program),
        }
    }
}

impl<E> PassPlan<'_, E> {
    /// What becomes of all results.
    pub(crate) fn dests(&self) -> impl Iterator<Item = Dest> {
        self.results.floats.iter().chain(&self.results.ints).chain(&self.results.bools).copied()
    }
}
