//! SplitMix64: a random number generator of a few lines. It gives the same weights and the same order of rows
//! on every machine.

/// The state of the generator.
pub(crate) struct SplitMix64(pub(crate) u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number from 0 (inclusive) to 1 (exclusive).
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Weights `[fan_in, fan_out]`, row-major and uniform within `1 / sqrt(fan_in)`.
    pub(crate) fn weights(&mut self, fan_in: usize, fan_out: usize) -> Vec<f64> {
        let bound = (fan_in as f64).sqrt();
        (0..fan_in * fan_out).map(|_| (2.0 * self.unit() - 1.0) / bound).collect()
    }

    /// Shuffles items by the algorithm of Fisher and Yates.
    pub(crate) fn shuffle(&mut self, items: &mut [i64]) {
        for i in (1..items.len()).rev() {
            let j = (self.next() % (i as u64 + 1)) as usize;
            items.swap(i, j);
        }
    }
}
