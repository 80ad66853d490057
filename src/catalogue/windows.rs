//! Windows of signals: weights that fall to both ends. Names and arguments are those of `torch.hann_window`
//! and its kin, and of `torch.signal.windows` for those that have no such function.
//!
//! A periodic window is one element shorter than the symmetric one: it leaves out the last element, which is
//! the first one of the next period. A window of a single element is 1.
//!
//! ```
//! use tensor_op::catalogue::windows::hann_window;
//! use tensor_op::prelude::*;
//!
//! # fn main() -> Result<()> {
//! let device = Device::default();
//! let periodic = hann_window(4, None, DType::F64, &device)?.to_vec::<f64>()?;
//! let symmetric = hann_window(5, false, DType::F64, &device)?.to_vec::<f64>()?;
//! assert_eq!(periodic, symmetric[..4]);
//! assert!((periodic[1] - 0.5).abs() < 1e-15 && periodic[2] == 1.0);
//! # Ok(())
//! # }
//! ```
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use crate::tensor_op;

/// The places of a window as parts of its period, from 0 on.
#[tensor_op]
pub(crate) fn window_places(n: usize, periodic: bool) -> Tensor![n] {
    cast(iota(n), float) / cast(maximum(len(n) - select(periodic, 0, 1), 1), float)
}

/// `(1 - cos(2 pi x)) / 2`. `torch.hann_window`.
#[tensor_op]
pub fn hann_window(window_length: usize, #[default(true)] periodic: bool) -> Tensor![window_length] {
    let x = self::window_places(window_length, periodic, n = window_length);
    select(len(window_length) == 1, 1.0, 0.5 - 0.5 * cos(2.0 * PI * x))
}

/// `alpha - beta cos(2 pi x)`. `torch.hamming_window`.
#[tensor_op]
pub fn hamming_window(
    window_length: usize,
    #[default(true)] periodic: bool,
    #[default(0.54)] alpha: f64,
    #[default(0.46)] beta: f64,
) -> Tensor![window_length] {
    let x = self::window_places(window_length, periodic, n = window_length);
    select(len(window_length) == 1, 1.0, alpha - beta * cos(2.0 * PI * x))
}

/// `0.42 - 0.5 cos(2 pi x) + 0.08 cos(4 pi x)`. `torch.blackman_window`.
#[tensor_op]
pub fn blackman_window(window_length: usize, #[default(true)] periodic: bool) -> Tensor![window_length] {
    let x = self::window_places(window_length, periodic, n = window_length);
    // In this order the ends are exactly 0.
    let window = 0.08 * cos(4.0 * PI * x) - 0.5 * cos(2.0 * PI * x) + 0.42;
    select(len(window_length) == 1, 1.0, window)
}

/// A triangle with zeros at its ends. `torch.bartlett_window`.
#[tensor_op]
pub fn bartlett_window(window_length: usize, #[default(true)] periodic: bool) -> Tensor![window_length] {
    let x = self::window_places(window_length, periodic, n = window_length);
    select(len(window_length) == 1, 1.0, 1.0 - abs(2.0 * x - 1.0))
}

/// `i0(beta sqrt(1 - (2 x - 1)^2)) / i0(beta)`, with the Bessel function [`i0`](super::special::i0): narrow
/// for a large `beta`. `torch.kaiser_window`, and no overflow for any `beta`.
#[tensor_op]
pub fn kaiser_window(
    window_length: usize,
    #[default(true)] periodic: bool,
    #[default(12.0)] beta: f64,
) -> Tensor![window_length] {
    let x = self::window_places(window_length, periodic, n = window_length);
    let height = abs(beta) * sqrt(maximum(1.0 - square(2.0 * x - 1.0), 0.0));
    let top = abs(beta) + 0.0 * x;
    let window = super::special::i0e(height) / super::special::i0e(top) * exp(height - top);
    select(len(window_length) == 1, 1.0, window)
}

/// Half a sine. `torch.signal.windows.cosine`.
#[tensor_op]
pub fn cosine(m: usize, #[default(true)] sym: bool) -> Tensor![m] {
    let count = len(m) + select(sym, 0, 1);
    select(len(m) == 1, 1.0, sin(PI * (cast(iota(m), float) + 0.5) / cast(count, float)))
}

/// The bell curve of this standard deviation, in elements, around the middle.
/// `torch.signal.windows.gaussian`.
#[tensor_op]
pub fn gaussian(m: usize, #[default(1.0)] std: f64, #[default(true)] sym: bool) -> Tensor![m] {
    let middle = cast(len(m) - select(sym, 1, 0), float) / 2.0;
    select(len(m) == 1, 1.0, exp(-0.5 * square((cast(iota(m), float) - middle) / std)))
}
