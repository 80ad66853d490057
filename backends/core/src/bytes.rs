//! Data as bytes, least significant byte first, as files and other programs have it.

use crate::data::Storage;
use crate::{DType, Error, ErrorKind, Result, Shape, TensorData, memory};
use half::{bf16, f16};

impl TensorData {
    /// The elements as bytes, in row-major order. A bool is one byte, 0 or 1.
    ///
    /// ```
    /// use tensor_op_core::{DType, TensorData};
    ///
    /// let data = TensorData::new(vec![1_i32, -1], [2])?;
    /// let bytes = data.to_le_bytes()?;
    /// assert_eq!(bytes, [1, 0, 0, 0, 255, 255, 255, 255]);
    /// assert_eq!(TensorData::from_le_bytes(&bytes, DType::I32, [2])?, data);
    /// # Ok::<(), tensor_op_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no memory for them.
    pub fn to_le_bytes(&self) -> Result<Vec<u8>> {
        match self.storage() {
            Storage::F64(x) => written(x, |x| x.to_le_bytes()),
            Storage::F32(x) => written(x, |x| x.to_le_bytes()),
            Storage::F16(x) => written(x, |x| x.to_le_bytes()),
            Storage::BF16(x) => written(x, |x| x.to_le_bytes()),
            Storage::I64(x) => written(x, |x| x.to_le_bytes()),
            Storage::I32(x) => written(x, |x| x.to_le_bytes()),
            Storage::U32(x) => written(x, |x| x.to_le_bytes()),
            Storage::U8(x) => written(x, |x| [x]),
            Storage::Bool(x) => written(x, |x| [u8::from(x)]),
        }
    }

    /// Data of bytes, which are as [`to_le_bytes`](TensorData::to_le_bytes) makes them. For bools, all bytes
    /// but 0 are `true`.
    ///
    /// # Errors
    /// The number of bytes is not that of the shape, or there is no memory for the elements.
    pub fn from_le_bytes(bytes: &[u8], dtype: DType, shape: impl Into<Shape>) -> Result<TensorData> {
        let storage = match dtype {
            DType::F64 => Storage::F64(read(bytes, dtype, f64::from_le_bytes)?),
            DType::F32 => Storage::F32(read(bytes, dtype, f32::from_le_bytes)?),
            DType::F16 => Storage::F16(read(bytes, dtype, f16::from_le_bytes)?),
            DType::BF16 => Storage::BF16(read(bytes, dtype, bf16::from_le_bytes)?),
            DType::I64 => Storage::I64(read(bytes, dtype, i64::from_le_bytes)?),
            DType::I32 => Storage::I32(read(bytes, dtype, i32::from_le_bytes)?),
            DType::U32 => Storage::U32(read(bytes, dtype, u32::from_le_bytes)?),
            DType::U8 => Storage::U8(read(bytes, dtype, |[x]| x)?),
            DType::Bool => Storage::Bool(read(bytes, dtype, |[x]| x != 0)?),
        };
        TensorData::from_storage(storage, shape)
    }
}

fn written<T: Copy, const SIZE: usize>(elements: &[T], bytes: impl Fn(T) -> [u8; SIZE]) -> Result<Vec<u8>> {
    let mut found = memory::reserved(elements.len().saturating_mul(SIZE))?;
    elements.iter().for_each(|x| found.extend_from_slice(&bytes(*x)));
    Ok(found)
}

fn read<T, const SIZE: usize>(
    bytes: &[u8],
    dtype: DType,
    element: impl Fn([u8; SIZE]) -> T,
) -> Result<Vec<T>> {
    let (elements, rest) = bytes.as_chunks::<SIZE>();
    if !rest.is_empty() {
        let message = format!("{} bytes are no whole number of {dtype} elements", bytes.len());
        return Err(Error::new(ErrorKind::Length, message));
    }
    let mut found = memory::reserved(elements.len())?;
    found.extend(elements.iter().map(|bytes| element(*bytes)));
    Ok(found)
}
