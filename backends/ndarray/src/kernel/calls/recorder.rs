//! The kernels of the CPU, which note what they do.

use super::notes::{Done, Noted, Notes};
use super::values::Values;
use crate::kernel::contraction::{Direct, multiply};
use crate::kernel::cpu::Cpu;
use crate::kernel::real::{Real, match_real};
use crate::kernel::{bind, index, order, place, rows, scan, sweep};
use crate::parallel::Shared;
use crate::tensor::NdArrayTensor;
use crate::{cast, reduce, shape};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tensor_op_core::execute::{
    BoundIndex, BoundLoop, BoundProduct, BoundScan, BoundSearch, BoundSort, BoundSweep, Kernels, Labeled,
    Site, StreamSize, Strides, SweepSize, TileSize,
};
use tensor_op_core::{DType, Error, ErrorKind, Result, Shape};
use tensor_op_spec::ir::Scalar;
use tensor_op_spec::prim::Fold;

/// Runs the kernels of one call.
pub(super) struct Recorder<'b> {
    pub(super) cpu: Cpu<'b>,
    pub(super) notes: Arc<Mutex<Notes>>,
}

impl Recorder<'_> {
    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a kernel on operands, and notes it.
    fn make<const N: usize>(
        &self,
        operands: [Labeled<Noted>; N],
        run: impl Fn([Labeled<NdArrayTensor>; N]) -> Result<NdArrayTensor> + Send + 'static,
    ) -> Result<Noted> {
        let parts = operands.each_ref().map(|operand| self.notes().part(&operand.tensor));
        let axes = operands.each_ref().map(|operand| operand.axes.clone());
        let bare = operands.map(|operand| operand.tensor.tensor);
        let run = move |tensors: [NdArrayTensor; N]| {
            let mut axes = axes.iter();
            run(tensors.map(|tensor| Labeled { tensor, axes: axes.next().cloned().unwrap_or_default() }))
        };
        let tensor = run(bare)?;
        let make = move |values: &Values| run(parts.each_ref().map(|part| values.part(part)));
        Ok(Noted::made(self.notes.clone(), tensor, make))
    }

    fn multiply_in<E: Real>(&self, product: BoundProduct<Noted>) -> Result<Noted> {
        let direct = Direct::new::<E, _>(&product);
        let BoundProduct { lhs, rhs, batch, m, n, k, out, dtype, precision } = product;
        let Some(direct) = direct else {
            return self.make([lhs, rhs], move |[lhs, rhs]| {
                let [batch, m, n, k, out] = [&batch, &m, &n, &k, &out].map(Vec::clone);
                multiply::<E>(BoundProduct { lhs, rhs, batch, m, n, k, out, dtype, precision })
            });
        };
        let parts = [&lhs, &rhs].map(|factor| self.notes().part(&factor.tensor));
        let start = |factor: &Labeled<Noted>| Shared(factor.tensor.tensor.as_ptr().cast_mut().cast());
        let tensor = direct.run::<E>([&lhs, &rhs].map(start))?;
        let make = move |values: &Values| direct.run::<E>(parts.each_ref().map(|part| values.start(part)));
        Ok(Noted::made(self.notes.clone(), tensor, make))
    }

    fn index(
        &self,
        indexing: BoundIndex<'_, Noted>,
        run: impl Fn(BoundIndex<'_, NdArrayTensor>) -> Result<NdArrayTensor> + Send + 'static,
    ) -> Result<Noted> {
        let BoundIndex { source, index, along, out, free, summed, walked, once, computed, site } = indexing;
        let (op, arg, dim) = (site.op.to_string(), site.arg.map(str::to_string), site.dim.to_string());
        self.make([source, index], move |[source, index]| {
            let site = Site { op: &op, arg: arg.as_deref(), dim: &dim };
            let [out, free, summed, walked] = [&out, &free, &summed, &walked].map(Vec::clone);
            run(BoundIndex { source, index, along, out, free, summed, walked, once, computed, site })
        })
    }
}

impl Kernels for Recorder<'_> {
    type Tensor = Noted;

    fn shape(noted: &Noted) -> Shape {
        Cpu::shape(&noted.tensor)
    }
    fn dtype(noted: &Noted) -> DType {
        Cpu::dtype(&noted.tensor)
    }
    fn empty(&self, shape: &Shape, dtype: DType) -> Result<Noted> {
        let tensor = self.cpu.empty(shape, dtype)?;
        let mut notes = self.notes();
        notes.steps.push(Done::Empty(shape.clone(), dtype));
        let value = notes.value(Some(&tensor));
        Ok(Noted { tensor, value, may_write: true, notes: self.notes.clone() })
    }
    fn filled(&self, shape: &Shape, value: Scalar, dtype: DType) -> Result<Noted> {
        let shape = shape.clone();
        let full = move || shape::full(&shape, value, dtype);
        Ok(Noted::made(self.notes.clone(), full()?, move |_| full()))
    }
    fn is_reusable(noted: &mut Noted) -> bool {
        noted.may_write && Cpu::is_reusable(&mut noted.tensor)
    }
    fn reshape(noted: Noted, shape: Shape) -> Result<Noted> {
        noted.then(move |tensor| shape::reshape(tensor, &shape))
    }
    fn permute(noted: Noted, axes: &[usize]) -> Result<Noted> {
        noted.map(|tensor| shape::permute(tensor, axes))
    }
    fn cast(noted: Noted, dtype: DType) -> Result<Noted> {
        noted.then(move |tensor| cast::cast(tensor, dtype))
    }
    fn sum(noted: Noted, axes: &[usize]) -> Result<Noted> {
        let axes = axes.to_vec();
        noted.then(move |tensor| reduce::reduce(Fold::Sum, &tensor, &axes))
    }
    fn view(noted: Noted, view: &Strides) -> Result<Noted> {
        noted.map(|tensor| Cpu::view(tensor, view))
    }

    // Only tiles of streams need these.
    fn part(noted: Noted, ranges: &[Range<usize>]) -> Result<Noted> {
        noted.lose();
        noted.map(|tensor| Cpu::part(tensor, ranges))
    }
    fn with_part(noted: Noted, ranges: &[(usize, usize, usize)], part: &Noted) -> Result<Noted> {
        noted.lose();
        noted.map(|tensor| Cpu::with_part(tensor, ranges, &part.tensor))
    }
    fn add(left: Noted, right: &Noted) -> Result<Noted> {
        left.lose();
        left.map(|tensor| Cpu::add(tensor, &right.tensor))
    }
    fn tile(&self, size: &StreamSize) -> Option<TileSize> {
        let tile = self.cpu.tile(size);
        self.notes().is_lost |= tile.is_some();
        tile
    }
    fn follows_programs(&self) -> bool {
        self.cpu.follows_programs()
    }

    fn sweeps(&self, size: &SweepSize) -> bool {
        let sweeps = self.cpu.sweeps(size);
        self.notes().is_lost |= sweeps;
        sweeps
    }
    fn run_sweep(&mut self, sweep: &mut BoundSweep<'_, Noted>) -> Result<bool> {
        sweep::run(self, sweep)
    }

    fn run_loop(&mut self, nest: &mut BoundLoop<'_, Noted>) -> Result<()> {
        match_real!(nest.float, E => {
            let plan = bind::plan::<E, _>(nest, self.cpu.bodies, self.cpu.is_generated);
            let splits = rows::splits(&plan)?;
            rows::run_split(&plan, splits.as_ref())?;
            let mut notes = self.notes();
            let planned = notes.planned(plan, splits, nest);
            notes.steps.push(Done::Loop(Box::new(planned)));
        });
        Ok(())
    }
    fn multiply(&mut self, product: BoundProduct<Noted>) -> Result<Noted> {
        match_real!(product.dtype, E => self.multiply_in::<E>(product))
    }
    fn scan(&mut self, bound: BoundScan<Noted>) -> Result<Noted> {
        let BoundScan { scan, reverse, operands, along, out, dtype, computed } = bound;
        let run = move |operands: Vec<Labeled<NdArrayTensor>>| {
            let out = out.clone();
            scan::scan_bound(BoundScan { scan, reverse, operands, along, out, dtype, computed })
        };
        match <[Labeled<Noted>; 1]>::try_from(operands) {
            Ok(operands) => self.make(operands, move |operands| run(operands.into())),
            Err(operands) => {
                let two = <[Labeled<Noted>; 2]>::try_from(operands);
                let two =
                    two.map_err(|_| Error::new(ErrorKind::Backend, "a scan takes one or two operands"))?;
                self.make(two, move |operands| run(operands.into()))
            }
        }
    }
    fn sort(&mut self, sort: BoundSort<Noted>) -> Result<Noted> {
        let BoundSort { source, along, kept, descending, out } = sort;
        self.make([source], move |[source]| {
            order::sort_bound(BoundSort { source, along, kept, descending, out: out.clone() })
        })
    }
    fn search(&mut self, search: BoundSearch<Noted>) -> Result<Noted> {
        let BoundSearch { sorted, values, along, right, out } = search;
        self.make([sorted, values], move |[sorted, values]| {
            order::search_bound(BoundSearch { sorted, values, along, right, out: out.clone() })
        })
    }
    fn gather(&mut self, indexing: BoundIndex<'_, Noted>) -> Result<Noted> {
        self.index(indexing, index::gather_bound)
    }
    fn scatter(&mut self, fold: Fold, indexing: BoundIndex<'_, Noted>) -> Result<Noted> {
        if indexing.once {
            return self.index(indexing, place::place_bound);
        }
        self.index(indexing, move |indexing| index::scatter_bound(fold, indexing))
    }
}
