//! Recordings of devices with a time limit. A recording belongs to the thread that made it, so it stays with
//! the worker, and callers have its number.

use super::ErasedBackend;
use super::erased::Erased;
use super::watch::{Ask, Watch};
use super::worker::Worker;
use crate::recording::{Recording, Step};
use crate::{Error, ErrorKind, Result};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

type Own = Box<dyn Recording<Erased>>;

thread_local! {
    /// The recordings of this worker.
    static OWN: RefCell<BTreeMap<u64, Own>> = const { RefCell::new(BTreeMap::new()) };
}

/// A recording that is on another thread.
struct Far {
    watch: &'static Watch,
    worker: Worker,
    number: u64,
}

/// Records a step, which runs on this thread.
pub(super) fn record(
    watch: &'static Watch,
    device: usize,
    [state, inputs]: [&[&Erased]; 2],
    step: &mut Step<'_, Erased>,
) -> Result<Option<Own>> {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let owned = |tensors: &[&Erased]| tensors.iter().map(|tensor| Erased::clone(tensor)).collect();
    let (state, inputs): (Vec<Erased>, Vec<Erased>) = (owned(state), owned(inputs));
    let work = move |backend: &'static dyn ErasedBackend, ask: &mut Ask<'_, [Vec<Erased>; 2], _>| {
        let (state, inputs): (Vec<_>, Vec<_>) = (state.iter().collect(), inputs.iter().collect());
        let mut step = |state: &[Erased], inputs: &[Erased]| ask([state.to_vec(), inputs.to_vec()]);
        let recording = backend.record(device, &state, &inputs, &mut step)?;
        Ok(recording.map(|recording| {
            let number = LAST.fetch_add(1, Ordering::Relaxed);
            OWN.with_borrow_mut(|own| own.insert(number, recording));
            number
        }))
    };
    let worker = watch.worker()?;
    let mut answer = |[state, inputs]: [Vec<Erased>; 2]| step(&state, &inputs);
    let number = watch.converse(Ok(worker.clone()), "record", work, &mut answer)?;
    Ok(number.map(|number| Box::new(Far { watch, worker, number }) as Own))
}

impl Far {
    fn call<R: Send + 'static>(
        &self,
        what: &'static str,
        work: impl FnOnce(&mut Own) -> Result<R> + Send + 'static,
    ) -> Result<R> {
        let number = self.number;
        let work = move |_, _: &mut Ask<'_, (), ()>| {
            OWN.with_borrow_mut(|own| match own.get_mut(&number) {
                Some(recording) => work(recording),
                None => Err(Error::new(ErrorKind::Backend, "the recording is of another thread")),
            })
        };
        let worker = self.watch.check().map(|()| self.worker.clone());
        self.watch.converse(worker, what, work, &mut |()| Ok(()))
    }
}

impl Recording<Erased> for Far {
    fn replay(&mut self, inputs: &[Erased]) -> Result<Vec<Erased>> {
        let inputs = inputs.to_vec();
        self.call("replay", move |recording| recording.replay(&inputs))
    }

    fn state(&self) -> Result<Vec<Erased>> {
        self.call("state", |recording| recording.state())
    }
}

impl Drop for Far {
    fn drop(&mut self) {
        let number = self.number;
        self.worker.post(move || drop(OWN.with_borrow_mut(|own| own.remove(&number))));
    }
}
