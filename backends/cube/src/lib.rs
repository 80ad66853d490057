//! Internal: use [tensor-op](https://docs.rs/tensor-op). The items of this crate change in any release.
//!
//! The GPU backend of tensor-op: every op as fused kernels through CubeCL, on wgpu, Vulkan, Metal, CUDA and
//! HIP.
//!
//! ```text
//! layout, storage     strides of an array, and how a device keeps each dtype
//! failure, fault      errors of a device, and what kernels find wrong with their data
//! together            small kernels that wait for others of their kind
//! device, runtime     what an opened device can do, and which devices there are
//! upload              bytes of data on its way to a device
//! tensor              strided views of a device's memory
//! kernel              the skeletons that run an op's schedule; a pass is unrolled into them when a kernel is compiled
//! primitive, random   the structural primitives, through the same skeletons
//! backend, register   all of it as a [`Backend`](tensor_op_core::Backend): `Cube<Wgpu>`, known as `wgpu`
//! fourier             Fourier transforms by cubek
//! by_hand             what a kernel takes that is written by hand
//! lent                ops on the memory of another library that uses the same CubeCL
//! memory              memory of CUDA at its address, for libraries that do not
//! ```
//!
//! Without one of the features `wgpu`, `vulkan`, `metal`, `cuda`, `hip` and `cpu-jit` the crate is empty.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg(feature = "runtime")]

mod backend;
mod by_hand;
mod device;
mod failure;
mod fault;
#[cfg(feature = "fft")]
mod fourier;
mod kernel;
mod layout;
mod lent;
#[cfg(feature = "cuda")]
mod memory;
mod primitive;
mod random;
mod recording;
mod register;
mod runtime;
mod storage;
mod tensor;
mod together;
mod upload;

pub use backend::{AnyGpu, Cube};
pub use by_hand::register_kernel;
#[doc(hidden)]
pub use device::{Entry, Opened};
#[cfg(feature = "fft")]
pub use fourier::{Transform, has_transform, transform};
pub use kernel::body::Pass;
pub use kernel::ejected::{fingerprint, run_passes};
pub use kernel::lanes;
pub use lent::{Lent, LentDevice};
#[cfg(feature = "cuda")]
pub use memory::{CudaMemory, CudaView, copied};
pub use register::register;
#[cfg(feature = "cpu-jit")]
pub use runtime::CpuJit;
#[cfg(feature = "cuda")]
pub use runtime::Cuda;
#[cfg(feature = "hip")]
pub use runtime::Hip;
#[cfg(feature = "metal")]
pub use runtime::Metal;
#[cfg(feature = "vulkan")]
pub use runtime::Vulkan;
pub use runtime::{CubeDevice, Runtime};
#[cfg(feature = "wgpu")]
pub use runtime::{Wgpu, init_webgpu};
pub use tensor::CubeTensor;
