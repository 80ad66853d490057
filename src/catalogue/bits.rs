//! Ints bit by bit, and quotients that are rounded down.
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
