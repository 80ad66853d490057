//! Gradients that are wrong in Burn and right in declared ops.

use crate::burn::Tensor;
use crate::burn::tensor::{DType, Device, activation};
use tensor_op::tensor_op;

#[tensor_op(burn, tests = false)]
fn gelu(x: Tensor) -> Tensor {
    gelu(x)
}

#[tensor_op(burn, tests = false)]
fn pow(x: Tensor, y: Tensor) -> Tensor {
    pow(x, y)
}

fn tracked(values: &[f64], device: Device) -> Tensor<1> {
    Tensor::from_data(values, (&device.autodiff(), DType::F64)).require_grad()
}

fn gradient(x: &Tensor<1>, out: Tensor<1>) -> Vec<f64> {
    let gradients = out.sum().backward();
    x.grad(&gradients).map(|grad| grad.into_data().iter::<f64>().collect()).unwrap_or_default()
}

/// The errors of two gradients of gelu, ours and Burn's. Both are compared with differences of the gelu with
/// erf, which is the forward function of both.
fn errors_of_gelu(device: &Device) -> [f64; 2] {
    let values = [-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0];
    let step = 1e-5;
    let forward = |x: f64| {
        let out = gelu(Tensor::<1>::from_data([x], (&Device::flex(), DType::F64)));
        out.into_data().iter::<f64>().next().unwrap_or(f64::NAN)
    };
    let differences = values.map(|x| (forward(x + step) - forward(x - step)) / (2.0 * step));
    [gelu, activation::gelu].map(|gelu| {
        let x = tracked(&values, device.clone());
        let found = gradient(&x, gelu(x.clone()));
        assert_eq!(found.len(), values.len());
        found
            .iter()
            .zip(differences)
            .fold(0.0_f64, |worst, (found, wanted)| worst.max((found - wanted).abs()))
    })
}

#[test]
fn gelu_is_differentiated_as_it_is_computed() {
    let [ours, burns] = errors_of_gelu(&Device::flex());
    assert!(ours < 1e-9, "ours is off by {ours}");
    // Flex has its own gradient rule.
    assert!(burns < 1e-9, "Burn's is off by {burns}");
}

/// The default of Burn's backends, including GPUs: the forward function uses erf, but its gradient is the
/// derivative of the approximation with tanh.
#[cfg(feature = "burn-ndarray")]
#[allow(deprecated, reason = "Burn keeps it for now")]
#[test]
fn gelu_is_differentiated_as_it_is_computed_where_burns_is_not() {
    let [ours, burns] = errors_of_gelu(&Device::ndarray());
    // This backend computes functions of f64 in f32.
    assert!(ours < 1e-5, "ours is off by {ours}");
    assert!(burns > 1e-4, "Burn's is off by {burns} alone: say so in docs/burn.md");
}

/// `0^y` does not depend on `y` if `y` is positive, so the gradient is 0. Burn computes `0 * ln(0)`.
#[test]
fn the_gradient_of_an_exponent_is_0_where_the_base_is() {
    let base = || Tensor::<1>::from_data([0.0, 2.0], (&Device::flex().autodiff(), DType::F64));
    let y = tracked(&[3.0, 3.0], Device::flex());
    let ours = gradient(&y, pow(base(), y.clone()));
    assert_eq!(ours[0], 0.0);
    assert!((ours[1] - 8.0 * 2.0_f64.ln()).abs() < 1e-12);
    let y = tracked(&[3.0, 3.0], Device::flex());
    let burns = gradient(&y, base().powf(y.clone()));
    assert!(burns[0].is_nan(), "Burn gives {} now: say so in docs/burn.md", burns[0]);
}
