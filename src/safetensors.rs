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
/// # fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
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
    /// Reads a file, and moves its tensors to the device. They are not tracked. If the device lacks a
    /// dtype of the file, read it to `Device::default()`:
    /// [`Module::load_state_dict`](crate::Module::load_state_dict) casts tensors before it moves them.
    ///
    /// # Errors
    /// The file can't be read or is not in this format, or the device has no tensors of a dtype in it.
    pub fn load(path: impl AsRef<Path>, device: &Device) -> Result<SafeTensors> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|error| of_file("load", path, &error))?;
        SafeTensors::of_bytes(&bytes, device).map_err(|error| named("load", path, &error))
    }

    /// Writes the file. A file that stands there is replaced as a whole, also through a link, so that a
    /// program that stops on the way leaves the old one. It may leave a file with the ending `.partial`
    /// beside it.
    ///
    /// # Errors
    /// The file can't be written, or a device fails.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let bytes = self.bytes().map_err(|error| named("save", path, &error))?;
        // A link stays one.
        let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let mut partial = target.clone().into_os_string();
        partial.push(".partial");
        let written = std::fs::write(&partial, bytes).and_then(|()| std::fs::rename(&partial, target));
        written.map_err(|error| of_file("save", path, &error))
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
        self.bytes().map_err(|error| error.with_op("to_bytes"))
    }

    fn bytes(&self) -> Result<Vec<u8>> {
        // The format has its texts under this name.
        if self.tensors.contains_key("__metadata__") {
            return Err(Error::new(ErrorKind::File, "no tensor can have the name `__metadata__` in a file"));
        }
        ::safetensors::serialize(self.read()?, self.texts()).map_err(|error| malformed(&error))
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
    fn read(&self) -> Result<Vec<(&str, Stored)>> {
        let stored = self.tensors.iter().map(|(name, tensor)| {
            let (dtype, shape) = (stored_dtype(tensor.dtype()), tensor.shape().to_vec());
            Ok((name.as_str(), Stored { dtype, shape, bytes: tensor.to_data()?.to_le_bytes()? }))
        });
        stored.collect()
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
    DType::ALL.into_iter().find(|known| stored_dtype(*known) == dtype).ok_or_else(|| {
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
