//! A value of a formula in both languages.

/// Dims of a formula's frame, a bit for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dims(pub(super) u32);

impl Dims {
    pub(super) fn union(self, other: Dims) -> Dims {
        Dims(self.0 | other.0)
    }

    pub(super) fn without(self, other: Dims) -> Dims {
        Dims(self.0 & !other.0)
    }

    pub(super) fn has(self, dim: usize) -> bool {
        self.0 >> dim & 1 == 1
    }
}

/// A float: its text in a declaration, in which dims have names, and in a function for PyTorch, where each
/// value has all dims of the frame, those that it lacks with the size 1.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) rust: String,
    pub(super) torch: String,
    pub(super) dims: Dims,
}

impl Value {
    /// `pattern` of one value, in both languages: `#` stands for the value.
    pub(super) fn one(&self, rust: &str, torch: &str) -> Value {
        let (rust, torch) = (rust.replace('#', &self.rust), torch.replace('#', &self.torch));
        Value { rust, torch, dims: self.dims }
    }

    /// `pattern` of two values, `#` and `@`.
    pub(super) fn two(&self, other: &Value, rust: &str, torch: &str) -> Value {
        Value {
            rust: rust.replace('#', &self.rust).replace('@', &other.rust),
            torch: torch.replace('#', &self.torch).replace('@', &other.torch),
            dims: self.dims.union(other.dims),
        }
    }
}
