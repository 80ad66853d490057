//! The digits: images of 8 by 8 pixels. Each row of pixels is a token. Every fifth image, beginning with the
//! first, is for the test.

use burn::data::dataloader::batcher::Batcher;
use burn::tensor::{Device, Int, Tensor, TensorData};
use flate2::read::GzDecoder;
use std::error::Error;
use std::io::{BufRead, BufReader};

/// 1797 lines, each with 64 pixels and the digit. They are part of the program, so that it runs anywhere.
static DIGITS: &[u8] = include_bytes!("../../data/digits.csv.gz");

/// An image and its digit.
#[derive(Clone, Debug)]
pub struct Digit {
    pub pixels: Vec<f32>,
    pub label: i32,
}

/// A batch of images and their digits.
#[derive(Clone, Debug)]
pub struct Batch {
    pub tokens: Tensor<3>,
    pub labels: Tensor<1, Int>,
}

#[derive(Clone, Copy, Debug)]
pub struct DigitBatcher;

impl Batcher<Digit, Batch> for DigitBatcher {
    fn batch(&self, items: Vec<Digit>, device: &Device) -> Batch {
        let count = items.len();
        let labels: Vec<i32> = items.iter().map(|item| item.label).collect();
        let pixels: Vec<f32> = items.into_iter().flat_map(|item| item.pixels).collect();
        Batch {
            tokens: Tensor::from_data(TensorData::new(pixels, [count, 8, 8]), device),
            labels: Tensor::from_data(TensorData::new(labels, [count]), device),
        }
    }
}

/// Loads the images to learn from, and the images to test with.
pub fn load() -> Result<(Vec<Digit>, Vec<Digit>), Box<dyn Error>> {
    let (mut train, mut test) = (vec![], vec![]);
    for (at, line) in BufReader::new(GzDecoder::new(DIGITS)).lines().enumerate() {
        let numbers: Vec<u8> = line?.split(',').map(str::parse).collect::<Result<_, _>>()?;
        let Some((label, pixels)) = numbers.split_last() else { continue };
        let pixels = pixels.iter().map(|pixel| f32::from(*pixel) / 16.0).collect();
        let split = if at % 5 == 0 { &mut test } else { &mut train };
        split.push(Digit { pixels, label: i32::from(*label) });
    }
    Ok((train, test))
}
