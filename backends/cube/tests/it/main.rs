//! Kernels on a device. They are one program, since each that holds the drivers is 100 MB. The files beside
//! this folder need a process of their own.

mod by_hand;
mod catalogue;
mod ejected;
mod gathers;
mod generated;
#[cfg(any(feature = "wgpu", feature = "cuda"))]
#[path = "../launches/mod.rs"]
mod launches;
mod lengths;
mod positions;
mod precision;
mod products;
mod random;
mod rows;
mod runs;
mod scans;
mod scatters;
mod sorts;
mod streams;
mod sweeps;
mod windows;
