//! The backends of this build, made known under their names.

use crate::backend::Cube;
use crate::runtime::{self, Runtime};

/// Registers the backend of each runtime that a feature of this crate brings, under its name: `wgpu`. Doing
/// so again is fine. Where the program has registered another backend under such a name, that one has it.
pub fn register() {
    #[cfg(feature = "wgpu")]
    one::<runtime::Wgpu>();
    #[cfg(feature = "vulkan")]
    one::<runtime::Vulkan>();
    #[cfg(feature = "metal")]
    one::<runtime::Metal>();
    #[cfg(feature = "cuda")]
    one::<runtime::Cuda>();
    #[cfg(feature = "hip")]
    one::<runtime::Hip>();
    #[cfg(feature = "cpu-jit")]
    one::<runtime::CpuJit>();
}

fn one<R: Runtime>() {
    // Fails only where the name is taken.
    drop(tensor_op_core::register_backend::<Cube<R>>(R::NAME));
}
