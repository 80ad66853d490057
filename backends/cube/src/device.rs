//! An opened device: its client, and what it can do.

use crate::failure::failed;
use crate::fault::Faults;
use crate::kernel::ready::Launch;
use crate::storage::Types;
use crate::together::{Accesses, Together};
use cubecl::client::Client;
use cubecl::ir::features::Plane;
use cubecl::ir::{DeviceProperties, ElemType, FloatKind};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use tensor_op_core::{
    Account, DType, DTypeUsage, Error, ErrorKind, Precision, Result, float32_matmul_precision,
};

/// A device that the machine has.
#[doc(hidden)]
#[derive(Debug)]
pub struct Entry {
    device: cubecl::Device,
    opened: OnceLock<std::result::Result<Opened, String>>,
}

/// A device that was opened.
pub struct Opened {
    client: Client,
    /// Kernels that wait for others.
    together: Together,
    pub(crate) types: Types,
    /// Whether kernels are compiled for the device itself. If not, they are compiled to a shading language,
    /// which lacks functions such as `exp` of f64.
    pub(crate) is_native: bool,
    /// Whether a kernel may compute wrong results with ints that it has extended itself.
    pub(crate) extends_wrongly: bool,
    /// The number of turns of all loops of a unit after which the driver silently leaves the loops.
    pub(crate) most_turns: usize,
    /// Number of units that can exchange values without shared memory. 1 if the device can't do that, or if
    /// this number is not always the same.
    plane: usize,
    /// Its number among the devices of its runtime.
    pub(crate) index: usize,
    pub(crate) faults: Faults,
    /// The memory of its tensors.
    pub(crate) account: Account,
    /// How exactly matrices of f32 are multiplied if nobody has said it.
    pub(crate) default_precision: Precision,
    /// NVIDIA's library of products, for devices of CUDA.
    #[cfg(feature = "cublas")]
    pub(crate) cublas: Option<crate::kernel::library::cublas::handle::Cublas>,
    name: String,
}

/// The devices that a search finds. If the driver panics, there are none.
pub(crate) fn entries(find: impl Fn() -> Vec<cubecl::Device>) -> Vec<Entry> {
    let devices = catch_unwind(AssertUnwindSafe(find)).unwrap_or_default();
    devices.into_iter().map(|device| Entry { device, opened: OnceLock::new() }).collect()
}

impl Entry {
    /// The device, opened under this number, or why it can't be opened.
    pub(crate) fn opened(&self, index: usize) -> std::result::Result<&Opened, &String> {
        self.opened.get_or_init(|| open(&self.device, index)).as_ref()
    }
}

/// Opens a device. CubeCL panics if a driver refuses. Mesa's CPU driver is refused with kernels in SPIR-V,
/// because it crashes at the first sum (seen in Mesa 22.3).
pub(crate) fn open(device: &cubecl::Device, index: usize) -> std::result::Result<Opened, String> {
    let client = catch_unwind(AssertUnwindSafe(|| device.client())).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("its driver failed").to_string()
    })?;
    let properties = client.properties();
    let is_llvmpipe = properties.identity.name.contains("llvmpipe");
    if is_llvmpipe && client.name() == "wgpu<spirv>" {
        let name = &properties.identity.name;
        let why = "crashes on kernels in SPIR-V, which the feature `vulkan` makes; use `wgpu` without it";
        return Err(format!("{name} {why}"));
    }
    let is_native = match device.runtime() {
        cubecl::RuntimeId::Cuda | cubecl::RuntimeId::Hip | cubecl::RuntimeId::Cpu => true,
        cubecl::RuntimeId::Wgpu | cubecl::RuntimeId::Metal => false,
    };
    let hardware = &properties.hardware;
    let is_fixed = hardware.plane_size_min == hardware.plane_size_max;
    let has_planes = is_fixed && properties.features.plane.contains(Plane::Ops);
    let plane = if has_planes { hardware.plane_size_min as usize } else { 1 };
    // Browsers do not say which device they give.
    let name = match properties.identity.name.as_str() {
        "" => client.name().to_string(),
        name => format!("{name} ({})", client.name()),
    };
    Ok(Opened {
        types: Types::new(properties),
        is_native,
        extends_wrongly: is_llvmpipe,
        // The limit is 65,535 (`LP_MAX_TGSI_LOOP_ITERATIONS`). Some of these turns are left for the merges of
        // folds.
        most_turns: if is_llvmpipe { 60_000 } else { usize::MAX },
        plane,
        index,
        faults: Faults::default(),
        account: Account::new(),
        default_precision: Precision::Highest,
        #[cfg(feature = "cublas")]
        cublas: (device.runtime() == cubecl::RuntimeId::Cuda).then(Default::default),
        name,
        together: Together::default(),
        client,
    })
}

impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// Ends what [`Opened::together`] has begun.
struct Ended<'d>(&'d Opened);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.end_together();
    }
}

impl Opened {
    /// The name of the device for messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The client, once all kernels are started that wait for others.
    pub(crate) fn client(&self) -> &Client {
        self.start_waiting();
        &self.client
    }

    /// Starts the kernels that wait for others.
    pub(crate) fn start_waiting(&self) {
        self.together.start_all(&self.client);
    }

    /// The client for new memory, which no waiting kernel uses.
    pub(crate) fn allocator(&self) -> &Client {
        &self.client
    }

    /// What the device can do.
    pub(crate) fn properties(&self) -> &DeviceProperties {
        self.client.properties()
    }

    /// Starts a kernel, or lets it wait for others if it belongs to them.
    pub(crate) fn launch(&self, launch: Launch, accesses: impl FnOnce() -> Accesses) {
        self.together.launch(&self.client, launch, accesses);
    }

    /// From now on, until [`Opened::end_together`], small kernels of this thread may wait for each other.
    pub(crate) fn begin_together(&self) {
        self.together.begin(&self.client);
    }

    /// Starts the kernels that wait.
    pub(crate) fn end_together(&self) {
        self.together.end(&self.client);
    }

    /// As [`Opened::begin_together`], until this is dropped.
    pub(crate) fn together(&self) -> impl Drop + use<'_> {
        self.begin_together();
        Ended(self)
    }

    /// Number of units that can exchange values of these types without shared memory; 1 if they can't.
    /// Shading languages can only exchange values of 32 bits.
    pub(crate) fn plane(&self, types: [ElemType; 2]) -> usize {
        let are_words = types.iter().all(|elem| elem.size() <= 4);
        if are_words || self.is_native { self.plane } else { 1 }
    }

    /// The wanted number of units of a cube, or the most that the device allows, as a power of two. On a CPU
    /// each unit is a thread.
    pub(crate) fn units(&self, wanted: usize) -> usize {
        let most = self.properties().hardware.max_units_per_cube.max(1);
        wanted.min(1 << most.ilog2())
    }

    /// The type in which a dtype is stored. An `Err` if the device can't store it.
    pub(crate) fn elem(&self, dtype: DType) -> Result<ElemType> {
        self.types.get(dtype).ok_or_else(|| {
            let known = DType::ALL.into_iter().filter(|other| self.types.get(*other).is_some());
            let known = known.map(DType::name).collect::<Vec<_>>().join(", ");
            let message = format!("{} has no {dtype}; cast to one of {known}", self.name);
            Error::new(ErrorKind::DType, message)
        })
    }

    /// What the device does with a dtype. Tensor cores multiply f32 if it may be rounded to TF32.
    pub(crate) fn usage(&self, dtype: DType) -> DTypeUsage {
        let Some(elem) = self.types.get(dtype) else { return DTypeUsage::NONE };
        let matmul = &self.properties().features.matmul;
        let multiplied =
            |elem: ElemType| matmul.cmma.iter().chain(&matmul.mma).any(|config| config.a_type == elem);
        let is_rounded = dtype == DType::F32 && multiplied(ElemType::Float(FloatKind::TF32));
        DTypeUsage { accelerated: multiplied(elem) || is_rounded, ..DTypeUsage::GENERAL }
    }

    /// How exactly matrices of f32 are multiplied by what does not say it.
    pub(crate) fn precision(&self) -> Precision {
        float32_matmul_precision().unwrap_or(self.default_precision)
    }

    /// Waits for all work. Returns the error of that work, or else the error of a failed call that was not
    /// reported yet.
    pub(crate) fn sync(&self) -> Result<()> {
        cubecl::future::block_on(self.client().sync()).map_err(failed)?;
        self.faults.tell()
    }
}
