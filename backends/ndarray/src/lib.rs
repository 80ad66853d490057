//! Internal: use [tensor-op](https://docs.rs/tensor-op). The items of this crate change in any release.
//!
//! The CPU backend of tensor-op, the default one.
//!
//! ```text
//! pool, buffer, array, tensor    strided views of shared, recycled buffers, of one type and of all types
//! backend                        the structural primitives: elementwise, reduce, matmul, indexing, shape, cast, random
//! kernel                         runs an op's schedule: loops over rows and columns, contractions, indexing, on threads
//! program                        a body made at run time, for graphs that have no generated ones
//! block                          one call of a generated body over a block, folds and conversions of blocks
//! guards                         words around tensors that tests look at
//! lane                           the arithmetic inside bodies, compiled once per instruction set and chosen at run time
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]

mod array;
mod backend;
pub mod block;
mod bodies;
mod buffer;
mod cast;
mod convert;
mod copy;
mod elementwise;
#[cfg(feature = "guards")]
pub mod guards;
mod indexing;
mod kernel;
pub mod lane;
mod layout;
mod matmul;
mod nest;
mod parallel;
mod pool;
mod program;
mod random;
mod reduce;
mod shape;
mod tensor;
#[cfg(test)]
mod tests;

pub use array::Array;
pub use backend::{CpuDevice, NdArray};
pub use buffer::{Lent, Memory};
pub use kernel::{CpuKernels, run_passes};
pub use parallel::{set_threads, threads};
pub use pool::{Pool, Pooled};
pub use tensor::{NdArrayTensor, Stored};
