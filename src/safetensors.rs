//! Files of named tensors, in the format that models are shared in:
//! <https://huggingface.co/docs/safetensors>.

use crate::{DType, Device, Error, ErrorKind, Result, Tensor, TensorData};
use ::safetensors::{Dtype, SafeTensorError, View};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// The contents of a file: tensors and texts, by name.
///
/// A training that goes on from files is the same to the bit, if it does not depend on anything else, such as
/// numbers drawn from the generator of a device.
///
/// ```
/// use tensor_op::optim::{AdamW, Optimizer};
/// use tensor_op::prelude::*;
/// use tensor_op::safetensors::SafeTensors;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = std::env::temp_dir().join(format!("tensor-op-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let mut weight = Tensor::from([[1.0, 2.0]]).require_grad();
/// let mut optimizer = Optimizer::new(AdamW::default());
/// let gradients = weight.square()?.sum(..)?.backward()?;
/// optimizer.step([&mut weight], &gradients)?;
///
/// let mut file = SafeTensors { tensors: optimizer.state_dict()?, ..SafeTensors::default() };
/// file.metadata.insert("step".to_string(), "1".to_string());
/// file.save(folder.join("optimizer.safetensors"))?;
///
/// let file = SafeTensors::load(folder.join("optimizer.safetensors"), &Device::default())?;
/// assert_eq!(file.metadata["step"], "1");
/// let mut resumed = Optimizer::new(AdamW::default());
/// resumed.load_state_dict(&file.tensors)?;
/// assert_eq!(resumed.steps(), [1]);
/// # std::fs::remove_dir_all(folder)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct SafeTensors {
    /// The tensors.
    pub tensors: BTreeMap<String, Tensor>,
    /// What else the file says, such as the number of steps of a training.
    pub metadata: BTreeMap<String, String>,
}

impl SafeTensors {
    /// Reads a file, and moves its tensors to the device. They are not tracked.
    ///
    /// # Errors
    /// The file can't be read or is not in this format, or the device has no tensors of a dtype in it.
    pub fn load(path: impl AsRef<Path>, device: &Device) -> Result<SafeTensors> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|error| of_file("load", path, &error))?;
        SafeTensors::of_bytes(&bytes, device).map_err(|error| named("load", path, &error))
    }

    /// Writes the file. One that stands there is replaced in one step, so that a program that stops on the
    /// way leaves the old one.
    ///
    /// # Errors
    /// The file can't be written, or a device fails.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let tensors = self.read("save")?;
        ::safetensors::serialize_to_file(tensors, self.texts(), path)
            .map_err(|error| of_file("save", path, &error))
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// They are not in this format, or the device has no tensors of a dtype in it.
    pub fn from_bytes(bytes: &[u8], device: &Device) -> Result<SafeTensors> {
        SafeTensors::of_bytes(bytes, device).map_err(|error| error.with_op("from_bytes"))
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// A device fails, or there is not enough memory.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let tensors = self.read("to_bytes")?;
        ::safetensors::serialize(tensors, self.texts()).map_err(|error| malformed(&error).with_op("to_bytes"))
    }

    fn of_bytes(bytes: &[u8], device: &Device) -> Result<SafeTensors> {
        let (header, info) =
            ::safetensors::SafeTensors::read_metadata(bytes).map_err(|error| malformed(&error))?;
        // The length of the header stands before it.
        let elements = &bytes[size_of::<u64>() + header..];
        let tensors = info.tensors().into_iter().map(|(name, info)| {
            let (dtype, (start, end)) = (dtype(&name, info.dtype)?, info.data_offsets);
            let data = TensorData::from_le_bytes(&elements[start..end], dtype, info.shape.as_slice())?;
            Ok((name, Tensor::from_data(data, device)?))
        });
        let tensors = tensors.collect::<Result<_>>()?;
        let metadata = info.metadata().clone().unwrap_or_default().into_iter().collect();
        Ok(SafeTensors { tensors, metadata })
    }

    /// The tensors, from their devices.
    fn read(&self, op: &str) -> Result<Vec<(&str, Stored)>> {
        let stored = self.tensors.iter().map(|(name, tensor)| {
            let (dtype, shape) = (stored_dtype(tensor.dtype()), tensor.shape().to_vec());
            Ok((name.as_str(), Stored { dtype, shape, bytes: tensor.to_data()?.to_le_bytes()? }))
        });
        stored.collect::<Result<_>>().map_err(|error: Error| error.with_op(op))
    }

    fn texts(&self) -> Option<HashMap<String, String>> {
        let texts = self.metadata.iter().map(|(name, text)| (name.clone(), text.clone()));
        (!self.metadata.is_empty()).then(|| texts.collect())
    }
}

/// A tensor as bytes.
struct Stored {
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl View for Stored {
    fn dtype(&self) -> Dtype {
        self.dtype
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(&self.bytes)
    }

    fn data_len(&self) -> usize {
        self.bytes.len()
    }
}

fn stored_dtype(dtype: DType) -> Dtype {
    match dtype {
        DType::F64 => Dtype::F64,
        DType::F32 => Dtype::F32,
        DType::F16 => Dtype::F16,
        DType::BF16 => Dtype::BF16,
        DType::I64 => Dtype::I64,
        DType::I32 => Dtype::I32,
        DType::U32 => Dtype::U32,
        DType::U8 => Dtype::U8,
        DType::Bool => Dtype::BOOL,
    }
}

fn dtype(name: &str, dtype: Dtype) -> Result<DType> {
    const KNOWN: [DType; 9] = [
        DType::F64,
        DType::F32,
        DType::F16,
        DType::BF16,
        DType::I64,
        DType::I32,
        DType::U32,
        DType::U8,
        DType::Bool,
    ];
    KNOWN.into_iter().find(|known| stored_dtype(*known) == dtype).ok_or_else(|| {
        Error::new(
            ErrorKind::DType,
            format!("`{name}` is of {dtype}, and there are no tensors of this dtype"),
        )
    })
}

fn malformed(error: &SafeTensorError) -> Error {
    Error::new(ErrorKind::File, format!("no safetensors: {error}"))
}

/// What happened with a file.
fn of_file(op: &str, path: &Path, error: &dyn std::error::Error) -> Error {
    Error::new(ErrorKind::File, format!("{}: {error}", path.display())).with_op(op)
}

/// The same error with the file in which it was found.
fn named(op: &str, path: &Path, error: &Error) -> Error {
    Error::new(error.kind(), format!("{}: {}", path.display(), error.message())).with_op(op)
}
