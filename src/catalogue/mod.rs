//! Standard operations, declared as a user would.

mod list;

pub use list::ops;

pub mod activation;
pub mod adaptive;
pub mod arith;
pub mod attention;
pub mod bits;
pub mod compare;
pub mod convolution;
pub mod image;
pub mod logic;
pub mod losses;
pub mod math;
pub mod movement;
pub mod nn;
pub mod norm;
pub mod optim;
pub mod padding;
pub mod pooling;
pub mod position;
pub mod product;
pub mod quantize;
pub mod random;
pub mod reduce;
pub mod resize;
pub mod sample;
pub mod scan;
pub mod segments;
pub mod select;
pub mod sort;
pub mod special;
