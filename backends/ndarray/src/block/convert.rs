//! Conversions between stored elements and those of the arithmetic: halves to f32, small ints to i64, and
//! back.
//!
//! Each function converts as many elements as the shorter of its two slices has.

use super::multiversion::multiversion;
use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};

/// Exact.
pub fn f16_to_f32(from: &[f16], to: &mut [f32]) {
    let len = from.len().min(to.len());
    from[..len].convert_to_f32_slice(&mut to[..len]);
}

/// Rounds to nearest even.
pub fn f32_to_f16(from: &[f32], to: &mut [f16]) {
    let len = from.len().min(to.len());
    to[..len].convert_from_f32_slice(&from[..len]);
}

multiversion! {
    /// Exact.
    pub fn bf16_to_f32(from: &'a [bf16], to: &'b mut [f32]) {
        for (from, to) in from.iter().zip(to) {
            *to = f32::from_bits(u32::from(from.to_bits()) << 16);
        }
    }

    /// Rounds to nearest even; NaN stays NaN.
    pub fn f32_to_bf16(from: &'a [f32], to: &'b mut [bf16]) {
        for (from, to) in from.iter().zip(to) {
            let bits = from.to_bits();
            let to_even = 0x7fff + ((bits >> 16) & 1);
            let rounded = (bits.wrapping_add(to_even) >> 16) as u16;
            let quiet_nan = (bits >> 16) as u16 | 0x40;
            *to = bf16::from_bits(if from.is_nan() { quiet_nan } else { rounded });
        }
    }

    /// Exact.
    pub fn i32_to_i64(from: &'a [i32], to: &'b mut [i64]) {
        for (from, to) in from.iter().zip(to) {
            *to = i64::from(*from);
        }
    }

    /// Exact.
    pub fn u32_to_i64(from: &'a [u32], to: &'b mut [i64]) {
        for (from, to) in from.iter().zip(to) {
            *to = i64::from(*from);
        }
    }

    /// Exact.
    pub fn u8_to_i64(from: &'a [u8], to: &'b mut [i64]) {
        for (from, to) in from.iter().zip(to) {
            *to = i64::from(*from);
        }
    }

    /// Wraps around, as `as` does.
    pub fn i64_to_i32(from: &'a [i64], to: &'b mut [i32]) {
        for (from, to) in from.iter().zip(to) {
            *to = *from as i32;
        }
    }

    /// Wraps around, as `as` does.
    pub fn i64_to_u32(from: &'a [i64], to: &'b mut [u32]) {
        for (from, to) in from.iter().zip(to) {
            *to = *from as u32;
        }
    }

    /// Wraps around, as `as` does.
    pub fn i64_to_u8(from: &'a [i64], to: &'b mut [u8]) {
        for (from, to) in from.iter().zip(to) {
            *to = *from as u8;
        }
    }
}
