//! Windows: indices that are known without reading anything. Each op is generated with its tests; the
//! examples below are compared with numbers that were worked out by hand or by PyTorch.

use tensor_op::prelude::*;

/// A convolution in two dims, as PyTorch defines it, with one group.
#[tensor_op]
fn conv2d(
    x: Tensor![b, c, h, w],
    weight: Tensor![o, c, kh, kw],
    #[default(1)] stride: usize,
    #[default(0)] pad: usize,
    #[default(1)] dilation: usize,
) -> Tensor![
    b,
    o,
    ho = (h + 2 * pad - dilation * (kh - 1) - 1) / stride + 1,
    wo = (w + 2 * pad - dilation * (kw - 1) - 1) / stride + 1
] {
    let windows =
        at(x, h = ho * stride + kh * dilation - pad, w = wo * stride + kw * dilation - pad, or = 0.0);
    sum(windows * weight, (c, kh, kw))
}

/// The largest element of each window.
#[tensor_op]
fn max_pool(
    x: Tensor![b, c, n],
    k: usize,
    stride: usize,
    #[default(0)] pad: usize,
) -> Tensor![b, c, o = (n + 2 * pad - k) / stride + 1] {
    max(at(x, n = o * stride + iota(k) - pad, or = -INFINITY), k)
}

/// Backwards.
#[tensor_op]
fn flip(x: Tensor![m, n]) -> Tensor![m, n] {
    at(x, n = len(n) - 1 - n)
}

#[tensor_op]
fn diagonal(x: Tensor![m, n]) -> Tensor![d = n] {
    at(x, m = d, n = d)
}

#[tensor_op]
fn diff(x: Tensor![m, n]) -> Tensor![m, o = n - 1] {
    at(x, n = o + 1) - at(x, n = o)
}

/// The adjoint of a convolution with a stride.
#[tensor_op]
fn conv_transpose1d(
    x: Tensor![b, c, n],
    weight: Tensor![c, o, k],
    stride: usize,
) -> Tensor![b, o, l = (n - 1) * stride + k] {
    sum(at(x, n = div_exact(l - k, stride), or = 0.0) * weight, (c, k))
}

/// Both values outside are seen: that of the last index is around that of the first.
#[tensor_op]
fn two_borders(x: Tensor![m, n]) -> Tensor![i = m + 2, j = n + 2] {
    at(at(x, m = i - 1, or = 1.0), n = j - 1, or = 2.0)
}

/// Each element twice, moved by one more place in each row. A row is read twice.
#[tensor_op]
fn centered_rows(x: Tensor![n], r: usize) -> Tensor![r, o = 2 * n] {
    let spread = at(x, n = div_exact(o + iota(r), 2), or = 0.5);
    spread - mean(spread, o)
}

/// A factor without the dim of the window is not read where the window is outside.
#[tensor_op]
fn weighted(x: Tensor![c, t], w: Tensor![c, k]) -> Tensor![c, t] {
    sum(at(x, t = t + k - 1, or = 0.0) * w, k)
}

fn device() -> Device {
    Device::default()
}

fn tensor(shape: &[usize], scale: f64) -> Tensor {
    let count: usize = shape.iter().product();
    let values: Vec<f64> = (0..count).map(|i| ((i * 37 + i / 5) % 23) as f64 * scale - 1.0).collect();
    Tensor::from_vec(values, shape.to_vec(), &device()).expect("as many values as the shape")
}

#[test]
fn shapes_and_values() -> Result<()> {
    let x = Tensor::from_vec(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3], &device())?;
    assert_eq!(flip(&x)?.to_vec::<f64>()?, [3.0, 2.0, 1.0, 6.0, 5.0, 4.0]);
    assert_eq!(diff(&x)?.to_vec::<f64>()?, [1.0, 1.0, 1.0, 1.0]);
    let y = tensor(&[1, 1, 5, 4], 0.5);
    let w = tensor(&[2, 1, 3, 3], 0.25);
    assert_eq!(conv2d(&y, &w, 2, 1, 1)?.shape().to_vec(), [1, 2, 3, 2]);
    Ok(())
}

/// Numbers that the dtype of the source does not have.
#[tensor_op]
fn shifted_ids(x: IntTensor![n]) -> (BoolTensor![o = n + 1], IntTensor![o]) {
    let y = at(x, n = o - 1, or = -1);
    (y < 0, y)
}

/// An argument that moves to either side.
#[tensor_op]
fn shift(x: Tensor![n], by: i64) -> Tensor![n] {
    at(x, n = n - by, or = 0.0)
}

/// Along an axis that another argument broadcasts.
#[tensor_op]
fn reversed_sum(x: Tensor, y: Tensor, axis: Axis) -> Tensor {
    at(x, axis = len(axis) - 1 - axis) + y
}

#[tensor_op]
fn shifted_sum(x: Tensor, y: Tensor, axis: Axis) -> Tensor {
    at(x, axis = axis - 1, or = 0.0) + y
}

/// An index from memory, and one that is known; outside of either there is a value of the call.
#[tensor_op]
fn patches(x: Tensor![m, n], ids: IntTensor![b], fill: f64) -> Tensor![b, k = 2] {
    at(x, m = ids, n = b + k, or = fill)
}

#[tensor_op]
fn crop(x: Tensor![n], start: usize, end: usize) -> Tensor![o = end - start] {
    at(x, n = o + start)
}

#[tensor_op]
fn symmetric(x: Tensor![n, m = n]) -> Tensor![n, m] {
    x + at(x, n = 0)
}

#[test]
fn values_outside_are_computed_in_full() -> Result<()> {
    let ids = Tensor::from_vec(vec![3_u8, 200], [2], &device())?;
    let (is_negative, ids) = shifted_ids(&ids)?;
    assert_eq!(is_negative.to_vec::<bool>()?, [true, false, false]);
    assert_eq!(ids.to_vec::<u8>()?, [255, 3, 200]);
    Ok(())
}

#[test]
fn integer_arguments_may_be_negative() -> Result<()> {
    let x = Tensor::from_vec(vec![1.0, 2.0, 3.0], [3], &device())?.require_grad();
    assert_eq!(shift(&x, 1)?.to_vec::<f64>()?, [0.0, 1.0, 2.0]);
    assert_eq!(shift(&x, -2)?.to_vec::<f64>()?, [3.0, 0.0, 0.0]);
    assert_eq!(shift(&x, -9)?.to_vec::<f64>()?, [0.0; 3]);
    let seed = Tensor::from_vec(vec![5.0, 6.0, 7.0], [3], &device())?;
    let gradients = shift(&x, -2)?.backward_with(&seed)?;
    assert_eq!(gradients.get(&x).expect("a gradient").to_vec::<f64>()?, [0.0, 0.0, 5.0]);
    shift(&x, i64::MIN).expect_err("no number for the position");
    Ok(())
}

#[test]
fn a_source_is_broadcast_along_its_axis() -> Result<()> {
    let x = Tensor::from_vec(vec![1.0, 2.0], [1, 2], &device())?;
    let y = Tensor::zeros([3, 2], DType::F64, &device())?;
    assert_eq!(reversed_sum(&x, &y, 0)?.to_vec::<f64>()?, [1.0, 2.0, 1.0, 2.0, 1.0, 2.0]);
    assert_eq!(shifted_sum(&x, &y, 0)?.to_vec::<f64>()?, [0.0, 0.0, 1.0, 2.0, 1.0, 2.0]);
    Ok(())
}

#[test]
fn either_index_may_be_outside() -> Result<()> {
    let x = Tensor::from_vec(vec![1.0, 2.0, 3.0, 4.0], [2, 2], &device())?;
    let ids = Tensor::from_vec(vec![1_i64, -1], [2], &device())?;
    assert_eq!(patches(&x, &ids, 9.0)?.to_vec::<f64>()?, [3.0, 4.0, 9.0, 9.0]);
    let ids = Tensor::from_vec(vec![0_i64, 1], [2], &device())?;
    assert_eq!(patches(&x, &ids, 9.0)?.to_vec::<f64>()?, [1.0, 2.0, 4.0, 9.0]);
    // An index from memory needs elements to read.
    patches(Tensor::zeros([0, 2], DType::F64, &device())?, &ids, 9.0).expect_err("an empty dim");
    Ok(())
}

#[test]
fn wrong_sizes_are_errors_with_their_numbers() -> Result<()> {
    let x = Tensor::from_vec(vec![1.0, 2.0, 3.0], [3], &device())?;
    assert_eq!(crop(&x, 1, 3)?.to_vec::<f64>()?, [2.0, 3.0]);
    assert!(crop(&x, 4, 4)?.to_vec::<f64>()?.is_empty());
    let text = |result: Result<Tensor>| result.expect_err("a mistake").to_string();
    let negative = text(crop(&x, 2, 1));
    assert!(
        negative.contains("has the size end - start, and with start = 2, end = 1 that is -1"),
        "{negative}"
    );
    let outside = text(crop(&x, 2, 5));
    assert!(outside.contains("has size 3, so that index 2 to 4 is out of range"), "{outside}");
    let oblong = text(symmetric(Tensor::zeros([2, 3], DType::F64, &device())?));
    assert!(oblong.contains("is 3, but 2 as declared: m = n"), "{oblong}");
    Ok(())
}

#[tensor_op]
fn around(x: Tensor![n], #[default(2)] before: i64, m: usize) -> Tensor![m] {
    at(x, n = wrap(iota(m) - before))
}

#[tensor_op]
fn to_the_ends(x: Tensor![n], #[default(2)] before: i64, m: usize) -> Tensor![m] {
    at(x, n = clamp(iota(m) - before))
}

#[tensor_op]
fn mirrored(x: Tensor![n], #[default(2)] before: i64, m: usize) -> Tensor![m] {
    at(x, n = reflect(iota(m) - before))
}

/// `or` is for the index that may be outside; an index from memory is brought inside like any other.
#[tensor_op]
fn one_of_two(x: Tensor![m, n], ids: IntTensor![b]) -> Tensor![b, k = 3] {
    at(x, m = reflect(ids), n = k - 1, or = 9.0)
}

#[test]
fn indices_are_brought_inside() -> Result<()> {
    let x = Tensor::from_vec(vec![0.0, 1.0, 2.0, 3.0], [4], &device())?;
    let values = |result: Result<Tensor>| result?.to_vec::<f64>();
    assert_eq!(values(around(&x, 5, 13))?, [3., 0., 1., 2., 3., 0., 1., 2., 3., 0., 1., 2., 3.]);
    assert_eq!(values(to_the_ends(&x, 5, 13))?, [0., 0., 0., 0., 0., 0., 1., 2., 3., 3., 3., 3., 3.]);
    assert_eq!(values(mirrored(&x, 5, 13))?, [1., 2., 3., 2., 1., 0., 1., 2., 3., 2., 1., 0., 1.]);
    assert_eq!(values(mirrored(&x, 600, 2))?, [0., 1.]);
    let table = Tensor::from_vec(vec![1.0, 2.0, 3.0, 4.0], [2, 2], &device())?;
    let ids = Tensor::from_vec(vec![2_i64, -3], [2], &device())?;
    assert_eq!(values(one_of_two(&table, &ids))?, [9.0, 1.0, 2.0, 9.0, 3.0, 4.0]);
    let one = Tensor::from_vec(vec![7.0], [1], &device())?;
    let none = Tensor::zeros([0], DType::F64, &device())?;
    let all = |x: &Tensor, before: i64, m: usize| {
        [around(x, before, m), to_the_ends(x, before, m), mirrored(x, before, m)]
    };
    for result in all(&one, 3, 5) {
        assert_eq!(values(result)?, [7.0; 5]);
    }
    for result in all(&none, 0, 2) {
        result.expect_err("no element to read");
    }
    Ok(())
}

#[test]
fn a_border_of_a_border() -> Result<()> {
    let x = Tensor::from_vec(vec![5.0_f64], [1, 1], &device())?;
    let y = two_borders(&x)?.to_vec::<f64>()?;
    assert_eq!(y, [2.0, 1.0, 2.0, 2.0, 5.0, 2.0, 2.0, 1.0, 2.0]);
    Ok(())
}

#[test]
fn rows_between_elements() -> Result<()> {
    let x = Tensor::from_vec(vec![1.0_f64, 3.0], [2], &device())?;
    let rows = [[1.0, 0.5, 3.0, 0.5], [0.5, 3.0, 0.5, 0.5], [3.0, 0.5, 0.5, 0.5]];
    let centered = rows.map(|row: [f64; 4]| row.map(|value| value - row.iter().sum::<f64>() / 4.0));
    assert_eq!(centered_rows(&x, 3)?.to_vec::<f64>()?, centered.concat());
    Ok(())
}

#[test]
fn an_infinite_weight_meets_no_gradient_from_outside() -> Result<()> {
    let x = Tensor::from_vec(vec![1.0_f64, 1.0], [1, 2], &device())?.require_grad();
    let w = Tensor::from_vec(vec![0.0, 1.0, f64::INFINITY], [1, 3], &device())?;
    // The last weight is multiplied with the next element, and the first element is no next one.
    let seed = Tensor::from_vec(vec![0.0_f64, 1.0], [1, 2], &device())?;
    let gradients = weighted(&x, &w)?.backward_with(&seed)?;
    let gradient = gradients.get(&x).map(|gradient| gradient.to_vec::<f64>()).transpose()?;
    assert_eq!(gradient.map(|values| values[0]), Some(0.0));
    Ok(())
}
