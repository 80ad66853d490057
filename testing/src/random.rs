//! Deterministic random numbers, from a seed that the environment may set.

use tensor_op_core::{Error, ErrorKind, Result};

/// The variable that sets the seed of all generated tests.
pub const SEED_VARIABLE: &str = "TENSOR_OP_SEED";

/// The seed of this run: of the environment, or 0. An `Err` if the variable is set to something else than a whole number.
pub fn seed() -> Result<u64> {
    match std::env::var(SEED_VARIABLE) {
        Err(_) => Ok(0),
        Ok(text) => text.trim().parse().map_err(|_| {
            let message = format!("{SEED_VARIABLE} is `{text}`; write a whole number of at least 0");
            Error::new(ErrorKind::Unsupported, message)
        }),
    }
}

/// A generator (SplitMix64; Steele, Lea and Flood 2014).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// The same numbers for the same words.
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

    /// From 0 (inclusive) to `end` (exclusive), which is at least 1.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// From 0 (inclusive) to 1 (exclusive).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}
