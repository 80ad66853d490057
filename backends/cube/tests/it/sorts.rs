//! Sorts of rows of all lengths: those of a cube, those from which the first few elements are selected, and
//! those that are sorted digit by digit. Expected positions are the CPU's.
#![cfg(any(feature = "wgpu", feature = "cuda"))]

use tensor_op::prelude::*;

const GPU: &str = if cfg!(feature = "cuda") { "cuda" } else { "wgpu" };

#[tensor_op(tests = false)]
fn order(x: Tensor![m, n]) -> IntTensor![m, n] {
    argsort(x, n)
}

#[tensor_op(tests = false)]
fn order_down(x: Tensor![m, n]) -> IntTensor![n, m] {
    argsort(x, n, descending = true)
}

#[tensor_op(tests = false)]
fn order_of_columns(x: Tensor![m, n]) -> IntTensor![m, n] {
    argsort(x, m)
}

#[tensor_op(tests = false)]
fn order_of_ints(x: IntTensor![m, n]) -> IntTensor![m, n] {
    argsort(x, n, descending = true)
}

#[tensor_op(tests = false)]
fn first(x: Tensor![m, n], k: usize) -> IntTensor![m, k] {
    argsort(x, n, first = k)
}

#[tensor_op(tests = false)]
fn first_ints(x: IntTensor![m, n], k: usize) -> IntTensor![m, k] {
    argsort(x, n, first = k)
}

#[tensor_op(tests = false)]
fn places(sorted: Tensor![n, m], x: Tensor![m, i]) -> IntTensor![m, i] {
    searchsorted(sorted, x, n)
}

#[tensor_op(tests = false)]
fn places_of_ints(sorted: IntTensor![m, n], x: IntTensor![i]) -> IntTensor![m, i] {
    searchsorted(sorted, x, n, right = true)
}

/// Around the rows that fit into a cube, and around segments of long ones.
const SHAPES: &[[usize; 2]] = &[
    [1, 1],
    [3, 2],
    [700, 5],
    [2, 513],
    [3, 2048],
    [3, 2049],
    [2, 8192],
    [5, 4097],
    [2, 100_003],
    [9000, 3],
];

/// The same function on the CPU and on a GPU.
#[track_caller]
fn check(name: &str, x: &Tensor, function: impl Fn(&Tensor) -> Result<Tensor>) {
    let gpu = Device::new(GPU).expect("a GPU, or a processor that poses as one");
    let expected = function(x).and_then(|y| y.to_vec::<i64>());
    let found = x.to(&gpu).and_then(|x| function(&x)).and_then(|y| y.to_vec::<i64>());
    if !gpu.supports_dtype(x.dtype()) {
        return;
    }
    assert!(expected == found, "{name} of {:?} of {:?}", x.shape(), x.dtype());
}

/// Elements of which many are equal, with those that are ordered in a special way.
fn elements(count: usize, dtype: DType) -> Vec<f64> {
    let special = [0.0, -0.0, f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1e-40, 1e-310];
    let number = |i: usize| ((i * 7919 % 10_007) as f64 * 0.618_034).fract() * 8.0 - 3.0;
    let all = (0..count).map(|i| if i % 5 == 0 { special[i / 5 % 8] } else { number(i) });
    let is_float = |dtype| matches!(dtype, DType::F64 | DType::F32 | DType::F16 | DType::BF16);
    all.map(|x| if is_float(dtype) { x } else { (x * 1e8).clamp(-2e9, 2e9) }).collect()
}

#[test]
fn sorts_of_all_lengths_are_those_of_the_cpu() {
    for [m, n] in SHAPES {
        let x =
            Tensor::from_vec(elements(m * n, DType::F32), [*m, *n], &Device::default()).expect("elements");
        for dtype in [DType::F32, DType::F16, DType::BF16, DType::F64] {
            let x = x.cast(dtype).expect("floats");
            check("order", &x, |x| order(x));
            if m * n < 20_000 || dtype == DType::F32 {
                check("order_down", &x, |x| order_down(x));
                check("order_of_columns", &x, |x| order_of_columns(x));
            }
            for k in [1, 50, 300].into_iter().filter(|k| k <= n) {
                check("first", &x, |x| first(x, k));
            }
        }
    }
}

/// So many elements that a unit has more of them.
#[test]
fn a_sort_of_millions_is_that_of_the_cpu() {
    let count = (1 << 21) + 4097;
    let x = Tensor::from_vec(elements(count, DType::F32), [1, count], &Device::default()).expect("elements");
    check("order", &x.cast(DType::BF16).expect("floats"), |x| order(x));
}

#[test]
fn sorts_of_ints_are_those_of_the_cpu() {
    for [m, n] in SHAPES {
        let x =
            Tensor::from_vec(elements(m * n, DType::I64), [*m, *n], &Device::default()).expect("elements");
        for dtype in [DType::I64, DType::I32, DType::U32, DType::U8] {
            let x = x.cast(dtype).expect("ints");
            check("order_of_ints", &x, |x| order_of_ints(x));
            for k in [1, 50].into_iter().filter(|k| k <= n) {
                check("first_ints", &x, |x| first_ints(x, k));
            }
        }
    }
}

#[test]
fn values_are_found_where_the_cpu_finds_them() {
    let cpu = Device::default();
    for n in [1, 7, 1000] {
        let sorted: Vec<f32> = (0..3 * n).map(|i| (i / 9) as f32 - 20.0).collect();
        let sorted = Tensor::from_vec(sorted, [n, 3], &cpu).expect("elements");
        let x = Tensor::from_vec(elements(3 * 77, DType::F32), [3, 77], &cpu).expect("elements");
        let x = x.cast(DType::F32).expect("floats");
        check("places", &x, |x| places(sorted.to(&x.device())?, x));
        let ints = Tensor::from_vec((0..2 * n as i64).collect(), [2, n], &cpu).expect("elements");
        let x = Tensor::from_vec(vec![-1_i32, 0, 3, 3, 500, 1999, 2000], [7], &cpu).expect("elements");
        check("places_of_ints", &x, |x| places_of_ints(ints.to(&x.device())?, x));
    }
}
