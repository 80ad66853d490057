//! Gradients: the graph of what was called, what it keeps in memory, and derivatives of derivatives.

mod checkpointing;
mod graph;
mod kept;
mod reverse_over_forward;
mod second_order;
mod seeds;
