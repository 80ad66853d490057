//! Autodiff on the CPU backend, with ops from graphs in text form.

mod check;
mod checkpoint;
mod distributed;
mod functions;
mod graph;
mod masks;
mod metered;
mod misuse;
mod nested;
mod ops;
mod primitives;
mod typed;
