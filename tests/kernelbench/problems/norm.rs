//! Level 1: norms.

use super::Problem;
use tensor_op::prelude::*;

#[tensor_op(tests = false)]
fn rms_norm_of_channels(x: Tensor![b, c, ..], eps: f64) -> Tensor![b, c, ..] {
    x / sqrt(mean(square(x), c) + eps)
}

#[tensor_op(tests = false)]
fn by_mean_size(x: Tensor![b, n]) -> Tensor![b, n] {
    x / mean(abs(x), n)
}

#[tensor_op(tests = false)]
fn by_length(x: Tensor![b, n]) -> Tensor![b, n] {
    x / norm(x, n)
}

pub(super) const PROBLEMS: &[Problem] = &[
    ("1/033 BatchNorm", |m| m.batch_norm("bn", m.x())),
    ("1/034 InstanceNorm", |m| m.instance_norm("inorm", m.x())),
    ("1/035 GroupNorm", |m| m.group_norm("gn", m.x())),
    ("1/036 RMSNorm", |m| rms_norm_of_channels(m.x(), m.number("eps"))),
    ("1/037 FrobeniusNorm", |m| m.x() / m.x().norm(..)),
    ("1/038 L1Norm", |m| by_mean_size(m.x())),
    ("1/039 L2Norm", |m| by_length(m.x())),
    ("1/040 LayerNorm", |m| m.layer_norm("ln", m.x())),
];
