//! How elements are stored in a device's memory, and how they are moved there and back.
//!
//! A device may lack a type. Bools and bytes then take a word each. `i64` is stored as `i32`; a value that
//! does not fit is an `Err` when it is moved to the device or given as a scalar. Float types that a device
//! lacks are refused.

use cubecl::CubeElement;
use cubecl::features::TypeUsage;
use cubecl::ir::{DeviceProperties, ElemType, FloatKind, IntKind, UIntKind};
use tensor_op_core::{DType, Error, ErrorKind, Result, Storage, bf16, f16};

/// The types in which a device stores each dtype.
#[derive(Clone, Debug)]
pub(crate) struct Types {
    elems: [Option<ElemType>; DType::ALL.len()],
}

impl Types {
    pub(crate) fn new(properties: &DeviceProperties) -> Types {
        let has = |elem: ElemType| {
            let usage = properties.features.type_usage(elem);
            usage.is_superset(TypeUsage::Buffer | TypeUsage::Conversion | TypeUsage::Arithmetic)
        };
        let stored = |elem: ElemType| {
            properties.features.type_usage(elem).is_superset(TypeUsage::Buffer | TypeUsage::Conversion)
        };
        let first = |elems: &[ElemType]| elems.iter().copied().find(|elem| has(*elem));
        let (byte, word) = (ElemType::UInt(UIntKind::U8), ElemType::UInt(UIntKind::U32));
        let elem = |dtype: DType| match dtype {
            DType::F64 => first(&[ElemType::Float(FloatKind::F64)]),
            DType::F32 => first(&[ElemType::Float(FloatKind::F32)]),
            DType::F16 => [ElemType::Float(FloatKind::F16)].into_iter().find(|elem| stored(*elem)),
            DType::BF16 => [ElemType::Float(FloatKind::BF16)].into_iter().find(|elem| stored(*elem)),
            DType::I64 => first(&[ElemType::Int(IntKind::I64), ElemType::Int(IntKind::I32)]),
            DType::I32 => first(&[ElemType::Int(IntKind::I32)]),
            // Arithmetic uses `i64` for it, because no shorter int can hold all of its values.
            DType::U32 => first(&[word]).filter(|_| has(ElemType::Int(IntKind::I64))),
            DType::U8 | DType::Bool => first(&[byte, word]),
        };
        Types { elems: DType::ALL.map(elem) }
    }

    /// The type in memory. `None` if the device can't store the dtype.
    pub(crate) fn get(&self, dtype: DType) -> Option<ElemType> {
        self.elems[DType::ALL.iter().position(|other| *other == dtype)?]
    }
}

/// Converts elements to the bytes that a device stores.
pub(crate) fn to_bytes(storage: &Storage, elem: ElemType) -> Result<Vec<u8>> {
    let is_word = elem == ElemType::UInt(UIntKind::U32);
    Ok(match storage {
        Storage::F64(x) => f64::as_bytes(x).to_vec(),
        Storage::F32(x) => f32::as_bytes(x).to_vec(),
        Storage::F16(x) => f16::as_bytes(x).to_vec(),
        Storage::BF16(x) => bf16::as_bytes(x).to_vec(),
        Storage::I64(x) if elem == ElemType::Int(IntKind::I32) => {
            i32::as_bytes(&x.iter().map(|value| narrow(*value)).collect::<Result<Vec<i32>>>()?).to_vec()
        }
        Storage::I64(x) => i64::as_bytes(x).to_vec(),
        Storage::I32(x) => i32::as_bytes(x).to_vec(),
        Storage::U32(x) => u32::as_bytes(x).to_vec(),
        Storage::U8(x) if is_word => {
            u32::as_bytes(&x.iter().map(|v| u32::from(*v)).collect::<Vec<_>>()).to_vec()
        }
        Storage::U8(x) => x.clone(),
        Storage::Bool(x) if is_word => {
            u32::as_bytes(&x.iter().map(|v| u32::from(*v)).collect::<Vec<_>>()).to_vec()
        }
        Storage::Bool(x) => x.iter().map(|v| u8::from(*v)).collect(),
    })
}

/// Converts the bytes that a device stores to elements.
pub(crate) fn from_bytes(bytes: &[u8], dtype: DType, elem: ElemType) -> Storage {
    let is_word = elem == ElemType::UInt(UIntKind::U32);
    match dtype {
        DType::F64 => Storage::F64(f64::from_bytes(bytes).to_vec()),
        DType::F32 => Storage::F32(f32::from_bytes(bytes).to_vec()),
        DType::F16 => Storage::F16(f16::from_bytes(bytes).to_vec()),
        DType::BF16 => Storage::BF16(bf16::from_bytes(bytes).to_vec()),
        DType::I64 if elem == ElemType::Int(IntKind::I32) => {
            Storage::I64(i32::from_bytes(bytes).iter().map(|v| i64::from(*v)).collect())
        }
        DType::I64 => Storage::I64(i64::from_bytes(bytes).to_vec()),
        DType::I32 => Storage::I32(i32::from_bytes(bytes).to_vec()),
        DType::U32 => Storage::U32(u32::from_bytes(bytes).to_vec()),
        DType::U8 if is_word => Storage::U8(u32::from_bytes(bytes).iter().map(|v| *v as u8).collect()),
        DType::U8 => Storage::U8(bytes.to_vec()),
        DType::Bool if is_word => Storage::Bool(u32::from_bytes(bytes).iter().map(|v| *v != 0).collect()),
        DType::Bool => Storage::Bool(bytes.iter().map(|v| *v != 0).collect()),
    }
}

/// Converts an int for a device that has no ints of 64 bits.
pub(crate) fn narrow(value: i64) -> Result<i32> {
    i32::try_from(value).map_err(|_| {
        let message = format!("{value} does not fit in 32 bits, and this device has no longer ints");
        Error::new(ErrorKind::DType, message)
    })
}
