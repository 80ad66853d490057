//! Tensors of 8 bits that stand for floats, through one affine map for each tensor. They use only the
//! structural primitives of a backend.
//!
//! The map and its rounding are those of PyTorch's `quantize_per_tensor` to `quint8`: `q = round(x * (1 /
//! scale)) + zero_point`, half to even, saturating, and back `x = (q - zero_point) * scale`.

use crate::{Backend, DType, Error, ErrorKind, Result};
use tensor_op_spec::ir::{Kind, Scalar};
use tensor_op_spec::prim::Prim;

/// A tensor `T` of [`DType::U8`], with the scale and the zero point that map its elements to floats.
#[derive(Clone, Debug)]
pub struct Quantized<T> {
    values: T,
    scale: f64,
    zero_point: u8,
}

impl<T> Quantized<T> {
    /// Makes a tensor of elements that are already quantized. An `Err` if their dtype is not [`DType::U8`],
    /// or if the scale is not finite and positive.
    pub fn from_parts<B: Backend<Tensor = T>>(values: T, scale: f64, zero_point: u8) -> Result<Quantized<T>> {
        check_scale("quantized", scale, DType::F64)?;
        match B::dtype(&values) {
            DType::U8 => Ok(Quantized { values, scale, zero_point }),
            dtype => Err(wrong(
                "quantized",
                ErrorKind::DType,
                format!("the elements are {dtype}, quantized ones are u8"),
            )),
        }
    }

    /// Quantizes a float tensor. Values outside the range become the largest or smallest element, and NaN
    /// becomes the zero point. An `Err` if the tensor is not a float, if the backend does not store
    /// [`DType::U8`], or if the scale is not finite and positive, or has no reciprocal in the dtype of the
    /// arithmetic.
    pub fn quantize<B: Backend<Tensor = T>>(tensor: T, scale: f64, zero_point: u8) -> Result<Quantized<T>>
    where
        T: Clone,
    {
        let dtype = float("quantize", B::dtype(&tensor))?.compute();
        check_scale("quantize", scale, dtype)?;
        if !B::supports_dtype(&B::device(&tensor), DType::U8) {
            let message = format!("{} has no tensors of u8", B::name(&B::device(&tensor)));
            return Err(wrong("quantize", ErrorKind::Unsupported, message));
        }
        let x = B::cast(tensor, dtype)?;
        let is_nan = B::apply(Prim::IsNan, vec![x.clone()])?;
        let like = |value: f64| B::full(B::shape(&is_nan), Scalar::Float(value), dtype, &B::device(&is_nan));
        let (least, largest) = (f64::from(u8::MIN), f64::from(u8::MAX));
        let scaled = B::apply(Prim::Mul, vec![x, like(reciprocal(scale, dtype))?])?;
        let shifted =
            B::apply(Prim::Add, vec![B::apply(Prim::Round, vec![scaled])?, like(f64::from(zero_point))?])?;
        let below = B::apply(Prim::Minimum, vec![shifted, like(largest)?])?;
        let inside = B::apply(Prim::Maximum, vec![below, like(least)?])?;
        let values = B::apply(Prim::Select, vec![is_nan.clone(), like(f64::from(zero_point))?, inside])?;
        Ok(Quantized { values: B::cast(values, DType::U8)?, scale, zero_point })
    }

    /// The floats that the elements stand for, in `dtype`. An `Err` if `dtype` is not a float.
    pub fn dequantize<B: Backend<Tensor = T>>(self, dtype: DType) -> Result<T> {
        let compute = float("dequantize", dtype)?.compute();
        let (shape, device) = (B::shape(&self.values), B::device(&self.values));
        let like = |value: f64| B::full(shape.clone(), Scalar::Float(value), compute, &device);
        let x = B::cast(self.values, compute)?;
        let centred = B::apply(Prim::Sub, vec![x, like(f64::from(self.zero_point))?])?;
        B::cast(B::apply(Prim::Mul, vec![centred, like(self.scale)?])?, dtype)
    }

    /// The same map with its elements in another tensor, for example in one of a decorated backend.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Quantized<U> {
        Quantized { values: f(self.values), scale: self.scale, zero_point: self.zero_point }
    }

    /// The elements, of [`DType::U8`].
    pub fn values(&self) -> &T {
        &self.values
    }

    /// The difference of two floats whose elements differ by 1.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The element that stands for 0.
    pub fn zero_point(&self) -> u8 {
        self.zero_point
    }
}

/// The reciprocal of the scale, rounded as the arithmetic rounds it.
fn reciprocal(scale: f64, dtype: DType) -> f64 {
    if dtype == DType::F64 { 1.0 / scale } else { f64::from(1.0 / scale as f32) }
}

fn check_scale(op: &str, scale: f64, dtype: DType) -> Result<()> {
    let works = |x: f64| x.is_finite() && x > 0.0;
    if works(scale) && works(reciprocal(scale, dtype)) {
        return Ok(());
    }
    let message =
        format!("the scale is {scale}; it must be positive and finite, and so its reciprocal in {dtype}");
    Err(wrong(op, ErrorKind::Unsupported, message))
}

fn float(op: &str, dtype: DType) -> Result<DType> {
    if dtype.kind() == Kind::Float {
        return Ok(dtype);
    }
    Err(wrong(op, ErrorKind::DType, format!("a tensor of {dtype} is no float; only floats are quantized")))
}

fn wrong(op: &str, kind: ErrorKind, message: String) -> Error {
    Error::new(kind, message).with_op(op)
}
