//! A declaration with its formula, for the docs: the generated signature shows neither dims nor defaults.

use crate::ast::{ALL, AXES, AXIS};
use crate::ir::{Arg, ArgType, Axis, DimId, DimKind, Graph, Kind, Output, lines, word};

/// `fn softmax(x: Tensor, axis: Axis) -> Tensor { .. }`, an argument a line if there are many. It can be
/// declared as it is printed.
pub(crate) fn declaration(graph: &Graph) -> String {
    let (lets, results) = lines(graph);
    let result = match &results[..] {
        [one] => one.clone(),
        several => format!("({})", several.join(", ")),
    };
    let body: String = lets.iter().chain([&result]).map(|line| format!("    {line}\n")).collect();
    format!("{} {{\n{body}}}", head(graph))
}

fn head(graph: &Graph) -> String {
    let lists = graph.declared_args().chunk_by(Arg::shares_list);
    let args: Vec<String> = lists.map(|args| param(graph, args)).collect();
    let results: Vec<String> = graph.outputs.iter().map(|output| result(graph, output)).collect();
    let results = match &results[..] {
        [one] => one.clone(),
        several => format!("({})", several.join(", ")),
    };
    let name = word(&graph.name);
    let line = format!("fn {name}({}) -> {results}", args.join(", "));
    if line.len() <= 100 {
        return line;
    }
    format!("fn {name}(\n    {},\n) -> {results}", args.join(",\n    "))
}

/// An argument, or the elements of a list.
fn param(graph: &Graph, args: &[Arg]) -> String {
    let ArgType::Scalar { ty, .. } = &args[0].ty else { return argument(graph, &args[0]) };
    let Some(list) = &args[0].list else { return argument(graph, &args[0]) };
    let names: Vec<String> = args.iter().map(|arg| word(&arg.name)).collect();
    let defaults: Option<Vec<String>> = args.iter().map(|arg| default(graph, arg)).collect();
    let defaults = defaults.map(|all| match all.iter().all(|one| *one == all[0]) {
        true => all[0].clone(),
        false => format!("[{}]", all.join(", ")),
    });
    let typed = format!("{} @ [{}]: [{}; {}]", word(list), names.join(", "), ty.name(), names.len());
    with_default(typed, defaults)
}

fn with_default(typed: String, default: Option<String>) -> String {
    match default {
        Some(value) => format!("#[default({value})] {typed}"),
        None => typed,
    }
}

/// The default as it is declared.
fn default(graph: &Graph, arg: &Arg) -> Option<String> {
    if let Some(like) = graph.args.iter().find(|other| arg.like.as_ref() == Some(&other.name)) {
        return Some(word(like.list.as_ref().unwrap_or(&like.name)));
    }
    match &arg.ty {
        ArgType::Tensor { .. } | ArgType::Shape { .. } => None,
        ArgType::Scalar { default, .. } => default.map(|value| value.to_string()),
        ArgType::Axis { default, several: true } => default.map(|_| ALL.to_string()),
        ArgType::Axis { default, several: false } => default.map(|value| value.to_string()),
    }
}

fn argument(graph: &Graph, arg: &Arg) -> String {
    let name = word(&arg.name);
    match &arg.ty {
        ArgType::Tensor { kind: Kind::Float, axes, no_grad: true } => {
            format!("#[no_grad] {name}: {}", tensor(graph, Kind::Float, axes))
        }
        ArgType::Tensor { kind, axes, no_grad: _ } => format!("{name}: {}", tensor(graph, *kind, axes)),
        ArgType::Shape { axes } => format!("{name}: {}", tensor(graph, Kind::Float, axes)),
        ArgType::Scalar { ty, .. } => with_default(format!("{name}: {}", ty.name()), default(graph, arg)),
        ArgType::Axis { several: true, .. } => with_default(format!("{name}: {AXES}"), default(graph, arg)),
        ArgType::Axis { several: false, .. } => with_default(format!("{name}: {AXIS}"), default(graph, arg)),
    }
}

fn result(graph: &Graph, output: &Output) -> String {
    tensor(graph, graph.node(output.node).kind, &output.axes)
}

fn tensor(graph: &Graph, kind: Kind, axes: &[Axis]) -> String {
    let name = kind.tensor();
    if matches!(axes, [Axis::Dim(dim)] if graph.group() == Some(*dim)) {
        return name.to_string();
    }
    let axes = axes.iter().map(|axis| match axis {
        Axis::Dim(dim) => self::dim(graph, *dim),
        Axis::Parts(parts) => {
            let parts: Vec<String> = parts.iter().map(|part| dim(graph, *part)).collect();
            format!("({})", parts.join(", "))
        }
    });
    format!("{name}![{}]", axes.collect::<Vec<_>>().join(", "))
}

fn dim(graph: &Graph, id: DimId) -> String {
    let dim = graph.dim(id);
    match &dim.kind {
        DimKind::Fixed(size) => format!("{} = {size}", word(&dim.name)),
        DimKind::Computed(size) => format!("{} = {}", word(&dim.name), size.text(graph)),
        DimKind::Group | DimKind::Named | DimKind::Axis(_) | DimKind::Sized(_) => word(&dim.name),
    }
}
