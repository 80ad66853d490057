//! Matrix products through libraries: [`cubek`], which has kernels for every device, and with the feature
//! `cublas` NVIDIA's cuBLASLt.
//!
//! A product of named dims can have any memory order. Here the axes of each side are merged into one if
//! strides allow it, so that each side becomes row- or column-major. If no library can take a product, the
//! caller has to compute it.

mod cubek;
#[cfg(feature = "cublas")]
pub(crate) mod cublas;

use super::nest::{Axis, Nest};
use crate::tensor::CubeTensor;
use tensor_op_core::{Precision, Result};

/// The operands of a product.
pub(super) const LHS: usize = 0;
pub(super) const RHS: usize = 1;
pub(super) const OUT: usize = 2;
/// A product with fewer multiplications, or with a side or sum shorter than this, is as fast without the
/// library.
const SMALL: usize = 1 << 15;
const SHORT: usize = 8;

/// `out[batch, m, n] = sum over k of lhs[batch, m, k] * rhs[batch, k, n]`; steps are those of lhs, rhs and
/// out.
pub(crate) struct Product {
    pub(crate) batch: Nest,
    pub(crate) m: Nest,
    pub(crate) n: Nest,
    pub(crate) k: Nest,
}

/// Computes the product. Returns `false` if no library can.
pub(super) fn multiply(
    product: &Product,
    lhs: &CubeTensor,
    rhs: &CubeTensor,
    out: &CubeTensor,
    precision: Precision,
) -> Result<bool> {
    let Some(matrices) = Matrices::of(product) else { return Ok(false) };
    let Matrices { batch, m, n, k } = &matrices;
    let sizes = [m.size, n.size, k.size];
    let multiplications =
        batch.iter().map(|axis| axis.size).product::<usize>() * sizes.iter().product::<usize>();
    if multiplications < SMALL || sizes.iter().any(|size| *size < SHORT) {
        return Ok(false);
    }
    #[cfg(feature = "cublas")]
    if cublas::multiply(&matrices, [lhs, rhs, out], precision)? {
        return Ok(true);
    }
    cubek::multiply(&matrices, [lhs, rhs, out], precision)
}

/// One axis for each side, one for the sum, and the batch axes. Steps are those of lhs, rhs and out.
struct Matrices {
    batch: Vec<Axis>,
    m: Axis,
    n: Axis,
    k: Axis,
}

impl Matrices {
    fn of(product: &Product) -> Option<Matrices> {
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
        Some(Matrices { batch: batch.axes, m: single(m)?, n: single(n)?, k: single(k)? })
    }
}

fn single(mut nest: Nest) -> Option<Axis> {
    match nest.axes.len() {
        1 => nest.axes.pop(),
        _ => None,
    }
}

/// Whether the library accepts the offset at which the tensor starts.
pub(super) fn is_bindable(tensor: &CubeTensor) -> bool {
    let start = tensor.layout.offset * tensor.elem().size();
    (start as u64).is_multiple_of(tensor.device.client.properties().memory.alignment)
}
