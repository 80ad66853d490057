//! Gradient descent, Adam, Lion, Adagrad, Adafactor and Muon; averages, and gradients that are clipped.

use crate::tensor_op;

/// Stochastic gradient descent. `torch.optim.SGD` without momentum.
#[tensor_op]
#[no_grad]
pub fn sgd(
    param: Tensor,
    grad: Tensor,
    #[default(1e-3)] lr: f64,
    #[default(0.0)] weight_decay: f64,
) -> Tensor {
    param - lr * (grad + weight_decay * param)
}

/// Stochastic gradient descent with momentum. The second result is the buffer of the next step; before the
/// first one it is 0, and `dampening` too. `torch.optim.SGD`.
#[tensor_op]
#[no_grad]
pub fn sgd_momentum(
    param: Tensor,
    grad: Tensor,
    momentum_buffer: Tensor,
    #[default(1e-3)] lr: f64,
    #[default(0.9)] momentum: f64,
    #[default(0.0)] dampening: f64,
    #[default(0.0)] weight_decay: f64,
    #[default(false)] nesterov: bool,
) -> (Tensor, Tensor) {
    let g = grad + weight_decay * param;
    let next = momentum * momentum_buffer + (1.0 - dampening) * g;
    let direction = if nesterov { g + momentum * next } else { next };
    (param - lr * direction, next)
}

/// Adam, whose weight decay is apart from the gradient. `torch.optim.AdamW`.
///
/// Source: Loshchilov and Hutter, Decoupled Weight Decay Regularization, 2017.
#[tensor_op]
#[no_grad]
pub fn adamw(
    param: Tensor,
    grad: Tensor,
    exp_avg: Tensor,
    exp_avg_sq: Tensor,
    step: i64,
    #[default(1e-3)] lr: f64,
    #[default(0.1)] one_minus_beta1: f64,
    #[default(0.001)] one_minus_beta2: f64,
    #[default(1e-8)] eps: f64,
    #[default(1e-2)] weight_decay: f64,
) -> (Tensor, Tensor, Tensor) {
    let m = exp_avg + one_minus_beta1 * (grad - exp_avg);
    let v = (1.0 - one_minus_beta2) * exp_avg_sq + one_minus_beta2 * square(grad);
    // What is missing to the averages after this number of steps, without cancellation.
    let first = -expm1(cast(step, float) * log1p(-one_minus_beta1));
    let second = -expm1(cast(step, float) * log1p(-one_minus_beta2));
    let direction = m / first / (sqrt(v) / sqrt(second) + eps);
    (param * (1.0 - lr * weight_decay) - lr * direction, m, v)
}

/// Adam, whose weight decay is added to the gradient. `torch.optim.Adam`.
///
/// Source: Kingma and Ba, Adam: A Method for Stochastic Optimization, 2014.
#[tensor_op]
#[no_grad]
pub fn adam(
    param: Tensor,
    grad: Tensor,
    exp_avg: Tensor,
    exp_avg_sq: Tensor,
    step: i64,
    #[default(1e-3)] lr: f64,
    #[default(0.1)] one_minus_beta1: f64,
    #[default(0.001)] one_minus_beta2: f64,
    #[default(1e-8)] eps: f64,
    #[default(0.0)] weight_decay: f64,
) -> (Tensor, Tensor, Tensor) {
    let g = grad + weight_decay * param;
    let (next, m, v) =
        self::adamw(param, g, exp_avg, exp_avg_sq, step, lr, one_minus_beta1, one_minus_beta2, eps, 0.0);
    (next, m, v)
}

/// Lion: the sign of an average of gradients. The second result is the next average.
///
/// Source: Chen et al., Symbolic Discovery of Optimization Algorithms, 2023.
#[tensor_op]
#[no_grad]
pub fn lion(
    param: Tensor,
    grad: Tensor,
    exp_avg: Tensor,
    #[default(1e-4)] lr: f64,
    #[default(0.1)] one_minus_beta1: f64,
    #[default(0.01)] one_minus_beta2: f64,
    #[default(0.0)] weight_decay: f64,
) -> (Tensor, Tensor) {
    let direction = sign(exp_avg + one_minus_beta1 * (grad - exp_avg));
    let next = exp_avg + one_minus_beta2 * (grad - exp_avg);
    (param * (1.0 - lr * weight_decay) - lr * direction, next)
}

/// Gradients, divided by the root of the sum of all squares so far. `torch.optim.Adagrad`.
#[tensor_op]
#[no_grad]
pub fn adagrad(
    param: Tensor,
    grad: Tensor,
    state_sum: Tensor,
    #[default(1e-2)] lr: f64,
    #[default(1e-10)] eps: f64,
    #[default(0.0)] weight_decay: f64,
) -> (Tensor, Tensor) {
    let g = grad + weight_decay * param;
    let total = state_sum + square(g);
    (param - lr * g / (sqrt(total) + eps), total)
}

/// Adafactor for matrices: the averages of squares are kept for rows and for columns alone, and the step is
/// relative to the size of the parameter. `torch.optim.Adafactor`, where `eps1` is the distance from 1 to the
/// next number of the dtype, such as [`f32::EPSILON`].
///
/// Source: Shazeer and Stern, Adafactor: Adaptive Learning Rates with Sublinear Memory Cost, 2018.
#[tensor_op]
#[no_grad]
pub fn adafactor(
    param: Tensor![.., m, n],
    grad: Tensor![.., m, n],
    row_var: Tensor![.., m],
    col_var: Tensor![.., n],
    step: i64,
    eps1: f64,
    #[default(1e-2)] lr: f64,
    #[default(-0.8)] beta2_decay: f64,
    #[default(1e-3)] eps2: f64,
    #[default(1.0)] d: f64,
    #[default(0.0)] weight_decay: f64,
) -> (Tensor![.., m, n], Tensor![.., m], Tensor![.., n]) {
    let steps = cast(step, float);
    let share = pow(steps, beta2_decay);
    let rows = row_var + share * (mean(square(grad), n) - row_var);
    let cols = col_var + share * (mean(square(grad), m) - col_var);
    let estimate = rows * cols / maximum(mean(rows, m), eps1);
    let update = grad * rsqrt(maximum(estimate, eps1 * eps1));
    let alpha = maximum(eps2, sqrt(mean(mean(square(param), (m, n)), ..))) * minimum(lr, rsqrt(steps));
    let clipped = update / maximum(1.0, sqrt(mean(mean(square(update), (m, n)), ..)) / d);
    (param * (1.0 - lr * weight_decay) - alpha * clipped, rows, cols)
}

/// Adafactor for what has less than two axes: all squares have an average. `torch.optim.Adafactor`, with an
/// `eps1` as [`adafactor`] has it.
#[tensor_op]
#[no_grad]
pub fn adafactor_unfactored(
    param: Tensor,
    grad: Tensor,
    variance: Tensor,
    step: i64,
    eps1: f64,
    #[default(1e-2)] lr: f64,
    #[default(-0.8)] beta2_decay: f64,
    #[default(1e-3)] eps2: f64,
    #[default(1.0)] d: f64,
    #[default(0.0)] weight_decay: f64,
) -> (Tensor, Tensor) {
    let steps = cast(step, float);
    let v = variance + pow(steps, beta2_decay) * (square(grad) - variance);
    let update = grad * rsqrt(maximum(v, eps1 * eps1));
    let alpha = maximum(eps2, sqrt(mean(square(param), ..))) * minimum(lr, rsqrt(steps));
    let clipped = update / maximum(1.0, sqrt(mean(square(update), ..)) / d);
    (param * (1.0 - lr * weight_decay) - alpha * clipped, v)
}

/// A polynomial of a matrix, which brings its singular values nearer to 1.
#[tensor_op]
#[no_grad]
pub fn newton_schulz(x: Tensor![m, n]) -> Tensor![m, n] {
    let other = at(x, m = iota(k = len(m)));
    let gram = sum(x * other, n);
    let squared = sum(at(gram, k = iota(o = len(m))) * at(gram, m = o), o);
    3.4445 * x + sum((2.0315 * squared - 4.775 * gram) * other, k)
}

/// About the nearest matrix whose singular values are 1, by five steps of Newton and Schulz. Singular values
/// of the result are from 0.7 to 1.2.
///
/// Source: Jordan et al., Muon: An optimizer for hidden layers in neural networks, 2024.
#[tensor_op]
#[no_grad]
pub fn orthogonalize(x: Tensor![m, n]) -> Tensor![m, n] {
    let small = x / (norm(x, (m, n)) + 1e-7);
    let two = self::newton_schulz(self::newton_schulz(small));
    self::newton_schulz(self::newton_schulz(self::newton_schulz(two)))
}

/// Muon for a matrix: the step is the nearest matrix to the momentum whose singular values are about 1. The
/// second result is the buffer of the next step. `torch.optim.Muon`, with products in the dtype of the
/// parameter.
///
/// Source: Jordan et al., Muon: An optimizer for hidden layers in neural networks, 2024.
#[tensor_op]
#[no_grad]
pub fn muon(
    param: Tensor![m, n],
    grad: Tensor![m, n],
    momentum_buffer: Tensor![m, n],
    #[default(1e-3)] lr: f64,
    #[default(0.1)] weight_decay: f64,
    #[default(0.95)] momentum: f64,
    #[default(true)] nesterov: bool,
) -> (Tensor![m, n], Tensor![m, n]) {
    let next = momentum_buffer + (1.0 - momentum) * (grad - momentum_buffer);
    let direction = if nesterov { grad + momentum * (next - grad) } else { next };
    let ratio = maximum(1.0, cast(len(m), float) / cast(len(n), float));
    (param * (1.0 - lr * weight_decay) - lr * sqrt(ratio) * self::orthogonalize(direction), next)
}

/// A running average: `one_minus_decay` of the new value, and the rest of the average. With 0 it stays.
#[tensor_op]
#[no_grad]
pub fn ema(average: Tensor, value: Tensor, #[default(0.001)] one_minus_decay: f64) -> Tensor {
    average + one_minus_decay * (value - average)
}

/// The gradient, made smaller so that all gradients together have the norm `max_norm` if their norm `total`
/// is larger. `torch.nn.utils.clip_grads_with_norm_`.
#[tensor_op]
#[no_grad]
pub fn clip_to_norm(grad: Tensor, total: Tensor, max_norm: f64) -> Tensor {
    grad * minimum(1.0, max_norm / (total + 1e-6))
}
