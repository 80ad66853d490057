//! Scans. If the scanned axis is an outer one, rows lie beside each other in memory, and a step is a loop
//! over them. Else a few rows run side by side, so that no step waits for the one before it, and sums of f32
//! are taken in vectors of neighbours. A few long rows are cut into pieces: each is reduced, and then scanned
//! from what comes before it. The cuts depend on shapes alone.

mod columns;
mod job;
mod rows;
mod states;
mod step;
mod sums;

use super::bind::stride;
use crate::cast;
use crate::nest::Nest;
use crate::parallel::Shared;
use crate::tensor::{NdArrayTensor, Stored};
use job::Job;
pub(super) use states::{States, states};
use std::marker::PhantomData;
use step::{Fold, Linear, Product, Step};
use sums::Sum;
use tensor_op_core::execute::{BoundScan, Labeled};
use tensor_op_core::{AxisId, DType, Error, ErrorKind, Result};
use tensor_op_spec::prim::Scan;

/// From so many elements on, sums of f32 are carried as f64: what each element rounds off adds up.
pub(super) const LONG: usize = 1 << 11;

/// Fills a new tensor with the results, in the dtype that they are computed in.
pub(super) fn scan_bound(bound: BoundScan<NdArrayTensor>) -> Result<NdArrayTensor> {
    let (scan, is_long) = (bound.scan, bound.along.size >= LONG);
    match bound.computed {
        DType::F64 => f64::with_step(scan, is_long, bound),
        DType::F32 => f32::with_step(scan, is_long, bound),
        DType::I64 => match scan {
            Scan::Sum => run(bound, Fold(i64::wrapping_add)),
            Scan::Prod => run(bound, Fold(i64::wrapping_mul)),
            Scan::Max => run(bound, Fold(i64::max)),
            Scan::Min => run(bound, Fold(i64::min)),
            Scan::Linear => Err(Error::new(ErrorKind::DType, "a linear recurrence takes floats")),
        },
        DType::F16 | DType::BF16 | DType::I32 | DType::U32 | DType::U8 | DType::Bool => {
            let message = format!("{} is not computed in; cast it first", bound.computed);
            Err(Error::new(ErrorKind::DType, message))
        }
    }
}

/// Something that is done with a step, whatever its type.
pub(super) trait WithStep<E> {
    type Output;
    fn with<S: Step<E> + 'static>(self, step: S) -> Self::Output;
}

/// A float type, and the steps of scans of it.
pub(super) trait Scanned: Stored {
    /// Does something with the step of a scan, of many elements if it `is_long`.
    fn with_step<W: WithStep<Self>>(scan: Scan, is_long: bool, with: W) -> W::Output;
}

impl Scanned for f64 {
    fn with_step<W: WithStep<f64>>(scan: Scan, _: bool, with: W) -> W::Output {
        match scan {
            Scan::Sum => with.with(Fold(|y: f64, x| y + x)),
            Scan::Prod => with.with(Product),
            Scan::Max => with.with(Fold(|y: f64, x| if y > x || y.is_nan() { y } else { x })),
            Scan::Min => with.with(Fold(|y: f64, x| if y < x || y.is_nan() { y } else { x })),
            Scan::Linear => with.with(Linear),
        }
    }
}

impl Scanned for f32 {
    fn with_step<W: WithStep<f32>>(scan: Scan, is_long: bool, with: W) -> W::Output {
        match scan {
            Scan::Sum if is_long => with.with(Sum::<f64>(PhantomData)),
            Scan::Sum => with.with(Sum::<f32>(PhantomData)),
            Scan::Prod => with.with(Product),
            Scan::Max => with.with(Fold(|y: f32, x| if y > x || y.is_nan() { y } else { x })),
            Scan::Min => with.with(Fold(|y: f32, x| if y < x || y.is_nan() { y } else { x })),
            Scan::Linear => with.with(Linear),
        }
    }
}

/// Scans whole tensors.
impl<E: Stored> WithStep<E> for BoundScan<NdArrayTensor> {
    type Output = Result<NdArrayTensor>;
    fn with<S: Step<E> + 'static>(self, step: S) -> Result<NdArrayTensor> {
        run(self, step)
    }
}

fn run<E: Stored, S: Step<E>>(bound: BoundScan<NdArrayTensor>, step: S) -> Result<NdArrayTensor> {
    let BoundScan { reverse, operands, along, out: axes, computed, .. } = bound;
    let shape: Vec<usize> = axes.iter().map(|bound| bound.size).collect();
    let mut out = Labeled { tensor: NdArrayTensor::recycled(&shape, computed)?, axes };
    let cast =
        |x: Labeled<NdArrayTensor>| Ok(Labeled { tensor: cast::cast(x.tensor, computed)?, axes: x.axes });
    let operands: Vec<Labeled<NdArrayTensor>> = operands.into_iter().map(cast).collect::<Result<_>>()?;
    let (Some(first), Some(last)) = (operands.first(), operands.last()) else {
        return Err(Error::new(ErrorKind::Backend, "a scan takes operands"));
    };
    let strides = |axis: AxisId| [stride(&out, axis), stride(first, axis), stride(last, axis)];
    let mut rows = Nest::new(3);
    for bound in out.axes.iter().filter(|bound| bound.axis != along.axis) {
        rows.push(bound.size, strides(bound.axis).into_iter());
    }
    rows.sort_by(&[0]);
    rows.merge();
    let steps = strides(along.axis);
    let read = |x: &Labeled<NdArrayTensor>| Ok(Shared(x.tensor.array::<E>()?.as_ptr().cast_mut()));
    let mut memory = [read(first)?, read(first)?, read(last)?];
    memory[0] = out.tensor.target()?;
    let mut job = Job { memory, rows, len: along.size, strides: steps };
    if job.len == 0 || job.rows.len() == 0 {
        return Ok(out.tensor);
    }
    if reverse {
        job.start_at_the_end();
    }
    match job.rows.rank().checked_sub(1) {
        Some(inner) if job.has_columns(inner) => columns::scan(&job, step),
        Some(_) | None => rows::scan(&job, step),
    }
    Ok(out.tensor)
}
