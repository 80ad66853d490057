use super::*;
use crate::host::Host;
use crate::samples::*;
use crate::{Element, GraphOp, Shape, interpret};

/// Different elements of either sign, which every float dtype represents exactly.
fn floats(shape: &[usize]) -> Value<TensorData> {
    let elements = Shape::new(shape).elements().expect("tests are small");
    let values = (0..elements).map(|i| ((i * 37) % 19) as f64 / 4.0 - 2.0).collect();
    Value::Tensor(TensorData::new::<f64>(values, shape).expect("as many as the shape says"))
}

fn ints(values: &[i64], shape: &[usize]) -> Value<TensorData> {
    Value::Tensor(TensorData::new(values.to_vec(), shape).expect("as many as the shape says"))
}

fn axis(at: i64) -> Value<TensorData> {
    Value::Scalar(Scalar::Int(at))
}

fn run_host(text: &str, args: &[Value<TensorData>], wanted: &[bool]) -> Result<Vec<Option<TensorData>>> {
    let upload = |arg: &Value<TensorData>| arg.clone().try_map(|data| Host::from_data(data, &0));
    let args = args.iter().map(upload).collect::<Result<_>>()?;
    let results = Host::run(&GraphOp::new(graph(text)), args, wanted)?;
    results.into_iter().map(|result| result.map(Host::into_data).transpose()).collect()
}

/// Runs a graph as a composition on the host, in storage of each float dtype. Every result must be that of
/// the interpreter.
#[track_caller]
fn check(text: &str, args: &[Value<TensorData>]) {
    let expected = interpret(&graph(text), args).expect("the interpreter runs it");
    for (dtype, tolerance) in [(DType::F64, 1e-14), (DType::F32, 1e-6), (DType::BF16, 1e-2)] {
        let convert = |data: TensorData| {
            let is_float = data.dtype().kind() == Kind::Float;
            if is_float { data.cast(dtype) } else { data }
        };
        let args: Vec<_> = args.iter().map(|arg| arg.clone().map(convert)).collect();
        let found = run_host(text, &args, &vec![true; expected.len()]).unwrap();
        for (found, expected) in found.iter().zip(&expected) {
            let found = found.as_ref().expect("every result is wanted");
            assert_eq!(found.shape(), expected.shape());
            assert_eq!(found.dtype().kind(), expected.dtype().kind());
            assert!(found.dtype().kind() != Kind::Float || found.dtype() == dtype);
            for (a, b) in f64s(found).iter().zip(f64s(expected)) {
                assert!(
                    (a - b).abs() <= tolerance * (1.0 + b.abs()),
                    "{dtype}: found {found:?}, expected {expected:?}"
                );
            }
        }
    }
}

fn f64s(data: &TensorData) -> Vec<f64> {
    data.to_vec::<f64>().expect("every dtype converts to f64")
}

#[test]
fn softmax_over_each_axis() {
    for at in [0, 1, -1] {
        check(SOFTMAX, &[floats(&[2, 3, 4]), axis(at)]);
    }
    check(SOFTMAX, &[floats(&[0, 3]), axis(1)]);
}

#[test]
fn contractions_in_any_order_of_dims() {
    check(MATMUL, &[floats(&[2, 3]), floats(&[3, 4])]);
    check(MATMUL, &[floats(&[5, 1, 2, 3]), floats(&[2, 3, 4])]);
    check(MATMUL, &[floats(&[2, 0]), floats(&[0, 4])]);
    check(MATMUL_TRANSPOSED, &[floats(&[3, 2, 4]), floats(&[5, 2, 3])]);
}

#[test]
fn indexing_and_its_adjoint() {
    let args = [floats(&[3, 4]), ints(&[2, 0, 3], &[3])];
    check(CROSS_ENTROPY, &args);
    check(CROSS_ENTROPY_BACKWARD, &[args[0].clone(), args[1].clone(), floats(&[3])]);
    let ids = ints(&[0, 3, 3, 1, 0, 3], &[2, 3]);
    check(EMBEDDING, &[floats(&[4, 5]), ids.clone()]);
    check(EMBEDDING_BACKWARD, &[Value::Shape(Shape::new(&[4, 5])), ids, floats(&[2, 3, 5])]);
    check(REVERSE, &[floats(&[2, 5])]);
    let error = run_host(CROSS_ENTROPY, &[floats(&[1, 4]), ints(&[4], &[1])], &[true]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cross_entropy: `target`: dim `v` has no such index: index 4 is out of range for size 4"
    );
}

/// Products of ints have more digits than a float.
#[test]
fn scatters_of_ints_are_exact() {
    let product = graph(
        "op product\ndim n named\ndim s fixed 2\narg x: int[n], forward 0\narg ids: int[n], forward 1\n\
         %0 = input x : int[n]\n%1 = input ids : int[n]\n%2 = scatter_mul(%0; s = %1) : int[s]\n\
         out out = %2 [s] of(x)",
    )
    .to_string();
    let args = [ints(&[1 << 62, 3, (1 << 53) + 1, 1], &[4]), ints(&[0, 1, 1, 1], &[4])];
    let found = run_host(&product, &args, &[true]).expect("it runs");
    let found = found[0].as_ref().expect("wanted").as_slice::<i64>().expect("as `x`");
    assert_eq!(found, [1 << 62, 27_021_597_764_222_979]);
}

#[test]
fn sorts_and_searches() {
    let text = "op ordered\ndim b named\ndim m named\ndim n named\narg x: float[b, n], forward 0\n\
        arg y: float[b, m], forward 1\n%0 = input x : float[b, n]\n%1 = input y : float[b, m]\n\
        %2 = argsort(%0; n to n) : int[b, n]\n%3 = searchsorted(%0, %1; n) : int[b, m]\n\
        out places = %2 [b, n] of()\nout counts = %3 [b, m] of()";
    check(text, &[floats(&[2, 6]), floats(&[2, 3])]);
    check(text, &[floats(&[2, 0]), floats(&[2, 3])]);
    check(text, &[floats(&[2, 6]), floats(&[2, 0])]);
}

#[test]
fn composites_and_gradients_of_broadcast_arguments() {
    check(ROTATE, &[floats(&[2, 3, 8])]);
    for shape in [&[1, 4][..], &[4], &[], &[3, 1]] {
        let x = Value::Shape(Shape::new(shape));
        check(SCALE_BACKWARD, &[x, floats(&[3, 4]), floats(&[3, 4])]);
    }
    check(MEAN_BACKWARD, &[Value::Shape(Shape::new(&[2, 3, 4])), axis(1), floats(&[2, 4])]);
}

#[test]
fn every_reduction() {
    check(STATISTICS, &[floats(&[3, 7])]);
    check(STATISTICS, &[floats(&[1])]);
}

#[test]
fn only_what_is_wanted_comes_back() {
    let wanted = [false, false, true, false, true, false, false, false];
    let found = run_host(STATISTICS, &[floats(&[2, 3])], &wanted).unwrap();
    assert_eq!(found.iter().map(Option::is_some).collect::<Vec<_>>(), wanted);
    let error = run_host(STATISTICS, &[floats(&[2, 3])], &[true]).unwrap_err().to_string();
    assert_eq!(error, "statistics: gives 8 results, but 1 flags say which are wanted");
}

#[test]
fn integer_results_have_the_dtype_of_what_they_come_from() {
    let narrow = |arg: Value<TensorData>| arg.map(|data| data.cast(i32::DTYPE));
    let text = CROSS_ENTROPY.replace("out out = %9 [b]", "out out = %1 [b] of(target)");
    let found = run_host(&text, &[floats(&[2, 4]), narrow(ints(&[3, 1], &[2]))], &[true]).unwrap();
    assert_eq!(found[0].as_ref().expect("wanted").as_slice::<i32>().unwrap(), [3, 1]);
}

#[test]
fn tensors_of_one_op_are_on_one_device() {
    let upload = |device: usize| {
        let data = TensorData::new(vec![1.0f64], [1, 1]).expect("one element");
        Value::Tensor(Host::from_data(data, &device).expect("the host takes all data"))
    };
    let error = Host::run(&GraphOp::new(graph(MATMUL)), vec![upload(0), upload(1)], &[true]).unwrap_err();
    assert_eq!(error.to_string(), "matmul: `rhs`: is on host 1, but `lhs` is on host 0; move one of them");
    assert_eq!(error.kind(), ErrorKind::Device);
}

/// The derived backward op takes forward arguments, saved results and gradients of outputs.
#[test]
fn derived_gradients() {
    let backward = |text: &str| {
        let op = GraphOp::new(graph(text));
        op.spec().derived_backward().expect("it has a gradient").spec().graph().to_string()
    };
    let softmax = backward(SOFTMAX);
    let argument = |declared: &tensor_op_spec::ir::Arg| match declared.role {
        ir::Role::Forward(1) => axis(1),
        ir::Role::Forward(_) | ir::Role::Output(_) | ir::Role::Grad(_) | ir::Role::Tangent(_) => {
            floats(&[2, 3, 4])
        }
    };
    check(&softmax, &graph(&softmax).args.iter().map(argument).collect::<Vec<_>>());
    let matmul = backward(MATMUL);
    let argument = |declared: &tensor_op_spec::ir::Arg| match declared.role {
        ir::Role::Forward(0) => floats(&[2, 1, 3, 5]),
        ir::Role::Forward(_) | ir::Role::Tangent(_) => floats(&[4, 5, 2]),
        ir::Role::Output(_) | ir::Role::Grad(_) => floats(&[2, 4, 3, 2]),
    };
    check(&matmul, &graph(&matmul).args.iter().map(argument).collect::<Vec<_>>());
}

/// The derivatives of a reduction over a dim that the caller chooses. Its result and their gradient lack that
/// dim.
#[test]
fn derivatives_where_an_axis_is_reduced() {
    use tensor_op_spec::grad::{backward, jvp};
    let total = graph(
        "op total\ndim .. group\ndim axis axis axis\narg x: float[..], forward 0\narg axis: axis, forward 1\n\
         %0 = input x : float[.., axis]\n%1 = mul(%0, %0) : float[.., axis]\n%2 = sum(%0; axis) : float[..]\n\
         %3 = sum(%1; axis) : float[..]\nout out0 = %2 [..]\nout out1 = %3 [..]",
    );
    let gradient = backward(&total).expect("it has a gradient");
    let second = backward(&gradient).expect("it has a second gradient");
    let tangent = jvp(&total, &[true, false]).expect("it has a tangent").graph;
    for at in [0, 1, -1] {
        let whole = || floats(&[3, 3, 3]);
        let reduced = || floats(&[3, 3]);
        let arg = |declared: &ir::Arg| match (&declared.ty, declared.name.as_str()) {
            (ir::ArgType::Axis { .. }, _) => axis(at),
            (ir::ArgType::Shape { .. }, "x") => Value::Shape(Shape::new(&[3, 3, 3])),
            (ir::ArgType::Shape { .. }, _) => Value::Shape(Shape::new(&[3, 3])),
            (_, "x" | "tangent_x" | "grad_grad_x") => whole(),
            _ => reduced(),
        };
        for graph in [&gradient, &second, &tangent] {
            let args: Vec<_> = graph.args.iter().map(arg).collect();
            check(&graph.to_string(), &args);
            let found = interpret(graph, &args).expect("the interpreter runs it");
            for (output, found) in graph.outputs.iter().zip(&found) {
                let is_whole = matches!(output.name.as_str(), "grad_x");
                assert_eq!(found.shape().rank(), if is_whole { 3 } else { 2 }, "{}", output.name);
            }
        }
    }
}
