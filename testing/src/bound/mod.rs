//! How far a backend's results may be from the true ones: values with an error bound, computed from the graph
//! alone.
//!
//! A graph is evaluated in f64, together with a first-order bound of what rounding does to each element. Each
//! primitive adds the error that [`Prim::ulps`] allows (for halves
//! [`Prim::ulps_for_halves`]), in units of the arithmetic's dtype. To carry the
//! errors of its operands, the primitive is evaluated at the ends of their intervals; so if rounding could
//! flip a comparison, both outcomes count. A sum of n terms adds n roundings of the sum of magnitudes,
//! whatever the order of the terms, and so do additions in shaders ([`evaluate_in_shaders`]). Factors of
//! matrix products may be rounded further ([`Factors`]). Storing a value adds half a unit of the stored
//! dtype. The reference is f64 itself, so its own rounding is added too.
//! Nothing here is chosen by hand.

mod compare;
mod factors;
mod fold;
mod format;
mod moving;
mod scan;
mod shaders;
mod terms;
mod units;
mod zero;

pub use compare::{Difference, Found, compare};
pub use factors::Factors;
pub use format::Format;
pub use moving::{Moved, Moving};
pub use shaders::evaluate_in_shaders;

use tensor_op_core::{DType, Domain, Element, Result};
use tensor_op_spec::ir::{Kind, Scalar};
use tensor_op_spec::prim::{Fold, Prim, Reach, Scan};

/// A value, and the largest distance to what a backend may compute for it. The bound is infinite where any
/// value is accepted: after an overflow, or if rounding could change a choice or an index. Ints and bools
/// have a bound that is either 0 or infinite. If a zero has the bound 0, its sign must be that of the value.
#[derive(Clone, Copy, Debug)]
pub struct Bounded {
    /// The value in f64 arithmetic.
    pub value: Scalar,
    /// The bound.
    pub error: f64,
}

/// The arithmetic of a backend that computes in a dtype: f64 or f32. Halves are computed in f32 as well.
#[derive(Clone, Copy, Debug)]
pub struct Rounding {
    format: Format,
    /// Whether it computes for halves, whose functions may be shorter.
    for_halves: bool,
    /// Whether anything rounds at all.
    rounds: bool,
    /// Whether we assume that rounding does not change choices and indices.
    settled: bool,
    /// Whether this is the arithmetic of a shading language.
    of_shaders: bool,
    /// How factors of matrix products are rounded further.
    factors: Option<Factors>,
}

impl Rounding {
    /// The arithmetic for tensors of this dtype. Floats that are made of ints and bools alone are f32.
    pub fn new(dtype: DType) -> Rounding {
        let float = if dtype.kind() == Kind::Float { dtype.compute() } else { DType::F32 };
        let for_halves = matches!(dtype, DType::F16 | DType::BF16);
        Rounding {
            format: Format::of(float),
            for_halves,
            rounds: true,
            settled: false,
            of_shaders: false,
            factors: None,
        }
    }

    /// Arithmetic without rounding: only the errors of operands are carried through.
    pub fn none() -> Rounding {
        Rounding { rounds: false, ..Rounding::new(DType::F64) }
    }

    /// The same arithmetic at a point that is far from kinks: comparisons and indices come out as they do
    /// without rounding. For example, a maximum equals the element that it was taken from, although the
    /// bounds of both leave this open.
    pub fn settled(self) -> Rounding {
        Rounding { settled: true, ..self }
    }

    /// The same arithmetic on a device that rounds factors of matrix products, if they are given.
    pub fn with_factors(self, factors: Option<Factors>) -> Rounding {
        Rounding { factors, ..self }
    }

    /// The same arithmetic for a graph whose constants may move: a number that is closer to the largest
    /// number than by this factor has no bound.
    pub(crate) fn short_of_overflow_by(self, factor: f64) -> Rounding {
        let mut format = self.format;
        format.max /= factor;
        Rounding { format, ..self }
    }

    /// The same arithmetic, as Vulkan and WGSL let a device round: it may replace subnormal arguments and
    /// results by zero, and its exponentials may be further off. It may also rearrange sums;
    /// [`shaders::Shaders`], which uses this, takes care of that.
    fn of_shaders(self) -> Rounding {
        Rounding { of_shaders: true, ..self }
    }

    /// The bound of a value, including the case that the device flushes it to zero.
    fn flushed(&self, found: Bounded) -> Bounded {
        let Scalar::Float(x) = found.value else { return found };
        let reaches = x.abs() - found.error < self.format.min_positive();
        if self.of_shaders && reaches { Bounded { error: found.error.max(x.abs()), ..found } } else { found }
    }

    /// The unit in the last place of the arithmetic, plus that of the reference itself.
    fn ulp(&self, x: f64) -> f64 {
        if self.rounds { self.format.ulp(x) + Format::F64.ulp(x) } else { 0.0 }
    }

    /// The largest relative error of one rounding of the arithmetic, plus that of the reference itself.
    fn unit(&self) -> f64 {
        if self.rounds { self.format.unit() + Format::F64.unit() } else { 0.0 }
    }

    /// A computed value. Its error is what the operands carry into it (`spread`), plus the rounding of the
    /// operation itself, whose terms may be larger than the value.
    fn computed(&self, value: Scalar, spread: f64, ulps: f64, terms: f64) -> Bounded {
        let Scalar::Float(x) = value else {
            let error = if spread == 0.0 || self.settled { 0.0 } else { f64::INFINITY };
            return Bounded { value, error };
        };
        if !x.is_finite() || spread == f64::INFINITY {
            return Bounded { value, error: spread };
        }
        let reach = x.abs() + spread;
        let error = spread + ulps * self.ulp(reach.max(terms));
        // The value may overflow, as above.
        let error = if reach + error > self.format.max { f64::INFINITY } else { error };
        Bounded { value, error }
    }

    fn constant_error(&self, value: Scalar) -> f64 {
        match value {
            Scalar::Float(x) if x.is_finite() => (x - self.format.round(x)).abs(),
            Scalar::Float(_) | Scalar::Int(_) | Scalar::Bool(_) => 0.0,
        }
    }
}

impl Bounded {
    fn exact(value: Scalar) -> Bounded {
        Bounded { value, error: 0.0 }
    }

    /// A float without error.
    pub(crate) fn of_float(x: f64) -> Bounded {
        Bounded::exact(Scalar::Float(x))
    }

    /// Whether any value is accepted.
    pub fn is_free(&self) -> bool {
        self.error == f64::INFINITY
    }

    /// The smallest and the largest value that a backend may have.
    fn interval(&self) -> (f64, f64) {
        let value = self.value.as_f64();
        match self.value {
            Scalar::Float(_) => (value - self.error, value + self.error),
            Scalar::Int(_) => (value, value),
            Scalar::Bool(_) => {
                if self.error == 0.0 {
                    (value, value)
                } else {
                    (0.0, 1.0)
                }
            }
        }
    }

    /// A few values that stand for all that a backend may have, for a primitive with these special points.
    /// `None` if no few values can stand for them.
    fn candidates(&self, special: &[f64]) -> Option<Candidates> {
        let mut candidates = Candidates { values: [self.value; MOST], count: 1 };
        if self.error == 0.0 {
            return Some(candidates);
        }
        match self.value {
            Scalar::Bool(x) => candidates.push(Scalar::Bool(!x)),
            Scalar::Int(_) => return None,
            Scalar::Float(_) if self.is_free() => return None,
            Scalar::Float(x) => {
                let (low, high) = (x - self.error, x + self.error);
                let inside = special.iter().copied().filter(|point| low < *point && *point < high);
                [low, high].into_iter().chain(inside).for_each(|point| candidates.push(Scalar::Float(point)));
            }
        }
        Some(candidates)
    }
}

/// A value, the ends of its interval, and the special points inside it. A primitive has at most four of
/// those.
#[derive(Clone, Copy)]
struct Candidates {
    values: [Scalar; MOST],
    count: usize,
}

const MOST: usize = 7;

impl Candidates {
    fn push(&mut self, value: Scalar) {
        if let Some(place) = self.values.get_mut(self.count) {
            *place = value;
            self.count += 1;
        }
    }

    fn as_slice(&self) -> &[Scalar] {
        &self.values[..self.count]
    }
}

impl Domain for Rounding {
    type Value = Bounded;

    fn input(&self, value: Scalar) -> Bounded {
        self.flushed(Bounded::exact(value))
    }

    fn constant(&self, value: Scalar) -> Bounded {
        self.flushed(Bounded { value, error: self.constant_error(value) })
    }

    fn exact(&self, value: Scalar) -> Bounded {
        Bounded::exact(value)
    }

    fn apply(&self, prim: Prim, args: &[Bounded]) -> Option<Bounded> {
        let mut values = [Scalar::Int(0); 3];
        let values = values.get_mut(..args.len())?;
        values.iter_mut().zip(args).for_each(|(value, arg)| *value = arg.value);
        let value = prim.eval(values)?;
        let spread = match (prim, args) {
            // The arithmetic overflows here, but fused operations may not overflow, so any value is accepted.
            (Prim::Add | Prim::Sub | Prim::Mul, args) if self.rounds && overflows(args, value) => {
                f64::INFINITY
            }
            (_, args) if args.iter().all(|arg| arg.error == 0.0) => 0.0,
            (Prim::Select, [cond, yes, no]) => select(cond, yes, no, value),
            (Prim::Add | Prim::Sub, [a, b]) if value.as_f64().is_finite() => a.error + b.error,
            // If one factor overflowed, the other may be zero, and their product NaN.
            (Prim::Mul, [a, b]) if a.is_free() || b.is_free() => f64::INFINITY,
            (Prim::Mul, [a, b]) if value.as_f64().is_finite() => {
                let (x, y) = (a.value.as_f64().abs(), b.value.as_f64().abs());
                x * b.error + y * a.error + a.error * b.error
            }
            (_, args) => spread(prim, args, value),
        };
        let found = self.computed(value, spread, units::ulps(self, prim, values), terms(prim, values));
        if !self.rounds {
            return Some(found);
        }
        let error = zero::error(prim, args, value, spread, found.error);
        Some(self.flushed(Bounded { error, ..found }))
    }

    fn cast(&self, x: &Bounded, kind: Kind) -> Bounded {
        let value = x.value.cast(kind);
        if x.value.kind() == kind {
            return *x;
        }
        let spread = match x.candidates(&[0.0]) {
            Some(candidates) => {
                candidates.as_slice().iter().fold(0.0, |most: f64, c| most.max(distance(c.cast(kind), value)))
            }
            None => f64::INFINITY,
        };
        let ulps = if value == Scalar::Float(self.format.round(value.as_f64())) { 0.0 } else { 0.5 };
        self.computed(value, spread, ulps, 0.0)
    }

    fn fold(&self, fold: Fold, elements: &mut dyn Iterator<Item = Bounded>, kind: Kind) -> Result<Bounded> {
        fold::fold(self, fold, elements.collect(), kind).map(|found| self.flushed(found))
    }

    fn scan(&self, scan: Scan, operands: &[Vec<Bounded>], kind: Kind) -> Result<Vec<Bounded>> {
        match scan.row().fold {
            Some(fold) => scan::prefixes(self, (scan, fold), &operands[0], kind),
            None => self.recurrence(&operands[0], &operands[1]),
        }
    }

    fn recurrence(&self, factors: &[Bounded], terms: &[Bounded]) -> Result<Vec<Bounded>> {
        scan::linear(self, factors, terms)
    }

    fn slack(&self, value: &Bounded) -> f64 {
        if self.settled { 0.0 } else { value.error }
    }

    fn position(&self, position: usize, is_certain: bool) -> Bounded {
        let error = if is_certain { 0.0 } else { f64::INFINITY };
        Bounded { value: Scalar::Int(position as i64), error }
    }

    fn factor(&self, value: &Bounded) -> Bounded {
        self.factors.map_or(*value, |factors| factors.round(*value))
    }

    fn scalar(&self, value: &Bounded) -> Scalar {
        value.value
    }

    fn at(&self, index: &Bounded, found: &Bounded) -> Bounded {
        if index.error == 0.0 { *found } else { Bounded { error: f64::INFINITY, ..*found } }
    }
}

/// How large the terms of a primitive are at these operands.
fn terms(prim: Prim, args: &[Scalar]) -> f64 {
    let mut floats = [0.0; 3];
    floats.iter_mut().zip(args).for_each(|(float, arg)| *float = arg.as_f64());
    prim.terms(&floats[..args.len()])
}

/// Whether finite arguments gave an infinite value.
fn overflows(args: &[Bounded], value: Scalar) -> bool {
    value.as_f64().is_infinite() && args.iter().all(|arg| arg.value.as_f64().is_finite())
}

/// The largest distance from `value` to what the primitive gives for operands in their intervals.
fn spread(prim: Prim, args: &[Bounded], value: Scalar) -> f64 {
    let mut intervals = [(0.0, 0.0); 3];
    intervals.iter_mut().zip(args).for_each(|(interval, arg)| *interval = arg.interval());
    match prim.reach(&intervals[..args.len()]) {
        Reach::Ends => spread_of_ends(prim, args, value),
        Reach::Between(low, high) if args.iter().all(|arg| !arg.is_free()) => {
            distance(Scalar::Float(low), value).max(distance(Scalar::Float(high), value))
        }
        Reach::Between(..) | Reach::All => f64::INFINITY,
    }
}

/// The same as [`spread`], for primitives whose value is furthest off at the ends or at the special points
/// between them.
fn spread_of_ends(prim: Prim, args: &[Bounded], value: Scalar) -> f64 {
    let special = prim.row().special;
    let mut candidates = [Candidates { values: [value; MOST], count: 1 }; 3];
    for (place, arg) in candidates.iter_mut().zip(args) {
        let Some(found) = arg.candidates(special) else { return f64::INFINITY };
        *place = found;
    }
    let [first, second, third] = &candidates;
    let mut most: f64 = 0.0;
    for a in first.as_slice() {
        for b in second.as_slice() {
            for c in third.as_slice() {
                let other = prim.eval(&[*a, *b, *c][..args.len()]);
                most = most.max(other.map_or(f64::INFINITY, |other| distance(other, value)));
            }
        }
    }
    most
}

/// The same as [`spread`], for a choice: it covers the branches that may be chosen, and only those.
fn select(cond: &Bounded, yes: &Bounded, no: &Bounded, value: Scalar) -> f64 {
    let chosen = |branch: &Bounded| distance(branch.value, value) + branch.error;
    match (cond.error == 0.0, bool::from_scalar(cond.value)) {
        (true, true) => yes.error,
        (true, false) => no.error,
        (false, _) => chosen(yes).max(chosen(no)),
    }
}

/// The distance is 0 for two NaNs, and infinite if only one is NaN or for two different infinities.
fn distance(a: Scalar, b: Scalar) -> f64 {
    let (a, b) = (a.as_f64(), b.as_f64());
    if a == b || (a.is_nan() && b.is_nan()) {
        return 0.0;
    }
    let distance = (a - b).abs();
    if distance.is_nan() { f64::INFINITY } else { distance }
}

#[cfg(test)]
mod tests;
