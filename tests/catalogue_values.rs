//! Values and gradients of ops of the catalogue that no exam calls. All numbers are those of PyTorch 2.15 in
//! f64.

#[path = "catalogue/check.rs"]
mod check;

use check::{check, tensor};
use tensor_op::Reduction;
use tensor_op::catalogue::adaptive::adaptive_max_pool3d;
use tensor_op::catalogue::attention::cache_update;
use tensor_op::catalogue::losses::{multilabel_margin_loss, triplet_margin_with_distance_loss};
use tensor_op::catalogue::pooling::{
    lp_pool3d, max_pool1d_with_indices, max_pool2d_with_indices, max_pool3d_with_indices, max_unpool1d,
    max_unpool2d, max_unpool3d,
};
use tensor_op::catalogue::product::pdist;
use tensor_op::prelude::*;

/// What the losses and distances are of.
const X: [f64; 8] = [0.5, -1.25, 2.0, 0.75, -0.5, 1.5, -2.0, 0.25];
/// The first elements of what is pooled.
const IMAGE: [f64; 12] = [-1.25, 0.5, -0.5, 1.25, 0.25, -0.75, 1.0, 0.0, -1.0, 0.75, -0.25, -1.25];

#[test]
fn margins_of_several_right_classes() {
    let (x, target) = (tensor(&X, &[2, 4]), tensor(&[3_i64, 0, -1, 1, 0, 2, -1, 2], &[2, 4]));
    let slopes = [-0.25, 0.0, 0.5, -0.25, -0.5, 0.5, -0.5, 0.5];
    check(|x| multilabel_margin_loss(x, &target, Reduction::None), &x, &[1.1875, 3.125], &slopes);
    check(|x| multilabel_margin_loss(x, &target, None), &x, &[2.15625], &slopes.map(|slope| slope / 2.0));
    // All classes are right, or none is.
    for target in [[2_i64, 0, 1, 3], [-1, 0, 1, 3]] {
        let target = tensor(&target, &[4]);
        check(|x| multilabel_margin_loss(x, &target, None), &tensor(&X[..4], &[4]), &[0.0], &[0.0; 4]);
    }
    // PyTorch refuses these too.
    for class in [4, -2] {
        assert!(multilabel_margin_loss(&x, tensor(&[class; 8], &[2, 4]), None).is_err());
    }
}

#[test]
fn distances_of_pairs_of_rows() -> Result<()> {
    let distances = [
        2.5,
        2.9261749776799064,
        2.9154759474226504,
        2.6100766272276377,
        4.031128874149275,
        1.9525624189766635,
    ];
    let slopes = [
        0.5992359887992484,
        -2.2542891789159634,
        2.550104161934819,
        0.6366868490228631,
        -0.5313480687104798,
        1.867325708719262,
        -2.6179920820235876,
        -0.2497233788261619,
    ];
    check(|x| pdist(x), &tensor(&X, &[4, 2]), &distances, &slopes);
    for rows in [0, 1] {
        assert_eq!(pdist(tensor(&X[..2 * rows], &[rows, 2]))?.shape().to_vec(), [0]);
    }
    Ok(())
}

#[test]
fn triplets_may_swap() {
    let (anchor, none) = (tensor(&[0.5, -1.25, 2.0, 0.75, -0.5, 1.5], &[3, 2]), Reduction::None);
    let positive = tensor(&[0.25, 1.0, -0.5, 1.75, -1.5, 0.75], &[3, 2]);
    let negative = tensor(&[1.0, -1.0, 0.5, 2.0, -0.25, -1.25], &[3, 2]);
    let loss = |x: &Tensor, swap| triplet_margin_with_distance_loss(x, &positive, &negative, 2, swap, none);
    check(
        |x| loss(x, false),
        &anchor,
        &[3.704829748348075, 2.740020413639529, 0.48866024034552646],
        &[
            1.0048595596677214,
            -0.5466708008480978,
            0.16025512880766513,
            0.26879361741349855,
            0.8905352582159018,
            -0.39589311408838745,
        ],
    );
    check(
        |x| loss(x, true),
        &anchor,
        &[3.704829748348075, 3.661807766927034, 0.8915057989860982],
        &[
            1.0048595596677214,
            -0.5466708008480978,
            0.9284768701771646,
            -0.3713902281240265,
            0.7999999040000972,
            0.600000127999849,
        ],
    );
}

#[test]
fn pools_of_volumes() {
    let x = tensor(&IMAGE, &[1, 1, 2, 2, 3]);
    let slopes = [0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    check(|x| adaptive_max_pool3d(x, 1, 2, 2), &x, &[1.0, 0.5, 1.25, 0.25], &slopes);
    check(
        |x| lp_pool3d(x, 3, 2, 2, 2, 1),
        &tensor(&IMAGE.map(|x| x.abs() + 0.25), &[1, 1, 2, 2, 3]),
        &[2.1821296837965103, 1.9519813304449272],
        &[
            0.47252131498751493,
            0.26575916886456225,
            0.14762884011768354,
            0.47252131498751493,
            0.11811518616202767,
            0.2624512713203263,
            0.32813980207466314,
            0.029528796540506917,
            0.4100801114380098,
            0.2100094733277844,
            0.11811518616202767,
            0.5905153604707342,
        ],
    );
}

/// Each element of the result counts by its place, from 1 on.
#[test]
fn pools_are_undone() -> Result<()> {
    let image: Vec<f64> = (0..30).map(|i| f64::from(7 * i % 11 - 5) / 4.0).collect();
    let weighted = |y: Result<Tensor>| {
        let weights: Vec<f64> = (1..=y.as_ref().map_or(0, Tensor::elements)).map(|i| i as f64).collect();
        let shape = y.as_ref().map_or(vec![], |y| y.shape().to_vec());
        y? * tensor(&weights, &shape)
    };
    let undone = |size: usize| {
        let mut wanted = vec![0.0; size];
        (wanted[3], wanted[6]) = (5.0, 7.0);
        wanted
    };
    let (best, place) = max_pool1d_with_indices(tensor(&[1.0, 4.0, 3.0, 2.0, 9.0], &[1, 1, 5]), 2, 2, 0, 1)?;
    check(|y| weighted(max_unpool1d(y, &place, 5)), &best, &[0.0, 8.0, 9.0, 0.0, 0.0], &[2.0, 3.0]);
    let (best, place) = max_pool2d_with_indices(tensor(&image[..15], &[1, 1, 3, 5]), 2, 2, 2, 0, 1)?;
    check(|y| weighted(max_unpool2d(y, &place, 3, 5)), &best, &undone(15), &[7.0, 4.0]);
    let (best, place) = max_pool3d_with_indices(tensor(&image, &[1, 1, 2, 3, 5]), 2, 2, 2, 2, 0, 1)?;
    check(|y| weighted(max_unpool3d(y, &place, 2, 3, 5)), &best, &undone(30), &[7.0, 4.0]);
    // The largest element of two windows.
    let (best, place) = max_pool1d_with_indices(tensor(&[1.0, 4.0, 3.0], &[1, 1, 3]), 2, 1, 0, 1)?;
    assert_eq!(max_unpool1d(&best, &place, 3)?.to_vec::<f64>()?, [0.0, 4.0, 0.0]);
    let far = tensor(&[0_i64, 15], &[1, 1, 1, 2]);
    assert!(max_unpool2d(tensor(&[1.0, 2.0], &[1, 1, 1, 2]), far, 3, 5).is_err());
    Ok(())
}

#[test]
fn rows_that_do_not_fit_a_cache_are_an_error() -> Result<()> {
    let (cache, rows) = (tensor(&[0.0; 4], &[4, 1]), tensor(&[1.0, 2.0], &[2, 1]));
    assert_eq!(cache_update(&cache, &rows, 2)?.to_vec::<f64>()?, [0.0, 0.0, 1.0, 2.0]);
    let error = cache_update(&cache, &rows, 3).unwrap_err().to_string();
    assert!(
        error.contains("dim `room` has the size s - past - t, and with s = 4, t = 2, past = 3"),
        "{error}"
    );
    Ok(())
}
