//! Checkpointing as a part of a program chooses it: a function runs with it, as in PyTorch's and JAX's
//! `checkpoint`, and the backend's type stays the same.

use crate::Checkpointing;
use std::cell::Cell;

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Keeps what [`BalancedCheckpointing`](crate::BalancedCheckpointing) keeps inside of [`checkpoint`], and all
/// that backward ops need elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct ScopedCheckpointing;

impl Checkpointing for ScopedCheckpointing {
    fn recomputes() -> bool {
        INSIDE.get()
    }
}

/// Runs `f`; of what ops of an [`Autodiff<B, ScopedCheckpointing>`](crate::Autodiff) compute in it, on this
/// thread, the graph keeps what [`BalancedCheckpointing`](crate::BalancedCheckpointing) keeps, and computes
/// the rest again in the backward pass.
pub fn checkpoint<T>(f: impl FnOnce() -> T) -> T {
    let _outside = Outside(INSIDE.replace(true));
    f()
}

/// What was chosen around the scope, and is again after it, even if `f` panics.
struct Outside(bool);

impl Drop for Outside {
    fn drop(&mut self) {
        INSIDE.set(self.0);
    }
}
