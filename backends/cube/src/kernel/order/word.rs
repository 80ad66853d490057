//! Elements as words of unsigned integers in the same order.

use crate::kernel::operand::Buffer;
use cubecl::ir::{ElemType, FloatKind, IntKind, UIntKind};
use cubecl::prelude::*;

/// An element: two numbers that grow with it, and its position. NaN has the largest numbers, and -0 those of
/// 0. No two elements of a row are equal.
#[derive(CubeType, Clone, Copy)]
#[expand(derive(Clone, Copy))]
pub(super) struct Word {
    pub(super) high: u32,
    /// 0 for elements of at most 32 bits.
    pub(super) low: u32,
    pub(super) place: u32,
}

/// How words are made of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Making {
    pub(super) key: Key,
    /// Whether the largest element comes first.
    pub(super) descending: bool,
}

/// The type in which elements are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    F64,
    F32,
    I64,
    I32,
    U32,
}

impl Key {
    /// For elements that are stored like this.
    pub(super) fn of(elem: ElemType) -> Key {
        match elem {
            ElemType::Float(FloatKind::F64) => Key::F64,
            ElemType::Float(_) => Key::F32,
            ElemType::Int(IntKind::I64) => Key::I64,
            ElemType::Int(_) => Key::I32,
            _ => Key::U32,
        }
    }

    /// The type in a kernel.
    pub(super) fn elem(self) -> ElemType {
        match self {
            Key::F64 => ElemType::Float(FloatKind::F64),
            Key::F32 => ElemType::Float(FloatKind::F32),
            Key::I64 => ElemType::Int(IntKind::I64),
            Key::I32 => ElemType::Int(IntKind::I32),
            Key::U32 => ElemType::UInt(UIntKind::U32),
        }
    }

    /// Whether words have a lower number.
    pub(super) fn is_long(self) -> bool {
        match self {
            Key::F64 | Key::I64 => true,
            Key::F32 | Key::I32 | Key::U32 => false,
        }
    }
}

/// The word of an element of a buffer.
#[cube]
pub(super) fn read_word<E: Scalar>(
    input: &Buffer,
    at: usize,
    place: u32,
    #[comptime] making: Making,
) -> Word {
    let value = input.load::<E, Const<1>>(at, 0usize.runtime());
    let ordered = ordered::<E>(value, making.key);
    if comptime!(making.descending) {
        Word { high: !ordered.high, low: !ordered.low, place }
    } else {
        Word { high: ordered.high, low: ordered.low, place }
    }
}

/// The numbers of an element in ascending order.
#[cube]
pub(super) fn ordered<E: Scalar>(value: Vector<E, Const<1>>, #[comptime] key: Key) -> Word {
    let sign = 0x8000_0000u32;
    let zero = 0u32.runtime();
    match key {
        Key::F64 => {
            let bits = Vector::<u64, Const<1>>::reinterpret(value).extract(0usize);
            float(u32::cast_from(bits >> 32u64), u32::cast_from(bits), 0x7ff0_0000u32)
        }
        Key::F32 => {
            let bits = Vector::<u32, Const<1>>::reinterpret(value).extract(0usize);
            let found = float(bits, 0u32.runtime(), 0x7f80_0000u32);
            Word { high: found.high, low: zero, place: zero }
        }
        Key::I64 => {
            let bits = Vector::<u64, Const<1>>::reinterpret(value).extract(0usize);
            Word { high: u32::cast_from(bits >> 32u64) ^ sign, low: u32::cast_from(bits), place: zero }
        }
        Key::I32 => {
            let bits = Vector::<u32, Const<1>>::reinterpret(value).extract(0usize);
            Word { high: bits ^ sign, low: zero, place: zero }
        }
        Key::U32 => {
            let bits = Vector::<u32, Const<1>>::reinterpret(value).extract(0usize);
            Word { high: bits, low: zero, place: zero }
        }
    }
}

/// The numbers of a float with these bits; `infinity` is the upper half of infinity.
#[cube]
fn float(high: u32, low: u32, infinity: u32) -> Word {
    let sign = 0x8000_0000u32;
    let magnitude = high & 0x7fff_ffffu32;
    let is_nan = magnitude > infinity || (magnitude == infinity && low > 0u32);
    let is_zero = magnitude == 0u32 && low == 0u32;
    let is_negative = high >= sign && !is_zero;
    let all = 0xffff_ffffu32;
    let flipped = select(is_negative, !high, magnitude | sign);
    let low = select(is_negative, !low, low);
    Word { high: select(is_nan, all, flipped), low: select(is_nan, all, low), place: 0u32.runtime() }
}

/// Comes after all words with a smaller place.
#[cube]
pub(super) fn padding(place: u32) -> Word {
    Word { high: 0xffff_ffffu32.runtime(), low: 0xffff_ffffu32.runtime(), place }
}

/// Whether a word comes before another one.
#[cube]
pub(super) fn is_before(a: &Word, b: &Word) -> bool {
    let of_low = a.low < b.low || (a.low == b.low && a.place < b.place);
    a.high < b.high || (a.high == b.high && of_low)
}
