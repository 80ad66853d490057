//! Which kernel sorts rows of which sizes, and how it is launched.

use super::block::{Block, block_kernel};
use super::radix::{places_kernel, words_kernel};
use super::search::search_kernel;
use super::select::{FEWEST, Select, select_kernel, select_parts_kernel};
use super::word::{Key, Making};
use super::words::{Digit, Words};
use crate::device::Opened;
use crate::kernel::arguments::Arguments;
use crate::kernel::grid::{UNITS, spread};
use crate::kernel::plan::LoopPlan;
use cubecl::ir::{ElemType, FloatKind};
use cubecl::prelude::CubeDim;
use tensor_op_core::Result;

/// No row may be longer: positions are numbers of 31 bits.
pub(super) const LONGEST: usize = i32::MAX as usize;

/// At most so many words are in the memory of a cube.
const MOST_WORDS: usize = 8192;
/// A row of fewer elements for each one that is wanted is sorted as a whole.
const WORTH: usize = 8;

/// Writes the first `kept` positions of each row.
pub(super) fn launch_sort(plan: &LoopPlan, key: Key, kept: usize, descending: bool) -> Result<()> {
    let making = Making { key, descending };
    let len = plan.inner.len();
    let (most, units) = (most_words(plan.device, key), plan.device.units(UNITS));
    if len <= most {
        return in_cubes(plan, making, kept, Way::Block);
    }
    let parts = if Words::fit(plan.device) { shared(plan, kept).max(1) } else { 1 };
    // Each turn reads a few elements, and may sort what a cube has.
    let turns = len / parts / units * 64;
    if kept + units > most || kept * WORTH > len || turns >= plan.device.most_turns {
        radix(plan, making, kept)
    } else if parts > 1 {
        select_in_parts(plan, making, kept, parts)
    } else {
        in_cubes(plan, making, kept, Way::Select)
    }
}

/// Number of cubes that select from one row, so that a device is busy with few rows.
fn shared(plan: &LoopPlan, kept: usize) -> usize {
    /// A part has at least so many elements, and so many for each one that is wanted.
    const LEAST: [usize; 2] = [1 << 13, 4 * WORTH];
    let processors = plan.device.properties().hardware.num_streaming_multiprocessors.unwrap_or(16);
    let parts = 2 * processors as usize / plan.outer.len().max(1);
    parts.min(plan.inner.len() / (kept * LEAST[1]).max(LEAST[0]))
}

/// The words that the memory of a cube has room for, a power of two.
fn most_words(device: &Opened, key: Key) -> usize {
    let numbers = if key.is_long() { 3 } else { 2 };
    // A number beside the words counts them.
    let room = device.properties().hardware.max_shared_memory_size / size_of::<u32>() - 1;
    let fitting = (room / numbers).max(1);
    MOST_WORDS.min((fitting / 2 + 1).next_power_of_two())
}

/// What a cube does.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// It sorts some rows.
    Block,
    /// It selects from a row.
    Select,
}

/// Sorts in the memory of cubes.
fn in_cubes(plan: &LoopPlan, making: Making, kept: usize, way: Way) -> Result<()> {
    let units = plan.device.units(UNITS);
    let (rows, len) = (plan.outer.len(), plan.inner.len());
    let arguments = Arguments::new(plan, 1, None)?;
    macro_rules! launch {
        ($kernel:ident, $cubes:expr, $shape:expr) => {
            // SAFETY: rows beyond the last one and elements beyond the end of a row are neither read nor
            // written. Steps stay inside of their tensors. A cube that selects has room for the words that it
            // keeps and for one of each unit.
            unsafe {
                $kernel::launch_unchecked(
                    plan.device.client(),
                    spread($cubes, plan.device)?,
                    CubeDim::new_1d(units as u32),
                    arguments.address,
                    arguments.inputs,
                    arguments.outputs,
                    arguments.numbers,
                    kept,
                    making,
                    $shape,
                    arguments.space,
                    [making.key.elem(), plan.types()[1]],
                )
            }
        };
    }
    match way {
        Way::Block => {
            let row = len.next_power_of_two();
            let count = row.max(FEWEST);
            launch!(block_kernel, rows.div_ceil(count / row), Block { count, row, units });
        }
        Way::Select => {
            launch!(select_kernel, rows, Select::new(kept, units));
        }
    }
    Ok(())
}

/// Sorts whole rows in the memory of the device.
fn radix(plan: &LoopPlan, making: Making, kept: usize) -> Result<()> {
    let (rows, len, device) = (plan.outer.len(), plan.inner.len(), plan.device);
    let words = Words::new([rows, len], making.key.is_long(), device)?;
    let arguments = Arguments::new(plan, 1, None)?;
    let [high, low, place] = words.args();
    // SAFETY: units beyond the last element stop at once. Steps stay inside of their tensors.
    unsafe {
        words_kernel::launch_unchecked(
            device.client(),
            spread((rows * len).div_ceil(UNITS), device)?,
            CubeDim::new_1d(UNITS as u32),
            arguments.address,
            arguments.inputs,
            high,
            low,
            place,
            arguments.numbers,
            making,
            arguments.space,
            making.key.elem(),
        );
    }
    write_places(plan, words, len, making.key, kept)
}

/// Selects from parts of rows, and sorts what is found.
fn select_in_parts(plan: &LoopPlan, making: Making, kept: usize, parts: usize) -> Result<()> {
    let (rows, len, device) = (plan.outer.len(), plan.inner.len(), plan.device);
    let shape = Select::new(kept, device.units(UNITS));
    let words = Words::new([rows, parts * kept], making.key.is_long(), device)?;
    let arguments = Arguments::new(plan, 1, None)?;
    let [high, low, place] = words.args();
    // SAFETY: cubes beyond the last part stop at once, and elements beyond the end of a part are not taken.
    // Steps stay inside of their tensors. There is room for so many words of each part.
    unsafe {
        select_parts_kernel::launch_unchecked(
            device.client(),
            spread(rows * parts, device)?,
            CubeDim::new_1d(shape.units as u32),
            arguments.address,
            arguments.inputs,
            high,
            low,
            place,
            arguments.numbers,
            kept,
            parts,
            len.div_ceil(parts),
            making,
            shape,
            arguments.space,
            making.key.elem(),
        );
    }
    write_places(plan, words, parts * kept, making.key, kept)
}

/// Sorts words, of which each row has so many, and writes the first positions.
fn write_places(plan: &LoopPlan, words: Words, len: usize, key: Key, kept: usize) -> Result<()> {
    let device = plan.device;
    let sorted = words.sorted(&digits(plan, key), true)?;
    let arguments = Arguments::new(plan, 1, None)?;
    // SAFETY: units beyond the last position stop at once. Steps stay inside of their tensors.
    unsafe {
        places_kernel::launch_unchecked(
            device.client(),
            spread((plan.outer.len() * kept).div_ceil(UNITS), device)?,
            CubeDim::new_1d(UNITS as u32),
            arguments.address,
            sorted.place(),
            arguments.outputs,
            arguments.numbers,
            len,
            kept,
            arguments.space,
            plan.types()[1],
        );
    }
    Ok(())
}

/// The digits of the words that may differ, from the lowest one to the highest.
fn digits(plan: &LoopPlan, key: Key) -> Vec<Digit> {
    let stored = plan.reads[0].memory().map(|memory| memory.elem);
    // Halves as f32 have zeros in their lowest bits, and a byte is a small number.
    let high = match stored {
        Some(ElemType::Float(FloatKind::BF16)) => 16..32,
        Some(ElemType::Float(FloatKind::F16)) => 12..32,
        Some(ElemType::UInt(kind)) if ElemType::UInt(kind).size() == 1 => 0..8,
        Some(_) | None => 0..32,
    };
    let low = if key.is_long() { 0..32 } else { 0..0 };
    [Digit::all(true, low), Digit::all(false, high)].concat()
}

/// Writes for each value how many elements of its row come before it. A row has so many elements, so far
/// apart.
pub(super) fn launch_search(
    plan: &LoopPlan,
    keys: [Key; 2],
    [len, step]: [usize; 2],
    right: bool,
) -> Result<()> {
    let arguments = Arguments::new(plan, 1, None)?;
    // SAFETY: units beyond the last value stop at once. Steps stay inside of their tensors, and so do the
    // places in a row.
    unsafe {
        search_kernel::launch_unchecked(
            plan.device.client(),
            spread(plan.inner.len().div_ceil(UNITS), plan.device)?,
            CubeDim::new_1d(UNITS as u32),
            arguments.address,
            arguments.inputs,
            arguments.outputs,
            arguments.numbers,
            len,
            step,
            keys,
            right,
            arguments.space,
            [keys[0].elem(), keys[1].elem(), plan.types()[1]],
        );
    }
    Ok(())
}
