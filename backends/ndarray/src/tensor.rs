//! A tensor of the CPU backend: an array of one of the element types.

use crate::array::Array;
use crate::buffer::{Lent, Memory};
use crate::layout::Layout;
use crate::parallel::Shared;
use crate::pool::Pooled;
use tensor_op_core::{DType, Error, ErrorKind, Result, Shape, Storage, TensorData, bf16, f16};

/// A tensor on the CPU: a strided view of a shared buffer. Cloning shares the buffer.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "named as the dtypes are")]
pub enum NdArrayTensor {
    F64(Array<f64>),
    F32(Array<f32>),
    F16(Array<f16>),
    BF16(Array<bf16>),
    I64(Array<i64>),
    I32(Array<i32>),
    U32(Array<u32>),
    U8(Array<u8>),
    Bool(Array<bool>),
}

/// A type that tensors store: an element with a variant of [`NdArrayTensor`].
pub trait Stored: Pooled {
    /// As a tensor of any type.
    fn into_tensor(array: Array<Self>) -> NdArrayTensor;
    /// The array, if the tensor holds this type.
    fn from_tensor(tensor: NdArrayTensor) -> Option<Array<Self>>;
    /// The array, if the tensor holds this type.
    fn of_tensor(tensor: &NdArrayTensor) -> Option<&Array<Self>>;
}

macro_rules! stored {
    ($($ty:ty: $variant:ident),*) => {$(
        impl Stored for $ty {
            fn into_tensor(array: Array<$ty>) -> NdArrayTensor {
                NdArrayTensor::$variant(array)
            }
            fn from_tensor(tensor: NdArrayTensor) -> Option<Array<$ty>> {
                if let NdArrayTensor::$variant(array) = tensor { Some(array) } else { None }
            }
            fn of_tensor(tensor: &NdArrayTensor) -> Option<&Array<$ty>> {
                if let NdArrayTensor::$variant(array) = tensor { Some(array) } else { None }
            }
        }
    )*};
}
stored!(f64: F64, f32: F32, f16: F16, bf16: BF16, i64: I64, i32: I32, u32: U32, u8: U8, bool: Bool);

/// Evaluates an expression with a variable bound to the array of any tensor.
macro_rules! with_array {
    ($tensor:expr, $array:ident => $body:expr) => {
        match $tensor {
            $crate::NdArrayTensor::F64($array) => $body,
            $crate::NdArrayTensor::F32($array) => $body,
            $crate::NdArrayTensor::F16($array) => $body,
            $crate::NdArrayTensor::BF16($array) => $body,
            $crate::NdArrayTensor::I64($array) => $body,
            $crate::NdArrayTensor::I32($array) => $body,
            $crate::NdArrayTensor::U32($array) => $body,
            $crate::NdArrayTensor::U8($array) => $body,
            $crate::NdArrayTensor::Bool($array) => $body,
        }
    };
}
pub(crate) use with_array;

/// Evaluates an expression with a variable bound to the array of any tensor. The expression gives an array,
/// which becomes a tensor again.
macro_rules! map_array {
    ($tensor:expr, $array:ident => $body:expr) => {
        $crate::tensor::with_array!($tensor, $array => $crate::tensor::Stored::into_tensor($body))
    };
}
pub(crate) use map_array;

impl NdArrayTensor {
    /// Type of the elements.
    pub fn dtype(&self) -> DType {
        match self {
            NdArrayTensor::F64(_) => DType::F64,
            NdArrayTensor::F32(_) => DType::F32,
            NdArrayTensor::F16(_) => DType::F16,
            NdArrayTensor::BF16(_) => DType::BF16,
            NdArrayTensor::I64(_) => DType::I64,
            NdArrayTensor::I32(_) => DType::I32,
            NdArrayTensor::U32(_) => DType::U32,
            NdArrayTensor::U8(_) => DType::U8,
            NdArrayTensor::Bool(_) => DType::Bool,
        }
    }

    /// Sizes of the axes.
    pub fn shape(&self) -> &Shape {
        &self.layout().shape
    }

    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.layout().len()
    }

    /// The elements, if they are contiguous in row-major order. An `Err` if they are of another type.
    pub fn as_slice<T: Stored>(&self) -> Result<Option<&[T]>> {
        self.array::<T>().map(Array::as_slice)
    }

    /// A tensor with data from the host, without a copy.
    pub fn from_data(data: TensorData) -> NdArrayTensor {
        let (shape, storage) = data.into_parts();
        match storage {
            Storage::F64(elements) => NdArrayTensor::F64(Array::from_vec(elements, &shape)),
            Storage::F32(elements) => NdArrayTensor::F32(Array::from_vec(elements, &shape)),
            Storage::F16(elements) => NdArrayTensor::F16(Array::from_vec(elements, &shape)),
            Storage::BF16(elements) => NdArrayTensor::BF16(Array::from_vec(elements, &shape)),
            Storage::I64(elements) => NdArrayTensor::I64(Array::from_vec(elements, &shape)),
            Storage::I32(elements) => NdArrayTensor::I32(Array::from_vec(elements, &shape)),
            Storage::U32(elements) => NdArrayTensor::U32(Array::from_vec(elements, &shape)),
            Storage::U8(elements) => NdArrayTensor::U8(Array::from_vec(elements, &shape)),
            Storage::Bool(elements) => NdArrayTensor::Bool(Array::from_vec(elements, &shape)),
        }
    }

    /// The data of the tensor, on the host. It is not copied if it is a whole buffer that no other tensor
    /// shares.
    pub fn into_data(self) -> Result<TensorData> {
        let shape = self.shape().clone();
        with_array!(self, array => TensorData::new(array.into_vec()?, shape))
    }

    /// A view of memory that another library lends, with this shape, these strides in elements, and this
    /// position of the first element. An `Err` if the view leaves the memory, if the number of strides is not
    /// the number of axes, or if there are more elements than can be counted.
    ///
    /// ```
    /// # use tensor_op_ndarray::{Lent, NdArrayTensor};
    /// struct Table([f32; 4]);
    /// // SAFETY: a boxed table doesn't move, and nobody can write to it.
    /// unsafe impl Lent<f32> for Table {
    ///     fn start(&self) -> *const f32 {
    ///         self.0.as_ptr()
    ///     }
    ///     fn len(&self) -> usize {
    ///         4
    ///     }
    ///     fn start_mut(&mut self) -> Option<*mut f32> {
    ///         None
    ///     }
    /// }
    /// let reversed = NdArrayTensor::lent(Box::new(Table([0.0, 1.0, 2.0, 3.0])), &[2], &[-2], 3).unwrap();
    /// assert_eq!(reversed.into_data().unwrap().into_vec::<f32>().unwrap(), [3.0, 1.0]);
    /// ```
    pub fn lent<T: Stored>(
        memory: Box<dyn Lent<T>>,
        shape: &[usize],
        strides: &[isize],
        offset: usize,
    ) -> Result<NdArrayTensor> {
        Array::lent(memory, shape, strides, offset).map(T::into_tensor)
    }

    /// The memory that holds the elements, and their layout in it: shape, strides in elements, and position
    /// of the first one. An `Err` if the elements are of another type. Elements that another tensor shares
    /// are copied.
    pub fn into_memory<T: Stored>(self) -> Result<(Memory<T>, Shape, Vec<isize>, usize)> {
        let (memory, Layout { shape, strides, offset }) = self.into_array::<T>()?.into_memory()?;
        Ok((memory, shape, strides.to_vec(), offset))
    }

    /// The layout of the elements in the buffer.
    pub(crate) fn layout(&self) -> &Layout {
        with_array!(self, array => array.layout())
    }

    /// The same buffer under another layout.
    pub(crate) fn with_layout(self, layout: Layout) -> NdArrayTensor {
        map_array!(self, array => array.with_layout(layout))
    }

    /// A new row-major tensor for writing, in a buffer that no other tensor shares. Its elements have
    /// arbitrary values.
    pub(crate) fn recycled(shape: &[usize], dtype: DType) -> Result<NdArrayTensor> {
        Ok(tensor_op_core::match_dtype!(dtype, T => T::into_tensor(Array::recycled(shape)?)))
    }

    /// The same elements, contiguous in row-major order. They are copied if they aren't contiguous already.
    pub(crate) fn into_contiguous(self) -> Result<NdArrayTensor> {
        Ok(map_array!(self, array => array.into_contiguous()?))
    }

    /// Whether no other tensor shares the buffer.
    pub(crate) fn is_unique(&mut self) -> bool {
        with_array!(self, array => array.is_unique())
    }

    /// Strides of the axes, in elements.
    pub fn strides(&self) -> &[isize] {
        &self.layout().strides
    }

    /// Address of the first element.
    pub fn as_ptr(&self) -> *const u8 {
        with_array!(self, array => array.as_ptr().cast())
    }

    /// Address of the first element, for writing. `None` if another tensor shares the buffer.
    pub fn as_mut_ptr(&mut self) -> Option<*mut u8> {
        with_array!(self, array => array.as_mut_ptr().map(<*mut _>::cast))
    }

    /// The first element, for writing. An `Err` if the elements are of another type. No other tensor may
    /// share the buffer.
    pub(crate) fn target<T: Stored>(&mut self) -> Result<Shared<T>> {
        self.array::<T>()?;
        Ok(Shared(self.as_mut_ptr().expect("a new buffer has one owner").cast()))
    }

    /// The array. An `Err` if the elements are of another type.
    pub(crate) fn array<T: Stored>(&self) -> Result<&Array<T>> {
        T::of_tensor(self).ok_or_else(|| wrong_type::<T>(self.dtype()))
    }

    /// The array. An `Err` if the elements are of another type.
    pub(crate) fn into_array<T: Stored>(self) -> Result<Array<T>> {
        let dtype = self.dtype();
        T::from_tensor(self).ok_or_else(|| wrong_type::<T>(dtype))
    }
}

fn wrong_type<T: Stored>(found: DType) -> Error {
    Error::new(ErrorKind::DType, format!("the tensor is {found}, not {}; cast it first", T::DTYPE))
}
