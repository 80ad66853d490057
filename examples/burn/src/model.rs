//! A transformer of `burn::nn` layers. It takes its ops from a table, so that the declared ops and Burn's run
//! in the same network.

use crate::{composed, ops};
use burn::module::{Module, Param};
use burn::nn::{Linear, LinearConfig};
use burn::tensor::{Device, Int, Tensor};

/// The ops that a network uses.
#[derive(Clone, Copy, Debug)]
pub struct Ops {
    pub name: &'static str,
    pub rms_norm: fn(Tensor<3>, Tensor<1>) -> Tensor<3>,
    pub swiglu: fn(Tensor<3>, Tensor<3>) -> Tensor<3>,
    pub rotary: fn(Tensor<4>) -> Tensor<4>,
    pub attention: fn(Tensor<4>, Tensor<4>, Tensor<4>) -> Tensor<4>,
    pub cross_entropy: fn(Tensor<2>, Tensor<1, Int>) -> Tensor<1>,
}

/// The ops of `ops.rs`.
pub const DECLARED: Ops = Ops {
    name: "declared",
    rms_norm: ops::rms_norm,
    swiglu: ops::swiglu,
    rotary: |x| ops::rotary(x, None),
    attention: ops::attention,
    cross_entropy: ops::cross_entropy,
};

/// The ops of `composed.rs`.
pub const COMPOSED: Ops = Ops {
    name: "composed",
    rms_norm: composed::rms_norm,
    swiglu: composed::swiglu,
    rotary: composed::rotary,
    attention: composed::attention,
    cross_entropy: composed::cross_entropy,
};

/// Sizes of a network.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    pub features: usize,
    pub width: usize,
    pub heads: usize,
    pub blocks: usize,
    pub classes: usize,
}

#[derive(Module, Debug)]
pub struct Block {
    attention_norm: Param<Tensor<1>>,
    query: Linear,
    key: Linear,
    value: Linear,
    mix: Linear,
    gate_norm: Param<Tensor<1>>,
    up: Linear,
    gate: Linear,
    down: Linear,
    #[module(skip)]
    heads: usize,
}

#[derive(Module, Debug)]
pub struct Transformer {
    read: Linear,
    blocks: Vec<Block>,
    norm: Param<Tensor<1>>,
    tell: Linear,
    #[module(skip)]
    pub ops: Ops,
}

impl Block {
    fn new(sizes: Sizes, device: &Device) -> Block {
        let linear = |from, to| LinearConfig::new(from, to).with_bias(false).init(device);
        let width = sizes.width;
        Block {
            attention_norm: Param::from_tensor(Tensor::ones([width], device)),
            query: linear(width, width),
            key: linear(width, width),
            value: linear(width, width),
            mix: linear(width, width),
            gate_norm: Param::from_tensor(Tensor::ones([width], device)),
            up: linear(width, 2 * width),
            gate: linear(width, 2 * width),
            down: linear(2 * width, width),
            heads: sizes.heads,
        }
    }

    fn forward(&self, ops: &Ops, x: Tensor<3>) -> Tensor<3> {
        let [batch, tokens, width] = x.dims();
        let normed = (ops.rms_norm)(x.clone(), self.attention_norm.val());
        let heads = |x: Tensor<3>| x.reshape([batch, tokens, self.heads, width / self.heads]).swap_dims(1, 2);
        let q = (ops.rotary)(heads(self.query.forward(normed.clone())));
        let k = (ops.rotary)(heads(self.key.forward(normed.clone())));
        let seen = (ops.attention)(q, k, heads(self.value.forward(normed)));
        let x = x + self.mix.forward(seen.swap_dims(1, 2).reshape([batch, tokens, width]));
        let normed = (ops.rms_norm)(x.clone(), self.gate_norm.val());
        let gated = (ops.swiglu)(self.up.forward(normed.clone()), self.gate.forward(normed));
        x + self.down.forward(gated)
    }
}

impl Transformer {
    pub fn new(sizes: Sizes, ops: Ops, device: &Device) -> Transformer {
        Transformer {
            read: LinearConfig::new(sizes.features, sizes.width).init(device),
            blocks: (0..sizes.blocks).map(|_| Block::new(sizes, device)).collect(),
            norm: Param::from_tensor(Tensor::ones([sizes.width], device)),
            tell: LinearConfig::new(sizes.width, sizes.classes).init(device),
            ops,
        }
    }

    /// Computes logits `[batch, classes]` from tokens `[batch, tokens, features]`.
    pub fn forward(&self, tokens: Tensor<3>) -> Tensor<2> {
        let mut x = self.read.forward(tokens);
        for block in &self.blocks {
            x = block.forward(&self.ops, x);
        }
        let x = (self.ops.rms_norm)(x, self.norm.val());
        self.tell.forward(x.mean_dim(1).squeeze_dim(1))
    }
}
