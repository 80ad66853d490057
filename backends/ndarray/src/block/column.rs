//! Reductions over rows: each function folds one more row into an accumulator per column.

use super::fold::Fold;
use super::multiversion::multiversion;

multiversion! {
    /// Adds a row to the sums, which start at [`Fold::ZERO`].
    pub fn sum<E: Fold>(sums: &'b mut [E::Wide], row: &'a [E]) {
        for (sum, value) in sums.iter_mut().zip(row) {
            *sum = E::add_wide(*sum, value.widen());
        }
    }

    /// Multiplies the products, which start at [`Fold::ONE`], by a row.
    pub fn prod<E: Fold>(products: &'b mut [E::Wide], row: &'a [E]) {
        for (product, value) in products.iter_mut().zip(row) {
            *product = E::mul_wide(*product, value.widen());
        }
    }

    /// Keeps the larger value of each column, starting from [`Fold::LOWEST`]; NaN if any value is NaN.
    pub fn max<E: Fold>(largest: &'b mut [E], row: &'a [E]) {
        for (largest, value) in largest.iter_mut().zip(row) {
            *largest = largest.maximum(*value);
        }
    }

    /// Keeps the smaller value of each column, starting from [`Fold::HIGHEST`]; NaN if any value is NaN.
    pub fn min<E: Fold>(smallest: &'b mut [E], row: &'a [E]) {
        for (smallest, value) in smallest.iter_mut().zip(row) {
            *smallest = smallest.minimum(*value);
        }
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
    pub fn any(flags: &'b mut [bool], row: &'a [bool]) {
        for (flag, value) in flags.iter_mut().zip(row) {
            *flag |= *value;
        }
    }

    /// Whether all values of each column are true, starting from true.
    pub fn all(flags: &'b mut [bool], row: &'a [bool]) {
        for (flag, value) in flags.iter_mut().zip(row) {
            *flag &= *value;
        }
    }
}
