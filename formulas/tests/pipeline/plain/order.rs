//! Sorts and searches as plain loops.

use super::{Plain, Point, get, points};
use tensor_op_core::DType;
use tensor_op_core::execute::{BoundSearch, BoundSort};
use tensor_op_spec::ir::Scalar;

pub(super) fn sort(sort: BoundSort<Plain>) -> Plain {
    let BoundSort { source, along, kept, descending, out } = sort;
    let place = |point: &Point| {
        let row: Vec<f64> = (0..along.size)
            .map(|at| {
                let mut from = point.clone();
                from.insert(along.axis, at);
                get(&source, &from).as_f64()
            })
            .collect();
        let at = point.get(&kept.axis).copied().unwrap_or(0);
        // The element that so many others come before.
        let before = |a: usize, b: usize| {
            let (x, y) = if descending { (row[b], row[a]) } else { (row[a], row[b]) };
            let is_less = x < y || y.is_nan() && !x.is_nan();
            let is_equal = x == y || y.is_nan() && x.is_nan();
            is_less || is_equal && a < b
        };
        let rank = |own: usize| (0..row.len()).filter(|other| before(*other, own)).count();
        Scalar::Int((0..row.len()).find(|own| rank(*own) == at).map_or(-1, |own| own as i64))
    };
    let numbers = points(&out).iter().map(place).collect();
    Plain::new(out.iter().map(|axis| axis.size).collect(), DType::I64, numbers)
}

pub(super) fn search(search: BoundSearch<Plain>) -> Plain {
    let BoundSearch { sorted, values, along, right, out } = search;
    let count = |point: &Point| {
        let value = get(&values, point).as_f64();
        let is_before = |at: usize| {
            let mut from = point.clone();
            from.insert(along.axis, at);
            let element = get(&sorted, &from).as_f64();
            let is_equal = element == value || element.is_nan() && value.is_nan();
            element < value || value.is_nan() && !element.is_nan() || right && is_equal
        };
        let (mut low, mut high) = (0, along.size);
        while low < high {
            let middle = low + (high - low) / 2;
            if is_before(middle) { low = middle + 1 } else { high = middle }
        }
        Scalar::Int(low as i64)
    };
    let numbers = points(&out).iter().map(count).collect();
    Plain::new(out.iter().map(|axis| axis.size).collect(), DType::I64, numbers)
}
