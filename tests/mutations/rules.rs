//! Faults of given gradients: signs, terms, sums, ties, kinks, singular points.

use crate::family::{Family, rules};

pub(crate) fn families() -> Vec<Family> {
    vec![scaled(), biased(), product(), sigmoid(), softmax(), gelu(), power(), relu(), absolute(), greater()]
        .into_iter()
        .chain([largest(), cosine(), factor(), length(), results(), logarithm(), mean(), distant(), beyond()])
        .collect()
}

fn scaled() -> Family {
    rules!(
        [(x: Tensor, #[default(2.0)] a: f64) -> Tensor { a * x * x }],
        right => [x = 2.0 * a * x * grad],
        "wrong sign" => [x = -2.0 * a * x * grad],
        "a factor is missing" => [x = a * x * grad],
        "right for the default of a scalar alone" => [x = 4.0 * x * grad],
    )
}

fn distant() -> Family {
    rules!(
        [(x: Tensor, y: Tensor) -> Tensor { ln(x * y - 300.0) }],
        right => [x = grad * y / (x * y - 300.0), y = grad * x / (x * y - 300.0)],
        "a domain far away is not looked at" => [x = grad / x, y = grad * x / (x * y - 300.0)],
    )
}

fn beyond() -> Family {
    rules!(
        [(x: Tensor) -> Tensor { select(x > 37.5, x * x, x) }],
        right => [x = select(x > 37.5, 2.0 * x * grad, grad)],
        "right on one side of a threshold far away" => [x = grad],
    )
}

fn biased() -> Family {
    rules!(
        [(x: Tensor![m, n], b: Tensor![n]) -> Tensor![m, n] { x + b }],
        right => [x = grad, b = sum(grad, m)],
        "a broadcast gradient is not summed: the first row is taken" => [x = grad, b = at(grad, m = 0)],
        "a broadcast gradient is averaged" => [x = grad, b = mean(grad, m)],
    )
}

fn product() -> Family {
    rules!(
        [(x: Tensor![n], y: Tensor![n]) -> Tensor![n] { x * y }],
        right => [x = grad * y, y = grad * x],
        "gradients of two inputs change places" => [x = grad * x, y = grad * y],
        "an input that shares in the result has no gradient" => [x = grad * y, y = 0.0 * grad],
    )
}

fn sigmoid() -> Family {
    rules!(
        [(x: Tensor) -> Tensor { sigmoid(x) }],
        right => [x = grad * out * (1.0 - out)],
        "of the argument instead of the result" => [x = grad * x * (1.0 - x)],
    )
}

fn softmax() -> Family {
    rules!(
        [(x: Tensor![.., n]) -> Tensor![.., n] { softmax(x, n) }],
        right => [x = out * (grad - sum(grad * out, n))],
        "softmax without the sum over its row" => [x = out * grad * (1.0 - out)],
    )
}

fn gelu() -> Family {
    rules!(
        [(x: Tensor) -> Tensor { gelu(x) }],
        right => [x = grad * (0.5 * erfc(-x / SQRT_2) + x * exp(-0.5 * x * x) / sqrt(2.0 * PI))],
        "the gradient of the tanh form for the erf form" => [x = grad * (
            0.5 * (1.0 + tanh(sqrt(2.0 / PI) * (x + 0.044715 * x * x * x)))
                + 0.5 * x * (1.0 - square(tanh(sqrt(2.0 / PI) * (x + 0.044715 * x * x * x)))) * sqrt(2.0 / PI) * (1.0 + 3.0 * 0.044715 * x * x)
        )],
    )
}

fn power() -> Family {
    rules!(
        [(x: Tensor, p: Tensor) -> Tensor { pow(x, p) }],
        right => [
            x = select(p == 0.0, 0.0, grad * p * pow(x, p - 1.0)),
            p = select((x == 0.0) & (p >= 0.0), 0.0, grad * out * ln(x)),
        ],
        "pow at base 0 is NaN: by the result over the base" => [
            x = grad * p * out / x,
            p = select((x == 0.0) & (p >= 0.0), 0.0, grad * out * ln(x)),
        ],
        "pow at base 0 is NaN: by the logarithm of the base" => [
            x = select(p == 0.0, 0.0, grad * p * pow(x, p - 1.0)),
            p = grad * out * ln(x),
        ],
        "pow at exponent 0 is NaN: 0 times infinity" => [
            x = grad * p * pow(x, p - 1.0),
            p = select((x == 0.0) & (p >= 0.0), 0.0, grad * out * ln(x)),
        ],
    )
}

fn relu() -> Family {
    rules!(
        [(x: Tensor) -> Tensor { relu(x) }],
        right => [x = select(x <= 0.0, 0.0, grad)],
        "relu has gradient 1 at 0" => [x = select(x < 0.0, 0.0, grad)],
    )
}

fn absolute() -> Family {
    rules!(
        [(x: Tensor) -> Tensor { abs(x) }],
        right => [x = grad * stop_grad(sign(x))],
        "the absolute value has gradient 1 at 0" => [x = select(x < 0.0, -grad, grad)],
    )
}

fn greater() -> Family {
    rules!(
        [(x: Tensor, y: Tensor) -> Tensor { maximum(x, y) }],
        right => [
            x = select(x < y, 0.0, select(x == y, 0.5 * grad, grad)),
            y = select(y < x, 0.0, select(x == y, 0.5 * grad, grad)),
        ],
        "at a tie both of two have the whole gradient" => [x = select(x < y, 0.0, grad), y = select(y < x, 0.0, grad)],
        "at a tie the first of two has the gradient" => [x = select(x < y, 0.0, grad), y = select(y <= x, 0.0, grad)],
    )
}

fn largest() -> Family {
    rules!(
        [(x: Tensor![m, n]) -> Tensor![m] { max(x, n) }],
        right => [x = grad * cast(x == out, float) / sum(cast(x == out, float), n)],
        "the gradient of a maximum goes to the first of ties" => [x = grad * cast(iota(n) == argmax(x, n), float)],
        "the gradient of a maximum goes to each of ties" => [x = grad * cast(x == out, float)],
    )
}

/// The op has a rule for one of two inputs. So a second gradient uses the rule on the way to one input, and
/// the formula on the way to the other.
fn cosine() -> Family {
    rules!(
        [(x: Tensor![m, n], y: Tensor![n]) -> Tensor![m] { sum(x * y, n) / (norm(x, n) * norm(y, n)) }],
        right => [x = grad * (y / (norm(x, n) * norm(y, n)) - out * x / sum(x * x, n))],
        "cosine similarity without the term of the norm" => [x = grad * y / (norm(x, n) * norm(y, n))],
        "the term of the norm with the wrong sign" => [x = grad * (y / (norm(x, n) * norm(y, n)) + out * x / sum(x * x, n))],
    )
}

fn factor() -> Family {
    rules!(
        [(x: Tensor, y: Tensor, z: Tensor) -> Tensor { x * y * z }],
        right => [x = grad * y * z, y = grad * x * z, z = grad * x * y],
        "the other factors as the product over each: NaN at 0" => [x = grad * out / x, y = grad * out / y, z = grad * out / z],
    )
}

fn length() -> Family {
    rules!(
        [(x: Tensor![m, n]) -> Tensor![m] { norm(x, n) }],
        right => [x = x * select(out == 0.0, 0.0, grad / out)],
        "a norm of 0 gives NaN" => [x = x * grad / out],
    )
}

fn results() -> Family {
    rules!(
        [(x: Tensor![n], y: Tensor![n]) -> (Tensor![n], Tensor![n]) { (x * y, x - y) }],
        right => [x = grad0 * y + grad1, y = grad0 * x - grad1],
        "the gradient of the second result is forgotten" => [x = grad0 * y, y = grad0 * x],
        "gradients of two results change places" => [x = grad1 * y + grad0, y = grad1 * x - grad0],
    )
}

fn logarithm() -> Family {
    rules!(
        [(x: Tensor, y: Tensor) -> Tensor { logaddexp(x, y) }],
        right => [x = grad / (1.0 + exp(y - x)), y = grad / (1.0 + exp(x - y))],
        "a gradient that overflows where the result does not" => [
            x = grad * exp(x) / (exp(x) + exp(y)),
            y = grad * exp(y) / (exp(x) + exp(y)),
        ],
    )
}

fn mean() -> Family {
    rules!(
        [(x: Tensor![m, n]) -> Tensor![m] { mean(x, n) }],
        right => [x = grad / len(n)],
        "a mean is not divided" => [x = grad],
        "a mean is divided by the number of all elements" => [x = grad / len((m, n))],
    )
}
