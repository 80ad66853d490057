//! The kernels of an op for readers: as boxes with formulas, and as an SVG picture of them.
//!
//! `cargo tensor-op explain` and the docs of ops show the same.

mod formulas;
mod kernels;
mod names;
mod plan;
mod svg;
mod wrap;

pub use formulas::Part;
pub use kernels::{Chip, KernelBox, Picture, passed, spoken};
pub use names::{Role, axes_text};
pub use plan::Plan;
pub use svg::{Canvas, Place, escaped};
pub use wrap::wrap;
