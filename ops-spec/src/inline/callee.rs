//! What a carrier says of its op: one graph, or the arguments and a graph for each formula.

use crate::ast::{ArgType, Item, Kinds};
use crate::choose::{Choice, Values, last_word};
use crate::ir::{self, Graph, Scalar};
use std::fmt::Write;
use std::rc::Rc;
use syn::ext::IdentExt;

/// An op that a declaration calls.
#[derive(Clone, Debug)]
pub(crate) struct Callee {
    /// What a call passes, in order.
    pub(crate) params: Vec<Param>,
    /// The graph of each formula. A call chooses by its arguments, of which the first changes last.
    pub(crate) formulas: Vec<Rc<Graph>>,
}

/// What a call passes for one argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Param {
    /// The name of the argument.
    pub(crate) name: String,
    /// The list that it is an element of. A call passes a list, or one number for all of its elements.
    pub(crate) list: Option<String>,
    pub(crate) kind: ParamKind,
}

/// How a call chooses by an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ParamKind {
    /// It does not.
    Plain { has_default: bool },
    /// A tensor or `None`.
    Optional,
    /// A tensor, by the kind of its elements.
    Kind(Kinds),
    /// `true` or `false`.
    Flag { default: Option<bool> },
    /// A variant by its word.
    Enum { variants: Vec<String>, default: Option<String> },
}

impl Callee {
    /// The op of a declaration, with the graph of each formula.
    pub(crate) fn new(item: &Item, choices: &[Choice], formulas: Vec<Rc<Graph>>) -> Callee {
        let param = |(index, arg): (usize, &crate::ast::Arg)| {
            let values = choices.iter().find(|choice| choice.arg == index).map(|choice| &choice.values);
            let kind = match values {
                None => ParamKind::Plain {
                    has_default: arg.default_arg.is_some()
                        || arg.default.is_some() && matches!(arg.ty, ArgType::Scalar(_) | ArgType::Number),
                },
                Some(Values::Optional) => ParamKind::Optional,
                Some(Values::Kind(kinds)) => ParamKind::Kind(*kinds),
                Some(Values::Flag) => {
                    ParamKind::Flag { default: arg.default.map(|default| default == Scalar::Bool(true)) }
                }
                Some(Values::Enum(paths)) => ParamKind::Enum {
                    variants: paths.iter().map(last_word).collect(),
                    default: arg.default_variant.as_ref().map(last_word),
                },
            };
            let list = arg.list.as_ref().map(|list| list.unraw().to_string());
            Param { name: arg.name.unraw().to_string(), list, kind }
        };
        Callee { params: item.args.iter().enumerate().map(param).collect(), formulas }
    }

    /// An op of one formula.
    fn of_graph(graph: Graph) -> Callee {
        let param = |arg: &ir::Arg| {
            let kind = ParamKind::Plain { has_default: arg.has_default() };
            Param { name: arg.name.clone(), list: arg.list.clone(), kind }
        };
        Callee { params: graph.args.iter().map(param).collect(), formulas: vec![Rc::new(graph)] }
    }

    /// The text that a carrier carries. For a declaration with mistakes there is no callee.
    pub(crate) fn text(callee: Option<&Callee>) -> String {
        let mut text = format!("{HEAD}\n");
        let Some(callee) = callee else { return text };
        let plain = |graph: &Graph| {
            let mut graph = graph.clone();
            // Names of `let`s mean nothing to a caller.
            graph.nodes.iter_mut().for_each(|node| node.name = None);
            graph.to_string()
        };
        if let [graph] = &callee.formulas[..] {
            return text + &plain(graph);
        }
        for param in &callee.params {
            let _ = writeln!(text, "{ARGUMENT}{}", param.text());
        }
        for graph in &callee.formulas {
            let _ = write!(text, "{FORMULA}\n{}", plain(graph));
        }
        text
    }

    /// Reads the text of a carrier. `None` if the declaration has mistakes.
    pub(crate) fn read(text: &str) -> Result<Option<Callee>, String> {
        let (head, rest) = text.trim_start().split_once('\n').unwrap_or((text, ""));
        if head != HEAD {
            return Err(format!(
                "was declared with {head} and is called with {HEAD}: use one version in both crates"
            ));
        }
        if rest.trim().is_empty() {
            return Ok(None);
        }
        let graph = |text: &str| Graph::parse(text).map_err(|error| format!("carries no graph: {error}"));
        if !rest.starts_with(ARGUMENT) {
            return graph(rest).map(Callee::of_graph).map(Some);
        }
        let separator = format!("{FORMULA}\n");
        let mut parts = rest.split(separator.as_str());
        let lines = parts.next().unwrap_or_default().lines();
        let params: Vec<Param> =
            lines.filter_map(|line| line.strip_prefix(ARGUMENT)).filter_map(Param::read).collect();
        let formulas: Vec<Rc<Graph>> =
            parts.map(|text| graph(text).map(Rc::new)).collect::<Result<_, _>>()?;
        if params.iter().map(|param| param.kind.count()).product::<usize>() != formulas.len() {
            return Err("carries no formula for each choice".to_string());
        }
        Ok(Some(Callee { params, formulas }))
    }
}

/// The first line of a carried text. Only the release that wrote a graph can read it.
const HEAD: &str = concat!("tensor-op ", env!("CARGO_PKG_VERSION"));
/// A line for each argument, if there are several formulas.
const ARGUMENT: &str = "argument ";
/// The line before the graph of a formula. No line of a graph is this word alone.
const FORMULA: &str = "formula";

impl Param {
    /// `reduction enum None Mean Sum = Mean`.
    fn text(&self) -> String {
        let default = |value: Option<String>| value.map(|value| format!(" = {value}")).unwrap_or_default();
        let kind = match &self.kind {
            ParamKind::Plain { has_default: false } => "plain".to_string(),
            ParamKind::Plain { has_default: true } => "default".to_string(),
            ParamKind::Optional => "optional".to_string(),
            ParamKind::Kind(kinds) => kinds.tensor().to_string(),
            ParamKind::Flag { default: value } => {
                format!("bool{}", default(value.map(|value| value.to_string())))
            }
            ParamKind::Enum { variants, default: value } => {
                format!("enum {}{}", variants.join(" "), default(value.clone()))
            }
        };
        let list = self.list.as_ref().map(|list| format!("{list}@")).unwrap_or_default();
        format!("{list}{} {kind}", self.name)
    }

    fn read(text: &str) -> Option<Param> {
        let (text, default) = match text.split_once(" = ") {
            Some((text, default)) => (text, Some(default.to_string())),
            None => (text, None),
        };
        let mut words = text.split(' ').map(str::to_string);
        let name = words.next()?;
        let (list, name) = match name.split_once('@') {
            Some((list, name)) => (Some(list.to_string()), name.to_string()),
            None => (None, name),
        };
        let kind = match words.next()?.as_str() {
            "plain" => ParamKind::Plain { has_default: false },
            "default" => ParamKind::Plain { has_default: true },
            "optional" => ParamKind::Optional,
            "bool" => ParamKind::Flag { default: default.map(|value| value == "true") },
            "enum" => ParamKind::Enum { variants: words.collect(), default },
            word => ParamKind::Kind(Kinds::ALL.into_iter().find(|kinds| kinds.tensor() == word)?),
        };
        Some(Param { name, list, kind })
    }
}

impl ParamKind {
    /// The number of values among which a call chooses.
    pub(crate) fn count(&self) -> usize {
        match self {
            ParamKind::Plain { .. } => 1,
            ParamKind::Optional | ParamKind::Flag { .. } => 2,
            ParamKind::Kind(kinds) => kinds.list().len(),
            ParamKind::Enum { variants, .. } => variants.len(),
        }
    }

    /// Whether a call chooses by the kind of what is passed.
    pub(crate) fn is_kind(&self) -> bool {
        matches!(self, ParamKind::Kind(_))
    }

    /// Whether a call may leave it out at the end.
    pub(crate) fn has_default(&self) -> bool {
        match self {
            ParamKind::Plain { has_default } => *has_default,
            ParamKind::Optional | ParamKind::Kind(_) => false,
            ParamKind::Flag { default } => default.is_some(),
            ParamKind::Enum { default, .. } => default.is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Kinds, Param, ParamKind};

    /// An argument reads as what it was.
    #[test]
    fn arguments_as_text() {
        let variants = vec!["None".to_string(), "Mean".to_string()];
        let kinds = [
            ParamKind::Plain { has_default: false },
            ParamKind::Plain { has_default: true },
            ParamKind::Optional,
            ParamKind::Kind(Kinds::Numbers),
            ParamKind::Kind(Kinds::All),
            ParamKind::Flag { default: None },
            ParamKind::Flag { default: Some(false) },
            ParamKind::Enum { variants: variants.clone(), default: None },
            ParamKind::Enum { variants, default: Some("Mean".to_string()) },
        ];
        for kind in kinds {
            for list in [None, Some("list".to_string())] {
                let param = Param { name: "x".to_string(), list, kind: kind.clone() };
                assert_eq!(Param::read(&param.text()), Some(param));
            }
        }
        assert_eq!(Param::read("x other"), None);
    }
}
