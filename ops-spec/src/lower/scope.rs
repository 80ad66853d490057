//! What names mean. Values are the arguments and then the `let`s; a later value hides an earlier one of the
//! same name. Dims are a separate namespace.

use super::{Term, Used};
use crate::ast::Item;
use crate::ir::DimSet;
use proc_macro2::Ident;
use std::cell::Cell;
use std::rc::Rc;
use syn::ext::IdentExt;

/// The names that an expression can use. Remembers which of them were used, also for its clones, which are
/// the scopes of blocks.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    values: Vec<Variable>,
    dims: Vec<Dims>,
}

#[derive(Clone, Debug)]
struct Variable {
    name: String,
    term: Term,
    origin: Origin,
    used: Rc<Cell<bool>>,
}

#[derive(Clone, Copy, Debug)]
enum Origin {
    Arg(usize),
    Let,
    Rule,
}

/// A name of dims.
#[derive(Clone, Debug)]
pub(super) struct Dims {
    pub(super) name: String,
    pub(super) set: DimSet,
    used: Rc<Cell<bool>>,
    /// Whether the walk has passed the place where the dim is made.
    is_made: Rc<Cell<bool>>,
}

impl Dims {
    pub(super) fn new(name: String, set: DimSet, is_made: bool) -> Dims {
        Dims { name, set, used: Rc::default(), is_made: Rc::new(Cell::new(is_made)) }
    }
}

impl Scope {
    pub(super) fn new(dims: Vec<Dims>) -> Scope {
        Scope { values: vec![], dims }
    }

    pub(super) fn bind_arg(&mut self, index: usize, name: &Ident, term: Term) {
        self.bind(name.unraw().to_string(), term, Origin::Arg(index));
    }

    /// Adds the name of a `let`. Returns where it is noted that the name was used.
    pub(super) fn bind_let(&mut self, name: &Ident, term: Term) -> Rc<Cell<bool>> {
        self.bind(name.unraw().to_string(), term, Origin::Let)
    }

    /// Adds a name that only gradient rules see.
    pub(super) fn bind_rule(&mut self, name: String, term: Term) {
        self.bind(name, term, Origin::Rule);
    }

    fn bind(&mut self, name: String, term: Term, origin: Origin) -> Rc<Cell<bool>> {
        let used = Rc::<Cell<bool>>::default();
        self.values.push(Variable { name, term, origin, used: used.clone() });
        used
    }

    /// The value of this name.
    pub(super) fn value(&self, name: &str) -> Option<Term> {
        let variable = self.values.iter().rev().find(|v| v.name == name)?;
        variable.used.set(true);
        Some(variable.term)
    }

    /// The value of an argument, even if a `let` hides its name.
    pub(super) fn arg(&self, index: usize) -> Option<Term> {
        let found = self.values.iter().find(|v| matches!(v.origin, Origin::Arg(i) if i == index));
        found.map(|v| v.term)
    }

    /// The dims of this name.
    pub(super) fn dims(&self, name: &str) -> Option<DimSet> {
        let dims = self.dims.iter().find(|d| d.name == name && d.is_made.get())?;
        dims.used.set(true);
        Some(dims.set)
    }

    /// Makes a dim known from here on.
    pub(super) fn make(&self, name: &str) {
        self.dims.iter().filter(|dims| dims.name == name).for_each(|dims| dims.is_made.set(true));
    }

    /// Whether a dim of this name is made, but not before this place.
    pub(super) fn is_made_later(&self, name: &str) -> bool {
        self.dims.iter().any(|dims| dims.name == name && !dims.is_made.get())
    }

    pub(super) fn is_dim(&self, name: &str) -> bool {
        self.dims.iter().any(|d| d.name == name)
    }

    pub(super) fn is_value(&self, name: &str) -> bool {
        self.values.iter().any(|v| v.name == name)
    }

    pub(super) fn value_names(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(|v| v.name.as_str())
    }

    pub(super) fn dim_names(&self) -> impl Iterator<Item = &str> {
        self.dims.iter().map(|d| d.name.as_str())
    }

    /// The names that were used; `lets` are those of `let`s.
    pub(super) fn used(&self, item: &Item, lets: Vec<(Ident, Rc<Cell<bool>>)>) -> Used {
        let mut used = Used {
            args: vec![false; item.args.len()],
            lets: lets.into_iter().map(|(name, used)| (name, used.get())).collect(),
            dims: DimSet::EMPTY,
        };
        for variable in self.values.iter().filter(|v| v.used.get()) {
            match variable.origin {
                Origin::Arg(index) => used.args[index] = true,
                Origin::Let | Origin::Rule => {}
            }
        }
        for dims in self.dims.iter().filter(|d| d.used.get()) {
            used.dims = used.dims.union(dims.set);
        }
        used
    }
}
