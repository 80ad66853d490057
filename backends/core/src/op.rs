//! An operation as a value: its graph, its schedule, and the kernels that backends know how to run.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tensor_op_spec::ir::Graph;
use tensor_op_spec::schedule::Schedule;

/// An operation that any backend can run. Object safe: registries and graphs hold `&dyn Op`. An op is `Clone`, so that a graph can
/// keep one that it was lent; see [`SharedOp`].
pub trait Op: SharedOp + Send + Sync + 'static {
    /// Graph and schedule.
    fn spec(&self) -> &Spec;

    /// Kernels for the backend whose kernel type has this id, if the op brings any: a `&'static K` behind `Any`.
    /// A backend without kernels runs the graph composed of its structural primitives.
    fn kernels(&self, kernel_type: TypeId) -> Option<&'static (dyn Any + Send + Sync)> {
        let _ = kernel_type;
        None
    }

    /// The op that computes gradients, shared because autodiff keeps it until the backward pass. `None` if the op brings none;
    /// [`Spec::derived_backward`] may still derive one from the graph, as it does for a backward op.
    fn backward(&self) -> Option<Arc<dyn Op>>;
}

/// What every op that is `Clone` can do.
pub trait SharedOp {
    /// The op as a value that outlives the call it was lent for.
    fn shared(&self) -> Arc<dyn Op>;
}

impl<T: Op + Clone> SharedOp for T {
    fn shared(&self) -> Arc<dyn Op> {
        Arc::new(self.clone())
    }
}

/// An op made from a graph at run time; it brings no kernels, and its backward op is derived. Cloning shares the graph.
#[derive(Clone, Debug)]
pub struct GraphOp {
    spec: Arc<Spec>,
}

/// The graph of an op, parsed, scheduled and differentiated when first used.
#[derive(Debug)]
pub struct Spec {
    text: &'static str,
    /// The text of the graph before gradient markers were taken out of it, if it had any.
    source: Option<&'static str>,
    graph: OnceLock<Graph>,
    source_graph: OnceLock<Graph>,
    schedule: OnceLock<Schedule>,
    backward: OnceLock<Result<Arc<GraphOp>, String>>,
    restricted: Mutex<BTreeMap<Vec<bool>, Arc<GraphOp>>>,
    memo: OnceLock<Box<dyn Any + Send + Sync>>,
}

impl GraphOp {
    /// The op that this graph describes.
    pub fn new(graph: Graph) -> GraphOp {
        let spec = Spec::new("", None);
        spec.graph.get_or_init(|| graph);
        GraphOp { spec: Arc::new(spec) }
    }
}

impl Op for GraphOp {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn backward(&self) -> Option<Arc<dyn Op>> {
        let op = self.spec.derived_backward().ok()?;
        Some(op.clone())
    }
}

impl Spec {
    /// From the text form of a graph that kernels run. `source` is the graph that derivatives are taken of, if that is another: one
    /// with `stop_grad` or given rules in it.
    pub const fn new(text: &'static str, source: Option<&'static str>) -> Spec {
        Spec {
            text,
            source,
            graph: OnceLock::new(),
            source_graph: OnceLock::new(),
            schedule: OnceLock::new(),
            backward: OnceLock::new(),
            restricted: Mutex::new(BTreeMap::new()),
            memo: OnceLock::new(),
        }
    }

    /// The op's name.
    pub fn name(&self) -> &str {
        &self.graph().name
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        self.graph.get_or_init(|| Graph::parse(self.text).expect("the macro emits text that parses"))
    }

    /// The graph that derivatives are taken of.
    pub fn source(&self) -> &Graph {
        match self.source {
            Some(text) => self
                .source_graph
                .get_or_init(|| Graph::parse(text).expect("the macro emits text that parses")),
            None => self.graph(),
        }
    }

    /// The schedule, in which passes are numbered as the generated bodies are.
    pub fn schedule(&self) -> &Schedule {
        self.schedule.get_or_init(|| tensor_op_spec::schedule::schedule(self.graph()))
    }

    /// The op that computes the gradients of this one, derived from the graph once; `Err` says why there is none.
    pub fn derived_backward(&self) -> Result<&Arc<GraphOp>, &str> {
        let derived = self.backward.get_or_init(|| match tensor_op_spec::grad::backward(self.source()) {
            Ok(graph) => Ok(Arc::new(GraphOp::new(graph))),
            Err(reasons) => {
                let reasons: Vec<String> = reasons.into_iter().map(|why| why.reason).collect();
                Err(reasons.join("; "))
            }
        });
        derived.as_ref().map_err(String::as_str)
    }

    /// The op that gives only the wanted results: what is differentiated when a caller took no others.
    pub fn restricted(&self, wanted: &[bool]) -> Arc<GraphOp> {
        let mut restricted = self.restricted.lock().unwrap_or_else(PoisonError::into_inner);
        let op = restricted.entry(wanted.to_vec()).or_insert_with(|| {
            let mut graph = self.source().clone();
            let mut wanted = wanted.iter();
            graph.outputs.retain(|_| wanted.next() == Some(&true));
            // Who asks for a hidden result may differentiate it.
            graph.outputs.iter_mut().for_each(|output| output.hidden = false);
            Arc::new(GraphOp::new(graph))
        });
        op.clone()
    }

    /// What a decorator found out about the op and keeps for the next call. The first type that asks has the place; `None` for
    /// another.
    pub fn memo<T: Any + Default + Send + Sync>(&self) -> Option<&T> {
        self.memo.get_or_init(|| Box::new(T::default())).downcast_ref()
    }
}
