//! Devices, on which tensors live. The backends of this build are registered before anyone can ask for a
//! device.

use super::Runtime;
use crate::{Backend, DType, DTypeUsage, Error, ErrorKind, MemoryUse, NdArray, Result, TensorData};
use std::fmt;
use std::str::FromStr;
use std::sync::Once;
use std::time::Duration;

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

    /// What the device does with tensors of this dtype: stores them, computes with them, multiplies matrices
    /// of them with units of its own.
    ///
    /// ```
    /// use tensor_op::{DType, DTypeUsage, Device};
    ///
    /// assert_eq!(Device::default().dtype_usage(DType::BF16), DTypeUsage::GENERAL);
    /// ```
    pub fn dtype_usage(&self, dtype: DType) -> DTypeUsage {
        Runtime::dtype_usage(&self.0, dtype)
    }

    /// How much memory the tensors of the device take. `None` if its backend does not count it.
    ///
    /// ```
    /// use tensor_op::prelude::*;
    ///
    /// # fn main() -> Result<()> {
    /// let device = Device::default();
    /// let before = device.memory().expect("the CPU counts");
    /// let x = Tensor::zeros([1 << 20], DType::F32, &device)?;
    /// let now = device.memory().expect("the CPU counts");
    /// assert!(now.in_use >= before.in_use + (1 << 22) && now.peak >= now.in_use);
    /// # Ok(())
    /// # }
    /// ```
    pub fn memory(&self) -> Option<MemoryUse> {
        Runtime::memory(&self.0)
    }

    /// Forgets the peak of [`memory`](Device::memory): what is in use now is the new one.
    pub fn reset_peak_memory(&self) {
        Runtime::reset_peak_memory(&self.0);
    }

    /// Runs a task that makes tensors which live long, such as the parameters of a model. A GPU gives them
    /// memory of their own, so that the memory for short-lived tensors is not cut up by them. On the CPU the
    /// task just runs.
    ///
    /// ```
    /// use tensor_op::prelude::*;
    ///
    /// # fn main() -> Result<()> {
    /// let device = Device::default();
    /// let weights = device.persistent(|| Tensor::zeros([4096, 4096], DType::F32, &device))?;
    /// # assert_eq!(weights.elements(), 1 << 24);
    /// # Ok(())
    /// # }
    /// ```
    pub fn persistent<R: Send>(&self, task: impl FnOnce() -> R + Send) -> R {
        let (mut task, mut result) = (Some(task), None);
        Runtime::persistent(&self.0, &mut || result = task.take().map(|task| task()).or(result.take()));
        match result.or_else(|| task.map(|task| task())) {
            Some(result) => result,
            None => unreachable!("the task has run, or is still there"),
        }
    }

    /// Calls `f` with each item, one after the other, and returns what it returns, or its first error: the
    /// same as a loop. On a GPU the small kernels that these calls have in common are launched together, up
    /// to sixteen at once, which takes the host less time than a launch for each. So it is for ops on many
    /// small tensors, such as the parameters of a model. Calls may use results of earlier calls, but only
    /// kernels that don't wait for each other are joined.
    ///
    /// Kernels of single elements and of folds are joined if they are compiled for the same. A formula of
    /// single elements is one kernel for tensors of many sizes; sums and norms have one for each size.
    ///
    /// What is put off starts before anything is read, before a kernel of another kind, and at the end.
    /// Until then it holds its memory, up to about 64 MiB and 256 kernels. In a step that
    /// [`capture`](crate::capture()) records nothing is put off. If a joined kernel can't run, such as
    /// because there is no memory for a result, the results of all calls that it was joined for are errors
    /// when they are read.
    ///
    /// ```
    /// use tensor_op::prelude::*;
    ///
    /// #[tensor_op]
    /// fn decay(parameter: Tensor, rate: f64) -> Tensor {
    ///     parameter * (1.0 - rate)
    /// }
    ///
    /// # fn main() -> Result<()> {
    /// let device = Device::default();
    /// let parameters = [Tensor::from([1.0, 2.0]), Tensor::from([[4.0], [8.0], [6.0]])];
    /// let decayed = device.foreach(&parameters, |parameter| decay(parameter, 0.5))?;
    /// assert_eq!(decayed[1].to_vec::<f64>()?, [2.0, 4.0, 3.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The first error of `f`. No further calls are made.
    pub fn foreach<I, R>(
        &self,
        items: impl IntoIterator<Item = I>,
        f: impl FnMut(I) -> Result<R>,
    ) -> Result<Vec<R>> {
        let _together = Together::begin(&self.0);
        items.into_iter().map(f).collect()
    }

    /// Prepares data for a move to the device ([`Tensor::from_data`](crate::Tensor::from_data)): a GPU gets a
    /// copy in its own form, in memory that it reads directly where its driver has such (pinned memory, on
    /// CUDA). So a thread that loads batches does this work, and not the one that trains. The copy takes
    /// memory of the host as well; the first move uses it up, and a change of the elements drops it. On the
    /// CPU nothing is prepared. Staging and moving together are no faster: where it was measured, a move of
    /// staged data took as long as another one.
    ///
    /// ```
    /// use tensor_op::prelude::*;
    /// use tensor_op::TensorData;
    ///
    /// # fn main() -> Result<()> {
    /// let device = Device::default();
    /// let mut batches = [TensorData::new(vec![1.0_f32, 2.0], [2])?, TensorData::new(vec![3_i64], [1])?];
    /// device.stage(&mut batches);
    /// let [x, label] = batches.map(|data| Tensor::from_data(data, &device));
    /// assert_eq!((x?.to_vec::<f32>()?, label?.item::<i64>()?), (vec![1.0, 2.0], 3));
    /// # Ok(())
    /// # }
    /// ```
    pub fn stage(&self, data: &mut [TensorData]) {
        Runtime::staging(data, &self.0);
    }

    /// Waits for all work that was started, and returns its error if it failed. On a GPU this may be an index
    /// out of range in one of the latest thousands of calls, if nobody has got the error yet. Reading a
    /// tensor that depends on the index returns the error in any case. [`Error::backtrace`] is where the
    /// driver met it, if it says so.
    pub fn sync(&self) -> Result<()> {
        Runtime::sync(&self.0)
    }

    /// From now on a call of the backend for this device takes at most `limit`; `None`, as it is at first,
    /// lets it take any time. A call that takes longer is an `Err` which names the backend, the function and
    /// the limit. Then the device is lost: each later call is an `Err` at once. Tensors of other devices stay
    /// usable, and those of the lost one can be dropped.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tensor_op::prelude::*;
    ///
    /// # fn main() -> Result<()> {
    /// let device = Device::default();
    /// device.set_time_limit(Some(Duration::from_secs(60)))?;
    /// let x = Tensor::full([2], 1.0_f32, &device)?.exp()?;
    /// device.set_time_limit(None)?;
    /// assert_eq!(x.shape(), [2]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// A limit is for drivers and backends that may hang. It should be longer than any call that works: a GPU
    /// compiles kernels in their first call, and a read waits for all work before it. With a limit each call
    /// runs on another thread, which takes longer; without one nothing is paid, or a read lock if the process
    /// has set a limit before. A thread that blocks can't be ended: it stays, with what it holds, and so does
    /// the memory of the tensors that are dropped. To set a limit again, or none, gives the device another
    /// chance.
    ///
    /// What a backend knows of a tensor (`shape`, `dtype`, `device`), the number of its devices, dropping
    /// tensors before the device is lost, exports by DLPack and Fourier transforms on GPUs are not timed.
    ///
    /// # Errors
    /// The device is the default one, and no `cpu` is registered.
    pub fn set_time_limit(&self, limit: Option<Duration>) -> Result<()> {
        self.0.set_time_limit(limit)
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

/// The time in which the calls of this thread belong together. It ends in any case, also when a call panics.
struct Together<'d>(&'d tensor_op_core::Device);

impl Together<'_> {
    fn begin(device: &tensor_op_core::Device) -> Together<'_> {
        Runtime::begin_together(device);
        Together(device)
    }
}

impl Drop for Together<'_> {
    fn drop(&mut self) {
        Runtime::end_together(self.0);
    }
}
