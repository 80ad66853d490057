//! The runtimes, as types. Each knows its devices on this machine, which [`CubeDevice`] numbers.

use crate::device::{self, Entry, Opened};
use cubecl::Device;
use cubecl::device::WgpuDeviceKind;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::OnceLock;
use tensor_op_core::{Error, ErrorKind, Result};

/// A runtime of CubeCL that this build has.
pub trait Runtime: Clone + Copy + Debug + Default + PartialEq + Eq + Send + Sync + 'static {
    /// The name under which its backend is registered, such as `wgpu`.
    const NAME: &'static str;

    /// Its devices on this machine. They are searched when they are first asked for.
    #[doc(hidden)]
    fn devices() -> &'static [Entry];
}

/// A device of a runtime, by number. It is opened when it is first used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CubeDevice<R> {
    index: usize,
    runtime: PhantomData<R>,
}

impl<R: Runtime> CubeDevice<R> {
    /// The device with this number.
    pub fn new(index: usize) -> CubeDevice<R> {
        CubeDevice { index, runtime: PhantomData }
    }

    /// The number of the device in its runtime.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The device, opened. An `Err` if the machine has no device of this number, or if it can't be opened.
    pub(crate) fn opened(&self) -> Result<&'static Opened> {
        let entries = R::devices();
        let Some(entry) = entries.get(self.index) else {
            let count = entries.len();
            let message =
                format!("there is no device {} of `{}`: this machine has {count}", self.index, R::NAME);
            return Err(Error::new(ErrorKind::Device, message));
        };
        entry.opened(self.index).map_err(|why| {
            let message = format!("device {} of `{}` can't be opened: {why}", self.index, R::NAME);
            Error::new(ErrorKind::Device, message)
        })
    }
}

macro_rules! runtime {
    ($(#[$doc:meta])* $feature:literal, $name:ident, $registered:literal, $find:expr) => {
        $(#[$doc])*
        #[cfg(feature = $feature)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name;

        #[cfg(feature = $feature)]
        impl Runtime for $name {
            const NAME: &'static str = $registered;

            fn devices() -> &'static [Entry] {
                static DEVICES: OnceLock<Vec<Entry>> = OnceLock::new();
                DEVICES.get_or_init(|| device::entries($find))
            }
        }
    };
}

runtime!(
    /// Any GPU through wgpu, on the graphics API that the machine offers, with kernels in WGSL. In a build
    /// that also has the feature `vulkan`, it uses Vulkan with kernels in SPIR-V. A CPU driver that presents
    /// itself as a GPU (Mesa's lavapipe) counts too, with kernels in WGSL.
    "wgpu", Wgpu, "wgpu", || of_kinds(Device::wgpu)
);
runtime!(
    /// GPUs through Vulkan, with kernels in SPIR-V.
    "vulkan", Vulkan, "vulkan", || of_kinds(Device::vulkan)
);
runtime!(
    /// GPUs of Apple through Metal.
    "metal", Metal, "metal", || of_kinds(Device::metal_msl)
);
runtime!(
    /// GPUs of NVIDIA through CUDA.
    "cuda", Cuda, "cuda", || numbered(Device::cuda)
);
runtime!(
    /// GPUs of AMD through HIP.
    "hip", Hip, "hip", || numbered(Device::rocm)
);
runtime!(
    /// The CPU, through kernels that are compiled for it when they are first run.
    "cpu-jit", CpuJit, "cpu-jit", || Device::cpu().into_iter().collect()
);

/// Opens the GPU of a browser, by WebGPU. In WebAssembly nothing can wait for a GPU, so this must have
/// returned before the backend `wgpu` is used, and values are read by `to_data_async`. Elsewhere this does
/// nothing: devices are opened when they are first used. It may be called repeatedly.
///
/// ```
/// use tensor_op::{Device, Tensor, gpu::init_webgpu};
///
/// # async fn doubled() -> tensor_op::Result<()> {
/// init_webgpu().await?;
/// let x = Tensor::from_vec(vec![1.0f32, 2.0], [2], &Device::new("wgpu")?)?;
/// assert_eq!((&x + &x)?.to_data_async().await?.to_vec::<f32>()?, [2.0, 4.0]);
/// # Ok(())
/// # }
/// # cubecl::future::block_on(doubled()).unwrap();
/// ```
///
/// # Errors
///
/// The browser has no WebGPU, or no GPU for it.
#[cfg(feature = "wgpu")]
pub async fn init_webgpu() -> Result<()> {
    #[cfg(target_family = "wasm")]
    {
        use cubecl::wgpu::{
            AutoGraphicsApi, RuntimeOptions, WgpuDevice, WgpuInitError, try_init_setup_async,
        };
        static IS_OPEN: OnceLock<()> = OnceLock::new();
        if IS_OPEN.get().is_none() {
            // The device that `of_kinds` lists first.
            let device = WgpuDevice::new(WgpuDeviceKind::DiscreteGpu(0));
            match try_init_setup_async::<AutoGraphicsApi>(&device, RuntimeOptions::default()).await {
                // Another call has opened it meanwhile, or the program itself.
                Ok(_) | Err(WgpuInitError::Registration { .. }) => {}
                Err(why) => {
                    let message = format!("the browser gives no GPU by WebGPU: {why}");
                    return Err(Error::new(ErrorKind::Device, message));
                }
            }
            IS_OPEN.get_or_init(|| ());
        }
    }
    Ok(())
}

/// Lists discrete GPUs first.
#[allow(dead_code, reason = "not every runtime has kinds")]
fn of_kinds<E>(find: impl Fn(WgpuDeviceKind) -> std::result::Result<Device, E>) -> Vec<Device> {
    let kinds: [fn(usize) -> WgpuDeviceKind; 4] = [
        WgpuDeviceKind::DiscreteGpu,
        WgpuDeviceKind::IntegratedGpu,
        WgpuDeviceKind::VirtualGpu,
        WgpuDeviceKind::Other,
    ];
    let mut devices: Vec<Device> =
        kinds.into_iter().flat_map(|kind| numbered(|index| find(kind(index)))).collect();
    devices.extend(find(WgpuDeviceKind::Cpu));
    devices
}

#[allow(dead_code, reason = "not every runtime counts its devices")]
fn numbered<E>(find: impl Fn(usize) -> std::result::Result<Device, E>) -> Vec<Device> {
    (0..).map_while(|index| find(index).ok()).collect()
}
