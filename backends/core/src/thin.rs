//! Calls in which a product of windows has one row or one column, such as the convolution of a single
//! channel.
//!
//! As a product of matrices it would copy all windows to multiply each with one number. So the op runs
//! without the dims of one element: then there is no such product, and a loop reads the windows where they
//! are.

use crate::{Binding, GraphOp, Shape, Spec, Value};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use tensor_op_spec::ir::DimSet;
use tensor_op_spec::schedule::{products_of_windows, removable, without};
use tensor_op_spec::simplify::simplify;

/// What is known of an op.
#[derive(Debug, Default)]
struct Thin {
    /// The dims that only one factor of a product of windows has, where nothing else needs them.
    sides: OnceLock<Vec<DimSet>>,
    /// The op without dims of one element.
    ops: RwLock<BTreeMap<DimSet, Arc<GraphOp>>>,
}

/// The op that a backend may run in place of this one for these arguments. It has the same arguments and
/// results. `None` if no product of windows has one row or column, or if the arguments do not fit: then the
/// op itself gives the error.
pub fn without_ones<T>(spec: &Spec, args: &[Value<T>], shape: impl Fn(&T) -> Shape) -> Option<Arc<GraphOp>> {
    let thin: &Thin = spec.memo();
    let sides = thin.sides.get_or_init(|| sides(spec));
    if sides.is_empty() {
        return None;
    }
    let binding = Binding::from_args(spec.graph(), args, shape).ok()?;
    let is_one = |dims: &DimSet| dims.iter().all(|dim| binding.size(dim) == 1);
    let ones = sides.iter().copied().filter(is_one).fold(DimSet::EMPTY, DimSet::union);
    if ones.is_empty() {
        return None;
    }
    let known = thin.ops.read().unwrap_or_else(PoisonError::into_inner).get(&ones).cloned();
    Some(known.unwrap_or_else(|| {
        // Windows of a product that is no product of matrices any more are moved to its factors, so that it
        // need not be stored.
        let op = Arc::new(GraphOp::new(simplify(without(spec.graph(), ones))));
        let mut ops = thin.ops.write().unwrap_or_else(PoisonError::into_inner);
        ops.entry(ones).or_insert(op).clone()
    }))
}

fn sides(spec: &Spec) -> Vec<DimSet> {
    let removable = removable(spec.graph());
    let sides = products_of_windows(spec.graph()).into_iter().flatten();
    sides.filter(|side| side.is_subset(removable)).collect()
}
