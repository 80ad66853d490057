//! Devices as values: the registry of backends by name, and devices in it such as `cuda:1`.
//!
//! Backends are registered once and never removed. So a device is a reference and a number, and finding its
//! backend costs nothing.

use crate::dynamic::{Bridge, ErasedBackend, Watched};
use crate::{Backend, Error, ErrorKind, Result};
use std::any::TypeId;
use std::fmt;
use std::ptr;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{OnceLock, PoisonError, RwLock};
use std::time::Duration;

/// A device of a registered backend. `Device::default()` is the first device of the backend called `cpu`.
#[derive(Clone, Copy, Default)]
pub struct Device {
    /// `None` stands for the default backend, which is looked up at first use.
    entry: Option<&'static Entry>,
    index: usize,
}

/// A registered backend.
pub(crate) struct Entry {
    name: String,
    /// Tells whether a second registration of the name is for the same backend.
    pub(crate) backend_type: TypeId,
    /// Asked through [`Entry::backend`], so that no call goes past a time limit.
    plain: Box<dyn ErasedBackend>,
    /// The devices with a time limit.
    watched: RwLock<Vec<(usize, &'static Watched)>>,
}

/// Whether any device has ever had a time limit, so that programs without one pay nothing for it.
static IS_ANY_WATCHED: AtomicBool = AtomicBool::new(false);

impl Entry {
    /// The backend as it is called for a device.
    pub(crate) fn backend(&'static self, device: usize) -> &'static dyn ErasedBackend {
        match self.watched(device) {
            Some(watched) => watched,
            None => &*self.plain,
        }
    }

    /// Whether a call for a device has blocked.
    pub(crate) fn is_lost(&self, device: usize) -> bool {
        self.watched(device).is_some_and(Watched::is_lost)
    }

    fn watched(&self, device: usize) -> Option<&'static Watched> {
        if !IS_ANY_WATCHED.load(Ordering::Acquire) {
            return None;
        }
        let watched = self.watched.read().unwrap_or_else(PoisonError::into_inner);
        watched.iter().find(|(index, _)| *index == device).map(|(_, watched)| *watched)
    }

    fn watch(&'static self, device: usize, limit: Option<Duration>) {
        let mut watched = self.watched.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = watched.iter().position(|(index, _)| *index == device) {
            let (_, old) = watched[at];
            if limit == Some(old.limit()) && !old.is_lost() {
                return;
            }
            old.replace();
            watched.swap_remove(at);
        }
        if let Some(limit) = limit {
            let name = Device::of(self, device).name();
            watched.push((device, Watched::new(&*self.plain, &self.name, name, limit)));
            IS_ANY_WATCHED.store(true, Ordering::Release);
        }
    }
}

const DEFAULT: &str = "cpu";

static REGISTRY: RwLock<Vec<&'static Entry>> = RwLock::new(Vec::new());
static DEFAULT_ENTRY: OnceLock<&'static Entry> = OnceLock::new();

/// Registers a backend under a name, by which [`Device::new`] then finds its devices. Registering it again is
/// fine; another backend under the same name is an `Err`.
pub fn register_backend<B: Backend>(name: &str) -> Result<()> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || !name.chars().all(is_plain) {
        let message = format!("`{name}` can't name a backend; use letters, digits, `-` and `_`");
        return Err(Error::new(ErrorKind::Device, message));
    }
    let mut registry = REGISTRY.write().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(entry) = registry.iter().find(|entry| entry.name == name) {
        if entry.backend_type == TypeId::of::<B>() {
            return Ok(());
        }
        let message = format!("another backend is registered as `{name}`; choose another name");
        return Err(Error::new(ErrorKind::Device, message));
    }
    let plain: Box<dyn ErasedBackend> = Box::new(Bridge::<B>::new(name));
    let (name, backend_type, watched) = (name.into(), TypeId::of::<B>(), RwLock::default());
    // Leaked on purpose: one small value per backend, for the lifetime of the process.
    registry.push(Box::leak(Box::new(Entry { name, backend_type, plain, watched })));
    Ok(())
}

/// Names of the registered backends, in order of registration.
pub fn registered_backends() -> Vec<String> {
    entries().iter().map(|entry| entry.name.clone()).collect()
}

fn entries() -> Vec<&'static Entry> {
    REGISTRY.read().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
}

impl Device {
    /// The device with this name: `cpu`, or `cuda:1` for the second device of a backend. The device is
    /// opened; an `Err` if its driver fails.
    pub fn new(name: &str) -> Result<Device> {
        let (backend, index) = match name.split_once(':') {
            Some((backend, index)) => (backend, number(index).ok_or_else(|| bad_index(name, index))?),
            None => (name, 0),
        };
        let entry = find(backend)?;
        let count = entry.plain.device_count();
        if index >= count {
            let message = match count {
                0 => {
                    format!("`{backend}` finds no device on this machine: there is none, or no driver for it")
                }
                _ => format!("there is no device `{name}`: `{backend}` has {count}, numbered from 0"),
            };
            return Err(Error::new(ErrorKind::Device, message));
        }
        entry.backend(index).open(index)?;
        Ok(Device { entry: Some(entry), index })
    }

    /// All devices of all registered backends. They are not opened, so some of them may not work.
    pub fn all() -> Vec<Device> {
        let of = |entry: &'static Entry| {
            (0..entry.plain.device_count()).map(move |index| Device { entry: Some(entry), index })
        };
        entries().into_iter().flat_map(of).collect()
    }

    /// The name that [`Device::new`] takes: `cpu`, `cuda:1`.
    pub fn name(&self) -> String {
        self.to_string()
    }

    /// The name of the device's backend.
    pub fn backend(&self) -> &'static str {
        self.entry.map_or(DEFAULT, |entry| &entry.name)
    }

    /// The number of the device in its backend.
    pub fn index(&self) -> usize {
        self.index
    }

    /// From now on calls of the backend for this device may take no longer than `limit`.
    pub fn set_time_limit(&self, limit: Option<Duration>) -> Result<()> {
        self.entry()?.watch(self.index, limit);
        Ok(())
    }

    /// The backend. An `Err` if this is the default device and no `cpu` is registered.
    pub(crate) fn entry(&self) -> Result<&'static Entry> {
        if let Some(entry) = self.entry.or_else(|| DEFAULT_ENTRY.get().copied()) {
            return Ok(entry);
        }
        let entry = find(DEFAULT)?;
        Ok(DEFAULT_ENTRY.get_or_init(|| entry))
    }

    pub(crate) fn of(entry: &'static Entry, index: usize) -> Device {
        Device { entry: Some(entry), index }
    }

    /// The device for a device of a backend type, if the type is registered.
    pub(crate) fn of_backend<B: Backend>(device: &B::Device) -> Result<Device> {
        let registered = entries().into_iter().find(|entry| entry.backend_type == TypeId::of::<B>());
        let Some(entry) = registered else {
            let message = format!(
                "the backend of {} is not registered; call `register_backend` first",
                B::name(device)
            );
            return Err(Error::new(ErrorKind::Device, message));
        };
        let index =
            (0..B::device_count()).find(|index| B::nth_device(*index).is_ok_and(|nth| nth == *device));
        let index = index.ok_or_else(|| {
            let message =
                format!("{} is not among the devices that `{}` counts", B::name(device), entry.name);
            Error::new(ErrorKind::Device, message)
        })?;
        Ok(Device::of(entry, index))
    }
}

fn find(backend: &str) -> Result<&'static Entry> {
    let entries = entries();
    entries.iter().copied().find(|entry| entry.name == backend).ok_or_else(|| {
        let known: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
        let known = if known.is_empty() { "none".into() } else { known.join(", ") };
        Error::new(ErrorKind::Device, format!("no backend is registered as `{backend}`; registered: {known}"))
    })
}

/// Parses a number only in the form in which [`Device::name`] writes it, so that each device has one name.
fn number(text: &str) -> Option<usize> {
    text.parse().ok().filter(|number: &usize| number.to_string() == text)
}

fn bad_index(name: &str, index: &str) -> Error {
    let message = format!(
        "`{index}` in the device name `{name}` is no number of a device; write for example `cpu:0` or `cuda:1`"
    );
    Error::new(ErrorKind::Device, message)
}

impl PartialEq for Device {
    fn eq(&self, other: &Device) -> bool {
        let is_same = match (self.entry, other.entry) {
            (Some(own), Some(other)) => ptr::eq(own, other),
            (None, None) => true,
            // The default backend may not be registered yet.
            (Some(_), None) | (None, Some(_)) => self.backend() == other.backend(),
        };
        is_same && self.index == other.index
    }
}

impl Eq for Device {}

impl FromStr for Device {
    type Err = Error;
    fn from_str(name: &str) -> Result<Device> {
        Device::new(name)
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            0 => f.write_str(self.backend()),
            index => write!(f, "{}:{index}", self.backend()),
        }
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({self})")
    }
}
