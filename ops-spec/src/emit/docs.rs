//! The contract of an op as rustdoc: formula, gradient, kernels, rounding.

use super::Scheduled;
use super::declaration::declaration;
use super::tolerance::{factors, tolerance};
use crate::ir::{ArgType, Role, SCATTER_ADD, copies, formula, kept};
use crate::schedule::Kernel;

/// What a function does if its arguments are wrong.
#[derive(Clone, Copy)]
pub(super) enum Refusal {
    Err,
    Panic,
}

/// Lines of documentation.
pub(super) fn contract(forward: &Scheduled, backward: Option<&Scheduled>, refusal: Refusal) -> Vec<String> {
    let mut lines = [String::new(), " # Formula".to_string(), String::new()].to_vec();
    // The source still has `stop_grad`, which the graph that is run has lost.
    lines.extend(code(&declaration(&forward.source.with_results(false))));
    lines.extend([String::new(), " # Gradient".to_string(), String::new()]);
    match backward {
        Some(backward) => {
            let gradient = formula(&backward.graph);
            let is_foreign = gradient.contains("scatter_add(");
            lines.extend(code(&gradient));
            lines.extend(
                is_foreign.then(|| [String::new(), format!(" {SCATTER_ADD}.")]).into_iter().flatten(),
            );
            lines.extend([String::new(), format!(" Saved for it: {}.", saved(backward))]);
            if forward.graph.outputs.iter().any(|output| output.hidden) {
                lines.extend([
                    " Of these, only a call whose gradient may be asked for computes".to_string(),
                    String::new(),
                ]);
                lines.extend(code(&kept(&forward.graph, &backward.graph)));
                lines.extend(copies(&forward.graph).into_iter().map(|(copy, result)| {
                    format!(" `{copy}` is `{result}` before it is rounded to f16 or bf16. In f32 and f64 they are one tensor.")
                }));
            }
        }
        None => lines.push(" No input has one.".to_string()),
    }
    lines.extend([String::new(), " # Kernels".to_string(), String::new()]);
    lines.push(format!(" Forward: {}.", kernels(forward)));
    if let Some(backward) = backward {
        lines.push(format!(" Backward: {}.", kernels(backward)));
    }
    lines.extend([String::new(), " # Rounding".to_string(), String::new()]);
    for (name, op) in [("Forward", Some(forward)), ("Backward", backward)] {
        let Some(op) = op else { continue };
        lines.push(format!(" {name}: {}.", tolerance(&op.graph)));
        lines.extend(factors(op).map(|sentence| format!(" {sentence}")));
    }
    lines.extend([
        " An ulp is a unit in the last place, of f64 for f64 and of f32 for other floats; f16 and bf16 are rounded once more when".to_string(),
        " stored. In brackets, together and relative to the largest value on the way. A sum of n terms, such as the gradient of an".to_string(),
        " argument that was broadcast, is off by up to n roundings of the sum of their magnitudes. The generated tests hold each element".to_string(),
        " to this, and to what it makes of the values.".to_string(),
    ]);
    lines.push(String::new());
    lines.extend(refused(refusal).map(str::to_string));
    lines
}

fn refused(refusal: Refusal) -> [&'static str; 4] {
    match refusal {
        Refusal::Err => [
            " # Errors",
            "",
            " Sizes, dtypes or devices that disagree, an index out of range, and a dtype that the device lacks; the error names the",
            " argument and the dim.",
        ],
        Refusal::Panic => [
            " # Panics",
            "",
            " If sizes, dtypes or devices disagree, an index is out of range on a CPU, or the device lacks a dtype; the message names the",
            " argument and the dim.",
        ],
    }
}

fn code(text: &str) -> Vec<String> {
    let body = text.lines().map(|line| format!(" {line}"));
    std::iter::once(" ```text".to_string()).chain(body).chain([" ```".to_string()]).collect()
}

/// What autodiff keeps between the passes.
fn saved(backward: &Scheduled) -> String {
    let parts = backward.graph.args.iter().filter_map(|arg| match (&arg.ty, arg.role) {
        (_, Role::Grad(_)) | (ArgType::Scalar { .. } | ArgType::Axis { .. }, _) => None,
        (ArgType::Shape { .. }, _) => Some(format!("the shape of `{}`", arg.name)),
        (ArgType::Tensor { .. }, _) => Some(format!("`{}`", arg.name)),
    });
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() { "nothing".to_string() } else { parts.join(", ") }
}

/// `2 (row, contraction)`.
fn kernels(op: &Scheduled) -> String {
    let names: Vec<&str> = op.schedule.kernels.iter().map(Kernel::name).collect();
    match names.len() {
        0 => "none".to_string(),
        count => format!("{count} ({})", names.join(", ")),
    }
}
