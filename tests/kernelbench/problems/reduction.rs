//! Level 1: reductions.

use super::{Problem, kept};

pub(super) const PROBLEMS: &[Problem] = &[
    ("1/047 Sum_reduction_over_a_dimension", |m| kept(m.x().sum(m.int("dim")), [m.int("dim")])),
    ("1/048 Mean_reduction_over_a_dimension", |m| m.x().mean(m.int("dim"))),
    ("1/049 Max_reduction_over_a_dimension", |m| m.x().amax(m.int("dim"))),
    ("1/051 Argmax_over_a_dimension", |m| m.x().argmax(m.int("dim"))),
    ("1/052 Argmin_over_a_dimension", |m| m.x().argmin(m.int("dim"))),
    ("1/053 Min_reduction_over_a_dimension", |m| m.x().amin(m.int("dim"))),
];
