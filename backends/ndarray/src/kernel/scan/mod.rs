//! Scans. If the scanned axis is an outer one, rows lie beside each other in memory, and a step is a loop
//! over them. Else a few rows run side by side, so that no step waits for the one before it, and sums of f32
//! are taken in vectors of neighbours. A few long rows are cut into pieces: each is reduced, and then scanned
//! from what comes before it. The cuts depend on shapes alone.

mod columns;
mod job;
mod rows;
mod step;
mod sums;

use super::bind::stride;
use crate::cast;
use crate::nest::Nest;
use crate::parallel::Shared;
use crate::tensor::{NdArrayTensor, Stored};
use job::Job;
use std::marker::PhantomData;
use step::{Fold, Linear, Product, Step};
use sums::Sum;
use tensor_op_core::execute::{BoundScan, Labeled};
use tensor_op_core::{AxisId, DType, Error, ErrorKind, Result};
use tensor_op_spec::prim::Scan;

/// From so many elements on, sums of f32 are carried as f64: what each element rounds off adds up.
const LONG: usize = 1 << 11;

/// Fills a new tensor with the results, in the dtype that they are computed in.
pub(super) fn scan_bound(bound: BoundScan<NdArrayTensor>) -> Result<NdArrayTensor> {
    match bound.computed {
        DType::F64 => match bound.scan {
            Scan::Sum => run(bound, Fold(|y: f64, x| y + x)),
            Scan::Prod => run::<f64, _>(bound, Product),
            Scan::Max => run(bound, Fold(|y: f64, x| if y > x || y.is_nan() { y } else { x })),
            Scan::Min => run(bound, Fold(|y: f64, x| if y < x || y.is_nan() { y } else { x })),
            Scan::Linear => run::<f64, _>(bound, Linear),
        },
        DType::F32 => match bound.scan {
            Scan::Sum if bound.along.size >= LONG => run(bound, Sum::<f64>(PhantomData)),
            Scan::Sum => run(bound, Sum::<f32>(PhantomData)),
            Scan::Prod => run::<f32, _>(bound, Product),
            Scan::Max => run(bound, Fold(|y: f32, x| if y > x || y.is_nan() { y } else { x })),
            Scan::Min => run(bound, Fold(|y: f32, x| if y < x || y.is_nan() { y } else { x })),
            Scan::Linear => run::<f32, _>(bound, Linear),
        },
        DType::I64 => match bound.scan {
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
