//! How far operands are from a point where a primitive has no derivative.

use super::{Group, Prim};
use std::f64::consts::{FRAC_PI_2, PI};

impl Prim {
    /// The distance from float operands to the nearest kink, jump or singular point, which [`Row::special`]
    /// lists. For a primitive that compares, it is the distance of the operands' difference. It is infinite
    /// if there is no such point.
    ///
    /// [`Row::special`]: super::Row::special
    pub fn distance_to_kink(self, args: &[f64]) -> f64 {
        let row = self.row();
        match (self, args) {
            (Prim::Select, _) => f64::INFINITY,
            (Prim::Floor | Prim::Ceil, [x]) => (x - x.round()).abs(),
            (Prim::Trunc, [x]) if x.abs() < 0.5 => 1.0 - x.abs(),
            (Prim::Trunc, [x]) => (x - x.round()).abs(),
            (Prim::Round, [x]) => (x - 0.5 - (x - 0.5).round()).abs(),
            (Prim::Tan, [x]) => ((x - FRAC_PI_2) / PI - ((x - FRAC_PI_2) / PI).round()).abs() * PI,
            // A pole at 0, and at each whole number below.
            (Prim::Lgamma | Prim::Digamma | Prim::Trigamma, [x]) => (x - x.round().min(0.0)).abs(),
            (Prim::Div, [_, b]) => b.abs(),
            (Prim::Rem, [a, b]) => b.abs().min((a - b * (a / b).round()).abs()),
            (Prim::Pow, [x, _]) => x.abs(),
            // The cut along the negative half of the second axis.
            (Prim::Atan2, [a, b]) => {
                if *b > 0.0 {
                    a.hypot(*b)
                } else {
                    a.abs()
                }
            }
            (Prim::Maximum | Prim::Minimum, [a, b]) => (a - b).abs(),
            (_, args) => match self.group() {
                Group::Comparison(_) | Group::Equality(_) => match args {
                    [a, b] => (a - b).abs(),
                    [..] => f64::INFINITY,
                },
                Group::Function(_)
                | Group::Rounding(_)
                | Group::FloatBinary(_)
                | Group::Unary(_)
                | Group::Arithmetic(_) => {
                    let of = |x: &f64| {
                        row.special.iter().map(|special| (x - special).abs()).fold(f64::INFINITY, f64::min)
                    };
                    args.iter().map(of).fold(f64::INFINITY, f64::min)
                }
                Group::Logic(_) | Group::Bits(_) | Group::Test(_) => f64::INFINITY,
                Group::Choice(_) | Group::Draw(_) => f64::INFINITY,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_points_have_no_distance() {
        for prim in Prim::ALL.iter().filter(|prim| prim.row().operands.len() == 1) {
            for special in prim.row().special {
                assert!(prim.distance_to_kink(&[*special]) < 1e-15, "{} at {special}", prim.name());
                assert!(prim.distance_to_kink(&[special + 0.01]) > 0.009, "{} at {special}", prim.name());
            }
        }
        let two = |prim: Prim, a, b| prim.distance_to_kink(&[a, b]);
        assert_eq!(
            [two(Prim::Div, 0.0, 2.0), two(Prim::Lt, 1.0, 1.5), two(Prim::Maximum, 3.0, 3.0)],
            [2.0, 0.5, 0.0]
        );
        assert_eq!(
            [two(Prim::Add, 0.0, 0.0), two(Prim::Rem, 7.0, 4.0), two(Prim::Atan2, 0.0, -1.0)],
            [f64::INFINITY, 1.0, 0.0]
        );
    }
}
