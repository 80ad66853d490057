//! Calls that a device refuses. For example, shading languages have f64, but without functions such as `exp`.
//! If a device says that it does not support a call in a dtype, this says nothing about the op.

use crate::place::is_cpu;
use crate::report::Tally;
use tensor_op_core::{DType, Device, Error, ErrorKind, Result};
use tensor_op_spec::ir::Kind;

/// Whether this error is allowed in place of a result. Nothing may be refused in f32, or on the CPU.
pub(crate) fn is_refusal(error: &Error, device: &Device, dtype: DType) -> bool {
    let may_lack = dtype.kind() == Kind::Float && dtype != DType::F32 && !is_cpu(device);
    may_lack && error.kind() == ErrorKind::Unsupported
}

/// What is reported if the call was refused: no case, and a note.
pub(crate) fn refusal<T>(found: &Result<T>, device: &Device, dtype: DType) -> Option<Tally> {
    let error = found.as_ref().err().filter(|error| is_refusal(error, device, dtype))?;
    let note = format!("a call in {dtype} that {device} refuses: {error}");
    Some(Tally { refused: Some(error.message().to_string()), ..Tally::nothing(note) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::devices;
    use tensor_op_core::register_backend;
    use tensor_op_ndarray::NdArray;

    #[test]
    fn the_cpu_refuses_nothing_and_no_device_f32() {
        register_backend::<NdArray>("other").unwrap();
        let device = |name: &str| devices().into_iter().find(|device| device.backend() == name).unwrap();
        let error = |kind| Error::new(kind, "no exp");
        let refuses = |name, dtype| is_refusal(&error(ErrorKind::Unsupported), &device(name), dtype);
        assert!(refuses("other", DType::F64) && refuses("other", DType::F16));
        assert!(
            !refuses("other", DType::F32) && !refuses("other", DType::I64) && !refuses("cpu", DType::F64)
        );
        assert!(!is_refusal(&error(ErrorKind::Index), &device("other"), DType::F64));
    }
}
