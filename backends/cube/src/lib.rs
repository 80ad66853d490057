//! The GPU backend of tensor-op: every op as fused kernels through CubeCL, on wgpu, Vulkan, Metal, CUDA and
//! HIP.
//!
//! ```text
//! runtime, device     which devices there are, and what each can do
//! tensor (layout, storage)   strided views of a device's memory, and how dtypes are kept there
//! kernel              the skeletons that run an op's schedule; a pass is unrolled into them when a kernel is compiled
//! primitive, random   the structural primitives, through the same skeletons
//! fault               what kernels find wrong with their data
//! lent                ops on the memory of another library that uses the same CubeCL
//! backend, register   all of it as a [`Backend`](tensor_op_core::Backend): `Cube<Wgpu>`, known as `wgpu`
//! ```
//!
//! Without one of the features `wgpu`, `vulkan`, `metal`, `cuda`, `hip` and `cpu-jit` the crate is empty.
#![cfg(feature = "runtime")]

mod backend;
mod device;
mod fault;
mod kernel;
mod layout;
mod lent;
mod primitive;
mod random;
mod register;
mod runtime;
mod storage;
mod tensor;

pub use backend::Cube;
pub use device::CubeDevice;
#[doc(hidden)]
pub use device::{Entry, Opened};
pub use lent::{Lent, LentDevice};
pub use register::register;
#[cfg(feature = "cpu-jit")]
pub use runtime::CpuJit;
#[cfg(feature = "cuda")]
pub use runtime::Cuda;
#[cfg(feature = "hip")]
pub use runtime::Hip;
#[cfg(feature = "metal")]
pub use runtime::Metal;
pub use runtime::Runtime;
#[cfg(feature = "vulkan")]
pub use runtime::Vulkan;
#[cfg(feature = "wgpu")]
pub use runtime::Wgpu;
pub use tensor::CubeTensor;
