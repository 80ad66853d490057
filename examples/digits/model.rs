//! The networks and their ops. Each op is one formula; kernels and gradients are generated from it.

use crate::convolution;
use crate::data::{PIXELS, Split};
use crate::random::SplitMix64;
use crate::recurrent;
use tensor_op::optim::{Optimizer, Sgd};
use tensor_op::prelude::*;

const HIDDEN: usize = 256;
const DIGITS: usize = 10;
const MOMENTUM: f64 = 0.9;
/// The share of hidden results that dropout sets to 0.
const DROPPED: f64 = 0.1;

/// A layer with its activation: a matrix product, and one pass over it in place that adds the bias and
/// applies the activation.
#[tensor_op]
fn linear_relu(x: Tensor![b, i], weight: Tensor![i, o], bias: Tensor![o]) -> Tensor![b, o] {
    relu(sum(x * weight, i) + bias)
}

/// A layer.
#[tensor_op]
fn linear(x: Tensor![b, i], weight: Tensor![i, o], bias: Tensor![o]) -> Tensor![b, o] {
    sum(x * weight, i) + bias
}

/// A layer with its activation, whose results are dropped with probability `p`. The gradient draws the same
/// numbers again.
#[tensor_op]
fn linear_relu_dropout(
    x: Tensor![b, i],
    weight: Tensor![i, o],
    bias: Tensor![o],
    p: f64,
    seed: Seed,
) -> Tensor![b, o] {
    dropout(relu(sum(x * weight, i) + bias), p, seed)
}

/// Softmax and cross-entropy in one, averaged over the batch.
#[tensor_op]
fn cross_entropy(logits: Tensor![b, v], target: IntTensor![b]) -> Tensor![] {
    mean(logsumexp(logits, v) - at(logits, v = target), b)
}

/// Selects the images of a batch.
#[tensor_op]
#[no_grad]
fn pick_images(images: Tensor![n, p], rows: IntTensor![b]) -> Tensor![b, p] {
    at(images, n = rows)
}

/// Selects the labels of a batch.
#[tensor_op]
fn pick_labels(labels: IntTensor![n], rows: IntTensor![b]) -> IntTensor![b] {
    at(labels, n = rows)
}

/// Counts the images that are classified correctly.
#[tensor_op]
#[no_grad]
fn hits(logits: Tensor![b, v], labels: IntTensor![b]) -> IntTensor![] {
    sum(cast(argmax(logits, v) == labels, int), b)
}

/// What a network is made of.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// Two layers.
    Dense,
    /// Two layers. In training, some results of the first one are dropped.
    Dropout,
    /// Two convolutions and a layer.
    Convolutional,
    /// A state-space model that reads the image row by row.
    Recurrent,
}

impl Kind {
    /// The shape of each weight, and how many numbers are added up for each of its results.
    fn shapes(self) -> Vec<(&'static [usize], usize)> {
        match self {
            Kind::Dense | Kind::Dropout => vec![(&[PIXELS, HIDDEN], PIXELS), (&[HIDDEN, DIGITS], HIDDEN)],
            Kind::Convolutional => convolution::SHAPES.to_vec(),
            Kind::Recurrent => recurrent::SHAPES.to_vec(),
        }
    }

    /// The learning rate at the start.
    pub(crate) fn rate(self) -> f64 {
        match self {
            Kind::Dense | Kind::Dropout => 0.1,
            Kind::Convolutional => 0.02,
            Kind::Recurrent => 0.05,
        }
    }

    /// The length of the bias that belongs to a weight: its number of results.
    fn results(self, shape: &[usize]) -> usize {
        if shape.len() == 2 { shape[1] } else { shape[0] }
    }
}

/// Layers, each with a weight and a bias, and the optimizer of these parameters.
pub(crate) struct Network {
    kind: Kind,
    params: Vec<Tensor>,
    optimizer: Optimizer<Sgd>,
}

impl Network {
    /// A new network. Weights are drawn from the generator, first layer first; biases are zero.
    pub(crate) fn new(kind: Kind, random: &mut SplitMix64, dtype: DType, device: &Device) -> Result<Network> {
        let mut params = vec![];
        for (shape, inputs) in kind.shapes() {
            let results = kind.results(shape);
            let weight = random.weights(inputs, results);
            let weight = Tensor::from_vec(weight, shape.to_vec(), &Device::default())?;
            params.push(weight.cast(dtype)?.to(device)?);
            params.push(Tensor::zeros([results], dtype, device)?);
        }
        let params = params.into_iter().map(Tensor::require_grad).collect();
        let optimizer = Optimizer::new(Sgd { momentum: MOMENTUM, ..Sgd::default() });
        Ok(Network { kind, params, optimizer })
    }

    fn logits(&self, images: &Tensor, is_training: bool) -> Result<Tensor> {
        match (self.kind, &self.params[..]) {
            (Kind::Dropout, [w1, b1, w2, b2]) if is_training => {
                linear(linear_relu_dropout(images, w1, b1, DROPPED, None)?, w2, b2)
            }
            (Kind::Dense | Kind::Dropout, [w1, b1, w2, b2]) => linear(linear_relu(images, w1, b1)?, w2, b2),
            (Kind::Recurrent, params) => recurrent::logits(images, params),
            (Kind::Dense | Kind::Dropout | Kind::Convolutional, params) => {
                convolution::logits(images, params)
            }
        }
    }

    /// Learns from these rows. Returns their loss before this step.
    pub(crate) fn learn(&mut self, split: &Split, rows: &[i64], rate: f64) -> Result<f64> {
        let rows = Tensor::from_vec(rows.to_vec(), [rows.len()], &split.images.device())?;
        let images = pick_images(&split.images, &rows)?;
        let loss = cross_entropy(self.logits(&images, true)?, pick_labels(&split.labels, rows)?)?;
        let (gradients, loss) = (loss.backward()?, loss.detach());
        self.optimizer.rule.lr = rate;
        self.optimizer.step(&mut self.params, &gradients)?;
        loss.item()
    }

    /// The share of the images that the network classifies correctly.
    pub(crate) fn accuracy(&self, split: &Split) -> Result<f64> {
        let right = hits(self.logits(&split.images, false)?, &split.labels)?.item::<i64>()?;
        Ok(right as f64 / split.count as f64)
    }
}
