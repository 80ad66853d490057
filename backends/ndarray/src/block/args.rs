//! The arguments of a body: slices by kind, in the order in which the schedule lists them.

use tensor_op_spec::ir::Kind;

/// One value for each kind of element.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ByKind<F, I, B> {
    /// Of kind float.
    pub floats: F,
    /// Of kind int.
    pub ints: I,
    /// Of kind bool.
    pub bools: B,
}

/// For each operand, one value for the whole row.
pub type Uniforms<'a, E> = ByKind<&'a [E], &'a [i64], &'a [bool]>;

/// A slice for each operand.
pub type Elements<'a, E> = ByKind<&'a [&'a [E]], &'a [&'a [i64]], &'a [&'a [bool]]>;

/// A slice for each result.
pub type Results<'a, 'r, E> =
    ByKind<&'a mut [&'r mut [E]], &'a mut [&'r mut [i64]], &'a mut [&'r mut [bool]]>;

/// The operands of one call. Every slice of `elements` and `results` has at least `len` elements. In a pass
/// that is evaluated per row, a slice of `results` may have just one.
#[derive(Debug)]
pub struct BlockArgs<'a, 'r, E> {
    /// Number of elements.
    pub len: usize,
    /// Values that are the same in the whole row.
    pub uniforms: Uniforms<'a, E>,
    /// Values that vary along the row.
    pub elements: Elements<'a, E>,
    /// If elements of many rows are computed at once: what the pass computes once per row and reads at each
    /// element, for each element. `uniforms` that change from row to row have any value then.
    pub of_rows: Elements<'a, E>,
    /// Where results are written.
    pub results: Results<'a, 'r, E>,
}

impl<E> Elements<'_, E> {
    /// No operands.
    pub const NONE: Self = ByKind { floats: &[], ints: &[], bools: &[] };
}

impl<T> ByKind<T, T, T> {
    /// The value for one kind.
    pub(crate) fn of_mut(&mut self, kind: Kind) -> &mut T {
        match kind {
            Kind::Float => &mut self.floats,
            Kind::Int => &mut self.ints,
            Kind::Bool => &mut self.bools,
        }
    }
}
