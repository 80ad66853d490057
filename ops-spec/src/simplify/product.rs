//! Products as lists of factors, and back: where factors may be regrouped, sizes cancel, values that are there already are used,
//! and factors with few dims meet first.

use super::{Pair, Rewriter};
use crate::ir::{DimSet, Kind, Node, Op, Value};
use crate::prim::Prim;

/// How far a product is taken apart: products of products are longer than any that is written, and a power by squaring is exponentially so.
const MAX_DEPTH: usize = 16;
const MAX_FACTORS: usize = 32;

/// A longer product keeps its first factors apart and takes the rest whole: repeated squares would have factors without end.
const MOST_FACTORS: usize = 24;

/// `coefficient / divisor * over[0] * over[1] .. / under[0] / under[1] ..`
#[derive(Clone, Debug)]
pub(super) struct Product<'b> {
    pub(super) coefficient: f64,
    pub(super) divisor: f64,
    pub(super) over: Vec<Value<'b>>,
    pub(super) under: Vec<Value<'b>>,
}

impl<'b> Product<'b> {
    pub(super) fn one() -> Product<'b> {
        Product { coefficient: 1.0, divisor: 1.0, over: vec![], under: vec![] }
    }

    /// Whether it is a constant times at most nothing.
    pub(super) fn is_constant(&self) -> bool {
        self.over.is_empty() && self.under.is_empty()
    }

    /// Whether it is one exactly.
    pub(super) fn is_one(&self) -> bool {
        self.is_constant() && self.coefficient == 1.0 && self.divisor == 1.0
    }
}

impl<'b> Rewriter<'b> {
    /// The factors of a float value, in the order they are written.
    pub(super) fn factors(self, x: Value<'b>) -> Product<'b> {
        let mut product = Product::one();
        self.collect_factors(x, true, MAX_DEPTH, &mut product);
        product
    }

    fn collect_factors(self, x: Value<'b>, over: bool, depth: usize, product: &mut Product<'b>) {
        let Node { op, kind, .. } = self.builder.node(x.id);
        match op {
            Op::Apply(..) if depth == 0 || product.over.len() + product.under.len() >= MAX_FACTORS => {
                if over { product.over.push(x) } else { product.under.push(x) }
            }
            Op::Literal(value) if over => product.coefficient *= value.as_f64(),
            Op::Literal(value) => product.divisor *= value.as_f64(),
            Op::Apply(Prim::Neg, args) => {
                product.coefficient = -product.coefficient;
                self.collect_factors(self.builder.value(args[0]), over, depth - 1, product);
            }
            Op::Apply(Prim::Mul | Prim::Div, args)
                if product.over.len() + product.under.len() < MOST_FACTORS =>
            {
                let divides = matches!(self.op(x), Op::Apply(Prim::Div, _));
                self.collect_factors(self.builder.value(args[0]), over, depth - 1, product);
                self.collect_factors(self.builder.value(args[1]), over != divides, depth - 1, product);
            }
            Op::Len(dims) => dims.iter().for_each(|d| {
                let size = self.builder.len(DimSet::one(d), kind);
                if over { product.over.push(size) } else { product.under.push(size) }
            }),
            Op::Input(_)
            | Op::Iota(_)
            | Op::Apply(..)
            | Op::Cast(_)
            | Op::Reduce(..)
            | Op::At { .. }
            | Op::ScatterAdd { .. }
            | Op::StopGrad(_)
            | Op::Given { .. }
            | Op::Seed(_) => {
                if over {
                    product.over.push(x)
                } else {
                    product.under.push(x)
                }
            }
        }
    }

    /// Regroups a product or quotient of floats, in gradients.
    pub(super) fn regroup(self, x: Value<'b>) -> Value<'b> {
        if self.reorders() && x.kind() == Kind::Float { self.multiply(self.factors(x)) } else { x }
    }

    /// Multiplies factors: sizes cancel, products and quotients that exist are used, small factors meet first.
    pub(super) fn multiply(self, product: Product<'b>) -> Value<'b> {
        let mut product = product;
        self.cancel_sizes(&mut product);
        while self.use_existing(&mut product, false) {}
        let Product { coefficient, divisor, over, under } = product;
        // A sign goes outside, where sums take it in; a lone division by a constant stays one.
        let negative = coefficient < 0.0;
        let (coefficient, divisor) = match (coefficient.abs(), divisor) {
            (1.0, divisor) if divisor != 1.0 => (1.0, divisor),
            (coefficient, divisor) => (coefficient / divisor, 1.0),
        };
        let mut groups = if self.reorders() { self.group_by_dims(over) } else { self.one_group(over) };
        let mut under = self.join_sizes(under);
        if divisor != 1.0 {
            under.push(self.builder.float(divisor));
        }
        if coefficient != 1.0 || groups.is_empty() {
            let constant = self.builder.float(coefficient);
            match groups.iter_mut().min_by_key(|group| group.dims().len()) {
                Some(smallest) => *smallest = constant * *smallest,
                None => groups.push(constant),
            }
        }
        under.into_iter().for_each(|divisor| divide_smallest(&mut groups, divisor));
        let value = self.join_groups(groups);
        if negative { self.neg(value) } else { value }
    }

    fn cancel_sizes(self, product: &mut Product<'b>) {
        let is_size = |v: &Value<'b>| matches!(self.op(*v), Op::Len(_));
        let under = std::mem::take(&mut product.under);
        for divisor in under {
            match product.over.iter().position(|v| is_size(v) && v.id == divisor.id) {
                Some(index) => drop(product.over.remove(index)),
                None => product.under.push(divisor),
            }
        }
    }

    /// One size for all dims.
    fn join_sizes(self, values: Vec<Value<'b>>) -> Vec<Value<'b>> {
        let mut joined = DimSet::EMPTY;
        let mut rest = vec![];
        for value in values {
            if let Op::Len(dims) = self.op(value)
                && dims.intersection(joined).is_empty()
            {
                joined = joined.union(dims);
            } else {
                rest.push(value);
            }
        }
        if !joined.is_empty() {
            rest.push(self.builder.len(joined, Kind::Float));
        }
        rest
    }

    /// Replaces two factors by their product or quotient, if that is needed anyway.
    pub(super) fn use_existing(self, product: &mut Product<'b>, only_results: bool) -> bool {
        let Some(shared) = self.shared() else { return false };
        let shared = shared.borrow();
        for i in 0..product.over.len() {
            let pairs = shared.pairs.get(&product.over[i].id).map_or(&[][..], Vec::as_slice);
            let usable = |prim: Prim| {
                pairs.iter().filter(move |pair| pair.prim == prim && (!only_results || pair.is_result))
            };
            let at = |values: &[Value<'b>], pair: &Pair| values.iter().position(|v| v.id == pair.with);
            let divided = usable(Prim::Div).filter_map(|pair| Some((at(&product.under, pair)?, pair.value)));
            if let Some((j, quotient)) = divided.min() {
                product.over[i] = self.builder.value(quotient);
                product.under.remove(j);
                return true;
            }
            let behind = &product.over[i + 1..];
            let joined = usable(Prim::Mul).filter_map(|pair| Some((i + 1 + at(behind, pair)?, pair.value)));
            if let Some((j, joint)) = joined.min() {
                product.over[i] = self.builder.value(joint);
                product.over.remove(j);
                return true;
            }
        }
        false
    }

    fn one_group(self, factors: Vec<Value<'b>>) -> Vec<Value<'b>> {
        self.join_sizes(factors).into_iter().reduce(|a, b| a * b).into_iter().collect()
    }

    /// One value for each set of dims, in order of first appearance.
    fn group_by_dims(self, factors: Vec<Value<'b>>) -> Vec<Value<'b>> {
        let mut groups: Vec<Value<'b>> = vec![];
        for factor in self.join_sizes(factors) {
            match groups.iter_mut().find(|g| g.dims() == factor.dims()) {
                Some(group) => *group = *group * factor,
                None => groups.push(factor),
            }
        }
        groups
    }

    /// Small groups are taken into larger ones that have all of their dims; what is left is multiplied as it comes.
    fn join_groups(self, groups: Vec<Value<'b>>) -> Value<'b> {
        let mut groups = groups;
        let holder = |groups: &[Value<'b>], of: usize| {
            let dims = groups[of].dims();
            let holds = |i: &usize| *i != of && dims.is_subset(groups[*i].dims());
            (0..groups.len()).filter(holds).min_by_key(|i| groups[*i].dims().len())
        };
        while let Some((small, large)) = (0..groups.len())
            .filter_map(|i| holder(&groups, i).map(|large| (i, large)))
            .min_by_key(|(i, _)| groups[*i].dims().len())
        {
            groups[large] =
                if small < large { groups[small] * groups[large] } else { groups[large] * groups[small] };
            groups.remove(small);
        }
        groups.into_iter().reduce(|a, b| a * b).unwrap_or_else(|| self.builder.float(1.0))
    }
}

/// Divides where it is cheapest: a factor with the divisor's dims or fewer, else the smallest that has them all.
fn divide_smallest<'b>(groups: &mut [Value<'b>], divisor: Value<'b>) {
    let dims = divisor.dims();
    let within = |g: &Value<'b>| g.dims().is_subset(dims);
    let place = (0..groups.len())
        .filter(|i| within(&groups[*i]))
        .max_by_key(|i| groups[*i].dims().len())
        .or_else(|| {
            (0..groups.len()).min_by_key(|i| (!dims.is_subset(groups[*i].dims()), groups[*i].dims().len()))
        });
    if let Some(place) = place {
        groups[place] = groups[place] / divisor;
    }
}
