//! Checks what a device says of itself, and the moves of several tensors at once.

use super::values::{elements, same};
use super::{Function, Suite};
use crate::place::{Layout, place};
use tensor_op_core::{
    Backend, DType, DTypeUsage, Device, DynTensor, Dynamic, Result, Shape, TensorData, match_dtype,
};
use tensor_op_spec::ir::Scalar;

/// Runs the cases for elements of one dtype.
pub(super) fn run(suite: &mut Suite, dtype: DType) {
    let device = suite.device;
    suite.check(Function::DtypeUsage, dtype, "a dtype that is supported", || {
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
    suite.check(Function::IntoDataAll, dtype, "six tensors, one of them transposed", || {
        let found = Dynamic::into_data_all(placed()?)?;
        let none = Dynamic::into_data_all(vec![])?.is_empty();
        Ok(all_same(&found, &data()?)
            .and_then(|()| none.then_some(()).ok_or_else(|| "there is data of no tensors".to_string())))
    });
    suite.check(Function::IntoDataAllAsync, dtype, "six tensors, one of them transposed", || {
        let found = pollster::block_on(Dynamic::into_data_all_async(placed()?))?;
        Ok(all_same(&found, &data()?))
    });
    suite.check(Function::Persistent, dtype, "a task that makes a tensor", || {
        let mut made = None;
        Dynamic::persistent(&device, &mut || {
            made = Some(
                elements(dtype, &Shape::new(&[7]), 1).and_then(|data| Dynamic::from_data(data, &device)),
            );
        });
        let Some(made) = made else { return Ok(Err("the task has not run".to_string())) };
        Ok(same(&Dynamic::into_data(made?)?, &elements(dtype, &Shape::new(&[7]), 1)?))
    });
    suite.check(Function::Staging, dtype, "six tensors, moved twice", || staged(&device, data()?));
    suite.check(Function::Record, dtype, "a step that turns a matrix", || recorded(&device, dtype));
    memory(suite, dtype);
}

/// Data that is prepared, and one that is changed afterwards.
fn staged(device: &Device, data: Vec<TensorData>) -> Result<std::result::Result<(), String>> {
    let mut own = data.clone();
    Dynamic::staging(&mut own, device);
    let moved = |data: &[TensorData]| -> Result<Vec<TensorData>> {
        let there = data.iter().map(|data| Dynamic::from_data(data.clone(), device));
        Dynamic::into_data_all(there.collect::<Result<_>>()?)
    };
    let (first, again) = (moved(&own)?, moved(&own)?);
    // A copy of before must not be used for what has changed.
    let turned = own.into_iter().map(|data| {
        let zeros = TensorData::full(data.shape().clone(), Scalar::Int(0), data.dtype())?;
        overwritten(data, &zeros)
    });
    let zeros = turned.collect::<Result<Vec<_>>>()?;
    let changed = moved(&zeros)?;
    Ok(all_same(&first, &data).and(all_same(&again, &data)).and(all_same(&changed, &zeros)))
}

/// The data with the elements of another, in the same memory.
fn overwritten(mut data: TensorData, other: &TensorData) -> Result<TensorData> {
    match_dtype!(data.dtype(), T => data.as_mut_slice::<T>()?.copy_from_slice(other.as_slice::<T>()?));
    Ok(data)
}

/// The state becomes the input, and what the state was is returned, transposed. A device that records nothing
/// has nothing to check.
fn recorded(device: &Device, dtype: DType) -> Result<std::result::Result<(), String>> {
    let data = |seed| elements(dtype, &Shape::new(&[2, 3]), seed);
    let tensor = |seed| Dynamic::from_data(data(seed)?, device);
    let turn = &mut |state: &[DynTensor], inputs: &[DynTensor]| {
        Ok((inputs.to_vec(), vec![Dynamic::permute(state[0].clone(), &[1, 0])?]))
    };
    let Some(mut recording) = Dynamic::record(device, &[tensor(1)?], &[tensor(2)?], turn)? else {
        return Ok(Ok(()));
    };
    for seed in 1..4 {
        let outputs = Dynamic::into_data_all(recording.replay(&[tensor(seed + 1)?])?)?;
        let turned = Dynamic::into_data(Dynamic::permute(tensor(seed)?, &[1, 0])?)?;
        let state = Dynamic::into_data_all(recording.state()?)?;
        let found = all_same(&outputs, &[turned]).and(all_same(&state, &[data(seed + 1)?]));
        if found.is_err() {
            return Ok(found);
        }
    }
    Ok(Ok(()))
}

/// What is counted while a tensor of 4096 elements is there. Other threads make tensors too, so that only
/// bounds are known.
fn memory(suite: &mut Suite, dtype: DType) {
    const COUNT: u64 = 4096;
    let device = suite.device;
    suite.check(Function::Memory, dtype, "with a tensor", || {
        let tensor = Dynamic::from_data(elements(dtype, &Shape::new(&[COUNT as usize]), 1)?, &device)?;
        let found = Dynamic::memory(&device);
        Dynamic::into_data(tensor)?;
        Ok(match found {
            Some(found) if found.in_use < COUNT => Err(format!("only {} bytes are in use", found.in_use)),
            Some(found) if found.reserved < found.in_use => {
                Err(format!("more is in use than reserved: {found:?}"))
            }
            Some(found) if found.peak < COUNT => Err(format!("the peak is {} bytes", found.peak)),
            Some(_) | None => Ok(()),
        })
    });
    suite.check(Function::ResetPeakMemory, dtype, "with a tensor", || {
        let tensor = Dynamic::from_data(elements(dtype, &Shape::new(&[COUNT as usize]), 1)?, &device)?;
        Dynamic::reset_peak_memory(&device);
        let found = Dynamic::memory(&device);
        Dynamic::into_data(tensor)?;
        Ok(match found {
            Some(found) if found.peak < COUNT => Err(format!("the peak is {} bytes", found.peak)),
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
