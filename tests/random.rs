//! Random numbers of formulas: their distributions, that they depend on seed and position alone, and that a
//! gradient draws the same ones.
//!
//! The statistical tests have fixed seeds. Each would fail by chance for one seed in ten thousand.

use tensor_op::catalogue::random::{
    alpha_dropout, bernoulli, categorical, dropout, feature_dropout, gumbel_softmax, rrelu,
};
use tensor_op::prelude::*;
use tensor_op_spec::prim::philox;

#[tensor_op(tests = false)]
fn uniforms(m: usize, n: usize, seed: Seed) -> Tensor![m, n] {
    uniform(seed, (m, n))
}

#[tensor_op(tests = false)]
fn streams(n: usize, seed: i64) -> (Tensor![n], Tensor![n]) {
    (uniform(seed, n), uniform(seed, n, stream = 1))
}

#[tensor_op(tests = false)]
fn normals(n: usize, seed: i64) -> Tensor![n] {
    normal(seed, n)
}

#[tensor_op(tests = false)]
fn others(n: usize, seed: i64) -> (Tensor![n], Tensor![n]) {
    (exponential(seed, n), gumbel(seed, n))
}

const COUNT: usize = 1 << 16;

fn values(tensor: Tensor) -> Vec<f64> {
    tensor.to_data().unwrap().cast(DType::F64).into_vec().unwrap()
}

fn uniform_row(seed: i64, dtype: DType) -> Vec<f64> {
    values(uniforms(1, COUNT, seed, dtype, &Device::default()).unwrap())
}

/// The largest distance between the distribution of a sample and the expected one, times the root of the
/// count. Kolmogorov and Smirnov: above 2.23 by chance in one of ten thousand.
fn kolmogorov_smirnov(mut sample: Vec<f64>, expected: impl Fn(f64) -> f64) -> f64 {
    sample.sort_by(f64::total_cmp);
    let count = sample.len() as f64;
    let distance = |(rank, x): (usize, &f64)| {
        let expected = expected(*x);
        (expected - rank as f64 / count).abs().max((expected - (rank + 1) as f64 / count).abs())
    };
    sample.iter().enumerate().map(distance).fold(0.0, f64::max) * count.sqrt()
}

/// The distribution function of normal numbers.
fn normal_below(x: f64) -> f64 {
    0.5 * libm::erfc(-x / std::f64::consts::SQRT_2)
}

/// The correlation of two samples of one distribution, times the root of the count: a normal number.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let count = a.len() as f64;
    let mean = |x: &[f64]| x.iter().sum::<f64>() / count;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let sum = |x: &[f64], mean_x: f64, y: &[f64], mean_y: f64| {
        x.iter().zip(y).map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>()
    };
    let both = sum(a, mean_a, b, mean_b);
    both / (sum(a, mean_a, a, mean_a) * sum(b, mean_b, b, mean_b)).sqrt() * count.sqrt()
}

#[test]
fn distributions_are_the_stated_ones() {
    for dtype in [DType::F32, DType::F64] {
        let device = Device::default();
        for seed in [0, 1, -1, 1 << 40] {
            let drawn = kolmogorov_smirnov(uniform_row(seed, dtype), |x| x);
            assert!(drawn < 2.23, "uniform of {seed}: {drawn}");
            let drawn = values(normals(COUNT, seed, dtype, &device).unwrap());
            let distance = kolmogorov_smirnov(drawn, normal_below);
            assert!(distance < 2.23, "normal of {seed}: {distance}");
            let (waits, extremes) = others(COUNT, seed, dtype, &device).unwrap();
            let distance = kolmogorov_smirnov(values(waits), |x| 1.0 - (-x).exp());
            assert!(distance < 2.23, "exponential of {seed}: {distance}");
            let distance = kolmogorov_smirnov(values(extremes), |x| (-(-x).exp()).exp());
            assert!(distance < 2.23, "gumbel of {seed}: {distance}");
        }
    }
}

/// Pearson's statistic of 64 equal boxes has 63 degrees of freedom: above 118 by chance in one of thirty
/// thousand.
#[test]
fn pairs_of_neighbours_fill_the_square_evenly() {
    for seed in 0..4 {
        let drawn = uniform_row(seed, DType::F32);
        let mut boxes = [0.0; 64];
        for pair in drawn.chunks(2) {
            boxes[(pair[0] * 8.0) as usize * 8 + (pair[1] * 8.0) as usize] += 1.0;
        }
        let expected = drawn.len() as f64 / 2.0 / 64.0;
        let statistic: f64 = boxes.iter().map(|count: &f64| (count - expected).powi(2) / expected).sum();
        assert!(statistic < 118.0, "{statistic}");
    }
}

#[test]
fn neighbours_seeds_and_streams_are_not_correlated() {
    let drawn: Vec<Vec<f64>> = (0..6).map(|seed| uniform_row(seed, DType::F64)).collect();
    for (seed, row) in drawn.iter().enumerate() {
        for lag in [1, 2, 3, 4, 64, 1024] {
            let found = correlation(&row[lag..], &row[..COUNT - lag]);
            assert!(found.abs() < 3.9, "seed {seed}, lag {lag}: {found}");
        }
        for other in &drawn[..seed] {
            let found = correlation(row, other);
            assert!(found.abs() < 3.9, "seed {seed}: {found}");
        }
        let (first, second) = streams(COUNT, seed as i64, DType::F64, &Device::default()).unwrap();
        let found = correlation(&values(first), &values(second));
        assert!(found.abs() < 3.9, "streams of seed {seed}: {found}");
    }
}

#[test]
fn numbers_are_those_of_philox_by_position() {
    let (seed, device) = (-7, Device::default());
    let matrix = values(uniforms(5, 7, seed, DType::F64, &device).unwrap());
    let expected: Vec<f64> = (0..35).map(|position| philox::uniform(seed, 0, position)).collect();
    assert_eq!(matrix, expected);
    let matrix = values(uniforms(35, 1, seed, DType::F32, &device).unwrap());
    let expected: Vec<f64> = (0..35).map(|at| f64::from(philox::uniform_f32(seed, 0, at))).collect();
    assert_eq!(matrix, expected);
}

/// An op that another one calls draws what it draws by itself.
#[tensor_op(tests = false)]
fn noise(x: Tensor) -> Tensor {
    x + uniform(3, ..)
}

#[tensor_op(tests = false)]
fn noise_by_names(x: Tensor![b, n]) -> Tensor![b, n] {
    self::noise(x)
}

#[test]
fn views_and_inlining_change_nothing() {
    let device = Device::default();
    let x = Tensor::from_vec((0..12).map(f64::from).collect(), [3, 4], &device).unwrap();
    let plain = values(noise(&x).unwrap());
    assert_eq!(plain, values(noise_by_names(&x).unwrap()));
    let columns = (0..12).map(|at| f64::from(at % 3 * 4 + at / 3)).collect();
    let view = Tensor::from_vec(columns, [4, 3], &device).unwrap().permute([1, 0]).unwrap();
    assert_eq!(plain, values(noise(&view).unwrap()));
    assert_eq!(plain, values(noise(x.reshape([1, 3, 4]).unwrap()).unwrap()));
}

#[tensor_op(tests = false)]
fn total(x: Tensor) -> Tensor![] {
    sum(x, ..)
}

/// The gradient is 0 where the result is 0, and 1 / (1 - p) elsewhere.
#[test]
fn a_gradient_draws_the_same_numbers() {
    let device = Device::default();
    for p in [0.0, 0.25, 0.5, 1.0] {
        for seed in [None, Some(5)] {
            let x = Tensor::ones([257], DType::F32, &device).unwrap().require_grad();
            let y = dropout(&x, p, seed).unwrap();
            let gradients = total(&y).unwrap().backward().unwrap();
            assert_eq!(values(y), values(gradients.get(&x).unwrap().clone()), "p = {p}");
        }
    }
}

#[test]
fn dropout_keeps_as_many_as_it_should() {
    let device = Device::default();
    let x = Tensor::ones([COUNT], DType::F32, &device).unwrap();
    let kept = |p: f64| values(dropout(&x, p, 3).unwrap()).iter().filter(|y| **y != 0.0).count() as f64;
    for p in [0.0, 0.1, 0.5, 0.9, 1.0] {
        let deviation = (COUNT as f64 * p * (1.0 - p)).sqrt();
        let found = (kept(p) - COUNT as f64 * (1.0 - p)).abs();
        assert!(found <= 3.9 * deviation, "p = {p}: {found} of {deviation}");
    }
}

#[test]
fn seeds_come_from_the_generator_of_the_device() {
    let device = Device::default();
    let x = Tensor::ones([64], DType::F32, &device).unwrap();
    let draw = || values(dropout(&x, 0.5, None).unwrap());
    device.seed(11);
    let (first, second) = (draw(), draw());
    assert_ne!(first, second);
    device.seed(11);
    assert_eq!([first, second], [draw(), draw()]);
    let drawn = || values(uniforms(2, 8, None, DType::F32, &device).unwrap());
    assert_ne!(drawn(), drawn());
}

#[test]
fn ops_of_the_catalogue_do_what_they_say() {
    let device = Device::default();
    let ones = Tensor::ones([8, 16, 5], DType::F64, &device).unwrap();
    let channels = values(feature_dropout(&ones, 0.5, 1).unwrap());
    assert!(channels.chunks(5).all(|channel| channel.iter().all(|y| *y == channel[0])));
    assert!(channels.contains(&0.0) && channels.contains(&2.0));

    // Mean 0 and variance 1 stay.
    let x = normals(COUNT, 9, DType::F64, &device).unwrap();
    let y = values(alpha_dropout(&x, 0.3, 2).unwrap());
    let mean = y.iter().sum::<f64>() / COUNT as f64;
    let variance = y.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / COUNT as f64;
    assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.03, "{mean} {variance}");
    assert!(values(alpha_dropout(&x, 1.0, 2).unwrap()).iter().all(|y| *y == 0.0));

    let slopes = values(rrelu(-&ones, None, None, 4).unwrap());
    assert!(slopes.iter().all(|y| (-1.0 / 3.0..=-0.125).contains(y)));

    let p = Tensor::full([COUNT], 0.2, &device).unwrap();
    let hits = values(bernoulli(&p, 6).unwrap()).iter().sum::<f64>();
    assert!((hits - 0.2 * COUNT as f64).abs() < 3.9 * (COUNT as f64 * 0.16).sqrt());
}

/// Of logits `ln p` the samples have the frequencies `p`.
#[test]
fn categories_are_drawn_by_their_softmax() {
    let device = Device::default();
    let p = [0.1, 0.2, 0.3, 0.4];
    let logits = Tensor::from_vec(p.map(f64::ln).repeat(COUNT), [COUNT, 4], &device).unwrap();
    let drawn = categorical(&logits, -1, 8).unwrap().to_vec::<i64>().unwrap();
    for (category, p) in p.iter().enumerate() {
        let found = drawn.iter().filter(|index| **index == category as i64).count() as f64;
        let (expected, deviation) = (p * COUNT as f64, (COUNT as f64 * p * (1.0 - p)).sqrt());
        assert!((found - expected).abs() < 3.9 * deviation, "{category}: {found} of {expected}");
    }
    let soft = values(gumbel_softmax(&logits, None, None, -1, 8).unwrap());
    let largest = |row: &[f64]| (0..4).max_by(|a, b| row[*a].total_cmp(&row[*b])).unwrap() as i64;
    assert_eq!(soft.chunks(4).map(largest).collect::<Vec<_>>(), drawn);
    let hard = values(gumbel_softmax(&logits, 0.5, true, -1, 8).unwrap());
    assert!(hard.chunks(4).all(|row| row.iter().sum::<f64>() == 1.0));
    assert!(hard.iter().all(|x| *x == 0.0 || *x == 1.0));
    assert_eq!(hard.chunks(4).map(largest).collect::<Vec<_>>(), drawn);
}
