//! Sweeps: passes and scans along an axis, step by step, for some points at a time.
//!
//! A task has some of the points. At each step it runs the passes over them, and takes the next states from
//! what these give. The states, and what passes give to the scans, are a few numbers for each point of the
//! task, so that they stay in the cache. [`steps`] is the loop over the steps.

mod steps;

use super::bind;
use super::plan::{Base, Body, Dest, LoopPlan, Operand, PassPlan};
use super::real::{Real, match_real};
use super::scan::Scanned;
use crate::block::ByKind;
use crate::parallel::Shared;
use crate::program::Registers;
use crate::tensor::NdArrayTensor;
use std::borrow::BorrowMut;
use std::sync::Arc;
use steps::{Link, Steps};
use tensor_op_core::execute::{self, BoundLoop, BoundSweep, Carried, Kernels, Labeled, Read, SweepSize};
use tensor_op_core::{DType, Error, ErrorKind, Result, Shape};
use tensor_op_spec::ir::Kind;
use tensor_op_spec::schedule::{Program, ValueId};

/// Fewer points are not worth the calls that each step takes.
const FEWEST_POINTS: usize = 128;
/// Fewer elements stay in the cache anyway, and a call of them is recorded.
const FEWEST_ELEMENTS: usize = 1 << 16;

/// Whether a sweep runs as one kernel. Loops of compiled code compute values at each point faster.
pub(super) fn pays(size: &SweepSize) -> bool {
    let elements = size.points.saturating_mul(size.steps);
    let is_large = size.points >= FEWEST_POINTS && elements >= FEWEST_ELEMENTS;
    is_large && !size.is_along_memory && !size.is_pointwise
}

/// Runs a sweep that has steps and points.
pub(super) fn run<K: Kernels>(kernels: &K, sweep: &mut BoundSweep<'_, K::Tensor>) -> Result<()>
where
    K::Tensor: BorrowMut<NdArrayTensor>,
{
    let float = sweep.nest.float;
    let empty = || Ok(Labeled { tensor: kernels.empty(&Shape::default(), float)?, axes: Vec::new() });
    match_real!(float, E => run_in::<E, K::Tensor>(sweep, float, empty))
}

/// `empty` makes a tensor without axes.
fn run_in<E: Real + Scanned, T: BorrowMut<NdArrayTensor>>(
    sweep: &mut BoundSweep<'_, T>,
    float: DType,
    empty: impl Fn() -> Result<Labeled<T>>,
) -> Result<()> {
    let BoundSweep { nest, along, reverse, carried } = sweep;
    let mut values = Vec::new();
    for own in &*carried {
        values.push(match own.value {
            Some(read) => read,
            None => {
                nest.reads.push(Read::Memory(empty()?));
                nest.reads.len() - 1
            }
        });
    }
    let bodies = bodies(nest)?;
    let (outer, inner) = (std::mem::replace(&mut nest.outer, vec![*along]), std::mem::take(&mut nest.inner));
    let strides = bind::plan::<E, _>(nest, &bodies, true).outer;
    let apart = strides.split_inner().2;
    nest.outer = outer.into_iter().filter(|bound| bound.axis != along.axis).collect();
    nest.inner = inner;
    let mut plan = bind::plan::<E, _>(nest, &bodies, true);

    let reads = nest.reads.len();
    let points = plan.outer.len() * plan.inner.len();
    let local = carried.iter().map(|own| 1 + own.operands.len()).sum();
    let mut memory = NdArrayTensor::recycled(&[local, points], float)?;
    let mut parts = Parts { next: memory.target::<E>()?, points };
    let mut links = Vec::new();
    for (own, value) in carried.iter().zip(&values) {
        links.push(link(own, *value, &mut plan, nest, &mut parts)?);
    }
    let stored = |at_each: bool| {
        let outs = carried.iter().zip(&values).filter_map(|(own, value)| Some((*value, own.out?)));
        let is_it =
            |out: &usize| nest.writes[*out].value.axes.iter().any(|axis| axis.axis == along.axis) == at_each;
        outs.filter(move |(_, out)| is_it(out)).map(|(value, out)| (value, reads + out)).collect::<Vec<_>>()
    };
    let passes = plan.passes.len();
    let mut add = |pairs: Vec<(usize, usize)>| -> Result<Option<usize>> {
        if pairs.is_empty() {
            return Ok(None);
        }
        plan.passes.push(copies(&pairs)?);
        Ok(Some(plan.passes.len() - 1))
    };
    let (each, last) = (add(stored(true))?, add(stored(false))?);
    Steps { plan: &plan, apart, count: along.size, reverse: *reverse, links, passes, each, last }.run()
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
    /// The next of them becomes the memory of an operand, in the order in which the loop visits points.
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
    Ok(Link { how: own.how, value, operands: [first, last], after, is_sum: own.value.is_none() })
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
