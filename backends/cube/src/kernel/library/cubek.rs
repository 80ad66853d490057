//! Products through cubek. It uses tensor cores if the device has them for the types, and tiles in shared
//! memory otherwise.

use super::matrices::{LHS, Matrices, OUT, RHS};
use crate::device::Opened;
use crate::kernel::nest::Axis;
use crate::tensor::CubeTensor;
use ::cubek::matmul::definition::{MatmulElems, MatmulGlobalElems, MatmulProblem, MatmulSetupError};
use ::cubek::matmul::launch::launch_ref;
use ::cubek::matmul::multi_level;
use ::cubek::matmul::multi_level::components::stage::PartitionBuffering;
use ::cubek::matmul::multi_level::components::tile::TileMatmulKind;
use ::cubek::matmul::multi_level::definition::{BatchMatmulBlueprint, TilingScheme};
use ::cubek::matmul::multi_level::routines::TileSizeSelection;
use ::cubek::matmul::multi_level::routines::batch::ordered_double_buffering::OrderedSelectionArgs;
use ::cubek::matmul::multi_level::routines::batch::simple::SimpleArgs;
use ::cubek::matmul::multi_level::routines::batch::simple_unit::SimpleUnitSelectionArgs;
use ::cubek::matmul::routine::BlueprintStrategy::{Forced, Inferred};
use ::cubek::matmul::strategy::Strategy;
use ::cubek::std::cube_count::{GlobalOrder, HypercubeBlueprint};
use ::cubek::std::{InputBinding, MatrixLayout};
use cubecl::ir::AddressType;
use cubecl::prelude::TensorBinding;
use cubecl::zspace::{Shape, Strides};
use tensor_op_core::{DType, Error, ErrorKind, Precision, Result};

/// Computes the product of lhs and rhs into out. Returns `false` if the library can't.
pub(super) fn multiply(
    matrices: &Matrices,
    [lhs, rhs, out]: [&CubeTensor; 3],
    precision: Precision,
) -> Result<bool> {
    let Matrices { batch, m, n, k } = matrices;
    // The library's loops along the sum handle a few numbers in each turn.
    let is_long = k.size > out.device.most_turns;
    if is_long || [lhs, rhs, out].iter().any(|tensor| !is_bindable(tensor)) {
        return Ok(false);
    }
    // The library writes rows. If the result lies in columns, the factors are exchanged and transposed.
    let factors = lhs.dtype;
    let bindings = if n.steps[OUT] == 1 {
        [bind(lhs, batch, m, k, LHS), bind(rhs, batch, k, n, RHS), bind(out, batch, m, n, OUT)]
    } else if m.steps[OUT] == 1 {
        [bind(rhs, batch, n, k, RHS), bind(lhs, batch, k, m, LHS), bind(out, batch, n, m, OUT)]
    } else {
        return Ok(false);
    };
    let [Some(lhs), Some(rhs), Some(result)] = bindings else { return Ok(false) };
    launch(factors, lhs, rhs, result, out, precision)
}

/// Whether the library accepts the offset at which the tensor starts.
pub(crate) fn is_bindable(tensor: &CubeTensor) -> bool {
    let start = tensor.layout.offset * tensor.elem().size();
    (start as u64).is_multiple_of(tensor.device.properties().memory.alignment)
}

/// A factor or result in the form that the library takes: batch axes, rows, columns. Rows or columns must be
/// adjacent in memory.
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
    precision: Precision,
) -> Result<bool> {
    let elem = out.device.elem(factors)?;
    let elems = MatmulElems::from_globals(&MatmulGlobalElems { lhs: elem, rhs: elem, out: out.elem() });
    let large = large_tiles([&lhs, &rhs], &elems, out.device).filter(|_| factors.is_half());
    for strategy in large.into_iter().chain(strategies(factors, precision)) {
        let (lhs, rhs) = (InputBinding::new(lhs.clone(), elem), InputBinding::new(rhs.clone(), elem));
        let strategy = Strategy::MultiLevel(strategy);
        match launch_ref(&strategy, out.device.client(), lhs, rhs, result.clone(), &mut elems.clone()) {
            Ok(()) => return Ok(true),
            Err(MatmulSetupError::Launch(error)) => {
                let message = format!("the matrix product could not be launched: {error}");
                return Err(Error::new(ErrorKind::Backend, message));
            }
            // The strategy does not support the device or the layout.
            Err(
                MatmulSetupError::Unavailable(_)
                | MatmulSetupError::InvalidConfig(_)
                | MatmulSetupError::Vectorization(_),
            ) => {}
        }
    }
    Ok(false)
}

/// The library's algorithms, fastest first. The order is fixed, not tuned at run time: sums of different
/// algorithms differ in their last bits, and results must not change from run to run.
fn strategies(factors: DType, precision: Precision) -> Vec<multi_level::Strategy> {
    let units = multi_level::Strategy::SimpleUnit(Inferred(SimpleUnitSelectionArgs {
        tile_size: TileSizeSelection::MaxTileSize,
    }));
    // Tensor cores round f32 to TF32.
    let rounds = match precision {
        Precision::Highest => false,
        Precision::High => factors == DType::F32,
    };
    if !factors.is_half() && !rounds {
        return vec![units];
    }
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

/// Double buffering with tiles of 128 x 256, cut into parts of 64 x 64 for eight planes. These parts read
/// less for each product than the parts that the library infers. Used only if there are enough tiles for all
/// processors.
fn large_tiles(
    factors: [&TensorBinding; 2],
    elems: &MatmulElems,
    device: &Opened,
) -> Option<multi_level::Strategy> {
    const PLANE: u32 = 32;
    let size = |factor: usize, from_last: usize| {
        factors[factor].shape.len().checked_sub(from_last).map(|at| factors[factor].shape[at])
    };
    let [m, n, k] = [size(0, 2)?, size(1, 1)?, size(0, 1)?];
    let hardware = &device.properties().hardware;
    let tiles = (m / 128) * (n / 256);
    if hardware.plane_size_max != PLANE || tiles < hardware.num_streaming_multiprocessors? as usize {
        return None;
    }
    let layout = |factor: &TensorBinding| match factor.strides.last() {
        Some(1) => MatrixLayout::RowMajor,
        Some(_) | None => MatrixLayout::ColMajor,
    };
    let [lhs, rhs] = factors.map(layout);
    let (row_major, one, address) = (MatrixLayout::RowMajor, || Shape::from([1]), AddressType::default());
    let dtypes = elems.as_global_elems();
    let problem = MatmulProblem::from_parameters(
        m,
        n,
        k,
        one(),
        one(),
        lhs,
        rhs,
        row_major,
        None,
        None,
        dtypes,
        address,
    );
    let tiling = TilingScheme::builder()
        .with_tile_size((16, 16, 16).into())
        .with_partition_size((4, 4, 4).into())
        .with_stage_size((2, 4, 1).into())
        .build()
        .ok()?;
    // Neighbouring cubes use the same rows of a factor while these are in the cache.
    let cubes = HypercubeBlueprint::builder().global_order(GlobalOrder::SwizzleRow(8)).build();
    let blueprint = BatchMatmulBlueprint::builder(TileMatmulKind::Cmma, tiling, PLANE, &problem)
        .partition_buffering(PartitionBuffering::Single)
        .stage_buffering(2)
        .hypercube_blueprint(cubes)
        .build();
    Some(multi_level::Strategy::DoubleCyclicCmma(Forced(blueprint)))
}
