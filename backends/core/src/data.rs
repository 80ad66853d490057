//! Tensors on the host, row-major. Data goes to a device, and comes back from it, in this form.

use crate::memory::{copied, filled, reserved};
use crate::{DType, Element, Error, ErrorKind, Result, Shape, match_dtype};
use half::{bf16, f16};
use std::any::Any;
use std::fmt;
use std::mem;
use std::sync::Arc;
use tensor_op_spec::ir::{Kind, Scalar};

/// Elements on the host, row-major, with their shape.
///
/// With the feature `serde` it is written as its shape and its elements, which are under the name of their
/// dtype: `{"shape":[2],"elements":{"f32":[1.0,2.0]}}`. Halves are written as their bits. In formats of text
/// floats that are no numbers are `"NaN"`, `"inf"` and `"-inf"`.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorData {
    shape: Shape,
    storage: Storage,
    staged: Staged,
}

/// A copy of the elements that a backend has made for itself. It is no part of the value.
#[derive(Clone, Default)]
struct Staged(Option<Arc<Box<dyn Any + Send + Sync>>>);

impl fmt::Debug for Staged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Staged" } else { "-" })
    }
}

impl PartialEq for Staged {
    fn eq(&self, _: &Staged) -> bool {
        true
    }
}

/// The elements of a [`TensorData`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
#[allow(missing_docs, reason = "named as the dtypes are")]
pub enum Storage {
    F64(#[cfg_attr(feature = "serde", serde(with = "crate::serialized::floats"))] Vec<f64>),
    F32(#[cfg_attr(feature = "serde", serde(with = "crate::serialized::floats"))] Vec<f32>),
    F16(Vec<f16>),
    BF16(Vec<bf16>),
    I64(Vec<i64>),
    I32(Vec<i32>),
    U32(Vec<u32>),
    U8(Vec<u8>),
    Bool(Vec<bool>),
}

/// Evaluates an expression with a variable bound to the vector of any storage.
macro_rules! with_elements {
    ($storage:expr, $elements:ident => $body:expr) => {
        match $storage {
            Storage::F64($elements) => $body,
            Storage::F32($elements) => $body,
            Storage::F16($elements) => $body,
            Storage::BF16($elements) => $body,
            Storage::I64($elements) => $body,
            Storage::I32($elements) => $body,
            Storage::U32($elements) => $body,
            Storage::U8($elements) => $body,
            Storage::Bool($elements) => $body,
        }
    };
}

impl TensorData {
    /// Makes data of elements in row-major order. An `Err` if their number does not fit the shape.
    pub fn new<T: Element>(elements: Vec<T>, shape: impl Into<Shape>) -> Result<TensorData> {
        TensorData::from_storage(T::wrap(elements), shape)
    }

    /// Makes data of storage in row-major order. An `Err` if its number of elements does not fit the shape.
    pub fn from_storage(storage: Storage, shape: impl Into<Shape>) -> Result<TensorData> {
        let shape = shape.into();
        let (wanted, found) = (shape.elements()?, storage.len());
        if wanted != found {
            let message = format!("shape {shape} has {wanted} elements, but {found} were given");
            return Err(Error::new(ErrorKind::Length, message));
        }
        Ok(TensorData { shape, storage, staged: Staged::default() })
    }

    /// Data with one element and no axes.
    pub fn scalar<T: Element>(value: T) -> TensorData {
        TensorData { shape: Shape::scalar(), storage: T::wrap(vec![value]), staged: Staged::default() }
    }

    /// Data whose elements all have one value.
    pub fn full(shape: impl Into<Shape>, value: Scalar, dtype: DType) -> Result<TensorData> {
        let shape = shape.into();
        let elements = shape.elements()?;
        let storage = match_dtype!(dtype, T => T::wrap(filled(T::from_scalar(value), elements)?));
        Ok(TensorData { shape, storage, staged: Staged::default() })
    }

    /// Data of the widest dtype of a kind: f64, i64 or bool.
    pub(crate) fn from_scalars(values: Vec<Scalar>, kind: Kind, shape: Shape) -> Result<TensorData> {
        match kind {
            Kind::Float => TensorData::new(values.into_iter().map(f64::from_scalar).collect(), shape),
            Kind::Int => TensorData::new(values.into_iter().map(i64::from_scalar).collect(), shape),
            Kind::Bool => TensorData::new(values.into_iter().map(bool::from_scalar).collect(), shape),
        }
    }

    /// The elements as scalars of their kind.
    pub(crate) fn to_scalars(&self) -> Vec<Scalar> {
        fn all<T: Element>(elements: &[T]) -> Vec<Scalar> {
            elements.iter().map(|x| x.to_scalar()).collect()
        }
        match &self.storage {
            Storage::F64(x) => all(x),
            Storage::F32(x) => all(x),
            Storage::F16(x) => all(x),
            Storage::BF16(x) => all(x),
            Storage::I64(x) => all(x),
            Storage::I32(x) => all(x),
            Storage::U32(x) => all(x),
            Storage::U8(x) => all(x),
            Storage::Bool(x) => all(x),
        }
    }

    /// Sizes of the axes.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Type of the elements.
    pub fn dtype(&self) -> DType {
        self.storage.dtype()
    }

    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.storage.len()
    }

    /// The elements.
    pub fn storage(&self) -> &Storage {
        &self.storage
    }

    /// Keeps a copy of the elements that a backend has made for its [`Backend::from_data`](crate::Backend),
    /// until the elements change. It replaces an earlier one.
    pub fn stage<T: Any + Send + Sync>(&mut self, copy: T) {
        self.staged = Staged(Some(Arc::new(Box::new(copy))));
    }

    /// Drops the elements, and leaks the staged copy if nobody else has it: its backend could block where it
    /// is freed.
    pub(crate) fn leak_staged(self) {
        mem::forget(self.staged.0.and_then(Arc::into_inner));
    }

    /// The copy that [`stage`](TensorData::stage) keeps, if it is of this type. Clones share it.
    pub fn staged<T: Any>(&self) -> Option<&T> {
        let copy: &(dyn Any + Send + Sync) = &***self.staged.0.as_ref()?;
        copy.downcast_ref()
    }

    /// Shape and elements, by value.
    pub fn into_parts(self) -> (Shape, Storage) {
        (self.shape, self.storage)
    }

    /// The elements; an `Err` if they have another type.
    pub fn as_slice<T: Element>(&self) -> Result<&[T]> {
        T::view(&self.storage).ok_or_else(|| wrong_type::<T>(self.dtype(), "to_vec"))
    }

    /// The elements, for writing; an `Err` if they have another type.
    pub fn as_mut_slice<T: Element>(&mut self) -> Result<&mut [T]> {
        let dtype = self.dtype();
        self.staged = Staged::default();
        T::view_mut(&mut self.storage).ok_or_else(|| wrong_type::<T>(dtype, "to_vec"))
    }

    /// The elements, without a copy; an `Err` if they have another type.
    pub fn into_vec<T: Element>(self) -> Result<Vec<T>> {
        T::unwrap(self.storage).map_err(|storage| wrong_type::<T>(storage.dtype(), "to_vec"))
    }

    /// A copy of the elements as another type, if the conversion keeps the values: floats are rounded, ints
    /// must fit, and bools become 0 and 1. Floats to ints and numbers to bools are an `Err`; use a cast for
    /// them.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        if let Some(elements) = T::view(&self.storage) {
            return copied(elements);
        }
        with_elements!(&self.storage, elements => convert(elements))
    }

    /// Casts the elements to another dtype: float to int truncates and saturates, NaN gives 0, int to a
    /// narrower int wraps, and to bool is `!= 0`.
    pub fn cast(self, dtype: DType) -> TensorData {
        if self.dtype() == dtype {
            return self;
        }
        let storage = match_dtype!(dtype, T => with_elements!(&self.storage, elements => {
            T::wrap(elements.iter().map(|x| T::cast_from(*x)).collect())
        }));
        TensorData { shape: self.shape, storage, staged: Staged::default() }
    }

    /// The same elements in another shape with as many elements.
    pub fn reshape(self, shape: impl Into<Shape>) -> Result<TensorData> {
        TensorData::from_storage(self.storage, shape)
    }
}

impl Storage {
    /// Type of the elements.
    pub fn dtype(&self) -> DType {
        match self {
            Storage::F64(_) => DType::F64,
            Storage::F32(_) => DType::F32,
            Storage::F16(_) => DType::F16,
            Storage::BF16(_) => DType::BF16,
            Storage::I64(_) => DType::I64,
            Storage::I32(_) => DType::I32,
            Storage::U32(_) => DType::U32,
            Storage::U8(_) => DType::U8,
            Storage::Bool(_) => DType::Bool,
        }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        with_elements!(self, elements => elements.len())
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn convert<S: Element, T: Element>(elements: &[S]) -> Result<Vec<T>> {
    let mut converted = reserved(elements.len())?;
    match (S::DTYPE.kind(), T::DTYPE.kind()) {
        (Kind::Float | Kind::Int | Kind::Bool, Kind::Float) | (Kind::Bool, Kind::Int | Kind::Bool) => {
            converted.extend(elements.iter().map(|x| T::cast_from(*x)));
        }
        (Kind::Int, Kind::Int) => {
            for x in elements {
                converted.push(fit(*x)?);
            }
        }
        (Kind::Float, Kind::Int | Kind::Bool) | (Kind::Int, Kind::Bool) => {
            return Err(wrong_type::<T>(S::DTYPE, "cast"));
        }
    }
    Ok(converted)
}

fn fit<S: Element, T: Element>(value: S) -> Result<T> {
    let converted = T::cast_from(value);
    if converted.to_i64() == value.to_i64() {
        return Ok(converted);
    }
    Err(Error::new(
        ErrorKind::DType,
        format!("{value} does not fit in {}; cast first to let it wrap", T::DTYPE),
    ))
}

fn wrong_type<T: Element>(found: DType, instead: &str) -> Error {
    Error::new(
        ErrorKind::DType,
        format!("the data is {found}, not {}; use `{instead}` to convert it", T::DTYPE),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_is_checked() {
        let error = TensorData::new(vec![1.0f32; 5], [2, 3]).unwrap_err();
        assert_eq!(error.to_string(), "shape [2, 3] has 6 elements, but 5 were given");
        assert_eq!(error.kind(), ErrorKind::Length);
        let error = TensorData::new(Vec::<f32>::new(), [usize::MAX, 0, 2]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Overflow);
    }

    #[test]
    fn a_staged_copy_is_gone_when_the_elements_change() {
        let mut data = TensorData::new(vec![1i32, 2], [2]).unwrap();
        let plain = data.clone();
        data.stage("a copy".to_string());
        assert_eq!(data.clone().staged::<String>().unwrap(), "a copy");
        assert_eq!((data.staged::<u8>(), plain.staged::<String>()), (None, None));
        assert_eq!(data, plain);
        data.as_mut_slice::<i32>().unwrap()[0] = 7;
        assert_eq!(data.staged::<String>(), None);
    }

    #[test]
    fn memory_that_is_not_there_is_an_error() {
        let error = TensorData::full([1 << 46], Scalar::Int(1), DType::F32).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Overflow);
        assert_eq!(error.to_string(), "needs 281474976710656 bytes, more than can be allocated");
    }

    #[test]
    fn conversions_keep_values_or_fail() {
        let ints = TensorData::new(vec![1i64, 300], [2]).unwrap();
        assert_eq!(ints.to_vec::<f32>().unwrap(), [1.0, 300.0]);
        assert_eq!(ints.to_vec::<i32>().unwrap(), [1, 300]);
        let message = ints.to_vec::<u8>().unwrap_err().to_string();
        assert_eq!(message, "300 does not fit in u8; cast first to let it wrap");
        assert!(ints.to_vec::<bool>().is_err());
        assert!(ints.as_slice::<f64>().is_err());
        let floats = TensorData::scalar(f16::from_f64(0.1));
        assert_eq!(floats.to_vec::<f64>().unwrap(), [f16::from_f64(0.1).to_f64()]);
        let message = floats.to_vec::<i64>().unwrap_err().to_string();
        assert_eq!(message, "the data is f16, not i64; use `cast` to convert it");
        assert_eq!(floats.cast(DType::U8).into_vec::<u8>().unwrap(), [0]);
    }
}
