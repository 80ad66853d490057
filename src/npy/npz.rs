//! Several arrays in one file: a zip archive with a `.npy` for each.

use super::{named, of_file, read, written};
use crate::{Device, Error, ErrorKind, Result, Tensor};
use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};
use std::path::Path;
use tensor_op_core::memory;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// The tensors of a `.npz` file, by name. It is read as `numpy.savez` and `numpy.savez_compressed` write it,
/// and written without compression.
///
/// ```
/// use tensor_op::npy::Npz;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let mut file = Npz::default();
/// file.tensors.insert("weight".to_string(), Tensor::from([1.0, 2.0]));
/// let file = Npz::from_bytes(&file.to_bytes()?, &Device::default())?;
/// assert_eq!(file.tensors["weight"].to_vec::<f64>()?, [1.0, 2.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Npz {
    /// The tensors.
    pub tensors: BTreeMap<String, Tensor>,
}

impl Npz {
    /// Reads a file, and moves its arrays to the device.
    ///
    /// # Errors
    /// The file can't be read, an array in it is not in the format, or the device has no tensors of its
    /// dtype.
    pub fn load(path: impl AsRef<Path>, device: &Device) -> Result<Npz> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|error| of_file("load", path, &error))?;
        Npz::of_bytes(&bytes, device).map_err(|error| named("load", path, &error))
    }

    /// Writes the file.
    ///
    /// # Errors
    /// The file can't be written, a tensor is bf16, or a device fails.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let bytes = self.bytes().map_err(|error| named("save", path, &error))?;
        std::fs::write(path, bytes).map_err(|error| of_file("save", path, &error))
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// An array is not in the format, or the device has no tensors of its dtype.
    pub fn from_bytes(bytes: &[u8], device: &Device) -> Result<Npz> {
        Npz::of_bytes(bytes, device).map_err(|error| error.with_op("from_bytes"))
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// A tensor is bf16, or a device fails.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.bytes().map_err(|error| error.with_op("to_bytes"))
    }

    fn of_bytes(bytes: &[u8], device: &Device) -> Result<Npz> {
        let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| malformed(&error))?;
        let mut tensors = BTreeMap::new();
        for place in 0..archive.len() {
            let file = archive.by_index(place).map_err(|error| malformed(&error))?;
            let name = file.name().map_err(|error| malformed(&error))?.into_owned();
            let name = name.strip_suffix(".npy").unwrap_or(&name).to_string();
            let inside = |error: Error| Error::new(error.kind(), format!("`{name}`: {}", error.message()));
            let tensor = contents(file).and_then(|bytes| read(&bytes, device)).map_err(inside)?;
            if tensors.contains_key(&name) {
                return Err(Error::new(ErrorKind::File, format!("there are two arrays `{name}`")));
            }
            tensors.insert(name, tensor);
        }
        Ok(Npz { tensors })
    }

    fn bytes(&self) -> Result<Vec<u8>> {
        let mut archive = ZipWriter::new(Cursor::new(vec![]));
        for (name, tensor) in &self.tensors {
            let inside = |error: Error| Error::new(error.kind(), format!("`{name}`: {}", error.message()));
            let bytes = written(tensor).map_err(inside)?;
            // Beyond this size an archive has longer numbers.
            let options = SimpleFileOptions::default()
                .compression_method(CompressionMethod::Stored)
                .large_file(u32::try_from(bytes.len()).is_err());
            archive.start_file(format!("{name}.npy"), options).map_err(|error| malformed(&error))?;
            archive.write_all(&bytes).map_err(|error| malformed(&error.into()))?;
        }
        Ok(archive.finish().map_err(|error| malformed(&error))?.into_inner())
    }
}

/// The bytes of a file in the archive. It has as many as the archive says, so that a small archive can't fill
/// the memory unnoticed.
fn contents(mut file: zip::read::ZipFile<'_, Cursor<&[u8]>>) -> Result<Vec<u8>> {
    let size = file.size();
    let mut bytes = memory::reserved(usize::try_from(size).unwrap_or(usize::MAX))?;
    // One byte more, because the checksum is compared behind the last one.
    let more = size.saturating_add(1);
    file.by_ref().take(more).read_to_end(&mut bytes).map_err(|error| malformed(&error.into()))?;
    Ok(bytes)
}

fn malformed(error: &ZipError) -> Error {
    Error::new(ErrorKind::File, format!("npz: {error}"))
}
