//! Values and gradients of the catalogue where formulas meet: at bounds, zeros, infinities and NaN. All
//! numbers are those of PyTorch 2.15 in f64.

use super::check::{assert_near, tensor as matrix};
use tensor_op::catalogue::activation::{celu, elu, hardsigmoid, hardswish, hardtanh, relu6, selu};
use tensor_op::catalogue::attention::scaled_dot_product_attention;
use tensor_op::catalogue::losses::{
    binary_cross_entropy, gaussian_nll_loss, hinge_embedding_loss, info_nce, margin_ranking_loss, nll_loss,
};
use tensor_op::catalogue::math::{clamp, clamp_max, clamp_min, fmax, fmin, lerp, nan_to_num};
use tensor_op::catalogue::reduce::{norm, p_norm, std, trace};
use tensor_op::catalogue::scan::{cummax, cummin};
use tensor_op::catalogue::select::{index_fill, one_hot, topk_accuracy};
use tensor_op::catalogue::sort::{argsort, kthvalue, msort};
use tensor_op::catalogue::special::{
    bessel_j0, bessel_j1, erfinv, i0, i0e, i1, i1e, log_ndtr, ndtri, polygamma, trigamma, zeta,
};
use tensor_op::prelude::*;
use tensor_op::{Element, Reduction};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

fn tensor<T: Element>(values: &[T]) -> Tensor {
    matrix(values, &[values.len()])
}

/// The op's values at a vector, and the gradient of their sum.
#[track_caller]
fn check(op: impl Fn(&Tensor) -> Result<Tensor>, input: &[f64], values: &[f64], gradient: &[f64]) {
    super::check::check(op, &tensor(input), values, gradient);
}

#[test]
fn activations_at_their_bounds() {
    check(|x| elu(x, None), &[0.0], &[0.0], &[1.0]);
    check(|x| elu(x, 2), &[0.0], &[0.0], &[2.0]);
    check(|x| celu(x, 2), &[0.0], &[0.0], &[1.0]);
    check(|x| selu(x), &[0.0], &[0.0], &[1.7580993408473766]);
    check(|x| relu6(x), &[0.0, 6.0], &[0.0, 6.0], &[0.0, 0.0]);
    check(|x| hardtanh(x, None, None), &[-1.0, 1.0], &[-1.0, 1.0], &[0.0, 0.0]);
    check(|x| hardsigmoid(x), &[-3.0, 3.0], &[0.0, 1.0], &[0.0, 0.0]);
    check(|x| hardswish(x), &[-3.0, 3.0, -3.5, 3.5], &[0.0, 3.0, 0.0, 3.5], &[0.0, 1.0, 0.0, 1.0]);
}

#[test]
fn bounds_and_ties() {
    let ones = tensor(&[1.0, 1.0]);
    check(|x| clamp(x, -1, 1), &[-1.0, 1.0, 0.5], &[-1.0, 1.0, 0.5], &[0.0, 0.0, 1.0]);
    check(|x| clamp(x, 1, -1), &[-2.0, 0.0, 2.0], &[-1.0, -1.0, -1.0], &[0.0, 0.0, 0.0]);
    check(|x| clamp_min(x, 1), &[1.0, 2.0, 0.0], &[1.0, 2.0, 1.0], &[0.0, 1.0, 0.0]);
    check(|x| clamp_max(x, 1), &[1.0, 2.0, 0.0], &[1.0, 1.0, 0.0], &[0.0, 0.0, 1.0]);
    check(|x| fmax(x, &ones), &[1.0, NAN], &[1.0, 1.0], &[0.5, 0.0]);
    check(|x| fmin(x, &ones), &[1.0, NAN], &[1.0, 1.0], &[0.5, 0.0]);
    let end = tensor(&[3.0, 1e16]);
    let weight = tensor(&[1.0, 0.75]);
    check(|x| lerp(x, &end, &weight), &[1e16, 1.0], &[3.0, 7.5e15], &[0.0, 0.25]);
    check(
        |x| nan_to_num(x, None, 9, -9),
        &[NAN, INF, -INF, 2.0],
        &[0.0, 9.0, -9.0, 2.0],
        &[0.0, 0.0, 0.0, 1.0],
    );
}

#[test]
fn log_ndtr_far_below_zero() {
    check(|x| log_ndtr(x), &[0.0], &[-std::f64::consts::LN_2], &[0.7978845608028654]);
    check(
        |x| log_ndtr(x),
        &[-6.0, -10.0],
        &[-20.73676894997471, -53.23128515051248],
        &[6.158482604544627, 10.098093233962576],
    );
    check(
        |x| log_ndtr(x),
        &[-40.0, -100.0],
        &[-804.6084420137539, -5005.524208694205],
        &[40.024968847212364, 100.00999800102034],
    );
    check(|x| log_ndtr(x), &[NAN], &[NAN], &[NAN]);
    let x = matrix(&[-40_f32], &[1]).require_grad();
    let y = log_ndtr(&x).expect("it runs");
    assert!((y.item::<f32>().expect("it has one element") + 804.60846).abs() < 1e-3);
}

#[test]
fn inverses_at_the_ends_of_their_domains() {
    let root = std::f64::consts::PI.sqrt();
    check(
        |x| erfinv(x),
        &[0.0, 1.0, -1.0, 1.5, -1.5, NAN],
        &[0.0, INF, -INF, NAN, NAN, NAN],
        &[0.5 * root, INF, INF, NAN, NAN, NAN],
    );
    check(
        |x| ndtri(x),
        &[0.5, 0.0, 1.0, -0.1, 1.1, NAN, 1e-300],
        &[0.0, -INF, INF, NAN, NAN, NAN, -37.0470962993612],
        &[2.0_f64.sqrt() * root, INF, INF, NAN, NAN, NAN, 2.6973044650428873e298],
    );
}

#[test]
fn bessel_functions_at_zero_and_where_formulas_change() {
    let x = [0.0, 8.0, -8.0, NAN];
    let (zero, one) = (427.56411572180474, 399.8731367825601);
    check(|x| i0(x), &x, &[1.0, zero, zero, NAN], &[0.0, one, -one, NAN]);
    let slope = 377.57997362398476;
    check(|x| i1(x), &x, &[0.0, one, -one, NAN], &[0.5, slope, slope, NAN]);
    // Of these PyTorch has nine digits; the numbers are mpmath's.
    let (zero, one) = (0.1716508071375539, 0.23463634685391463);
    check(|x| bessel_j0(x), &x, &[1.0, zero, zero, NAN], &[0.0, -one, one, NAN]);
    let slope = zero - one / 8.0;
    check(|x| bessel_j1(x), &x, &[0.0, one, -one, NAN], &[0.5, slope, slope, NAN]);
    // PyTorch gives NaN at infinities.
    check(|x| i0(x), &[INF, -INF], &[INF, INF], &[INF, -INF]);
    check(|x| i0e(x), &[0.0, INF, -INF], &[1.0, 0.0, 0.0], &[0.0, 0.0, 0.0]);
    check(|x| i1e(x), &[0.0, INF, -INF], &[0.0, 0.0, 0.0], &[0.5, 0.0, 0.0]);
    // Where the results are infinite, PyTorch's gradient is NaN.
    check(|x| i1(x), &[1e4, -1e4, INF, -INF], &[INF, -INF, INF, -INF], &[INF; 4]);
    // The exponential of these numbers is infinite in f32, and the gradient is not. It is mpmath's.
    let y = matrix(&[89_f32], &[1]).require_grad();
    let gradients = i1(&y).and_then(|z| z.backward()).expect("it runs");
    let slope = gradients[&y].item::<f32>().expect("it is a number");
    assert!((slope / 1.88e37 - 1.0).abs() < 1e-5, "{slope}");
    let x = i0(matrix(&[90_f32], &[1])).and_then(|y| y.item::<f32>()).expect("it runs");
    assert!((x / 5.139238e37 - 1.0).abs() < 1e-5, "{x}");
}

#[test]
fn zeta_and_polygamma_at_their_poles() -> Result<()> {
    let input = tensor(&[1.0, 0.5, 2.0, 2.0, 2.0, NAN, 3.0]);
    let other = tensor(&[2.0, 2.0, 0.0, -1.0, NAN, 1.0, INF]);
    let wanted = [INF, NAN, INF, INF, NAN, NAN, 0.0];
    assert_near(&zeta(&input, &other)?.to_vec::<f64>()?, &wanted);
    check(
        |x| polygamma(0, x),
        &[0.5, -0.5],
        &[-1.9635100260214229, 0.03648997397857645],
        &[4.934802200544679, 8.934802200544679],
    );
    check(
        |x| polygamma(2, x),
        &[0.5, 1e-3],
        &[-16.828796644234316, -2000000002.3976321],
        &[97.40909103400242, 6000000000006.467],
    );
    check(
        |x| trigamma(x),
        &[0.5, -0.5],
        &[4.934802200544679, 8.934802200544679],
        &[-16.828796644234316, -0.8287966442343193],
    );
    Ok(())
}

#[test]
fn norms_and_deviations_of_zeros() {
    check(|x| std(x, None, None), &[2.0, 2.0], &[0.0], &[0.0, 0.0]);
    check(|x| norm(x, None), &[0.0, 0.0], &[0.0], &[0.0, 0.0]);
    check(|x| p_norm(x, INF, None), &[1.0, -2.0, 2.0], &[2.0], &[0.0, -0.5, 0.5]);
    check(|x| p_norm(x, 1, None), &[1.0, 0.0, -2.0], &[3.0], &[1.0, 0.0, -1.0]);
    check(|x| p_norm(x, 3, None), &[0.0, 0.0], &[0.0], &[0.0, 0.0]);
    check(|x| p_norm(x, 0.5, None), &[1.0, 0.0, 4.0], &[9.0], &[3.0, 0.0, 1.5]);
}

#[test]
fn losses_at_their_bounds() {
    let none = Reduction::None;
    let yes = tensor(&[1.0, 0.0, 0.0, 1.0]);
    let bce = |x: &Tensor| binary_cross_entropy(x, &yes, None, none);
    // PyTorch's bound of 1e-12 is that of f32, which is 4e-9 away.
    check(bce, &[0.0, 1.0, 0.0, 1.0], &[100.0, 100.0, 0.0, 0.0], &[-1e12, 1e12, 0.0, 0.0]);
    let yes = tensor(&[1.0, 0.0]);
    check(|x| binary_cross_entropy(x, &yes, None, None), &[0.25, 0.5], &[1.0397207708399179], &[-2.0, 1.0]);
    let sign = tensor(&[1.0, -1.0]);
    let zeros = tensor(&[0.0, 0.0]);
    check(|x| margin_ranking_loss(x, &zeros, &sign, 1, none), &[1.0, -1.0], &[0.0, 0.0], &[0.0, 0.0]);
    let far = tensor(&[-1.0, -1.0]);
    check(|x| hinge_embedding_loss(x, &far, None, none), &[1.0, 0.5], &[0.0, 0.5], &[0.0, -1.0]);
    let (mean, target) = (tensor(&[1.0]), tensor(&[3.0]));
    check(|x| gaussian_nll_loss(&mean, &target, x, None, 0.5, None), &[0.25], &[3.6534264097200273], &[-7.0]);
    let zeros = matrix(&[0.0; 4], &[2, 2]);
    let flat = info_nce(&zeros, &zeros, None).and_then(|loss| loss.item::<f64>());
    assert_near(&[flat.expect("it runs")], &[std::f64::consts::LN_2]);
}

#[test]
fn an_ignored_class_does_not_count() -> Result<()> {
    let (x, none) = (matrix(&[1.0, 2.0, 3.0, 4.0], &[2, 2]), Reduction::None);
    let target = tensor(&[0_i64, -100]);
    assert_eq!(nll_loss(&x, &target, None, None, None)?.item::<f64>()?, -1.0);
    assert_eq!(nll_loss(&x, &target, None, None, none)?.to_vec::<f64>()?, [-1.0, 0.0]);
    assert!(nll_loss(&x, tensor(&[-100_i64, -100]), None, None, None)?.item::<f64>()?.is_nan());
    let weight = tensor(&[1.0, 3.0]);
    assert_eq!(nll_loss(&x, tensor(&[0_i64, 1]), &weight, 0, None)?.item::<f64>()?, -4.0);
    let image = matrix(&[1.0, 2.0, 3.0, 4.0], &[1, 2, 2]);
    let target = matrix(&[1_i64, 0], &[1, 2]);
    assert_eq!(nll_loss(&image, &target, None, None, none)?.to_vec::<f64>()?, [-3.0, -2.0]);
    Ok(())
}

#[test]
fn a_query_that_sees_no_key_gets_zeros() -> Result<()> {
    let q = matrix(&[1.0, 0.0, 0.0, 1.0], &[2, 2]).require_grad();
    let k = matrix(&[1.0, 2.0, 3.0, 4.0], &[2, 2]).require_grad();
    let v = matrix(&[1.0, 2.0, 3.0, 4.0], &[2, 2]).require_grad();
    let mask = matrix(&[0.0, 0.0, -INF, -INF], &[2, 2]);
    let y = scaled_dot_product_attention(&q, &k, &v, &mask, None, None, None, None, None)?;
    let slopes = y.backward_with(&y.ones_like()?)?;
    let slope = |x: &Tensor| slopes.get(x).expect("it is tracked").to_vec::<f64>();
    assert_near(&y.to_vec::<f64>()?, &[2.6088593650139136, 3.608859365013914, 0.0, 0.0]);
    assert_near(&slope(&q)?, &[0.8899508396438851, 0.889950839643885, 0.0, 0.0]);
    assert_near(&slope(&k)?, &[-0.4449754198219432, 0.0, 0.44497541982194283, 0.0]);
    assert_near(
        &slope(&v)?,
        &[0.19557031749304313, 0.19557031749304313, 0.8044296825069569, 0.8044296825069569],
    );
    Ok(())
}

#[test]
fn indices_of_extremes_and_classes() -> Result<()> {
    let x = tensor(&[1.0, NAN, 3.0, NAN, 2.0]);
    assert_eq!(cummax(&x, 0)?.1.to_vec::<i64>()?, [0, 1, 1, 3, 3]);
    assert_eq!(cummin(&x, 0)?.1.to_vec::<i64>()?, [0, 1, 1, 3, 3]);
    let share = |logits: [f64; 2], class: i64| {
        topk_accuracy(matrix(&logits, &[1, 2]), tensor(&[class]), None)?.item::<f64>()
    };
    assert_eq!([share([1.0, 1.0], 0)?, share([1.0, 1.0], 1)?], [1.0, 0.0]);
    assert_eq!([share([NAN, NAN], 0)?, share([1.0, NAN], 0)?, share([NAN, 1.0], 0)?], [0.0, 0.0, 0.0]);
    Ok(())
}

#[test]
fn indices_out_of_range_are_errors() -> Result<()> {
    assert_eq!(one_hot(tensor(&[2_i64, 0]), 3)?.to_vec::<i64>()?, [0, 0, 1, 1, 0, 0]);
    assert!(one_hot(tensor(&[3_i64]), 3).is_err() && one_hot(tensor(&[-1_i64]), 3).is_err());
    let x = tensor(&[1.0, 2.0, 3.0]);
    assert_eq!(index_fill(&x, 0, tensor(&[-1_i64, 0, 0]), 9)?.to_vec::<f64>()?, [9.0, 2.0, 9.0]);
    assert!(index_fill(&x, 0, tensor(&[3_i64]), 9).is_err());
    Ok(())
}

#[test]
fn matrices_that_are_not_square_have_a_trace() -> Result<()> {
    let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    assert_eq!(trace(matrix(&values, &[2, 3]))?.item::<f64>()?, 6.0);
    assert_eq!(trace(matrix(&values, &[3, 2]))?.item::<f64>()?, 5.0);
    Ok(())
}

#[test]
fn ints_are_sorted() -> Result<()> {
    let x = tensor(&[3_i32, -1, 2]);
    assert_eq!(argsort(&x, None, true)?.to_vec::<i64>()?, [0, 2, 1]);
    assert_eq!(msort(&x)?.to_vec::<i32>()?, [-1, 2, 3]);
    let (value, place) = kthvalue(&x, 2, None)?;
    assert_eq!((value.item::<i32>()?, place.item::<i64>()?), (2, 2));
    Ok(())
}
