//! What tells a model where a token stands. Rotary embeddings are in [`movement`](super::movement).
//!
//! ```
//! use tensor_op::catalogue::position::sinusoidal_positions;
//! use tensor_op::prelude::*;
//!
//! # fn main() -> Result<()> {
//! let table = sinusoidal_positions(16, 8, None, DType::F32, &Device::default())?;
//! assert_eq!(table.shape().to_vec(), [16, 8]);
//! assert_eq!(table.to_vec::<f32>()?[..4], [0.0, 1.0, 0.0, 1.0]);
//! # Ok(())
//! # }
//! ```
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use crate::tensor_op;

/// A row for each position: sines in the even columns and cosines in the odd ones, of ever lower frequencies.
///
/// Source: Vaswani et al., Attention Is All You Need, 2017.
#[tensor_op]
pub fn sinusoidal_positions(t: usize, d: usize, #[default(10000.0)] base: f64) -> Tensor![t, d] {
    let pair = cast(iota(d) / 2 * 2, float);
    let angle = cast(iota(t), float) / pow(base, pair / len(d));
    select(iota(d) % 2 == 0, sin(angle), cos(angle))
}

/// The angle of each position and pair of dims, from which rotary embeddings take their sines and cosines.
///
/// Source: Su et al., RoFormer: Enhanced Transformer with Rotary Position Embedding, 2021.
#[tensor_op]
pub fn rotary_angles(
    t: usize,
    pairs: usize,
    #[default(10000.0)] base: f64,
    #[default(0)] past: i64,
) -> Tensor![t, pairs] {
    cast(iota(t) + past, float) / pow(base, cast(iota(pairs), float) / len(pairs))
}

/// The slope of each head, from `2^(-8 / h)` down to `2^-8`.
///
/// Source: Press et al., Train Short, Test Long: Attention with Linear Biases, 2021.
#[tensor_op]
pub fn alibi_slopes(h: usize) -> Tensor![h] {
    exp2(-8.0 * cast(iota(h) + 1, float) / len(h))
}

/// The bias of each head for each distance between a query and an earlier key. Distances from half of the
/// table on share its entries by their logarithm, up to `max_distance`.
///
/// Source: Raffel et al., Exploring the Limits of Transfer Learning with T5, 2019.
#[tensor_op]
pub fn relative_position_bias(
    table: Tensor![h, buckets],
    t: usize,
    s: usize,
    #[default(128.0)] max_distance: f64,
) -> Tensor![h, t, s] {
    let half = len(buckets) / 2;
    let away = maximum(iota(t) - iota(s), 0);
    let far = ln(maximum(cast(away, float), 1.0) / cast(half, float)) / ln(max_distance / cast(half, float));
    let bucket = minimum(half + cast(far * cast(len(buckets) - half, float), int), len(buckets) - 1);
    at(table, buckets = select(away < half, away, bucket))
}
