//! Errors of a device, as CubeCL or a driver tells them.

use cubecl::server::ServerError;
use tensor_op_core::{Error, ErrorKind};

/// The error of a device. The trace that CubeCL adds is kept apart from the message.
pub(crate) fn failed(error: ServerError) -> Error {
    told(&error.to_string())
}

fn told(text: &str) -> Error {
    let (reason, backtrace) = text.split_once("Backtrace:").unwrap_or((text, ""));
    let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    let error = Error::new(ErrorKind::Backend, format!("the device failed: {reason}"));
    if backtrace.trim().is_empty() { error } else { error.with_backtrace(backtrace.trim()) }
}

/// The error of a device that another library names.
pub(crate) fn failed_to_open(why: &str) -> Error {
    Error::new(ErrorKind::Device, format!("the device can't be opened: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_one_line_without_the_trace() {
        let error = told("Caused by:\n  no room\nBacktrace:\n 0: main\n 1: start\n");
        assert_eq!(error.to_string(), "the device failed: Caused by: no room");
        assert_eq!(error.backtrace(), Some("0: main\n 1: start"));
        assert_eq!(told("lost").backtrace(), None);
    }
}
