//! Scans by any associative op.

use crate::catalogue::movement;
use crate::{Error, ErrorKind, Result, Tensor};
use std::array::from_fn;

/// Combines the elements so far along an axis: the result at a place is `x[0] * x[1] * .. * x[place]`,
/// where `*` stands for `combine`, and with `reverse` it is `x[last] * .. * x[place]`. An element is a
/// tuple of `K` tensors, which have the same size along the axis `dim`. `combine` takes the elements of
/// some places and the later ones of as many others. `torch._higher_order_ops.associative_scan`,
/// `jax.lax.associative_scan`.
///
/// `combine` must be associative, `(x * y) * z = x * (y * z)`; it need not commute. An op that is declared
/// as `#[tensor_op(associative)]` has a test of it, and a function that calls this one: `combine_scan` for
/// an op `combine`. The scans of the language, such as `cumsum` and `linear_recurrence`, go over memory
/// once and fuse with what stands around them. This one calls `combine` twice for each halving of the axis,
/// and takes about twice as many combinations as there are elements. Derivatives go through its calls. Of
/// fewer than two elements nothing is combined.
///
/// ```
/// use tensor_op::associative_scan;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// // Products of matrices, one after the other.
/// let turns = Tensor::from([[[0.0, 1.0], [-1.0, 0.0]], [[0.0, 1.0], [-1.0, 0.0]]]);
/// let [so_far] = associative_scan(|[a], [b]| Ok([a.matmul(b)?]), [turns], 0, None)?;
/// assert_eq!(so_far.i(1)?.to_vec::<f64>()?, [-1.0, 0.0, 0.0, -1.0]);
/// # Ok(())
/// # }
/// ```
///
/// Source: Blelloch, Prefix Sums and Their Applications, 1990.
///
/// # Errors
/// A tensor lacks the axis, sizes along it differ, or `combine` fails or changes a shape or a dtype.
pub fn associative_scan<const K: usize>(
    combine: impl Fn([&Tensor; K], [&Tensor; K]) -> Result<[Tensor; K]>,
    xs: [Tensor; K],
    dim: i64,
    reverse: impl Into<Option<bool>>,
) -> Result<[Tensor; K]> {
    let scan = Scan { combine, dim };
    let len = scan.len(&xs)?;
    let reverse = reverse.into().unwrap_or(false);
    let flipped = |xs: [Tensor; K]| if reverse { each(|at| movement::flip(&xs[at], dim)) } else { Ok(xs) };
    flipped(scan.run(flipped(xs)?, len)?)
}

struct Scan<F> {
    combine: F,
    dim: i64,
}

impl<F> Scan<F> {
    /// The size along the axis.
    fn len<const K: usize>(&self, xs: &[Tensor; K]) -> Result<usize> {
        let size = |x: &Tensor| Ok(x.shape()[x.shape().axis(self.dim).map_err(named)?]);
        let sizes = xs.iter().map(size).collect::<Result<Vec<usize>>>()?;
        match sizes.first() {
            Some(first) if sizes.iter().all(|size| size == first) => Ok(*first),
            Some(_) => {
                let message =
                    format!("the tensors have the sizes {sizes:?} along axis {}, not one", self.dim);
                Err(wrong(message))
            }
            None => Ok(0),
        }
    }

    /// Combines neighbours, scans the pairs, and fills in the places between.
    fn run<const K: usize>(&self, xs: [Tensor; K], len: usize) -> Result<[Tensor; K]>
    where
        F: Fn([&Tensor; K], [&Tensor; K]) -> Result<[Tensor; K]>,
    {
        if len < 2 {
            return Ok(xs);
        }
        let every_second = |xs: &[Tensor; K], start: usize, end: usize| {
            each(|at| xs[at].slice_step(self.dim, start as i64..end as i64, 2))
        };
        let pairs = self.combined(&every_second(&xs, 0, len - 1)?, &every_second(&xs, 1, len)?)?;
        let odd = self.run(pairs, len / 2)?;
        let first: [Tensor; K] = each(|at| xs[at].slice(self.dim, 0..1))?;
        if len == 2 {
            return each(|at| Tensor::cat(&[&first[at], &odd[at]], self.dim));
        }
        let before: [Tensor; K] = each(|at| odd[at].slice(self.dim, 0..((len - 1) / 2) as i64))?;
        let later = self.combined(&before, &every_second(&xs, 2, len)?)?;
        each(|at| self.mixed(&Tensor::cat(&[&first[at], &later[at]], self.dim)?, &odd[at], len))
    }

    fn combined<const K: usize>(&self, left: &[Tensor; K], right: &[Tensor; K]) -> Result<[Tensor; K]>
    where
        F: Fn([&Tensor; K], [&Tensor; K]) -> Result<[Tensor; K]>,
    {
        let combined = (self.combine)(from_fn(|at| &left[at]), from_fn(|at| &right[at]))?;
        for (combined, left) in combined.iter().zip(left) {
            let [found, wanted] = [combined, left].map(|tensor| (tensor.dtype(), tensor.shape()));
            if found != wanted {
                return Err(wrong(format!(
                    "{} tensors of shape {} were combined to {} of shape {}: both stay the same",
                    wanted.0, wanted.1, found.0, found.1
                )));
            }
        }
        Ok(combined)
    }

    /// The elements of both in turn. The even ones begin, and may be one more.
    fn mixed(&self, even: &Tensor, odd: &Tensor, len: usize) -> Result<Tensor> {
        let (axis, pairs) = (even.shape().axis(self.dim).map_err(named)? as i64, (len / 2) as i64);
        let both = Tensor::stack(&[&even.slice(axis, 0..pairs)?, odd], axis + 1)?.flatten(axis, axis + 1)?;
        if len.is_multiple_of(2) {
            return Ok(both);
        }
        Tensor::cat(&[&both, &even.slice(axis, pairs..)?], axis)
    }
}

/// A tuple of tensors, made one by one.
fn each<const K: usize>(make: impl Fn(usize) -> Result<Tensor>) -> Result<[Tensor; K]> {
    let made = (0..K).map(make).collect::<Result<Vec<Tensor>>>()?;
    made.try_into().map_err(|_| wrong(format!("{K} tensors were asked for")))
}

fn wrong(message: String) -> Error {
    named(Error::new(ErrorKind::Shape, message))
}

fn named(error: Error) -> Error {
    error.with_op("associative_scan")
}
