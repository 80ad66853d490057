//! Lists of scalars, `stride @ [sh, sw]: [usize; 2]`: what callers pass for them, and other formulas. And
//! what sizes are made of beside `+ - * /`.

use tensor_op::ErrorKind;
use tensor_op::prelude::*;

/// Every so many rows and columns, from a first one on.
#[tensor_op(method)]
fn thinned(
    x: Tensor![h, w],
    #[default([0, 1])] first @ [top, left]: [usize; 2],
    #[default(1)] stride @ [sh, sw]: [usize; 2],
) -> Tensor![oh = (h - 1 - top) / sh + 1, ow = (w - 1 - left) / sw + 1] {
    at(x, h = oh * sh + top, w = ow * sw + left)
}

/// An element may give a dim its size.
#[tensor_op]
fn window_sums(x: Tensor![h, w], kernel @ [kh, kw]: [usize; 2]) -> Tensor![oh = h - kh + 1, ow = w - kw + 1] {
    sum(at(x, h = oh + iota(kh), w = ow + iota(kw)), (kh, kw))
}

/// The stride is the size of the windows if a call does not say it.
#[tensor_op]
fn window_means(
    x: Tensor![h, w],
    kernel @ [kh, kw]: [usize; 2],
    #[default(kernel)] stride @ [sh, sw]: [usize; 2],
) -> Tensor![oh = (h - kh) / sh + 1, ow = (w - kw) / sw + 1] {
    mean(at(x, h = oh * sh + iota(kh), w = ow * sw + iota(kw)), (kh, kw))
}

/// The same for one number, and in a call of a formula.
#[tensor_op(tests = false)]
fn every(
    x: Tensor![n],
    first: usize,
    #[default(first)] step: usize,
) -> Tensor![m = (n - 1 - first) / step + 1] {
    at(x, n = m * step + first)
}

#[tensor_op(tests = false)]
fn every_second(x: Tensor![n]) -> Tensor![m = (n - 3) / 2 + 1] {
    self::every(x, 2)
}

#[tensor_op(tests = false)]
fn weighted(x: Tensor, w @ [a, b, c]: [f64; 3], #[default(-1)] by @ [i, j]: [i64; 2]) -> Tensor {
    (a + b * x + c * x * x) * cast(i + 10 * j, float)
}

/// Calls of ops with lists: a list, one number, and what has a default.
#[tensor_op(tests = false)]
fn calls(
    x: Tensor![h, w],
) -> (
    Tensor![oh = (h - 2) / 2 + 1, ow = (w - 3) / 2 + 1],
    Tensor![m = (h - 1) / 2 + 1, n = (w - 1) / 3 + 1],
    Tensor![p = h, q = w - 1],
) {
    let a = self::thinned(x, [1, 2], 2);
    let b = self::thinned(x, 0, [2, 3], oh = m, ow = n);
    let c = self::thinned(x, oh = p, ow = q);
    (a, b, c)
}

fn counted(rows: usize, columns: usize) -> Result<Tensor> {
    let values: Vec<f64> = (0..rows * columns).map(|x| x as f64).collect();
    Tensor::from_vec(values, [rows, columns], &Device::default())
}

#[test]
fn a_list_or_one_number_for_all_of_it() -> Result<()> {
    let x = counted(4, 6)?;
    assert_eq!(thinned(&x, [1, 2], [2, 3])?.to_vec::<f64>()?, [8.0, 11.0, 20.0, 23.0]);
    assert_eq!(x.thinned([1, 2], [2, 3])?.to_vec::<f64>()?, [8.0, 11.0, 20.0, 23.0]);
    assert_eq!(thinned(&x, 0, 3)?.to_vec::<f64>()?, [0.0, 3.0, 18.0, 21.0]);
    let all: Vec<f64> = (0..24).filter(|x| x % 6 != 0).map(f64::from).collect();
    assert_eq!(thinned(&x, None, None)?.to_vec::<f64>()?, all);
    let stride = Some([4, 6]);
    assert_eq!(thinned(&x, None, stride)?.to_vec::<f64>()?, [1.0]);
    Ok(())
}

#[test]
fn elements_give_dims_their_sizes() -> Result<()> {
    let x = counted(3, 3)?;
    assert_eq!(window_sums(&x, [1, 3])?.to_vec::<f64>()?, [3.0, 12.0, 21.0]);
    assert_eq!(window_sums(&x, 3)?.to_vec::<f64>()?, [36.0]);
    let error = window_sums(&x, [1, 5]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Shape);
    assert!(error.to_string().contains("kw"), "{error}");
    Ok(())
}

#[test]
fn a_default_is_the_value_of_another_argument() -> Result<()> {
    let x = counted(4, 6)?;
    assert_eq!(window_means(&x, 2, None)?.to_vec::<f64>()?, [3.5, 5.5, 7.5, 15.5, 17.5, 19.5]);
    assert_eq!(window_means(&x, [4, 1], None)?.shape().to_vec(), [1, 6]);
    assert_eq!(window_means(&x, 2, [2, 4])?.to_vec::<f64>()?, [3.5, 7.5, 15.5, 19.5]);
    let row = Tensor::from([0.0, 1.0, 2.0, 3.0, 4.0]);
    assert_eq!(every(&row, 2, None)?.to_vec::<f64>()?, [2.0, 4.0]);
    assert_eq!(every(&row, 2, 1)?.to_vec::<f64>()?, [2.0, 3.0, 4.0]);
    assert_eq!(every_second(&row)?.to_vec::<f64>()?, [2.0, 4.0]);
    Ok(())
}

/// A size that is the smaller or the larger of two, and one that a bool decides.
#[tensor_op]
fn first_ones(x: Tensor![n], most: usize, least: usize) -> Tensor![m = maximum(minimum(n, most), least)] {
    at(x, n = iota(m), or = 0.0)
}

#[tensor_op]
fn chunks(x: Tensor![n], k: usize, up: bool) -> Tensor![m = (n + cast(up, int) * (k - 1)) / k] {
    sum(at(x, n = m * k + iota(k), or = 0.0), k)
}

/// Calls whose size a bool decides: by its default, by a word, and by an argument of the caller.
#[tensor_op(tests = false)]
fn cut(x: Tensor![n], #[default(false)] up: bool) -> Tensor![m = (n + cast(up, int)) / 2] {
    at(x, n = m)
}

#[tensor_op(tests = false)]
fn cuts(
    x: Tensor![n],
    up: bool,
) -> (Tensor![a = n / 2], Tensor![b = (n + 1) / 2], Tensor![c = (n + cast(up, int)) / 2]) {
    (self::cut(x, m = a), self::cut(x, true, m = b), self::cut(x, up, m = c))
}

#[test]
fn formulas_pass_bools_of_sizes() -> Result<()> {
    let x = Tensor::from([1.0, 2.0, 3.0]);
    for up in [false, true] {
        let (a, b, c) = cuts(&x, up)?;
        let lengths = [a.elements(), b.elements(), c.elements()];
        assert_eq!(lengths, [1, 2, if up { 2 } else { 1 }]);
    }
    Ok(())
}

#[test]
fn sizes_have_extremes_and_bools() -> Result<()> {
    let x = Tensor::from([1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(first_ones(&x, 2, 0)?.to_vec::<f64>()?, [1.0, 2.0]);
    assert_eq!(first_ones(&x, 9, 6)?.to_vec::<f64>()?, [1.0, 2.0, 3.0, 4.0, 5.0, 0.0]);
    // Calls that differ in the bool alone, one after the other.
    for _ in 0..3 {
        assert_eq!(chunks(&x, 2, false)?.to_vec::<f64>()?, [3.0, 7.0]);
        assert_eq!(chunks(&x, 2, true)?.to_vec::<f64>()?, [3.0, 7.0, 5.0]);
    }
    Ok(())
}

#[test]
fn lists_of_floats_and_integers() -> Result<()> {
    let x = Tensor::from([2.0]);
    assert_eq!(weighted(&x, [1.0, 2.0, 3.0], None)?.to_vec::<f64>()?, [17.0 * -11.0]);
    assert_eq!(weighted(&x, 1.0, [1, 2])?.to_vec::<f64>()?, [7.0 * 21.0]);
    Ok(())
}

#[test]
fn formulas_pass_lists() -> Result<()> {
    let x = counted(4, 6)?;
    let (a, b, c) = calls(&x)?;
    assert_eq!(a.to_vec::<f64>()?, thinned(&x, [1, 2], 2)?.to_vec::<f64>()?);
    assert_eq!(b.to_vec::<f64>()?, thinned(&x, 0, [2, 3])?.to_vec::<f64>()?);
    assert_eq!(c.to_vec::<f64>()?, thinned(&x, None, None)?.to_vec::<f64>()?);
    Ok(())
}
