//! Level 1: scans.

use super::Problem;
use tensor_op::prelude::*;

#[tensor_op(tests = false)]
fn masked_cumsum(x: Tensor![b, n], mask: BoolTensor![b, n]) -> Tensor![b, n] {
    cumsum(select(mask, x, 0.0), n)
}

pub(super) const PROBLEMS: &[Problem] = &[
    ("1/089 cumsum", |m| m.x().cumsum(m.int("dim"))),
    ("1/090 cumprod", |m| m.x().cumprod(m.int("dim"))),
    ("1/091 cumsum_reverse", |m| {
        let dim = m.int("dim");
        m.x().flip(dim)?.cumsum(dim)?.flip(dim)
    }),
    ("1/092 cumsum_exclusive", |m| {
        let dim = m.int("dim");
        let zero = m.x().slice(dim, ..1)?.zeros_like()?;
        Tensor::cat(&[zero, m.x().slice(dim, ..-1)?.cumsum(dim)?], dim)
    }),
    ("1/093 masked_cumsum", |m| masked_cumsum(m.x(), m.input("mask"))),
];
