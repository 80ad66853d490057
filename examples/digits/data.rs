//! The digits: images of 8 by 8 pixels, from `examples/data/digits.csv.gz`. Every fifth row, beginning with
//! the first, is for the test.

use flate2::read::GzDecoder;
use std::io::{self, BufRead, BufReader};
use tensor_op::prelude::*;

/// Number of pixels of an image.
pub(crate) const PIXELS: usize = 64;

/// Images `[rows, PIXELS]` with values from 0 to 1, and their labels `[rows]`.
pub(crate) struct Split {
    pub(crate) images: Tensor,
    pub(crate) labels: Tensor,
    pub(crate) count: usize,
}

/// Reads the rows to train with and the rows to test with. An `Err` says which line is not valid.
pub(crate) fn load(
    dtype: DType,
    device: &Device,
) -> std::result::Result<(Split, Split), Box<dyn std::error::Error>> {
    let lines = BufReader::new(GzDecoder::new(&include_bytes!("../data/digits.csv.gz")[..])).lines();
    let (mut train, mut test) = (Rows::default(), Rows::default());
    for (i, line) in lines.enumerate() {
        let rows = if i % 5 == 0 { &mut test } else { &mut train };
        rows.push(&line?).ok_or_else(|| invalid(i + 1))?;
    }
    Ok((train.split(dtype, device)?, test.split(dtype, device)?))
}

#[derive(Default)]
struct Rows {
    pixels: Vec<f64>,
    labels: Vec<i64>,
}

impl Rows {
    /// Adds a line. `None` if the line doesn't have 64 pixels from 0 to 16 and a digit.
    fn push(&mut self, line: &str) -> Option<()> {
        let numbers: Vec<u8> = line.split(',').map(|word| word.parse().ok()).collect::<Option<_>>()?;
        let (label, pixels) = numbers.split_last()?;
        if pixels.len() != PIXELS || pixels.iter().any(|p| *p > 16) || *label > 9 {
            return None;
        }
        self.pixels.extend(pixels.iter().map(|p| f64::from(*p) / 16.0));
        self.labels.push(i64::from(*label));
        Some(())
    }

    fn split(self, dtype: DType, device: &Device) -> Result<Split> {
        let count = self.labels.len();
        let images =
            Tensor::from_vec(self.pixels, [count, PIXELS], &Device::default())?.cast(dtype)?.to(device)?;
        Ok(Split { images, labels: Tensor::from_vec(self.labels, [count], device)?, count })
    }
}

fn invalid(line: usize) -> io::Error {
    let message = format!("digits.csv.gz, line {line}: expected 64 pixels from 0 to 16 and a digit");
    io::Error::new(io::ErrorKind::InvalidData, message)
}
