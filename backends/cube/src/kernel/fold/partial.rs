//! The partial folds that a cube stores if it has only a part of a row. Another kernel combines them.

use super::super::operand::Buffer;
use super::{FoldPlan, Running, cells_before};
use cubecl::prelude::*;
use tensor_op_spec::ir::Kind;

impl FoldPlan {
    /// Kinds of the stored values: the running value, and its position if the fold's result is an index.
    pub(crate) fn partial_kinds(self) -> Vec<Kind> {
        if self.is_arg() { vec![self.kind, Kind::Int] } else { vec![self.kind] }
    }
}

/// The number of outputs that all folds before the one with this index have.
fn partials_before(folds: &[FoldPlan], at: usize) -> usize {
    folds[..at].iter().map(|fold| fold.partial_kinds().len()).sum()
}

/// Writes the folds of a cube over its part of a row to the outputs from `first` on. The next row of the unit
/// is `step` further.
#[cube]
pub(crate) fn store_partials<A: Float, I: Int, U: Size>(
    outputs: &mut Sequence<Buffer>,
    running: &Running<A, I, U>,
    to: usize,
    step: usize,
    #[comptime] first: usize,
    #[comptime] folds: Vec<FoldPlan>,
) {
    #[unroll]
    for i in 0..comptime!(folds.len()) {
        let plan = comptime!(folds[i]);
        let output = comptime!(first + partials_before(&folds, i));
        let float = comptime!(cells_before(&folds, i)[0]);
        let int = comptime!(cells_before(&folds, i)[1]);
        let place = comptime!(if plan.kind == Kind::Float { int } else { int + 1 });
        match comptime!(plan.kind) {
            Kind::Float => {
                let value = running.floats.index(float).read();
                outputs.index_mut(output).store::<A, U>(to, step, value);
            }
            Kind::Int => {
                let value = running.ints.index(int).read();
                outputs.index_mut(output).store::<I, U>(to, step, value);
            }
            Kind::Bool => {
                let zero = Vector::<I, U>::new(I::new(0));
                let value = !running.ints.index(int).read().equal(&zero);
                outputs.index_mut(output).store::<bool, U>(to, step, value);
            }
        }
        if comptime!(plan.is_arg()) {
            let value = running.ints.index(place).read();
            outputs.index_mut(comptime!(output + 1)).store::<I, U>(to, step, value);
        }
    }
}
