//! Ten thousand random declarations through every phase: lowering, differentiation in both modes,
//! simplification, scheduling. What comes out is run, composed of a backend's primitives, in its loops, and
//! by the plain kernels of a second backend, and compared with the interpreter within derived bounds, and
//! with differences.

mod case;
mod differences;
mod magnitudes;
mod plain;

use case::{Case, DTYPE, Outcome, gradient_args};
use differences::Verdict;
use rayon::prelude::*;
use tensor_op_core::{
    Backend, Element, Evaluated, GraphOp, Op, TensorData, Value, composed, evaluate, interpret,
};
use tensor_op_formulas::declaration;
use tensor_op_ndarray::NdArray;
use tensor_op_spec::grad::{Jvp, backward, jvp};
use tensor_op_spec::ir::{Graph, Role};
use tensor_op_testing::Level;
use tensor_op_testing::bound::{Bounded, Rounding, compare};
use tensor_op_testing::sample::floats;

/// Declarations of a quick run, and of one with `TENSOR_OP_TESTS=full`.
const QUICK: u64 = 500;
const FULL: u64 = 4_000;
/// So many are run far from one.
const FAR_FROM_ONE: u64 = 500;
/// One in so many is differentiated twice.
const SECOND_ORDER: u64 = 3;

#[test]
fn every_phase_keeps_the_meaning() {
    let count = match Level::of_environment().expect("a level") {
        Level::Quick => QUICK,
        Level::Full => FULL,
    };
    let found: Vec<Outcome<Option<Verdict>>> = (0..count).into_par_iter().map(check).collect();
    let failures: Vec<&String> = found.iter().filter_map(|found| found.as_ref().err()).collect();
    let shown: String = failures.iter().take(10).map(|what| format!("{what}\n")).collect();
    assert!(failures.is_empty(), "{} of {count} declarations fail:\n{shown}", failures.len());
    let all = count as usize;
    let count = |wanted: Verdict| found.iter().filter(|found| **found == Ok(Some(wanted))).count();
    let [right, unknown, singular] = [Verdict::Right, Verdict::Unknown, Verdict::Singular].map(count);
    assert!(
        right * 10 > all * 6 && singular * 100 < all,
        "of {all}, {right} have a gradient that agrees with differences, {unknown} one that can't be compared, {singular} NaN"
    );
}

#[test]
fn every_phase_keeps_the_meaning_far_from_one() {
    let check = |seed: u64| {
        let text = declaration(seed);
        let case = Case::new(seed, &text).map_err(|what| format!("{text}{what}"))?;
        magnitudes::check(&case.written, &case.forward, case.gradient.as_ref(), &case.args, seed)
            .map_err(|what| format!("{text}for {}: {what}", case.sizes()))
    };
    let found: Vec<Outcome<usize>> = (0..FAR_FROM_ONE).into_par_iter().map(check).collect();
    let failures: Vec<&String> = found.iter().filter_map(|found| found.as_ref().err()).collect();
    let shown: String = failures.iter().take(10).map(|what| format!("{what}\n")).collect();
    assert!(failures.is_empty(), "{} of {FAR_FROM_ONE} declarations fail:\n{shown}", failures.len());
    let compared: usize = found.iter().flatten().sum();
    assert!(compared > 20 * FAR_FROM_ONE as usize, "only {compared} elements were compared");
}

#[test]
fn streams_are_among_the_declarations() {
    let has_stream = |seed: &u64| {
        let case = Case::new(*seed, &declaration(*seed)).expect("random declarations are right");
        let graphs = [Some(case.forward), case.gradient];
        graphs.into_iter().flatten().any(|graph| !GraphOp::new(graph).spec().schedule().streams.is_empty())
    };
    let found = (0..FAR_FROM_ONE).into_par_iter().filter(has_stream).count();
    assert!(found > 30, "only {found} of {FAR_FROM_ONE} have a stream");
}

/// What differences say, of a declaration with a gradient.
fn check(seed: u64) -> Outcome<Option<Verdict>> {
    let text = declaration(seed);
    let case = Case::new(seed, &text).map_err(|what| format!("{text}{what}"))?;
    checked(&case, seed).map_err(|what| format!("{text}for {}: {what}", case.sizes()))
}

fn checked(case: &Case, seed: u64) -> Outcome<Option<Verdict>> {
    let Case { source, forward, gradient, schedule, args, .. } = case;
    let op = GraphOp::new(forward.clone());
    let again = op.spec().schedule().explain(op.spec().graph());
    if again != *schedule {
        return Err(format!("the runtime schedules otherwise:\n{again}not\n{schedule}"));
    }
    let results = bounded(forward, args)?;
    let visible: Vec<Evaluated<Bounded>> = results
        .iter()
        .zip(&forward.outputs)
        .filter(|(_, output)| !output.hidden)
        .map(|(r, _)| r.clone())
        .collect();
    agree("the formula", source, &bounded(source, args)?, &visible)?;
    run("the formula", forward, args, &results)?;
    let Some(gradient) = gradient else { return Ok(None) };
    let given = gradient_args(forward, gradient, args, seed)?;
    let found = bounded(gradient, &given)?;
    run("the gradient", gradient, &given, &found)?;
    // The same without what the macro keeps, as it is derived at run time.
    let derived = backward(source).map_err(|gaps| format!("no gradient at run time: {gaps:?}"))?;
    let plain = bounded(&derived, &gradient_args(source, &derived, args, seed)?)?;
    agree("the gradient of the runtime", &derived, &plain, &found)?;
    forward_mode(source, &derived, args, seed, &plain)?;
    if seed.is_multiple_of(SECOND_ORDER) {
        second_order(&derived, &gradient_args(source, &derived, args, seed)?, seed)?;
    }
    differences::check(source, &derived, args, seed).map(Some)
}

/// The gradient as a formula of its own, with a gradient.
fn second_order(derived: &Graph, args: &[Value<TensorData>], seed: u64) -> Outcome {
    let op = GraphOp::new(derived.clone());
    let Ok(second) = op.spec().derived_backward() else { return Ok(()) };
    let graph = second.spec().source();
    let given = gradient_args(derived, graph, args, seed)?;
    run("the second gradient", second.spec().graph(), &given, &bounded(graph, &given)?)?;
    differences::check(derived, graph, args, seed)?;
    Ok(())
}

fn told(error: tensor_op_core::Error) -> String {
    format!("error: {error}")
}

fn bounded(graph: &Graph, args: &[Value<TensorData>]) -> Outcome<Vec<Evaluated<Bounded>>> {
    evaluate(graph, args, &Rounding::new(DTYPE)).map_err(|error| format!("{error} in\n{graph}"))
}

/// Runs a graph composed, by the loops of a backend, and by plain kernels, against the interpreter.
fn run(what: &str, graph: &Graph, args: &[Value<TensorData>], expected: &[Evaluated<Bounded>]) -> Outcome {
    let device = Default::default();
    let (op, wanted) = (GraphOp::new(graph.clone()), vec![true; graph.outputs.len()]);
    let plain = |tile| plain::run(&op, args, &wanted, tile).map_err(told);
    let in_tiles = match op.spec().schedule().streams.is_empty() {
        true => vec![],
        false => vec![("in tiles of a row", plain(Some(1))?), ("in tiles of three rows", plain(Some(3))?)],
    };
    let plain = plain(None)?;
    let args = args.iter().cloned().map(|arg| arg.try_map(|data| NdArray::from_data(data, &device)));
    let args = args.collect::<tensor_op_core::Result<Vec<_>>>().map_err(told)?;
    let composed = composed::run_graph::<NdArray>(graph, args.clone(), &wanted).map_err(told)?;
    let looped = NdArray::run(&op, args, &wanted).map_err(told)?;
    let data = |results: Vec<Option<_>>| {
        let data = results.into_iter().map(|result| result.map(NdArray::into_data).transpose());
        data.collect::<tensor_op_core::Result<Vec<_>>>().map_err(told)
    };
    let ways = [("composed", data(composed)?), ("in loops", data(looped)?), ("by plain kernels", plain)];
    for (how, found) in ways.into_iter().chain(in_tiles) {
        for ((found, expected), output) in found.into_iter().flatten().zip(expected).zip(&graph.outputs) {
            if let Err(difference) = compare(&found, expected).map_err(told)? {
                return Err(format!("{what} {how}: `{}` {difference:?}\n{graph}", output.name));
            }
        }
    }
    Ok(())
}

/// Two graphs of one meaning differ by what both of them round.
fn agree(what: &str, graph: &Graph, a: &[Evaluated<Bounded>], b: &[Evaluated<Bounded>]) -> Outcome {
    if a.len() != b.len() {
        return Err(format!("{what}: {} results, not {}", a.len(), b.len()));
    }
    for (output, (a, b)) in graph.outputs.iter().zip(a.iter().zip(b)) {
        if a.shape != b.shape {
            return Err(format!("{what}: `{}` has shape {}, not {}", output.name, a.shape, b.shape));
        }
        for (index, (x, y)) in a.values.iter().zip(&b.values).enumerate() {
            let (v, w) = (x.value.as_f64(), y.value.as_f64());
            let close = (v - w).abs() <= x.error + y.error || v == w || v.is_nan() && w.is_nan();
            if !(close || x.is_free() || y.is_free()) {
                return Err(format!("{what}: `{}`[{index}] is {x:?} and {y:?}\n{graph}", output.name));
            }
        }
    }
    Ok(())
}

/// Weights times the Jacobian times a direction is the same from both sides.
fn forward_mode(
    source: &Graph,
    derived: &Graph,
    args: &[Value<TensorData>],
    seed: u64,
    gradients: &[Evaluated<Bounded>],
) -> Outcome {
    let carries = vec![true; source.args.len()];
    let Jvp { graph, of } = jvp(source, &carries).map_err(|gaps| format!("no forward mode: {gaps:?}"))?;
    let results = interpret(source, args).map_err(told)?;
    let along = differences::direction(source, args, seed)?;
    let given: Outcome<Vec<Value<TensorData>>> = graph
        .args
        .iter()
        .map(|arg| match (arg.role, &arg.ty) {
            (Role::Tangent(index), _) => Ok(Value::Tensor(along[index].clone().ok_or("no direction")?)),
            (Role::Forward(index), tensor_op_spec::ir::ArgType::Shape { .. }) => match &args[index] {
                Value::Tensor(data) => Ok(Value::Shape(data.shape().clone())),
                Value::Shape(_) | Value::Scalar(_) => Ok(args[index].clone()),
            },
            (Role::Forward(index), _) => Ok(args[index].clone()),
            (Role::Output(index), _) => Ok(Value::Tensor(results[index].clone())),
            (Role::Grad(_), _) => Err("forward mode takes no gradient".to_string()),
        })
        .collect();
    let tangents = bounded(&graph, &given?)?;
    let mut forward = Dot::default();
    for (k, tangent) in of.iter().zip(&tangents) {
        forward = forward.with(&floats(&tangent.shape, &[seed, *k as u64]).map_err(told)?, tangent);
    }
    let reverse = Dot::along(derived, gradients, &along)?;
    let close = (forward.sum - reverse.sum).abs() <= forward.error + reverse.error;
    // Beyond that one of the two is NaN, or overflows on the way.
    if close || !(forward.error + reverse.error).is_finite() || forward.sum.is_nan() || reverse.sum.is_nan() {
        return Ok(());
    }
    Err(format!("forward mode gives {forward:?}, reverse mode {reverse:?}\n{graph}\n{derived}"))
}

/// An inner product and its bound.
#[derive(Debug, Default)]
struct Dot {
    sum: f64,
    error: f64,
}

impl Dot {
    /// Gradients times directions of the arguments.
    fn along(
        derived: &Graph,
        gradients: &[Evaluated<Bounded>],
        along: &[Option<TensorData>],
    ) -> Outcome<Dot> {
        let mut sum = Dot::default();
        for (output, gradient) in derived.outputs.iter().zip(gradients) {
            let arg = output.like.ok_or("a gradient is like an argument")?;
            // That of a saved result, where a gradient is differentiated, has no direction.
            if let Role::Forward(index) = derived.args[arg].role {
                sum = sum.with(along[index].as_ref().ok_or("no direction")?, gradient);
            }
        }
        Ok(sum)
    }

    fn with(mut self, weights: &TensorData, values: &Evaluated<Bounded>) -> Dot {
        let weights = weights.as_slice::<f64>().unwrap_or_default();
        for (weight, value) in weights.iter().zip(&values.values) {
            let term = weight * f64::from_scalar(value.value);
            self.sum += term;
            self.error += weight.abs() * value.error + 64.0 * f64::EPSILON * term.abs();
        }
        self
    }
}
