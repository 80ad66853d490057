//! Indices out of range. Only a kernel sees them: it makes a note on the device, and the host learns of it
//! when something is read.
//!
//! Each call of such a kernel has its own word in the device's memory. The result of the call carries a
//! [`Doubt`], and so does everything that is computed from that result. Reading a tensor settles its doubts:
//! it is an `Err` if one of the calls failed, however often the tensor is read and whoever reads it. Other
//! tensors are not affected.

use crate::failure::failed;
use crate::kernel::operand::{BufferLaunch, Fit, Form, Lanes};
use cubecl::client::Client;
use cubecl::future::block_on;
use cubecl::ir::{ElemType, UIntKind};
use cubecl::prelude::BufferArg;
use cubecl::server::Handle;
use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tensor_op_core::{Error, ErrorKind, Result};

/// Number of calls that share a buffer. The buffer is read as a whole.
const CALLS: usize = 1024;
/// Number of pages of a device that are remembered. If nobody holds a result of a call any more, only
/// [`Faults::tell`] needs its page.
const PAGES: usize = 16;
/// The most doubts of a tensor. If there would be more, they are settled before the tensor is computed.
const MOST: usize = 64;

/// The latest calls on a device that may fail.
#[derive(Default)]
pub(crate) struct Faults {
    /// The pages; the newest one is last.
    pages: Mutex<VecDeque<Arc<Page>>>,
}

/// A call that may have failed.
#[derive(Clone)]
pub(crate) struct Doubt {
    page: Arc<Page>,
    /// Its number; `None` stands for all calls of the page, which are those of a recorded step.
    call: Option<usize>,
}

/// The calls on which a tensor's values depend, and of which it is not yet known whether they failed.
#[derive(Clone, Default)]
pub(crate) struct Doubts(Option<Arc<[Doubt]>>);

/// The place where an index is used, as an error names it.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) op: Option<String>,
    pub(crate) arg: Option<String>,
    pub(crate) dim: Option<String>,
    /// Size of the indexed axis.
    pub(crate) size: usize,
}

/// The calls of a recorded step, which have a page of their own. Each replay launches all of them again.
pub(crate) struct Recorded {
    page: Arc<Page>,
}

/// Calls that were launched on one stream of a device.
struct Page {
    client: Client,
    /// A word for each call. It is not 0 if the call failed. Kernels of other streams don't write here, so a
    /// read on this stream sees all notes.
    words: Handle,
    phase: Mutex<Phase>,
    /// How often the calls were launched: once, or once for each replay.
    turns: AtomicUsize,
    calls: Mutex<Vec<Call>>,
}

/// Which calls a page takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// All calls of its stream.
    Open,
    /// Those of a step that is recorded. Until the recording ends, nothing can be read.
    Recording,
    /// Those of a step that was recorded, and no others.
    Closed,
}

struct Call {
    site: Site,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// The call is about to be launched.
    Claimed,
    /// The call was launched, and its word was not read since then.
    Unknown,
    Fine,
    Failed {
        /// Whether the error was reported to somebody.
        told: bool,
    },
}

impl Faults {
    /// Launches a kernel that notes an index out of range, by writing anything but 0 to this position of this
    /// buffer. `out` is the new memory that the kernel fills.
    pub(crate) fn watch(
        &self,
        client: &Client,
        out: &Handle,
        site: &Site,
        launch: impl FnOnce(BufferLaunch, usize),
    ) -> Doubt {
        let (doubt, call) = self.claim(client, out, site);
        let form =
            Form { elem: ElemType::UInt(UIntKind::U32), width: 1, lanes: Lanes::Same, fit: Fit::Convert };
        // SAFETY: the buffer holds `CALLS` elements.
        let buffer = unsafe { BufferArg::from_raw_parts(doubt.page.words.clone(), CALLS) };
        launch(BufferLaunch { buffer, form }, call);
        doubt.page.calls()[call].state = State::Unknown;
        doubt
    }

    /// Claims a word that no other call has, in a page of the stream on which `out` was made. Kernels are
    /// launched on that stream. While a step is recorded no page can be added: the last word is for all
    /// further calls then.
    fn claim(&self, client: &Client, out: &Handle, site: &Site) -> (Doubt, usize) {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        let is_own = |page: &&Arc<Page>| page.words.stream == out.stream && page.has_room();
        let page = pages.iter().rev().find(is_own).cloned();
        let page = page.unwrap_or_else(|| add_page(&mut pages, client));
        let mut calls = page.calls();
        if calls.len() < CALLS {
            calls.push(Call { site: site.clone(), state: State::Claimed });
        }
        let call = calls.len() - 1;
        drop(calls);
        let is_recorded = page.phase() == Phase::Recording;
        (Doubt { page, call: (!is_recorded).then_some(call) }, call)
    }

    /// Begins a page for the calls that this thread records from now on.
    pub(crate) fn record(&self, client: &Client) -> Recorded {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        let page = add_page(&mut pages, client);
        page.set_phase(Phase::Recording);
        Recorded { page }
    }

    /// Takes a page of a recording out: what it would have launched never runs.
    pub(crate) fn forget(&self, recorded: &Recorded) {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.retain(|page| !Arc::ptr_eq(page, &recorded.page));
    }

    /// The calls of a recording are about to be launched again. An `Err` if one of them is known to have
    /// failed: a word that was written stays written, and the state is wrong.
    pub(crate) fn again(&self, recorded: &Recorded) -> Result<()> {
        let page = &recorded.page;
        let mut calls = page.calls();
        let failed = calls.iter().find(|call| matches!(call.state, State::Failed { .. }));
        if let Some(call) = failed {
            return Err(call.site.error());
        }
        page.turns.fetch_add(1, Ordering::Relaxed);
        calls.iter_mut().for_each(|call| call.state = State::Unknown);
        drop(calls);
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        if !pages.iter().any(|own| Arc::ptr_eq(own, page)) {
            push_page(&mut pages, page.clone());
        }
        Ok(())
    }

    /// The first error among the latest calls that was not reported yet, if there is one. After this, all
    /// their errors count as reported. Waits for the device if a call may have failed.
    pub(crate) fn tell(&self) -> Result<()> {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner).clone();
        pages.retain(|page| page.phase() != Phase::Recording);
        for page in &pages {
            block_on(page.settle())?;
        }
        let untold: Vec<Error> = pages.iter().flat_map(|page| page.tell()).collect();
        untold.into_iter().next().map_or(Ok(()), Err)
    }
}

/// Adds a page on the stream of this thread.
fn add_page(pages: &mut VecDeque<Arc<Page>>, client: &Client) -> Arc<Page> {
    let page = Arc::new(Page::new(client));
    push_page(pages, page.clone());
    page
}

fn push_page(pages: &mut VecDeque<Arc<Page>>, page: Arc<Page>) {
    if pages.len() == PAGES {
        pages.pop_front();
    }
    pages.push_back(page);
}

impl Recorded {
    /// Ends the recording: what is launched later is not part of it.
    pub(crate) fn end(&self) {
        self.page.set_phase(Phase::Closed);
    }

    /// What each value of the recording owes to its calls.
    pub(crate) fn doubts(&self) -> Doubts {
        let is_empty = self.page.calls().is_empty();
        if is_empty { Doubts::default() } else { Doubt { page: self.page.clone(), call: None }.into() }
    }
}

impl Doubts {
    /// The doubts of a value that depends on all of these. An `Err` if the device fails.
    pub(crate) fn all<'a>(lists: impl IntoIterator<Item = &'a Doubts>) -> Result<Doubts> {
        let lists: Vec<&Arc<[Doubt]>> = lists.into_iter().filter_map(|list| list.0.as_ref()).collect();
        let Some((first, others)) = lists.split_first() else { return Ok(Doubts::default()) };
        if others.iter().all(|list| Arc::ptr_eq(list, first)) {
            return Ok(Doubts(Some((*first).clone())));
        }
        let mut open = unsettled(&lists);
        if open.len() > MOST {
            open.iter().try_for_each(|doubt| block_on(doubt.page.settle()))?;
            open = unsettled(&lists);
        }
        Ok(Doubts((!open.is_empty()).then(|| open.into())))
    }

    /// The error of the first call that failed, if one did. The errors of all these calls then count as
    /// reported. Waits for the device if it is not known whether they failed.
    pub(crate) async fn check(&self) -> Result<()> {
        let mut first = Ok(());
        for doubt in self.0.iter().flat_map(|list| list.iter()) {
            first = first.and(doubt.check().await);
        }
        first
    }
}

/// The calls that are not known to be fine, or the first call that is known to have failed.
fn unsettled(lists: &[&Arc<[Doubt]>]) -> Vec<Doubt> {
    let mut open: Vec<Doubt> = Vec::new();
    for doubt in lists.iter().flat_map(|list| list.iter()) {
        match doubt.state() {
            State::Fine => {}
            State::Claimed | State::Unknown if open.iter().any(|own| own.is(doubt)) => {}
            State::Claimed | State::Unknown => open.push(doubt.clone()),
            State::Failed { .. } => return vec![doubt.clone()],
        }
    }
    open
}

impl From<Doubt> for Doubts {
    fn from(doubt: Doubt) -> Doubts {
        Doubts(Some([doubt].into()))
    }
}

impl Doubt {
    fn is(&self, other: &Doubt) -> bool {
        self.call == other.call && Arc::ptr_eq(&self.page, &other.page)
    }

    fn state(&self) -> State {
        let calls = self.page.calls();
        let worst = |worst, call: &Call| match (worst, call.state) {
            (State::Failed { told }, _) | (_, State::Failed { told }) => State::Failed { told },
            (State::Unknown, _) | (_, State::Unknown) => State::Unknown,
            (State::Claimed | State::Fine, State::Claimed | State::Fine) => State::Fine,
        };
        self.call.map_or_else(|| calls.iter().fold(State::Fine, worst), |call| calls[call].state)
    }

    async fn check(&self) -> Result<()> {
        // While a read is on its way, another replay may begin. Then the words are read again.
        while self.state() == State::Unknown {
            self.page.settle().await?;
        }
        let mut calls = self.page.calls();
        let mut own = match self.call {
            Some(call) => calls[call..=call].iter_mut(),
            None => calls.iter_mut(),
        };
        own.find_map(Call::tell).map_or(Ok(()), Err)
    }
}

impl Page {
    /// A page on the stream of this thread.
    fn new(client: &Client) -> Page {
        let words = client.create_from_slice(&[0; 4 * CALLS]);
        Page {
            client: client.clone(),
            words,
            phase: Mutex::new(Phase::Open),
            turns: AtomicUsize::new(1),
            calls: Mutex::default(),
        }
    }

    fn has_room(&self) -> bool {
        match self.phase() {
            Phase::Open => self.calls().len() < CALLS,
            Phase::Recording => true,
            Phase::Closed => false,
        }
    }

    fn phase(&self) -> Phase {
        *self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_phase(&self, phase: Phase) {
        *self.phase.lock().unwrap_or_else(PoisonError::into_inner) = phase;
    }

    fn calls(&self) -> MutexGuard<'_, Vec<Call>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the words of the calls that were launched before, if the state of some of them is unknown.
    async fn settle(&self) -> Result<()> {
        let (unknown, turn): (Vec<usize>, usize) = {
            let calls = self.calls();
            let unknown = (0..calls.len()).filter(|call| calls[*call].state == State::Unknown);
            (unknown.collect(), self.turns.load(Ordering::Relaxed))
        };
        if unknown.is_empty() {
            return Ok(());
        }
        let read = self.words.stream.executes(|| self.client.read_async(vec![self.words.clone()]));
        let bytes = read.await.map_err(failed)?;
        let (words, _) = bytes[0].as_chunks::<4>();
        let mut calls = self.calls();
        if self.turns.load(Ordering::Relaxed) != turn {
            return Ok(());
        }
        for call in unknown {
            // Another thread may have read the word and reported the error in the meantime.
            if calls[call].state == State::Unknown {
                let has_failed = words[call] != [0; 4];
                calls[call].state = if has_failed { State::Failed { told: false } } else { State::Fine };
            }
        }
        Ok(())
    }

    /// The errors that were not reported yet. They count as reported from now on.
    fn tell(&self) -> Vec<Error> {
        let mut calls = self.calls();
        let untold = calls.iter_mut().filter(|call| call.state == State::Failed { told: false });
        untold.filter_map(Call::tell).collect()
    }
}

impl Call {
    /// The error, if the call failed. It counts as reported from now on.
    fn tell(&mut self) -> Option<Error> {
        match &mut self.state {
            State::Claimed | State::Unknown | State::Fine => None,
            State::Failed { told } => {
                *told = true;
                Some(self.site.error())
            }
        }
    }
}

impl Site {
    pub(crate) fn error(&self) -> Error {
        let message = match self.size {
            0 => "is empty, and an element of it is read".to_string(),
            size => format!("has size {size}, but an index lies outside of it"),
        };
        let mut error = Error::new(ErrorKind::Index, message);
        if let Some(op) = &self.op {
            error = error.with_op(op);
        }
        if let Some(arg) = &self.arg {
            error = error.with_arg(arg);
        }
        match &self.dim {
            Some(dim) => error.with_dim(dim),
            None => error,
        }
    }
}

impl fmt::Debug for Doubts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Doubts({})", self.0.as_ref().map_or(0, |list| list.len()))
    }
}
