//! An op computes what was written. Wherever the formula stays finite, our own passes may change a value only
//! by rounding. The generated tests notice a pass that changes more.

use std::sync::Arc;
use tensor_op::__private::Spec;
use tensor_op::Op;
use tensor_op::prelude::*;
use tensor_op::testing::{Claim, Level, Scope};

#[tensor_op]
fn safe_norm(x: Tensor![.., n]) -> Tensor![..] {
    let m = max(abs(x), n);
    m * sqrt(sum(square(x / m), n))
}

#[tensor_op]
fn scaled_squares(x: Tensor![.., n]) -> Tensor![..] {
    sum(square(x * 1e-30), n)
}

#[tensor_op]
fn weighted_mean(x: Tensor![.., n], w: Tensor![.., n]) -> Tensor![..] {
    let m = max(w, n);
    let u = w / m;
    sum(x * u, n) / sum(u, n)
}

#[tensor_op]
fn sum_of_shares(x: Tensor![.., n]) -> Tensor![..] {
    sum(x / len(n), n)
}

/// Even ordinary numbers overflow here, so the generated tests would have nothing to compare.
#[tensor_op(tests = false)]
fn scaled_up_twice(x: Tensor) -> Tensor {
    1e200 * (1e200 * x)
}

#[tensor_op]
fn scaled_down_twice(x: Tensor) -> Tensor {
    1e-25 * (1e-25 * x)
}

#[tensor_op]
fn weighted_sum(x: Tensor![.., n], c: Tensor![..], d: Tensor![..]) -> Tensor![..] {
    sum(x * c * d, n)
}

#[tensor_op]
fn sum_of_sums(x: Tensor![m, n]) -> Tensor![] {
    sum(sum(x, n), m)
}

/// The smallest int is its own negative.
#[tensor_op]
fn half_of_negative(x: IntTensor) -> IntTensor {
    -x / 2
}

#[tensor_op]
fn over_negative(x: IntTensor, y: IntTensor) -> IntTensor {
    x / -y
}

/// If there are no elements, `any` is false, although the condition does not depend on the dim.
#[tensor_op]
fn any_and_all(x: Tensor![m], y: Tensor![m, n]) -> (BoolTensor![m], BoolTensor![m]) {
    let asked = x > 0.0 && (y > 0.0 || true);
    (any(asked, n), all(asked, n))
}

#[tensor_op]
fn largest_of_none(x: Tensor![m], y: Tensor![m, n]) -> Tensor![m] {
    max(x * pow(y, 0.0), n)
}

/// Each factor of the gradient may be moved, but not all of them together.
#[tensor_op]
fn divided_four_times(x: Tensor, w: Tensor) -> Tensor {
    let u = 0.002 + sigmoid(w);
    x / u / u / u / u
}

fn f64s(data: &[f64]) -> Tensor {
    Tensor::from_vec(data.to_vec(), [data.len()], &Device::default()).unwrap()
}

fn f32s(data: &[f32]) -> Tensor {
    Tensor::from_vec(data.to_vec(), [data.len()], &Device::default()).unwrap()
}

fn number(x: f32) -> Tensor {
    Tensor::from_vec(vec![x], [0; 0], &Device::default()).unwrap()
}

#[track_caller]
fn check(found: Tensor, expected: &[f64]) {
    let tolerance = if found.dtype() == DType::F64 { 1e-14 } else { 1e-6 };
    let found = found.cast(DType::F64).unwrap().to_vec::<f64>().unwrap();
    let close = |(x, y): (&f64, &f64)| (x - y).abs() <= tolerance * y.abs();
    assert!(
        found.iter().zip(expected).all(close) && found.len() == expected.len(),
        "{found:?}, not {expected:?}"
    );
}

#[test]
fn what_stays_finite_as_written_is_right() -> Result<()> {
    for scale in [1e-200, 1.0, 1e200] {
        let x = f64s(&[3.0 * scale, 4.0 * scale]).require_grad();
        let y = safe_norm(&x)?;
        check(y.clone(), &[5.0 * scale]);
        check(y.backward()?.get(&x).expect("tracked").clone(), &[0.6, 0.8]);
    }
    check(scaled_squares(f32s(&[3e30, 4e30]))?, &[25.0]);
    check(weighted_mean(f32s(&[1e30, 2e30]), f32s(&[1e30, 1e30]))?, &[1.5e30]);
    check(sum_of_shares(f32s(&[3e38, 3e38]))?, &[3e38]);
    check(scaled_up_twice(f64s(&[0.0, 1e-300]))?, &[0.0, 1e100]);
    check(scaled_down_twice(f32s(&[1e30]))?, &[1e-20]);
    check(weighted_sum(f32s(&[1e-30, 2e-30]), number(1e30), number(1e30))?, &[3e30]);
    let rows = f32s(&[3e38, -3e38, 3e38, -3e38, 3e38, -3e38, 3e38, -3e38]).reshape([4, 2])?;
    check(sum_of_sums(rows)?, &[0.0]);
    Ok(())
}

#[test]
fn ints_and_bools_are_as_written() -> Result<()> {
    let device = Device::default();
    let least = Tensor::from_vec(vec![i64::MIN], [1], &device)?;
    assert_eq!(half_of_negative(&least)?.to_vec::<i64>()?, [i64::MIN / 2]);
    assert_eq!(over_negative(&least, &least)?.to_vec::<i64>()?, [1]);
    let (x, none) = (f64s(&[1.0]), Tensor::zeros([1, 0], DType::F64, &device)?);
    let (any, all) = any_and_all(&x, &none)?;
    assert_eq!((any.to_vec::<bool>()?, all.to_vec::<bool>()?), (vec![false], vec![true]));
    assert!(largest_of_none(&x, &none).is_err());
    Ok(())
}

#[test]
fn factors_that_are_small_together_stay_where_they_are() -> Result<()> {
    let (x, w) = (number(3e-24), number(-6.2).require_grad());
    let y = divided_four_times(x, &w)?;
    let gradients = (y * 5e-24)?.backward()?;
    let found = gradients.get(&w).expect("tracked").item::<f32>()?;
    assert!((f64::from(found) / -1.1475e-37 - 1.0).abs() < 1e-3, "{found}");
    Ok(())
}

/// An op that runs another formula than the one that was written.
#[derive(Clone)]
struct Rewritten(Arc<Spec>);

impl Op for Rewritten {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn backward(&self) -> Option<Arc<dyn Op>> {
        None
    }
}

fn rewritten(arguments: &str, written: &str, run: &str) -> Rewritten {
    let lowered = |body: &str| {
        let source = format!("fn f({arguments}) -> Tensor![..] {{ {body} }}");
        tensor_op_spec::stages(source.parse().unwrap()).unwrap().written
    };
    let leak = |text: String| &*Box::leak(text.into_boxed_str());
    Rewritten(Arc::new(Spec::with_written(leak(lowered(run)), None, leak(lowered(written)))))
}

/// Rewrites that an earlier simplifier made: the formula, and the rewritten one.
#[test]
fn a_rewrite_that_overflows_is_caught() {
    let rows = [
        (
            "x: Tensor![.., n]",
            "let m = max(abs(x), n); m * sqrt(sum(square(x / m), n))",
            "let m = max(abs(x), n); m * sqrt(sum(x * x, n) / m / m)",
        ),
        ("x: Tensor![.., n]", "sum(square(x * 1e-30), n)", "1e-60 * sum(x * x, n)"),
        (
            "x: Tensor![.., n], w: Tensor![.., n]",
            "let m = max(w, n); let u = w / m; sum(x * u, n) / sum(u, n)",
            "let m = max(w, n); sum(x * w, n) / m / (sum(w, n) / m)",
        ),
        ("x: Tensor![.., n]", "sum(x / len(n), n)", "sum(x, n) / len(n)"),
        ("x: Tensor![..]", "1e200 * (1e200 * x)", "INFINITY * x"),
        ("x: Tensor![..]", "1e-25 * (1e-25 * x)", "1e-50 * x"),
    ];
    // Most results of these formulas overflow, so only few cases can be compared.
    let scope = Scope::of_environment().unwrap().at(Level::Full);
    for (arguments, written, run) in rows {
        let as_written = rewritten(arguments, written, written);
        for claim in [Claim::Forward, Claim::SpecialValues] {
            if let Err(failure) = claim.check_in(&as_written, &scope) {
                panic!("{written}: {failure}");
            }
        }
        let found = Claim::SpecialValues.check_in(&rewritten(arguments, written, run), &scope);
        assert!(found.is_err(), "`{written}` as `{run}`: {}", found.unwrap());
    }
}
