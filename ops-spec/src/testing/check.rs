//! Compares derivatives with finite differences, and with each other.

use super::{Sizes, eval, generator, sample};
use crate::grad::{Jvp, Keep, backward, jvp, pair};
use crate::ir::{Arg, ArgType, Graph, Kind, Role};

/// Gradients by `backward`, for the sum of the results weighted by `weights`.
pub(crate) fn gradients(
    graph: &Graph,
    sizes: &Sizes,
    args: &[Vec<f64>],
    weights: &[Vec<f64>],
) -> Vec<Vec<f64>> {
    gradients_by(graph, &backward(graph).expect("a gradient"), sizes, args, weights)
}

/// Gradients by a given gradient graph.
fn gradients_by(
    graph: &Graph,
    back: &Graph,
    sizes: &Sizes,
    args: &[Vec<f64>],
    weights: &[Vec<f64>],
) -> Vec<Vec<f64>> {
    eval(back, sizes, &derivative_args(graph, back, sizes, args, weights))
}

/// The arguments of a derivative: the op's arguments, its results, and directions, which are per result
/// (reverse) or per argument (forward).
fn derivative_args(
    graph: &Graph,
    derivative: &Graph,
    sizes: &Sizes,
    args: &[Vec<f64>],
    directions: &[Vec<f64>],
) -> Vec<Vec<f64>> {
    let results = eval(graph, sizes, args);
    let value = |arg: &Arg| match arg.role {
        Role::Forward(i) => args[i].clone(),
        Role::Output(k) => results[k].clone(),
        Role::Grad(k) | Role::Tangent(k) => directions[k].clone(),
    };
    derivative.args.iter().map(value).collect()
}

/// Arguments of the gradient of a graph at a random point.
pub(crate) fn backward_args(graph: &Graph, sizes: &Sizes, seed: u64) -> Vec<Vec<f64>> {
    let args = sample(graph, sizes, seed);
    let mut next = generator(seed + 100);
    let weights: Vec<Vec<f64>> =
        eval(graph, sizes, &args).iter().map(|r| r.iter().map(|_| 0.2 + next()).collect()).collect();
    derivative_args(graph, &backward(graph).expect("a gradient"), sizes, &args, &weights)
}

/// Indices of the declared results that have gradients.
fn floats(graph: &Graph) -> impl Iterator<Item = usize> {
    let is_float = |k: &usize| graph.node(graph.outputs[*k].node).kind == Kind::Float;
    (0..graph.outputs.len()).filter(|k| !graph.outputs[*k].hidden).filter(is_float)
}

/// Indices of the arguments that have gradients.
fn wanted(graph: &Graph) -> Vec<usize> {
    let wants = |arg: &Arg| matches!(arg.ty, ArgType::Tensor { kind: Kind::Float, no_grad: false, .. });
    (0..graph.args.len()).filter(|i| wants(&graph.args[*i])).collect()
}

/// Compares the derived gradient with central differences at one point.
pub(crate) fn check_gradient_at(graph: &Graph, sizes: &Sizes, args: &[Vec<f64>]) {
    const STEP: f64 = 1e-5;
    let results = eval(graph, sizes, args);
    let weight =
        |(k, r): (usize, &Vec<f64>)| (0..r.len()).map(|i| 0.7 + 0.3 * ((k + 3 * i) as f64).sin()).collect();
    let weights: Vec<Vec<f64>> = results.iter().enumerate().map(weight).collect();
    let loss = |args: &[Vec<f64>]| -> f64 {
        let results = eval(graph, sizes, args);
        let floats = graph.outputs.iter().zip(results.iter().zip(&weights));
        let floats = floats.filter(|(o, _)| graph.node(o.node).kind == Kind::Float);
        floats.flat_map(|(_, (r, w))| r.iter().zip(w)).map(|(r, w)| r * w).sum()
    };
    let found = gradients(graph, sizes, args, &weights);
    for (arg, found) in wanted(graph).into_iter().zip(found) {
        for (i, found) in found.iter().enumerate() {
            let moved = |by: f64| {
                let mut args = args.to_vec();
                args[arg][i] += by;
                loss(&args)
            };
            let expected = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
            let close = (found - expected).abs() <= 1e-6 + 1e-6 * expected.abs();
            assert!(
                close,
                "gradient {i} of `{}` is {found}, differences give {expected}\n{graph}",
                graph.args[arg].name
            );
        }
    }
}

/// Compares first and second gradients with differences at three points.
pub(crate) fn check_gradient(graph: &Graph, sizes: &[usize]) {
    let sizes = Sizes(sizes.to_vec());
    for seed in 1..4 {
        check_gradient_at(graph, &sizes, &sample(graph, &sizes, seed));
    }
    let back = backward(graph).expect("a gradient");
    for seed in 4..6 {
        check_gradient_at(&back, &sizes, &sample(&back, &sizes, seed));
    }
}

/// Checks `<Jv, u> = <v, Jᵀu>` for random directions of all arguments together, and of each argument alone.
pub(crate) fn check_inner_product(graph: &Graph, sizes: &Sizes, args: &[Vec<f64>]) {
    let all = wanted(graph);
    let alone = all.iter().filter(|_| all.len() > 1).map(|arg| vec![*arg]);
    for carriers in alone.chain([all.clone()]) {
        check_inner_product_of(graph, sizes, args, &carriers);
    }
}

fn check_inner_product_of(graph: &Graph, sizes: &Sizes, args: &[Vec<f64>], carriers: &[usize]) {
    let carries: Vec<bool> = (0..graph.args.len()).map(|arg| carriers.contains(&arg)).collect();
    let Jvp { graph: forward, of } = jvp(graph, &carries).expect("a forward-mode derivative");
    let mut next = generator(7);
    let mut direction = |like: &Vec<f64>| like.iter().map(|_| next() - 0.4).collect::<Vec<f64>>();
    let v: Vec<Vec<f64>> = args.iter().map(&mut direction).collect();
    let u: Vec<Vec<f64>> = eval(graph, sizes, args).iter().map(&mut direction).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();

    let tangents = eval(&forward, sizes, &derivative_args(graph, &forward, sizes, args, &v));
    let by_tangents: f64 = tangents.iter().zip(&of).map(|(t, k)| dot(t, &u[*k])).sum();
    let found = gradients(graph, sizes, args, &u);
    let carried = wanted(graph).into_iter().zip(&found).filter(|(arg, _)| carriers.contains(arg));
    let by_gradients: f64 = carried.map(|(arg, gradient)| dot(&v[arg], gradient)).sum();
    assert!(
        (by_tangents - by_gradients).abs() <= 1e-10 * (1.0 + by_gradients.abs()),
        "forward mode gives {by_tangents}, reverse mode {by_gradients}, along {carriers:?}\n{forward}"
    );
}

/// Compares the derivatives of declarations with differences and with each other, at sizes that are small.
#[cfg(feature = "syntax")]
pub(crate) fn check_derivatives(sources: &[&str]) {
    for source in sources {
        let graph = super::declared(source);
        let sizes = super::small_sizes(&graph);
        check_gradcheck(&graph, &sizes, &sample(&graph, &sizes, 5));
        check_inner_product(&graph, &sizes, &sample(&graph, &sizes, 6));
    }
}

/// A function of flat values, for finite differences.
type Function<'f> = dyn Fn(&[Vec<f64>]) -> Vec<Vec<f64>> + 'f;

/// Compares the whole Jacobian with central differences, as `torch.autograd.gradcheck` does: first for the
/// op, then for its gradient.
pub(crate) fn check_gradcheck(graph: &Graph, sizes: &Sizes, args: &[Vec<f64>]) {
    let pair = pair(graph, &Keep::Cheapest).expect("a gradient");
    let (graph, back) = (&pair.forward, &pair.backward);
    let results = eval(graph, sizes, args);
    let op = |args: &[Vec<f64>]| eval(graph, sizes, args);
    let first = |weights: &[Vec<f64>]| gradients_by(graph, back, sizes, args, weights);
    compare(graph, &op, &first, args, &wanted(graph));

    let mut next = generator(11);
    let weights: Vec<Vec<f64>> = results.iter().map(|r| r.iter().map(|_| 0.2 + next()).collect()).collect();
    let all = [args, &weights].concat();
    let gradient = |all: &[Vec<f64>]| {
        let (args, weights) = all.split_at(args.len());
        gradients_by(graph, back, sizes, args, weights)
    };
    let inputs = [wanted(graph), floats(graph).map(|k| args.len() + k).collect()].concat();
    // When the gradient is differentiated, gradients also reach hidden results.
    let mut all_results = graph.clone();
    all_results.outputs.iter_mut().for_each(|output| output.hidden = false);
    let through_results = backward(&all_results).expect("a gradient");
    let back_back = backward(back).expect("a second gradient");
    let derived = [graph, back, &back_back, &through_results];
    let second = |seeds: &[Vec<f64>]| second_gradients(derived, sizes, [args, &weights], seeds);
    compare(back, &gradient, &second, &all, &inputs);
}

/// The gradients of the gradient, first for the arguments and then for the weights. A gradient that reaches a
/// saved result is passed on to the arguments.
fn second_gradients(
    [graph, back, back_back, through_results]: [&Graph; 4],
    sizes: &Sizes,
    [args, weights]: [&[Vec<f64>]; 2],
    seeds: &[Vec<f64>],
) -> Vec<Vec<f64>> {
    let zeros = |like: &[Vec<f64>]| like.iter().map(|x| vec![0.0; x.len()]).collect::<Vec<_>>();
    let back_args = derivative_args(graph, back, sizes, args, weights);
    let found = gradients_by(back, back_back, sizes, &back_args, seeds);
    let (mut of_args, mut of_weights) = (zeros(args), zeros(weights));
    let mut of_results = zeros(&eval(graph, sizes, args));
    let add = |sum: &mut Vec<f64>, part: &[f64]| sum.iter_mut().zip(part).for_each(|(s, p)| *s += p);
    for (arg, part) in wanted(back).into_iter().zip(&found) {
        match back.args[arg].role {
            Role::Forward(i) => add(&mut of_args[i], part),
            Role::Output(k) => add(&mut of_results[k], part),
            Role::Grad(k) => add(&mut of_weights[k], part),
            Role::Tangent(_) => panic!("a gradient takes no tangents"),
        }
    }
    for (arg, part) in
        wanted(graph).into_iter().zip(gradients_by(graph, through_results, sizes, args, &of_results))
    {
        add(&mut of_args[arg], &part);
    }
    let of_weights: Vec<Vec<f64>> = floats(graph).map(|k| of_weights[k].clone()).collect();
    let of_args: Vec<Vec<f64>> = wanted(graph).into_iter().map(|i| of_args[i].clone()).collect();
    [of_args, of_weights].concat()
}

/// Compares two Jacobians: rows computed by `gradient`, which takes weights of results, and columns computed
/// from differences of `function`.
fn compare(
    graph: &Graph,
    function: &Function<'_>,
    gradient: &Function<'_>,
    at: &[Vec<f64>],
    inputs: &[usize],
) {
    const STEP: f64 = 1e-6;
    let moved = |input: usize, i: usize, by: f64| {
        let mut at = at.to_vec();
        at[input][i] += by;
        function(&at)
    };
    let columns: Vec<Vec<[Vec<Vec<f64>>; 2]>> = inputs
        .iter()
        .map(|x| (0..at[*x].len()).map(|i| [moved(*x, i, STEP), moved(*x, i, -STEP)]).collect())
        .collect();
    let results = function(at);
    for (k, j) in floats(graph).flat_map(|k| (0..results[k].len()).map(move |j| (k, j))) {
        let mut seeds: Vec<Vec<f64>> = results.iter().map(|r| vec![0.0; r.len()]).collect();
        seeds[k][j] = 1.0;
        let row = gradient(&seeds);
        for (of_input, (found, column)) in row.iter().zip(&columns).enumerate() {
            for (i, (found, [above, below])) in found.iter().zip(column).enumerate() {
                let expected = (above[k][j] - below[k][j]) / (2.0 * STEP);
                assert!(
                    (found - expected).abs() <= 1e-5 + 1e-3 * expected.abs(),
                    "`{}`[{j}] by input {of_input}[{i}]: the gradient is {found}, differences give {expected}\n{graph}",
                    graph.outputs[k].name
                );
            }
        }
    }
}
