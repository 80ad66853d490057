//! What comes before what: sorting along a dim, and looking up values in what is sorted.

use crate::ir::DimId;

/// An int result that depends on nothing but the order of elements. NaN counts as larger than any number, and
/// -0 as equal to 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// `argsort(x, n, first = k)`: the positions of the elements along a dim, from the smallest element to
    /// the largest, or the other way. Equal elements keep their order in both directions.
    Sort {
        /// The dim of the result. It has the dim of the elements, or a shorter one for the first positions.
        to: DimId,
        /// Whether the largest element comes first.
        descending: bool,
    },
    /// `searchsorted(sorted, x, n)`: for each element of `x`, how many elements of `sorted` are smaller. They
    /// are in ascending order.
    Search {
        /// Whether elements that are equal count too.
        right: bool,
    },
}

impl Order {
    /// The name of [`Order::Sort`].
    pub const SORT: &str = "argsort";
    /// The name of [`Order::Search`].
    pub const SEARCH: &str = "searchsorted";

    /// As called in a formula.
    pub fn name(self) -> &'static str {
        match self {
            Order::Sort { .. } => Order::SORT,
            Order::Search { .. } => Order::SEARCH,
        }
    }

    /// The operands, as they are called.
    pub fn operands(self) -> &'static [&'static str] {
        match self {
            Order::Sort { .. } => &["x"],
            Order::Search { .. } => &["sorted", "x"],
        }
    }

    /// The dim of the result that stands for the sorted one.
    pub fn to(self) -> Option<DimId> {
        match self {
            Order::Sort { to, .. } => Some(to),
            Order::Search { .. } => None,
        }
    }
}
