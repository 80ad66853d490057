//! The float formats: their spacing, largest number and rounding.

use tensor_op_core::{DType, TensorData};

/// A binary float format.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Format {
    dtype: DType,
    /// Digits of the mantissa after the leading one.
    digits: i32,
    /// Exponent of the smallest normal number.
    least: i32,
    /// The largest finite number.
    pub max: f64,
}

impl Format {
    /// IEEE double.
    pub const F64: Format = Format { dtype: DType::F64, digits: 52, least: -1022, max: f64::MAX };

    /// What tensor cores take of an f32: all of its exponent, and ten digits
    /// (NVIDIA A100 Tensor Core GPU Architecture, "TensorFloat-32"). It is stored as f32, so
    /// [`Format::round`] does not apply.
    pub const TF32: Format = Format { dtype: DType::F32, digits: 10, least: -126, max: LARGEST_TF32 };

    /// The format of a float dtype. For other dtypes it is f64, in which their numbers compare exactly.
    pub fn of(dtype: DType) -> Format {
        match dtype {
            DType::F32 => Format { dtype, digits: 23, least: -126, max: f32::MAX as f64 },
            DType::F16 => Format { dtype, digits: 10, least: -14, max: 65504.0 },
            DType::BF16 => Format { dtype, digits: 7, least: -126, max: 3.389_531_389_251_535_5e38 },
            DType::F64 | DType::I64 | DType::I32 | DType::U32 | DType::U8 | DType::Bool => Format::F64,
        }
    }

    /// The distance between two neighbouring numbers at `x`: its unit in the last place.
    pub fn ulp(self, x: f64) -> f64 {
        // The exponent comes from the bits. That of a subnormal f64 is below `least` of every format.
        let exponent = ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023;
        power(exponent.max(self.least) - self.digits)
    }

    /// Half the spacing at 1: the largest relative error of one rounding.
    pub fn unit(self) -> f64 {
        power(-self.digits - 1)
    }

    /// The smallest normal number.
    pub fn min_positive(self) -> f64 {
        power(self.least)
    }

    /// Numbers from here on are rounded to infinity.
    pub fn overflow(self) -> f64 {
        self.max + self.ulp(self.max) / 2.0
    }

    /// Whether a number is one of the format.
    pub fn contains(self, x: f64) -> bool {
        let units = x / self.ulp(x);
        !x.is_finite() || (units == units.trunc() && x.abs() <= self.max)
    }

    /// The nearest number of the format.
    pub fn round(self, x: f64) -> f64 {
        let rounded = TensorData::scalar(x).cast(self.dtype).cast(DType::F64).into_vec::<f64>();
        rounded.map_or(f64::NAN, |values| values[0])
    }
}

/// `(2 - 2^-10) * 2^127`.
const LARGEST_TF32: f64 = 3.401_162_134_214_653_5e38;

/// Two to the power of an exponent that f64 has, including those of subnormal numbers.
fn power(exponent: i32) -> f64 {
    if exponent >= Format::F64.least {
        return f64::from_bits(((exponent + 1023) as u64) << 52);
    }
    f64::from_bits(1 << (exponent + 1074))
}
