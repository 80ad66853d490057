//! Linear algebra: systems of equations and decompositions of matrices, by
//! [faer](https://docs.rs/faer). Names and arguments are PyTorch's.
//!
//! A tensor has matrices in its last two axes; the axes before them are a batch. The dtype is f32 or f64.
//! Decompositions and solutions are computed in f64 on one thread, and rounded to the dtype. Gradients are
//! written with ops on tensors, so second derivatives and [`jvp`](crate::jvp) work.
//!
//! These functions run on the CPU. Tensors of other devices are an error that says so; inside of
//! [`through_host`](crate::through_host) they go to the CPU, and the results come back.
//!
//! ```
//! use tensor_op::linalg;
//! use tensor_op::prelude::*;
//!
//! # fn main() -> Result<()> {
//! let a = Tensor::from([[4.0, 2.0], [2.0, 10.0]]).require_grad();
//! let (_, log) = linalg::slogdet(&a)?;
//! assert!((log.item::<f64>()? - 36f64.ln()).abs() < 1e-12);
//! let slope = log.backward()?[&a].to_vec::<f64>()?[0];
//! assert!((slope - 10.0 / 36.0).abs() < 1e-12);
//! # Ok(())
//! # }
//! ```

mod least_squares;
mod matrices;
mod solve;
mod spectral;
mod triangular;

pub use least_squares::{lstsq, pinv};
pub use solve::{det, inv, slogdet, solve};
pub use spectral::{MatrixNorm, eigh, eigvalsh, matrix_norm, qr, svd, svdvals};
pub use triangular::{cholesky, cholesky_solve, solve_triangular};
