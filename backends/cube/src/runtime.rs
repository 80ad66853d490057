//! The runtimes, as types. Each knows its devices on this machine.

use crate::device::{self, Entry};
use cubecl::Device;
use cubecl::device::WgpuDeviceKind;
use std::fmt::Debug;
use std::sync::OnceLock;

/// A runtime of CubeCL that this build has.
pub trait Runtime: Clone + Copy + Debug + Default + PartialEq + Eq + Send + Sync + 'static {
    /// The name under which its backend is registered, such as `wgpu`.
    const NAME: &'static str;

    /// Its devices on this machine. They are searched when they are first asked for.
    #[doc(hidden)]
    fn devices() -> &'static [Entry];
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

/// Lists discrete GPUs first.
#[allow(dead_code, reason = "not every runtime has kinds")]
fn of_kinds<E>(find: impl Fn(WgpuDeviceKind) -> Result<Device, E>) -> Vec<Device> {
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
fn numbered<E>(find: impl Fn(usize) -> Result<Device, E>) -> Vec<Device> {
    (0..).map_while(|index| find(index).ok()).collect()
}
