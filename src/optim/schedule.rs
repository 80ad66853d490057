//! Learning rates over the steps of a training, as functions of the step, which is counted from 0; and one
//! that depends on the losses.

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

/// Times `gamma` at each step. `torch.optim.lr_scheduler.ExponentialLR`.
pub fn exponential(step: u64, start: f64, gamma: f64) -> f64 {
    start * gamma.powf(step as f64)
}

/// Times `gamma` at each of these steps. `torch.optim.lr_scheduler.MultiStepLR`.
///
/// ```
/// use tensor_op::optim::schedule::multi_step;
///
/// assert_eq!([9, 10, 30].map(|step| multi_step(step, 1.0, &[10, 30], 0.5)), [1.0, 0.5, 0.25]);
/// ```
pub fn multi_step(step: u64, start: f64, milestones: &[u64], gamma: f64) -> f64 {
    start * gamma.powf(milestones.iter().filter(|milestone| **milestone <= step).count() as f64)
}

/// Falls as a power of what is left to the step `total`, where it is 0, and stays there.
/// `torch.optim.lr_scheduler.PolynomialLR`.
///
/// ```
/// use tensor_op::optim::schedule::polynomial;
///
/// assert_eq!([0, 2, 4, 9].map(|step| polynomial(step, 4, 8.0, 2.0)), [8.0, 2.0, 0.0, 0.0]);
/// ```
pub fn polynomial(step: u64, total: u64, start: f64, power: f64) -> f64 {
    let left = 1.0 - fraction(step, 0, total);
    if left == 0.0 { 0.0 } else { start * left.powf(power) }
}

/// Falls along half a cosine from `peak` to `floor` over the first `period` steps, and begins again. Each
/// period is `factor` times as long as the one before; a period and a factor of 0 count as 1.
/// `torch.optim.lr_scheduler.CosineAnnealingWarmRestarts`.
///
/// ```
/// use tensor_op::optim::schedule::cosine_restarts;
///
/// let rates = [0, 1, 2, 4, 6].map(|step| cosine_restarts(step, 2, 2, 1.0, 0.0));
/// let wanted = [1.0, 0.5, 1.0, 0.5, 1.0];
/// assert!(rates.iter().zip(wanted).all(|(rate, wanted)| (rate - wanted).abs() < 1e-12), "{rates:?}");
/// ```
pub fn cosine_restarts(step: u64, period: u64, factor: u64, peak: f64, floor: f64) -> f64 {
    let (mut length, mut within) = (period.max(1), step);
    if factor <= 1 {
        within %= length;
    }
    while within >= length {
        within -= length;
        length = length.saturating_mul(factor);
    }
    between_cosines(peak, floor, within as f64 / length as f64)
}

/// Rises along half a cosine to `peak` over the share `rise` of the steps, and falls along another one to the
/// last step, `total - 1`, where it stays. It starts at `peak / start_divisor`, and ends at this, divided by
/// `end_divisor`. `torch.optim.lr_scheduler.OneCycleLR`, whose defaults are a share of 0.3 and the divisors
/// 25 and 1e4.
///
/// ```
/// use tensor_op::optim::schedule::one_cycle;
///
/// let rates = [0, 2, 9, 20].map(|step| one_cycle(step, 10, 1.0, 0.3, 25.0, 1e4));
/// let wanted = [0.04, 1.0, 4e-6, 4e-6];
/// assert!(rates.iter().zip(wanted).all(|(rate, wanted)| (rate - wanted).abs() < 1e-12), "{rates:?}");
/// ```
///
/// Source: Smith and Topin, Super-Convergence, 2017.
pub fn one_cycle(step: u64, total: u64, peak: f64, rise: f64, start_divisor: f64, end_divisor: f64) -> f64 {
    let (start, last) = (peak / start_divisor, total.saturating_sub(1) as f64);
    let (step, top) = (step as f64, rise * total as f64 - 1.0);
    if step <= top {
        return between_cosines(start, peak, if top > 0.0 { step / top } else { 1.0 });
    }
    let done = if last > top { ((step - top) / (last - top)).min(1.0) } else { 1.0 };
    between_cosines(peak, start / end_divisor, done)
}

/// A rate that falls when a number, such as the loss of an epoch, has not become smaller for some time.
/// `torch.optim.lr_scheduler.ReduceLROnPlateau`, with its names and defaults. For a number that is to grow
/// pass it with the other sign.
///
/// ```
/// use tensor_op::optim::schedule::Plateau;
///
/// let mut plateau = Plateau { patience: 1, ..Plateau::default() };
/// let rates = [3.0, 2.0, 2.5, 2.0, 1.0].map(|loss| plateau.rate(0.1, loss));
/// assert_eq!(rates, [0.1, 0.1, 0.1, 0.1 * 0.1, 0.1]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Plateau {
    /// What a rate is multiplied by.
    pub factor: f64,
    /// How many numbers that are no better are waited for.
    pub patience: u64,
    /// By which share of the best number another one must be smaller to be better. The share of a negative
    /// number is taken as positive, so that numbers with the other sign are compared as PyTorch's `max`
    /// does.
    pub threshold: f64,
    /// How many numbers do not count after the rate fell.
    pub cooldown: u64,
    /// The smallest rate.
    pub min_lr: f64,
    /// A rate falls only by more than this.
    pub eps: f64,
    /// The best number so far.
    pub best: f64,
    /// How many numbers have been no better since.
    pub num_bad_epochs: u64,
    /// How many numbers do not count from now on.
    pub cooldown_counter: u64,
}

impl Default for Plateau {
    fn default() -> Plateau {
        Plateau {
            factor: 0.1,
            patience: 10,
            threshold: 1e-4,
            cooldown: 0,
            min_lr: 0.0,
            eps: 1e-8,
            best: f64::INFINITY,
            num_bad_epochs: 0,
            cooldown_counter: 0,
        }
    }
}

impl Plateau {
    /// The rate after this number, if it was `lr` before.
    pub fn rate(&mut self, lr: f64, number: f64) -> f64 {
        let margin = if self.best.is_finite() { self.threshold * self.best.abs() } else { 0.0 };
        if number < self.best - margin {
            (self.best, self.num_bad_epochs) = (number, 0);
        } else {
            self.num_bad_epochs += 1;
        }
        if self.cooldown_counter > 0 {
            (self.cooldown_counter, self.num_bad_epochs) = (self.cooldown_counter - 1, 0);
        }
        if self.num_bad_epochs <= self.patience {
            return lr;
        }
        (self.cooldown_counter, self.num_bad_epochs) = (self.cooldown, 0);
        let next = (lr * self.factor).max(self.min_lr);
        if lr - next > self.eps { next } else { lr }
    }
}

/// The value on the way from one number to another along half a cosine.
fn between_cosines(from: f64, to: f64, done: f64) -> f64 {
    to + (from - to) * 0.5 * (1.0 + (PI * done).cos())
}

/// How far the step is on the way from `from` to `to`: from 0 to 1.
fn fraction(step: u64, from: u64, to: u64) -> f64 {
    if step >= to {
        return 1.0;
    }
    step.saturating_sub(from) as f64 / to.saturating_sub(from) as f64
}
