//! Random numbers as values: a [`Generator`] hands out [`Draw`]s, and a draw contains everything that its
//! elements depend on.
//!
//! No backend keeps a state. So two generators with the same seed give the same draws, whatever other threads
//! draw meanwhile.
//!
//! The host computes elements by SplitMix64 (Steele, Lea, Flood 2014). Its n-th output is the mix of `seed +
//! n * GOLDEN`. Normal values are made of two such numbers by the transform of Box and Muller.

use crate::memory::reserved;
use crate::{DType, Element, Error, ErrorKind, Result, Shape, TensorData, match_dtype};
use std::cell::Cell;
use std::sync::{Arc, Mutex, PoisonError};
use tensor_op_spec::ir::Kind;

/// The distribution of random elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// From `low` (inclusive) to `high` (exclusive).
    Uniform {
        /// Smallest value.
        low: f64,
        /// Bound of the values.
        high: f64,
    },
    /// The normal distribution.
    Normal {
        /// Its mean.
        mean: f64,
        /// Its standard deviation.
        std: f64,
    },
}

/// How many standard deviations a normal number can be away from its mean. The transform of Box and Muller
/// gives at most `sqrt(-2 ln u)` of them, and the smallest `u` of any backend is 2^-53, which makes 8.572.
const REACH: f64 = 8.58;

/// A source of random numbers: a seed, and the count of numbers that were drawn. No number is drawn twice.
/// Clones share one state.
///
/// ```
/// use tensor_op_core::{DType, Distribution, Generator, Shape};
///
/// let uniform = Distribution::Uniform { low: 0.0, high: 1.0 };
/// let draw = |generator: &Generator| generator.draw([4], uniform, DType::F32)?.to_data();
/// let (one, other) = (Generator::new(7), Generator::new(7));
/// assert_eq!(draw(&one)?, draw(&other)?);
/// assert_ne!(draw(&one)?, draw(&Generator::new(7))?);
/// # Ok::<(), tensor_op_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Generator(Arc<Mutex<State>>);

#[derive(Clone, Copy, Debug)]
struct State {
    seed: u64,
    drawn: u64,
}

thread_local! {
    static DRAWS: Cell<u64> = const { Cell::new(0) };
}

/// How many times this thread has drawn from any generator. What a device records must not draw: it would
/// draw the same numbers each time.
pub fn drawn_on_this_thread() -> u64 {
    DRAWS.with(Cell::get)
}

fn count_draw() {
    DRAWS.with(|draws| draws.set(draws.get().wrapping_add(1)));
}

impl Generator {
    /// A generator that starts with a seed.
    pub fn new(seed: u64) -> Generator {
        Generator(Arc::new(Mutex::new(State { seed, drawn: 0 })))
    }

    /// Draws a number that is the seed of other random numbers, such as those of a formula.
    pub fn next_seed(&self) -> i64 {
        count_draw();
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let State { seed, drawn } = *state;
        state.drawn = drawn.wrapping_add(1);
        mix(start(seed, drawn)) as i64
    }

    /// Draws the next elements. An `Err` in these cases: the dtype is not a float; the distribution does not
    /// exist (`low > high`, a negative deviation, NaN); the dtype can't hold every number that may be drawn;
    /// the dtype has no number in the range. The range of `Uniform` goes from end to end, and that of
    /// `Normal` is 8.58 standard deviations around the mean, which no backend exceeds.
    pub fn draw(&self, shape: impl Into<Shape>, distribution: Distribution, dtype: DType) -> Result<Draw> {
        let shape = shape.into();
        let elements = shape.elements()?;
        distribution.check(dtype)?;
        count_draw();
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let State { seed, drawn } = *state;
        // Each element uses two numbers, whatever the distribution is.
        state.drawn = drawn.wrapping_add(2 * elements as u64);
        Ok(Draw { shape, distribution, dtype, seed, first: drawn })
    }
}

impl Distribution {
    fn check(self, dtype: DType) -> Result<()> {
        if dtype.kind() != Kind::Float {
            let message = format!("random elements are floats, not {dtype}; draw floats and cast them");
            return Err(Error::new(ErrorKind::DType, message));
        }
        let (is_one, ends, text) = match self {
            Distribution::Uniform { low, high } => (
                low <= high && low.is_finite() && high.is_finite(),
                [low, high],
                format!("from {low} to {high}"),
            ),
            Distribution::Normal { mean, std } => (
                std >= 0.0 && mean.is_finite() && std.is_finite(),
                [mean - REACH * std, mean + REACH * std],
                format!("of mean {mean} and standard deviation {std}"),
            ),
        };
        if !is_one {
            let rule = match self {
                Distribution::Uniform { .. } => "low <= high",
                Distribution::Normal { .. } => "a deviation of 0 or more",
            };
            let message = format!("there is no distribution {text}; write {rule}, both finite");
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        let (stored, largest) =
            match_dtype!(dtype, T => (ends.map(|end| T::from_f64(end).to_f64()), largest(dtype)));
        if !stored.iter().all(|end| end.is_finite()) {
            let message = format!("{dtype} can't hold all numbers {text}: its largest is {largest}");
            return Err(Error::new(ErrorKind::DType, message));
        }
        if stored[0] == stored[1] && !(ends[0]..=ends[1]).contains(&stored[0]) {
            let message = format!("{dtype} has no number {text}: the nearest is {}", stored[0]);
            return Err(Error::new(ErrorKind::DType, message));
        }
        Ok(())
    }
}

/// The largest finite number of a float dtype.
fn largest(dtype: DType) -> f64 {
    match dtype {
        DType::F32 => f32::MAX.into(),
        DType::F16 => crate::f16::MAX.into(),
        DType::BF16 => crate::bf16::MAX.into(),
        DType::F64 | DType::I64 | DType::I32 | DType::U32 | DType::U8 | DType::Bool => f64::MAX,
    }
}

/// Random elements that a [`Generator`] has handed out, but no backend has computed yet. The dtype is a
/// float, and all elements are finite in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Draw {
    shape: Shape,
    distribution: Distribution,
    dtype: DType,
    seed: u64,
    first: u64,
}

impl Draw {
    /// The shape of the tensor.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The distribution of the elements.
    pub fn distribution(&self) -> Distribution {
        self.distribution
    }

    /// The dtype of the elements.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The seed of the generator.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// How many numbers the generator gave before this draw. Each element takes two.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// The elements, computed on the host. A backend without its own generator uses this.
    pub fn to_data(&self) -> Result<TensorData> {
        match_dtype!(self.dtype, T => {
            let count = self.shape.elements()?;
            let mut elements = reserved::<T>(count)?;
            elements.extend((0..count).map(|i| self.element::<T>(i)));
            TensorData::new(elements, self.shape.clone())
        })
    }

    /// The element at a row-major index, as the host computes it.
    pub fn element<T: Element>(&self, at: usize) -> T {
        let place = start(self.seed, self.first).wrapping_add((2 * at as u64).wrapping_mul(GOLDEN));
        let (a, b) = (unit(mix(place)), unit(mix(place.wrapping_add(GOLDEN))));
        match self.distribution {
            Distribution::Uniform { low, high } => {
                // The distance of the ends may be more than the largest number, so it is added in two halves.
                let half = (high / 2.0 - low / 2.0) * a;
                let stored = T::from_f64(low + half + half);
                // If rounding gives the excluded end, the included end is used.
                if stored.to_f64() >= high { T::from_f64(low) } else { stored }
            }
            Distribution::Normal { mean, std } => {
                // `1 - a` is never 0, so its logarithm is finite.
                let radius = (-2.0 * libm::log(1.0 - a)).sqrt();
                T::from_f64(mean + std * radius * libm::cos(std::f64::consts::TAU * b))
            }
        }
    }
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The state of SplitMix64 after so many numbers of a seed.
fn start(seed: u64, drawn: u64) -> u64 {
    mix(seed.wrapping_add(GOLDEN)).wrapping_add(drawn.wrapping_mul(GOLDEN))
}

/// Maps 64 random bits one to one to 64 random bits.
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// A multiple of 2^-53, from 0 (inclusive) to 1 (exclusive).
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOATS: [DType; 4] = [DType::F64, DType::F32, DType::F16, DType::BF16];

    fn largest_drawn(distribution: Distribution, dtype: DType) -> f64 {
        let draw = Generator::new(3).draw([5000], distribution, dtype).unwrap();
        let data = draw.to_data().unwrap().cast(DType::F64);
        data.as_slice::<f64>().unwrap().iter().fold(0.0, |most, x| x.abs().max(most))
    }

    #[test]
    fn what_a_dtype_can_hold_is_drawn_up_to_its_largest() {
        for dtype in FLOATS {
            let most = largest(dtype);
            let uniform = largest_drawn(Distribution::Uniform { low: -most, high: most }, dtype);
            assert!(uniform.is_finite() && uniform > 0.99 * most, "{dtype}: {uniform}");
            let normal = largest_drawn(Distribution::Normal { mean: 0.0, std: most / 8.6 }, dtype);
            assert!(normal.is_finite() && normal > most / 8.6, "{dtype}: {normal}");
        }
        let constant = largest_drawn(Distribution::Uniform { low: 2.0, high: 2.0 }, DType::F16);
        assert_eq!(constant, 2.0);
    }

    #[test]
    fn what_a_dtype_cannot_hold_is_an_error_with_bounds_and_dtype() {
        let error = |distribution, dtype| Generator::new(0).draw([0], distribution, dtype).unwrap_err();
        for dtype in FLOATS {
            let most = largest(dtype);
            let wrong = [
                Distribution::Uniform { low: 0.0, high: 2.0 * most },
                Distribution::Uniform { low: -2.0 * most, high: 0.0 },
                Distribution::Uniform { low: 1.0, high: 0.0 },
                Distribution::Uniform { low: f64::NAN, high: 0.0 },
                Distribution::Uniform { low: 0.0, high: f64::NAN },
                Distribution::Normal { mean: 2.0 * most, std: 0.0 },
                Distribution::Normal { mean: 0.0, std: most / 8.5 },
                Distribution::Normal { mean: most, std: most },
                Distribution::Normal { mean: 0.0, std: -1.0 },
                Distribution::Normal { mean: f64::NAN, std: 1.0 },
                Distribution::Normal { mean: 0.0, std: f64::NAN },
            ];
            wrong.into_iter().for_each(|distribution| drop(error(distribution, dtype)));
        }
        let uniform = Distribution::Uniform { low: 0.0, high: 1e6 };
        let message = error(uniform, DType::F16).to_string();
        assert_eq!(message, "f16 can't hold all numbers from 0 to 1000000: its largest is 65504");
        assert_eq!(error(uniform, DType::I64).kind(), ErrorKind::DType);
        let message = error(Distribution::Uniform { low: 1e-9, high: 2e-9 }, DType::F16).to_string();
        assert_eq!(message, "f16 has no number from 0.000000001 to 0.000000002: the nearest is 0");
        error(Distribution::Uniform { low: 65503.0, high: 65504.0 }, DType::BF16);
        let message = error(Distribution::Uniform { low: 2.0, high: 1.0 }, DType::F32).to_string();
        assert_eq!(message, "there is no distribution from 2 to 1; write low <= high, both finite");
    }

    #[test]
    fn what_was_drawn_is_not_drawn_again() {
        let uniform = Distribution::Uniform { low: 0.0, high: 1.0 };
        let elements = |draw: Draw| draw.to_data().unwrap().into_vec::<f64>().unwrap();
        let (parts, whole) = (Generator::new(9), Generator::new(9));
        let two = [2, 3].map(|count| elements(parts.clone().draw([count], uniform, DType::F64).unwrap()));
        assert_eq!(two.concat(), elements(whole.draw([5], uniform, DType::F64).unwrap()));
    }
}
