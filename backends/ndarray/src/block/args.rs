//! What a skeleton hands to a body: slices by kind, in the order that the schedule lists them.

/// One value for each kind of element.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByKind<F, I, B> {
    /// Of kind float.
    pub floats: F,
    /// Of kind int.
    pub ints: I,
    /// Of kind bool.
    pub bools: B,
}

/// The operands of one call. Every slice of `elements` and `results` has at least `len` elements (or one, in a
/// result of a pass that is evaluated per row).
#[derive(Debug)]
pub struct BlockArgs<'a, 'r, E> {
    /// Number of elements.
    pub len: usize,
    /// Values that are one per row.
    pub uniforms: ByKind<&'a [E], &'a [i64], &'a [bool]>,
    /// Values that vary along the row.
    pub elements: ByKind<&'a [&'a [E]], &'a [&'a [i64]], &'a [&'a [bool]]>,
    /// Where results are written.
    pub results: ByKind<&'a mut [&'r mut [E]], &'a mut [&'r mut [i64]], &'a mut [&'r mut [bool]]>,
}
