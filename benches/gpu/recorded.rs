//! A step of training that is bound by the host: as it runs, and recorded.

use std::time::Instant;
use tensor_op::catalogue::{nn, optim};
use tensor_op::{Result, capture, prelude::*};

/// Steps that are timed together.
const STEPS: u32 = 200;

/// Prints the microseconds of a step of the digits' network (64 pixels, 256 hidden values, 10 digits, 16
/// images), with gradient descent with momentum, as it runs and recorded.
pub(crate) fn report(device: &Device) -> Result<()> {
    let normal = |shape: &[usize]| Tensor::normal(shape.to_vec(), 0.0, 0.1, DType::F32, device);
    let params = [normal(&[64, 256])?, normal(&[256])?, normal(&[256, 10])?, normal(&[10])?];
    let moments = params.iter().map(Tensor::zeros_like).collect::<Result<Vec<_>>>()?;
    let mut state: Vec<Tensor> = params.into_iter().chain(moments).collect();
    let labels = Tensor::from_vec((0..16).map(|i| i % 10).collect::<Vec<i64>>(), [16], device)?;
    let batch = [normal(&[16, 64])?, labels];
    let mut captured = capture(&state, &batch, step)?;
    let plain = time(|| {
        let (next, outputs) = step(&state, &batch)?;
        state = next;
        Ok(outputs)
    })?;
    let recorded = time(|| captured.replay(&batch))?;
    println!(
        "a step of training {plain:.0} us, recorded {recorded:.0} us: {:.1} times as fast",
        plain / recorded
    );
    Ok(())
}

fn step(state: &[Tensor], batch: &[Tensor]) -> Result<(Vec<Tensor>, Vec<Tensor>)> {
    let (params, moments) = state.split_at(4);
    let params: Vec<Tensor> = params.iter().map(|x| x.clone().require_grad()).collect();
    let hidden = nn::matmul_add_relu(&batch[0], &params[0], &params[1])?;
    let logits = (nn::matmul(&hidden, &params[2])? + &params[3])?;
    let loss = nn::cross_entropy(&logits, &batch[1])?.mean(..)?;
    let gradients = loss.backward()?;
    let moved = params.iter().zip(moments).map(|(param, moment)| {
        optim::sgd_momentum(param, &gradients[param], moment, 0.1, 0.9, None, None, None)
    });
    let (params, moments): (Vec<_>, Vec<_>) = moved.collect::<Result<Vec<_>>>()?.into_iter().unzip();
    Ok((params.into_iter().chain(moments).collect(), vec![loss]))
}

/// Microseconds of a step, the median of several groups, the device's work included.
fn time(mut step: impl FnMut() -> Result<Vec<Tensor>>) -> Result<f64> {
    let mut times = vec![];
    for _ in 0..6 {
        let start = Instant::now();
        let mut loss = vec![];
        for _ in 0..STEPS {
            loss = step()?;
        }
        // Reading the last loss waits for all steps.
        loss[0].item::<f32>()?;
        times.push(start.elapsed().as_secs_f64() * 1e6 / f64::from(STEPS));
    }
    times.remove(0);
    times.sort_by(f64::total_cmp);
    Ok(times[2])
}
