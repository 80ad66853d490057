//! A random declaration, compiled, and a point to run it at.

use tensor_op_core::{DType, TensorData, Value, interpret};
use tensor_op_spec::ir::Graph;
use tensor_op_spec::{Stages, stages};
use tensor_op_testing::sample::{Described, Point, SamplePlan, Spread, backward_args, floats, sample};

/// What goes wrong with a case.
pub(crate) type Outcome<T = ()> = Result<T, String>;

/// A declaration in all of its graphs.
pub(crate) struct Case {
    /// Before any pass has changed it.
    pub(crate) written: Graph,
    /// As derivatives see it.
    pub(crate) source: Graph,
    /// As it is run, with what the gradient takes of it.
    pub(crate) forward: Graph,
    /// As it is run; `None` if no input has one.
    pub(crate) gradient: Option<Graph>,
    /// The kernels of the formula.
    pub(crate) schedule: String,
    pub(crate) plan: SamplePlan,
    /// Arguments of the formula.
    pub(crate) args: Vec<Value<TensorData>>,
}

impl Case {
    pub(crate) fn new(seed: u64, declaration: &str) -> Outcome<Case> {
        let tokens = declaration.parse().map_err(|error| format!("no tokens: {error}"))?;
        let Stages { written, source, graph, gradient, schedule, .. } =
            stages(tokens).map_err(|mistakes| mistakes.to_string())?;
        let parsed = |text: &str| Graph::parse(text).map_err(|error| format!("{error} in\n{text}"));
        let source = parsed(&source)?.with_results(false);
        let plan = plan(&source, seed);
        let args = sample(&source, &plan, Point::Ordinary)
            .map_err(|error| format!("no point for {}: {error}", Described(&plan, &source)))?;
        Ok(Case {
            written: parsed(&written)?,
            source,
            forward: parsed(&graph)?,
            gradient: gradient.as_deref().map(parsed).transpose()?,
            schedule,
            plan,
            args,
        })
    }

    /// The sizes, for a failure.
    pub(crate) fn sizes(&self) -> String {
        Described(&self.plan, &self.source).to_string()
    }
}

/// Small sizes, none the same by rule; arguments broadcast in the group.
fn plan(graph: &Graph, seed: u64) -> SamplePlan {
    let pick = |at: usize, of: u64| {
        let mixed = (seed ^ 0x5bd1_e995).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(7 * at as u32 + 5);
        (mixed.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33) % of
    };
    let spreads = [Spread::Full, Spread::Full, Spread::Short, Spread::Ones];
    SamplePlan {
        dims: (0..graph.dims.len()).map(|dim| 1 + pick(dim, 3) as usize).collect(),
        group: (0..pick(1, 3) as usize).map(|axis| 1 + pick(axis + 11, 3) as usize).collect(),
        spread: (0..graph.args.len()).map(|arg| spreads[pick(arg + 17, 4) as usize]).collect(),
        axis: pick(2, 3) as usize,
        from_end: pick(3, 2) == 0,
        scalars: (0..graph.args.len()).map(|arg| pick(arg + 29, 24) as usize).collect(),
        bits: 24,
        seed,
    }
}

/// The arguments of a gradient at a point of the formula; the same gradients of results for the same seed.
pub(crate) fn gradient_args(
    forward: &Graph,
    gradient: &Graph,
    args: &[Value<TensorData>],
    seed: u64,
) -> Outcome<Vec<Value<TensorData>>> {
    let results = interpret(forward, args).map_err(|error| error.to_string())?;
    let weigh = |(k, result): (usize, &TensorData)| floats(result.shape(), &[seed, k as u64]).map(Some);
    let weights: tensor_op_core::Result<Vec<_>> = results.iter().enumerate().map(weigh).collect();
    let weights = weights.map_err(|error| error.to_string())?;
    Ok(backward_args(forward, gradient, args, &results, &weights, DTYPE))
}

/// The dtype that cases are stored in.
pub(crate) const DTYPE: DType = DType::F64;
