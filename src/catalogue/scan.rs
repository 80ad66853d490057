//! Scans: what is made of the elements so far along an axis, and the recurrences of sequence models.
//!
//! Names and arguments are PyTorch's. Derivatives of all orders are scans again.
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use crate::tensor_op;

/// The sum of the elements so far along an axis. For ints it is an i64. `torch.cumsum`.
///
/// ```
/// use tensor_op::catalogue::scan::cumsum;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![1.0, 2.0, 3.0], [3], &Device::default())?;
/// assert_eq!(cumsum(&x, 0)?.to_vec::<f64>()?, [1.0, 3.0, 6.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = cumsum_burn)]
pub fn cumsum(input: NumTensor, dim: Axis) -> NumTensor {
    cumsum(input, dim)
}

/// The product of the elements so far along an axis. For ints it is an i64. `torch.cumprod`. Its gradient is
/// right beside zeros.
///
/// ```
/// use tensor_op::catalogue::scan::cumprod;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// assert_eq!(cumprod(Tensor::from([1.0, 2.0, 3.0]), 0)?.to_vec::<f64>()?, [1.0, 2.0, 6.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = cumprod_burn)]
pub fn cumprod(input: NumTensor, dim: Axis) -> NumTensor {
    cumprod(input, dim)
}

/// The largest element so far along an axis, and its index: of equal elements that of the last one.
/// `torch.cummax`.
///
/// ```
/// use tensor_op::catalogue::scan::cummax;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![1.0, 3.0, 2.0, 3.0], [4], &Device::default())?;
/// let (values, indices) = cummax(&x, 0)?;
/// assert_eq!(values.to_vec::<f64>()?, [1.0, 3.0, 3.0, 3.0]);
/// assert_eq!(indices.to_vec::<i64>()?, [0, 1, 1, 3]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = cummax_burn)]
pub fn cummax(input: NumTensor, dim: Axis) -> (NumTensor, IntTensor) {
    let values = cummax(input, dim);
    // Only NaN differs from itself.
    let is_found = (input == values) || input != input;
    (values, cummax(select(is_found, iota(dim), 0), dim))
}

/// The smallest element so far along an axis, and its index: of equal elements that of the last one.
/// `torch.cummin`.
#[tensor_op(method(inherent), burn = cummin_burn)]
pub fn cummin(input: NumTensor, dim: Axis) -> (NumTensor, IntTensor) {
    let values = cummin(input, dim);
    // Only NaN differs from itself.
    let is_found = (input == values) || input != input;
    (values, cummax(select(is_found, iota(dim), 0), dim))
}

/// The logarithm of the sum of the exponentials so far along an axis, without overflow on the way.
/// `torch.logcumsumexp`.
#[tensor_op(method(inherent), burn = logcumsumexp_burn)]
pub fn logcumsumexp(input: Tensor, dim: Axis) -> Tensor {
    logcumsumexp(input, dim)
}

/// The selective scan of state-space models: `h[t] = exp(delta * a) * h[t - 1] + delta * b * u` and
/// `y = sum of c * h + skip * u`. The state has the dim `s`. Large calls do not store it, and the
/// gradient computes it again.
///
/// Source: Gu and Dao, Mamba: Linear-Time Sequence Modeling with Selective State Spaces, 2023.
#[tensor_op]
pub fn selective_scan(
    u: Tensor![n, t, d],
    delta: Tensor![n, t, d],
    a: Tensor![d, s],
    b: Tensor![n, t, s],
    c: Tensor![n, t, s],
    skip: Tensor![d],
) -> Tensor![n, t, d] {
    let h = linear_recurrence(exp(delta * a), delta * b * u, t);
    sum(h * c, s) + skip * u
}

/// Linear attention whose state decays by a gate for each key channel:
/// `h[t] = gate[t] * h[t - 1] + k[t] * v[t]` and `y[t] = sum of q[t] * h[t]`.
///
/// Source: Yang et al., Gated Linear Attention Transformers with Hardware-Efficient Training, 2023.
#[tensor_op]
pub fn gated_linear_attention(
    q: Tensor![b, h, t, d],
    k: Tensor![b, h, t, d],
    v: Tensor![b, h, t, e],
    gate: Tensor![b, h, t, d],
) -> Tensor![b, h, t, e] {
    sum(q * linear_recurrence(gate, k * v, t), d)
}

/// The recurrence of RWKV-4: an average of values so far, in which the weight of a value shrinks by `exp(-w)`
/// with each step, and that of the newest one is raised by `u`. Exponentials don't overflow.
///
/// Source: Peng et al., RWKV: Reinventing RNNs for the Transformer Era, 2023.
#[tensor_op]
pub fn wkv(w: Tensor![d], u: Tensor![d], k: Tensor![b, t, d], v: Tensor![b, t, d]) -> Tensor![b, t, d] {
    let steps = cast(iota(t), float);
    let top = stop_grad(cummax(k + w * steps, t));
    let before = at(top, t = t - 1, or = -INFINITY);
    let weight = exp(k + w * steps - top);
    let sums = linear_recurrence(exp(before - top), weight * v, t);
    let total = linear_recurrence(exp(before - top), weight, t);
    let past = before - w * (steps - 1.0);
    let most = stop_grad(maximum(past, u + k));
    let old = exp(past - most);
    let new = exp(u + k - most);
    (old * at(sums, t = t - 1, or = 0.0) + new * v) / (old * at(total, t = t - 1, or = 0.0) + new)
}
