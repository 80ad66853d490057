//! Sorts, searches and scatters: values of NumPy 2.4, formulas that combine them, and input that they refuse.

use tensor_op::catalogue::{scatter, segments, sort};
use tensor_op::prelude::*;
use tensor_op::{Unique, unique, unique_consecutive, unique_consecutive_dim, unique_dim};

fn floats<const N: usize>(values: &[f64], shape: [usize; N]) -> Result<Tensor> {
    Tensor::from_vec(values.to_vec(), shape, &Device::default())
}

fn ints(values: &[i64]) -> Result<Tensor> {
    Tensor::from_vec(values.to_vec(), [values.len()], &Device::default())
}

const NAN: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;

#[test]
fn positions_are_those_of_numpy() -> Result<()> {
    let x = floats(&[3.0, NAN, -0.0, 1.5, 0.0, -INF, 2.0, 2.0, INF, -1.0, 2.0, -7.25], [2, 6])?;
    let last = sort::argsort(&x, None, None)?.to_vec::<i64>()?;
    assert_eq!(last, [5, 2, 4, 3, 0, 1, 5, 3, 0, 1, 4, 2]);
    let first = sort::argsort(&x, 0, None)?.to_vec::<i64>()?;
    assert_eq!(first, [1, 1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 1]);
    let values = sort::sort(&x, None, None)?.0.to_vec::<f64>()?;
    assert_eq!(values[..5], [-INF, 0.0, -0.0, 1.5, 3.0]);
    assert!(values[5].is_nan());
    Ok(())
}

#[test]
fn searches_and_quantiles_are_those_of_numpy() -> Result<()> {
    let sorted = floats(&[-1.0, 0.0, 0.0, 2.5, 2.5, INF], [6])?;
    let x = floats(&[-2.0, -1.0, -0.0, 1.0, 2.5, INF, NAN], [7])?;
    assert_eq!(sort::searchsorted(&sorted, &x, None)?.to_vec::<i64>()?, [0, 0, 1, 3, 3, 5, 6]);
    assert_eq!(sort::searchsorted(&sorted, &x, true)?.to_vec::<i64>()?, [0, 1, 3, 3, 5, 6, 6]);
    let x = floats(&[4.0, 1.0, 7.5, 2.0, 3.0], [5])?;
    for (q, expected) in [(0.0, 1.0), (0.1, 1.4), (0.25, 2.0), (0.5, 3.0), (0.9, 6.1), (1.0, 7.5)] {
        let found = sort::quantile(&x, q, None)?.item::<f64>()?;
        assert!((found - expected).abs() < 1e-14, "{q}: {found}");
    }
    Ok(())
}

#[tensor_op(tests = false)]
fn all_scatters(
    x: Tensor![n, d],
    ids: IntTensor![n],
    s: usize,
) -> (Tensor![s, d], Tensor![s, d], Tensor![s, d], Tensor![s, d]) {
    (
        scatter_add(x, n, s = ids),
        scatter_mul(x, n, s = ids),
        scatter_max(x, n, s = ids),
        scatter_min(x, n, s = ids),
    )
}

#[tensor_op(tests = false)]
fn products(x: IntTensor![n], ids: IntTensor![n], s: usize) -> IntTensor![s] {
    scatter_mul(x, n, s = ids)
}

#[tensor_op(tests = false)]
fn extremes(x: IntTensor![n], ids: IntTensor![n], s: usize) -> (IntTensor![s], IntTensor![s]) {
    (scatter_max(x, n, s = ids), scatter_min(x, n, s = ids))
}

#[test]
fn extremes_of_ints_have_their_dtype() -> Result<()> {
    let ids = ints(&[2, 0, 2, 0])?;
    let (max, min) = extremes(ints(&[(1 << 62) + 1, -3, 1 << 62, i64::MIN])?, &ids, 3)?;
    assert_eq!(max.to_vec::<i64>()?, [-3, i64::MIN, (1 << 62) + 1]);
    assert_eq!(min.to_vec::<i64>()?, [i64::MIN, i64::MAX, 1 << 62]);
    let small = Tensor::from_vec(vec![-5_i32, -3, -9, -4], [4], &Device::default())?;
    let (max, min) = extremes(&small, ints(&[1, 0, 1, 0])?, 2)?;
    assert_eq!((max.to_vec::<i32>()?, min.to_vec::<i32>()?), (vec![-3, -5], vec![-4, -9]));
    let bytes = Tensor::from_vec(vec![200_u8, 3, 255, 0], [4], &Device::default())?;
    let (max, min) = extremes(&bytes, ints(&[1, 0, 1, 0])?, 2)?;
    assert_eq!((max.to_vec::<u8>()?, min.to_vec::<u8>()?), (vec![3, 255], vec![0, 200]));
    let (max, min) = extremes(ints(&[])?, ints(&[])?, 1)?;
    assert_eq!((max.to_vec::<i64>()?, min.to_vec::<i64>()?), (vec![i64::MIN], vec![i64::MAX]));
    Ok(())
}

#[tensor_op]
fn extremes_of_pairs(
    x: Tensor![n, d],
    i: IntTensor![n],
    j: IntTensor![d],
    s: usize,
    t: usize,
) -> (Tensor![t, s], Tensor![t, s], Tensor![s, d, t], Tensor![t, s]) {
    (
        scatter_max(x, (n, d), s = i, t = j),
        scatter_min(x, (n, d), s = i, t = j),
        scatter_mul(x, n, s = i, t = i),
        scatter_mean(x, (n, d), s = i, t = j),
    )
}

#[test]
fn several_indices_are_those_of_numpy() -> Result<()> {
    let x = floats(&[1.0, 2.0, 3.0, -4.0, 5.0, 0.5], [3, 2])?;
    let (max, min, mul, mean) = extremes_of_pairs(&x, ints(&[1, 0, 1])?, ints(&[2, 0])?, 2, 3)?;
    assert_eq!(max.to_vec::<f64>()?, [-4.0, 2.0, -INF, -INF, 3.0, 5.0]);
    assert_eq!(min.to_vec::<f64>()?, [-4.0, 0.5, INF, INF, 3.0, 1.0]);
    assert_eq!(mul.to_vec::<f64>()?, [3.0, 1.0, 1.0, -4.0, 1.0, 1.0, 1.0, 5.0, 1.0, 1.0, 1.0, 1.0]);
    assert_eq!(mean.to_vec::<f64>()?, [-4.0, 1.25, 0.0, 0.0, 3.0, 3.0]);
    // A point on an edge belongs to the upper field, the last edge to the last field.
    let x = floats(&[0.0, 0.25, 1.0, 1.0, 2.0, 2.0, NAN, 3.0], [8])?;
    let y = floats(&[5.0, 6.0, 7.0, 9.0, 9.0, 4.9, 6.0, 6.0], [8])?;
    let (x_edges, y_edges) = (floats(&[0.0, 1.0, 1.5, 2.0], [4])?, floats(&[5.0, 7.0, 9.0], [3])?);
    let counts = segments::histogram2d(&x, &y, &x_edges, &y_edges)?;
    assert_eq!((counts.shape().to_vec(), counts.to_vec::<i64>()?), (vec![3, 2], vec![2, 0, 0, 2, 0, 1]));
    Ok(())
}

/// Each is checked by itself: an index beyond the end of a row is not the first of the next row.
#[test]
fn one_of_several_indices_out_of_range_is_an_error() -> Result<()> {
    let (x, one) = (floats(&[0.0; 6], [2, 3])?, floats(&[1.0], [1])?);
    for (i, j, words) in [
        (0, 3, ["index_put_add", "`j`", "`t`", "3"]),
        (0, -1, ["index_put_add", "`j`", "`t`", "-1"]),
        (1, -1, ["index_put_add", "`j`", "`t`", "-1"]),
        (2, 0, ["index_put_add", "`i`", "`s`", "2"]),
        (-1, 3, ["index_put_add", "`i`", "`s`", "-1"]),
    ] {
        refused(segments::index_put_add(&x, ints(&[i])?, ints(&[j])?, &one), &words);
    }
    let none = segments::index_put_add(floats(&[], [0, 3])?, ints(&[])?, ints(&[])?, floats(&[], [0])?)?;
    assert_eq!(none.shape().to_vec(), [0, 3]);
    Ok(())
}

#[test]
fn scatters_are_those_of_numpy() -> Result<()> {
    let x = floats(&[1.0, 2.0, 3.0, -4.0, 5.0, 0.5, -2.0, 8.0], [4, 2])?;
    let (add, mul, max, min) = all_scatters(&x, ints(&[2, 0, 2, 0])?, 4)?;
    assert_eq!(add.to_vec::<f64>()?, [1.0, 4.0, 0.0, 0.0, 6.0, 2.5, 0.0, 0.0]);
    assert_eq!(mul.to_vec::<f64>()?, [-6.0, -32.0, 1.0, 1.0, 5.0, 1.0, 1.0, 1.0]);
    assert_eq!(max.to_vec::<f64>()?, [3.0, 8.0, -INF, -INF, 5.0, 2.0, -INF, -INF]);
    assert_eq!(min.to_vec::<f64>()?, [-2.0, -4.0, INF, INF, 1.0, 0.5, INF, INF]);
    let big = products(ints(&[1 << 62, 3, 5, (1 << 40) + 1])?, ints(&[0, 1, 1, 1])?, 2)?;
    assert_eq!(big.to_vec::<i64>()?, [1 << 62, 16_492_674_416_655]);
    let counts = segments::bincount(ints(&[5, 0, 0, 3])?, 7)?;
    assert_eq!(counts.to_vec::<i64>()?, [2, 0, 0, 1, 0, 1, 0]);
    Ok(())
}

/// A call of an op that makes a dim for its indices.
#[tensor_op]
fn put_twice(x: Tensor![a, c], i: IntTensor![n], values: Tensor![n], other: Tensor![n]) -> Tensor![c, a] {
    let first = segments::index_put_add(x, i % len(a), i % len(c), values, s = a, t = c);
    segments::index_put_add(first, i % len(c), i % len(a), other, s = c, t = a)
}

/// A dim that only the scatter and the sum name.
#[tensor_op]
fn collisions(x: Tensor![n], ids: IntTensor![n], cells: usize) -> Tensor![] {
    let place = iota(c = 2 * cells + 1);
    sum(square(scatter_add(x, n, c = ids % (2 * cells + 1))), c)
}

/// An index that varies along a batch.
#[tensor_op]
fn means_per_batch(x: Tensor![b, n, d], ids: IntTensor![b, n], s: usize) -> Tensor![b, s, d] {
    scatter_mean(x, n, s = ids)
}

/// The same twice: of the second order it is not known that each position occurs once.
#[tensor_op(tests = false)]
fn sorted_twice(
    x: Tensor![.., n],
    none: IntTensor![],
    k: usize,
) -> (Tensor![.., n], Tensor![.., n], Tensor![.., k]) {
    let order = argsort(stop_grad(x), n);
    (at(x, n = order), at(x, n = order + none), sort(x, n, first = k, descending = true))
}

/// The gradient of a sort has the bits of a sum, also where it is -0 or NaN, and zeros where nothing was
/// chosen.
#[test]
fn the_gradient_of_a_sort_is_moved() -> Result<()> {
    for (rows, columns) in [(1, 20_000), (300, 7), (3, 1), (0, 4), (2, 0)] {
        let count = rows * columns;
        let x: Vec<f64> = (0..count).map(|i| (i * 7919 % 10_007) as f64).collect();
        let seeds: Vec<f64> = (0..count).map(|i| [-0.0, 1.5, NAN, -2.25, 0.0][i % 5]).collect();
        let (x, seeds) = (floats(&x, [count])?, floats(&seeds, [count])?.reshape([rows, columns])?);
        let x = x.reshape([rows, columns])?.require_grad();
        let k = columns.min(2);
        let bits = |result: usize, seeds: &Tensor| -> Result<Vec<u64>> {
            let (once, general, first) = sorted_twice(&x, Tensor::scalar(0_i64, &Device::default())?, k)?;
            let y = ([once, general, first][result].clone() * seeds)?;
            let gradients = y.backward_with(&y.ones_like()?)?;
            let gradient = gradients.get(&x).expect("tracked").to_vec::<f64>()?;
            Ok(gradient.into_iter().map(|g| if g.is_nan() { u64::MAX } else { g.to_bits() }).collect())
        };
        assert_eq!(bits(0, &seeds)?, bits(1, &seeds)?, "{rows}x{columns}");
        let chosen = bits(2, &Tensor::ones([rows, k], DType::F64, &Device::default())?)?;
        assert_eq!(chosen.iter().filter(|bits| **bits == 1.0_f64.to_bits()).count(), rows * k);
        assert_eq!(chosen.iter().filter(|bits| **bits == 0).count(), count - rows * k);
    }
    Ok(())
}

/// Each element goes to the place of its rank.
#[tensor_op]
fn placed(x: Tensor![.., n]) -> Tensor![.., n] {
    scatter_add(x, n, n = argsort(argsort(stop_grad(x), n), n))
}

/// The smallest elements of a computed value, with a weight for each rank.
#[tensor_op]
fn ordered_average(x: Tensor![b, n], y: Tensor![n], weight: Tensor![k]) -> Tensor![b] {
    sum(sort(x * y, n, first = k) * weight, k)
}

/// A softmax that gives zeros. Martins and Astudillo, From Softmax to Sparsemax, 2016.
#[tensor_op]
fn sparsemax(x: Tensor, dim: Axis) -> Tensor {
    let sorted = sort(x, dim, descending = true);
    let sums = cumsum(sorted, dim);
    let place = cast(iota(dim) + 1, float);
    let count = sum(cast(1.0 + place * stop_grad(sorted) > stop_grad(sums), int), dim);
    let threshold = (at(sums, dim = count - 1) - 1.0) / cast(count, float);
    relu(x - threshold)
}

/// A dim of another name, and of a written size.
#[tensor_op]
fn quarters(x: Tensor![m, r], ids: IntTensor![r]) -> Tensor![q = 4, m] {
    scatter_add(self::placed(x, n = r), r, q = ids % 4)
}

#[test]
fn formulas_of_sorts() -> Result<()> {
    let x = floats(&[0.5, 2.0, 1.2, -3.0], [4])?;
    let sparse = sparsemax(&x, 0)?.to_vec::<f64>()?;
    assert!(sparse.iter().zip([0.0, 0.9, 0.1, 0.0]).all(|(a, b)| (a - b).abs() < 1e-15), "{sparse:?}");
    assert_eq!(placed(&x)?.to_vec::<f64>()?, [-3.0, 0.5, 1.2, 2.0]);
    Ok(())
}

fn places(found: &Unique) -> Result<(Vec<i64>, Vec<i64>)> {
    Ok((found.inverse.to_vec()?, found.counts.to_vec()?))
}

#[test]
fn different_values_are_those_of_pytorch() -> Result<()> {
    let x = floats(&[2.0, NAN, 0.0, -INF, -0.0, 2.0, NAN, 2.0], [2, 4])?;
    let found = unique(&x)?;
    let values = found.values.to_vec::<f64>()?;
    assert_eq!(values[..3], [-INF, 0.0, 2.0]);
    assert!(values.len() == 5 && values[3].is_nan() && values[4].is_nan() && values[1].is_sign_positive());
    assert_eq!(places(&found)?, (vec![2, 3, 1, 0, 1, 2, 4, 2], vec![1, 2, 3, 1, 1]));
    assert_eq!(found.inverse.shape().to_vec(), [2, 4]);

    let found = unique_consecutive(floats(&[1.0, 1.0, NAN, NAN, 0.0, -0.0, 1.0], [7])?)?;
    let values = found.values.to_vec::<f64>()?;
    assert!(values[1].is_nan() && values[2].is_nan());
    assert_eq!([values[0], values[3], values[4]], [1.0, 0.0, 1.0]);
    assert_eq!(places(&found)?, (vec![0, 0, 1, 2, 3, 3, 4], vec![2, 1, 1, 2, 1]));

    let found = unique(ints(&[i64::MAX, (1 << 53) + 1, 1 << 53, i64::MAX, i64::MIN])?)?;
    assert_eq!(found.values.to_vec::<i64>()?, [i64::MIN, 1 << 53, (1 << 53) + 1, i64::MAX]);
    assert_eq!(places(&found)?, (vec![3, 2, 1, 3, 0], vec![1, 1, 1, 2]));
    Ok(())
}

#[test]
fn different_values_keep_their_dtype() -> Result<()> {
    let x = floats(&[1.0, 0.0, 1.0, 0.0], [4])?;
    for dtype in [DType::F32, DType::F16, DType::BF16, DType::I32, DType::U32, DType::U8, DType::Bool] {
        for (found, expected) in [(unique(x.cast(dtype)?)?, 2), (unique_consecutive(x.cast(dtype)?)?, 4)] {
            assert_eq!((found.values.dtype(), found.values.elements()), (dtype, expected));
            assert_eq!(
                found.values.cast(DType::F64)?.to_vec::<f64>()?[..2],
                [[0.0, 1.0], [1.0, 0.0]][expected / 4]
            );
        }
        for none in
            [unique(floats(&[], [0, 3])?.cast(dtype)?)?, unique_consecutive(floats(&[], [0])?.cast(dtype)?)?]
        {
            assert_eq!((none.values.elements(), none.counts.elements(), none.values.dtype()), (0, 0, dtype));
            assert_eq!((none.inverse.elements(), none.inverse.dtype()), (0, DType::I64));
        }
        let scalar = unique(Tensor::scalar(1.0, &Device::default())?.cast(dtype)?)?;
        assert_eq!((scalar.values.shape().to_vec(), scalar.inverse.rank()), (vec![1], 0));
    }
    let x = floats(&[2.0, 1.0, 2.0], [3])?.require_grad();
    let gradients = unique(&x)?.values.backward_with(&floats(&[10.0, 20.0], [2])?)?;
    assert_eq!(gradients.get(&x).map(|x| x.to_vec::<f64>()).transpose()?, Some(vec![20.0, 10.0, 0.0]));
    Ok(())
}

/// PyTorch 2.15 gives these slices and places, but for the first ones: with a NaN its order breaks.
#[test]
fn different_slices_are_those_of_pytorch() -> Result<()> {
    let x = floats(&[0.0, 3.0, NAN, 1.0, -0.0, 1.0, 0.0, 3.0, NAN, 1.0, 0.0, 1.0], [6, 2])?;
    let found = unique_dim(&x, 0)?;
    let values = found.values.to_vec::<f64>()?;
    assert_eq!(values[..4], [0.0, 1.0, 0.0, 3.0]);
    assert!(values.len() == 8 && values[4].is_nan() && values[6].is_nan());
    assert_eq!(places(&found)?, (vec![1, 2, 0, 1, 3, 0], vec![2, 2, 1, 1]));

    let x = ints(&[3, 1, 3, 0, 2, 0, 3, 1, 3, 0, 0, 0])?.reshape([2, 2, 3])?;
    let found = unique_dim(&x, -1)?;
    assert_eq!(found.values.shape().to_vec(), [2, 2, 2]);
    assert_eq!(found.values.to_vec::<i64>()?, [1, 3, 2, 0, 1, 3, 0, 0]);
    assert_eq!(places(&found)?, (vec![1, 0, 1], vec![1, 2]));

    let found = unique_consecutive_dim(&x, 0)?;
    assert_eq!(found.values.shape().to_vec(), [2, 2, 3]);
    assert_eq!(places(&found)?, (vec![0, 1], vec![1, 1]));
    let bools = floats(&[1.0, 1.0, 0.0, 0.0, 0.0, 0.0], [3, 2])?.cast(DType::Bool)?;
    let found = unique_consecutive_dim(&bools, 1)?;
    assert_eq!(
        (found.values.dtype(), found.values.to_vec::<bool>()?),
        (DType::Bool, vec![true, false, false])
    );

    let none = unique_dim(floats(&[], [0, 3])?, 0)?;
    assert_eq!((none.values.shape().to_vec(), none.counts.elements()), (vec![0, 3], 0));
    // Slices without elements are equal.
    let empty = unique_dim(floats(&[], [3, 0])?, 0)?;
    assert_eq!((empty.values.shape().to_vec(), places(&empty)?), (vec![1, 0], (vec![0, 0, 0], vec![3])));
    refused(unique_dim(&x, 3), &["unique_dim", "axis 3"]);
    refused(unique_consecutive_dim(Tensor::from([1.0]).sum(..)?, 0), &["unique_consecutive_dim"]);
    Ok(())
}

/// The call is an error that says all of this.
#[track_caller]
fn refused<T>(found: Result<T>, words: &[&str]) {
    let error = found.err().expect("the input is wrong").to_string();
    assert!(words.iter().all(|word| error.contains(word)), "{error}");
}

#[test]
fn wrong_input_is_refused() -> Result<()> {
    let (x, none, ids) = (floats(&[1.0, 2.0, 3.0], [3])?, floats(&[], [0])?, ints(&[0, 2, 1])?);
    refused(
        sort::topk(&x, 4, None, None, None),
        &["topk: `k`: is 4, but dim `n` has size 3: write 3 or less"],
    );
    refused(sort::kthvalue(&x, 0, None), &["kthvalue: `k`: is 0", "write 1 or more"]);
    refused(sort::kthvalue(&x, 4, None), &["kthvalue: `k`: is 4, but dim `dim` has size 3: write 3 or less"]);
    refused(sort::kthvalue(&x, 1, -2), &["kthvalue: `dim`: axis -2 is out of range", "write one of -1..=0"]);
    refused(sort::median(&x, 1), &["median: `dim`: axis 1 is out of range", "write one of -1..=0"]);
    refused(sort::median(&none, None), &["median: dim `dim` is empty, and an element of it is read"]);
    refused(sort::nanmedian(&none, None), &["nanmedian: dim `dim` is empty"]);
    refused(sort::quantile(&none, 0.5, None), &["quantile: dim `dim` is empty"]);
    for (q, text) in [(NAN, "is NaN"), (-0.001, "is -0.001"), (1.5, "is 1.5")] {
        refused(sort::quantile(&x, q, None), &["quantile: `q`:", text, "a number from 0 to 1 is wanted"]);
    }
    refused(sort::quantile(&x, 0.5, 1), &["quantile: `dim`: axis 1 is out of range", "write one of -1..=0"]);
    refused(sort::sort(&x, 1, None), &["sort", "`dim`"]);
    refused(sort::sort(x.gt(1), None, None), &["sort", "`input`", "bool"]);
    refused(sort::searchsorted(&x, &ids, None), &["searchsorted", "`input`", "i64"]);
    refused(segments::bincount(&ids, 2), &["bincount", "`input`", "`size`", "2"]);
    refused(segments::segment_sum(&x, ints(&[0, -1, 0])?, 2), &["segment_sum", "`ids`", "`segments`", "-1"]);
    refused(segments::segment_sum(&x, ints(&[0])?, 2), &["segment_sum", "`n`"]);
    refused(segments::segment_max(&x, &x, 2, None), &["segment_max", "`ids`", "f64"]);
    refused(scatter::index_add(&x, 0, &ids, &none, None), &["index_add", "`n`"]);
    refused(segments::segment_softmax(&x, &ids, 0), &["segment_softmax", "`segments`"]);
    Ok(())
}

#[test]
fn nothing_to_sort_is_no_error() -> Result<()> {
    let none = floats(&[], [2, 0])?;
    assert_eq!(sort::sort(&none, None, None)?.0.shape().to_vec(), [2, 0]);
    assert_eq!(sort::topk(&none, 0, None, None, None)?.1.shape().to_vec(), [2, 0]);
    let one = floats(&[1.0], [1])?;
    assert_eq!(sort::searchsorted(floats(&[], [0])?, &one, None)?.to_vec::<i64>()?, [0]);
    let empty = segments::segment_max(floats(&[], [0])?, ints(&[])?, 2, None)?;
    assert_eq!(empty.to_vec::<f64>()?, [0.0, 0.0]);
    Ok(())
}
