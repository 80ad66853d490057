//! Hidden results: an op computes them only for its backward op.
//!
//! Nobody but the backward op sees them, so normally no gradient reaches them. But when the gradient is
//! differentiated, it depends on them. Then the op is differentiated as if it declared the hidden results
//! too, with what was saved for its backward op.

use crate::node::Like;
use crate::plan::{Part, Plan, Take, is_float, make};
use crate::saved::Kept;
use std::sync::{Arc, OnceLock};
use tensor_op_core::{Backend, GraphOp, Op, Spec};

/// The hidden results of a plan.
pub(crate) struct Hidden {
    /// Slots from this one on belong to hidden results.
    first: usize,
    /// The op, with all computed results declared.
    op: Arc<GraphOp>,
    tracked: Vec<bool>,
    plan: OnceLock<Result<Arc<Plan>, String>>,
}

impl Hidden {
    pub(crate) fn new(spec: &Spec, tracked: &[bool], wanted: &[bool], run: &[bool]) -> Hidden {
        let graph = spec.graph();
        let visible = graph.outputs.iter().zip(wanted).filter(|(_, wanted)| **wanted);
        Hidden {
            first: visible.filter(|(output, _)| is_float(graph, output)).count(),
            op: spec.restricted(run),
            tracked: tracked.to_vec(),
            plan: OnceLock::new(),
        }
    }

    /// The first slot of the hidden results. Slots of declared results come before it.
    pub(crate) fn first(&self) -> usize {
        self.first
    }

    /// The plan to differentiate the op by all of its results.
    pub(crate) fn plan(&self) -> Result<&Arc<Plan>, String> {
        let results = self.op.spec().graph().outputs.len();
        let plan = self.plan.get_or_init(|| make(&*self.op, &self.tracked, &vec![true; results]));
        plan.as_ref().map_err(String::clone)
    }

    /// The saved values, in the order of another plan. After the arguments of the backward op, `saved` has
    /// all arguments of the op without their elements.
    pub(crate) fn reorder<B: Backend>(
        &self,
        plan: &Plan,
        saved: &[Kept<B>],
        results: &[Like<B::Device>],
        other: &Plan,
    ) -> Result<Vec<Kept<B>>, String> {
        let (saved, bare) = saved.split_at(plan.args.len());
        let find = |wanted: &dyn Fn(&Take) -> bool| Some(saved[plan.args.iter().position(wanted)?].clone());
        let order = |take: &Take| match *take {
            Take::Gradient { .. } => Some(Kept::Later),
            // The other plan computes all results, so none is absent.
            Take::Absent { .. } => None,
            Take::Arg { index, part, .. } => match (part, &bare[index]) {
                (Part::Elements, Kept::Blank(_)) => find(&|take| take.is_arg(index)),
                (Part::Shape, Kept::Blank(like)) => Some(Kept::Shape(like.shape.clone())),
                (Part::Shape | Part::Elements | Part::Nothing, kept) => Some(kept.clone()),
            },
            Take::Result { index, part: Part::Elements, .. } => find(&|take| take.is_result(index)),
            Take::Result { part: Part::Shape, slot, .. } => Some(Kept::Shape(results[slot?].shape.clone())),
            Take::Result { part: Part::Nothing, slot, .. } => Some(Kept::Blank(results[slot?].clone())),
        };
        let missing = || "to differentiate its gradient more must be saved than its gradient needs; use `Autodiff<Autodiff<..>>`";
        other.args.iter().map(|take| order(take).ok_or_else(|| missing().to_string())).collect()
    }
}
