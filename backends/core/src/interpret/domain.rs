//! The arithmetic of an interpreted graph: plain scalars, or richer values such as those with an error bound.

use crate::{Error, ErrorKind, Result};
use tensor_op_spec::ir::{Kind, Scalar};
use tensor_op_spec::prim::{Fold, Prim, Scan};

/// Arithmetic for [`evaluate`](super::evaluate).
pub trait Domain {
    /// An element of a value.
    type Value: Clone;

    /// An element of a tensor argument.
    fn input(&self, value: Scalar) -> Self::Value;
    /// A literal or a scalar argument.
    fn constant(&self, value: Scalar) -> Self::Value;
    /// A size or an index, or the zero of a sum.
    fn exact(&self, value: Scalar) -> Self::Value;
    /// Applies a primitive; `None` if it doesn't take operands of these kinds, or this many.
    fn apply(&self, prim: Prim, args: &[Self::Value]) -> Option<Self::Value>;
    /// Converts to another kind.
    fn cast(&self, value: &Self::Value, kind: Kind) -> Self::Value;
    /// Reduces elements to a value of a kind. An `Err` if there are no elements and the fold has no value for
    /// that.
    fn fold(
        &self,
        fold: Fold,
        elements: &mut dyn Iterator<Item = Self::Value>,
        kind: Kind,
    ) -> Result<Self::Value>;
    /// The results of a scan, in its order. There are as many operands as it takes, each with as many
    /// elements.
    fn scan(&self, scan: Scan, operands: &[Vec<Self::Value>], kind: Kind) -> Result<Vec<Self::Value>> {
        let (first, count) = (&operands[0], operands[0].len());
        match scan.row().fold {
            Some(fold) => {
                (1..=count).map(|len| self.fold(fold, &mut first[..len].iter().cloned(), kind)).collect()
            }
            None => self.recurrence(first, &operands[1]),
        }
    }
    /// `y[t] = factors[t] * y[t - 1] + terms[t]`, from `y[0] = terms[0]`.
    fn recurrence(&self, factors: &[Self::Value], terms: &[Self::Value]) -> Result<Vec<Self::Value>> {
        recurrence(self, factors, terms)
    }
    /// How far the plain value of an element may be off, where elements are ordered or it is a place.
    fn slack(&self, value: &Self::Value) -> f64 {
        let _ = value;
        0.0
    }
    /// A position that follows from the order of elements. It is not certain if elements that may be off are
    /// too close to each other.
    fn position(&self, position: usize, is_certain: bool) -> Self::Value {
        let _ = is_certain;
        self.exact(Scalar::Int(position as i64))
    }
    /// A factor of a product of matrices, which a device may round before it multiplies.
    fn factor(&self, value: &Self::Value) -> Self::Value {
        value.clone()
    }
    /// The plain value, to be used as an index.
    fn scalar(&self, value: &Self::Value) -> Scalar;
    /// The element that was found at an index.
    fn at(&self, index: &Self::Value, found: &Self::Value) -> Self::Value {
        let _ = index;
        found.clone()
    }
}

/// Computes a linear recurrence one element after the other.
///
/// # Errors
///
/// If the values are no floats.
pub fn recurrence<D: Domain + ?Sized>(
    domain: &D,
    factors: &[D::Value],
    terms: &[D::Value],
) -> Result<Vec<D::Value>> {
    let no_floats = || Error::new(ErrorKind::Unsupported, "a linear recurrence takes floats");
    let mut results: Vec<D::Value> = Vec::with_capacity(terms.len());
    for (factor, term) in factors.iter().zip(terms) {
        let next = match results.last() {
            None => term.clone(),
            Some(before) => domain
                .apply(Prim::Mul, &[factor.clone(), before.clone()])
                .and_then(|moved| domain.apply(Prim::Add, &[moved, term.clone()]))
                .ok_or_else(no_floats)?,
        };
        results.push(next);
    }
    Ok(results)
}

/// Plain scalars: floats in f64, ints in i64.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

impl Domain for Plain {
    type Value = Scalar;

    fn input(&self, value: Scalar) -> Scalar {
        value
    }
    fn constant(&self, value: Scalar) -> Scalar {
        value
    }
    fn exact(&self, value: Scalar) -> Scalar {
        value
    }
    fn apply(&self, prim: Prim, args: &[Scalar]) -> Option<Scalar> {
        prim.eval(args)
    }
    fn cast(&self, value: &Scalar, kind: Kind) -> Scalar {
        value.cast(kind)
    }
    fn fold(&self, fold: Fold, elements: &mut dyn Iterator<Item = Scalar>, kind: Kind) -> Result<Scalar> {
        fold_all(fold, elements, kind)
    }
    fn scan(&self, scan: Scan, operands: &[Vec<Scalar>], _: Kind) -> Result<Vec<Scalar>> {
        let Some(fold) = scan.row().fold else { return recurrence(self, &operands[0], &operands[1]) };
        let combine = |before: &mut Option<Scalar>, x: &Scalar| {
            *before = Some(before.map_or(*x, |before| both(fold.row().combine, before, *x)));
            *before
        };
        Ok(operands[0].iter().scan(None, combine).collect())
    }
    fn scalar(&self, value: &Scalar) -> Scalar {
        *value
    }
}

fn fold_all(fold: Fold, elements: &mut dyn Iterator<Item = Scalar>, kind: Kind) -> Result<Scalar> {
    let row = fold.row();
    if row.finds_position {
        let beats = if row.combine == Prim::Maximum { Prim::Gt } else { Prim::Lt };
        return first_best(elements, beats).ok_or_else(|| of_nothing(fold));
    }
    if fold.needs_elements() {
        return elements.reduce(|a, b| both(row.combine, a, b)).ok_or_else(|| of_nothing(fold));
    }
    Ok(elements.fold(fold.of_nothing(kind), |a, b| both(row.combine, a, b)))
}

fn of_nothing(fold: Fold) -> Error {
    Error::new(ErrorKind::Empty, format!("{} over no elements has no value", fold.name()))
}

/// Index of the first element that no other beats; a NaN beats everything.
fn first_best(elements: &mut dyn Iterator<Item = Scalar>, beats: Prim) -> Option<Scalar> {
    let is_nan = |x: Scalar| matches!(x, Scalar::Float(x) if x.is_nan());
    let better = |new: Scalar, best: Scalar| {
        !is_nan(best) && (is_nan(new) || both(beats, new, best) == Scalar::Bool(true))
    };
    let best = elements.enumerate().reduce(|best, new| if better(new.1, best.1) { new } else { best });
    best.map(|(index, _)| Scalar::Int(index as i64))
}

/// A primitive of two numbers of one kind; graphs are built such that this holds.
fn both(prim: Prim, a: Scalar, b: Scalar) -> Scalar {
    prim.eval(&[a, b]).expect("sums and comparisons take two numbers of one kind")
}
