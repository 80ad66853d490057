//! Ops without a tensor among their arguments: their functions take a device, and a dtype for floats. Each op
//! is generated with its tests.

use tensor_op::prelude::*;
use tensor_op::{Backend, NdArray};

#[tensor_op]
pub fn positions(n: usize) -> IntTensor![n] {
    iota(n)
}

/// As PyTorch's `hann_window`.
#[tensor_op]
pub fn hann(n: usize, #[default(true)] periodic: bool) -> Tensor![n] {
    let last = select(periodic, len(n), len(n) - 1);
    0.5 - 0.5 * cos(2.0 * PI * cast(iota(n), float) / cast(maximum(last, 1), float))
}

#[tensor_op]
fn causal(t: usize, s: usize) -> (BoolTensor![t, s], Tensor![s, t]) {
    let keep = iota(s) <= iota(t) + len(s) - len(t);
    (keep, select(keep, 0.0, -INFINITY))
}

/// Sinusoidal codes of positions; half of the dims are sines.
#[tensor_op]
fn codes(t: usize, width: usize, #[default(1e4)] base: f64) -> Tensor![t, (part = 2, width)] {
    let angle = cast(iota(t), float) * pow(base, -cast(iota(width), float) / len(width));
    select(iota(part) == 0, sin(angle), cos(angle))
}

#[tensor_op]
fn constant() -> (Tensor![], IntTensor![three = 3]) {
    (PI, iota(three) * iota(three))
}

/// Without floats at its ends, but with some on the way.
#[tensor_op]
fn thirds(n: usize) -> IntTensor![n] {
    cast(floor(cast(iota(n), float) / 3.0), int)
}

/// Called by a formula, such an op runs where the formula does.
#[tensor_op]
fn windowed(x: Tensor![.., n]) -> Tensor![.., n] {
    x * self::hann(len(n), false) + cast(self::thirds(len(n)), float)
}

#[tensor_op]
fn window_sum(n: usize) -> Tensor![] {
    sum(self::hann(n), n)
}

#[test]
fn values() -> Result<()> {
    let device = Device::default();
    assert_eq!(positions(4, &device)?.to_vec::<i64>()?, [0, 1, 2, 3]);
    assert!(positions(0, &device)?.to_vec::<i64>()?.is_empty());
    let found = hann(4, None, DType::F64, &device)?;
    assert_eq!(found.dtype(), DType::F64);
    for (found, wanted) in found.to_vec::<f64>()?.into_iter().zip([0.0, 0.5, 1.0, 0.5]) {
        assert!((found - wanted).abs() < 1e-15);
    }
    assert_eq!(hann(3, false, DType::BF16, &device)?.dtype(), DType::BF16);
    let (keep, mask) = causal(2, 3, DType::F32, &device)?;
    assert_eq!(keep.to_vec::<bool>()?, [true, true, false, true, true, true]);
    assert_eq!(mask.to_vec::<f32>()?, [0.0, 0.0, 0.0, 0.0, f32::NEG_INFINITY, 0.0]);
    assert_eq!(codes(3, 4, None, DType::F32, &device)?.shape().to_vec(), [3, 8]);
    let (pi, squares) = constant(DType::F64, &device)?;
    assert_eq!((pi.item::<f64>()?, squares.to_vec::<i64>()?), (std::f64::consts::PI, vec![0, 1, 4]));
    assert_eq!(thirds(5, &device)?.to_vec::<i64>()?, [0, 0, 0, 1, 1]);
    Ok(())
}

#[test]
fn calls() -> Result<()> {
    let device = Device::default();
    let x = Tensor::ones([2, 5], DType::F64, &device)?.require_grad();
    let found = windowed(&x)?;
    let window = hann(5, false, DType::F64, &device)?;
    let wanted = (&window + Tensor::from_vec(vec![0.0, 0.0, 0.0, 1.0, 1.0], [5], &device)?)?;
    assert_eq!(found.to_vec::<f64>()?, wanted.to_vec::<f64>()?.repeat(2));
    let gradients = found.backward_with(&Tensor::ones([2, 5], DType::F64, &device)?)?;
    let gradient = gradients.get(&x).expect("a gradient").to_vec::<f64>()?;
    assert_eq!(gradient, window.to_vec::<f64>()?.repeat(2));
    assert!((window_sum(8, DType::F64, &device)?.item::<f64>()? - 4.0).abs() < 1e-14);
    Ok(())
}

/// The method on a backend's own tensors.
#[test]
fn on_a_backend() -> Result<()> {
    let found = NdArray::hann(4, true, DType::F32, &Default::default())?;
    assert_eq!(NdArray::shape(&found), [4]);
    Ok(())
}

#[test]
fn mistakes_name_the_argument() {
    let device = Device::default();
    let error = hann(4, None, DType::I64, &device).expect_err("an int dtype").to_string();
    assert_eq!(error, "hann: `dtype`: is i64, and the op has results of floats: write f64, f32, f16 or bf16");
}
