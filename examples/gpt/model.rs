//! A small GPT with the layers of Llama: rms_norm, rotary positions, grouped-query attention, SwiGLU, and one
//! table for what goes in and what comes out. Tensors have the names of Llama's checkpoints.

use std::collections::VecDeque;
use tensor_op::Generator;
use tensor_op::catalogue::attention::{attention_with_cache, grouped_query_attention};
use tensor_op::catalogue::movement::rotary_halves;
use tensor_op::catalogue::nn::{cross_entropy, embedding};
use tensor_op::catalogue::position::rotary_angles;
use tensor_op::prelude::*;

/// What each head gets of each token.
#[tensor_op]
fn heads(x: Tensor![b, t, i], weight: Tensor![(h, d), i], d: usize) -> Tensor![b, h, t, d] {
    sum(x * weight, i)
}

/// The way back into the stream: what all heads found, or the hidden layer, which is one head.
#[tensor_op]
fn join(
    x: Tensor![b, h, t, d],
    weight: Tensor![o, (h, d)],
    stream: Tensor![b, t, o],
    p: f64,
    seed: i64,
) -> Tensor![b, t, o] {
    stream + dropout(sum(x * weight, (h, d)), p, seed)
}

#[tensor_op]
fn swiglu(x: Tensor![b, t, i], gate: Tensor![f, i], up: Tensor![f, i]) -> Tensor![b, t, f] {
    silu(sum(x * gate, i)) * sum(x * up, i)
}

/// The sizes of a model.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) vocabulary: usize,
    pub(crate) width: usize,
    pub(crate) hidden: usize,
    pub(crate) layers: usize,
    pub(crate) heads: usize,
    /// Heads of keys and values, each for several heads of queries.
    pub(crate) groups: usize,
    pub(crate) dropout: f64,
    /// What norms add to a mean of squares.
    pub(crate) eps: f64,
    /// The base of the frequencies of positions.
    pub(crate) base: f64,
}

/// The model of the example, whose tokens are the letters of ASCII.
pub(crate) const CONFIG: Config = Config {
    vocabulary: 128,
    width: 128,
    hidden: 352,
    layers: 4,
    heads: 4,
    groups: 2,
    dropout: 0.05,
    eps: 1e-6,
    base: 1e4,
};

impl Config {
    /// The size of a head.
    fn size(&self) -> usize {
        self.width / self.heads
    }
}

/// The model.
#[derive(Clone, Module)]
pub(crate) struct Gpt {
    #[module(name = "model.embed_tokens.weight")]
    table: Tensor,
    #[module(name = "model.layers")]
    blocks: Vec<Block>,
    #[module(name = "model.norm.weight")]
    norm: Tensor,
    #[module(skip)]
    config: Config,
}

#[derive(Clone, Module)]
struct Block {
    #[module(name = "input_layernorm.weight")]
    attention_norm: Tensor,
    #[module(name = "self_attn.q_proj.weight")]
    query: Tensor,
    #[module(name = "self_attn.k_proj.weight")]
    key: Tensor,
    #[module(name = "self_attn.v_proj.weight")]
    value: Tensor,
    #[module(name = "self_attn.o_proj.weight")]
    output: Tensor,
    #[module(name = "post_attention_layernorm.weight")]
    network_norm: Tensor,
    #[module(name = "mlp.gate_proj.weight")]
    gate: Tensor,
    #[module(name = "mlp.up_proj.weight")]
    up: Tensor,
    #[module(name = "mlp.down_proj.weight")]
    down: Tensor,
}

/// Keys and values of the tokens so far, for each block. There is room for all tokens from the beginning, so
/// that kernels have one shape. After an error the cache is void.
pub(crate) struct Cache {
    blocks: VecDeque<(Tensor, Tensor)>,
    past: usize,
}

impl Gpt {
    /// A model that has learned nothing.
    pub(crate) fn new(config: Config, dtype: DType, device: &Device) -> Result<Gpt> {
        let random = Generator::new(1);
        let weight = |out: usize, inputs: usize| -> Result<Tensor> {
            Ok(random.normal([out, inputs], 0.0, 0.02, dtype, device)?.require_grad())
        };
        let norm = || Ok(Tensor::ones([config.width], dtype, device)?.require_grad());
        let (width, hidden) = (config.width, config.hidden);
        let of_groups = config.groups * config.size();
        let block = |_| {
            Ok(Block {
                attention_norm: norm()?,
                query: weight(width, width)?,
                key: weight(of_groups, width)?,
                value: weight(of_groups, width)?,
                output: weight(width, width)?,
                network_norm: norm()?,
                gate: weight(hidden, width)?,
                up: weight(hidden, width)?,
                down: weight(width, hidden)?,
            })
        };
        let blocks = (0..config.layers).map(block).collect::<Result<_>>()?;
        Ok(Gpt { table: weight(config.vocabulary, width)?, blocks, norm: norm()?, config })
    }

    /// The same model for use alone: nothing is kept for gradients.
    pub(crate) fn frozen(&self) -> Gpt {
        let mut frozen = self.clone();
        frozen.parameters_mut().into_iter().for_each(|x| *x = x.detach());
        frozen
    }

    /// An empty cache for some texts and all their tokens.
    pub(crate) fn cache(&self, texts: usize, tokens: usize) -> Result<Cache> {
        let shape = [texts, self.config.groups, tokens, self.config.size()];
        let zeros = || Tensor::zeros(shape, self.table.dtype(), &self.device());
        let block = |_| Ok((zeros()?, zeros()?));
        Ok(Cache { blocks: self.blocks.iter().map(block).collect::<Result<_>>()?, past: 0 })
    }

    pub(crate) fn device(&self) -> Device {
        self.table.device()
    }

    /// How badly each next token is told, on average. With a seed, some results are dropped.
    pub(crate) fn loss(&self, tokens: &Tensor, next: &Tensor, seed: Option<i64>) -> Result<Tensor> {
        let logits = self.logits(tokens, None, seed)?.flatten(0, 1)?;
        cross_entropy(logits, next.flatten(0, 1)?)?.mean(..)
    }

    /// The logits of the token after each token, `[b, t, v]`. With a cache, the tokens follow those it knows.
    pub(crate) fn logits(
        &self,
        tokens: &Tensor,
        mut cache: Option<&mut Cache>,
        seed: Option<i64>,
    ) -> Result<Tensor> {
        let (past, count) = (cache.as_ref().map_or(0, |cache| cache.past), tokens.shape()[1]);
        let pairs = self.config.size() / 2;
        let angles =
            rotary_angles(count, pairs, self.config.base, past as i64, self.table.dtype(), &self.device())?;
        let positions = (angles.cos()?, angles.sin()?);
        let p = seed.map_or(0.0, |_| self.config.dropout);
        let mut x = embedding(&self.table, tokens)?;
        for (i, block) in self.blocks.iter().enumerate() {
            // Each place draws its own numbers.
            let seed = seed.unwrap_or(0) * 1024 + 2 * i as i64;
            // A cache that is moved has one user, so the new rows are written into its memory.
            let held = cache.as_mut().and_then(|cache| cache.blocks.pop_front());
            let (y, held) = block.attention(x, &self.config, &positions, (held, past), (p, seed))?;
            if let Some((cache, held)) = cache.as_mut().zip(held) {
                cache.blocks.push_back(held);
            }
            x = block.network(y, &self.config, (p, seed + 1))?;
        }
        if let Some(cache) = cache {
            cache.past += count;
        }
        x.rms_norm(&self.norm, self.config.eps)?.linear(&self.table, None)
    }
}

impl Block {
    fn attention(
        &self,
        x: Tensor,
        config: &Config,
        (cos, sin): &(Tensor, Tensor),
        (cache, past): (Option<(Tensor, Tensor)>, usize),
        (p, seed): (f64, i64),
    ) -> Result<(Tensor, Option<(Tensor, Tensor)>)> {
        let (y, size, count) = (x.rms_norm(&self.attention_norm, config.eps)?, config.size(), x.shape()[1]);
        let query = rotary_halves(heads(&y, &self.query, size)?, cos, sin)?;
        let key = rotary_halves(heads(&y, &self.key, size)?, cos, sin)?;
        let value = heads(&y, &self.value, size)?;
        let Some((keys, values)) = cache else {
            let found = grouped_query_attention(query, key, value)?;
            return Ok((join(found, &self.output, x, p, seed)?, None));
        };
        let new = || (.., .., past..past + count);
        let (keys, values) = (keys.slice_assign(new(), key)?, values.slice_assign(new(), value)?);
        let found = attention_with_cache(query, &keys, &values, past)?;
        Ok((join(found, &self.output, x, p, seed)?, Some((keys, values))))
    }

    fn network(&self, x: Tensor, config: &Config, (p, seed): (f64, i64)) -> Result<Tensor> {
        let y = x.rms_norm(&self.network_norm, config.eps)?;
        join(swiglu(y, &self.gate, &self.up)?.unsqueeze(1)?, &self.down, x, p, seed)
    }
}
