//! How the time of an expansion grows with the formula: `cargo bench --profile dev -p tensor-op-spec --bench
//! growth`.
//!
//! `--profile dev` measures what users wait for: cargo builds macros without optimisation. Prints a line for
//! each family and size, with the time of each phase; words after `--` choose families.

#![allow(clippy::print_stdout, missing_docs, reason = "a program that prints")]

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};
use tensor_op_spec::grad::{self, Keep};
use tensor_op_spec::ir::Graph;
use tensor_op_spec::schedule::{CostModel, regroup, schedule};
use tensor_op_spec::simplify::strip;

/// Formulas of one shape: the source of the one with `size` parts.
struct Family {
    name: &'static str,
    source: fn(size: usize) -> String,
    sizes: [usize; 3],
}

const LETS: [usize; 3] = [50, 200, 1000];
const NESTED: [usize; 3] = [8, 16, 32];

const FAMILIES: [Family; 10] = [
    Family { name: "tanh", source: |n| lets(n, |i| format!("tanh(a{i})")), sizes: LETS },
    Family { name: "polynomial", source: |n| lets(n, |i| format!("a{i} * x + 0.5")), sizes: LETS },
    Family { name: "products", source: |n| lets(n, |i| format!("a{i} * y / (x * x + 1.0)")), sizes: LETS },
    Family { name: "mixed", source: |n| lets(n, mixed), sizes: LETS },
    Family { name: "wide", source: |n| lets(n, wide), sizes: LETS },
    Family { name: "centred", source: |n| lets(n, |i| format!("tanh(a{i} - mean(a{i}, n))")), sizes: LETS },
    Family { name: "softmax", source: |n| lets(n, |i| format!("softmax(a{i}, n)")), sizes: NESTED },
    Family { name: "norm", source: |n| lets(n, norm), sizes: NESTED },
    Family { name: "arguments", source: arguments, sizes: LETS },
    Family { name: "results", source: results, sizes: LETS },
];

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    // Run as a test, it only shows that it runs.
    let is_bench = args.iter().any(|arg| arg == "--bench");
    let is_wanted = |family: &Family| {
        args.iter().any(|arg| arg == family.name) || args.iter().all(|arg| arg.starts_with("--"))
    };
    let mode = if cfg!(debug_assertions) { "unoptimised, as cargo builds macros" } else { "optimised" };
    println!("milliseconds of processor time, {mode}");
    println!(
        "{:<12}{:>6}{:>10}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}",
        "", "size", "expand", "parse", "pair", "strip", "sched", "hvp", "text"
    );
    for family in FAMILIES.iter().filter(|family| is_wanted(family)) {
        for size in if is_bench { &family.sizes[..] } else { &family.sizes[..1] } {
            measure(family.name, *size, &(family.source)(*size))?;
        }
    }
    Ok(())
}

fn measure(name: &str, size: usize, source: &str) -> Result<(), Box<dyn Error>> {
    let tokens = source.parse()?;
    let (expand, code) = timed(|| tensor_op_spec::expand(Default::default(), tokens, ""));
    let text = code.to_string();
    if text.contains("compile_error") {
        return Err(format!("{name} {size}: {}", &text[..text.len().min(2000)]).into());
    }
    let graph = carried(&text).ok_or("no graph in the expansion")?;
    let (parse, graph) = timed(|| Graph::parse(&graph));
    let graph = graph?;
    let (pair, both) = timed(|| grad::pair(&graph, &Keep::Cheapest));
    let both = both.map_err(|missing| missing[0].reason.clone())?;
    let (strip, [forward, backward]) = timed(|| [&both.forward, &both.backward].map(|g| regroup(strip(g))));
    let (plan, _) = timed(|| [&forward, &backward].map(|graph| schedule(graph, CostModel::CPU)));
    let (hvp, _) = timed(|| hvp(&both.backward));
    println!(
        "{name:<12}{size:>6}{:>10.1}{:>8.1}{:>8.1}{:>8.1}{:>8.1}{:>8.1}{:>7}k",
        millis(expand),
        millis(parse),
        millis(pair),
        millis(strip),
        millis(plan),
        millis(hvp),
        text.len() / 1000
    );
    Ok(())
}

/// What the first second derivative of an op takes at run time before anything is computed.
fn hvp(backward: &Graph) -> usize {
    let graph = match grad::backward(backward) {
        // As an op is made of a graph at run time.
        Ok(graph) if graph.has_gradient_markers() => regroup(strip(&graph)),
        Ok(graph) => regroup(graph),
        Err(_) => return 0,
    };
    schedule(&graph, CostModel::CPU).kernels.len()
}

/// The graph that a carrier carries.
fn carried(code: &str) -> Option<String> {
    let (_, text) = code.rsplit_once("tensor-op 0.1.0\n")?;
    text.split_once('"').map(|(graph, _)| graph.to_owned())
}

/// A function of `size` lets, each from those before it: `a0` is `x`.
fn lets(size: usize, next: impl Fn(usize) -> String) -> String {
    let lets: String = (0..size).map(|i| format!("let a{} = {};\n", i + 1, next(i))).collect();
    let y = if lets.contains('y') { ", y: Tensor![.., n]" } else { "" };
    format!("fn f(x: Tensor![.., n]{y}) -> Tensor![.., n] {{ let a0 = x;\n{lets}a{size} }}")
}

fn mixed(i: usize) -> String {
    match i % 5 {
        0 => format!("exp(-square(a{i}))"),
        1 => format!("a{i} * x + 1.0"),
        2 => format!("maximum(a{i}, x - 0.5)"),
        3 => format!("a{i} / (1.0 + abs(a{}))", i - 1),
        _ => format!("sigmoid(a{i} - a{})", i - 3),
    }
}

/// Each from three earlier ones.
fn wide(i: usize) -> String {
    format!("tanh(a{} + a{} * a{i})", i / 2, i.saturating_sub(3))
}

fn norm(i: usize) -> String {
    format!("(a{i} - mean(a{i}, n)) * rsqrt(var(a{i}, n) + 1e-5) * y")
}

fn arguments(size: usize) -> String {
    let names: Vec<String> = (0..size).map(|i| format!("x{i}")).collect();
    let args: Vec<String> = names.iter().map(|name| format!("{name}: Tensor")).collect();
    let lets: String = names
        .windows(2)
        .enumerate()
        .map(|(i, two)| {
            let (before, name) = (if i == 0 { &two[0] } else { &format!("a{i}") }, &two[1]);
            format!("let a{} = tanh({before} + {name});\n", i + 1)
        })
        .collect();
    format!("fn f({}) -> Tensor {{ {lets} a{} }}", args.join(", "), size - 1)
}

fn results(size: usize) -> String {
    let lets: String = (0..size).map(|i| format!("let a{} = tanh(a{i});\n", i + 1)).collect();
    let types = vec!["Tensor"; size].join(", ");
    let values: Vec<String> = (1..=size).map(|i| format!("a{i}")).collect();
    format!("fn f(x: Tensor) -> ({types}) {{ let a0 = x;\n{lets} ({}) }}", values.join(", "))
}

/// The processor time of some work, which others on the machine hardly move; the time by the clock where
/// Linux doesn't tell.
fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let (start, processor) = (Instant::now(), processor_time());
    let value = black_box(work());
    let spent = processor_time().zip(processor).map(|(now, before)| now.saturating_sub(before));
    (spent.unwrap_or_else(|| start.elapsed()), value)
}

fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
