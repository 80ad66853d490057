//! Which ops a piece of code has run, for exams that tell what they examine.

use crate::Op;
use std::cell::RefCell;
use std::collections::BTreeSet;

thread_local! {
    /// The addresses of the specs of ops that have run, while somebody asks.
    static LOG: RefCell<Option<BTreeSet<usize>>> = const { RefCell::new(None) };
}

/// Notes that an op runs.
pub(crate) fn note(op: &dyn Op) {
    LOG.with_borrow_mut(|log| log.as_mut().map(|log| log.insert(address(op))));
}

/// Runs a closure, and tells which of these ops it has run on this thread.
pub(crate) fn of<T>(ops: Vec<&'static dyn Op>, calls: impl FnOnce() -> T) -> (T, Vec<&'static dyn Op>) {
    let outside = LOG.replace(Some(BTreeSet::new()));
    let result = calls();
    let log = LOG.replace(outside).unwrap_or_default();
    (result, ops.into_iter().filter(|op| log.contains(&address(*op))).collect())
}

/// A declared op has one spec, so that its address tells it from an op of the same name.
fn address(op: &dyn Op) -> usize {
    std::ptr::from_ref(op.spec()).addr()
}
