//! Images at other positions than those of their elements: interpolation, and sampling by a grid.

use super::Entry;
use super::window::in_parts;
use crate::call::{Argument, Call, Outcome};
use crate::sampling::grid_sample;
use tensor_op::catalogue::resize::{
    upsample_bicubic2d, upsample_bilinear2d, upsample_linear1d, upsample_nearest1d, upsample_nearest2d,
    upsample_nearest3d, upsample_trilinear3d,
};

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
    let sizes: Vec<usize> = sizes.iter().map(|size| *size as usize).collect();
    // 0 stands for no scale.
    let s = scales.filter(|_| !recomputed).unwrap_or_else(|| vec![0.0; axes]);
    let exact = mode == "nearest-exact";
    Ok(vec![match (mode, &sizes[..]) {
        ("area", sizes) => return in_parts(x, sizes),
        ("nearest" | "nearest-exact", [n]) => upsample_nearest1d(x, *n, s[0], exact)?,
        ("nearest" | "nearest-exact", [h, w]) => upsample_nearest2d(x, *h, *w, s[0], s[1], exact)?,
        ("nearest" | "nearest-exact", [d, h, w]) => {
            upsample_nearest3d(x, *d, *h, *w, s[0], s[1], s[2], exact)?
        }
        ("linear", [n]) => upsample_linear1d(x, *n, align, s[0])?,
        ("bilinear", [h, w]) => upsample_bilinear2d(x, *h, *w, align, s[0], s[1])?,
        ("trilinear", [d, h, w]) => upsample_trilinear3d(x, *d, *h, *w, align, s[0], s[1], s[2])?,
        ("bicubic", [h, w]) => upsample_bicubic2d(x, *h, *w, align, s[0], s[1])?,
        _ => return Err(call.wrong("mode", "one for so many axes")),
    }])
}

/// `grid_sample(grid, mode, padding_mode, align_corners)`.
fn by_name(call: &Call) -> Outcome {
    let padding = match call.text(3, "padding_mode", "zeros")? {
        "border" => 1,
        "reflection" => 2,
        _ => 0,
    };
    let (mode, align) = (call.text(2, "mode", "bilinear")?, call.flag(4, "align_corners", false)?);
    Ok(vec![grid_sample(&call.x()?, &call.float(1, "grid")?, mode, padding, align)?])
}

/// `grid_sampler(grid, mode, padding_mode, align_corners)`, with modes as numbers.
fn by_number(call: &Call) -> Outcome {
    let mode = match call.int(2, "interpolation_mode")?.unwrap_or(0) {
        1 => "nearest",
        2 => "bicubic",
        _ => "bilinear",
    };
    let padding = call.int(3, "padding_mode")?.unwrap_or(0);
    let align = call.flag(4, "align_corners", false)?;
    Ok(vec![grid_sample(&call.x()?, &call.float(1, "grid")?, mode, padding, align)?])
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
