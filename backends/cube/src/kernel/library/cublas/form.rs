//! What cuBLASLt is asked for: it multiplies column-major matrices, `out[rows, columns] = sum over k of
//! first[rows, k] * second[k, columns]`, and takes each factor transposed too.

use crate::kernel::library::matrices::{LHS, Matrices, OUT, RHS};
use crate::kernel::nest::Axis;
use cudarc::cublaslt::sys::cudaDataType;
use tensor_op_core::{DType, Precision};

/// If there are more batches than this which no stride connects, cubek is called once instead.
const MOST_CALLS: usize = 64;
/// The library counts batches as `i32`.
const MOST_BATCHES: usize = i32::MAX as usize;

/// A product for the library. Lengths are in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Form {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) k: usize,
    /// First factor, second factor, result.
    pub(super) matrices: [Matrix; 3],
    pub(super) batch: usize,
    pub(super) factors: cudaDataType,
    pub(super) out: cudaDataType,
    /// Whether f32 is rounded to TF32.
    pub(super) rounds: bool,
    /// The bytes of which all starts are multiples.
    pub(super) alignment: u64,
}

/// How a matrix lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Matrix {
    /// Whether it is the transpose of what the product takes.
    pub(super) is_transposed: bool,
    /// From a column to the next.
    pub(super) step: usize,
    /// From a matrix of the batch to the next.
    pub(super) batch: usize,
}

/// The calls that a product takes.
pub(super) struct Calls {
    /// The operands of the product that are first factor, second factor and result.
    pub(super) operands: [usize; 3],
    /// Where the matrices of each call start in these operands, in bytes.
    pub(super) starts: Vec<[u64; 3]>,
}

impl Form {
    /// The product as the library takes it. `None` if it can't.
    pub(super) fn of(
        matrices: &Matrices,
        factors: DType,
        out: DType,
        precision: Precision,
    ) -> Option<(Form, Calls)> {
        let Matrices { batch, m, n, k } = matrices;
        // The result is in columns. If it lies in rows, the factors are exchanged and transposed.
        let (rows, columns, operands) = if n.steps[OUT] == 1 {
            (n, m, [RHS, LHS, OUT])
        } else if m.steps[OUT] == 1 {
            (m, n, [LHS, RHS, OUT])
        } else {
            return None;
        };
        let [first, second, result] = operands;
        // The longest batch axis is the library's. Each position of the others is a call.
        let longest = (0..batch.len()).max_by_key(|at| batch[*at].size);
        let one = Axis { size: 1, steps: [0; 3].as_slice().into() };
        let inner = longest.map_or(&one, |at| &batch[at]);
        let others = batch.iter().enumerate().filter(|(at, _)| Some(*at) != longest).map(|(_, axis)| axis);
        if others.clone().map(|axis| axis.size).product::<usize>() > MOST_CALLS || inner.size > MOST_BATCHES {
            return None;
        }
        let matrix = |operand: usize, rows: &Axis, columns: &Axis| {
            let (row, column) = (rows.steps[operand], columns.steps[operand]);
            let (is_transposed, step, length) =
                if row == 1 { (false, column, rows.size) } else { (true, row, columns.size) };
            let is_matrix = row.min(column) == 1 && step >= length;
            is_matrix.then(|| Matrix { is_transposed, step, batch: inner.steps[operand] })
        };
        let form = Form {
            rows: rows.size,
            columns: columns.size,
            k: k.size,
            matrices: [
                matrix(first, rows, k)?,
                matrix(second, k, columns)?,
                matrix(result, rows, columns).filter(|out| !out.is_transposed)?,
            ],
            batch: inner.size,
            factors: data_type(factors)?,
            out: data_type(out)?,
            rounds: factors == DType::F32 && precision == Precision::High,
            alignment: 1,
        };
        let sizes = [factors, factors, out].map(DType::size);
        let bytes = |at: usize, axis: &Axis| (axis.steps[operands[at]] * sizes[at]) as u64;
        let axes = others.map(|axis| (axis.size as u64, std::array::from_fn(|at| bytes(at, axis))));
        Some((form, Calls { operands, starts: starts(axes) }))
    }

    /// Multiplications of a call.
    pub(super) fn multiplications(&self) -> usize {
        [self.columns, self.k, self.batch].into_iter().fold(self.rows, usize::saturating_mul)
    }
}

/// The positions along all of these axes. An axis is a size and three steps.
fn starts(axes: impl Iterator<Item = (u64, [u64; 3])>) -> Vec<[u64; 3]> {
    axes.fold(vec![[0; 3]], |starts, (size, steps)| {
        let along = |start: [u64; 3]| {
            (0..size).map(move |index| std::array::from_fn(|at| start[at] + index * steps[at]))
        };
        starts.into_iter().flat_map(along).collect()
    })
}

/// The library's name of a dtype. `None` for those that it does not multiply here.
fn data_type(dtype: DType) -> Option<cudaDataType> {
    match dtype {
        DType::F64 => Some(cudaDataType::CUDA_R_64F),
        DType::F32 => Some(cudaDataType::CUDA_R_32F),
        DType::F16 => Some(cudaDataType::CUDA_R_16F),
        DType::BF16 => Some(cudaDataType::CUDA_R_16BF),
        DType::I64 | DType::I32 | DType::U32 | DType::U8 | DType::Bool => None,
    }
}
