//! What gather and scatter have in common: three operands, one of which moves by the index.

use crate::fault::Site;
use crate::kernel::nest::Nest;
use crate::kernel::pass::{Dest, Element, Output};
use crate::kernel::plan::{LoopPlan, Memory, Read, Write};
use crate::kernel::simple;
use crate::kernel::widen::widen;
use crate::tensor::CubeTensor;
use tensor_op_core::Result;
use tensor_op_spec::ir::Kind;

pub(super) const SOURCE: usize = 0;
pub(super) const INDEX: usize = 1;
pub(super) const OUT: usize = 2;

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
    // The pass tells only of the types: a gather computes nothing.
    let element = Element::Input { buffer: INDEX, operand: INDEX };
    let pass = simple::copy(Kind::Int, element, Dest::Element(Output { output: 0, operand: OUT }));
    let mut plan = LoopPlan {
        device: source.device,
        reads: [source, index].map(|tensor| Read::Memory(Memory::of(tensor))).into(),
        writes: vec![Write { memory: Memory::of(out), over: None }],
        columns: Vec::new(),
        partials: Vec::new(),
        outer,
        inner,
        passes: vec![pass],
        scalars: Vec::new(),
        float: source.dtype.compute(),
    };
    widen(&mut plan, INDEX)?;
    Ok(plan)
}
