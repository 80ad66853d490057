//! Formulas as text: declarations with a table of them, and functions for PyTorch.

use super::case::{Arg, Case, Content};
use super::{cases, value::Value};
use std::fmt::Write;

/// `declarations.rs` of this seed: an op for each formula, and the table `CASES`.
pub fn rust(seed: u64) -> String {
    let cases = cases(seed);
    let mut text = format!(
        "//! Written by `cargo run -p tensor-op-formulas --bin families -- {seed}`.\n\n\
         use crate::case::{{Arg, Case, Content}};\nuse tensor_op::prelude::*;\n"
    );
    cases.iter().for_each(|case| text += &declaration(case));
    text += "\npub(crate) const CASES: &[Case] = &[\n";
    cases.iter().for_each(|case| text += &entry(case));
    text + "];\n"
}

/// `declarations.py` of this seed: the same formulas as functions for PyTorch.
pub fn python(seed: u64) -> String {
    let head = format!(
        "\"\"\"Written by `cargo run -p tensor-op-formulas --bin families -- {seed}`.\"\"\"\n\n\
         import torch\nimport torch.nn.functional as F\n"
    );
    cases(seed).iter().fold(head, |text, case| text + &function(case))
}

fn declaration(case: &Case) -> String {
    let dims = |case: &Case, arg: &Arg| {
        let rows = if arg.table.is_some() { "rows, " } else { "" };
        format!("{rows}{}", case.listed(arg.dims))
    };
    let tensor = |arg: &Arg| {
        let kind = match arg.content {
            Content::Float => "Tensor",
            Content::Bool => "BoolTensor",
            Content::Below(_) => "IntTensor",
        };
        // Each table has rows of its own.
        let dims = dims(case, arg).replace("rows", &format!("rows_{}", arg.name));
        format!("{}: {kind}![{dims}]", arg.name)
    };
    let args: Vec<String> = case.args.iter().map(tensor).collect();
    let result = |value: &Value| format!("Tensor![{}]", case.listed(value.dims));
    let results: Vec<String> = case.results.iter().map(result).collect();
    let values: Vec<&str> = case.results.iter().map(|value| value.rust.as_str()).collect();
    let (results, values) = (tuple(&results), tuple(&values));
    let mut text =
        format!("\n#[tensor_op(tests = false)]\nfn {}({}) -> {results} {{\n", case.name, args.join(", "));
    for (at, line) in case.lines.iter().enumerate() {
        let _ = writeln!(text, "    let v{at} = {};", bare(&line.rust));
    }
    let _ = writeln!(text, "    {values}\n}}");
    text
}

/// Several items as a tuple, one as it is.
fn tuple(items: &[impl AsRef<str>]) -> String {
    let joined = items.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join(", ");
    if items.len() == 1 { joined } else { format!("({joined})") }
}

/// Without parentheses around the whole.
fn bare(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else { return text };
    let mut depth = 0_i32;
    let closes = |letter| {
        depth += match letter {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth < 0
    };
    if inner.chars().any(closes) { text } else { inner }
}

fn entry(case: &Case) -> String {
    let args: String = case.args.iter().map(|arg| argument(case, arg)).collect();
    let names: Vec<String> = (0..case.results.len()).map(|at| format!("y{at}")).collect();
    let given: Vec<String> = (0..case.args.len()).map(|at| format!("&x[{at}]")).collect();
    format!(
        "    Case {{\n        family: \"{}\",\n        name: \"{}\",\n        args: &[\n{args}        ],\n        \
         sizes: &{},\n        run: |x| {{\n            let {} = {}({})?;\n            Ok(vec![{}])\n        }},\n    }},\n",
        case.family.name(),
        case.name,
        format!("{:?}", case.sizes).replace("], [", "], &[").replace("[[", "[&["),
        tuple(&names),
        case.name,
        given.join(", "),
        names.join(", "),
    )
}

fn argument(case: &Case, arg: &Arg) -> String {
    let content = match arg.content {
        Content::Float => "Content::Float".to_owned(),
        Content::Bool => "Content::Bool".to_owned(),
        Content::Below(end) => format!("Content::Below({end})"),
    };
    let dims: Vec<usize> = (0..case.frame.len()).filter(|at| arg.dims.has(*at)).collect();
    format!("            Arg {{ content: {content}, rows: {:?}, dims: &{dims:?} }},\n", arg.table)
}

fn function(case: &Case) -> String {
    let names: Vec<&str> = case.args.iter().map(|arg| arg.name.as_str()).collect();
    let mut text = format!("\n\ndef {}({}):\n", case.name, names.join(", "));
    let full = (1 << case.frame.len()) - 1;
    // An argument has all dims of the frame. A table has none but its own, which come last.
    for arg in case.args.iter().filter(|arg| arg.dims.0 != full && arg.table.is_none()) {
        let place = |at| if arg.dims.has(at) { ":" } else { "None" };
        let places: Vec<&str> = (0..case.frame.len()).map(place).collect();
        let _ = writeln!(text, "    {0} = {0}[{1}]", arg.name, places.join(", "));
    }
    for (at, line) in case.lines.iter().enumerate() {
        let _ = writeln!(text, "    v{at} = {}", bare(&line.torch));
    }
    let result = |value: &Value| {
        let lost: Vec<String> =
            (0..case.frame.len()).filter(|at| !value.dims.has(*at)).map(|at| at.to_string()).collect();
        if lost.is_empty() {
            value.torch.clone()
        } else {
            format!("{}.squeeze(({},))", value.torch, lost.join(", "))
        }
    };
    let results: Vec<String> = case.results.iter().map(result).collect();
    let _ = writeln!(text, "    return ({},)", results.join(", "));
    text
}
