//! The tensors of an exam.

use safetensors::Dtype;
use safetensors::tensor::TensorView;
use std::error::Error;
use tensor_op::{DType, Device, Result, Tensor};

pub(crate) type Loaded<T> = std::result::Result<T, Box<dyn Error>>;

/// The elements of a tensor; ints and bools are whole numbers.
pub(crate) struct Values {
    pub(crate) dtype: DType,
    pub(crate) shape: Vec<usize>,
    pub(crate) elements: Vec<f64>,
}

impl Values {
    pub(crate) fn load(view: &TensorView<'_>) -> Loaded<Values> {
        let bytes = view.data();
        let (dtype, elements) = match view.dtype() {
            Dtype::F64 => (DType::F64, numbers(bytes, f64::from_le_bytes)),
            Dtype::F32 => (DType::F32, numbers(bytes, |x| f32::from_le_bytes(x).into())),
            Dtype::F16 => (DType::F16, numbers(bytes, |x| half::f16::from_le_bytes(x).into())),
            Dtype::BF16 => (DType::BF16, numbers(bytes, |x| half::bf16::from_le_bytes(x).into())),
            Dtype::I64 => (DType::I64, numbers(bytes, |x| i64::from_le_bytes(x) as f64)),
            Dtype::U32 => (DType::U32, numbers(bytes, |x| u32::from_le_bytes(x).into())),
            Dtype::I32 => (DType::I32, numbers(bytes, |x| i32::from_le_bytes(x).into())),
            Dtype::U8 => (DType::U8, numbers(bytes, |x| u8::from_le_bytes(x).into())),
            Dtype::BOOL => (DType::Bool, numbers(bytes, |x| u8::from_le_bytes(x).into())),
            other => return Err(format!("there are no tensors of {other:?}").into()),
        };
        Ok(Values { dtype, shape: view.shape().to_vec(), elements })
    }

    pub(crate) fn tensor(&self) -> Result<Tensor> {
        Tensor::from_vec(self.elements.clone(), self.shape.clone(), &Device::default())?.cast(self.dtype)
    }
}

fn numbers<const SIZE: usize>(bytes: &[u8], number: impl Fn([u8; SIZE]) -> f64) -> Vec<f64> {
    bytes.as_chunks::<SIZE>().0.iter().map(|bytes| number(*bytes)).collect()
}

/// The first difference in dtype, shape or elements. Ints are compared by value, whatever their width is.
pub(crate) fn difference(
    found: &Tensor,
    reference: &Values,
    (relative, absolute): (f64, f64),
) -> Result<Option<String>> {
    let kind = |dtype| if is_float(dtype) || dtype == DType::Bool { dtype } else { DType::I64 };
    if kind(found.dtype()) != kind(reference.dtype) {
        return Ok(Some(format!("dtype {}, not {}", found.dtype(), reference.dtype)));
    }
    if found.shape().to_vec() != reference.shape {
        return Ok(Some(format!("shape {}, not {:?}", found.shape(), reference.shape)));
    }
    let elements = found.cast(DType::F64)?.to_vec::<f64>()?;
    let agrees = |found: f64, wanted: f64| {
        found == wanted
            || (found.is_nan() && wanted.is_nan())
            || (wanted.is_finite() && (found - wanted).abs() <= absolute + relative * wanted.abs())
    };
    let mut pairs = elements.iter().zip(&reference.elements).enumerate();
    let count =
        elements.iter().zip(&reference.elements).filter(|(found, wanted)| !agrees(**found, **wanted)).count();
    let first = pairs.find(|(_, (found, wanted))| !agrees(**found, **wanted));
    Ok(first.map(|(i, (found, wanted))| {
        let (shape, all) = (&reference.shape, elements.len());
        format!("element {i} of {shape:?} is {found:?}, not {wanted:?}; {count} of {all} differ")
    }))
}

pub(crate) fn is_float(dtype: DType) -> bool {
    matches!(dtype, DType::F64 | DType::F32 | DType::F16 | DType::BF16)
}
