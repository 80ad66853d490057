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
    let args: Vec<String> = graph.declared_args().iter().map(|arg| argument(graph, arg)).collect();
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

fn argument(graph: &Graph, arg: &Arg) -> String {
    let name = word(&arg.name);
    let with_default = |ty: &str, default: Option<String>| match default {
        Some(value) => format!("#[default({value})] {name}: {ty}"),
        None => format!("{name}: {ty}"),
    };
    match &arg.ty {
        ArgType::Tensor { kind: Kind::Float, axes, no_grad: true } => {
            format!("#[no_grad] {name}: {}", tensor(graph, Kind::Float, axes))
        }
        ArgType::Tensor { kind, axes, no_grad: _ } => format!("{name}: {}", tensor(graph, *kind, axes)),
        ArgType::Shape { axes } => format!("{name}: {}", tensor(graph, Kind::Float, axes)),
        ArgType::Scalar { ty, default } => with_default(ty.name(), default.map(|value| value.to_string())),
        ArgType::Axis { default, several: true } => with_default(AXES, default.map(|_| ALL.to_string())),
        ArgType::Axis { default, several: false } => {
            with_default(AXIS, default.map(|value| value.to_string()))
        }
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
