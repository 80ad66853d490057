//! Elements for arguments: in the ranges that the formula asks for, at several scales, some of them close to
//! its literals.

use super::attempt::{Attempt, Scalars};
use super::domain::{Asks, Ranges};
use super::literals::Literals;
use super::plan::Plan;
use super::preimage::Interval;
use super::scalars::{candidates, names_a_size};
use crate::random::Random;
use tensor_op_core::{Binding, Result, Shape, TensorData, Value};
use tensor_op_spec::ir::{ArgType, Graph, Kind, Scalar, ScalarType};

/// Ranges that floats are drawn from: both signs, positive, the open unit interval on both sides, beyond 1,
/// close to 0.
pub(super) const SCALES: [(f64, f64); 6] =
    [(-2.0, 2.0), (0.25, 1.75), (-0.95, 0.95), (0.05, 0.95), (1.1, 3.0), (-0.25, 0.25)];
/// Ints that are not asked to be anywhere.
const SMALL: Interval = Interval { low: -3.0, high: 5.0 };
/// Half of these: formulas compare them with positions.
const LITTLE: Interval = Interval { low: 0.0, high: 2.0 };
/// Bytes that are negative where they have a sign.
const SIGN_BIT: Interval = Interval { low: 128.0, high: 255.0 };
/// Wider ranges of ints are those of numbers, not of indices.
const LARGE: f64 = 1e6;
/// Ints that f64 has.
const WHOLE: Interval = Interval { low: -1e15, high: 1e15 };
/// From this ratio of its width to the nearer end on, a range is taken for half a line.
const WIDE: f64 = 64.0;
/// One in so many elements is close to a literal.
const CLOSE: u64 = 4;

/// Arguments for a plan: floats in f64, ints in i64. One is drawn after the other, each where those before it
/// leave room.
pub(super) fn values(graph: &Graph, plan: &Plan, attempt: &Attempt) -> Result<Vec<Value<TensorData>>> {
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

/// The range of what was drawn; `None` if that is nothing.
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

/// What stands for an argument that is not drawn yet.
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
            ScalarType::F64 | ScalarType::F32 => Kind::Float,
            ScalarType::I64 | ScalarType::Usize => Kind::Int,
            ScalarType::Bool => Kind::Bool,
        },
    }
}

/// One argument.
struct Draw<'d> {
    plan: &'d Plan,
    attempt: &'d Attempt,
    literals: &'d Literals,
    /// Where it has to lie.
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

    /// Both of them where there is room.
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

    /// An element of a tensor: half of them from where they are near, others from all that is asked, of which
    /// the first is the largest and the second one that has a sign bit in a byte.
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

    /// All that is asked, where that is more than what is near and no more than a dim may have. One in three
    /// attempts leaves room for others.
    fn all_ints(&self) -> Option<Interval> {
        let all = self.asked.filter(|asked| asked.width() > SMALL.width() && asked.width() < LARGE);
        all.filter(|_| self.attempt.number % 3 != 1)
    }

    /// What the plan says, the nearest of its kin that will do, or else what is asked for.
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

    /// The scale where it is allowed, or else a range beside the end of what is.
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
        // Of a wide range the part beside the end that is nearer to zero.
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

    /// Small ints where they are allowed, or else those nearest to zero that are; sometimes the lower half,
    /// which leaves room for others.
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

/// The ranges that indices ask of int arguments, beside the others as they are.
pub(super) fn index_ranges(graph: &Graph, args: &[Value<TensorData>]) -> Result<Vec<Option<Interval>>> {
    let binding = Binding::from_args(graph, args, |data| data.shape().clone())?;
    let known: Vec<Interval> = args.iter().map(|arg| hull(arg).unwrap_or(Interval::point(0.0))).collect();
    Ranges::new(graph, binding, Asks::Indices, 0).of_args(&known)
}
