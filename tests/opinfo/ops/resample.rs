//! Images at other positions than those of their elements: interpolation, and sampling by a grid.

use super::Entry;
use crate::call::{Argument, Call, Outcome};
use tensor_op::catalogue::resize::{InterpolateMode, interpolate};
use tensor_op::catalogue::sample::{GridMode, GridPadding, grid_sample};

/// `interpolate(size, scale_factor, mode, align_corners, recompute_scale_factor)`.
fn resized(call: &Call, mode: InterpolateMode, align: Option<bool>) -> Outcome {
    let align = match mode {
        InterpolateMode::Nearest | InterpolateMode::NearestExact | InterpolateMode::Area => None,
        _ => Some(align.map_or_else(|| call.flag(4, "align_corners", false), Ok)?),
    };
    let scales: Option<Vec<f64>> = match call.get(2, "scale_factor") {
        Argument::List(list) => Some(
            list.iter()
                .map(|scale| match scale {
                    Argument::Float(scale) => Ok(*scale),
                    Argument::Int(scale) => Ok(*scale as f64),
                    _ => Err(call.wrong("scale_factor", "numbers")),
                })
                .collect::<Outcome<_>>()?,
        ),
        _ => call.number(2, "scale_factor")?.map(|scale| vec![scale]),
    };
    let sizes =
        call.list(1, "size")?.map(|sizes| sizes.iter().map(|size| *size as usize).collect::<Vec<_>>());
    let is_recomputed = call.flag(5, "recompute_scale_factor", false)?;
    let (sizes, scales) = (sizes.as_deref(), scales.as_deref());
    Ok(vec![interpolate(call.x()?, sizes, scales, mode, align, is_recomputed, None)?])
}

/// `grid_sample(grid, mode, padding_mode, align_corners)`.
fn by_name(call: &Call) -> Outcome {
    let padding = match call.text(3, "padding_mode", "zeros")? {
        "border" => GridPadding::Border,
        "reflection" => GridPadding::Reflection,
        _ => GridPadding::Zeros,
    };
    let mode = match call.text(2, "mode", "bilinear")? {
        "nearest" => GridMode::Nearest,
        "bicubic" => GridMode::Bicubic,
        _ => GridMode::Bilinear,
    };
    sampled(call, mode, padding)
}

/// `grid_sampler(grid, mode, padding_mode, align_corners)`, with modes as numbers.
fn by_number(call: &Call) -> Outcome {
    let mode = match call.int(2, "interpolation_mode")?.unwrap_or(0) {
        1 => GridMode::Nearest,
        2 => GridMode::Bicubic,
        _ => GridMode::Bilinear,
    };
    let padding = match call.int(3, "padding_mode")?.unwrap_or(0) {
        1 => GridPadding::Border,
        2 => GridPadding::Reflection,
        _ => GridPadding::Zeros,
    };
    sampled(call, mode, padding)
}

fn sampled(call: &Call, mode: GridMode, padding: GridPadding) -> Outcome {
    let align = call.flag(4, "align_corners", false)?;
    Ok(vec![grid_sample(call.x()?, call.float(1, "grid")?, mode, padding, align)?])
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        Entry::new("grid_sampler_2d", by_number),
        Entry::new("grid_sampler_3d", by_number),
        Entry::new("nn.functional.grid_sample", by_name),
        Entry::new("nn.functional.interpolate area", |call| resized(call, InterpolateMode::Area, None)),
        Entry::new("nn.functional.interpolate bicubic", |call| resized(call, InterpolateMode::Bicubic, None)),
        Entry::new("nn.functional.interpolate bilinear", |call| {
            resized(call, InterpolateMode::Bilinear, None)
        }),
        Entry::new("nn.functional.interpolate linear", |call| resized(call, InterpolateMode::Linear, None)),
        Entry::new("nn.functional.interpolate nearest", |call| resized(call, InterpolateMode::Nearest, None)),
        Entry::new("nn.functional.interpolate nearest-exact", |call| {
            resized(call, InterpolateMode::NearestExact, None)
        }),
        Entry::new("nn.functional.interpolate trilinear", |call| {
            resized(call, InterpolateMode::Trilinear, None)
        }),
        Entry::new("nn.functional.upsample_bilinear", |call| {
            resized(call, InterpolateMode::Bilinear, Some(true))
        }),
        Entry::new("nn.functional.upsample_nearest", |call| resized(call, InterpolateMode::Nearest, None)),
    ]
}
