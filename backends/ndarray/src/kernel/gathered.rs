//! Elements that a loop reads by an index, so that nobody stores them first. [`defers`](super::index::defers)
//! has checked the index.

use super::cursor::Cursor;
use super::plan::{Base, Gather, LoopPlan};
use super::stream::{self, Lanes};
use crate::parallel::Shared;

impl<E> LoopPlan<E> {
    /// Where the element is that a gathered operand and its index have at these offsets.
    fn gathered(&self, operand: usize, (start, gather): (Shared<u8>, Gather), at: [isize; 2]) -> *mut u8 {
        let index = &self.operands[gather.index];
        let index = match index.base {
            // SAFETY: plans hold offsets of elements inside their operands' memory.
            Base::Memory(memory) => unsafe { stream::read_one(index.dtype, memory.at(index.bytes(at[1]))) },
            Base::Iota(first) => first + at[1] as i64,
            Base::Window(..) | Base::Gathered(..) | Base::Kept(_) => unreachable!("an index is in memory"),
        };
        start.at(self.operands[operand].bytes(at[0] + index as isize * gather.stride))
    }

    /// Where the block of a cursor is, if all of its elements have one index and lie side by side.
    pub(super) fn gathered_run(
        &self,
        cursor: &Cursor,
        operand: usize,
        from: (Shared<u8>, Gather),
    ) -> Option<*mut u8> {
        let index = from.1.index;
        let stride = |operand| cursor.stride(&self.inner, operand);
        let is_run = cursor.len == 1 || (stride(operand), stride(index)) == (Some(1), Some(0));
        is_run.then(|| self.gathered(operand, from, [cursor.at[operand], cursor.at[index]]))
    }

    /// The element of a gathered operand at the row of a cursor.
    pub(super) fn gathered_at_row<T: Lanes>(
        &self,
        cursor: &Cursor,
        operand: usize,
        from: (Shared<u8>, Gather),
    ) -> T {
        let place = self.gathered(operand, from, [operand, from.1.index].map(|own| cursor.row(own)));
        // SAFETY: the index was checked, so this is an element of the source.
        unsafe { stream::read_one(self.operands[operand].dtype, place) }
    }

    /// Reads the block of a cursor from a gathered operand.
    pub(super) fn fill_gathered<T: Lanes>(
        &self,
        cursor: &Cursor,
        operand: usize,
        from: (Shared<u8>, Gather),
        to: &mut [T],
    ) {
        let both = [operand, from.1.index];
        let (dtype, last) = (self.operands[operand].dtype, self.inner.rank().checked_sub(1));
        let size = last.map_or(1, |axis| self.inner.size(axis)).max(1);
        let [step, index_step] = both.map(|own| last.map_or(0, |axis| self.inner.stride(axis, own)));
        // A run starts one step of the next axis after the one before, until that axis is at its end.
        let next = last.and_then(|last| last.checked_sub(1));
        let turns = next.map_or(1, |axis| self.inner.size(axis)).max(1);
        let turn = both.map(|own| next.map_or(0, |axis| self.inner.stride(axis, own)));
        let (mut done, mut place) = (0, [0; 2]);
        while done < to.len() {
            let point = cursor.start + done;
            let (number, first) = (point / size, point % size);
            place = if done == 0 || number % turns == 0 || index_step == 0 {
                both.map(|own| cursor.row(own) + self.inner.offset(own, point - first))
            } else {
                [place[0] + turn[0], place[1] + turn[1]]
            };
            let [at, index_at] = [place[0] + first as isize * step, place[1] + first as isize * index_step];
            if index_step == 0 {
                let wanted = (first + to.len() - done).div_ceil(size);
                let count = if first == 0 { wanted.min(turns - number % turns).min(RUNS) } else { 1 };
                let len = (count * size - first).min(to.len() - done);
                let bytes = size.min(len) * dtype.size();
                let runs = Runs { at: [at, index_at], turn, count, bytes };
                let places = self.gathered_runs(operand, from, runs);
                for (place, run) in places.into_iter().zip(to[done..done + len].chunks_mut(size)) {
                    // SAFETY: the index was checked, so these are elements of the source.
                    unsafe { T::read(dtype, place, step, run) };
                }
                done += len;
            } else {
                let len = (size - first).min(to.len() - done);
                for (i, to) in (0..).zip(&mut to[done..done + len]) {
                    let place = self.gathered(operand, from, [at + i * step, index_at + i * index_step]);
                    // SAFETY: as above.
                    *to = unsafe { stream::read_one(dtype, place) };
                }
                done += len;
            }
        }
    }

    /// Where some runs are, whose elements have one index each.
    fn gathered_runs(
        &self,
        operand: usize,
        (start, gather): (Shared<u8>, Gather),
        Runs { at, turn, count, bytes }: Runs,
    ) -> [*mut u8; RUNS] {
        let (own, index) = (&self.operands[operand], &self.operands[gather.index]);
        let mut indices = [0; RUNS];
        let indices = &mut indices[..count];
        match index.base {
            Base::Memory(memory) => {
                // SAFETY: plans hold offsets of elements inside their operands' memory.
                unsafe { i64::read(index.dtype, memory.at(index.bytes(at[1])), turn[1], indices) };
            }
            Base::Iota(first) => {
                (0..).zip(&mut *indices).for_each(|(run, to)| *to = first + (at[1] + run * turn[1]) as i64);
            }
            Base::Window(..) | Base::Gathered(..) | Base::Kept(_) => unreachable!("an index is in memory"),
        }
        let mut places = [start.at(0); RUNS];
        for (run, (place, index)) in (0..).zip(places.iter_mut().zip(indices)) {
            *place = start.at(own.bytes(at[0] + run * turn[0] + *index as isize * gather.stride));
            fetch(*place, bytes);
        }
        places
    }
}

/// How many runs are looked up at once, so that memory can get them at the same time.
const RUNS: usize = 32;

/// Runs that follow each other.
struct Runs {
    /// The offsets of the first one and of its index.
    at: [isize; 2],
    /// The steps of both from run to run.
    turn: [isize; 2],
    /// At most [`RUNS`].
    count: usize,
    /// Of a run, if it is contiguous.
    bytes: usize,
}

/// Asks memory for so many bytes at this address, at most the first lines of them: processors see by
/// themselves that a longer run goes on.
#[inline(always)]
fn fetch(place: *const u8, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        for line in 0..bytes.div_ceil(64).min(4) {
            // SAFETY: a prefetch is a hint, which may have any address.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(place.wrapping_add(64 * line).cast()) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (place, bytes);
}
