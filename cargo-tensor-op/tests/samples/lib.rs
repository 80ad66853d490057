//! Ops that the tests explain. No crate: the tests read these files.

mod losses;
mod parts;

use parts::scores as scored;
use tensor_op::tensor_op;

/// An op of another module, under another name.
#[tensor_op]
pub fn twice_scored(q: Tensor![.., t, d], k: Tensor![.., s, d]) -> Tensor![.., t, s] {
    2.0 * self::scored(q, k)
}

/// Calls an op that calls an op.
#[tensor_op]
pub fn through(x: Tensor![.., n]) -> Tensor![.., n] {
    crate::parts::deep::squared(x) + 1.0
}

/// Where is it?
#[tensor_op]
pub fn lost(x: Tensor) -> Tensor {
    crate::parts::missing(x)
}

#[tensor_op]
pub fn misspelt(x: Tensor) -> Tensor {
    sigmod(x)
}

#[tensor_op(tests = false)]
pub fn one_way(x: Tensor) -> Tensor {
    self::other_way(x)
}

#[tensor_op(tests = false)]
pub fn other_way(x: Tensor) -> Tensor {
    self::one_way(x)
}
