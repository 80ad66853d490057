//! Draws the elements of arguments: in the ranges that the formula needs, at several scales, and some of them
//! close to literals.

use super::attempt::{Attempt, Scalars};
use super::domain::{Asks, Ranges};
use super::literals::Literals;
use super::plan::SamplePlan;
use super::preimage::Interval;
use super::scalars::{candidates, names_a_size};
use crate::random::Random;
use tensor_op_core::{Binding, Result, Shape, TensorData, Value};
use tensor_op_spec::ir::{ArgType, Graph, Kind, Scalar, ScalarType};

/// Ranges from which floats are drawn: both signs, positive, inside (-1, 1), inside (0, 1), beyond 1, and
/// close to 0.
pub(super) const SCALES: [(f64, f64); 6] =
    [(-2.0, 2.0), (0.25, 1.75), (-0.95, 0.95), (0.05, 0.95), (1.1, 3.0), (-0.25, 0.25)];
/// The range of ints that may be anything.
const SMALL: Interval = Interval { low: -3.0, high: 5.0 };
/// The range of half of these ints: formulas compare them with positions.
const LITTLE: Interval = Interval { low: 0.0, high: 2.0 };
/// Bytes that are negative if the byte has a sign.
const SIGN_BIT: Interval = Interval { low: 128.0, high: 255.0 };
/// A wider range of ints belongs to numbers, not to indices.
const LARGE: f64 = 1e6;
/// Ints that f64 represents exactly.
const WHOLE: Interval = Interval { low: -1e15, high: 1e15 };
/// If a range is this many times wider than the distance of its nearer end from zero, it is treated as
/// unlimited on the other side.
const WIDE: f64 = 64.0;
/// One in this many elements is close to a literal.
const CLOSE: u64 = 4;

/// Arguments for a plan: floats in f64, ints in i64. They are drawn one after the other, each in the range
/// that the earlier ones leave.
pub(super) fn values(graph: &Graph, plan: &SamplePlan, attempt: &Attempt) -> Result<Vec<Value<TensorData>>> {
    let shapes = plan.shapes(graph);
    let binding = Binding::new(graph, &shapes)?;
    let pick = Random::new(&[plan.seed, attempt.number, 2]).next() as usize;
    let ranges = Ranges::matter(graph, attempt.asks).then(|| Ranges::new(graph, binding, attempt.asks, pick));
    let mut known: Vec<Interval> =
        shapes.iter().enumerate().map(|(arg, value)| nominal(graph, arg, value, attempt)).collect();
    let literals = Literals::of(graph, &shapes);
    let mut args: Vec<Option<Value<TensorData>>> = vec![None; shapes.len()];
    let count = shapes.len();
    for (arg, value) in
        (0..count).map(|at| (at + attempt.number as usize) % count).map(|arg| (arg, &shapes[arg]))
    {
        let asked = match &ranges {
            Some(ranges) => ranges.of_args(&known)?[arg],
            None => None,
        };
        let mut draw = Draw {
            plan,
            attempt,
            literals: &literals,
            asked,
            random: Random::new(&[plan.seed, attempt.number, arg as u64]),
        };
        let drawn = match value {
            Value::Tensor(shape) => {
                Value::Tensor(draw.tensor(kind(graph, arg), SCALES[attempt.scales[arg]], shape)?)
            }
            Value::Shape(shape) => Value::Shape(shape.clone()),
            Value::Scalar(scalar) => Value::Scalar(draw.scalar(graph, arg, *scalar)),
        };
        known[arg] = hull(&drawn).unwrap_or(known[arg]);
        args[arg] = Some(drawn);
    }
    Ok(args.into_iter().flatten().collect())
}

/// The range of the drawn values; `None` if there are none.
pub(super) fn hull(value: &Value<TensorData>) -> Option<Interval> {
    match value {
        Value::Scalar(scalar) => Some(Interval::point(scalar.as_f64())),
        Value::Shape(_) => None,
        Value::Tensor(data) if data.elements() == 0 => None,
        Value::Tensor(data) => match data.dtype().kind() {
            Kind::Float => data.as_slice::<f64>().ok().map(|x| Interval::around(x.iter().copied())),
            Kind::Int => data.as_slice::<i64>().ok().map(|x| Interval::around(x.iter().map(|x| *x as f64))),
            Kind::Bool => Some(Interval { low: 0.0, high: 1.0 }),
        },
    }
}

/// The range that is assumed for an argument before it is drawn.
fn nominal(graph: &Graph, arg: usize, value: &Value<Shape>, attempt: &Attempt) -> Interval {
    let (low, high) = SCALES[attempt.scales[arg]];
    match (value, kind(graph, arg)) {
        (Value::Scalar(scalar), _) => Interval::point(scalar.as_f64()),
        (Value::Tensor(_) | Value::Shape(_), Kind::Float) => Interval::point(low + 0.7 * (high - low)),
        (Value::Tensor(_) | Value::Shape(_), Kind::Int) => {
            Interval::point([1.0, 0.0, 2.0][attempt.number as usize % 3])
        }
        (Value::Tensor(_) | Value::Shape(_), Kind::Bool) => Interval { low: 0.0, high: 1.0 },
    }
}

fn kind(graph: &Graph, arg: usize) -> Kind {
    match &graph.args[arg].ty {
        ArgType::Tensor { kind, .. } => *kind,
        ArgType::Shape { .. } => Kind::Float,
        ArgType::Axis { .. } => Kind::Int,
        ArgType::Scalar { ty, .. } => match ty {
            ScalarType::F64 | ScalarType::F32 | ScalarType::Fraction => Kind::Float,
            ScalarType::I64 | ScalarType::Usize | ScalarType::Seed => Kind::Int,
            ScalarType::Bool => Kind::Bool,
        },
    }
}

/// The drawing of one argument.
struct Draw<'d> {
    plan: &'d SamplePlan,
    attempt: &'d Attempt,
    literals: &'d Literals,
    /// The range in which the argument must be.
    asked: Option<Interval>,
    random: Random,
}

impl Draw<'_> {
    fn tensor(&mut self, kind: Kind, scale: (f64, f64), shape: &Shape) -> Result<TensorData> {
        let count = 0..shape.elements()?;
        let shape = shape.clone();
        match kind {
            Kind::Float => {
                let range = self.window(scale);
                TensorData::new(count.map(|_| self.float(range)).collect(), shape)
            }
            Kind::Int => {
                let (near, all) = (self.ints(), self.all_ints());
                TensorData::new(count.map(|at| self.int(at, near, all)).collect(), shape)
            }
            Kind::Bool => TensorData::new(self.bools(count.len()), shape),
        }
    }

    /// Random bools. If there are at least two, both values occur.
    fn bools(&mut self, count: usize) -> Vec<bool> {
        let mut bools: Vec<bool> = (0..count).map(|_| self.random.below(3) != 0).collect();
        if let [first, .., last] = bools.as_mut_slice() {
            *last = !*first;
        }
        bools
    }

    fn float(&mut self, range: (f64, f64)) -> f64 {
        if self.attempt.literals && self.random.below(CLOSE) == 0 {
            let close = self.literals.float(self.attempt.point, &mut self.random);
            if let Some(close) = close.filter(|x| self.allows(*x)) {
                return close;
            }
        }
        float(range, self.plan.bits, &mut self.random)
    }

    /// An element of a tensor. Half of the elements come from the near range, the others from the whole
    /// allowed range. Of the latter, the first element is the largest allowed number, and the second one has
    /// the sign bit of a byte.
    fn int(&mut self, at: usize, near: Interval, all: Option<Interval>) -> i64 {
        if self.attempt.literals && self.random.below(CLOSE) == 0 {
            let close = self.literals.int(&mut self.random);
            if let Some(close) = close.filter(|x| self.allows(*x as f64)) {
                return close;
            }
        }
        let range = match (all, at) {
            (None, _) if self.asked.is_none() && self.random.below(2) == 0 => LITTLE,
            (None, _) => near,
            (Some(all), 0) => Interval::point(all.high),
            (Some(all), 1) => all.meet(SIGN_BIT).unwrap_or(all),
            (Some(all), _) => {
                if self.random.below(2) == 0 {
                    all
                } else {
                    near
                }
            }
        };
        range.low as i64 + self.random.below(range.width() as u64 + 1) as i64
    }

    /// The whole allowed range, if it is wider than the near range and not wider than a dim may be. One in
    /// three attempts does without it, which leaves room for other arguments.
    fn all_ints(&self) -> Option<Interval> {
        let all = self.asked.filter(|asked| asked.width() > SMALL.width() && asked.width() < LARGE);
        all.filter(|_| self.attempt.number % 3 != 1)
    }

    /// A scalar: the planned value, or the next candidate that is allowed, or else a number from the allowed
    /// range.
    fn scalar(&mut self, graph: &Graph, arg: usize, planned: Scalar) -> Scalar {
        if names_a_size(graph, arg) || matches!(graph.args[arg].ty, ArgType::Axis { .. }) {
            return planned;
        }
        let candidates = candidates(graph, arg);
        let first = match self.attempt.scalars {
            Scalars::Planned => return planned,
            Scalars::Fitting => self.plan.scalars.get(arg).copied().unwrap_or_default(),
            Scalars::Default => 0,
        };
        let mut turned = (0..candidates.len()).map(|at| candidates[(first + at) % candidates.len()]);
        turned.find(|candidate| self.allows(candidate.as_f64())).unwrap_or_else(|| match planned {
            Scalar::Float(_) => {
                Scalar::Float(float(self.window(SCALES[0]), self.plan.bits, &mut self.random))
            }
            Scalar::Int(_) => Scalar::Int(self.ints().low as i64),
            Scalar::Bool(_) => planned,
        })
    }

    fn allows(&self, x: f64) -> bool {
        self.asked.is_none_or(|asked| asked.contains(x))
    }

    /// The range of the scale if it is allowed, or else a range next to an end of the allowed range.
    fn window(&mut self, (low, high): (f64, f64)) -> (f64, f64) {
        let Some(asked) = self.asked else { return (low, high) };
        let margin = 0.02 * (high - low);
        if let Some(met) = asked.meet(Interval { low, high })
            && met.width() > 0.3 * (high - low)
        {
            let low = if met.low > low { met.low + margin } else { low };
            return (low, if met.high < high { met.high - margin } else { high });
        }
        let reach = |end: f64| [2.0, 0.5, 8.0, 0.5 * end.abs() + 0.5][self.attempt.number as usize / 2 % 4];
        // Of a wide range, only the part next to the end nearer to zero is used.
        let nearer = asked.low.abs().min(asked.high.abs());
        let wide = asked.width() > WIDE * nearer.max(1.0);
        let is_end = |end: f64| end.is_finite() && !(wide && end.abs() > nearer);
        match (is_end(asked.low), is_end(asked.high)) {
            (true, true) => (asked.low + 0.04 * asked.width(), asked.high - 0.04 * asked.width()),
            (true, false) => (asked.low + 0.04 * reach(asked.low), asked.low + reach(asked.low)),
            (false, true) => (asked.high - reach(asked.high), asked.high - 0.04 * reach(asked.high)),
            (false, false) => (low, high),
        }
    }

    /// Small ints if they are allowed, or else the allowed ints nearest to zero. In some attempts only the
    /// lower half, which leaves room for other arguments.
    fn ints(&mut self) -> Interval {
        let asked = self.asked.and_then(|asked| asked.meet(WHOLE)).unwrap_or(SMALL);
        let near = asked.meet(SMALL).unwrap_or(match asked.low > 0.0 {
            true => Interval { high: asked.high.min(asked.low + SMALL.width()), ..asked },
            false => Interval { low: asked.low.max(asked.high - SMALL.width()), ..asked },
        });
        let near = if asked.width() <= SMALL.width() { asked } else { near };
        let half = self.asked.is_some() && self.attempt.number % 3 == 1;
        if half { Interval { high: (near.low + near.width() / 2.0).floor(), ..near } } else { near }
    }
}

/// A multiple of 2^-bits in the range.
pub(super) fn float((low, high): (f64, f64), bits: u32, random: &mut Random) -> f64 {
    let grid = (1u64 << bits) as f64;
    let x = low + (high - low) * random.unit();
    let rounded = (x * grid).round() / grid;
    if rounded < low || rounded > high { x } else { rounded }
}

/// The ranges in which int arguments must be as indices, while the other arguments are as given.
pub(super) fn index_ranges(graph: &Graph, args: &[Value<TensorData>]) -> Result<Vec<Option<Interval>>> {
    let binding = Binding::from_args(graph, args, |data| data.shape().clone())?;
    let known: Vec<Interval> = args.iter().map(|arg| hull(arg).unwrap_or(Interval::point(0.0))).collect();
    Ranges::new(graph, binding, Asks::Indices, 0).of_args(&known)
}
