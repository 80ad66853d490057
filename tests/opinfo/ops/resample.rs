//! Images at other positions than those of their elements: interpolation, and sampling by a grid.

use super::Entry;
use super::movement::on_last;
use super::window::in_parts;
use crate::call::{Argument, Call, Outcome};
use tensor_op::prelude::*;

/// Linear interpolation. `offset` is 0.5 if positions are the middles of elements, and 0 otherwise.
#[tensor_op(tests = false)]
fn linear(x: Tensor![.., n], o: usize, ratio: f64, offset: f64) -> Tensor![.., o] {
    let source = maximum((cast(iota(o), float) + offset) * ratio - offset, 0.0);
    let first = minimum(cast(floor(source), int), len(n) - 1);
    let share = source - cast(first, float);
    at(x, n = first) * (1.0 - share) + at(x, n = minimum(first + 1, len(n) - 1)) * share
}

#[tensor_op(tests = false)]
fn nearest(x: Tensor![.., n], o: usize, ratio: f64, offset: f64) -> Tensor![.., o] {
    at(x, n = minimum(cast(floor((cast(iota(o), float) + offset) * ratio), int), len(n) - 1))
}

/// Keys' kernel with a = -0.75, by the distance.
#[tensor_op(tests = false)]
fn keys(t: Tensor) -> Tensor {
    let outer = -0.75 * (((t - 5.0) * t + 8.0) * t - 4.0);
    select(t <= 1.0, (1.25 * t - 2.25) * t * t + 1.0, select(t < 2.0, outer, 0.0))
}

/// `taps` are -1, 0, 1 and 2.
#[tensor_op(tests = false)]
fn cubic(x: Tensor![.., n], taps: IntTensor![k], o: usize, ratio: f64, offset: f64) -> Tensor![.., o] {
    let source = (cast(iota(o), float) + offset) * ratio - offset;
    let place = cast(floor(source), int) + taps;
    let near = at(x, n = minimum(maximum(place, 0), len(n) - 1));
    sum(near * self::keys(abs(source - cast(place, float))), k)
}

/// Maps positions from -1 to 1 to positions in the image. If they are aligned, -1 and 1 are the middles of
/// the first and the last element, otherwise their outer edges.
#[tensor_op(tests = false)]
fn unnormalized(grid: Tensor, size: f64, align: bool) -> Tensor {
    select(align, (grid + 1.0) / 2.0 * (size - 1.0), ((grid + 1.0) * size - 1.0) / 2.0)
}

#[tensor_op(tests = false)]
fn clipped(place: Tensor, size: f64) -> Tensor {
    clamp(place, 0.0, size - 1.0)
}

#[tensor_op(tests = false)]
fn reflected(place: Tensor, low: f64, span: f64) -> Tensor {
    let from = abs(place - low);
    let extra = from % span;
    low + select(stop_grad(floor(from / span)) % 2.0 == 0.0, extra, span - extra)
}

#[tensor_op(tests = false)]
fn rounded(place: Tensor) -> Tensor {
    stop_grad(round(place))
}

/// Sums the elements around each position with weights that fall to 0 at their neighbours. Outside of the
/// image elements are 0. Taps are 0 and 1, or only 0.
#[tensor_op(tests = false)]
fn linear_at(
    x: Tensor![b, c, d, h, w],
    place_d: Tensor![b, p],
    place_h: Tensor![b, p],
    place_w: Tensor![b, p],
    tap_d: IntTensor![kd],
    tap_h: IntTensor![kh],
    tap_w: IntTensor![kw],
) -> Tensor![b, c, p] {
    let pd = cast(floor(stop_grad(place_d)), int) + tap_d;
    let ph = cast(floor(stop_grad(place_h)), int) + tap_h;
    let pw = cast(floor(stop_grad(place_w)), int) + tap_w;
    let inside = (pd >= 0) & (pd < len(d)) & (ph >= 0) & (ph < len(h)) & (pw >= 0) & (pw < len(w));
    let planes = at(x, d = minimum(maximum(pd, 0), len(d) - 1));
    let lines = at(planes, h = minimum(maximum(ph, 0), len(h) - 1));
    let near = at(lines, w = minimum(maximum(pw, 0), len(w) - 1));
    let share_d = 1.0 - abs(place_d - cast(pd, float));
    let share_h = 1.0 - abs(place_h - cast(ph, float));
    let share_w = 1.0 - abs(place_w - cast(pw, float));
    sum(select(inside, near, 0.0) * share_d * share_h * share_w, (kd, kh, kw))
}

/// The position that a tap beyond the ends reads: unchanged, at the end (mode 1), or reflected at the end
/// (mode 2).
#[tensor_op(tests = false)]
fn tap_place(place: Tensor, size: f64, align: bool, mode: i64) -> IntTensor {
    let low = select(align, 0.0, -0.5);
    let mirrored = self::reflected(place, low, maximum(select(align, size - 1.0, size), 1.0));
    cast(select(mode == 0, place, clamp(select(mode == 2, mirrored, place), 0.0, size - 1.0)), int)
}

/// Does the same as `linear_at`, with Keys' kernel and padding for each tap. Taps are -1 to 2, or only 0.
#[tensor_op(tests = false)]
fn cubic_at(
    x: Tensor![b, c, d, h, w],
    place_d: Tensor![b, p],
    place_h: Tensor![b, p],
    place_w: Tensor![b, p],
    tap_d: IntTensor![kd],
    tap_h: IntTensor![kh],
    tap_w: IntTensor![kw],
    align: bool,
    mode: i64,
) -> Tensor![b, c, p] {
    let pd = cast(cast(floor(stop_grad(place_d)), int) + tap_d, float);
    let ph = cast(cast(floor(stop_grad(place_h)), int) + tap_h, float);
    let pw = cast(cast(floor(stop_grad(place_w)), int) + tap_w, float);
    let id = self::tap_place(pd, cast(len(d), float), align, mode);
    let ih = self::tap_place(ph, cast(len(h), float), align, mode);
    let iw = self::tap_place(pw, cast(len(w), float), align, mode);
    let inside = (id >= 0) & (id < len(d)) & (ih >= 0) & (ih < len(h)) & (iw >= 0) & (iw < len(w));
    let planes = at(x, d = minimum(maximum(id, 0), len(d) - 1));
    let lines = at(planes, h = minimum(maximum(ih, 0), len(h) - 1));
    let near = at(lines, w = minimum(maximum(iw, 0), len(w) - 1));
    let share_d = self::keys(abs(place_d - pd));
    let share_h = self::keys(abs(place_h - ph));
    let share_w = self::keys(abs(place_w - pw));
    sum(select(inside, near, 0.0) * share_d * share_h * share_w, (kd, kh, kw))
}

fn taps(values: &[i64]) -> Result<Tensor> {
    Tensor::from_vec(values.to_vec(), [values.len()], &Device::default())
}

/// `interpolate(size, scale_factor, mode, align_corners, recompute_scale_factor)`.
fn interpolate(call: &Call, mode: &str, align: Option<bool>) -> Outcome {
    let x = call.x()?;
    let axes = x.rank() - 2;
    let align = align.map_or_else(|| call.flag(4, "align_corners", false), Ok)?;
    let recomputed = call.flag(5, "recompute_scale_factor", false)?;
    let scales: Option<Vec<f64>> = match call.get(2, "scale_factor") {
        Argument::None => None,
        Argument::List(list) => Some(
            list.iter()
                .map(|scale| match scale {
                    Argument::Float(scale) => Ok(*scale),
                    Argument::Int(scale) => Ok(*scale as f64),
                    _ => Err(call.wrong("scale_factor", "numbers")),
                })
                .collect::<Outcome<_>>()?,
        ),
        _ => call.number(2, "scale_factor")?.map(|scale| vec![scale; axes]),
    };
    let sizes =
        call.list(1, "size")?.map(|sizes| if sizes.len() == 1 { vec![sizes[0]; axes] } else { sizes });
    let sizes = match (&sizes, &scales) {
        (Some(sizes), _) => sizes.clone(),
        (None, Some(scales)) => {
            (0..axes).map(|axis| (x.shape()[axis + 2] as f64 * scales[axis]).floor() as i64).collect()
        }
        (None, None) => return Err(call.wrong("size", "given")),
    };
    if mode == "area" {
        return in_parts(x, 2, &sizes.iter().map(|size| Some(*size)).collect::<Vec<_>>());
    }
    let along = |x: Tensor, axis: usize| -> Result<Tensor> {
        let (from, to) = (x.shape()[axis + 2] as f64, sizes[axis] as f64);
        let scale = scales.as_ref().filter(|_| !recomputed).map(|scales| 1.0 / scales[axis]);
        let ratio = match (align, to > 1.0) {
            (true, true) => (from - 1.0) / (to - 1.0),
            (true, false) => 0.0,
            (false, _) => scale.unwrap_or(from / to),
        };
        let (o, offset) = (sizes[axis] as usize, if align { 0.0 } else { 0.5 });
        on_last(&x, axis as i64 + 2, |x| match mode {
            "nearest" => nearest(x, o, ratio, 0.0),
            "nearest-exact" => nearest(x, o, ratio, 0.5),
            "bicubic" => cubic(x, taps(&[-1, 0, 1, 2])?, o, ratio, offset),
            _ => linear(x, o, ratio, offset),
        })
    };
    Ok(vec![(0..axes).try_fold(x, along)?])
}

/// The last axis of the grid has the positions along the axes of the image, beginning with the last of these
/// axes.
fn grid_sample(call: &Call, mode: &str, padding: i64, align: bool) -> Outcome {
    let (x, grid) = (call.x()?, call.float(1, "grid")?);
    let axes = x.rank() - 2;
    let image = super::window::raised(&x, 2)?;
    let shape = grid.shape();
    let points: usize = shape[1..=axes].iter().product();
    let zeros = Tensor::zeros([shape[0], points], x.dtype(), &x.device())?;
    let mut places = vec![zeros; 3 - axes];
    for axis in 0..axes {
        let size = x.shape()[axis + 2] as f64;
        let part = (axes - 1 - axis) as i64;
        let mut place = grid.slice(-1, part..part + 1)?.reshape([shape[0], points])?;
        place = unnormalized(place, size, align)?;
        if mode != "bicubic" {
            let (low, span) = if align { (0.0, size - 1.0) } else { (-0.5, size) };
            place = if padding == 2 && span > 0.0 { reflected(place, low, span)? } else { place };
            place = if padding == 0 { place } else { clipped(place, size)? };
        }
        places.push(if mode == "nearest" { rounded(place)? } else { place });
    }
    let reach: &[i64] = match mode {
        "nearest" => &[0],
        "bicubic" => &[-1, 0, 1, 2],
        _ => &[0, 1],
    };
    let [first, rest] = [taps(if axes == 3 { reach } else { &[0] })?, taps(reach)?];
    let [d, h, w] = &places[..] else { return Err(call.wrong("input", "an image of two or three axes")) };
    let y = if mode == "bicubic" {
        cubic_at(image, d, h, w, first, &rest, &rest, align, padding)?
    } else {
        linear_at(image, d, h, w, first, &rest, &rest)?
    };
    let sizes = [&x.shape()[..2], &shape[1..=axes]].concat();
    Ok(vec![y.reshape(sizes)?])
}

/// `grid_sample(grid, mode, padding_mode, align_corners)`.
fn by_name(call: &Call) -> Outcome {
    let padding = match call.text(3, "padding_mode", "zeros")? {
        "border" => 1,
        "reflection" => 2,
        _ => 0,
    };
    let (mode, align) = (call.text(2, "mode", "bilinear")?, call.flag(4, "align_corners", false)?);
    grid_sample(call, mode, padding, align)
}

/// `grid_sampler(grid, mode, padding_mode, align_corners)`, with modes as numbers.
fn by_number(call: &Call) -> Outcome {
    let mode = match call.int(2, "interpolation_mode")?.unwrap_or(0) {
        1 => "nearest",
        2 => "bicubic",
        _ => "bilinear",
    };
    let padding = call.int(3, "padding_mode")?.unwrap_or(0);
    grid_sample(call, mode, padding, call.flag(4, "align_corners", false)?)
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        Entry::new("grid_sampler_2d", by_number),
        Entry::new("grid_sampler_3d", by_number),
        Entry::new("nn.functional.grid_sample", by_name),
        Entry::new("nn.functional.interpolate area", |call| interpolate(call, "area", None)),
        Entry::new("nn.functional.interpolate bicubic", |call| interpolate(call, "bicubic", None)),
        Entry::new("nn.functional.interpolate bilinear", |call| interpolate(call, "bilinear", None)),
        Entry::new("nn.functional.interpolate linear", |call| interpolate(call, "linear", None)),
        Entry::new("nn.functional.interpolate nearest", |call| interpolate(call, "nearest", None)),
        Entry::new("nn.functional.interpolate nearest-exact", |call| {
            interpolate(call, "nearest-exact", None)
        }),
        Entry::new("nn.functional.interpolate trilinear", |call| interpolate(call, "trilinear", None)),
        Entry::new("nn.functional.upsample_bilinear", |call| interpolate(call, "bilinear", Some(true))),
        Entry::new("nn.functional.upsample_nearest", |call| interpolate(call, "nearest", Some(false))),
    ]
}
