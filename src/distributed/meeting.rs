//! Where threads exchange tensors: each brings one, and each gets all of them.

use super::error;
use crate::{ErrorKind, Result, Tensor};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A place for a fixed number of members.
#[derive(Debug)]
pub(super) struct Meeting {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// What the members have brought for the present round, with its name.
    brought: Vec<Option<(String, Tensor)>>,
    /// The tensors of a full round, and how many members have taken them.
    full: Option<(Result<Vec<Tensor>>, usize)>,
    /// A member that has ended.
    left: Option<usize>,
    /// The member that was the first to fail.
    failed: Option<usize>,
    /// Whether all members have ended.
    is_over: bool,
}

impl Meeting {
    pub(super) fn new(members: usize) -> Meeting {
        let state =
            State { brought: vec![None; members], full: None, left: None, failed: None, is_over: false };
        Meeting { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Brings a tensor under a name, waits for the other members, and returns the tensors of all, in order.
    ///
    /// # Errors
    /// Names, shapes or dtypes that differ, and a member that ends instead of coming.
    pub(super) fn exchange(&self, rank: usize, name: String, tensor: Tensor) -> Result<Vec<Tensor>> {
        let mut state = self.lock();
        // Some members may not have taken the tensors of the round before.
        while state.full.is_some() {
            state = self.wait(state);
        }
        state.brought[rank] = Some((name.clone(), tensor));
        if state.brought.iter().all(Option::is_some) {
            let brought: Vec<_> = state.brought.iter_mut().filter_map(Option::take).collect();
            state.full = Some((alike(brought), 0));
            self.changed.notify_all();
        }
        loop {
            let members = state.brought.len();
            if let Some((tensors, taken)) = &mut state.full {
                let tensors = tensors.clone();
                *taken += 1;
                if *taken == members {
                    state.full = None;
                    self.changed.notify_all();
                }
                return tensors;
            }
            if let Some(left) = state.left {
                state.brought[rank] = None;
                let message = format!("member {left} has ended, and member {rank} waits for its `{name}`");
                return Err(error(ErrorKind::Backend, message));
            }
            state = self.wait(state);
        }
    }

    /// Notes that a member has ended.
    pub(super) fn leave(&self, rank: usize) {
        self.lock().left.get_or_insert(rank);
        self.changed.notify_all();
    }

    /// Notes that a member has failed.
    pub(super) fn fail(&self, rank: usize) {
        self.lock().failed.get_or_insert(rank);
    }

    /// Notes that all members have ended.
    pub(super) fn end(&self) {
        self.lock().is_over = true;
    }

    pub(super) fn is_over(&self) -> bool {
        self.lock().is_over
    }

    /// The member that was the first to fail.
    pub(super) fn failed(&self) -> Option<usize> {
        self.lock().failed
    }

    /// No panic can leave the state half changed, so a poisoned lock can still be used.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }
}

/// The tensors of a round, which must be alike.
fn alike(brought: Vec<(String, Tensor)>) -> Result<Vec<Tensor>> {
    let said = |(name, x): &(String, Tensor)| format!("`{name}` of shape {} and {}", x.shape(), x.dtype());
    let first = brought.first().map(said).unwrap_or_default();
    if let Some((rank, other)) = brought.iter().map(said).enumerate().find(|(_, other)| *other != first) {
        let message = format!("member 0 brings {first}, and member {rank} brings {other}");
        return Err(error(ErrorKind::Shape, message));
    }
    Ok(brought.into_iter().map(|(_, tensor)| tensor).collect())
}
