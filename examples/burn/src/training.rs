//! Burn's training loop, with its progress display; and the same steps by hand, to compare two tables of ops loss by loss.

use crate::data::{Batch, Digit, DigitBatcher};
use crate::model::{Ops, Sizes, Transformer};
use burn::data::dataloader::{DataLoaderBuilder, batcher::Batcher};
use burn::data::dataset::InMemDataset;
use burn::lr_scheduler::constant::ConstantLr;
use burn::optim::{AdamWConfig, GradientsParams};
use burn::tensor::Device;
use burn::train::metric::{AccuracyMetric, LossMetric};
use burn::train::{
    ClassificationOutput, InferenceStep, Learner, SupervisedTraining, TrainOutput, TrainStep,
};

/// Sizes of the network for the digits.
pub const SIZES: Sizes = Sizes { features: 8, width: 32, heads: 4, blocks: 2, classes: 10 };
const BATCH: usize = 32;
const RATE: f64 = 3e-3;
const SEED: u64 = 7;

impl Transformer {
    fn classify(&self, batch: Batch) -> ClassificationOutput {
        let logits = self.forward(batch.tokens);
        let loss = (self.ops.cross_entropy)(logits.clone(), batch.labels.clone());
        ClassificationOutput::new(loss, logits, batch.labels)
    }
}

impl TrainStep for Transformer {
    type Input = Batch;
    type Output = ClassificationOutput;

    fn step(&self, batch: Batch) -> TrainOutput<ClassificationOutput> {
        let output = self.classify(batch);
        TrainOutput::new(self, output.loss.backward(), output)
    }
}

impl InferenceStep for Transformer {
    type Input = Batch;
    type Output = ClassificationOutput;

    fn step(&self, batch: Batch) -> ClassificationOutput {
        self.classify(batch)
    }
}

/// Trains with Burn's learner; gives the part of the test images that the network tells right.
pub fn learn(train: Vec<Digit>, test: Vec<Digit>, ops: Ops, epochs: usize, device: &Device) -> f64 {
    device.seed(SEED);
    let model = Transformer::new(SIZES, ops, &device.clone().autodiff());
    let learner = Learner::new(model, AdamWConfig::new().init(), ConstantLr::new(RATE));
    let loader = |digits: Vec<Digit>| {
        let builder = DataLoaderBuilder::new(DigitBatcher).batch_size(BATCH).shuffle(SEED);
        builder.build(InMemDataset::new(digits))
    };
    let directory = std::env::temp_dir().join("burn-digits");
    let result = SupervisedTraining::new(directory, loader(train), loader(test.clone()))
        .metrics((AccuracyMetric::new(), LossMetric::new()))
        .num_epochs(epochs)
        .summary()
        .launch(learner);
    let batch = DigitBatcher.batch(test, device);
    let told = result.model.forward(batch.tokens).argmax(1).squeeze_dim::<1>(1);
    let right = told.equal(batch.labels).float().mean().into_data();
    right.iter::<f64>().next().unwrap_or(f64::NAN)
}

/// The loss of each step of a few epochs.
pub fn losses(train: &[Digit], ops: Ops, epochs: usize, device: &Device) -> Vec<f64> {
    let device = device.clone().autodiff();
    device.seed(SEED);
    let mut model = Transformer::new(SIZES, ops, &device);
    let mut optim = AdamWConfig::new().init();
    let mut losses = vec![];
    for _ in 0..epochs {
        for digits in train.chunks_exact(BATCH) {
            let output = model.classify(DigitBatcher.batch(digits.to_vec(), &device));
            losses.extend(output.loss.clone().into_data().iter::<f64>());
            let gradients = GradientsParams::from_grads(output.loss.backward(), &model);
            model = optim.step(RATE, model, gradients);
        }
    }
    losses
}
