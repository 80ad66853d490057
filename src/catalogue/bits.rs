//! Ints bit by bit, quotients that are rounded down, and weights of four bits.
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use crate::tensor_op;

/// Bits that both have. `torch.bitwise_and`.
#[tensor_op(method(inherent), burn = bitwise_and_burn)]
pub fn bitwise_and(x: IntTensor, y: IntTensor) -> IntTensor {
    x & y
}

/// Bits that either has. `torch.bitwise_or`.
#[tensor_op(method(inherent), burn = bitwise_or_burn)]
pub fn bitwise_or(x: IntTensor, y: IntTensor) -> IntTensor {
    x | y
}

/// Bits that one of the two has. `torch.bitwise_xor`.
#[tensor_op(method(inherent), burn = bitwise_xor_burn)]
pub fn bitwise_xor(x: IntTensor, y: IntTensor) -> IntTensor {
    x ^ y
}

/// All bits the other way round. `torch.bitwise_not`.
#[tensor_op(method(inherent), burn = bitwise_not_burn)]
pub fn bitwise_not(x: IntTensor) -> IntTensor {
    !x
}

/// Bits moved to higher places. Those that leave 64 bits are lost: the result is 0 where `by` is negative, or
/// 64 and more. `torch.bitwise_left_shift`.
#[tensor_op(method(inherent), burn = left_shift_burn)]
pub fn left_shift(x: IntTensor, by: IntTensor) -> IntTensor {
    x << by
}

/// Bits moved to lower places, where the sign stays: the result is 0 or -1 where `by` is negative, or 64 and
/// more. `torch.bitwise_right_shift`.
#[tensor_op(method(inherent), burn = right_shift_burn)]
pub fn right_shift(x: IntTensor, by: IntTensor) -> IntTensor {
    x >> by
}

/// The ones among the bits of the absolute value. `numpy.bitwise_count`.
#[tensor_op(method(inherent), burn = popcount_burn)]
pub fn popcount(x: IntTensor) -> IntTensor {
    popcount(x)
}

/// The quotient, rounded down. Of ints it is 0 where `y` is 0. `torch.floor_divide`.
#[tensor_op(burn = floor_div_burn)]
#[no_grad]
pub fn floor_div(x: NumTensor, y: NumTensor) -> NumTensor {
    floor_div(x, y)
}

/// The rest of [`floor_div`], which has the sign of `y`. Of ints it is 0 where `y` is 0. `torch.remainder`.
#[tensor_op(burn = remainder_burn)]
pub fn remainder(x: NumTensor, y: NumTensor) -> NumTensor {
    remainder(x, y)
}

/// Weights of four bits, of which each byte has two, the lower bits first. A group of `k` bytes has one scale
/// and one zero point: a weight is `(bits - zero) * scale`, with bits from 0 to 15.
///
/// ```
/// use tensor_op::catalogue::bits::unpack_int4;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let device = Device::default();
/// let packed = Tensor::from_vec(vec![0x21_u8, 0x43, 0xF8, 0x0A], [1, 4], &device)?;
/// let scale = Tensor::from_vec(vec![0.5_f32, 2.0], [1, 2], &device)?;
/// let zero = Tensor::from_vec(vec![0.0_f32, 8.0], [1, 2], &device)?;
/// let weights = unpack_int4(packed, scale, zero)?;
/// assert_eq!(weights.to_vec::<f32>()?, [0.5, 1.0, 1.5, 2.0, 0.0, 14.0, 4.0, -16.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(burn = unpack_int4_burn)]
pub fn unpack_int4(
    packed: IntTensor![o, (g, k)],
    scale: Tensor![o, g],
    zero: Tensor![o, g],
) -> Tensor![o, (g, k, half = 2)] {
    let bits = (packed >> (4 * iota(half))) & 15;
    (cast(bits, float) - zero) * scale
}
