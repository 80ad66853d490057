//! What the compiler makes of a declaration, for readers.

use crate::compiled::{Declared, Mistake, compiled};
use crate::sizes::{Dim, Sizes, dims, plan};
use tensor_op_core::Op as _;
use tensor_op_spec::ir::{Graph, formula, kept};
use tensor_op_spec::schedule::{CostModel, Schedule, schedule, schedule_for_gpu};
use tensor_op_spec::{Described, kernels_picture};
use tensor_op_testing::{ejected, ejected_gpu};

/// The answer about a declaration.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Explained {
    /// It is right. A call chooses among these ops.
    Ops(Vec<Op>),
    /// It is wrong.
    Mistakes(Vec<Mistake>),
}

/// An op, in texts.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Op {
    /// Its name.
    pub name: String,
    /// For which arguments a call runs it; empty if there is nothing to choose.
    pub when: String,
    /// Its formula, in which named formulas are written out.
    pub formula: String,
    /// The derived gradient; `None` if no argument has one.
    pub gradient: Option<String>,
    /// What is kept for the gradient, in words.
    pub saved: Option<String>,
    /// The formulas of what only the gradient needs; empty if there is nothing.
    pub kept: String,
    /// The graphs of the op and of its gradient. Kernels name values by the numbers of nodes.
    pub graph: String,
    /// The kernels of the CPU.
    pub cpu: Kernels,
    /// The kernels of GPUs.
    pub gpu: Kernels,
    /// The dims whose sizes a reader may choose, with sizes at which the op can be called.
    pub dims: Vec<Dim>,
}

/// Kernels for a processor.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Kernels {
    /// All of them, as an element of HTML.
    pub picture: String,
    /// What each computes and stores.
    pub forward: String,
    /// Those of the gradient.
    pub backward: Option<String>,
    /// The generated code.
    pub code: String,
}

/// Explains the last declaration of a text, which may call those before it.
///
/// ```
/// use tensor_op_playground::{Explained, explain};
///
/// let Explained::Ops(ops) = explain("fn square(x: Tensor) -> Tensor { x * x }") else { panic!("it is right") };
/// assert_eq!(ops[0].saved.as_deref(), Some("`x`, together `4·..` bytes"));
/// ```
pub fn explain(source: &str) -> Explained {
    match compiled(source) {
        Ok(ops) => Explained::Ops(ops.iter().map(explained).collect()),
        Err(mistakes) => Explained::Mistakes(mistakes),
    }
}

fn explained(op: &Described) -> Op {
    let declared = Declared::new(op);
    let forward = declared.spec().graph();
    let gradient = declared.backward();
    let backward = gradient.as_ref().map(|op| op.spec().graph());
    let graphs: Vec<&Graph> = [Some(forward), backward].into_iter().flatten().collect();
    let of = |processor, scheduled: fn(&Graph) -> Schedule, code| Kernels {
        picture: kernels_picture(&graphs, processor, scheduled),
        forward: scheduled(forward).explain(forward),
        backward: backward.map(|graph| scheduled(graph).explain(graph)),
        code,
    };
    Op {
        name: forward.name.clone(),
        when: op.when.clone(),
        formula: op.declaration.clone(),
        gradient: backward.map(formula),
        saved: op.saved.clone(),
        kept: backward.map(|backward| kept(forward, backward)).unwrap_or_default(),
        graph: graphs.iter().map(|graph| graph.to_string()).collect::<Vec<_>>().join("\n"),
        cpu: of("CPU", |graph| schedule(graph, CostModel::CPU), ejected(&declared)),
        gpu: of("GPU", schedule_for_gpu, ejected_gpu(&declared)),
        dims: plan(forward, &Sizes::new(), 0).map(|plan| dims(forward, &plan)).unwrap_or_default(),
    }
}
