//! The contract of an op as rustdoc: formula, gradient, kernels, rounding.

use super::declaration::declaration;
use super::tolerance::{factors, tolerance};
use super::{Formula, Scheduled};
use crate::ast::Item;
use crate::choose::Choice;
use crate::ir::{ArgType, Role, copies, formula, kept};
use crate::schedule::Kernel;

/// What a function does if its arguments are wrong.
#[derive(Clone, Copy)]
pub(super) enum Refusal {
    Err,
    Panic,
}

/// Lines of documentation for a function. If a call chooses among several formulas, the types of the ops have
/// the contract of each.
pub(super) fn function(choices: &[Choice], formulas: &[Formula], refusal: Refusal) -> Vec<String> {
    let mut lines = match formulas {
        [one] if choices.is_empty() => contract(one),
        _ => {
            let mut lines = [String::new(), " # Formulas".to_string(), String::new()].to_vec();
            lines.push(" A call chooses one of these ops, whose docs have their gradients.".to_string());
            for formula in formulas {
                let ty = super::op_type(&formula.item.name);
                lines.extend([String::new(), format!(" [`{ty}`], where {}:", chosen(choices, formula))]);
                lines.extend(code(&written(formula)));
            }
            lines
        }
    };
    lines.push(String::new());
    lines.extend(refused(refusal).map(str::to_string));
    lines
}

/// The docs of the types of an op.
pub(super) struct OpDocs {
    pub(super) forward: Vec<String>,
    pub(super) backward: String,
}

/// Documentation for the types of one formula.
pub(super) fn op_type(written: &Item, choices: &[Choice], formula: &Formula) -> OpDocs {
    let (name, ty) = (&written.name, super::op_type(&formula.item.name));
    if choices.is_empty() {
        let forward = vec![format!(" The op behind [`{name}`].")];
        return OpDocs { forward, backward: format!(" The gradient of [`{name}`].") };
    }
    let first = format!(" The op behind [`{name}`], where {}.", chosen(choices, formula));
    let forward = std::iter::once(first).chain(contract(formula)).collect();
    OpDocs { forward, backward: format!(" The gradient of [`{ty}`].") }
}

/// `` `bias` is passed and `reduction` is `Reduction::Mean` ``.
pub(super) fn chosen(choices: &[Choice], formula: &Formula) -> String {
    let values = choices.iter().zip(&formula.picks).map(|(choice, pick)| choice.text(*pick));
    values.collect::<Vec<_>>().join(" and ")
}

/// The declaration with its formula. The source still has `stop_grad`, which the graph that is run has lost.
pub(super) fn written(formula: &Formula) -> String {
    declaration(&formula.forward.source.with_results(false))
}

fn contract(op: &Formula) -> Vec<String> {
    let Formula { forward, backward, .. } = op;
    let backward = backward.as_ref();
    let mut lines = [String::new(), " # Formula".to_string(), String::new()].to_vec();
    lines.extend(code(&written(op)));
    lines.extend([String::new(), " # Gradient".to_string(), String::new()]);
    match backward {
        Some(backward) => {
            lines.extend(code(&formula(&backward.graph)));
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
pub(super) fn saved(backward: &Scheduled) -> String {
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
