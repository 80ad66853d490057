//! The text that the model learns: the New Testament in the King James Version. A letter is a token.

use crate::model::Gpt;
use flate2::read::GzDecoder;
use std::error::Error;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use tensor_op::catalogue::random::categorical;
use tensor_op::prelude::*;

/// Pieces of a text that begin at random places, and the letter after each of their letters.
#[tensor_op]
pub(crate) fn pieces(
    text: IntTensor![n],
    b: usize,
    t: usize,
    seed: i64,
) -> (IntTensor![b, t], IntTensor![b, t]) {
    let start = cast(uniform(seed, b) * cast(len(n) - len(t), float), int);
    (at(text, n = start + iota(t)), at(text, n = start + iota(t) + 1))
}

/// The letters of the text, `[n]`.
pub(crate) fn load(device: &Device) -> std::result::Result<Tensor, Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data/new_testament.txt.gz");
    let mut text = vec![];
    GzDecoder::new(File::open(path)?).read_to_end(&mut text)?;
    Ok(tokens(&text, device)?)
}

/// The tokens of a text, `[n]`.
pub(crate) fn tokens(text: &[u8], device: &Device) -> Result<Tensor> {
    let letters: Vec<i64> = text.iter().map(|letter| i64::from(*letter)).collect();
    Tensor::from_vec(letters, [text.len()], device)
}

/// What a model writes after a text. Each letter is drawn; a low temperature draws likely ones.
pub(crate) fn write(model: &Gpt, start: &str, count: i64, temperature: f64) -> Result<String> {
    let (mut cache, mut written) = (model.cache(1, start.len() + count as usize)?, vec![]);
    let mut next = tokens(start.as_bytes(), &model.device())?.unsqueeze(0)?;
    for seed in 0..count {
        let logits = model.logits(&next, Some(&mut cache), None)?.i((.., -1..))?;
        next = categorical((logits / temperature)?, -1, seed)?;
        written.push(next.item::<i64>()? as u8);
    }
    Ok(String::from_utf8_lossy(&written).into_owned())
}
