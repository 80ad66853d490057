//! Where tensors live. The backends of this build are registered before anyone can ask for a device.

use super::Runtime;
use crate::{Backend, DType, Error, ErrorKind, NdArray, Result};
use std::fmt;
use std::str::FromStr;
use std::sync::Once;

/// A device of a registered backend. `Device::default()` is the CPU.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Device(tensor_op_core::Device);

/// Registers a backend under a name, under which [`Device::new`] then finds its devices. Doing so again is
/// fine; another backend under the same name is an `Err`.
pub fn register_backend<B: Backend>(name: &str) -> Result<()> {
    register_own();
    tensor_op_core::register_backend::<B>(name)
}

/// Backends that a feature of the crate brings.
const OPTIONAL: &[&str] = &["wgpu", "vulkan", "metal", "cuda", "hip", "cpu-jit"];

pub(super) fn register_own() {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        // Fails only if the program has registered a `cpu` of its own through the core crate, which then is
        // the default.
        drop(tensor_op_core::register_backend::<NdArray>("cpu"));
        #[cfg(feature = "gpu")]
        tensor_op_cube::register();
    });
}

/// Says which feature brings a backend that this build lacks.
fn name_feature(error: Error, device: &str) -> Error {
    let backend = device.split(':').next().unwrap_or_default();
    let is_missing = !tensor_op_core::registered_backends().iter().any(|name| name == backend);
    if is_missing && OPTIONAL.contains(&backend) {
        let message = format!("this build has no `{backend}`; turn on the feature `{backend}` of tensor-op");
        return Error::new(ErrorKind::Device, message);
    }
    error
}

impl Device {
    /// The device of this name: `cpu`, or `cuda:1` for the second one of a backend. GPUs take a feature of
    /// the crate: `wgpu`, `vulkan`, `metal`, `cuda`, `hip`, `cpu-jit`. An `Err` if this build, the machine or
    /// its driver does not have it.
    pub fn new(name: &str) -> Result<Device> {
        register_own();
        tensor_op_core::Device::new(name).map(Device).map_err(|error| name_feature(error, name))
    }

    /// All devices of all registered backends. They are not opened, so that some may not work:
    /// [`Device::new`] of the name tells.
    pub fn all() -> Vec<Device> {
        register_own();
        tensor_op_core::Device::all().into_iter().map(Device).collect()
    }

    /// As [`Device::new`] takes it.
    pub fn name(&self) -> String {
        self.0.name()
    }

    /// Whether it has tensors of this dtype.
    pub fn supports_dtype(&self, dtype: DType) -> bool {
        Runtime::supports_dtype(&self.0, dtype)
    }

    /// Waits for all work that was started, and gives its error if it failed. On a GPU that may be an index
    /// out of range, in one of the latest thousands of calls, of which nobody has got the error yet; who
    /// reads what depends on it gets it all the same.
    pub fn sync(&self) -> Result<()> {
        Runtime::sync(&self.0)
    }

    /// Gives cached memory back.
    pub fn memory_cleanup(&self) {
        Runtime::memory_cleanup(&self.0);
    }

    pub(super) fn from_core(device: tensor_op_core::Device) -> Device {
        Device(device)
    }

    pub(crate) fn core(&self) -> &tensor_op_core::Device {
        &self.0
    }
}

impl Default for Device {
    fn default() -> Device {
        register_own();
        Device(tensor_op_core::Device::default())
    }
}

impl FromStr for Device {
    type Err = Error;
    fn from_str(name: &str) -> Result<Device> {
        Device::new(name)
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}
