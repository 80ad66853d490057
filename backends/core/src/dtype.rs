//! Element types in storage, and the Rust types that hold them.
//!
//! A graph knows only the three kinds float, int and bool; a [`DType`] says how a kind is stored.

use crate::data::Storage;
use crate::{Error, ErrorKind, Result};
use half::{bf16, f16};
use std::fmt;
use std::str::FromStr;
use tensor_op_spec::ir::{Kind, Scalar};

/// How the elements of a tensor are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DType {
    /// IEEE double.
    F64,
    /// IEEE single.
    F32,
    /// IEEE half; computes in f32.
    F16,
    /// The upper half of an f32; computes in f32.
    BF16,
    /// Signed, 64 bits.
    I64,
    /// Signed, 32 bits; wraps on overflow.
    I32,
    /// Unsigned, 32 bits; wraps on overflow.
    U32,
    /// Unsigned, 8 bits; wraps on overflow.
    U8,
    /// True or false, one byte.
    Bool,
}

impl DType {
    /// Every dtype.
    pub const ALL: [DType; 9] = [
        DType::F64,
        DType::F32,
        DType::F16,
        DType::BF16,
        DType::I64,
        DType::I32,
        DType::U32,
        DType::U8,
        DType::Bool,
    ];

    /// Bytes of one element.
    pub const fn size(self) -> usize {
        match self {
            DType::F64 | DType::I64 => 8,
            DType::F32 | DType::I32 | DType::U32 => 4,
            DType::F16 | DType::BF16 => 2,
            DType::U8 | DType::Bool => 1,
        }
    }

    /// The kind that a graph sees.
    pub const fn kind(self) -> Kind {
        match self {
            DType::F64 | DType::F32 | DType::F16 | DType::BF16 => Kind::Float,
            DType::I64 | DType::I32 | DType::U32 | DType::U8 => Kind::Int,
            DType::Bool => Kind::Bool,
        }
    }

    /// The dtype in which values of this dtype are computed: f64 for f64, f32 for other floats, i64 for ints.
    pub const fn compute(self) -> DType {
        match self {
            DType::F64 => DType::F64,
            DType::F32 | DType::F16 | DType::BF16 => DType::F32,
            DType::I64 | DType::I32 | DType::U32 | DType::U8 => DType::I64,
            DType::Bool => DType::Bool,
        }
    }

    /// Whether values are computed with more digits than the dtype has. This is so for f16 and bf16.
    pub const fn is_half(self) -> bool {
        match self {
            DType::F16 | DType::BF16 => true,
            DType::F64 | DType::F32 | DType::I64 | DType::I32 | DType::U32 | DType::U8 | DType::Bool => false,
        }
    }

    /// The narrowest int dtype that can hold the numbers of both dtypes. If one of them is not an int, it is
    /// i64.
    ///
    /// ```
    /// # use tensor_op_core::DType;
    /// assert_eq!(DType::U8.widest_int(DType::I32), DType::I32);
    /// assert_eq!(DType::U32.widest_int(DType::I32), DType::I64);
    /// ```
    pub const fn widest_int(self, other: DType) -> DType {
        if self.holds_ints_of(other) {
            self
        } else if other.holds_ints_of(self) {
            other
        } else {
            DType::I64
        }
    }

    const fn holds_ints_of(self, other: DType) -> bool {
        match (self, other) {
            (DType::I64, DType::I64 | DType::I32 | DType::U32 | DType::U8) => true,
            (DType::I32, DType::I32 | DType::U8) | (DType::U32, DType::U32 | DType::U8) => true,
            (DType::U8, DType::U8) => true,
            (DType::I64 | DType::I32 | DType::U32 | DType::U8, _) => false,
            (DType::F64 | DType::F32 | DType::F16 | DType::BF16 | DType::Bool, _) => false,
        }
    }

    /// The name of the Rust type: `f32`.
    pub const fn name(self) -> &'static str {
        match self {
            DType::F64 => "f64",
            DType::F32 => "f32",
            DType::F16 => "f16",
            DType::BF16 => "bf16",
            DType::I64 => "i64",
            DType::I32 => "i32",
            DType::U32 => "u32",
            DType::U8 => "u8",
            DType::Bool => "bool",
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for DType {
    type Err = Error;

    fn from_str(name: &str) -> Result<DType> {
        DType::ALL.into_iter().find(|dtype| dtype.name() == name).ok_or_else(|| {
            let known = DType::ALL.map(DType::name).join(", ");
            Error::new(ErrorKind::DType, format!("no dtype is called `{name}`; there are {known}"))
        })
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that is the element of a tensor.
///
/// Conversions are those of a cast: float to int truncates and saturates with NaN to 0, int to a narrower int
/// wraps, anything to bool is `!= 0`.
pub trait Element:
    sealed::Sealed + Copy + Default + PartialEq + fmt::Debug + fmt::Display + Send + Sync + 'static
{
    /// The dtype whose elements are of this type.
    const DTYPE: DType;

    /// The value as f64. An i64 beyond 2^53 is rounded.
    fn to_f64(self) -> f64;
    /// Converts from f64.
    fn from_f64(value: f64) -> Self;
    /// The value as i64.
    fn to_i64(self) -> i64;
    /// Converts from i64.
    fn from_i64(value: i64) -> Self;
    /// Converts from bool: 0 or 1.
    fn from_bool(value: bool) -> Self;

    /// Whether the value is not 0.
    fn to_bool(self) -> bool {
        self.to_f64() != 0.0
    }

    /// Converts from a scalar of any kind.
    fn from_scalar(value: Scalar) -> Self {
        match value {
            Scalar::Float(x) => Self::from_f64(x),
            Scalar::Int(x) => Self::from_i64(x),
            Scalar::Bool(x) => Self::from_bool(x),
        }
    }

    /// The value as a scalar of its kind.
    fn to_scalar(self) -> Scalar {
        match Self::DTYPE.kind() {
            Kind::Float => Scalar::Float(self.to_f64()),
            Kind::Int => Scalar::Int(self.to_i64()),
            Kind::Bool => Scalar::Bool(self.to_bool()),
        }
    }

    /// Converts from any element type. The conversion is exact if this type can hold the value.
    fn cast_from<T: Element>(value: T) -> Self {
        match T::DTYPE.kind() {
            Kind::Float => Self::from_f64(value.to_f64()),
            Kind::Int => Self::from_i64(value.to_i64()),
            Kind::Bool => Self::from_bool(value.to_bool()),
        }
    }

    /// Puts elements into storage.
    fn wrap(elements: Vec<Self>) -> Storage;
    /// The elements, if the storage holds this type.
    fn view(storage: &Storage) -> Option<&[Self]>;
    /// The elements, for writing, if the storage holds this type.
    fn view_mut(storage: &mut Storage) -> Option<&mut [Self]>;
    /// Takes the elements out, or returns the storage if it holds another type.
    fn unwrap(storage: Storage) -> std::result::Result<Vec<Self>, Storage>;
}

macro_rules! element {
    ($type:ty, $variant:ident, $x:ident,
     to_f64 $to_f64:expr, from_f64 $from_f64:expr, to_i64 $to_i64:expr, from_i64 $from_i64:expr, from_bool $from_bool:expr) => {
        impl sealed::Sealed for $type {}
        impl Element for $type {
            const DTYPE: DType = DType::$variant;

            fn to_f64(self) -> f64 {
                let $x = self;
                $to_f64
            }
            fn from_f64($x: f64) -> Self {
                $from_f64
            }
            fn to_i64(self) -> i64 {
                let $x = self;
                $to_i64
            }
            fn from_i64($x: i64) -> Self {
                $from_i64
            }
            fn from_bool($x: bool) -> Self {
                $from_bool
            }
            fn wrap(elements: Vec<Self>) -> Storage {
                Storage::$variant(elements)
            }
            fn view(storage: &Storage) -> Option<&[Self]> {
                if let Storage::$variant(elements) = storage { Some(elements) } else { None }
            }
            fn view_mut(storage: &mut Storage) -> Option<&mut [Self]> {
                if let Storage::$variant(elements) = storage { Some(elements) } else { None }
            }
            fn unwrap(storage: Storage) -> std::result::Result<Vec<Self>, Storage> {
                if let Storage::$variant(elements) = storage { Ok(elements) } else { Err(storage) }
            }
        }
    };
}

/// Implements [`Element`] for a float or int type that `as` converts.
macro_rules! primitive {
    ($type:ty, $variant:ident) => {
        element!($type, $variant, x, to_f64 x as f64, from_f64 x as $type, to_i64 x as i64, from_i64 x as $type,
            from_bool u8::from(x) as $type);
    };
}

/// Implements [`Element`] for a half, which is converted through f64. `from_f64` rounds once: `half` handles
/// the double rounding.
macro_rules! half_float {
    ($type:ty, $variant:ident) => {
        element!($type, $variant, x, to_f64 x.to_f64(), from_f64 <$type>::from_f64(x), to_i64 x.to_f64() as i64,
            from_i64 <$type>::from_f64(x as f64), from_bool <$type>::from_f64(f64::from(u8::from(x))));
    };
}

primitive!(f64, F64);
primitive!(f32, F32);
half_float!(f16, F16);
half_float!(bf16, BF16);
primitive!(i64, I64);
primitive!(i32, I32);
primitive!(u32, U32);
primitive!(u8, U8);
element!(bool, Bool, x, to_f64 f64::from(u8::from(x)), from_f64 x != 0.0, to_i64 i64::from(x), from_i64 x != 0,
    from_bool x);

/// Evaluates an expression with a type alias bound to the element type of a dtype: `match_dtype!(dtype, T =>
/// f::<T>())`.
#[macro_export]
macro_rules! match_dtype {
    ($dtype:expr, $T:ident => $body:expr) => {
        match $dtype {
            $crate::DType::F64 => {
                type $T = f64;
                $body
            }
            $crate::DType::F32 => {
                type $T = f32;
                $body
            }
            $crate::DType::F16 => {
                type $T = $crate::f16;
                $body
            }
            $crate::DType::BF16 => {
                type $T = $crate::bf16;
                $body
            }
            $crate::DType::I64 => {
                type $T = i64;
                $body
            }
            $crate::DType::I32 => {
                type $T = i32;
                $body
            }
            $crate::DType::U32 => {
                type $T = u32;
                $body
            }
            $crate::DType::U8 => {
                type $T = u8;
                $body
            }
            $crate::DType::Bool => {
                type $T = bool;
                $body
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_back() {
        for dtype in DType::ALL {
            assert_eq!(dtype.name().parse::<DType>().unwrap(), dtype);
            assert_eq!(match_dtype!(dtype, T => (T::DTYPE, size_of::<T>())), (dtype, dtype.size()));
        }
        let message = "f8".parse::<DType>().unwrap_err().to_string();
        assert_eq!(
            message,
            "no dtype is called `f8`; there are f64, f32, f16, bf16, i64, i32, u32, u8, bool"
        );
    }

    #[test]
    fn casts_follow_the_language() {
        assert_eq!(i32::cast_from(-2.9f64), -2);
        assert_eq!(i32::cast_from(f64::NAN), 0);
        assert_eq!(u8::cast_from(300.0f32), 255);
        assert_eq!(u8::cast_from(300i64), 44);
        assert_eq!(u32::cast_from(-1i64), u32::MAX);
        assert_eq!(u32::cast_from(-1.0f32), 0);
        assert!(bool::cast_from(f32::NAN));
        assert!(!bool::cast_from(-0.0f64));
        assert_eq!(i64::cast_from(i64::MAX), i64::MAX);
        assert_eq!(f16::cast_from(1e6f64), f16::INFINITY);
        assert_eq!(bf16::cast_from(true).to_f64(), 1.0);
    }
}
