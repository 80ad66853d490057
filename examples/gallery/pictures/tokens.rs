//! Pictures of what mixes tokens.

use super::{curve, normal, span, tensor};
use crate::draw::{Palette, Words, chart, heat};
use crate::{attention, sequences};
use tensor_op::prelude::*;

const WEIGHTS: Words = Words { title: "", x: "key", y: "query" };

pub(crate) fn axial_rotary() -> Result<String> {
    let [side, channels] = [25, 64];
    let turned =
        attention::axial_rotary(tensor(vec![1.0; side * side * channels], &[side, side, channels])?, None)?;
    let tokens = turned.to_vec::<f64>()?;
    let tokens: Vec<&[f64]> = tokens.chunks(channels).collect();
    let middle = tokens[tokens.len() / 2];
    let alike = |token: &&[f64]| token.iter().zip(middle).map(|(a, b)| a * b).sum::<f64>() / channels as f64;
    let alike: Vec<f64> = tokens.iter().map(alike).collect();
    let words = Words { title: "Likeness to the token in the middle", x: "column", y: "row" };
    Ok(heat(words, Palette::Diverging, [-1.0, 1.0], &alike, side))
}

/// With ones on the diagonal for values, the result of attention is its weights.
pub(crate) fn gated_attention() -> Result<String> {
    let size = 24;
    let gate = span(-5.0, 5.0, size).into_iter().flat_map(|gate| vec![gate; size]).collect();
    let (q, k) = (normal(1, &[size, 16])?, normal(2, &[size, 16])?);
    let values = Tensor::eye(size, DType::F64, &Device::default())?;
    let weights = attention::gated_attention((q * 1.5)?, k, values, tensor(gate, &[size, size])?)?;
    let words = Words { title: "Weights; the gate opens from row to row", ..WEIGHTS };
    Ok(heat(words, Palette::Sequential, [0.0, 0.5], &weights.to_vec::<f64>()?, size))
}

/// Each query looks for the token half-way to it. Both halves see the same noise.
pub(crate) fn differential_attention() -> Result<String> {
    let (size, width) = (24, 16);
    let [q, k, signs] = [1, 2, 3].map(|seed| normal(seed, &[size, width]));
    let (q, k, signs) = ((q? * 1.2)?, (k? * 1.2)?, (signs? * 1.5)?);
    let wanted: Vec<i64> = (0..size as i64).map(|t| t / 2).collect();
    let wanted = wanted.iter().map(|t| signs.slice(0, *t..*t + 1)).collect::<Result<Vec<_>>>()?;
    let q = Tensor::cat(&[(&q + Tensor::cat(&wanted, 0)?)?, q], 1)?;
    let k = Tensor::cat(&[(&k + &signs)?, k], 1)?;
    let values = Tensor::eye(size, DType::F64, &Device::default())?;
    let weights = attention::differential_attention(q, k, values, tensor(vec![0.8], &[])?)?;
    let words = Words { title: "Query t looks for key t / 2 in noise", ..WEIGHTS };
    Ok(heat(words, Palette::Diverging, [-1.0, 1.0], &weights.to_vec::<f64>()?, size))
}

pub(crate) fn sigmoid_attention() -> Result<String> {
    let size = 24;
    let (q, k) = (normal(4, &[size, 16])?, normal(5, &[size, 16])?);
    let values = Tensor::eye(size, DType::F64, &Device::default())?;
    let weights = attention::sigmoid_attention((q * 3.0)?, k, values)?;
    let words = Words { title: "Weights; a row need not add up to 1", ..WEIGHTS };
    Ok(heat(words, Palette::Sequential, [0.0, 1.0], &weights.to_vec::<f64>()?, size))
}

pub(crate) fn dynamic_tanh() -> Result<String> {
    let x = span(-4.0, 4.0, 81);
    let (one, zero) = (tensor(vec![1.0], &[1])?, tensor(vec![0.0], &[1])?);
    let mut curves = Vec::new();
    for (place, alpha) in [0.5, 1.0, 2.0].into_iter().enumerate() {
        let y =
            attention::dynamic_tanh(tensor(x.clone(), &[81, 1])?, tensor(vec![alpha], &[])?, &one, &zero)?;
        curves.push(curve(place, format!("alpha = {alpha}"), &x, &y.to_vec::<f64>()?));
    }
    let words = Words { title: "tanh in place of a norm", x: "x", y: "y" };
    Ok(chart(words, [-4.0, 4.0], [-1.2, 1.2], &curves))
}

pub(crate) fn mamba2() -> Result<String> {
    let count = 96;
    let times = span(0.0, (count - 1) as f64, count);
    let input: Vec<f64> = (0..count).map(|t| if [8, 40, 48, 56].contains(&t) { 1.0 } else { 0.0 }).collect();
    // A long step takes the input up and forgets the past, a short one keeps the state.
    let step: Vec<f64> = input.iter().map(|x| if *x > 0.0 { 1.0 } else { 0.1 }).collect();
    let ones = tensor(vec![1.0; count], &[1, count, 1])?;
    let mut curves = vec![curve(0, "input", &times, &input)];
    for (place, a) in [(1, -0.2), (2, -1.0)] {
        let x = tensor(input.clone(), &[1, count, 1, 1])?;
        let step = tensor(step.clone(), &[1, count, 1])?;
        let y = sequences::mamba2(x, step, tensor(vec![a], &[1])?, &ones, &ones)?;
        curves.push(curve(place, format!("a = {a}"), &times, &y.to_vec::<f64>()?));
    }
    let words = Words { title: "A state of one number", x: "token", y: "result" };
    Ok(chart(words, [0.0, 95.0], [0.0, 2.5], &curves))
}

pub(crate) fn rwkv6() -> Result<String> {
    let count = 64;
    let times = span(0.0, (count - 1) as f64, count);
    let value: Vec<f64> = (0..count).map(|t| if t == 8 { 1.0 } else { 0.0 }).collect();
    let ones = tensor(vec![1.0; count], &[1, count, 1])?;
    let slow = vec![-4.0; count];
    let sudden: Vec<f64> = (0..count).map(|t| if t == 36 { 0.5 } else { -6.0 }).collect();
    let mut curves = Vec::new();
    for (place, (name, decay)) in
        [("an even decay", slow), ("token 36 forgets", sudden)].into_iter().enumerate()
    {
        let shape = [1, count, 1];
        let (value, decay) = (tensor(value.clone(), &shape)?, tensor(decay, &shape)?);
        let y = sequences::rwkv6(&ones, &ones, value, decay, tensor(vec![1.5], &[1])?)?;
        curves.push(curve(place, name, &times, &y.to_vec::<f64>()?));
    }
    let words = Words { title: "What is left of one token", x: "token", y: "result" };
    Ok(chart(words, [0.0, 63.0], [0.0, 1.6], &curves))
}

/// The middle of the picture is frequency 0.
pub(crate) fn fourier_mixing() -> Result<String> {
    let size = 48;
    let near = |i: usize, reach: usize| i <= reach || size - i <= reach;
    let bar = |at: usize| if near(at / size, 4) && near(at % size, 2) { 1.0 } else { 0.0 };
    let spectrum = sequences::fourier_mixing(tensor((0..size * size).map(bar).collect(), &[size, size])?)?;
    let spectrum = spectrum.to_vec::<f64>()?;
    let shifted = |at: usize| (at / size + size / 2) % size * size + (at % size + size / 2) % size;
    let spectrum: Vec<f64> = (0..size * size).map(|at| spectrum[shifted(at)]).collect();
    let words = Words { title: "The spectrum of a bar of 9 x 5", x: "channel", y: "token" };
    Ok(heat(words, Palette::Diverging, [-15.0, 15.0], &spectrum, size))
}
