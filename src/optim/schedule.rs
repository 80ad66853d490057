//! Learning rates over the steps of a training, as functions of the step, which is counted from 0.

use std::f64::consts::PI;

/// Rises from near 0 to `peak` over the first `warmup` steps, then falls along half a cosine to `floor` at
/// the step `total`, and stays there.
///
/// ```
/// use tensor_op::optim::schedule::warmup_cosine;
///
/// let rates: Vec<f64> = [0, 9, 10, 55, 100, 200].map(|step| warmup_cosine(step, 10, 100, 1.0, 0.1)).into();
/// let wanted = [0.1, 1.0, 1.0, 0.55, 0.1, 0.1];
/// assert!(rates.iter().zip(wanted).all(|(rate, wanted)| (rate - wanted).abs() < 1e-12), "{rates:?}");
/// ```
pub fn warmup_cosine(step: u64, warmup: u64, total: u64, peak: f64, floor: f64) -> f64 {
    if step < warmup.min(total) {
        return peak * (step + 1) as f64 / warmup as f64;
    }
    let left = 1.0 - fraction(step, warmup, total);
    floor + (peak - floor) * 0.5 * (1.0 - (PI * left).cos())
}

/// Rises as [`warmup_cosine`] does, then falls along a line to `floor` at the step `total`, and stays there.
pub fn warmup_linear(step: u64, warmup: u64, total: u64, peak: f64, floor: f64) -> f64 {
    if step < warmup.min(total) {
        return peak * (step + 1) as f64 / warmup as f64;
    }
    let done = fraction(step, warmup, total);
    peak * (1.0 - done) + floor * done
}

/// Times `factor` after every `period` steps; a period of 0 counts as 1. `torch.optim.lr_scheduler.StepLR`.
pub fn stairs(step: u64, start: f64, period: u64, factor: f64) -> f64 {
    start * factor.powf((step / period.max(1)) as f64)
}

/// How far the step is on the way from `from` to `to`: from 0 to 1.
fn fraction(step: u64, from: u64, to: u64) -> f64 {
    if step >= to {
        return 1.0;
    }
    step.saturating_sub(from) as f64 / to.saturating_sub(from) as f64
}
