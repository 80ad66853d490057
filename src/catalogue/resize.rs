//! Images and volumes at other sizes: interpolation.
//!
//! Names and arguments are PyTorch's. `interpolate` chooses the formula; the formulas can be called by
//! others. Their arguments are those of PyTorch's operators: the sizes of the result, `align_corners`, and
//! scales. A scale that is not 0 gives the distance between two elements of the result instead of the sizes,
//! as `scale_factor` does. Mode `area` is [`adaptive_avg_pool2d`].
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use super::adaptive::{adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d};
use crate::{Error, ErrorKind, IntoTensor, Result, Shape, Tensor, tensor_op};

/// How elements between others are computed. PyTorch's argument `mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InterpolateMode {
    /// The nearest element before each position.
    Nearest,
    /// The nearest element to the middle of each position.
    NearestExact,
    /// Straight lines between neighbours, for one axis.
    Linear,
    /// The same for two axes.
    Bilinear,
    /// Cubic curves, for two axes.
    Bicubic,
    /// Straight lines between neighbours, for three axes.
    Trilinear,
    /// The mean of the elements of an area.
    Area,
}

/// Resizes the axes behind batch and channels, of which there are one to three. Either `size` or
/// `scale_factor` is given, with a number for each of these axes, or with one for all. `None` stands for the
/// nearest element and for `false`. `torch.nn.functional.interpolate`.
///
/// With `align_corners` the first and the last elements stay where they are, otherwise their outer edges do.
/// By default the distances of elements follow from `scale_factor`; with `recompute_scale_factor` they follow
/// from the sizes, which are whole numbers. With `antialias` what becomes smaller is smoothed as far as
/// elements of the result lie apart, in the modes bilinear and bicubic.
///
/// ```
/// use tensor_op::catalogue::resize::{InterpolateMode, interpolate};
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[[1.0, 2.0]]]);
/// let y = interpolate(&x, Some(&[4]), None, None, None, None, None)?;
/// assert_eq!(y.to_vec::<f64>()?, [1.0, 1.0, 2.0, 2.0]);
/// let y = interpolate(&x, None, Some(&[1.5]), InterpolateMode::Linear, true, None, None)?;
/// assert_eq!(y.to_vec::<f64>()?, [1.0, 1.5, 2.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Both sizes and scales, or none; sizes of 0, and scales that are not above 0; a mode for another number of
/// axes; and `align_corners` or `antialias` for a mode without them.
#[allow(clippy::too_many_arguments, reason = "the arguments of PyTorch")]
pub fn interpolate(
    input: impl IntoTensor,
    size: Option<&[usize]>,
    scale_factor: Option<&[f64]>,
    mode: impl Into<Option<InterpolateMode>>,
    align_corners: impl Into<Option<bool>>,
    recompute_scale_factor: impl Into<Option<bool>>,
    antialias: impl Into<Option<bool>>,
) -> Result<Tensor> {
    use InterpolateMode::{Area, Bicubic, Bilinear, Linear, Nearest, NearestExact, Trilinear};
    let (x, mode) = (input.into_tensor()?, mode.into().unwrap_or(Nearest));
    let (align, antialias) = (align_corners.into(), antialias.into().unwrap_or(false));
    let is_recomputed = recompute_scale_factor.into().unwrap_or(false);
    let wrong = |arg, message: String| Err(Error::new(ErrorKind::Unsupported, message).with_arg(arg));
    let resized = || -> Result<Tensor> {
        let (sizes, scales) = sizes(&x.shape(), size, scale_factor)?;
        if align.is_some() && matches!(mode, Nearest | NearestExact | Area) {
            return wrong("align_corners", format!("is given, and mode {mode:?} has none: pass `None`"));
        }
        if antialias && !matches!(mode, Bilinear | Bicubic) {
            return wrong(
                "antialias",
                format!("is given, and only Bilinear and Bicubic have it, not {mode:?}"),
            );
        }
        let (align, exact) = (align.unwrap_or(false), mode == NearestExact);
        // 0 stands for no scale.
        let s = if is_recomputed { vec![0.0; scales.len()] } else { scales };
        match (mode, &sizes[..]) {
            (Bilinear | Bicubic, [h, w]) if antialias => {
                let lines = upsample_antialias1d(x, *w, align, s[1], mode == Bicubic)?.transpose(-1, -2)?;
                upsample_antialias1d(lines, *h, align, s[0], mode == Bicubic)?.transpose(-1, -2)
            }
            (Nearest | NearestExact, [n]) => upsample_nearest1d(x, *n, s[0], exact),
            (Nearest | NearestExact, [h, w]) => upsample_nearest2d(x, *h, *w, s[0], s[1], exact),
            (Nearest | NearestExact, [d, h, w]) => upsample_nearest3d(x, *d, *h, *w, s[0], s[1], s[2], exact),
            (Linear, [n]) => upsample_linear1d(x, *n, align, s[0]),
            (Bilinear, [h, w]) => upsample_bilinear2d(x, *h, *w, align, s[0], s[1]),
            (Bicubic, [h, w]) => upsample_bicubic2d(x, *h, *w, align, s[0], s[1]),
            (Trilinear, [d, h, w]) => upsample_trilinear3d(x, *d, *h, *w, align, s[0], s[1], s[2]),
            (Area, [n]) => adaptive_avg_pool1d(x, *n),
            (Area, [h, w]) => adaptive_avg_pool2d(x, [*h, *w]),
            (Area, [d, h, w]) => adaptive_avg_pool3d(x, [*d, *h, *w]),
            (mode, sizes) => wrong("mode", format!("{mode:?} does not resize {} axes", sizes.len())),
        }
    };
    resized().map_err(|error| error.renamed("interpolate"))
}

/// The sizes of the result, and the scales, which are 0 if they are not given.
fn sizes(
    shape: &Shape,
    size: Option<&[usize]>,
    scale_factor: Option<&[f64]>,
) -> Result<(Vec<usize>, Vec<f64>)> {
    let wrong = |arg, message: String| Err(Error::new(ErrorKind::Shape, message).with_arg(arg));
    if !(3..=5).contains(&shape.rank()) {
        return wrong("input", format!("has shape {shape}: batch, channels and 1 to 3 axes are wanted"));
    }
    let own = &shape[2..];
    let (sizes, scales) = match (size, scale_factor) {
        (Some(sizes), None) => (each(sizes, own.len(), "size")?, vec![0.0; own.len()]),
        (None, Some(scales)) => {
            let scales = each(scales, own.len(), "scale_factor")?;
            if let Some(scale) = scales.iter().find(|scale| !(scale.is_finite() && **scale > 0.0)) {
                return wrong("scale_factor", format!("is {scale}, and a number above 0 is wanted"));
            }
            (own.iter().zip(&scales).map(|(own, scale)| (*own as f64 * scale) as usize).collect(), scales)
        }
        (Some(_), Some(_)) => return wrong("scale_factor", "is given beside `size`: pass one".to_string()),
        (None, None) => return wrong("size", "is not given, nor `scale_factor`: pass one".to_string()),
    };
    if sizes.contains(&0) || own.contains(&0) {
        return wrong("size", format!("{own:?} would become {sizes:?}, and no size may be 0"));
    }
    Ok((sizes, scales))
}

/// A number for each axis.
fn each<T: Copy>(numbers: &[T], axes: usize, arg: &str) -> Result<Vec<T>> {
    match numbers {
        [one] => Ok(vec![*one; axes]),
        numbers if numbers.len() == axes => Ok(numbers.to_vec()),
        numbers => {
            let message =
                format!("has {} numbers for {axes} axes: write one, or one for each", numbers.len());
            Err(Error::new(ErrorKind::Length, message).with_arg(arg))
        }
    }
}

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
    // In this order what is no number stays visible.
    select(t >= 2.0, 0.0, select(t <= 1.0, near, far))
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

/// The last axis at another size: each element of the result is a mean of those around its position, weighed
/// by straight lines or by Keys' curves with slope -0.5, which are stretched as far as elements of the result
/// lie apart. `torch.nn.functional.interpolate` with `antialias`, for one axis.
#[tensor_op]
pub fn upsample_antialias1d(
    input: Tensor![.., n],
    size: usize,
    align_corners: bool,
    #[default(0.0)] scale: f64,
    #[default(false)] cubic: bool,
) -> Tensor![.., size] {
    let between_corners = cast(len(n) - 1, float) / cast(maximum(len(size) - 1, 1), float);
    let between_edges = select(scale > 0.0, recip(scale), cast(len(n), float) / cast(len(size), float));
    let step = select(align_corners, select(len(size) > 1, between_corners, 0.0), between_edges);
    let place = step * (cast(iota(size), float) + 0.5);
    let distance = abs(cast(iota(n), float) + 0.5 - place) / maximum(step, 1.0);
    let weight = if cubic { self::cubic_weight(distance, -0.5) } else { maximum(1.0 - distance, 0.0) };
    sum(input * weight, n) / sum(weight, n)
}
