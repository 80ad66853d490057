//! One walk over the nodes of a pass that every dialect shares: order, sharing, names and parentheses.
//!
//! A value that is used twice, or was bound by a `let` of the user, becomes a `let`; the rest is nested. Values that do not vary
//! along the row stand before the loop.

use super::names::Names;
use crate::ir::{DimSet, Graph, Kind, NodeId, Op, Scalar};
use crate::prim::Prim;
use crate::schedule::{Leaf, Pass};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use std::collections::{BTreeMap, BTreeSet};

/// Expressions that are deeper are cut in two.
const DEEPEST: usize = 64;

/// How a target language spells an operation. Operands come with their kinds; the spelling of a value is an atom or is
/// parenthesised by the walker according to its [`Strength`].
pub(super) trait Dialect {
    /// A primitive over operands of one kind (a select's: that of its branches).
    fn apply(&self, prim: Prim, kind: Kind, args: &[Spelled]) -> Spelled;
    /// A conversion.
    fn cast(&self, from: Kind, to: Kind, value: &Spelled) -> Spelled;
    /// A constant.
    fn literal(&self, value: Scalar) -> Spelled;
}

/// Tokens of an expression, and how tightly they bind.
#[derive(Clone, Debug)]
pub(super) struct Spelled {
    pub(super) tokens: TokenStream,
    pub(super) strength: Strength,
}

/// Binding strength, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// `a | b`, `a & b`.
    Logic,
    /// `a + b`, `a - b`.
    Sum,
    /// `a * b`, `a / b`, `a % b`.
    Product,
    /// `-a`, `!a`.
    Prefix,
    /// A name, a call.
    Atom,
}

impl Spelled {
    pub(super) fn atom(tokens: TokenStream) -> Spelled {
        Spelled { tokens, strength: Strength::Atom }
    }

    /// The expression where at least this strength is needed.
    pub(super) fn at(&self, strength: Strength) -> TokenStream {
        let tokens = &self.tokens;
        if self.strength >= strength { quote!(#tokens) } else { quote!((#tokens)) }
    }
}

/// The statements and results of a pass.
pub(super) struct Body {
    /// Names of the pass's leaves.
    pub(super) names: BTreeMap<NodeId, Ident>,
    /// Statements before the loop.
    pub(super) before: Vec<TokenStream>,
    /// Statements inside the loop.
    pub(super) inside: Vec<TokenStream>,
    /// Spelling of each result value, in the order of [`Pass::results`].
    pub(super) results: Vec<TokenStream>,
}

/// Walks a pass. `reserved` are names that the surrounding code uses.
pub(super) fn body(
    graph: &Graph,
    inner: DimSet,
    pass: &Pass,
    dialect: &dyn Dialect,
    reserved: &[&str],
) -> Body {
    let mut walker = Walker {
        graph,
        inner,
        dialect,
        names: Names::new(reserved),
        bound: BTreeMap::new(),
        uses: BTreeMap::new(),
        cut: BTreeSet::new(),
        body: Body { names: BTreeMap::new(), before: vec![], inside: vec![], results: vec![] },
    };
    for leaf in pass.uniforms.iter().chain(&pass.elements) {
        walker.bind_leaf(leaf);
    }
    pass.results.iter().for_each(|result| walker.count(result.value));
    walker.cut_long_expressions();
    for result in &pass.results {
        walker.bind_below(result.value);
        let spelled = walker.spell(result.value);
        walker.body.results.push(spelled.tokens);
    }
    walker.body
}

struct Walker<'a> {
    graph: &'a Graph,
    /// Dims of a row.
    inner: DimSet,
    dialect: &'a dyn Dialect,
    names: Names,
    /// Values that have a name by now.
    bound: BTreeMap<NodeId, Ident>,
    uses: BTreeMap<NodeId, usize>,
    /// Values that have a name only since what they are in would be too deep.
    cut: BTreeSet<NodeId>,
    body: Body,
}

impl Walker<'_> {
    fn bind_leaf(&mut self, leaf: &Leaf) {
        let ident = self.names.fresh(&self.leaf_name(leaf.node));
        self.bound.insert(leaf.node, ident.clone());
        self.body.names.insert(leaf.node, ident);
    }

    fn leaf_name(&self, id: NodeId) -> String {
        let node = self.graph.node(id);
        match (&node.op, &node.name) {
            (Op::Input(arg), _) => self.graph.args[*arg].name.clone(),
            (_, Some(name)) => name.clone(),
            (Op::Len(dims), None) => format!("len_{}", self.dim_names(*dims)),
            (Op::Iota(dim), None) => format!("index_{}", self.dim_names(DimSet::one(*dim))),
            (Op::Reduce(fold, ..), None) => fold.name().to_string(),
            (Op::At { .. }, None) => "gathered".to_string(),
            (Op::ScatterAdd { .. }, None) => "scattered".to_string(),
            (
                Op::Literal(_)
                | Op::Apply(..)
                | Op::Cast(_)
                | Op::StopGrad(_)
                | Op::Given { .. }
                | Op::Seed(_),
                None,
            ) => "stored".to_string(),
        }
    }

    fn dim_names(&self, dims: DimSet) -> String {
        let names = dims.iter().map(|d| self.graph.dim(d).name.replace("..", "group"));
        names.collect::<Vec<_>>().join("_")
    }

    /// Counts how often each value below `id` is used.
    fn count(&mut self, id: NodeId) {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            let uses = self.uses.entry(id).or_insert(0);
            *uses += 1;
            if *uses == 1 && !self.bound.contains_key(&id) {
                open.extend(self.graph.node(id).operands());
            }
        }
    }

    /// Gives values a name of their own where an expression would nest too deep: rustc reads it by recursion, as [`Self::spell`] does.
    fn cut_long_expressions(&mut self) {
        let mut depths: BTreeMap<NodeId, usize> = BTreeMap::new();
        // Operands have lower ids.
        for id in self.uses.keys() {
            if self.bound.contains_key(id) {
                continue;
            }
            let operands = self.graph.node(*id).operands();
            let depth = operands.iter().filter_map(|x| depths.get(x)).max().map_or(0, |depth| depth + 1);
            if depth > DEEPEST {
                self.cut.insert(*id);
            }
            let is_name = depth > DEEPEST || self.has_name(*id);
            depths.insert(*id, if is_name { 0 } else { depth });
        }
    }

    /// Whether a value stands in a `let`.
    fn has_name(&self, id: NodeId) -> bool {
        let is_shared = self.uses.get(&id).is_some_and(|uses| *uses > 1);
        is_shared || self.graph.node(id).name.is_some() || self.cut.contains(&id)
    }

    /// Binds what stands in a `let` below a value, in the order in which [`Self::spell`] would: that one then goes no deeper than
    /// expressions are long.
    fn bind_below(&mut self, id: NodeId) {
        let mut open = vec![(id, false, false)];
        while let Some((id, user_varies, has_operands)) = open.pop() {
            if self.bound.contains_key(&id) {
                continue;
            }
            if has_operands {
                let is_hoisted = user_varies && !self.varies(id);
                if is_hoisted || self.has_name(id) {
                    self.operand(id, user_varies);
                }
            } else {
                open.push((id, user_varies, true));
                let varies = self.varies(id);
                let operands = self.graph.node(id).operands().into_iter().rev();
                open.extend(operands.map(|operand| (operand, varies, false)));
            }
        }
    }

    /// Whether a value changes along the row.
    fn varies(&self, id: NodeId) -> bool {
        !self.graph.node(id).dims.intersection(self.inner).is_empty()
    }

    /// The expression for a value; its statements are pushed on the way.
    fn spell(&mut self, id: NodeId) -> Spelled {
        if let Some(ident) = self.bound.get(&id) {
            return Spelled::atom(quote!(#ident));
        }
        let node = self.graph.node(id).clone();
        let spelled = match &node.op {
            Op::Literal(value) => return self.dialect.literal(*value),
            Op::Apply(prim, args) => {
                let kind = self.graph.node(*args.last().expect("primitives have operands")).kind;
                let varies = self.varies(id);
                let args: Vec<Spelled> = args.iter().map(|arg| self.operand(*arg, varies)).collect();
                self.dialect.apply(*prim, kind, &args)
            }
            Op::Cast(value) => {
                let from = self.graph.node(*value).kind;
                let varies = self.varies(id);
                let value = self.operand(*value, varies);
                self.dialect.cast(from, node.kind, &value)
            }
            Op::StopGrad(value) | Op::Given { value, .. } => return self.spell(*value),
            Op::Input(_)
            | Op::Len(_)
            | Op::Iota(_)
            | Op::Reduce(..)
            | Op::At { .. }
            | Op::ScatterAdd { .. }
            | Op::Seed(_) => unreachable!("the scheduler makes these leaves of the pass"),
        };
        if self.has_name(id) { self.bind(id, spelled) } else { spelled }
    }

    /// An operand; a uniform one of a varying value is bound before the loop.
    fn operand(&mut self, id: NodeId, user_varies: bool) -> Spelled {
        let hoist = user_varies && !self.varies(id) && !self.bound.contains_key(&id);
        let spelled = self.spell(id);
        let bound = self.bound.contains_key(&id) || matches!(self.graph.node(id).op, Op::Literal(_));
        if hoist && !bound { self.bind(id, spelled) } else { spelled }
    }

    fn bind(&mut self, id: NodeId, spelled: Spelled) -> Spelled {
        let varies = self.varies(id);
        let name = self.graph.node(id).name.clone();
        let ident = match name {
            Some(name) => self.names.fresh(&name),
            None => self.names.numbered(),
        };
        let tokens = spelled.tokens;
        let statement = quote!(let #ident = #tokens;);
        if varies {
            self.body.inside.push(statement)
        } else {
            self.body.before.push(statement)
        }
        self.bound.insert(id, ident.clone());
        Spelled::atom(quote!(#ident))
    }
}
