//! Given gradients: lowers the rules of `#[grad(..)]` over the values of the formula, and attaches them to
//! the results.

use super::names::{did_you_mean, nearest};
use super::scope::Scope;
use super::{Lower, LoweredRule, Term, output_names};
use crate::ast::{ArgType, Item, Rule};
use crate::grad;
use crate::ir::{Builder, GivenRule, Kind, Node, NodeId, Op, Scalar};
use crate::prim::{Fold, Prim};
use crate::simplify::Rewriter;
use std::collections::{BTreeSet, HashMap};
use syn::ext::IdentExt;

impl Lower<'_> {
    /// The results of a declaration with their rules, and the rules themselves.
    pub(super) fn rules(
        &mut self,
        scope: &mut Scope,
        item: &Item,
        values: &[NodeId],
    ) -> (Vec<NodeId>, Vec<LoweredRule>) {
        if item.rules.is_empty() || values.is_empty() {
            return (values.to_vec(), vec![]);
        }
        self.reserved(scope, item);
        self.given(scope, item, values)
    }

    /// In a rule, `grad` and `out` mean the gradient and the result, so no argument, `let` or dim may have
    /// these names.
    fn reserved(&mut self, scope: &Scope, item: &Item) {
        let names = ["grad", "out"].iter().flat_map(|stem| output_names(stem, item.results.len()));
        let names: BTreeSet<String> = names.chain(["grad".to_string(), "out".to_string()]).collect();
        let declared = item.args.iter().map(|a| &a.name).chain(item.let_names());
        for ident in declared.filter(|ident| names.contains(&ident.unraw().to_string())) {
            let name = ident.unraw();
            self.report(
                ident.span(),
                format!("`{name}` has its own meaning in `#[grad(..)]`: give this another name"),
            );
        }
        for ident in names.iter().filter(|name| scope.is_dim(name)) {
            self.report(
                item.name.span(),
                format!("`{ident}` has its own meaning in `#[grad(..)]`: give the dim another name"),
            );
        }
    }

    /// The values with their rules. A rule is linear in the gradients of the results, so it is split: each
    /// result gets the part of the rule that depends on its own gradient.
    fn given(
        &mut self,
        scope: &mut Scope,
        item: &Item,
        values: &[NodeId],
    ) -> (Vec<NodeId>, Vec<LoweredRule>) {
        let seeds = self.seeds(scope, values);
        let mut lowered = Vec::new();
        let mut inputs = Vec::new();
        for (place, rule) in item.rules.iter().enumerate() {
            let term = self.expr(scope, &rule.value);
            let gradient = self.coerce(term, Kind::Float, "a gradient", &rule.value);
            let target = self.target(item, place, rule);
            let (Some(arg), Some(gradient)) = (target, gradient) else { continue };
            let Some(Term::Node(input)) = scope.arg(arg) else { continue };
            self.check_linear(rule, gradient, &seeds);
            lowered.push(LoweredRule { arg, dims: self.dims_of(gradient), span: rule.value.span });
            inputs.push((input, gradient));
        }
        let wrap = |(own, value): (usize, &NodeId)| match seeds[own] {
            None => *value,
            Some(seed) => {
                let others: Vec<NodeId> = seeds.iter().flatten().filter(|s| **s != seed).copied().collect();
                let part = |(input, rule): &(NodeId, NodeId)| GivenRule {
                    input: *input,
                    rule: where_zero(self.builder, *rule, &others),
                    seed,
                };
                self.builder.given(*value, inputs.iter().map(part).collect()).id
            }
        };
        let nodes = values.iter().enumerate().map(wrap).collect();
        self.mark(item.name.span());
        (nodes, lowered)
    }

    /// A rule for several results can be split into one part per gradient only if it is linear in the
    /// gradients. A rule for a single result may be any function of its gradient, such as a clipped one; it
    /// then has no forward mode.
    fn check_linear(&mut self, rule: &Rule, gradient: NodeId, seeds: &[Option<NodeId>]) {
        let names = output_names("grad", seeds.len()).into_iter().zip(seeds);
        let (names, seeds): (Vec<String>, Vec<NodeId>) =
            names.filter_map(|(name, seed)| Some((format!("`{name}`"), (*seed)?))).unzip();
        if seeds.len() < 2 {
            return;
        }
        let Some(fault) = self.builder.read(|graph| grad::nonlinear(graph, gradient, &seeds)) else { return };
        let at = self.spans.get(fault.0 as usize).copied().filter(|_| fault != gradient);
        let message = format!(
            "the rule for `{}` isn't linear in {}: with several results it is a sum of these, each times what depends on none of them",
            rule.input.unraw(),
            names.join(" and ")
        );
        self.report(at.unwrap_or(rule.value.span), message);
    }

    /// Binds `out` and `grad`. Only a float result has a gradient.
    fn seeds(&mut self, scope: &mut Scope, values: &[NodeId]) -> Vec<Option<NodeId>> {
        let outs = output_names("out", values.len());
        let grads = output_names("grad", values.len());
        let mut seeds = Vec::new();
        for (index, value) in values.iter().enumerate() {
            let operand = self.builder.value(*value);
            scope.bind_rule(outs[index].clone(), Term::Node(*value));
            let seed = (operand.kind() == Kind::Float).then(|| {
                self.seeds += 1;
                self.builder.seed(self.seeds - 1, operand.dims()).id
            });
            if let Some(seed) = seed {
                scope.bind_rule(grads[index].clone(), Term::Node(seed));
            }
            seeds.push(seed);
        }
        seeds
    }

    /// The argument that a rule is for.
    fn target(&mut self, item: &Item, place: usize, rule: &Rule) -> Option<usize> {
        let name = rule.input.unraw();
        let found = item.args.iter().position(|arg| arg.name.unraw() == name);
        let Some(index) = found else {
            let tensors = item.args.iter().filter(|a| a.ty.is_float_tensor());
            let names: Vec<String> = tensors.map(|a| a.name.unraw().to_string()).collect();
            let near = nearest(&name.to_string(), names.iter().map(String::as_str));
            let hint = near.map_or("a rule names one on its left".to_string(), did_you_mean);
            self.report(rule.input.span(), format!("no argument `{name}`: {hint}"));
            return None;
        };
        let arg = &item.args[index];
        let refusal = match &arg.ty {
            ArgType::Error => return None,
            ArgType::Axis
            | ArgType::Axes
            | ArgType::Scalar(_)
            | ArgType::Number
            | ArgType::Optional(_)
            | ArgType::Enum(_) => {
                format!("`{name}` is no tensor and has no gradient: remove its rule")
            }
            ArgType::Tensor(ty) if ty.kind != Kind::Float => {
                format!("`{name}` is a tensor of {} and has no gradient: remove its rule", ty.kind)
            }
            ArgType::Tensor(_) if arg.no_grad || item.no_grad => {
                format!("`#[no_grad]` says that `{name}` has no gradient: remove that or this rule")
            }
            ArgType::Tensor(_) if item.rules[..place].iter().any(|r| r.input.unraw() == name) => {
                format!("a second rule for `{name}`: remove one")
            }
            ArgType::Tensor(_) => return Some(index),
        };
        self.report(rule.input.span(), refusal);
        None
    }
}

/// The part of a rule that remains if these seeds are zero.
fn where_zero(builder: &Builder, rule: NodeId, zero: &[NodeId]) -> NodeId {
    if zero.is_empty() {
        return rule;
    }
    let mut known: HashMap<NodeId, NodeId> = zero.iter().map(|seed| (*seed, builder.float(0.0).id)).collect();
    substitute(builder, rule, &mut known)
}

fn substitute(builder: &Builder, id: NodeId, known: &mut HashMap<NodeId, NodeId>) -> NodeId {
    if let Some(found) = known.get(&id) {
        return *found;
    }
    let node = builder.node(id);
    let changed = node.map_operands(|operand| substitute(builder, operand, known));
    let result = if changed.op == node.op { id } else { absorbed(builder, &changed) };
    known.insert(id, result);
    result
}

/// Rebuilds a node after some of its operands became zero. If that makes the node zero too, it becomes a
/// literal zero.
fn absorbed(builder: &Builder, node: &Node) -> NodeId {
    let zero = |id: &NodeId| is_zero(builder, *id);
    let value = |id: &NodeId| builder.value(*id);
    let result = match &node.op {
        Op::Apply(Prim::Mul, args) if args.iter().any(zero) => builder.float(0.0),
        Op::Apply(Prim::Neg | Prim::Div, args) if zero(&args[0]) => builder.float(0.0),
        Op::Apply(Prim::Select, args) if zero(&args[1]) && zero(&args[2]) => builder.float(0.0),
        Op::Apply(Prim::Add | Prim::Sub, args) if zero(&args[1]) => value(&args[0]),
        Op::Apply(Prim::Add, args) if zero(&args[0]) => value(&args[1]),
        Op::Apply(Prim::Sub, args) if zero(&args[0]) => -value(&args[1]),
        Op::Reduce(Fold::Sum, _, x) | Op::StopGrad(x) | Op::At { source: x, .. } if zero(x) => {
            builder.float(0.0)
        }
        _ => Rewriter::plain(builder).rebuild(node),
    };
    result.id
}

fn is_zero(builder: &Builder, id: NodeId) -> bool {
    builder.node(id).op == Op::Literal(Scalar::Float(0.0))
}
