//! An operation as a value: its graph, its schedule, and the kernels that backends know how to run.

use std::any::{Any, TypeId};
use std::sync::OnceLock;
use tensor_op_spec::ir::Graph;
use tensor_op_spec::schedule::Schedule;

/// An operation that any backend can run. Object safe: registries and graphs hold `&dyn Op`.
pub trait Op: Send + Sync + 'static {
    /// Graph and schedule.
    fn spec(&self) -> &Spec;

    /// Kernels for the backend whose kernel type has this id, if the op brings any: a `&'static K` behind `Any`.
    /// A backend without kernels runs the graph composed of its structural primitives.
    fn kernels(&self, kernel_type: TypeId) -> Option<&'static (dyn Any + Send + Sync)> {
        let _ = kernel_type;
        None
    }

    /// The op that computes gradients; `None` if the op gives no differentiable result.
    fn backward(&self) -> Option<&dyn Op>;
}

/// The graph of an op in its text form, parsed and scheduled when first used.
#[derive(Debug)]
pub struct Spec {
    text: &'static str,
    parsed: OnceLock<(Graph, Schedule)>,
}

impl Spec {
    /// From the text form that the macro emitted.
    pub const fn new(text: &'static str) -> Spec {
        Spec { text, parsed: OnceLock::new() }
    }

    /// The op's name.
    pub fn name(&self) -> &str {
        &self.graph().name
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.parsed().0
    }

    /// The schedule, in which passes are numbered as the generated bodies are.
    pub fn schedule(&self) -> &Schedule {
        &self.parsed().1
    }

    fn parsed(&self) -> &(Graph, Schedule) {
        self.parsed.get_or_init(|| {
            let graph = Graph::parse(self.text).expect("the macro emits text that parses");
            let schedule = tensor_op_spec::schedule::schedule(&graph);
            (graph, schedule)
        })
    }
}
