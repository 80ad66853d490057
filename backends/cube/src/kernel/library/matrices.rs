//! Products as libraries take them. A product of named dims can have any memory order. Here the axes of each
//! side are merged into one if strides allow it, so that each side becomes row- or column-major.

use crate::kernel::nest::{Axis, Nest};

/// The operands of a product.
pub(crate) const LHS: usize = 0;
pub(crate) const RHS: usize = 1;
pub(crate) const OUT: usize = 2;
/// `out[batch, m, n] = sum over k of lhs[batch, m, k] * rhs[batch, k, n]`; steps are those of lhs, rhs and
/// out.
pub(crate) struct Product {
    pub(crate) batch: Nest,
    pub(crate) m: Nest,
    pub(crate) n: Nest,
    pub(crate) k: Nest,
}

/// One axis for each side, one for the sum, and the batch axes. Steps are those of lhs, rhs and out.
pub(super) struct Matrices {
    pub(super) batch: Vec<Axis>,
    pub(super) m: Axis,
    pub(super) n: Axis,
    pub(super) k: Axis,
}

impl Matrices {
    pub(super) fn of(product: &Product) -> Option<Matrices> {
        let Product { batch, m, n, k } = product;
        let (mut batch, mut m, mut n, mut k) = (batch.clone(), m.clone(), n.clone(), k.clone());
        for nest in [&mut batch, &mut m, &mut n] {
            nest.sort_by(&[OUT, LHS, RHS]);
            nest.merge();
        }
        k.sort_by(&[LHS, RHS]);
        k.merge();
        // If the right factor lacks the leading axes (shared weights), these axes and `m` become one large
        // matrix.
        while let Some(axis) = batch.axes.last().filter(|axis| axis.steps[RHS] == 0) {
            let mut longer =
                Nest { axes: std::iter::once(axis.clone()).chain(m.axes.iter().cloned()).collect() };
            longer.merge();
            if longer.axes.len() > 1 {
                break;
            }
            m = longer;
            batch.axes.pop();
        }
        // Outer axes of a side that do not merge are batches, in which the other factor is the same. The
        // images of a convolution are such axes.
        for side in [&mut m, &mut n] {
            let inner = side.axes.len().saturating_sub(1);
            batch.axes.extend(side.axes.drain(..inner));
        }
        Some(Matrices { batch: batch.axes, m: single(m)?, n: single(n)?, k: single(k)? })
    }
}

fn single(mut nest: Nest) -> Option<Axis> {
    match nest.axes.len() {
        1 => nest.axes.pop(),
        _ => None,
    }
}
