//! The formulas of attention, and PyTorch's function around them.

use crate::catalogue::logic::{logical_not, masked_fill};
use crate::{DType, Error, ErrorKind, IntoFloat, IntoOptionalTensor, IntoTensor, Result, Tensor, tensor_op};

/// Attention: for each query the mean of the values, weighted by the softmax of the products of the query
/// with all keys. `torch.nn.functional.scaled_dot_product_attention`.
///
/// `attn_mask` is of bools, true for a key that is seen, or of floats that are added to the scores. Its
/// shape broadcasts to that of the scores, `[.., t, s]`. `is_causal` hides the keys behind the position of
/// each query, counted from the first query and the first key. PyTorch refuses it beside a mask; here both
/// count. A query that sees no key gets zeros. Weights are dropped with the probability `dropout_p`, which
/// is 0 by default, by numbers that the `seed` gives, as in
/// [`random::dropout`](crate::catalogue::random::dropout()). A `scale` of `None` is one over the root of
/// `d`. With `enable_gqa` a head of keys and values, on the axis before the last two, belongs to a group of
/// neighbouring heads of queries.
///
/// Without dropout, the formula is one of [`attend`], [`attend_where`] and [`attend_in_groups`]. Scores need
/// not be stored in them.
///
/// ```
/// use tensor_op::catalogue::attention::scaled_dot_product_attention;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let (q, k) = (Tensor::from([[1.0], [1.0]]), Tensor::from([[0.0], [0.0]]));
/// let v = Tensor::from([[2.0], [4.0]]);
/// let causal = scaled_dot_product_attention(&q, &k, &v, None, None, true, None, None, None)?;
/// assert_eq!(causal.to_vec::<f64>()?, [2.0, 3.0]);
/// let mask = Tensor::from([[false, true], [false, false]]);
/// let masked = scaled_dot_product_attention(&q, &k, &v, mask, None, None, None, None, None)?;
/// assert_eq!(masked.to_vec::<f64>()?, [4.0, 0.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Shapes and dtypes that don't fit together, a mask of ints, and a `dropout_p` that is not from 0 to 1.
#[allow(clippy::too_many_arguments, reason = "the arguments of PyTorch, and the seed")]
pub fn scaled_dot_product_attention(
    query: impl IntoTensor,
    key: impl IntoTensor,
    value: impl IntoTensor,
    attn_mask: impl IntoOptionalTensor,
    dropout_p: impl IntoFloat<Option<f64>>,
    is_causal: impl Into<Option<bool>>,
    scale: impl IntoFloat<Option<f64>>,
    enable_gqa: impl Into<Option<bool>>,
    seed: impl Into<Option<i64>>,
) -> Result<Tensor> {
    let (query, key, value) = (query.into_tensor()?, key.into_tensor()?, value.into_tensor()?);
    let mask = attn_mask.into_optional_tensor()?;
    let has_groups = enable_gqa.into().unwrap_or(false) && query.rank() > 2;
    let options = Options {
        dropout: dropout_p.into_float().unwrap_or(0.0),
        is_causal: is_causal.into().unwrap_or(false),
        scale: scale.into_float(),
        seed: seed.into(),
    };
    let run = || {
        if !(0.0..=1.0).contains(&options.dropout) {
            let message = format!("`dropout_p`: is {}, and a number from 0 to 1 is wanted", options.dropout);
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        let operands = Operands { mask: fitted(mask, &query, &key)?, query, key, value };
        if has_groups { operands.in_groups(&options) } else { operands.attended(&options) }
    };
    run().map_err(|error| error.renamed("scaled_dot_product_attention"))
}

impl Tensor {
    /// [`catalogue::attention::scaled_dot_product_attention`](scaled_dot_product_attention) as a method.
    #[allow(clippy::too_many_arguments, reason = "the arguments of PyTorch, and the seed")]
    pub fn scaled_dot_product_attention(
        &self,
        key: impl IntoTensor,
        value: impl IntoTensor,
        attn_mask: impl IntoOptionalTensor,
        dropout_p: impl IntoFloat<Option<f64>>,
        is_causal: impl Into<Option<bool>>,
        scale: impl IntoFloat<Option<f64>>,
        enable_gqa: impl Into<Option<bool>>,
        seed: impl Into<Option<i64>>,
    ) -> Result<Tensor> {
        let (p, gqa) = (dropout_p, enable_gqa);
        self::scaled_dot_product_attention(self, key, value, attn_mask, p, is_causal, scale, gqa, seed)
    }
}

struct Options {
    dropout: f64,
    is_causal: bool,
    scale: Option<f64>,
    seed: Option<i64>,
}

struct Operands {
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Option<Tensor>,
}

impl Operands {
    fn attended(self, options: &Options) -> Result<Tensor> {
        let Operands { query, key, value, mask } = self;
        let width = query.shape().last().copied().unwrap_or(1) as f64;
        let (scale, is_causal) = (options.scale.unwrap_or(1.0 / width.sqrt()), options.is_causal);
        let is_bool = mask.as_ref().is_some_and(|mask| mask.dtype() == DType::Bool);
        match mask {
            mask if options.dropout > 0.0 => {
                let mask =
                    if is_bool { mask.map(|mask| added(mask, query.dtype())).transpose()? } else { mask };
                let (p, seed) = (options.dropout, options.seed);
                attend_with_dropout(query, key, value, mask, is_causal, scale, p, seed)
            }
            Some(mask) if is_bool => attend_where(query, key, value, mask, is_causal, scale),
            mask => attend(query, key, value, mask, is_causal, scale),
        }
    }

    /// The heads of queries are those of keys times the groups. Only [`attend`] has a formula for groups; the
    /// others see the heads of a group as an axis along which keys and values are repeated.
    fn in_groups(self, options: &Options) -> Result<Tensor> {
        let Operands { query, key, value, mask } = self;
        let (shape, rank) = (query.shape(), query.rank());
        let mask = mask.map(|mask| {
            let lead = if mask.rank() > 3 { &mask.shape()[..mask.rank() - 3] } else { &[] };
            mask.broadcast_to([lead, &[shape[rank - 3]], &mask.shape()[mask.rank() - 2..]].concat())
        });
        let mask = mask.transpose()?;
        let is_bool = mask.as_ref().is_some_and(|mask| mask.dtype() == DType::Bool);
        if options.dropout == 0.0 && !is_bool {
            let scale = options.scale.unwrap_or(1.0 / (shape[rank - 1] as f64).sqrt());
            return attend_in_groups(query, key, value, mask, options.is_causal, scale);
        }
        let heads = if key.rank() < 3 { 1 } else { key.shape()[key.rank() - 3] };
        if heads == 0 || shape[rank - 3] % heads != 0 {
            let message = format!(
                "`key` has {heads} heads, by which the {} heads of `query` can't be divided",
                shape[rank - 3]
            );
            return Err(Error::new(ErrorKind::Shape, message));
        }
        let parted = |x: Tensor| {
            let shape = x.shape();
            let (lead, end) = (&shape[..shape.rank() - 3], &shape[shape.rank() - 2..]);
            x.reshape([lead, &[heads, shape[shape.rank() - 3] / heads], end].concat())
        };
        let operands = Operands {
            query: parted(query)?,
            key: key.unsqueeze(-3)?,
            value: value.unsqueeze(-3)?,
            mask: mask.map(parted).transpose()?,
        };
        let found = operands.attended(options)?;
        let own = found.shape();
        let (lead, end) = (&own[..own.rank() - 4], &own[own.rank() - 2..]);
        found.reshape([lead, &[shape[rank - 3]], end].concat())
    }
}

/// The mask with axes for queries and keys.
fn fitted(mask: Option<Tensor>, query: &Tensor, key: &Tensor) -> Result<Option<Tensor>> {
    let (Some(mask), true) = (mask, query.rank() > 1 && key.rank() > 1) else { return Ok(None) };
    let rows = |x: &Tensor| x.shape()[x.rank() - 2];
    let lead = mask.shape()[..mask.rank().saturating_sub(2)].to_vec();
    let fitted = mask.broadcast_to([&lead[..], &[rows(query), rows(key)]].concat());
    fitted.map(Some).map_err(|error| error.with_arg("attn_mask"))
}

/// A mask of bools as what is added to scores.
fn added(mask: Tensor, dtype: DType) -> Result<Tensor> {
    let zeros = Tensor::zeros(mask.shape(), dtype, &mask.device())?;
    masked_fill(zeros, logical_not(mask), f64::NEG_INFINITY)
}

/// Attention with a mask that is added to the scores, and where `is_causal` says so with the keys up to each
/// query. A mask is of floats: 0 for a key that is seen, and minus infinity for one that is not. A query
/// whose mask hides all keys gets zeros.
#[tensor_op]
pub fn attend(
    query: Tensor![.., t, d],
    key: Tensor![.., s, d],
    value: Tensor![.., s, e],
    attn_mask: Option<Tensor![.., t, s]>,
    is_causal: bool,
    scale: f64,
) -> Tensor![.., t, e] {
    let scores = sum(query * key, d) * scale + attn_mask.unwrap_or(0.0);
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

/// [`attend`] in which a key and a value belong to a group of query heads.
///
/// Source: Ainslie et al., GQA: Training Generalized Multi-Query Transformer Models, 2023.
#[tensor_op]
pub fn attend_in_groups(
    query: Tensor![.., (h, g), t, d],
    key: Tensor![.., h, s, d],
    value: Tensor![.., h, s, e],
    attn_mask: Option<Tensor![.., (h, g), t, s]>,
    is_causal: bool,
    scale: f64,
) -> Tensor![.., (h, g), t, e] {
    self::attend(query, key, value, attn_mask, is_causal, scale)
}

/// Attention to the keys for which a mask is true, and where `is_causal` says so up to each query. A query
/// that sees no key gets zeros.
#[tensor_op]
pub fn attend_where(
    query: Tensor![.., t, d],
    key: Tensor![.., s, d],
    value: Tensor![.., s, e],
    attn_mask: BoolTensor![.., t, s],
    is_causal: bool,
    scale: f64,
) -> Tensor![.., t, e] {
    let seen = attn_mask & !(is_causal & (iota(s) > iota(t)));
    let sees_none = !any(seen, s);
    let scores = select(seen, sum(query * key, d) * scale, select(sees_none, 0.0, -INFINITY));
    select(sees_none, 0.0, sum(softmax(scores, s) * value, s))
}

/// [`attend`] whose weights are dropped with a probability.
#[tensor_op]
pub fn attend_with_dropout(
    query: Tensor![.., t, d],
    key: Tensor![.., s, d],
    value: Tensor![.., s, e],
    attn_mask: Option<Tensor![.., t, s]>,
    is_causal: bool,
    scale: f64,
    dropout_p: Fraction,
    seed: Seed,
) -> Tensor![.., t, e] {
    let is_hidden = is_causal & (iota(s) > iota(t));
    let scores = sum(query * key, d) * scale + attn_mask.unwrap_or(0.0);
    let seen = select(is_hidden, -INFINITY, scores);
    if attn_mask.is_some() {
        let mask = select(is_hidden, -INFINITY, attn_mask.unwrap_or(0.0));
        let sees_none = max(stop_grad(mask), s) == -INFINITY;
        let weights = softmax(select(sees_none, 0.0, seen), s);
        select(sees_none, 0.0, sum(dropout(weights, dropout_p, seed, (.., t, s)) * value, s))
    } else {
        sum(dropout(softmax(seen, s), dropout_p, seed, (.., t, s)) * value, s)
    }
}

/// Causal attention in which a key and a value belong to a group of query heads. It has no mask, no dropout
/// and no scale of the caller's: [`scaled_dot_product_attention`] with `enable_gqa` has them.
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
/// [`position::alibi_slopes`](crate::catalogue::position::alibi_slopes).
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
/// [`grouped_query_attention`]. All sequences of a batch have the same `past`, and there is no mask, no
/// dropout and no scale of the caller's: for these pass the written part of the cache and a mask to
/// [`scaled_dot_product_attention`].
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
