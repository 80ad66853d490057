//! Small kernels that wait for others of their kind, so that one launch runs many of them.
//!
//! A launch takes the host longer than a small kernel takes a GPU. While a thread has said that its calls
//! belong together ([`Together::begin`]), launches that can be joined wait here. Everything else that uses
//! the device's client asks for it by [`Opened::client`](crate::device::Opened::client), which starts them
//! first. So nobody sees that they waited.

use crate::kernel::ready::Launch;
use cubecl::client::Client;
use cubecl::server::{BufferBinding, Handle};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::mem::take;
use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The launches of a device that wait.
#[derive(Debug, Default)]
pub(crate) struct Together {
    /// Whether there are any. If not, nobody takes the lock.
    has_waiting: AtomicBool,
    queue: Mutex<Queue>,
}

/// The launches of a thread.
#[derive(Debug, Default)]
struct Queue {
    /// Memory of the thread, which knows the thread's stream.
    owner: Option<Handle>,
    waiting: Vec<Waiting>,
    /// Bytes of the buffers that the launches hold.
    bytes: u64,
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
    pub(crate) buffer: BufferBinding,
    pub(crate) bytes: Range<usize>,
}

impl Region {
    fn overlaps(&self, other: &Region) -> bool {
        self.buffer.memory.id() == other.buffer.memory.id()
            && self.bytes.start < other.bytes.end
            && other.bytes.start < self.bytes.end
    }
}

impl Accesses {
    fn all(&self) -> impl Iterator<Item = &Region> {
        self.reads.iter().chain(&self.writes)
    }

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

/// The most bytes of buffers that launches hold while they wait.
const MOST_BYTES: u64 = 64 << 20;

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
            if let Some(last) = scopes.iter().rposition(own) {
                scopes.remove(last);
            }
            !scopes.iter().any(own)
        });
        if is_last {
            self.start_all(client);
        }
    }

    /// Starts a launch, now or together with others of its thread.
    pub(crate) fn launch(&self, client: &Client, launch: Launch, accesses: impl FnOnce() -> Accesses) {
        // The memory of a recording must not depend on when others start what waits.
        let scope = self.scope().filter(|_| !client.is_capturing());
        let Some(here) = scope else {
            self.start_all(client);
            return launch.start(client);
        };
        let accesses = accesses();
        // CubeCL orders the streams of threads by when memory was allocated, not by when it was written. So
        // what another thread may see does not wait.
        if accesses.all().any(|region| region.buffer.stream != here.stream) {
            self.start_all(client);
            return launch.start(client);
        }
        let mut queue = self.lock();
        if queue.owner.as_ref().is_some_and(|owner| owner.stream != here.stream)
            || queue.waiting.len() >= MOST_WAITING
            || queue.bytes >= MOST_BYTES
        {
            queue.start(client);
        }
        if !launch.is_small() {
            if queue.turn(&accesses) > 0 {
                queue.start(client);
            }
            return launch.start(client);
        }
        queue.push(here, launch, accesses);
        self.has_waiting.store(true, Ordering::Release);
    }

    /// Memory of this thread, if its calls belong together.
    fn scope(&self) -> Option<Handle> {
        SCOPES.with_borrow(|scopes| {
            let own = scopes.iter().find(|(scope, _)| ptr::eq(*scope, self));
            own.map(|(_, here)| here.clone())
        })
    }

    /// Starts what waits.
    pub(crate) fn start_all(&self, client: &Client) {
        if self.has_waiting.load(Ordering::Acquire) {
            let mut queue = self.lock();
            queue.start(client);
            self.has_waiting.store(false, Ordering::Release);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    /// The turn of a launch with these accesses: 0 if it depends on none of those that wait.
    fn turn(&self, accesses: &Accesses) -> usize {
        let before = self.waiting.iter().filter(|other| other.accesses.conflict(accesses));
        before.map(|other| other.turn + 1).max().unwrap_or(0)
    }

    fn push(&mut self, here: Handle, launch: Launch, accesses: Accesses) {
        let turn = self.turn(&accesses);
        self.owner = Some(here);
        self.bytes += accesses.all().map(|region| region.buffer.size).sum::<u64>();
        self.waiting.push(Waiting { launch, accesses, turn });
    }

    fn start(&mut self, client: &Client) {
        let Some(owner) = self.owner.take() else { return };
        let mut turns: BTreeMap<usize, Vec<Launch>> = BTreeMap::new();
        for Waiting { launch, turn, .. } in take(self).waiting {
            turns.entry(turn).or_default().push(launch);
        }
        let launches = turns.into_values().flat_map(|launches| Launch::joined(launches, client));
        owner.stream.executes(|| launches.for_each(|launch| launch.start(client)));
    }
}
