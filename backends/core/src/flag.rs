//! Choices that hold for a part of a program on one thread.

use std::cell::Cell;
use std::thread::LocalKey;

/// Runs `f` while the flag of this thread is set. Afterwards it is what it was before, even if `f` panics.
pub fn with_flag<T>(flag: &'static LocalKey<Cell<bool>>, f: impl FnOnce() -> T) -> T {
    let _outside = Outside(flag, flag.replace(true));
    f()
}

/// The flag, and its value around the scope.
struct Outside(&'static LocalKey<Cell<bool>>, bool);

impl Drop for Outside {
    fn drop(&mut self) {
        self.0.set(self.1);
    }
}
