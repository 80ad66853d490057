//! What the generated tests of declared ops call.
//!
//! Takes any [`Op`](tensor_op_core::Op); gives a report or the smallest case that fails. It works on the op's graph, so
//! that an op needs no test of its own, and knows nothing of the facade.

pub mod conformance;
