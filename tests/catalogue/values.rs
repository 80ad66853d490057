//! Values and gradients of ops of the catalogue that no exam calls. All numbers are those of PyTorch 2.15 in
//! f64.

use super::check::{assert_near, check, tensor};
use tensor_op::Reduction;
use tensor_op::catalogue::adaptive::adaptive_max_pool3d;
use tensor_op::catalogue::losses::{ctc_loss, multilabel_margin_loss, triplet_margin_with_distance_loss};
use tensor_op::catalogue::pooling::{
    fractional_max_pool2d, fractional_max_pool3d, lp_pool3d, max_pool1d_with_indices,
    max_pool2d_with_indices, max_pool3d_with_indices, max_unpool1d, max_unpool2d, max_unpool3d,
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
    check(|x| adaptive_max_pool3d(x, [1, 2, 2]), &x, &[1.0, 0.5, 1.25, 0.25], &slopes);
    check(
        |x| lp_pool3d(x, 3, 2, 1, None),
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
    let (best, place) =
        max_pool1d_with_indices(tensor(&[1.0, 4.0, 3.0, 2.0, 9.0], &[1, 1, 5]), 2, 2, 0, 1, None)?;
    check(|y| weighted(max_unpool1d(y, &place, 5)), &best, &[0.0, 8.0, 9.0, 0.0, 0.0], &[2.0, 3.0]);
    let (best, place) = max_pool2d_with_indices(tensor(&image[..15], &[1, 1, 3, 5]), 2, 2, 0, 1, None)?;
    check(|y| weighted(max_unpool2d(y, &place, [3, 5])), &best, &undone(15), &[7.0, 4.0]);
    let (best, place) = max_pool3d_with_indices(tensor(&image, &[1, 1, 2, 3, 5]), 2, 2, 0, 1, None)?;
    check(|y| weighted(max_unpool3d(y, &place, [2, 3, 5])), &best, &undone(30), &[7.0, 4.0]);
    // The largest element of two windows.
    let (best, place) = max_pool1d_with_indices(tensor(&[1.0, 4.0, 3.0], &[1, 1, 3]), 2, 1, 0, 1, None)?;
    assert_eq!(max_unpool1d(&best, &place, 3)?.to_vec::<f64>()?, [0.0, 4.0, 0.0]);
    let far = tensor(&[0_i64, 15], &[1, 1, 1, 2]);
    assert!(max_unpool2d(tensor(&[1.0, 2.0], &[1, 1, 1, 2]), far, [3, 5]).is_err());
    Ok(())
}

/// A case of `ctc_loss`: the logits of 5 times, 3 sequences and 4 classes. Compared are the losses, for each
/// sequence the sum of the squared gradients of its logits, and the gradient at the second time.
#[track_caller]
fn check_ctc(
    (targets, input_lengths, target_lengths): ([i64; 9], [i64; 3], [i64; 3]),
    (blank, reduction, zero_infinity): (i64, Reduction, bool),
    losses: &[f64],
    squares: [f64; 3],
    second: [f64; 12],
) {
    let logits: Vec<f64> = (0..60).map(|i| f64::from(i * 37 % 23) / 7.0 - 1.5).collect();
    let logits = tensor(&logits, &[5, 3, 4]).require_grad();
    let run = || -> Result<()> {
        let (targets, lengths) = (tensor(&targets, &[3, 3]), tensor(&input_lengths, &[3]));
        let loss = ctc_loss(
            logits.log_softmax(-1)?,
            targets,
            lengths,
            tensor(&target_lengths, &[3]),
            blank,
            reduction,
            zero_infinity,
        )?;
        assert_near(&loss.to_vec::<f64>()?, losses);
        let slopes = loss.backward_with(&loss.ones_like()?)?[&logits].clone();
        assert_near(&slopes.select(0, 1)?.to_vec::<f64>()?, &second);
        assert_near(&slopes.square()?.sum([0, 2])?.to_vec::<f64>()?, &squares);
        Ok(())
    };
    run().expect("it runs");
}

/// An infinite loss has no gradient here, and infinities and NaN in PyTorch.
#[test]
fn sequences_of_labels() {
    let (targets, shorter) = ([1, 1, 3, 2, 3, 0, 3, 1, 2], ([5, 4, 2], [3, 2, 3]));
    let squares = [3.3021471724240454, 1.193575935269605, 0.0];
    let second = [
        -0.22313392200475043,
        -0.013981968152007,
        0.18576154507434078,
        0.051354345082416666,
        0.04365607224093271,
        0.0711792713466187,
        -0.14012026822854756,
        0.025284924640996166,
        0.0,
        0.0,
        0.0,
        0.0,
    ];
    let case = (targets, shorter.0, shorter.1);
    let [first, other] = [7.3959812545839165, 2.8853135278885302];
    check_ctc(case, (0, Reduction::None, false), &[first, other, f64::INFINITY], squares, second);
    check_ctc(case, (0, Reduction::None, true), &[first, other, 0.0], squares, second);
    let squares = [0.04076724904227216, 0.03315488709082235, 0.0];
    let second = [
        -0.024792658000527826,
        -0.0015535520168896667,
        0.020640171674926752,
        0.00570603834249074,
        0.007276012040155451,
        0.011863211891103117,
        -0.02335337803809126,
        0.004214154106832694,
        0.0,
        0.0,
        0.0,
        0.0,
    ];
    check_ctc(case, (0, Reduction::Mean, true), &[1.3026612829351902], squares, second);
}

/// Of the first sequence no label counts, and the last one has no times either.
#[test]
fn sequences_without_labels() {
    let case = ([1, 1, 3, 2, 3, 0, -7, 9, 2], [5, 4, 0], [0, 2, 0]);
    let squares = [0.5761545964002822, 0.03315488709082235, 0.0];
    let second = [
        -0.3030206616474815,
        0.2239820315952289,
        0.06192051502478037,
        0.01711811502747225,
        0.007276012040155451,
        0.011863211891103117,
        -0.02335337803809126,
        0.004214154106832694,
        0.0,
        0.0,
        0.0,
        0.0,
    ];
    check_ctc(case, (0, Reduction::Mean, false), &[3.8284685645685106], squares, second);
}

#[test]
fn sequences_with_another_blank() -> Result<()> {
    let case = ([1, 1, 3, 0, 3, 0, 3, 1, 2], [5, 4, 5], [2, 1, 2]);
    let squares = [1.8084408457085934, 1.70079565238209, 2.305628390769446];
    let second = [
        0.09093801505755654,
        -0.13592121684010133,
        -0.0063711432998718905,
        0.05135434508241667,
        -0.16719284153157263,
        0.07117927134661872,
        -0.049386254236603325,
        0.14539982442155722,
        0.09093801505755661,
        0.43384247589596747,
        -0.35879938110976295,
        -0.16598110984376116,
    ];
    check_ctc(case, (2, Reduction::Sum, false), &[13.451285007894803], squares, second);
    // Labels that are no classes, and lengths beyond the labels.
    let logs = tensor(&[-1.0; 8], &[2, 1, 4]);
    let loss = |label: i64, length: i64| {
        let (target, times, length) =
            (tensor(&[label], &[1, 1]), tensor(&[2_i64], &[1]), tensor(&[length], &[1]));
        ctc_loss(&logs, target, times, length, None, None, None)
    };
    assert!((loss(3, 1)?.item::<f64>()? - (2.0 - f64::ln(3.0))).abs() < 1e-12);
    for (label, length) in [(4, 1), (-1, 1), (3, 2), (3, -1)] {
        assert_eq!(loss(label, length).unwrap_err().op(), Some("ctc_loss"), "label {label}, length {length}");
    }
    // What is not a number stays visible.
    let loss = ctc_loss(
        tensor(&[f64::NAN; 8], &[2, 1, 4]),
        tensor(&[3_i64], &[1, 1]),
        tensor(&[2_i64], &[1]),
        tensor(&[1_i64], &[1]),
        None,
        None,
        None,
    )?;
    assert!(loss.item::<f64>()?.is_nan());
    Ok(())
}

/// Each element of the result counts by its place, from 1 on. Compared is also the sum of the gradient of
/// each plane of two axes, weighted by the places.
#[test]
fn windows_at_places_that_are_drawn() -> Result<()> {
    let check = |x: Tensor, pool: &dyn Fn(&Tensor) -> Result<Tensor>, thirds: &[i32], slopes: &[f64]| {
        let (per, x) = (x.elements() / slopes.len(), x.require_grad());
        let run = || -> Result<()> {
            let y = pool(&x)?;
            let found: Vec<f64> = (y.to_vec::<f64>()?.iter().map(|y| (y * 3.0).round() - y * 3.0)).collect();
            assert!(found.iter().all(|rest| rest.abs() < 1e-12));
            let found: Vec<i32> = y.to_vec::<f64>()?.iter().map(|y| (y * 3.0).round() as i32).collect();
            assert_eq!(found, thirds);
            let weights: Vec<f64> = (1..=thirds.len()).map(|i| i as f64).collect();
            let slopes_of = y.backward_with(tensor(&weights, &y.shape()))?[&x].to_vec::<f64>()?;
            let weigh = |plane: &[f64]| plane.iter().enumerate().map(|(i, slope)| i as f64 * slope).sum();
            assert_eq!(slopes_of.chunks(per).map(weigh).collect::<Vec<f64>>(), slopes);
            Ok(())
        };
        run().expect("it runs");
    };
    let image: Vec<f64> = (0..168).map(|i| f64::from(i * 29 % 31) / 3.0 - 4.0).collect();
    let draws = tensor(&[0.3, 0.9, 0.0, 0.55, 0.71, 0.2, 0.999, 0.42], &[2, 2, 2]);
    let thirds = [
        17, 17, 13, 14, 12, 18, 14, 12, 8, 17, 17, 15, 16, 14, 18, 4, 17, 17, 11, 9, 5, 18, 16, 12, 6, 4, 17,
        13, 11, 7, 18, 18, 14, 8, 6, 17, 15, 13, 9, 18, 18, 16, 17, 15, 11, 17, 15, 11,
    ];
    let pool = |x: &Tensor| fractional_max_pool2d(x, &draws, [2, 3], [4, 3]);
    check(tensor(&image, &[2, 2, 7, 6]), &pool, &thirds, &[1810.0, 5280.0, 7506.0, 10479.0]);
    let volume: Vec<f64> = (0..420).map(|i| f64::from(i * 29 % 401) / 3.0 - 4.0).collect();
    let draws = tensor(&[0.3, 0.9, 0.0, 0.55, 0.71, 0.2], &[1, 2, 3]);
    let thirds = [177, 182, 375, 222, 227, 377, 252, 387, 64, 297, 104, 109];
    let pool = |x: &Tensor| fractional_max_pool3d(x, &draws, [2, 1, 3], [2, 3, 1]);
    check(tensor(&volume, &[1, 2, 5, 6, 7]), &pool, &thirds, &[3173.0, 7676.0]);
    // A window that is larger than its axis.
    let x = tensor(&image[..42], &[1, 1, 7, 6]);
    assert!(fractional_max_pool2d(&x, tensor(&[0.5, 0.5], &[1, 1, 2]), [8, 1], 1).is_err());
    Ok(())
}
