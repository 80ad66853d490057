//! Sums of products with free dims on both sides: as matrix products, or as a row for each element of the
//! result.

use super::bind::stride;
use super::launch;
use super::library;
use super::library::cubek::is_bindable;
use super::library::matrices::{LHS, OUT, Product, RHS};
use super::nest::{Axis, Nest};
use super::pass::{Dest, Element, Output, Uniform};
use super::plan::{LoopPlan, Memory, Read, Write};
use super::simple;
use super::whole::{cast, contiguous, fold_into};
use crate::layout::Layout;
use crate::tensor::CubeTensor;
use tensor_op_core::execute::{BoundProduct, Labeled};
use tensor_op_core::{BoundAxis, Precision, Result, Shape};
use tensor_op_spec::ir::Kind;
use tensor_op_spec::prim::{Fold, Prim};
use tensor_op_spec::schedule::{Compute, ValueId};

/// A factor, copied if it starts where the library does not take it. A broadcast one is as it is.
pub(crate) fn aligned(factor: CubeTensor) -> Result<CubeTensor> {
    let Layout { shape, strides, .. } = &factor.layout;
    let is_broadcast = shape.iter().zip(strides.iter()).any(|(size, stride)| *size > 1 && *stride == 0);
    if is_bindable(&factor) || is_broadcast || factor.elements() == 0 {
        return Ok(factor);
    }
    contiguous(factor)
}

/// The product of two tensors.
pub(super) fn multiply(bound: BoundProduct<CubeTensor>) -> Result<CubeTensor> {
    let BoundProduct { mut lhs, mut rhs, batch, m, n, k, out: axes, dtype, precision } = bound;
    // A half and what was computed of one, which is kept in f32.
    if lhs.tensor.dtype != rhs.tensor.dtype {
        for factor in [&mut lhs, &mut rhs] {
            factor.tensor = cast(factor.tensor.clone(), factor.tensor.dtype.compute())?;
        }
    }
    for factor in [&mut lhs, &mut rhs] {
        factor.tensor = aligned(factor.tensor.clone())?;
    }
    if has_parted_sum(&lhs, &rhs, &k, &axes) {
        for factor in [&mut lhs, &mut rhs] {
            *factor = with_sum_last(factor, &k)?;
        }
    }
    // Computed factors have a computed product, which becomes a half in the end.
    let is_computed = lhs.tensor.dtype == dtype.compute();
    let shape: Shape = axes.iter().map(|bound| bound.size).collect();
    let dtype = if is_computed { dtype.compute() } else { dtype };
    let out = Labeled { tensor: CubeTensor::empty(&shape, dtype, lhs.tensor.device)?, axes };
    let nest = |axes: Vec<BoundAxis>| {
        let axis = |bound: &BoundAxis| {
            let steps = [&lhs, &rhs, &out].map(|value| stride(value, bound.axis));
            Axis { size: bound.size, steps: steps.into() }
        };
        Nest { axes: axes.iter().map(axis).collect() }
    };
    let nests = Product { batch: nest(batch), m: nest(m), n: nest(n), k: nest(k) };
    if let Some((nests, terms)) = in_terms(&nests, &out.tensor)? {
        product(nests, &lhs.tensor, &rhs.tensor, &terms, precision)?;
        fold_into(Fold::Sum, &terms, &[0], &out.tensor)?;
        return Ok(out.tensor);
    }
    product(nests, &lhs.tensor, &rhs.tensor, &out.tensor, precision)?;
    Ok(out.tensor)
}

/// The axes of a sum, merged where strides allow it.
fn merged_sum(lhs: &Labeled<CubeTensor>, rhs: &Labeled<CubeTensor>, k: &[BoundAxis]) -> Nest {
    let steps = |bound: &BoundAxis| vec![stride(lhs, bound.axis), stride(rhs, bound.axis)];
    let axes = k.iter().map(|bound| Axis { size: bound.size, steps: steps(bound) });
    let mut nest = Nest { axes: axes.collect() };
    nest.sort_by(&[LHS, RHS]);
    nest.merge();
    nest
}

/// Whether the sum goes along several axes that no stride connects, and a product for each element of the
/// outer one would have more elements than the factors.
fn has_parted_sum(
    lhs: &Labeled<CubeTensor>,
    rhs: &Labeled<CubeTensor>,
    k: &[BoundAxis],
    out: &[BoundAxis],
) -> bool {
    let sum = merged_sum(lhs, rhs, k);
    let size = out.iter().map(|bound| bound.size).fold(1, usize::saturating_mul);
    let factors = lhs.tensor.elements().saturating_add(rhs.tensor.elements());
    let terms = sum.axes.first().map_or(0, |outer| outer.size.saturating_mul(size));
    sum.axes.len() > 2 || sum.axes.len() == 2 && terms > factors
}

/// A copy of a factor in which the axes of the sum are the inner ones, in one order for both factors.
fn with_sum_last(factor: &Labeled<CubeTensor>, k: &[BoundAxis]) -> Result<Labeled<CubeTensor>> {
    let is_summed = |bound: &BoundAxis| k.iter().any(|own| own.axis == bound.axis);
    let free = factor.axes.iter().filter(|bound| !is_summed(bound));
    let summed = k.iter().filter_map(|own| factor.axes.iter().find(|bound| bound.axis == own.axis));
    let axes: Vec<BoundAxis> = free.chain(summed).copied().collect();
    let places = axes.iter().filter_map(|bound| factor.axes.iter().position(|own| own.axis == bound.axis));
    let places: Vec<usize> = places.collect();
    let layout = factor.tensor.layout.permute(&places);
    Ok(Labeled { tensor: contiguous(factor.tensor.clone().with_layout(layout))?, axes })
}

/// A product whose sum goes along two axes that no stride connects, as a product for each element of the
/// outer one, and room for these terms. The gradient of a convolution in its weight sums over images and over
/// their pixels in this way. `None` if the sum has one axis.
fn in_terms(product: &Product, out: &CubeTensor) -> Result<Option<(Product, CubeTensor)>> {
    let mut k = product.k.clone();
    k.sort_by(&[LHS, RHS]);
    k.merge();
    let size = out.elements();
    let [outer, inner] = &k.axes[..] else { return Ok(None) };
    let mut batch = product.batch.clone();
    let steps = vec![outer.steps[LHS], outer.steps[RHS], size];
    batch.axes.push(Axis { size: outer.size, steps });
    let shape: Shape = std::iter::once(outer.size).chain(out.shape().iter().copied()).collect();
    let terms = CubeTensor::empty(&shape, out.dtype.compute(), out.device)?;
    let (m, n, k) = (product.m.clone(), product.n.clone(), Nest { axes: vec![inner.clone()] });
    Ok(Some((Product { batch, m, n, k }, terms)))
}

/// Computes a product.
pub(crate) fn product(
    product: Product,
    lhs: &CubeTensor,
    rhs: &CubeTensor,
    out: &CubeTensor,
    precision: Precision,
) -> Result<()> {
    // A product of halves that goes on is kept as computed, in f32.
    let is_taken = lhs.dtype == rhs.dtype && (out.dtype == lhs.dtype || out.dtype == lhs.dtype.compute());
    if is_taken && library::multiply(&product, lhs, rhs, out, precision)? {
        return Ok(());
    }
    let Product { batch, m, n, k } = product;
    let outer = Nest { axes: batch.axes.into_iter().chain(m.axes).chain(n.axes).collect() };
    by_rows(outer, k, lhs, rhs, out)
}

/// As a row for each element of the result: right for any layout, and slow for large ones.
fn by_rows(
    mut outer: Nest,
    mut inner: Nest,
    lhs: &CubeTensor,
    rhs: &CubeTensor,
    out: &CubeTensor,
) -> Result<()> {
    outer.sort_by(&[OUT]);
    outer.merge();
    inner.sort_by(&[LHS, RHS]);
    inner.merge();
    let element = |operand| Element::Input { buffer: operand, operand };
    let factors = vec![(element(LHS), Kind::Float), (element(RHS), Kind::Float)];
    let multiply = Compute::Apply(Prim::Mul, vec![ValueId(0), ValueId(1)]);
    let to = Dest::Row(Output { output: 0, operand: OUT });
    launch::run(LoopPlan {
        device: out.device,
        reads: [lhs, rhs].map(|tensor| Read::Memory(Memory::of(tensor))).into(),
        writes: vec![Write { memory: Memory::of(out), over: None }],
        columns: Vec::new(),
        partials: Vec::new(),
        outer,
        inner,
        passes: vec![
            simple::step(multiply, Kind::Float, factors, Dest::Fold(Fold::Sum)),
            simple::store_uniform(Kind::Float, Uniform::Statistic(0), to),
        ],
        scalars: Vec::new(),
        float: out.dtype.compute(),
    })
}
