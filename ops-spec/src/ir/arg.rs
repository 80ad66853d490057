//! Questions about an argument.

use super::{Arg, ArgType, ScalarType};

impl Arg {
    /// Whether both are elements of one list, which a caller passes in one place.
    pub fn shares_list(&self, other: &Arg) -> bool {
        self.list.is_some() && self.list == other.list
    }

    /// Whether it is a scalar that is true or false.
    pub(crate) fn is_bool(&self) -> bool {
        matches!(self.ty, ArgType::Scalar { ty: ScalarType::Bool, .. })
    }

    #[cfg(feature = "syntax")]
    /// Whether a call in a formula may leave it out at the end. An axis may not, because its default is a
    /// number.
    pub(crate) fn has_default(&self) -> bool {
        self.like.is_some() || matches!(self.ty, ArgType::Scalar { default: Some(_), .. })
    }
}
