//! `docs/catalogue.md`: every op of the catalogue by family, and what is known of it.
//! `UPDATE=1 cargo test -p tensor-op-spec the_catalogue_is_documented` writes it; without `UPDATE` the test
//! compares.

mod derivatives;
mod exams;
mod pytorch;
mod signature;

use crate::compile::{Compiled, compiled};
use crate::emit::Scheduled;
use crate::gradient_table::saved;
use crate::ir::lines;
use crate::schedule::Kernel;
use crate::testing::{Family, families};
use derivatives::Derivatives;
use exams::Exam;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const HEAD: &str = "# The catalogue

All ops of `tensor_op::catalogue`, by family. Each cell comes from the declaration of the op, from its graph and its kernels, or from the results of
an exam. The page is written by the third of these commands, and is checked by the tests:

```sh
cargo test --test opinfo --test onnx --test kernelbench --test umath   # all exams
UPDATE=1 cargo test --test opinfo --test onnx --test kernelbench       # writes their results
UPDATE=1 cargo test -p tensor-op-spec the_catalogue_is_documented                # writes this page
```

- *functions around ops* stand above the table of their family. They are Rust, so a formula can't call them. What follows `=` may be left out.
- *op*: an argument without a type is a `Tensor`, and what follows `=` is its default. An op of several formulas has one row; a call chooses the
  formula by an optional tensor, a `bool`, an enum, or the kind of the elements.
- *formula*: as rustdoc prints it, if it is short. The docs of the op have it in any case.
- *gradient*: whether it is derived or given by the declaration, and what a tracked call keeps for it. [gradients.md](gradients.md) has the gradients
  themselves, and the bytes.
- *kernels*: how many, and in brackets their passes over the data, forward · backward. The CPU runs a loop for each. A GPU has the same ones. It
  launches sorts, long reductions and products of which something is computed in several parts, and the kernels of attention as one, where it
  multiplies matrices by itself. A view is a kernel without a pass.
- *exams*: the operators of other libraries whose right samples call the op, and how many samples; first those that call no other op. What is a
  part of another op's formula is not called. [opinfo.md](opinfo.md), [onnx.md](onnx.md) and
  [kernelbench.md](kernelbench.md) say what the exams are.
- *compared*: the derivatives that the generated tests compare with differences; \"second order\" is that of the first and the second order, in reverse
  and in forward mode. What they leave out stands at the end, with the reason. [testing.md](testing.md) has what they claim of all ops.

What the catalogue adds to a build and to a program is measured in [performance-cpu.md](performance-cpu.md#the-catalogue).
";

const COLUMNS: &str = "| op | formula | gradient | kernels | exams | compared |\n|---|---|---|---|---|---|\n";
/// Characters of a formula that is shown.
const SHORT: usize = 60;

#[test]
fn the_catalogue_is_documented() {
    let exams = exams::all();
    let mut families: Vec<(Family, Vec<Compiled>)> =
        families("../src/catalogue").into_iter().map(ops).collect();
    // The list of the catalogue declares nothing.
    families.retain(|(family, ops)| !ops.is_empty() || !family.functions.is_empty());
    let all: Vec<&Compiled> = families.iter().flat_map(|(_, ops)| ops).collect();
    names_are_different(&all);
    let tables: String = families.iter().map(|(family, ops)| table(family, ops, &exams)).collect();
    let text = format!("{HEAD}\n{}{tables}{}", summary(&all, &exams), left_out(&all));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/catalogue.md");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &text).expect("the folder is in the repository");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "docs/catalogue.md is out of date: run this test with UPDATE=1");
}

/// The public ops of a family. Others are parts of these.
fn ops(family: Family) -> (Family, Vec<Compiled>) {
    let op = |source: &String| compiled(source.parse().expect("declarations are tokens"));
    let ops = family.declarations.iter().map(|source| op(source).expect("the catalogue is right"));
    let is_public = |op: &Compiled| matches!(op.item.vis, syn::Visibility::Public(_));
    let ops = ops.filter(is_public).collect();
    (family, ops)
}

/// Exams know a formula by its name alone.
fn names_are_different(ops: &[&Compiled]) {
    let mut seen = BTreeSet::new();
    for name in ops.iter().flat_map(|op| formulas(op)) {
        assert!(seen.insert(name), "two formulas of the catalogue are called {name}");
    }
}

/// The names of an op's formulas.
fn formulas(op: &Compiled) -> BTreeSet<&str> {
    op.formulas.iter().map(|formula| formula.forward.graph.name.as_str()).collect()
}

fn summary(ops: &[&Compiled], exams: &[Exam]) -> String {
    let count = |has: &dyn Fn(&Compiled) -> bool| ops.iter().filter(|op| has(op)).count();
    let chosen: usize = ops.iter().map(|op| op.formulas.len()).sum();
    let by_exam = exams.iter().map(|exam| {
        let examined = count(&|op| exam.examines(&formulas(op)));
        format!("{} examines {examined}", exam.name)
    });
    let by_none = count(&|op| !exams.iter().any(|exam| exam.examines(&formulas(op))));
    format!(
        "`{} ops of {chosen} formulas: {} have a gradient, {} compared in both orders; {}, {by_none} are in no exam`\n",
        ops.len(),
        count(&|op| Derivatives::of(op).has_gradient()),
        count(&|op| Derivatives::of(op).are_all_compared()),
        by_exam.collect::<Vec<_>>().join(", "),
    )
}

fn table(family: &Family, ops: &[Compiled], exams: &[Exam]) -> String {
    let feature = feature(&family.name).map(|name| format!(" Feature `{name}`.")).unwrap_or_default();
    let rows: String = ops.iter().map(|op| row(op, exams)).collect();
    let doc = signature::first_sentence(&family.attrs);
    let table = if ops.is_empty() { String::new() } else { format!("\n{COLUMNS}{rows}") };
    format!("\n## {}\n\n{doc}{feature}\n{}{table}", family.name, functions(family))
}

/// The functions of a family, which are made of ops.
fn functions(family: &Family) -> String {
    if family.functions.is_empty() {
        return String::new();
    }
    let line = |function: &syn::ItemFn| {
        let (signature, doc) = (signature::of_function(function), signature::first_sentence(&function.attrs));
        format!("- `{signature}`: {doc}\n")
    };
    let lines: String = family.functions.iter().map(line).collect();
    format!("\nFunctions around ops, which formulas can't call:\n\n{lines}")
}

/// The feature of the crate that a family needs.
fn feature(family: &str) -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/catalogue/mod.rs");
    let text = std::fs::read_to_string(path).expect("the file is in the repository");
    let before =
        text.lines().zip(text.lines().skip(1)).find(|(_, line)| *line == format!("pub mod {family};"))?;
    Some(before.0.strip_prefix("#[cfg(feature = \"")?.strip_suffix("\")]")?.to_string())
}

fn row(op: &Compiled, exams: &[Exam]) -> String {
    let of_op = formulas(op);
    let exams = exams.iter().filter_map(|exam| exam.cell(&of_op));
    format!(
        "| `{}`: {} | {} | {} | {} | {} | {} |\n",
        signature::of(&op.item),
        signature::first_sentence(&op.item.attrs),
        formula(op),
        gradient(op),
        kernels(op),
        exams.collect::<Vec<_>>().join("; "),
        Derivatives::of(op),
    )
}

/// The formula, if it is short; else how long it is, or how many there are.
fn formula(op: &Compiled) -> String {
    let [formula] = &op.formulas[..] else { return format!("{} formulas", op.formulas.len()) };
    let (lets, results) = lines(&formula.forward.source.with_results(false));
    match &results[..] {
        [one] if lets.is_empty() && one.len() <= SHORT => format!("`{}`", one.replace('|', "\\|")),
        [_] if lets.is_empty() => "1 line".to_string(),
        _ => format!("{} lines", lets.len() + results.len()),
    }
}

/// Whether it is derived, and what is kept for it in one of the formulas.
fn gradient(op: &Compiled) -> String {
    let backward: Vec<&Scheduled> =
        op.formulas.iter().filter_map(|formula| formula.backward.as_ref()).collect();
    if backward.is_empty() {
        return "none".to_string();
    }
    let how = if op.item.rules.is_empty() { "derived" } else { "given" };
    let mut names: Vec<String> = vec![];
    for name in backward.iter().flat_map(|op| saved(&op.graph)).map(|name| format!("`{name}`")) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match names.is_empty() {
        true => format!("{how}, keeps nothing"),
        false => format!("{how}, keeps {}", names.join(", ")),
    }
}

/// `1 (3) · 1 (2)`; with several formulas the least and the most.
fn kernels(op: &Compiled) -> String {
    let forward = op.formulas.iter().map(|formula| &formula.forward);
    let backward = op.formulas.iter().filter_map(|formula| formula.backward.as_ref());
    let sides = [counts(forward), counts(backward)];
    sides.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn counts<'o>(ops: impl Iterator<Item = &'o Scheduled>) -> Option<String> {
    let (kernels, passes): (Vec<usize>, Vec<usize>) = ops
        .map(|op| (op.schedule.kernels.len(), op.schedule.kernels.iter().map(passes).sum::<usize>()))
        .unzip();
    Some(format!("{} ({})", range(&kernels)?, range(&passes)?))
}

fn range(counts: &[usize]) -> Option<String> {
    let (least, most) = (counts.iter().min()?, counts.iter().max()?);
    Some(if least == most { least.to_string() } else { format!("{least} to {most}") })
}

/// How often a kernel goes over its data.
fn passes(kernel: &Kernel) -> usize {
    match kernel {
        Kernel::Loop(nest) => nest.passes.len(),
        Kernel::Contraction(product) => 1 + product.epilogue.as_ref().map_or(0, |nest| nest.passes.len()),
        Kernel::View(_) => 0,
        Kernel::Scan(_) | Kernel::Order(_) | Kernel::Gather(_) | Kernel::Scatter(..) => 1,
    }
}

/// What the generated tests do not compare: the ops by the reason.
fn left_out(ops: &[&Compiled]) -> String {
    let mut reasons: BTreeMap<(&'static str, String), Vec<String>> = BTreeMap::new();
    for op in ops {
        for reason in Derivatives::of(op).left_out() {
            reasons.entry(reason).or_default().push(format!("`{}`", op.item.name));
        }
    }
    let row = |((what, reason), ops): (&(&str, String), &Vec<String>)| {
        format!("| {what} | {reason} | {}: {} |\n", ops.len(), ops.join(", "))
    };
    let rows: String = reasons.iter().map(row).collect();
    format!("\n## Derivatives that are not compared\n\n| what | reason | ops |\n|---|---|---|\n{rows}")
}
