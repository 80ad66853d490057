//! Runs along two axes, of which the inner one is short, such as the pairs of a rotary encoding.

use super::stream::{self, GATHER, Lanes};
use crate::block::rows::{Rows, spread};
use std::ops::Range;
use tensor_op_core::{DType, match_dtype};

/// An innermost axis shorter than this is read together with the one around it.
pub(super) const SHORT: usize = 64;

/// Rows of so many elements are read one by one, if nothing is converted.
const ROW_BY_ROW: usize = 8;

/// The places of a run: row by row, each of a few elements.
#[derive(Clone, Copy)]
pub(super) struct Pairs {
    /// The element of the first row at which the run starts.
    pub(super) first: usize,
    /// Elements of a row.
    pub(super) size: usize,
    /// The step from element to element.
    pub(super) inner: isize,
    /// The step from row to row.
    pub(super) outer: isize,
}

impl Pairs {
    /// The distance of each element from the start of the first row.
    pub(super) fn places(self) -> impl Iterator<Item = isize> {
        let Pairs { mut first, size, inner, outer } = self;
        let (mut row, mut at) = (0, first as isize * inner);
        std::iter::from_fn(move || {
            let place = at;
            (first, at) = (first + 1, at + inner);
            if first == size {
                (first, row) = (0, row + outer);
                at = row;
            }
            Some(place)
        })
    }

    /// Reads as many elements as `to` has.
    ///
    /// # Safety
    /// `from`, moved by each of the places, points to an element of this dtype.
    pub(super) unsafe fn read<T: Lanes>(self, dtype: DType, from: *const u8, to: &mut [T]) {
        let bytes = dtype.size() as isize;
        // SAFETY: the caller guarantees it.
        unsafe {
            match (self.outer, self.inner) {
                (_, 0) => self.read_one_per_row(dtype, from, to),
                (0, _) if to.len() >= self.size => self.read_same_rows(dtype, from, to),
                _ if self.size >= ROW_BY_ROW && dtype == T::NATIVE => {
                    self.rows(to.len()).for_each(|(place, row)| {
                        T::read(dtype, from.wrapping_offset(place * bytes), self.inner, &mut to[row]);
                    })
                }
                _ => self.read_each(dtype, from, to),
            }
        }
    }

    /// Where each row begins, and its elements, of which there are so many in all rows.
    fn rows(self, len: usize) -> impl Iterator<Item = (isize, Range<usize>)> {
        let Pairs { first, size, inner, outer } = self;
        (0..(first + len).div_ceil(size)).map(move |row| {
            let (from, to) = ((row * size).max(first), (row * size + size).min(first + len));
            let place = row as isize * outer + (from - row * size) as isize * inner;
            (place, from - first..to - first)
        })
    }

    /// Rows whose elements are all the same.
    unsafe fn read_one_per_row<T: Lanes>(self, dtype: DType, mut from: *const u8, to: &mut [T]) {
        let step = self.outer * dtype.size() as isize;
        let (first, rest) = to.split_at_mut((self.size - self.first).min(to.len()));
        // SAFETY: the caller guarantees that there is an element for each row.
        first.fill(unsafe { stream::read_one(dtype, from) });
        let mut values = [T::default(); GATHER];
        for rows in rest.chunks_mut(GATHER * self.size) {
            let values = &mut values[..rows.len().div_ceil(self.size)];
            // SAFETY: as above.
            unsafe { T::read(dtype, from.wrapping_offset(step), self.outer, values) };
            let (whole, last) = rows.split_at_mut(rows.len() / self.size * self.size);
            spread(values, Rows { len: self.size, inner: 1 }, whole);
            values.last().into_iter().for_each(|value| last.fill(*value));
            from = from.wrapping_offset(step * values.len() as isize);
        }
    }

    /// Rows that are all the same.
    unsafe fn read_same_rows<T: Lanes>(self, dtype: DType, from: *const u8, to: &mut [T]) {
        let row = &mut [T::default(); SHORT][..self.size];
        // SAFETY: the caller guarantees that there are the elements of a row.
        unsafe { T::read(dtype, from, self.inner, row) };
        let (first, rest) = to.split_at_mut((self.size - self.first).min(to.len()));
        first.copy_from_slice(&row[self.first..][..first.len()]);
        let mut done = self.size.min(rest.len());
        rest[..done].copy_from_slice(&row[..done]);
        while done < rest.len() {
            let more = done.min(rest.len() - done);
            rest.copy_within(..more, done);
            done += more;
        }
    }

    unsafe fn read_each<T: Lanes>(self, dtype: DType, from: *const u8, to: &mut [T]) {
        let mut places = self.places();
        match_dtype!(dtype, S => {
            let mut gathered = [S::default(); GATHER];
            for to in to.chunks_mut(GATHER) {
                for (value, place) in gathered[..to.len()].iter_mut().zip(&mut places) {
                    // SAFETY: the caller guarantees that the place holds an element.
                    *value = unsafe { *from.cast::<S>().offset(place) };
                }
                // SAFETY: as many elements were gathered.
                unsafe { T::read(dtype, gathered.as_ptr().cast(), 1, to) };
            }
        });
    }

    /// Writes elements.
    ///
    /// # Safety
    /// `to`, moved by each of the places, may be written with an element of this dtype.
    pub(super) unsafe fn write<T: Lanes>(self, dtype: DType, to: *mut u8, from: &[T]) {
        if self.size >= ROW_BY_ROW && dtype == T::NATIVE {
            let bytes = dtype.size() as isize;
            self.rows(from.len()).for_each(|(place, row)| {
                // SAFETY: the caller guarantees it.
                unsafe { T::write(dtype, to.wrapping_offset(place * bytes), self.inner, &from[row]) };
            });
            return;
        }
        let mut places = self.places();
        match_dtype!(dtype, S => {
            let mut converted = [S::default(); GATHER];
            for from in from.chunks(GATHER) {
                // SAFETY: there is room for as many elements.
                unsafe { T::write(dtype, converted.as_mut_ptr().cast(), 1, from) };
                for (value, place) in converted[..from.len()].iter().zip(&mut places) {
                    // SAFETY: the caller guarantees that the place may be written.
                    unsafe { *to.cast::<S>().offset(place) = *value };
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_starts_inside_of_a_row_comes_back() {
        let pairs = Pairs { first: 1, size: 3, inner: -1, outer: 5 };
        let longer = Pairs { first: 4, size: 11, inner: -2, outer: 25 };
        let values: Vec<f32> = (0..200).map(|i| i as f32).collect();
        for (dtype, pairs) in [DType::F32, DType::F16, DType::F64]
            .into_iter()
            .flat_map(|dtype| [(dtype, pairs), (dtype, longer)])
        {
            let mut memory = vec![0u64; 600];
            let start = memory.as_mut_ptr().cast::<u8>().wrapping_add(8 * 32);
            let mut back = vec![0.0_f32; values.len()];
            // SAFETY: 200 elements, at most 25 apart for each eleven and 20 before their start, from the 32nd
            // of 600 places of 8 bytes on.
            unsafe {
                pairs.write(dtype, start, &values);
                pairs.read(dtype, start, &mut back);
            }
            assert_eq!(back, values, "{dtype}");
        }
        let places: Vec<isize> = pairs.places().take(6).collect();
        assert_eq!(places, [-1, -2, 5, 4, 3, 10]);
    }

    #[test]
    fn rows_of_one_value_and_equal_rows_are_read_as_others() {
        let memory: Vec<f32> = (0..700).map(|i| i as f32).collect();
        for (inner, outer) in [(0, 1), (0, 3), (1, 0), (2, 0), (0, 0)] {
            for (first, size, len) in
                [(0, 3, 200), (2, 3, 1), (1, 2, 400), (6, 7, 64), (4, 9, 900), (3, 40, 41)]
            {
                let pairs = Pairs { first, size, inner, outer };
                let expected: Vec<f32> =
                    pairs.places().take(len).map(|place| memory[place as usize]).collect();
                let mut found = vec![0.0_f32; len];
                // SAFETY: at most 400 elements are at most 3 apart, if they are not equal rows of 40.
                unsafe { pairs.read(DType::F32, memory.as_ptr().cast(), &mut found) };
                assert_eq!(found, expected, "{inner} {outer} {first} {size} {len}");
            }
        }
    }
}
