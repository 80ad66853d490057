//! Resizing, one axis after the other: each element of the result is a sum of a few elements, whose weights
//! are ONNX's.

use super::Entry;
use crate::node::{Node, Outcome, Stop};
use crate::windows::on_last;
use tensor_op::prelude::*;

#[tensor_op(tests = false)]
fn weighted(x: Tensor![.., n], ids: IntTensor![o, k], weights: Tensor![o, k]) -> Tensor![.., o] {
    sum(at(x, n = clamp(ids)) * weights, k)
}

/// What is known of an axis.
struct Axis {
    size: f64,
    count: f64,
    scale: f64,
    /// The part that is cut out, from 0 to 1.
    part: (f64, f64),
}

impl Axis {
    /// The position in the source of an element of the result.
    fn place(&self, mode: &str, at: f64) -> Outcome<f64> {
        let Axis { size, count, scale, part } = *self;
        let half_pixel = (at + 0.5) / scale - 0.5;
        Ok(match mode {
            "half_pixel" => half_pixel,
            "half_pixel_symmetric" => half_pixel + size / 2.0 * (1.0 - count / (scale * size)),
            "pytorch_half_pixel" => {
                if count > 1.0 {
                    half_pixel
                } else {
                    0.0
                }
            }
            "align_corners" if count > 1.0 => at * (size - 1.0) / (scale * size - 1.0),
            "align_corners" => 0.0,
            "asymmetric" => at / scale,
            "tf_crop_and_resize" if count > 1.0 => {
                (part.0 + at * (part.1 - part.0) / (count - 1.0)) * (size - 1.0)
            }
            "tf_crop_and_resize" => 0.5 * (part.0 + part.1) * (size - 1.0),
            _ => return Err(Stop::Failed(format!("the positions of mode `{mode}` are not known"))),
        })
    }
}

/// How elements are weighed.
struct Filter<'n> {
    mode: &'n str,
    nearest: &'n str,
    slope: f64,
    antialias: bool,
    excludes: bool,
}

impl Filter<'_> {
    /// The weight at a distance.
    fn weight(&self, t: f64) -> f64 {
        let (t, a) = (t.abs(), self.slope);
        match self.mode {
            "linear" => (1.0 - t).max(0.0),
            _ if t <= 1.0 => ((a + 2.0) * t - (a + 3.0)) * t * t + 1.0,
            _ if t < 2.0 => a * (((t - 5.0) * t + 8.0) * t - 4.0),
            _ => 0.0,
        }
    }

    /// The elements around a position, and their weights.
    fn taps(&self, place: f64, axis: &Axis) -> Vec<(f64, f64)> {
        if self.mode == "nearest" {
            let nearest = match self.nearest {
                "floor" => place.floor(),
                "ceil" => place.ceil(),
                "round_prefer_ceil" => (place + 0.5).floor(),
                _ => (place - 0.5).ceil(),
            };
            return vec![(nearest, 1.0)];
        }
        let stretch = if self.antialias { axis.scale.min(1.0) } else { 1.0 };
        let reach = (if self.mode == "linear" { 1.0 } else { 2.0 } / stretch).ceil();
        let first = place.floor() - reach + 1.0;
        let taps = (0..(2.0 * reach) as usize).map(|at| first + at as f64);
        let is_out = |tap: f64| self.excludes && (tap < 0.0 || tap >= axis.size);
        let weight = |tap: f64| if is_out(tap) { 0.0 } else { self.weight((tap - place) * stretch) };
        let taps: Vec<(f64, f64)> = taps.map(|tap| (tap, weight(tap))).collect();
        let total: f64 = taps.iter().map(|(_, weight)| weight).sum();
        taps.into_iter().map(|(tap, weight)| (tap, weight / total)).collect()
    }
}

/// The axes that are resized, with their sizes in the result.
fn axes(node: &Node, x: &Tensor) -> Outcome<Vec<(i64, Axis)>> {
    let places = node.list("axes")?.unwrap_or_else(|| (0..x.rank() as i64).collect());
    let count = places.len();
    let sizes = places.iter().map(|axis| Ok(x.shape()[x.shape().axis(*axis)?] as f64));
    let sizes = sizes.collect::<Result<Vec<f64>>>()?;
    let (mut counts, mut scales) = match (node.numbers(3)?, node.numbers(2)?) {
        (Some(counts), _) => {
            let scales = counts.iter().zip(&sizes).map(|(count, size)| count / size).collect::<Vec<_>>();
            (counts, scales)
        }
        (None, Some(scales)) => {
            (scales.iter().zip(&sizes).map(|(scale, size)| (scale * size).floor()).collect(), scales)
        }
        (None, None) => return Err(Stop::Failed("there are neither sizes nor scales".to_string())),
    };
    let policy = node.text("keep_aspect_ratio_policy", "stretch")?;
    if policy != "stretch" {
        let larger = policy == "not_smaller";
        let one = scales.iter().copied().reduce(|a, b| if larger { a.max(b) } else { a.min(b) });
        scales = vec![one.unwrap_or(1.0); count];
        counts = sizes.iter().zip(&scales).map(|(size, scale)| (size * scale + 0.5).floor()).collect();
    }
    let region = node.numbers(1)?.filter(|region| region.len() == 2 * count);
    let part = |at: usize| region.as_ref().map_or((0.0, 1.0), |region| (region[at], region[at + count]));
    let all = places.into_iter().enumerate();
    Ok(all
        .map(|(at, axis)| {
            (axis, Axis { size: sizes[at], count: counts[at], scale: scales[at], part: part(at) })
        })
        .collect())
}

fn resize(node: &Node) -> Outcome {
    let mut x = node.x(0)?;
    let places = node.text("coordinate_transformation_mode", "half_pixel")?;
    let filter = Filter {
        mode: node.text("mode", "nearest")?,
        nearest: node.text("nearest_mode", "round_prefer_floor")?,
        slope: node.real("cubic_coeff_a", -0.75)?,
        antialias: node.flag("antialias", false)?,
        excludes: node.flag("exclude_outside", false)?,
    };
    if node.real("extrapolation_value", 0.0)? != 0.0 {
        return Err(Stop::Skip("a number outside that is not 0"));
    }
    for (place, axis) in axes(node, &x)? {
        if axis.count == axis.size && axis.scale == 1.0 && places != "tf_crop_and_resize" {
            continue;
        }
        let (mut ids, mut weights) = (vec![], vec![]);
        for at in 0..axis.count as usize {
            let from = axis.place(places, at as f64)?;
            let is_out = places == "tf_crop_and_resize" && (from < 0.0 || from > axis.size - 1.0);
            for (tap, weight) in filter.taps(from, &axis) {
                ids.push(tap as i64);
                weights.push(if is_out { 0.0 } else { weight });
            }
        }
        let (count, device) = (axis.count as usize, x.device());
        let shape = [count, ids.len() / count.max(1)];
        let ids = Tensor::from_vec(ids, shape, &device)?;
        let weights = Tensor::from_vec(weights, shape, &device)?.cast(x.dtype())?;
        x = on_last(&x, place, |x| weighted(x, &ids, &weights))?;
    }
    Ok(vec![x])
}

pub(super) fn table() -> Vec<Entry> {
    vec![("Resize", resize)]
}
