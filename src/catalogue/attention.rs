//! Attention in the forms that models have. Queries are `[.., t, d]`, keys `[.., s, d]` and values `[.., s,
//! e]`, where heads are among the leading dims. The plain one is [`nn::attention`](super::nn::attention);
//! with dropout it is [`random::attention_with_dropout`](super::random::attention_with_dropout).
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use crate::tensor_op;

/// Attention with a mask that is added to the scores, and where `is_causal` says so with the keys up to each
/// query. A mask is of floats: 0 for a key that is seen, and minus infinity for one that is not. A query
/// whose mask hides all keys gets zeros. A `scale` of 0 stands for one over the root of `d`.
/// `torch.nn.functional.scaled_dot_product_attention`.
///
/// ```
/// use tensor_op::catalogue::attention::scaled_dot_product_attention;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::ones([1, 2, 4], DType::F64, &Device::default())?;
/// let y = scaled_dot_product_attention(&x, &x, &x, None, true, None)?;
/// assert_eq!(y.to_vec::<f64>()?, [1.0; 8]);
/// # Ok(())
/// # }
/// ```
#[tensor_op]
pub fn scaled_dot_product_attention(
    query: Tensor![.., t, d],
    key: Tensor![.., s, d],
    value: Tensor![.., s, e],
    attn_mask: Option<Tensor![.., t, s]>,
    #[default(false)] is_causal: bool,
    #[default(0.0)] scale: f64,
) -> Tensor![.., t, e] {
    let by = select(scale == 0.0, rsqrt(cast(len(d), float)), scale);
    let scores = sum(query * key, d) * by + attn_mask.unwrap_or(0.0);
    let seen = if is_causal { select(iota(s) <= iota(t), scores, -INFINITY) } else { scores };
    if attn_mask.is_some() {
        let mask = attn_mask.unwrap_or(0.0);
        let reach = if is_causal { select(iota(s) <= iota(t), mask, -INFINITY) } else { mask };
        let sees_none = max(stop_grad(reach), s) == -INFINITY;
        let found = sum(softmax(select(sees_none, 0.0, seen), s) * value, s);
        select(sees_none, 0.0, found)
    } else {
        sum(softmax(seen, s) * value, s)
    }
}

/// Causal attention in which a key and a value belong to a group of query heads.
///
/// Source: Ainslie et al., GQA: Training Generalized Multi-Query Transformer Models, 2023.
#[tensor_op]
pub fn grouped_query_attention(
    query: Tensor![b, (h, g), t, d],
    key: Tensor![b, h, s, d],
    value: Tensor![b, h, s, e],
) -> Tensor![b, (h, g), t, e] {
    let scores = sum(query * key, d) * rsqrt(cast(len(d), float));
    sum(softmax(select(iota(s) <= iota(t), scores, -INFINITY), s) * value, s)
}

/// Causal attention to the last `window` keys, at least 1.
///
/// Source: Jiang et al., Mistral 7B, 2023.
#[tensor_op]
pub fn sliding_window_attention(
    query: Tensor![.., t, d],
    key: Tensor![.., s, d],
    value: Tensor![.., s, e],
    window: i64,
) -> Tensor![.., t, e] {
    let scores = sum(query * key, d) * rsqrt(cast(len(d), float));
    let seen = iota(s) <= iota(t) && iota(s) > iota(t) - window;
    sum(softmax(select(seen, scores, -INFINITY), s) * value, s)
}

/// Causal attention whose scores are brought between `-cap` and `cap` by `tanh`.
///
/// Source: Gemma Team, Gemma 2, 2024.
#[tensor_op]
pub fn soft_capped_attention(
    query: Tensor![.., t, d],
    key: Tensor![.., s, d],
    value: Tensor![.., s, e],
    #[default(50.0)] cap: f64,
) -> Tensor![.., t, e] {
    let scores = cap * tanh(sum(query * key, d) * rsqrt(cast(len(d), float)) / cap);
    sum(softmax(select(iota(s) <= iota(t), scores, -INFINITY), s) * value, s)
}

/// Causal attention whose scores shrink with the distance, by a slope for each head: see
/// [`position::alibi_slopes`](super::position::alibi_slopes).
///
/// Source: Press et al., Train Short, Test Long: Attention with Linear Biases, 2021.
#[tensor_op]
pub fn alibi_attention(
    query: Tensor![b, h, t, d],
    key: Tensor![b, h, s, d],
    value: Tensor![b, h, s, e],
    #[no_grad] slopes: Tensor![h],
) -> Tensor![b, h, t, e] {
    let away = cast(iota(s) - iota(t), float);
    let scores = sum(query * key, d) * rsqrt(cast(len(d), float)) + slopes * away;
    sum(softmax(select(iota(s) <= iota(t), scores, -INFINITY), s) * value, s)
}

/// Attention of new queries to a cache of keys and values, of which the first `past + t` are written: the
/// query `t` sees the keys up to `past + t`. Query heads share keys in groups, as in
/// [`grouped_query_attention`].
#[tensor_op]
pub fn attention_with_cache(
    query: Tensor![b, (h, g), t, d],
    keys: Tensor![b, h, s, d],
    values: Tensor![b, h, s, e],
    past: usize,
) -> Tensor![b, (h, g), t, e] {
    // The keys behind these. A size can't be negative.
    let _room = iota(room = len(s) - past - len(t));
    let scores = sum(query * keys, d) * rsqrt(cast(len(d), float));
    sum(softmax(select(iota(s) <= iota(t) + past, scores, -INFINITY), s) * values, s)
}
