//! Pictures of probabilities and losses.

use super::{curve, span, tensor};
use crate::draw::{Palette, Series, Words, chart, heat};
use crate::{losses, simplex};
use tensor_op::prelude::*;

/// The probabilities of three scores, of which the first one grows.
fn of_three(title: &'static str, op: impl Fn(Tensor) -> Result<Tensor>) -> Result<String> {
    let first = span(-3.0, 3.0, 121);
    let scores = first.iter().flat_map(|first| [*first, 0.0, -0.5]).collect();
    let found = op(tensor(scores, &[first.len(), 3])?)?.to_vec::<f64>()?;
    let names = ["of s", "of 0", "of -0.5"];
    let curves: Vec<Series> = names
        .into_iter()
        .enumerate()
        .map(|(place, name)| {
            let of_name: Vec<f64> = found.chunks(3).map(|row| row[place]).collect();
            curve(place, name, &first, &of_name)
        })
        .collect();
    let words = Words { title, x: "score s", y: "probability" };
    Ok(chart(words, [-3.0, 3.0], [0.0, 1.0], &curves))
}

pub(crate) fn sparsemax() -> Result<String> {
    of_three("Sparsemax of the scores s, 0 and -0.5", simplex::sparsemax)
}

pub(crate) fn entmax15() -> Result<String> {
    of_three("Entmax 1.5 of the scores s, 0 and -0.5", simplex::entmax15)
}

/// From two bumps to one.
pub(crate) fn sinkhorn_step() -> Result<String> {
    let (size, eps) = (48, 0.003);
    let places = span(0.0, 1.0, size);
    let bump = |x: f64, at: f64, width: f64| (-((x - at) / width).powi(2)).exp() + 1e-4;
    let from: Vec<f64> = places.iter().map(|x| bump(*x, 0.25, 0.1) + bump(*x, 0.8, 0.08)).collect();
    let to: Vec<f64> = places.iter().map(|x| bump(*x, 0.5, 0.2)).collect();
    let logarithms = |masses: &[f64]| {
        let all: f64 = masses.iter().sum();
        tensor(masses.iter().map(|mass| (mass / all).ln()).collect(), &[size])
    };
    let costs = places.iter().flat_map(|x| places.iter().map(move |y| (x - y).powi(2))).collect::<Vec<_>>();
    let (log_a, log_b) = (logarithms(&from)?, logarithms(&to)?);
    let cost = tensor(costs.clone(), &[size, size])?;
    let (mut f, mut g) = (tensor(vec![0.0; size], &[size])?, tensor(vec![0.0; size], &[size])?);
    for _ in 0..300 {
        (f, g) = simplex::sinkhorn_step(&cost, &log_a, &log_b, g, eps)?;
    }
    let (f, g) = (f.to_vec::<f64>()?, g.to_vec::<f64>()?);
    let mass = |(at, cost): (usize, &f64)| 1e3 * ((f[at / size] + g[at % size] - cost) / eps).exp();
    let plan: Vec<f64> = costs.iter().enumerate().map(mass).collect();
    let words = Words { title: "The plan: mass in thousandths", x: "to one bump", y: "from two bumps" };
    let most = plan.iter().copied().fold(0.0, f64::max);
    Ok(heat(words, Palette::Sequential, [0.0, most], &plan, size))
}

pub(crate) fn focal_loss() -> Result<String> {
    let margins = span(-4.0, 4.0, 81);
    let logits = tensor(margins.iter().flat_map(|margin| [*margin, 0.0]).collect(), &[81, 2])?;
    let target = Tensor::zeros([81], DType::I64, &Device::default())?;
    let mut curves = Vec::new();
    for (place, gamma) in [0.0, 1.0, 2.0, 5.0].into_iter().enumerate() {
        let loss = losses::focal_loss(&logits, &target, gamma)?.to_vec::<f64>()?;
        curves.push(curve(place, format!("gamma {gamma}"), &margins, &loss));
    }
    let words = Words { title: "Easy examples count less", x: "logit of the true class of two", y: "loss" };
    Ok(chart(words, [-4.0, 4.0], [0.0, 4.0], &curves))
}

pub(crate) fn simpo_loss() -> Result<String> {
    let better = span(-3.0, 3.0, 61);
    let one = tensor(vec![1.0; 61], &[61, 1])?;
    let mut curves = Vec::new();
    for (place, margin) in [0.0, 1.0, 2.0].into_iter().enumerate() {
        let chosen = tensor(better.clone(), &[61, 1])?;
        let loss = losses::simpo_loss(chosen, one.zeros_like()?, &one, &one, None, margin)?;
        curves.push(curve(place, format!("margin {margin}"), &better, &loss.to_vec::<f64>()?));
    }
    let words = Words {
        title: "The better answer must win by a margin",
        x: "log-probability per token, chosen - rejected",
        y: "loss",
    };
    Ok(chart(words, [-3.0, 3.0], [0.0, 8.0], &curves))
}

/// Two answers of one token: one has the reward 1, the other one 0. The ratio of one of them changes.
pub(crate) fn dapo_loss() -> Result<String> {
    let ratios = span(0.5, 1.7, 121);
    let (old, ones) = (tensor(vec![0.0; 2], &[2, 1])?, tensor(vec![1.0; 2], &[2, 1])?);
    let rewards = tensor(vec![1.0, 0.0], &[2])?;
    let mut curves = Vec::new();
    for (place, name) in ["the better answer", "the worse answer"].into_iter().enumerate() {
        let loss = |ratio: &f64| {
            let mut policy = vec![0.0; 2];
            policy[place] = ratio.ln();
            losses::dapo_loss(tensor(policy, &[2, 1])?, &old, &rewards, &ones)?.item::<f64>()
        };
        let found = ratios.iter().map(loss).collect::<Result<Vec<_>>>()?;
        curves.push(curve(place, name, &ratios, &found));
    }
    let words = Words { title: "Nothing is gained beyond the clip", x: "ratio to the old policy", y: "loss" };
    Ok(chart(words, [0.5, 1.7], [-0.3, 0.4], &curves))
}
