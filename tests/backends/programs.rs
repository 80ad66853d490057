//! Compares programs of graphs that exist only at run time with the composed run, and with compiled bodies
//! where there are any.
//!
//! The graphs are made of every op of the catalogue, every declaration of the snapshots and every named
//! formula: the op itself, its gradient, the gradient of its gradient, and directional derivatives. Both runs
//! do the same arithmetic on each element, but take sums in another order.

use crate::composed::Composed;
use crate::ops;
use crate::samples::{Layout, Sample};
use std::fs;
use std::sync::LazyLock;
use tensor_op::backend::{Backend, Graph};
use tensor_op::catalogue::nn;
use tensor_op::{DType, NdArray, Op, Result, TensorData};
use tensor_op_core::{ErrorKind, GraphOp};
use tensor_op_spec::grad::{backward, jvp};

/// A graph and its derivatives, as far as they exist. Each has a name that says how it was derived.
fn derived(name: &str, source: Graph) -> Vec<(String, GraphOp)> {
    let mut found = vec![];
    let mut add = |name: String, graph: &Graph| found.push((name, GraphOp::new(graph.clone())));
    add(name.to_string(), &source);
    let along_all = |graph: &Graph| {
        let derivative = jvp(graph, &vec![true; graph.args.len()]).ok()?;
        Some(derivative.graph).filter(|graph| !graph.outputs.is_empty())
    };
    if let Some(direction) = along_all(&source) {
        add(format!("{name}, jvp"), &direction);
    }
    if let Ok(gradient) = backward(&source) {
        add(format!("{name}, backward"), &gradient);
        if let Some(direction) = along_all(&gradient) {
            add(format!("{name}, jvp of backward"), &direction);
        }
        // The gradient of a compiled backward op is already of second order.
        if let Some(second) = backward(&gradient).ok().filter(|_| !name.ends_with("_backward")) {
            add(format!("{name}, second order"), &second);
        }
    }
    found
}

/// The graph of each formula of a declaration. The ops that it calls are declared before it in the text.
fn declared(text: &str) -> Vec<(String, Graph)> {
    let stages =
        tensor_op_spec::stages(text.parse().expect("tokens")).unwrap_or_else(|e| panic!("{text}: {e}"));
    let graphs = stages.source.split("\n\n").map(|text| Graph::parse(text).expect("printed from a graph"));
    graphs.map(|graph| (graph.name.clone(), graph)).collect()
}

fn sources() -> Vec<(String, Graph)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/ops-spec/tests/ops");
    let mut paths: Vec<_> =
        fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path()).collect();
    paths.sort();
    let formulas = include_str!("../../ops-spec/src/formulas.ops").split("\n\n");
    let mut found: Vec<_> = formulas.filter(|text| text.contains("fn ")).flat_map(declared).collect();
    found.extend(paths.iter().flat_map(|path| declared(&fs::read_to_string(path).expect("text"))));
    found.extend(crate::OPS.iter().map(|op| (op.spec().name().to_string(), op.spec().source().clone())));
    found
}

fn graphs() -> &'static [(String, GraphOp)] {
    static GRAPHS: LazyLock<Vec<(String, GraphOp)>> =
        LazyLock::new(|| sources().into_iter().flat_map(|(name, source)| derived(&name, source)).collect());
    &GRAPHS
}

/// Ops for which large sizes are tried.
const LARGE: [&dyn Op; 3] = [&nn::Softmax, &nn::LayerNorm, &nn::SiluMul];

/// The results of both runs of an op, or the kinds of their errors.
fn both(
    op: &dyn Op,
    sample: &Sample,
    layout: Layout,
) -> [std::result::Result<Vec<TensorData>, ErrorKind>; 2] {
    [run::<NdArray>(op, sample, layout), run::<Composed>(op, sample, layout)]
        .map(|found| found.map_err(|error| error.kind()))
}

fn run<B: Backend>(op: &dyn Op, sample: &Sample, layout: Layout) -> Result<Vec<TensorData>> {
    let wanted = vec![true; op.spec().graph().outputs.len()];
    let found = B::run(op, sample.args::<B>(layout)?, &wanted)?;
    found.into_iter().flatten().map(B::into_data).collect()
}

fn numbers(data: &TensorData) -> Vec<f64> {
    data.clone().cast(DType::F64).into_vec().expect("f64")
}

fn compare(case: &str, found: &[TensorData], expected: &[TensorData], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{case}");
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        let case = format!("{case}, result {index}");
        assert_eq!((found.shape(), found.dtype()), (expected.shape(), expected.dtype()), "{case}");
        let (found, expected) = (numbers(found), numbers(expected));
        let finite = expected.iter().filter(|x| x.is_finite());
        let scale = finite.fold(1.0_f64, |scale, x| scale.max(x.abs()));
        for (at, (a, b)) in found.iter().zip(&expected).enumerate() {
            let close = a == b || (a - b).abs() <= tolerance * scale || (a.is_nan() && b.is_nan());
            assert!(close, "{case}, element {at}: {a}, composed {b}");
        }
    }
}

fn check(dtype: DType, size: usize, layout: Layout, tolerance: f64) {
    for (name, op) in graphs() {
        let case = format!("{name}, {dtype}, size {size}, {layout:?}");
        match both(op, &Sample::new(op, dtype, size), layout) {
            [Ok(found), Ok(expected)] => compare(&case, &found, &expected, tolerance),
            [Err(found), Err(expected)] => assert_eq!(found, expected, "{case}"),
            [Ok(_), Err(error)] => panic!("{case}: composed it is an error, {error:?}"),
            [Err(error), Ok(_)] => panic!("{case}: {error:?}"),
        }
    }
}

macro_rules! cases {
    ($($name:ident: $dtype:ident, $size:literal, $layout:ident, $tolerance:literal;)*) => {$(
        #[test]
        fn $name() {
            check(DType::$dtype, $size, Layout::$layout, $tolerance);
        }
    )*};
}

cases! {
    contiguous: F64, 5, Contiguous, 1e-13;
    transposed: F64, 6, Transposed, 1e-13;
    sliced: F64, 6, Sliced, 1e-13;
    broadcast: F64, 6, Broadcast, 1e-13;
    of_one_element: F64, 1, Contiguous, 1e-13;
    empty: F64, 0, Contiguous, 1e-13;
    odd: F64, 17, Contiguous, 1e-13;
    in_f32: F32, 5, Contiguous, 1e-5;
    in_f16: F16, 5, Contiguous, 1e-2;
    in_bf16: BF16, 5, Transposed, 1e-1;
}

#[test]
fn rows_longer_than_a_block() {
    for op in LARGE {
        for (name, op) in derived(op.spec().name(), op.spec().source().clone()) {
            for layout in [Layout::Contiguous, Layout::Transposed] {
                let found = both(&op, &Sample::new(&op, DType::F64, 1100), layout);
                let [Ok(found), Ok(expected)] = found else { panic!("{name}: {found:?}") };
                compare(&name, &found, &expected, 1e-13);
            }
        }
    }
}

/// Compares an op with the same graph without its kernels.
fn compare_bits(op: &dyn Op, dtype: DType, size: usize, layout: Layout) {
    let program = GraphOp::new(op.spec().graph().clone());
    let sample = Sample::new(op, dtype, size);
    let case = format!("{} size {size}, {dtype}, {layout:?}", op.spec().name());
    let [compiled, found] = [op, &program].map(|op| run::<NdArray>(op, &sample, layout).expect(&case));
    for (found, compiled) in found.iter().zip(&compiled) {
        assert!(bits(found) == bits(compiled), "{case}");
    }
}

#[test]
fn programs_compute_what_compiled_bodies_do_bit_by_bit() {
    for op in crate::OPS {
        for (size, layout) in [(5, Layout::Contiguous), (6, Layout::Transposed), (40, Layout::Contiguous)] {
            compare_bits(*op, DType::F32, size, layout);
        }
    }
}

/// Short rows, and rows that lie side by side: bodies compute elements of many of them at once.
#[test]
fn many_rows_at_once_have_the_same_bits() {
    let ops: [&dyn Op; 15] = [
        &ops::AxisExtremes,
        &ops::AxisExtremesBackward,
        &ops::AxisLength,
        &ops::AxisLengthBackward,
        &ops::OfAllKinds,
        &ops::OfAllKindsBackward,
        &nn::AddRmsNorm,
        &nn::AddRmsNormBackward,
        &nn::CrossEntropy,
        &nn::LayerNorm,
        &nn::LayerNormBackward,
        &nn::LogSoftmax,
        &nn::LogSoftmaxBackward,
        &nn::Softmax,
        &nn::SoftmaxBackward,
    ];
    for op in ops {
        for (size, dtype) in [(65, DType::F32), (66, DType::F64), (70, DType::BF16)] {
            for layout in [Layout::Contiguous, Layout::Transposed] {
                compare_bits(op, dtype, size, layout);
            }
        }
    }
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let pools =
        [1, 3].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"));
    for op in LARGE {
        for (name, op) in derived(op.spec().name(), op.spec().source().clone()) {
            let sample = Sample::new(&op, DType::F32, 100);
            let run = || run::<NdArray>(&op, &sample, Layout::Contiguous).expect(&name);
            let [one, three] =
                pools.each_ref().map(|pool| pool.install(run).iter().map(bits).collect::<Vec<_>>());
            assert!(one == three, "{name} differs between 1 and 3 threads");
        }
    }
}

#[test]
fn some_results_are_those_of_all() {
    for (name, op) in graphs() {
        let outputs = op.spec().graph().outputs.len();
        let sample = Sample::new(op, DType::F64, 5);
        let args = || sample.args::<NdArray>(Layout::Contiguous).expect("samples fit");
        let Ok(all) = NdArray::run(op, args(), &vec![true; outputs]) else { continue };
        for only in 0..outputs {
            let wanted: Vec<bool> = (0..outputs).map(|at| at == only).collect();
            let found = NdArray::run(op, args(), &wanted).expect("all of them could be computed");
            assert!(found.iter().map(Option::is_some).eq(wanted), "{name}");
            let [found, whole] = [&found, &all].map(|results| results[only].clone().expect("wanted"));
            let [found, whole] = [found, whole].map(|result| NdArray::into_data(result).expect("readable"));
            compare(&format!("{name}, {only} alone"), &[found], &[whole], 1e-13);
        }
    }
}

#[test]
fn an_index_may_be_a_scalar_argument() {
    let found = declared("fn pick(x: Tensor![b, n], i: i64) -> Tensor![b] { at(x, n = i) }");
    let (name, source) = found.into_iter().next().expect("one formula");
    for (name, graph) in derived(&name, source) {
        let found = both(&graph, &Sample::new(&graph, DType::F64, 4), Layout::Contiguous);
        assert!(found[0] == found[1] && found[0].is_ok(), "{name}: {found:?}");
    }
}

fn bits(data: &TensorData) -> String {
    format!("{:?}", data.storage())
}
