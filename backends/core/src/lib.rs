//! The runtime contract of tensor-op: what a backend implements, what an op is, and the values that pass between them.

mod backend;
mod bind;
mod composed;
mod data;
mod device;
mod dtype;
mod dynamic;
mod error;
mod interpret;
mod op;
mod shape;
