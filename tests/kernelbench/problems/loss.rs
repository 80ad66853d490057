//! Level 1: losses.

use super::Problem;
use crate::case::Case;
use tensor_op::catalogue::losses::{cross_entropy, kl_div, mse_loss, smooth_l1_loss, triplet_margin_loss};
use tensor_op::{Reduction, prelude::*};

#[tensor_op(tests = false)]
fn hinge_loss(predictions: Tensor, targets: Tensor) -> Tensor![] {
    mean(maximum(1.0 - predictions * targets, 0.0), ..)
}

/// Predictions and targets.
fn pair(m: &Case) -> (&Tensor, &Tensor) {
    (m.input("predictions"), m.input("targets"))
}

pub(super) const PROBLEMS: &[Problem] = &[
    ("1/094 MSELoss", |m| {
        let (predictions, targets) = pair(m);
        mse_loss(predictions, targets, None)
    }),
    ("1/095 CrossEntropyLoss", |m| {
        let (predictions, targets) = pair(m);
        cross_entropy(predictions, targets, None, None, None, None)
    }),
    ("1/096 HuberLoss", |m| {
        let (predictions, targets) = pair(m);
        smooth_l1_loss(predictions, targets, None, None)
    }),
    ("1/098 KLDivLoss", |m| {
        let (predictions, targets) = pair(m);
        kl_div(predictions.log(), targets, Reduction::Sum, None)? / targets.shape()[0]
    }),
    ("1/099 TripletMarginLoss", |m| {
        let [anchor, positive, negative] = ["anchor", "positive", "negative"].map(|name| m.input(name));
        triplet_margin_loss(anchor, positive, negative, m.number("margin"), None, None, None, None)
    }),
    ("1/100 HingeLoss", |m| {
        let (predictions, targets) = pair(m);
        hinge_loss(predictions, targets)
    }),
];
