//! Elementwise rewrites that hold for every value (except for the sign of a zero): neutral elements, signs,
//! constants and choices.

use super::Rewriter;
use crate::ir::{Kind, Op, Scalar, Value};
use crate::prim::Prim;

impl<'b> Rewriter<'b> {
    pub(super) fn apply(self, prim: Prim, args: &[Value<'b>]) -> Value<'b> {
        if self.is_plain() {
            return self.builder.apply(prim, args);
        }
        if let Some(value) = self.constant(prim, args) {
            return value;
        }
        match (prim, args) {
            (Prim::Neg, &[x]) => self.neg(x),
            (Prim::Add, &[a, b]) => self.add(a, b),
            (Prim::Sub, &[a, b]) => self.sub(a, b),
            (Prim::Mul, &[a, b]) => self.mul(a, b),
            (Prim::Div, &[a, b]) => self.div(a, b),
            (Prim::Pow, &[x, p]) => self.pow(x, p),
            (Prim::Maximum | Prim::Minimum, &[a, b]) if a.id == b.id => a,
            // A size is never negative.
            (Prim::Maximum, &[a, b]) if self.is_number(b, 0.0) && matches!(self.op(a), Op::Len(_)) => a,
            (Prim::Maximum, &[a, b]) if self.is_number(a, 0.0) && matches!(self.op(b), Op::Len(_)) => b,
            (Prim::And | Prim::Or, &[a, b]) => self.logic(prim, a, b),
            (Prim::Not, &[x]) => self.operands(x, Prim::Not).map_or_else(|| x.map(prim), |inner| inner[0]),
            (Prim::Select, &[cond, yes, no]) => self.select(cond, yes, no),
            (Prim::Ge | Prim::Gt | Prim::Le | Prim::Lt, &[a, b]) => match self.compared(prim, a, b) {
                Some(value) => self.builder.literal(Scalar::Bool(value)),
                None => self.builder.apply(prim, args),
            },
            _ => self.builder.apply(prim, args),
        }
    }

    fn constant(self, prim: Prim, args: &[Value<'b>]) -> Option<Value<'b>> {
        let literals: Option<Vec<Scalar>> = args.iter().map(|a| self.literal(*a)).collect();
        prim.eval(&literals?).map(|value| self.builder.literal(value))
    }

    pub(super) fn neg(self, x: Value<'b>) -> Value<'b> {
        if let Some(value) = self.constant(Prim::Neg, &[x]) {
            return value;
        }
        if let Some(inner) = self.operands(x, Prim::Neg) {
            return inner[0];
        }
        match self.operands(x, Prim::Sub) {
            Some(ab) => self.sub(ab[1], ab[0]),
            None => -x,
        }
    }

    pub(super) fn add(self, a: Value<'b>, b: Value<'b>) -> Value<'b> {
        if self.is_number(a, 0.0) {
            return b;
        }
        if self.is_number(b, 0.0) {
            return a;
        }
        match (self.operands(a, Prim::Neg), self.operands(b, Prim::Neg)) {
            (_, Some(b)) => self.sub(a, b[0]),
            (Some(a), None) => self.sub(b, a[0]),
            (None, None) => self.gather(a, b, 1.0).unwrap_or_else(|| a + b),
        }
    }

    pub(super) fn sub(self, a: Value<'b>, b: Value<'b>) -> Value<'b> {
        if self.is_number(b, 0.0) {
            return a;
        }
        if self.is_number(a, 0.0) {
            return self.neg(b);
        }
        match self.operands(b, Prim::Neg) {
            Some(b) => self.add(a, b[0]),
            None => self.gather(a, b, -1.0).unwrap_or_else(|| a - b),
        }
    }

    pub(super) fn mul(self, a: Value<'b>, b: Value<'b>) -> Value<'b> {
        if let Some(value) = self.constant(Prim::Mul, &[a, b]) {
            return value;
        }
        for (x, y) in [(a, b), (b, a)] {
            if self.is_number(x, 1.0) {
                return y;
            }
            if self.is_number(x, -1.0) {
                return self.neg(y);
            }
            if let Some(inner) = self.operands(x, Prim::Neg) {
                return self.neg(self.mul_keeping_order(inner[0], y, x.id == b.id));
            }
            if let (Some(c), Some([d, z])) = (self.float(x), self.operands(y, Prim::Mul).as_deref())
                && let Some(d) = self.float(*d)
                && is_normal(c * d)
            {
                return self.mul(self.builder.float(c * d), *z);
            }
        }
        self.regroup(a * b)
    }

    fn mul_keeping_order(self, a: Value<'b>, b: Value<'b>, swapped: bool) -> Value<'b> {
        if swapped { self.mul(b, a) } else { self.mul(a, b) }
    }

    pub(super) fn div(self, a: Value<'b>, b: Value<'b>) -> Value<'b> {
        if let Some(value) = self.constant(Prim::Div, &[a, b]) {
            return value;
        }
        if self.is_number(b, 1.0) {
            return a;
        }
        if self.is_number(b, -1.0) {
            return self.neg(a);
        }
        // If the length is zero, there are no elements that the quotient could be used for.
        if self.reorders() && self.is_number(a, 0.0) && matches!(self.op(b), Op::Len(_)) {
            return a;
        }
        // The smallest int is its own negative, so signs of ints are not moved.
        if a.kind() == Kind::Int {
            return a / b;
        }
        match (self.operands(a, Prim::Neg), self.operands(b, Prim::Neg)) {
            (Some(a), _) => self.neg(self.div(a[0], b)),
            (None, Some(b)) => self.neg(self.div(a, b[0])),
            (None, None) => self.regroup(a / b),
        }
    }

    /// Small whole powers are products.
    fn pow(self, x: Value<'b>, p: Value<'b>) -> Value<'b> {
        match self.float(p) {
            Some(0.0) => self.builder.float(1.0),
            Some(1.0) => x,
            Some(2.0) => self.mul(x, x),
            Some(3.0) => self.mul(self.mul(x, x), x),
            Some(-1.0) => x.map(Prim::Recip),
            Some(_) | None => x.zip(Prim::Pow, p),
        }
    }

    fn logic(self, prim: Prim, a: Value<'b>, b: Value<'b>) -> Value<'b> {
        // `true` is neutral for `and`, and decides `or`; for `false` it is the other way round.
        let neutral = Scalar::Bool(prim == Prim::And);
        for (x, y) in [(a, b), (b, a)] {
            if let Some(value) = self.literal(x) {
                return if value == neutral { y } else { x };
            }
        }
        if a.id == b.id { a } else { a.zip(prim, b) }
    }

    pub(super) fn select(self, cond: Value<'b>, yes: Value<'b>, no: Value<'b>) -> Value<'b> {
        if let Some(Scalar::Bool(value)) = self.literal(cond) {
            return if value { yes } else { no };
        }
        if yes.id == no.id {
            return yes;
        }
        if let Some(inner) = self.operands(cond, Prim::Not) {
            return self.select(inner[0], no, yes);
        }
        if self.reorders() && self.is_number(no, 0.0) {
            let constant = self.float(yes).filter(|c| *c < 0.0).map(|c| self.builder.float(-c));
            if let Some(positive) = constant.or_else(|| Some(self.operands(yes, Prim::Neg)?[0])) {
                return self.neg(self.select(cond, positive, no));
            }
        }
        self.builder.select(cond, yes, no)
    }

    /// The operands, if the value is an application of this primitive.
    pub(super) fn operands(self, x: Value<'b>, prim: Prim) -> Option<Vec<Value<'b>>> {
        match self.op(x) {
            Op::Apply(found, args) if found == prim => {
                Some(args.iter().map(|a| self.builder.value(*a)).collect())
            }
            _ => None,
        }
    }

    pub(super) fn literal(self, x: Value<'b>) -> Option<Scalar> {
        if let Op::Literal(value) = self.op(x) { Some(value) } else { None }
    }

    pub(super) fn float(self, x: Value<'b>) -> Option<f64> {
        self.literal(x).filter(|value| value.kind() == Kind::Float).map(Scalar::as_f64)
    }

    fn is_number(self, x: Value<'b>, number: f64) -> bool {
        x.kind() != Kind::Bool && self.literal(x).is_some_and(|value| value.as_f64() == number)
    }
}

/// Whether a constant is a normal number in every dtype of the arithmetic. The narrowest of these is f32.
fn is_normal(x: f64) -> bool {
    (f64::from(f32::MIN_POSITIVE)..=f64::from(f32::MAX)).contains(&x.abs())
}
