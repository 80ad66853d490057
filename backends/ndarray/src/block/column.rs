//! Reductions over rows: each function folds more rows into an accumulator per column. Rows are as long as
//! there are accumulators, and lie one after the other.

use super::fold::Fold;
use super::multiversion::multiversion;

/// Folds rows into accumulators. If there are few of them, they stay in registers.
#[inline(always)]
fn each<A: Copy, T: Copy>(columns: &mut [A], rows: &[T], fold: impl Fn(A, T) -> A) {
    match columns.len() {
        0 => {}
        2 => few::<A, T, 2>(columns, rows, fold),
        3 => few::<A, T, 3>(columns, rows, fold),
        4 => few::<A, T, 4>(columns, rows, fold),
        8 => few::<A, T, 8>(columns, rows, fold),
        len => {
            for row in rows.chunks_exact(len) {
                columns.iter_mut().zip(row).for_each(|(column, value)| *column = fold(*column, *value));
            }
        }
    }
}

#[inline(always)]
fn few<A: Copy, T: Copy, const LEN: usize>(columns: &mut [A], rows: &[T], fold: impl Fn(A, T) -> A) {
    let Some(columns) = columns.first_chunk_mut::<LEN>() else { return };
    let mut own = *columns;
    for row in rows.as_chunks::<LEN>().0 {
        for k in 0..LEN {
            own[k] = fold(own[k], row[k]);
        }
    }
    *columns = own;
}

multiversion! {
    /// Adds rows to the sums, which start at [`Fold::ZERO`].
    pub fn sum<E: Fold>(sums: &'b mut [E::Wide], rows: &'a [E]) {
        each(sums, rows, |sum, value| E::add_wide(sum, value.widen()));
    }

    /// Multiplies the products, which start at [`Fold::ONE`], by rows.
    pub fn prod<E: Fold>(products: &'b mut [E::Wide], rows: &'a [E]) {
        each(products, rows, |product, value| E::mul_wide(product, value.widen()));
    }

    /// Keeps the larger value of each column, starting from [`Fold::LOWEST`]; NaN if any value is NaN.
    pub fn max<E: Fold>(largest: &'b mut [E], rows: &'a [E]) {
        each(largest, rows, E::maximum);
    }

    /// Keeps the smaller value of each column, starting from [`Fold::HIGHEST`]; NaN if any value is NaN.
    pub fn min<E: Fold>(smallest: &'b mut [E], rows: &'a [E]) {
        each(smallest, rows, E::minimum);
    }

    /// Keeps the larger value of each column and the position of its row. Start from the first row with
    /// positions 0; rows must come in order.
    pub fn argmax<E: Fold>(largest: &'b mut [E], indices: &'b mut [i64], row: &'a [E], position: i64) {
        for ((largest, index), value) in largest.iter_mut().zip(indices).zip(row) {
            let better = value.is_above(*largest);
            *largest = if better { *value } else { *largest };
            *index = if better { position } else { *index };
        }
    }

    /// Keeps the smaller value of each column and the position of its row. Start from the first row with
    /// positions 0; rows must come in order.
    pub fn argmin<E: Fold>(smallest: &'b mut [E], indices: &'b mut [i64], row: &'a [E], position: i64) {
        for ((smallest, index), value) in smallest.iter_mut().zip(indices).zip(row) {
            let better = value.is_below(*smallest);
            *smallest = if better { *value } else { *smallest };
            *index = if better { position } else { *index };
        }
    }

    /// Whether any value of each column is true, starting from false.
    pub fn any(flags: &'b mut [bool], rows: &'a [bool]) {
        each(flags, rows, |any, value| any | value);
    }

    /// Whether all values of each column are true, starting from true.
    pub fn all(flags: &'b mut [bool], rows: &'a [bool]) {
        each(flags, rows, |all, value| all & value);
    }
}
