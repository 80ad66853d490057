//! Bessel functions of the orders 0 and 1.
//!
//! Up to 8 they are polynomials in the square of the number. Beyond it, polynomials in its inverse are
//! factors of an exponential, or of waves. `tests/reference/polynomials.py` has found their coefficients.

use crate::tensor_op;

/// `i0(x)` up to 8, by `z = (x / 8)^2`.
#[tensor_op(tests = false)]
pub(crate) fn i0_near(z: Tensor) -> Tensor {
    let f = 5.696205015915318e-07 + z * 6.724647438974731e-08;
    let e = 0.0012272410954292416 + z * (0.00011573685326059418 + z * (9.734680328042324e-06 + z * f));
    let d = 0.5218596128086054 + z * (0.08349779207592864 + z * (0.01104061463351663 + z * e));
    let c = 32.36345679180165 + z * (10.567659350732956 + z * (2.641914877116492 + z * d));
    let b = 113.7777777777769 + z * (113.77777777779512 + z * (72.81777777756758 + z * c));
    1.0 + z * (16.0 + z * (64.00000000000003 + z * b))
}

/// `i0(x) sqrt(x) exp(-x)` from 8 on, by `t = 1 - 16 / x`.
#[tensor_op(tests = false)]
pub(crate) fn i0_far(t: Tensor) -> Tensor {
    let h = -1.7698085539456536e-10 + t * (9.114760157514253e-11 + t * 2.4421972688131832e-11);
    let g = 2.163681278413876e-09 + t * (6.327909921997027e-10 + t * (-6.494591114401118e-10 + t * h));
    let f = 3.5862834111582305e-09 + t * (-4.5305710768621196e-09 + t * (-1.6084886155781772e-09 + t * g));
    let e = -5.0175940345046716e-09 + t * (-7.600254486433509e-09 + t * (6.522264862032271e-09 + t * f));
    let d = -7.559364098665437e-09 + t * (-6.856484545962442e-09 + t * (1.3427511481900905e-08 + t * e));
    let c = 8.872014585661555e-08 + t * (-3.932512321137824e-08 + t * (2.156780676115673e-08 + t * d));
    let b = -1.114303378845176e-05 + t * (1.4838476780922646e-06 + t * (-2.9735992084667734e-07 + t * c));
    0.4021765094450081 + t * (-0.0033605519836678913 + t * (0.00013621607438951463 + t * b))
}

/// `i1(x) / x` up to 8, by `z = (x / 8)^2`.
#[tensor_op(tests = false)]
pub(crate) fn i1_near(z: Tensor) -> Tensor {
    let e = 4.702045776508105e-05
        + z * (4.258218308697699e-06 + z * (2.6708907583888234e-07 + z * 3.3628710362055296e-08));
    let d = 0.0260930552713665 + z * (0.003795216871640217 + z * (0.00046021089730640665 + z * e));
    let c = 2.311675483334834 + z * (0.6604787180706964 + z * (0.14677301894704145 + z * d));
    let b = 14.2222222222235 + z * (11.377777777755261 + z * (6.068148148387877 + z * c));
    0.5 + z * (4.000000000000001 + z * (10.666666666666629 + z * b))
}

/// `i1(x) sqrt(x) exp(-x)` from 8 on, by `t = 1 - 16 / x`.
#[tensor_op(tests = false)]
pub(crate) fn i1_far(t: Tensor) -> Tensor {
    let h = 1.6283264322621244e-10 + t * (-9.491890392992048e-11 + t * -2.2421768596847442e-11);
    let g = -2.2624401109204446e-09 + t * (-5.870664618471487e-10 + t * (6.7727478454462e-10 + t * h));
    let f = -3.501765193290176e-09 + t * (4.763780078020254e-09 + t * (1.5218214060680734e-09 + t * g));
    let e = 5.5720183980930355e-09 + t * (7.687251308765992e-09 + t * (-6.9444186339873875e-09 + t * f));
    let d = 8.432168972932417e-09 + t * (6.84757829926934e-09 + t * (-1.4051746928735543e-08 + t * e));
    let c = -1.0001075046243961e-07 + t * (4.3128498031006734e-08 + t * (-2.3394122958362557e-08 + t * d));
    let b = 1.5038547198221758e-05 + t * (-1.8349102493990178e-06 + t * (3.4838563464253135e-07 + t * c));
    0.38939845902587233 + t * (0.009749577193235765 + t * (-0.00021923576383137776 + t * b))
}

/// The modified Bessel function of the first kind and of order 1. `torch.special.i1`, which is NaN for
/// infinities.
#[tensor_op]
pub fn i1(input: Tensor) -> Tensor {
    let size = abs(input);
    let near = select(size > 8.0, 0.0, input);
    // Far below the exponential that overflows, and above the largest result.
    let far = clamp(size, 8.0, 1500.0);
    let root = exp(0.5 * far);
    let large = root * (root * (self::i1_far(1.0 - 16.0 / far) / sqrt(far)));
    select(size > 8.0, select(input < 0.0, -large, large), near * self::i1_near(square(near / 8.0)))
}

/// The modified Bessel function of the first kind and of order 0. `torch.special.i0`, which is NaN for
/// infinities.
#[tensor_op(method(inherent))]
#[grad(input = grad * self::i1(input))]
pub fn i0(input: Tensor) -> Tensor {
    let size = abs(input);
    let near = select(size > 8.0, 0.0, input);
    let far = clamp(size, 8.0, 1500.0);
    let root = exp(0.5 * far);
    let large = root * (root * (self::i0_far(1.0 - 16.0 / far) / sqrt(far)));
    select(size > 8.0, large, self::i0_near(square(near / 8.0)))
}

/// `i0(x) exp(-|x|)`. `torch.special.i0e`.
#[tensor_op]
pub fn i0e(input: Tensor) -> Tensor {
    let size = abs(input);
    let near = select(size > 8.0, 0.0, input);
    let far = select(size > 8.0, size, 8.0);
    let small = exp(-abs(near)) * self::i0_near(square(near / 8.0));
    select(size > 8.0, self::i0_far(1.0 - 16.0 / far) / sqrt(far), small)
}

/// `i1(x) exp(-|x|)`. `torch.special.i1e`.
#[tensor_op]
pub fn i1e(input: Tensor) -> Tensor {
    let size = abs(input);
    let near = select(size > 8.0, 0.0, input);
    let far = select(size > 8.0, size, 8.0);
    let large = self::i1_far(1.0 - 16.0 / far) / sqrt(far);
    let small = exp(-abs(near)) * near * self::i1_near(square(near / 8.0));
    select(size > 8.0, select(input < 0.0, -large, large), small)
}

/// `(bessel_j0(x) - 1) / x^2` up to 8, by `t = x^2 / 32 - 1`.
#[tensor_op(tests = false)]
pub(crate) fn j0_near(t: Tensor) -> Tensor {
    let f = 1.2874303099713081e-14 + t * -3.647913370167952e-16;
    let e = -2.582671977464664e-10 + t * (1.0910638220922547e-11 + t * (-3.99855543214206e-13 + t * f));
    let d = 1.2924616450080223e-06 + t * (-9.017421199739443e-08 + t * (5.2445512783031245e-09 + t * e));
    let c = -0.0010317406967226283 + t * (0.00014196824013296404 + t * (-1.5153271722313866e-05 + t * d));
    let b = 0.053901626807923125 + t * (-0.02145226864718184 + t * (0.0055938922144599 + t * c));
    -0.02981782297313082 + t * (0.058889736951126356 + t * (-0.07915440204760084 + t * b))
}

/// `bessel_j1(x) / x` up to 8, by `t = x^2 / 32 - 1`.
#[tensor_op(tests = false)]
pub(crate) fn j1_near(t: Tensor) -> Tensor {
    let f = -4.004572738786147e-13 + t * 1.2093613396338289e-14;
    let e = 6.431268785753088e-09 + t * (-2.943013798390916e-10 + t * (1.1610597914042965e-11 + t * f));
    let d = -2.4045748659686983e-05 + t * (1.8684525372057272e-06 + t * (-1.1967081867872172e-07 + t * e));
    let c = 0.012456814392255438 + t * (-0.0020290394945705996 + t * (0.00024949458139090494 + t * d));
    let b = -0.2595948652859303 + t * (0.15858376432721938 + t * (-0.05474581821284722 + t * c));
    -0.05814382795599107 + t * (0.08105866038589796 + t * (0.15151665143806634 + t * b))
}

/// Of `bessel_j0(x) sqrt(pi x / 2)` from 8 on, the factor of `cos(x - pi / 4)`, by `z = (8 / x)^2`.
#[tensor_op(tests = false)]
pub(crate) fn j0_cos(z: Tensor) -> Tensor {
    let d = -8.31251965044764e-09
        + z * (3.589369421372812e-09 + z * (-1.0029066979633945e-09 + z * 1.3219700423350835e-10));
    let c = 4.339314718568921e-08 + z * (-2.4185615179408813e-08 + z * (1.4845549354895297e-08 + z * d));
    let b = -2.183917728558513e-06 + z * (3.620184781129259e-07 + z * (-1.0229475399421496e-07 + z * c));
    1.0 + z * (-0.0010986328124985556 + z * (2.738088361130017e-05 + z * b))
}

/// The same of `-sin(x - pi / 4) / x`.
#[tensor_op(tests = false)]
pub(crate) fn j0_sin(z: Tensor) -> Tensor {
    let d = 6.40079649036521e-08
        + z * (-2.8444194231938183e-08 + z * (8.088249905489177e-09 + z * -1.078235006428609e-09));
    let c = -2.5831887133138214e-07 + z * (1.6342829702064716e-07 + z * (-1.0887535615406579e-07 + z * d));
    let b = 6.590740788524885e-06 + z * (-1.452991845967423e-06 + z * (5.11982513493863e-07 + z * c));
    -0.12499999999999996 + z * (0.0011444091796747814 + z * (-5.544628875314295e-05 + z * b))
}

/// Of `bessel_j1(x) sqrt(pi x / 2)` from 8 on, the factor of `cos(x - 3 pi / 4)`, by `z = (8 / x)^2`.
#[tensor_op(tests = false)]
pub(crate) fn j1_cos(z: Tensor) -> Tensor {
    let d = 8.860855361799285e-09
        + z * (-3.818735305533677e-09 + z * (1.0657770307911482e-09 + z * -1.4038395089577798e-10));
    let c = -4.719167778074151e-08 + z * (2.6030250382020736e-08 + z * (-1.5879522872690333e-08 + z * d));
    let b = 2.5809939131965017e-06 + z * (-4.102893385438351e-07 + z * (1.1307073738668152e-07 + z * c));
    1.0 + z * (0.001831054687498473 + z * (-3.520399323335166e-05 + z * b))
}

/// The same of `-sin(x - 3 pi / 4) / x`.
#[tensor_op(tests = false)]
pub(crate) fn j1_sin(z: Tensor) -> Tensor {
    let d = -6.803931359190881e-08
        + z * (3.018647452184739e-08 + z * (-8.575314163465168e-09 + z * 1.1424577689847677e-09));
    let c = 2.791758304659646e-07 + z * (-1.751070163064977e-07 + z * (1.1606383395683466e-07 + z * d));
    let b = -7.60470254876792e-06 + z * (1.6239446844997017e-06 + z * (-5.60803397495266e-07 + z * c));
    0.37499999999999994 + z * (-0.0016021728515490782 + z * (6.776768637519605e-05 + z * b))
}

/// The Bessel function of the first kind and of order 1. `torch.special.bessel_j1`.
#[tensor_op]
pub fn bessel_j1(input: Tensor) -> Tensor {
    let size = abs(input);
    let near = select(size > 8.0, 0.0, input);
    let far = select(size > 8.0, size, 8.0);
    let z = square(8.0 / far);
    // Made of the sine and the cosine of the number itself: the phase less 3 pi / 4 would be rounded.
    let difference = sin(far) - cos(far);
    let sum = sin(far) + cos(far);
    let wave = (self::j1_cos(z) * difference + self::j1_sin(z) * sum / far) / sqrt(PI * far);
    let small = near * self::j1_near(square(near) / 32.0 - 1.0);
    select(size > 8.0, select(input < 0.0, -wave, wave), small)
}

/// The Bessel function of the first kind and of order 0. `torch.special.bessel_j0`.
#[tensor_op]
#[grad(input = -grad * self::bessel_j1(input))]
pub fn bessel_j0(input: Tensor) -> Tensor {
    let size = abs(input);
    let near = select(size > 8.0, 0.0, input);
    let far = select(size > 8.0, size, 8.0);
    let z = square(8.0 / far);
    let difference = sin(far) - cos(far);
    let sum = sin(far) + cos(far);
    let wave = (self::j0_cos(z) * sum - self::j0_sin(z) * difference / far) / sqrt(PI * far);
    select(size > 8.0, wave, 1.0 + square(near) * self::j0_near(square(near) / 32.0 - 1.0))
}
