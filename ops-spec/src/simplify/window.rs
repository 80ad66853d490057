//! Windows. A window that reads each element at most once moves behind pointwise functions, so that it reads
//! an argument instead of a value that would have to be stored first.

use super::Rewriter;
use crate::ir::{
    Affine, ArgType, DimId, DimKind, DimSet, Kind, NodeId, Op, Position, ScalarType, Size, SizeOp, Value,
};
use crate::prim::{Fold, Group, Prim};
use crate::schedule::contraction_operands;

impl<'b> Rewriter<'b> {
    /// The source at a position along a dim.
    pub(super) fn window(self, source: Value<'b>, dim: DimId, position: Position) -> Value<'b> {
        let mut position = position;
        if self.is_inside(dim, &position) {
            position.outside = None;
        }
        let is_itself = position.index.offset == Size::Literal(0)
            && position.index.steps == [(dim, Size::Literal(1))]
            && position.divisor == Size::Literal(1);
        if is_itself || position.outside.is_none() && !source.dims().contains(dim) {
            return source;
        }
        if !source.dims().contains(dim) && self.is_in_memory(source) {
            return source.limited(dim, position);
        }
        if self.is_plain() {
            return source.window(dim, position);
        }
        if position.outside.is_some() || !reads_once(&position) {
            return self.moved_inside(source, dim, &position).unwrap_or_else(|| source.window(dim, position));
        }
        let moved = |value: Value<'b>| match value.dims().contains(dim) {
            true => self.window(value, dim, position.clone()),
            false => value,
        };
        match self.op(source) {
            Op::Iota(_) => position.values(self.builder, dim).0,
            Op::Cast(x) => self.cast(moved(self.builder.value(x)), source.kind()),
            Op::Apply(prim, args) if is_cheap(prim) => {
                let args: Vec<Value<'b>> = args.iter().map(|arg| moved(self.builder.value(*arg))).collect();
                self.apply(prim, &args)
            }
            _ => source.window(dim, position),
        }
    }

    /// In a gradient, a window with zeros outside of what need not be stored. Of a sum of windows it is
    /// a sum of windows of windows. Of a product with a factor that is finite everywhere it is a product with
    /// a window of the other factor. Of a choice between a value and zero it is that choice for a window of
    /// the value. The window has no more dims than its source, as the adjoint of a window.
    fn moved_inside(self, source: Value<'b>, dim: DimId, position: &Position) -> Option<Value<'b>> {
        let kept = source.dims().difference(DimSet::one(dim));
        let is_zero = position.outside.is_some_and(|value| value.as_f64() == 0.0);
        if !self.reorders() || !is_zero || position.dims().difference(kept).len() > 1 {
            return None;
        }
        match self.op(source) {
            Op::Apply(Prim::Mul, args) => {
                let [a, b] = [args[0], args[1]].map(|arg| self.builder.value(arg));
                let (zero, other) = if self.is_mask(b) { (a, b) } else { (b, a) };
                if self.is_mask(other) && zero.dims().contains(dim) {
                    let other = self.anywhere(other, dim, position);
                    return Some(self.mul(self.window(zero, dim, position.clone()), other));
                }
                // Both factors are zero outside, so that an infinite one does not meet the zero of the other.
                let is_moved = self.is_in_memory(a) && self.is_in_memory(b);
                is_moved.then(|| {
                    let [a, b] = [a, b].map(|factor| self.window(factor, dim, position.clone()));
                    self.mul(a, b)
                })
            }
            Op::Apply(Prim::Select, args) => {
                let [condition, chosen, other] = [0, 1, 2].map(|at| self.builder.value(args[at]));
                let is_zero = matches!(self.op(other), Op::Literal(value) if value.as_f64() == 0.0);
                let is_moved = is_zero && chosen.dims().contains(dim) && self.is_in_memory(chosen);
                is_moved.then(|| {
                    let condition = self.anywhere(condition, dim, position);
                    let chosen = self.window(chosen, dim, position.clone());
                    self.apply(Prim::Select, &[condition, chosen, other])
                })
            }
            Op::Apply(Prim::Neg, args) => {
                let moved = self.window(self.builder.value(args[0]), dim, position.clone());
                Some(self.apply(Prim::Neg, &[moved]))
            }
            Op::Reduce(Fold::Sum, dims, x)
                if dims.intersection(position.dims()).is_empty() && !dims.contains(dim) =>
            {
                let x = self.builder.value(x);
                let is_window = matches!(self.op(x), Op::Window { .. });
                // A product of matrices stays one, though it has to be stored.
                let is_product = self.builder.read(|graph| contraction_operands(graph, source.id).is_some());
                let moved = if is_product { None } else { self.moved_inside(x, dim, position) };
                let moved = moved.or_else(|| is_window.then(|| x.window(dim, position.clone())))?;
                Some(self.reduce(Fold::Sum, dims, moved))
            }
            _ => None,
        }
    }

    /// Whether a value is an argument, or windows of one.
    fn is_in_memory(self, value: Value<'b>) -> bool {
        match self.op(value) {
            Op::Input(_) => true,
            Op::Window { source, .. } => self.is_in_memory(self.builder.value(source)),
            _ => false,
        }
    }

    /// Whether a value is finite wherever it is computed: a condition as a number, or a product of these.
    fn is_mask(self, value: Value<'b>) -> bool {
        let is_mask = |id: NodeId| self.is_mask(self.builder.value(id));
        match self.op(value) {
            Op::Cast(x) => self.builder.node(x).kind == Kind::Bool,
            Op::StopGrad(x) => is_mask(x),
            Op::Apply(Prim::Mul, args) => args.iter().all(|arg| is_mask(*arg)),
            _ => false,
        }
    }

    /// The value at a position, where the position is inside. What it is outside does not matter.
    fn anywhere(self, value: Value<'b>, dim: DimId, position: &Position) -> Value<'b> {
        if !value.dims().contains(dim) {
            return value;
        }
        let of = |id: NodeId| self.anywhere(self.builder.value(id), dim, position);
        match self.op(value) {
            Op::Iota(_) => position.values(self.builder, dim).0,
            Op::Cast(x) => self.cast(of(x), value.kind()),
            Op::StopGrad(x) => self.stop_grad(of(x)),
            Op::Apply(prim, args) if is_cheap(prim) => {
                self.apply(prim, &args.iter().map(|arg| of(*arg)).collect::<Vec<_>>())
            }
            Op::Window { source, dim: inner, position: first } => match first.at(dim, position) {
                Some(both) if !self.builder.node(source).dims.contains(dim) => {
                    self.window(self.builder.value(source), inner, both)
                }
                Some(_) | None => self.window(value, dim, position.with_zeros(value.kind())),
            },
            _ => self.window(value, dim, position.with_zeros(value.kind())),
        }
    }

    /// Whether no position is outside of the source, whatever the sizes of a call are.
    fn is_inside(self, dim: DimId, position: &Position) -> bool {
        let Some((low, high)) = self.bounds(&position.index) else { return false };
        let last = Size::pair(SizeOp::Sub, self.extent(dim), Size::Literal(1));
        let above = Size::pair(SizeOp::Sub, last, high);
        position.divisor == Size::Literal(1) && self.is_natural(&low) && self.is_natural(&above)
    }

    /// What a comparison of indices is, if it is the same everywhere in every call.
    pub(super) fn compared(self, prim: Prim, a: Value<'b>, b: Value<'b>) -> Option<bool> {
        let (a, b, is_strict) = match prim {
            Prim::Ge => (a, b, false),
            Prim::Gt => (a, b, true),
            Prim::Le => (b, a, false),
            Prim::Lt => (b, a, true),
            _ => return None,
        };
        if !self.reorders() {
            return None;
        }
        let affine = |value: Value<'b>| self.builder.read(|graph| graph.as_affine(value.id));
        let (low, high) = self.bounds(&affine(a)?.minus(affine(b)?))?;
        let above = Size::pair(SizeOp::Sub, low, Size::Literal(i64::from(is_strict)));
        let below = Size::pair(SizeOp::Sub, Size::Literal(i64::from(is_strict) - 1), high);
        let (is_above, is_below) = (self.is_natural(&above), self.is_natural(&below));
        (is_above || is_below).then_some(is_above)
    }

    /// The least and the greatest value of an index.
    fn bounds(self, index: &Affine) -> Option<(Size, Size)> {
        let (mut low, mut high) = (index.offset.clone(), index.offset.clone());
        for (own, step) in &index.steps {
            let last = Size::pair(SizeOp::Sub, self.extent(*own), Size::Literal(1));
            let end = if step.literal()? < 0 { &mut low } else { &mut high };
            *end = Size::pair(SizeOp::Add, end.clone(), Size::pair(SizeOp::Mul, step.clone(), last));
        }
        Some((low, high))
    }

    /// Whether a size can't be negative, because nothing is subtracted in it.
    fn is_natural(self, size: &Size) -> bool {
        match size {
            Size::Literal(value) => *value >= 0,
            Size::Len(_) => true,
            Size::Arg(arg) => self.builder.read(|graph| match graph.args[*arg].ty {
                ArgType::Scalar { ty, .. } => matches!(ty, ScalarType::Usize | ScalarType::Bool),
                ArgType::Tensor { .. } | ArgType::Shape { .. } | ArgType::Axis { .. } => false,
            }),
            Size::Pair(SizeOp::Sub, _) => false,
            Size::Pair(SizeOp::Max, pair) => pair.iter().any(|size| self.is_natural(size)),
            Size::Pair(SizeOp::Add | SizeOp::Mul | SizeOp::Div | SizeOp::Min, pair) => {
                self.is_natural(&pair[0]) && self.is_natural(&pair[1])
            }
        }
    }

    /// The size of a dim, in terms of others where its declaration says so.
    fn extent(self, dim: DimId) -> Size {
        match self.builder.read(|graph| graph.dim(dim).kind.clone()) {
            DimKind::Fixed(size) => i64::try_from(size).map_or(Size::Len(dim), Size::Literal),
            DimKind::Computed(size) => {
                size.map(&|dim| Some(self.extent(dim)), &|arg| Some(Size::Arg(arg))).unwrap_or(size)
            }
            DimKind::Sized(arg) => Size::Arg(arg),
            DimKind::Group | DimKind::Named | DimKind::Axis(_) => Size::Len(dim),
        }
    }
}

/// Whether an element is read at most once along the dim.
fn reads_once(position: &Position) -> bool {
    position.index.steps.is_empty() || position.is_one_to_one()
}

/// Functions that cost less than storing their result.
fn is_cheap(prim: Prim) -> bool {
    match prim.group() {
        Group::Function(_) | Group::FloatBinary(_) | Group::Draw(_) => false,
        Group::Rounding(_) | Group::Test(_) | Group::Logic(_) | Group::Unary(_) | Group::Arithmetic(_) => {
            true
        }
        Group::Comparison(_) | Group::Equality(_) | Group::Bits(_) | Group::Choice(_) => true,
    }
}
