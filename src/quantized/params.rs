//! Scales and zero points: those that a tensor needs, and whether given ones fit.

use super::layout::Layout;
use super::scheme::{QuantMode, QuantScheme};
use crate::catalogue::quantize::{affine_scale, symmetric_scale};
use crate::{DType, Device, Error, ErrorKind, Result, Tensor};
use tensor_op_spec::ir::Kind;

/// The scale and the zero point for the ranges of the elements.
pub(super) fn found(x: &Tensor, scheme: &QuantScheme, layout: &Layout) -> Result<(Tensor, Option<Tensor>)> {
    let smallest = smallest(x.dtype())?;
    let is_affine = scheme.mode == QuantMode::Affine;
    // No elements have no range.
    if x.elements() == 0 {
        let zeros = || Tensor::zeros(layout.params(), stored(&x.device()), &x.device());
        let scale = Tensor::ones(layout.params(), x.dtype(), &x.device())?;
        return Ok((scale, is_affine.then(zeros).transpose()?));
    }
    let ((grouped, axes), (low, high)) = (layout.grouped(x)?, scheme.range());
    Ok(match scheme.mode {
        QuantMode::Symmetric => (symmetric_scale(&grouped, axes, high, smallest)?, None),
        QuantMode::Affine => {
            let (scale, zero_point) = affine_scale(&grouped, axes, low, high, smallest)?;
            (scale, Some(zero_point.cast(stored(&x.device()))?))
        }
    })
}

/// The dtype of words and zero points. A backend with ints has at least i64.
pub(super) fn stored(device: &Device) -> DType {
    if device.supports_dtype(DType::I32) { DType::I32 } else { DType::I64 }
}

/// The smallest normal number, below which a scale loses digits.
fn smallest(dtype: DType) -> Result<f64> {
    match dtype {
        DType::F64 => Ok(f64::MIN_POSITIVE),
        DType::F32 | DType::BF16 => Ok(f64::from(f32::MIN_POSITIVE)),
        DType::F16 => Ok(2_f64.powi(-14)),
        DType::I64 | DType::I32 | DType::U32 | DType::U8 | DType::Bool => {
            let message = format!("the tensor is {dtype}, and only floats are quantized; cast it");
            Err(error(ErrorKind::DType, message))
        }
    }
}

/// Returns an `Err` unless given scales and zero points fit a tensor of this dtype.
pub(super) fn check(
    scheme: &QuantScheme,
    layout: &Layout,
    dtype: DType,
    scale: &Tensor,
    zero_point: &Option<Tensor>,
) -> Result<()> {
    smallest(dtype)?;
    let has_shape = |arg: &str, tensor: &Tensor| {
        let (found, wanted) = (tensor.shape(), layout.params());
        if found == wanted {
            return Ok(());
        }
        let message = format!("has shape {found}, and for {} its shape is {wanted}", layout.owner());
        Err(error(ErrorKind::Shape, message).with_arg(arg))
    };
    has_shape("scale", scale)?;
    if scale.dtype() != dtype {
        let message = format!("is {}, and the tensor is {dtype}; cast one of them", scale.dtype());
        return Err(error(ErrorKind::DType, message).with_arg("scale"));
    }
    let wrong = |kind, message: String| Err(error(kind, message).with_arg("zero_point"));
    match (scheme.mode, zero_point) {
        (QuantMode::Symmetric, None) => Ok(()),
        (QuantMode::Symmetric, Some(_)) => wrong(
            ErrorKind::Length,
            "is given, and the scheme is symmetric: write `None`, or make it `affine()`".into(),
        ),
        (QuantMode::Affine, None) => {
            wrong(ErrorKind::Length, "is missing, and the scheme is affine: write one for each scale".into())
        }
        (QuantMode::Affine, Some(zero_point)) if zero_point.dtype().kind() != Kind::Int => {
            wrong(ErrorKind::DType, format!("is {}, and zero points are ints; cast it", zero_point.dtype()))
        }
        (QuantMode::Affine, Some(zero_point)) => has_shape("zero_point", zero_point),
    }
}

pub(super) fn error(kind: ErrorKind, message: impl Into<String>) -> Error {
    Error::new(kind, message)
}

/// Runs a function of this module, whose errors name it.
pub(super) fn with<T>(op: &str, run: impl FnOnce() -> Result<T>) -> Result<T> {
    run().map_err(|error| error.renamed(op))
}
