//! Checks the mean over devices, where the backend has a transport between them.

use super::values::elements;
use super::{Function, Suite, Verdict};
use crate::bound::Format;
use crate::place::{Layout, place};
use std::sync::Barrier;
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
    for devices in [vec![first], Device::all().into_iter().filter(own).collect()] {
        over(suite, dtype, &devices);
    }
}

fn over(suite: &mut Suite, dtype: DType, devices: &[Device]) {
    let names = devices.iter().map(Device::name).collect::<Vec<_>>().join(", ");
    suite.check(Function::HasTransport, dtype, names.clone(), || {
        let [once, again] = [(); 2].map(|()| Dynamic::has_transport(devices));
        Ok(if once == again { Ok(()) } else { Err("changes its mind".to_string()) })
    });
    suite.check(Function::AllReduceMean, dtype, names, || match Dynamic::has_transport(devices) {
        true => mean(dtype, devices),
        false => refused(dtype, devices),
    });
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

/// A thread for each device passes a tensor of its own.
fn mean(dtype: DType, devices: &[Device]) -> Result<Verdict> {
    let parts = (0..devices.len()).map(|rank| elements(dtype, &Shape::new(&SIZES), 1 + 50 * rank));
    let parts: Vec<TensorData> = parts.collect::<Result<_>>()?;
    let barrier = Barrier::new(devices.len());
    let pass = |device: &Device, part: &TensorData| -> Result<TensorData> {
        let tensor = place(part.clone(), device, Layout::Contiguous)?;
        let mut meet = || {
            barrier.wait();
            Ok(())
        };
        Dynamic::into_data(Dynamic::all_reduce_mean(tensor, devices, &mut meet)?)
    };
    let found: Vec<Result<TensorData>> = thread::scope(|scope| {
        let start = |(device, part)| scope.spawn(move || pass(device, part));
        let threads: Vec<_> = devices.iter().zip(&parts).map(start).collect();
        let panicked = |_| Err(Error::new(ErrorKind::Backend, "a thread panicked"));
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).collect()
    });
    let right = expected(&parts);
    // The elements are below 64. Each sum is rounded, and so is the quotient.
    let bound = Format::of(dtype).ulp(64.0 * devices.len() as f64);
    for found in found {
        let found = numbers(&found?);
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
