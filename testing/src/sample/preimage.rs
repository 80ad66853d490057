//! Finds a range for an operand of a primitive such that the primitive's value is in a wanted range. It tries
//! points, so that no primitive needs an inverse.

/// A closed range of numbers; ints and bools are numbers too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Interval {
    pub(super) const ALL: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };

    pub(super) fn point(x: f64) -> Interval {
        Interval { low: x, high: x }
    }

    pub(super) fn contains(self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }

    /// The intersection; `None` if it is empty.
    pub(super) fn meet(self, other: Interval) -> Option<Interval> {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        (low <= high).then_some(Interval { low, high })
    }

    pub(super) fn width(self) -> f64 {
        self.high - self.low
    }

    /// The smallest interval around some numbers, ignoring NaN. If there are no numbers, it is the interval
    /// of all numbers.
    pub(super) fn around(numbers: impl Iterator<Item = f64>) -> Interval {
        let empty = Interval { low: f64::INFINITY, high: f64::NEG_INFINITY };
        let grown = numbers
            .filter(|x| !x.is_nan())
            .fold(empty, |hull: Interval, x| Interval { low: hull.low.min(x), high: hull.high.max(x) });
        if grown.low <= grown.high { grown } else { Interval::ALL }
    }
}

/// A question about an operand: for which values is a function of it in a wanted range?
pub(super) struct Asked<'f> {
    /// Whether a value of the operand is acceptable.
    pub(super) holds: &'f dyn Fn(f64) -> bool,
    /// The function. Its values show between which points it crosses the wanted range.
    pub(super) value: &'f dyn Fn(f64) -> f64,
    /// The range in which the function should be.
    pub(super) wanted: Interval,
    /// Whether the operand is a whole number.
    pub(super) whole: bool,
}

/// Whole numbers are searched for up to here. Beyond, arithmetic wraps around.
const FAR: f64 = 1e9;
/// Steps of a bisection, as many as f64 has digits.
const STEPS: usize = 52;

impl Asked<'_> {
    /// A range of acceptable values that contains at least one of the tried points. There may be several: it
    /// is the one around `near`, or else the one with the index `pick`. `None` if no point is acceptable.
    pub(super) fn preimage(&self, points: Vec<f64>, near: Option<f64>, pick: usize) -> Option<Interval> {
        let points = self.with_crossings(self.sorted(points));
        let holds: Vec<bool> = points.iter().map(|x| (self.holds)(*x)).collect();
        let mut runs: Vec<(usize, usize)> = vec![];
        for at in (0..points.len()).filter(|at| holds[*at]) {
            match runs.last_mut() {
                Some((_, end)) if *end + 1 == at => *end = at,
                Some(_) | None => runs.push((at, at)),
            }
        }
        let has = |(start, end): &&(usize, usize)| {
            near.is_some_and(|near| points[*start] <= near && near <= points[*end])
        };
        let (start, end) = *runs.iter().find(has).or_else(|| runs.get(pick % runs.len().max(1)))?;
        let low = match start.checked_sub(1) {
            Some(before) => self.edge(points[start], points[before]),
            None => f64::NEG_INFINITY,
        };
        let high = points.get(end + 1).map_or(f64::INFINITY, |after| self.edge(points[end], *after));
        Some(Interval { low, high })
    }

    fn sorted(&self, points: Vec<f64>) -> Vec<f64> {
        let mut points: Vec<f64> = points
            .into_iter()
            .chain(ladder())
            .filter(|x| x.is_finite() && (!self.whole || x.abs() <= FAR))
            .map(|x| if self.whole { x.round() } else { x })
            .collect();
        points.sort_by(f64::total_cmp);
        points.dedup();
        points
    }

    /// Adds a point between each two points where the function crosses the wanted range.
    fn with_crossings(&self, points: Vec<f64>) -> Vec<f64> {
        let mut found = vec![];
        for pair in points.windows(2) {
            let [mut a, mut b] = [pair[0], pair[1]];
            let below = |x: f64| (self.value)(x) < self.wanted.low;
            let above = |x: f64| (self.value)(x) > self.wanted.high;
            if !(below(a) && above(b) || above(a) && below(b)) {
                continue;
            }
            for _ in 0..STEPS {
                let middle = self.middle(a, b);
                if (self.holds)(middle) {
                    found.push(middle);
                    break;
                }
                let side = if below(middle) == below(a) { &mut a } else { &mut b };
                *side = middle;
            }
        }
        self.sorted(points.into_iter().chain(found).collect())
    }

    /// The last acceptable number on the way from an acceptable number to one that is not.
    fn edge(&self, mut good: f64, mut bad: f64) -> f64 {
        for _ in 0..STEPS {
            let middle = self.middle(good, bad);
            if middle == good || middle == bad {
                break;
            }
            let side = if (self.holds)(middle) { &mut good } else { &mut bad };
            *side = middle;
        }
        good
    }

    fn middle(&self, a: f64, b: f64) -> f64 {
        let middle = a + (b - a) / 2.0;
        if self.whole { middle.floor() } else { middle }
    }
}

/// Zero, and numbers of both signs from tiny to huge.
fn ladder() -> impl Iterator<Item = f64> {
    let powers = (-14..=20).step_by(2).map(|power| 2f64.powi(power)).chain([1e9, 1e15, 1e30]);
    powers.flat_map(|x| [x, -x]).chain([0.0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::E;

    #[track_caller]
    fn check(f: impl Fn(f64) -> f64, wanted: (f64, f64), whole: bool, expected: [f64; 2]) {
        let wanted = Interval { low: wanted.0, high: wanted.1 };
        let holds = |x: f64| f(x).is_finite() && wanted.contains(f(x));
        let found = Asked { holds: &holds, value: &f, wanted, whole }.preimage(vec![], None, 0).unwrap();
        for (found, expected) in [found.low, found.high].into_iter().zip(expected) {
            assert!(found == expected || (found - expected).abs() < 1e-9 * expected.abs(), "{found:?}");
        }
    }

    #[test]
    fn the_edges_of_a_domain_are_found() {
        let all = (f64::NEG_INFINITY, f64::INFINITY);
        check(|x| (x - 10.0).ln(), all, false, [10.0, f64::INFINITY]);
        check(|x| (1.0 - x * x).sqrt(), all, false, [-1.0, 1.0]);
        check(|x| (x / 50.0 - 3.0).exp(), (1.0, E), false, [150.0, 200.0]);
        check(f64::exp, (1000.0, 1001.0), false, [1000f64.ln(), 1001f64.ln()]);
        check(|x| x * 2.0, (0.0, 5.0), true, [0.0, 2.0]);
        check(|x| 3.0 * (x - 1000.0), (0.0, 4.0), true, [1000.0, 1001.0]);
    }
}
