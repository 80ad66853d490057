//! Random numbers, which the host computes: the operands are ints, so that no operand tells a backend the
//! dtype of the result.

use super::align::{Aligned, sizes};
use crate::bind::BoundAxis;
use crate::memory::reserved;
use crate::{Backend, DType, Error, ErrorKind, Result, Shape, TensorData};
use tensor_op_spec::prim::philox;

/// A random number for each seed, stream and position, which are aligned to these axes.
pub(super) fn draw<B: Backend>(
    operands: Vec<Aligned<B>>,
    axes: &[BoundAxis],
    dtype: DType,
    device: &B::Device,
) -> Result<B::Tensor> {
    let ints = operands.into_iter().map(|operand| {
        let data = B::into_data(operand.align(axes)?)?;
        data.cast(DType::I64).into_vec::<i64>()
    });
    let [seeds, streams, positions] = <[Vec<i64>; 3]>::try_from(ints.collect::<Result<Vec<_>>>()?)
        .map_err(|_| Error::new(ErrorKind::Backend, "a draw takes a seed, a stream and a position"))?;
    let shape: Shape = sizes(axes).collect();
    let ints = seeds.iter().zip(&streams).zip(&positions).map(|((seed, stream), at)| (*seed, *stream, *at));
    let data = if dtype == DType::F64 {
        let mut drawn = reserved::<f64>(seeds.len())?;
        drawn.extend(ints.map(|(seed, stream, position)| philox::uniform(seed, stream, position)));
        TensorData::new(drawn, shape)?
    } else {
        let mut drawn = reserved::<f32>(seeds.len())?;
        drawn.extend(ints.map(|(seed, stream, position)| philox::uniform_f32(seed, stream, position)));
        TensorData::new(drawn, shape)?.cast(dtype)
    };
    B::from_data(data, device)
}
