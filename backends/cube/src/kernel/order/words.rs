//! Words in the memory of a device, and the passes that sort them digit by digit.

use super::digits::{BITS, DIGITS, SHARED, count_kernel, items, start_kernel};
use super::radix::{Moving, move_kernel};
use crate::device::Opened;
use crate::kernel::grid::{UNITS, address, spread};
use crate::tensor::CubeTensor;
use cubecl::prelude::{BufferArg, CubeDim};
use cubecl::server::Handle;
use std::ops::Range;
use tensor_op_core::{DType, Error, ErrorKind, Result, Shape};

/// Rows of words. All rows have the same length.
pub(crate) struct Words {
    /// The higher numbers, the lower ones and the positions.
    memory: [Handle; 3],
    rows: usize,
    len: usize,
    /// Whether words have a lower number.
    is_long: bool,
    device: &'static Opened,
}

/// Six bits of each word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Digit {
    /// Whether they are in the lower number.
    pub(crate) of_low: bool,
    /// The first one.
    pub(crate) shift: u32,
}

impl Digit {
    /// Those of some bits, the least one first.
    pub(crate) fn all(of_low: bool, bits: Range<u32>) -> Vec<Digit> {
        bits.step_by(BITS).map(|shift| Digit { of_low, shift }).collect()
    }
}

impl Words {
    /// Whether units share the memory that a sort takes.
    pub(crate) fn fit(device: &Opened) -> bool {
        device.properties().hardware.max_shared_memory_size >= SHARED
    }

    /// The higher numbers, the lower ones and the positions.
    pub(crate) fn into_memory(self) -> [Handle; 3] {
        self.memory
    }

    /// Room for words, which are not written yet. An `Err` if the device can't sort them.
    pub(crate) fn new([rows, len]: [usize; 2], is_long: bool, device: &'static Opened) -> Result<Words> {
        if !Words::fit(device) {
            let message = format!("units of {} share too little memory to sort long rows", device.name());
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        let numbers = || room(&[rows, len], device);
        let low = if is_long { numbers()? } else { room(&[1], device)? };
        Ok(Words { memory: [numbers()?, low, numbers()?], rows, len, is_long, device })
    }

    /// The higher numbers, the lower ones and the positions.
    pub(crate) fn args(&self) -> [BufferArg; 3] {
        let count = self.rows * self.len;
        let sizes = [count, if self.is_long { count } else { 1 }, count];
        [0, 1, 2].map(|at| whole(&self.memory[at], sizes[at]))
    }

    /// The positions.
    pub(crate) fn place(&self) -> BufferArg {
        whole(&self.memory[2], self.rows * self.len)
    }

    /// The words of each row in the order of these digits, the least one first. Words whose digits are equal
    /// keep their order. If only positions are wanted, the numbers are lost.
    pub(crate) fn sorted(self, digits: &[Digit], only_places: bool) -> Result<Words> {
        let counts = Counts::new(&self)?;
        let mut to = Words::new([self.rows, self.len], self.is_long, self.device)?;
        let mut from = self;
        for (at, Digit { of_low, shift }) in digits.iter().copied().enumerate() {
            let only_places = only_places && at + 1 == digits.len();
            let moving = Moving { of_low, is_long: from.is_long, only_places, items: counts.items };
            counts.order(&from, &to, shift, moving)?;
            std::mem::swap(&mut from, &mut to);
        }
        Ok(from)
    }
}

/// How often each digit occurs.
struct Counts {
    /// In each segment of a row: the elements of a cube.
    of_segments: Handle,
    of_rows: Handle,
    segments: usize,
    /// Elements of a unit.
    items: usize,
}

impl Counts {
    fn new(words: &Words) -> Result<Counts> {
        let items = items(words.rows * words.len);
        let segments = words.len.div_ceil(UNITS * items);
        Ok(Counts {
            of_segments: room(&[words.rows, DIGITS, segments], words.device)?,
            of_rows: room(&[words.rows, DIGITS], words.device)?,
            segments,
            items,
        })
    }

    /// Writes words in the order of one digit.
    fn order(&self, from: &Words, to: &Words, shift: u32, moving: Moving) -> Result<()> {
        let (rows, len, device, segments) = (from.rows, from.len, from.device, self.segments);
        let (cubes, sums) = (rows * segments, rows * DIGITS);
        let (unit, address) =
            (CubeDim::new_1d(UNITS as u32), address((rows * len).max(cubes * DIGITS), device)?);
        let client = device.client();
        let numbers = whole(&from.memory[usize::from(moving.of_low)], rows * len);
        let (of_segments, of_rows) =
            (|| whole(&self.of_segments, cubes * DIGITS), || whole(&self.of_rows, sums));
        let [high, low, place] = from.args();
        let [new_high, new_low, new_place] = to.args();
        let [all, each, again] = [spread(cubes, device)?, spread(sums, device)?, spread(cubes, device)?];
        // SAFETY: there is a cube for each segment, and elements beyond the end of a row are left out. The
        // counts of a row add up to its elements, so words are moved to places of the row.
        unsafe {
            count_kernel::launch_unchecked(
                client,
                all,
                unit,
                address,
                numbers,
                of_segments(),
                len,
                segments,
                shift,
                cubes,
                self.items,
            );
            start_kernel::launch_unchecked(
                client,
                each,
                unit,
                address,
                of_segments(),
                of_rows(),
                segments,
                sums,
            );
            move_kernel::launch_unchecked(
                client,
                again,
                unit,
                address,
                high,
                low,
                place,
                of_segments(),
                of_rows(),
                new_high,
                new_low,
                new_place,
                len,
                segments,
                shift,
                cubes,
                moving,
            );
        }
        Ok(())
    }
}

/// A new buffer of `u32`.
fn room(sizes: &[usize], device: &'static Opened) -> Result<Handle> {
    Ok(CubeTensor::empty(&Shape::new(sizes), DType::U32, device)?.handle)
}

/// All of a buffer of `u32`.
pub(crate) fn whole(memory: &Handle, size: usize) -> BufferArg {
    // SAFETY: the buffer was made for so many elements.
    unsafe { BufferArg::from_raw_parts_binding(memory.clone().binding(), size) }
}
