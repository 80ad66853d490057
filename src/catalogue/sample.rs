//! Images and volumes at positions that are computed: sampling by a grid.
//!
//! Names and arguments are PyTorch's. `grid_sample` chooses the formula; the formulas can be called by
//! others. In these `padding_mode` says what lies outside by the numbers of PyTorch's operators: 0 for zeros,
//! 1 for the border, 2 for reflection.
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use crate::{Error, ErrorKind, IntoTensor, Result, Tensor, tensor_op};

/// How elements around a position are weighed. PyTorch's argument `mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GridMode {
    /// Straight lines between neighbours, also in volumes.
    Bilinear,
    /// The nearest element.
    Nearest,
    /// Cubic curves, also in volumes.
    Bicubic,
}

/// What lies outside of an image. PyTorch's argument `padding_mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GridPadding {
    /// Zeros.
    Zeros,
    /// The elements at the border.
    Border,
    /// The image, mirrored at its border.
    Reflection,
}

/// Reads images `[b, c, h, w]` or volumes `[b, c, d, h, w]` at the positions of a grid. The last axis of the
/// grid has the column, the row and in volumes the plane, from -1 to 1; the result has its other axes.
/// `None` stands for bilinear, zeros and `false`. `torch.nn.functional.grid_sample`.
///
/// ```
/// use tensor_op::catalogue::sample::{GridMode, GridPadding, grid_sample};
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let image = Tensor::from([[[[1.0, 2.0], [3.0, 4.0]]]]);
/// let grid = Tensor::from([[[[0.0, 0.0], [3.0, -1.0]]]]);
/// assert_eq!(grid_sample(&image, &grid, None, None, true)?.to_vec::<f64>()?, [2.5, 0.0]);
/// let nearest = grid_sample(&image, &grid, GridMode::Nearest, GridPadding::Border, true)?;
/// assert_eq!(nearest.to_vec::<f64>()?, [1.0, 2.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Another number of axes, sizes that don't fit together, and tensors of different dtypes.
pub fn grid_sample(
    input: impl IntoTensor,
    grid: impl IntoTensor,
    mode: impl Into<Option<GridMode>>,
    padding_mode: impl Into<Option<GridPadding>>,
    align_corners: impl Into<Option<bool>>,
) -> Result<Tensor> {
    let (input, grid) = (input.into_tensor()?, grid.into_tensor()?);
    let padding = match padding_mode.into() {
        None | Some(GridPadding::Zeros) => 0,
        Some(GridPadding::Border) => 1,
        Some(GridPadding::Reflection) => 2,
    };
    let (mode, align) = (mode.into().unwrap_or(GridMode::Bilinear), align_corners.into());
    let sampled = match (input.rank(), mode) {
        (4, GridMode::Bilinear) => grid_sample_bilinear(input, grid, padding, align),
        (4, GridMode::Nearest) => grid_sample_nearest(input, grid, padding, align),
        (4, GridMode::Bicubic) => grid_sample_bicubic(input, grid, padding, align),
        (5, GridMode::Bilinear) => grid_sample_bilinear3d(input, grid, padding, align),
        (5, GridMode::Nearest) => grid_sample_nearest3d(input, grid, padding, align),
        (5, GridMode::Bicubic) => grid_sample_bicubic3d(input, grid, padding, align),
        (rank, _) => {
            let message = format!("has {rank} axes: 4 are wanted for images, or 5 for volumes");
            Err(Error::new(ErrorKind::Rank, message).with_arg("input"))
        }
    };
    sampled.map_err(|error| error.renamed("grid_sample"))
}

impl Tensor {
    /// [`grid_sample`] of this tensor.
    pub fn grid_sample(
        &self,
        grid: impl IntoTensor,
        mode: impl Into<Option<GridMode>>,
        padding_mode: impl Into<Option<GridPadding>>,
        align_corners: impl Into<Option<bool>>,
    ) -> Result<Tensor> {
        grid_sample(self, grid, mode, padding_mode, align_corners)
    }
}

/// Positions in elements of an axis of this size, brought inside by the border or by reflection.
#[tensor_op]
pub(crate) fn grid_places_inside(place: Tensor, size: f64, padding_mode: i64, align_corners: bool) -> Tensor {
    let low = select(align_corners, 0.0, -0.5);
    let span = select(align_corners & (size <= 1.0), 1.0, size - select(align_corners, 1.0, 0.0));
    let from = abs(place - low);
    let extra = from % span;
    let is_forward = floor(stop_grad(from) / span) % 2.0 == 0.0;
    let mirrored = low + select(is_forward, extra, span - extra);
    let inside = clamp(select(padding_mode == 2, mirrored, place), 0.0, size - 1.0);
    select(padding_mode == 0, place, inside)
}

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
    self::grid_places_inside(place, size, padding_mode, align_corners)
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

/// Reads an image at the positions of a grid, whose last axis has the column and the row, and weighs the
/// sixteen elements around each position by cubic curves. Each of them is padded by itself.
/// `torch.nn.functional.grid_sample` in mode `bicubic`.
// Elements of these tests lie too near to jumps of the positions, or there are too many.
#[tensor_op(tests(skip = (special_values, views)))]
pub fn grid_sample_bicubic(
    input: Tensor![b, c, h, w],
    grid: Tensor![b, oh, ow, xy = 2],
    #[default(0)] padding_mode: i64,
    #[default(false)] align_corners: bool,
) -> Tensor![b, c, oh, ow] {
    let x = self::grid_places(at(grid, xy = 0), cast(len(w), float), 0, align_corners);
    let y = self::grid_places(at(grid, xy = 1), cast(len(h), float), 0, align_corners);
    let column = floor(stop_grad(x));
    let row = floor(stop_grad(y));
    let right = cast(iota(kw = 4) - 1, float);
    let down = cast(iota(kh = 4) - 1, float);
    let j =
        cast(self::grid_places_inside(column + right, cast(len(w), float), padding_mode, align_corners), int);
    let i = cast(self::grid_places_inside(row + down, cast(len(h), float), padding_mode, align_corners), int);
    let share = super::resize::cubic_weight(abs(y - row - down))
        * super::resize::cubic_weight(abs(x - column - right));
    sum(at(input, h = i, w = j, or = 0.0) * share, (kh, kw))
}

/// The four elements around each position of a plane, weighed.
#[tensor_op]
pub(crate) fn in_plane(
    input: Tensor![b, c, d, h, w],
    plane: IntTensor![b, od, oh, ow],
    y: Tensor![b, od, oh, ow],
    x: Tensor![b, od, oh, ow],
) -> Tensor![b, c, od, oh, ow] {
    let left = floor(stop_grad(x));
    let top = floor(stop_grad(y));
    let right = x - left;
    let low = y - top;
    let column = cast(left, int);
    let row = cast(top, int);
    let above = at(input, d = plane, h = row, w = column, or = 0.0) * (1.0 - right)
        + at(input, d = plane, h = row, w = column + 1, or = 0.0) * right;
    let below = at(input, d = plane, h = row + 1, w = column, or = 0.0) * (1.0 - right)
        + at(input, d = plane, h = row + 1, w = column + 1, or = 0.0) * right;
    above * (1.0 - low) + below * low
}

/// Reads a volume at the positions of a grid, whose last axis has the column, the row and the plane, and
/// weighs the eight elements around each position. `torch.nn.functional.grid_sample` in mode `bilinear`.
#[tensor_op]
pub fn grid_sample_bilinear3d(
    input: Tensor![b, c, d, h, w],
    grid: Tensor![b, od, oh, ow, xyz = 3],
    #[default(0)] padding_mode: i64,
    #[default(false)] align_corners: bool,
) -> Tensor![b, c, od, oh, ow] {
    let x = self::grid_places(at(grid, xyz = 0), cast(len(w), float), padding_mode, align_corners);
    let y = self::grid_places(at(grid, xyz = 1), cast(len(h), float), padding_mode, align_corners);
    let z = self::grid_places(at(grid, xyz = 2), cast(len(d), float), padding_mode, align_corners);
    let front = floor(stop_grad(z));
    let behind = z - front;
    let plane = cast(front, int);
    self::in_plane(input, plane, y, x) * (1.0 - behind) + self::in_plane(input, plane + 1, y, x) * behind
}

/// Reads a volume at the positions of a grid, whose last axis has the column, the row and the plane, and
/// weighs the 64 elements around each position by cubic curves. Each of them is padded by itself.
/// `torch.nn.functional.grid_sample` in mode `bicubic`.
// Elements of these tests lie too near to jumps of the positions, or there are too many.
#[tensor_op(tests(skip = (forward, special_values, views)))]
pub fn grid_sample_bicubic3d(
    input: Tensor![b, c, d, h, w],
    grid: Tensor![b, od, oh, ow, xyz = 3],
    #[default(0)] padding_mode: i64,
    #[default(false)] align_corners: bool,
) -> Tensor![b, c, od, oh, ow] {
    let x = self::grid_places(at(grid, xyz = 0), cast(len(w), float), 0, align_corners);
    let y = self::grid_places(at(grid, xyz = 1), cast(len(h), float), 0, align_corners);
    let z = self::grid_places(at(grid, xyz = 2), cast(len(d), float), 0, align_corners);
    let column = floor(stop_grad(x));
    let row = floor(stop_grad(y));
    let plane = floor(stop_grad(z));
    let right = cast(iota(kw = 4) - 1, float);
    let down = cast(iota(kh = 4) - 1, float);
    let back = cast(iota(kd = 4) - 1, float);
    let k =
        cast(self::grid_places_inside(column + right, cast(len(w), float), padding_mode, align_corners), int);
    let j = cast(self::grid_places_inside(row + down, cast(len(h), float), padding_mode, align_corners), int);
    let i =
        cast(self::grid_places_inside(plane + back, cast(len(d), float), padding_mode, align_corners), int);
    let in_plane = super::resize::cubic_weight(abs(y - row - down))
        * super::resize::cubic_weight(abs(x - column - right));
    let share = super::resize::cubic_weight(abs(z - plane - back)) * in_plane;
    sum(at(input, d = i, h = j, w = k, or = 0.0) * share, (kd, kh, kw))
}

/// Reads a volume at the positions of a grid, whose last axis has the column, the row and the plane: the
/// nearest element, and the even one of two. No gradient flows to the grid.
/// `torch.nn.functional.grid_sample` in mode `nearest`.
#[tensor_op]
pub fn grid_sample_nearest3d(
    input: Tensor![b, c, d, h, w],
    grid: Tensor![b, od, oh, ow, xyz = 3],
    #[default(0)] padding_mode: i64,
    #[default(false)] align_corners: bool,
) -> Tensor![b, c, od, oh, ow] {
    let fixed = stop_grad(grid);
    let x = self::grid_places(at(fixed, xyz = 0), cast(len(w), float), padding_mode, align_corners);
    let y = self::grid_places(at(fixed, xyz = 1), cast(len(h), float), padding_mode, align_corners);
    let z = self::grid_places(at(fixed, xyz = 2), cast(len(d), float), padding_mode, align_corners);
    at(input, d = cast(round(z), int), h = cast(round(y), int), w = cast(round(x), int), or = 0.0)
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
