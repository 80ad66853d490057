//! Standard operations, declared as a user would.

pub mod arith;
pub mod nn;
