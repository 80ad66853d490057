//! Data on its way to a device: its bytes as the device stores them, which may be prepared before, in pinned
//! memory where the runtime has such. A vector of Rust can't lie there, so that they are a copy.

use crate::device::Opened;
use crate::storage;
use cubecl::bytes::Bytes;
use std::ptr;
use std::sync::{Mutex, PoisonError};
use tensor_op_core::{Error, ErrorKind, Result, TensorData};

/// The bytes for one device, until they are moved there.
struct Staged {
    device: &'static Opened,
    bytes: Mutex<Option<Bytes>>,
}

/// Prepares data. What the device can't store is left out, since its move tells why.
pub(crate) fn stage(data: &mut [TensorData], device: &'static Opened) {
    let mut copies: Vec<Option<Bytes>> = data.iter().map(|data| made(data, device).ok()).collect();
    // A runtime without pinned memory leaves the bytes where they are.
    device.client().staging(copies.iter_mut().flatten(), false);
    for (data, bytes) in data.iter_mut().zip(copies) {
        if bytes.is_some() {
            data.stage(Staged { device, bytes: Mutex::new(bytes) });
        }
    }
}

/// The bytes that the device stores: those that were prepared for it, if they were not moved there yet.
pub(crate) fn bytes_of(data: &TensorData, device: &Opened) -> Result<Bytes> {
    let staged = data.staged::<Staged>().filter(|staged| ptr::eq(staged.device, device));
    let bytes = staged.and_then(|own| own.bytes.lock().unwrap_or_else(PoisonError::into_inner).take());
    bytes.map_or_else(|| made(data, device), Ok)
}

/// New bytes. An empty tensor has a buffer too.
fn made(data: &TensorData, device: &Opened) -> Result<Bytes> {
    let elem = device.elem(data.dtype())?;
    let mut bytes = storage::to_bytes(data.storage(), elem)?;
    check_size(bytes.len(), device)?;
    if bytes.is_empty() {
        bytes = vec![0; elem.size()];
    }
    Ok(Bytes::from_bytes_vec(bytes))
}

/// A buffer is a single allocation, and a device may limit its size.
pub(crate) fn check_size(bytes: usize, device: &Opened) -> Result<()> {
    let most = device.properties().memory.max_page_size;
    if bytes as u64 <= most {
        return Ok(());
    }
    let message = format!("needs {bytes} bytes in one piece; {} gives {most} at most", device.name());
    Err(Error::new(ErrorKind::Overflow, message))
}
