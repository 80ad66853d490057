//! Sums of two products, in gradients: like terms are joined into one, and common factors are taken out.
//!
//! This turns `g / s - t / s` into one division, and `e / s * g - select(hit, g, 0)` into softmax minus
//! one-hot, times `g`.

use super::Rewriter;
use super::product::{Product, Step};
use crate::ir::{Kind, Op, Value};
use crate::prim::Prim;

/// A product. If there is a condition, the term is zero where the condition is false.
struct Term<'b> {
    hit: Option<Value<'b>>,
    product: Product<'b>,
}

impl<'b> Rewriter<'b> {
    /// `a + sign * b` with like terms joined or common factors taken out. `None` if there are none.
    pub(super) fn gather(self, a: Value<'b>, b: Value<'b>, sign: f64) -> Option<Value<'b>> {
        if !self.reorders() || a.kind() != Kind::Float {
            return None;
        }
        let (left, right) = (self.term(a), self.term(b));
        if left.hit.is_none() && right.hit.is_none() && same_factors(&left.product, &right.product) {
            return self.like_terms(left.product, right.product, sign);
        }
        self.like_in_sum(a, b, sign).or_else(|| self.common_factor(left, right, sign))
    }

    /// `(p + 2 * q) + q`, with the like terms joined.
    fn like_in_sum(self, sum: Value<'b>, b: Value<'b>, sign: f64) -> Option<Value<'b>> {
        let term = self.factors(b);
        let terms = self.operands(sum, Prim::Add)?;
        let place = terms.iter().position(|x| same_factors(&self.factors(*x), &term))?;
        let joined = self.like_terms(self.factors(terms[place]), term, sign)?;
        Some(if place == 0 { self.add(joined, terms[1]) } else { self.add(terms[0], joined) })
    }

    /// In a term, an existing result, such as softmax, stays one factor.
    fn term(self, x: Value<'b>) -> Term<'b> {
        let mut term = self.term_as_written(x);
        while self.use_existing(&mut term.product, true) {}
        term
    }

    fn term_as_written(self, x: Value<'b>) -> Term<'b> {
        match self.operands(x, Prim::Select).as_deref() {
            Some(&[cond, yes, no]) if self.float(no) == Some(0.0) => {
                Term { hit: Some(cond), product: self.factors(yes) }
            }
            Some(_) | None => Term { hit: None, product: self.factors(x) },
        }
    }

    /// Joins like terms, such as `2 * a + a`. A difference of equal terms stays, because it is not zero for
    /// infinities.
    fn like_terms(self, a: Product<'b>, b: Product<'b>, sign: f64) -> Option<Value<'b>> {
        let coefficient = a.coefficient / a.divisor + sign * b.coefficient / b.divisor;
        if coefficient == 0.0 || a.is_constant() {
            return None;
        }
        Some(self.multiply(Product { coefficient, divisor: 1.0, ..a }))
    }

    /// `a * f - b * f` is `(a - b) * f` for moderate factors. Other factors are taken out only if the rest of
    /// each term is bounded by construction, so that the difference can't overflow. Softmax minus one-hot is
    /// an example.
    fn common_factor(self, a: Term<'b>, b: Term<'b>, sign: f64) -> Option<Value<'b>> {
        let (mut a, mut b) = (a, b);
        let mut common = Product::one();
        common.over = take_common(&mut a.product.over, &mut b.product.over);
        common.under = take_common(&mut a.product.under, &mut b.product.under);
        let (first, last) = self.take_steps(&mut a.product, &mut b.product);
        let is_size = |v: &Value<'b>| matches!(self.op(*v), Op::Len(_));
        if common.over.iter().chain(&common.under).all(is_size) && last.is_empty() && first.is_empty() {
            return None;
        }
        let [left, right] = [a, b].map(|term| {
            let rest = self.multiply(term.product);
            term.hit.map_or(rest, |cond| self.select(cond, rest, self.builder.float(0.0)))
        });
        let sum = if sign < 0.0 { self.sub(left, right) } else { self.add(left, right) };
        if self.literal(sum).is_some() {
            // The rest is a constant, so nothing was gained, and the constant may hide a cancellation.
            return None;
        }
        common.steps = first.into_iter().chain([Step { divides: false, value: sum }]).chain(last).collect();
        Some(self.multiply(common))
    }

    /// Takes the last steps that both terms share out of them, or else the first ones, if the rest of both is
    /// bounded. The rest of one of the terms must be no new product, or not small, so that nothing vanishes.
    fn take_steps(self, a: &mut Product<'b>, b: &mut Product<'b>) -> (Vec<Step<'b>>, Vec<Step<'b>>) {
        let (mut of_a, mut of_b) = (a.steps.clone(), b.steps.clone());
        let last = take_last(&mut of_a, &mut of_b);
        if !last.is_empty() {
            if !self.are_bounded(&of_a, &of_b) {
                return (vec![], vec![]);
            }
            (a.steps, b.steps) = (of_a, of_b);
            return (vec![], last);
        }
        let same = of_a.iter().zip(&of_b).take_while(|(a, b)| a.is(b)).count();
        if same == 0 || !self.are_bounded(&of_a[same..], &of_b[same..]) {
            return (vec![], vec![]);
        }
        b.steps.drain(..same);
        (a.steps.drain(..same).collect(), vec![])
    }

    fn are_bounded(self, a: &[Step<'b>], b: &[Step<'b>]) -> bool {
        let is_bounded = |step: &Step<'b>| !step.divides && self.is_bounded(step.value);
        let is_small = |rest: &&[Step<'b>]| match rest {
            [] => false,
            [step] => !self.is_far_from_zero(step.value),
            [..] => true,
        };
        let vanishes = [a, b].iter().any(|rest| rest.len() > 1) && [a, b].iter().all(is_small);
        a.iter().chain(b).all(is_bounded) && !vanishes
    }
}

/// Takes the last steps of both out, as long as they are the same. With two factors, either may be the last.
fn take_last<'b>(a: &mut Vec<Step<'b>>, b: &mut Vec<Step<'b>>) -> Vec<Step<'b>> {
    let mut common = vec![];
    loop {
        let candidates = |steps: &[Step<'b>]| match steps {
            [_, Step { divides: false, .. }] => vec![1, 0],
            [..] => steps.len().checked_sub(1).into_iter().collect(),
        };
        let (of_a, of_b) = (candidates(a), candidates(b));
        let pairs = of_a.iter().flat_map(|i| of_b.iter().map(move |j| (*i, *j)));
        let same = |(i, j): &(usize, usize)| a[*i].is(&b[*j]);
        let Some((i, j)) = pairs.into_iter().find(same) else { return common };
        common.insert(0, a.remove(i));
        b.remove(j);
    }
}

fn same_factors(a: &Product<'_>, b: &Product<'_>) -> bool {
    let sorted = |product: &Product<'_>| {
        let ids = |values: &[Value<'_>]| {
            let mut ids: Vec<_> = values.iter().map(|v| v.id).collect();
            ids.sort_unstable();
            ids
        };
        let mut steps: Vec<_> = product.steps.iter().map(|step| (step.value.id, step.divides)).collect();
        steps.sort_unstable();
        (ids(&product.over), ids(&product.under), steps)
    };
    sorted(a) == sorted(b)
}

/// Takes the factors that both have out of both.
fn take_common<'b>(a: &mut Vec<Value<'b>>, b: &mut Vec<Value<'b>>) -> Vec<Value<'b>> {
    let mut common = vec![];
    a.retain(|factor| match b.iter().position(|other| other.id == factor.id) {
        Some(index) => {
            b.remove(index);
            common.push(*factor);
            false
        }
        None => true,
    });
    common
}
