//! Random declarations through the whole language, and some of them through generated kernels.

mod case;
mod compiled;
mod differences;
mod pipeline;
