//! Batched matrix products of tensors.

use crate::cast;
use crate::kernel::contraction::Product;
use crate::kernel::stream::{Real, match_real};
use crate::nest::Nest;
use crate::tensor::NdArrayTensor;
use tensor_op_core::{Error, ErrorKind, Result, Shape};
use tensor_op_spec::ir::Kind;

/// `[b, m, k]` times `[b, k, n]`; halves compute in f32.
pub(crate) fn matmul(lhs: NdArrayTensor, rhs: NdArrayTensor) -> Result<NdArrayTensor> {
    let dtype = lhs.dtype();
    if dtype.kind() != Kind::Float || rhs.dtype() != dtype {
        let message =
            format!("the factors are {dtype} and {}; they must be floats of one dtype", rhs.dtype());
        return Err(Error::new(ErrorKind::DType, message));
    }
    match (&lhs.shape()[..], &rhs.shape()[..]) {
        ([b, _, k], [b2, k2, _]) if b == b2 && k == k2 => {}
        (l, r) => {
            let message =
                format!("shapes {l:?} and {r:?} don't multiply; they must be [b, m, k] and [b, k, n]");
            return Err(Error::new(ErrorKind::Shape, message));
        }
    }
    let computed = dtype.compute();
    let (lhs, rhs) = (cast::cast(lhs, computed)?, cast::cast(rhs, computed)?);
    let product = match_real!(computed, E => multiply::<E>(&lhs, &rhs)?);
    cast::cast(product, dtype)
}

fn multiply<E: Real>(lhs: &NdArrayTensor, rhs: &NdArrayTensor) -> Result<NdArrayTensor> {
    let (l, r) = (lhs.layout(), rhs.layout());
    let sizes = [l.shape[0], l.shape[1], r.shape[2], l.shape[2]];
    let shape = Shape::new(&sizes[..3]);
    shape.elements()?;
    let mut out = NdArrayTensor::recycled(&shape, E::NATIVE)?;
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
