//! A workaround for Mesa's CPU driver (seen in Mesa 22.3). If a kernel extends a 32-bit int to 64 bits and
//! then compares it with a constant or divides it, the driver takes signed for unsigned or the reverse. So on
//! this driver a separate kernel extends such ints and does nothing else.

use super::nest::{Axis, Nest};
use super::pass::{Dest, Element, Output};
use super::plan::{LoopPlan, Memory, Read, Write};
use super::{pointwise, simple};
use crate::tensor::CubeTensor;
use cubecl::ir::{ElemType, IntKind};
use tensor_op_core::{DType, Result, Shape};
use tensor_op_spec::ir::Kind;

/// The same plan. If the device needs it, the plan reads extended 64-bit ints instead.
pub(super) fn widened(mut plan: LoopPlan) -> Result<LoopPlan> {
    if !plan.device.extends_wrongly || only_moves(&plan) {
        return Ok(plan);
    }
    for at in 0..plan.reads.len() {
        widen(&mut plan, at)?;
    }
    Ok(plan)
}

/// Does this for one operand.
pub(super) fn widen(plan: &mut LoopPlan, read: usize) -> Result<()> {
    let is_short = |memory: &&Memory| memory.kind == Kind::Int && memory.elem.size() < 8;
    let Some(memory) = plan.reads[read].memory().filter(is_short) else {
        return Ok(());
    };
    if !plan.device.extends_wrongly || plan.types()[1] == ElemType::Int(IntKind::I32) {
        return Ok(());
    }
    let long = CubeTensor::empty(&Shape::new(&[memory.len()]), DType::I64, plan.device)?;
    extend(Memory { offset: 0, ..memory.clone() }, &long)?;
    let offset = memory.offset;
    let memory = Memory { offset, ..Memory::of(&long) };
    plan.reads[read] = match plan.reads[read] {
        Read::Window(_) => Read::Window(memory),
        Read::Gathered(_, index) => Read::Gathered(memory, index),
        Read::Memory(_) | Read::Index(_) | Read::Step { .. } => Read::Memory(memory),
    };
    plan.writes.iter_mut().for_each(|write| write.over = write.over.filter(|over| *over != read));
    Ok(())
}

fn only_moves(plan: &LoopPlan) -> bool {
    let moves = |dest: &Dest| match dest {
        Dest::Element(_) | Dest::Row(_) | Dest::Nowhere => true,
        Dest::Fold(_) | Dest::Column(_) => false,
    };
    plan.passes.iter().all(|pass| pass.program.steps().is_empty() && pass.results.iter().all(moves))
}

/// Fills `long` with the extended elements of a buffer.
fn extend(short: Memory, long: &CubeTensor) -> Result<()> {
    let element = Element::Input { buffer: 0, operand: 0 };
    pointwise::launch(&LoopPlan {
        device: long.device,
        reads: vec![Read::Memory(short)],
        writes: vec![Write { memory: Memory::of(long), over: None }],
        columns: Vec::new(),
        partials: Vec::new(),
        outer: Nest::default(),
        inner: Nest { axes: vec![Axis { size: long.elements(), steps: [1, 1].into() }] },
        passes: vec![simple::copy(Kind::Int, element, Dest::Element(Output { output: 0, operand: 1 }))],
        scalars: Vec::new(),
        float: DType::F32,
    })
}
