//! `docs/gradients.md`: the derived gradients of each op of the catalogue, of each named formula, and of each
//! primitive and reduction. `UPDATE=1 cargo test -p tensor-op-spec gradients_are_documented` writes it;
//! without `UPDATE` the test compares.

use crate::diag::Errors;
use crate::emit::Scheduled;
use crate::formulas;
use crate::ir::{FloatWidth, Graph, Kind, formula, kept};
use crate::prim::{Fold, Prim};
use crate::testing::{all_scheduled, declarations, scheduled};
use std::path::Path;

const HEAD: &str = "# Gradients

What is derived, in the language itself. Written by `UPDATE=1 cargo test -p tensor-op-spec gradients_are_documented`, and checked by the tests.

Saved are bytes that a tracked call keeps, as a function of the dims, for f32 floats and i64 ints; a name that is neither an argument nor
a result is a value of the forward pass, given below the formula. `out1 = out` is the result before it is rounded to a half; in other dtypes they are one tensor. Kernels are those of the
forward and of the backward pass.

A gradient is the chain rule of its formula, simplified. Simplification changes a value by rounding only, as long as the chain rule stays
finite and normal on its way. Three kinds of factors may leave a sum or change places: a size, a constant between 1/1024 and 1024, and a value
that its formula keeps between 1/1024 and 2^40, such as the sum of `exp(x - max(x, n))`, which lies between 1 and the size of `n`. A common factor of
two terms leaves them only if the formula bounds what is left, as in softmax minus one-hot. In `sum(a * b, (k, j))`, where neither
factor has all dims, the one with dim `j` is summed over it first, which can be larger than the chain rule's values by the size of `j` at most.
";

const COLUMNS: &str = "derived gradient | saved | bytes | kernels |\n|---|---|---|---|---|\n";

#[test]
fn gradients_are_documented() {
    let tables = [
        ("Ops of the catalogue", "op", declarations("../src/catalogue")),
        ("Formulas over `[m, n]` and its last dim", "formula", formulas::all().map(of_formula).collect()),
        ("Primitives and reductions over `[m, n]` and its last dim", "function", functions()),
    ];
    let table = |(title, column, sources): (&str, &str, Vec<String>)| {
        let rows: String = sources.iter().flat_map(|source| rows(source)).collect();
        format!("\n## {title}\n\n| {column} | {COLUMNS}{rows}")
    };
    let tables = tables.map(table).concat();
    let text = format!("{HEAD}{tables}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/gradients.md");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &text).expect("the folder is in the repository");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "docs/gradients.md is out of date: run this test with UPDATE=1");
}

/// A declaration for each reduction, and for each primitive that has a derivative and is called by name.
fn functions() -> Vec<String> {
    let is_called = |prim: &&Prim| {
        let row = prim.row();
        row.rule.is_ok() && prim.written() == row.name && **prim != Prim::Select
    };
    let prims = Prim::ALL.iter().filter(is_called).map(|prim| {
        let (args, name) = (&["x", "y"][..prim.row().operands.len()], prim.name());
        let declared: Vec<String> = args.iter().map(|arg| format!("{arg}: Tensor![m, n]")).collect();
        format!("fn {name}({}) -> Tensor![m, n] {{ {name}({}) }}", declared.join(", "), args.join(", "))
    });
    let folds = Fold::ALL.iter().filter(|fold| fold.row().rule.is_ok()).map(|fold| fold.name());
    let folds = folds.map(|name| format!("fn {name}(x: Tensor![m, n]) -> Tensor![m] {{ {name}(x, n) }}"));
    prims.chain(folds).collect()
}

/// A declaration for a named formula, with the result type that the formula needs.
pub(crate) fn of_formula((name, kind): (&str, Kind)) -> String {
    let reduced = formula_with(name, kind, "m");
    if scheduled(&reduced).is_ok() { reduced } else { formula_with(name, kind, "m, n") }
}

fn formula_with(name: &str, kind: Kind, dims: &str) -> String {
    let mut errors = Errors::new();
    let item = formulas::parse(&mut errors, name, kind).expect("the formulas are right");
    let draws = item.args.iter().any(|arg| arg.name == "seed");
    let is_drawn = |name: &str| draws && (name == "seed" || formulas::OF_DRAWS.contains(&name));
    let tensors = item.args.iter().filter_map(|arg| {
        let crate::ast::ArgType::Tensor(ty) = &arg.ty else { return None };
        Some((arg.name.to_string(), ty.kind)).filter(|(name, _)| !is_drawn(name))
    });
    let tensors: Vec<(String, Kind)> = tensors.collect();
    let has_dim = item.args.iter().any(|arg| matches!(arg.ty, crate::ast::ArgType::Axis));
    let declared = tensors.iter().map(|(name, kind)| format!("{name}: {}![m, n]", kind.tensor()));
    let sizes = ["m: usize", "n: usize"].into_iter().filter(|_| tensors.is_empty());
    let more = sizes.chain(Some("seed: i64").filter(|_| draws)).map(str::to_string);
    let declared: Vec<String> = declared.chain(more).collect();
    let dims_of_call = if draws { vec!["seed", "(m, n)"] } else { vec!["n"; usize::from(has_dim)] };
    let args: Vec<&str> = tensors.iter().map(|(name, _)| name.as_str()).chain(dims_of_call).collect();
    let (declared, args, result) = (declared.join(", "), args.join(", "), item.results[0].kind.tensor());
    let attribute = if item.no_grad { "#[no_grad] " } else { "" };
    format!("{attribute}fn {name}({declared}) -> {result}![{dims}] {{ {name}({args}) }}")
}

/// A row of the table for each formula of a declaration that has a gradient.
fn rows(source: &str) -> Vec<String> {
    let formulas = all_scheduled(source).unwrap_or_else(|errors| panic!("{source}: {errors}"));
    formulas.iter().filter_map(|(forward, backward)| Some(row(forward, backward.as_ref()?))).collect()
}

fn row(forward: &Scheduled, backward: &Scheduled) -> String {
    let mut lines = vec![formula(&backward.graph)];
    if forward.graph.outputs.iter().any(|output| output.hidden) {
        lines.push(kept(&forward.graph, &backward.graph));
    }
    let names: Vec<String> = saved(&backward.graph).map(|name| format!("`{name}`")).collect();
    format!(
        "| `{}` | {} | {} | {} | {}, {} |\n",
        forward.graph.name,
        cell(&lines.join("\n\n")),
        names.join(", "),
        backward.graph.saved_bytes(&forward.graph, FloatWidth::Single).text(&backward.graph),
        kernels(forward),
        kernels(backward),
    )
}

/// Several lines of code in a cell of a table.
fn cell(text: &str) -> String {
    let line = |line: &str| {
        if line.is_empty() { String::new() } else { format!("`{}`", line.replace('|', "\\|")) }
    };
    text.lines().map(line).collect::<Vec<_>>().join("<br>")
}

/// The names of what a tracked call keeps for a gradient.
pub(crate) fn saved(backward: &Graph) -> impl Iterator<Item = &str> {
    backward.args.iter().filter(|arg| arg.is_saved()).map(|arg| arg.name.as_str())
}

fn kernels(op: &Scheduled) -> String {
    let classes: Vec<&str> = op.schedule.kernels.iter().map(|kernel| kernel.name()).collect();
    format!("{} ({})", classes.len(), classes.join(", "))
}
