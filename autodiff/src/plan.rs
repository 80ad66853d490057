//! Plans say how an op is differentiated: which op computes the gradients of the tracked inputs, and which
//! arguments it takes.
//!
//! A plan depends on the op, on which inputs are tracked and on which results are wanted, but not on tensors.
//! The op's spec keeps it for the next call. A plan knows nothing of the graph of
//! [`Autodiff`](crate::Autodiff), so the tape of another library can follow it too.

use std::sync::{Arc, OnceLock};
use tensor_op_core::{GraphOp, Op, Spec};
use tensor_op_spec::ir::{self, Arg, ArgType, Graph, Kind, Output, Role};
use tensor_op_spec::schedule::Kernel;

/// A backward op, which of its results are needed, and where its arguments come from.
pub struct BackwardPlan {
    /// Name of the op that is differentiated.
    pub name: String,
    /// The op that computes the gradients.
    pub backward: Arc<dyn Op>,
    /// Which results of the backward op are gradients of tracked inputs.
    pub wanted: Vec<bool>,
    /// The indices of these inputs, in the same order.
    pub parents: Vec<usize>,
    /// The arguments of the backward op.
    pub args: Vec<Take>,
    /// Which results the op has to compute: the wanted results, and the hidden results that the backward op
    /// needs for the tracked inputs.
    pub run: Vec<bool>,
    /// For each computed result, whether it is a float.
    pub floats: Vec<bool>,
    /// Whether the op has no matrix product, so that moving its operands takes longer than computing with
    /// them.
    pub memory_bound: bool,
    /// The hidden results, if some are computed: how to differentiate by them.
    pub(crate) hidden: Option<Hidden>,
}

impl BackwardPlan {
    /// What a call saves: for the gradient, and then what only its own gradient needs.
    pub(crate) fn saved(&self) -> impl Iterator<Item = &Take> {
        self.args.iter().chain(self.hidden.iter().flat_map(|hidden| hidden.later(&self.args)))
    }
}

/// Where an argument of a backward op comes from. The `index` of a result counts only computed results, and a
/// `slot` counts only the floats among these.
#[derive(Clone, Copy, Debug)]
pub enum Take {
    /// An argument of the op. It is tracked if it has a parent.
    Arg {
        /// The index of the argument.
        index: usize,
        /// The part of it that is needed.
        part: Part,
        /// Its index in [`BackwardPlan::parents`].
        parent: Option<usize>,
    },
    /// A result of the op.
    Result {
        /// The index of the result among the computed results.
        index: usize,
        /// The part of it that is needed.
        part: Part,
        /// Its index among the computed floats.
        slot: Option<usize>,
    },
    /// A hidden result that is not computed, because only gradients of untracked inputs need it.
    Absent {
        /// The index of the result among all results.
        output: usize,
    },
    /// The gradient of a result.
    Gradient {
        /// The index of the result among the computed floats.
        slot: usize,
    },
}

impl Take {
    /// Whether this takes the elements of the argument with this index.
    pub(crate) fn is_arg(&self, wanted: usize) -> bool {
        matches!(self, Take::Arg { index, part: Part::Elements, .. } if *index == wanted)
    }

    /// Whether this takes the elements of the result with this index.
    pub(crate) fn is_result(&self, wanted: usize) -> bool {
        matches!(self, Take::Result { index, part: Part::Elements, .. } if *index == wanted)
    }
}

/// The part of a tensor that is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The elements.
    Elements,
    /// Only the shape.
    Shape,
    /// Nothing: the argument must exist, but nothing depends on it.
    Nothing,
}

/// Results that an op computes only for its backward op.
///
/// Nobody but the backward op sees them, so normally no gradient reaches them. But when the gradient is
/// differentiated, it depends on them. Then the op is differentiated as if it declared the hidden results
/// too, with what was saved for its backward op.
pub(crate) struct Hidden {
    /// Slots from this one on belong to hidden results.
    first: usize,
    /// The op, with all computed results declared.
    op: Arc<GraphOp>,
    tracked: Vec<bool>,
    plan: OnceLock<Result<Arc<BackwardPlan>, String>>,
    /// What [`Hidden::later`] gives.
    later: OnceLock<Vec<Take>>,
}

impl Hidden {
    fn new(spec: &Spec, tracked: &[bool], wanted: &[bool], run: &[bool]) -> Hidden {
        let graph = spec.graph();
        let visible = graph.outputs.iter().zip(wanted).filter(|(_, wanted)| **wanted);
        Hidden {
            first: visible.filter(|(output, _)| is_float(graph, output)).count(),
            op: spec.restricted(run),
            tracked: tracked.to_vec(),
            plan: OnceLock::new(),
            later: OnceLock::new(),
        }
    }

    /// What this plan takes and the gradient, which takes `taken`, does not.
    fn later(&self, taken: &[Take]) -> &[Take] {
        self.later.get_or_init(|| {
            let graph = self.op.spec().graph();
            let floats = graph.outputs.iter().filter(|output| is_float(graph, output)).count();
            // Gradients reach only floats.
            let Some(plan) = self.plan().ok().filter(|_| floats > self.first) else { return vec![] };
            let is_later = |take: &&Take| match **take {
                Take::Arg { index, part: Part::Elements, .. } => !taken.iter().any(|take| take.is_arg(index)),
                Take::Result { index, part: Part::Elements, .. } => {
                    !taken.iter().any(|take| take.is_result(index))
                }
                Take::Arg { .. } | Take::Result { .. } | Take::Absent { .. } | Take::Gradient { .. } => false,
            };
            plan.args.iter().filter(is_later).copied().collect()
        })
    }

    /// The first slot of the hidden results. Slots of declared results come before it.
    pub(crate) fn first(&self) -> usize {
        self.first
    }

    /// The plan to differentiate the op by all of its results.
    pub(crate) fn plan(&self) -> Result<&Arc<BackwardPlan>, String> {
        let results = self.op.spec().graph().outputs.len();
        let plan = self.plan.get_or_init(|| make(&*self.op, &self.tracked, &vec![true; results]));
        plan.as_ref().map_err(String::clone)
    }
}

/// The plans of one op, in the order in which they were first asked for. So a call waits for no lock.
#[derive(Default)]
struct Known(OnceLock<Box<Entry>>);

/// A plan, or the reason why there is none.
struct Entry {
    tracked: Vec<bool>,
    wanted: Vec<bool>,
    plan: Result<Arc<BackwardPlan>, String>,
    next: Known,
}

/// The plan for a call with these tracked arguments and wanted results.
///
/// # Errors
///
/// The reason why there is none, such as a tracked argument that is declared `#[no_grad]`.
pub fn plan(
    op: &dyn Op,
    tracked: impl ExactSizeIterator<Item = bool> + Clone,
    wanted: &[bool],
) -> Result<Arc<BackwardPlan>, String> {
    let mut known: &Known = op.spec().memo();
    loop {
        match known.0.get() {
            Some(entry) if entry.wanted == wanted && entry.tracked.iter().copied().eq(tracked.clone()) => {
                return entry.plan.clone();
            }
            Some(entry) => known = &entry.next,
            None => {
                let tracked: Vec<bool> = tracked.clone().collect();
                let (plan, wanted) = (make(op, &tracked, wanted), wanted.to_vec());
                // If another thread was first, its entry is looked at next.
                let _ = known.0.set(Box::new(Entry { tracked, wanted, plan, next: Known::default() }));
            }
        }
    }
}

/// Makes the plan for a call, without the cache.
fn make(op: &dyn Op, tracked: &[bool], wanted: &[bool]) -> Result<Arc<BackwardPlan>, String> {
    let forward = op.spec().graph();
    check_counts(forward, tracked.len(), wanted.len())?;
    let backward = backward_op(op, wanted)?;
    let graph = backward.spec().graph();
    let inputs: Vec<Option<usize>> = graph.outputs.iter().map(|output| input_of(graph, output)).collect();
    check_carriers(forward, tracked)?;
    let forgotten = (0..tracked.len()).find(|i| tracked[*i] && !inputs.contains(&Some(*i)));
    if let Some(arg) = forgotten.and_then(|i| forward.args.get(i)) {
        return Err(format!(
            "its backward op gives no gradient for `{}`; detach it if it is a constant here",
            arg.name
        ));
    }
    let is_tracked = |input: &Option<usize>| input.is_some_and(|i| tracked.get(i) == Some(&true));
    let gradients: Vec<bool> = inputs.iter().map(is_tracked).collect();
    let parents: Vec<usize> = inputs.iter().filter(|input| is_tracked(input)).copied().flatten().collect();
    let parts = parts(graph, &gradients);
    let run = computed(forward, graph, &parts, wanted);
    let results = forward.outputs.iter().zip(&run).filter(|(_, is_computed)| **is_computed);
    let floats: Vec<bool> = results.map(|(output, _)| is_float(forward, output)).collect();
    // If other results than the declared ones are wanted, the derivative counts only these results.
    let is_absent = |k: usize| is_declared(forward, wanted) && run.get(k) == Some(&false);
    let taken = graph.args.iter().zip(parts).map(|(arg, part)| match arg.role {
        Role::Output(output) if is_absent(output) => Ok(Take::Absent { output }),
        Role::Output(k) if is_declared(forward, wanted) => {
            let before = run.iter().take(k).filter(|is_computed| **is_computed).count();
            take(Role::Output(before), part, &parents, &floats, tracked.len())
        }
        role => take(role, part, &parents, &floats, tracked.len()),
    });
    let args: Vec<Take> = taken.collect::<Result<_, _>>()?;
    check_gradients(&args)?;
    let hidden = (run != wanted).then(|| Hidden::new(op.spec(), tracked, wanted, &run));
    let memory_bound = is_memory_bound(op.spec());
    let name = forward.name.clone();
    Ok(Arc::new(BackwardPlan {
        name,
        backward,
        wanted: gradients,
        parents,
        args,
        run,
        floats,
        memory_bound,
        hidden,
    }))
}

fn check_counts(graph: &Graph, args: usize, results: usize) -> Result<(), String> {
    let (declared_args, declared) = (graph.args.len(), graph.outputs.len());
    if args != declared_args {
        return Err(format!("{args} arguments were passed where {declared_args} are declared"));
    }
    if results != declared {
        return Err(format!("gives {declared} results, but {results} flags say which are wanted"));
    }
    Ok(())
}

/// Returns an `Err` if a derivative is wanted by an argument that the declaration excludes.
pub(crate) fn check_carriers(forward: &Graph, carries: &[bool]) -> Result<(), String> {
    let excluded = |arg: &Arg| matches!(arg.ty, ArgType::Tensor { kind: Kind::Float, no_grad: true, .. });
    let found = forward.args.iter().zip(carries).find(|(arg, carries)| **carries && excluded(arg));
    found.map_or(Ok(()), |(Arg { name, .. }, _)| {
        Err(format!(
            "`{name}` is declared `#[no_grad]` and has no gradient; detach it if it is a constant here"
        ))
    })
}

/// Checks that each gradient is passed only once.
fn check_gradients(args: &[Take]) -> Result<(), String> {
    let slot = |take: &Take| match take {
        Take::Gradient { slot } => Some(*slot),
        Take::Arg { .. } | Take::Result { .. } | Take::Absent { .. } => None,
    };
    let slots: Vec<usize> = args.iter().filter_map(slot).collect();
    let is_twice = |(at, slot): (usize, &usize)| slots[..at].contains(slot);
    if slots.iter().enumerate().any(is_twice) {
        return Err("two arguments of its backward op are one gradient".to_string());
    }
    Ok(())
}

/// Which results are computed: the wanted ones, and the hidden ones whose elements the wanted gradients need.
fn computed(forward: &Graph, backward: &Graph, parts: &[Part], wanted: &[bool]) -> Vec<bool> {
    let mut run = wanted.to_vec();
    if is_declared(forward, wanted) {
        for (arg, part) in backward.args.iter().zip(parts) {
            if let (Role::Output(k), Part::Elements) = (arg.role, part)
                && let Some(is_computed) = run.get_mut(k)
            {
                *is_computed = true;
            }
        }
    }
    run
}

/// Whether the wanted results are exactly the declared ones, without hidden results.
fn is_declared(forward: &Graph, wanted: &[bool]) -> bool {
    forward.visible() == wanted
}

/// The op that differentiates the wanted results. The op's own backward op is used only if exactly the
/// declared results are wanted. Otherwise the shape of the gradient of a missing result would be unknown, so
/// a backward op is derived.
fn backward_op(op: &dyn Op, wanted: &[bool]) -> Result<Arc<dyn Op>, String> {
    if !is_declared(op.spec().graph(), wanted) {
        return derived(op.spec().restricted(wanted).spec());
    }
    op.backward().map_or_else(|| derived(op.spec()), Ok)
}

fn derived(spec: &Spec) -> Result<Arc<dyn Op>, String> {
    match spec.derived_backward() {
        Ok(op) => Ok(op.clone()),
        Err(reason) => Err(reason.to_string()),
    }
}

/// The index of the op's argument whose gradient this result of the backward op is.
fn input_of(backward: &Graph, output: &Output) -> Option<usize> {
    match backward.args.get(output.like?)?.role {
        Role::Forward(i) => Some(i),
        Role::Output(_) | Role::Grad(_) | Role::Tangent(_) => None,
    }
}

pub(crate) fn is_float(graph: &Graph, output: &Output) -> bool {
    graph.node(output.node).kind == Kind::Float
}

fn is_memory_bound(spec: &Spec) -> bool {
    spec.schedule().kernels.iter().all(|kernel| !matches!(kernel, Kernel::Contraction(_)))
}

fn take(role: Role, part: Part, parents: &[usize], floats: &[bool], args: usize) -> Result<Take, String> {
    let slot = |k: usize| floats[k].then(|| floats[..k].iter().filter(|is_float| **is_float).count());
    match role {
        Role::Forward(i) if i >= args => {
            Err(format!("its backward op asks for argument {i}, which was not passed"))
        }
        Role::Output(k) | Role::Grad(k) if k >= floats.len() => {
            Err(format!("its backward op asks for result {k}"))
        }
        Role::Forward(index) => {
            Ok(Take::Arg { index, part, parent: parents.iter().position(|parent| *parent == index) })
        }
        Role::Output(index) => Ok(Take::Result { index, part, slot: slot(index) }),
        Role::Grad(k) => match slot(k) {
            Some(slot) => Ok(Take::Gradient { slot }),
            None => Err(format!("its backward op asks for the gradient of result {k}, which is no float")),
        },
        Role::Tangent(i) => Err(format!("its backward op asks for the tangent of argument {i}")),
    }
}

/// The part of each argument that the wanted results of a graph need.
fn parts(graph: &Graph, wanted: &[bool]) -> Vec<Part> {
    let mut used = vec![false; graph.nodes.len()];
    for (output, wanted) in graph.outputs.iter().zip(wanted) {
        used[output.node.0 as usize] |= *wanted;
    }
    let mut parts: Vec<Part> = graph.args.iter().map(|arg| untouched(&arg.ty)).collect();
    for id in graph.ids().rev() {
        if !used[id.0 as usize] {
            continue;
        }
        let node = graph.node(id);
        node.operands().iter().for_each(|operand| used[operand.0 as usize] = true);
        if let ir::Op::Input(arg) = node.op {
            parts[arg] = Part::Elements;
        }
    }
    parts
}

fn untouched(ty: &ArgType) -> Part {
    match ty {
        ArgType::Shape { .. } => Part::Shape,
        ArgType::Tensor { .. } | ArgType::Scalar { .. } | ArgType::Axis { .. } => Part::Nothing,
    }
}
