//! A declared op on the tensors of PyTorch, by DLPack: `examples/dlpack/check.py` loads this library and
//! calls it.
//!
//! ```text
//! cargo build --release --example dlpack --features cuda
//! python3 examples/dlpack/check.py target/release/examples/libdlpack.so
//! ```
//!
//! Without the feature `cuda` it takes tensors on the CPU alone.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::ptr::null_mut;
use tensor_op::dlpack::{DlPack, Managed};
use tensor_op::prelude::*;

/// SwiGLU gate.
#[tensor_op]
pub fn silu_mul(x: Tensor, gate: Tensor) -> Tensor {
    x * gate * sigmoid(gate)
}

thread_local! {
    static MESSAGE: RefCell<CString> = RefCell::default();
}

/// Why the last call on this thread returned null. It is valid until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn tensor_op_message() -> *const c_char {
    MESSAGE.with_borrow(|message| message.as_ptr())
}

/// The result and the gradients of its sum, in `results`: three tensors, on the device of `x`. Returns
/// `false` and frees both arguments if it fails.
///
/// # Safety
/// Both pointers are a `DLManagedTensorVersioned` each, which the caller gives away, with memory that is
/// initialised. There is room for three results.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tensor_op_silu_mul(
    x: *mut Managed,
    gate: *mut Managed,
    results: *mut *mut Managed,
) -> bool {
    // SAFETY: by the contract of this function.
    let packs = unsafe { (DlPack::from_raw(x), DlPack::from_raw(gate)) };
    let run = || -> Result<[DlPack; 3]> {
        let x = Tensor::try_from(packs.0?)?.require_grad();
        let gate = Tensor::try_from(packs.1?)?.require_grad();
        let y = silu_mul(&x, &gate)?;
        let mut gradients = y.sum(..)?.backward()?;
        let of = |gradient: Option<Tensor>| DlPack::try_from(gradient.expect("the sum depends on it"));
        let (dx, dgate) = (gradients.remove(&x), gradients.remove(&gate));
        Ok([DlPack::try_from(y.detach())?, of(dx)?, of(dgate)?])
    };
    let (found, message) = match run() {
        Ok(found) => (found.map(DlPack::into_raw), String::new()),
        Err(error) => ([null_mut(); 3], error.to_string()),
    };
    MESSAGE.set(CString::new(message).unwrap_or_default());
    for (at, pack) in found.into_iter().enumerate() {
        // SAFETY: by the contract of this function.
        unsafe { *results.add(at) = pack };
    }
    !found.contains(&null_mut())
}
