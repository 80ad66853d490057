//! Elements at other places: backwards, around, on diagonals, joined.
//!
//! Names and arguments are PyTorch's. Elements of any kind move: floats, ints and bools.
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use crate::tensor_op;

/// The elements along an axis backwards. `torch.flip` of one axis; nest the calls for several.
#[tensor_op(method(inherent), burn = flip_burn)]
pub fn flip(input: AnyTensor, #[default(-1)] axis: Axis) -> AnyTensor {
    at(input, axis = len(axis) - 1 - axis)
}

/// The elements along an axis, shifted around. `torch.roll` of one axis; nest the calls for several.
///
/// ```
/// use tensor_op::catalogue::movement::roll;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![1.0, 2.0, 3.0], [3], &Device::default())?;
/// assert_eq!(roll(&x, 1, None)?.to_vec::<f64>()?, [3.0, 1.0, 2.0]);
/// assert_eq!(roll(&x, -4, None)?.to_vec::<f64>()?, [2.0, 3.0, 1.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = roll_burn)]
#[grad(input = at(grad, axis = wrap(axis + shift)))]
pub fn roll(input: AnyTensor, shift: i64, #[default(-1)] axis: Axis) -> AnyTensor {
    at(input, axis = wrap(axis - shift))
}

/// The differences of neighbours along the last axis. `torch.diff`, of bools too if they are cast to ints.
#[tensor_op(method(inherent), burn = diff_burn)]
pub fn diff(input: NumTensor![.., n]) -> NumTensor![.., l = n - 1] {
    at(input, n = l + 1) - at(input, n = l)
}

/// The diagonal of square matrices that begins at this row and column. `torch.diagonal` of the last two axes:
/// its positive offset is the column here, and its negative offset is the row. Of other matrices take a
/// square part.
///
/// ```
/// use tensor_op::catalogue::movement::diagonal;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![1.0, 2.0, 3.0, 4.0], [2, 2], &Device::default())?;
/// assert_eq!(diagonal(&x, None, None)?.to_vec::<f64>()?, [1.0, 4.0]);
/// assert_eq!(diagonal(&x, None, 1)?.to_vec::<f64>()?, [2.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = diagonal_burn)]
pub fn diagonal(
    input: AnyTensor![.., n, m = n],
    #[default(0)] row: usize,
    #[default(0)] column: usize,
) -> AnyTensor![.., d = n - row - column] {
    at(input, n = d + row, m = d + column)
}

/// Matrices of zeros with `input` on the diagonal that begins at this row and column. `torch.diag_embed` to
/// the last two axes. Its positive offset is the column here, and its negative offset is the row.
///
/// ```
/// use tensor_op::catalogue::movement::diag_embed;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![1.0, 2.0], [2], &Device::default())?;
/// assert_eq!(diag_embed(&x, None, None)?.to_vec::<f64>()?, [1.0, 0.0, 0.0, 2.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = diag_embed_burn)]
pub fn diag_embed(
    input: AnyTensor![.., d],
    #[default(0)] row: usize,
    #[default(0)] column: usize,
) -> AnyTensor![.., m = d + row + column, n = d + row + column] {
    select(iota(m) - row == iota(n) - column, at(input, d = m - row, or = 0), 0)
}

/// Matrices with zeros above a diagonal. `torch.tril`.
///
/// ```
/// use tensor_op::catalogue::movement::tril;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::ones([2, 2], DType::F64, &Device::default())?;
/// assert_eq!(tril(&x, None)?.to_vec::<f64>()?, [1.0, 0.0, 1.0, 1.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = tril_burn)]
pub fn tril(input: AnyTensor![.., m, n], #[default(0)] diagonal: i64) -> AnyTensor![.., m, n] {
    select(iota(n) - iota(m) <= diagonal, input, 0)
}

/// Matrices with zeros below a diagonal. `torch.triu`.
#[tensor_op(method(inherent), burn = triu_burn)]
pub fn triu(input: AnyTensor![.., m, n], #[default(0)] diagonal: i64) -> AnyTensor![.., m, n] {
    select(iota(n) - iota(m) >= diagonal, input, 0)
}

/// Two tensors, one behind the other along the last axis. Other axes broadcast. `torch.cat` of two tensors;
/// [`Tensor::cat`](crate::Tensor::cat) joins any number along any axis.
///
/// ```
/// use tensor_op::catalogue::movement::cat;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![1.0, 2.0], [2], &Device::default())?;
/// assert_eq!(cat(&x, &x)?.to_vec::<f64>()?, [1.0, 2.0, 1.0, 2.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(burn = cat_burn)]
pub fn cat(x: AnyTensor![.., n], y: AnyTensor![.., m]) -> AnyTensor![.., o = n + m] {
    select(iota(o) < len(n), at(x, n = o, or = 0), at(y, m = o - len(n), or = 0))
}

/// Two tensors side by side along a new last axis. `torch.stack` of two tensors;
/// [`Tensor::stack`](crate::Tensor::stack) joins any number along any axis.
#[tensor_op(burn = stack_burn)]
pub fn stack(x: AnyTensor, y: AnyTensor) -> AnyTensor![.., pair = 2] {
    select(iota(pair) == 0, x, y)
}

/// One half of the last axis, gated by the other. `torch.nn.functional.glu`.
#[tensor_op(method(inherent), burn = glu_burn)]
pub fn glu(input: Tensor![.., (half = 2, n)]) -> Tensor![.., n] {
    at(input, half = 0) * sigmoid(at(input, half = 1))
}

/// Rotary position encoding of the halves of the last axis, as in GPT-NeoX. `cos` and `sin` have the angles
/// of each position. Source: Su et al., "RoFormer", 2021, arXiv 2104.09864.
#[tensor_op(burn = rotary_halves_burn)]
pub fn rotary_halves(
    x: Tensor![.., t, (half = 2, d)],
    cos: Tensor![t, d],
    sin: Tensor![t, d],
) -> Tensor![.., t, (half, d)] {
    let other = at(x, half = 1 - half);
    x * cos + select(iota(half) == 0, -other, other) * sin
}

/// Rotary position encoding of neighbours on the last axis, as in GPT-J. `cos` and `sin` have the angles of
/// each position. Source: Su et al., "RoFormer", 2021, arXiv 2104.09864.
#[tensor_op(burn = rotary_pairs_burn)]
pub fn rotary_pairs(
    x: Tensor![.., t, (d, pair = 2)],
    cos: Tensor![t, d],
    sin: Tensor![t, d],
) -> Tensor![.., t, (d, pair)] {
    let other = at(x, pair = 1 - pair);
    x * cos + select(iota(pair) == 0, -other, other) * sin
}

/// Channels as pixels of an image that is `upscale_factor` times as large.
/// `torch.nn.functional.pixel_shuffle`.
#[tensor_op(method(inherent), burn = pixel_shuffle_burn)]
pub fn pixel_shuffle(
    input: AnyTensor![b, (c, p = upscale_factor, q = upscale_factor), h, w],
    upscale_factor: usize,
) -> AnyTensor![b, c, (h, p), (w, q)] {
    input
}

/// Blocks of pixels as channels: the inverse of [`pixel_shuffle`]. `torch.nn.functional.pixel_unshuffle`.
#[tensor_op(method(inherent), burn = pixel_unshuffle_burn)]
pub fn pixel_unshuffle(
    input: AnyTensor![b, c, (h, p = downscale_factor), (w, q = downscale_factor)],
    downscale_factor: usize,
) -> AnyTensor![b, (c, p, q), h, w] {
    input
}

/// Channels of groups, interleaved: the first ones of all groups, then the second ones.
/// `torch.nn.functional.channel_shuffle` of images.
#[tensor_op(method(inherent), burn = channel_shuffle_burn)]
pub fn channel_shuffle(
    input: AnyTensor![b, (groups, c), h, w],
    groups: usize,
) -> AnyTensor![b, (c, groups), h, w] {
    input
}
