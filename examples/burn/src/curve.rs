//! A metric that keeps the loss of every step.

use burn::tensor::{Tensor, TensorReadError};
use burn::train::ClassificationOutput;
use burn::train::metric::{Adaptor, Metric, MetricMetadata, MetricName, SerializedEntry};
use std::sync::{Arc, Mutex, PoisonError};

/// The losses so far: for each step, one loss of each device.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    losses: Arc<Mutex<Vec<f64>>>,
}

/// The loss of one device.
pub struct Loss(Tensor<1>);

impl Adaptor<Loss> for ClassificationOutput {
    fn adapt(&self) -> Loss {
        Loss(self.loss.clone())
    }
}

impl Curve {
    /// The mean loss of each step. No device begins a step before all devices have ended the last one.
    pub fn steps(&self, devices: usize) -> Vec<f64> {
        let losses = self.losses.lock().unwrap_or_else(PoisonError::into_inner);
        losses.chunks(devices).map(|step| step.iter().sum::<f64>() / step.len() as f64).collect()
    }
}

impl Metric for Curve {
    type Input = Loss;

    fn name(&self) -> MetricName {
        Arc::new("Loss of the step".to_owned())
    }

    fn update(&mut self, loss: &Loss, _: &MetricMetadata) -> Result<SerializedEntry, TensorReadError> {
        let loss = loss.0.clone().mean().try_into_scalar::<f64>()?;
        self.losses.lock().unwrap_or_else(PoisonError::into_inner).push(loss);
        Ok(SerializedEntry::new(format!("{loss:.4}"), loss.to_string()))
    }

    fn compute(&mut self) -> Result<SerializedEntry, TensorReadError> {
        Ok(SerializedEntry::not_available(None))
    }

    fn clear(&mut self) {}
}
