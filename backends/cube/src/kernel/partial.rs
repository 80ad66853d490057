//! Loops that read folds of an earlier loop. These folds lie in memory that nothing else uses.

use super::nest::Nest;
use super::pass::{Dest, Element, PassPlan, Uniform};
use super::plan::{LoopPlan, Memory, Read, Write};
use tensor_op_core::DType;
use tensor_op_spec::ir::Kind;

/// The dtype in which values of a kind are computed.
pub(super) fn computed(plan: &LoopPlan, kind: Kind) -> DType {
    match kind {
        Kind::Float => plan.float,
        Kind::Int => DType::I64,
        Kind::Bool => DType::Bool,
    }
}

/// The same loop, but it reads the folds of earlier loops from memory, one value per row. `targets` are the
/// operands that are not read.
pub(super) fn with_stored(
    plan: LoopPlan,
    statistics: &[(Kind, usize)],
    temps: &[Memory],
    targets: &[usize],
) -> LoopPlan {
    let first = plan.reads.len();
    let buffers = plan.reads.iter().filter(|read| read.memory().is_some()).count();
    let reads = plan.reads.iter().cloned().chain(temps.iter().cloned().map(Read::Memory)).collect();
    let mut passes = plan.passes;
    for pass in &mut passes {
        for at in 0..pass.uniforms.len() {
            if let Uniform::Statistic(place) = pass.uniforms[at] {
                let kind = pass.program.uniforms()[at];
                let temp = statistics.iter().position(|own| *own == (kind, place));
                let temp = temp.expect("a pass reads what an earlier one has folded");
                pass.uniforms[at] =
                    Uniform::Row(Element::Input { buffer: buffers + temp, operand: first + temp });
            }
        }
        for dest in &mut pass.results {
            if let Dest::Element(output) | Dest::Row(output) = dest {
                output.operand += temps.len();
            }
        }
    }
    let old: Vec<usize> = (0..first).collect();
    let mut outer = plan.outer.of_operands(&old);
    let mut inner = plan.inner.of_operands(&old);
    for _ in temps {
        outer = outer.with_row_major();
        inner.axes.iter_mut().for_each(|axis| axis.steps.push(0));
    }
    for (nest, whole) in [(&mut outer, &plan.outer), (&mut inner, &plan.inner)] {
        for (axis, own) in nest.axes.iter_mut().zip(&whole.of_operands(targets).axes) {
            axis.steps.extend(&own.steps);
        }
    }
    LoopPlan { reads, outer, inner, passes, ..plan }
}

/// A loop that writes one result, with the arithmetic of another loop.
pub(super) fn loop_of(
    plan: &LoopPlan,
    reads: Vec<Read>,
    to: Memory,
    [outer, inner]: [Nest; 2],
    passes: Vec<PassPlan>,
) -> LoopPlan {
    LoopPlan {
        device: plan.device,
        reads,
        writes: vec![Write { memory: to, over: None }],
        columns: Vec::new(),
        partials: Vec::new(),
        outer,
        inner,
        passes,
        scalars: Vec::new(),
        float: plan.float,
    }
}

/// The operand of this number, if all operands before it are memory.
pub(super) fn read(at: usize) -> Element {
    Element::Input { buffer: at, operand: at }
}
