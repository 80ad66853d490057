//! Names of generated locals: the user's where there is one, never two alike, never a keyword.

use proc_macro2::{Ident, Span};
use std::collections::{BTreeMap, BTreeSet};

/// The names taken in one scope.
pub(super) struct Names {
    taken: BTreeSet<String>,
    /// The number to try next for a name that is taken.
    next_of: BTreeMap<String, usize>,
    next: usize,
}

impl Names {
    /// A scope in which these names are taken.
    pub(super) fn new(reserved: &[&str]) -> Names {
        Names { taken: reserved.iter().map(ToString::to_string).collect(), next_of: BTreeMap::new(), next: 0 }
    }

    /// This name, or with a number behind it if it is taken.
    pub(super) fn fresh(&mut self, wanted: &str) -> Ident {
        let mut name = wanted.to_string();
        let mut number = self.next_of.get(wanted).copied().unwrap_or(2);
        while !self.taken.insert(name.clone()) || syn::parse_str::<Ident>(&name).is_err() {
            name = format!("{wanted}_{number}");
            number += 1;
            self.next_of.insert(wanted.to_string(), number);
        }
        Ident::new(&name, Span::mixed_site())
    }

    /// `t0`, `t1`, ..
    pub(super) fn numbered(&mut self) -> Ident {
        let name = format!("t{}", self.next);
        self.next += 1;
        self.fresh(&name)
    }
}
