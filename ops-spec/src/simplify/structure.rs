//! Sizes, casts, indexing and the markers of differentiation.

use super::Rewriter;
use crate::ir::{Arg, DimId, DimKind, DimSet, Kind, Node, Op, Role, Scalar, Value};
use crate::prim::{Fold, Order, Prim, Scan};

/// The value, made to vary along these dims even if everything that varied along them was simplified away. A
/// result keeps its shape this way.
pub(crate) fn along(value: Value<'_>, dims: DimSet) -> Value<'_> {
    let builder = value.builder();
    dims.difference(value.dims()).iter().fold(value, |value, dim| {
        let index = builder.iota(dim);
        match value.kind() {
            Kind::Float | Kind::Int => value + index.zip(Prim::Sub, index).cast(value.kind()),
            Kind::Bool => value.zip(Prim::And, index.zip(Prim::Eq, index)),
        }
    })
}

impl<'b> Rewriter<'b> {
    /// Written sizes become a constant, if their product fits into an int.
    pub(super) fn len(self, dims: DimSet, kind: Kind) -> Value<'b> {
        let is_open = |d: &DimId| match self.builder.read(|g| g.dim(*d).kind.clone()) {
            DimKind::Fixed(_) => false,
            DimKind::Group | DimKind::Named | DimKind::Axis(_) => true,
            DimKind::Sized(_) | DimKind::Computed(_) => true,
        };
        let Some(size) = self.builder.read(|g| g.fixed_size(dims)) else {
            return self.builder.len(dims, kind);
        };
        let open: DimSet = dims.iter().filter(is_open).collect();
        let constant = self.builder.literal(Scalar::Int(size).cast(kind));
        match (open.is_empty(), size == 1) {
            (true, _) => constant,
            (false, true) => self.builder.len(open, kind),
            (false, false) => self.mul(constant, self.builder.len(open, kind)),
        }
    }

    /// Constants and sizes are made directly in the wanted kind.
    pub(super) fn cast(self, x: Value<'b>, kind: Kind) -> Value<'b> {
        if let Op::Literal(value) = self.op(x) {
            return self.builder.literal(value.cast(kind));
        }
        if let (Op::Len(dims), Kind::Float) = (self.op(x), kind) {
            return self.len(dims, kind);
        }
        x.cast(kind)
    }

    /// If the source doesn't vary along the indexed dim, no indexing is needed. It is kept if the index may
    /// be out of range, because that must still be an error.
    pub(super) fn at(self, source: Value<'b>, dim: DimId, index: Value<'b>) -> Value<'b> {
        if self.op(source) == Op::Iota(dim) && self.is_in_range(dim, index) {
            return index;
        }
        let is_needed = source.dims().contains(dim) || !self.is_in_range(dim, index);
        if is_needed { source.at(dim, index) } else { source }
    }

    /// Equal elements keep their order.
    pub(super) fn order(self, order: Order, dim: DimId, operands: &[Value<'b>]) -> Value<'b> {
        let first = operands[0];
        match order {
            Order::Sort { to, .. } if !first.dims().contains(dim) => self.builder.iota(to),
            Order::Sort { to, descending } => self.builder.argsort(first, dim, to, descending),
            // Sorted elements that are all the same still have a number.
            Order::Search { right } => {
                self.builder.searchsorted(along(first, DimSet::one(dim)), operands[1], dim, right)
            }
        }
    }

    /// A recurrence with a factor of 1 is a sum. One that adds nothing is zero.
    pub(super) fn scan(self, scan: Scan, dim: DimId, reverse: bool, operands: &[Value<'b>]) -> Value<'b> {
        let is = |x: Value<'b>, number: f64| matches!(self.op(x), Op::Literal(value @ Scalar::Float(_)) if value.as_f64() == number);
        match (scan, operands) {
            _ if self.is_plain() => self.builder.scan(scan, dim, reverse, operands),
            (Scan::Sum, [x]) | (Scan::Linear, [_, x]) if is(*x, 0.0) => *x,
            (Scan::Linear, [factor, x]) if is(*factor, 1.0) => {
                self.builder.scan(Scan::Sum, dim, reverse, &[*x])
            }
            _ => self.builder.scan(scan, dim, reverse, operands),
        }
    }

    /// Whether an index can't be out of range: it is the position along the dim itself, or this is a
    /// derivative, whose op has already checked the index.
    fn is_in_range(self, dim: DimId, index: Value<'b>) -> bool {
        let is_forward = |arg: &Arg| matches!(arg.role, Role::Forward(_));
        self.op(index) == Op::Iota(dim) || !self.builder.read(|graph| graph.args.iter().all(is_forward))
    }

    /// If each element of the result gets at most one element of the source, this is a `select` by position,
    /// which fuses with the operations before and after it.
    pub(super) fn scatter(
        self,
        fold: Fold,
        source: Value<'b>,
        dim: DimId,
        index: Value<'b>,
        node: &Node,
    ) -> Value<'b> {
        let others = node.dims.difference(DimSet::one(dim));
        if self.is_plain() || !source.dims().union(index.dims()).is_subset(others) {
            return self.builder.push(node.clone());
        }
        let hit = self.builder.iota(dim).zip(Prim::Eq, index);
        self.builder.select(hit, source, self.builder.literal(fold.of_nothing(source.kind())))
    }

    /// Constants, and inputs that are not floats, have no gradient anyway. A computed int or bool keeps its
    /// `stop_grad`: it may be made of floats, and a comparison of floats has no derivative.
    pub(super) fn stop_grad(self, x: Value<'b>) -> Value<'b> {
        let plain = match self.op(x) {
            Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::StopGrad(_) => true,
            Op::Input(_) => x.kind() != Kind::Float,
            Op::Apply(..) | Op::Cast(_) | Op::Reduce(..) | Op::Scan { .. } | Op::Order { .. } => false,
            Op::At { .. } | Op::Window { .. } | Op::Scatter { .. } | Op::Given { .. } | Op::Seed(_) => false,
        };
        if plain { x } else { x.stop_grad() }
    }

    pub(super) fn op(self, x: Value<'b>) -> Op {
        self.builder.node(x.id).op
    }
}
