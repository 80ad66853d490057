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
    // An absolute value reaches 0 inside of its interval.
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
    // Zeros keep their sign, and other numbers keep their digits.
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
    assert!((1.3..1.4).contains(&ulps(0.0)) && ulps(-10.0) == 8.0, "{} {}", ulps(0.0), ulps(-10.0));
}

/// The bounds of a graph of floats, in shaders and elsewhere, in units of f32. The graph has the arguments
/// `x0`, `x1`, .. and computes the lines from them.
#[track_caller]
fn arranged(args: &[f64], lines: &str) -> [f64; 2] {
    let mut text = "op f\n".to_string();
    (0..args.len()).for_each(|i| text += &format!("arg x{i}: float[], forward {i}\n"));
    (0..args.len()).for_each(|i| text += &format!("%{i} = input x{i} : float[]\n"));
    let last = args.len() + lines.split("; ").count() - 1;
    lines
        .split("; ")
        .enumerate()
        .for_each(|(i, line)| text += &format!("%{} = {line} : float[]\n", args.len() + i));
    text += &format!("out out = %{last} []");
    let graph = tensor_op_spec::ir::Graph::parse(&text).unwrap();
    let args: Vec<_> = args.iter().map(|x| tensor_op_core::Value::Tensor(TensorData::scalar(*x))).collect();
    let own = tensor_op_core::evaluate(&graph, &args, &Rounding::new(DType::F32)).unwrap();
    let shaders = evaluate_in_shaders(&graph, &args, Rounding::new(DType::F32)).unwrap();
    [shaders, own].map(|results| results[0].values[0].error * 2f64.powi(24))
}

#[track_caller]
fn check_arranged(args: &[f64], lines: &str, units: f64) {
    let [shaders, own] = arranged(args, lines);
    assert!(units <= shaders && shaders < units * 1.0001 && own <= shaders, "{shaders} and {own}");
}

#[test]
fn sums_in_shaders_are_as_far_off_as_all_of_their_terms() {
    // In shaders: two additions of 1 + 1000 + 1000, which cancel. Elsewhere: one addition of 1001 and one of
    // 1.
    check_arranged(&[1.0, 1000.0], "add(%0, %1); sub(%2, %1)", 2.0 * 2001.0);
    assert!(arranged(&[1.0, 1000.0], "add(%0, %1); sub(%2, %1)")[1] < 520.0);
    // Two products that round once each, and two additions of 2 + 12 + 1024.
    let two = "mul(%0, %1); mul(%2, %3); add(%5, %6); sub(%7, %4)";
    check_arranged(&[1.0, 2.0, 3.0, 4.0, 1024.0], two, 14.0 + 2.0 * 1038.0);
    // A negated sum is still a sum, and so is a product of a sum with a factor.
    check_arranged(&[1.0, 1000.0], "add(%0, %1); neg(%2); add(%3, %1)", 2.0 * 2001.0);
    check_arranged(
        &[1.0, 1000.0, 3.0, 3000.0],
        "add(%0, %1); mul(%4, %2); sub(%5, %3)",
        3003.0 + 2.0 * 6003.0,
    );
}

#[test]
fn what_shaders_cannot_rearrange_is_as_sharp_as_elsewhere() {
    for lines in ["add(%0, %1)", "sub(%0, %1)", "sub(%0, %1); exp(%2)", "div(%0, %1); abs(%2)"] {
        let [shaders, own] = arranged(&[1.0, 1.25], lines);
        assert!(
            shaders == own || lines.contains("exp") && shaders < 1.5 * own,
            "{lines}: {shaders} and {own}"
        );
    }
    // The square root of a sum is not a sum.
    let [shaders, own] = arranged(&[1.0, 8.0], "add(%0, %1); sqrt(%2); sub(%3, %0)");
    assert_eq!(shaders, own);
}

#[test]
fn products_in_shaders_are_off_relative_to_themselves() {
    // 1.5 * 1.25 is close to the upper end of its binade. There a unit in the last place is less than the
    // relative rounding error.
    check_arranged(&[1.5, 1.25], "mul(%0, %1)", 1.875);
    check_arranged(&[1.5, 1.25, 1.0625], "mul(%0, %1); mul(%3, %2)", 2.0 * 1.875 * 1.0625);
    // The common factor may be taken out: each product rounds once, and so does the sum, which cancels.
    check_arranged(&[1.5, 1.25, 1.0], "mul(%0, %1); mul(%0, %2); sub(%3, %4)", 1.875 + 1.5 + 0.375);
}

#[test]
fn a_loop_of_shaders_goes_on_in_a_sum_and_stops_at_a_product() {
    let shaders = shaders::Shaders::new(Rounding::new(DType::F32));
    let [one, factor, bias] = [1.0, 1.0, 1024.0].map(|x| shaders.input(Scalar::Float(x)));
    let sum = shaders.fold(Fold::Sum, &mut std::iter::repeat_n(one, 64), Kind::Float).unwrap();
    let units = |prim, args: &[_]| shaders.apply(prim, args).unwrap().bounded.error * 2f64.powi(24);
    let scaled = shaders.apply(Prim::Mul, &[sum, factor]).unwrap();
    let (biased, outside) = (units(Prim::Add, &[sum, bias]), units(Prim::Add, &[scaled, bias]));
    assert!((64.0 * 1088.0..64.1 * 1088.0).contains(&biased), "{biased}");
    assert!((65.0 * 64.0 + 1088.0..66.0 * 64.0 + 1088.0).contains(&outside), "{outside}");
}

#[test]
fn infinities_that_shaders_may_take_out_leave_no_bound() {
    let free = |args: &[f64], lines: &str| arranged(args, lines)[0] == f64::INFINITY;
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let factored = "mul(%0, %1); mul(%0, %2); add(%3, %4)";
    assert!(free(&[inf, 1.0, -1.0], factored) && free(&[inf, 1.0], "add(%0, %1); sub(%2, %0)"));
    assert!(free(&[nan, 1.0], "add(%0, %1); sub(%2, %0)"));
    // One infinity alone stays infinite, and so does the difference of two infinities that are not sums.
    assert!(!free(&[1.0, inf, 1.0], factored) && !free(&[1.0, nan, 1.0], factored));
    assert!(!free(&[inf, 1.0, 2.0], "add(%0, %1); add(%3, %2)") && !free(&[inf, inf], "sub(%0, %1)"));
    // A product of finite factors may be infinite. It is finite if other factors come first, or in a fused
    // sum.
    assert!(free(&[f64::MAX, 0.5, -1.75], factored) && free(&[f64::MAX, -1.75], "mul(%0, %1)"));
    assert!(free(&[f64::MAX, 2.0, 0.25], "mul(%0, %1); mul(%3, %2)"));
    // The sum is finite, but not in every order.
    assert!(free(&[3e38, 2.0], "sub(%1, %0); add(%2, %0); add(%3, %0)"));
}

/// Checks the error that rounded factors add to the last of some nodes, from `%3` on, in roundings of a half.
/// `a[m, k]` is 1 and `x`, `b[k, n]` is 1 and -1, and `gate[m, k]` is `x`.
#[track_caller]
fn check_factors(nodes: &[&str], x: f64, roundings: f64) {
    let last = nodes.len() + 2;
    let dims = if nodes[nodes.len() - 1].ends_with("[m]") { "m" } else { "m, n" };
    let nodes: String = nodes.iter().enumerate().map(|(i, node)| format!("%{} = {node}\n", 3 + i)).collect();
    let text = format!(
        "op f
        dim m named
        dim k named
        dim n named
        arg a: float[m, k], forward 0
        arg b: float[k, n], forward 1
        arg gate: float[m, k], forward 2
        %0 = input a : float[m, k]
        %1 = input b : float[k, n]
        %2 = input gate : float[m, k]
        {nodes}out out = %{last} [{dims}]"
    );
    let graph = tensor_op_spec::ir::Graph::parse(&text).unwrap_or_else(|error| panic!("{text}{error:?}"));
    let tensor = |values: [f64; 2], shape: [usize; 2]| {
        tensor_op_core::Value::Tensor(TensorData::new(values.to_vec(), shape).unwrap())
    };
    let args = [tensor([1.0, x], [1, 2]), tensor([1.0, -1.0], [2, 1]), tensor([x, x], [1, 2])];
    let bound = |factors| {
        let rounding = Rounding::new(DType::F16).with_factors(factors);
        tensor_op_core::evaluate(&graph, &args, &rounding).unwrap()[0].values[0].error
    };
    let half = Format::of(DType::F16);
    let found = (bound(Some(Factors::nearest(half))) - bound(None)) / half.unit();
    let is_close = (found - roundings).abs() <= 0.02 * roundings;
    assert!(found == roundings || is_close, "{nodes}: {found}, not {roundings}");
}

#[test]
fn computed_factors_of_matrices_may_be_rounded() {
    let x = 1.0 + 2f64.powi(-10);
    let sum = |of: usize| format!("sum(%{of}; k) : float[m, n]");
    // Halves are not rounded, but x and x * x may be.
    check_factors(&["mul(%0, %1) : float[m, k, n]", &sum(3)], x, 0.0);
    let gated = ["mul(%0, %2) : float[m, k]", "mul(%3, %1) : float[m, k, n]", &sum(4)];
    check_factors(&gated, x, x + x * x);
    let computed = ["exp(%0) : float[m, k]", "mul(%3, %1) : float[m, k, n]", &sum(4)];
    check_factors(&computed, 1.0, 2.0 * 1f64.exp());
    // A condition is no factor, but its dims are those of the factor that it chooses.
    let chosen = [
        "lt(%1, %1) : bool[k, n]",
        "literal 0 : float[]",
        "literal 1 : float[]",
        "select(%3, %4, %5) : float[k, n]",
        "exp(%0) : float[m, k]",
        "mul(%6, %7) : float[m, k, n]",
        &sum(8),
    ];
    check_factors(&chosen, 1.0, 2.0 * 1f64.exp());
    // A sum may be a factor; it is rounded as a whole. The numbers 1 + x and 2 x are no halves.
    let shifted = ["add(%0, %2) : float[m, k]", "mul(%3, %1) : float[m, k, n]", &sum(4)];
    check_factors(&shifted, x, 1.0 + 3.0 * x);
    // The sum of each row alone is no product of matrices.
    let row = ["mul(%0, %2) : float[m, k]", "exp(%3) : float[m, k]", "sum(%4; k) : float[m]"];
    check_factors(&row, x, 0.0);
    // A computed factor is larger than the largest half.
    check_factors(&gated, 300.0, f64::INFINITY);
}

/// The square of 1 may be rounded to less, so that the int of it is 0.
#[test]
fn what_is_scattered_to_an_uncertain_place_may_be_anywhere() {
    let text = "op f
        dim n named
        dim k named
        arg x: float[n], forward 0
        arg base: float[k], forward 1
        %0 = input x : float[n]
        %1 = input base : float[k]
        %2 = mul(%0, %0) : float[n]
        %3 = cast(%2) : int[n]
        %4 = scatter_add(%0; k = %3) : float[k]
        %5 = add(%4, %1) : float[k]
        out out = %5 [k]";
    let graph = tensor_op_spec::ir::Graph::parse(text).unwrap();
    let tensor = |values: &[f64]| {
        tensor_op_core::Value::Tensor(TensorData::new(values.to_vec(), [values.len()]).unwrap())
    };
    let free = |rounding: Rounding| {
        let found =
            tensor_op_core::evaluate(&graph, &[tensor(&[1.0]), tensor(&[0.0; 3])], &rounding).unwrap();
        found[0].values.iter().map(Bounded::is_free).collect::<Vec<_>>()
    };
    assert_eq!(free(Rounding::new(DType::F32)), [true; 3]);
    assert_eq!(free(Rounding::new(DType::F32).settled()), [false; 3]);
}
