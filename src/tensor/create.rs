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

    /// A tensor whose elements are all 0. `None` for the dtype stands for the default float of the device.
    pub fn zeros(
        shape: impl Into<Shape>,
        dtype: impl Into<Option<DType>>,
        device: &Device,
    ) -> Result<Tensor> {
        filled("zeros", shape.into(), Scalar::Bool(false), float_or(dtype, device), device)
    }

    /// A tensor whose elements are all 1. `None` for the dtype stands for the default float of the device.
    pub fn ones(shape: impl Into<Shape>, dtype: impl Into<Option<DType>>, device: &Device) -> Result<Tensor> {
        filled("ones", shape.into(), Scalar::Bool(true), float_or(dtype, device), device)
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

    /// `count` floats from `start` to `end`, both included, at equal distances. One element is `start`. An
    /// `Err` for an int dtype.
    ///
    /// ```
    /// # use tensor_op::prelude::*;
    /// let x = Tensor::linspace(0.0, 1.0, 5, DType::F64, &Device::default())?;
    /// assert_eq!(x.to_vec::<f64>()?, [0.0, 0.25, 0.5, 0.75, 1.0]);
    /// # Ok::<(), tensor_op::Error>(())
    /// ```
    pub fn linspace(
        start: f64,
        end: f64,
        count: usize,
        dtype: impl Into<Option<DType>>,
        device: &Device,
    ) -> Result<Tensor> {
        let dtype = float_or(dtype, device);
        if dtype.kind() != Kind::Float {
            let message = format!("the elements are floats, not {dtype}; cast them, or use `arange`");
            return Err(error("linspace", ErrorKind::DType, message));
        }
        if !(end - start).is_finite() {
            let message = format!("the distance from {start} to {end} is not finite");
            return Err(error("linspace", ErrorKind::Overflow, message));
        }
        let step = (end - start) / (count.max(2) - 1) as f64;
        // Each half counts from its own end, so that both ends are exact.
        let element = |i: usize| match i < count.div_ceil(2) {
            true => start + i as f64 * step,
            false => end - (count - 1 - i) as f64 * step,
        };
        tensor_op_core::match_dtype!(dtype, T => {
            let mut elements = reserved::<T>("linspace", &Shape::new(&[count]))?;
            elements.extend((0..count).map(|i| T::from_f64(element(i))));
            Tensor::from_vec(elements, [count], device)
        })
    }

    /// Zeros with the shape, dtype and device of this tensor.
    pub fn zeros_like(&self) -> Result<Tensor> {
        self.filled_like("zeros_like", self.shape(), Scalar::Bool(false))
    }

    /// Ones with the shape, dtype and device of this tensor.
    ///
    /// ```
    /// # use tensor_op::prelude::*;
    /// let y = (2.0 * Tensor::from([1.0, 2.0]).require_grad())?;
    /// assert_eq!(y.backward_with(&y.ones_like()?)?.len(), 1);
    /// # Ok::<(), tensor_op::Error>(())
    /// ```
    pub fn ones_like(&self) -> Result<Tensor> {
        self.filled_like("ones_like", self.shape(), Scalar::Bool(true))
    }

    /// Elements of one value, with the shape, dtype and device of this tensor. Floats are rounded to the
    /// dtype; an int must fit, and a float among ints is an `Err`.
    pub fn full_like<T: Element>(&self, value: T) -> Result<Tensor> {
        let dtype = self.dtype();
        let converted = tensor_op_core::match_dtype!(dtype, U => {
            TensorData::scalar(value).to_vec::<U>().map(|one| one.first().map(|one| one.to_scalar()))
        });
        let Ok(Some(value)) = converted else {
            let message = format!("{value} is no {dtype}; cast the tensor, or write a value that is one");
            return Err(error("full_like", ErrorKind::DType, message));
        };
        self.filled_like("full_like", self.shape(), value)
    }

    /// A tensor of this dtype on this device.
    pub(super) fn filled_like(&self, op: &str, shape: Shape, value: Scalar) -> Result<Tensor> {
        filled(op, shape, value, self.dtype(), &self.device())
    }

    /// The identity matrix of this size. `None` for the dtype stands for the default float of the device.
    pub fn eye(size: usize, dtype: impl Into<Option<DType>>, device: &Device) -> Result<Tensor> {
        let (shape, dtype) = (Shape::new(&[size, size]), float_or(dtype, device));
        tensor_op_core::match_dtype!(dtype, T => {
            let mut elements = reserved::<T>("eye", &shape)?;
            elements.resize(size * size, T::from_bool(false));
            elements.iter_mut().step_by(size + 1).for_each(|x| *x = T::from_bool(true));
            Tensor::from_vec(elements, shape, device)
        })
    }
}

/// The dtype that is said, or the default float of the device.
pub(super) fn float_or(dtype: impl Into<Option<DType>>, device: &Device) -> DType {
    dtype.into().unwrap_or_else(|| device.default_float())
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
