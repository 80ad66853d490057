//! What a device does with a dtype, and how much memory its tensors take.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What a device does with tensors of a dtype: a set of up to three uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct DTypeUsage {
    /// Tensors are stored and moved in this dtype, so that it saves memory.
    pub storage: bool,
    /// Ops take and return tensors of this dtype. They may compute in a wider one.
    pub arithmetic: bool,
    /// The device multiplies matrices of this dtype with units of its own, as tensor cores are.
    pub accelerated: bool,
}

impl DTypeUsage {
    /// The device does not know the dtype.
    pub const NONE: DTypeUsage = DTypeUsage { storage: false, arithmetic: false, accelerated: false };
    /// Tensors are stored and computed with.
    pub const GENERAL: DTypeUsage = DTypeUsage { storage: true, arithmetic: true, accelerated: false };

    /// Tensors are stored and computed with if the condition holds; otherwise the dtype is unknown.
    pub const fn general_if(holds: bool) -> DTypeUsage {
        if holds { DTypeUsage::GENERAL } else { DTypeUsage::NONE }
    }

    /// Whether all uses of the other set are in this one.
    pub fn contains(self, other: DTypeUsage) -> bool {
        self.storage >= other.storage
            && self.arithmetic >= other.arithmetic
            && self.accelerated >= other.accelerated
    }
}

/// The uses by name: `storage, arithmetic`.
impl fmt::Display for DTypeUsage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let uses =
            [(self.storage, "storage"), (self.arithmetic, "arithmetic"), (self.accelerated, "accelerated")];
        let uses: Vec<&str> = uses.iter().filter(|(has, _)| *has).map(|(_, name)| *name).collect();
        f.write_str(if uses.is_empty() { "none" } else { "" })?;
        f.write_str(&uses.join(", "))
    }
}

/// Bytes of a device's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// Bytes of the tensors that live now, each buffer once. Memory of other libraries, which tensors share,
    /// and scratch memory of kernels are not counted.
    pub in_use: u64,
    /// Bytes that the backend holds: those in use, and those that it keeps for later tensors.
    pub reserved: u64,
    /// The most bytes that were in use at once.
    pub peak: u64,
}

/// Counts the bytes of a backend's buffers, for [`Backend::memory`](crate::Backend::memory).
#[derive(Debug, Default)]
pub struct Account {
    in_use: AtomicU64,
    peak: AtomicU64,
}

impl Account {
    /// An account of nothing.
    pub const fn new() -> Account {
        Account { in_use: AtomicU64::new(0), peak: AtomicU64::new(0) }
    }

    /// Counts bytes until the value is dropped.
    pub fn hold(&'static self, bytes: u64) -> Held {
        let before = self.in_use.fetch_add(bytes, Relaxed);
        // Most buffers raise no peak, and reading it is cheaper than a write that other threads wait for.
        if self.peak.load(Relaxed) < before + bytes {
            self.peak.fetch_max(before + bytes, Relaxed);
        }
        Held { account: self, bytes }
    }

    /// Bytes that are held now.
    pub fn in_use(&self) -> u64 {
        self.in_use.load(Relaxed)
    }

    /// The most bytes that were held at once.
    pub fn peak(&self) -> u64 {
        // Another thread may have counted bytes, and not yet raised the peak.
        self.peak.load(Relaxed).max(self.in_use())
    }

    /// The figures of a backend that keeps these bytes for later tensors.
    pub fn with_kept(&self, kept: u64) -> MemoryUse {
        let in_use = self.in_use();
        MemoryUse { in_use, reserved: in_use + kept, peak: self.peak().max(in_use) }
    }

    /// Makes the bytes that are held now the peak.
    pub fn reset_peak(&self) {
        self.peak.store(self.in_use(), Relaxed);
    }
}

/// Bytes that an [`Account`] counts as long as the value lives.
#[derive(Debug)]
pub struct Held {
    account: &'static Account,
    bytes: u64,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.account.in_use.fetch_sub(self.bytes, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_knows_what_lives_and_what_lived_at_once() {
        static ACCOUNT: Account = Account::new();
        let first = ACCOUNT.hold(100);
        drop(ACCOUNT.hold(20));
        let second = ACCOUNT.hold(10);
        assert_eq!((ACCOUNT.in_use(), ACCOUNT.peak()), (110, 120));
        drop(first);
        ACCOUNT.reset_peak();
        assert_eq!((ACCOUNT.in_use(), ACCOUNT.peak()), (10, 10));
        drop(second);
        assert_eq!((ACCOUNT.in_use(), ACCOUNT.peak()), (0, 10));
    }

    #[test]
    fn uses_are_a_set() {
        assert!(DTypeUsage::GENERAL.contains(DTypeUsage::NONE));
        assert!(!DTypeUsage::NONE.contains(DTypeUsage::GENERAL));
        assert_eq!(DTypeUsage::GENERAL.to_string(), "storage, arithmetic");
        assert_eq!(DTypeUsage::NONE.to_string(), "none");
    }
}
