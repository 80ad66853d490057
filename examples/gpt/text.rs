//! The text that the model learns: the New Testament in the King James Version. A letter is a token.

use crate::model::Gpt;
use std::io::Read;
use tensor_op::catalogue::random::categorical;
use tensor_op::prelude::*;

const TEXT: &[u8] = include_bytes!("../data/new_testament.txt.gz");

/// Pieces of a text that begin at random places.
#[tensor_op]
pub(crate) fn pieces(text: IntTensor![n], b: usize, t: usize, seed: i64) -> IntTensor![b, t] {
    let start = cast(uniform(seed, b) * cast(len(n) - len(t), float), int);
    at(text, n = start + iota(t))
}

/// The letters of the text, `[n]`.
pub(crate) fn load(device: &Device) -> std::result::Result<Tensor, Box<dyn std::error::Error>> {
    let mut text = vec![];
    flate2::read::GzDecoder::new(TEXT).read_to_end(&mut text)?;
    Ok(tokens(&text, device)?)
}

/// The tokens of a text, `[n]`.
pub(crate) fn tokens(text: &[u8], device: &Device) -> Result<Tensor> {
    Tensor::from_vec(text.iter().map(|letter| i64::from(*letter)).collect(), [text.len()], device)
}

/// What a model writes after a text. Each letter is drawn; a low temperature draws likely ones.
pub(crate) fn write(model: &Gpt, start: &str, count: usize, temperature: f64) -> Result<String> {
    let (mut caches, mut written) = (model.caches(1, start.len() + count)?, vec![]);
    let mut next = tokens(start.as_bytes(), &model.table.device())?.unsqueeze(0)?;
    for seed in 0..count {
        let logits = model.logits(&next, Some(&mut caches), None)?.i((.., -1..))?;
        next = categorical((logits / temperature)?, -1, seed as i64)?;
        written.push(next.item::<i64>()? as u8);
    }
    Ok(String::from_utf8_lossy(&written).into_owned())
}
