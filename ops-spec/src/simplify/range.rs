//! The range in which a value lies by construction, whatever the inputs are.
//!
//! A gradient may move a factor if this causes no product on the way to overflow or vanish that did not do so
//! before. That holds for a factor that is neither large nor small: a size, a small constant, or a value that
//! its formula bounds. An example is the sum of `exp(x - max(x))`, which lies between 1 and the number of its
//! terms.

use crate::ir::{Builder, DimSet, Graph, Kind, NodeId, Op};
use crate::prim::{Fold, Prim, Scan};
use std::cell::RefCell;

/// No tensor has more elements than this.
const MOST_ELEMENTS: f64 = (1_u64 << 40) as f64;

/// A factor may be moved if it is no smaller than this, and no larger than the most elements that a sum may
/// have.
const SMALLEST_FACTOR: f64 = 1.0 / 1024.0;
const LARGEST_FACTOR: f64 = MOST_ELEMENTS;

/// The limit for the product of several factors: as large as two sums over all elements.
const LARGEST_PRODUCT: f64 = MOST_ELEMENTS * MOST_ELEMENTS;

/// A product may contain any number of constants. They may be moved while their product lies between this
/// number and its reciprocal.
const LARGEST_CONSTANT: f64 = 1024.0;

/// Whether the product of the constants in a product may be moved.
pub(super) fn is_moderate_constant(x: f64) -> bool {
    (1.0 / LARGEST_CONSTANT..=LARGEST_CONSTANT).contains(&x.abs())
}

/// All numbers from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Range {
    low: f64,
    high: f64,
}

impl Range {
    pub(super) const ONE: Range = Range { low: 1.0, high: 1.0 };
    const ALL: Range = Range { low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// Whether a gradient may move a factor of this range.
    pub(super) fn is_moderate(self) -> bool {
        self.is_far_from_zero() && self.is_bounded()
    }

    /// Whether a gradient may move several factors whose product has this range. Each of the factors must be
    /// one that the gradient may move.
    pub(super) fn is_moderate_product(self) -> bool {
        self.is_far_from_zero() && self.low >= -LARGEST_PRODUCT && self.high <= LARGEST_PRODUCT
    }

    pub(super) fn times(self, other: Range) -> Range {
        self.corners(other, |a, b| a * b)
    }

    /// Whether a factor of this range can't make a product much smaller.
    pub(super) fn is_far_from_zero(self) -> bool {
        self.low >= SMALLEST_FACTOR || self.high <= -SMALLEST_FACTOR
    }

    /// Whether a factor of this range can't make a product much larger.
    pub(super) fn is_bounded(self) -> bool {
        self.low >= -LARGEST_FACTOR && self.high <= LARGEST_FACTOR
    }

    fn exactly(x: f64) -> Range {
        if x.is_nan() { Range::ALL } else { Range { low: x, high: x } }
    }

    /// The range that holds all of these numbers. If one of them is NaN, it holds all numbers.
    fn around(ends: &[f64]) -> Range {
        if ends.iter().any(|x| x.is_nan()) {
            return Range::ALL;
        }
        let fold = |f: fn(f64, f64) -> f64, start| ends.iter().copied().fold(start, f);
        Range { low: fold(f64::min, f64::INFINITY), high: fold(f64::max, f64::NEG_INFINITY) }
    }

    fn negated(self) -> Range {
        Range { low: -self.high, high: -self.low }
    }

    /// The range of an increasing function.
    fn increasing(self, f: impl Fn(f64) -> f64) -> Range {
        Range::around(&[f(self.low), f(self.high)])
    }

    /// The range of a function of two numbers that has its extremes at the ends of both ranges.
    fn corners(self, other: Range, f: impl Fn(f64, f64) -> f64) -> Range {
        let [(a, b), (c, d)] = [self, other].map(|range| (range.low, range.high));
        Range::around(&[f(a, c), f(a, d), f(b, c), f(b, d)])
    }
}

/// The ranges of a builder's nodes. A range is computed when it is first asked for.
#[derive(Default)]
pub(super) struct Ranges {
    known: RefCell<Vec<Range>>,
}

impl Ranges {
    pub(super) fn of(&self, builder: &Builder, id: NodeId) -> Range {
        let mut known = self.known.borrow_mut();
        builder.read(|graph| {
            for next in known.len()..=id.0 as usize {
                let range = node(graph, NodeId(next as u32), &known);
                known.push(range);
            }
        });
        known[id.0 as usize]
    }
}

/// Which values of a graph can't make a product with them much larger.
pub(crate) fn bounded(graph: &Graph) -> Vec<bool> {
    let mut known = Vec::with_capacity(graph.nodes.len());
    for id in graph.ids() {
        let range = node(graph, id, &known);
        known.push(range);
    }
    known.into_iter().map(Range::is_bounded).collect()
}

fn node(graph: &Graph, id: NodeId, known: &[Range]) -> Range {
    let of = |id: NodeId| known[id.0 as usize];
    match &graph.node(id).op {
        Op::Literal(value) => Range::exactly(value.as_f64()),
        Op::Len(_) => Range { low: 1.0, high: MOST_ELEMENTS },
        Op::Iota(_) => Range { low: 0.0, high: MOST_ELEMENTS },
        // Ints wrap around, and a conversion to int saturates.
        Op::Apply(..) | Op::Cast(_) | Op::Reduce(..) | Op::Scan { .. } | Op::Order { .. }
            if graph.node(id).kind == Kind::Int =>
        {
            Range::ALL
        }
        Op::Apply(Prim::Sub, args) if maximum_dims(graph, args[1], args[0]).is_some() => {
            Range { high: 0.0, ..Range::ALL }
        }
        Op::Apply(prim, args) => apply(*prim, &args.iter().map(|arg| of(*arg)).collect::<Vec<_>>()),
        Op::Cast(x) if graph.node(*x).kind == Kind::Bool => Range { low: 0.0, high: 1.0 },
        Op::Cast(x) | Op::StopGrad(x) => of(*x),
        Op::Given { value, .. } => of(*value),
        // One of the terms belongs to the largest element: it is `exp(0)`.
        Op::Reduce(Fold::Sum, dims, x) if shifted_exponential(graph, *x) == Some(*dims) => {
            Range { low: 1.0, high: MOST_ELEMENTS }
        }
        Op::Reduce(fold, _, x) => reduce(*fold, of(*x)),
        Op::At { source, .. } => of(*source),
        Op::Window { source, position, .. } => match position.outside {
            Some(value) => {
                let (inside, outside) = (of(*source), value.as_f64());
                Range { low: inside.low.min(outside), high: inside.high.max(outside) }
            }
            None => of(*source),
        },
        Op::Scan { scan: Scan::Max | Scan::Min, operands, .. } => of(operands[0]),
        Op::Input(_) | Op::Scan { .. } | Op::Order { .. } | Op::Scatter { .. } | Op::Seed(_) => Range::ALL,
    }
}

fn apply(prim: Prim, args: &[Range]) -> Range {
    let signs = Range { low: -1.0, high: 1.0 };
    match (prim, args) {
        (Prim::Neg, [x]) => x.negated(),
        (Prim::Abs, [x]) if x.low >= 0.0 => *x,
        (Prim::Abs, [x]) => Range { low: 0.0, high: x.high.max(-x.low) },
        (Prim::Exp, [x]) => x.increasing(f64::exp),
        (Prim::Exp2, [x]) => x.increasing(f64::exp2),
        (Prim::Expm1, [x]) => x.increasing(f64::exp_m1),
        (Prim::Log1p, [x]) if x.low >= 0.0 => x.increasing(f64::ln_1p),
        (Prim::Ln, [x]) if x.low > 0.0 => x.increasing(f64::ln),
        (Prim::Sqrt, [x]) if x.low >= 0.0 => x.increasing(f64::sqrt),
        (Prim::Rsqrt, [x]) if x.low > 0.0 => x.increasing(|x| 1.0 / x.sqrt()),
        (Prim::Recip, [x]) if x.low > 0.0 => x.increasing(|x| 1.0 / x),
        (Prim::Tanh | Prim::Sin | Prim::Cos | Prim::Erf | Prim::Sign, [_]) => signs,
        (Prim::Random, _) => Range { low: 0.0, high: 1.0 },
        (Prim::Erfc, [_]) => Range { low: 0.0, high: 2.0 },
        (Prim::Add, [a, b]) => a.corners(*b, |a, b| a + b),
        (Prim::Sub, [a, b]) => a.corners(*b, |a, b| a - b),
        (Prim::Mul, [a, b]) => a.times(*b),
        (Prim::Div, [a, b]) if b.low > 0.0 => a.corners(*b, |a, b| a / b),
        (Prim::Maximum, [a, b]) => Range { low: a.low.max(b.low), high: a.high.max(b.high) },
        (Prim::Minimum, [a, b]) => Range { low: a.low.min(b.low), high: a.high.min(b.high) },
        (Prim::Select, [_, a, b]) => Range { low: a.low.min(b.low), high: a.high.max(b.high) },
        (_, _) => Range::ALL,
    }
}

fn reduce(fold: Fold, x: Range) -> Range {
    match fold {
        Fold::Sum => Range {
            low: if x.low > 0.0 { x.low } else { x.low * MOST_ELEMENTS },
            high: if x.high < 0.0 { x.high } else { x.high * MOST_ELEMENTS },
        },
        Fold::Max | Fold::Min => x,
        Fold::ArgMax | Fold::ArgMin => Range { low: 0.0, high: MOST_ELEMENTS },
        Fold::Prod => Range::ALL,
        Fold::Any | Fold::All => Range { low: 0.0, high: 1.0 },
    }
}

/// The dims of `max(x, dims)`, if the value is that.
fn maximum_dims(graph: &Graph, value: NodeId, x: NodeId) -> Option<DimSet> {
    match &graph.node(value).op {
        Op::Reduce(Fold::Max, dims, of) if *of == x => Some(*dims),
        Op::StopGrad(value) => maximum_dims(graph, *value, x),
        // `logsumexp` shifts by the maximum only if that is finite. If it isn't, the terms of the sum are not
        // finite anyway.
        Op::Apply(Prim::Select, args) => match graph.node(args[0]).op {
            Op::Apply(Prim::IsFinite, ref of) if of[0] == args[1] => maximum_dims(graph, args[1], x),
            _ => None,
        },
        _ => None,
    }
}

/// The dims of the maximum in `exp(x - max(x, dims))`, if the value is that.
fn shifted_exponential(graph: &Graph, value: NodeId) -> Option<DimSet> {
    let Op::Apply(Prim::Exp, exponent) = &graph.node(value).op else { return None };
    let Op::Apply(Prim::Sub, args) = &graph.node(exponent[0]).op else { return None };
    maximum_dims(graph, args[1], args[0])
}
