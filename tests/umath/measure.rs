//! The errors of a function on a device.

use crate::functions::Function;
use crate::places::Place;
use crate::sets::{Set, Width};
use tensor_op::{DType, Device, ErrorKind, Result, Tensor};

/// Errors in units in the last place, counted along the floats from the correctly rounded result.
#[derive(Default)]
pub(crate) struct Errors {
    pub(crate) worst: u64,
    total: u64,
    values: usize,
    /// Values at which a GPU has taken a subnormal number for 0.
    pub(crate) flushed: usize,
    /// Results that are too far off, or of another sign or class: NaN, infinity, 0.
    pub(crate) wrong: Vec<String>,
}

impl Errors {
    fn add(&mut self, x: f64, error: u64, bound: u64) {
        if error > bound {
            self.wrong.push(format!("{error} ulp at {x:e}, more than {bound}"));
        }
        self.worst = self.worst.max(error);
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
    place: Place,
    device: &Device,
) -> Result<Option<Errors>> {
    let found = match run(&set.inputs, set.width, function, device) {
        Ok(found) => found,
        Err(error) if place.is_gpu() && error.kind() == ErrorKind::Unsupported => return Ok(None),
        Err(error) => return Err(error),
    };
    let at_zeros = run(&[0.0, -0.0], set.width, function, &Device::default())?;
    let mut errors = Errors::default();
    for ((x, wanted), found) in set.inputs.iter().zip(&set.outputs).zip(found) {
        // A shading language does not promise the sign of such a zero.
        let is_from_zero = at_zeros.iter().any(|y| distance(set.width, found, *y) == Some(0));
        let is_flushed =
            (set.width.is_subnormal(*x) && is_from_zero) || (set.width.is_subnormal(*wanted) && found == 0.0);
        match distance(set.width, found, *wanted) {
            error if place.is_gpu() && is_flushed && error != Some(0) => errors.flushed += 1,
            Some(error) => errors.add(*x, error, function.bound(set.width, place, *x)),
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
