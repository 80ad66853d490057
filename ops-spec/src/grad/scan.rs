//! Gradients of scans. A small change of a scan is a linear recurrence: the change of the result before it,
//! times a factor, plus the changes of the operands, each times a factor. So the gradient is the same
//! recurrence in the other direction, and every derivative of a scan is made of scans.

#[cfg(all(test, feature = "syntax"))]
mod tests;

use super::sweep::Piece;
use crate::ir::{Affine, Builder, DimId, Kind, NodeId, Op, Position, Scalar, Size, Value};
use crate::prim::{Prim, Scan};

/// A scan that is differentiated, with its result.
pub(super) struct Scanned<'b, 'g> {
    scan: Scan,
    dim: DimId,
    reverse: bool,
    operands: &'g [NodeId],
    y: Value<'b>,
}

impl<'b, 'g> Scanned<'b, 'g> {
    /// `None` if the node is no scan.
    pub(super) fn new(builder: &'b Builder, op: &'g Op, id: NodeId) -> Option<Scanned<'b, 'g>> {
        let Op::Scan { scan, dim, reverse, operands } = op else { return None };
        Some(Scanned { scan: *scan, dim: *dim, reverse: *reverse, operands, y: builder.value(id) })
    }

    /// The gradients of the operands, from that of the result.
    pub(super) fn adjoint(&self, g: Value<'b>) -> Vec<Piece<'b>> {
        let (before, factors) = self.factors();
        let sum = self.recurrence(before.map(|a| self.moved(a, 1, 0.0)), !self.reverse, g);
        let dims = self.y.dims();
        let piece = |(to, factor): (&NodeId, Option<Value<'b>>)| {
            let grad = factor.map_or(sum, |factor| sum * factor);
            Piece { to: *to, dims, grad }
        };
        self.operands.iter().zip(factors).map(piece).collect()
    }

    /// The tangent of the result, from those of the operands. `None` if none has a tangent.
    pub(super) fn tangent(&self, of: impl Fn(NodeId) -> Option<Value<'b>>) -> Option<Value<'b>> {
        let (before, factors) = self.factors();
        let part = |(id, factor): (&NodeId, Option<Value<'b>>)| {
            let tangent = of(*id)?;
            Some(factor.map_or(tangent, |factor| tangent * factor))
        };
        let sum = self.operands.iter().zip(factors).filter_map(part).reduce(|sum, part| sum + part)?;
        Some(self.recurrence(before, self.reverse, sum))
    }

    /// What a change of the result before is multiplied by, and a change of each operand. `None` is 1.
    fn factors(&self) -> (Option<Value<'b>>, Vec<Option<Value<'b>>>) {
        let builder = self.y.builder();
        let x = builder.value(self.operands[0]);
        match self.scan {
            Scan::Sum => (None, vec![None]),
            Scan::Prod => (Some(x), vec![Some(self.moved(self.y, -1, 1.0))]),
            Scan::Max => self.choice(Prim::Gt, f64::NEG_INFINITY),
            Scan::Min => self.choice(Prim::Lt, f64::INFINITY),
            Scan::Linear => (Some(x), vec![Some(self.moved(self.y, -1, 0.0)), None]),
        }
    }

    /// The factors of an extremum: of equal elements the last one counts, as in PyTorch, and the first NaN.
    fn choice(&self, is_better: Prim, worst: f64) -> (Option<Value<'b>>, Vec<Option<Value<'b>>>) {
        let builder = self.y.builder();
        let (x, before) = (builder.value(self.operands[0]), self.moved(self.y, -1, worst));
        let is_nan = before.map(Prim::IsNan);
        let stays = before.zip(is_better, x).zip(Prim::Or, is_nan);
        let factor = |is: Value<'b>| Some(is.cast(Kind::Float).stop_grad());
        (factor(stays), vec![factor(stays.map(Prim::Not))])
    }

    /// The sum of what comes before, each part times the factors on its way.
    fn recurrence(&self, factor: Option<Value<'b>>, reverse: bool, x: Value<'b>) -> Value<'b> {
        let builder = self.y.builder();
        match factor {
            None => builder.scan(Scan::Sum, self.dim, reverse, &[x]),
            Some(factor) => builder.scan(Scan::Linear, self.dim, reverse, &[factor, x]),
        }
    }

    /// The value at the place so many steps further in the direction of the scan.
    fn moved(&self, value: Value<'b>, steps: i64, outside: f64) -> Value<'b> {
        if !value.dims().contains(self.dim) {
            return value;
        }
        let steps = if self.reverse { -steps } else { steps };
        let index = Affine { offset: Size::Literal(steps), steps: vec![(self.dim, Size::Literal(1))] };
        let outside = Some(Scalar::Float(outside));
        value.window(self.dim, Position { index, divisor: Size::Literal(1), outside })
    }
}

/// Whether a scan is linear in those of its operands that `depends` names.
pub(super) fn is_linear(scan: Scan, depends: &[bool]) -> bool {
    match scan {
        Scan::Sum => true,
        Scan::Prod | Scan::Max | Scan::Min => false,
        Scan::Linear => !depends[0],
    }
}
