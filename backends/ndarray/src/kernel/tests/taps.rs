//! Folds over few rows: of windows at steps and with divisors, alone, as products, and where two values are
//! equal.

use super::{Memory, bits, compare, run_programs, with_threads};
use crate::kernel::taps::{RUNS, Ran};
use crate::{CpuDevice, NdArray};
use tensor_op_core::{Backend, DType, GraphOp, TensorData, Value, interpret};
use tensor_op_spec::Described;
use tensor_op_spec::ir::{Arg, Graph, Scalar};

/// Few different numbers, so that some are equal.
fn numbers(shape: &[usize], seed: usize) -> TensorData {
    let count = shape.iter().product::<usize>();
    let values = (0..count).map(|at| ((at * 7919 + seed * 104_729) % 1013 % 5) as f64 - 1.5);
    TensorData::new(values.collect::<Vec<f64>>(), shape.to_vec()).unwrap()
}

/// How many folds of a kind were run.
fn ran(kind: Ran) -> usize {
    RUNS.get()[kind as usize]
}

/// Compares results with those of the interpreter. Returns how many folds were computed in registers.
fn check(declaration: &str, args: &[TensorData], dtypes: &[DType]) -> usize {
    let before = ran(Ran::Columns) + ran(Ran::Along);
    let stages = tensor_op_spec::stages(declaration.parse().unwrap());
    let stages = stages.unwrap_or_else(|error| panic!("{declaration}: {error:?}"));
    let graph = Graph::parse(&stages.graph).unwrap();
    for dtype in dtypes.iter().copied() {
        let args: Vec<TensorData> = args.iter().map(|arg| arg.clone().cast(dtype)).collect();
        let values: Vec<Value<TensorData>> = args.iter().cloned().map(Value::Tensor).collect();
        let expected = interpret(&graph, &values).unwrap();
        for memory in [Memory::Plain, Memory::Transposed, Memory::Sliced] {
            let found = run_programs(&graph, &args, |_| memory);
            for (found, expected) in found.iter().zip(&expected) {
                let shape = args[0].shape();
                compare(found, expected, dtype, &format!("{declaration}: {shape} {dtype} {memory:?}"));
            }
        }
    }
    ran(Ran::Columns) + ran(Ran::Along) - before
}

const FLOATS: [DType; 4] = [DType::F64, DType::F32, DType::F16, DType::BF16];

/// Compares at several sizes, at some of which the fold is computed in registers.
fn check_all(declaration: &str, all: impl IntoIterator<Item = Vec<TensorData>>) {
    let runs: usize = all.into_iter().map(|args| check(declaration, &args, &FLOATS)).sum();
    assert!(runs > 0, "{declaration}: it is computed in another way");
}

#[test]
fn products_with_a_number_for_each_row() {
    for step in [1, 2, 3] {
        let declaration = format!(
            "fn f(x: Tensor![c, h, w], k: Tensor![c, a, b]) \
               -> Tensor![c, p = (h - 1) / {step} + 1, q = (w - 1) / {step} + 1] \
               {{ sum(at(x, h = p * {step} + a - 1, w = q * {step} + b - 1, or = 0.0) * k, (a, b)) }}"
        );
        let sizes = [[9, 40], [1, 3], [5, 17], [2, 2600]];
        check_all(&declaration, sizes.map(|[h, w]| vec![numbers(&[2, h, w], w), numbers(&[2, 3, 3], h)]));
    }
}

#[test]
fn what_is_outside_is_multiplied() {
    for outside in ["0.0", "2.5"] {
        let declaration = format!(
            "fn f(x: Tensor![h, w], k: Tensor![a, b]) -> Tensor![h, w] \
               {{ sum(at(x, h = h + a - 1, w = w + b - 1, or = {outside}) * k, (a, b)) }}"
        );
        let k = [1.0, f64::INFINITY, 0.5, -1.0, 2.0, f64::NAN, 0.0, 1.0, f64::NEG_INFINITY];
        let k = TensorData::new(k.to_vec(), vec![3, 3]).unwrap();
        check(&declaration, &[numbers(&[4, 37], 3), k], &[DType::F64, DType::F32]);
        let plain = TensorData::new(vec![1.0; 9], vec![3, 3]).unwrap();
        check_all(&declaration, [vec![numbers(&[4, 37], 5), plain]]);
    }
}

#[test]
fn products_of_two_windows() {
    let declaration = "fn f(x: Tensor![h, w], y: Tensor![h, w]) -> Tensor![h, w] \
        { sum(at(x, h = h + iota(a = 3) - 1, w = w + iota(b = 5) - 2, or = 1.0) \
            * at(y, h = h - iota(a) + 1, w = w - iota(b) + 1, or = 0.0), (a, b)) }";
    check_all(declaration, [vec![numbers(&[6, 50], 1), numbers(&[6, 50], 2)]]);
}

#[test]
fn sums_along_windows() {
    let declarations = [
        "fn f(x: Tensor![c, b, t], g: Tensor![c, b, t]) -> Tensor![c, n = 3] \
            { sum(g * at(x, t = t + iota(n) - 1, or = 0.0), (b, t)) }",
        "fn f(x: Tensor![c, b, t], g: Tensor![c, b, t]) -> Tensor![c, n = 5] \
            { 0.5 * sum(at(x, t = 2 * t + 3 * iota(n) - 4, or = 1.5) * g, (b, t)) / len(t) }",
        "fn f(x: Tensor![c, b, t], g: Tensor![c, b, t]) -> Tensor![n = 2, m = 2] \
            { sum(at(g, b = b - iota(m), or = 0.5) * at(x, b = b + iota(m), t = t + iota(n), or = 0.0), (c, b, t)) }",
    ];
    for declaration in declarations {
        for size in [[3, 4, 20], [1, 1, 9], [2, 70, 130], [20, 2, 1100]] {
            let before = ran(Ran::Along);
            check(declaration, &[numbers(&size, 1), numbers(&size, 2)], &FLOATS);
            // Other steps in memory are folded in another way.
            assert!(ran(Ran::Along) > before, "{declaration} {size:?}: it is computed in another way");
        }
    }
}

/// Numbers whose sums are rounded.
fn rounded(shape: &[usize], seed: f64) -> TensorData {
    let count = shape.iter().product::<usize>();
    let values = (0..count).map(|at| (at as f64 * 0.618_034 + seed).fract() - 0.3);
    TensorData::new(values.collect::<Vec<f64>>(), shape.to_vec()).unwrap().cast(DType::F32)
}

/// Sums that are cut into several chunks, and those of a loop that one worker runs. From the third call on a
/// call is played back.
#[test]
fn sums_along_windows_have_the_same_bits_in_each_call() {
    let declaration = "fn f(x: Tensor![b, t], g: Tensor![b, t]) -> Tensor![n = 3] \
        { sum(g * at(x, t = t + iota(n) - 1, or = 0.0), (b, t)) }";
    let stages = tensor_op_spec::stages(declaration.parse().unwrap()).unwrap();
    let op = GraphOp::new(stages.ops[0].forward.clone());
    for shape in [[4, 20], [2000, 150]] {
        let args = [0.1, 0.7].map(|seed| rounded(&shape, seed));
        let values = args.map(|data| NdArray::from_data(data, &CpuDevice).unwrap());
        let call = || {
            let args = values.iter().cloned().map(Value::Tensor).collect();
            let result = NdArray::run(&op, args, &[true]).unwrap().remove(0).unwrap();
            bits(&NdArray::into_data(result).unwrap())
        };
        let first = call();
        for threads in [1, 2, 3, 8] {
            for _ in 0..4 {
                assert_eq!(with_threads(threads, call), first, "{shape:?} {threads}");
            }
        }
        (0..4).for_each(|_| assert_eq!(call(), first, "{shape:?}"));
    }
}

#[test]
fn what_is_outside_is_multiplied_in_sums_along_windows() {
    let declaration = "fn f(x: Tensor![b, t], g: Tensor![b, t]) -> Tensor![n = 3] \
        { sum(g * at(x, t = t + iota(n) - 1, or = 0.0), (b, t)) }";
    let mut infinite = numbers(&[20, 150], 3).to_vec::<f64>().unwrap();
    infinite[150] = f64::INFINITY;
    let infinite = TensorData::new(infinite, vec![20, 150]).unwrap();
    check_all(declaration, [vec![numbers(&[20, 150], 5), infinite]]);
}

/// Windows that are the same along a run, and many rows of which few are inside.
#[test]
fn windows_with_few_elements_inside() {
    let constant = "fn f(x: Tensor![h, w], y: Tensor![h]) -> Tensor![h, w] \
        { x * sum(cast(stop_grad(at(y, h = h + iota(a = 3) - 1, or = 0.5)) == stop_grad(x), float), a) }";
    check_all(constant, [vec![numbers(&[5, 40], 1), numbers(&[5], 2)]]);
    let far = "fn f(x: Tensor![h, w], y: Tensor![h]) -> Tensor![h, w] \
        { x * sum(cast(stop_grad(at(y, h = h + iota(a = 3) - 100000000, or = 0.5)) == stop_grad(x), float), a) }";
    check_all(far, [vec![numbers(&[5, 40], 1), numbers(&[5], 2)]]);
    let scaled = "fn f(x: Tensor![h], y: Tensor![h, w, a]) -> Tensor![h, w] \
        { sum(at(x, h = h + a - 1, or = 2.0) * y, a) }";
    check(scaled, &[numbers(&[5], 1), numbers(&[5, 40, 3], 2)], &FLOATS);
    let past = "fn f(x: Tensor![t]) -> Tensor![t] { sum(at(x, t = t - iota(d = 300), or = 0.0), d) }";
    check_all(past, [vec![numbers(&[300], 1)]]);
    let padded = "fn f(x: Tensor![h, w]) -> Tensor![h, w] \
        { max(at(x, h = h + iota(a = 5) - 2, w = w + iota(b = 25) - 12, or = 0.0), (a, b)) }";
    check_all(padded, [vec![numbers(&[3, 90], 1)], vec![numbers(&[3, 11], 1)]]);
}

#[test]
fn maxima_and_minima() {
    let declarations = [
        "fn f(x: Tensor![c, h, w]) -> Tensor![c, p = h / 2 + 1, q = w / 2 + 1] \
            { max(at(x, h = p * 2 + iota(a = 3) - 2, w = q * 2 + iota(b = 3) - 2, or = -INFINITY), (a, b)) }",
        "fn f(x: Tensor![c, h, w]) -> Tensor![c, h, w] \
            { max(at(x, h = h + iota(a = 3) - 1, w = w + iota(b = 3) - 1, or = -0.75), (a, b)) }",
        "fn f(x: Tensor![c, h, w]) -> Tensor![c, h, w] \
            { min(at(x, h = h + iota(d = 5) - 2, w = w + 3 * iota(e = 3) - 3, or = 0.25), (d, e)) }",
    ];
    for declaration in declarations {
        let with_nan = |[h, w]: [usize; 2]| {
            let mut x = numbers(&[2, h, w], w).to_vec::<f64>().unwrap();
            x[h * w / 2] = f64::NAN;
            vec![TensorData::new(x, vec![2, h, w]).unwrap()]
        };
        check_all(declaration, [[9, 40], [1, 1], [4, 6], [3, 1500]].map(with_nan));
    }
}

#[test]
fn elements_that_are_equal() {
    let declarations = [
        "fn f(x: Tensor![c, h, w], y: Tensor![c, p, q], g: Tensor![c, p, q]) -> Tensor![c, p, q] { \
            let x = at(x, h = p * 2 + iota(a = 3) - 1, w = q * 2 + iota(b = 3) - 1, or = -INFINITY); \
            g + sum(cast(stop_grad(x) == stop_grad(y), float), (a, b)) }",
        "fn f(x: Tensor![c, h, w], y: Tensor![c, p, q], g: Tensor![c, p, q]) -> Tensor![c, h, w] { \
            let y = at(y, p = div_exact(h + 1 - iota(a = 3), 2), q = div_exact(w + 1 - iota(b = 3), 2), or = 0.0); \
            let g = at(g, p = div_exact(h + 1 - iota(a), 2), q = div_exact(w + 1 - iota(b), 2), or = 0.0); \
            sum(g * cast(stop_grad(x) == stop_grad(y), float), (a, b)) }",
    ];
    for declaration in declarations {
        let args = |[p, q]: [usize; 2]| {
            vec![numbers(&[2, 2 * p, 2 * q], 1), numbers(&[2, p, q], 2), numbers(&[2, p, q], 3)]
        };
        check_all(declaration, [[5, 20], [1, 1], [2, 9], [2, 1300]].map(args));
    }
}

#[test]
fn few_rows_that_are_no_windows() {
    for folded in
        ["sum(x, n) - at(y, n = 0)", "sum(x * y, n)", "max(x, n) * at(y, n = 0)", "min(x, n) * at(y, n = 0)"]
    {
        let declaration = format!("fn f(x: Tensor![n, w], y: Tensor![n, w]) -> Tensor![w] {{ {folded} }}");
        let args = |[n, w]: [usize; 2]| vec![numbers(&[n, w], 1), numbers(&[n, w], 2)];
        check_all(&declaration, [[1, 5], [5, 100], [8, 9000]].map(args));
        let of_many = check(&declaration, &args([40, 33]), &FLOATS);
        assert_eq!(of_many, 0, "{declaration}: too many streams of memory");
    }
}

/// Convolutions of single channels run without the dims of one element.
#[test]
fn convolutions_of_single_channels_and_their_gradients() {
    let before = [Ran::Guarded, Ran::Along].map(ran);
    let declaration = "fn f(x: Tensor![b, (g, c), h, w], k: Tensor![(g, o), c, i, j], s: usize, g: usize) \
          -> Tensor![b, (g, o), p = (h - 1) / s + 1, q = (w - 1) / s + 1] \
        { sum(at(x, h = p * s + i - 1, w = q * s + j - 1, or = 0.0) * k, (c, i, j)) }";
    let stages = tensor_op_spec::stages(declaration.parse().unwrap()).unwrap();
    for [groups, c, o, s] in [[3, 1, 1, 1], [3, 1, 1, 2], [1, 4, 1, 1], [2, 1, 2, 2]] {
        let size = |at: usize| (at - 1) / s + 1;
        let given = [
            numbers(&[2, groups * c, 9, 20], 1),
            numbers(&[groups * o, c, 3, 3], 2),
            numbers(&[2, groups * o, size(9), size(20)], 3),
        ];
        check_with_gradient(&stages.ops[0], given, &[("s", s), ("g", groups)], DType::F64);
    }
    let found = [Ran::Guarded, Ran::Along].map(ran);
    assert!(found[0] > before[0] && found[1] > before[1], "they are computed in another way");
}

/// In the gradient neither factor has elements outside, so that what is infinite meets no zero there: rows
/// that are read where they are, rows that are copied, and windows with several phases.
#[test]
fn products_that_are_left_out() {
    let declaration = "fn f(x: Tensor![c, h, w], k: Tensor![c, i, j], s: usize) \
          -> Tensor![c, p = (h - 1) / s + 1, q = (w - 1) / s + 1] \
        { sum(at(x, h = p * s + i - 1, w = q * s + 20 * j - 20, or = 0.0) * k, (i, j)) }";
    let stages = tensor_op_spec::stages(declaration.parse().unwrap()).unwrap();
    for (s, dtype) in [1, 2].into_iter().flat_map(|s| FLOATS.map(|dtype| (s, dtype))) {
        let before = ran(Ran::Guarded);
        let mut k = numbers(&[2, 3, 3], 2).to_vec::<f64>().unwrap();
        [k[0], k[5], k[11], k[13]] = [f64::INFINITY, f64::NAN, f64::NEG_INFINITY, f64::NAN];
        let k = TensorData::new(k, vec![2, 3, 3]).unwrap();
        let given = [numbers(&[2, 5, 90], 1), k, numbers(&[2, 4 / s + 1, 89 / s + 1], 3)];
        check_with_gradient(&stages.ops[0], given, &[("s", s)], dtype);
        assert_eq!(ran(Ran::Guarded), before + 1, "{s} {dtype}: it is computed in another way");
    }
}

/// Compares an op and its gradient with the interpreter. The tensors are `x`, `k`, and the gradient of the
/// result.
fn check_with_gradient(op: &Described, given: [TensorData; 3], sizes: &[(&str, usize)], dtype: DType) {
    let given = given.map(|data| data.cast(dtype));
    for graph in [Some(&op.forward), op.backward.as_ref()].into_iter().flatten() {
        let arg = |arg: &Arg| match (&arg.name[..], sizes.iter().find(|(name, _)| *name == arg.name)) {
            (_, Some((_, size))) => Value::Scalar(Scalar::Int(*size as i64)),
            ("x", None) => Value::Tensor(given[0].clone()),
            ("k", None) => Value::Tensor(given[1].clone()),
            (_, None) => Value::Tensor(given[2].clone()),
        };
        let args: Vec<Value<TensorData>> = graph.args.iter().map(arg).collect();
        let expected = interpret(graph, &args).unwrap();
        let place = |arg: &Value<TensorData>| {
            arg.clone().try_map(|data| NdArray::from_data(data, &CpuDevice)).unwrap()
        };
        let wanted = vec![true; graph.outputs.len()];
        let found = NdArray::run(&GraphOp::new(graph.clone()), args.iter().map(place).collect(), &wanted);
        for (found, expected) in found.unwrap().into_iter().flatten().zip(&expected) {
            let found = NdArray::into_data(found).unwrap();
            compare(&found, expected, dtype, &format!("{} {sizes:?} {dtype}", graph.name));
        }
    }
}
