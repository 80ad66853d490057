//! Deterministic random numbers, from a seed that the environment may set.

use std::ffi::OsStr;
use tensor_op_core::{Error, ErrorKind, Result};

/// The environment variable that sets the seed of all generated tests.
pub const SEED_VARIABLE: &str = "TENSOR_OP_SEED";

/// The seed of this run: from the environment, or 0. An `Err` if the variable is not a whole number.
pub fn seed() -> Result<u64> {
    std::env::var_os(SEED_VARIABLE).map_or(Ok(0), |text| parsed(&text))
}

fn parsed(text: &OsStr) -> Result<u64> {
    let seed = text.to_str().and_then(|text| text.trim().parse().ok());
    seed.ok_or_else(|| {
        let found = text.to_string_lossy();
        let message = format!(
            "{SEED_VARIABLE} is `{found}`; write a whole number from 0 to {}, as in {SEED_VARIABLE}=7, or leave it out",
            u64::MAX
        );
        Error::new(ErrorKind::Unsupported, message)
    })
}

/// A random number generator (SplitMix64; Steele, Lea and Flood 2014).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// A generator that gives the same numbers for the same words.
    pub(crate) fn new(words: &[u64]) -> Random {
        let mut random = Random(0x5eed);
        for word in words {
            random.0 ^= word.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            random.next();
        }
        random
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A number from 0 (inclusive) to `end` (exclusive); `end` is at least 1.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// A number from 0 (inclusive) to 1 (exclusive).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_whole_number_or_an_error_that_says_so() {
        assert_eq!(parsed(OsStr::new(" 17 ")), Ok(17));
        for text in ["", "-1", "0x7", "seven", "18446744073709551616", "1.5"] {
            let error = parsed(OsStr::new(text)).unwrap_err().to_string();
            assert!(error.contains(&format!("TENSOR_OP_SEED is `{text}`; write a whole number")), "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_seed_that_is_no_text_is_an_error() {
        use std::os::unix::ffi::OsStrExt;
        let error = parsed(OsStr::from_bytes(b"7\xff")).unwrap_err().to_string();
        assert!(error.contains("write a whole number"), "{error}");
    }
}
