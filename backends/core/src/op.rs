//! An operation as a value: its graph, its schedule, and its kernels for backends.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tensor_op_spec::ir::Graph;
use tensor_op_spec::schedule::{CostModel, Schedule, regroup, schedule};
use tensor_op_spec::simplify::strip;

/// An operation that any backend can run. The trait is object safe: registries and graphs hold `&dyn Op`. An
/// op is `Clone`, so that a graph can keep an op that was only lent to it; see [`SharedOp`].
pub trait Op: SharedOp + Send + Sync + 'static {
    /// Graph and schedule.
    fn spec(&self) -> &Spec;

    /// The op's kernels for the backend whose kernel type has this id, if there are any: a `&'static K`
    /// behind `Any`. If there are none, the backend runs the graph as a composition of its structural
    /// primitives, or in its own way.
    fn kernels(&self, kernel_type: TypeId) -> Option<&'static (dyn Any + Send + Sync)> {
        let _ = kernel_type;
        None
    }

    /// The op that computes gradients. It is shared because autodiff keeps it until the backward pass. `None`
    /// if the op has none of its own; [`Spec::derived_backward`] may still derive one from the graph, as it
    /// does for a backward op.
    fn backward(&self) -> Option<Arc<dyn Op>>;
}

/// What every op that is `Clone` has.
pub trait SharedOp {
    /// The type of the op.
    fn op_type(&self) -> TypeId;
    /// The op as a value that may live longer than the call to which it was lent.
    fn shared(&self) -> Arc<dyn Op>;
}

impl<T: Op + Clone> SharedOp for T {
    fn op_type(&self) -> TypeId {
        TypeId::of::<T>()
    }

    fn shared(&self) -> Arc<dyn Op> {
        Arc::new(self.clone())
    }
}

/// An op made from a graph at run time. It has no kernels, and its backward op is derived. Cloning shares the
/// graph.
#[derive(Clone, Debug)]
pub struct GraphOp {
    spec: Arc<Spec>,
}

/// The graph of an op. It is parsed, scheduled and differentiated at first use.
#[derive(Debug)]
pub struct Spec {
    /// 0 if nobody has asked for it.
    id: AtomicU64,
    origin: Origin,
    graph: OnceLock<Graph>,
    source_graph: OnceLock<Graph>,
    written: Option<&'static str>,
    written_graph: OnceLock<Graph>,
    schedule: OnceLock<Schedule>,
    fingerprint: OnceLock<u64>,
    backward: OnceLock<Result<Arc<GraphOp>, String>>,
    restricted: Mutex<BTreeMap<Vec<bool>, Arc<GraphOp>>>,
    memos: Memos,
}

/// Where a graph comes from.
#[derive(Debug)]
enum Origin {
    /// Two texts: the graph that kernels run, and the graph with its gradient markers, if it has any.
    Text(&'static str, Option<&'static str>),
    /// A graph made at run time, which may be differentiated.
    Graph(Box<Graph>),
}

/// A list of values of different types. A value is added when it is first requested.
type Memos = OnceLock<Box<Memo>>;

#[derive(Debug)]
struct Memo {
    value: Box<dyn Any + Send + Sync>,
    next: Memos,
}

impl GraphOp {
    /// The op that this graph describes.
    pub fn new(graph: Graph) -> GraphOp {
        GraphOp { spec: Arc::new(Spec::from(Origin::Graph(Box::new(graph)), None)) }
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
    /// A spec from the text of the graph that kernels run. `source` is the graph from which derivatives are
    /// taken, if that is a different one: a graph with `stop_grad` or given rules in it.
    pub const fn new(text: &'static str, source: Option<&'static str>) -> Spec {
        Spec::from(Origin::Text(text, source), None)
    }

    /// Does the same as [`Spec::new`]. `written` is the graph of the declaration before any pass has changed
    /// it; tests compare with it.
    pub const fn with_written(
        text: &'static str,
        source: Option<&'static str>,
        written: &'static str,
    ) -> Spec {
        Spec::from(Origin::Text(text, source), Some(written))
    }

    const fn from(origin: Origin, written: Option<&'static str>) -> Spec {
        Spec {
            id: AtomicU64::new(0),
            origin,
            graph: OnceLock::new(),
            source_graph: OnceLock::new(),
            written,
            written_graph: OnceLock::new(),
            schedule: OnceLock::new(),
            fingerprint: OnceLock::new(),
            backward: OnceLock::new(),
            restricted: Mutex::new(BTreeMap::new()),
            memos: OnceLock::new(),
        }
    }

    /// A number that no other spec of the process has, also none that is gone.
    pub fn id(&self) -> u64 {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let known = self.id.load(Ordering::Relaxed);
        if known != 0 {
            return known;
        }
        let new = LAST.fetch_add(1, Ordering::Relaxed) + 1;
        // Another thread may have been first.
        self.id
            .compare_exchange(0, new, Ordering::Relaxed, Ordering::Relaxed)
            .map_or_else(|first| first, |_| new)
    }

    /// The op's name.
    pub fn name(&self) -> &str {
        &self.graph().name
    }

    /// The graph that kernels run.
    pub fn graph(&self) -> &Graph {
        self.graph.get_or_init(|| match &self.origin {
            Origin::Text(text, _) => parse(text),
            Origin::Graph(source) if source.has_gradient_markers() => regroup(strip(source)),
            Origin::Graph(source) => regroup((**source).clone()),
        })
    }

    /// The graph from which derivatives are taken.
    pub fn source(&self) -> &Graph {
        match &self.origin {
            Origin::Text(_, Some(source)) => self.source_graph.get_or_init(|| parse(source)),
            Origin::Text(_, None) => self.graph(),
            Origin::Graph(source) => source,
        }
    }

    /// The graph as it was declared. Builds without the facade's feature `testing` leave it out, and then
    /// this is the graph of [`Spec::source`].
    pub fn written(&self) -> &Graph {
        match self.written {
            Some(text) => self.written_graph.get_or_init(|| parse(text)),
            None => self.source(),
        }
    }

    /// The schedule for the CPU. Its passes have the same numbers as the generated bodies.
    pub fn schedule(&self) -> &Schedule {
        self.schedule.get_or_init(|| schedule(self.graph(), CostModel::CPU))
    }

    /// The fingerprint of the schedule. Generated kernels contain the fingerprint of the schedule at macro
    /// time.
    pub fn fingerprint(&self) -> u64 {
        *self.fingerprint.get_or_init(|| self.schedule().fingerprint(self.graph()))
    }

    /// The op that computes the gradients of this one. It is derived from the graph once. `Err` says why
    /// there is none.
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

    /// The op that computes only the wanted results. It is differentiated if a caller took no other results.
    pub fn restricted(&self, wanted: &[bool]) -> Arc<GraphOp> {
        let mut restricted = self.restricted.lock().unwrap_or_else(PoisonError::into_inner);
        let op = restricted.entry(wanted.to_vec()).or_insert_with(|| {
            let mut graph = self.source().clone();
            let mut wanted = wanted.iter();
            graph.outputs.retain(|_| wanted.next() == Some(&true));
            // A caller that asks for a hidden result may differentiate it.
            graph.outputs.iter_mut().for_each(|output| output.hidden = false);
            Arc::new(GraphOp::new(graph))
        });
        op.clone()
    }

    /// A value that a backend or decorator computes for the op and keeps for later calls: one value of each
    /// type.
    pub fn memo<T: Any + Default + Send + Sync>(&self) -> &T {
        let mut memos = &self.memos;
        loop {
            let memo =
                memos.get_or_init(|| Box::new(Memo { value: Box::new(T::default()), next: OnceLock::new() }));
            match memo.value.downcast_ref() {
                Some(value) => return value,
                None => memos = &memo.next,
            }
        }
    }
}

fn parse(text: &str) -> Graph {
    Graph::parse(text).expect("the macro emits text that parses")
}
