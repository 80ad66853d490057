//! What a primitive may give for operands that are known up to an interval. Where it is periodic or jumps,
//! its values at the ends of the interval are not enough to know.

use super::{Arithmetic, Function, Group, Prim};
use std::f64::consts::{FRAC_PI_2, PI};

/// The values of a primitive over intervals of its operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reach {
    /// No further from the middle than at the ends, and at the [`Row::special`] points in between.
    ///
    /// [`Row::special`]: super::Row::special
    Ends,
    /// Any value between these numbers. For a bool, 0 is false and 1 is true.
    Between(f64, f64),
    /// Any.
    All,
}

impl Prim {
    /// What the primitive may give for operands in these intervals, each from its low to its high end.
    ///
    /// `Ends` is right for what is monotone in each operand, or convex or concave. It is also right for a
    /// sine on an interval that is shorter than a quarter of its period: from the value in the middle, an
    /// extremum is no further away than the value at the far end.
    pub fn reach(self, intervals: &[(f64, f64)]) -> Reach {
        let (a, b) = match intervals {
            [] => return Reach::Ends,
            [a] => (*a, *a),
            [a, b, ..] => (*a, *b),
        };
        if [a.0, a.1, b.0, b.1].iter().any(|end| end.is_nan()) {
            return Reach::Ends;
        }
        match self.group() {
            Group::Function(Function::Sin | Function::Cos) if a.1 - a.0 > FRAC_PI_2 => {
                Reach::Between(-1.0, 1.0)
            }
            // A pole lies between.
            Group::Function(Function::Tan) if branch(a.0) != branch(a.1) => Reach::All,
            Group::Function(Function::Lgamma | Function::Digamma | Function::Trigamma)
                if a.0 <= 0.0 && a.0.floor() != a.1.floor() =>
            {
                Reach::All
            }
            Group::Arithmetic(Arithmetic::Rem) => remainder(a, b),
            // Equal somewhere, and different elsewhere.
            Group::Equality(_) if a.0 <= b.1 && b.0 <= a.1 => Reach::Between(0.0, 1.0),
            Group::Function(_)
            | Group::Rounding(_)
            | Group::FloatBinary(_)
            | Group::Unary(_)
            | Group::Arithmetic(_) => Reach::Ends,
            Group::Comparison(_) | Group::Equality(_) | Group::Logic(_) | Group::Bits(_) => Reach::Ends,
            Group::Test(_) | Group::Choice(_) => Reach::Ends,
            // Neighbours have nothing in common.
            Group::Draw(_) if intervals.iter().any(|(low, high)| low < high) => Reach::Between(0.0, 1.0),
            Group::Draw(_) => Reach::Ends,
        }
    }
}

/// Which branch of the tangent a number is on.
fn branch(x: f64) -> f64 {
    (x / PI + 0.5).floor()
}

/// Between jumps `a - trunc(a / b) * b` is linear in each operand. Beyond one it has the sign of `a` and is
/// smaller than either.
fn remainder(a: (f64, f64), b: (f64, f64)) -> Reach {
    if b.0 <= 0.0 && b.1 >= 0.0 {
        return Reach::All;
    }
    let quotients = [a.0 / b.0, a.0 / b.1, a.1 / b.0, a.1 / b.1].map(f64::trunc);
    if quotients.iter().all(|quotient| *quotient == quotients[0]) {
        return Reach::Ends;
    }
    let magnitude = |x: (f64, f64)| x.0.abs().max(x.1.abs());
    let most = magnitude(a).min(magnitude(b));
    Reach::Between(if a.0 < 0.0 { -most } else { 0.0 }, if a.1 > 0.0 { most } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each value that a primitive takes on a grid inside of the intervals is where it reaches.
    fn check(prim: Prim, intervals: &[(f64, f64)], expected: Reach) {
        let reach = prim.reach(intervals);
        assert_eq!(reach, expected, "{} of {intervals:?}", prim.name());
        let reference = prim.row().reference;
        let ends = |from: usize| {
            let ends = |at: usize| if from >> at & 1 == 0 { intervals[at].0 } else { intervals[at].1 };
            reference(&(0..intervals.len()).map(ends).collect::<Vec<_>>())
        };
        let middle = reference(&intervals.iter().map(|(low, high)| (low + high) / 2.0).collect::<Vec<_>>());
        let furthest = (0..1 << intervals.len()).map(|from| (ends(from) - middle).abs()).fold(0.0, f64::max);
        for i in 0..=100 {
            for j in 0..=100 {
                let at = |(place, (low, high)): (usize, &(f64, f64))| {
                    low + (high - low) * [i, j][place] as f64 / 100.0
                };
                let value = reference(&intervals.iter().enumerate().map(at).collect::<Vec<_>>());
                let is_inside = match reach {
                    Reach::Ends => (value - middle).abs() <= furthest * (1.0 + 1e-12),
                    Reach::Between(low, high) => low <= value && value <= high,
                    Reach::All => true,
                };
                assert!(is_inside, "{} of {intervals:?} is {value}", prim.name());
            }
        }
    }

    #[test]
    fn values_inside_of_intervals_are_where_they_reach() {
        check(Prim::Sin, &[(1.2, 1.9)], Reach::Ends);
        check(Prim::Cos, &[(-0.6, 0.9)], Reach::Ends);
        check(Prim::Sin, &[(-20.0, 44.0)], Reach::Between(-1.0, 1.0));
        check(Prim::Tan, &[(1.5, 1.6)], Reach::All);
        check(Prim::Tan, &[(-1.5, 1.5)], Reach::Ends);
        check(Prim::Tan, &[(1.0, 1.0 + 2.0 * PI)], Reach::All);
        check(Prim::Trigamma, &[(-1.9, -1.2)], Reach::Ends);
        check(Prim::Trigamma, &[(0.1, 7.0)], Reach::Ends);
        check(Prim::Trigamma, &[(-0.1, 0.2)], Reach::All);
        check(Prim::Lgamma, &[(0.7, 5.0)], Reach::Ends);
        check(Prim::Digamma, &[(-3.1, -2.9)], Reach::All);
        check(Prim::Rem, &[(7.25, 7.5), (2.0, 2.2)], Reach::Ends);
        check(Prim::Rem, &[(7.9, 8.1), (2.0, 2.2)], Reach::Between(0.0, 2.2));
        check(Prim::Rem, &[(-0.5, 0.5), (-2.2, -2.0)], Reach::Ends);
        check(Prim::Rem, &[(-3.0, -1.0), (-2.2, -2.0)], Reach::Between(-2.2, 0.0));
        check(Prim::Rem, &[(1.0, 2.0), (-0.1, 0.1)], Reach::All);
        check(Prim::Eq, &[(1.0, 2.0), (1.5, 1.5)], Reach::Between(0.0, 1.0));
        check(Prim::Ne, &[(1.0, 2.0), (2.5, 2.6)], Reach::Ends);
    }
}
