//! Declare a tensor operation once, as a formula: kernels, gradients, backend methods and docs are generated.
//!
//! ```
//! use tensor_op::prelude::*;
//!
//! /// SwiGLU gate.
//! #[tensor_op]
//! pub fn silu_mul(x: Tensor, gate: Tensor) -> Tensor {
//!     x * gate * sigmoid(gate)
//! }
//!
//! # fn main() -> Result<()> {
//! let x = Tensor::from([1.0, 2.0]).require_grad();
//! let gate = Tensor::from([0.0, 1.0]);
//! let loss = silu_mul(&x, &gate)?.mse_loss(&gate, None)?;
//! let gradients = loss.backward()?;
//! assert_eq!(gradients[&x].shape(), x.shape());
//! # Ok(())
//! # }
//! ```
//!
//! # Where to start
//!
//! - [The book] goes from a formula to training in twenty minutes. [LANGUAGE.md] has each form of the
//!   language with an example.
//! - [`tensor_op`](macro@tensor_op) is the attribute, [`Tensor`] has what tensors can do, and [`catalogue`]
//!   the ops that come with the crate, by family.
//! - `optim` has optimizers, [`Module`] names the tensors of a model, `testing` has the tests of declared
//!   ops, and [`backend`] is for backends of your own.
//! - [`Error`] says what is wrong with a call. [docs/semver.md] says what is promised between versions.
//!
//! [The book]: https://github.com/tensor-op/tensor-op/blob/main/book/src/introduction.md
//! [LANGUAGE.md]: https://github.com/tensor-op/tensor-op/blob/main/LANGUAGE.md
//! [docs/semver.md]: https://github.com/tensor-op/tensor-op/blob/main/docs/semver.md
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `default` | `losses`, `optim`, `attention`, `quantize` |
//! | `losses` | loss functions: `catalogue::losses` |
//! | `optim` | optimizers: `optim`, and their steps as ops, `catalogue::optim` |
//! | `attention` | attention and positions: `catalogue::attention`, `catalogue::position` |
//! | `quantize` | tensors of int8 and int4: `quantized`, `catalogue::quantize` |
//! | `vision` | convolution, pooling, resizing, sampling and colours of images |
//! | `full` | all families of the catalogue: the five above |
//! | `testing` | the tests of declared ops, for `dev-dependencies`: `testing` |
//! | `testing-expansion` | `testing`, and the generated code as text |
//! | `serde` | [`TensorData`] as data of serde |
//! | `safetensors` | files of tensors in the format of safetensors: `safetensors` |
//! | `linalg` | decompositions of matrices, by faer: `linalg` |
//! | `fft` | Fourier transforms, by rustfft, and on GPUs by cubek: `fft` |
//! | `npy` | the files of NumPy: `npy` |
//! | `dlpack` | memory of the CPU and of CUDA that is shared with other libraries: `dlpack` |
//! | `candle` | candle's tensors, and functions in its graph: `candle` |
//! | `wgpu` | the backend `wgpu`: GPUs by the graphics API of the machine |
//! | `vulkan` | the backend `vulkan`: kernels in SPIR-V |
//! | `metal` | the backend `metal` |
//! | `cuda` | the backend `cuda` |
//! | `cublas` | `cuda`, and large products by NVIDIA's cuBLASLt |
//! | `hip` | the backend `hip`: GPUs of AMD |
//! | `cpu-jit` | the backend `cpu-jit`: the processor by compiled kernels |
//! | `gpu` | what these backends share, the module `gpu`; of no use alone |
//! | `burn` | `#[tensor_op(burn)]` and the catalogue on the tensors of Burn: `burn` |
//! | `burn-wgpu` | `burn` on Burn's backend `wgpu` |
//! | `burn-vulkan` | `burn` on Burn's backend `vulkan` |
//! | `burn-metal` | `burn` on Burn's backend `metal` |
//! | `burn-cuda` | `burn` on Burn's backend `cuda` |
//! | `burn-rocm` | `burn` on Burn's backend `rocm` |
//! | `burn-fusion` | `burn` with Burn's fusion of operations |
//! | `burn-ndarray` | `burn` on Burn's deprecated CPU backend, composed of its operations |
//!
//! The minimum version of Rust is 1.89, and 1.95 with features of GPUs and of Burn. candle states no minimum.
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate self as tensor_op;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
mod arguments;
mod associative;
#[cfg(feature = "burn")]
pub mod burn;
mod by_name;
#[cfg(feature = "candle")]
pub mod candle;
mod capture;
pub mod catalogue;
pub mod distributed;
#[cfg(feature = "dlpack")]
pub mod dlpack;
mod einsum;
#[cfg(feature = "fft")]
pub mod fft;
mod function;
mod functions;
#[cfg(any(feature = "fft", feature = "linalg"))]
mod host;
#[cfg(feature = "linalg")]
pub mod linalg;
mod module;
#[cfg(feature = "npy")]
pub mod npy;
#[cfg(feature = "optim")]
pub mod optim;
#[cfg(feature = "quantize")]
pub mod quantized;
#[cfg(feature = "testing")]
mod run_log;
#[cfg(feature = "safetensors")]
pub mod safetensors;
mod tensor;
mod unique;

pub use arguments::{IntoAxes, IntoFloat, IntoList, IntoNumber, IntoOptionalTensor, IntoTensor, Reduction};
pub use associative::associative_scan;
pub use by_name::{Argument, call, function, register_function, register_op, registered_functions};
pub use capture::{Captured, capture};
pub use einsum::einsum;
pub use function::apply;
pub use functions::{backward, checkpoint, grad, hessian_vector_product, jvp, value_and_grad, vjp};
#[cfg(any(feature = "fft", feature = "linalg"))]
pub use host::through_host;
pub use module::Module;
pub use tensor::{Arithmetic, IntoOperand, IntoPlaces, Nested, Number, Operand, Place};
pub use tensor::{Device, Generator, Gradients, Sizes, Tensor, register_backend, registered_backends};
pub use tensor_op_autodiff::{Arrived, Autodiff, Function};
pub use tensor_op_core::{Axes, Backend, DType, DTypeUsage, Element, Error, ErrorKind};
pub use tensor_op_core::{MemoryUse, Op, Result, Shape, TensorData};
pub use tensor_op_core::{Precision, float32_matmul_precision, set_float32_matmul_precision};
pub use tensor_op_macros::{Module, tensor_op};
pub use tensor_op_ndarray::NdArray;
pub use unique::{Unique, unique, unique_consecutive, unique_consecutive_dim, unique_dim};

/// Gradients on the tensors of a backend that is known by its type, and the choice of what is kept in memory
/// for them.
pub mod autodiff {
    pub use tensor_op_autodiff::{
        AutodiffBackend, AutodiffTensor, BalancedCheckpointing, Checkpointing, DistributedParams, Gradients,
        NoCheckpointing, ScopedCheckpointing, TrackedGradients, functions,
    };
}

/// The types with which a kernel for the CPU (`#[kernel(cpu = path)]`) is written: from the start, or from
/// the generated one, of which `testing::ejected` gives the source.
pub mod cpu {
    pub use tensor_op_core::{Args, Value};
    pub use tensor_op_ndarray::block::{Block, Pass, PassFns};
    pub use tensor_op_ndarray::lane::{IntLane, Lane, MaskLane};
    pub use tensor_op_ndarray::{NdArrayTensor, run_passes, set_threads, threads};
}

/// The types with which a kernel for GPUs (`#[kernel(cube = path)]`) is written, by CubeCL: from the start,
/// or from the generated one, of which `testing::ejected_gpu` gives the source in the words of
/// [`lanes`](gpu::lanes).
#[cfg(feature = "gpu")]
pub mod gpu {
    pub use tensor_op_core::Args;
    #[cfg(feature = "cpu-jit")]
    pub use tensor_op_cube::CpuJit;
    #[cfg(feature = "cuda")]
    pub use tensor_op_cube::Cuda;
    #[cfg(feature = "hip")]
    pub use tensor_op_cube::Hip;
    #[cfg(feature = "metal")]
    pub use tensor_op_cube::Metal;
    #[cfg(feature = "vulkan")]
    pub use tensor_op_cube::Vulkan;
    pub use tensor_op_cube::{AnyGpu, Cube, CubeTensor, Pass};
    #[cfg(feature = "wgpu")]
    pub use tensor_op_cube::{Wgpu, init_webgpu};
    pub use tensor_op_cube::{fingerprint, lanes, register_kernel, run_passes};
}

/// The items with which a new backend is written and checked: see [`Backend`].
pub mod backend {
    pub use tensor_op_core::by_hand::{self, Args, Kernel, register_kernel};
    pub use tensor_op_core::recording::{Recording, Step, check_alike};
    pub use tensor_op_core::{Account, Backend, DTypeUsage, Distribution, Draw, GraphOp, Held, MemoryUse};
    pub use tensor_op_core::{Quantized, Spec, Value};
    pub use tensor_op_core::{check, composed, execute, interpret, is_waited_for, on_host};
    pub use tensor_op_spec::ir::{
        Affine, ArgType, Axis, DimId, DimKind, Graph, Kind, Node, Op as NodeOp, Position, Scalar, Size,
        SizeOp,
    };
    pub use tensor_op_spec::prim::{Fold, Prim};
    pub use tensor_op_spec::schedule::{CostModel, Schedule, schedule};
}

#[cfg(feature = "testing")]
pub mod testing;

/// The items that a file needs if it declares or calls ops.
pub mod prelude {
    pub use crate::{Arithmetic, DType, Device, Module, Result, Tensor, tensor_op};
}

/// The examples in the documents, compiled and run with the tests.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../README.md")]
    mod readme {}
    #[doc = include_str!("../LANGUAGE.md")]
    mod language {}
    #[doc = include_str!("../docs/limits.md")]
    mod limits {}
    #[doc = include_str!("../docs/backends.md")]
    mod backends {}
    #[cfg(feature = "testing")]
    #[doc = include_str!("../docs/testing.md")]
    mod testing {}
    mod book {
        #[doc = include_str!("../book/src/introduction.md")]
        mod introduction {}
        #[doc = include_str!("../book/src/training.md")]
        mod training {}
        #[doc = include_str!("../book/src/dims.md")]
        mod dims {}
        #[doc = include_str!("../book/src/gradients.md")]
        mod gradients {}
        #[doc = include_str!("../book/src/speed.md")]
        mod speed {}
        #[doc = include_str!("../book/src/tests.md")]
        mod tests {}
        #[doc = include_str!("../book/src/burn.md")]
        mod burn {}
        #[doc = include_str!("../book/src/backends.md")]
        mod backends {}
        #[doc = include_str!("../book/src/errors.md")]
        mod errors {}
        #[doc = include_str!("../book/src/how.md")]
        mod how {}
        #[doc = include_str!("../book/src/questions.md")]
        mod questions {}
        #[doc = include_str!("../book/src/generated.md")]
        mod generated {}
        #[doc = include_str!("../book/src/explain.md")]
        mod explain {}
        #[doc = include_str!("../book/src/models.md")]
        mod models {}
        #[doc = include_str!("../book/src/gpus.md")]
        mod gpus {}
        #[doc = include_str!("../book/src/messages.md")]
        mod messages {}
        #[doc = include_str!("../book/src/limits.md")]
        mod limits {}
    }
}
