//! From a loop of the executor to a [`LoopPlan`]: operands become addresses and strides, and axes get an
//! order.

use super::plan::{
    Base, Body, ColumnPlan, Dest, Gather, Guard, LoopPlan, Operand, PassPlan, RowUniform, UniformSource,
    Window,
};
use super::real::Real;
use crate::block::ByKind;
use crate::layout::Few;
use crate::nest::Nest;
use crate::parallel::Shared;
use crate::tensor::NdArrayTensor;
use std::borrow::{Borrow, BorrowMut};
use std::sync::Arc;
use tensor_op_core::execute::{BoundLoop, BoundPass, Gathered, Labeled, Read, Uniform, Write};
use tensor_op_core::{AxisId, BoundAxis, DType, Element, Positions, execute};
use tensor_op_spec::ir::Kind;
use tensor_op_spec::schedule::Program;

/// The plan of a loop. `bodies` are those of all passes of the schedule, and compute what it says if
/// `is_generated`.
pub(super) fn plan<E: Real, T: BorrowMut<NdArrayTensor>>(
    bound: &mut BoundLoop<'_, T>,
    bodies: &[Body],
    is_generated: bool,
) -> LoopPlan<E> {
    let writes = (0..).zip(&mut bound.writes);
    let writes = writes.map(|(at, write)| Moving::write(write, reads_over(&bound.passes, at, write.over)));
    let writes: Vec<Moving> = writes.collect();
    // Numbers of guards and indices, which no pass reads.
    let (mut windows, mut more) = (Vec::new(), Vec::new());
    let first = bound.reads.len() + writes.len();
    let read = |read: &Read<T>| match read {
        Read::Memory(value) => Moving::over(value, value.tensor.borrow().as_ptr().cast_mut()),
        Read::Written(write) => Moving { in_place: false, ..writes[*write].clone() },
        Read::Index(positions) => Moving::index(positions),
        Read::Window(window) => {
            windows.push(window_plan(window, first + more.len()));
            more.extend(window.guards.iter().map(|guard| Moving::guard(guard, window)));
            Moving::window(window, windows.len() - 1)
        }
        Read::Gathered(gathered) => {
            let index = &gathered.index;
            more.push(Moving::over(index, index.tensor.borrow().as_ptr().cast_mut()));
            Moving::gathered(gathered, first + more.len() - 1)
        }
        Read::Kept(place) => Moving::kept(*place, bound.float),
    };
    let mut operands: Vec<Moving> = Vec::with_capacity(first);
    operands.extend(bound.reads.iter().map(read));
    operands.extend(writes);
    operands.extend(more);
    let nest = |axes: &[BoundAxis]| {
        let mut nest = Nest::new(operands.len());
        for bound in axes {
            nest.push(bound.size, operands.iter().map(|operand| operand.stride(bound.axis)));
        }
        nest
    };
    let (mut outer, mut inner) = (nest(&bound.outer), nest(&bound.inner));
    let order = by_size(&operands, bound.reads.len());
    outer.sort_by(&order);
    outer.merge();
    // A position along several axes is counted in their declared order.
    if !bound.finds_positions() {
        inner.sort_by(&order);
    }
    inner.merge();
    let mut folds = Folds { statistics: 0, columns: Vec::new() };
    let pass = |pass: &BoundPass<'_>| {
        let program = is_generated.then(|| pass.pass.program.clone());
        plan_pass(pass, (bodies[pass.number].clone(), program), &bound.reads, &mut folds)
    };
    let passes = bound.passes.iter().map(pass).collect();
    let Folds { statistics, columns } = folds;
    let operands = operands.iter().map(Moving::operand).collect();
    let kept = bound.reads.iter().filter_map(|read| read.kept()).max().map_or(0, |last| last + 1);
    LoopPlan { operands, outer, inner, passes, statistics, columns, windows, kept }
}

/// Whether a pass reads the memory that it writes.
fn reads_over(passes: &[BoundPass<'_>], write: usize, over: Option<usize>) -> bool {
    let writes = |pass: &BoundPass<'_>| pass.dests.contains(&execute::Dest::Element(write));
    over.is_some_and(|read| passes.iter().any(|pass| writes(pass) && pass.elements.contains(&read)))
}

/// What a window asks at each point. The operands of its guards are numbered from `first` on.
fn window_plan<T: Borrow<NdArrayTensor>>(window: &execute::Window<T>, first: usize) -> Window {
    let strides = &window.source.borrow().layout().strides;
    let guard = |(operand, guard): (usize, &execute::Guard)| Guard {
        operand,
        divisor: guard.divisor,
        size: guard.size,
        stride: if guard.divisor == 1 { 0 } else { strides[guard.at] },
    };
    Window { outside: window.outside, guards: (first..).zip(&window.guards).map(guard).collect() }
}

/// The folds of a loop so far.
struct Folds {
    statistics: usize,
    columns: Vec<ColumnPlan>,
}

fn plan_pass<E: Real, T>(
    bound: &BoundPass<'_>,
    (body, known): (Body, Option<Arc<Program>>),
    reads: &[Read<T>],
    folds: &mut Folds,
) -> PassPlan<E> {
    let program = &bound.pass.program;
    let mut plan = PassPlan {
        body,
        program: known,
        per_row: bound.pass.is_per_row(),
        uniforms: ByKind::default(),
        row_uniforms: Vec::new(),
        elements: ByKind::default(),
        results: ByKind::default(),
    };
    for (uniform, kind) in bound.uniforms.iter().zip(program.uniforms()) {
        add_uniform(&mut plan, *uniform, *kind);
    }
    for (element, kind) in bound.elements.iter().zip(program.elements()) {
        match kind {
            Kind::Float => plan.elements.floats.push(*element),
            Kind::Int => plan.elements.ints.push(*element),
            Kind::Bool => plan.elements.bools.push(*element),
        }
    }
    for (dest, result) in bound.dests.iter().zip(program.results()) {
        let kind = program.kind(*result);
        let dest = match *dest {
            execute::Dest::Fold(fold) => {
                folds.statistics += 1;
                Dest::Fold { fold, statistic: folds.statistics - 1 }
            }
            execute::Dest::Kept(place) => {
                let read = reads.iter().position(|read| read.kept() == Some(place));
                read.map_or(Dest::Nowhere, Dest::Element)
            }
            execute::Dest::Element(write) => Dest::Element(reads.len() + write),
            execute::Dest::Row(write) => Dest::Row(reads.len() + write),
            execute::Dest::Nowhere => Dest::Nowhere,
            execute::Dest::Column(fold, write) => {
                folds.columns.push(ColumnPlan { fold, kind, operand: reads.len() + write });
                Dest::Column(folds.columns.len() - 1)
            }
        };
        match kind {
            Kind::Float => plan.results.floats.push(dest),
            Kind::Int => plan.results.ints.push(dest),
            Kind::Bool => plan.results.bools.push(dest),
        }
    }
    plan
}

fn add_uniform<E: Real>(plan: &mut PassPlan<E>, uniform: Uniform, kind: Kind) {
    let (value, source) = match uniform {
        Uniform::Scalar(value) => (Some(value), None),
        Uniform::Read(read) => (None, Some(UniformSource::Operand(read))),
        Uniform::Statistic(statistic) => (None, Some(UniformSource::Statistic(statistic))),
    };
    let uniforms = &mut plan.uniforms;
    let slot = match kind {
        Kind::Float => {
            uniforms.floats.push(value.map_or_else(E::default, E::from_scalar));
            uniforms.floats.len() - 1
        }
        Kind::Int => {
            uniforms.ints.push(value.map_or(0, Element::from_scalar));
            uniforms.ints.len() - 1
        }
        Kind::Bool => {
            uniforms.bools.push(value.is_some_and(Element::from_scalar));
            uniforms.bools.len() - 1
        }
    };
    plan.row_uniforms.extend(source.map(|source| RowUniform { kind, slot, source }));
}

/// An operand and how it moves.
#[derive(Clone)]
struct Moving {
    base: Base,
    dtype: DType,
    /// Strides of the axes along which it varies.
    strides: Few<(AxisId, isize)>,
    /// Number of elements, to tell large operands from small ones.
    len: usize,
    in_place: bool,
}

impl Moving {
    fn over<T: Borrow<NdArrayTensor>>(value: &Labeled<T>, base: *mut u8) -> Moving {
        let tensor = value.tensor.borrow();
        let layout = tensor.layout();
        Moving {
            base: Base::Memory(Shared(base)),
            dtype: tensor.dtype(),
            strides: strides(&value.axes, &layout.strides),
            len: layout.len(),
            in_place: false,
        }
    }

    fn write<T: BorrowMut<NdArrayTensor>>(write: &mut Write<T>, in_place: bool) -> Moving {
        let base = write
            .value
            .tensor
            .borrow_mut()
            .as_mut_ptr()
            .expect("nobody else holds the tensor that a kernel writes");
        Moving { in_place, ..Moving::over(&write.value, base) }
    }

    fn index(positions: &Positions) -> Moving {
        let steps: Few<isize> = positions.steps.iter().map(|step| *step as isize).collect();
        let (base, strides) = (Base::Iota(positions.first as i64), strides(&positions.axes, &steps));
        Moving { base, dtype: DType::I64, strides, len: 0, in_place: false }
    }

    fn window<T: Borrow<NdArrayTensor>>(window: &execute::Window<T>, number: usize) -> Moving {
        let source = window.source.borrow();
        let (start, strides) = window.within(&source.layout().strides);
        let dtype = source.dtype();
        let first = source.as_ptr().cast_mut().wrapping_offset(start * dtype.size() as isize);
        let len = window.axes.iter().map(|(bound, _)| bound.size).product();
        let base = Base::Window(Shared(first), number);
        Moving { base, dtype, strides: strides.into_iter().collect(), len, in_place: false }
    }

    /// What `index`, an operand, moves along the indexed axis. How far that is nobody knows, so that it does
    /// not order axes.
    fn gathered<T: Borrow<NdArrayTensor>>(gathered: &Gathered<T>, index: usize) -> Moving {
        let place = gathered.source.tensor.borrow().as_ptr().cast_mut();
        let Moving { dtype, mut strides, .. } = Moving::over(&gathered.source, place);
        let along = strides.iter().find(|(axis, _)| *axis == gathered.along);
        let stride = along.map_or(0, |(_, stride)| *stride);
        strides.retain(|(axis, _)| *axis != gathered.along);
        let base = Base::Gathered(Shared(place), Gather { index, stride });
        Moving { base, dtype, strides, len: 0, in_place: false }
    }

    /// What passes keep, which is in no memory of tensors.
    fn kept(place: usize, dtype: DType) -> Moving {
        Moving { base: Base::Kept(place), dtype, strides: Few::new(), len: 0, in_place: false }
    }

    /// The number that a guard of a window looks at.
    fn guard<T>(guard: &execute::Guard, window: &execute::Window<T>) -> Moving {
        let axes = window.axes.iter().filter(|(bound, _)| bound.size != 1);
        let strides = axes.map(|(bound, _)| (bound.axis, guard.step(bound.axis) as isize)).collect();
        Moving { base: Base::Iota(guard.first), dtype: DType::I64, strides, len: 0, in_place: false }
    }

    fn stride(&self, axis: AxisId) -> isize {
        self.strides.iter().find(|(own, _)| *own == axis).map_or(0, |(_, stride)| *stride)
    }

    fn operand(&self) -> Operand {
        Operand { base: self.base, dtype: self.dtype, in_place: self.in_place }
    }
}

/// How far a tensor moves along an axis.
pub(super) fn stride<T: Borrow<NdArrayTensor>>(value: &Labeled<T>, axis: AxisId) -> isize {
    value.place(axis).map_or(0, |place| value.tensor.borrow().layout().strides[place])
}

/// Axes of size 1 are broadcast, or do not matter.
fn strides(axes: &[BoundAxis], strides: &[isize]) -> Few<(AxisId, isize)> {
    let axes = axes.iter().zip(strides);
    axes.filter(|(bound, _)| bound.size != 1).map(|(bound, stride)| (bound.axis, *stride)).collect()
}

/// Operands from the largest to the smallest, results before inputs: loops follow the memory order of the
/// first.
fn by_size(operands: &[Moving], reads: usize) -> Few<usize> {
    let mut order: Few<usize> = (0..operands.len()).collect();
    order.sort_by_key(|&operand| (std::cmp::Reverse(operands[operand].len), operand < reads));
    order
}
