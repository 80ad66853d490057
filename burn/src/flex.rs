//! The CPU kernels on the buffers of Burn's CPU backend. There is no copy in or out, and an argument that
//! nobody else holds is overwritten.

use crate::backend::OpBackend;
use crate::dtype::{from_burn, to_burn};
use crate::tensor::{OpTensor, burn_shape, declared_shape, scalars};
use burn::backend::flex::{Flex, FlexTensor, Layout};
use burn::backend::{BoolDType, Bytes, DType as BurnDType};
use std::any::Any;
use tensor_op_core::{Backend, Error, ErrorKind, Op, Result, Shape, Value, bf16, f16};
use tensor_op_ndarray::{Lent, Memory, NdArray, NdArrayTensor, Stored};

impl OpBackend for Flex {
    fn run_op(
        op: &dyn Op,
        args: Vec<Value<OpTensor<Flex>>>,
        wanted: &[bool],
    ) -> Result<Vec<Option<OpTensor<Flex>>>> {
        let graph = op.spec().graph();
        let scalars = scalars(graph, &args);
        let take = |(at, arg): (usize, Value<OpTensor<Flex>>)| {
            let taken = match arg {
                Value::Tensor(OpTensor::Float(tensor) | OpTensor::Int(tensor) | OpTensor::Bool(tensor)) => {
                    let shape = declared_shape(scalars[at], Shape::new(tensor.layout().shape()));
                    lend(tensor, &shape).map(Value::Tensor)
                }
                Value::Scalar(scalar) => Ok(Value::Scalar(scalar)),
                Value::Shape(shape) => Ok(Value::Shape(declared_shape(scalars[at], shape))),
            };
            taken.map_err(|error| error.of_arg(graph, at))
        };
        let args = args.into_iter().enumerate().map(take).collect::<Result<_>>()?;
        let results = NdArray::run(op, args, wanted)?;
        results.into_iter().map(|result| result.map(give_back).transpose()).collect()
    }
}

/// The memory of a tensor, as long as the kernels hold it.
struct Held<T> {
    tensor: FlexTensor,
    start: *const T,
    len: usize,
    /// Whether the elements fill the whole buffer, in order. Only then may a result take the buffer over.
    whole: bool,
}

// SAFETY: the pointer points into the buffer of the tensor, which is `Send` and `Sync` itself.
unsafe impl<T> Send for Held<T> {}
// SAFETY: as above; writing needs `&mut`.
unsafe impl<T> Sync for Held<T> {}

// SAFETY: the buffer does not move as long as the tensor is held, and its elements were checked when this was
// made. Nobody writes to a shared buffer. If the tensor is the only owner of its buffer, it is in here, and
// it gives out an address for writing only from `&mut`.
unsafe impl<T: FlexElement> Lent<T> for Held<T> {
    fn start(&self) -> *const T {
        self.start
    }
    fn len(&self) -> usize {
        self.len
    }
    fn start_mut(&mut self) -> Option<*mut T> {
        let start = if self.whole { T::exclusive(&mut self.tensor)? } else { return None };
        // If the buffer was copied for writing, it has another address.
        (start.cast_const() == self.start).then_some(start)
    }
}

/// An element type of Flex.
trait FlexElement: Stored {
    /// The elements, as a buffer of Burn.
    fn bytes(elements: Vec<Self>) -> Bytes;
    /// The start of the buffer, if nobody else holds it.
    fn exclusive(tensor: &mut FlexTensor) -> Option<*mut Self>;
}

macro_rules! flex_element {
    ($($ty:ty as $stored:ty),*) => {$(
        impl FlexElement for $ty {
            fn bytes(elements: Vec<$ty>) -> Bytes {
                Bytes::from_elems(elements)
            }
            fn exclusive(tensor: &mut FlexTensor) -> Option<*mut $ty> {
                tensor.try_storage_mut::<$stored>().map(|storage| storage.as_mut_ptr().cast())
            }
        }
    )*};
}
flex_element!(
    f64 as f64,
    f32 as f32,
    f16 as f16,
    bf16 as bf16,
    i64 as i64,
    i32 as i32,
    u32 as u32,
    u8 as u8,
    bool as u8
);

/// Makes a tensor of the same elements for the kernels.
fn lend(tensor: FlexTensor, shape: &Shape) -> Result<NdArrayTensor> {
    let dtype = from_burn(tensor.dtype())?;
    let tensor = match tensor.dtype() {
        BurnDType::Bool(_) => with_bools(tensor),
        // The elements of a Flex32 tensor are f32.
        BurnDType::Flex32 => FlexTensor::from_arc(tensor.data_arc(), tensor.layout().clone(), BurnDType::F32),
        _ => tensor,
    };
    tensor_op_core::match_dtype!(dtype, T => hold::<T>(tensor, shape))
}

/// Makes each bool a byte of 0 or 1.
fn with_bools(tensor: FlexTensor) -> FlexTensor {
    if tensor.bytes().iter().all(|byte| *byte <= 1) {
        return tensor;
    }
    let bytes: Vec<u8> = tensor.bytes().iter().map(|byte| u8::from(*byte != 0)).collect();
    let (layout, dtype) = (tensor.layout().clone(), tensor.dtype());
    FlexTensor::new(Bytes::from_elems(bytes), layout, dtype)
}

/// Holds a tensor whose bytes are elements of this type.
fn hold<T: FlexElement>(tensor: FlexTensor, shape: &Shape) -> Result<NdArrayTensor> {
    let layout = tensor.layout().clone();
    let (bytes, len) = (tensor.bytes(), tensor.bytes().len() / size_of::<T>());
    let start: *const T = bytes.as_ptr().cast();
    if !start.is_aligned() {
        return Err(Error::new(ErrorKind::Backend, "Flex gave a buffer that isn't aligned for its elements"));
    }
    let whole = layout.contiguous_offsets() == Some((0, len));
    let strides = if shape.rank() == 0 { &[] } else { layout.strides() };
    let held = Held { tensor, start, len, whole };
    NdArrayTensor::lent(Box::new(held), shape, strides, layout.start_offset())
}

/// A result as a tensor of Flex.
fn give_back(result: NdArrayTensor) -> Result<OpTensor<Flex>> {
    tensor_op_core::match_dtype!(result.dtype(), T => release::<T>(result))
}

fn release<T: FlexElement>(result: NdArrayTensor) -> Result<OpTensor<Flex>> {
    let dtype = to_burn(T::DTYPE, BoolDType::Native);
    let (memory, shape, strides, offset) = result.into_memory::<T>()?;
    let strides = if shape.rank() == 0 { vec![1] } else { strides };
    let layout = Layout::new(burn_shape(&shape), strides, offset);
    let tensor = match memory {
        Memory::Own(elements) => FlexTensor::new(T::bytes(elements), layout, dtype),
        Memory::Lent(memory) => match (memory as Box<dyn Any>).downcast::<Held<T>>() {
            Ok(held) => held.tensor.with_layout(layout),
            Err(_) => {
                return Err(Error::new(ErrorKind::Backend, "a result lies in memory that nobody lent"));
            }
        },
    };
    Ok(match dtype {
        BurnDType::Bool(_) => OpTensor::Bool(tensor),
        dtype if dtype.is_float() => OpTensor::Float(tensor),
        _ => OpTensor::Int(tensor),
    })
}
