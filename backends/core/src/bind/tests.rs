use super::*;
use crate::{DType, ErrorKind};
use tensor_op_spec::ir::{Kind, Scalar};

const MATMUL: &str = "
op matmul
dim .. group
dim m named
dim k named
dim n named
arg lhs: float[.., m, k], forward 0
arg rhs: float[.., k, n], forward 1
%0 = input lhs : float[.., m, k]
%1 = input rhs : float[.., k, n]
%2 = mul(%0, %1) : float[.., m, k, n]
%3 = sum(%2; k) : float[.., m, n]
out out = %3 [.., m, n]
";

const SUM: &str = "
op sum_axis
dim .. group
dim axis axis axis
arg x: float[..], forward 0
arg axis: axis, forward 1
%0 = input x : float[.., axis]
%1 = sum(%0; axis) : float[..]
out out = %1 [..]
";

const SUM_BACKWARD: &str = "
op sum_axis_backward
dim .. group
dim axis axis axis
arg x: shape[..], forward 0
arg axis: axis, forward 1
arg grad_out: float[..], grad 0
%0 = input grad_out : float[..]
out grad_x = %0 [..] like x
";

const TWO_AXES: &str = "
op move_max
dim .. group
dim a axis a
dim b axis b
arg x: float[..], forward 0
arg y: float[..], forward 1
arg a: axis, forward 2
arg b: axis, forward 3
%0 = input x : float[.., a, b]
%1 = input y : float[.., a, b]
%2 = add(%0, %1) : float[.., a, b]
%3 = max(%2; b) : float[.., a]
out out = %3 [..]
";

const SPLIT: &str = "
op split
dim g sized g
dim c named
dim h named
dim half fixed 2
arg x: float[(g, c), (half, h)], forward 0
arg gamma: float[c], forward 1
arg g: usize, forward 2
%0 = input x : float[g, c, h, half]
%1 = input gamma : float[c]
%2 = mul(%0, %1) : float[g, c, h, half]
out out = %2 [h, (c, g), half]
";

fn graph(text: &str) -> Graph {
    Graph::parse(text.trim_start()).expect("a graph in text form")
}

fn tensor<const N: usize>(shape: [usize; N]) -> Value<Shape> {
    Value::Tensor(shape.into())
}

fn int(value: i64) -> Value<Shape> {
    Value::Scalar(Scalar::Int(value))
}

/// Binds a graph, and compares the shape of the first result, or the error.
#[track_caller]
fn check(text: &str, args: &[Value<Shape>], expected: std::result::Result<&[usize], &str>) {
    let graph = graph(text);
    let output = &graph.outputs[0];
    let shape = Binding::new(&graph, args).and_then(|binding| match output.like {
        Some(arg) => Ok(binding.like_shape(arg)),
        None => binding.result_shape(&output.axes, graph.node(output.node).dims),
    });
    match (shape, expected) {
        (Ok(shape), Ok(expected)) => assert_eq!(shape, *expected),
        (Err(error), Err(expected)) => assert_eq!(error.to_string(), expected),
        (found, expected) => panic!("found {found:?}, expected {expected:?}"),
    }
}

#[test]
fn named_dims_have_one_size() {
    check(MATMUL, &[tensor([2, 3]), tensor([3, 4])], Ok(&[2, 4]));
    check(MATMUL, &[tensor([2, 0]), tensor([0, 4])], Ok(&[2, 4]));
    check(MATMUL, &[tensor([2, 3]), tensor([4, 5])], Err("matmul: `rhs`: dim `k` is 4, but 3 in `lhs`"));
    // A size of 1 is a size like any other: only the group broadcasts.
    check(MATMUL, &[tensor([2, 3]), tensor([1, 5])], Err("matmul: `rhs`: dim `k` is 1, but 3 in `lhs`"));
}

#[test]
fn the_group_broadcasts() {
    check(MATMUL, &[tensor([7, 1, 2, 3]), tensor([5, 3, 4])], Ok(&[7, 5, 2, 4]));
    check(MATMUL, &[tensor([0, 2, 3]), tensor([1, 3, 4])], Ok(&[0, 2, 4]));
    check(
        MATMUL,
        &[tensor([6, 2, 2, 3]), tensor([5, 1, 3, 4])],
        Err(
            "matmul: `rhs`: dim `..` has size 5 at axis 0, but `lhs` has 6 at axis 0; sizes must be equal or 1",
        ),
    );
    let graph = graph(MATMUL);
    let binding = Binding::new(&graph, &[tensor([7, 1, 2, 3]), tensor([5, 3, 4])]).unwrap();
    let sizes = |axes: &[BoundAxis]| {
        axes.iter().map(|b| (b.axis.dim.index(), b.axis.part, b.size)).collect::<Vec<_>>()
    };
    assert_eq!(sizes(binding.arg_axes(0)), [(0, 0, 7), (0, 1, 1), (1, 0, 2), (2, 0, 3)]);
    assert_eq!(sizes(binding.arg_axes(1)), [(0, 1, 5), (2, 0, 3), (3, 0, 4)]);
    assert_eq!(
        sizes(&binding.axes(graph.node(graph.outputs[0].node).dims)),
        [(0, 0, 7), (0, 1, 5), (1, 0, 2), (3, 0, 4)]
    );
    assert_eq!(binding.len(graph.axes_dims(&graph.outputs[0].axes)).unwrap(), 7 * 5 * 2 * 4);
}

#[test]
fn arguments_are_what_is_declared() {
    check(
        MATMUL,
        &[tensor([3]), tensor([3, 4])],
        Err("matmul: `lhs`: shape [3] has rank 1, but [.., m, k] needs at least rank 2"),
    );
    check(
        SPLIT,
        &[tensor([4, 4]), tensor([2, 2]), int(2)],
        Err("split: `gamma`: shape [2, 2] has rank 2, but [c] needs rank 1"),
    );
    check(MATMUL, &[tensor([3, 3])], Err("matmul: takes 2 arguments, but 1 were given"));
    check(
        MATMUL,
        &[tensor([3, 3]), int(1)],
        Err("matmul: `rhs`: this argument is a tensor; something else was given"),
    );
    check(
        SUM,
        &[tensor([3]), Value::Scalar(Scalar::Float(1.0))],
        Err("sum_axis: `axis`: this argument is the number of an axis; something else was given"),
    );
    check(
        SPLIT,
        &[tensor([4, 4]), tensor([2]), int(-2)],
        Err("split: `g`: -2 is negative; a usize is wanted"),
    );
}

#[test]
fn axes_are_carved_out_of_the_group() {
    check(SUM, &[tensor([2, 3, 4]), int(1)], Ok(&[2, 4]));
    check(SUM, &[tensor([2, 3, 4]), int(-3)], Ok(&[3, 4]));
    check(SUM, &[tensor([5]), int(0)], Ok(&[]));
    check(
        SUM,
        &[tensor([2, 3]), int(2)],
        Err("sum_axis: `axis`: axis 2 is out of range for 2 axes: write one of -2..=1"),
    );
    check(
        SUM,
        &[tensor([]), int(0)],
        Err("sum_axis: `axis`: axis 0 is out of range for 0 axes: there are none"),
    );
    check(
        SUM,
        &[tensor([2]), int(i64::MIN)],
        Err("sum_axis: `axis`: axis -9223372036854775808 is out of range for 1 axes: write one of -1..=0"),
    );
    // The position counts in the broadcast group. In the result `a` stays at its place.
    check(TWO_AXES, &[tensor([2, 3, 4]), tensor([4]), int(-1), int(1)], Ok(&[2, 4]));
    check(TWO_AXES, &[tensor([4]), tensor([2, 1, 1]), int(0), int(2)], Ok(&[2, 1]));
    check(
        TWO_AXES,
        &[tensor([2, 3]), tensor([]), int(1), int(-1)],
        Err("move_max: `b`: names the same axis as `a`; two axes must differ"),
    );
}

#[test]
fn gradients_lack_the_axes_that_were_reduced() {
    let args = |grad: Value<Shape>| [Value::Shape(Shape::new(&[2, 3, 4])), int(1), grad];
    check(SUM_BACKWARD, &args(tensor([2, 4])), Ok(&[2, 3, 4]));
    let graph = graph(SUM_BACKWARD);
    let binding = Binding::new(&graph, &args(tensor([2, 4]))).unwrap();
    let parts: Vec<u32> = binding.arg_axes(2).iter().map(|b| b.axis.part).collect();
    assert_eq!(parts, [0, 2]);
    check(
        SUM_BACKWARD,
        &args(tensor([2, 3])),
        Err(
            "sum_axis_backward: `grad_out`: dim `..` has size 3 at axis 1, but `x` has 4 at axis 2; sizes must be equal or 1",
        ),
    );
}

#[test]
fn composites_split_and_merge() {
    check(SPLIT, &[tensor([12, 10]), tensor([4]), int(3)], Ok(&[5, 12, 2]));
    check(SPLIT, &[tensor([0, 0]), tensor([0]), int(3)], Ok(&[0, 0, 2]));
    check(
        SPLIT,
        &[tensor([12, 10]), tensor([3]), int(3)],
        Err("split: `x`: the axis (g, c) has size 12, but its parts are [3, 3], which makes 9"),
    );
    check(
        SPLIT,
        &[tensor([12, 9]), tensor([4]), int(3)],
        Err("split: `x`: dim `h` can't be inferred from the axis (half, h) of size 9: 2 does not divide it"),
    );
}

#[test]
fn counts_that_overflow_are_errors() {
    let huge = 1usize << 40;
    check(
        MATMUL,
        &[tensor([huge, 1]), tensor([1, huge])],
        Err(
            "matmul: a value over `m` = 1099511627776, `k` = 1, `n` = 1099511627776 has more elements than can be counted",
        ),
    );
}

#[test]
fn reductions_without_a_value_refuse_no_elements() {
    check(SUM, &[tensor([2, 0]), int(1)], Ok(&[2]));
    let max = SUM.replace("= sum(", "= max(");
    check(
        &max,
        &[tensor([2, 0]), int(1)],
        Err("sum_axis: `x`: dim `axis` is empty, and max over no elements has no value"),
    );
    check(&max, &[tensor([2, 0]), int(0)], Ok(&[0]));
}

#[test]
fn float_tensors_share_a_dtype() {
    let graph = graph(MATMUL);
    let dtypes = |lhs, rhs| Dtypes::new(&graph, &[Value::Tensor(lhs), Value::Tensor(rhs)]);
    let bound = dtypes(DType::BF16, DType::BF16).unwrap();
    assert_eq!((bound.float, bound.of_result(&graph, 0)), (DType::BF16, DType::BF16));
    assert_eq!((bound.compute(Kind::Float), bound.compute(Kind::Int)), (DType::F32, DType::I64));
    let error = dtypes(DType::F32, DType::F64).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DType);
    assert_eq!(
        error.to_string(),
        "matmul: `rhs`: is f64, but `lhs` is f32; cast one of them to the other's dtype"
    );
    let error = dtypes(DType::F32, DType::I32).unwrap_err().to_string();
    assert_eq!(
        error,
        "matmul: `rhs`: is i32, but a float tensor is wanted (f64, f32, f16 or bf16); cast it to one of them"
    );
    let ints = graph.to_string().replace("float", "int");
    let graph = Graph::parse(&ints).expect("a product of ints");
    let singles = [Value::Tensor(DType::F32), Value::Tensor(DType::F32)];
    let error = Dtypes::new(&graph, &singles).unwrap_err().to_string();
    assert_eq!(
        error,
        "matmul: `lhs`: is f32, but an int tensor is wanted (i64, i32, u32 or u8); cast it to one of them"
    );
}

/// As PyTorch promotes int dtypes. Where PyTorch refuses u32, as NumPy does.
#[test]
fn of_two_int_dtypes_the_widest_holds_both() {
    use crate::DType::{I32, I64, U8, U32};
    let table = [
        [(U8, U8), (I32, I32), (U32, U32), (I64, I64)],
        [(U8, I32), (I32, I32), (U32, I64), (I64, I64)],
        [(U8, U32), (I32, I64), (U32, U32), (I64, I64)],
        [(U8, I64), (I32, I64), (U32, I64), (I64, I64)],
    ];
    for (one, row) in [U8, I32, U32, I64].into_iter().zip(table) {
        for (other, widest) in row {
            assert_eq!(one.widest_int(other), widest, "{one} {other}");
        }
    }
}

/// A gradient may take statistics in f32 next to halves. An op takes only one float dtype.
#[test]
fn gradients_take_statistics_beside_halves() {
    use crate::DType::{BF16, F16, F32, F64};
    let text = |role: &str| {
        format!(
            "op f\ndim n named\narg x: float[n], forward 0\narg s: float[n], {role}\n%0 = input x : float[n]\n\
             %1 = input s : float[n]\n%2 = mul(%0, %1) : float[n]\nout out = %2 [n]"
        )
    };
    let float =
        |role, x, s| Dtypes::new(&graph(&text(role)), &[Value::Tensor(x), Value::Tensor(s)]).map(|d| d.float);
    for (x, s, expected) in [(BF16, F32, BF16), (F32, F16, F16), (F32, F32, F32), (F64, F64, F64)] {
        assert_eq!(float("output 0", x, s), Ok(expected));
    }
    for (x, s) in [(BF16, F16), (F64, F32), (F32, F64)] {
        assert!(float("output 0", x, s).is_err(), "{x} {s}");
    }
    assert!(float("forward 1", BF16, F32).is_err());
}

/// In a framework in which every tensor has an axis.
#[test]
fn tensors_without_axes_are_found_beside_others() {
    use super::without_axes;
    let declared = "op f\ndim .. group\ndim a axis a\ndim n named\narg x: float[..], forward 0\narg a: axis, forward 1\n\
        arg w: float[n], forward 2\narg s: float[], forward 3\narg r: float[..], output 0\n\
        %0 = input x : float[.., a]\n%1 = input w : float[n]\n%2 = input s : float[]\n%3 = input r : float[..]\n\
        %4 = mul(%0, %3) : float[.., a]\nout out = %4 [..]";
    let found = |x: &[usize], axis: i64, r: &[usize]| {
        let tensor = |shape: &[usize]| Value::Tensor(Shape::new(shape));
        let args = [tensor(x), Value::Scalar(Scalar::Int(axis)), tensor(&[1]), tensor(&[1]), tensor(r)];
        let found = without_axes(&graph(declared), &args, Shape::clone);
        assert_eq!(found[..4], [false, false, false, true]);
        found[4]
    };
    for axis in [0, -1] {
        assert!(found(&[5], axis, &[1]) && found(&[1], axis, &[1]));
        assert!(!found(&[5, 1], axis, &[1]) && !found(&[1, 5], axis, &[1]) && !found(&[3, 5], axis, &[3]));
    }
}
