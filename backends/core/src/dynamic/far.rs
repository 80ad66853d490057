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

/// State and inputs.
type Pair = (Vec<Erased>, Vec<Erased>);

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
    let held: Pair = (owned(state), owned(inputs));
    let work = move |backend: &'static dyn ErasedBackend, held: Pair, ask: &mut Ask<'_, Pair, _>| {
        let (state, inputs): (Vec<_>, Vec<_>) = (held.0.iter().collect(), held.1.iter().collect());
        let mut step = |state: &[Erased], inputs: &[Erased]| ask((state.to_vec(), inputs.to_vec()));
        let recording = backend.record(device, &state, &inputs, &mut step)?;
        Ok(recording.map(|recording| {
            let number = LAST.fetch_add(1, Ordering::Relaxed);
            OWN.with_borrow_mut(|own| own.insert(number, recording));
            number
        }))
    };
    let worker = watch.worker()?;
    let mut answer = |(state, inputs): Pair| step(&state, &inputs);
    let number = watch.converse(Ok(worker.clone()), "record", held, work, &mut answer)?;
    Ok(number.map(|number| Box::new(Far { watch, worker, number }) as Own))
}

impl Far {
    fn call<R: Send + 'static>(
        &self,
        what: &'static str,
        inputs: Vec<Erased>,
        work: impl FnOnce(&mut Own, Vec<Erased>) -> Result<R> + Send + 'static,
    ) -> Result<R> {
        let number = self.number;
        let work = move |_, inputs, _: &mut Ask<'_, (), ()>| {
            OWN.with_borrow_mut(|own| match own.get_mut(&number) {
                Some(recording) => work(recording, inputs),
                None => Err(Error::new(ErrorKind::Backend, "the recording is of another thread")),
            })
        };
        let worker = self.watch.check().map(|()| self.worker.clone());
        self.watch.converse(worker, what, inputs, work, &mut |()| Ok(()))
    }
}

impl Recording<Erased> for Far {
    fn replay(&mut self, inputs: &[Erased]) -> Result<Vec<Erased>> {
        self.call("replay", inputs.to_vec(), |recording, inputs| recording.replay(&inputs))
    }

    fn state(&self) -> Result<Vec<Erased>> {
        self.call("state", Vec::new(), |recording, _| recording.state())
    }
}

impl Drop for Far {
    fn drop(&mut self) {
        let number = self.number;
        self.worker.post(move || drop(OWN.with_borrow_mut(|own| own.remove(&number))));
    }
}
