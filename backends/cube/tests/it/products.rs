//! Products that are large enough for every library, in all memory orders, on each runtime of this build that
//! finds a device. Factors are small multiples of 1/8, so that all sums are exact.
#![cfg(feature = "runtime")]

use tensor_op::prelude::*;
use tensor_op::tensor_op;

const BATCH: [usize; 2] = [2, 3];
const SIZES: [usize; 3] = [150, 134, 140];

#[tensor_op(tests = false)]
fn product(x: Tensor![b, h, m, k], y: Tensor![b, h, k, n]) -> Tensor![b, h, m, n] {
    sum(x * y, k)
}

/// The result lies in columns, seen from its rows `m`.
#[tensor_op(tests = false)]
fn in_columns(x: Tensor![b, h, m, k], y: Tensor![b, h, k, n]) -> Tensor![b, h, n, m] {
    sum(x * y, k)
}

/// All batches have the same right factor.
#[tensor_op(tests = false)]
fn with_one_factor(x: Tensor![b, h, m, k], y: Tensor![k, n]) -> Tensor![b, h, m, n] {
    sum(x * y, k)
}

/// All batches have the same left factor.
#[tensor_op(tests = false)]
fn of_one_factor(x: Tensor![m, k], y: Tensor![b, h, k, n]) -> Tensor![b, h, m, n] {
    sum(x * y, k)
}

#[tensor_op(tests = false)]
fn shifted(matrix: Tensor![m, k], y: Tensor![k, n]) -> Tensor![m, n] {
    sum(matrix * y, k) + 1.0
}

fn devices() -> impl Iterator<Item = Device> {
    ["wgpu", "vulkan", "metal", "cuda", "hip"].into_iter().filter_map(|name| Device::new(name).ok())
}

fn left(at: [usize; 4]) -> f64 {
    ((at[0] * 5 + at[1] * 3 + at[2] * 7 + at[3] * 11) % 17) as f64 / 8.0 - 1.0
}

fn right(at: [usize; 4]) -> f64 {
    ((at[0] * 2 + at[1] * 13 + at[2] * 3 + at[3] * 5) % 13) as f64 / 8.0 - 0.75
}

/// A tensor of this shape whose axes lie in memory in the given order.
fn tensor(
    shape: [usize; 4],
    order: [usize; 4],
    value: fn([usize; 4]) -> f64,
    dtype: DType,
    device: &Device,
) -> Result<Tensor> {
    let stored = order.map(|axis| shape[axis]);
    let count = stored.iter().product();
    let mut numbers = Vec::with_capacity(count);
    for position in 0..count {
        let (mut rest, mut at) = (position, [0; 4]);
        for axis in (0..4).rev() {
            at[order[axis]] = rest % stored[axis];
            rest /= stored[axis];
        }
        numbers.push(value(at) as f32);
    }
    let back: [i64; 4] =
        [0, 1, 2, 3].map(|axis| order.iter().position(|other| *other == axis).unwrap_or_default() as i64);
    Tensor::from_vec(numbers, stored, &Device::default())?.cast(dtype)?.to(device)?.permute(back)
}

/// The product, row by row. If `swapped`, by columns.
fn expected(swapped: bool, [left, right]: [fn([usize; 4]) -> f64; 2]) -> Vec<f64> {
    let [m, n, k] = SIZES;
    let mut all = Vec::new();
    for batch in 0..BATCH[0] * BATCH[1] {
        let (b, h) = (batch / BATCH[1], batch % BATCH[1]);
        let y: Vec<f64> = (0..k * n).map(|at| right([b, h, at / n, at % n])).collect();
        let rows: Vec<f64> = (0..m)
            .flat_map(|i| {
                let x: Vec<f64> = (0..k).map(|at| left([b, h, i, at])).collect();
                let y = &y;
                (0..n).map(move |j| x.iter().enumerate().map(|(at, x)| x * y[at * n + j]).sum::<f64>())
            })
            .collect();
        match swapped {
            false => all.extend(rows),
            true => all.extend((0..n * m).map(|at| rows[at % m * n + at / m])),
        }
    }
    all
}

#[track_caller]
fn check(found: Tensor, expected: &[f64], what: &str) -> Result<()> {
    let dtype = found.dtype();
    let found = found.to(&Device::default())?.cast(DType::F64)?.to_vec::<f64>()?;
    let rounded = Tensor::from_vec(expected.to_vec(), [expected.len()], &Device::default())?;
    let rounded = rounded.cast(dtype)?.cast(DType::F64)?.to_vec::<f64>()?;
    let wrong = found.iter().zip(&rounded).position(|(found, expected)| found != expected);
    assert_eq!(wrong.map(|at| (at, found[at], rounded[at])), None, "{what} of {dtype}");
    Ok(())
}

#[test]
fn large_products_are_exact_in_every_memory_order() -> Result<()> {
    let [m, n, k] = SIZES;
    let [b, h] = BATCH;
    let (rows, columns) = (expected(false, [left, right]), expected(true, [left, right]));
    let one_right = expected(false, [left, |at| right([0, 0, at[2], at[3]])]);
    let one_left = expected(false, [|at| left([0, 0, at[2], at[3]]), right]);
    for device in devices() {
        for dtype in [DType::F32, DType::F16, DType::BF16, DType::F64] {
            if !device.supports_dtype(dtype) {
                continue;
            }
            let x = |order| tensor([b, h, m, k], order, left, dtype, &device);
            let y = |order| tensor([b, h, k, n], order, right, dtype, &device);
            let first = |x: &Tensor| x.slice(0, ..1)?.slice(1, ..1)?.squeeze(0)?.squeeze(0);
            for left_order in [[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 1, 3], [1, 3, 0, 2]] {
                for right_order in [[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 1, 3]] {
                    let (x, y) = (x(left_order)?, y(right_order)?);
                    let what = format!("{device:?}: {left_order:?} times {right_order:?}");
                    check(product(&x, &y)?, &rows, &what)?;
                    check(in_columns(&x, &y)?, &columns, &what)?;
                    check(with_one_factor(&x, first(&y)?)?, &one_right, &what)?;
                    check(of_one_factor(first(&x)?, &y)?, &one_left, &what)?;
                }
            }
        }
    }
    Ok(())
}

/// Each product needs the one before it, whose memory is soon used again, and threads share a device.
#[test]
fn products_and_kernels_run_in_the_order_of_calls() -> Result<()> {
    const SIZE: usize = 256;
    const TURNS: usize = 20;
    let turn = |device: &Device, first: f32| -> Result<()> {
        let cycle = |at: usize| if (at / SIZE + SIZE - 1) % SIZE == at % SIZE { 1.0_f32 } else { 0.0 };
        let matrix = Tensor::from_vec((0..SIZE * SIZE).map(cycle).collect(), [SIZE, SIZE], device)?;
        let numbers = (0..SIZE * SIZE).map(|at| first + at as f32).collect();
        let mut y = Tensor::from_vec(numbers, [SIZE, SIZE], device)?;
        for _ in 0..TURNS {
            y = shifted(&matrix, &y)?;
        }
        let from = |at: usize| (at + SIZE * (SIZE - TURNS)) % (SIZE * SIZE);
        let expected: Vec<f32> = (0..SIZE * SIZE).map(|at| first + (from(at) + TURNS) as f32).collect();
        assert_eq!(y.to_vec::<f32>()?, expected, "{device:?}");
        Ok(())
    };
    for device in devices() {
        std::thread::scope(|scope| {
            let threads = [0.0, 7.0].map(|first| {
                scope.spawn({
                    let device = &device;
                    move || turn(device, first)
                })
            });
            threads.into_iter().try_for_each(|thread| thread.join().expect("no panic"))
        })?;
    }
    Ok(())
}
