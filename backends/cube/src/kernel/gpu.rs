//! Memory and kernels of a GPU, as the executor asks for them.

use super::exact::is_exact;
use super::stream::bounds::Bounds;
use super::stream::launch::Devices;
use super::{bind, contraction, index, launch, stream, whole};
use crate::device::Opened;
use crate::fault::Doubts;
use crate::primitive;
use crate::tensor::CubeTensor;
use std::ops::Range;
use tensor_op_core::execute::{
    BoundIndex, BoundLoop, BoundProduct, BoundStream, FusedSize, KeptColumns, Kernels, StreamSize, Strides,
    TileSize,
};
use tensor_op_core::{DType, Precision, Result, Shape, Spec, Value};
use tensor_op_spec::ir::{Graph, NodeId, Scalar};
use tensor_op_spec::prim::{Fold, Prim};

/// Runs the kernels of one call.
pub(super) struct Gpu<'g> {
    graph: &'g Graph,
    device: &'static Opened,
    /// Which arguments are halves.
    is_half: Vec<bool>,
    /// What may have failed: the calls that the arguments come from, and the kernels of this call. A call has
    /// one error, so that all of its results depend on all of these.
    doubts: Vec<Doubts>,
    /// The columns that tiles of streams need, from earlier calls of the op.
    bounds: &'g Bounds,
    limits: Limits,
}

/// Which streams are one kernel or are cut into tiles, and where.
#[derive(Clone, Copy)]
struct Limits {
    /// The devices on which streams are one kernel.
    fused: Devices,
    /// The values between the kernels of a stream are not stored whole if they have more elements.
    large: usize,
    /// Long tiles begin at multiples of this many rows. If columns are left out, a tile has as many rows of
    /// each batch, or more if there are few batches.
    rows: usize,
    /// Columns are left out in blocks of this many, or of a multiple.
    columns: usize,
}

/// A gigabyte of f32 fits into the memory of any device. Of 4096 rows under a causal mask, tiles of 512
/// compute 9/16 of the columns. Products of fewer rows are slow.
const LIMITS: Limits = Limits { fused: Devices::WithMatrices, large: 1 << 28, rows: 512, columns: 128 };
/// A tile has this part of what is large. It is enough to keep a device busy: the product of the weights and
/// the values has few columns, and so few blocks of threads.
const TILES: usize = 2;

impl<'g> Gpu<'g> {
    pub(super) fn new(spec: &'g Spec, device: &'static Opened, args: &[Value<CubeTensor>]) -> Gpu<'g> {
        let is_half = args.iter().map(|arg| arg.tensor().is_some_and(|tensor| tensor.dtype.is_half()));
        let doubts = args.iter().filter_map(Value::tensor).map(|tensor| tensor.doubts.clone());
        Gpu {
            graph: spec.graph(),
            device,
            is_half: is_half.collect(),
            doubts: doubts.collect(),
            bounds: spec.memo(),
            limits: LIMITS,
        }
    }

    /// What all results of the call depend on.
    pub(super) fn doubts(&self) -> Result<Doubts> {
        Doubts::all(&self.doubts)
    }
}

impl Kernels for Gpu<'_> {
    type Tensor = CubeTensor;

    fn shape(tensor: &CubeTensor) -> Shape {
        tensor.shape().clone()
    }
    fn dtype(tensor: &CubeTensor) -> DType {
        tensor.dtype
    }
    fn empty(&self, shape: &Shape, dtype: DType) -> Result<CubeTensor> {
        CubeTensor::empty(shape, dtype, self.device)
    }
    fn filled(&self, shape: &Shape, value: Scalar, dtype: DType) -> Result<CubeTensor> {
        let out = CubeTensor::empty(shape, dtype, self.device)?;
        whole::fill(&out, value)?;
        Ok(out)
    }
    fn is_reusable(tensor: &mut CubeTensor) -> bool {
        tensor.layout.is_contiguous() && tensor.is_unique()
    }
    fn reshape(tensor: CubeTensor, shape: Shape) -> Result<CubeTensor> {
        whole::reshape(tensor, shape)
    }
    fn permute(tensor: CubeTensor, axes: &[usize]) -> Result<CubeTensor> {
        let layout = tensor.layout.permute(axes);
        Ok(tensor.with_layout(layout))
    }
    fn cast(tensor: CubeTensor, dtype: DType) -> Result<CubeTensor> {
        whole::cast(tensor, dtype)
    }
    fn sum(tensor: CubeTensor, axes: &[usize]) -> Result<CubeTensor> {
        whole::reduce(Fold::Sum, tensor, axes)
    }
    fn part(tensor: CubeTensor, ranges: &[Range<usize>]) -> Result<CubeTensor> {
        primitive::slice(tensor, &with_steps(ranges))
    }
    fn with_part(
        tensor: CubeTensor,
        ranges: &[(usize, usize, usize)],
        part: &CubeTensor,
    ) -> Result<CubeTensor> {
        primitive::slice_assign(tensor, ranges, part)
    }
    fn view(tensor: CubeTensor, view: &Strides) -> Result<CubeTensor> {
        let layout = tensor.layout.view(view);
        Ok(tensor.with_layout(layout))
    }
    fn add(left: CubeTensor, right: &CubeTensor) -> Result<CubeTensor> {
        whole::apply(Prim::Add, &[left, right.clone()])
    }
    fn tile(&self, size: &StreamSize) -> Option<TileSize> {
        tile(size, self.limits)
    }
    fn fuses(&self, size: &FusedSize) -> bool {
        stream::launch::fits(size)
    }
    fn is_exact(&self, value: NodeId) -> bool {
        is_exact(self.graph, value, |arg| self.is_half[arg])
    }
    fn rounds_factors(&self) -> bool {
        true
    }
    fn precision(&self) -> Precision {
        self.device.precision()
    }

    fn run_stream(
        &mut self,
        bound: &mut BoundStream<'_, CubeTensor>,
        kept: &KeptColumns<'_, CubeTensor>,
    ) -> Result<bool> {
        stream::launch::run(bound, kept, self.bounds, self.limits.fused, self.device)
    }
    fn run_loop(&mut self, nest: &mut BoundLoop<'_, CubeTensor>) -> Result<()> {
        launch::run(bind::plan(nest, self.device))
    }
    fn multiply(&mut self, product: BoundProduct<CubeTensor>) -> Result<CubeTensor> {
        contraction::multiply(product)
    }
    fn gather(&mut self, indexing: BoundIndex<'_, CubeTensor>) -> Result<CubeTensor> {
        let (tensor, doubts) = index::gather_bound(indexing)?;
        self.doubts.push(doubts);
        Ok(tensor)
    }
    fn scatter(&mut self, indexing: BoundIndex<'_, CubeTensor>) -> Result<CubeTensor> {
        let (tensor, doubts) = index::scatter_bound(indexing)?;
        self.doubts.push(doubts);
        Ok(tensor)
    }
}

fn tile(size: &StreamSize, limits: Limits) -> Option<TileSize> {
    let Limits { large, rows: step, columns, .. } = limits;
    let in_steps = |rows: usize| if rows > step { rows / step * step } else { rows.max(1) };
    let rows = in_steps(large / TILES / size.along);
    let close = in_steps(rows / size.batches.max(1)).max(step);
    let block = (size.along / 64).max(1).next_multiple_of(columns);
    let is_large = size.rows.saturating_mul(size.along) > large;
    // Factors that are larger than a tile would be read more often than the values between the kernels.
    let is_shared = size.shared > rows.saturating_mul(size.along);
    (is_large && !is_shared).then_some(TileSize { rows, close, block, tasks: 1 })
}

/// Ranges as slices take them.
fn with_steps(ranges: &[Range<usize>]) -> Vec<(usize, usize, usize)> {
    ranges.iter().map(|range| (range.start, range.end, 1)).collect()
}

#[cfg(feature = "wgpu")]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::open;
    use crate::kernel::schedule;
    use cubecl::device::WgpuDeviceKind;
    use cubecl::future::block_on;
    use tensor_op_core::execute::execute;
    use tensor_op_core::{GraphOp, Op, TensorData, interpret};
    use tensor_op_spec::grad::backward;
    use tensor_op_spec::ir::Role;
    use tensor_op_spec::schedule::regroup;

    /// Attention with a causal mask, two batches, and 17 rows of 19 columns.
    const CAUSAL: &str = "op causal
dim b named
dim t named
dim s named
dim d named
arg q: float[b, t, d], forward 0
arg k: float[b, s, d], forward 1
arg v: float[b, s, d], forward 2
%0 = input q : float[b, t, d]
%1 = input k : float[b, s, d]
%2 = mul(%0, %1) : float[b, t, s, d]
%3 = sum(%2; d) : float[b, t, s]
%4 = iota(s) : int[s]
%5 = iota(t) : int[t]
%6 = le(%4, %5) : bool[t, s]
%7 = literal -inf : float[]
%8 = select(%6, %3, %7) : float[b, t, s]
%9 = max(%8; s) : float[b, t]
%10 = stop_grad(%9) : float[b, t]
%11 = sub(%8, %10) : float[b, t, s]
%12 = exp(%11) : float[b, t, s]
%13 = sum(%12; s) : float[b, t]
%14 = div(%12, %13) : float[b, t, s]
%15 = input v : float[b, s, d]
%16 = mul(%14, %15) : float[b, t, s, d]
%17 = sum(%16; s) : float[b, t, d]
out out = %17 [b, t, d]
";

    fn floats(shape: &[usize], seed: usize) -> TensorData {
        let len: usize = shape.iter().product();
        let values = (0..len).map(|i| ((i * 37 + seed * 101 + i / 7) % 65) as f32 / 32.0 - 1.0);
        TensorData::new(values.collect(), Shape::new(shape)).expect("as many elements as the shape")
    }

    /// Runs a graph in tiles, and compares it with the interpreter.
    fn check(graph: &Graph, args: &[TensorData], limits: Limits) {
        let device =
            cubecl::Device::wgpu(WgpuDeviceKind::DefaultDevice).expect("a GPU, or what poses as one");
        let device = Box::leak(Box::new(open(&device, 0).expect("its driver works")));
        let op = GraphOp::new(graph.clone());
        let tensor = |data: &TensorData| CubeTensor::from_data(data, device).map(Value::Tensor);
        let given: Vec<_> = args.iter().map(tensor).collect::<Result<_>>().expect("there is memory");
        let mut kernels = Gpu { limits, ..Gpu::new(op.spec(), device, &given) };
        let wanted = vec![true; op.spec().graph().outputs.len()];
        let schedule = schedule::of(op.spec());
        let is_whole = schedule.streams.iter().all(|stream| !stream.fused.is_empty());
        assert!(is_whole && !schedule.streams.is_empty(), "{}", schedule.explain(graph));
        let found = execute(op.spec().graph(), schedule, given, &wanted, &mut kernels).expect("it runs");
        let values: Vec<Value<TensorData>> = args.iter().cloned().map(Value::Tensor).collect();
        let expected = interpret(graph, &values).expect("the arguments fit");
        for (found, expected) in found.into_iter().flatten().zip(expected) {
            let found =
                block_on(primitive::into_data(found)).expect("it is read back").to_vec::<f32>().expect("f32");
            for (found, expected) in found.iter().zip(expected.to_vec::<f64>().expect("f64")) {
                let error = (f64::from(*found) - expected).abs();
                assert!(error < 1e-4 * expected.abs().max(1.0), "{}: {found}, not {expected}", graph.name);
            }
        }
    }

    /// Checks the tiles of a stream: their rows, and the rows of a batch if columns are left out.
    #[track_caller]
    fn check_tile([rows, batches, along, shared]: [usize; 4], limits: Limits, expected: Option<[usize; 2]>) {
        let found = tile(&StreamSize { rows, batches, along, shared }, limits);
        assert_eq!(found.map(|tile| [tile.rows, tile.close]), expected);
    }

    #[test]
    fn tiles_begin_at_multiples_of_512_rows() {
        check_tile([64 * 4096, 64, 4096, 0], LIMITS, Some([32768, 512]));
        check_tile([12 * 8192, 12, 8192, 0], LIMITS, Some([16384, 1024]));
        check_tile([20000, 1, 20000, 0], LIMITS, Some([6656, 6656]));
        check_tile(
            [2 * 33, 2, 35, 280],
            Limits { large: 1120, rows: 4, columns: 4, ..LIMITS },
            Some([16, 8]),
        );
        // Too small, and with too much to read again.
        check_tile([16 * 4096, 16, 4096, 0], LIMITS, None);
        check_tile([20000, 1, 20000, 1 << 28], LIMITS, None);
    }

    #[test]
    fn attention_and_its_gradient_in_tiles() {
        let graph = regroup(Graph::parse(CAUSAL).expect("a graph"));
        let args = [floats(&[2, 33, 2], 1), floats(&[2, 35, 2], 2), floats(&[2, 35, 2], 3)];
        // Tiles of 8 rows with all columns, and of 8 rows of both batches with some of the columns.
        let short = Limits { large: 630, rows: 4, columns: 64, ..LIMITS };
        let close = Limits { large: 1120, rows: 4, columns: 4, ..LIMITS };
        // Kernels that store no scores.
        let fused = Limits { fused: Devices::All, ..LIMITS };
        check(&graph, &args, short);
        check(&graph, &args, close);
        check(&graph, &args, fused);
        check(&graph, &[floats(&[2, 0, 2], 1), floats(&[2, 35, 2], 2), floats(&[2, 35, 2], 3)], fused);
        let gradient = regroup(backward(&graph).expect("a gradient"));
        let values: Vec<Value<TensorData>> = args.iter().cloned().map(Value::Tensor).collect();
        let results = interpret(&graph, &values).expect("the arguments fit");
        let given = gradient.args.iter().map(|arg| match arg.role {
            Role::Forward(index) => args[index].clone(),
            Role::Output(index) => results[index].clone().cast(DType::F32),
            Role::Grad(index) => floats(results[index].shape(), 4),
            Role::Tangent(_) => unreachable!("a gradient takes no tangent"),
        });
        let given: Vec<_> = given.collect();
        check(&gradient, &given, short);
        check(&gradient, &given, close);
        check(&gradient, &given, fused);
    }
}
