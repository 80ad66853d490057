//! Elements as integers in the same order.

use crate::tensor::Stored;
use tensor_op_core::{bf16, f16};

/// An element that can be sorted.
pub(super) trait Key: Stored {
    /// Its order and its position in one number.
    type Word: Word;
    /// A number that grows with the element. NaN has the largest one, and -0 that of 0.
    fn key(self) -> u64;
    /// The number by which elements of a row are sorted.
    fn word(self, position: usize, descending: bool) -> Self::Word;
}

/// The order of an element in the higher bits, and its position in the lower ones.
pub(super) trait Word: Copy + Ord + Send + Sync {
    /// The position.
    fn position(self) -> usize;
}

/// Of 32 bits for the order, and 32 for the position.
impl Word for u64 {
    fn position(self) -> usize {
        (self & u64::from(u32::MAX)) as usize
    }
}

/// Of 64 bits for each.
impl Word for u128 {
    fn position(self) -> usize {
        (self & u128::from(u64::MAX)) as usize
    }
}

macro_rules! keys {
    ($($ty:ty: $word:ty, |$x:ident| $key:expr;)*) => {$(
        impl Key for $ty {
            type Word = $word;
            fn key(self) -> u64 {
                let $x = self;
                u64::from($key)
            }
            fn word(self, position: usize, descending: bool) -> $word {
                let $x = self;
                let key = $key;
                let key = if descending { !key } else { key };
                <$word>::from(key) << (<$word>::BITS / 2) | position as $word
            }
        }
    )*};
}
keys! {
    f64: u128, |x| double(x);
    f32: u64, |x| single(x);
    f16: u64, |x| single(x.to_f32());
    bf16: u64, |x| single(x.to_f32());
    i64: u128, |x| (x as u64) ^ (1 << 63);
    i32: u64, |x| (x as u32) ^ (1 << 31);
    u32: u64, |x| x;
    u8: u64, |x| u32::from(x);
    bool: u64, |x| u32::from(x);
}

fn single(x: f32) -> u32 {
    if x.is_nan() {
        return u32::MAX;
    }
    // Adding 0 turns -0 into 0.
    let bits = (x + 0.0).to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}

fn double(x: f64) -> u64 {
    if x.is_nan() {
        return u64::MAX;
    }
    let bits = (x + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}
