//! The tests that a declaration generates: they exist, they catch mistakes, and they can be turned off.

mod reports;
mod samples;
mod scans;

use tensor_op::catalogue::nn::SiluMul;
use tensor_op::cpu::{Args, NdArrayTensor};
use tensor_op::prelude::*;
use tensor_op::testing::{self, Claim, Level, SEED_VARIABLE, Scope};

/// The given rule agrees with the derived one. The generated tests run with those of this file.
#[tensor_op]
#[grad(x = grad * (sigmoid(x) + out * (1.0 - sigmoid(x))))]
fn my_silu(x: Tensor) -> Tensor {
    x * sigmoid(x)
}

/// The formula is flat everywhere, so there is no derived rule to compare the given one with.
#[tensor_op]
#[grad(x = grad)]
fn straight_through(x: Tensor) -> Tensor {
    round(x)
}

/// This op has no tests: its rule lacks the factor `2.0 * x`.
#[tensor_op(tests = false)]
#[grad(x = grad)]
fn wrong_rule(x: Tensor, y: Tensor![..]) -> Tensor {
    x * x + y
}

/// The gradient is clipped, so it is not that of the formula. The claim that compares it with the formula is
/// skipped.
#[tensor_op(tests(skip = given_rule))]
#[grad(x = clamp(grad, -1.0, 1.0))]
fn clipped(x: Tensor) -> Tensor {
    2.0 * x
}

/// The kernel refuses other dtypes than f32.
#[tensor_op(tests(dtypes = f32))]
#[kernel(cpu = doubled)]
fn in_f32(x: Tensor) -> Tensor {
    x + x
}

fn doubled(args: &Args<'_, NdArrayTensor>) -> Result<Vec<NdArrayTensor>> {
    let x = args.tensor("x")?;
    Ok(vec![NdArrayTensor::from(x.view::<f32>()?.mapv(|x| x + x))])
}

/// No float argument decides the dtype of the floats, so they are f32, and the tests run in f32.
#[tensor_op]
fn accuracy(guess: IntTensor![n], label: IntTensor![n]) -> Tensor![] {
    mean(cast(guess == label, float), n)
}

/// Two arguments that name axes.
#[tensor_op]
fn over_two_axes(x: Tensor, a: Axis, b: Axis) -> Tensor {
    sum(x, a) + max(x, b)
}

/// The constant is small, but does not move in the gradient.
#[tensor_op]
fn scaled_up(x: Tensor) -> Tensor {
    x / 1e-12
}

#[test]
fn differences_are_taken_beside_a_small_constant() -> Result<()> {
    let x = Tensor::ones([1], DType::F64, &Device::default())?;
    assert_eq!(scaled_up(&x)?.to_vec::<f64>()?, [1.0 / 1e-12]);
    for claim in [Claim::Gradcheck, Claim::Jvp] {
        let report = claim.check(&ScaledUp).unwrap();
        assert!(!report.to_string().contains("kinks"), "{report}");
    }
    let ids = Tensor::from_vec(vec![1_i64, 2, 3], [3], &Device::default())?;
    assert_eq!(accuracy(&ids, &ids)?.item::<f32>()?, 1.0);
    let x = Tensor::ones([2, 3], DType::F64, &Device::default())?;
    assert_eq!(over_two_axes(&x, 0, 1)?.shape(), [2, 3]);
    Ok(())
}

#[test]
fn options_of_tests_leave_out_what_they_name() -> Result<()> {
    let x = Tensor::ones([1], DType::F64, &Device::default())?;
    assert_eq!(clipped(&x)?.to_vec::<f64>()?, [2.0]);
    assert!(Claim::GivenRule.check(&Clipped).is_err());
    let x = Tensor::ones([1], DType::F32, &Device::default())?;
    assert_eq!(in_f32(&x)?.to_vec::<f32>()?, [2.0]);
    let in_all = Scope::of_environment()?;
    let in_one = in_all.clone().in_dtypes(&[DType::F32]);
    for claim in [Claim::Forward, Claim::Views, Claim::Shapes, Claim::SpecialValues, Claim::Guards] {
        assert!(claim.check_in(&InF32, &in_all).is_err(), "{claim}");
        assert!(claim.check_in(&InF32, &in_one).is_ok(), "{claim}");
    }
    let report = Claim::Gradcheck.check_in(&InF32, &in_one).unwrap();
    assert_eq!(report.not_applicable.as_deref(), Some("the tests of the op are not in f64"));
    Ok(())
}

/// Both levels check the same claims. The quick level reports what it leaves to the full one.
#[test]
fn the_quick_level_runs_fewer_cases() -> Result<()> {
    let at = |level| Claim::Shapes.check_in(&SiluMul, &Scope::of_environment().unwrap().at(level)).unwrap();
    let (quick, full) = (at(Level::Quick), at(Level::Full));
    assert!(2 * quick.tally.elements < full.tally.elements, "{quick}\n{full}");
    assert!(quick.to_string().contains("left to TENSOR_OP_TESTS=full"), "{quick}");
    assert!(!full.to_string().contains("TENSOR_OP_TESTS"), "{full}");
    Ok(())
}

#[test]
fn claims_hold_and_say_what_was_compared() -> Result<()> {
    let report = Claim::Forward.check_in(&SiluMul, &Scope::of_environment()?.at(Level::Full)).unwrap();
    assert!(report.tally.cases >= 64 && report.tally.elements > 200, "{report}");
    assert!(report.tally.ratio > 0.01 && report.tally.ratio <= 1.0, "{report}");
    let x = Tensor::zeros([2], DType::F64, &Device::default())?;
    assert_eq!(straight_through(my_silu(x)?)?.to_vec::<f64>()?, [0.0; 2]);
    Ok(())
}

#[test]
fn a_wrong_rule_is_told_with_the_smallest_case() -> Result<()> {
    let x = Tensor::ones([1], DType::F64, &Device::default())?;
    assert_eq!(wrong_rule(&x, &x)?.to_vec::<f64>()?, [2.0]);
    let failure = Claim::GivenRule.check(&WrongRule).unwrap_err().to_string();
    let replay = format!(
        "\nto replay:\n{SEED_VARIABLE}={} cargo test -p tensor-op wrong_rule_tests::given_rule",
        testing::seed()?
    );
    let parts = [
        "wrong_rule: given_rule does not hold",
        "smallest case: x: [], y: []",
        "the gradient of `x`[] is ",
        " by the given rule, and ",
        "x: f64 [] = [",
        "grad: f64 [] = [",
        &replay,
    ];
    for part in parts {
        assert!(failure.contains(part), "{failure}");
    }
    Ok(())
}

#[test]
fn an_op_inside_of_a_function_has_no_tests_and_no_warnings() -> Result<()> {
    #[tensor_op]
    fn doubled(x: Tensor) -> Tensor {
        x + x
    }
    let x = Tensor::ones([1], DType::F64, &Device::default())?;
    assert_eq!(doubled(&x)?.to_vec::<f64>()?, [2.0]);
    assert!(Claim::Forward.check(&Doubled).is_ok());
    Ok(())
}

/// The texts of which a crate can take snapshots, each with one line of an op.
#[test]
fn stages_of_an_op_are_text() {
    let stages = testing::stages(&SiluMul);
    let parts = [
        "==== formula ====\n",
        "recip(1.0 + exp(-gate))",
        "==== gradient ====\n",
        "==== kernels of the gradient ====\n",
        "kernel 0: pointwise",
    ];
    for part in parts {
        assert!(stages.contains(part), "{stages}");
    }
    let code = testing::expansion(include_str!("main.rs"), "my_silu").unwrap();
    assert!(code.contains("pub struct") || code.contains("struct MySilu;"), "{code}");
    assert!(code.contains("::tensor_op::__private::tests!"), "{code}");
    let code = testing::expansion(include_str!("main.rs"), "wrong_rule").unwrap();
    assert!(!code.contains("tests!"), "{code}");
    let error = testing::expansion(include_str!("main.rs"), "nothing").unwrap_err();
    assert_eq!(error, "there is no function `nothing`");
}
