//! Reductions: what doesn't vary along the reduced dims leaves them, and sums are split where that makes them smaller.

use super::Rewriter;
use super::product::Product;
use crate::ir::{DimId, DimSet, Kind, Op, Value};
use crate::prim::{Fold, Prim};

/// A reduction over dims of which the operand may lack some: it is constant along those.
pub(crate) fn reduce_over<'b>(fold: Fold, dims: DimSet, x: Value<'b>) -> Value<'b> {
    Rewriter::plain(x.builder()).reduce(fold, dims, x)
}

impl<'b> Rewriter<'b> {
    pub(super) fn reduce(self, fold: Fold, dims: DimSet, x: Value<'b>) -> Value<'b> {
        let missing = dims.difference(x.dims());
        if !missing.is_empty() {
            return self.reduce_constant(fold, dims, missing, x);
        }
        if dims.is_empty()
            && fold.result_kind(x.kind()) == x.kind()
            && !matches!(fold, Fold::ArgMax | Fold::ArgMin)
        {
            return x;
        }
        if let (Fold::Sum, Op::ScatterAdd { source, dim, index }) = (fold, self.op(x))
            && dims.contains(dim)
        {
            return self.sum_scattered(dims, x, dim, [source, index].map(|id| self.builder.value(id)));
        }
        let is_sum = fold == Fold::Sum && x.kind() == Kind::Float && !self.is_plain();
        if is_sum { self.sum(dims, x) } else { x.reduce(fold, dims) }
    }

    fn reduce_constant(self, fold: Fold, dims: DimSet, missing: DimSet, x: Value<'b>) -> Value<'b> {
        let rest = dims.difference(missing);
        match fold {
            Fold::Sum => {
                let sum = self.reduce(fold, rest, x);
                self.mul(sum, self.len(missing, x.kind()))
            }
            Fold::Max | Fold::Min | Fold::Any | Fold::All => self.reduce(fold, rest, x),
            // Powers, and the positions of firsts, are no simpler: the operand is spread over the dims by zeros.
            Fold::Prod | Fold::ArgMax | Fold::ArgMin => {
                let zeros = missing.iter().map(|d| {
                    let index = self.builder.iota(d);
                    index.zip(Prim::Sub, index).cast(x.kind())
                });
                zeros.fold(x, |x, zero| x + zero).reduce(fold, dims)
            }
        }
    }

    /// Wherever an element was added, it counts once.
    fn sum_scattered(
        self,
        dims: DimSet,
        x: Value<'b>,
        dim: DimId,
        [source, index]: [Value<'b>; 2],
    ) -> Value<'b> {
        let addressed = DimSet::one(dim);
        let walked = source.dims().union(index.dims()).difference(x.dims().difference(addressed));
        self.reduce(Fold::Sum, dims.difference(addressed).union(walked), source)
    }

    fn sum(self, dims: DimSet, x: Value<'b>) -> Value<'b> {
        if self.float(x) == Some(0.0) || (self.reorders() && self.is_deviation(dims, x)) {
            return self.builder.float(0.0);
        }
        if let Op::Reduce(Fold::Sum, inner, operand) = self.op(x) {
            return self.sum(dims.union(inner), self.builder.value(operand));
        }
        let (outside, inside) = self.split_product(dims, x);
        if !outside.is_one() {
            let sum = self.reduce(Fold::Sum, dims, self.multiply(inside));
            return if self.float(sum) == Some(0.0) { sum } else { self.scale(outside, sum) };
        }
        if let Some(value) = self.sum_inner_factor(dims, &inside) {
            return value;
        }
        if self.reorders()
            && let Some(value) = self.sum_terms(dims, x)
        {
            return value;
        }
        x.reduce(Fold::Sum, dims)
    }

    fn scale(self, factors: Product<'b>, sum: Value<'b>) -> Value<'b> {
        let mut product = factors;
        if self.reorders() {
            let more = self.factors(sum);
            product.coefficient *= more.coefficient;
            product.divisor *= more.divisor;
            product.over.extend(more.over);
            product.under.extend(more.under);
        } else {
            product.over.push(sum);
        }
        self.multiply(product)
    }

    /// Factors without any of the dims, and those with some.
    fn split_product(self, dims: DimSet, x: Value<'b>) -> (Product<'b>, Product<'b>) {
        let mut all = self.factors(x);
        // A result that is at hand, such as softmax, is not taken apart. Nor is what a contraction shares with others: its
        // factors are stored. A row that is summed anyway is taken apart, so that its sum needs no earlier statistic.
        let only_results = !is_contraction(&all);
        while self.use_existing(&mut all, only_results) {}
        let varies = |v: &Value<'b>| !v.dims().intersection(dims).is_empty();
        let (over_in, over_out) = all.over.into_iter().partition(varies);
        let (under_in, under_out) = all.under.into_iter().partition(varies);
        let inside = Product { over: over_in, under: under_in, ..Product::one() };
        (Product { over: over_out, under: under_out, ..all }, inside)
    }

    /// `sum(a[m, k] * b[k, j], (k, j))` is `sum(a * sum(b, j), k)`: worth it where no factor has all dims.
    fn sum_inner_factor(self, dims: DimSet, product: &Product<'b>) -> Option<Value<'b>> {
        let all = product.over.iter().chain(&product.under).fold(DimSet::EMPTY, |set, v| set.union(v.dims()));
        let split = |dim: DimId| {
            let has = |v: &&Value<'b>| v.dims().contains(dim);
            let inner = product.over.iter().chain(&product.under).filter(has);
            let inner_dims = inner.fold(DimSet::EMPTY, |set, v| set.union(v.dims()));
            (inner_dims != all).then_some(dim)
        };
        let dim = dims.iter().find_map(split)?;
        let over =
            |with: bool| product.over.iter().copied().filter(|v| v.dims().contains(dim) == with).collect();
        let under =
            |with: bool| product.under.iter().copied().filter(|v| v.dims().contains(dim) == with).collect();
        let inner = Product { over: over(true), under: under(true), ..Product::one() };
        let sum = self.reduce(Fold::Sum, DimSet::one(dim), self.multiply(inner));
        let mut rest = Product { over: over(false), under: under(false), ..Product::one() };
        rest.over.push(sum);
        Some(self.reduce(Fold::Sum, dims.difference(DimSet::one(dim)), self.multiply(rest)))
    }

    /// Whether it is `u - mean(u)`, whose sum is zero.
    fn is_deviation(self, dims: DimSet, x: Value<'b>) -> bool {
        let Some([u, mean]) = self.operands(x, Prim::Sub).and_then(|ab| <[_; 2]>::try_from(ab).ok()) else {
            return false;
        };
        let mean = self.factors(mean);
        let over_all = mean.under.iter().try_fold(DimSet::EMPTY, |set, v| {
            if let Op::Len(dims) = self.op(*v) { Some(set.union(dims)) } else { None }
        });
        let [sum] = mean.over[..] else { return false };
        let is_sum = self.op(sum) == Op::Reduce(Fold::Sum, dims, u.id);
        is_sum && over_all == Some(dims) && mean.coefficient == 1.0 && mean.divisor == self.fixed_size(dims)
    }

    /// The part of a size that is written, which is a constant and no `len`.
    fn fixed_size(self, dims: DimSet) -> f64 {
        self.factors(self.len(dims, Kind::Float)).coefficient
    }

    /// `sum(a + b)` as two sums, if at most one of them is new and factors come out of both, or one is known to be zero.
    fn sum_terms(self, dims: DimSet, x: Value<'b>) -> Option<Value<'b>> {
        let subtract = matches!(self.op(x), Op::Apply(Prim::Sub, _));
        let [a, b] =
            <[_; 2]>::try_from(self.operands(x, if subtract { Prim::Sub } else { Prim::Add })?).ok()?;
        let mut new_sums = 0;
        let mut helps = true;
        let mut zero = false;
        for term in [a, b] {
            let (outside, inside) = self.split_product(dims, term);
            if inside.is_constant() {
                continue;
            }
            let inside = self.multiply(inside);
            let kept = self.builder.node(inside.id);
            let op = Op::Reduce(Fold::Sum, dims, inside.id);
            let node = crate::ir::Node { op, dims: kept.dims.difference(dims), name: None, ..kept };
            let is_zero = self.is_deviation(dims, inside);
            zero |= is_zero;
            new_sums += usize::from(!is_zero && self.builder.find(&node).is_none());
            helps &= is_zero || !outside.is_one();
        }
        if !(zero || helps && new_sums <= 1) {
            return None;
        }
        let [a, b] = [a, b].map(|term| self.reduce(Fold::Sum, dims, term));
        Some(if subtract { self.sub(a, b) } else { self.add(a, b) })
    }
}

/// Whether no factor has all dims of the product.
fn is_contraction(product: &Product<'_>) -> bool {
    let factors = || product.over.iter().chain(&product.under);
    let all = factors().fold(DimSet::EMPTY, |set, v| set.union(v.dims()));
    factors().all(|v| v.dims() != all)
}
