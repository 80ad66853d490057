//! Random numbers of a seed, a stream and a position, as `tensor_op_spec::prim::philox` defines them.

use super::parts::{float, is_double};
use cubecl::prelude::*;
use tensor_op_spec::prim::philox::{MULTIPLIERS, ROUNDS, WEYL};

/// The number of words that one counter gives.
const WORDS: usize = 4;

/// A random number in [0, 1) in each lane. If lanes are `neighbours`, they have one seed and one stream, and
/// their positions follow each other from a multiple of four on.
#[cube]
pub(crate) fn random<A: Float, I: Int, N: Size>(
    seed: Vector<I, N>,
    stream: Vector<I, N>,
    position: Vector<I, N>,
    #[comptime] neighbours: bool,
) -> Vector<A, N> {
    let lanes = N::value().comptime();
    let together = comptime!(lanes.min(WORDS));
    let mut drawn = Vector::<A, N>::empty();
    #[unroll]
    for group in 0..comptime!(lanes / together) {
        let start = comptime!(group * together);
        if comptime!(neighbours) {
            let values = numbers::<A, I>(seed.extract(start), stream.extract(start), position.extract(start));
            #[unroll]
            for lane in 0..together {
                drawn.insert(comptime!(start + lane), values[lane]);
            }
        } else if share::<I, N>(seed, stream, position, start, together) {
            let at = low_word::<I>(position.extract(start));
            let values = numbers::<A, I>(seed.extract(start), stream.extract(start), position.extract(start));
            #[unroll]
            for lane in 0..together {
                drawn.insert(comptime!(start + lane), chosen::<A>(&values, at, lane, together));
            }
        } else {
            #[unroll]
            for lane in 0..together {
                let lane = comptime!(start + lane);
                let at = low_word::<I>(position.extract(lane));
                let values =
                    numbers::<A, I>(seed.extract(lane), stream.extract(lane), position.extract(lane));
                drawn.insert(lane, chosen::<A>(&values, at, 0usize, 1usize));
            }
        }
    }
    drawn
}

/// Whether lanes take neighbouring words of one counter.
#[cube]
fn share<I: Int, N: Size>(
    seed: Vector<I, N>,
    stream: Vector<I, N>,
    position: Vector<I, N>,
    #[comptime] start: usize,
    #[comptime] together: usize,
) -> bool {
    let first = position.extract(start);
    let mut found = low_word::<I>(first) % comptime!(together as u32) == 0u32;
    #[unroll]
    for lane in 1..together {
        let lane_of_all = comptime!(start + lane);
        found = found
            && position.extract(lane_of_all) == first + I::new(comptime!(lane as i64))
            && seed.extract(lane_of_all) == seed.extract(start)
            && stream.extract(lane_of_all) == stream.extract(start);
    }
    found
}

/// The number of a lane that stands so many positions behind `at`, which is a multiple of `together`.
#[cube]
fn chosen<A: Float>(
    values: &Sequence<A>,
    at: u32,
    #[comptime] lane: usize,
    #[comptime] together: usize,
) -> A {
    if comptime!(together == 4) {
        values[lane]
    } else if comptime!(together == 2) {
        select((at & 2u32) == 0u32, values[lane], values[comptime!(lane + 2)])
    } else {
        let even = select((at & 2u32) == 0u32, values[0], values[2]);
        let odd = select((at & 2u32) == 0u32, values[1], values[3]);
        select((at & 1u32) == 0u32, even, odd)
    }
}

/// The numbers of the four positions that share a counter.
#[cube]
fn numbers<A: Float, I: Int>(seed: I, stream: I, position: I) -> Sequence<A> {
    let (low, high) = (low_word::<I>(position), high_word::<I>(position));
    let block = (low >> 2u32) | (high << 30u32);
    let (block_high, key) = (high >> 2u32, (low_word::<I>(seed), high_word::<I>(seed)));
    let stream = low_word::<I>(stream);
    let upper = philox(block, block_high, stream, 0u32.runtime(), key.0, key.1);
    let mut values = Sequence::<A>::new();
    if is_double::<A>() {
        let lower = philox(block, block_high, stream, 1u32.runtime(), key.0, key.1);
        #[unroll]
        for word in 0..WORDS {
            let leading = A::cast_from(upper[word]) * A::new(2097152.0);
            let bits = leading + A::cast_from(lower[word] >> 11u32);
            values.push(bits * float::<A>(comptime!(2f64.powi(-53))));
        }
    } else {
        #[unroll]
        for word in 0..WORDS {
            values.push(A::cast_from(upper[word] >> 8u32) * float::<A>(comptime!(2f64.powi(-24))));
        }
    }
    values
}

/// The random words of a counter and a key.
#[cube]
pub(crate) fn philox(a: u32, b: u32, c: u32, d: u32, key_low: u32, key_high: u32) -> Sequence<u32> {
    let mut words = Sequence::<u32>::new();
    words.push(a);
    words.push(b);
    words.push(c);
    words.push(d);
    #[unroll]
    for round in 0..comptime!(ROUNDS as usize) {
        let from = comptime!(WORDS * round);
        let weyl = comptime!(WEYL.map(|step| step.wrapping_mul(round as u32)));
        let (m0, m1) = (MULTIPLIERS[0].runtime(), MULTIPLIERS[1].runtime());
        let a = words[from];
        let b = words[comptime!(from + 1)];
        let c = words[comptime!(from + 2)];
        let d = words[comptime!(from + 3)];
        words.push(u32::mul_hi(m1, c) ^ b ^ (key_low + comptime!(weyl[0])));
        words.push(m1 * c);
        words.push(u32::mul_hi(m0, a) ^ d ^ (key_high + comptime!(weyl[1])));
        words.push(m0 * a);
    }
    let mut last = Sequence::<u32>::new();
    #[unroll]
    for word in 0..WORDS {
        last.push(words[comptime!(WORDS * ROUNDS as usize + word)]);
    }
    last
}

/// The lower 32 bits of an int.
#[cube]
fn low_word<I: Int>(x: I) -> u32 {
    u32::cast_from(x)
}

/// Bits 32 to 63 of an int, whose sign goes on to the left.
#[cube]
fn high_word<I: Int>(x: I) -> u32 {
    let bits = I::size_bits().comptime();
    if comptime!(bits == 64) {
        u32::cast_from(x >> I::new(32))
    } else {
        select(x < I::new(0), u32::MAX.runtime(), 0u32.runtime())
    }
}
