//! Autodiff on the CPU backend, with ops from graphs in text form.

mod check;
mod graph;
mod misuse;
mod nested;
mod ops;
mod primitives;
