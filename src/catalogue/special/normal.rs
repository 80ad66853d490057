//! The normal distribution, and the inverse of the error function.

use crate::tensor_op;

/// The probability that a standard normal number is smaller. `torch.special.ndtr`.
#[tensor_op(method(inherent))]
pub fn ndtr(input: Tensor) -> Tensor {
    0.5 * erfc(-input / SQRT_2)
}

/// `log_ndtr` below -12 by its asymptotic series, whose error is less than that of f64. There `erfc` is still
/// a number in f32.
#[tensor_op(tests = false)]
pub(crate) fn log_ndtr_series(input: Tensor) -> Tensor {
    let x = select(input < -12.0, input, -12.0);
    let t = recip(x * x);
    let end = t * (-135135.0 + t * (2027025.0 + t * (-34459425.0 + t * 654729075.0)));
    let middle = t * (-945.0 + t * (10395.0 + end));
    let series = t * (-1.0 + t * (3.0 + t * (-15.0 + t * (105.0 + middle))));
    -0.5 * x * x - ln(-x) - 0.5 * ln(2.0 * PI) + log1p(series)
}

/// The logarithm of `ndtr`, also where `ndtr` itself is 0. `torch.special.log_ndtr`.
#[tensor_op(method(inherent))]
pub fn log_ndtr(input: Tensor) -> Tensor {
    let near = select(input < 0.0, select(input < -12.0, -12.0, input), 0.0);
    let lower = select(input < -12.0, self::log_ndtr_series(input), ln(0.5 * erfc(-near / SQRT_2)));
    select(input < 0.0, lower, log1p(-0.5 * erfc(select(input < 0.0, 0.0, input) / SQRT_2)))
}

/// The normal number of a probability `0.5 + q` up to 0.425 from a half, over `q`: algorithm AS 241 (Wichura
/// 1988), as are the two functions below.
#[tensor_op(tests = false)]
pub(crate) fn quantile_in_the_middle(q: Tensor) -> Tensor {
    let r = 0.180625 - q * q;
    let a = 45921.95393154987 + r * (67265.7709270087 + r * (33430.57558358813 + r * 2509.0809287301227));
    let b = 39307.89580009271 + r * (28729.085735721943 + r * 5226.495278852855);
    let over = 133.14166789178438 + r * (1971.5909503065513 + r * (13731.69376550946 + r * a));
    let under = 42.31333070160091
        + r * (687.1870074920579 + r * (5394.196021424751 + r * (21213.794301586597 + r * b)));
    (3.3871328727963665 + r * over) / (1.0 + r * under)
}

/// The normal number of a probability `1 - p`, by `r = sqrt(-ln(p)) - 1.6`, for `r` from -0.2 to 3.4.
#[tensor_op(tests = false)]
pub(crate) fn quantile_beside(r: Tensor) -> Tensor {
    let a = 1.2704582524523684
        + r * (0.2417807251774506 + r * (0.022723844989269184 + r * 0.0007745450142783414));
    let b = 0.015198666563616457 + r * (0.0005475938084995345 + r * 1.0507500716444169e-9);
    let over = 4.630337846156546 + r * (5.769497221460691 + r * (3.6478483247632045 + r * a));
    let under = 2.053191626637759
        + r * (1.6763848301838038 + r * (0.6897673349851 + r * (0.14810397642748008 + r * b)));
    (1.4234371107496835 + r * over) / (1.0 + r * under)
}

/// The same by `r = sqrt(-ln(p)) - 5`, from 0 on.
#[tensor_op(tests = false)]
pub(crate) fn quantile_far_out(r: Tensor) -> Tensor {
    let a = 0.29656057182850487
        + r * (0.026532189526576124
            + r * (0.0012426609473880784 + r * (0.000027115555687434876 + r * 2.0103343992922881e-7)));
    let b = 0.0007868691311456133
        + r * (0.000018463183175100548 + r * (1.421511758316446e-7 + r * 2.0442631033899397e-15));
    let over = 5.463784911164114 + r * (1.7848265399172913 + r * a);
    let under = 0.599832206555888 + r * (0.1369298809227358 + r * (0.014875361290850615 + r * b));
    (6.657904643501103 + r * over) / (1.0 + r * under)
}

/// The normal number of the probability `0.5 + q`, of which `tail` is the smaller one of it and its
/// complement.
#[tensor_op(tests = false)]
pub(crate) fn normal_quantile(q: Tensor, tail: Tensor) -> Tensor {
    let is_near = abs(q) <= 0.425;
    let r = minimum(sqrt(-ln(select(is_near, 0.075, tail))), 40.0);
    let out = select(r <= 5.0, self::quantile_beside(r - 1.6), self::quantile_far_out(r - 5.0));
    let far = select(tail == 0.0, INFINITY, out);
    select(is_near, q * self::quantile_in_the_middle(select(is_near, q, 0.0)), select(q < 0.0, -far, far))
}

/// The number that has this error function. `torch.special.erfinv`.
#[tensor_op(method(inherent))]
#[grad(input = grad * (0.5 * sqrt(PI)) * exp(out * out))]
pub fn erfinv(input: Tensor) -> Tensor {
    self::normal_quantile(0.5 * input, 0.5 * (1.0 - abs(input))) / SQRT_2
}

/// The standard normal number below which others are with this probability. `torch.special.ndtri`.
#[tensor_op]
#[grad(input = grad * sqrt(2.0 * PI) * exp(0.5 * out * out))]
pub fn ndtri(input: Tensor) -> Tensor {
    self::normal_quantile(input - 0.5, select(input < 0.5, input, 1.0 - input))
}
