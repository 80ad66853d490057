//! Learning rates against those of `torch.optim.lr_scheduler`, PyTorch 2.15, in f64.

use super::near;
use tensor_op::optim::schedule::{
    Plateau, cosine_restarts, exponential, multi_step, one_cycle, polynomial, stairs,
};

fn rates(count: u64, rate: impl Fn(u64) -> f64) -> Vec<f64> {
    (0..count).map(rate).collect()
}

#[test]
fn rates_are_those_of_pytorch() {
    near(&rates(4, |step| exponential(step, 0.8, 0.5)), &[0.8, 0.4, 0.2, 0.1], 1e-14);
    near(
        &rates(8, |step| multi_step(step, 0.8, &[2, 3, 6], 0.1)),
        &[0.8, 0.8, 0.08, 0.008, 0.008, 0.008, 0.0008, 0.0008],
        1e-14,
    );
    near(
        &rates(6, |step| polynomial(step, 4, 0.8, 1.5)),
        &[0.8, 0.519615242270663, 0.282842712474619, 0.1, 0.0, 0.0],
        1e-14,
    );
    near(
        &rates(12, |step| cosine_restarts(step, 3, 2, 0.8, 0.1)),
        &[
            0.8,
            0.625,
            0.275,
            0.8,
            0.753108891324554,
            0.625,
            0.45,
            0.275,
            0.146891108675446,
            0.8,
            0.788074039201174,
            0.753108891324554,
        ],
        1e-14,
    );
    near(&rates(5, |step| cosine_restarts(step, 2, 1, 0.8, 0.1)), &[0.8, 0.45, 0.8, 0.45, 0.8], 1e-14);
    near(
        &rates(10, |step| one_cycle(step, 10, 2.0, 0.3, 25.0, 1e4)),
        &[
            0.0800000000000001,
            1.04,
            2.0,
            1.90096926402695,
            1.62349130789953,
            1.22252404387258,
            0.777483956127421,
            0.376516692100474,
            0.0990387359730526,
            8e-06,
        ],
        1e-14,
    );
}

#[test]
fn a_plateau_is_that_of_pytorch() {
    let (factor, min_lr, threshold) = (0.5, 0.15, 0.1);
    let mut plateau = Plateau { factor, patience: 1, cooldown: 1, min_lr, threshold, ..Plateau::default() };
    let losses = [5.0, 4.0, 3.8, 3.7, 3.7, 3.7, 3.7, 3.7, 3.7, 1.0, 1.0, 1.0];
    let mut rate = 0.8;
    // PyTorch's rates before each loss.
    let found: Vec<f64> = losses
        .iter()
        .map(|loss| {
            let before = rate;
            rate = plateau.rate(rate, *loss);
            before
        })
        .collect();
    near(&found, &[0.8, 0.8, 0.8, 0.8, 0.4, 0.4, 0.4, 0.2, 0.2, 0.2, 0.2, 0.2], 1e-14);
    // NaN is no better than a number.
    let mut plateau = Plateau { patience: 0, ..Plateau::default() };
    assert_eq!([1.0, f64::NAN].map(|loss| plateau.rate(1.0, loss)), [1.0, 0.1]);
}

#[test]
fn rates_at_the_edges_are_numbers() {
    assert_eq!(stairs(3, 1.0, 0, 0.5), 0.125);
    assert_eq!(polynomial(0, 0, 1.0, 1.0), 0.0);
    assert_eq!(polynomial(9, 4, 1.0, 0.0), 0.0);
    assert_eq!(cosine_restarts(7, 0, 0, 1.0, 0.0), 1.0);
    assert_eq!(cosine_restarts(u64::MAX, 1, 0, 1.0, 0.0), 1.0);
    for total in [0, 1, 2] {
        let rate = one_cycle(total, total, 1.0, 0.3, 25.0, 1e4);
        assert!((rate - 4e-6).abs() < 1e-15, "{rate} after {total} steps");
    }
}

/// PyTorch 2.15 with `mode="max"`: a number that stands still is not better, although it is passed negative.
#[test]
fn a_rate_falls_where_a_number_does_not_grow() {
    let mut plateau = Plateau { patience: 1, ..Plateau::default() };
    let rates: Vec<f64> = (0..6)
        .scan(0.1, |rate, _| {
            *rate = plateau.rate(*rate, -0.9);
            Some(*rate)
        })
        .collect();
    assert!((rates[5] - 0.001).abs() < 1e-15, "{rates:?}");
}
