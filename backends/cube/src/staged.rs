//! Data that is prepared for a move to a device: its bytes as the device stores them, in pinned memory where
//! the runtime has such. A vector of Rust can't lie there, so that this is a copy beside the elements.

use crate::device::Opened;
use crate::tensor::bytes_of;
use cubecl::bytes::Bytes;
use std::ptr;
use std::sync::{Mutex, PoisonError};
use tensor_op_core::TensorData;

/// The bytes for one device, until they are moved there.
struct Staged {
    device: &'static Opened,
    bytes: Mutex<Option<Bytes>>,
}

/// Prepares data. What the device can't store is left out, since its move tells why.
pub(crate) fn stage(data: &mut [TensorData], device: &'static Opened) {
    let mut copies: Vec<Option<Bytes>> = data.iter().map(|data| bytes_of(data, device).ok()).collect();
    // A runtime without pinned memory leaves the bytes where they are.
    device.client.staging(copies.iter_mut().flatten(), false);
    for (data, bytes) in data.iter_mut().zip(copies) {
        if bytes.is_some() {
            data.stage(Staged { device, bytes: Mutex::new(bytes) });
        }
    }
}

/// The bytes that were prepared for this device, if they were not moved there yet.
pub(crate) fn take(data: &TensorData, device: &Opened) -> Option<Bytes> {
    let staged = data.staged::<Staged>().filter(|staged| ptr::eq(staged.device, device))?;
    staged.bytes.lock().unwrap_or_else(PoisonError::into_inner).take()
}
