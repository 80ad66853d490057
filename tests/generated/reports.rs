//! Reports of claims: the smallest failing case with the operands of the element, what was left out and why,
//! and what does not apply.

use tensor_op::cpu::{Args, NdArrayTensor};
use tensor_op::prelude::*;
use tensor_op::testing::Claim;
use tensor_op::{Op, TensorData};

/// The kernel is wrong after the eighth element of a row.
#[tensor_op(tests = false)]
#[kernel(cpu = cut_off)]
fn short_rows(x: Tensor![m, n], y: Tensor![n]) -> Tensor![m, n] {
    x + y
}

fn cut_off(args: &Args<'_, NdArrayTensor>) -> Result<Vec<NdArrayTensor>> {
    let data = |name| args.tensor(name)?.clone().into_data();
    let (data, y) = (data("x")?, data("y")?.cast(DType::F64).into_vec::<f64>()?);
    let x = data.clone().cast(DType::F64).into_vec::<f64>()?;
    let n = y.len().max(1);
    let sums = x.iter().enumerate().map(|(at, x)| if at % n < 8 { x + y[at % n] } else { 0.0 }).collect();
    let sums = TensorData::new(sums, data.shape().clone())?.cast(data.dtype());
    Ok(vec![NdArrayTensor::from_data(sums)])
}

/// The kernel ignores the second argument.
#[tensor_op(tests = false)]
#[kernel(cpu = first_only)]
fn int_sum(x: IntTensor![n], y: IntTensor![n]) -> IntTensor![n] {
    x + y
}

fn first_only(args: &Args<'_, NdArrayTensor>) -> Result<Vec<NdArrayTensor>> {
    Ok(vec![args.tensor("x")?.clone()])
}

/// Rounds its argument, but passes the gradient on unchanged.
#[tensor_op(tests = false)]
#[grad(x = grad)]
pub fn through(x: Tensor) -> Tensor {
    round(x)
}

/// Calls an op whose rule is not the derivative, on purpose.
#[tensor_op]
pub fn quantized(x: Tensor, scale: Tensor) -> Tensor {
    self::through(x * scale) * 0.25
}

#[tensor_op]
fn ints(x: IntTensor) -> IntTensor {
    x * 3
}

#[tensor_op]
#[no_grad]
fn flat(x: Tensor) -> Tensor {
    floor(x) * 3.0
}

#[tensor_op]
fn of_six(a: Tensor, b: Tensor, c: Tensor, d: Tensor, e: Tensor, f: Tensor) -> Tensor {
    a * b + c * d + e * f
}

#[track_caller]
fn failure(claim: Claim, op: &dyn Op, parts: &[&str], never: &[&str]) {
    let told = claim.check(op).unwrap_err().to_string();
    for part in parts {
        assert!(told.contains(part), "{part:?} is not in\n{told}");
    }
    for part in never {
        assert!(!told.contains(part), "{part:?} is in\n{told}");
    }
}

#[test]
fn every_claim_shrinks_and_shows_the_operands() {
    let short = [
        "smallest case: m = 1, n = 9, x: [1, 9], y: [9]",
        "\non cpu, f32: `out`[0, 8] is 0.0, not ",
        "\nof x = ",
        ", y = ",
    ];
    failure(Claim::Shapes, &ShortRows, &short, &[]);
    failure(Claim::GivenRule, &super::WrongRule, &["of x = ", ", y = "], &["e0"]);
    // The case has the smallest int for which the result differs.
    for claim in [Claim::Forward, Claim::Views, Claim::Shapes, Claim::SpecialValues] {
        failure(
            claim,
            &IntSum,
            &["smallest case: n = ", "\non cpu, i", "\nof x = ", "\n    x: i"],
            &["f64", "f16", "e0", ".0"],
        );
    }
    failure(
        Claim::Repeatable,
        &Unsteady,
        &["smallest case: n = ", "\non cpu, f32: `out`[", "\nof x = "],
        &[],
    );
}

/// The kernel returns other bits each time.
#[tensor_op(tests = false)]
#[kernel(cpu = counted)]
fn unsteady(x: Tensor![n]) -> Tensor![n] {
    x + 1.0
}

fn counted(args: &Args<'_, NdArrayTensor>) -> Result<Vec<NdArrayTensor>> {
    static CALLS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let calls = f64::from(CALLS.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
    let x = args.tensor("x")?.clone().into_data()?;
    let values = x.clone().cast(DType::F64).into_vec::<f64>()?.into_iter().map(|x| x + calls).collect();
    Ok(vec![NdArrayTensor::from_data(TensorData::new(values, x.shape().clone())?.cast(x.dtype()))])
}

#[test]
fn what_does_not_apply_is_said_and_does_not_fail() {
    for (op, claims) in [
        (&Ints as &dyn Op, &[Claim::Gradcheck, Claim::Gradgradcheck, Claim::GivenRule, Claim::Masks][..]),
        (&Flat, &[Claim::Gradcheck, Claim::Gradgradcheck, Claim::GivenRule, Claim::Masks]),
        (&OfSix, &[Claim::GivenRule]),
        (&Through, &[Claim::GivenRule]),
    ] {
        for claim in claims {
            let report = claim.check(op).unwrap();
            assert!(
                report.not_applicable.is_some() && report.to_string().contains("not applicable: "),
                "{report}"
            );
        }
    }
}

#[test]
fn what_could_not_be_checked_is_said() {
    let report = Claim::Gradcheck.check(&Quantized).unwrap();
    assert!(report.tally.elements > 0, "{report}");
    assert!(report.to_string().contains("gradients compared with the rule"), "{report}");
    let report = Claim::Gradgradcheck.check(&Quantized).unwrap();
    assert!(
        report.to_string().contains("gradients compared with the rule") && report.tally.elements > 0,
        "{report}"
    );
    // No point has a finite result, so nothing can be compared with differences.
    failure(Claim::Gradcheck, &Nowhere, &["nowhere: gradcheck does not hold", "no"], &[]);
}

/// The rule is right for up to 16 elements.
#[tensor_op(tests = false)]
#[grad(x = select(iota(n) < 16, 2.0 * x * grad, 0.0))]
fn short_rule(x: Tensor![.., n]) -> Tensor![.., n] {
    x * x
}

/// The rule is right for up to 300 elements.
#[tensor_op(tests = false)]
#[grad(x = select(iota(n) < 300, 2.0 * x * grad, 0.0))]
fn longer_rule(x: Tensor![.., n]) -> Tensor![.., n] {
    x * x
}

#[test]
fn a_rule_that_is_right_of_few_elements_is_told() {
    failure(
        Claim::GivenRule,
        &ShortRule,
        &["smallest case: n = 17, ", "`[16] is 0.0 by the given rule"],
        &[],
    );
    failure(Claim::GivenRule, &LongerRule, &["smallest case: n = 301, "], &[]);
}

/// With one element, every point is singular. The rule is the derivative.
#[tensor_op]
fn deviation(x: Tensor![.., n]) -> Tensor![..] {
    std(x, n)
}

#[test]
fn a_plan_without_a_point_says_nothing_of_a_rule() {
    let report = Claim::Gradcheck.check(&Deviation).unwrap();
    assert!(report.tally.elements > 0 && !report.to_string().contains("with the rule"), "{report}");
}

/// The formula has no finite value anywhere.
#[tensor_op(tests = false)]
fn nowhere(x: Tensor) -> Tensor {
    sqrt(-1.0 - x * x)
}

#[test]
fn arguments_are_tracked_alone_together_and_not_at_all() {
    let report = Claim::Masks.check(&OfSix).unwrap();
    assert!(report.tally.cases >= 6 + 1 + 6, "{report}");
}
