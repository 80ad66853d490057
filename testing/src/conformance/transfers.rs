//! Checks what a device says of itself, and the moves of several tensors at once.

use super::Suite;
use super::values::{elements, same};
use crate::place::{Layout, place};
use tensor_op_core::{Backend, DType, DTypeUsage, DynTensor, Dynamic, Result, Shape, TensorData};

/// Runs the cases for elements of one dtype.
pub(super) fn run(suite: &mut Suite, dtype: DType) {
    let device = suite.device;
    suite.check("dtype_usage", dtype, "a dtype that is supported", || {
        let usage = Dynamic::dtype_usage(&device, dtype);
        Ok(usage.contains(DTypeUsage::GENERAL).then_some(()).ok_or_else(|| format!("it is {usage}")))
    });
    // The long ones are more than a GPU reads at once.
    let sizes: [&[usize]; 6] = [&[2, 3, 4], &[], &[0, 2], &[90_000], &[90_001], &[300_000]];
    let data = || -> Result<Vec<TensorData>> {
        sizes.iter().zip(1..).map(|(sizes, seed)| elements(dtype, &Shape::new(sizes), seed)).collect()
    };
    let placed = || -> Result<Vec<DynTensor>> {
        let layouts = [Layout::Transposed].into_iter().chain(std::iter::repeat(Layout::Contiguous));
        data()?.into_iter().zip(layouts).map(|(data, layout)| place(data, &device, layout)).collect()
    };
    suite.check("into_data_all", dtype, "six tensors, one of them transposed", || {
        let expected = data()?;
        let found = Dynamic::into_data_all(placed()?)?;
        let later = pollster::block_on(Dynamic::into_data_all_async(placed()?))?;
        let none = Dynamic::into_data_all(vec![])?.is_empty();
        Ok(all_same(&found, &expected)
            .and_then(|()| all_same(&later, &expected))
            .and_then(|()| none.then_some(()).ok_or_else(|| "there is data of no tensors".to_string())))
    });
    suite.check("persistent", dtype, "a task that makes a tensor", || {
        let mut made = None;
        Dynamic::persistent(&device, &mut || {
            made = Some(
                elements(dtype, &Shape::new(&[7]), 1).and_then(|data| Dynamic::from_data(data, &device)),
            );
        });
        let Some(made) = made else { return Ok(Err("the task has not run".to_string())) };
        Ok(same(&Dynamic::into_data(made?)?, &elements(dtype, &Shape::new(&[7]), 1)?))
    });
    suite.check("memory", dtype, "a tensor of 4096 elements", || {
        // Other threads make tensors too, so that only bounds are known.
        let tensor = Dynamic::from_data(elements(dtype, &Shape::new(&[4096]), 1)?, &device)?;
        let found = Dynamic::memory(&device);
        Dynamic::into_data(tensor)?;
        Ok(match found {
            Some(found) if found.in_use < 4096 => Err(format!("only {} bytes are in use", found.in_use)),
            Some(found) if found.reserved < found.in_use => {
                Err(format!("more is in use than reserved: {found:?}"))
            }
            Some(found) if found.peak < 4096 => Err(format!("the peak is {} bytes", found.peak)),
            Some(_) | None => Ok(()),
        })
    });
}

fn all_same(found: &[TensorData], expected: &[TensorData]) -> std::result::Result<(), String> {
    if found.len() != expected.len() {
        return Err(format!("{} tensors came for {}", found.len(), expected.len()));
    }
    found.iter().zip(expected).try_for_each(|(found, expected)| same(found, expected))
}
