//! Registers the backends of this build under their names.

use crate::backend::Cube;
use crate::runtime::{self, Runtime};

/// Registers the backend of each runtime that is enabled by a feature of this crate, under the name of the
/// runtime, such as `wgpu`. This may be called repeatedly. If the program has registered another backend
/// under such a name, that one stays.
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
    // This can only fail if the name is taken.
    drop(tensor_op_core::register_backend::<Cube<R>>(R::NAME));
}
