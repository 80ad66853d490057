//! Inserts the graph of an op, node by node, into the graph of the formula that calls it.
//!
//! Values may lack dims that the op's arguments have inside `..`. They are constant along these dims, just as
//! they are broadcast at run time.

use super::super::reduce::one_axis;
use super::Bound;
use super::dims::image;
use crate::ir::{Builder, DimId, DimSet, GivenRule, Graph, Node, NodeId, Op, Position, Scalar, Value};
use crate::prim::{Fold, Order};
use crate::simplify::{has_ways_past, reduce_over};
use std::collections::HashMap;

/// Why an op can't be inlined here.
type Refusal = String;

pub(super) struct Splice<'b, 'c> {
    builder: &'b Builder,
    graph: &'c Graph,
    bound: &'c Bound,
    /// The number of seeds in use.
    seeds: &'c mut u32,
    /// For each node of the op, the node that was inserted for it.
    placed: Vec<NodeId>,
    /// Arguments that were replaced by nodes of their own; see [`Self::mark_inputs`].
    args: HashMap<usize, NodeId>,
}

impl<'b, 'c> Splice<'b, 'c> {
    pub(super) fn new(
        builder: &'b Builder,
        graph: &'c Graph,
        bound: &'c Bound,
        seeds: &'c mut u32,
    ) -> Splice<'b, 'c> {
        Splice { builder, graph, bound, seeds, placed: vec![], args: HashMap::new() }
    }

    /// The op's results.
    pub(super) fn results(mut self) -> Result<Vec<NodeId>, Refusal> {
        self.mark_inputs();
        for id in self.graph.ids() {
            let placed = self.node(id, self.graph.node(id))?;
            self.placed.push(placed.id);
        }
        Ok(self.graph.outputs.iter().map(|output| self.placed[output.node.0 as usize]).collect())
    }

    fn value(&self, id: NodeId) -> Value<'b> {
        self.builder.value(self.placed[id.0 as usize])
    }

    fn image(&self, dims: DimSet) -> DimSet {
        image(&self.bound.dims, dims)
    }

    fn one(&self, dim: DimId) -> Result<DimId, Refusal> {
        let name = &self.graph.dim(dim).name;
        one_axis(self.builder, self.image(DimSet::one(dim)))
            .ok_or_else(|| format!("takes one dim for `{name}`"))
    }

    fn node(&mut self, id: NodeId, node: &Node) -> Result<Value<'b>, Refusal> {
        let builder = self.builder;
        Ok(match &node.op {
            Op::Input(arg) => self.input(*arg)?,
            Op::Literal(value) => builder.literal(*value),
            Op::Len(dims) => match self.image(*dims) {
                none if none.is_empty() => builder.literal(Scalar::Int(1).cast(node.kind)),
                some if builder.read(|graph| graph.fixed_size(some)).is_none() => {
                    return Err("multiplies these sizes, and the product does not fit into `i64`".to_string());
                }
                some => builder.len(some, node.kind),
            },
            Op::Iota(dim) => builder.position_along(self.image(DimSet::one(*dim)).iter()),
            Op::Apply(prim, args) => {
                let args: Vec<Value<'b>> = args.iter().map(|arg| self.value(*arg)).collect();
                builder.apply(*prim, &args)
            }
            Op::Cast(x) => self.value(*x).cast(node.kind),
            Op::Reduce(fold, dims, x) => self.reduce(*fold, *dims, *x)?,
            Op::Scan { scan, dim, reverse, operands } => {
                let operands: Vec<Value<'b>> = operands.iter().map(|x| self.value(*x)).collect();
                builder.scan(*scan, self.one(*dim)?, *reverse, &operands)
            }
            Op::Order { order, dim, operands } => self.order(*order, *dim, operands)?,
            Op::At { source, dim, index } => {
                let (source, index, to) = (self.value(*source), self.value(*index), self.one(*dim)?);
                if !source.dims().contains(to) {
                    return Err(format!(
                        "indexes dim `{}`, which the value lacks",
                        self.graph.dim(*dim).name
                    ));
                }
                source.at(to, index)
            }
            Op::Window { source, dim, position } => self.window(*source, *dim, position)?,
            Op::Scatter { fold, source, dim, index, .. } => {
                let dims = self.image(node.dims);
                self.value(*source).scatter(*fold, self.one(*dim)?, self.value(*index), dims)
            }
            Op::StopGrad(x) => self.value(*x).stop_grad(),
            Op::Given { value, rules } => {
                let rules = rules.iter().map(|rule| self.rule(*value, rule)).collect();
                builder.given(self.value(*value).id, rules)
            }
            Op::Seed(_) => {
                let dims = self.seeded(id).map_or_else(|| self.image(node.dims), |of| self.value(of).dims());
                self.seed(dims)
            }
        })
    }

    fn order(&self, order: Order, dim: DimId, operands: &[NodeId]) -> Result<Value<'b>, Refusal> {
        let (builder, x, to) = (self.builder, self.value(operands[0]), self.one(dim)?);
        if !x.dims().contains(to) {
            return Err(format!("sorts along `{}`, which the value lacks", self.graph.dim(dim).name));
        }
        Ok(match order {
            Order::Sort { to: kept, descending } => builder.argsort(x, to, self.one(kept)?, descending),
            Order::Search { right } => builder.searchsorted(x, self.value(operands[1]), to, right),
        })
    }

    fn window(&self, source: NodeId, dim: DimId, position: &Position) -> Result<Value<'b>, Refusal> {
        let mut placed = position.clone();
        for (dim, _) in &mut placed.index.steps {
            *dim = self.one(*dim)?;
        }
        placed.index.steps.sort();
        for size in placed.sizes_mut() {
            let unknown = || self.bound.not_a_number(self.builder, self.graph, size);
            *size = self.bound.size(self.builder, size).ok_or_else(unknown)?;
        }
        let (source, to) = (self.value(source), self.one(dim)?);
        if !source.dims().contains(to) && placed.outside.is_none() {
            return Err(format!("indexes dim `{}`, which the value lacks", self.graph.dim(dim).name));
        }
        Ok(source.window(to, placed))
    }

    fn input(&self, arg: usize) -> Result<Value<'b>, Refusal> {
        let value = self.args.get(&arg).copied().or(self.bound.values[arg]);
        value.map(|id| self.builder.value(id)).ok_or_else(|| "carries no op".to_string())
    }

    fn seed(&mut self, dims: DimSet) -> Value<'b> {
        *self.seeds += 1;
        self.builder.seed(*self.seeds - 1, dims)
    }

    /// The value whose gradient a seed stands for, if the value comes before the seed in the graph.
    fn seeded(&self, seed: NodeId) -> Option<NodeId> {
        let given = self.graph.nodes.iter().find_map(|node| {
            let Op::Given { value, rules } = &node.op else { return None };
            rules.iter().any(|rule| rule.seed == seed).then_some(*value)
        });
        given.filter(|value| *value < seed)
    }

    /// A sum over a dim along which the value is constant is the value times the size of the dim. Other folds
    /// have no such rule that also holds for empty dims.
    fn reduce(&self, fold: Fold, dims: DimSet, x: NodeId) -> Result<Value<'b>, Refusal> {
        let (value, over) = (self.value(x), self.image(dims));
        if fold == Fold::Sum || over.is_subset(value.dims()) {
            return Ok(reduce_over(fold, over, value));
        }
        let lacks = over.difference(value.dims());
        let names: Vec<String> =
            self.builder.read(|g| lacks.iter().map(|d| format!("`{}`", g.dim(d).name)).collect());
        Err(format!(
            "takes the {} over {}, along which the value given to it is constant",
            fold.name(),
            names.join(", ")
        ))
    }

    /// A rule gives the gradient over the dims of the op's argument. If the value passed here lacks such a
    /// dim, the gradient is summed over it. If the rule lacks the dim too, the gradient is multiplied by the
    /// size of the dim, unless the op's result also lacks it.
    fn rule(&self, of: NodeId, rule: &GivenRule) -> GivenRule {
        let declared = |id: NodeId| self.image(self.graph.node(id).dims);
        let (input, gradient) = (self.value(rule.input), self.value(rule.rule));
        let narrowed = declared(of).difference(self.value(of).dims());
        let constant = declared(rule.input).difference(narrowed);
        let over = gradient.dims().union(constant).difference(input.dims());
        let gradient = reduce_over(Fold::Sum, over, gradient);
        GivenRule { input: input.id, rule: gradient.id, seed: self.value(rule.seed).id }
    }

    /// A given rule covers all paths to its input. In the op these paths end at the argument. In the formula,
    /// other arguments may depend on the same value. So the value gets a node of its own: the value itself,
    /// with a rule that changes nothing.
    fn mark_inputs(&mut self) {
        let mut covered: Vec<usize> = Vec::new();
        for node in &self.graph.nodes {
            let Op::Given { value, rules } = &node.op else { continue };
            if has_ways_past(self.graph, *value, rules) {
                let arg = |rule: &GivenRule| {
                    let Op::Input(arg) = self.graph.node(rule.input).op else { return None };
                    Some(arg)
                };
                covered.extend(rules.iter().filter_map(arg));
            }
        }
        for arg in covered {
            let Some(value) = self.bound.values[arg] else { continue };
            // No gradient flows to a detached value.
            if self.args.contains_key(&arg) || matches!(self.builder.node(value).op, Op::StopGrad(_)) {
                continue;
            }
            let seed = self.seed(self.builder.value(value).dims()).id;
            let rule = GivenRule { input: value, rule: seed, seed };
            self.args.insert(arg, self.builder.given(value, vec![rule]).id);
        }
    }
}
