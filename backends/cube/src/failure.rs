//! Errors of a device, as CubeCL or a driver tells them.

use cubecl::server::ServerError;
use tensor_op_core::{Error, ErrorKind};

/// The error of a device, without the trace that CubeCL adds.
pub(crate) fn failed(error: ServerError) -> Error {
    let text = error.to_string();
    let text = text.split("Backtrace:").next().unwrap_or_default();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Error::new(ErrorKind::Backend, format!("the device failed: {text}"))
}

/// The error of a device that another library names.
pub(crate) fn failed_to_open(why: &str) -> Error {
    Error::new(ErrorKind::Device, format!("the device can't be opened: {why}"))
}
