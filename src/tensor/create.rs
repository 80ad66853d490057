//! Creation of tensors: from elements, filled, and counted.

use super::{Runtime, Tensor, check_dtype, error};
use crate::{Backend, DType, Device, Element, ErrorKind, Result, Shape, TensorData};
use tensor_op_spec::ir::{Kind, Scalar};

impl Tensor {
    /// A tensor of elements in row-major order.
    pub fn from_vec<T: Element>(
        elements: Vec<T>,
        shape: impl Into<Shape>,
        device: &Device,
    ) -> Result<Tensor> {
        let data = TensorData::new(elements, shape).map_err(|error| error.with_op("from_vec"))?;
        Tensor::from_data(data, device)
    }

    /// A tensor of data on the host.
    pub fn from_data(data: TensorData, device: &Device) -> Result<Tensor> {
        check_dtype("from_data", data.dtype(), device)?;
        Runtime::from_data(data, device.core()).map(Tensor).map_err(|error| error.with_op("from_data"))
    }

    /// A tensor with one element and no axes.
    pub fn scalar<T: Element>(value: T, device: &Device) -> Result<Tensor> {
        Tensor::from_data(TensorData::scalar(value), device)
    }

    /// A tensor whose elements are all 0.
    pub fn zeros(shape: impl Into<Shape>, dtype: DType, device: &Device) -> Result<Tensor> {
        filled("zeros", shape.into(), Scalar::Bool(false), dtype, device)
    }

    /// A tensor whose elements are all 1.
    pub fn ones(shape: impl Into<Shape>, dtype: DType, device: &Device) -> Result<Tensor> {
        filled("ones", shape.into(), Scalar::Bool(true), dtype, device)
    }

    /// A tensor whose elements all have one value. Its dtype is that of the value.
    pub fn full<T: Element>(shape: impl Into<Shape>, value: T, device: &Device) -> Result<Tensor> {
        filled("full", shape.into(), value.to_scalar(), T::DTYPE, device)
    }

    /// The elements `start`, `start + step`, and so on, before `end`. A step of 0 is an error.
    pub fn arange<T: Element>(start: T, end: T, step: T, device: &Device) -> Result<Tensor> {
        let count = match T::DTYPE.kind() {
            Kind::Float => float_count(start.to_f64(), end.to_f64(), step.to_f64()),
            Kind::Int => int_count(start.to_i64(), end.to_i64(), step.to_i64()),
            Kind::Bool => {
                return Err(error(
                    "arange",
                    ErrorKind::DType,
                    "bools can't be counted; use an int or a float",
                ));
            }
        };
        let Some(count) = count else {
            let message = format!("no number of elements goes from {start} to {end} in steps of {step}");
            return Err(error("arange", ErrorKind::Overflow, message));
        };
        let mut elements = reserved::<T>("arange", &Shape::new(&[count]))?;
        elements.extend((0..count).map(|i| match T::DTYPE.kind() {
            Kind::Float => T::from_f64(start.to_f64() + i as f64 * step.to_f64()),
            // Each value is between start and end, so the wrapped steps give the right result.
            Kind::Int | Kind::Bool => {
                T::from_i64(start.to_i64().wrapping_add((i as i64).wrapping_mul(step.to_i64())))
            }
        }));
        Tensor::from_vec(elements, [count], device)
    }

    /// The identity matrix of this size.
    pub fn eye(size: usize, dtype: DType, device: &Device) -> Result<Tensor> {
        let shape = Shape::new(&[size, size]);
        tensor_op_core::match_dtype!(dtype, T => {
            let mut elements = reserved::<T>("eye", &shape)?;
            elements.resize(size * size, T::from_bool(false));
            elements.iter_mut().step_by(size + 1).for_each(|x| *x = T::from_bool(true));
            Tensor::from_vec(elements, shape, device)
        })
    }
}

fn filled(op: &str, shape: Shape, value: Scalar, dtype: DType, device: &Device) -> Result<Tensor> {
    check_dtype(op, dtype, device)?;
    check_size(op, &shape, dtype)?;
    Runtime::full(shape, value, dtype, device.core()).map(Tensor).map_err(|error| error.with_op(op))
}

fn float_count(start: f64, end: f64, step: f64) -> Option<usize> {
    let count = ((end - start) / step).ceil();
    let countable = step != 0.0 && start.is_finite() && end.is_finite() && step.is_finite();
    (countable && count < isize::MAX as f64).then_some(count.max(0.0) as usize)
}

fn int_count(start: i64, end: i64, step: i64) -> Option<usize> {
    let (start, end, step) = (i128::from(start), i128::from(end), i128::from(step));
    let distance = if step < 0 { start - end } else { end - start };
    let steps = distance.max(0).checked_add(step.abs() - 1)?.checked_div(step.abs())?;
    usize::try_from(steps).ok()
}

/// Returns an `Err` if the number of bytes of the elements is too large to be counted.
pub(super) fn check_size(op: &str, shape: &Shape, dtype: DType) -> Result<usize> {
    let elements = shape.elements().map_err(|error| error.with_op(op))?;
    let bytes = elements.checked_mul(dtype.size());
    bytes.filter(|bytes| *bytes <= isize::MAX as usize).ok_or_else(|| too_large(op, shape, dtype))?;
    Ok(elements)
}

/// A list with capacity for the elements of a shape. An `Err` if there is not enough memory.
fn reserved<T: Element>(op: &str, shape: &Shape) -> Result<Vec<T>> {
    let mut elements = Vec::new();
    let count = check_size(op, shape, T::DTYPE)?;
    elements.try_reserve_exact(count).map_err(|_| too_large(op, shape, T::DTYPE))?;
    Ok(elements)
}

fn too_large(op: &str, shape: &Shape, dtype: DType) -> crate::Error {
    error(op, ErrorKind::Overflow, format!("shape {shape} of {dtype} does not fit in memory"))
}
