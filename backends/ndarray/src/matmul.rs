//! Batched matrix products of tensors.

use crate::cast;
use crate::kernel::contraction::Product;
use crate::kernel::real::{Real, match_real};
use crate::nest::Nest;
use crate::tensor::NdArrayTensor;
use tensor_op_core::{Result, Shape, check};

/// `[b, m, k]` times `[b, k, n]`; halves compute in f32.
pub(crate) fn matmul(lhs: NdArrayTensor, rhs: NdArrayTensor) -> Result<NdArrayTensor> {
    let dtype = lhs.dtype();
    let shape = check::matmul((lhs.shape(), dtype), (rhs.shape(), rhs.dtype()))?;
    let computed = dtype.compute();
    let (lhs, rhs) = (cast::cast(lhs, computed)?, cast::cast(rhs, computed)?);
    let product = match_real!(computed, E => multiply::<E>(&lhs, &rhs, &shape)?);
    cast::cast(product, dtype)
}

fn multiply<E: Real>(lhs: &NdArrayTensor, rhs: &NdArrayTensor, shape: &Shape) -> Result<NdArrayTensor> {
    let (l, r) = (lhs.layout(), rhs.layout());
    let sizes = [l.shape[0], l.shape[1], r.shape[2], l.shape[2]];
    let mut out = NdArrayTensor::recycled(shape, E::NATIVE)?;
    let o = out.layout();
    let strides = [
        [o.strides[0], l.strides[0], r.strides[0]],
        [o.strides[1], l.strides[1], 0],
        [o.strides[2], 0, r.strides[2]],
        [0, l.strides[2], r.strides[1]],
    ];
    let mut nests = sizes.into_iter().zip(strides).map(|(size, strides)| {
        let mut nest = Nest::new(3);
        nest.push(size, strides.into_iter());
        nest
    });
    let mut next = || nests.next().unwrap_or_else(|| Nest::new(3));
    let product = Product { batch: next(), m: next(), n: next(), k: next() };
    product.run(out.target::<E>()?, lhs.array::<E>()?, rhs.array::<E>()?)?;
    Ok(out)
}
