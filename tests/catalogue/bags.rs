//! Rows of a table and bags of them: values and gradients of PyTorch 2.15 in f64, and what is refused.

use super::check::{assert_near, tensor};
use tensor_op::catalogue::embedding::{BagMode, embedding, embedding_bag};
use tensor_op::prelude::*;

const TABLE: [f64; 8] = [1.0, -2.0, 3.0, 4.0, 0.5, 6.0, 3.0, -1.0];

/// The op's values, and the gradient of the table, of the sum of all elements, each times its place from 1
/// on.
#[track_caller]
fn check(op: impl Fn(&Tensor) -> Result<Tensor>, values: &[f64], slopes: &[f64]) {
    let table = tensor(&TABLE, &[4, 2]).require_grad();
    let run = || -> Result<_> {
        let y = op(&table)?;
        let places: Vec<f64> = (1..=y.elements()).map(|place| place as f64).collect();
        let found = y.backward_with(tensor(&places, &y.shape()))?;
        Ok((y.to_vec::<f64>()?, found[&table].to_vec::<f64>()?))
    };
    let (found, gradient) = run().expect("it runs");
    assert_near(&found, values);
    assert_near(&gradient, slopes);
}

#[test]
fn a_padding_row_has_no_gradient() {
    let ids = tensor(&[1_i64, 0, 1], &[3]);
    let values = [3.0, 4.0, 1.0, -2.0, 3.0, 4.0];
    check(|table| embedding(&ids, table, None), &values, &[3.0, 4.0, 6.0, 8.0, 0.0, 0.0, 0.0, 0.0]);
    check(|table| embedding(&ids, table, -3), &values, &[3.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
}

#[test]
fn bags_of_different_lengths() {
    let (ids, starts) = (tensor(&[1_i64, 0, 3, 2, 1], &[5]), tensor(&[0_i64, 3, 3], &[3]));
    let weights = tensor(&[0.5, 2.0, -1.0, 3.0, 1.0], &[5]);
    check(
        |table| embedding_bag(&ids, table, &starts, BagMode::Sum, &weights, None, 0),
        &[-1.5, 3.0, 0.0, 0.0, 4.5, 22.0],
        &[0.0, 0.0, 5.5, 7.0, 15.0, 18.0, -1.0, -2.0],
    );
    let is = |mode, values: &[f64], slopes: &[f64]| {
        check(|table| embedding_bag(&ids, table, &starts, mode, None, None, -4), values, slopes);
    };
    is(BagMode::Sum, &[6.0, 3.0, 0.0, 0.0, 3.5, 10.0], &[0.0, 0.0, 6.0, 8.0, 5.0, 6.0, 1.0, 2.0]);
    is(BagMode::Mean, &[3.0, 1.5, 0.0, 0.0, 1.75, 5.0], &[0.0, 0.0, 3.0, 4.0, 2.5, 3.0, 0.5, 1.0]);
    // Both rows have a 3 in the first bag: they share the gradient, which PyTorch gives to the first.
    is(BagMode::Max, &[3.0, 4.0, 0.0, 0.0, 3.0, 6.0], &[0.0, 0.0, 5.5, 2.0, 0.0, 6.0, 0.5, 0.0]);
    let ends = tensor(&[0_i64, 3, 5], &[3]);
    check(
        |table| embedding_bag(&ids, table, &ends, None, None, true, None),
        &[7.0 / 3.0, 1.0 / 3.0, 1.75, 5.0],
        &[1.0 / 3.0, 2.0 / 3.0, 11.0 / 6.0, 8.0 / 3.0, 1.5, 2.0, 1.0 / 3.0, 2.0 / 3.0],
    );
}

#[test]
fn bags_of_one_length() {
    let ids = tensor(&[1_i64, 0, 3, 1, 0, 0], &[3, 2]);
    let is = |mode, values: &[f64], slopes: &[f64]| {
        check(|table| embedding_bag(&ids, table, None, mode, None, None, 0), values, slopes);
    };
    is(BagMode::Sum, &[3.0, 4.0, 6.0, 3.0, 0.0, 0.0], &[0.0, 0.0, 4.0, 6.0, 0.0, 0.0, 3.0, 4.0]);
    is(BagMode::Mean, &[3.0, 4.0, 3.0, 1.5, 0.0, 0.0], &[0.0, 0.0, 2.5, 4.0, 0.0, 0.0, 1.5, 2.0]);
    // PyTorch gives the gradient of the equal elements to the first.
    is(BagMode::Max, &[3.0, 4.0, 3.0, 4.0, 0.0, 0.0], &[0.0, 0.0, 2.5, 6.0, 0.0, 0.0, 1.5, 0.0]);
}

#[test]
fn bags_that_do_not_fit_are_refused() -> Result<()> {
    let table = tensor(&TABLE, &[4, 2]);
    let (ids, starts) = (tensor(&[1_i64, 0, 3], &[3]), tensor(&[0_i64, 2], &[2]));
    let refused = |found: Result<Tensor>, words: &[&str]| {
        let error = found.expect_err("it is refused").to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    };
    let weights = tensor(&[1.0; 3], &[3]);
    let bags = |ids: &Tensor, starts: Option<&Tensor>, weights: Option<&Tensor>, row: Option<i64>| {
        embedding_bag(ids, &table, starts.cloned(), None, weights.cloned(), None, row)
    };
    refused(bags(&ids, None, None, None), &["embedding_bag: `offsets`"]);
    refused(bags(&ids.reshape([1, 3])?, Some(&starts), None, None), &["embedding_bag: `offsets`"]);
    refused(bags(&ids.reshape([1, 1, 3])?, None, None, None), &["embedding_bag: `input`: has 3 axes"]);
    refused(bags(&ids, Some(&starts), Some(&weights), None), &["embedding_bag: `per_sample_weights`"]);
    refused(bags(&ids, Some(&starts), None, Some(4)), &["embedding_bag: `padding_idx`: is 4", "4 rows"]);
    refused(bags(&ids, Some(&tensor(&[1_i64, 2], &[2])), None, None), &["embedding_bag"]);
    refused(bags(&tensor(&[4_i64, 0, 0], &[3]), Some(&starts), None, None), &["embedding_bag: `input`", "4"]);
    refused(embedding(&ids, &table, -5), &["embedding: `padding_idx`: is -5"]);
    refused(embedding(tensor(&[-1_i64], &[1]), &table, 0), &["embedding: `input`", "-1"]);
    let none = tensor::<i64>(&[], &[0]);
    assert_eq!(bags(&none, Some(&tensor(&[0_i64, 0], &[2])), None, None)?.to_vec::<f64>()?, [0.0; 4]);
    let empty = embedding_bag(none.reshape([2, 0])?, &table, None, BagMode::Max, None, None, None)?;
    assert_near(&empty.to_vec::<f64>()?, &[0.0; 4]);
    Ok(())
}
