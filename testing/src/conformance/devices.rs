//! Checks the devices of a backend: each has its name, holds tensors, and accepts tensors from other devices.

use super::values::{elements, same};
use super::{Function, Suite};
use crate::place::{Layout, place};
use tensor_op_core::{Backend, DType, Device, Dynamic, Shape};

/// Runs the cases for elements of one dtype, on all devices of the backend that have it.
pub(super) fn run(suite: &mut Suite, dtype: DType) {
    let first = suite.device;
    let own = |device: &Device| device.backend() == first.backend() && Dynamic::supports_dtype(device, dtype);
    for device in Device::all().into_iter().filter(own) {
        computes(suite, dtype, device);
        named(suite, dtype, device);
        for layout in Layout::of(&first) {
            moved(suite, dtype, device, layout);
        }
    }
}

/// A dtype needs that in which it is computed.
fn computes(suite: &mut Suite, dtype: DType, device: Device) {
    let wide = dtype.compute();
    suite.check(Function::SupportsDtype, dtype, format!("on {device}, with {wide}"), || {
        let has = Dynamic::supports_dtype(&device, wide);
        Ok(if has { Ok(()) } else { Err(format!("is computed in {wide}, which is not supported")) })
    });
}

fn named(suite: &mut Suite, dtype: DType, device: Device) {
    suite.check(Function::NthDevice, dtype, format!("{device}"), || {
        let again = Device::new(&device.name())?;
        Ok(if again == device { Ok(()) } else { Err(format!("its name leads to {again}")) })
    });
    suite.check(Function::DeviceCount, dtype, format!("{device}"), || {
        let count = Device::all().iter().filter(|other| other.backend() == device.backend()).count();
        let beyond = Device::new(&format!("{}:{count}", device.backend()));
        Ok(if beyond.is_err() { Ok(()) } else { Err(format!("there is a device {count} of {count}")) })
    });
    suite.check(Function::Device, dtype, format!("{device}"), || {
        let tensor = place(elements(dtype, &Shape::new(&[3]), 1)?, &device, Layout::Contiguous)?;
        let holder = Dynamic::device(&tensor);
        Ok(if holder == device { Ok(()) } else { Err(format!("what is put there is on {holder}")) })
    });
}

/// Moves a tensor from the suite's device to another one, and back.
fn moved(suite: &mut Suite, dtype: DType, device: Device, layout: Layout) {
    let first = suite.device;
    suite.check(Function::ToDevice, dtype, format!("from {first} to {device} {layout:?}"), || {
        let tensor = place(elements(dtype, &Shape::new(&[2, 3, 4]), 1)?, &first, layout)?;
        let expected = Dynamic::into_data(tensor.clone())?;
        let there = Dynamic::to_device(tensor, &device)?;
        if Dynamic::device(&there) != device {
            return Ok(Err(format!("it is on {}", Dynamic::device(&there))));
        }
        let back = Dynamic::to_device(there.clone(), &first)?;
        let (there, back) = (Dynamic::into_data(there)?, Dynamic::into_data(back)?);
        Ok(same(&there, &expected).and_then(|()| same(&back, &expected)))
    });
}
