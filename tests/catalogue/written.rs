//! Elements that are read and written by an index: values and gradients, ints and bools, places that are
//! named twice, and what is refused. Numbers are those of PyTorch 2.15 in f64, where no comment says
//! otherwise.

use super::check::{assert_near, tensor};
use tensor_op::catalogue::scatter::{
    Reduce, index_add, index_copy, index_put, index_reduce, masked_scatter, scatter, scatter_add,
    scatter_reduce,
};
use tensor_op::catalogue::select::{gather, index_select, take_along_dim};
use tensor_op::prelude::*;

/// The op's values, and the gradients of both tensors, of the sum of all elements, each times its place from
/// 1 on.
#[track_caller]
fn check(
    op: impl Fn(&Tensor, &Tensor) -> Result<Tensor>,
    x: &Tensor,
    src: &Tensor,
    values: &[f64],
    slopes: [&[f64]; 2],
) {
    let (x, src) = (x.clone().require_grad(), src.clone().require_grad());
    let run = || -> Result<_> {
        let y = op(&x, &src)?;
        let places: Vec<f64> = (1..=y.elements()).map(|place| place as f64).collect();
        let found = y.backward_with(tensor(&places, &y.shape()))?;
        Ok((y.to_vec::<f64>()?, [found[&x].to_vec::<f64>()?, found[&src].to_vec::<f64>()?]))
    };
    let (found, gradients) = run().expect("it runs");
    assert_near(&found, values);
    assert_near(&gradients[0], slopes[0]);
    assert_near(&gradients[1], slopes[1]);
}

/// The call is an `Err` whose message has these words.
#[track_caller]
fn refused(found: Result<Tensor>, words: &[&str]) {
    let error = found.expect_err("it is refused").to_string();
    assert!(words.iter().all(|word| error.contains(word)), "{error}");
}

#[test]
fn elements_of_one_place_become_one() {
    let (x, src) = (tensor(&[1.0, 2.0, 3.0, 4.0], &[4]), tensor(&[1.0, 1.0, 5.0, 3.0, 3.0], &[5]));
    let ids = tensor(&[0_i64, 0, 1, 2, 3], &[5]);
    let is = |reduce: Reduce, with_self: bool, values: &[f64], slopes: [&[f64]; 2]| {
        check(|x, src| scatter_reduce(x, 0, &ids, src, reduce, with_self), &x, &src, values, slopes);
    };
    let (ones, twos) = ([1.0, 2.0, 3.0, 4.0], [1.0, 1.0, 2.0, 3.0, 4.0]);
    is(Reduce::Sum, true, &[3.0, 7.0, 6.0, 7.0], [&ones, &twos]);
    is(Reduce::Sum, false, &[2.0, 5.0, 3.0, 3.0], [&[0.0; 4], &twos]);
    is(Reduce::Prod, true, &[1.0, 10.0, 9.0, 12.0], [&[1.0, 10.0, 9.0, 12.0], &[1.0, 1.0, 4.0, 9.0, 16.0]]);
    is(Reduce::Prod, false, &[1.0, 5.0, 3.0, 3.0], [&[0.0; 4], &twos]);
    let third = 1.0 / 3.0;
    is(Reduce::Mean, true, &[1.0, 3.5, 3.0, 3.5], [&[third, 1.0, 1.5, 2.0], &[third, third, 1.0, 1.5, 2.0]]);
    is(Reduce::Mean, false, &[1.0, 5.0, 3.0, 3.0], [&[0.0; 4], &[0.5, 0.5, 2.0, 3.0, 4.0]]);
    is(Reduce::Amax, true, &[1.0, 5.0, 3.0, 4.0], [&[third, 0.0, 1.5, 4.0], &[third, third, 2.0, 1.5, 0.0]]);
    is(Reduce::Amin, true, &[1.0, 2.0, 3.0, 3.0], [&[third, 2.0, 1.5, 0.0], &[third, third, 0.0, 1.5, 4.0]]);
    // PyTorch gives a share of the gradient to an equal element that is left out, and drops it.
    for reduce in [Reduce::Amax, Reduce::Amin] {
        is(reduce, false, &[1.0, 5.0, 3.0, 3.0], [&[0.0; 4], &[0.5, 0.5, 2.0, 3.0, 4.0]]);
    }
}

#[test]
fn products_beside_zeros_have_gradients() {
    let ids = tensor(&[0_i64, 0, 1, 1], &[4]);
    let (x, src) = (tensor(&[2.0, 3.0], &[2]), tensor(&[0.0, 4.0, 0.0, 0.0], &[4]));
    let product = |x: &Tensor, src: &Tensor| scatter_reduce(x, 0, &ids, src, Reduce::Prod, None);
    check(product, &x, &src, &[0.0, 0.0], [&[0.0, 0.0], &[8.0, 0.0, 0.0, 0.0]]);
}

#[test]
fn what_lies_beyond_the_index_stays() {
    let x: Vec<f64> = (0..12).map(f64::from).collect();
    let (x, src) = (tensor(&x, &[3, 4]), tensor(&[-1.0, -2.0, -3.0, -4.0], &[2, 2]));
    let ids = tensor(&[2_i64, 0, 0, 1], &[2, 2]);
    check(
        |x, src| scatter(x, 0, &ids, src),
        &x,
        &src,
        &[-3.0, -2.0, 2.0, 3.0, 4.0, -4.0, 6.0, 7.0, -1.0, 9.0, 10.0, 11.0],
        [&[0.0, 0.0, 3.0, 4.0, 5.0, 0.0, 7.0, 8.0, 0.0, 10.0, 11.0, 12.0], &[9.0, 2.0, 1.0, 6.0]],
    );
}

/// PyTorch may write any of the elements; here it is the last one.
#[test]
fn the_last_element_of_a_place_is_written() -> Result<()> {
    let (x, ids) = (tensor(&[1.0, 2.0, 3.0], &[3]), tensor(&[2_i64, 0, -1], &[3]));
    let src = tensor(&[7.0, f64::NAN, 9.0], &[3]);
    check(
        |x, src| scatter(x, 0, &ids, src),
        &x,
        &src,
        &[f64::NAN, 2.0, 9.0],
        [&[0.0, 2.0, 0.0], &[0.0, 1.0, 3.0]],
    );
    check(
        |x, src| index_copy(x, 0, &ids, src),
        &x,
        &src,
        &[f64::NAN, 2.0, 9.0],
        [&[0.0, 2.0, 0.0], &[0.0, 1.0, 3.0]],
    );
    let y = index_put(&x, &[&ids], &src, None)?;
    assert_near(&y.to_vec::<f64>()?, &[f64::NAN, 2.0, 9.0]);
    // What was NaN is replaced as well.
    let y = scatter(&src, 0, tensor(&[1_i64], &[1]), 5)?;
    assert_eq!(y.to_vec::<f64>()?, [7.0, 5.0, 9.0]);
    let y = scatter_reduce(&x, 0, &ids, &src, Reduce::Amax, None)?;
    assert_near(&y.to_vec::<f64>()?, &[f64::NAN, 2.0, 9.0]);
    Ok(())
}

#[test]
fn masks_take_elements_in_order() -> Result<()> {
    let x = tensor(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], &[2, 3]);
    let src = tensor(&[10.0, 20.0, 30.0, 40.0, 50.0, 60.0], &[3, 2]);
    let mask = tensor(&[true, false, true], &[3]);
    check(
        |x, src| masked_scatter(x, &mask, src),
        &x,
        &src,
        &[10.0, 1.0, 20.0, 30.0, 4.0, 40.0],
        [&[0.0, 2.0, 0.0, 0.0, 5.0, 0.0], &[1.0, 3.0, 4.0, 6.0, 0.0, 0.0]],
    );
    let none = tensor::<f64>(&[], &[0]);
    let all_false = tensor(&[false], &[1]);
    assert_eq!(masked_scatter(&x, all_false, &none)?.to_vec::<f64>()?, x.to_vec::<f64>()?);
    refused(masked_scatter(&x, &mask, &none), &["masked_scatter", "`source`"]);
    refused(masked_scatter(&x, &mask, tensor(&[1.0, 2.0], &[2])), &["masked_scatter", "`source`"]);
    refused(masked_scatter(&x, tensor(&[true, false], &[2]), &src), &["masked_scatter", "`mask`"]);
    Ok(())
}

#[test]
fn rows_of_one_place_become_one() {
    let x = tensor(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3]);
    let (src, ids) = (tensor(&[0.5, 2.0, 7.0, -1.0], &[2, 2]), tensor(&[2_i64, 2], &[2]));
    let is = |reduce, with_self: bool, out: [f64; 2], kept: [f64; 2], slopes: &[f64]| {
        let values = [1.0, 2.0, out[0], 4.0, 5.0, out[1]];
        let own = [1.0, 2.0, kept[0], 4.0, 5.0, kept[1]];
        check(|x, src| index_reduce(x, 1, &ids, src, reduce, with_self), &x, &src, &values, [&own, slopes]);
    };
    is(Reduce::Prod, true, [3.0, -42.0], [3.0, -42.0], &[18.0, 4.5, -36.0, 252.0]);
    is(Reduce::Prod, false, [1.0, -7.0], [0.0, 0.0], &[6.0, 1.5, -6.0, 42.0]);
    is(Reduce::Mean, true, [5.5 / 3.0, 4.0], [1.0, 2.0], &[1.0, 1.0, 2.0, 2.0]);
    is(Reduce::Mean, false, [1.25, 3.0], [0.0, 0.0], &[1.5, 1.5, 3.0, 3.0]);
    is(Reduce::Amax, true, [3.0, 7.0], [3.0, 0.0], &[0.0, 0.0, 6.0, 0.0]);
    is(Reduce::Amax, false, [2.0, 7.0], [0.0, 0.0], &[0.0, 3.0, 6.0, 0.0]);
    is(Reduce::Amin, true, [0.5, -1.0], [0.0, 0.0], &[3.0, 0.0, 0.0, 6.0]);
    is(Reduce::Amin, false, [0.5, -1.0], [0.0, 0.0], &[3.0, 0.0, 0.0, 6.0]);
}

#[test]
fn ints_and_bools_are_written() -> Result<()> {
    let (x, src) = (tensor(&[1_i32, 2, 3], &[3]), tensor(&[4_i32, 5, 6], &[3]));
    let ids = tensor(&[0_i32, 0, 2], &[3]);
    for (reduce, with, without) in [
        (Reduce::Sum, [10, 2, 9], [9, 2, 6]),
        (Reduce::Prod, [20, 2, 18], [20, 2, 6]),
        (Reduce::Amax, [5, 2, 6], [5, 2, 6]),
        (Reduce::Amin, [1, 2, 3], [4, 2, 6]),
    ] {
        assert_eq!(scatter_reduce(&x, 0, &ids, &src, reduce, true)?.to_vec::<i32>()?, with);
        assert_eq!(scatter_reduce(&x, 0, &ids, &src, reduce, false)?.to_vec::<i32>()?, without);
    }
    refused(scatter_reduce(&x, 0, &ids, &src, Reduce::Mean, None), &["scatter_reduce", "`input`", "i32"]);
    let bytes =
        scatter_add(tensor(&[250_u8, 1], &[2]), 0, tensor(&[0_i64, 0], &[2]), tensor(&[4_u8, 5], &[2]))?;
    assert_eq!(bytes.to_vec::<u8>()?, [3, 1]);
    assert_eq!(index_add(&x, 0, &ids, &src, 2)?.to_vec::<i32>()?, [19, 2, 15]);
    let bools =
        scatter(tensor(&[true, false], &[2]), 0, tensor(&[0_i64, 1], &[2]), tensor(&[false, true], &[2]))?;
    assert_eq!(bools.to_vec::<bool>()?, [false, true]);
    refused(scatter(&x, 0, &ids, 0.5), &["scatter", "`src`", "0.5"]);
    Ok(())
}

#[test]
fn tensors_without_axes_and_without_elements() -> Result<()> {
    let five = tensor(&[5.0], &[]);
    let zero = tensor(&[0_i64], &[]);
    assert_eq!(scatter(&five, 0, &zero, tensor(&[3.0], &[]))?.shape().to_vec(), [0; 0]);
    assert_eq!(scatter(&five, -1, &zero, 3)?.item::<f64>()?, 3.0);
    assert_eq!(gather(&five, 0, &zero)?.item::<f64>()?, 5.0);
    assert_eq!(index_select(&five, 0, &zero)?.item::<f64>()?, 5.0);
    assert_eq!(index_copy(&five, 0, &zero, tensor(&[3.0], &[]))?.item::<f64>()?, 3.0);
    let (x, none) = (tensor(&[1.0, 2.0], &[2]), tensor::<i64>(&[], &[0]));
    let no_rows = tensor::<f64>(&[], &[0]);
    assert_eq!(gather(&x, 0, tensor::<i64>(&[], &[0, 5]))?.shape().to_vec(), [0, 5]);
    assert_eq!(scatter(&x, 0, &none, &no_rows)?.to_vec::<f64>()?, [1.0, 2.0]);
    assert_eq!(index_copy(&x, 0, &none, &no_rows)?.to_vec::<f64>()?, [1.0, 2.0]);
    assert_eq!(index_add(&x, 0, &none, &no_rows, None)?.to_vec::<f64>()?, [1.0, 2.0]);
    assert_eq!(index_put(&x, &[&none], &no_rows, true)?.to_vec::<f64>()?, [1.0, 2.0]);
    Ok(())
}

#[test]
fn several_axes_have_an_index() -> Result<()> {
    let x = tensor(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], &[2, 3]);
    let (rows, columns) = (tensor(&[1_i64, 0], &[2, 1]), tensor(&[2_i64, 0], &[2]));
    let y = index_put(&x, &[&rows, &columns], tensor(&[7.0, 8.0], &[2]), None)?;
    assert_eq!(y.to_vec::<f64>()?, [8.0, 1.0, 7.0, 8.0, 4.0, 7.0]);
    let last = tensor(&[-1_i64], &[1]);
    let y = index_put(&x, &[&last], tensor(&[9.0], &[]), None)?;
    assert_eq!(y.to_vec::<f64>()?, [0.0, 1.0, 2.0, 9.0, 9.0, 9.0]);
    // This one would lie in the next row.
    let (first, beyond) = (tensor(&[0_i64], &[1]), tensor(&[3_i64], &[1]));
    refused(index_put(&x, &[&first, &beyond], &y, None), &["index_put"]);
    let one = tensor(&[1.0], &[1]);
    refused(index_put(&x, &[&first, &beyond], &one, None), &["index_put", "`indices`", "3"]);
    refused(index_put(&x, &[&first; 3], &one, None), &["index_put", "`indices`", "3", "[2, 3]"]);
    refused(index_put(&x, &[&one], &one, None), &["index_put", "`indices`", "f64"]);
    refused(index_put(&x, &[&first], tensor(&[1.0; 2], &[2]), None), &["index_put", "`values`"]);
    Ok(())
}

#[test]
fn calls_that_do_not_fit_are_refused() {
    let x = tensor(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], &[2, 3]);
    let ids = tensor(&[0_i64, 1, 2, 0], &[2, 2]);
    let src = tensor(&[1.0; 4], &[2, 2]);
    refused(scatter(&x, 2, &ids, &src), &["scatter: `dim`: axis 2 is out of range", "-2..=1"]);
    refused(scatter(&x, 0, &ids, &src), &["scatter", "`index`", "2"]);
    refused(scatter(&x, 1, &src, &src), &["scatter", "`index`", "f64"]);
    refused(
        scatter(&x, 1, tensor(&[0_i64], &[1]), &src),
        &["`src`: has shape [2, 2]", "`index` has shape [1]"],
    );
    refused(scatter(&x, 1, &ids, tensor(&[1.0; 2], &[2, 1])), &["`src`: has size 1 along axis 1", "size 2"]);
    let wide = tensor(&[0_i64; 8], &[2, 4]);
    refused(scatter_add(&x, 0, &wide, tensor(&[1.0; 8], &[2, 4])), &["scatter_add: `input`: has size 3"]);
    refused(scatter_add(&x, 1, &ids, tensor(&[1_f32; 4], &[2, 2])), &["scatter_add", "f32"]);
    refused(gather(&x, 0, &wide), &["gather: `input`: has size 3 along axis 1"]);
    refused(gather(&x, 1, tensor(&[3_i64], &[1, 1])), &["gather", "`index`", "3"]);
    refused(gather(&x, 1, tensor(&[3_i64], &[1])), &["gather", "[2, 3]", "[1]"]);
    refused(take_along_dim(&x, &wide, 0), &["take_along_dim"]);
    let none = tensor::<f64>(&[], &[0]);
    refused(scatter(&none, 0, tensor(&[0_i64], &[1]), 1), &["scatter: `index`"]);
    refused(index_select(&none, 0, tensor(&[0_i64], &[1])), &["index_select: `index`"]);
    refused(index_select(&x, 1, &ids), &["index_select", "`index`"]);
    let pair = tensor(&[0_i64, 1], &[2]);
    // A row that would be repeated.
    refused(
        index_add(&x, 0, &pair, tensor(&[1.0; 2], &[2, 1]), None),
        &["index_add: `source`: has shape [2, 1]"],
    );
    refused(index_copy(&x, 1, &pair, &x), &["index_copy", "2", "3"]);
    refused(index_copy(&x, 0, tensor(&[0_i64, -3], &[2]), &x), &["index_copy", "`index`", "size 2"]);
}
