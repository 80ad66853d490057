//! The contract of an op as rustdoc: formula, gradient, kernels with their picture, rounding.

use super::declaration::declaration;
use super::picture;
use super::tolerance::rounding;
use super::{Formula, Scheduled};
use crate::ast::Item;
use crate::choose::Choice;
use crate::ir::{Arg, ArgType, FloatWidth, Graph, Role, copies, formula, kept};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Visibility;

/// Where the bounds of tests are explained.
const TOLERANCES: &str =
    "https://github.com/tensor-op/tensor-op/blob/main/docs/testing.md#where-tolerances-come-from";

/// What a function does if its arguments are wrong.
#[derive(Clone, Copy)]
pub(super) enum Refusal {
    Err,
    Panic,
}

/// A part of documentation.
pub(super) enum Doc {
    Line(String),
    /// The attribute with the picture of the kernels.
    Picture(TokenStream),
}

impl ToTokens for Doc {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match self {
            Doc::Line(line) => quote!(#[doc = #line]),
            Doc::Picture(attribute) => attribute.clone(),
        });
    }
}

/// Documentation for a function. If a call chooses among several formulas, the types of the ops have
/// the contract of each.
pub(super) fn function(choices: &[Choice], formulas: &[Formula], refusal: Refusal) -> Vec<Doc> {
    let mut docs = match formulas {
        [one] if choices.is_empty() => contract(one),
        _ => {
            let mut lines = [String::new(), " # Formulas".to_string(), String::new()].to_vec();
            lines.push(" A call chooses one of these ops, whose docs have their gradients.".to_string());
            for formula in formulas {
                let ty = super::op_type(&formula.item.name);
                lines.extend([String::new(), format!(" [`{ty}`], where {}:", chosen(choices, formula))]);
                lines.extend(code(&written(formula)));
            }
            lines.into_iter().map(Doc::Line).collect()
        }
    };
    docs.push(Doc::Line(String::new()));
    docs.extend(refused(refusal).map(|line| Doc::Line(line.to_string())));
    docs
}

/// The same without the picture, which another item of the op has.
pub(super) fn without_picture(mut docs: Vec<Doc>) -> Vec<Doc> {
    docs.retain(|doc| matches!(doc, Doc::Line(_)));
    docs
}

/// The docs of the types of an op.
pub(super) struct OpDocs {
    pub(super) forward: Vec<Doc>,
    pub(super) backward: Vec<Doc>,
}

/// Documentation for the types of one formula.
pub(super) fn op_type(written: &Item, choices: &[Choice], formula: &Formula) -> OpDocs {
    let (name, ty) = (&written.name, super::op_type(&formula.item.name));
    if choices.is_empty() {
        let one = |line| vec![Doc::Line(line)];
        return OpDocs {
            forward: one(format!(" The op behind [`{name}`].")),
            backward: one(format!(" The gradient of [`{name}`].")),
        };
    }
    let first = format!(" The op behind [`{name}`], where {}.", chosen(choices, formula));
    let forward = std::iter::once(Doc::Line(first)).chain(contract(formula)).collect();
    OpDocs { forward, backward: vec![Doc::Line(format!(" The gradient of [`{ty}`]."))] }
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

fn contract(op: &Formula) -> Vec<Doc> {
    let Formula { forward, backward, .. } = op;
    let backward = backward.as_ref();
    let title = |title: &str| [String::new(), format!(" # {title}"), String::new()];
    let mut lines = title("Formula").to_vec();
    lines.extend(code(&written(op)));
    lines.extend(title("Gradient"));
    lines.extend(gradient(forward, backward));
    lines.extend(title("Kernels"));
    lines.push(format!(" Forward: {}.", kernels(forward, forward)));
    if let Some(backward) = backward {
        lines.extend([String::new(), format!(" Backward: {}.", kernels(backward, forward)), String::new()]);
    }
    lines.extend([
        " Ideal traffic reads each argument once and writes each result once; a gather may read less. Bytes are those of f32 and".to_string(),
        " i64. A dim stands for its size, and `..` for the number of elements along its axes.".to_string(),
    ]);
    let mut docs: Vec<Doc> = lines.into_iter().map(Doc::Line).collect();
    // rustdoc shows nothing else, if it is not asked to.
    if matches!(op.item.vis, Visibility::Public(_)) {
        docs.extend([Doc::Line(String::new()), Doc::Picture(picture::attribute(op))]);
    }
    let lines = title("Rounding").into_iter().chain(rounded(forward, backward));
    docs.extend(lines.map(Doc::Line));
    docs
}

fn gradient(forward: &Scheduled, backward: Option<&Scheduled>) -> Vec<String> {
    let Some(backward) = backward else { return vec![" No input has one.".to_string()] };
    let mut lines = code(&formula(&backward.graph));
    lines.extend([String::new(), format!(" Saved for it: {}.", saved(&backward.graph, &forward.graph))]);
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
    lines
}

fn rounded(forward: &Scheduled, backward: Option<&Scheduled>) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, op) in [("Forward", Some(forward)), ("Backward", backward)] {
        let Some(op) = op else { continue };
        let mut sentences = rounding(op).into_iter();
        lines.extend(sentences.next().map(|first| format!(" {name}: {first}")));
        lines.extend(sentences.map(|sentence| format!(" {sentence}")));
    }
    lines.extend([
        " An ulp is a unit in the last place, of f64 for f64 and of f32 for other floats; f16 and bf16 are rounded once more when".to_string(),
        " stored. In brackets, together and relative to the largest value on the way. A sum of n terms, such as the gradient of an".to_string(),
        " argument that was broadcast, is off by up to n roundings of the sum of their magnitudes. [The generated tests][tolerances]".to_string(),
        " hold each element to this, and to what it makes of the values.".to_string(),
        String::new(),
        format!(" [tolerances]: {TOLERANCES}"),
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
pub(super) fn saved(backward: &Graph, forward: &Graph) -> String {
    let parts = backward.args.iter().filter_map(|arg| match (&arg.ty, arg.role) {
        (_, Role::Grad(_)) | (ArgType::Scalar { .. } | ArgType::Axis { .. }, _) => None,
        (ArgType::Shape { .. }, _) => Some(format!("the shape of `{}`", arg.name)),
        (ArgType::Tensor { .. }, _) => Some(format!("`{}`", arg.name)),
    });
    let parts: Vec<String> = parts.collect();
    let bytes = backward.saved_bytes(forward, FloatWidth::Single).text(backward);
    match (parts.is_empty(), backward.args.iter().any(Arg::is_saved)) {
        (true, _) => "nothing".to_string(),
        (false, false) => parts.join(", "),
        (false, true) => format!("{}, together `{}` bytes", parts.join(", "), bytes),
    }
}

/// `` 2 kernels: a loop over elements; a product of matrices. Ideal traffic: `8·n` bytes ``.
fn kernels(op: &Scheduled, forward: &Scheduled) -> String {
    let kernels = &op.schedule.kernels;
    let count = match kernels.len() {
        0 => return "no kernel".to_string(),
        1 => "one kernel".to_string(),
        count => format!("{count} kernels"),
    };
    let alike = kernels.chunk_by(|a, b| a.explained() == b.explained());
    let explained = alike.map(|run| match run {
        [one] => one.explained().to_string(),
        several => format!("{}, {} times", several[0].explained(), several.len()),
    });
    let explained = explained.collect::<Vec<_>>().join("; ");
    let ideal = op.graph.ideal_bytes(&forward.graph, FloatWidth::Single).text(&op.graph);
    format!("{count}: {explained}. Ideal traffic: `{ideal}` bytes")
}
