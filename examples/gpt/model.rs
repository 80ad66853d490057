//! A small GPT with the layers of Llama: rms_norm, rotary positions, grouped-query attention, SwiGLU, and one
//! table for what goes in and what comes out. Tensors have the names of Llama's checkpoints.

use tensor_op::catalogue::attention::{KeyValueCache, grouped_query_attention};
use tensor_op::catalogue::{movement::rotary_halves, nn, position::rotary_angles};
use tensor_op::{Generator, prelude::*};

/// What each head of size `d` gets of each token.
#[tensor_op]
fn heads(x: Tensor![b, t, i], weight: Tensor![(h, d), i], d: usize) -> Tensor![b, h, t, d] {
    sum(x * weight, i)
}

#[tensor_op]
fn swiglu(x: Tensor![b, t, i], gate: Tensor![f, i], up: Tensor![f, i]) -> Tensor![b, t, f] {
    silu(sum(x * gate, i)) * sum(x * up, i)
}

/// Adds to the stream `y` what all heads found, or the hidden layer, which is one head.
#[tensor_op]
#[rustfmt::skip]
fn join(x: Tensor![b, h, t, d], weight: Tensor![o, (h, d)], y: Tensor![b, t, o], p: f64, seed: i64) -> Tensor![b, t, o] {
    y + dropout(sum(x * weight, (h, d)), p, seed)
}

/// The sizes of a model, whose heads of keys and values (`groups`) serve several heads of queries each.
#[derive(Clone)]
pub(crate) struct Config {
    pub(crate) vocabulary: usize,
    pub(crate) width: usize,
    pub(crate) hidden: usize,
    pub(crate) layers: usize,
    pub(crate) heads: usize,
    pub(crate) groups: usize,
    pub(crate) dropout: f64,
}

/// The model of the example, whose tokens are the letters of ASCII.
#[rustfmt::skip]
pub(crate) const CONFIG: Config = Config {
    vocabulary: 128, width: 128, hidden: 352, layers: 4, heads: 4, groups: 2, dropout: 0.05,
};

#[derive(Clone, Module)]
pub(crate) struct Gpt {
    #[module(name = "model.embed_tokens.weight")]
    pub(crate) table: Tensor,
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

/// What each block has seen.
type Caches = Vec<KeyValueCache>;

impl Gpt {
    /// A model that has learned nothing.
    pub(crate) fn new(config: Config, dtype: DType, device: &Device) -> Result<Gpt> {
        let random = Generator::new(1);
        let weight = |outputs: usize, inputs: usize| {
            Result::Ok(random.normal([outputs, inputs], 0.0, 0.02, dtype, device)?.require_grad())
        };
        let norm = || Result::Ok(Tensor::ones([config.width], dtype, device)?.require_grad());
        let (width, hidden, of_groups) =
            (config.width, config.hidden, config.width / config.heads * config.groups);
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

    /// Room for some texts and all their tokens, for each block.
    pub(crate) fn caches(&self, texts: usize, tokens: usize) -> Result<Caches> {
        let shape = [texts, self.config.groups, tokens, self.config.width / self.config.heads];
        let cache = |_: &Block| KeyValueCache::new(shape, self.table.dtype(), &self.table.device());
        self.blocks.iter().map(cache).collect()
    }

    /// How badly each letter of some pieces, `[b, t]`, is told after the first, on average. With a seed, some
    /// results are dropped.
    pub(crate) fn loss(&self, pieces: &Tensor, seed: Option<i64>) -> Result<Tensor> {
        let logits = self.logits(&pieces.i((.., ..-1))?, None, seed)?.flatten(0, 1)?;
        nn::cross_entropy(logits, pieces.i((.., 1..))?.flatten(0, 1)?)?.mean(..)
    }

    /// The logits of the token after each token, `[b, t, v]`. With caches, tokens follow those that they
    /// have.
    #[rustfmt::skip]
    pub(crate) fn logits(&self, tokens: &Tensor, caches: Option<&mut Caches>, seed: Option<i64>) -> Result<Tensor> {
        let past = caches.as_ref().map_or(0, |caches| caches[0].len()) as i64;
        let (size, dtype) = (self.config.width / self.config.heads, self.table.dtype());
        let angles = rotary_angles(tokens.shape()[1], size / 2, 1e4, past, dtype, &self.table.device())?;
        let (cos, sin) = (angles.cos()?, angles.sin()?);
        let p = seed.map_or(0.0, |_| self.config.dropout);
        let (mut caches, mut x) = (caches.map(|caches| caches.iter_mut()), nn::embedding(&self.table, tokens)?);
        for (i, block) in self.blocks.iter().enumerate() {
            // Each place draws its own numbers.
            let seed = seed.unwrap_or(0) * 1024 + 2 * i as i64;
            let y = x.rms_norm(&block.attention_norm, 1e-6)?;
            let query = rotary_halves(heads(&y, &block.query, size)?, &cos, &sin)?;
            let key = rotary_halves(heads(&y, &block.key, size)?, &cos, &sin)?;
            let value = heads(y, &block.value, size)?;
            let found = match &mut caches {
                Some(caches) => caches.next().expect("a cache for each block").attend(query, key, value)?,
                None => grouped_query_attention(query, key, value)?,
            };
            x = join(found, &block.output, x, p, seed)?;
            let hidden = swiglu(x.rms_norm(&block.network_norm, 1e-6)?, &block.gate, &block.up)?;
            x = join(hidden.unsqueeze(1)?, &block.down, x, p, seed + 1)?;
        }
        x.rms_norm(&self.norm, 1e-6)?.linear(&self.table, None)
    }
}
