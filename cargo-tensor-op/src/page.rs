//! What is said of an op, in sections. Text, SVG and HTML show the same page.

use crate::sizes::Sizes;
use crate::traffic;
use tensor_op_spec::ir::{
    Arg, ArgType, Axis, Bytes, DimId, DimKind, FloatWidth, Graph, copies, formula, kept,
};
use tensor_op_spec::picture::{Picture, axes_text};
use tensor_op_spec::schedule::schedule_for_gpu;
use tensor_op_spec::{Explained, Explanation, Planned};

/// For which processor kernels are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Processor {
    Cpu,
    Gpu,
}

/// What the user asks for.
pub(crate) struct Settings {
    pub(crate) processor: Processor,
    pub(crate) dtype: DType,
    pub(crate) sizes: Sizes,
    pub(crate) rate: Option<crate::rate::Rate>,
}

/// The dtype of floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DType {
    F64,
    F32,
    F16,
    Bf16,
}

impl DType {
    pub(crate) const ALL: [DType; 4] = [DType::F64, DType::F32, DType::F16, DType::Bf16];

    pub(crate) fn name(self) -> &'static str {
        match self {
            DType::F64 => "f64",
            DType::F32 => "f32",
            DType::F16 => "f16",
            DType::Bf16 => "bf16",
        }
    }

    pub(crate) fn width(self) -> FloatWidth {
        match self {
            DType::F64 => FloatWidth::Double,
            DType::F32 => FloatWidth::Single,
            DType::F16 | DType::Bf16 => FloatWidth::Half,
        }
    }
}

/// An op.
pub(crate) struct Page {
    pub(crate) path: String,
    pub(crate) location: String,
    /// The declaration as it stands in the file.
    pub(crate) source: String,
    pub(crate) formulas: Vec<FormulaPage>,
    /// Whether sizes are given, so that traffic is in numbers.
    pub(crate) has_sizes: bool,
}

/// One formula of an op.
pub(crate) struct FormulaPage {
    /// What a call chooses to get it; empty if there is nothing to choose.
    pub(crate) choice: String,
    pub(crate) sections: Vec<Section>,
}

/// The title of the formula's section.
pub(crate) const FORMULA: &str = "Formula, with what it calls in place";
/// The title of the section with the derived gradient, and what is saved for it.
pub(crate) const GRADIENT: &str = "Gradient";

/// The beginning of the title of the section with the traffic.
pub(crate) const TRAFFIC: &str = "Traffic";

/// A part of a page.
pub(crate) struct Section {
    pub(crate) title: String,
    pub(crate) body: Body,
}

pub(crate) enum Body {
    /// Sentences.
    Text(Vec<String>),
    /// Lines of formulas, or of a table.
    Code(Vec<String>),
    Kernels(Box<Picture>, Graph),
}

impl Page {
    pub(crate) fn new(
        [path, location, source]: [String; 3],
        explained: &Explained,
        shown: &[&Explanation],
        settings: &Settings,
    ) -> Result<Page, String> {
        let has_choices = explained.formulas.len() > 1;
        let formulas = shown.iter().map(|one| FormulaPage::new(one, has_choices, settings));
        let formulas = formulas.collect::<Result<_, _>>()?;
        Ok(Page { path, location, source, formulas, has_sizes: !settings.sizes.is_empty() })
    }
}

impl FormulaPage {
    fn new(own: &Explanation, has_choices: bool, settings: &Settings) -> Result<FormulaPage, String> {
        let floats = settings.dtype.width();
        let forward = planned(&own.forward, settings.processor);
        let backward = own.backward.as_ref().map(|op| planned(op, settings.processor));
        let graph = &forward.graph;
        let lines = |text: &str| text.lines().map(str::to_string).collect::<Vec<_>>();
        let section = |title: &str, body| Section { title: title.to_string(), body };
        let mut sections = vec![
            section(FORMULA, Body::Code(lines(&own.declaration))),
            section("Dims", Body::Text(dims(graph))),
            section("Arguments", Body::Text(arguments(graph))),
            section(GRADIENT, gradient(own, &forward, backward.as_ref(), settings)),
        ];
        let name = match settings.processor {
            Processor::Cpu => "CPU",
            Processor::Gpu => "GPU",
        };
        let picture = Picture::new(forward.plan(), graph, floats);
        let pictures = backward.as_ref().map(|op| Picture::new(op.plan(), graph, floats));
        let table = traffic::table(&forward, &picture, backward.as_ref().zip(pictures.as_ref()), settings)?;
        let kernels = |what: &str| format!("Kernels, {what} ({name})");
        sections.push(section(&kernels("forward"), Body::Kernels(Box::new(picture), graph.clone())));
        if let (Some(op), Some(picture)) = (&backward, pictures) {
            sections.push(section(&kernels("backward"), Body::Kernels(Box::new(picture), op.graph.clone())));
        }
        sections.push(section(&format!("{TRAFFIC}, {}", settings.dtype.name()), Body::Code(table)));
        sections.push(section("Tolerance of the generated tests", Body::Text(tolerance(own))));
        let choice = own.picks.iter().map(|pick| pick.text.as_str()).collect::<Vec<_>>().join(" and ");
        Ok(FormulaPage { choice: if has_choices { choice } else { String::new() }, sections })
    }
}

/// An op with its kernels for a processor.
pub(crate) fn planned(op: &Planned, processor: Processor) -> Planned {
    match processor {
        Processor::Cpu => op.clone(),
        Processor::Gpu => {
            let schedule = schedule_for_gpu(&op.graph);
            Planned { schedule, ..op.clone() }
        }
    }
}

/// Lines of two columns.
fn columns(rows: Vec<(String, String)>) -> Vec<String> {
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
    rows.into_iter().map(|(name, text)| format!("{name:width$}  {text}")).collect()
}

fn dims(graph: &Graph) -> Vec<String> {
    let arg = |at: usize| graph.args.get(at).map_or("", |arg| arg.name.as_str());
    let row = |at: usize| {
        let dim = &graph.dims[at];
        let text = match &dim.kind {
            DimKind::Group => {
                "a group of any number of axes; its size is the number of its elements".to_string()
            }
            DimKind::Named => format!("an axis of {}", carriers(graph, DimId::new(at))),
            DimKind::Axis(own) => format!("what the argument `{}` chooses", arg(*own)),
            DimKind::Sized(own) => format!("its size is the argument `{}`", arg(*own)),
            DimKind::Fixed(size) => format!("its size is {size}"),
            DimKind::Computed(size) => format!("its size is {}", size.text(graph)),
        };
        (dim.name.clone(), text)
    };
    let rows: Vec<(String, String)> = (0..graph.dims.len()).map(row).collect();
    if rows.is_empty() { vec!["none".to_string()] } else { columns(rows) }
}

/// The arguments with a dim.
fn carriers(graph: &Graph, dim: DimId) -> String {
    let has = |axes: &[Axis]| {
        axes.iter().any(|axis| match axis {
            Axis::Dim(own) => *own == dim,
            Axis::Parts(parts) => parts.contains(&dim),
        })
    };
    let names = graph.args.iter().filter(|arg| match &arg.ty {
        ArgType::Tensor { axes, .. } | ArgType::Shape { axes } => has(axes),
        ArgType::Scalar { .. } | ArgType::Axis { .. } => false,
    });
    let names: Vec<String> = names.map(|arg| format!("`{}`", arg.name)).collect();
    if names.is_empty() { "values of the formula alone".to_string() } else { names.join(", ") }
}

fn arguments(graph: &Graph) -> Vec<String> {
    let row = |(at, arg): (usize, &Arg)| {
        let text = match &arg.ty {
            ArgType::Tensor { kind, no_grad, axes } => {
                let gradient = match (kind, no_grad) {
                    (tensor_op_spec::ir::Kind::Float, true) => ", without a gradient",
                    _ => "",
                };
                format!("{} {}{gradient}", kind.tensor(), axes_text(graph, axes, graph.arg_dims(at)))
            }
            ArgType::Shape { .. } => "a shape".to_string(),
            ArgType::Scalar { ty, default } => {
                let default = default.map(|value| format!(", {value} if left out")).unwrap_or_default();
                format!("{}{default}", ty.name())
            }
            ArgType::Axis { several, .. } => if *several { "Axes" } else { "Axis" }.to_string(),
        };
        (arg.name.clone(), text)
    };
    let rows: Vec<(String, String)> = graph.declared_args().iter().enumerate().map(row).collect();
    if rows.is_empty() { vec!["none".to_string()] } else { columns(rows) }
}

/// The gradient as formulas, and what is saved for it.
fn gradient(own: &Explanation, forward: &Planned, backward: Option<&Planned>, settings: &Settings) -> Body {
    let Some(backward) = backward else { return Body::Text(vec!["No input has one.".to_string()]) };
    let mut lines: Vec<String> = formula(&backward.graph).lines().map(str::to_string).collect();
    let hidden = forward.graph.outputs.iter().any(|output| output.hidden);
    if hidden {
        lines.extend(["".to_string(), "with, from the forward pass,".to_string()]);
        lines.extend(kept(&forward.graph, &backward.graph).lines().map(str::to_string));
    }
    lines.push(String::new());
    if own.has_given_rule {
        lines.push("The declaration gives a rule for it.".to_string());
    }
    let graph = &backward.graph;
    let saved: Vec<usize> = (0..graph.args.len()).filter(|at| graph.args[*at].is_saved()).collect();
    let names: Vec<String> = saved.iter().map(|at| graph.args[*at].name.clone()).collect();
    let bytes = saved.iter().map(|at| graph.arg_bytes(*at, &forward.graph, settings.dtype.width()));
    let bytes: Bytes = bytes.sum();
    lines.push(match names.is_empty() {
        true => "Saved for it: nothing".to_string(),
        false => format!(
            "Saved for it: {}: {} B in {}",
            names.join(", "),
            bytes.text(graph),
            settings.dtype.name()
        ),
    });
    lines.extend(copies(&forward.graph).into_iter().map(|(copy, result)| {
        format!("{copy} is {result} before it is rounded to a half; in f32 and f64 they are one tensor.")
    }));
    Body::Code(lines)
}

fn tolerance(own: &Explanation) -> Vec<String> {
    let sides = [("Forward", Some(&own.forward)), ("Backward", own.backward.as_ref())];
    let mut lines: Vec<String> = Vec::new();
    for (name, op) in sides {
        let Some(op) = op else { continue };
        let mut sentences = op.rounding.iter();
        lines.extend(sentences.next().map(|first| format!("{name}: {first}")));
        lines.extend(sentences.cloned());
    }
    lines.push(
        "The bound of each element is computed with its value, when a test runs: see docs/testing.md, \"Where tolerances come from\"."
            .to_string(),
    );
    lines
}
