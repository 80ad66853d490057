//! The network, and its training by members that have a part of each batch.

use crate::data::{self, PIXELS, Split};
use std::time::Instant;
use tensor_op::Generator;
use tensor_op::catalogue::nn::cross_entropy;
use tensor_op::distributed::{self, Member};
use tensor_op::optim::{Optimizer, Sgd};
use tensor_op::prelude::*;

/// How large the network and its training are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) hidden: usize,
    /// Images of all members in a step.
    pub(crate) batch: usize,
    pub(crate) steps: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { hidden: 64, batch: 48, steps: 300 }
    }
}

/// What came out.
pub(crate) struct Run {
    /// The loss of each step, as the mean over the members.
    pub(crate) losses: Vec<f64>,
    pub(crate) accuracy: f64,
    /// Images a second, without the first tenth of the steps.
    pub(crate) rate: f64,
}

#[derive(Module)]
struct Layer {
    weight: Tensor,
    bias: Tensor,
}

#[derive(Module)]
struct Network {
    layers: [Layer; 3],
}

#[tensor_op]
fn linear_relu(x: Tensor![b, i], weight: Tensor![i, o], bias: Tensor![o]) -> Tensor![b, o] {
    maximum(sum(x * weight, i) + bias, 0.0)
}

impl Network {
    fn new(hidden: usize, dtype: DType, device: &Device) -> Result<Network> {
        let random = Generator::new(1);
        let layer = |inputs: usize, results: usize| {
            let scale = (2.0 / inputs as f64).sqrt();
            // Drawn on the host, so that it is the same on all devices.
            let weight =
                random.normal([inputs, results], 0.0, scale, dtype, &Device::default())?.to(device)?;
            let bias = Tensor::zeros([results], dtype, device)?.require_grad();
            Ok(Layer { weight: weight.require_grad(), bias })
        };
        Ok(Network { layers: [layer(PIXELS, hidden)?, layer(hidden, hidden)?, layer(hidden, 10)?] })
    }

    fn logits(&self, images: &Tensor) -> Result<Tensor> {
        let [first, second, last] = &self.layers;
        let x = linear_relu(images, &first.weight, &first.bias)?;
        let x = linear_relu(x, &second.weight, &second.bias)?;
        x.matmul(&last.weight)? + &last.bias
    }
}

/// Trains a network on several devices, and says after each step that it is made.
pub(crate) fn train(
    devices: &[Device],
    settings: Settings,
    dtype: DType,
    made: &(dyn Fn() + Sync),
) -> std::result::Result<Run, Box<dyn std::error::Error>> {
    let (rows, test) = data::load(dtype, &Device::default())?;
    let mut runs = distributed::run(devices, |member| {
        // One of the members speaks for all.
        let made = || {
            if member.rank() == 0 {
                made()
            }
        };
        trained(member, settings, &rows, &test, &made)
    })?;
    Ok(runs.remove(0))
}

fn trained(member: &Member, settings: Settings, rows: &Split, test: &Split, made: &dyn Fn()) -> Result<Run> {
    let device = member.device();
    let mut network = Network::new(settings.hidden, rows.images.dtype(), &device)?;
    member.distribute(&mut network)?;
    let mut optimizer = Optimizer::new(Sgd { lr: 0.1, ..Sgd::default() });
    let (mut losses, mut clock) = (vec![], Instant::now());
    let warm = settings.steps / 10;
    for step in 0..settings.steps {
        if step == warm {
            device.sync()?;
            clock = Instant::now();
        }
        // All members count the same rows, and take their part.
        let first = step * settings.batch;
        let at = (first..first + settings.batch).map(|row| (row % rows.count) as i64).collect();
        let at = Tensor::from_vec(at, [settings.batch], &Device::default())?;
        let images = member.shard(&rows.images.index_select(0, &at)?)?;
        let labels = member.shard(&rows.labels.index_select(0, &at)?)?;
        let loss = cross_entropy(network.logits(&images)?, labels)?.mean(..)?;
        optimizer.step(network.parameters_mut(), &loss.backward()?)?;
        losses.push(member.all_reduce_mean(&loss)?);
        made();
    }
    device.sync()?;
    let images = (settings.steps - warm) * settings.batch;
    let rate = images as f64 / clock.elapsed().as_secs_f64();
    let found = network.logits(&test.images.to(&device)?)?.argmax(1)?;
    let right = found.eq(&test.labels.to(&device)?)?.cast(DType::I64)?.sum(..)?.item::<i64>()?;
    let losses = losses.iter().map(Tensor::item::<f64>).collect::<Result<_>>()?;
    Ok(Run { losses, accuracy: right as f64 / test.count as f64, rate })
}
