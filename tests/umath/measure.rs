//! The errors of a function on a device.

use crate::functions::Function;
use crate::sets::{Set, Width};
use tensor_op::{DType, Device, ErrorKind, Result, Tensor};

/// Errors in units in the last place, counted along the floats from the correctly rounded result.
#[derive(Default)]
pub(crate) struct Errors {
    pub(crate) worst: u64,
    pub(crate) worst_input: f64,
    total: u64,
    values: usize,
    /// Values at which a GPU has taken a subnormal number for 0.
    pub(crate) flushed: usize,
    /// Results of another sign or class: NaN, infinity, 0.
    pub(crate) wrong: Vec<String>,
}

impl Errors {
    fn add(&mut self, x: f64, error: u64) {
        if error > self.worst {
            (self.worst, self.worst_input) = (error, x);
        }
        self.total += error;
        self.values += 1;
    }

    pub(crate) fn mean(&self) -> f64 {
        self.total as f64 / self.values as f64
    }
}

/// Runs a function on its set; `None` if the device has no such function in this dtype.
pub(crate) fn measure(
    set: &Set,
    function: &Function,
    device: &Device,
    is_gpu: bool,
) -> Result<Option<Errors>> {
    let found = match run(&set.inputs, set.width, function, device) {
        Ok(found) => found,
        Err(error) if is_gpu && error.kind() == ErrorKind::Unsupported => return Ok(None),
        Err(error) => return Err(error),
    };
    // For zeros of either sign.
    let at_zero = run(&[0.0, -0.0], set.width, function, &Device::default())?;
    let mut errors = Errors::default();
    for ((x, wanted), found) in set.inputs.iter().zip(&set.outputs).zip(found) {
        let (from_zero, zero) = (at_zero[usize::from(x.is_sign_negative())], 0.0_f64.copysign(*wanted));
        let is_flushed = (set.width.is_subnormal(*x) && distance(set.width, found, from_zero) == Some(0))
            || (set.width.is_subnormal(*wanted) && distance(set.width, found, zero) == Some(0));
        match distance(set.width, found, *wanted) {
            error if is_gpu && is_flushed && error != Some(0) => errors.flushed += 1,
            Some(error) => errors.add(*x, error),
            None => errors.wrong.push(format!("{x:e} gives {found:e}, not {wanted:e}")),
        }
    }
    Ok(Some(errors))
}

fn run(inputs: &[f64], width: Width, function: &Function, device: &Device) -> Result<Vec<f64>> {
    let x = Tensor::from_vec(inputs.to_vec(), [inputs.len()], &Device::default())?;
    let y = (function.op)(&x.cast(width.dtype())?.to(device)?)?;
    y.to(&Device::default())?.cast(DType::F64)?.to_vec()
}

/// The distance between a result and the wanted one; `None` if one of them is NaN, infinite, 0 or negative
/// and the other is not.
fn distance(width: Width, found: f64, wanted: f64) -> Option<u64> {
    let class = |x: f64| (x.is_nan(), x.is_infinite(), x == 0.0 && wanted == 0.0, x.is_sign_negative());
    if wanted.is_nan() {
        return found.is_nan().then_some(0);
    }
    (class(found) == class(wanted)).then(|| width.place(found).abs_diff(width.place(wanted)))
}
