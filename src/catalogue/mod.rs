//! Standard operations, declared as a user would, by family. Names, arguments and defaults are PyTorch's;
//! where they differ, the doc of the op says so. Many are methods of [`Tensor`](crate::Tensor) too.
//!
//! The features `losses`, `optim`, `attention` and `quantize` are on by default; `vision` has what images
//! need, and `full` is all of them.

mod list;

pub use list::ops;

pub mod activation;
#[cfg(feature = "vision")]
pub mod adaptive;
pub mod arith;
#[cfg(feature = "attention")]
pub mod attention;
pub mod bits;
pub mod compare;
#[cfg(feature = "vision")]
pub mod convolution;
#[cfg(feature = "vision")]
pub mod image;
pub mod logic;
#[cfg(feature = "losses")]
pub mod losses;
pub mod math;
pub mod movement;
pub mod nn;
pub mod norm;
#[cfg(feature = "optim")]
pub mod optim;
#[cfg(feature = "vision")]
pub mod padding;
#[cfg(feature = "vision")]
pub mod pooling;
#[cfg(feature = "attention")]
pub mod position;
pub mod product;
#[cfg(feature = "quantize")]
pub mod quantize;
pub mod random;
pub mod reduce;
#[cfg(feature = "vision")]
pub mod resize;
#[cfg(feature = "vision")]
pub mod sample;
pub mod scan;
pub mod segments;
pub mod select;
pub mod sort;
pub mod special;
