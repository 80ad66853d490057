//! Images at the positions of a grid: ops of the catalogue, and what it does not have, volumes and cubic
//! curves.

use tensor_op::catalogue::sample::{grid_places, grid_sample_bilinear, grid_sample_nearest};
use tensor_op::prelude::*;

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
    let share_d = tensor_op::catalogue::resize::cubic_weight(abs(place_d - pd));
    let share_h = tensor_op::catalogue::resize::cubic_weight(abs(place_h - ph));
    let share_w = tensor_op::catalogue::resize::cubic_weight(abs(place_w - pw));
    sum(select(inside, near, 0.0) * share_d * share_h * share_w, (kd, kh, kw))
}

fn taps(values: &[i64]) -> Result<Tensor> {
    Tensor::from_vec(values.to_vec(), [values.len()], &Device::default())
}

/// Reads an image of two or three axes at the positions of a grid, in PyTorch's modes.
pub(crate) fn grid_sample(
    image: &Tensor,
    grid: &Tensor,
    mode: &str,
    padding: i64,
    align: bool,
) -> Result<Tensor> {
    let axes = image.rank() - 2;
    match (axes, mode) {
        (2, "bilinear") => return grid_sample_bilinear(image, grid, padding, align),
        (2, "nearest") => return grid_sample_nearest(image, grid, padding, align),
        _ => {}
    }
    let shape = grid.shape();
    let points: usize = shape[1..=axes].iter().product();
    let mut places = vec![Tensor::zeros([shape[0], points], image.dtype(), &image.device())?; 3 - axes];
    for axis in 0..axes {
        let part = (axes - 1 - axis) as i64;
        let place = grid.slice(-1, part..part + 1)?.reshape([shape[0], points])?;
        // The taps of cubic curves are padded one by one.
        let padding = if mode == "bicubic" { 0 } else { padding };
        let place = grid_places(place, image.shape()[axis + 2] as f64, padding, align)?;
        places.push(if mode == "nearest" { rounded(place)? } else { place });
    }
    let reach: &[i64] = match mode {
        "nearest" => &[0],
        "bicubic" => &[-1, 0, 1, 2],
        _ => &[0, 1],
    };
    let [first, rest] = [taps(if axes == 3 { reach } else { &[0] })?, taps(reach)?];
    let [d, h, w] = [0, 1, 2].map(|axis| &places[axis]);
    let sizes = image.shape();
    let volume = image.reshape([&sizes[..2], &vec![1; 3 - axes], &sizes[2..]].concat())?;
    let y = if mode == "bicubic" {
        cubic_at(volume, d, h, w, first, &rest, &rest, align, padding)?
    } else {
        linear_at(volume, d, h, w, first, &rest, &rest)?
    };
    y.reshape([&sizes[..2], &shape[1..=axes]].concat())
}
