//! How exactly the ops of this process multiply matrices of f32.

use std::sync::atomic::{AtomicU8, Ordering};
use tensor_op_spec::ir::Precision;

const UNSET: u8 = 0;
const HIGHEST: u8 = 1;
const HIGH: u8 = 2;

static SETTING: AtomicU8 = AtomicU8::new(UNSET);

/// Sets how exactly matrices of f32 are multiplied, in all threads, from the next call of an op on. With
/// [`Precision::High`] a device with tensor cores may round factors to the ten digits of TF32, which is
/// several times faster. An op with `#[precision(..)]` keeps its own. It is named after PyTorch's
/// [function](https://docs.pytorch.org/docs/stable/generated/torch.set_float32_matmul_precision.html), which
/// has the same meaning and default.
///
/// ```
/// use tensor_op_core::{Precision, float32_matmul_precision, set_float32_matmul_precision};
///
/// assert_eq!(float32_matmul_precision(), None);
/// set_float32_matmul_precision(Precision::High);
/// assert_eq!(float32_matmul_precision(), Some(Precision::High));
/// ```
pub fn set_float32_matmul_precision(precision: Precision) {
    let setting = match precision {
        Precision::Highest => HIGHEST,
        Precision::High => HIGH,
    };
    SETTING.store(setting, Ordering::Relaxed);
}

/// What was set with [`set_float32_matmul_precision`]. If it is `None`, ops take [`Precision::Highest`], and
/// ops on tensors that another library lends take the default of that library: of Burn's GPU backends this is
/// [`Precision::High`].
pub fn float32_matmul_precision() -> Option<Precision> {
    match SETTING.load(Ordering::Relaxed) {
        HIGHEST => Some(Precision::Highest),
        HIGH => Some(Precision::High),
        _ => None,
    }
}
