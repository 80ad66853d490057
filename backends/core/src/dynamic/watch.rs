//! Devices with a time limit. Their backend is called on other threads, and a call that takes longer is an
//! `Err`. From then on the device is lost: no call reaches its backend.

use super::ErasedBackend;
use super::guard::Program;
use super::held::Held;
use super::worker::{self, NoResult, Worker};
use crate::{Error, ErrorKind, Result};
use std::cell::{Cell, RefCell};
use std::convert::Infallible;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A device with a time limit. There is one for each limit that was set, for the lifetime of the process.
pub(super) struct Watch {
    pub(super) backend: &'static dyn ErasedBackend,
    /// The name under which the backend is registered.
    name: &'static str,
    /// The name of the device.
    device: String,
    pub(super) limit: Duration,
    /// The function of the backend that has blocked.
    blocked_in: OnceLock<&'static str>,
    /// Whether the device has another limit now, or none.
    is_replaced: AtomicBool,
}

/// Asks the thread that waits for the call.
pub(super) type Ask<'a, Q, A> = dyn FnMut(Q) -> Result<A> + Send + 'a;

thread_local! {
    /// The workers of this thread.
    static WORKERS: RefCell<Vec<(&'static Watch, Worker)>> = const { RefCell::new(Vec::new()) };
    /// What this thread works for, if it is a worker.
    static INSIDE: Cell<Option<&'static Watch>> = const { Cell::new(None) };
}

impl Watch {
    pub(super) fn new(
        backend: &'static dyn ErasedBackend,
        name: &'static str,
        device: String,
        limit: Duration,
    ) -> &'static Watch {
        let (blocked_in, is_replaced) = (OnceLock::new(), AtomicBool::new(false));
        Box::leak(Box::new(Watch { backend, name, device, limit, blocked_in, is_replaced }))
    }

    /// The device gets another limit, or none: the worker of this thread ends, and those of other threads do
    /// when these threads need another one, or end.
    pub(super) fn replace(&self) {
        self.is_replaced.store(true, Ordering::Relaxed);
        dismiss_workers();
    }

    /// Whether a call has blocked.
    pub(super) fn is_lost(&self) -> bool {
        self.blocked_in.get().is_some()
    }

    /// Calls the backend. The work gets what is held, and `work` itself holds no tensors.
    pub(super) fn call<H: Held, R: Send + 'static>(
        &'static self,
        what: &'static str,
        held: H,
        work: impl FnOnce(&'static dyn ErasedBackend, H) -> Result<R> + Send + 'static,
    ) -> Result<R> {
        if INSIDE.get().is_some_and(|own| ptr::eq(own, self)) {
            // Somebody waits for this thread already, with the same limit.
            return work(self.backend, held);
        }
        self.converse(
            self.worker(),
            what,
            held,
            |backend, held, _| work(backend, held),
            &mut |never: Infallible| -> Result<()> { match never {} },
        )
    }

    /// Calls a function of the backend that calls back, on a worker of this thread. `answer` runs on this
    /// thread.
    pub(super) fn converse<H: Held, Q: Send + 'static, A: Send + 'static, R: Send + 'static>(
        &'static self,
        worker: Result<Worker>,
        what: &'static str,
        held: H,
        work: impl FnOnce(&'static dyn ErasedBackend, H, &mut Ask<'_, Q, A>) -> Result<R> + Send + 'static,
        answer: &mut dyn FnMut(Q) -> Result<A>,
    ) -> Result<R> {
        let worker = match worker {
            Ok(worker) => worker,
            Err(error) => {
                held.leak();
                return Err(error);
            }
        };
        let alone = || {
            self.failed(
                "the program can't be called from here: it is another thread, or nobody waits".to_string(),
            )
        };
        let work = move |ask: &mut worker::Ask<'_, Q, Result<A>>| {
            work(self.backend, held, &mut |question| ask(question).unwrap_or_else(|| Err(alone())))
        };
        let mut program = Program::default();
        let found = worker.call(self.limit, work, &mut |question| program.answer(|| answer(question)));
        program.outcome(found.unwrap_or_else(|why| Err(self.without_result(what, why))))
    }

    /// The error of a call that gave nothing. The device is lost if it still runs.
    fn without_result(&self, what: &'static str, why: NoResult) -> Error {
        match why {
            NoResult::Late => self.lost(self.blocked_in.get_or_init(|| what)),
            NoResult::Gone => self.failed(format!("`{what}` panicked, or its thread has ended")),
        }
    }

    /// An `Err` if the device is lost.
    pub(super) fn check(&self) -> Result<()> {
        self.blocked_in.get().map_or(Ok(()), |what| Err(self.lost(what)))
    }

    fn lost(&self, what: &str) -> Error {
        let (device, limit) = (&self.device, self.limit);
        self.failed(format!("the device `{device}` is lost: `{what}` has not returned within {limit:?}"))
    }

    pub(super) fn failed(&self, message: String) -> Error {
        Error::new(ErrorKind::Backend, message).of_backend(self.name)
    }

    /// The worker of this thread. An `Err` if the device is lost.
    pub(super) fn worker(&'static self) -> Result<Worker> {
        self.check()?;
        let known = |workers: &Vec<(&Watch, Worker)>| {
            let own = workers.iter().find(|(watch, _)| ptr::eq(*watch, self));
            own.map(|(_, worker)| worker.clone())
        };
        if let Some(worker) = WORKERS.with_borrow(known) {
            return Ok(worker);
        }
        let started = Worker::start(format!("tensor-op {}", self.device));
        let worker = started.map_err(|why| self.failed(format!("a time limit needs a thread: {why}")))?;
        worker.post(|| INSIDE.set(Some(self)));
        dismiss_workers();
        WORKERS.with_borrow_mut(|workers| workers.push((self, worker.clone())));
        Ok(worker)
    }
}

/// Lets workers of this thread go that get no calls any more.
fn dismiss_workers() {
    let has_calls = |watch: &Watch| !watch.is_lost() && !watch.is_replaced.load(Ordering::Relaxed);
    WORKERS.with_borrow_mut(|workers| workers.retain(|(watch, _)| has_calls(watch)));
}

/// Whether this thread makes calls for others, which wait for them, because a device has a time limit. Then
/// it must not need threads that may be among those.
pub fn is_waited_for() -> bool {
    INSIDE.get().is_some()
}
