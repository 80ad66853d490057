//! What a kernel reads, each value once.

use super::{BufferId, Source};
use crate::ir::Count;

/// A value that is read, and how much of it.
pub(super) struct Read {
    pub(super) source: Source,
    pub(super) count: Count,
    /// The view through which it is read, if it is one.
    pub(super) through: Option<BufferId>,
}

/// What a step reads, each value once.
#[derive(Default)]
pub(super) struct Reads {
    pub(super) found: Vec<Read>,
}

impl Reads {
    /// Two views may show different parts of a value, so that together they are taken for all of it.
    pub(super) fn add(&mut self, read: Read, whole: Count) {
        match self.found.iter_mut().find(|other| other.source == read.source) {
            Some(other) if other.through == read.through => {}
            Some(other) => *other = Read { source: read.source, count: whole, through: None },
            None => self.found.push(read),
        }
    }
}
