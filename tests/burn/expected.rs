//! The values that the tests of Burn 0.22.1 expect of those operations and modules that declared ops replace.
//! They come from `burn-backend-tests` (`tensor/float/activation`, `tensor/float/module`, `autodiff`) and
//! from the tests in `burn-nn` (`norm`, `activation`, `rope_encoding`).

use crate::burn::Tensor;
use crate::burn::tensor::{DType, Device, TensorData, Tolerance};
use crate::case::devices;
use tensor_op::burn as declared;
use tensor_op::tensor_op;

#[tensor_op(burn, tests = false)]
fn gelu(x: Tensor) -> Tensor {
    gelu(x)
}

#[tensor_op(burn, tests = false)]
fn softplus(x: Tensor, beta: f64) -> Tensor {
    softplus(x * beta) / beta
}

#[tensor_op(burn, tests = false)]
fn mish(x: Tensor) -> Tensor {
    x * tanh(softplus(x))
}

/// Neighbouring features are a pair, as in Burn's module.
#[tensor_op(burn, tests = false)]
fn rotary(x: Tensor![.., t, (d, pair = 2)], #[default(10000.0)] base: f64) -> Tensor![.., t, (d, pair)] {
    let angle = cast(iota(t), float) * pow(base, -cast(iota(d), float) / cast(len(d), float));
    let other = select(iota(pair) == 0, -1.0, 1.0) * at(x, pair = 1 - iota(pair));
    x * cos(angle) + other * sin(angle)
}

/// Cross-entropy of logits against probabilities, averaged over the batch.
#[tensor_op(burn, tests = false)]
fn cross_entropy_with_logits(logits: Tensor![b, v], target: Tensor![b, v]) -> Tensor![] {
    -mean(sum(target * (logits - logsumexp(logits, v)), v), b)
}

/// Compares the result of an op of one argument on every device.
fn check<const D: usize>(
    x: impl Into<TensorData>,
    op: impl Fn(Tensor<D>) -> Tensor<D>,
    expected: impl Into<TensorData>,
) {
    let (x, expected) = (x.into(), expected.into());
    for device in devices() {
        approx(op(Tensor::from_data(x.clone(), (&device, DType::F32))), &expected);
    }
}

/// Compares the gradients of a function of two matrices on every device.
fn check_gradients(
    [a, b]: [[[f64; 2]; 2]; 2],
    function: impl Fn(Tensor<2>, Tensor<2>) -> Tensor<2>,
    expected: [[[f64; 2]; 2]; 2],
) {
    for device in devices() {
        let [a, b] = [a, b]
            .map(|x| Tensor::<2>::from_data(x, (&device.clone().autodiff(), DType::F32)).require_grad());
        let gradients = function(a.clone(), b.clone()).backward();
        for (x, expected) in [a, b].into_iter().zip(expected) {
            approx(x.grad(&gradients).expect("tracked"), &expected.into());
        }
    }
}

/// Compares with Burn's own tolerance for these values, which have about five digits.
#[track_caller]
fn approx<const D: usize>(found: Tensor<D>, expected: &TensorData) {
    found.into_data().assert_approx_eq::<f32>(expected, Tolerance::permissive());
}

fn vector<const N: usize>(values: [f64; N], device: &Device) -> Tensor<1> {
    Tensor::from_data(values, (device, DType::F32))
}

#[test]
fn softmax() {
    let pairs = [[2.472_623e-3, 9.975_274e-1], [1.0, 1.125_352e-7]];
    check([[1.0, 7.0], [13.0, -3.0]], |x: Tensor<2>| declared::softmax(x, 1), pairs);
    check([[1.0, 7.0], [13.0, -3.0]], |x: Tensor<2>| declared::softmax(x, -1), pairs);
    check([1.0, 2.0, 3.0], |x: Tensor<1>| declared::softmax(x, 0), [0.09003, 0.24473, 0.66524]);
    check(
        [[-1.0, 0.0, 1.0, 2.0], [0.5, 0.5, 0.5, 0.5]],
        |x: Tensor<2>| declared::softmax(x, 1),
        [[0.032_058_60, 0.087_144_32, 0.236_882_84, 0.643_914_22], [0.25, 0.25, 0.25, 0.25]],
    );
    let thirds = [0.090_030_57, 0.244_728_48, 0.665_240_94];
    check(
        [[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [[0.0, 0.0, 1.0], [1.0, 1.0, 1.0]]],
        |x: Tensor<3>| declared::softmax(x, 2),
        [[thirds, thirds], [[0.211_941_56, 0.211_941_56, 0.576_116_88], [0.333_333_34; 3]]],
    );
    check(
        [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 12.0]],
        |x: Tensor<2>| declared::softmax(x.transpose(), 1),
        [[3.293_204_4e-4, 1.798_028_7e-2, 0.981_690_35]; 4],
    );
}

#[test]
fn log_softmax() {
    let expected = [[-0.313_261_7, -1.313_261_7], [-1.313_261_7, -0.313_261_7]];
    check([[1.0, 0.0], [0.0, 1.0]], |x: Tensor<2>| declared::log_softmax(x, 1), expected);
    check([[1.0, 0.0], [0.0, 1.0]], |x: Tensor<2>| declared::log_softmax(x, -1), expected);
}

#[test]
fn activations() {
    check(
        [[1.0, 2.0], [3.0, 4.0]],
        |x: Tensor<2>| declared::silu_mul(x.ones_like(), x),
        [[0.73106, 1.76159], [2.85772, 3.92806]],
    );
    check(
        [0.5447, 0.9809, 0.4114, 0.1398, 0.8045, 0.4103, 0.2388, 0.5262, 0.6677, 0.6737],
        gelu::<1>,
        [0.3851, 0.8207, 0.2714, 0.0777, 0.6351, 0.2704, 0.1419, 0.3687, 0.4993, 0.5051],
    );
    let x = [[-0.4240, -0.9574, -0.2215], [-0.5767, 0.7218, -0.1620]];
    check(
        x,
        |x: Tensor<2>| softplus(x, 1.0),
        [[0.503453, 0.324898, 0.588517], [0.445806, 1.117805, 0.615424]],
    );
    check(
        x,
        |x: Tensor<2>| softplus(x, 2.0),
        [[0.178232, 0.068737, 0.247990], [0.137132, 0.827771, 0.272106]],
    );
    check(x, mish::<2>, [[-0.19709, -0.30056, -0.11714], [-0.24132, 0.58235, -0.08877]]);
}

#[test]
fn norms() {
    check(
        [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]],
        |x: Tensor<2>| declared::rms_norm(x.clone(), vector([1.0; 3], &x.device()), 1e-5),
        [[0.0, 0.7746, 1.5492], [0.7348, 0.9798, 1.2247], [0.8514, 0.9933, 1.1352]],
    );
    let x = [[-0.6897, -2.7106, 2.2222, -1.0330, -0.8933, 1.1765, 0.0601, 1.5252, -0.3630, 0.6728]];
    let layer_norm = |eps: f64| {
        move |x: Tensor<2>| {
            let [gamma, beta] = [1.0, 0.0].map(|value| vector([value; 10], &x.device()));
            declared::layer_norm(x, gamma, beta, eps)
        }
    };
    check(
        x,
        layer_norm(1e-5),
        [[-0.4990, -1.9680, 1.6178, -0.7486, -0.6470, 0.8576, 0.0461, 1.1111, -0.2614, 0.4915]],
    );
    check(
        x,
        layer_norm(1e-1),
        [[-0.4863, -1.9180, 1.5766, -0.7295, -0.6305, 0.8358, 0.0449, 1.0828, -0.2548, 0.4790]],
    );
}

#[test]
fn modules() {
    let x = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    let swiglu = |bias: f64| {
        move |x: Tensor<2>| {
            let [weight, bias] =
                [([3, 3], 0.5), ([1, 3], bias)].map(|(shape, value)| Tensor::full(shape, value, &x.device()));
            let linear = || declared::linear(x.clone(), weight.clone(), bias.clone().squeeze_dim(0));
            declared::silu_mul(linear(), linear())
        }
    };
    check(x, swiglu(0.0), [[8.5732; 3], [56.2189; 3]]);
    check(x, swiglu(0.5), [[11.8909; 3], [63.9785; 3]]);
    check(
        [[[1.0, 2.0], [3.0, 4.0]], [[-1.0, -2.0], [-3.0, -4.0]]],
        |x: Tensor<3>| {
            let weight = Tensor::<2>::from_data([[1.0, 2.0], [3.0, 4.0]], (&x.device(), DType::F32));
            declared::linear(x.clone(), weight.transpose(), vector([1.0, -1.0], &x.device()))
        },
        [[[8.0, 9.0], [16.0, 21.0]], [[-6.0, -11.0], [-14.0, -23.0]]],
    );
    check(
        [[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]], [[9.0, 10.0, 11.0, 12.0], [13.0, 14.0, 15.0, 16.0]]],
        |x: Tensor<3>| rotary(x, None),
        [
            [[1.0, 2.0, 3.0, 4.0], [-2.3473, 7.4492, 6.9197, 8.0696]],
            [[9.0, 10.0, 11.0, 12.0], [-4.7567, 18.5034, 14.8393, 16.1492]],
        ],
    );
}

#[test]
fn gradients() {
    let x = [[[0.0, 1.0], [3.0, 4.0]], [[6.0, 7.0], [9.0, 10.0]]];
    check_gradients(
        [[[0.0, 1.0], [-3.0, 4.0]], [[6.0, -0.5], [9.0, 10.0]]],
        |a, b| a.clone().matmul(a.matmul(gelu(b))),
        [[[1.46281, 1.46281], [48.22866, 153.46280]], [[-15.0, -1.98757], [17.0, 17.0]]],
    );
    check_gradients(
        x,
        |a, b| declared::softmax(a.matmul(b.clone()), 1).matmul(b),
        [[[1.179_665, 1.179_661], [0.005_462, 0.005_463]], [[0.253_469, 0.286_237], [0.528_630, 2.931_664]]],
    );
    check_gradients(
        x,
        |a, b| declared::log_softmax(a.matmul(b.clone()), 1).matmul(b),
        [[[-4.3939, -4.3939], [-12.9709, -12.9709]], [[30.5984, -47.2267], [55.9631, -56.5914]]],
    );
    check_gradients(
        x,
        |a, b| {
            let target = Tensor::<2>::from_data([[0.8, 0.2], [0.9, 0.1]], (&a.device(), DType::F32));
            cross_entropy_with_logits(a.matmul(b), target).unsqueeze()
        },
        [[[0.26553, 0.26553], [0.44954, 0.44954]], [[-1.34863, 1.34863], [-2.06371, 2.06371]]],
    );
    for device in devices() {
        let device = device.autodiff();
        let [a, b] = x.map(|x| Tensor::<2>::from_data(x, (&device, DType::F32)));
        let [gamma, beta] = [1.0, 0.0].map(|value| vector([value; 2], &device).require_grad());
        let gradients = declared::layer_norm(a.matmul(b), gamma.clone(), beta.clone(), None).backward();
        approx(gamma.grad(&gradients).expect("tracked"), &[-2.0, 2.0].into());
        approx(beta.grad(&gradients).expect("tracked"), &[2.0, 2.0].into());
    }
}
