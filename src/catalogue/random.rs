//! Random numbers in formulas: dropouts, noise, and samples.
//!
//! Names and arguments are PyTorch's. The numbers are a function of the seed and of the position alone
//! (Philox 4x32-10), so that a gradient draws them again and stores nothing. A `seed` of `None` comes from
//! the generator of the device, which [`Device::seed`](crate::Device::seed) sets.
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use crate::tensor_op;

/// Sets elements to 0 with probability `p`, and divides the others by `1 - p`. `torch.nn.functional.dropout`.
/// A `p` below 0 drops nothing, and one above 1 drops all elements.
///
/// ```
/// use tensor_op::catalogue::random::dropout;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let device = Device::default();
/// let x = Tensor::ones([1000], DType::F32, &device)?;
/// let y = dropout(&x, 0.5, 7)?.to_vec::<f32>()?;
/// assert!(y.iter().all(|y| *y == 0.0 || *y == 2.0));
/// assert_eq!(y, dropout(&x, 0.5, 7)?.to_vec::<f32>()?);
///
/// // Without a seed each call draws anew.
/// device.seed(1);
/// assert_ne!(dropout(&x, 0.5, None)?.to_vec::<f32>()?, dropout(&x, 0.5, None)?.to_vec::<f32>()?);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = dropout_burn)]
pub fn dropout(input: Tensor, #[default(0.5)] p: Fraction, seed: Seed) -> Tensor {
    dropout(input, p, seed)
}

/// Sets whole channels to 0 with probability `p`, and divides the others by `1 - p`. Axes 0 and 1 are batch
/// and channels. `torch.feature_dropout`.
///
/// ```
/// use tensor_op::catalogue::random::feature_dropout;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::ones([2, 8, 3, 3], DType::F32, &Device::default())?;
/// let y = feature_dropout(&x, 0.5, 7)?.to_vec::<f32>()?;
/// assert!(y.chunks(9).all(|channel| channel.iter().all(|y| *y == channel[0])));
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = feature_dropout_burn)]
pub fn feature_dropout(
    input: Tensor![b, c, ..],
    #[default(0.5)] p: Fraction,
    seed: Seed,
) -> Tensor![b, c, ..] {
    dropout(input, p, seed, (b, c))
}

/// Sets whole channels `[.., l]` to 0 with probability `p`, and divides the others by `1 - p`.
/// `torch.nn.functional.dropout1d`.
///
/// ```
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::ones([8, 3], DType::F32, &Device::default())?;
/// let y = x.dropout1d(0.5, 7)?.to_vec::<f32>()?;
/// assert!(y.chunks(3).all(|channel| channel == [0.0; 3] || channel == [2.0; 3]));
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent))]
pub fn dropout1d(input: Tensor![.., l], #[default(0.5)] p: Fraction, seed: Seed) -> Tensor![.., l] {
    dropout(input, p, seed, ..)
}

/// Sets whole channels `[.., h, w]` to 0 with probability `p`, and divides the others by `1 - p`.
/// `torch.nn.functional.dropout2d`, which reads three axes as batch, channels and one axis: that is
/// [`dropout1d`] here.
#[tensor_op(method(inherent))]
pub fn dropout2d(input: Tensor![.., h, w], #[default(0.5)] p: Fraction, seed: Seed) -> Tensor![.., h, w] {
    dropout(input, p, seed, ..)
}

/// Sets whole channels `[.., d, h, w]` to 0 with probability `p`, and divides the others by `1 - p`.
/// `torch.nn.functional.dropout3d`.
#[tensor_op(method(inherent))]
pub fn dropout3d(
    input: Tensor![.., d, h, w],
    #[default(0.5)] p: Fraction,
    seed: Seed,
) -> Tensor![.., d, h, w] {
    dropout(input, p, seed, ..)
}

/// Sets elements to the negative limit of SELU with probability `p`, then scales and shifts, so that mean and
/// variance stay 0 and 1. `torch.nn.functional.alpha_dropout`.
///
/// Source: Klambauer et al., Self-Normalizing Neural Networks, 2017.
#[tensor_op(method(inherent), burn = alpha_dropout_burn)]
pub fn alpha_dropout(input: Tensor, #[default(0.5)] p: Fraction, seed: Seed) -> Tensor {
    let limit = -1.758_099_340_847_376_6;
    let scale = select(p < 1.0, rsqrt((1.0 - p) * (1.0 + p * square(limit))), 0.0);
    scale * (select(bernoulli(p, seed, ..), limit, input) - p * limit)
}

/// [`alpha_dropout`] of whole channels. `torch.nn.functional.feature_alpha_dropout`.
#[tensor_op(method(inherent), burn = feature_alpha_dropout_burn)]
pub fn feature_alpha_dropout(
    input: Tensor![b, c, ..],
    #[default(0.5)] p: Fraction,
    seed: Seed,
) -> Tensor![b, c, ..] {
    let limit = -1.758_099_340_847_376_6;
    let scale = select(p < 1.0, rsqrt((1.0 - p) * (1.0 + p * square(limit))), 0.0);
    scale * (select(bernoulli(p, seed, (b, c)), limit, input) - p * limit)
}

/// A leaky ReLU whose slope is drawn evenly from `lower` to `upper` for each element.
/// `torch.nn.functional.rrelu` in training.
#[tensor_op(method(inherent), burn = rrelu_burn)]
pub fn rrelu(
    input: Tensor,
    #[default(0.125)] lower: f64,
    #[default(0.333_333_333_333_333_3)] upper: f64,
    seed: Seed,
) -> Tensor {
    let slope = lower + (upper - lower) * uniform(seed, ..);
    select(input >= 0.0, input, input * slope)
}

/// 1 with probability `input`, else 0. `torch.bernoulli`.
///
/// ```
/// use tensor_op::catalogue::random::bernoulli;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// assert_eq!(bernoulli(Tensor::from([0.0, 1.0]), 7)?.to_vec::<f64>()?, [0.0, 1.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = bernoulli_burn)]
pub fn bernoulli(#[no_grad] input: Tensor, seed: Seed) -> Tensor {
    cast(bernoulli(input, seed, ..), float)
}

/// Normal numbers with a mean and a standard deviation for each element: `torch.normal`. The gradient is that
/// of `mean + std * noise`, as variational autoencoders take it.
///
/// ```
/// use tensor_op::catalogue::random::normal;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let device = Device::default();
/// let mean = Tensor::full([10_000], 3.0, &device)?;
/// let y = normal(&mean, Tensor::full([1], 0.1, &device)?, 1)?.to_vec::<f64>()?;
/// assert!((y.iter().sum::<f64>() / 1e4 - 3.0).abs() < 0.01);
/// # Ok(())
/// # }
/// ```
#[tensor_op(burn = normal_burn)]
pub fn normal(mean: Tensor, std: Tensor, seed: Seed) -> Tensor {
    mean + std * normal(seed, ..)
}

/// Samples one index along an axis, with the probabilities that the softmax of the logits gives:
/// `torch.distributions.Categorical(logits = ..).sample()`.
#[tensor_op(burn = categorical_burn)]
pub fn categorical(#[no_grad] logits: Tensor, dim: Axis, seed: Seed) -> IntTensor {
    argmax(logits + gumbel(seed, (.., dim)), dim)
}

/// Samples from the softmax of the logits, so that the sample has a gradient. With `hard` the sample is one
/// hot, and the gradient is that of the soft one. `torch.nn.functional.gumbel_softmax`.
///
/// Source: Jang, Gu, Poole, Categorical Reparameterization with Gumbel-Softmax, 2017.
#[tensor_op(method(inherent), burn = gumbel_softmax_burn)]
pub fn gumbel_softmax(
    logits: Tensor,
    #[default(1.0)] tau: f64,
    #[default(false)] hard: bool,
    #[default(-1)] dim: Axis,
    seed: Seed,
) -> Tensor {
    let soft = softmax((logits + gumbel(seed, (.., dim))) / tau, dim);
    if hard {
        let one_hot = cast(iota(dim) == argmax(soft, dim), float);
        stop_grad(one_hot - soft) + soft
    } else {
        soft
    }
}

/// Rounds to floats with so many bits of fraction, 0 to 22: 7 for bf16. It rounds up or down with the
/// probability that keeps the mean, so that small updates of weights in bf16 are not lost. The gradient is 1,
/// as if nothing was rounded.
///
/// ```
/// use tensor_op::catalogue::random::stochastic_round;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::full([4096], 1.001_f32, &Device::default())?;
/// let y = stochastic_round(&x, 7, 1)?.to_vec::<f32>()?;
/// assert!(y.iter().all(|y| *y == 1.0 || *y == 1.0 + 1.0 / 128.0));
/// let mean = y.iter().sum::<f32>() / 4096.0;
/// assert!((mean - 1.001).abs() < 2e-4);
/// # Ok(())
/// # }
/// ```
#[tensor_op(burn = stochastic_round_burn, tests(skip = given_rule))]
#[grad(input = grad)]
pub fn stochastic_round(input: Tensor, #[default(7)] bits: i64, seed: Seed) -> Tensor {
    let unit = stop_grad(exp2(floor(log2(abs(input))) - cast(bits, float)));
    let rounded = stop_grad(floor(input / unit + uniform(seed, ..)) * unit);
    select(input == 0.0 || !is_finite(input), input, rounded)
}

/// Scaled dot-product attention whose weights are dropped with probability `p`. With masks, a scale or groups
/// of heads it is `attention::scaled_dot_product_attention`.
#[tensor_op(burn = attention_with_dropout_burn)]
pub fn attention_with_dropout(
    q: Tensor![.., t, d],
    k: Tensor![.., s, d],
    v: Tensor![.., s, e],
    #[default(0.1)] p: Fraction,
    seed: Seed,
) -> Tensor![.., t, e] {
    let weights = softmax(sum(q * k, d) / sqrt(len(d)), s);
    sum(dropout(weights, p, seed, (.., t, s)) * v, s)
}
