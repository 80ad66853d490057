//! How floats are quantized: the ints, what stands for 0, and which elements share a scale.

/// The ints that stand for floats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum QuantValue {
    /// Ints of 8 bits, four in a word.
    #[default]
    Int8,
    /// Ints of 4 bits, eight in a word.
    Int4,
}

impl QuantValue {
    /// How many ints a word of 32 bits has.
    pub const fn lanes(self) -> usize {
        match self {
            QuantValue::Int8 => 4,
            QuantValue::Int4 => 8,
        }
    }
}

/// How ints stand for floats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum QuantMode {
    /// `x = q * scale`. The smallest int is not used, so that the range has 0 in its middle.
    #[default]
    Symmetric,
    /// `x = (q - zero_point) * scale`.
    Affine,
}

/// Which elements have one scale, and one zero point if there are any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum QuantLevel {
    /// All of them.
    #[default]
    Tensor,
    /// Those at one position of an axis, which may be negative.
    Channel(i64),
    /// As many as this, next to each other along the last axis, whose size they divide.
    Block(usize),
}

/// How a tensor is quantized. The default is int8, symmetric, with one scale for the tensor.
///
/// ```
/// use tensor_op::quantized::{QuantLevel, QuantMode, QuantScheme, QuantValue};
///
/// let scheme = QuantScheme::int4().affine().per_block(32);
/// assert_eq!(scheme.value, QuantValue::Int4);
/// assert_eq!(scheme.mode, QuantMode::Affine);
/// assert_eq!(scheme.level, QuantLevel::Block(32));
/// assert_eq!(scheme.range(), (-8, 7));
/// assert_eq!(QuantScheme::int8().range(), (-127, 127));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct QuantScheme {
    /// The ints.
    pub value: QuantValue,
    /// How they stand for floats.
    pub mode: QuantMode,
    /// Which elements have one scale.
    pub level: QuantLevel,
}

impl QuantScheme {
    /// Ints of 8 bits, symmetric, with one scale for the tensor.
    pub fn int8() -> QuantScheme {
        QuantScheme::default()
    }

    /// Ints of 4 bits, symmetric, with one scale for the tensor.
    pub fn int4() -> QuantScheme {
        QuantScheme { value: QuantValue::Int4, ..QuantScheme::default() }
    }

    /// The same with a zero point beside each scale.
    #[must_use]
    pub fn affine(self) -> QuantScheme {
        QuantScheme { mode: QuantMode::Affine, ..self }
    }

    /// The same with a scale for each position of an axis.
    #[must_use]
    pub fn per_channel(self, axis: i64) -> QuantScheme {
        QuantScheme { level: QuantLevel::Channel(axis), ..self }
    }

    /// The same with a scale for each `size` elements along the last axis.
    #[must_use]
    pub fn per_block(self, size: usize) -> QuantScheme {
        QuantScheme { level: QuantLevel::Block(size), ..self }
    }

    /// The smallest and the largest int.
    pub fn range(&self) -> (i64, i64) {
        let largest = match self.value {
            QuantValue::Int8 => 127,
            QuantValue::Int4 => 7,
        };
        match self.mode {
            QuantMode::Symmetric => (-largest, largest),
            QuantMode::Affine => (-largest - 1, largest),
        }
    }
}
