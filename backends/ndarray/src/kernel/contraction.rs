//! Sums of products with free dims on both sides, as matrix products.
//!
//! The axes of each side are merged into as few as strides allow. One axis of each side goes to the matrix
//! product, and the others become loops around it. If one factor is broadcast along a batch axis, the axis
//! belongs to the other factor's side, so that shared weights make one large product.

use super::bind::stride;
use super::gemm::{LHS, Matrix, OUT, RHS, gemm};
use super::real::Real;
use super::stream::Lanes;
use crate::array::Array;
use crate::cast;
use crate::layout::{Few, Layout, row_major};
use crate::nest::Nest;
use crate::parallel::{self, Shared};
use crate::tensor::{NdArrayTensor, Stored};
use gemm_common::Parallelism;
use std::borrow::Borrow;
use tensor_op_core::execute::{BoundProduct, Labeled};
use tensor_op_core::{BoundAxis, Result, Shape};

/// The product of two tensors, computed in `E`.
pub(super) fn multiply<E: Real>(mut product: BoundProduct<NdArrayTensor>) -> Result<NdArrayTensor> {
    product.lhs = in_type::<E>(product.lhs)?;
    product.rhs = in_type::<E>(product.rhs)?;
    let shape = shape_of(&product);
    let mut out = NdArrayTensor::recycled(&shape, E::NATIVE)?;
    let nests = Product::new(&product, &out.layout().strides);
    nests.run(out.target::<E>()?, product.lhs.tensor.array::<E>()?, product.rhs.tensor.array::<E>()?)?;
    Ok(out)
}

fn shape_of<T>(product: &BoundProduct<T>) -> Shape {
    product.out.iter().map(|bound| bound.size).collect()
}

/// A product that takes its factors as they are, ready to run.
pub(super) struct Direct {
    shape: Shape,
    batch: Nest,
    sides: [Matrix; 3],
}

impl Direct {
    /// `None` if a factor must be cast to `E` or copied, or if there is nothing to multiply.
    pub(super) fn new<E: Real, T: Borrow<NdArrayTensor>>(product: &BoundProduct<T>) -> Option<Direct> {
        let is_ready = |value: &Labeled<T>| value.tensor.borrow().dtype() == E::NATIVE;
        let shape = shape_of(product);
        let mut nests = Product::new(product, &row_major(&shape));
        if !is_ready(&product.lhs) || !is_ready(&product.rhs) || nests.is_empty() || nests.k.len() == 0 {
            return None;
        }
        nests.order();
        if nests.is_scattered(LHS) || nests.is_scattered(RHS) {
            return None;
        }
        let (batch, sides) = nests.into_sides();
        Some(Direct { shape, batch, sides })
    }

    /// Multiplies factors with the strides of those for which this was made, from their first elements on.
    pub(super) fn run<E: Real>(&self, [lhs, rhs]: [Shared<E>; 2]) -> Result<NdArrayTensor> {
        let mut out = NdArrayTensor::recycled(&self.shape, E::NATIVE)?;
        multiply_each(out.target::<E>()?, lhs, rhs, &self.batch, self.sides);
        Ok(out)
    }
}

/// The value, cast to the type that the product is computed in.
fn in_type<E: Lanes>(value: Labeled<NdArrayTensor>) -> Result<Labeled<NdArrayTensor>> {
    Ok(Labeled { tensor: cast::cast(value.tensor, E::NATIVE)?, axes: value.axes })
}

/// `out[batch, m, n] = sum over k of lhs[batch, m, k] * rhs[batch, k, n]`. Each nest has three operands: out,
/// lhs and rhs.
#[derive(Debug)]
pub(crate) struct Product {
    /// Axes of all three.
    pub(crate) batch: Nest,
    /// Axes of out and lhs.
    pub(crate) m: Nest,
    /// Axes of out and rhs.
    pub(crate) n: Nest,
    /// Axes of lhs and rhs.
    pub(crate) k: Nest,
}

/// If a side is shorter than this and has more axes around it, a copy that makes it longer is worth its cost.
const SHORT_SIDE: usize = 16;
/// A product of at least this many multiplications is shared between threads. A smaller one is computed by a
/// single thread.
const LARGE: usize = 1 << 20;

impl Product {
    /// The product over a result with these strides.
    fn new<T: Borrow<NdArrayTensor>>(product: &BoundProduct<T>, out: &[isize]) -> Product {
        let BoundProduct { lhs, rhs, batch, m, n, k, out: axes, .. } = product;
        let of_out = |axis| {
            let place = axes.iter().position(|own| own.axis == axis && own.size != 1);
            place.map_or(0, |place| out[place])
        };
        let nest = |axes: &[BoundAxis]| {
            let mut nest = Nest::new(3);
            for bound in axes {
                let strides = [of_out(bound.axis), stride(lhs, bound.axis), stride(rhs, bound.axis)];
                nest.push(bound.size, strides.into_iter());
            }
            nest
        };
        Product { batch: nest(batch), m: nest(m), n: nest(n), k: nest(k) }
    }

    /// Whether the result has no elements.
    fn is_empty(&self) -> bool {
        self.batch.len() * self.m.len() * self.n.len() == 0
    }

    /// Computes the product. Strides stay inside the arrays, and points of `out` are distinct.
    pub(crate) fn run<E: Real>(mut self, out: Shared<E>, lhs: &Array<E>, rhs: &Array<E>) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        if self.k.len() == 0 {
            // Factors without elements are not read, so their strides don't matter.
            let still: &[isize] = &[0];
            self.k = Nest::over(&[0], &[still; 3]);
        }
        self.order();
        let (mut lhs, mut rhs) = (lhs.clone(), rhs.clone());
        if self.k.len() > 0 && self.is_scattered(LHS) {
            lhs = self.compact(LHS, &lhs)?;
        }
        if self.k.len() > 0 && self.is_scattered(RHS) {
            rhs = self.compact(RHS, &rhs)?;
        }
        let (batch, sides) = self.into_sides();
        multiply_each(out, Shared(lhs.as_ptr().cast_mut()), Shared(rhs.as_ptr().cast_mut()), &batch, sides);
        Ok(())
    }

    /// Merges the axes of each side into as few as strides allow.
    fn order(&mut self) {
        self.assign_broadcast_axes();
        for nest in [&mut self.batch, &mut self.m, &mut self.n] {
            nest.sort_by(&[OUT, LHS, RHS]);
            nest.merge();
        }
        self.k.sort_by(&[LHS, RHS]);
        self.k.merge();
    }

    /// The axes of one matrix product, and the loops around it.
    fn into_sides(mut self) -> (Nest, [Matrix; 3]) {
        let m = take_side(&mut self.m, &mut self.batch);
        let n = take_side(&mut self.n, &mut self.batch);
        let mut left = Nest::new(3);
        let k = take_side(&mut self.k, &mut left);
        assert_eq!(left.rank(), 0, "both factors are flat along the summed axes, or were made so");
        self.batch.merge();
        (self.batch, [m, n, k])
    }

    /// If one factor is broadcast along a batch axis, moves the axis to the other factor's side.
    fn assign_broadcast_axes(&mut self) {
        let batch = std::mem::replace(&mut self.batch, Nest::new(3));
        for axis in 0..batch.rank() {
            let [_, l, r] = [OUT, LHS, RHS].map(|operand| batch.stride(axis, operand));
            let side = match (l, r) {
                (0, 0) => &mut self.batch,
                (_, 0) => &mut self.m,
                (0, _) => &mut self.n,
                _ => &mut self.batch,
            };
            side.push(batch.size(axis), batch.strides(axis).iter().copied());
        }
    }

    /// Whether a factor must be copied: its summed axes can't be merged into one, or its own side has many
    /// short axes.
    fn is_scattered(&self, factor: usize) -> bool {
        let side = if factor == LHS { &self.m } else { &self.n };
        let longest = (0..side.rank()).map(|axis| side.size(axis)).max().unwrap_or(1);
        self.k.flat_stride(factor).is_none()
            || (longest < SHORT_SIDE && side.len() >= 4 * longest && self.could_merge(side))
    }

    /// Whether the axes of a side can be merged into one in the result.
    fn could_merge(&self, side: &Nest) -> bool {
        side.flat_stride(OUT).is_some()
    }

    /// A row-major copy of a factor over all summed axes and the other axes along which it varies. The summed
    /// axes can then be merged into one. Also sets the strides of the copy in all nests.
    fn compact<E: Stored>(&mut self, factor: usize, array: &Array<E>) -> Result<Array<E>> {
        let summed = self.k.rank();
        let nests = [(&mut self.batch, 0), (&mut self.m, 0), (&mut self.n, 0), (&mut self.k, summed)];
        // Whether an axis is copied. The first `all` axes are copied in any case.
        let copied = |nest: &Nest, axis: usize, all: usize| axis < all || nest.stride(axis, factor) != 0;
        let (mut shape, mut strides) = (Vec::new(), Few::new());
        for (nest, all) in &nests {
            for axis in (0..nest.rank()).filter(|axis| copied(nest, *axis, *all)) {
                shape.push(nest.size(axis));
                strides.push(nest.stride(axis, factor));
            }
        }
        let layout = Layout { shape: shape[..].into(), strides, offset: array.layout().offset };
        let copy = array.clone().with_layout(layout).into_owned()?;
        let mut own = copy.layout().strides.iter();
        for (nest, all) in nests {
            for axis in 0..nest.rank() {
                if copied(nest, axis, all) {
                    nest.set_stride(
                        axis,
                        factor,
                        *own.next().expect("one stride for each axis that was copied"),
                    );
                }
            }
            nest.merge();
        }
        Ok(copy)
    }
}

/// Multiplies each pair of matrices.
fn multiply_each<E: Real>(
    out: Shared<E>,
    lhs: Shared<E>,
    rhs: Shared<E>,
    batch: &Nest,
    [m, n, k]: [Matrix; 3],
) {
    let one = m.len.saturating_mul(n.len).saturating_mul(k.len);
    let is_shared = one >= LARGE && !parallel::is_alone();
    let threads = if is_shared { Parallelism::Rayon(0) } else { Parallelism::None };
    let products = if one >= LARGE { 1 } else { batch.len() };
    let per_task = if one >= LARGE { batch.len() } else { (LARGE / one.max(1) / 8).max(1) };
    let task = |task| {
        let points = parallel::piece(task, per_task, batch.len());
        let mut walk = batch.walk(points.start);
        for _ in points {
            let at = &walk.offsets;
            let places = (out.at(at[OUT]), lhs.at(at[LHS]), rhs.at(at[RHS]));
            // SAFETY: all points of the nests are inside of their arrays, and no two batches share points
            // of the result.
            unsafe { gemm(places, [m, n, k], threads) };
            walk.next();
        }
    };
    let tasks = products.div_ceil(per_task).max(1);
    let run = || parallel::for_each(tasks, products.saturating_mul(one), task);
    if is_shared { parallel::within(run) } else { run() }
}

/// Takes the longest axis of a side. The others become loops around the product.
fn take_side(side: &mut Nest, around: &mut Nest) -> Matrix {
    let longest = (0..side.rank()).max_by_key(|axis| (side.size(*axis), *axis));
    for axis in (0..side.rank()).filter(|axis| Some(*axis) != longest) {
        around.push(side.size(axis), side.strides(axis).iter().copied());
    }
    match longest {
        Some(axis) => {
            let strides = side.strides(axis);
            Matrix { len: side.size(axis), strides: [strides[OUT], strides[LHS], strides[RHS]] }
        }
        None => Matrix { len: 1, strides: [1, 1, 1] },
    }
}
