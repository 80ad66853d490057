//! Values and gradients of functions of numbers and of rows where no exam has a sample, and what is refused.
//! All numbers are those of PyTorch 2.15 in f64, where no comment says otherwise.

use super::check::{assert_near, check, tensor};
use tensor_op::Reduction;
use tensor_op::catalogue::calculus::{Spacing, cumulative_trapezoid, gradient, trapezoid};
use tensor_op::catalogue::logic::{allclose, isneginf, isposinf};
use tensor_op::catalogue::losses::linear_cross_entropy;
use tensor_op::catalogue::math::{angle, float_power, ldexp, logaddexp2, sgn};
use tensor_op::catalogue::nn::{safe_softmax, softmin};
use tensor_op::catalogue::product::{corrcoef, cov};
use tensor_op::catalogue::random::{dropout1d, dropout2d, dropout3d};
use tensor_op::catalogue::reduce::{dist, std_mean, vector_norm};
use tensor_op::catalogue::windows::{
    bartlett_window, blackman_window, cosine, gaussian, hamming_window, hann_window, kaiser_window,
};
use tensor_op::prelude::*;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;
/// Two rows of three points.
const X: [f64; 6] = [0.5, -1.25, 2.0, 0.75, -0.5, 1.5];

fn vector(values: &[f64]) -> Tensor {
    tensor(values, &[values.len()])
}

/// The call is an `Err` whose message has these words.
#[track_caller]
fn refused<T: std::fmt::Debug>(found: Result<T>, words: &[&str]) {
    let error = found.expect_err("it is refused").to_string();
    assert!(words.iter().all(|word| error.contains(word)), "{error}");
}

#[test]
fn powers_of_two() -> Result<()> {
    let (x, other) = (vector(&[0.75, -3.0, 0.0]), vector(&[3.0, -2.0, 2000.0]));
    check(|x| ldexp(x, &other), &x, &[6.0, -0.75, NAN], &[8.0, 0.25, INF]);
    let other = vector(&[2000.0, -INF, 1.0, INF]);
    let slopes = [0.5, 1.0, 0.8, 0.0];
    check(
        |x| logaddexp2(x, &other),
        &vector(&[2000.0, 1.0, 3.0, 0.0]),
        &[2001.0, 1.0, 10_f64.log2(), INF],
        &slopes,
    );
    assert_eq!(logaddexp2(vector(&[-INF]), vector(&[-INF]))?.item::<f64>()?, -INF);
    Ok(())
}

#[test]
fn signs_and_angles() -> Result<()> {
    let pi = std::f64::consts::PI;
    check(
        |x| angle(x),
        &vector(&[-2.0, 0.0, -0.0, 3.0, NAN, -INF]),
        &[pi, 0.0, 0.0, 0.0, NAN, pi],
        &[0.0; 6],
    );
    check(|x| sgn(x), &vector(&[-2.0, 0.0, 3.0]), &[-1.0, 0.0, 1.0], &[0.0; 3]);
    let x = vector(&[1.0, INF, -INF, NAN]);
    assert_eq!(isposinf(&x)?.to_vec::<bool>()?, [false, true, false, false]);
    assert_eq!(isneginf(&x)?.to_vec::<bool>()?, [false, false, true, false]);
    Ok(())
}

#[test]
fn powers_in_f64() -> Result<()> {
    let exponent = vector(&[2.0, 0.5, -1.0]);
    check(|x| float_power(x, &exponent), &vector(&[3.0, 4.0, 0.0]), &[9.0, 2.0, INF], &[6.0, 0.25, -INF]);
    let ints = float_power(tensor(&[2_i32, -3], &[2]), tensor(&[3_i32, -1], &[2]))?;
    assert_near(&ints.to_vec::<f64>()?, &[8.0, -1.0 / 3.0]);
    refused(float_power(vector(&[1.0; 2]), vector(&[1.0; 3])), &["float_power"]);
    Ok(())
}

#[test]
fn closeness_of_tensors() -> Result<()> {
    let close = |x: &[f64], y: &[f64], atol: Option<f64>, nan: bool| {
        allclose(vector(x), vector(y), None, atol, nan)?.item::<bool>()
    };
    assert!(!close(&[1.0, NAN], &[1.0, NAN], None, false)?);
    assert!(close(&[1.0, NAN], &[1.0, NAN], None, true)?);
    assert!(close(&[], &[], None, false)?);
    assert!(close(&[INF, 1.0], &[INF, 1.00001], None, false)?);
    assert!(close(&[1.0], &[1.1], Some(0.2), false)? && !close(&[1.0], &[1.1], None, false)?);
    Ok(())
}

#[test]
fn softmaxes_of_the_smallest_and_of_nothing() -> Result<()> {
    let weights = vector(&[1.0, 2.0, 3.0]);
    check(
        |x| softmin(x, 0)? * &weights,
        &vector(&[1.0, 2.0, 4.0]),
        &[0.7053845126982412, 0.5189929206848383, 0.10535708087801919],
        &[0.2325896196618563, -0.17393152103893714, -0.05865809862291915],
    );
    let x = tensor(&[1.0, -INF, 4.0, -INF, -INF, -INF], &[2, 3]);
    let y = safe_softmax(&x, -1)?;
    assert_near(&y.to_vec::<f64>()?, &[0.04742587317756679, 0.0, 0.9525741268224333, 0.0, 0.0, 0.0]);
    check(
        |x| safe_softmax(x, -1)? * &weights,
        &x,
        &[0.04742587317756679, 0.0, 2.8577223804673, 0.0, 0.0, 0.0],
        &[-0.0903533194618243, 0.0, 0.09035331946182379, 0.0, 0.0, 0.0],
    );
    Ok(())
}

#[test]
fn spread_and_mean() -> Result<()> {
    let (std, mean) = std_mean(tensor(&X, &[2, 3]), 1, None)?;
    assert_near(&std.to_vec::<f64>()?, &[1.626601774661928, 1.0103629710818451]);
    assert_near(&mean.to_vec::<f64>()?, &[0.41666666666666663, 0.5833333333333333]);
    Ok(())
}

#[test]
fn norms_of_any_order() {
    let is = |order: f64, value: f64, slopes: [f64; 3], beside_zero: f64, others: [f64; 3]| {
        check(|x| vector_norm(x, order, None), &vector(&[3.0, -4.0, 1.0]), &[value], &slopes);
        check(|x| vector_norm(x, order, None), &vector(&[3.0, 0.0, -4.0]), &[beside_zero], &others);
    };
    let root = 26_f64.sqrt();
    is(1.0, 8.0, [1.0, -1.0, 1.0], 7.0, [1.0, 0.0, -1.0]);
    is(2.0, root, [3.0 / root, -4.0 / root, 1.0 / root], 5.0, [0.6, 0.0, -0.8]);
    is(
        3.0,
        4.514357435474001,
        [0.4416219230355002, -0.7851056409520003, 0.04906910255950002],
        4.497941445275415,
        [0.4448513517305356, 0.0, -0.7908468475209521],
    );
    is(
        -1.0,
        0.6315789473684211,
        [0.044321329639889204, -0.024930747922437678, 0.39889196675900285],
        0.0,
        [0.0, 0.0, 0.0],
    );
    is(INF, 4.0, [0.0, -1.0, 0.0], 4.0, [0.0, 0.0, -1.0]);
    is(-INF, 1.0, [0.0, 0.0, 1.0], 0.0, [0.0, 0.0, 0.0]);
    let count = vector_norm(vector(&[3.0, 0.0, -4.0]), 0, None).and_then(|count| count.item::<f64>());
    assert_eq!(count.expect("it runs"), 2.0);
    let ones = vector(&[1.0, 1.0]);
    check(
        |x| dist(x, &ones, None),
        &vector(&[3.0, -2.0]),
        &[13_f64.sqrt()],
        &[0.5547001962252291, -0.8320502943378437],
    );
    check(|x| dist(x, &ones, -1), &vector(&[3.0, -2.0]), &[1.2], &[0.36, -0.16]);
    refused(dist(&ones, vector(&[1.0; 3]), None), &["dist"]);
}

#[test]
fn areas_under_points() -> Result<()> {
    let (y, points) = (tensor(&X, &[2, 3]), vector(&[0.0, 0.5, 2.0]));
    let weights = [0.25, 1.0, 0.75, 0.25, 1.0, 0.75];
    check(|y| trapezoid(y, &points, None, 1), &y, &[0.375, 0.8125], &weights);
    check(|x| trapezoid(&y, x, None, None), &points, &[0.375, 0.8125], &[0.25, -1.125, 0.875]);
    check(|y| trapezoid(y, None, 0.5, 0), &y, &[0.3125, -0.4375, 0.875], &[0.25; 6]);
    let column = tensor(&[0.0, 2.0], &[2, 1]);
    check(|y| trapezoid(y, &column, None, 0), &y, &[1.25, -1.75, 3.5], &[1.0; 6]);
    assert_eq!(trapezoid(tensor::<f64>(&[], &[2, 0]), None, None, None)?.to_vec::<f64>()?, [0.0; 2]);
    assert_eq!(trapezoid(tensor(&[1.0, 2.0], &[2, 1]), None, None, None)?.to_vec::<f64>()?, [0.0; 2]);
    check(
        |y| cumulative_trapezoid(y, &points, None, 1),
        &y,
        &[-0.1875, 0.375, 0.0625, 0.8125],
        &[0.5, 1.25, 0.75, 0.5, 1.25, 0.75],
    );
    check(|y| cumulative_trapezoid(y, None, 0.5, 0), &y, &[0.3125, -0.4375, 0.875], &[0.25; 6]);
    refused(trapezoid(&y, &points, 0.5, None), &["trapezoid: `dx`", "`x`"]);
    refused(trapezoid(&y, vector(&[0.0, 1.0]), None, None), &["trapezoid"]);
    refused(trapezoid(&y, tensor(&[0.0; 4], &[2, 2]), None, None), &["trapezoid: `x`"]);
    refused(cumulative_trapezoid(&y, None, None, 2), &["cumulative_trapezoid: `dim`: axis 2"]);
    Ok(())
}

/// Each slope is multiplied by a number of its own, so that a gradient tells them apart.
#[test]
fn slopes_at_points() -> Result<()> {
    let (y, points) = (vector(&[0.5, -1.25, 2.0, 0.75, -0.5]), [vector(&[0.0, 0.5, 2.0, 2.25, 4.0])]);
    let weights = vector(&[1.0, -2.0, 3.0, 1.5, 0.5]);
    let is = |spacing: Spacing<'_>, order: usize, values: [f64; 5], slopes: [f64; 5]| {
        check(|y| gradient(y, spacing, None, order)?.remove(0) * &weights, &y, &values, &slopes);
    };
    is(
        Spacing::Points(&points),
        1,
        [-3.5, 4.166666666666666, -11.92857142857143, -6.696428571428571, -0.35714285714285715],
        [1.0, -0.9523809523809521, -15.583333333333334, 15.142857142857142, 0.39285714285714285],
    );
    is(
        Spacing::Points(&points),
        2,
        [-4.916666666666666, 4.166666666666666, -11.92857142857143, -6.696428571428571, 1.517857142857143],
        [0.5, -0.2857142857142856, -14.000000000000002, 13.142857142857142, 0.6428571428571428],
    );
    is(Spacing::Even(0.25), 1, [-7.0, -6.0, 12.0, -7.5, -2.5], [0.0, -2.0, -7.0, 4.0, 5.0]);
    is(Spacing::Even(0.25), 2, [-17.0, -6.0, 12.0, -7.5, -2.5], [-2.0, 2.0, -8.0, 2.0, 6.0]);
    let rows = tensor(&X, &[2, 3]);
    let both = gradient(&rows, Spacing::EvenEach(&[0.5, 2.0]), None, None)?;
    assert_near(&both[0].to_vec::<f64>()?, &[0.5, 1.5, -1.0, 0.5, 1.5, -1.0]);
    assert_near(&both[1].to_vec::<f64>()?, &[-0.875, 0.375, 1.625, -0.625, 0.1875, 1.0]);
    let last = gradient(&rows, Spacing::EvenEach(&[2.0]), -1, None)?;
    assert_near(&last[0].to_vec::<f64>()?, &both[1].to_vec::<f64>()?);
    refused(gradient(&rows, None, None, 3), &["gradient: `edge_order`: is 3"]);
    refused(gradient(&rows, None, 0, 2), &["gradient: `input`: has 2 points along axis 0, and 3"]);
    refused(
        gradient(&rows, Spacing::EvenEach(&[1.0]), None, None),
        &["gradient: `spacing`: has 1", "2 axes"],
    );
    refused(gradient(&rows, Spacing::Points(&points), 1, None), &["gradient", "`points`"]);
    refused(gradient(&rows, None, 2, None), &["gradient: `dim`: axis 2"]);
    Ok(())
}

#[test]
fn variables_vary_together() -> Result<()> {
    let x = tensor(&[1.0, 2.0, 4.0, 0.5, -1.0, 3.0], &[2, 3]);
    let slopes = [-5.0 / 3.0, -13.0 / 6.0, 23.0 / 6.0, -5.0 / 3.0, -13.0 / 6.0, 23.0 / 6.0];
    check(|x| cov(x, None, None, None), &x, &[7.0 / 3.0, 7.0 / 3.0, 7.0 / 3.0, 49.0 / 12.0], &slopes);
    let (counts, weights) = (tensor(&[1_i64, 3, 2], &[3]), vector(&[0.5, 1.0, 2.0]));
    check(
        |x| cov(x, 0, &counts, &weights),
        &x,
        &[1.2, 1.9333333333333333, 1.9333333333333333, 3.695555555555556],
        &[
            -0.3644444444444444,
            -2.586666666666667,
            2.9511111111111115,
            -0.3644444444444444,
            -2.586666666666667,
            2.9511111111111115,
        ],
    );
    let biased = cov(&x, None, &counts, &weights)?.to_vec::<f64>()?;
    assert_near(&biased, &[1.5, 2.4166666666666665, 2.4166666666666665, 4.6194444444444445]);
    let one = vector(&[1.0, 2.0, 4.0]);
    assert_near(
        &[cov(&one, None, None, None)?.item::<f64>()?, cov(&one, 3, None, None)?.item::<f64>()?],
        &[7.0 / 3.0, INF],
    );
    let weights = tensor(&[1.0, 2.0, 3.0, 4.0], &[2, 2]);
    check(
        |x| corrcoef(x)? * &weights,
        &x,
        &[1.0, 1.5118578920369088, 2.267786838055363, 4.0],
        &[
            0.8099238707340584,
            -1.2148858061010877,
            0.40496193536702935,
            -0.9256272808389241,
            0.5785170505243264,
            0.3471102303145976,
        ],
    );
    assert_eq!(corrcoef(&one)?.shape().to_vec(), [0; 0]);
    // A row without variance correlates with nothing.
    let still = corrcoef(tensor(&[1.0, 1.0, 1.0, 2.0], &[2, 2]))?.to_vec::<f64>()?;
    assert_near(&still, &[NAN, NAN, NAN, 1.0]);
    refused(cov(tensor(&[1.0; 8], &[2, 2, 2]), None, None, None), &["cov", "`input`"]);
    refused(cov(&x, None, tensor(&[1_i64, 2], &[2]), None), &["cov", "`fweights`"]);
    Ok(())
}

#[test]
fn a_linear_layer_and_its_loss() {
    let rows = tensor(&[1.0, 2.0, 0.5, -1.0, 2.0, 0.0], &[3, 2]);
    let (bias, weight) = (vector(&[0.0, 1.0, -1.0]), vector(&[1.0, 2.0, 3.0]));
    let single = |x: &Tensor| {
        let class = tensor(&[2_i64], &[]);
        linear_cross_entropy(x, &rows, class, &bias, &weight, Reduction::None, None, None)
    };
    let slopes = [-4.048617708241393, -2.5324214267110485];
    check(single, &vector(&[0.5, -1.0]), &[7.113776219624679], &slopes);
    let shares = tensor(&[0.2, 0.3, 0.5, 1.0, 0.0, 0.0], &[2, 3]);
    check(
        |x| linear_cross_entropy(x, &rows, &shares, None, None, Reduction::Sum, None, 0.1),
        &tensor(&[0.5, -1.0, 2.0, 0.25], &[2, 2]),
        &[3.0597027484054733],
        &[-0.18036887035948163, -0.596622919564434, 0.7604230407362345, -1.5104197094448812],
    );
    let volume: Vec<f64> = (0..12).map(|i| f64::from(i) / 4.0).collect();
    let (volume, classes) = (tensor(&volume, &[3, 2, 2]), tensor(&[0_i64, 2], &[1, 2]));
    check(
        |x| linear_cross_entropy(x, &volume, &classes, None, None, None, 2, None),
        &tensor(&[0.5, -1.0], &[1, 2]),
        &[0.6802696706417346],
        &[0.6798433321701935, 0.6798433321701934],
    );
    let wrong = tensor(&[3_i64], &[1]);
    let found = linear_cross_entropy(tensor(&[0.5; 2], &[1, 2]), &rows, wrong, None, None, None, None, None);
    refused(found, &["linear_cross_entropy"]);
}

#[test]
fn windows_of_all_lengths() -> Result<()> {
    let device = Device::default();
    let f64s = |window: Result<Tensor>| window.and_then(|window| window.to_vec::<f64>());
    for periodic in [true, false] {
        for length in [0, 1] {
            let ones = vec![1.0; length];
            assert_eq!(f64s(hann_window(length, periodic, DType::F64, &device))?, ones);
            assert_eq!(f64s(hamming_window(length, periodic, None, None, DType::F64, &device))?, ones);
            assert_eq!(f64s(blackman_window(length, periodic, DType::F64, &device))?, ones);
            assert_eq!(f64s(bartlett_window(length, periodic, DType::F64, &device))?, ones);
            assert_eq!(f64s(kaiser_window(length, periodic, None, DType::F64, &device))?, ones);
            assert_eq!(f64s(cosine(length, !periodic, DType::F64, &device))?, ones);
            assert_eq!(f64s(gaussian(length, 0.7, !periodic, DType::F64, &device))?, ones);
        }
    }
    refused(hann_window(usize::MAX, None, DType::F64, &device), &["hann_window"]);
    assert_near(&f64s(bartlett_window(5, None, DType::F64, &device))?, &[0.0, 0.4, 0.8, 0.8, 0.4]);
    assert_near(&f64s(bartlett_window(5, false, DType::F64, &device))?, &[0.0, 0.5, 1.0, 0.5, 0.0]);
    assert_near(&f64s(blackman_window(5, false, DType::F64, &device))?[..3], &[0.0, 0.34, 1.0]);
    let (low, high) = (0.10171968770956323, 0.7929398341014605);
    let end = 5.2773441320097665e-05;
    assert_near(&f64s(kaiser_window(5, None, None, DType::F64, &device))?, &[end, low, high, high, low]);
    let symmetric = f64s(kaiser_window(5, false, None, DType::F64, &device))?;
    assert_near(&symmetric, &[end, 0.2156727447589671, 1.0, 0.2156727447589671, end]);
    // Where PyTorch's Bessel function overflows, nothing does here.
    assert_near(&f64s(kaiser_window(3, false, 1e4, DType::F64, &device))?[1..2], &[1.0]);
    let hamming = f64s(hamming_window(5, None, 0.6, 0.3, DType::F64, &device))?;
    assert_near(&hamming[..3], &[0.3, 0.5072949016875158, 0.8427050983124842]);
    assert_near(
        &f64s(cosine(4, false, DType::F64, &device))?[..3],
        &[0.3090169943749474, 0.8090169943749475, 1.0],
    );
    let bell = f64s(gaussian(4, 0.7, false, DType::F64, &device))?;
    assert_near(&bell, &[0.016879884148789926, 0.3604477885978211, 1.0, 0.3604477885978211]);
    Ok(())
}

/// PyTorch draws other numbers. A channel is dropped as a whole, and others are scaled.
#[test]
fn channels_are_dropped() -> Result<()> {
    let x = Tensor::ones([2, 50, 2, 2, 2], DType::F64, &Device::default())?;
    let channels = |y: Result<Tensor>, size: usize| -> Result<usize> {
        let y = y?.to_vec::<f64>()?;
        assert!(y.chunks(size).all(|channel| channel == vec![channel[0]; size]));
        assert!(y.iter().all(|y| *y == 0.0 || *y == 4.0));
        Ok(y.chunks(size).filter(|channel| channel[0] == 0.0).count())
    };
    let dropped = [
        channels(dropout3d(&x, 0.75, 1), 8)?,
        channels(dropout2d(x.reshape([2, 100, 2, 2])?, 0.75, 1), 4)?,
        channels(dropout1d(x.reshape([400, 2])?, 0.75, 1), 2)?,
    ];
    // Of 100, 200 and 400 channels.
    let wanted = [75, 150, 300];
    assert!(dropped.iter().zip(wanted).all(|(found, wanted)| found.abs_diff(wanted) < 25), "{dropped:?}");
    refused(dropout3d(tensor(&[1.0], &[1, 1]), None, None), &["dropout3d", "`input`"]);
    Ok(())
}
