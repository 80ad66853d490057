//! Random elements: a counter goes through a mixing function, so that each element depends on the seed and its place alone.
//!
//! The generator is SplitMix64 (Steele, Lea, Flood 2014), whose n-th output is the mix of `seed + n * GOLDEN`; normal values are
//! pairs of those through Box and Muller's transform.

use crate::array::{Array, Stored};
use crate::parallel::{self, Shared};
use crate::tensor::NdArrayTensor;
use std::sync::{Mutex, PoisonError};
use tensor_op_core::{DType, Distribution, Element, Error, ErrorKind, Result, Shape, match_dtype};
use tensor_op_spec::ir::Kind;

/// Where the generator is: what has been drawn is never drawn again.
#[derive(Clone, Copy)]
struct State {
    seed: u64,
    drawn: u64,
}

static STATE: Mutex<State> = Mutex::new(State { seed: 0, drawn: 0 });
/// Elements per task.
const TASK: usize = 1 << 12;
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Starts the generator again.
pub(crate) fn seed(seed: u64) {
    *STATE.lock().unwrap_or_else(PoisonError::into_inner) = State { seed, drawn: 0 };
}

/// A tensor of random floats.
pub(crate) fn random(shape: &Shape, distribution: Distribution, dtype: DType) -> Result<NdArrayTensor> {
    let len = shape.elements()?;
    if dtype.kind() != Kind::Float {
        let message = format!("random elements are floats, not {dtype}; draw floats and cast them");
        return Err(Error::new(ErrorKind::DType, message));
    }
    // Each element takes two numbers, whatever the distribution.
    let State { seed, drawn } = {
        let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
        let before = *state;
        state.drawn = state.drawn.wrapping_add(2 * len as u64);
        before
    };
    let start = mix(seed.wrapping_add(GOLDEN)).wrapping_add(drawn.wrapping_mul(GOLDEN));
    match_dtype!(dtype, T => fill::<T>(shape, start, distribution))
}

fn fill<T: Stored>(shape: &Shape, start: u64, distribution: Distribution) -> Result<NdArrayTensor> {
    let mut array = Array::<T>::recycled(shape)?;
    let len = array.len();
    let place = Shared(array.as_mut_ptr().expect("a new buffer has one owner"));
    parallel::for_each(len.div_ceil(TASK), len, |task| {
        for i in parallel::piece(task, TASK, len) {
            let at = start.wrapping_add((2 * i as u64).wrapping_mul(GOLDEN));
            let value = draw(mix(at), mix(at.wrapping_add(GOLDEN)), distribution);
            // SAFETY: one of the array's elements, which are `len` from its start; tasks have elements of their own.
            unsafe { *place.at(i as isize) = bounded(value, distribution) };
        }
    });
    Ok(T::into_tensor(array))
}

/// From 64 random bits to as many random bits, one to one.
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

fn draw(a: u64, b: u64, distribution: Distribution) -> f64 {
    match distribution {
        Distribution::Uniform { low, high } => low + (high - low) * unit(a),
        Distribution::Normal { mean, std } => {
            // 1 - u is never 0, so that its logarithm is finite.
            let radius = (-2.0 * libm::log(1.0 - unit(a))).sqrt();
            mean + std * radius * libm::cos(std::f64::consts::TAU * unit(b))
        }
    }
}

/// A multiple of 2^-53 from 0 to below 1.
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// The value as it is stored; where that rounds to the excluded end of an interval, the included one.
fn bounded<T: Element>(value: f64, distribution: Distribution) -> T {
    let stored = T::from_f64(value);
    match distribution {
        Distribution::Uniform { low, high } if low < high && stored.to_f64() >= high => T::from_f64(low),
        Distribution::Uniform { .. } | Distribution::Normal { .. } => stored,
    }
}
