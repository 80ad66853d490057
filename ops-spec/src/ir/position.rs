//! Positions of a window: where [`Op::Window`] reads its source.
//!
//! A position is an affine function of the indices along dims, divided by a number: `i * stride + k - pad`.
//! What such a function reads is a view of the source, so nothing has to be stored for it.

#[cfg(all(test, feature = "syntax"))]
mod tests;

use super::{Builder, DimId, DimKind, DimSet, Graph, Kind, NodeId, Op, Scalar, Size, SizeOp, Value};
use crate::prim::{Order, Prim};

/// Where a window reads its source along one dim: at `(offset + sum of step * index) / divisor`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// The affine function.
    pub index: Affine,
    /// What it is divided by. A position that is no whole number lies outside of the source. Without a value
    /// for what lies outside, it is 1.
    pub divisor: Size,
    /// The value outside of the source. `None` if a position outside is an error.
    pub outside: Option<Scalar>,
}

/// An affine function of the indices along dims.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Affine {
    /// The value where all indices are 0.
    pub offset: Size,
    /// The dims, in order, with what each index is multiplied by.
    pub steps: Vec<(DimId, Size)>,
}

impl Position {
    /// How many elements further along `dim` it reads than it is, if that is the same everywhere.
    pub fn shift(&self, dim: DimId) -> Option<i64> {
        let is_moved = self.index.steps == [(dim, Size::Literal(1))] && self.divisor == Size::Literal(1);
        let offset = if let Size::Literal(offset) = self.index.offset { Some(offset) } else { None };
        offset.filter(|_| is_moved)
    }

    /// The dims whose indices it uses.
    pub fn dims(&self) -> DimSet {
        self.index.steps.iter().map(|(dim, _)| *dim).collect()
    }

    /// The dims whose sizes it uses, and the dims whose indices it uses.
    pub fn all_dims(&self) -> DimSet {
        self.sizes().fold(self.dims(), |all, size| all.union(size.dims()))
    }

    /// All sizes in it.
    pub fn sizes(&self) -> impl Iterator<Item = &Size> {
        let steps = self.index.steps.iter().map(|(_, step)| step);
        [&self.index.offset, &self.divisor].into_iter().chain(steps)
    }

    /// All sizes in it.
    pub fn sizes_mut(&mut self) -> impl Iterator<Item = &mut Size> {
        let steps = self.index.steps.iter_mut().map(|(_, step)| step);
        [&mut self.index.offset, &mut self.divisor].into_iter().chain(steps)
    }

    /// The step of a dim, if the position uses its index.
    pub fn step(&self, dim: DimId) -> Option<&Size> {
        self.index.steps.iter().find(|(own, _)| *own == dim).map(|(_, step)| step)
    }

    /// The same position in a source whose elements outside are zeros.
    pub fn with_zeros(&self, kind: Kind) -> Position {
        Position { outside: self.outside.map(|_| Scalar::Bool(false).cast(kind)), ..self.clone() }
    }

    /// Whether each element of the source along its dim is read at most once: the position has the index of
    /// just one dim, with step 1 or -1.
    pub fn is_one_to_one(&self) -> bool {
        let steps = &self.index.steps[..];
        matches!(steps, [(_, step)] if matches!(step.literal(), Some(1 | -1)))
            && self.divisor == Size::Literal(1)
    }

    /// Whether it counts all elements along dims row-major, so that each element of the source along `dim` is
    /// read exactly once.
    pub fn is_row_major(&self, graph: &Graph, dim: DimId) -> bool {
        let DimKind::Computed(size) = &graph.dim(dim).kind else { return false };
        if self.divisor != Size::Literal(1) || self.index.offset != Size::Literal(0) {
            return false;
        }
        let mut steps: Vec<(Vec<&Size>, DimId)> =
            self.index.steps.iter().map(|(own, step)| (factors(step), *own)).collect();
        steps.sort_by_key(|(factors, _)| factors.len());
        let mut lens: Vec<Size> = vec![];
        for (factors, own) in steps {
            if !lens.iter().eq(factors) {
                return false;
            }
            lens.push(Size::Len(own));
            lens.sort();
        }
        lens.iter().eq(factors(size))
    }

    /// The position as a value, and whether it is inside of a source with this dim.
    pub fn values<'b>(&self, builder: &'b Builder, dim: DimId) -> (Value<'b>, Value<'b>) {
        let start = self.index.offset.node(builder);
        let index = self.index.steps.iter().fold(start, |sum, (dim, step)| match step.literal() {
            Some(1) => sum + builder.iota(*dim),
            Some(_) | None => sum + step.node(builder) * builder.iota(*dim),
        });
        let zero = builder.literal(Scalar::Int(0));
        let (index, is_whole) = match self.divisor.literal() {
            Some(1) => (index, None),
            Some(_) | None => {
                let divisor = self.divisor.node(builder);
                (index / divisor, Some(index.zip(Prim::Rem, divisor).zip(Prim::Eq, zero)))
            }
        };
        let len = builder.len(DimSet::one(dim), Kind::Int);
        let inside = index.zip(Prim::Ge, zero).zip(Prim::And, index.zip(Prim::Lt, len));
        (index, is_whole.map_or(inside, |is_whole| inside.zip(Prim::And, is_whole)))
    }

    /// This position, where the index along a dim is another position. `None` if that is no position: only a
    /// step that is a multiple of the divisor gives one.
    pub fn at(&self, dim: DimId, index: &Position) -> Option<Position> {
        let step = self.step(dim)?;
        let moved = match (step, &index.divisor) {
            (step, Size::Literal(1)) => index.index.clone().times(step),
            (step, divisor) if step == divisor => index.index.clone(),
            _ => return None,
        };
        let rest = Affine {
            offset: self.index.offset.clone(),
            steps: self.index.steps.iter().filter(|(own, _)| *own != dim).cloned().collect(),
        };
        Some(Position { index: rest.plus(moved), ..self.clone() })
    }

    /// The position in the adjoint, where the loops run over elements of the source: the index along `solved`
    /// at which this position is the index along `dim`.
    pub fn solved(&self, dim: DimId, solved: DimId) -> Option<Position> {
        let step = self.step(solved)?.clone();
        let rest = self.index.steps.iter().filter(|(own, _)| *own != solved);
        let mut index = Affine { offset: self.index.offset.clone().negative(), steps: vec![] };
        for (own, step) in rest {
            index.add(*own, step.clone().negative());
        }
        index.add(dim, self.divisor.clone());
        if step.literal().is_some_and(|step| step < 0) {
            index = index.negative();
            return Some(Position { index, divisor: step.negative(), outside: Some(Scalar::Float(0.0)) });
        }
        Some(Position { index, divisor: step, outside: Some(Scalar::Float(0.0)) })
    }
}

/// A position in a call: numbers in place of sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The numerator where all indices are 0.
    pub offset: i64,
    /// The dims, with what each index is multiplied by.
    pub steps: Vec<(DimId, i64)>,
    /// What the sum is divided by; above 0.
    pub divisor: i64,
}

impl Place {
    /// The position of a call. `None` if a number does not fit, or if it would be divided by zero.
    pub fn new(
        position: &Position,
        len: &impl Fn(DimId) -> Option<i64>,
        arg: &impl Fn(usize) -> Option<i64>,
    ) -> Option<Place> {
        let divisor = position.divisor.value(len, arg)?;
        let sign = divisor.signum();
        let number = |size: &Size| size.value(len, arg)?.checked_mul(sign);
        let steps = position.index.steps.iter().map(|(dim, step)| Some((*dim, number(step)?)));
        let place = Place {
            offset: number(&position.index.offset)?,
            steps: steps.collect::<Option<_>>()?,
            divisor: divisor.checked_abs()?,
        };
        (sign != 0).then_some(place)
    }

    /// The element that is read for a numerator, if the position is one of so many.
    pub fn element(&self, numerator: i64, size: usize) -> Option<usize> {
        let at = usize::try_from(numerator.div_euclid(self.divisor)).ok()?;
        (numerator.rem_euclid(self.divisor) == 0 && at < size).then_some(at)
    }

    /// The least and the greatest numerator, given the sizes of dims, none of which is 0. `None` if one does
    /// not fit.
    pub fn range(&self, size: impl Fn(DimId) -> i64) -> Option<(i64, i64)> {
        self.steps.iter().try_fold((self.offset, self.offset), |(low, high), (dim, step)| {
            let last = (size(*dim) - 1).checked_mul(*step)?;
            Some((low.checked_add(last.min(0))?, high.checked_add(last.max(0))?))
        })
    }
}

impl Affine {
    /// The function, as it is written in a formula.
    pub fn text(&self, graph: &Graph) -> String {
        let mut terms: Vec<(bool, String)> = vec![];
        for (dim, step) in &self.steps {
            let iota = graph.iota_text(*dim);
            let (is_negative, step) = graph.declared_size(step).magnitude();
            terms.push((
                is_negative,
                match step {
                    Size::Literal(1) => iota,
                    Size::Literal(_) | Size::Len(_) | Size::Arg(_) => {
                        format!("{iota} * {}", step.formula(graph))
                    }
                    Size::Pair(..) => format!("{iota} * ({})", step.formula(graph)),
                },
            ));
        }
        if self.offset != Size::Literal(0) || terms.is_empty() {
            let (is_negative, offset) = graph.declared_size(&self.offset).magnitude();
            let text = offset.formula(graph).to_string();
            let is_sum = matches!(offset, Size::Pair(SizeOp::Add | SizeOp::Sub, _));
            terms.push((is_negative, if is_negative && is_sum { format!("({text})") } else { text }));
        }
        // What is added comes first.
        terms.sort_by_key(|(is_negative, _)| *is_negative);
        let joined = terms.iter().enumerate().map(|(at, (is_negative, term))| match (at, is_negative) {
            (0, false) => term.clone(),
            (0, true) => format!("-{term}"),
            (_, false) => format!(" + {term}"),
            (_, true) => format!(" - {term}"),
        });
        joined.collect()
    }

    /// The index along a dim, times a step.
    fn add(&mut self, dim: DimId, step: Size) {
        match self.steps.binary_search_by_key(&dim, |(own, _)| *own) {
            Ok(at) => {
                let sum = Size::pair(SizeOp::Add, self.steps[at].1.clone(), step);
                self.steps[at].1 = sum;
            }
            Err(at) => self.steps.insert(at, (dim, step)),
        }
        self.steps.retain(|(_, step)| step.literal() != Some(0));
    }

    fn negative(self) -> Affine {
        let steps = self.steps.into_iter().map(|(dim, step)| (dim, step.negative()));
        Affine { offset: self.offset.negative(), steps: steps.collect() }
    }

    /// The difference of two functions.
    pub fn minus(self, other: Affine) -> Affine {
        self.plus(other.negative())
    }

    fn plus(mut self, other: Affine) -> Affine {
        self.offset = Size::pair(SizeOp::Add, self.offset, other.offset);
        other.steps.into_iter().for_each(|(dim, step)| self.add(dim, step));
        self
    }

    fn times(self, factor: &Size) -> Affine {
        let times = |size| Size::pair(SizeOp::Mul, size, factor.clone());
        let mut product = Affine { offset: times(self.offset), steps: vec![] };
        self.steps.into_iter().for_each(|(dim, step)| product.add(dim, times(step)));
        product
    }
}

/// What is multiplied, in order.
fn factors(size: &Size) -> Vec<&Size> {
    let mut factors = match size {
        Size::Literal(1) => vec![],
        Size::Pair(SizeOp::Mul, pair) => [factors(&pair[0]), factors(&pair[1])].concat(),
        Size::Literal(_) | Size::Len(_) | Size::Arg(_) | Size::Pair(..) => vec![size],
    };
    factors.sort();
    factors
}

impl Graph {
    /// The dim of a position along `dim` that is likely the longest: the indexed dim itself, a dim that grows
    /// with it or it with that, or one whose size nobody chose.
    pub fn longest(&self, dim: DimId, dims: DimSet) -> Option<DimId> {
        let is_size = |size: &Size, of: DimId| match size {
            Size::Len(own) => *own == of,
            Size::Arg(arg) => self.dim(of).kind == DimKind::Sized(*arg),
            Size::Literal(_) | Size::Pair(..) => false,
        };
        let grows = |this: DimId, other: DimId| match &self.dim(this).kind {
            DimKind::Computed(size) => size.grows_with(&|part| is_size(part, other)),
            DimKind::Group | DimKind::Named | DimKind::Axis(_) => false,
            DimKind::Sized(_) | DimKind::Fixed(_) => false,
        };
        // The first of equals.
        dims.iter().min_by_key(|own| match &self.dim(*own).kind {
            _ if *own == dim => 0,
            _ if grows(*own, dim) || grows(dim, *own) => 1,
            DimKind::Named | DimKind::Axis(_) | DimKind::Group => 2,
            DimKind::Computed(_) | DimKind::Sized(_) => 3,
            DimKind::Fixed(_) => 4,
        })
    }

    /// The dims along which an index along `dim` is known to differ: the positions of sorted elements, or all
    /// positions row-major.
    pub(super) fn differs_along(&self, index: NodeId, dim: DimId) -> Option<DimSet> {
        if let Op::Order { order: Order::Sort { to, .. }, .. } = self.node(index).op {
            return Some(DimSet::one(to));
        }
        let position = Position { index: self.as_affine(index)?, divisor: Size::Literal(1), outside: None };
        position.is_row_major(self, dim).then(|| position.dims())
    }

    /// The affine function that an int value is, if it is made of indices along dims and numbers of the call
    /// by `+ - *`.
    pub fn as_affine(&self, id: NodeId) -> Option<Affine> {
        if let Some(offset) = self.as_size(id) {
            return Some(Affine { offset, steps: vec![] });
        }
        match &self.node(id).op {
            Op::Iota(dim) if self.has_one_size(*dim) => {
                Some(Affine { offset: Size::Literal(0), steps: vec![(*dim, Size::Literal(1))] })
            }
            Op::Apply(Prim::Neg, args) => Some(self.as_affine(args[0])?.negative()),
            Op::Apply(prim, args) => {
                let operation = SizeOp::of_prim(*prim)?;
                let (a, b) = (self.as_affine(args[0])?, self.as_affine(args[1])?);
                match operation {
                    SizeOp::Add => Some(a.plus(b)),
                    SizeOp::Sub => Some(a.minus(b)),
                    SizeOp::Mul if a.steps.is_empty() => Some(b.times(&a.offset)),
                    SizeOp::Mul if b.steps.is_empty() => Some(a.times(&b.offset)),
                    SizeOp::Mul | SizeOp::Div | SizeOp::Min | SizeOp::Max => None,
                }
            }
            Op::Input(_) | Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Cast(_) | Op::Reduce(..) => None,
            Op::Order { .. } => None,
            Op::Scan { .. } | Op::At { .. } | Op::Window { .. } | Op::Scatter { .. } => None,
            Op::StopGrad(_) | Op::Given { .. } | Op::Seed(_) => None,
        }
    }
}
