//! Random declarations through the whole language, and some of them through generated kernels.

mod case;
mod differences;
mod pipeline;
