use super::*;
use tensor_op_core::{Evaluated, TensorData};

fn float(value: f64, error: f64) -> Bounded {
    Bounded { value: Scalar::Float(value), error }
}

#[track_caller]
fn check(dtype: DType, prim: Prim, args: &[Bounded], value: Scalar, error: std::ops::Range<f64>) {
    let found = Rounding::new(dtype).apply(prim, args).unwrap();
    assert_eq!(found.value, value);
    assert!(error.contains(&found.error) || error.start == found.error, "{found:?}");
}

#[test]
fn each_primitive_adds_its_rounding() {
    let (one, third) = (float(1.0, 0.0), float(1.0 / 3.0, 0.0));
    let ulp = 2f64.powi(-23);
    check(DType::F32, Prim::Add, &[one, third], Scalar::Float(1.0 + 1.0 / 3.0), 0.5 * ulp..0.51 * ulp);
    check(DType::F16, Prim::Add, &[one, third], Scalar::Float(1.0 + 1.0 / 3.0), 0.5 * ulp..0.51 * ulp);
    check(DType::F64, Prim::Abs, &[third], third.value, 0.0..0.0);
    check(DType::F32, Prim::Exp, &[float(0.0, 0.0)], Scalar::Float(1.0), 3.0 * ulp..3.01 * ulp);
}

#[test]
fn errors_of_operands_are_carried() {
    check(DType::F64, Prim::Mul, &[float(3.0, 0.1), float(5.0, 0.0)], Scalar::Float(15.0), 0.5..0.500001);
    check(DType::F64, Prim::Exp, &[float(0.0, 0.1)], Scalar::Float(1.0), 0.105..0.106);
    // An absolute value reaches 0 inside its interval.
    check(DType::F64, Prim::Abs, &[float(0.1, 0.2)], Scalar::Float(0.1), 0.2..0.201);
    check(DType::F64, Prim::Recip, &[float(0.1, 0.2)], Scalar::Float(10.0), f64::INFINITY..f64::INFINITY);
}

#[test]
fn a_choice_that_may_flip_counts_with_both_branches() {
    let rounding = Rounding::new(DType::F64);
    let near = rounding.apply(Prim::Gt, &[float(0.1, 0.2), float(0.0, 0.0)]).unwrap();
    let far = rounding.apply(Prim::Gt, &[float(0.3, 0.2), float(0.0, 0.0)]).unwrap();
    assert!(near.is_free() && far.error == 0.0);
    check(DType::F64, Prim::Select, &[near, float(1.0, 0.0), float(-2.0, 0.5)], Scalar::Float(1.0), 3.5..3.6);
    check(
        DType::F64,
        Prim::Select,
        &[far, float(1.0, 0.0), float(-2.0, 0.5)],
        Scalar::Float(1.0),
        0.0..1e-30,
    );
}

#[test]
fn overflow_on_the_way_frees_the_result() {
    let large = float(1e30, 0.0);
    assert!(Rounding::new(DType::F32).apply(Prim::Mul, &[large, large]).unwrap().is_free());
    assert!(!Rounding::new(DType::F64).apply(Prim::Mul, &[large, large]).unwrap().is_free());
    assert!(
        Rounding::new(DType::F32)
            .apply(Prim::Mul, &[float(0.0, 0.0), float(1e39, f64::INFINITY)])
            .unwrap()
            .is_free()
    );
}

#[test]
fn a_half_may_overflow_on_either_side_that_the_bound_reaches() {
    let judged = |stored: f64, value: f64, error: f64| {
        let found = TensorData::scalar(stored).cast(DType::F16);
        let shape = found.shape().clone();
        let expected = Evaluated { shape, kind: Kind::Float, values: vec![float(value, error)] };
        compare(&found, &expected).unwrap().is_ok()
    };
    assert!(judged(f64::NEG_INFINITY, 4e4, 2e5));
    assert!(judged(f64::INFINITY, 4e4, 3e4));
    assert!(!judged(f64::NEG_INFINITY, 4e4, 3e4));
}

#[test]
fn sums_add_a_rounding_for_each_term() {
    let terms = vec![float(1.0, 0.0), float(-1.0, 0.0), float(2.0, 0.0)];
    let sum = Rounding::new(DType::F32).fold(Fold::Sum, &mut terms.into_iter(), Kind::Float).unwrap();
    let unit = 2f64.powi(-24);
    assert!(sum.value == Scalar::Float(2.0) && (12.0 * unit..12.01 * unit).contains(&sum.error), "{sum:?}");
    let none = Rounding::new(DType::F32).fold(Fold::Sum, &mut std::iter::empty(), Kind::Float).unwrap();
    assert_eq!(none.error.to_bits(), 0.0f64.to_bits());
    let close = vec![float(1.0, 0.1), float(1.05, 0.1), float(0.0, 0.0)];
    let position = Rounding::new(DType::F32).fold(Fold::ArgMax, &mut close.into_iter(), Kind::Int).unwrap();
    assert!(position.is_free());
}

#[test]
fn spacing_of_the_formats() {
    for (dtype, one, least) in
        [(DType::F32, 2f64.powi(-23), 2f64.powi(-149)), (DType::F16, 2f64.powi(-10), 2f64.powi(-24))]
    {
        let format = Format::of(dtype);
        assert_eq!(
            [format.ulp(1.0), format.ulp(-1.5), format.ulp(0.0), format.ulp(2.0)],
            [one, one, least, 2.0 * one]
        );
        assert_eq!(format.round(format.max), format.max);
        assert_eq!(format.round(format.overflow()), f64::INFINITY);
    }
    assert_eq!(Format::of(DType::BF16).round(Format::of(DType::BF16).max), Format::of(DType::BF16).max);
}

#[test]
fn intervals_over_periods_and_jumps_have_the_whole_range() {
    let wide = float(1.0, 100.0);
    let found = Rounding::new(DType::F64).apply(Prim::Sin, &[wide]).unwrap();
    assert!((1.8..1.9).contains(&found.error), "{found:?}");
    check(DType::F64, Prim::Rem, &[float(5.0, 1e-9), float(2.5, 0.0)], Scalar::Float(0.0), 2.5..2.6);
    let rounding = Rounding::new(DType::F64);
    let equal = |a, b| rounding.apply(Prim::Eq, &[a, b]).unwrap().is_free();
    assert!(equal(float(1.0, 0.1), float(1.15, 0.1)) && equal(float(1.0, 0.0), float(1.0, 1e-16)));
    assert!(!equal(float(1.0, 0.1), float(1.25, 0.1)) && !equal(float(1.0, 0.0), float(1.0, 0.0)));
    assert!(!equal(float(f64::NAN, 0.0), float(1.0, 0.1)));
}

#[test]
fn zeros_have_a_sign_where_arithmetic_says_it() {
    let rounding = Rounding::new(DType::F32);
    let is_signed = |prim: Prim, args: &[Bounded]| {
        let found = rounding.apply(prim, args).unwrap();
        assert_eq!(found.value.as_f64(), 0.0);
        found.error == 0.0
    };
    let [zero, negative_zero, near, far] =
        [(0.0, 0.0), (-0.0, 0.0), (0.1, 0.2), (-3.0, 0.2)].map(|(x, e)| float(x, e));
    assert!(is_signed(Prim::Neg, &[zero]) && is_signed(Prim::Abs, &[negative_zero]));
    assert!(is_signed(Prim::Mul, &[negative_zero, far]) && !is_signed(Prim::Mul, &[zero, near]));
    assert!(
        is_signed(Prim::Maximum, &[zero, float(-3.0, 0.0)])
            && !is_signed(Prim::Maximum, &[zero, negative_zero])
    );
    assert!(is_signed(Prim::Tanh, &[negative_zero]) && !is_signed(Prim::Round, &[near]));
    assert!(!is_signed(Prim::Sub, &[far, far]) && !is_signed(Prim::Add, &[zero, zero]));
    let sum = |terms: Vec<Bounded>| {
        rounding.fold(Fold::Sum, &mut terms.into_iter(), Kind::Float).unwrap().error == 0.0
    };
    assert!(sum(vec![]) && sum(vec![zero, zero]) && !sum(vec![negative_zero]));
}

#[test]
fn what_is_below_the_normal_numbers_may_be_flushed() {
    let (tiny, small, one) = (float(1e-40, 0.0), float(1e-20, 0.0), float(1.0, 0.0));
    let bound = |rounding: Rounding, prim: Prim, args: &[Bounded]| rounding.apply(prim, args).unwrap().error;
    let [kept, flushed] = [Rounding::new(DType::F32), Rounding::new(DType::F32).of_shaders()];
    let of_product = [kept, flushed].map(|rounding| bound(rounding, Prim::Mul, &[small, small]));
    assert!(of_product[0] < 1e-44 && of_product[1] == 1e-40, "{of_product:?}");
    let of_argument = [kept, flushed].map(|rounding| {
        let tiny = rounding.input(tiny.value);
        bound(rounding, Prim::Sqrt, &[tiny])
    });
    assert!(of_argument[0] < 1e-26 && of_argument[1] >= 1e-20, "{of_argument:?}");
    // Zeros keep their sign, and numbers their digits.
    assert_eq!(bound(flushed, Prim::Neg, &[float(0.0, 0.0)]), 0.0);
    assert!(bound(flushed, Prim::Sqrt, &[one]) < 1e-6);
    assert!(bound(Rounding::new(DType::F64).of_shaders(), Prim::Mul, &[small, small]) < 1e-55);
}

#[test]
fn exponentials_of_shaders_are_further_off_far_from_zero() {
    let ulps = |x: f64| {
        let [own, of_shaders] = [Rounding::new(DType::F32), Rounding::new(DType::F32).of_shaders()]
            .map(|rounding| rounding.apply(Prim::Exp, &[float(x, 0.0)]).unwrap().error);
        of_shaders / own
    };
    assert!(ulps(0.0) == 1.0 && (7.6..7.7).contains(&ulps(-10.0)), "{} {}", ulps(0.0), ulps(-10.0));
}
