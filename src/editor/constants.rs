//! Constants of the language, and the kinds that `cast` takes.

#![allow(non_upper_case_globals, reason = "names of the language")]

use super::Value;

/// The ratio of a circle's circumference to its diameter, 3.14159..
pub const PI: Value = Value;

/// The base of the natural logarithm, 2.71828..
pub const E: Value = Value;

/// The natural logarithm of 2, 0.69314..
pub const LN_2: Value = Value;

/// The square root of 2, 1.41421..
pub const SQRT_2: Value = Value;

/// Positive infinity.
pub const INFINITY: Value = Value;

/// Not a number.
pub const NAN: Value = Value;

/// The kind of floats: `cast(x, float)`. A bool becomes 0 or 1.
pub const float: Value = Value;

/// The kind of ints: `cast(x, int)`. A float loses its fraction, one out of range becomes the nearest int,
/// and NaN becomes 0.
pub const int: Value = Value;

/// The kind of bools: `cast(x, bool)` is `x != 0`.
pub const bool: Value = Value;

/// The value of `at` outside: `at(x, n = n - 1, or = 0.0)`.
pub const or: Value = Value;

/// Whether a scan starts at the last element: `cumsum(x, n, reverse = true)`.
pub const reverse: Value = Value;

/// Whether each element is left out of its own sum: `cumsum(x, n, exclusive = true)`.
pub const exclusive: Value = Value;

/// Whether the largest element comes first: `sort(x, n, descending = true)`.
pub const descending: Value = Value;

/// The dim of the first elements in an order: `sort(x, n, first = k)`.
pub const first: Value = Value;

/// Whether equal elements count too: `searchsorted(sorted, x, n, right = true)`.
pub const right: Value = Value;

/// What a recurrence starts from: `linear_recurrence(decay, x, n, init = h)`.
pub const init: Value = Value;

/// Which of the random numbers of a seed are drawn: `uniform(seed, n, stream = 1)`.
pub const stream: Value = Value;
