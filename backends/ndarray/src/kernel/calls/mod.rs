//! Calls that come again. A call of an op on a few elements takes longer to bind and to plan than to compute.
//! All of that follows from the op, the wanted results, and the dtypes, shapes and strides of the arguments:
//! the [`key`] of the call. When a key comes for the second time, the call is recorded ([`record`]) as a
//! [`tape`]: the loops and kernels that the executor ran, with their plans. From then on calls with this key
//! run the tape.
//!
//! Each thread has its own tapes ([`cache`]), with the buffers of its loops. So calls wait for no lock.

mod cache;
mod key;
mod notes;
mod planned;
mod record;
mod recorder;
mod tape;
mod values;

use super::cpu::Cpu;
use super::way::{CpuKernels, Way};
use crate::tensor::NdArrayTensor;
use cache::Found;
#[cfg(test)]
pub(super) use cache::{MOST, len as count};
use key::Key;
use tensor_op_core::{Result, Spec, Value};

/// Runs an op, by its tape if there is one.
pub(super) fn run(
    spec: &Spec,
    kernels: Option<&'static CpuKernels>,
    mut args: Vec<Value<NdArrayTensor>>,
    wanted: &[bool],
) -> Result<Vec<Option<NdArrayTensor>>> {
    let plain = |args| Way::new(spec, kernels, wanted)?.run(spec, args, wanted);
    let mut key = Key::default();
    if key.fill(spec, kernels, &mut args, wanted).is_none() {
        return plain(args);
    }
    match cache::find(&key) {
        Found::Tape(tape) => match tape.try_borrow_mut() {
            Ok(mut tape) => tape.run(args),
            // A thread that waits inside of the same call has taken over another task, which calls the op.
            Err(_) => plain(args),
        },
        Found::Again => {
            let way = Way::new(spec, kernels, wanted)?;
            let bodies = way.bodies();
            let cpu = Cpu { bodies: &bodies, is_generated: true };
            let (results, tape) = record::record(&way, spec, (args, &key.unique), wanted, cpu)?;
            cache::keep(key, tape);
            Ok(results)
        }
        Found::New => plain(args),
    }
}

/// Whether a call has a tape on this thread.
#[cfg(test)]
pub(super) fn is_recorded(
    op: &dyn tensor_op_core::Op,
    mut args: Vec<Value<NdArrayTensor>>,
    wanted: &[bool],
) -> bool {
    let kernels = op.kernels(std::any::TypeId::of::<CpuKernels>()).and_then(|kernels| kernels.downcast_ref());
    let mut key = Key::default();
    key.fill(op.spec(), kernels, &mut args, wanted).is_some() && matches!(cache::find(&key), Found::Tape(_))
}
