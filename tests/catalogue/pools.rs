//! Options of pools and of convolutions that no exam has. All numbers are those of PyTorch 2.15 in f64.

use super::check::{assert_near, check, numbers, tensor};
use tensor_op::catalogue::convolution::conv_tbc;
use tensor_op::catalogue::pooling::{
    avg_pool1d, avg_pool2d, avg_pool3d, lp_pool1d, lp_pool2d, lp_pool3d, max_pool1d_with_indices, max_pool2d,
    max_pool2d_with_indices, max_unpool1d,
};
use tensor_op::prelude::*;

fn counted(shape: &[usize]) -> Tensor {
    let count: usize = shape.iter().product();
    tensor(&(0..count).map(|x| x as f64).collect::<Vec<_>>(), shape)
}

#[test]
fn a_last_window_may_end_outside() -> Result<()> {
    check(
        |x| lp_pool2d(x, 2, 2, 2, true),
        &tensor(&[3.0, 4.0, 0.0, 0.0, 0.0, 5.0, 6.0, 8.0, 2.0], &[1, 3, 3]),
        &numbers("5.0 7.0710678118654755 14.142135623730951 4.0"),
        &numbers("0.6 0.8 0.0 0.0 0.0 1.414213562373095 0.848528137423857 1.131370849898476 2.0"),
    );
    assert_near(&lp_pool1d(counted(&[1, 3]), 1, 2, None, true)?.to_vec::<f64>()?, &[1.0, 4.0]);
    let found = lp_pool3d(counted(&[2, 2, 2]), 1, [1, 2, 2], [2, 1, 1], true)?;
    assert_near(&found.to_vec::<f64>()?, &[6.0]);
    assert_near(&avg_pool1d(counted(&[1, 3]), 2, 2, 0, true, None)?.to_vec::<f64>()?, &[0.5, 2.0]);
    Ok(())
}

#[test]
fn means_count_what_they_are_told_to() -> Result<()> {
    let x = counted(&[1, 1, 3, 3]);
    let all = avg_pool2d(&x, 2, 2, 1, true, true, None)?;
    assert_near(&all.to_vec::<f64>()?, &[0.0, 0.75, 2.25, 6.0]);
    let inside = avg_pool2d(&x, 2, 2, 1, true, false, None)?;
    assert_near(&inside.to_vec::<f64>()?, &[0.0, 1.5, 4.5, 6.0]);
    let thirds = avg_pool2d(&x, [2, 1], [2, 1], 0, true, true, 3)?;
    let wanted =
        numbers("1.0 1.6666666666666667 2.3333333333333335 2.0 2.3333333333333335 2.6666666666666665");
    assert_near(&thirds.to_vec::<f64>()?, &wanted);
    let found = avg_pool3d(counted(&[2, 2, 2]), [2, 1, 2], [1, 2, 1], [1, 0, 1], true, false, None)?;
    assert_near(&found.to_vec::<f64>()?, &[0.0, 0.5, 1.0, 2.0, 2.5, 3.0, 4.0, 4.5, 5.0]);
    Ok(())
}

#[test]
fn windows_of_minus_infinity_have_a_place() -> Result<()> {
    let x = tensor(&[f64::NEG_INFINITY; 3], &[1, 3]);
    let (best, place) = max_pool1d_with_indices(&x, 2, 1, 1, None, None)?;
    assert_eq!(place.to_vec::<i64>()?, [0, 0, 1, 2]);
    assert_eq!(max_unpool1d(best, place, 3)?.shape().to_vec(), [1, 3]);
    let (_, place) = max_pool1d_with_indices(&x, 2, 1, 1, 2, None)?;
    assert_eq!(place.to_vec::<i64>()?, [1, 0, 1]);
    let x = tensor(&[f64::NEG_INFINITY; 9], &[1, 3, 3]);
    let (_, place) = max_pool2d_with_indices(&x, [2, 2], 2, [1, 0], None, None)?;
    assert_eq!(place.to_vec::<i64>()?, [0, 3]);
    Ok(())
}

#[test]
fn windows_that_fit_nowhere_are_errors() {
    let x = counted(&[1, 3, 3]);
    for found in [max_pool2d(&x, 2, 0, None, None, None), max_pool2d(&x, 5, 1, None, None, None)] {
        let error = found.unwrap_err().to_string();
        assert!(error.starts_with("max_pool2d: "), "{error}");
    }
}

#[test]
fn convolutions_over_time() {
    let weight = tensor(&(-5..7).map(f64::from).collect::<Vec<_>>(), &[2, 3, 2]);
    check(
        |x| conv_tbc(x, &weight, tensor(&[1.0, -1.0], &[2]), 1),
        &counted(&[4, 1, 3]),
        &[14.0, 15.0, 36.0, 49.0, 36.0, 67.0, 36.0, 85.0, -85.0, -57.0],
        &[-6.0, 2.0, 10.0, -6.0, 2.0, 10.0, -6.0, 2.0, 10.0, -6.0, 2.0, 10.0],
    );
}
