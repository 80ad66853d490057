//! The tapes of a thread, by the keys of their calls.

use super::key::Key;
use super::tape::Tape;
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;

/// A thread remembers at most twice as many calls.
pub(crate) const MOST: usize = 512;

thread_local! {
    static CALLS: RefCell<Calls> = RefCell::default();
}

/// The calls of a thread in two generations. When there are too many young ones, the old ones are forgotten,
/// and the young ones are old. A call that comes again is young.
#[derive(Default)]
struct Calls {
    young: Known,
    old: Known,
}

type Known = HashMap<Box<[u64]>, Call, BuildHasherDefault<Mix>>;

/// What is known of a call.
#[derive(Clone)]
enum Call {
    /// It came once.
    Seen,
    /// It is recorded.
    Tape(Rc<RefCell<Tape>>),
    /// It can't be recorded.
    Plain,
}

/// What is to be done for a call.
pub(super) enum Found {
    /// Run the tape.
    Tape(Rc<RefCell<Tape>>),
    /// Record the call: it comes for the second time.
    Again,
    /// Run the call as it is.
    New,
}

/// Looks a call up, and remembers that it came.
pub(super) fn find(key: &Key) -> Found {
    CALLS.try_with(|calls| calls.borrow_mut().find(key)).unwrap_or(Found::New)
}

/// Keeps the tape of a call; `None` if it can't be recorded.
pub(super) fn keep(key: Key, tape: Option<Tape>) {
    let call = tape.map_or(Call::Plain, |tape| Call::Tape(Rc::new(RefCell::new(tape))));
    // At the end of a thread nothing is kept.
    let _ = CALLS.try_with(|calls| calls.borrow_mut().insert((*key).into(), call));
}

/// How many calls the thread remembers.
#[cfg(test)]
pub(crate) fn len() -> usize {
    CALLS.with_borrow(|calls| calls.young.len() + calls.old.len())
}

impl Calls {
    fn find(&mut self, key: &[u64]) -> Found {
        if let Some(call) = self.young.get(key) {
            return call.found();
        }
        let (found, key, call) = match self.old.remove_entry(key) {
            Some((key, call)) => (call.found(), key, call),
            None => (Found::New, key.into(), Call::Seen),
        };
        self.insert(key, call);
        found
    }

    fn insert(&mut self, key: Box<[u64]>, call: Call) {
        if self.young.len() >= MOST {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, call);
    }
}

impl Call {
    fn found(&self) -> Found {
        match self {
            Call::Seen => Found::Again,
            Call::Tape(tape) => Found::Tape(tape.clone()),
            Call::Plain => Found::New,
        }
    }
}

/// A fast hash of numbers that nobody chooses to collide.
#[derive(Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        let (words, _) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.write_u64(u64::from_ne_bytes(*word)));
    }
    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}
