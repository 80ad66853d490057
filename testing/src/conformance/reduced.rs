//! Checks the mean over devices, where the backend has a transport between them.

use super::values::elements;
use super::{Function, Suite, Verdict};
use crate::bound::Format;
use crate::place::{Layout, place};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use tensor_op_core::{
    Backend, DType, Device, Dynamic, Element, Error, ErrorKind, Result, Shape, TensorData, match_dtype,
};
use tensor_op_spec::ir::Kind;

const SIZES: [usize; 2] = [40, 50];

/// Runs the cases of one dtype, if it is one of floats: over the first device alone, and over all devices of
/// the backend that have the dtype.
pub(super) fn run(suite: &mut Suite, dtype: DType) {
    if dtype.kind() != Kind::Float {
        return;
    }
    let first = suite.device;
    let own = |device: &Device| device.backend() == first.backend() && Dynamic::supports_dtype(device, dtype);
    let all: Vec<Device> = Device::all().into_iter().filter(own).collect();
    let groups = if all.len() > 1 { vec![vec![first], all] } else { vec![all] };
    for devices in groups {
        let names = devices.iter().map(Device::name).collect::<Vec<_>>().join(", ");
        suite.check(Function::AllReduceMean, dtype, names, || match Dynamic::has_transport(&devices) {
            true => mean(dtype, &devices),
            false => refused(dtype, &devices),
        });
    }
}

/// Without a transport, the call says so.
fn refused(dtype: DType, devices: &[Device]) -> Result<Verdict> {
    let [first, ..] = devices else { return Ok(Verdict::Empty) };
    let tensor = place(elements(dtype, &Shape::new(&SIZES), 1)?, first, Layout::Contiguous)?;
    Ok(match Dynamic::all_reduce_mean(tensor, devices, &mut || Ok(())) {
        Err(error) if error.kind() == ErrorKind::Unsupported => {
            Verdict::Refused("there is no transport between its devices".to_string())
        }
        Err(error) => Verdict::Wrong(format!("without a transport, the error is another one: {error}")),
        Ok(_) => Verdict::Wrong("there is no transport, and yet a mean".to_string()),
    })
}

/// A thread for each device passes a tensor of its own. This thread is the last one, and one device needs no
/// other.
fn mean(dtype: DType, devices: &[Device]) -> Result<Verdict> {
    let parts = (0..devices.len()).map(|rank| elements(dtype, &Shape::new(&SIZES), 1 + 50 * rank));
    let parts: Vec<TensorData> = parts.collect::<Result<_>>()?;
    let meeting = Meeting::new(devices.len());
    let pass = |device: &Device, part: &TensorData| -> Result<TensorData> {
        let _member = Member(&meeting);
        let tensor = place(part.clone(), device, Layout::Contiguous)?;
        Dynamic::into_data(Dynamic::all_reduce_mean(tensor, devices, &mut || meeting.meet())?)
    };
    let found: Vec<Result<TensorData>> = thread::scope(|scope| {
        let start = |(device, part)| scope.spawn(move || pass(device, part));
        let others = devices.len().saturating_sub(1);
        let threads: Vec<_> = devices.iter().zip(&parts).take(others).map(start).collect();
        let own = devices.iter().zip(&parts).skip(others).map(|(device, part)| pass(device, part));
        let own: Vec<_> = own.collect();
        let panicked = |_| Err(Error::new(ErrorKind::Backend, "a thread panicked"));
        let joined = threads.into_iter().map(|thread| thread.join().unwrap_or_else(panicked));
        joined.chain(own).collect()
    });
    let right = expected(&parts);
    // The elements are below 64. Each sum is rounded, and so is the quotient.
    let bound = Format::of(dtype).ulp(64.0 * devices.len() as f64);
    for found in found {
        let found = found?;
        if let Err(wrong) = alike(&found, &parts[0]) {
            return Ok(Verdict::Wrong(wrong));
        }
        let found = numbers(&found);
        let differs = found.iter().zip(&right).position(|(found, right)| {
            let difference = (found - right).abs();
            difference.is_nan() || difference > bound
        });
        if let Some(at) = differs {
            return Ok(Verdict::Wrong(format!("element {at} is {}, not {}", found[at], right[at])));
        }
    }
    Ok(Verdict::Right)
}

fn alike(found: &TensorData, part: &TensorData) -> std::result::Result<(), String> {
    if (found.shape(), found.dtype()) == (part.shape(), part.dtype()) {
        return Ok(());
    }
    Err(format!(
        "the mean is {} of {}, not {} of {}",
        found.shape(),
        found.dtype(),
        part.shape(),
        part.dtype()
    ))
}

/// Where the threads wait for each other. A thread that ends comes no more, of which the others are told.
struct Meeting {
    members: usize,
    /// How many threads wait, and how many have ended.
    counts: Mutex<(usize, usize)>,
    changed: Condvar,
}

impl Meeting {
    fn new(members: usize) -> Meeting {
        Meeting { members, counts: Mutex::default(), changed: Condvar::new() }
    }

    fn meet(&self) -> Result<()> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.0 += 1;
        self.changed.notify_all();
        // One after the other, all come. Those who have met before may end meanwhile.
        while counts.0 < self.members {
            if counts.1 > 0 {
                return Err(Error::new(ErrorKind::Backend, "another device's thread has ended"));
            }
            counts = self.changed.wait(counts).unwrap_or_else(PoisonError::into_inner);
        }
        Ok(())
    }
}

/// A thread of a meeting, as long as it runs.
struct Member<'m>(&'m Meeting);

impl Drop for Member<'_> {
    fn drop(&mut self) {
        self.0.counts.lock().unwrap_or_else(PoisonError::into_inner).1 += 1;
        self.0.changed.notify_all();
    }
}

fn expected(parts: &[TensorData]) -> Vec<f64> {
    let mut sums = vec![0.0; SIZES.iter().product()];
    for part in parts {
        sums.iter_mut().zip(numbers(part)).for_each(|(sum, number)| *sum += number);
    }
    sums.into_iter().map(|sum| sum / parts.len() as f64).collect()
}

fn numbers(data: &TensorData) -> Vec<f64> {
    match_dtype!(data.dtype(), T => {
        let elements = data.as_slice::<T>().unwrap_or_default();
        elements.iter().map(|element| element.to_f64()).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::{Meeting, Member};
    use std::thread;

    #[test]
    fn nobody_waits_for_a_thread_that_has_ended() {
        let meeting = Meeting::new(3);
        thread::scope(|scope| {
            let waiting = [(); 2].map(|()| {
                scope.spawn(|| {
                    let _member = Member(&meeting);
                    meeting.meet()
                })
            });
            scope.spawn(|| drop(Member(&meeting)));
            for thread in waiting {
                assert!(thread.join().expect("it does not panic").is_err());
            }
        });
        let meeting = Meeting::new(2);
        thread::scope(|scope| {
            let threads = [(); 2].map(|()| scope.spawn(|| meeting.meet()));
            assert!(threads.into_iter().all(|thread| thread.join().expect("it does not panic").is_ok()));
        });
    }
}
