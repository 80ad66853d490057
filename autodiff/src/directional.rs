//! Directional derivatives of ops: the ops that compute tangents of results from tangents of arguments.
//!
//! Like a plan, a derivative depends on the op, on which arguments carry a tangent and on which results are
//! wanted, but not on tensors. The op's spec keeps it for the next call.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use tensor_op_core::{GraphOp, Op};
use tensor_op_spec::grad::{Jvp, jvp};

/// A directional derivative of an op.
#[derive(Clone)]
pub(crate) struct Directional {
    pub(crate) op: Arc<GraphOp>,
    /// The indices of the wanted results that have tangents, in order.
    pub(crate) of: Arc<[usize]>,
}

/// Cached directional derivatives of one op.
#[derive(Default)]
struct Known(Mutex<BTreeMap<Along, Result<Directional, String>>>);

/// The key of a directional derivative: the wanted results, and the arguments that carry a tangent.
type Along = [Vec<bool>; 2];

/// The directional derivative of the wanted results along the arguments that carry a tangent. `Err` says why
/// there is none.
pub(crate) fn directional(op: &dyn Op, wanted: &[bool], carries: &[bool]) -> Result<Directional, String> {
    let derive = || match jvp(op.spec().restricted(wanted).spec().source(), carries) {
        Ok(Jvp { graph, of }) => Ok(Directional { op: Arc::new(GraphOp::new(graph)), of: of.into() }),
        Err(reasons) => Err(reasons.into_iter().map(|why| why.reason).collect::<Vec<_>>().join("; ")),
    };
    let Known(known) = op.spec().memo();
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    known.entry([wanted.to_vec(), carries.to_vec()]).or_insert_with(derive).clone()
}
