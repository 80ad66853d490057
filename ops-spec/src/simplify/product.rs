//! Products and quotients in gradients, taken apart and put together again.
//!
//! The rule of this crate is that a rewrite changes a value by rounding only, as long as no value that the
//! formula computes overflows or vanishes. `(a * b) * c` may be finite where `a * c` is not, so factors may
//! not change places in general. Two kinds of rewrites keep the rule:
//!
//! - *Moderate factors and divisors may go anywhere*: to another place of the product, out of a sum, or away
//!   if the same value is both a factor and a divisor. They are constants, sizes, and values that are neither
//!   large nor small by construction (`range.rs`). So a product with such a factor is about as large as the
//!   product without it.
//! - *A product or quotient that the graph computes anyway may replace its two operands.* The two may be a
//!   step and a moderate factor, two steps that follow each other, or the first and the third step. That
//!   value is computed already, so it can't be the first to overflow, and the values after it are as large as
//!   before.

use super::Rewriter;
use super::range::is_moderate_constant;
use crate::ir::{DimSet, Kind, Op, Value};
use crate::prim::Prim;

/// The most steps of a product. In a longer product the first factors stay one factor. Nobody writes longer
/// products, and repeated squares would have too many factors.
const MOST_STEPS: usize = 12;

/// `coefficient / divisor * over[0] * .. / under[0] / ..`, times the steps in their order.
#[derive(Clone, Debug)]
pub(super) struct Product<'b> {
    pub(super) coefficient: f64,
    pub(super) divisor: f64,
    /// Moderate factors, which may stand anywhere.
    pub(super) over: Vec<Value<'b>>,
    /// Moderate divisors.
    pub(super) under: Vec<Value<'b>>,
    /// The other factors and divisors. The product of the first of them is also a value of the formula, up to
    /// moderate factors.
    pub(super) steps: Vec<Step<'b>>,
}

/// A factor or divisor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step<'b> {
    pub(super) divides: bool,
    pub(super) value: Value<'b>,
}

impl<'b> Product<'b> {
    pub(super) fn one() -> Product<'b> {
        Product { coefficient: 1.0, divisor: 1.0, over: vec![], under: vec![], steps: vec![] }
    }

    fn of(value: Value<'b>) -> Product<'b> {
        Product { steps: vec![Step { divides: false, value }], ..Product::one() }
    }

    /// Whether the product is a constant.
    pub(super) fn is_constant(&self) -> bool {
        self.over.is_empty() && self.under.is_empty() && self.steps.is_empty()
    }

    /// Whether the product is exactly one.
    pub(super) fn is_one(&self) -> bool {
        self.is_constant() && self.coefficient == 1.0 && self.divisor == 1.0
    }

    /// All factors and divisors.
    pub(super) fn values(&self) -> impl Iterator<Item = Value<'b>> {
        self.over.iter().chain(&self.under).copied().chain(self.steps.iter().map(|step| step.value))
    }

    pub(super) fn dims(&self) -> DimSet {
        union(self.values())
    }

    /// Multiplies this product by the moderate factors of another one, and takes them out of that one.
    pub(super) fn take_moderate(&mut self, other: &mut Product<'b>) {
        self.coefficient *= other.coefficient;
        self.divisor *= other.divisor;
        self.over.append(&mut other.over);
        self.under.append(&mut other.under);
    }
}

impl<'b> Rewriter<'b> {
    /// The factors of a float value.
    pub(super) fn factors(self, x: Value<'b>) -> Product<'b> {
        self.taken_apart(x, &mut MOST_STEPS.clone())
    }

    /// `left` is the number of products that may still be taken apart. A product stays whole if its
    /// constants, or its moderate factors, are large or small when multiplied together.
    fn taken_apart(self, x: Value<'b>, left: &mut usize) -> Product<'b> {
        let product = self.parts(x, left);
        let constant = product.coefficient / product.divisor;
        let is_moderate = is_moderate_constant(constant)
            && [&product.over, &product.under].map(|all| self.are_moderate(all)) == [true; 2];
        if is_moderate { product } else { Product::of(x) }
    }

    /// Whether the product of these moderate factors is moderate too. Sizes don't count, because their
    /// product is the number of elements of a tensor.
    fn are_moderate(self, factors: &[Value<'b>]) -> bool {
        let is_size = |x: &&Value<'b>| matches!(self.op(**x), Op::Len(_));
        factors.len() < 2 || self.is_moderate_product(factors.iter().filter(|x| !is_size(x)).copied())
    }

    fn parts(self, x: Value<'b>, left: &mut usize) -> Product<'b> {
        let node = self.builder.node(x.id);
        match node.op {
            Op::Literal(value) if is_moderate_constant(value.as_f64()) => {
                Product { coefficient: value.as_f64(), ..Product::one() }
            }
            Op::Literal(_) => Product::of(x),
            Op::Apply(Prim::Neg, args) => {
                let inner = self.taken_apart(self.builder.value(args[0]), left);
                Product { coefficient: -inner.coefficient, ..inner }
            }
            Op::Apply(prim @ (Prim::Mul | Prim::Div), args) if *left > 0 => {
                *left -= 1;
                let [a, b] = [args[0], args[1]].map(|arg| self.taken_apart(self.builder.value(arg), left));
                if prim == Prim::Mul { self.times(a, b) } else { self.divided(a, b) }
            }
            Op::Len(dims) => {
                let sizes = dims.iter().map(|dim| self.builder.len(DimSet::one(dim), node.kind));
                Product { over: sizes.collect(), ..Product::one() }
            }
            _ if self.is_moderate(x) => Product { over: vec![x], ..Product::one() },
            _ => Product::of(x),
        }
    }

    fn times(self, a: Product<'b>, b: Product<'b>) -> Product<'b> {
        let (mut a, mut b) = (a, b);
        a.take_moderate(&mut b);
        let mut steps = match (&a.steps[..], &b.steps[..]) {
            ([], _) => b.steps,
            (_, []) => a.steps,
            (_, [step]) => [&a.steps[..], &[*step]].concat(),
            ([first], _) => [&b.steps[..], &[*first]].concat(),
            (_, _) => [&a.steps[..], &[Step { divides: false, value: self.chain(&b.steps) }]].concat(),
        };
        put_factor_first(&mut steps);
        Product { steps, ..a }
    }

    fn divided(self, a: Product<'b>, b: Product<'b>) -> Product<'b> {
        let (mut a, mut b) = (a, b);
        std::mem::swap(&mut b.coefficient, &mut b.divisor);
        std::mem::swap(&mut b.over, &mut b.under);
        a.take_moderate(&mut b);
        match b.steps[..] {
            [] => {}
            [Step { divides, value }] => a.steps.push(Step { divides: !divides, value }),
            [..] => a.steps.push(Step { divides: true, value: self.chain(&b.steps) }),
        }
        put_factor_first(&mut a.steps);
        a
    }

    /// These steps as a single factor, if there are any.
    pub(super) fn as_one(self, steps: &[Step<'b>]) -> Option<Step<'b>> {
        (!steps.is_empty()).then(|| Step { divides: false, value: self.chain(steps) })
    }

    /// The value of the steps, applied in their order.
    fn chain(self, steps: &[Step<'b>]) -> Value<'b> {
        let start = match steps.first() {
            Some(Step { divides: false, value }) => *value,
            Some(Step { divides: true, value }) => 1.0 / *value,
            None => self.builder.float(1.0),
        };
        steps.iter().skip(1).fold(start, |product, step| step.after(product))
    }

    /// Puts a product or quotient of floats into its shortest form. This is done in gradients only.
    pub(super) fn regroup(self, x: Value<'b>) -> Value<'b> {
        if self.reorders() && x.kind() == Kind::Float { self.multiply(self.factors(x)) } else { x }
    }

    /// The value of a product. Sizes cancel, existing products and quotients are used, and moderate factors
    /// are applied to the value with the fewest dims.
    pub(super) fn multiply(self, product: Product<'b>) -> Value<'b> {
        let mut product = product;
        self.cancel(&mut product);
        while self.use_existing(&mut product, false) {}
        let Product { coefficient, divisor, over, under, mut steps } = product;
        // The sign is applied last, so that a sum around it can use it as a subtraction. A single division by
        // a constant stays a division.
        let negative = (coefficient < 0.0) != (divisor < 0.0);
        let (coefficient, divisor) = match (coefficient.abs(), divisor.abs()) {
            (1.0, divisor) if divisor != 1.0 => (1.0, divisor),
            (coefficient, divisor) => (coefficient / divisor, 1.0),
        };
        let mut under = self.join_sizes(under);
        if divisor != 1.0 {
            under.push(self.builder.float(divisor));
        }
        let over = self.join_sizes(over);
        let value = if let Some(Step { divides: true, .. }) = steps.first() {
            let start = over.into_iter().reduce(|a, b| a * b).unwrap_or_else(|| self.builder.float(1.0));
            let quotient = steps.iter().fold(start, |product, step| step.after(product));
            under.into_iter().fold(quotient, |product, divisor| product / divisor)
        } else {
            for factor in over {
                insert(&mut steps, Step { divides: false, value: factor });
            }
            for divisor in under {
                insert(&mut steps, Step { divides: true, value: divisor });
            }
            self.chain(&steps)
        };
        // A constant is applied last: if it were applied earlier, it could make the largest numbers larger.
        let value = match self.float(value) {
            _ if coefficient == 1.0 => value,
            Some(number) => self.builder.float(coefficient * number),
            None => coefficient * value,
        };
        if negative { self.neg(value) } else { value }
    }

    /// If a moderate factor is also a divisor, both are removed.
    fn cancel(self, product: &mut Product<'b>) {
        let under = std::mem::take(&mut product.under);
        for divisor in under {
            match product.over.iter().position(|v| v.id == divisor.id) {
                Some(index) => drop(product.over.remove(index)),
                None => product.under.push(divisor),
            }
        }
    }

    /// Joins the sizes of single dims into one size.
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

    /// Replaces two factors by their product or quotient, if the graph needs that anyway. Returns `false` if
    /// there are no such two.
    pub(super) fn use_existing(self, product: &mut Product<'b>, only_results: bool) -> bool {
        self.use_with_moderate(product, only_results)
            || self.use_neighbours(product, only_results)
            || self.use_first_and_third(product, only_results)
    }

    /// Replaces a step and a moderate factor or divisor.
    fn use_with_moderate(self, product: &mut Product<'b>, only_results: bool) -> bool {
        for place in 0..product.steps.len() {
            let Step { divides: false, value } = product.steps[place] else { continue };
            if let Some((index, joint)) = self.existing(value, Prim::Div, &product.under, only_results) {
                product.under.remove(index);
                product.steps[place].value = joint;
                return true;
            }
            if let Some((index, joint)) = self.existing(value, Prim::Mul, &product.over, only_results) {
                product.over.remove(index);
                product.steps[place].value = joint;
                return true;
            }
        }
        false
    }

    /// Replaces two steps that follow each other. The first two steps are left out, because their product is
    /// a value of this product anyway.
    fn use_neighbours(self, product: &mut Product<'b>, only_results: bool) -> bool {
        for place in 1..product.steps.len().saturating_sub(1) {
            if let Some(joint) = self.joint(product.steps[place], product.steps[place + 1], only_results) {
                product.steps[place] = Step { divides: false, value: joint };
                product.steps.remove(place + 1);
                return true;
            }
        }
        false
    }

    /// Replaces the first and the third step, unless the product of the first two exists too.
    fn use_first_and_third(self, product: &mut Product<'b>, only_results: bool) -> bool {
        if let [first @ Step { divides: false, .. }, second, third, ..] = product.steps[..]
            && self.joint(first, second, false).is_none()
            && let Some(joint) = self.joint(first, third, only_results)
        {
            product.steps[0].value = joint;
            product.steps.remove(2);
            return true;
        }
        false
    }

    /// The existing product or quotient of two steps, in either order.
    fn joint(self, a: Step<'b>, b: Step<'b>, only_results: bool) -> Option<Value<'b>> {
        let (value, prim, with) = match (a.divides, b.divides) {
            (true, true) => return None,
            (false, false) => (a.value, Prim::Mul, b.value),
            (false, true) => (a.value, Prim::Div, b.value),
            (true, false) => (b.value, Prim::Div, a.value),
        };
        self.existing(value, prim, &[with], only_results).map(|(_, joint)| joint)
    }

    /// The existing product or quotient of `value` and one of `with`, and the index of the latter in `with`.
    fn existing(
        self,
        value: Value<'b>,
        prim: Prim,
        with: &[Value<'b>],
        only_results: bool,
    ) -> Option<(usize, Value<'b>)> {
        let (index, id) = self.shared()?.borrow().existing(value.id, prim, with, only_results)?;
        Some((index, self.builder.value(id)))
    }
}

impl<'b> Step<'b> {
    /// Whether it is the same step.
    pub(super) fn is(&self, other: &Step<'b>) -> bool {
        self.divides == other.divides && self.value.id == other.value.id
    }

    pub(super) fn after(self, product: Value<'b>) -> Value<'b> {
        if self.divides { product / self.value } else { product * self.value }
    }
}

/// If there are a divisor and a factor, in this order, puts the factor first.
fn put_factor_first(steps: &mut [Step<'_>]) {
    if let [first @ Step { divides: true, .. }, second @ Step { divides: false, .. }] = steps {
        std::mem::swap(first, second);
    }
}

/// Applies a moderate factor or divisor to the value that has the fewest dims: the product of the first
/// steps, or a single step.
fn insert<'b>(steps: &mut Vec<Step<'b>>, factor: Step<'b>) {
    let dims = factor.value.dims();
    let mut best: Option<(usize, usize, bool)> = None;
    let mut product = DimSet::EMPTY;
    for (place, step) in steps.iter().enumerate() {
        product = product.union(step.value.dims());
        let mut consider = |with: DimSet, alone: bool| {
            let count = with.union(dims).len();
            if best.is_none_or(|(fewest, ..)| count < fewest || count == fewest && !alone) {
                best = Some((count, place, alone));
            }
        };
        if place > 0 && !step.divides {
            consider(step.value.dims(), true);
        }
        consider(product, false);
    }
    let joined = |value: Value<'b>| {
        let is_constant = matches!(value.builder().node(factor.value.id).op, Op::Literal(_));
        // A constant factor stands on the left.
        if is_constant && !factor.divides { factor.value * value } else { factor.after(value) }
    };
    match best {
        Some((_, place, true)) => steps[place].value = joined(steps[place].value),
        Some((_, place, false)) => {
            let product =
                steps.drain(..=place).reduce(|a, step| Step { divides: false, value: step.after(a.value) });
            let value = product.map(|step| joined(step.value));
            steps.splice(0..0, value.map(|value| Step { divides: false, value }));
        }
        None => {
            let one = factor.value.builder().float(1.0);
            let value = if factor.divides { one / factor.value } else { factor.value };
            steps.push(Step { divides: false, value });
        }
    }
}

fn union<'b>(values: impl Iterator<Item = Value<'b>>) -> DimSet {
    values.fold(DimSet::EMPTY, |set, value| set.union(value.dims()))
}
