//! Windows. A window that reads each element at most once moves behind pointwise functions, so that it reads
//! an argument instead of a value that would have to be stored first.

use super::Rewriter;
use crate::ir::{DimId, DimKind, Op, Position, Size, Value};
use crate::prim::Prim;

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
        if self.is_plain() || position.outside.is_some() || !reads_once(&position) {
            return source.window(dim, position);
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

    /// Whether written sizes show that no position is outside of the source.
    fn is_inside(self, dim: DimId, position: &Position) -> bool {
        let fixed = |dim: DimId| match self.builder.read(|graph| graph.dim(dim).kind.clone()) {
            DimKind::Fixed(size) => i64::try_from(size).ok(),
            DimKind::Group | DimKind::Named | DimKind::Axis(_) => None,
            DimKind::Sized(_) | DimKind::Computed(_) => None,
        };
        let range = || {
            let offset = position.index.offset.literal()?;
            position.index.steps.iter().try_fold((offset, offset), |(low, high), (dim, step)| {
                let last = fixed(*dim)?.checked_sub(1)?.checked_mul(step.literal()?)?;
                Some((low.checked_add(last.min(0))?, high.checked_add(last.max(0))?))
            })
        };
        let is_inside = |(low, high): (i64, i64)| fixed(dim).is_some_and(|len| low >= 0 && high < len);
        position.divisor == Size::Literal(1) && range().is_some_and(is_inside)
    }
}

/// Whether an element is read at most once along the dim.
fn reads_once(position: &Position) -> bool {
    position.index.steps.is_empty() || position.is_one_to_one()
}

/// Functions that cost less than storing their result.
fn is_cheap(prim: Prim) -> bool {
    matches!(
        prim,
        Prim::Add
            | Prim::Sub
            | Prim::Mul
            | Prim::Neg
            | Prim::Abs
            | Prim::Select
            | Prim::Maximum
            | Prim::Minimum
    )
}
