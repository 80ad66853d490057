//! The gamma function, its derivatives, and the zeta function.

use crate::{Result, Tensor, tensor_op};

/// What Euler and Maclaurin add to a sum that stops at `w`, over its next term `w^-x`, without the integral.
/// Cephes uses as many terms.
#[tensor_op(tests = false)]
pub(crate) fn rest_of_zeta(x: Tensor, w: Tensor) -> Tensor {
    // Where x is larger, the term itself is nothing.
    let s = minimum(x, 6.0 * w);
    let u = recip(w * w);
    let l = (s + 21.0) * (s + 22.0) * u / -7.166165256175667e18;
    let k = (s + 19.0) * (s + 20.0) * u * (1.0 / 1.8152105401943547e17 + l);
    let j = (s + 17.0) * (s + 18.0) * u * (k - 1.0 / 4.597978722407473e15);
    let i = (s + 15.0) * (s + 16.0) * u * (1.0 / 1.1646782814350067e14 + j);
    let h = (s + 13.0) * (s + 14.0) * u * (i - 1.0 / 2.950130727918164e12);
    let g = (s + 11.0) * (s + 12.0) * u * (1.0 / 74724249600.0 + h);
    let f = (s + 9.0) * (s + 10.0) * u * (g - 1.0 / 1892437580.3183792);
    let e = (s + 7.0) * (s + 8.0) * u * (1.0 / 47900160.0 + f);
    let d = (s + 5.0) * (s + 6.0) * u * (e - 1.0 / 1209600.0);
    let c = (s + 3.0) * (s + 4.0) * u * (1.0 / 30240.0 + d);
    let b = (s + 1.0) * (s + 2.0) * u * (c - 1.0 / 720.0);
    0.5 + s / w * (1.0 / 12.0 + b)
}

/// `zeta` by the formula of Euler and Maclaurin after ten terms, for `x` above 1 and `q` above 0.
#[tensor_op(tests = false)]
pub(crate) fn zeta_sum(x: Tensor, q: Tensor) -> Tensor {
    let first = pow(q, -x) + pow(q + 1.0, -x) + pow(q + 2.0, -x) + pow(q + 3.0, -x) + pow(q + 4.0, -x);
    let then = pow(q + 5.0, -x) + pow(q + 6.0, -x) + pow(q + 7.0, -x) + pow(q + 8.0, -x) + pow(q + 9.0, -x);
    let w = q + 10.0;
    let integral = pow(w, 1.0 - x);
    first + (then + (integral / (x - 1.0) + integral / w * self::rest_of_zeta(x, w)))
}

/// The zeta function of Hurwitz: the sum of `(other + k)^-input` over the whole numbers `k` from 0.
/// `torch.special.zeta`, which also has numbers where `other` is negative; here they are NaN.
///
/// ```
/// use tensor_op::{catalogue::special::zeta, prelude::*};
///
/// # fn main() -> Result<()> {
/// let [two, one] = [2.0, 1.0].map(|x| Tensor::from_vec(vec![x], [1], &Device::default()));
/// let basel = std::f64::consts::PI.powi(2) / 6.0;
/// assert!((zeta(two?, one?)?.item::<f64>()? - basel).abs() < 1e-14);
/// # Ok(())
/// # }
/// ```
#[tensor_op]
pub fn zeta(input: Tensor, other: Tensor) -> Tensor {
    let is_inside = (input > 1.0) & (other > 0.0);
    let sum = self::zeta_sum(select(is_inside, input, 2.0), select(is_inside, other, 1.0));
    let is_whole = floor(stop_grad(other)) == other;
    let is_pole = (input == 1.0) | ((input > 1.0) & (other <= 0.0) & is_whole);
    select(is_inside, sum, select(is_pole, INFINITY, NAN))
}

/// The second derivative of `lgamma`. `torch.polygamma(1, x)`.
#[tensor_op(method(inherent))]
#[grad(input = grad * -2.0 * (self::zeta(3.0, select(input > 0.0, input, 1.0 - input)) + reflected))]
pub fn trigamma(input: Tensor) -> Tensor {
    // The sine and the cosine of PI * x, with all digits far from 0 too.
    let rest = PI * (input - stop_grad(round(input)));
    let reflected = select(input > 0.0, 0.0, cos(rest) * cube(PI / sin(rest)));
    trigamma(input)
}

/// The derivative of `lgamma`. `torch.digamma`.
#[tensor_op(method(inherent))]
#[grad(input = grad * self::trigamma(input))]
pub fn digamma(input: Tensor) -> Tensor {
    digamma(input)
}

/// The logarithm of the absolute value of the gamma function. `torch.lgamma`.
#[tensor_op(method(inherent))]
#[grad(input = grad * self::digamma(input))]
pub fn lgamma(input: Tensor) -> Tensor {
    lgamma(input)
}

/// The derivative of this order of `digamma`, which itself is the order 0. `torch.polygamma`, which from
/// order 1 on also has numbers where `input` is negative; here they are NaN.
///
/// ```
/// use tensor_op::{catalogue::special::polygamma, prelude::*};
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![1.0], [1], &Device::default())?;
/// let apery = 1.2020569031595942;
/// assert!((polygamma(2, &x)?.item::<f64>()? + 2.0 * apery).abs() < 1e-14);
/// # Ok(())
/// # }
/// ```
#[tensor_op]
pub fn polygamma(n: i64, input: Tensor) -> Tensor {
    let order = cast(n, float);
    let sign = select(n % 2 == 0, -1.0, 1.0);
    let large = sign * exp(lgamma(order + 1.0)) * self::zeta(order + 1.0, input);
    select(n == 0, self::digamma(input), large)
}

impl Tensor {
    /// [`catalogue::special::polygamma`](polygamma) as a method. `torch.Tensor.polygamma`.
    pub fn polygamma(&self, n: i64) -> Result<Tensor> {
        self::polygamma(n, self)
    }
}
