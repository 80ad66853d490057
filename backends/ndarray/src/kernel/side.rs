//! The operands of one kind (float, int or bool) as slices for a body. Operands that a body can't use in
//! place are copied through buffers.

use super::cursor::{Cursor, Steps};
use super::plan::{Base, Dest, LoopPlan, Operand, PassPlan};
use super::stream::{self, Lanes};
use crate::layout::Few;
use crate::nest::Nest;
use crate::program::buffer::{Buffer, Recycled};
use std::ops::Range;
use std::ptr;

/// Buffers and slices of one kind.
pub(crate) struct Side<T: Recycled> {
    /// Only accessed through `base`, so that slices into it stay valid.
    _buffer: Buffer<T>,
    base: *mut T,
    /// The buffer of each operand that needs one.
    stages: Few<Option<Stage>>,
    /// The start of the buffers of results, and the distance between them.
    results_at: usize,
    block: usize,
    elements: Few<*const [T]>,
    results: Few<*mut [T]>,
    keep: bool,
    /// Whether no pass has had elements or results of this kind.
    is_idle: bool,
    /// Whether a result of this block is in a buffer and goes to an operand.
    is_staged: bool,
}

/// How many elements buffers hold.
#[derive(Clone, Copy)]
pub(crate) struct Room {
    /// Those of a whole row of an operand, if they are kept between passes.
    pub(crate) row: Option<usize>,
    /// The most elements of a block.
    pub(crate) block: usize,
}

/// A buffer of an operand.
struct Stage {
    at: usize,
    /// The row of which the buffer holds elements: its offset in the operand. A window is not the same in two
    /// rows of one offset, and what an index gives is not, so for these it is the number of the row.
    row: isize,
    /// The first of these elements, and the end of them.
    filled: Range<usize>,
    /// The operand has the same elements after so many.
    period: usize,
}

impl Operand {
    /// A distance in bytes.
    pub(super) fn bytes(&self, offset: isize) -> isize {
        offset * self.dtype.size() as isize
    }

    /// Writes the results of a block to the operand's memory.
    fn store<T: Lanes>(&self, cursor: &Cursor, inner: &Nest, operand: usize, from: &[T]) {
        let Base::Memory(start) = self.base else { return };
        cursor.each_run(inner, operand, |offset, steps, first, last| {
            let (to, from) = (start.at(self.bytes(offset)), &from[first..last]);
            // SAFETY: plans hold offsets of elements inside their operands' memory. The points of a result
            // are distinct, and no other thread writes this block.
            unsafe {
                match steps {
                    Steps::Even(stride) => T::write(self.dtype, to, stride, from),
                    Steps::Pairs(pairs) => pairs.write(self.dtype, to, from),
                }
            };
        });
    }
}

impl<T: Recycled> Side<T> {
    /// Makes buffers for all operands of one kind that bodies can't use in place.
    pub(crate) fn new<'a, E: 'a>(
        plan: &'a LoopPlan<E>,
        Room { row, block }: Room,
        of_kind: impl Fn(&'a PassPlan<E>) -> (&'a Vec<usize>, &'a Vec<Dest>),
    ) -> Side<T>
    where
        T: 'a,
    {
        let (capacity, mut at, mut results) = (row.unwrap_or(block), 0, 0);
        let mut is_idle = true;
        let mut stages: Few<Option<Stage>> = Few::new();
        for pass in &plan.passes {
            let (elements, dests) = of_kind(pass);
            results = results.max(dests.len());
            is_idle &= elements.is_empty() && dests.is_empty();
            for operand in elements {
                if stages.len() <= *operand {
                    stages.resize_with(operand + 1, || None);
                }
                if stages[*operand].is_none() && !plan.is_direct_operand::<T>(*operand) {
                    let period = plan.period(*operand);
                    stages[*operand] = Some(Stage { at, row: isize::MIN, filled: 0..0, period });
                    at += capacity;
                }
            }
        }
        let mut buffer = Buffer::new(at + results * block);
        let base = buffer.as_mut_ptr();
        let (elements, slices) = (Few::new(), Few::with_capacity(results));
        Side {
            _buffer: buffer,
            base,
            stages,
            results_at: at,
            block,
            elements,
            results: slices,
            keep: row.is_some(),
            is_idle,
            is_staged: false,
        }
    }

    /// Forgets which rows the buffers hold.
    pub(crate) fn forget(&mut self) {
        self.stages.iter_mut().flatten().for_each(|stage| (stage.row, stage.filled) = (isize::MIN, 0..0));
    }

    /// Makes the slices of a block. `more` are elements that are no operands.
    #[inline]
    pub(crate) fn prepare<E>(
        &mut self,
        plan: &LoopPlan<E>,
        cursor: &Cursor,
        elements: &[usize],
        more: &[&[T]],
        dests: &[Dest],
    ) {
        self.is_idle &= more.is_empty();
        if !self.is_idle {
            self.make_slices(plan, cursor, elements, more, dests);
        }
    }

    fn make_slices<E>(
        &mut self,
        plan: &LoopPlan<E>,
        cursor: &Cursor,
        elements: &[usize],
        more: &[&[T]],
        dests: &[Dest],
    ) {
        self.elements.clear();
        self.results.clear();
        self.is_staged = false;
        for operand in elements {
            let slice = self.element(plan, cursor, *operand);
            self.elements.push(slice);
        }
        self.elements.extend(more.iter().map(|slice| ptr::from_ref(*slice)));
        for (index, dest) in dests.iter().enumerate() {
            let direct = match dest {
                Dest::Element(operand) => {
                    let is_buffered = plan.operands[*operand].in_place;
                    let direct = if is_buffered { None } else { address(plan, cursor, *operand) };
                    self.is_staged |= direct.is_none();
                    direct
                }
                Dest::Fold { .. } | Dest::Row(_) | Dest::Column(_) | Dest::Nowhere => None,
            };
            let start = direct.unwrap_or_else(|| {
                debug_assert!(cursor.len <= self.block, "a block is longer than its buffers");
                self.base.wrapping_add(self.results_at + index * self.block)
            });
            self.results.push(ptr::slice_from_raw_parts_mut(start, cursor.len));
        }
    }

    fn element<E>(&mut self, plan: &LoopPlan<E>, cursor: &Cursor, operand: usize) -> *const [T] {
        if let Some(address) = address(plan, cursor, operand) {
            return ptr::slice_from_raw_parts(address, cursor.len);
        }
        let stage = self.stages[operand].as_mut().expect("operands that may not be direct have a buffer");
        let first = if self.keep { cursor.start } else { cursor.start % stage.period };
        let start = self.base.wrapping_add(if self.keep { stage.at + first } else { stage.at });
        let wanted = first..first + cursor.len;
        let row = match plan.operands[operand].base {
            Base::Window(..) | Base::Gathered(..) => cursor.number,
            Base::Memory(_) | Base::Iota(_) | Base::Kept(_) => cursor.row[operand],
        };
        if stage.row != row {
            (stage.row, stage.filled) = (row, 0..0);
        }
        debug_assert!(self.keep || cursor.len <= self.block, "a block is longer than its buffers");
        let is_filled = (self.keep || stage.filled.start == wanted.start) && wanted.end <= stage.filled.end;
        if !is_filled {
            // SAFETY: the buffer has room for a block, or a whole row, of this operand. No other slice of it
            // is in use now.
            let to = unsafe { std::slice::from_raw_parts_mut(start, cursor.len) };
            plan.fill(cursor, operand, to);
            stage.filled = wanted;
        }
        ptr::slice_from_raw_parts(start, cursor.len)
    }

    /// The element and result slices of the block.
    ///
    /// # Safety
    /// `prepare` was called before. As long as the slices are used, nothing writes to the elements, and
    /// nothing else accesses the results.
    pub(crate) unsafe fn slices(&mut self) -> (&[&[T]], &mut [&mut [T]]) {
        let (elements, results) = (&self.elements, &mut self.results);
        // SAFETY: references and pointers to slices have the same layout, and the caller guarantees that all
        // of these are valid.
        unsafe {
            (
                std::slice::from_raw_parts(elements.as_ptr().cast(), elements.len()),
                std::slice::from_raw_parts_mut(results.as_mut_ptr().cast(), results.len()),
            )
        }
    }

    /// The results of the block.
    ///
    /// # Safety
    /// A body has written them, and nothing else writes to them as long as they are used.
    pub(crate) unsafe fn results(&self) -> &[&[T]] {
        // SAFETY: references and pointers to slices have the same layout, and the caller guarantees that all
        // of these are valid.
        unsafe { std::slice::from_raw_parts(self.results.as_ptr().cast(), self.results.len()) }
    }

    /// Writes the results that the body could not write in place.
    #[inline]
    pub(crate) fn store_elements<E>(&self, plan: &LoopPlan<E>, cursor: &Cursor, dests: &[Dest]) {
        if self.is_staged {
            self.store_each(plan, cursor, dests);
        }
    }

    fn store_each<E>(&self, plan: &LoopPlan<E>, cursor: &Cursor, dests: &[Dest]) {
        for (dest, result) in dests.iter().zip(&self.results) {
            let Dest::Element(operand) = *dest else { continue };
            let target = &plan.operands[operand];
            if target.in_place || address::<T, E>(plan, cursor, operand).is_none() {
                // SAFETY: this is a result of this block, and the body has finished writing it.
                target.store(cursor, &plan.inner, operand, unsafe { &**result });
            }
        }
    }

    /// Writes the results that have one value per row.
    pub(crate) fn store_rows<E>(&self, plan: &LoopPlan<E>, cursor: &Cursor, dests: &[Dest]) {
        for (dest, result) in dests.iter().zip(&self.results) {
            let Dest::Row(operand) = *dest else { continue };
            let target = &plan.operands[operand];
            let Base::Memory(start) = target.base else { continue };
            let at = start.at(target.bytes(cursor.row[operand]));
            // SAFETY: this is a result of this row, which the body has finished writing. It goes to the row's
            // own element.
            unsafe { T::write(target.dtype, at, 1, std::slice::from_ref(&*result.cast::<T>())) };
        }
    }

    /// Visits the results that are folded along the row.
    pub(crate) fn each_folded(&self, dests: &[Dest], mut visit: impl FnMut(usize, &[T])) {
        for (dest, result) in dests.iter().zip(&self.results) {
            if let Dest::Fold { statistic, .. } = *dest {
                // SAFETY: this is a result of this block, and the body has finished writing it.
                visit(statistic, unsafe { &**result });
            }
        }
    }

    /// Visits the results that are folded over the rows.
    pub(crate) fn each_column(&self, dests: &[Dest], mut visit: impl FnMut(usize, &[T])) {
        for (dest, result) in dests.iter().zip(&self.results) {
            if let Dest::Column(column) = *dest {
                // SAFETY: this is a result of this block, and the body has finished writing it.
                visit(column, unsafe { &**result });
            }
        }
    }
}

impl<E> LoopPlan<E> {
    /// The value of an operand at the row of a cursor.
    pub(super) fn at_row<T: Lanes>(&self, cursor: &Cursor, operand: usize) -> T {
        let own = &self.operands[operand];
        let offset = cursor.row[operand];
        match own.base {
            // SAFETY: plans hold offsets of elements inside their operands' memory.
            Base::Memory(start) => unsafe { stream::read_one(own.dtype, start.at(own.bytes(offset))) },
            Base::Iota(first) => T::from_i64(first + offset as i64),
            Base::Window(..) => self.window_at_row(cursor, operand),
            Base::Gathered(start, gather) => self.gathered_at_row(cursor, operand, (start, gather)),
            Base::Kept(_) => unreachable!("what is kept varies along a row"),
        }
    }

    /// Reads the block of a cursor.
    fn fill<T: Lanes>(&self, cursor: &Cursor, operand: usize, to: &mut [T]) {
        let own = &self.operands[operand];
        match own.base {
            Base::Memory(start) => cursor.each_run(&self.inner, operand, |offset, steps, first, last| {
                let (from, to) = (start.at(own.bytes(offset)), &mut to[first..last]);
                // SAFETY: plans hold offsets of elements inside their operands' memory.
                unsafe {
                    match steps {
                        Steps::Even(stride) => T::read(own.dtype, from, stride, to),
                        Steps::Pairs(pairs) => pairs.read(own.dtype, from, to),
                    }
                }
            }),
            Base::Iota(start) => cursor.each_run(&self.inner, operand, |offset, steps, first, last| {
                let number = |place: isize| T::from_i64(start + (offset + place) as i64);
                let to = &mut to[first..last];
                match steps {
                    Steps::Even(stride) => (0..).zip(to).for_each(|(i, to)| *to = number(i * stride)),
                    Steps::Pairs(pairs) => pairs.places().zip(to).for_each(|(at, to)| *to = number(at)),
                }
            }),
            Base::Window(..) => self.fill_window(cursor, operand, to),
            Base::Gathered(start, gather) => self.fill_gathered(cursor, operand, (start, gather), to),
            Base::Kept(_) => unreachable!("what is kept is read in place"),
        }
    }
}

/// The address of a block, if it is contiguous and of a type that bodies compute with.
fn address<T: Lanes, E>(plan: &LoopPlan<E>, cursor: &Cursor, operand: usize) -> Option<*mut T> {
    let Operand { base, dtype, .. } = &plan.operands[operand];
    match base {
        Base::Memory(start)
            if *dtype == T::NATIVE && (cursor.len == 1 || cursor.stride(&plan.inner, operand) == Some(1)) =>
        {
            Some(start.at(cursor.at[operand] * size_of::<T>() as isize).cast())
        }
        Base::Gathered(start, gather) if *dtype == T::NATIVE => {
            plan.gathered_run(cursor, operand, (*start, *gather)).map(<*mut u8>::cast)
        }
        Base::Kept(value) => Some(cursor.kept.address(*value, cursor.start)),
        Base::Memory(_) | Base::Iota(_) | Base::Window(..) | Base::Gathered(..) => None,
    }
}
