//! Element types of Burn and of tensor-op.

use burn::backend::{BoolDType, DType as BurnDType, FloatDType, IntDType, Scalar as BurnScalar};
use tensor_op_core::{DType, Error, ErrorKind, Result};
use tensor_op_spec::ir::Scalar;

/// The dtype that an op sees; `Err` for a dtype that ops don't take.
pub(crate) fn from_burn(dtype: BurnDType) -> Result<DType> {
    match dtype {
        BurnDType::F64 => Ok(DType::F64),
        BurnDType::F32 | BurnDType::Flex32 => Ok(DType::F32),
        BurnDType::F16 => Ok(DType::F16),
        BurnDType::BF16 => Ok(DType::BF16),
        BurnDType::I64 => Ok(DType::I64),
        BurnDType::I32 => Ok(DType::I32),
        BurnDType::U32 => Ok(DType::U32),
        BurnDType::U8 => Ok(DType::U8),
        BurnDType::Bool(_) => Ok(DType::Bool),
        BurnDType::I16 | BurnDType::I8 | BurnDType::U64 | BurnDType::U16 => {
            Err(refused(dtype, "i64, i32, u32 or u8"))
        }
        BurnDType::QFloat(_) => Err(refused(dtype, "f64, f32, f16 or bf16 with `dequantize`")),
    }
}

fn refused(dtype: BurnDType, wanted: &str) -> Error {
    Error::new(ErrorKind::DType, format!("ops don't take {}; cast it to {wanted}", dtype.name()))
}

/// The dtype of Burn. Bools are stored as the device stores them.
pub(crate) fn to_burn(dtype: DType, bools: BoolDType) -> BurnDType {
    match dtype {
        DType::F64 => BurnDType::F64,
        DType::F32 => BurnDType::F32,
        DType::F16 => BurnDType::F16,
        DType::BF16 => BurnDType::BF16,
        DType::I64 => BurnDType::I64,
        DType::I32 => BurnDType::I32,
        DType::U32 => BurnDType::U32,
        DType::U8 => BurnDType::U8,
        DType::Bool => bools.into(),
    }
}

/// The float dtype of Burn; f32 if the dtype is not a float.
pub(crate) fn float(dtype: DType) -> FloatDType {
    match dtype {
        DType::F64 => FloatDType::F64,
        DType::F16 => FloatDType::F16,
        DType::BF16 => FloatDType::BF16,
        DType::F32 | DType::I64 | DType::I32 | DType::U32 | DType::U8 | DType::Bool => FloatDType::F32,
    }
}

/// The int dtype of Burn; i64 if the dtype is not an int.
pub(crate) fn int(dtype: DType) -> IntDType {
    match dtype {
        DType::I32 => IntDType::I32,
        DType::U32 => IntDType::U32,
        DType::U8 => IntDType::U8,
        DType::I64 | DType::F64 | DType::F32 | DType::F16 | DType::BF16 | DType::Bool => IntDType::I64,
    }
}

/// A scalar of Burn.
pub(crate) fn scalar(value: Scalar) -> BurnScalar {
    match value {
        Scalar::Float(x) => BurnScalar::Float(x),
        Scalar::Int(x) => BurnScalar::Int(x),
        Scalar::Bool(x) => BurnScalar::Bool(x),
    }
}
