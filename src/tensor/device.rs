//! Devices, on which tensors live. The backends of this build are registered before anyone can ask for a
//! device.

use super::Runtime;
use crate::{Backend, DType, Error, ErrorKind, NdArray, Result};
use std::fmt;
use std::str::FromStr;
use std::sync::Once;

/// A device of a registered backend. `Device::default()` is the CPU.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Device(tensor_op_core::Device);

/// Registers a backend under a name, by which [`Device::new`] then finds its devices. Registering it again is
/// fine; another backend under the same name is an `Err`.
pub fn register_backend<B: Backend>(name: &str) -> Result<()> {
    register_own();
    tensor_op_core::register_backend::<B>(name)
}

/// The names of the registered backends: those of this build, and those of the program.
///
/// ```
/// assert!(tensor_op::registered_backends().contains(&"cpu".to_string()));
/// ```
pub fn registered_backends() -> Vec<String> {
    register_own();
    tensor_op_core::registered_backends()
}

/// The variable that [`Device::from_env`] reads.
const VARIABLE: &str = "TENSOR_OP_DEVICE";

/// Backends that need a feature of the crate.
const OPTIONAL: &[&str] = &["wgpu", "vulkan", "metal", "cuda", "hip", "cpu-jit"];

pub(super) fn register_own() {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        // This fails only if the program has registered its own `cpu` through the core crate, which is then
        // the default.
        drop(tensor_op_core::register_backend::<NdArray>("cpu"));
        #[cfg(feature = "gpu")]
        tensor_op_cube::register();
    });
}

/// Says which feature a build needs for a backend that it lacks.
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
    /// The device with this name: `cpu`, or `cuda:1` for the second device of a backend. GPUs need a feature
    /// of the crate: `wgpu`, `vulkan`, `metal`, `cuda`, `hip`, `cpu-jit`. An `Err` if this build, the machine
    /// or its driver does not have the device.
    pub fn new(name: &str) -> Result<Device> {
        register_own();
        tensor_op_core::Device::new(name).map(Device).map_err(|error| name_feature(error, name))
    }

    /// The device that the environment variable `TENSOR_OP_DEVICE` names, such as `cuda:1`, or the CPU if it
    /// is not set or empty. So one build of a program runs where its user says.
    ///
    /// ```
    /// use tensor_op::{Device, Tensor};
    ///
    /// # fn main() -> tensor_op::Result<()> {
    /// let x = Tensor::from([1.0, 2.0]).to(&Device::from_env()?)?;
    /// assert_eq!(x.exp()?.shape(), x.shape());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`Device::new`]; the error names the variable.
    pub fn from_env() -> Result<Device> {
        let name = std::env::var_os(VARIABLE).unwrap_or_default();
        if name.is_empty() {
            return Ok(Device::default());
        }
        Device::new(&name.to_string_lossy()).map_err(|error| error.with_arg(VARIABLE))
    }

    /// All devices of all registered backends. They are not opened, so some of them may not work;
    /// [`Device::new`] with the name of a device tells.
    pub fn all() -> Vec<Device> {
        register_own();
        tensor_op_core::Device::all().into_iter().map(Device).collect()
    }

    /// The name that [`Device::new`] takes.
    pub fn name(&self) -> String {
        self.0.name()
    }

    /// The name of its backend: `cuda` of `cuda:1`.
    pub fn backend(&self) -> &'static str {
        self.0.backend()
    }

    /// Its number in its backend: 1 of `cuda:1`.
    pub fn index(&self) -> usize {
        self.0.index()
    }

    /// Whether the device has tensors of this dtype.
    pub fn supports_dtype(&self, dtype: DType) -> bool {
        Runtime::supports_dtype(&self.0, dtype)
    }

    /// Waits for all work that was started, and returns its error if it failed. On a GPU this may be an index
    /// out of range in one of the latest thousands of calls, if nobody has got the error yet. Reading a
    /// tensor that depends on the index returns the error in any case.
    pub fn sync(&self) -> Result<()> {
        Runtime::sync(&self.0)
    }

    /// Returns cached memory to the system.
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
