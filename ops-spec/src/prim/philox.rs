//! Philox 4x32-10: random bits that are a function of a key and a counter.
//!
//! J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. There is
//! no state, so that any element can be drawn by any thread, and drawn again. All backends use this map from
//! a seed and a position to bits:
//!
//! - the key is the seed;
//! - the counter is the position divided by 4, the stream, and 0 or 1 for the upper or the lower bits;
//! - of the four words, the one is taken whose number is the position modulo 4.

/// What the two products of a round multiply by.
pub const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];

/// What is added to the two words of the key before each round but the first.
pub const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];

/// Number of rounds.
pub const ROUNDS: u32 = 10;

/// The four random words of a counter and a key.
#[inline(always)]
pub fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let [mut a, mut b, mut c, mut d] = counter;
    let [mut first, mut second] = key;
    for _ in 0..ROUNDS {
        let x = u64::from(MULTIPLIERS[0]) * u64::from(a);
        let y = u64::from(MULTIPLIERS[1]) * u64::from(c);
        (a, b, c, d) = ((y >> 32) as u32 ^ b ^ first, y as u32, (x >> 32) as u32 ^ d ^ second, x as u32);
        first = first.wrapping_add(WEYL[0]);
        second = second.wrapping_add(WEYL[1]);
    }
    [a, b, c, d]
}

/// The upper 32 random bits of a position.
#[inline(always)]
pub fn upper(seed: i64, stream: i64, position: i64) -> u32 {
    word(seed, stream, position, 0)
}

/// The lower 32 random bits of a position.
#[inline(always)]
pub fn lower(seed: i64, stream: i64, position: i64) -> u32 {
    word(seed, stream, position, 1)
}

#[inline(always)]
fn word(seed: i64, stream: i64, position: i64, half: u32) -> u32 {
    let block = position as u64 >> 2;
    let counter = [block as u32, (block >> 32) as u32, stream as u32, half];
    let [a, b, c, d] = philox(counter, [seed as u32, (seed >> 32) as u32]);
    // Two choices of one bit each are vectorised; an index is not.
    let (even, odd) = if position & 2 == 0 { (a, b) } else { (c, d) };
    if position & 1 == 0 { even } else { odd }
}

/// A multiple of 2^-53, from 0 (inclusive) to 1 (exclusive).
#[inline(always)]
pub fn uniform(seed: i64, stream: i64, position: i64) -> f64 {
    let (upper, lower) = (upper(seed, stream, position), lower(seed, stream, position));
    let bits = u64::from(upper) << 21 | u64::from(lower >> 11);
    bits as f64 * (1.0 / (1_u64 << 53) as f64)
}

/// The leading 24 bits of [`uniform`]: a multiple of 2^-24, from 0 (inclusive) to 1 (exclusive).
#[inline(always)]
pub fn uniform_f32(seed: i64, stream: i64, position: i64) -> f32 {
    (upper(seed, stream, position) >> 8) as f32 * (1.0 / (1_u32 << 24) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers of Random123, release 1.14.0, `tests/kat_vectors`.
    #[test]
    fn known_answers_are_those_of_random123() {
        let ones = u32::MAX;
        let pi = ([0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344], [0xa409_3822, 0x299f_31d0]);
        assert_eq!(philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(philox([ones; 4], [ones; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
        assert_eq!(philox(pi.0, pi.1), [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]);
    }

    #[test]
    fn positions_take_the_words_of_a_counter_in_order() {
        let words = philox([3, 0, 5, 0], [7, 0]);
        let taken: Vec<u32> = (12..16).map(|position| upper(7, 5, position)).collect();
        assert_eq!(taken, words);
        let far = philox([1, 1, 0, 1], [u32::MAX, u32::MAX]);
        assert_eq!(lower(-1, 0, (1 << 34) + 4), far[0]);
    }

    #[test]
    fn a_float_is_the_leading_bits_of_a_double() {
        for position in 0..1000 {
            let double = uniform(1, 2, position);
            let single = f64::from(uniform_f32(1, 2, position));
            assert!(single <= double && double - single < 2_f64.powi(-24), "{double} {single}");
        }
    }
}
