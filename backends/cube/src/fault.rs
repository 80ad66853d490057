//! Faults that a kernel finds in its data: they are noted on the device, and come back as an `Err` when something waits for it.

use crate::device::failed;
use cubecl::client::Client;
use cubecl::server::Handle;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use tensor_op_core::{Error, ErrorKind, Result};

/// The faults of a device: one word in its memory, the number of a site where an index was out of range, or 0.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    word: OnceLock<Handle>,
    /// Sites in order of their numbers, from 1.
    sites: Mutex<Vec<Site>>,
    /// Whether a kernel ran that may have noted something.
    pending: AtomicBool,
}

/// Where an index is used, as an error names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    pub(crate) op: Option<String>,
    pub(crate) arg: Option<String>,
    pub(crate) dim: Option<String>,
    /// Of the indexed axis.
    pub(crate) size: usize,
}

impl Faults {
    /// The word in memory.
    pub(crate) fn handle(&self, client: &Client) -> Handle {
        self.pending.store(true, Ordering::Release);
        self.word.get_or_init(|| client.create_from_slice(&[0; 4])).clone()
    }

    /// The number of a site.
    pub(crate) fn register(&self, site: &Site) -> u32 {
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let at = sites.iter().position(|own| own == site).unwrap_or_else(|| {
            sites.push(site.clone());
            sites.len() - 1
        });
        at as u32 + 1
    }

    /// An `Err` if something was noted since this was last asked. Waits for the device if something may have been.
    pub(crate) fn check(&self, client: &Client) -> Result<()> {
        let Some(word) = self.word.get().filter(|_| self.pending.swap(false, Ordering::AcqRel)) else {
            return Ok(());
        };
        let bytes = client.read_one(word.clone()).map_err(failed)?;
        let number = bytes.first_chunk::<4>().map_or(0, |bytes| u32::from_le_bytes(*bytes));
        if number == 0 {
            return Ok(());
        }
        client.write(word, cubecl::bytes::Bytes::from_bytes_vec(vec![0; 4]));
        let sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let site = sites.get(number as usize - 1);
        Err(site.map_or_else(|| Error::new(ErrorKind::Index, "an index is out of range"), Site::error))
    }
}

impl Site {
    pub(crate) fn error(&self) -> Error {
        let mut error =
            Error::new(ErrorKind::Index, format!("has size {}, but an index lies outside of it", self.size));
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
