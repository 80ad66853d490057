//! Loops on GPUs that read by an index. Expected values are the CPU's.
#![cfg(feature = "wgpu")]

use tensor_op::ErrorKind;
use tensor_op::prelude::*;

#[tensor_op(tests = false)]
fn weighted(x: Tensor![k, d], y: Tensor![n, d], a: IntTensor![n]) -> Tensor![n, d] {
    let v = at(x, k = a);
    v * v + y
}

#[tensor_op(tests = false)]
fn shares(x: Tensor![k, d], y: Tensor![n, d], a: IntTensor![n], b: IntTensor![n]) -> Tensor![n, d] {
    let e = exp(at(x, k = a) + at(y, n = b));
    e / sum(e, d)
}

#[tensor_op(tests = false)]
fn columns(x: Tensor![k, d], y: Tensor![n, d], a: IntTensor![n]) -> (Tensor![d], Tensor![d, n]) {
    let v = at(x, k = a);
    (sum(v * y, n), v - y)
}

#[tensor_op(tests = false)]
fn signs(x: Tensor![k, d], y: Tensor![n, d], a: IntTensor![n]) -> Tensor![n, d] {
    let whole = at(cast(stop_grad(x) * 4.0, int), k = a);
    select(at(x > 0.0, k = a), y, -y) + cast(whole, float)
}

fn numbers(shape: [usize; 2], device: &Device) -> Result<Tensor> {
    let count = shape[0] * shape[1];
    let values: Vec<f32> = (0..count).map(|i| ((i * 37 + i / 11) % 101) as f32 / 64.0 - 0.8).collect();
    Ok(Tensor::from_vec(values, shape, device)?.require_grad())
}

fn indices(len: usize, below: usize, device: &Device) -> Result<Tensor> {
    let values: Vec<i64> = (0..len).map(|i| ((i * 31 + i / 5) % below) as i64).collect();
    Tensor::from_vec(values, [len], device)
}

/// The results and the gradients are those of the CPU, within some roundings of the largest number.
#[track_caller]
fn check(op: impl Fn(&[Tensor; 4]) -> Result<Vec<Tensor>>) {
    for [n, k, d] in [[7, 3, 5], [64, 9, 16], [33, 20, 32], [5, 4, 1500], [40, 3, 6]] {
        let run = |device: &Device| -> Result<Vec<Vec<f32>>> {
            let (x, y) = (numbers([k, d], device)?, numbers([n, d], device)?);
            let args = [x, y, indices(n, k, device)?, indices(n, n, device)?];
            let results = op(&args)?;
            let sum = results
                .iter()
                .try_fold(Tensor::zeros([], DType::F32, device)?, |sum, y| &sum + y.square()?.sum(..)?)?;
            let gradients = sum.backward()?;
            let tracked = args[..2].iter().filter_map(|arg| gradients.get(arg));
            results.iter().map(Tensor::to_vec).chain(tracked.map(|gradient| gradient.to_vec())).collect()
        };
        let cpu = run(&Device::default()).expect("it runs on the CPU");
        let gpu =
            run(&Device::new("wgpu").expect("a GPU, or what poses as one")).expect("it runs on the GPU");
        for (at, (cpu, gpu)) in cpu.iter().zip(&gpu).enumerate() {
            let most = cpu.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
            assert_eq!(cpu.len(), gpu.len());
            for (i, (cpu, gpu)) in cpu.iter().zip(gpu).enumerate() {
                let is_near = (cpu - gpu).abs() <= 2e-5 * most;
                assert!(is_near, "{n} {k} {d}: number {i} of value {at}: {gpu}, not {cpu}");
            }
        }
    }
}

#[test]
fn rows_by_index() {
    check(|[x, y, a, _]| Ok(vec![weighted(x, y, a)?]));
    check(|[x, y, a, b]| Ok(vec![shares(x, y, a, b)?]));
    // In the second result the index varies from lane to lane.
    check(|[x, y, a, _]| columns(x, y, a).map(|(sums, rest)| vec![sums, rest]));
    check(|[x, y, a, _]| Ok(vec![signs(x, y, a)?]));
}

#[test]
fn an_index_out_of_range_is_an_error() -> Result<()> {
    let device = Device::new("wgpu")?;
    for wrong in [-1, 9] {
        let a = Tensor::from_vec(vec![0_i64, wrong, 2], [3], &device)?;
        let y = weighted(&numbers([9, 8], &device)?, &numbers([3, 8], &device)?, &a)?;
        let error = y.to_vec::<f32>().expect_err("row 9 of 9 rows does not exist");
        assert_eq!(error.kind(), ErrorKind::Index, "{error}");
    }
    Ok(())
}
