//! What gather and scatter have in common: three operands, one of which moves by the index.

use crate::fault::Site;
use crate::kernel::nest::Nest;
use crate::kernel::plan::LoopPlan;
use crate::kernel::widen::widen;
use crate::tensor::CubeTensor;
use tensor_op_core::Result;
use tensor_op_spec::ir::Kind;
use tensor_op_spec::prim::Fold;

pub(super) const SOURCE: usize = 0;
pub(super) const INDEX: usize = 1;
pub(super) const OUT: usize = 2;

/// How elements are combined, and their kind. Trues would sum to 0 in a byte, so bools have a fold of their
/// own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Way {
    pub(crate) fold: Fold,
    pub(crate) kind: Kind,
}

/// How an operand moves by the index.
pub(crate) struct Indexed {
    /// Elements for one step of the index.
    pub(crate) step: usize,
    /// Of the indexed axis.
    pub(crate) size: usize,
    /// What an error names.
    pub(crate) site: Site,
}

/// A plan that tells where everything is and of which types; steps are those of source, index and out.
pub(super) fn plan(
    outer: Nest,
    inner: Nest,
    source: &CubeTensor,
    index: &CubeTensor,
    out: &CubeTensor,
) -> Result<LoopPlan> {
    let float = source.dtype.compute();
    let mut plan = LoopPlan::of_kernel(&[source, index], out, [outer, inner], Kind::Int, float);
    widen(&mut plan, INDEX)?;
    Ok(plan)
}
