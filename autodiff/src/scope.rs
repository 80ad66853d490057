//! Checkpointing for a part of a program: a function runs with it, as with `checkpoint` in PyTorch and JAX,
//! and the type of the backend stays the same.

use crate::checkpoint::Checkpointing;
use std::cell::Cell;
use tensor_op_core::with_flag;

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Inside of [`checkpoint`] this keeps what [`BalancedCheckpointing`](crate::BalancedCheckpointing) keeps.
/// Elsewhere it keeps everything that backward ops need.
#[derive(Clone, Copy, Debug)]
pub struct ScopedCheckpointing;

impl Checkpointing for ScopedCheckpointing {
    fn recomputes() -> bool {
        INSIDE.get()
    }
}

/// Runs `f` with checkpointing. This concerns ops of an [`Autodiff<B, ScopedCheckpointing>`](crate::Autodiff)
/// that `f` runs on this thread. Of their results the graph keeps what
/// [`BalancedCheckpointing`](crate::BalancedCheckpointing) keeps, and the rest is computed again in the
/// backward pass.
pub fn checkpoint<T>(f: impl FnOnce() -> T) -> T {
    with_flag(&INSIDE, f)
}
