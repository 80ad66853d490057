//! Which derivatives of an op the generated tests compare with differences, and why not the others.

use crate::ast::TestClaim;
use crate::compile::Compiled;
use crate::emit::{Formula, claims};
use crate::grad::{NoGradient, backward, without_given};
use crate::ir::{ArgType, Kind};
use std::collections::BTreeSet;
use std::fmt;

/// What the tests of an op's formulas leave out, with the reason.
pub(super) struct Derivatives {
    has_gradient: bool,
    left_out: BTreeSet<(&'static str, String)>,
}

const GRADIENT: &str = "gradient";
const FIRST: &str = "first order";
const SECOND: &str = "second order";
const FORWARD: &str = "forward mode";
const RULE: &str = "given rule";

impl Derivatives {
    pub(super) fn of(op: &Compiled) -> Derivatives {
        let formulas: Vec<&Formula> =
            op.formulas.iter().filter(|formula| formula.backward.is_some()).collect();
        let left_out = match &formulas[..] {
            [] => op.formulas.iter().map(|formula| (GRADIENT, no_gradient(op, formula))).collect(),
            formulas => formulas.iter().flat_map(|formula| of_formula(op, formula)).collect(),
        };
        Derivatives { has_gradient: !formulas.is_empty(), left_out }
    }

    pub(super) fn has_gradient(&self) -> bool {
        self.has_gradient
    }

    /// Whether the op has a gradient, whose first and second order the tests compare.
    pub(super) fn are_all_compared(&self) -> bool {
        self.has_gradient && !self.lacks(FIRST) && !self.lacks(SECOND)
    }

    pub(super) fn left_out(self) -> BTreeSet<(&'static str, String)> {
        self.left_out
    }

    fn lacks(&self, what: &str) -> bool {
        self.left_out.iter().any(|(missing, _)| *missing == what)
    }
}

impl fmt::Display for Derivatives {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            _ if !self.has_gradient => "no gradient",
            _ if self.lacks(FIRST) => "nothing",
            _ if self.lacks(SECOND) => "first order",
            _ => "second order",
        })?;
        let forward = if self.lacks(FORWARD) && !self.lacks(FIRST) { ", not forward mode" } else { "" };
        f.write_str(forward)
    }
}

/// Why no argument of a formula has a gradient.
fn no_gradient(op: &Compiled, formula: &Formula) -> String {
    let graph = &formula.forward.graph;
    let is_float = |ty: &ArgType| matches!(ty, ArgType::Tensor { kind: Kind::Float, .. });
    let reason = if graph.outputs.iter().all(|output| graph.node(output.node).kind != Kind::Float) {
        "the results are ints or bools"
    } else if !op.item.no_grad && !graph.declared_args().iter().any(|arg| is_float(&arg.ty)) {
        "no argument is a tensor of floats"
    } else {
        "declared with `#[no_grad]`"
    };
    reason.to_string()
}

/// What the tests of a formula that has a gradient leave out.
fn of_formula(op: &Compiled, formula: &Formula) -> Vec<(&'static str, String)> {
    let tests = &op.item.tests;
    if !tests.generated {
        return vec![(FIRST, "`tests = false`".to_string())];
    }
    let claims = claims(formula);
    let Some(gradient) = &formula.backward else { return vec![] };
    let why = |claim: TestClaim, otherwise: &dyn Fn() -> Option<String>| {
        if tests.skip.contains(&claim) {
            Some(format!("the declaration has `tests(skip = {})`", claim.test()))
        } else if claims.contains(&claim) {
            None
        } else {
            otherwise()
        }
    };
    let source = &formula.forward.source;
    let flat = || Some(backward(&without_given(source)).err().map_or_else(in_f64, reasons));
    if let Some(reason) = why(TestClaim::Gradcheck, &flat) {
        return vec![(FIRST, reason)];
    }
    let second = match backward(&gradient.source) {
        Ok(_) => why(TestClaim::Gradgradcheck, &flat),
        Err(missing) => Some(format!("the gradient has none: {}", reasons(missing))),
    };
    let forward = || Some("a given rule is not linear in the gradient".to_string());
    let found = [
        (SECOND, second),
        (FORWARD, why(TestClaim::Jvp, &forward)),
        (RULE, why(TestClaim::GivenRule, &|| None)),
    ];
    found.into_iter().filter_map(|(what, why)| Some((what, why?))).collect()
}

fn in_f64() -> String {
    "the declaration's dtypes leave out f64".to_string()
}

/// The reasons why a formula has no gradient, each once.
fn reasons(missing: Vec<NoGradient>) -> String {
    let reasons: BTreeSet<String> = missing.into_iter().map(|missing| missing.reason).collect();
    reasons.into_iter().collect::<Vec<_>>().join("; ")
}
