//! Optimizers that divide by averages of squares or by extremes: variants of Adam, RMSprop and Adadelta.

use crate::tensor_op;

/// [`adamw`](super::adamw) that divides by the largest average of squares so far, the last state. It is not
/// corrected before it is compared. `torch.optim.AdamW(amsgrad=True)`.
///
/// Source: Reddi et al., On the Convergence of Adam and Beyond, 2018.
#[tensor_op]
#[no_grad]
pub fn adamw_amsgrad(
    param: Tensor,
    grad: Tensor,
    exp_avg: Tensor,
    exp_avg_sq: Tensor,
    max_exp_avg_sq: Tensor,
    step: i64,
    #[default(1e-3)] lr: f64,
    #[default(0.1)] one_minus_beta1: f64,
    #[default(0.001)] one_minus_beta2: f64,
    #[default(1e-8)] eps: f64,
    #[default(1e-2)] weight_decay: f64,
) -> (Tensor, Tensor, Tensor, Tensor) {
    let m = exp_avg + one_minus_beta1 * (grad - exp_avg);
    let v = (1.0 - one_minus_beta2) * exp_avg_sq + one_minus_beta2 * square(grad);
    let largest = maximum(max_exp_avg_sq, v);
    let first = -expm1(cast(step, float) * log1p(-one_minus_beta1));
    let second = -expm1(cast(step, float) * log1p(-one_minus_beta2));
    let direction = m / first / (sqrt(largest) / sqrt(second) + eps);
    (param * (1.0 - lr * weight_decay) - lr * direction, m, v, largest)
}

/// [`adam`](super::adam) that divides by the largest average of squares so far, the last state.
/// `torch.optim.Adam(amsgrad=True)`.
///
/// Source: Reddi et al., On the Convergence of Adam and Beyond, 2018.
#[tensor_op]
#[no_grad]
pub fn adam_amsgrad(
    param: Tensor,
    grad: Tensor,
    exp_avg: Tensor,
    exp_avg_sq: Tensor,
    max_exp_avg_sq: Tensor,
    step: i64,
    #[default(1e-3)] lr: f64,
    #[default(0.1)] one_minus_beta1: f64,
    #[default(0.001)] one_minus_beta2: f64,
    #[default(1e-8)] eps: f64,
    #[default(0.0)] weight_decay: f64,
) -> (Tensor, Tensor, Tensor, Tensor) {
    let g = grad + weight_decay * param;
    let (next, m, v, largest) = self::adamw_amsgrad(
        param,
        g,
        exp_avg,
        exp_avg_sq,
        max_exp_avg_sq,
        step,
        lr,
        one_minus_beta1,
        one_minus_beta2,
        eps,
        0.0,
    );
    (next, m, v, largest)
}

/// Adam with the largest gradient in the place of the root of the average of squares. `torch.optim.Adamax`.
///
/// Source: Kingma and Ba, Adam: A Method for Stochastic Optimization, 2014.
#[tensor_op]
#[no_grad]
pub fn adamax(
    param: Tensor,
    grad: Tensor,
    exp_avg: Tensor,
    exp_inf: Tensor,
    step: i64,
    #[default(2e-3)] lr: f64,
    #[default(0.1)] one_minus_beta1: f64,
    #[default(0.001)] one_minus_beta2: f64,
    #[default(1e-8)] eps: f64,
    #[default(0.0)] weight_decay: f64,
) -> (Tensor, Tensor, Tensor) {
    let g = grad + weight_decay * param;
    let m = exp_avg + one_minus_beta1 * (g - exp_avg);
    let largest = maximum((1.0 - one_minus_beta2) * exp_inf, abs(g) + eps);
    let missing = -expm1(cast(step, float) * log1p(-one_minus_beta1));
    (param - lr / missing * m / largest, m, largest)
}

/// Adam with Nesterov's momentum, which grows with the steps. The last state is the logarithm of the product
/// of all momentums, 0 before the first step. `torch.optim.NAdam`.
///
/// Source: Dozat, Incorporating Nesterov Momentum into Adam, 2016.
#[tensor_op]
#[no_grad]
pub fn nadam(
    param: Tensor,
    grad: Tensor,
    exp_avg: Tensor,
    exp_avg_sq: Tensor,
    log_mu_product: Tensor![],
    step: i64,
    #[default(2e-3)] lr: f64,
    #[default(0.1)] one_minus_beta1: f64,
    #[default(0.001)] one_minus_beta2: f64,
    #[default(1e-8)] eps: f64,
    #[default(0.0)] weight_decay: f64,
    #[default(4e-3)] momentum_decay: f64,
) -> (Tensor, Tensor, Tensor, Tensor![]) {
    let g = grad + weight_decay * param;
    let m = exp_avg + one_minus_beta1 * (g - exp_avg);
    let v = (1.0 - one_minus_beta2) * exp_avg_sq + one_minus_beta2 * square(g);
    let steps = cast(step, float);
    let mu = (1.0 - one_minus_beta1) * (1.0 - 0.5 * pow(0.96, steps * momentum_decay));
    let next = (1.0 - one_minus_beta1) * (1.0 - 0.5 * pow(0.96, (steps + 1.0) * momentum_decay));
    let product = log_mu_product + ln(mu);
    let second = -expm1(steps * log1p(-one_minus_beta2));
    let direction = g * ((1.0 - mu) / -expm1(product)) + m * (next / -expm1(product + ln(next)));
    (param - lr * direction / (sqrt(v) / sqrt(second) + eps), m, v, product)
}

/// Adam whose step is corrected for the variance of its average of squares, which is large in the first
/// steps. `rectification` is `sqrt((r - 4) (r - 2) R / ((R - 4) (R - 2) r))` with `R = 2 / (1 - beta2) - 1`
/// and `r = R - 2 step beta2^step / (1 - beta2^step)`; it is 0 where `r` is 5 or less, and the step is that
/// of the momentum alone. `torch.optim.RAdam`.
///
/// Source: Liu et al., On the Variance of the Adaptive Learning Rate and Beyond, 2019.
#[tensor_op]
#[no_grad]
pub fn radam(
    param: Tensor,
    grad: Tensor,
    exp_avg: Tensor,
    exp_avg_sq: Tensor,
    step: i64,
    rectification: f64,
    #[default(1e-3)] lr: f64,
    #[default(0.1)] one_minus_beta1: f64,
    #[default(0.001)] one_minus_beta2: f64,
    #[default(1e-8)] eps: f64,
    #[default(0.0)] weight_decay: f64,
) -> (Tensor, Tensor, Tensor) {
    let g = grad + weight_decay * param;
    let m = exp_avg + one_minus_beta1 * (g - exp_avg);
    let v = (1.0 - one_minus_beta2) * exp_avg_sq + one_minus_beta2 * square(g);
    let first = -expm1(cast(step, float) * log1p(-one_minus_beta1));
    let second = -expm1(cast(step, float) * log1p(-one_minus_beta2));
    let factor = select(rectification > 0.0, rectification * sqrt(second) / (sqrt(v) + eps), 1.0);
    (param - lr * (m / first) * factor, m, v)
}

/// Adam whose direction is made as long as the parameter, for large batches. Where one of the two has the
/// length 0, it stays as it is.
///
/// Source: You et al., Large Batch Optimization for Deep Learning: Training BERT in 76 minutes, 2019.
#[tensor_op]
#[no_grad]
pub fn lamb(
    param: Tensor,
    grad: Tensor,
    exp_avg: Tensor,
    exp_avg_sq: Tensor,
    step: i64,
    #[default(1e-3)] lr: f64,
    #[default(0.1)] one_minus_beta1: f64,
    #[default(0.001)] one_minus_beta2: f64,
    #[default(1e-6)] eps: f64,
    #[default(1e-2)] weight_decay: f64,
) -> (Tensor, Tensor, Tensor) {
    let m = exp_avg + one_minus_beta1 * (grad - exp_avg);
    let v = (1.0 - one_minus_beta2) * exp_avg_sq + one_minus_beta2 * square(grad);
    let first = -expm1(cast(step, float) * log1p(-one_minus_beta1));
    let second = -expm1(cast(step, float) * log1p(-one_minus_beta2));
    let direction = m / first / (sqrt(v) / sqrt(second) + eps) + weight_decay * param;
    let own = sqrt(sum(square(param), ..));
    let length = sqrt(sum(square(direction), ..));
    let has_both = own > 0.0 && length > 0.0;
    let trust = select(has_both, own / select(has_both, length, 1.0), 1.0);
    (param - lr * trust * direction, m, v)
}

/// Gradients by the root of an average of their squares, times that of the steps so far. The last state is
/// the average of the squares of the steps. `torch.optim.Adadelta`.
///
/// Source: Zeiler, ADADELTA: An Adaptive Learning Rate Method, 2012.
#[tensor_op]
#[no_grad]
pub fn adadelta(
    param: Tensor,
    grad: Tensor,
    square_avg: Tensor,
    acc_delta: Tensor,
    #[default(1.0)] lr: f64,
    #[default(0.1)] one_minus_rho: f64,
    #[default(1e-6)] eps: f64,
    #[default(0.0)] weight_decay: f64,
) -> (Tensor, Tensor, Tensor) {
    let g = grad + weight_decay * param;
    let v = (1.0 - one_minus_rho) * square_avg + one_minus_rho * square(g);
    let delta = sqrt(acc_delta + eps) / sqrt(v + eps) * g;
    let steps = (1.0 - one_minus_rho) * acc_delta + one_minus_rho * square(delta);
    (param - lr * delta, v, steps)
}

/// Gradients, divided by the root of an average of their squares. `torch.optim.RMSprop` without momentum.
#[tensor_op]
#[no_grad]
pub fn rmsprop(
    param: Tensor,
    grad: Tensor,
    square_avg: Tensor,
    #[default(1e-2)] lr: f64,
    #[default(0.01)] one_minus_alpha: f64,
    #[default(1e-8)] eps: f64,
    #[default(0.0)] weight_decay: f64,
) -> (Tensor, Tensor) {
    let g = grad + weight_decay * param;
    let v = (1.0 - one_minus_alpha) * square_avg + one_minus_alpha * square(g);
    (param - lr * g / (sqrt(v) + eps), v)
}

/// [`rmsprop`] with momentum, whose buffer is the last state. `torch.optim.RMSprop`.
#[tensor_op]
#[no_grad]
pub fn rmsprop_momentum(
    param: Tensor,
    grad: Tensor,
    square_avg: Tensor,
    momentum_buffer: Tensor,
    #[default(1e-2)] lr: f64,
    #[default(0.01)] one_minus_alpha: f64,
    #[default(1e-8)] eps: f64,
    #[default(0.0)] weight_decay: f64,
    #[default(0.0)] momentum: f64,
) -> (Tensor, Tensor, Tensor) {
    let g = grad + weight_decay * param;
    let v = (1.0 - one_minus_alpha) * square_avg + one_minus_alpha * square(g);
    let next = momentum * momentum_buffer + g / (sqrt(v) + eps);
    (param - lr * next, v, next)
}

/// [`rmsprop_momentum`] that divides by an estimate of the standard deviation: the square of an average of
/// the gradients, the second state, is subtracted from that of their squares.
/// `torch.optim.RMSprop(centered=True)`.
///
/// Source: Graves, Generating Sequences With Recurrent Neural Networks, 2013.
#[tensor_op]
#[no_grad]
pub fn rmsprop_centered(
    param: Tensor,
    grad: Tensor,
    square_avg: Tensor,
    grad_avg: Tensor,
    momentum_buffer: Tensor,
    #[default(1e-2)] lr: f64,
    #[default(0.01)] one_minus_alpha: f64,
    #[default(1e-8)] eps: f64,
    #[default(0.0)] weight_decay: f64,
    #[default(0.0)] momentum: f64,
) -> (Tensor, Tensor, Tensor, Tensor) {
    let g = grad + weight_decay * param;
    let v = (1.0 - one_minus_alpha) * square_avg + one_minus_alpha * square(g);
    let m = grad_avg + one_minus_alpha * (g - grad_avg);
    let next = momentum * momentum_buffer + g / (sqrt(v - square(m)) + eps);
    (param - lr * next, v, m, next)
}
