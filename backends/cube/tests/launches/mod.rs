//! How many kernels a task launches.

use cubecl::logging::{LaunchObservation, LaunchObserver};
use std::cell::Cell;
use std::sync::{Arc, LazyLock};

/// Counts launches for each thread. A process has one observer.
struct Launches;

thread_local! {
    static LAUNCHED: Cell<usize> = const { Cell::new(0) };
}

impl LaunchObserver for Launches {
    fn launched(&self, _: &'static str) {
        LAUNCHED.set(LAUNCHED.get() + 1);
    }
}

/// What a task returns, and how many kernels it launches.
pub(crate) fn counted<R>(task: impl FnOnce() -> R) -> (R, usize) {
    static OBSERVED: LazyLock<LaunchObservation> =
        LazyLock::new(|| LaunchObservation::new(Arc::new(Launches)));
    LazyLock::force(&OBSERVED);
    let before = LAUNCHED.get();
    let result = task();
    (result, LAUNCHED.get() - before)
}
