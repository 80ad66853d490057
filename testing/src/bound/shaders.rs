//! Bounds for devices that are programmed in shading languages, whose compilers rearrange sums and products.
//!
//! WGSL lets an implementation reassociate and fuse (15.7.5, "Reassociation and Fusion"). Mesa's compiler
//! turns `a * b + c * d + e` into `fma(a, b, fma(c, d, e))`, takes the common factor out of `a * b + a * c`,
//! and combines the constants of `(x + 1) - 1`. However a sum of products is arranged, a term passes two
//! kinds of roundings. Each of its multiplications rounds relative to the term. Each addition rounds a
//! partial sum, and a term passes at most as many additions as there are in all; partial sums are no larger
//! than the magnitudes of all terms together (Higham, Accuracy and Stability, 4.2 and 5.1). So each value
//! carries the terms that it is a sum of.
//!
//! In three cases there is nothing to rearrange: a value that is no sum, a sum with only one addition, and a
//! loop into which a product would have to be moved. A product of two sums is not multiplied out.

use super::{Bounded, Rounding};
use tensor_op_core::{Domain, Evaluated, Result, TensorData, Value, evaluate};
use tensor_op_spec::ir::{Graph, Kind, Scalar};
use tensor_op_spec::prim::{Fold, Prim, Scan};

/// Evaluates a graph for floats of this dtype, with the bounds of a device that is programmed in a shading
/// language.
///
/// # Errors
///
/// Those of [`evaluate`].
pub fn evaluate_in_shaders(
    graph: &Graph,
    args: &[Value<TensorData>],
    rounding: Rounding,
) -> Result<Vec<Evaluated<Bounded>>> {
    let results = evaluate(graph, args, &Shaders::new(rounding))?;
    let bounded = |values: Vec<Rearranged>| values.into_iter().map(|value| value.bounded).collect();
    let of = |Evaluated { shape, kind, values }| Evaluated { shape, kind, values: bounded(values) };
    Ok(results.into_iter().map(of).collect())
}

/// The arithmetic of shading languages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shaders(Rounding);

/// A value, and the terms that it is a sum of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rearranged {
    pub(super) bounded: Bounded,
    sum: Sum,
}

/// A sum of terms, before it is rounded.
#[derive(Clone, Copy, Debug)]
struct Sum {
    additions: usize,
    /// The sum of the magnitudes of all finite terms.
    magnitude: f64,
    /// The sum of the errors of the terms.
    carried: f64,
    /// The number of terms that are infinite or NaN.
    singular: usize,
    has_products: bool,
    is_loop: bool,
}

impl Sum {
    /// A sum whose only term is this value.
    fn of(value: &Bounded) -> Sum {
        let x = value.value.as_f64();
        let (magnitude, singular) = if x.is_finite() { (x.abs(), 0) } else { (0.0, 1) };
        let carried = value.error;
        Sum { additions: 0, magnitude, carried, singular, has_products: false, is_loop: false }
    }

    fn plus(self, other: Sum) -> Sum {
        Sum {
            additions: self.additions + other.additions + 1,
            magnitude: self.magnitude + other.magnitude,
            carried: self.carried + other.carried,
            singular: self.singular + other.singular,
            has_products: self.has_products || other.has_products,
            is_loop: self.is_loop || other.is_loop,
        }
    }
}

impl Rearranged {
    fn single(bounded: Bounded) -> Rearranged {
        Rearranged { bounded, sum: Sum::of(&bounded) }
    }

    /// The terms that an outside factor may be multiplied into.
    fn factor(&self) -> Sum {
        if self.sum.is_loop { Sum::of(&self.bounded) } else { self.sum }
    }
}

impl Shaders {
    pub(super) fn new(rounding: Rounding) -> Shaders {
        Shaders(rounding.of_shaders())
    }

    /// The error that one operation adds, wherever in its binade the result is, and also if the result is
    /// flushed to zero.
    fn rounding(&self, reach: f64) -> f64 {
        reach.min(self.0.format.min_positive()).max(self.0.unit() * reach)
    }

    /// Multiplies each term of one sum by each term of the other. Each product is off relative to itself.
    fn times(&self, a: Sum, b: Sum) -> Sum {
        let magnitude = a.magnitude * b.magnitude;
        let spread = a.magnitude * b.carried + b.magnitude * a.carried + a.carried * b.carried;
        Sum {
            additions: a.additions + b.additions,
            magnitude,
            carried: spread + self.rounding(magnitude + spread),
            singular: 0,
            has_products: true,
            is_loop: false,
        }
    }

    /// The product as it is written, with its factors in any order. Inside a sum it also carries the terms of
    /// the factors.
    fn product(&self, written: Bounded, a: &Rearranged, b: &Rearranged) -> Rearranged {
        if !written.value.as_f64().is_finite() {
            return overflown(written, [a, b]);
        }
        let own = self.times(Sum::of(&a.bounded), Sum::of(&b.bounded));
        let error = written.error.max(own.carried);
        Rearranged { bounded: Bounded { error, ..written }, sum: self.times(a.factor(), b.factor()) }
    }

    /// A sum in any arrangement; `written` is one of them.
    fn sum(&self, written: Bounded, sum: Sum) -> Rearranged {
        let value = written.value.as_f64();
        // If there is only one addition, its result is the value itself. Taking a common factor out does not
        // change that.
        let size = if sum.additions > 1 { sum.magnitude } else { sum.magnitude.min(value.abs()) };
        let error = sum.carried + sum.additions as f64 * self.rounding(size + sum.carried);
        // If the value is NaN as the difference of infinities, a compiler may take the infinity out as a
        // factor, or leave it out.
        let is_lost = value.is_nan() && sum.singular > 1;
        let fits = sum.magnitude + error <= self.0.format.max;
        let error = if is_lost || !fits {
            f64::INFINITY
        } else if value.is_finite() {
            written.error.max(error)
        } else {
            written.error
        };
        Rearranged { bounded: Bounded { error, ..written }, sum }
    }
}

/// A product that is infinite or NaN. If its factors are finite, it may become finite when a compiler takes
/// one of them out or multiplies it by others first.
fn overflown(written: Bounded, factors: [&Rearranged; 2]) -> Rearranged {
    let is_regrouped = factors.iter().any(|factor| factor.sum.carried == f64::INFINITY);
    let overflows = factors.iter().all(|factor| factor.bounded.value.as_f64().is_finite());
    let error = if is_regrouped { f64::INFINITY } else { written.error };
    let carried = if overflows { f64::INFINITY } else { error };
    let bounded = Bounded { error, ..written };
    Rearranged { bounded, sum: Sum { has_products: true, carried, ..Sum::of(&bounded) } }
}

impl Domain for Shaders {
    type Value = Rearranged;

    fn input(&self, value: Scalar) -> Rearranged {
        Rearranged::single(self.0.input(value))
    }

    fn constant(&self, value: Scalar) -> Rearranged {
        Rearranged::single(self.0.constant(value))
    }

    fn exact(&self, value: Scalar) -> Rearranged {
        Rearranged::single(self.0.exact(value))
    }

    fn apply(&self, prim: Prim, args: &[Rearranged]) -> Option<Rearranged> {
        let mut operands = [Bounded::exact(Scalar::Int(0)); 3];
        let operands = operands.get_mut(..args.len())?;
        operands.iter_mut().zip(args).for_each(|(operand, arg)| *operand = arg.bounded);
        let written = self.0.apply(prim, operands)?;
        Some(match (prim, args) {
            (_, _) if written.value.kind() != Kind::Float => Rearranged::single(written),
            (Prim::Neg, [x]) => Rearranged { bounded: written, ..*x },
            (Prim::Mul, [a, b]) => self.product(written, a, b),
            (Prim::Add | Prim::Sub, [a, b]) => {
                let sum = a.sum.plus(b.sum);
                let is_rearranged = sum.additions > 1 || sum.has_products;
                if is_rearranged { self.sum(written, sum) } else { Rearranged { bounded: written, sum } }
            }
            (_, _) => Rearranged::single(written),
        })
    }

    fn cast(&self, value: &Rearranged, kind: Kind) -> Rearranged {
        if value.bounded.value.kind() == kind {
            return *value;
        }
        Rearranged::single(self.0.cast(&value.bounded, kind))
    }

    fn fold(
        &self,
        fold: Fold,
        elements: &mut dyn Iterator<Item = Rearranged>,
        kind: Kind,
    ) -> Result<Rearranged> {
        let mut sum: Option<Sum> = None;
        let mut elements = elements.map(|element| {
            sum = Some(sum.map_or(element.sum, |sum| sum.plus(element.sum)));
            element.bounded
        });
        let written = self.0.fold(fold, &mut elements, kind)?;
        Ok(match sum {
            // A reduction with infinities in different elements leaves none of them out.
            Some(sum) if fold == Fold::Sum && kind == Kind::Float && sum.singular == 0 => {
                self.sum(written, Sum { is_loop: true, ..sum })
            }
            Some(_) | None => Rearranged::single(written),
        })
    }

    /// Elements of a scan are not rearranged.
    fn scan(&self, scan: Scan, operands: &[Vec<Rearranged>], kind: Kind) -> Result<Vec<Rearranged>> {
        let bounded = |values: &Vec<Rearranged>| values.iter().map(|x| x.bounded).collect();
        let found = self.0.scan(scan, &operands.iter().map(bounded).collect::<Vec<_>>(), kind)?;
        Ok(found.into_iter().map(|value| Rearranged::single(self.0.flushed(value))).collect())
    }

    fn slack(&self, value: &Rearranged) -> f64 {
        self.0.slack(&value.bounded)
    }

    fn position(&self, position: usize, is_certain: bool) -> Rearranged {
        Rearranged::single(self.0.position(position, is_certain))
    }

    fn factor(&self, value: &Rearranged) -> Rearranged {
        let rounded = self.0.factor(&value.bounded);
        if rounded.error == value.bounded.error { *value } else { Rearranged::single(rounded) }
    }

    fn scalar(&self, value: &Rearranged) -> Scalar {
        value.bounded.value
    }

    fn at(&self, index: &Rearranged, found: &Rearranged) -> Rearranged {
        let bounded = self.0.at(&index.bounded, &found.bounded);
        if index.bounded.error == 0.0 { *found } else { Rearranged::single(bounded) }
    }
}
