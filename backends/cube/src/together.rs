//! Small kernels that wait for others of their kind, so that one launch runs many of them.
//!
//! A launch takes the host longer than a small kernel takes a GPU. While a thread has said that its calls
//! belong together ([`Together::begin`]), launches that can be joined wait here. Everything else that uses
//! the device's client asks for it by [`Opened::client`](crate::device::Opened::client), which starts them
//! first. So nobody sees that they waited.

use crate::kernel::ready::Launch;
use cubecl::client::Client;
use cubecl::server::Handle;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The launches of a device that wait.
#[derive(Debug, Default)]
pub(crate) struct Together {
    /// Whether there are any. If not, nobody takes the lock.
    has_waiting: AtomicBool,
    queues: Mutex<Vec<Queue>>,
}

/// The launches of a thread.
#[derive(Debug)]
struct Queue {
    /// Memory of the thread, which knows the thread's stream.
    owner: Handle,
    waiting: Vec<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    launch: Launch,
    accesses: Accesses,
    /// Launches of one turn don't depend on each other, and follow those of earlier turns.
    turn: usize,
}

/// The memory that a launch reads and writes.
#[derive(Debug, Default)]
pub(crate) struct Accesses {
    pub(crate) reads: Vec<Region>,
    pub(crate) writes: Vec<Region>,
}

/// Bytes of a buffer.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    /// The address of what CubeCL knows about the buffer. Launches hold theirs, so no other one gets it.
    pub(crate) buffer: usize,
    pub(crate) bytes: Range<usize>,
}

impl Region {
    fn overlaps(&self, other: &Region) -> bool {
        self.buffer == other.buffer
            && self.bytes.start < other.bytes.end
            && other.bytes.start < self.bytes.end
    }
}

impl Accesses {
    /// Whether one of two launches has to follow the other.
    fn conflict(&self, other: &Accesses) -> bool {
        let meet =
            |own: &[Region], others: &[Region]| own.iter().any(|own| others.iter().any(|x| x.overlaps(own)));
        meet(&self.writes, &other.writes)
            || meet(&self.writes, &other.reads)
            || meet(&self.reads, &other.writes)
    }
}

/// The most launches that wait. What a launch depends on is looked up among all of them.
const MOST_WAITING: usize = 256;

thread_local! {
    /// The devices whose calls belong together on this thread, each as often as somebody has said so, with
    /// memory of the thread.
    static SCOPES: RefCell<Vec<(*const Together, Handle)>> = const { RefCell::new(Vec::new()) };
}

impl Together {
    /// From now on, small launches of this thread may wait for each other.
    pub(crate) fn begin(&self, client: &Client) {
        let here = client.empty(size_of::<u32>());
        SCOPES.with_borrow_mut(|scopes| scopes.push((ptr::from_ref(self), here)));
    }

    /// Ends what the last [`Together::begin`] of this thread has begun. If it was the only one, what waits is
    /// started.
    pub(crate) fn end(&self, client: &Client) {
        let is_last = SCOPES.with_borrow_mut(|scopes| {
            let own = |(scope, _): &(*const Together, Handle)| ptr::eq(*scope, self);
            let last = scopes.iter().rposition(own);
            last.map(|at| scopes.remove(at));
            !scopes.iter().any(own)
        });
        if is_last {
            self.start_all(client);
        }
    }

    /// Starts a launch, now or together with others of its thread.
    pub(crate) fn launch(&self, client: &Client, launch: Launch, accesses: impl FnOnce() -> Accesses) {
        let scope = SCOPES.with_borrow(|scopes| {
            let own = scopes.iter().find(|(scope, _)| ptr::eq(*scope, self));
            own.map(|(_, here)| here.clone())
        });
        if scope.is_none() && !self.has_waiting.load(Ordering::Acquire) {
            return launch.start(client);
        }
        let (accesses, mut queues) = (accesses(), self.lock());
        let is_own = |queue: &Queue| scope.as_ref().is_some_and(|here| here.stream == queue.owner.stream);
        for queue in queues.extract_if(.., |queue| !is_own(queue) && queue.turn(&accesses) > 0) {
            queue.start(client);
        }
        let Some(here) = &scope else { return launch.start(client) };
        for queue in queues.extract_if(.., |queue| is_own(queue) && queue.waiting.len() >= MOST_WAITING) {
            queue.start(client);
        }
        let at = queues.iter().position(is_own).unwrap_or_else(|| {
            queues.push(Queue { owner: here.clone(), waiting: Vec::new() });
            queues.len() - 1
        });
        let turn = queues[at].turn(&accesses);
        queues[at].waiting.push(Waiting { launch, accesses, turn });
        self.has_waiting.store(true, Ordering::Release);
    }

    /// Starts what waits.
    pub(crate) fn start_all(&self, client: &Client) {
        if self.has_waiting.load(Ordering::Acquire) {
            let mut queues = self.lock();
            queues.drain(..).for_each(|queue| queue.start(client));
            self.has_waiting.store(false, Ordering::Release);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Queue>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    /// The turn of a launch with these accesses: 0 if it depends on none of those that wait.
    fn turn(&self, accesses: &Accesses) -> usize {
        let before = self.waiting.iter().filter(|other| other.accesses.conflict(accesses));
        before.map(|other| other.turn + 1).max().unwrap_or(0)
    }

    fn start(self, client: &Client) {
        let mut turns: BTreeMap<usize, Vec<Launch>> = BTreeMap::new();
        for Waiting { launch, turn, .. } in self.waiting {
            turns.entry(turn).or_default().push(launch);
        }
        let launches = turns.into_values().flat_map(|launches| Launch::joined(launches, client));
        self.owner.stream.executes(|| launches.for_each(|launch| launch.start(client)));
    }
}
