//! Burn's training loop, with its progress display, on one device or data-parallel on several.

use crate::curve::Curve;
use crate::data::{Batch, Digit, DigitBatcher};
use crate::model::{Ops, Sizes, Transformer};
use burn::data::dataloader::{DataLoader, DataLoaderBuilder, batcher::Batcher};
use burn::data::dataset::InMemDataset;
use burn::lr_scheduler::constant::ConstantLr;
use burn::module::Module;
use burn::optim::AdamWConfig;
use burn::tensor::Device;
use burn::tensor::distributed::{DistributedConfig, ReduceOperation};
use burn::train::metric::{AccuracyMetric, LossMetric};
use burn::train::{
    ClassificationOutput, ExecutionStrategy, InferenceStep, Learner, MultiDeviceOptim, SupervisedTraining,
    TrainOutput, TrainStep,
};
use std::sync::Arc;

/// Sizes of the network for the digits.
pub const SIZES: Sizes = Sizes { features: 8, width: 32, heads: 4, blocks: 2, classes: 10 };
/// Number of images in a step, for all devices together.
pub const BATCH: usize = 32;
const RATE: f64 = 3e-3;
const SEED: u64 = 7;

/// How to train.
#[derive(Clone, Debug)]
pub struct Run {
    pub devices: Vec<Device>,
    pub exchange: Exchange,
    pub epochs: usize,
    pub shuffle: bool,
}

/// Where the gradients of several devices are added.
#[derive(Clone, Copy, Debug)]
pub enum Exchange {
    /// On each device, with collective operations. Burn has them only on CUDA.
    AllReduce,
    /// On the first device, which runs the optimizer for all.
    FirstDevice,
}

/// The result of a training.
pub struct Learned {
    /// The share of the test images that the network classifies correctly.
    pub accuracy: f64,
    /// The mean loss of each step.
    pub losses: Vec<f64>,
}

/// The network on one device, as Burn's learner needs it.
#[derive(Module, Debug)]
struct Classifier {
    network: Transformer,
    /// The device's share of a step. The gradients of all devices are added.
    #[module(skip)]
    share: f64,
}

impl Classifier {
    fn classify(&self, batch: Batch) -> ClassificationOutput {
        let logits = self.network.forward(batch.tokens);
        let loss = (self.network.ops.cross_entropy)(logits.clone(), batch.labels.clone());
        ClassificationOutput::new(loss, logits, batch.labels)
    }
}

impl TrainStep for Classifier {
    type Input = Batch;
    type Output = ClassificationOutput;

    fn step(&self, batch: Batch) -> TrainOutput<ClassificationOutput> {
        let output = self.classify(batch);
        TrainOutput::new(self, (output.loss.clone() * self.share).backward(), output)
    }
}

impl InferenceStep for Classifier {
    type Input = Batch;
    type Output = ClassificationOutput;

    fn step(&self, batch: Batch) -> ClassificationOutput {
        self.classify(batch)
    }
}

impl Run {
    fn strategy(&self) -> ExecutionStrategy {
        match (&self.devices[..], self.exchange) {
            ([only], _) => ExecutionStrategy::single(only.clone()),
            (several, Exchange::FirstDevice) => {
                ExecutionStrategy::multi(several.to_vec(), MultiDeviceOptim::OptimMainDevice)
            }
            (several, Exchange::AllReduce) => {
                let several = several.iter().map(|device| device.clone().autodiff()).collect();
                ExecutionStrategy::ddp(several, DistributedConfig { all_reduce_op: ReduceOperation::Sum })
            }
        }
    }

    /// A loader for batches of one device's size. All devices get parts of the same length, since each waits
    /// for the others at every step.
    fn loader(&self, digits: &[Digit]) -> Arc<dyn DataLoader<Batch>> {
        let (digits, _) = digits.split_at(digits.len() - digits.len() % self.devices.len());
        let builder = DataLoaderBuilder::new(DigitBatcher).batch_size(BATCH / self.devices.len());
        let builder = if self.shuffle { builder.shuffle(SEED) } else { builder };
        builder.build(InMemDataset::new(digits.to_vec()))
    }
}

/// Trains with Burn's learner.
pub fn learn(train: &[Digit], test: &[Digit], ops: Ops, run: &Run) -> Learned {
    let device = &run.devices[0];
    device.seed(SEED);
    let network = Transformer::new(SIZES, ops, &device.clone().autodiff());
    let model = Classifier { network, share: 1.0 / run.devices.len() as f64 };
    let learner = Learner::new(model, AdamWConfig::new().init(), ConstantLr::new(RATE));
    let directory = std::env::temp_dir().join("burn-digits");
    // Without this, the summary would count the epochs of an earlier run.
    let _ = std::fs::remove_dir_all(&directory);
    let curve = Curve::default();
    let result = SupervisedTraining::new(directory, run.loader(train), run.loader(test))
        .metrics((AccuracyMetric::new(), LossMetric::new()))
        .metric_train(curve.clone())
        .num_epochs(run.epochs)
        .with_training_strategy(run.strategy().into())
        .summary()
        .launch(learner);
    let batch = DigitBatcher.batch(test.to_vec(), device);
    let told = result.model.network.forward(batch.tokens).argmax(1).squeeze_dim::<1>(1);
    let right = told.equal(batch.labels).float().mean().into_data();
    let losses = curve.steps(run.devices.len());
    Learned { accuracy: right.iter::<f64>().next().unwrap_or(f64::NAN), losses }
}
