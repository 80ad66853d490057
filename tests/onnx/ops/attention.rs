//! Attention, in groups of heads, with masks, windows and a cache.

use super::Entry;
use crate::node::{Node, Outcome, Stop};
use tensor_op::catalogue::logic;
use tensor_op::prelude::*;

/// Several heads of `q` share one of `k`.
#[tensor_op(tests = false)]
fn products(q: Tensor![b, (h, g), t, d], k: Tensor![b, h, s, d], scale: f64) -> Tensor![b, (h, g), t, s] {
    sum(q * k, d) * scale
}

#[tensor_op(tests = false)]
fn capped(scores: Tensor, cap: f64) -> Tensor {
    cap * tanh(scores / cap)
}

/// The row `t` is the position `t + offset` of the keys. It sees as many before it as `left` says, and behind
/// it as `right` says; the keys from `length` on are none.
#[tensor_op(tests = false)]
fn windowed(
    scores: Tensor![b, h, t, s],
    offset: IntTensor![b],
    length: IntTensor![b],
    left: i64,
    right: i64,
) -> Tensor![b, h, t, s] {
    let distance = iota(s) - iota(t) - offset;
    select((distance >= -left) & (distance <= right) & (iota(s) < length), scores, -INFINITY)
}

/// A row that sees nothing is 0.
#[tensor_op(tests = false)]
fn shares(scores: Tensor![.., s]) -> Tensor![.., s] {
    let most = max(scores, s);
    let e = exp(scores - stop_grad(select(is_finite(most), most, 0.0)));
    let total = sum(e, s);
    e / select(total == 0.0, 1.0, total)
}

#[tensor_op(tests = false)]
fn mixed(p: Tensor![b, (h, g), t, s], v: Tensor![b, h, s, e]) -> Tensor![b, (h, g), t, e] {
    sum(p * v, s)
}

/// `[b, t, (h, d)]` as `[b, h, t, d]`.
fn heads(x: Tensor, count: i64) -> Result<Tensor> {
    if x.rank() == 4 {
        return Ok(x);
    }
    let shape = x.shape();
    x.reshape([shape[0] as i64, shape[1] as i64, count, -1])?.transpose(1, 2)
}

/// A mask of fewer keys than there are says nothing about the others, which are hidden.
fn masked(scores: Tensor, mask: Option<Tensor>) -> Result<Tensor> {
    let Some(mask) = mask else { return Ok(scores) };
    let is_bool = mask.dtype() == DType::Bool;
    let missing = scores.shape()[3] - mask.shape()[mask.rank() - 1];
    let mask = if missing > 0 {
        let mut shape = mask.shape();
        let last = shape.rank() - 1;
        shape[last] = missing;
        let hidden = if is_bool { 0.0 } else { f64::NEG_INFINITY };
        let hidden = Tensor::full(shape, hidden, &mask.device())?.cast(mask.dtype())?;
        Tensor::cat(&[mask, hidden], -1)?
    } else {
        mask
    };
    if is_bool {
        logic::masked_fill(scores, logic::logical_not(mask), f64::NEG_INFINITY)
    } else {
        scores + mask
    }
}

fn attention(node: &Node) -> Outcome {
    let q = node.x(0)?;
    let is_flat = q.rank() == 3;
    let (own, shared) = (node.int("q_num_heads", 0)?, node.int("kv_num_heads", 0)?);
    let (q, mut k, mut v) = (heads(q, own)?, heads(node.x(1)?, shared)?, heads(node.x(2)?, shared)?);
    let mut past = 0;
    if let (Some(keys), Some(values)) = (node.optional(4), node.optional(5)) {
        past = keys.shape()[2] as i64;
        (k, v) = (Tensor::cat(&[keys, k], 2)?, Tensor::cat(&[values, v], 2)?);
    }
    let [batch, _, rows, width] = q.shape()[..] else { return Ok(vec![]) };
    let columns = k.shape()[2] as i64;
    let scale = node.real("scale", 1.0 / (width as f64).sqrt())?;
    // Halves are computed in f32, and only results are rounded.
    let dtype = q.dtype();
    let wide = |x: &Tensor| if dtype == DType::F64 { Ok(x.clone()) } else { x.cast(DType::F32) };
    let mask = node.optional(3).map(|mask| if mask.dtype() == dtype { wide(&mask) } else { Ok(mask) });
    let raw = products(wide(&q)?, wide(&k)?, scale)?;
    let cap = node.real("softcap", 0.0)?;
    let soft = if cap > 0.0 { capped(&raw, cap)? } else { raw.clone() };
    // With a cache of the caller's, the rows are the last of the keys that count.
    let length = node.ints(6)?;
    let offset: Vec<i64> = match &length {
        Some(length) => length.iter().map(|length| length - rows as i64).collect(),
        None => vec![past; batch],
    };
    let length = length.unwrap_or_else(|| vec![columns; batch]);
    let side =
        |name: &str, all: i64| Outcome::Ok(Some(node.int(name, -1)?).filter(|n| *n >= 0).unwrap_or(all));
    let all = columns + rows as i64 + length.iter().sum::<i64>();
    let left = side("left_window_size", all)?;
    let right = side("right_window_size", all)?;
    let right = if node.flag("is_causal", false)? { right.min(0) } else { right };
    let of_batch = |values: Vec<i64>| Tensor::from_vec(values, [batch], &q.device());
    let seen = masked(soft.clone(), mask.transpose()?)?;
    let seen = windowed(seen, of_batch(offset)?, of_batch(length)?, left, right)?;
    let shares = shares(&seen)?;
    let y = mixed(&shares, wide(&v)?)?;
    let y = if is_flat { y.transpose(1, 2)?.reshape([batch as i64, rows as i64, -1])? } else { y };
    let shown = match node.int("qk_matmul_output_mode", 0)? {
        0 => raw,
        1 => soft,
        2 => seen,
        _ => shares,
    };
    Ok(vec![y.cast(dtype)?, k, v, shown.cast(dtype)?])
}

/// The state after each step: a sum of products of keys and values, which decays.
#[tensor_op(tests = false)]
fn states(
    k: Tensor![b, h, t, d],
    v: Tensor![b, h, t, e],
    decay: Tensor![b, h, t, d],
    past: Tensor![b, h, d, e],
) -> Tensor![b, h, t, d, e] {
    linear_recurrence(exp(decay), k * v, t, init = past)
}

/// Several heads of `q` share one state.
#[tensor_op(tests = false)]
fn answers(
    q: Tensor![b, (h, g), t, d],
    states: Tensor![b, h, t, d, e],
    scale: f64,
) -> Tensor![b, t, (h, g, e)] {
    sum(q * states, d) * scale
}

fn linear_attention(node: &Node) -> Outcome {
    let (own, shared) = (node.int("q_num_heads", 0)?, node.int("kv_num_heads", 0)?);
    let (q, k, v) = (heads(node.x(0)?, own)?, heads(node.x(1)?, shared)?, heads(node.x(2)?, shared)?);
    let (size, width) = (k.shape(), v.shape()[3]);
    let decay = match node.text("update_rule", "gated_delta")? {
        "linear" => Tensor::zeros(&size, k.dtype(), &k.device())?,
        // There is one decay for each channel, or for all channels of a head.
        "gated" => heads(node.x(4)?, shared)?.broadcast_to(&size)?,
        _ => return Err(Stop::Skip("a recurrence that multiplies the state by a matrix: the delta rule")),
    };
    let past = match node.optional(3) {
        Some(past) => past,
        None => Tensor::zeros([size[0], size[1], size[3], width], k.dtype(), &k.device())?,
    };
    let states = states(k, v, decay, past)?;
    let scale = node.real("scale", 0.0)?;
    let scale = if scale == 0.0 { 1.0 / (size[3] as f64).sqrt() } else { scale };
    Ok(vec![answers(q, &states, scale)?, states.slice(2, -1..)?.squeeze(2)?])
}

pub(super) fn table() -> Vec<Entry> {
    vec![("Attention", attention), ("FlexAttention", attention), ("LinearAttention", linear_attention)]
}
