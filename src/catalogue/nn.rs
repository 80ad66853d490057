//! Layers and losses of neural networks.
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use crate::tensor_op;

/// SwiGLU gate.
///
/// ```
/// use tensor_op::catalogue::nn::silu_mul;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// assert_eq!(silu_mul(Tensor::from([3.0]), Tensor::from([0.0]))?.to_vec::<f64>()?, [0.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(burn = silu_mul_burn)]
pub fn silu_mul(x: Tensor, gate: Tensor) -> Tensor {
    x * gate * sigmoid(gate)
}

/// Softmax along an axis.
///
/// ```
/// use tensor_op::catalogue::nn::softmax;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[0.0, 0.0], [5.0, 5.0]]);
/// assert_eq!(softmax(&x, -1)?.to_vec::<f64>()?, [0.5, 0.5, 0.5, 0.5]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = softmax_burn)]
pub fn softmax(x: Tensor, axis: Axis) -> Tensor {
    let e = exp(x - stop_grad(max(x, axis)));
    e / sum(e, axis)
}

/// Softmax of the negative numbers along an axis: the smallest has the largest share.
/// `torch.nn.functional.softmin`.
#[tensor_op(method(inherent))]
pub fn softmin(input: Tensor, dim: Axis) -> Tensor {
    self::softmax(-input, dim)
}

/// Softmax along an axis, and zeros where all numbers are -infinity, as in a row of attention that is masked
/// out. `torch._safe_softmax`.
///
/// ```
/// use tensor_op::catalogue::nn::safe_softmax;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[f64::NEG_INFINITY; 2], [1.0, 1.0]]);
/// assert_eq!(safe_softmax(&x, -1)?.to_vec::<f64>()?, [0.0, 0.0, 0.5, 0.5]);
/// # Ok(())
/// # }
/// ```
#[tensor_op]
pub fn safe_softmax(input: Tensor, dim: Axis) -> Tensor {
    let largest = stop_grad(max(input, dim));
    let e = exp(input - select(largest == -INFINITY, 0.0, largest));
    let total = sum(e, dim);
    e / select(total == 0.0, 1.0, total)
}

/// Logarithm of the softmax along an axis.
#[tensor_op(method(inherent), burn = log_softmax_burn)]
pub fn log_softmax(x: Tensor, axis: Axis) -> Tensor {
    x - logsumexp(x, axis)
}

/// Root-mean-square norm over the last axis. [`norm::rms_norm`](super::norm::rms_norm) has PyTorch's
/// signature.
///
/// ```
/// use tensor_op::catalogue::nn::rms_norm;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let (x, gamma) = (Tensor::from([2.0, 2.0]), Tensor::from([1.0, 3.0]));
/// assert_eq!(rms_norm(&x, &gamma, 0.0)?.to_vec::<f64>()?, [1.0, 3.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = rms_norm_burn)]
pub fn rms_norm(x: Tensor![.., n], gamma: Tensor![n], #[default(1e-6)] eps: f64) -> Tensor![.., n] {
    x * rsqrt(mean(x * x, n) + eps) * gamma
}

/// Layer norm over the last axis. [`norm::layer_norm`](super::norm::layer_norm) has PyTorch's signature.
///
/// ```
/// use tensor_op::catalogue::nn::layer_norm;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let (x, gamma, beta) = (Tensor::from([1.0, 3.0]), Tensor::from([1.0, 1.0]), Tensor::from([0.0, 0.5]));
/// assert_eq!(layer_norm(&x, &gamma, &beta, 0.0)?.to_vec::<f64>()?, [-1.0, 1.5]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = layer_norm_burn)]
pub fn layer_norm(
    x: Tensor![.., n],
    gamma: Tensor![n],
    beta: Tensor![n],
    #[default(1e-5)] eps: f64,
) -> Tensor![.., n] {
    let centered = x - mean(x, n);
    centered * rsqrt(mean(centered * centered, n) + eps) * gamma + beta
}

/// Sum of two tensors and its root-mean-square norm, as one kernel.
#[tensor_op(burn = add_rms_norm_burn)]
pub fn add_rms_norm(
    x: Tensor![.., n],
    residual: Tensor![.., n],
    gamma: Tensor![n],
    #[default(1e-6)] eps: f64,
) -> (Tensor![.., n], Tensor![.., n]) {
    let s = x + residual;
    (s * rsqrt(mean(s * s, n) + eps) * gamma, s)
}

/// Cross-entropy of logits against class indices, for each sample.
///
/// ```
/// use tensor_op::catalogue::nn::cross_entropy;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let logits = Tensor::from([[0.0, 0.0]]);
/// let loss = cross_entropy(&logits, Tensor::from([1_i64]))?;
/// assert!((loss.to_vec::<f64>()?[0] - std::f64::consts::LN_2).abs() < 1e-12);
/// # Ok(())
/// # }
/// ```
#[tensor_op(burn = cross_entropy_burn)]
pub fn cross_entropy(logits: Tensor![b, v], target: IntTensor![b]) -> Tensor![b] {
    logsumexp(logits, v) - at(logits, v = target)
}

/// Rows of a table. [`embedding::embedding`](crate::catalogue::embedding::embedding) takes a row without a
/// gradient too.
///
/// ```
/// use tensor_op::catalogue::nn::embedding;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let weight = Tensor::from([[1.0, 2.0], [3.0, 4.0]]);
/// assert_eq!(embedding(&weight, Tensor::from([1_i64, 0]))?.to_vec::<f64>()?, [3.0, 4.0, 1.0, 2.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(burn = embedding_burn)]
pub fn embedding(weight: Tensor![v, d], ids: IntTensor) -> Tensor![.., d] {
    at(weight, v = ids)
}

/// Matrix product, batched over the leading dims.
///
/// ```
/// use tensor_op::catalogue::nn::matmul;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]);
/// assert_eq!(matmul(&x, Tensor::from([[1.0], [1.0]]))?.to_vec::<f64>()?, [3.0, 7.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = matmul_burn)]
pub fn matmul(lhs: Tensor![.., m, k], rhs: Tensor![.., k, n]) -> Tensor![.., m, n] {
    sum(lhs * rhs, k)
}

/// Linear layer: `weight` maps features `i` to `o`. `torch.nn.functional.linear`.
///
/// ```
/// use tensor_op::catalogue::nn::linear;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::ones([1, 2], DType::F64, &Device::default())?;
/// let weight = Tensor::from_vec(vec![1.0, 2.0], [1, 2], &Device::default())?;
/// assert_eq!(linear(&x, &weight, None)?.item::<f64>()?, 3.0);
/// assert_eq!(linear(&x, &weight, Tensor::ones([1], DType::F64, &Device::default()))?.item::<f64>()?, 4.0);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = linear_burn)]
pub fn linear(x: Tensor![.., i], weight: Tensor![o, i], bias: Option<Tensor![o]>) -> Tensor![.., o] {
    sum(x * weight, i) + bias.unwrap_or(0.0)
}

/// Matrix product, bias and relu.
#[tensor_op(burn = matmul_add_relu_burn)]
pub fn matmul_add_relu(
    lhs: Tensor![.., m, k],
    rhs: Tensor![.., k, n],
    bias: Tensor![n],
) -> Tensor![.., m, n] {
    relu(sum(lhs * rhs, k) + bias)
}

/// Scaled dot-product attention; heads are among the leading dims.
#[tensor_op(burn = attention_burn)]
pub fn attention(q: Tensor![.., t, d], k: Tensor![.., s, d], v: Tensor![.., s, e]) -> Tensor![.., t, e] {
    let scores = sum(q * k, d) / sqrt(cast(len(d), float));
    sum(softmax(scores, s) * v, s)
}
