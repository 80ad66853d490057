//! Sums of two products, in gradients: like terms are one term, and common factors are taken out.
//!
//! This is what makes `g / s - t / s` one division, and softmax minus one-hot of `e / s * g - select(hit, g, 0)`.

use super::Rewriter;
use super::product::Product;
use crate::ir::{Kind, Op, Value};
use crate::prim::Prim;

/// A product, where a condition may put zero in its place.
struct Term<'b> {
    hit: Option<Value<'b>>,
    product: Product<'b>,
}

impl<'b> Rewriter<'b> {
    /// `a + sign * b` with like terms or common factors gathered, if there are any.
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

    /// `(p + 2 * q) + q` with the like terms made one.
    fn like_in_sum(self, sum: Value<'b>, b: Value<'b>, sign: f64) -> Option<Value<'b>> {
        let term = self.factors(b);
        let terms = self.operands(sum, Prim::Add)?;
        let place = terms.iter().position(|x| same_factors(&self.factors(*x), &term))?;
        let joined = self.like_terms(self.factors(terms[place]), term, sign)?;
        Some(if place == 0 { self.add(joined, terms[1]) } else { self.add(terms[0], joined) })
    }

    fn term(self, x: Value<'b>) -> Term<'b> {
        match self.operands(x, Prim::Select).as_deref() {
            Some(&[cond, yes, no]) if self.float(no) == Some(0.0) => {
                Term { hit: Some(cond), product: self.factors(yes) }
            }
            Some(_) | None => Term { hit: None, product: self.factors(x) },
        }
    }

    /// `2 * a + a`; a difference that is zero stays, for it is not zero for infinities.
    fn like_terms(self, a: Product<'b>, b: Product<'b>, sign: f64) -> Option<Value<'b>> {
        let coefficient = a.coefficient / a.divisor + sign * b.coefficient / b.divisor;
        if coefficient == 0.0 || a.is_constant() {
            return None;
        }
        Some(self.multiply(Product { coefficient, divisor: 1.0, ..a }))
    }

    fn common_factor(self, a: Term<'b>, b: Term<'b>, sign: f64) -> Option<Value<'b>> {
        let (mut a, mut b) = (a, b);
        let mut common = Product::one();
        common.over = take_common(&mut a.product.over, &mut b.product.over);
        common.under = take_common(&mut a.product.under, &mut b.product.under);
        let is_size = |v: &Value<'b>| matches!(self.op(*v), Op::Len(_));
        if common.over.iter().chain(&common.under).all(is_size) {
            return None;
        }
        let [left, right] = [a, b].map(|term| {
            let rest = self.multiply(term.product);
            term.hit.map_or(rest, |cond| self.select(cond, rest, self.builder.float(0.0)))
        });
        let sum = if sign < 0.0 { self.sub(left, right) } else { self.add(left, right) };
        if self.literal(sum).is_some() {
            // Factors of a constant: nothing was gained, and the constant may hide a cancellation.
            return None;
        }
        common.over.insert(0, sum);
        Some(self.multiply(common))
    }
}

fn same_factors(a: &Product<'_>, b: &Product<'_>) -> bool {
    let same = |a: &[Value<'_>], b: &[Value<'_>]| {
        let (mut a, mut b): (Vec<_>, Vec<_>) =
            (a.iter().map(|v| v.id).collect(), b.iter().map(|v| v.id).collect());
        a.sort_unstable();
        b.sort_unstable();
        a == b
    };
    same(&a.over, &b.over) && same(&a.under, &b.under)
}

/// Moves the factors that both have out of both.
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
