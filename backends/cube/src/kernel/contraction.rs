//! Sums of products with free dims on both sides: as matrix products, or as a row for each element of the result.

use super::call::Call;
use super::nest::{Axis, Nest};
use super::pass::{Dest, Element, Output, Uniform};
use super::plan::{LoopPlan, Memory, Read, Write};
use super::simple;
use super::{launch, library};
use crate::primitive;
use crate::tensor::CubeTensor;
use std::sync::Arc;
use tensor_op_core::{BoundAxis, Result};
use tensor_op_spec::ir::Kind;
use tensor_op_spec::prim::{Fold, Prim};
use tensor_op_spec::schedule::{Compute, Contraction, Program, ValueId};

const LHS: usize = 0;
const RHS: usize = 1;
const OUT: usize = 2;

impl Call<'_> {
    /// Runs a contraction and its epilogue.
    pub(super) fn contract(
        &mut self,
        kernel: &Contraction,
        programs: &[Arc<Program>],
        index: usize,
    ) -> Result<()> {
        let (mut lhs, mut rhs) = (self.whole(&kernel.lhs)?, self.whole(&kernel.rhs)?);
        // A half and what was computed of one, which is kept in f32.
        if lhs.tensor.dtype != rhs.tensor.dtype {
            for factor in [&mut lhs, &mut rhs] {
                factor.tensor = primitive::cast(factor.tensor.clone(), factor.tensor.dtype.compute())?;
            }
        }
        let (axes, dtype) = self.buffer_form(kernel.out);
        // Computed factors have a computed product, which becomes a half in the end.
        let is_computed = lhs.tensor.dtype == dtype.compute();
        let out = self.allocate(axes, if is_computed { dtype.compute() } else { dtype })?;
        let nest = |axes: Vec<BoundAxis>| {
            let axis = |bound: &BoundAxis| {
                let steps = [&lhs, &rhs, &out].map(|value| value.stride(bound.axis));
                Axis { size: bound.size, steps: steps.into() }
            };
            Nest { axes: axes.iter().map(axis).collect() }
        };
        let [batch, m, n, k] =
            [kernel.batch, kernel.m, kernel.n, kernel.k].map(|dims| nest(self.binding.axes(dims)));
        product(Product { batch, m, n, k }, &lhs.tensor, &rhs.tensor, &out.tensor)?;
        drop((lhs, rhs));
        self.keep(kernel.out, out);
        match &kernel.epilogue {
            Some(nest) => self.run_loop(nest, programs, index),
            None => Ok(()),
        }
    }
}

/// `out[batch, m, n] = sum over k of lhs[batch, m, k] * rhs[batch, k, n]`; steps are those of lhs, rhs and out.
pub(crate) struct Product {
    pub(crate) batch: Nest,
    pub(crate) m: Nest,
    pub(crate) n: Nest,
    pub(crate) k: Nest,
}

/// Computes a product.
pub(crate) fn product(product: Product, lhs: &CubeTensor, rhs: &CubeTensor, out: &CubeTensor) -> Result<()> {
    // A product of halves that goes on is kept as computed, in f32.
    let is_taken = lhs.dtype == rhs.dtype && (out.dtype == lhs.dtype || out.dtype == lhs.dtype.compute());
    if is_taken && library::multiply(&product, lhs, rhs, out)? {
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
