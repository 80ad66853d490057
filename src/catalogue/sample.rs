//! Images at positions that are computed: sampling by a grid.
//!
//! Names and arguments are PyTorch's. `padding_mode` says what lies outside, by the numbers of PyTorch's
//! operators: 0 for zeros, 1 for the border, 2 for reflection.
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use crate::tensor_op;

/// Positions in elements of an axis of this size, out of positions from -1 to 1. With `align_corners` -1 and
/// 1 are the middles of the first and the last element, otherwise their outer edges. The border and
/// reflection bring positions inside.
#[tensor_op(burn = grid_places_burn)]
pub fn grid_places(
    grid: Tensor,
    size: f64,
    #[default(0)] padding_mode: i64,
    #[default(false)] align_corners: bool,
) -> Tensor {
    let place = select(align_corners, (grid + 1.0) / 2.0 * (size - 1.0), ((grid + 1.0) * size - 1.0) / 2.0);
    let low = select(align_corners, 0.0, -0.5);
    let span = select(align_corners & (size <= 1.0), 1.0, size - select(align_corners, 1.0, 0.0));
    let from = abs(place - low);
    let extra = from % span;
    let is_forward = floor(stop_grad(from) / span) % 2.0 == 0.0;
    let mirrored = low + select(is_forward, extra, span - extra);
    let inside = clamp(select(padding_mode == 2, mirrored, place), 0.0, size - 1.0);
    select(padding_mode == 0, place, inside)
}

/// Reads an image at the positions of a grid, whose last axis has the column and the row, and weighs the four
/// elements around each position. `torch.nn.functional.grid_sample` in mode `bilinear`.
///
/// ```
/// use tensor_op::catalogue::sample::grid_sample_bilinear;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let image = Tensor::from_vec(vec![1.0, 2.0, 3.0, 4.0], [1, 1, 2, 2], &Device::default())?;
/// let grid = Tensor::from_vec(vec![0.0, 0.0, 1.0, -1.0], [1, 1, 2, 2], &Device::default())?;
/// assert_eq!(grid_sample_bilinear(&image, &grid, None, true)?.to_vec::<f64>()?, [2.5, 2.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(burn = grid_sample_bilinear_burn)]
pub fn grid_sample_bilinear(
    input: Tensor![b, c, h, w],
    grid: Tensor![b, oh, ow, xy = 2],
    #[default(0)] padding_mode: i64,
    #[default(false)] align_corners: bool,
) -> Tensor![b, c, oh, ow] {
    let x = self::grid_places(at(grid, xy = 0), cast(len(w), float), padding_mode, align_corners);
    let y = self::grid_places(at(grid, xy = 1), cast(len(h), float), padding_mode, align_corners);
    let left = floor(stop_grad(x));
    let top = floor(stop_grad(y));
    let right = x - left;
    let low = y - top;
    let column = cast(left, int);
    let row = cast(top, int);
    let above = at(input, h = row, w = column, or = 0.0) * (1.0 - right)
        + at(input, h = row, w = column + 1, or = 0.0) * right;
    let below = at(input, h = row + 1, w = column, or = 0.0) * (1.0 - right)
        + at(input, h = row + 1, w = column + 1, or = 0.0) * right;
    above * (1.0 - low) + below * low
}

/// Reads an image at the positions of a grid, whose last axis has the column and the row: the nearest
/// element, and the even one of two. No gradient flows to the grid.
/// `torch.nn.functional.grid_sample` in mode `nearest`.
#[tensor_op(burn = grid_sample_nearest_burn)]
pub fn grid_sample_nearest(
    input: Tensor![b, c, h, w],
    grid: Tensor![b, oh, ow, xy = 2],
    #[default(0)] padding_mode: i64,
    #[default(false)] align_corners: bool,
) -> Tensor![b, c, oh, ow] {
    let fixed = stop_grad(grid);
    let x = self::grid_places(at(fixed, xy = 0), cast(len(w), float), padding_mode, align_corners);
    let y = self::grid_places(at(fixed, xy = 1), cast(len(h), float), padding_mode, align_corners);
    at(input, h = cast(round(y), int), w = cast(round(x), int), or = 0.0)
}

/// The grid of an affine map for images of size `h` by `w`: for each pixel the column and the row from -1 to
/// 1 at which to read. `theta` has the map as a matrix. `torch.nn.functional.affine_grid`.
///
/// ```
/// use tensor_op::catalogue::sample::affine_grid;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let identity = Tensor::from_vec(vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0], [1, 2, 3], &Device::default())?;
/// let grid = affine_grid(&identity, 1, 2, true)?;
/// assert_eq!(grid.to_vec::<f64>()?, [-1.0, 0.0, 1.0, 0.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(burn = affine_grid_burn)]
pub fn affine_grid(
    theta: Tensor![b, xy = 2, k = 3],
    h: usize,
    w: usize,
    #[default(false)] align_corners: bool,
) -> Tensor![b, h, w, xy] {
    let ends = select(align_corners, 1, 0);
    let x = cast(2 * iota(w) + 1 - len(w), float) / cast(maximum(len(w) - ends, 1), float);
    let y = cast(2 * iota(h) + 1 - len(h), float) / cast(maximum(len(h) - ends, 1), float);
    at(theta, k = 0) * x + at(theta, k = 1) * y + at(theta, k = 2)
}

/// The grid of an affine map for volumes of size `d` by `h` by `w`. `torch.nn.functional.affine_grid`.
#[tensor_op(burn = affine_grid3d_burn)]
pub fn affine_grid3d(
    theta: Tensor![b, xyz = 3, k = 4],
    d: usize,
    h: usize,
    w: usize,
    #[default(false)] align_corners: bool,
) -> Tensor![b, d, h, w, xyz] {
    let ends = select(align_corners, 1, 0);
    let x = cast(2 * iota(w) + 1 - len(w), float) / cast(maximum(len(w) - ends, 1), float);
    let y = cast(2 * iota(h) + 1 - len(h), float) / cast(maximum(len(h) - ends, 1), float);
    let z = cast(2 * iota(d) + 1 - len(d), float) / cast(maximum(len(d) - ends, 1), float);
    at(theta, k = 0) * x + at(theta, k = 1) * y + at(theta, k = 2) * z + at(theta, k = 3)
}
