//! Names of generated locals: the user's where there is one, never two alike, never a keyword.

use proc_macro2::{Ident, Span};
use std::collections::BTreeSet;

/// The names taken in one scope.
pub(super) struct Names {
    taken: BTreeSet<String>,
    next: usize,
}

impl Names {
    /// A scope in which these names are taken.
    pub(super) fn new(reserved: &[&str]) -> Names {
        Names { taken: reserved.iter().map(ToString::to_string).collect(), next: 0 }
    }

    /// This name, or with a number behind it if it is taken.
    pub(super) fn fresh(&mut self, wanted: &str) -> Ident {
        let mut name = wanted.to_string();
        let mut number = 2;
        while syn::parse_str::<Ident>(&name).is_err() || !self.taken.insert(name.clone()) {
            name = format!("{wanted}_{number}");
            number += 1;
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
