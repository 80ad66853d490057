//! Sweeps: passes and scans along an axis, step by step, for some points at a time.
//!
//! A task has some of the points. At each step it runs the passes over them, and takes the next states from
//! what these give. The states, and what passes give to the scans, are a few numbers for each point of the
//! task, so that they stay in the cache. [`steps`] is the loop over the steps, and [`link`] what goes from
//! one to the next.

mod link;
mod steps;

use super::bind;
use super::plan::{Base, Body, Dest, LoopPlan, Operand, PassPlan};
use super::real::{Real, match_real};
use super::scan::Scanned;
use crate::block::ByKind;
use crate::parallel::Shared;
use crate::program::Registers;
use crate::tensor::NdArrayTensor;
use link::Link;
use std::borrow::BorrowMut;
use std::sync::Arc;
use steps::{Steps, fits};
use tensor_op_core::execute::{self, BoundLoop, BoundSweep, Carried, Kernels, Labeled, Read, SweepSize};
use tensor_op_core::{BoundAxis, DType, Error, ErrorKind, Result, Shape};
use tensor_op_spec::ir::Kind;
use tensor_op_spec::schedule::{Program, ValueId};

/// Fewer points are not worth the calls that each step takes.
const FEWEST_POINTS: usize = 128;
/// Fewer elements stay in the cache anyway.
const FEWEST_ELEMENTS: usize = 1 << 16;

#[cfg(test)]
thread_local! {
    /// How many sweeps this thread has run.
    pub(super) static RUNS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Whether a sweep of this size may run as one kernel.
pub(super) fn pays(size: &SweepSize) -> bool {
    let elements = size.points.saturating_mul(size.steps);
    size.points >= FEWEST_POINTS && elements >= FEWEST_ELEMENTS && !size.is_along_memory
}

/// Runs a sweep that has steps and points. Says whether it did: not if rows are long or few.
pub(super) fn run<K: Kernels>(kernels: &K, sweep: &mut BoundSweep<'_, K::Tensor>) -> Result<bool>
where
    K::Tensor: BorrowMut<NdArrayTensor>,
{
    let float = sweep.nest.float;
    // A read of memory that `Parts` will replace.
    let empty = || {
        let tensor = kernels.empty(&Shape::default(), float)?;
        Ok(Read::Memory(Labeled { tensor, axes: Vec::new() }))
    };
    match_real!(float, E => run_in::<E, K::Tensor>(sweep, empty))
}

fn run_in<E: Real + Scanned, T: BorrowMut<NdArrayTensor>>(
    sweep: &mut BoundSweep<'_, T>,
    empty: impl Fn() -> Result<Read<T>>,
) -> Result<bool> {
    let BoundSweep { nest, along, reverse, carried } = sweep;
    // The read that is the value of each link.
    let mut values = Vec::with_capacity(carried.len());
    for own in &*carried {
        if own.value.is_none() {
            nest.reads.push(empty()?);
        }
        values.push(own.value.unwrap_or(nest.reads.len() - 1));
    }
    let bodies = bodies(nest)?;
    nest.outer.retain(|bound| bound.axis != along.axis);
    let apart = apart::<E, T>(nest, *along, &bodies);
    let mut plan = bind::plan::<E, _>(nest, &bodies, true);
    if !fits(&plan) {
        return Ok(false);
    }
    let points = plan.outer.len() * plan.inner.len();
    let parts = carried.iter().map(|own| 1 + own.operands.len()).sum();
    let mut memory = NdArrayTensor::recycled(&[parts, points], nest.float)?;
    let mut parts = Parts { next: memory.target::<E>()?, points };
    let (mut links, mut at_each, mut at_last) = (Vec::new(), Vec::new(), Vec::new());
    for (own, value) in carried.iter().zip(values) {
        let mut is_total = false;
        if let Some(out) = own.out {
            is_total = nest.writes[out].value.place(along.axis).is_none();
            let pairs = if is_total { &mut at_last } else { &mut at_each };
            pairs.push((value, nest.reads.len() + out));
        }
        links.push(link(own, value, is_total, &mut plan, nest, &mut parts)?);
    }
    let passes = plan.passes.len();
    let mut add = |pairs: &[(usize, usize)]| -> Result<Option<usize>> {
        if pairs.is_empty() {
            return Ok(None);
        }
        plan.passes.push(copies(pairs)?);
        Ok(Some(plan.passes.len() - 1))
    };
    let (each, last) = (add(&at_each)?, add(&at_last)?);
    Steps { plan: &plan, apart, count: along.size, reverse: *reverse, links, passes, each, last }.run()?;
    #[cfg(test)]
    RUNS.set(RUNS.get() + 1);
    Ok(true)
}

/// How far each operand moves along the axis of the steps: the strides of a loop over this axis alone.
fn apart<E: Real, T: BorrowMut<NdArrayTensor>>(
    nest: &mut BoundLoop<'_, T>,
    along: BoundAxis,
    bodies: &[Body],
) -> Vec<isize> {
    let outer = std::mem::replace(&mut nest.outer, vec![along]);
    let inner = std::mem::take(&mut nest.inner);
    let (_, _, strides) = bind::plan::<E, _>(nest, bodies, true).outer.split_inner();
    (nest.outer, nest.inner) = (outer, inner);
    strides
}

/// The programs of the passes, which are numbered from 0.
fn bodies<T>(nest: &mut BoundLoop<'_, T>) -> Result<Vec<Body>> {
    let mut bodies = Vec::with_capacity(nest.passes.len());
    for pass in &mut nest.passes {
        pass.number = bodies.len();
        bodies.push(Body::Program(Arc::new(Registers::new(&pass.pass.program)?)));
    }
    Ok(bodies)
}

/// Memory for values at all points.
struct Parts<E> {
    next: Shared<E>,
    points: usize,
}

impl<E: Copy> Parts<E> {
    /// The next of them becomes the memory of an operand, in the order in which the loop visits points. So
    /// bodies read and write it in place: a worker would not read it again at the next step.
    fn place(&mut self, plan: &mut LoopPlan<E>, operand: usize, float: DType) -> Shared<E> {
        let start = self.next;
        self.next = Shared(start.at(self.points as isize));
        plan.operands[operand] =
            Operand { base: Base::Memory(Shared(start.0.cast())), dtype: float, in_place: false };
        let mut stride = 1;
        for nest in [&mut plan.inner, &mut plan.outer] {
            for axis in (0..nest.rank()).rev() {
                nest.set_stride(axis, operand, stride as isize);
                stride *= nest.size(axis);
            }
        }
        start
    }
}

/// Gives memory to a value that goes from step to step, and to what it takes.
fn link<E: Real + Scanned, T>(
    own: &Carried,
    value: usize,
    is_total: bool,
    plan: &mut LoopPlan<E>,
    nest: &BoundLoop<'_, T>,
    parts: &mut Parts<E>,
) -> Result<Link<E>> {
    let value = parts.place(plan, value, nest.float);
    let mut after = 0;
    let mut operands = Vec::new();
    for write in &own.operands {
        let writes = |pass: &execute::BoundPass<'_>| pass.dests.contains(&execute::Dest::Element(*write));
        after = after.max(nest.passes.iter().position(writes).unwrap_or(0));
        operands.push(parts.place(plan, nest.reads.len() + write, nest.float));
    }
    let (Some(first), Some(last)) = (operands.first().copied(), operands.last().copied()) else {
        return Err(Error::new(ErrorKind::Backend, "a value that goes from step to step takes something"));
    };
    Ok(Link { how: own.how, value, operands: [first, last], after, is_total })
}

/// A pass that writes values as they are: operands that are read, and those that are written.
fn copies<E>(pairs: &[(usize, usize)]) -> Result<PassPlan<E>> {
    let results = (0..pairs.len() as u32).map(ValueId).collect();
    let kinds = pairs.iter().map(|_| Kind::Float).collect();
    let program = Arc::new(Program::from_parts([Vec::new(), kinds], Vec::new(), 0, results));
    let (elements, dests) = pairs.iter().map(|(value, out)| (*value, Dest::Element(*out))).unzip();
    Ok(PassPlan {
        body: Body::Program(Arc::new(Registers::new(&program)?)),
        program: Some(program),
        per_row: false,
        uniforms: ByKind::default(),
        row_uniforms: Vec::new(),
        elements: ByKind { floats: elements, ..ByKind::default() },
        results: ByKind { floats: dests, ..ByKind::default() },
    })
}
