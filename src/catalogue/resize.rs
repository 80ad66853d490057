//! Images and volumes at other sizes: interpolation.
//!
//! Names and arguments are those of PyTorch's operators, on which `torch.nn.functional.interpolate` is built:
//! the sizes of the result, `align_corners`, and scales. A scale that is not 0 gives the distance between two
//! elements of the result instead of the sizes, as `scale_factor` does in PyTorch. Mode `area` is
//! [`adaptive_avg_pool2d`](super::adaptive::adaptive_avg_pool2d).
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use crate::tensor_op;

/// The nearest element before each position; with `exact`, the nearest to the middle of each position.
/// `torch.nn.functional.interpolate` in the modes `nearest` and `nearest-exact`, over the last axis.
///
/// ```
/// use tensor_op::catalogue::resize::upsample_nearest1d;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![1.0, 2.0], [2], &Device::default())?;
/// assert_eq!(upsample_nearest1d(&x, 5, None, None)?.to_vec::<f64>()?, [1.0, 1.0, 1.0, 2.0, 2.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(burn = upsample_nearest1d_burn)]
pub fn upsample_nearest1d(
    input: Tensor![.., n],
    size: usize,
    #[default(0.0)] scale: f64,
    #[default(false)] exact: bool,
) -> Tensor![.., size] {
    let place = (2 * iota(size) + select(exact, 1, 0)) * len(n) / (2 * size);
    let scaled = floor((cast(iota(size), float) + select(exact, 0.5, 0.0)) * recip(scale));
    at(input, n = clamp(select(scale > 0.0, cast(scaled, int), place)))
}

/// [`upsample_nearest1d`] over the last two axes.
#[tensor_op(burn = upsample_nearest2d_burn)]
pub fn upsample_nearest2d(
    input: Tensor![.., h, w],
    oh: usize,
    ow: usize,
    #[default(0.0)] scale_h: f64,
    #[default(0.0)] scale_w: f64,
    #[default(false)] exact: bool,
) -> Tensor![.., oh, ow] {
    let lines = self::upsample_nearest1d(input, ow, scale_w, exact, n = w, size = ow);
    self::upsample_nearest1d(lines, oh, scale_h, exact, n = h, size = oh)
}

/// [`upsample_nearest1d`] over the last three axes.
#[tensor_op(burn = upsample_nearest3d_burn)]
pub fn upsample_nearest3d(
    input: Tensor![.., d, h, w],
    od: usize,
    oh: usize,
    ow: usize,
    #[default(0.0)] scale_d: f64,
    #[default(0.0)] scale_h: f64,
    #[default(0.0)] scale_w: f64,
    #[default(false)] exact: bool,
) -> Tensor![.., od, oh, ow] {
    let lines = self::upsample_nearest1d(input, ow, scale_w, exact, n = w, size = ow);
    let images = self::upsample_nearest1d(lines, oh, scale_h, exact, n = h, size = oh);
    self::upsample_nearest1d(images, od, scale_d, exact, n = d, size = od)
}

/// Straight lines between neighbours on the last axis. With `align_corners` the first and the last elements
/// stay where they are; otherwise their outer edges do. `torch.nn.functional.interpolate` in mode `linear`.
///
/// ```
/// use tensor_op::catalogue::resize::upsample_linear1d;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![0.0, 4.0], [2], &Device::default())?;
/// assert_eq!(upsample_linear1d(&x, 4, false, None)?.to_vec::<f64>()?, [0.0, 1.0, 3.0, 4.0]);
/// assert_eq!(upsample_linear1d(&x, 5, true, None)?.to_vec::<f64>()?, [0.0, 1.0, 2.0, 3.0, 4.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(burn = upsample_linear1d_burn)]
pub fn upsample_linear1d(
    input: Tensor![.., n],
    size: usize,
    align_corners: bool,
    #[default(0.0)] scale: f64,
) -> Tensor![.., size] {
    let numerator = select(
        align_corners,
        iota(size) * (len(n) - 1),
        maximum((2 * iota(size) + 1) * len(n) - len(size), 0),
    );
    let denominator = select(align_corners, maximum(len(size) - 1, 1), 2 * len(size));
    let whole = numerator / denominator;
    let part = cast(numerator - whole * denominator, float) / cast(denominator, float);
    let scaled = maximum((cast(iota(size), float) + 0.5) * recip(scale) - 0.5, 0.0);
    let is_scaled = (scale > 0.0) & !align_corners;
    let first = select(is_scaled, cast(floor(scaled), int), whole);
    let share = select(is_scaled, scaled - floor(scaled), part);
    at(input, n = clamp(first)) * (1.0 - share) + at(input, n = clamp(first + 1)) * share
}

/// [`upsample_linear1d`] over the last two axes. `torch.nn.functional.interpolate` in mode `bilinear`.
#[tensor_op(burn = upsample_bilinear2d_burn)]
pub fn upsample_bilinear2d(
    input: Tensor![.., h, w],
    oh: usize,
    ow: usize,
    align_corners: bool,
    #[default(0.0)] scale_h: f64,
    #[default(0.0)] scale_w: f64,
) -> Tensor![.., oh, ow] {
    let lines = self::upsample_linear1d(input, ow, align_corners, scale_w, n = w, size = ow);
    self::upsample_linear1d(lines, oh, align_corners, scale_h, n = h, size = oh)
}

/// [`upsample_linear1d`] over the last three axes. `torch.nn.functional.interpolate` in mode `trilinear`.
#[tensor_op(burn = upsample_trilinear3d_burn)]
pub fn upsample_trilinear3d(
    input: Tensor![.., d, h, w],
    od: usize,
    oh: usize,
    ow: usize,
    align_corners: bool,
    #[default(0.0)] scale_d: f64,
    #[default(0.0)] scale_h: f64,
    #[default(0.0)] scale_w: f64,
) -> Tensor![.., od, oh, ow] {
    let lines = self::upsample_linear1d(input, ow, align_corners, scale_w, n = w, size = ow);
    let images = self::upsample_linear1d(lines, oh, align_corners, scale_h, n = h, size = oh);
    self::upsample_linear1d(images, od, align_corners, scale_d, n = d, size = od)
}

/// The weight of an element by its distance `t` in a cubic interpolation. It falls from 1 to 0 at distance 1,
/// has the slope `a` there, and ends at distance 2. Source: Keys, "Cubic convolution interpolation for
/// digital image processing", 1981, equation 8.
#[tensor_op(burn = cubic_weight_burn)]
pub fn cubic_weight(t: Tensor, #[default(-0.75)] a: f64) -> Tensor {
    let near = ((a + 2.0) * t - (a + 3.0)) * t * t + 1.0;
    let far = a * (((t - 5.0) * t + 8.0) * t - 4.0);
    select(t <= 1.0, near, select(t < 2.0, far, 0.0))
}

/// Cubic curves through the elements of the last axis, the part of [`upsample_bicubic2d`] for one axis.
#[tensor_op(burn = upsample_cubic1d_burn)]
pub fn upsample_cubic1d(
    input: Tensor![.., n],
    size: usize,
    align_corners: bool,
    #[default(0.0)] scale: f64,
) -> Tensor![.., size] {
    let numerator =
        select(align_corners, iota(size) * (len(n) - 1), (2 * iota(size) + 1) * len(n) - len(size));
    let denominator = select(align_corners, maximum(len(size) - 1, 1), 2 * len(size));
    let whole = (numerator + denominator) / denominator - 1;
    let part = cast(numerator - whole * denominator, float) / cast(denominator, float);
    let scaled = (cast(iota(size), float) + 0.5) * recip(scale) - 0.5;
    let is_scaled = (scale > 0.0) & !align_corners;
    let first = select(is_scaled, cast(floor(scaled), int), whole);
    let share = select(is_scaled, scaled - floor(scaled), part);
    at(input, n = clamp(first - 1)) * self::cubic_weight(1.0 + share)
        + at(input, n = clamp(first)) * self::cubic_weight(share)
        + at(input, n = clamp(first + 1)) * self::cubic_weight(1.0 - share)
        + at(input, n = clamp(first + 2)) * self::cubic_weight(2.0 - share)
}

/// Cubic curves through the elements of the last two axes. `torch.nn.functional.interpolate` in mode
/// `bicubic`.
#[tensor_op(burn = upsample_bicubic2d_burn)]
pub fn upsample_bicubic2d(
    input: Tensor![.., h, w],
    oh: usize,
    ow: usize,
    align_corners: bool,
    #[default(0.0)] scale_h: f64,
    #[default(0.0)] scale_w: f64,
) -> Tensor![.., oh, ow] {
    let lines = self::upsample_cubic1d(input, ow, align_corners, scale_w, n = w, size = ow);
    self::upsample_cubic1d(lines, oh, align_corners, scale_h, n = h, size = oh)
}
