//! How exactly matrices are multiplied.

use super::Graph;

/// How exactly matrices are multiplied. The names are those of PyTorch's `set_float32_matmul_precision`.
///
/// For an op that names neither, products of f32 take the setting of the process, and in an op on halves a
/// device may round computed factors of products to the half.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// Factors keep all digits that were computed, also in an op on halves.
    Highest,
    /// A device may round factors in f32 to the ten digits of TF32. Sums stay f32. In an op on halves this is
    /// the same as no precision.
    High,
}

impl Precision {
    /// All of them.
    pub const ALL: [Precision; 2] = [Precision::Highest, Precision::High];

    /// The precision of a name, which is as [`Precision::name`] gives it.
    pub fn from_name(name: &str) -> Option<Precision> {
        Precision::ALL.into_iter().find(|precision| precision.name() == name)
    }

    /// `highest` or `high`.
    pub fn name(self) -> &'static str {
        match self {
            Precision::Highest => "highest",
            Precision::High => "high",
        }
    }
}

impl Graph {
    /// Whether a device may round computed factors of matrix products to the half, if the op is on halves.
    pub fn may_round_to_half(&self) -> bool {
        match self.precision {
            None | Some(Precision::High) => true,
            Some(Precision::Highest) => false,
        }
    }
}
