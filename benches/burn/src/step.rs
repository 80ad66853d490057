//! A step of training the transformer of `examples/burn`, without the optimizer.

use crate::model::{Ops, Sizes, Transformer};
use burn::tensor::{Device, Distribution, Gradients, Int, Tensor};
use std::fmt;

/// A network and its input.
pub struct Size {
    batch: usize,
    tokens: usize,
    sizes: Sizes,
}

/// Those to measure: the example's, a small one, and one that fills a GPU.
pub fn steps() -> impl Iterator<Item = Size> {
    let size = |batch, tokens, features, width, heads, blocks| {
        let sizes = Sizes { features, width, heads, blocks, classes: 10 };
        Size { batch, tokens, sizes }
    };
    let sizes = [size(32, 8, 8, 32, 4, 2), size(32, 64, 64, 256, 8, 4), size(16, 1024, 64, 1024, 16, 4)];
    sizes.into_iter().take(if cfg!(feature = "cuda") { 3 } else { 2 })
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sizes { width, heads, blocks, .. } = self.sizes;
        write!(f, "{} x {} x {width}, {heads} heads, {blocks} blocks", self.batch, self.tokens)
    }
}

/// A network with a batch.
pub struct Sample {
    network: Transformer,
    input: Tensor<3>,
    labels: Tensor<1, Int>,
}

impl Sample {
    pub fn new(size: &Size, ops: Ops, device: &Device) -> Sample {
        let device = device.clone().autodiff();
        device.seed(1);
        let shape = [size.batch, size.tokens, size.sizes.features];
        Sample {
            network: Transformer::new(size.sizes, ops, &device),
            input: Tensor::random(shape, Distribution::Normal(0.0, 1.0), &device),
            labels: Tensor::zeros([size.batch], &device),
        }
    }

    /// Forward, and the gradients of all parameters.
    pub fn gradients(&self) -> Gradients {
        let logits = self.network.forward(self.input.clone());
        (self.network.ops.cross_entropy)(logits, self.labels.clone()).backward()
    }
}
