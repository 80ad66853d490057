//! Matrix products through libraries: [`cubek`], which has kernels for every device, and with the feature
//! `cublas` NVIDIA's cuBLASLt. If no library can take a product, the caller has to compute it.

pub(crate) mod cubek;
#[cfg(feature = "cublas")]
pub(crate) mod cublas;
pub(crate) mod matrices;

use crate::tensor::CubeTensor;
use matrices::{Matrices, Product};
use tensor_op_core::{Precision, Result};

/// A product with fewer multiplications, or with a side or sum shorter than this, is as fast without the
/// library.
const SMALL: usize = 1 << 15;
const SHORT: usize = 8;

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
