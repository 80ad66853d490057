//! Activations of neural networks. Names and arguments are those of `torch.nn.functional`.
//!
//! ```
//! use tensor_op::prelude::*;
//!
//! # fn main() -> Result<()> {
//! let x = Tensor::from_vec(vec![-2.0, 0.0, 8.0], [3], &Device::default())?;
//! assert_eq!(x.relu()?.to_vec::<f64>()?, [0.0, 0.0, 8.0]);
//! assert_eq!(x.relu6()?.to_vec::<f64>()?, [0.0, 0.0, 6.0]);
//! assert_eq!(x.leaky_relu(0.5)?.to_vec::<f64>()?, [-1.0, 0.0, 8.0]);
//! # Ok(())
//! # }
//! ```
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use crate::tensor_op;

/// The number, or 0 if it is negative. `torch.nn.functional.relu`.
///
/// ```
/// use tensor_op::catalogue::activation::relu;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// assert_eq!(relu(Tensor::from([-1.0, 2.0]))?.to_vec::<f64>()?, [0.0, 2.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = relu_burn)]
pub fn relu(input: Tensor) -> Tensor {
    relu(input)
}

/// The number, brought between two bounds, at which the gradient is 0. `torch.nn.functional.hardtanh`.
#[tensor_op(method(inherent))]
pub fn hardtanh(input: Tensor, #[default(-1.0)] min_val: f64, #[default(1.0)] max_val: f64) -> Tensor {
    select(input <= min_val, min_val, select(input >= max_val, max_val, input))
}

/// The number, brought between 0 and 6. `torch.nn.functional.relu6`.
#[tensor_op(method(inherent))]
pub fn relu6(input: Tensor) -> Tensor {
    self::hardtanh(input, 0.0, 6.0)
}

/// The number, or a fraction of it if it is negative. `torch.nn.functional.leaky_relu`.
///
/// ```
/// use tensor_op::catalogue::activation::leaky_relu;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// assert_eq!(leaky_relu(Tensor::from([-2.0, 2.0]), 0.5)?.to_vec::<f64>()?, [-1.0, 2.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent))]
pub fn leaky_relu(input: Tensor, #[default(0.01)] negative_slope: f64) -> Tensor {
    select(input > 0.0, input, negative_slope * input)
}

/// The number, or if it is negative a fraction of it that each channel learns. `torch.nn.functional.prelu`.
#[tensor_op(method(inherent))]
pub fn prelu(input: Tensor![b, c, ..], weight: Tensor![c]) -> Tensor![b, c, ..] {
    select(input > 0.0, input, weight * input)
}

/// The number, or `alpha (exp(x) - 1)` if it is negative. `torch.nn.functional.elu`.
#[tensor_op(method(inherent))]
pub fn elu(input: Tensor, #[default(1.0)] alpha: f64) -> Tensor {
    select(input > 0.0, input, alpha * expm1(select(input > 0.0, 0.0, input)))
}

/// The number, or `alpha (exp(x / alpha) - 1)` if it is negative. `torch.nn.functional.celu`.
#[tensor_op(method(inherent))]
pub fn celu(input: Tensor, #[default(1.0)] alpha: f64) -> Tensor {
    select(input > 0.0, input, alpha * expm1(select(input > 0.0, 0.0, input) / alpha))
}

/// The scaled `elu` that keeps mean 0 and variance 1. `torch.nn.functional.selu`.
///
/// Source: Klambauer et al., Self-Normalizing Neural Networks, 2017.
#[tensor_op(method(inherent))]
pub fn selu(input: Tensor) -> Tensor {
    1.0507009873554805 * self::elu(input, 1.6732632423543772)
}

/// The number times the probability that a standard normal number is smaller. `torch.nn.functional.gelu`.
///
/// ```
/// use tensor_op::catalogue::activation::gelu;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// assert_eq!(gelu(Tensor::from([0.0, 10.0]))?.to_vec::<f64>()?, [0.0, 10.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = gelu_burn)]
pub fn gelu(input: Tensor) -> Tensor {
    gelu(input)
}

/// `gelu` by `tanh`, as GPT-2 has it. `torch.nn.functional.gelu(approximate="tanh")`.
#[tensor_op(method(inherent))]
pub fn gelu_tanh(input: Tensor) -> Tensor {
    gelu_tanh(input)
}

/// The number times its sigmoid. `torch.nn.functional.silu`.
///
/// ```
/// use tensor_op::catalogue::activation::silu;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// assert_eq!(silu(Tensor::from([0.0]))?.to_vec::<f64>()?, [0.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = silu_burn)]
pub fn silu(input: Tensor) -> Tensor {
    silu(input)
}

/// `x tanh(softplus(x))`. `torch.nn.functional.mish`.
#[tensor_op(method(inherent))]
pub fn mish(input: Tensor) -> Tensor {
    mish(input)
}

/// `1 / (1 + exp(-x))`. `torch.sigmoid`.
///
/// ```
/// use tensor_op::catalogue::activation::sigmoid;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// assert_eq!(sigmoid(Tensor::from([0.0]))?.to_vec::<f64>()?, [0.5]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = sigmoid_burn)]
pub fn sigmoid(input: Tensor) -> Tensor {
    sigmoid(input)
}

/// The logarithm of the sigmoid, without overflow on the way. `torch.nn.functional.logsigmoid`.
#[tensor_op(method(inherent))]
pub fn logsigmoid(input: Tensor) -> Tensor {
    -softplus(-input)
}

/// `log(1 + exp(beta x)) / beta`, and the number itself where `beta x` is beyond the threshold.
/// `torch.nn.functional.softplus`.
///
/// ```
/// use tensor_op::catalogue::activation::softplus;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let y = softplus(Tensor::from([0.0]), None, None)?.to_vec::<f64>()?;
/// assert!((y[0] - std::f64::consts::LN_2).abs() < 1e-12);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent))]
pub fn softplus(input: Tensor, #[default(1.0)] beta: f64, #[default(20.0)] threshold: f64) -> Tensor {
    select(input * beta > threshold, input, softplus(input * beta) / beta)
}

/// `x / (1 + |x|)`. `torch.nn.functional.softsign`.
#[tensor_op(method(inherent))]
pub fn softsign(input: Tensor) -> Tensor {
    input / (1.0 + abs(input))
}

/// A sigmoid of straight lines. `torch.nn.functional.hardsigmoid`.
#[tensor_op(method(inherent))]
pub fn hardsigmoid(input: Tensor) -> Tensor {
    self::relu6(input + 3.0) / 6.0
}

/// The number times its `hardsigmoid`. `torch.nn.functional.hardswish`.
///
/// ```
/// use tensor_op::catalogue::activation::hardswish;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// assert_eq!(hardswish(Tensor::from([-4.0, 0.0, 4.0]))?.to_vec::<f64>()?, [0.0, 0.0, 4.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent))]
pub fn hardswish(input: Tensor) -> Tensor {
    input * self::relu6(input + 3.0) / 6.0
}

/// The number, or 0 if its absolute value is at most `lambd`. `torch.nn.functional.hardshrink`.
#[tensor_op(method(inherent))]
pub fn hardshrink(input: Tensor, #[default(0.5)] lambd: f64) -> Tensor {
    select(abs(input) <= lambd, 0.0, input)
}

/// The number, moved towards 0 by `lambd`, at most to 0. `torch.nn.functional.softshrink`.
#[tensor_op(method(inherent))]
pub fn softshrink(input: Tensor, #[default(0.5)] lambd: f64) -> Tensor {
    select(input > lambd, input - lambd, select(input < -lambd, input + lambd, input * 0.0))
}

/// `x - tanh(x)`. `torch.nn.functional.tanhshrink`.
#[tensor_op(method(inherent))]
pub fn tanhshrink(input: Tensor) -> Tensor {
    input - tanh(input)
}

/// The number, or the value if it is at most the bound. `torch.nn.functional.threshold`.
#[tensor_op(method(inherent))]
pub fn threshold(input: Tensor, bound: f64, value: f64) -> Tensor {
    select(input <= bound, value, input)
}

/// The gated linear unit of GPT-like models with `gelu`: `gelu(gate) * x`.
///
/// Source: Shazeer, GLU Variants Improve Transformer, 2020.
#[tensor_op(method(inherent))]
pub fn geglu(input: Tensor, gate: Tensor) -> Tensor {
    input * gelu(gate)
}

/// The gated linear unit with `relu`: `relu(gate) * x`.
///
/// Source: Shazeer, GLU Variants Improve Transformer, 2020.
#[tensor_op(method(inherent))]
pub fn reglu(input: Tensor, gate: Tensor) -> Tensor {
    input * relu(gate)
}
