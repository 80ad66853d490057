//! Windows: indices that are known without reading anything. Each op is generated with its tests; the
//! examples below are compared with numbers that were worked out by hand or by PyTorch.

use tensor_op::prelude::*;

/// A convolution in two dims, as PyTorch defines it, with one group.
#[tensor_op]
fn conv2d(
    x: Tensor![b, c, h, w],
    weight: Tensor![o, c, kh, kw],
    #[default(1)] stride: usize,
    #[default(0)] pad: usize,
    #[default(1)] dilation: usize,
) -> Tensor![
    b,
    o,
    ho = (h + 2 * pad - dilation * (kh - 1) - 1) / stride + 1,
    wo = (w + 2 * pad - dilation * (kw - 1) - 1) / stride + 1
] {
    let windows =
        at(x, h = ho * stride + kh * dilation - pad, w = wo * stride + kw * dilation - pad, or = 0.0);
    sum(windows * weight, (c, kh, kw))
}

/// The largest element of each window.
#[tensor_op]
fn max_pool(
    x: Tensor![b, c, n],
    k: usize,
    stride: usize,
    #[default(0)] pad: usize,
) -> Tensor![b, c, o = (n + 2 * pad - k) / stride + 1] {
    max(at(x, n = o * stride + iota(k) - pad, or = -INFINITY), k)
}

/// Backwards.
#[tensor_op]
fn flip(x: Tensor![m, n]) -> Tensor![m, n] {
    at(x, n = len(n) - 1 - n)
}

#[tensor_op]
fn diagonal(x: Tensor![m, n]) -> Tensor![d = n] {
    at(x, m = d, n = d)
}

#[tensor_op]
fn diff(x: Tensor![m, n]) -> Tensor![m, o = n - 1] {
    at(x, n = o + 1) - at(x, n = o)
}

/// The adjoint of a convolution with a stride.
#[tensor_op]
fn conv_transpose1d(
    x: Tensor![b, c, n],
    weight: Tensor![c, o, k],
    stride: usize,
) -> Tensor![b, o, l = (n - 1) * stride + k] {
    sum(at(x, n = div_exact(l - k, stride), or = 0.0) * weight, (c, k))
}

fn device() -> Device {
    Device::default()
}

fn tensor(shape: &[usize], scale: f64) -> Tensor {
    let count: usize = shape.iter().product();
    let values: Vec<f64> = (0..count).map(|i| ((i * 37 + i / 5) % 23) as f64 * scale - 1.0).collect();
    Tensor::from_vec(values, shape.to_vec(), &device()).expect("as many values as the shape")
}

#[test]
fn shapes_and_values() -> Result<()> {
    let x = Tensor::from_vec(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3], &device())?;
    assert_eq!(flip(&x)?.to_vec::<f64>()?, [3.0, 2.0, 1.0, 6.0, 5.0, 4.0]);
    assert_eq!(diff(&x)?.to_vec::<f64>()?, [1.0, 1.0, 1.0, 1.0]);
    let y = tensor(&[1, 1, 5, 4], 0.5);
    let w = tensor(&[2, 1, 3, 3], 0.25);
    assert_eq!(conv2d(&y, &w, 2, 1, 1)?.shape().to_vec(), [1, 2, 3, 2]);
    Ok(())
}
