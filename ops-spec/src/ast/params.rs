//! What a caller passes: an argument, or a list for several of them.

use super::{Arg, Item};
use proc_macro2::Ident;

/// What a caller passes in one place.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Param<'a> {
    One(&'a Arg),
    /// The name of a list, and its elements.
    List(&'a Ident, &'a [Arg]),
}

impl Param<'_> {
    /// The name that the caller sees.
    pub(crate) fn name(&self) -> &Ident {
        match self {
            Param::One(arg) => &arg.name,
            Param::List(name, _) => name,
        }
    }
}

impl Item {
    /// What a caller passes, in order.
    pub(crate) fn params(&self) -> Vec<Param<'_>> {
        let lists = self.args.chunk_by(Arg::shares_list);
        lists
            .map(|args| args[0].list.as_ref().map_or(Param::One(&args[0]), |name| Param::List(name, args)))
            .collect()
    }
}

impl Arg {
    /// Whether both are elements of one list.
    pub(crate) fn shares_list(&self, other: &Arg) -> bool {
        self.list.is_some() && self.list == other.list
    }
}
