//! Matrix products through cubek: tensor cores where the device has them for the types, tiles in shared memory else.
//!
//! A product of named dims has any memory order; here the axes of each side become one where strides allow it, a side becomes row- or
//! column-major, and what the library can't take is left to the caller.

use super::contraction::Product;
use super::nest::{Axis, Nest};
use crate::tensor::CubeTensor;
use cubecl::prelude::TensorBinding;
use cubecl::zspace::{Shape, Strides};
use cubek::matmul::definition::{MatmulElems, MatmulGlobalElems, MatmulSetupError};
use cubek::matmul::launch::launch_ref;
use cubek::matmul::multi_level;
use cubek::matmul::multi_level::components::tile::TileMatmulKind;
use cubek::matmul::multi_level::routines::TileSizeSelection;
use cubek::matmul::multi_level::routines::batch::ordered_double_buffering::OrderedSelectionArgs;
use cubek::matmul::multi_level::routines::batch::simple::SimpleArgs;
use cubek::matmul::multi_level::routines::batch::simple_unit::SimpleUnitSelectionArgs;
use cubek::matmul::routine::BlueprintStrategy::Inferred;
use cubek::matmul::strategy::Strategy;
use cubek::std::InputBinding;
use tensor_op_core::{DType, Error, ErrorKind, Result};

const LHS: usize = 0;
const RHS: usize = 1;
const OUT: usize = 2;
/// A product of fewer multiplications, or with a side or sum shorter than this, is as fast without the library.
const SMALL: usize = 1 << 15;
const SHORT: usize = 8;

/// Computes the product; `false` if the library can't.
pub(super) fn multiply(
    product: &Product,
    lhs: &CubeTensor,
    rhs: &CubeTensor,
    out: &CubeTensor,
) -> Result<bool> {
    let Some(matrices) = Matrices::of(product) else { return Ok(false) };
    let Matrices { batch, m, n, k } = &matrices;
    let sizes = [m.size, n.size, k.size];
    let multiplications =
        batch.iter().map(|axis| axis.size).product::<usize>() * sizes.iter().product::<usize>();
    if multiplications < SMALL || sizes.iter().any(|size| *size < SHORT) {
        return Ok(false);
    }
    let tensors = [lhs, rhs, out];
    if tensors.iter().any(|tensor| !is_bindable(tensor)) {
        return Ok(false);
    }
    // The library writes rows: a result that lies in columns is the product of the transposed factors.
    let factors = lhs.dtype;
    let bindings = if n.steps[OUT] == 1 {
        [bind(lhs, batch, m, k, LHS), bind(rhs, batch, k, n, RHS), bind(out, batch, m, n, OUT)]
    } else if m.steps[OUT] == 1 {
        [bind(rhs, batch, n, k, RHS), bind(lhs, batch, k, m, LHS), bind(out, batch, n, m, OUT)]
    } else {
        return Ok(false);
    };
    let [Some(lhs), Some(rhs), Some(result)] = bindings else { return Ok(false) };
    launch(factors, lhs, rhs, result, out)
}

/// One axis for each side and the sum, and those around them. Steps are of lhs, rhs and out.
struct Matrices {
    batch: Vec<Axis>,
    m: Axis,
    n: Axis,
    k: Axis,
}

impl Matrices {
    fn of(product: &Product) -> Option<Matrices> {
        let Product { batch, m, n, k } = product;
        let (mut batch, mut m, mut n, mut k) = (batch.clone(), m.clone(), n.clone(), k.clone());
        for nest in [&mut batch, &mut m, &mut n] {
            nest.sort_by(&[OUT, LHS, RHS]);
            nest.merge();
        }
        k.sort_by(&[LHS, RHS]);
        k.merge();
        // Leading axes that the right factor lacks make one large matrix of the left one: shared weights.
        while let Some(axis) = batch.axes.last().filter(|axis| axis.steps[RHS] == 0) {
            let mut longer =
                Nest { axes: std::iter::once(axis.clone()).chain(m.axes.iter().cloned()).collect() };
            longer.merge();
            if longer.axes.len() > 1 {
                break;
            }
            m = longer;
            batch.axes.pop();
        }
        Some(Matrices { batch: batch.axes, m: single(m)?, n: single(n)?, k: single(k)? })
    }
}

fn single(mut nest: Nest) -> Option<Axis> {
    match nest.axes.len() {
        1 => nest.axes.pop(),
        _ => None,
    }
}

/// Whether the library can be told where the tensor starts.
fn is_bindable(tensor: &CubeTensor) -> bool {
    let start = tensor.layout.offset * tensor.elem().size();
    (start as u64).is_multiple_of(tensor.device.client.properties().memory.alignment)
}

/// A factor or result as the library takes it: batch axes, rows, columns; rows or columns next to each other.
fn bind(
    tensor: &CubeTensor,
    batch: &[Axis],
    rows: &Axis,
    columns: &Axis,
    operand: usize,
) -> Option<TensorBinding> {
    let [row, column] = [rows.steps[operand], columns.steps[operand]];
    if row.min(column) != 1 {
        return None;
    }
    let axes = || batch.iter().chain([rows, columns]);
    let shape: Shape = axes().map(|axis| axis.size).collect::<Vec<_>>().into();
    let strides: Strides = axes().map(|axis| axis.steps[operand]).collect::<Vec<_>>().into();
    let start = (tensor.layout.offset * tensor.elem().size()) as u64;
    let handle = if start == 0 { tensor.handle.clone() } else { tensor.handle.clone().offset_start(start) };
    // SAFETY: the points of the nest lie inside of the tensor.
    Some(unsafe { TensorBinding::from_raw_parts(handle, strides, shape) })
}

fn launch(
    factors: DType,
    lhs: TensorBinding,
    rhs: TensorBinding,
    result: TensorBinding,
    out: &CubeTensor,
) -> Result<bool> {
    let elem = out.device.elem(factors)?;
    let elems = MatmulElems::from_globals(&MatmulGlobalElems { lhs: elem, rhs: elem, out: out.elem() });
    for strategy in strategies(factors) {
        let (lhs, rhs) = (InputBinding::new(lhs.clone(), elem), InputBinding::new(rhs.clone(), elem));
        let strategy = Strategy::MultiLevel(strategy);
        match launch_ref(&strategy, &out.device.client, lhs, rhs, result.clone(), &mut elems.clone()) {
            Ok(()) => return Ok(true),
            Err(MatmulSetupError::Launch(error)) => {
                let message = format!("the matrix product could not be launched: {error}");
                return Err(Error::new(ErrorKind::Backend, message));
            }
            // The device or the layout is not what the strategy is for.
            Err(
                MatmulSetupError::Unavailable(_)
                | MatmulSetupError::InvalidConfig(_)
                | MatmulSetupError::Vectorization(_),
            ) => {}
        }
    }
    Ok(false)
}

/// The library's algorithms, fastest first. The order is fixed, not tuned at run time: sums of different algorithms differ in their
/// last bits, and results must not change from run to run.
fn strategies(factors: DType) -> Vec<multi_level::Strategy> {
    let units = multi_level::Strategy::SimpleUnit(Inferred(SimpleUnitSelectionArgs {
        tile_size: TileSizeSelection::MaxTileSize,
    }));
    match factors {
        DType::F16 | DType::BF16 => {
            let ordered = OrderedSelectionArgs {
                partition_k: Some(2),
                row_count: Some(8),
                rows_per_plane: Some(2),
                tile_matmul: TileMatmulKind::Cmma,
            };
            let simple = SimpleArgs { multi_rows: true, tile_matmul: TileMatmulKind::Cmma };
            vec![
                multi_level::Strategy::OrderedDoubleCmma(Inferred(ordered)),
                multi_level::Strategy::SimpleCyclicCmma(Inferred(simple)),
                units,
            ]
        }
        // Tensor cores round f32 to fewer digits than it has.
        DType::F64 | DType::F32 | DType::I64 | DType::I32 | DType::U8 | DType::Bool => vec![units],
    }
}
