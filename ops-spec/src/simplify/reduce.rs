//! Reductions: factors that don't vary along the reduced dims are moved out of them, and sums are split where
//! that makes them smaller.

use super::Rewriter;
use super::product::{Product, Step};
use crate::ir::{DimId, DimSet, Kind, Op, Value};
use crate::prim::{Fold, Prim};

/// A reduction over dims. The operand may lack some of the dims, and is then constant along them.
pub(crate) fn reduce_over<'b>(fold: Fold, dims: DimSet, x: Value<'b>) -> Value<'b> {
    Rewriter::plain(x.builder()).reduce(fold, dims, x)
}

impl<'b> Rewriter<'b> {
    pub(super) fn reduce(self, fold: Fold, dims: DimSet, x: Value<'b>) -> Value<'b> {
        let missing = dims.difference(x.dims());
        if !missing.is_empty() {
            return self.reduce_constant(fold, dims, missing, x);
        }
        if dims.is_empty() && fold.result_kind(x.kind()) == x.kind() && !fold.finds_position() {
            return x;
        }
        if let (Fold::Sum, Op::Scatter { fold: Fold::Sum, source, dim, index, .. }) = (fold, self.op(x))
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
            // For these folds no simpler form is right. A product would be a power, and the first position
            // would be no simpler. Over zero elements there is no maximum, and `any` is false. So the operand
            // is spread over the dims.
            Fold::Max | Fold::Min | Fold::Any | Fold::All | Fold::Prod | Fold::ArgMax | Fold::ArgMin => {
                let spread = |x: Value<'b>, d: DimId| {
                    let index = self.builder.iota(d);
                    let zero = index.zip(Prim::Sub, index);
                    match x.kind() {
                        Kind::Bool => x.zip(Prim::And, index.zip(Prim::Eq, index)),
                        Kind::Float | Kind::Int => x + zero.cast(x.kind()),
                    }
                };
                missing.iter().fold(x, spread).reduce(fold, dims)
            }
        }
    }

    /// The sum of scattered elements counts each element once for every place where it was added, so it is a
    /// sum over the source.
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
        if self.float(x) == Some(0.0) || (self.reorders() && self.sums_to_zero(dims, x)) {
            return self.builder.float(0.0);
        }
        if let Some(inner) = self.operands(x, Prim::Neg) {
            return self.neg(self.sum(dims, inner[0]));
        }
        let sum = if self.reorders() { self.sum_in_gradient(dims, x) } else { None };
        sum.unwrap_or_else(|| x.reduce(Fold::Sum, dims))
    }

    /// A sum in a gradient: factors are moved out of it, or it is split.
    fn sum_in_gradient(self, dims: DimSet, x: Value<'b>) -> Option<Value<'b>> {
        if let Op::Reduce(Fold::Sum, inner, operand) = self.op(x) {
            return Some(self.sum(dims.union(inner), self.builder.value(operand)));
        }
        let (outside, inside) = self.split_product(dims, x, false);
        if !outside.is_one() {
            let sum = self.reduce(Fold::Sum, dims, self.multiply(inside));
            return Some(if self.float(sum) == Some(0.0) { sum } else { self.scale(sum, outside) });
        }
        self.sum_before_last_factor(dims, &inside).or_else(|| self.sum_terms(dims, x))
    }

    /// A sum times the factors that were moved out of it.
    fn scale(self, sum: Value<'b>, outside: Product<'b>) -> Value<'b> {
        let (mut product, mut outside) = (self.factors(sum), outside);
        product.take_moderate(&mut outside);
        product.steps.append(&mut outside.steps);
        self.multiply(product)
    }

    /// Splits a product into the factors that can be moved out of a sum, because they have none of its dims,
    /// and those that stay inside. Moderate factors are moved out. If `all` is true, so are the last ones of
    /// the other factors.
    fn split_product(self, dims: DimSet, x: Value<'b>, all: bool) -> (Product<'b>, Product<'b>) {
        let mut inside = self.factors(x);
        // An existing result, such as softmax, is not taken apart. In a contraction, other existing products
        // are not taken apart either, because the factors of a contraction are stored. A row that is summed
        // anyway is taken apart, so that its sum does not need an earlier statistic.
        let only_results = !is_contraction(&inside);
        while self.use_existing(&mut inside, only_results) {}
        let varies = |v: &Value<'b>| !v.dims().intersection(dims).is_empty();
        let mut outside =
            Product { coefficient: inside.coefficient, divisor: inside.divisor, ..Product::one() };
        (inside.coefficient, inside.divisor) = (1.0, 1.0);
        (inside.over, outside.over) = inside.over.into_iter().partition(varies);
        (inside.under, outside.under) = inside.under.into_iter().partition(varies);
        outside.under.iter_mut().for_each(|size| *size = self.at_least_one(dims, *size));
        if !all {
            return (outside, inside);
        }
        if let [first @ .., last @ Step { divides: false, .. }] = &inside.steps[..]
            && first.iter().all(|step| !varies(&step.value))
        {
            // With two factors, either of them may be the last.
            inside.steps = [&[*last], self.as_one(first).as_slice()].concat();
        }
        let staying = inside.steps.iter().rposition(|step| varies(&step.value)).map_or(0, |last| last + 1);
        outside.steps = inside.steps.split_off(staying);
        (outside, inside)
    }

    /// A size by which the terms of a sum are divided, as a divisor of the sum. Along an empty dim there are
    /// no terms, and the sum is 0, so that it must not be divided by 0.
    fn at_least_one(self, dims: DimSet, size: Value<'b>) -> Value<'b> {
        match self.op(size) {
            Op::Len(of) if !of.intersection(dims).is_empty() => {
                size.zip(Prim::Maximum, self.builder.float(1.0))
            }
            _ => size,
        }
    }

    /// `sum(a[m, k] * b[k, j], (k, j))` is `sum(sum(b, j) * a, k)` if neither factor has all dims: that is
    /// one loop less. The gradient computes the values of the inner sum anyway, so only the number of terms
    /// can make that sum larger.
    fn sum_before_last_factor(self, dims: DimSet, product: &Product<'b>) -> Option<Value<'b>> {
        let all = product.dims();
        let (last, first) = product.steps.split_last()?;
        let mut orders = vec![(*last, first)];
        if let ([other], false) = (first, last.divides) {
            orders.push((*other, std::slice::from_ref(last)));
        }
        orders.into_iter().find_map(|(last, first)| {
            let inner = Product { steps: first.to_vec(), ..product.clone() };
            let before = dims.difference(last.value.dims()).intersection(inner.dims());
            let is_smaller = !first.is_empty() && !before.is_empty() && inner.dims() != all;
            is_smaller.then(|| {
                let sum = self.reduce(Fold::Sum, before, self.multiply(inner));
                self.reduce(Fold::Sum, dims.difference(before), last.after(sum))
            })
        })
    }

    /// Whether the value is a deviation from the mean, times factors that can be moved out of the sum.
    fn sums_to_zero(self, dims: DimSet, x: Value<'b>) -> bool {
        if self.is_deviation(dims, x) {
            return true;
        }
        let (outside, inside) = self.split_product(dims, x, true);
        !outside.is_one() && !inside.steps.is_empty() && self.sums_to_zero(dims, self.multiply(inside))
    }

    /// Whether the value is `u - mean(u)`, whose sum is zero.
    fn is_deviation(self, dims: DimSet, x: Value<'b>) -> bool {
        let Some([u, mean]) = self.operands(x, Prim::Sub).and_then(|ab| <[_; 2]>::try_from(ab).ok()) else {
            return false;
        };
        let mean = self.factors(mean);
        let over_all = mean.under.iter().try_fold(DimSet::EMPTY, |set, v| {
            if let Op::Len(dims) = self.op(*v) { Some(set.union(dims)) } else { None }
        });
        let ([], [Step { divides: false, value: sum }]) = (&mean.over[..], &mean.steps[..]) else {
            return false;
        };
        let is_sum = self.op(*sum) == Op::Reduce(Fold::Sum, dims, u.id);
        is_sum && over_all == Some(dims) && mean.coefficient == 1.0 && mean.divisor == self.fixed_size(dims)
    }

    /// The product of the written sizes of these dims. It is a constant and no `len`.
    fn fixed_size(self, dims: DimSet) -> f64 {
        self.factors(self.len(dims, Kind::Float)).coefficient
    }

    /// `sum(a + b)` as two sums. This is done if one of the two is known to be zero, or if factors can be
    /// moved out of both and at most one of them is a new sum.
    fn sum_terms(self, dims: DimSet, x: Value<'b>) -> Option<Value<'b>> {
        let subtract = matches!(self.op(x), Op::Apply(Prim::Sub, _));
        let [a, b] =
            <[_; 2]>::try_from(self.operands(x, if subtract { Prim::Sub } else { Prim::Add })?).ok()?;
        let mut new_sums = 0;
        let mut helps = true;
        let mut zero = false;
        for term in [a, b] {
            let (outside, inside) = self.split_product(dims, term, false);
            if inside.is_constant() {
                continue;
            }
            let inside = self.multiply(inside);
            let kept = self.builder.node(inside.id);
            let op = Op::Reduce(Fold::Sum, dims, inside.id);
            let node = crate::ir::Node { op, dims: kept.dims.difference(dims), name: None, ..kept };
            let is_zero = self.sums_to_zero(dims, inside);
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

/// Whether none of the factors has all dims of the product.
fn is_contraction(product: &Product<'_>) -> bool {
    let all = product.dims();
    product.values().all(|v| v.dims() != all)
}
