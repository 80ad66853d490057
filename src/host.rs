//! Where functions run that are written for the CPU only: those of `linalg` and `fft`.

use crate::{Error, ErrorKind, NdArray, Result, Tensor};
use std::cell::Cell;
use tensor_op_core::with_flag;

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f` such that functions of `linalg` and `fft` take tensors of every device: the elements go to the
/// CPU, and the results come back. Outside of it they return an `Err` for tensors that are not on the CPU,
/// because such a way takes time that nobody sees. A transform that a GPU has itself runs there, inside and
/// outside.
///
/// This concerns calls by `f` on this thread. A gradient goes the same way, also after the scope.
///
/// ```
/// use tensor_op::prelude::*;
/// use tensor_op::{linalg, through_host};
///
/// # fn main() -> Result<()> {
/// let a = Tensor::from([[2.0, 0.0], [0.0, 4.0]]);
/// let inverse = through_host(|| linalg::inv(&a))?;
/// assert_eq!(inverse.to_vec::<f64>()?, [0.5, 0.0, 0.0, 0.25]);
/// # Ok(())
/// # }
/// ```
pub fn through_host<T>(f: impl FnOnce() -> T) -> T {
    with_flag(&INSIDE, f)
}

/// Runs a function on the CPU, if the tensors are there or may go there, and brings the results back.
pub(crate) fn on_host<const N: usize, const M: usize>(
    op: &str,
    tensors: [Tensor; N],
    run: impl FnOnce([&Tensor; N]) -> Result<[Tensor; M]>,
) -> Result<[Tensor; M]> {
    let run = |tensors: [&Tensor; N]| run(tensors).map_err(|error| error.with_op(op));
    let away = tensors.iter().find(|tensor| !is_here(tensor)).map(Tensor::device);
    let Some(device) = away else { return run(tensors.each_ref()) };
    if let Some(other) = tensors.iter().map(Tensor::device).find(|other| *other != device) {
        let message = format!("its tensors are on {device} and {other}; move one of them with `to`");
        return Err(Error::new(ErrorKind::Device, message).with_op(op));
    }
    if !INSIDE.get() {
        let message = format!(
            "runs on the CPU only, and its tensor is on {device}; call it inside of `tensor_op::through_host(|| ..)`, which moves the tensors there and back"
        );
        return Err(Error::new(ErrorKind::Device, message).with_op(op));
    }
    let here = crate::Device::new("cpu")?;
    let mut moved = tensors;
    for tensor in &mut moved {
        *tensor = tensor.to(&here)?;
    }
    let mut results = run(moved.each_ref())?;
    for result in &mut results {
        *result = result.to(&device)?;
    }
    Ok(results)
}

fn is_here(tensor: &Tensor) -> bool {
    tensor.primitive().inner().clone().try_into_primitive::<NdArray>().is_ok()
}

/// Returns an `Err` unless a tensor has f32 or f64.
pub(crate) fn check_float(arg: &str, x: &Tensor) -> Result<()> {
    use crate::DType;
    match x.dtype() {
        DType::F32 | DType::F64 => Ok(()),
        dtype => {
            let message = format!("has dtype {dtype}, and this takes f32 and f64; cast it");
            Err(Error::new(ErrorKind::DType, message).with_arg(arg))
        }
    }
}
