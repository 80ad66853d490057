//! Elements at other places: backwards, around, on diagonals, joined.
//!
//! Names and arguments are PyTorch's. Elements of any kind move: floats, ints and bools.
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use crate::{Error, ErrorKind, IntoOptionalTensor, IntoTensor, Result, Shape, Tensor, tensor_op};

/// The elements along an axis backwards. `torch.flip` of one axis; nest the calls for several.
///
/// ```
/// use tensor_op::catalogue::movement::flip;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// assert_eq!(flip(Tensor::from([1.0, 2.0, 3.0]), None)?.to_vec::<f64>()?, [3.0, 2.0, 1.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = flip_burn)]
pub fn flip(input: AnyTensor, #[default(-1)] axis: Axis) -> AnyTensor {
    at(input, axis = len(axis) - 1 - axis)
}

/// The elements, shifted around along an axis. Without an axis they are shifted as one row, and get the
/// shape back. `torch.roll` of one axis; nest the calls for several.
///
/// ```
/// use tensor_op::catalogue::movement::roll;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(roll(&x, 1, 1)?.to_vec::<f64>()?, [3.0, 1.0, 2.0, 6.0, 4.0, 5.0]);
/// assert_eq!(roll(&x, -1, None)?.to_vec::<f64>()?, [2.0, 3.0, 4.0, 5.0, 6.0, 1.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// There is no such axis.
pub fn roll(input: impl IntoTensor, shift: i64, dim: impl Into<Option<i64>>) -> Result<Tensor> {
    let (input, dim) = (input.into_tensor()?, dim.into());
    let run = || match dim {
        Some(dim) => roll_along(input, shift, dim),
        None => roll_along(input.reshape([-1])?, shift, 0)?.reshape(input.shape()),
    };
    run().map_err(|error| error.renamed("roll"))
}

/// [`roll`] along an axis.
#[tensor_op(burn = roll_burn)]
#[grad(input = at(grad, axis = wrap(axis + shift)))]
pub fn roll_along(input: AnyTensor, shift: i64, axis: Axis) -> AnyTensor {
    at(input, axis = wrap(axis - shift))
}

/// The differences of neighbours along an axis, the last one by default, `n` times, once by default.
/// `prepend` and `append` stand before and behind the tensor, unless `n` is 0. `torch.diff`, of bools too if
/// they are cast to ints.
///
/// ```
/// use tensor_op::catalogue::movement::diff;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([1, 4, 9]);
/// assert_eq!(diff(&x, None, None, None, None)?.to_vec::<i32>()?, [3, 5]);
/// assert_eq!(diff(&x, 2, None, Tensor::from([0]), None)?.to_vec::<i32>()?, [2, 2]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// There is no such axis, `prepend` or `append` differs in another axis or in its dtype, or the tensor is of
/// bools.
pub fn diff(
    input: impl IntoTensor,
    n: impl Into<Option<usize>>,
    dim: impl Into<Option<i64>>,
    prepend: impl IntoOptionalTensor,
    append: impl IntoOptionalTensor,
) -> Result<Tensor> {
    let (input, times, dim) = (input.into_tensor()?, n.into().unwrap_or(1), dim.into().unwrap_or(-1));
    let (before, behind) = (prepend.into_optional_tensor()?, append.into_optional_tensor()?);
    if times == 0 {
        return Ok(input);
    }
    let run = || {
        let parts: Vec<Tensor> = [before, Some(input), behind].into_iter().flatten().collect();
        let whole = if let [one] = &parts[..] { one.clone() } else { Tensor::cat(&parts, dim)? };
        let mut x = whole.transpose(dim, -1)?;
        for _ in 0..times.min(x.shape()[x.rank() - 1]) {
            x = diff_of_last(x)?;
        }
        x.transpose(dim, -1)
    };
    run().map_err(|error| error.renamed("diff"))
}

/// [`diff`] along the last axis, once.
#[tensor_op(burn = diff_burn)]
pub fn diff_of_last(input: NumTensor![.., n]) -> NumTensor![.., l = n - 1] {
    at(input, n = l + 1) - at(input, n = l)
}

/// The elements whose index along `dim2` is that along `dim1` plus `offset`, in a new last axis. By default
/// they are the diagonals of the first two axes. `torch.diagonal`; `torch.linalg.diagonal` has the axes -2
/// and -1 by default.
///
/// ```
/// use tensor_op::catalogue::movement::diagonal;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(diagonal(&x, None, None, None)?.to_vec::<f64>()?, [1.0, 5.0]);
/// assert_eq!(diagonal(&x, 1, None, None)?.to_vec::<f64>()?, [2.0, 6.0]);
/// assert_eq!(diagonal(&x, -1, None, None)?.to_vec::<f64>()?, [4.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// There are no such axes, or both are one.
pub fn diagonal(
    input: impl IntoTensor,
    offset: impl Into<Option<i64>>,
    dim1: impl Into<Option<i64>>,
    dim2: impl Into<Option<i64>>,
) -> Result<Tensor> {
    let (input, offset) = (input.into_tensor()?, offset.into().unwrap_or(0));
    let (dim1, dim2) = (dim1.into().unwrap_or(0), dim2.into().unwrap_or(1));
    let run = || {
        let (first, second) = two_axes(input.shape(), dim1, dim2)?;
        let others = (0..input.rank()).filter(|axis| *axis != first && *axis != second);
        let order: Vec<i64> = others.chain([first, second]).map(|axis| axis as i64).collect();
        let x = input.permute(&order)?;
        let (rows, columns) = (x.shape()[x.rank() - 2] as i64, x.shape()[x.rank() - 1] as i64);
        let (row, column) = (offset.saturating_neg().max(0).min(rows), offset.max(0).min(columns));
        let count = (rows - row).min(columns - column);
        diagonal_of_last(x.slice(-2, row..row + count)?.slice(-1, column..column + count)?)
    };
    run().map_err(|error| error.renamed("diagonal"))
}

/// The diagonal of square matrices, which are the last two axes.
#[tensor_op(burn = diagonal_burn)]
pub fn diagonal_of_last(input: AnyTensor![.., n, m = n]) -> AnyTensor![.., n] {
    at(input, m = n)
}

/// Matrices with these elements on a diagonal, and zeros elsewhere: the index along `dim2` is that along
/// `dim1` plus `offset`. By default the matrices are the last two axes. `torch.diag_embed`.
///
/// ```
/// use tensor_op::catalogue::movement::diag_embed;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([1.0, 2.0]);
/// assert_eq!(diag_embed(&x, None, None, None)?.to_vec::<f64>()?, [1.0, 0.0, 0.0, 2.0]);
/// assert_eq!(diag_embed(&x, -1, None, None)?.shape().to_vec(), [3, 3]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The tensor has no axis, or the result has no such axes, or both are one.
pub fn diag_embed(
    input: impl IntoTensor,
    offset: impl Into<Option<i64>>,
    dim1: impl Into<Option<i64>>,
    dim2: impl Into<Option<i64>>,
) -> Result<Tensor> {
    let (input, offset) = (input.into_tensor()?, offset.into().unwrap_or(0));
    let (dim1, dim2) = (dim1.into().unwrap_or(-2), dim2.into().unwrap_or(-1));
    let run = || {
        let below = usize::try_from(offset.saturating_neg()).unwrap_or(0);
        let matrix = diag_embed_at(input, below, usize::try_from(offset).unwrap_or(0))?;
        let (first, second) = two_axes(matrix.shape(), dim1, dim2)?;
        let (mut others, last) = (0_i64.., matrix.rank() as i64);
        let place = |axis: usize| match axis {
            axis if axis == first => last - 2,
            axis if axis == second => last - 1,
            _ => others.next().unwrap_or_default(),
        };
        matrix.permute((0..matrix.rank()).map(place).collect::<Vec<_>>())
    };
    run().map_err(|error| error.renamed("diag_embed"))
}

/// Square matrices with these elements on the diagonal that begins at this row and column.
#[tensor_op(burn = diag_embed_burn)]
pub fn diag_embed_at(
    input: AnyTensor![.., d],
    #[default(0)] row: usize,
    #[default(0)] column: usize,
) -> AnyTensor![.., m = d + row + column, n = d + row + column] {
    select(iota(m) - row == iota(n) - column, at(input, d = m - row, or = 0), 0)
}

/// Two axes that differ.
fn two_axes(shape: Shape, dim1: i64, dim2: i64) -> Result<(usize, usize)> {
    let (first, second) = (shape.axis(dim1)?, shape.axis(dim2)?);
    if first == second {
        let message = format!("`dim1` and `dim2` both name axis {first} of the shape {shape}");
        return Err(Error::new(ErrorKind::Rank, message));
    }
    Ok((first, second))
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
///
/// ```
/// use tensor_op::catalogue::movement::stack;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let (x, y) = (Tensor::from([1.0, 2.0]), Tensor::from([3.0, 4.0]));
/// assert_eq!(stack(&x, &y)?.to_vec::<f64>()?, [1.0, 3.0, 2.0, 4.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(burn = stack_burn)]
pub fn stack(x: AnyTensor, y: AnyTensor) -> AnyTensor![.., pair = 2] {
    select(iota(pair) == 0, x, y)
}

/// One half of an axis, the last one by default, times the sigmoid of the other. `torch.nn.functional.glu`.
///
/// ```
/// use tensor_op::catalogue::movement::glu;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[3.0, 5.0], [0.0, 0.0]]);
/// assert_eq!(glu(&x, 0)?.to_vec::<f64>()?, [1.5, 2.5]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// There is no such axis, or its size is odd.
pub fn glu(input: impl IntoTensor, dim: impl Into<Option<i64>>) -> Result<Tensor> {
    let (input, dim) = (input.into_tensor()?, dim.into().unwrap_or(-1));
    let run = || glu_of_last(input.transpose(dim, -1)?)?.transpose(dim, -1);
    run().map_err(|error| error.renamed("glu"))
}

/// [`glu`] of the last axis.
#[tensor_op(burn = glu_burn)]
pub fn glu_of_last(input: Tensor![.., (half = 2, n)]) -> Tensor![.., n] {
    at(input, half = 0) * sigmoid(at(input, half = 1))
}

impl Tensor {
    /// [`catalogue::movement::roll`](roll) as a method.
    pub fn roll(&self, shift: i64, dim: impl Into<Option<i64>>) -> Result<Tensor> {
        self::roll(self, shift, dim)
    }

    /// [`catalogue::movement::diff`](diff) as a method.
    pub fn diff(
        &self,
        n: impl Into<Option<usize>>,
        dim: impl Into<Option<i64>>,
        prepend: impl IntoOptionalTensor,
        append: impl IntoOptionalTensor,
    ) -> Result<Tensor> {
        self::diff(self, n, dim, prepend, append)
    }

    /// [`catalogue::movement::diagonal`](diagonal) as a method.
    pub fn diagonal(
        &self,
        offset: impl Into<Option<i64>>,
        dim1: impl Into<Option<i64>>,
        dim2: impl Into<Option<i64>>,
    ) -> Result<Tensor> {
        self::diagonal(self, offset, dim1, dim2)
    }

    /// [`catalogue::movement::diag_embed`](diag_embed) as a method.
    pub fn diag_embed(
        &self,
        offset: impl Into<Option<i64>>,
        dim1: impl Into<Option<i64>>,
        dim2: impl Into<Option<i64>>,
    ) -> Result<Tensor> {
        self::diag_embed(self, offset, dim1, dim2)
    }

    /// [`catalogue::movement::glu`](glu) as a method.
    pub fn glu(&self, dim: impl Into<Option<i64>>) -> Result<Tensor> {
        self::glu(self, dim)
    }
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
