//! From a stream of the executor to the launch of its kernel.

use super::bounds::Bounds;
use super::kernel::stream_kernel;
use super::plan::{DEPTH, HEIGHT, Part, ScorePlan, Side, StreamPlan, SumPlan, TEAM};
use super::tiles::{TEAMS, Tiles};
use super::weights::Weights;
use crate::device::Opened;
use crate::kernel::arguments::{Arguments, Factors};
use crate::kernel::bind::{self, stride};
use crate::kernel::known::known;
use crate::kernel::launch::checked;
use crate::kernel::nest::{Axis, Nest};
use crate::kernel::pass::{Element, Output, PassPlan};
use crate::kernel::plan::{LoopPlan, Memory};
use crate::kernel::program::Digits;
use crate::kernel::space::Space;
use crate::tensor::CubeTensor;
use cubecl::ir::features::MmaConfig;
use cubecl::ir::{ElemType, FloatKind};
use cubecl::prelude::{CubeCount, CubeDim};
use std::sync::Arc;
use tensor_op_core::execute::{BoundStream, FusedSize, KeptColumns, Labeled, Read, Score};
use tensor_op_core::{BoundAxis, DType, Result};

/// Rows of a team, as a multiple of 16, and columns of a block, from the best on.
const SHAPES: [[usize; 2]; 4] = [[2, 64], [2, 32], [1, 64], [1, 32]];
/// Registers that a unit may need for scores, sums and factors on their way. It has 255, of which addresses
/// and values of the passes take the rest. Measured on an H200 for attention and its gradient.
const REGISTERS: usize = 224;
/// Bytes of shared memory that folds may need: four of floats and ints for each unit of a cube.
const FOLDED: usize = 4 * 8 * TEAMS * TEAM;

/// Which devices have kernels for streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Devices {
    /// Those with matrix instructions for halves: other devices would be slower than with kernels of their
    /// own for products.
    WithMatrices,
    /// All.
    #[cfg(test)]
    All,
}

/// Runs a stream as one kernel. Returns false if there is no kernel for it.
pub(crate) fn run(
    bound: &mut BoundStream<'_, CubeTensor>,
    kept: &KeptColumns<'_, CubeTensor>,
    cache: &Bounds,
    devices: Devices,
    device: &'static Opened,
) -> Result<bool> {
    let Some(form) = Form::of(bound, devices, device) else { return Ok(false) };
    let bounds = cache.get(kept, &form.tiles, device)?.map(|tensor| {
        bound.nest.reads.push(Read::Memory(Labeled { tensor, axes: Vec::new() }));
        bound.nest.reads.len() - 1
    });
    let plan = checked(bind::plan_in_order(&bound.nest, &form.rows, device))?;
    match form.compiled(bound, &plan, bounds) {
        Some((compiled, numbers)) => launch(form, compiled, numbers, &plan).map(|()| true),
        None => Ok(false),
    }
}

/// A factor: where it is read, and the axes of its product.
type Factor = (usize, Side, Vec<BoundAxis>);

/// What of a stream determines its kernel, apart from its passes.
struct Form {
    /// Axes of rows: first those along which factors with columns vary, which give a batch each.
    rows: Vec<BoundAxis>,
    tiles: Tiles,
    batches: usize,
    /// Type of the factors.
    elem: ElemType,
    has_matrices: bool,
    factors: Vec<Factor>,
    device: &'static Opened,
}

impl Form {
    fn of(bound: &BoundStream<'_, CubeTensor>, devices: Devices, device: &'static Opened) -> Option<Form> {
        let factors = factors(bound)?;
        let reads_window =
            bound.nest.reads.iter().any(|read| matches!(read, Read::Window(_) | Read::Gathered(_)));
        let tensor = |read: usize| match &bound.nest.reads[read] {
            Read::Memory(value) => Some(value),
            Read::Written(_) | Read::Index(_) | Read::Window(_) | Read::Gathered(_) | Read::Kept(_) => None,
        };
        let dtype = tensor(factors.first()?.0)?.tensor.dtype;
        let are_alike =
            factors.iter().all(|(read, ..)| tensor(*read).is_some_and(|own| own.tensor.dtype == dtype))
                && bound.sums.iter().all(|sum| sum.dtype == dtype);
        let elem = device.types.get(dtype)?;
        let has_matrices = has_matrices(elem, device);
        let is_taken = match devices {
            Devices::WithMatrices => has_matrices && bound.nest.float == DType::F32,
            #[cfg(test)]
            Devices::All => true,
        };
        if !is_taken || !are_alike || reads_window {
            return None;
        }
        let of_columns = |axis: &BoundAxis| {
            let mut columns = factors.iter().filter(|(_, side, _)| *side != Side::Rows);
            columns.any(|(read, ..)| varies(bound, *read, axis) == Some(true))
        };
        let long = bound.nest.outer.iter().copied().filter(|axis| axis.size != 1);
        let (batch, own): (Vec<BoundAxis>, Vec<BoundAxis>) = long.partition(of_columns);
        let batches = batch.iter().map(|bound| bound.size).product();
        let form = |[heights, block]: [usize; 2]| Form {
            rows: batch.iter().chain(&own).copied().collect(),
            tiles: Tiles { axes: own.clone(), heights, block },
            batches,
            elem,
            has_matrices,
            factors: factors.clone(),
            device,
        };
        let hardware = &device.properties().hardware;
        let processors = hardware.num_streaming_multiprocessors.unwrap_or(1) as usize;
        let fits = |form: &Form| {
            let is_spread = form.tiles.heights == 1 || form.cubes() >= processors;
            let has_memory = form.bytes() + FOLDED <= hardware.max_shared_memory_size;
            is_spread && has_memory && form.registers(bound) <= REGISTERS
        };
        let form = SHAPES.into_iter().map(form).find(fits)?;
        let columns: usize = bound.nest.inner.iter().map(|bound| bound.size).product();
        let (x, y, _) = hardware.max_cube_count;
        let is_launched = form.tiles.count() <= x as usize && form.batches <= y as usize;
        (columns > 0 && form.cubes() > 0 && is_launched && form.is_busy(columns, processors)).then_some(form)
    }

    fn cubes(&self) -> usize {
        self.tiles.count() * self.batches
    }

    /// Whether the tiles keep the device busy, or are small: a tile goes over all of its columns alone.
    fn is_busy(&self, columns: usize, processors: usize) -> bool {
        columns <= 1024 || self.tiles.all() >= HEIGHT && self.cubes() * 4 >= processors
    }

    /// Registers of a unit.
    fn registers(&self, bound: &BoundStream<'_, CubeTensor>) -> usize {
        let moving = self.factors.iter().filter(|(_, side, _)| *side == Side::Scores);
        let size = |axes: &[BoundAxis]| axes.iter().map(|bound| bound.size).product();
        let moving: Vec<usize> = moving.map(|(.., axes)| size(axes)).collect();
        let sums: Vec<usize> = bound.sums.iter().map(|sum| size(&sum.free)).collect();
        registers([self.tiles.heights, self.tiles.block], bound.scores.len(), &moving, &sums)
    }

    /// Bytes of shared memory for factors, and for weights without matrix instructions.
    fn bytes(&self) -> usize {
        let (rows, block) = (self.tiles.rows(), self.tiles.block);
        let of_factor = |(_, side, axes): &Factor| {
            (padded(axes) + self.width()) * if *side == Side::Rows { rows } else { block }
        };
        let factors: usize = self.factors.iter().map(of_factor).sum();
        let weights = if self.has_matrices { 0 } else { rows * block };
        (factors + weights) * self.elem.size()
    }

    fn width(&self) -> usize {
        if self.has_matrices { 16 / self.elem.size() } else { 1 }
    }

    /// The factors in shared memory. Their sizes and steps are added to the numbers, of which the first has
    /// the place `end`.
    fn parts(
        &self,
        bound: &BoundStream<'_, CubeTensor>,
        plan: &LoopPlan,
        end: usize,
        numbers: &mut Vec<usize>,
    ) -> Option<Vec<Part>> {
        let width = self.width();
        let mut stage = 0;
        let part = |(read, side, axes): &Factor| {
            let Read::Memory(value) = &bound.nest.reads[*read] else { return None };
            let (len, step) = line(value, axes)?;
            let part = Part {
                side: *side,
                buffer: buffer(bound, *read),
                operand: *read,
                size: padded(axes),
                numbers: end + numbers.len(),
                is_full: len == padded(axes),
                is_wide: width > 1 && step == 1 && len % width == 0 && is_aligned(plan, *read, width),
                stage,
            };
            numbers.extend([len, step]);
            let lines = if *side == Side::Rows { self.tiles.rows() } else { self.tiles.block };
            stage += part.stride(width) * lines;
            Some(part)
        };
        self.factors.iter().map(part).collect()
    }

    /// What the kernel is compiled for, and the numbers that it gets.
    fn compiled(
        &self,
        bound: &BoundStream<'_, CubeTensor>,
        plan: &LoopPlan,
        bounds: Option<usize>,
    ) -> Option<(StreamPlan, Vec<usize>)> {
        let space = Space {
            outer: plan.outer.axes.len(),
            inner: plan.inner.axes.len(),
            operands: plan.reads.len() + plan.writes.len(),
            multiplies: false,
        };
        let mut numbers = vec![self.tiles.all()];
        let parts = self.parts(bound, plan, space.end(), &mut numbers)?;
        let part = |read: usize| self.factors.iter().position(|(own, ..)| *own == read);
        let element = |read| Element::Input { buffer: buffer(bound, read), operand: read };
        let score = |score: &Score| {
            let (rows, columns) = (part(score.rows)?, part(score.columns)?);
            Some(ScorePlan { value: element(score.value), rows, columns })
        };
        let scores = bound.scores.iter().map(score).collect::<Option<Vec<_>>>()?;
        let writes: Vec<usize> = bound.sums.iter().map(|sum| sum.weight).collect();
        let (weights, of_sums) = match writes.is_empty() {
            true => (None, Vec::new()),
            false => Weights::find(plan, &writes).map(|(weights, of_sums)| (Some(weights), of_sums))?,
        };
        let mut sums = Vec::new();
        for (sum, weight) in bound.sums.iter().zip(of_sums) {
            let (_, step) = line(&bound.nest.writes[sum.out].value, &sum.free)?;
            let out = Output { output: sum.out, operand: plan.reads.len() + sum.out };
            let at = space.end() + numbers.len();
            sums.push(SumPlan { weight, columns: part(sum.columns)?, out, step: at });
            numbers.push(step);
        }
        let is_last = |at: usize| weights.as_ref().is_some_and(|weights| weights.has_pass(at));
        let walks = (0..plan.passes.len()).filter(|at| !plan.passes[*at].per_row && !is_last(*at)).collect();
        let is_shared =
            |operand: &usize| self.tiles.axes.iter().all(|axis| varies(bound, *operand, axis) == Some(false));
        let shared = (0..plan.reads.len()).filter(is_shared).collect();
        let digits = if self.has_matrices { Digits::OfHalves } else { Digits::All };
        let compiled = StreamPlan {
            space,
            passes: plan.passes.iter().map(|pass| PassPlan { digits, ..pass.clone() }).collect(),
            walks,
            weights,
            scores,
            sums,
            shared,
            parts,
            block: self.tiles.block,
            teams: TEAMS,
            heights: self.tiles.heights,
            bounds: bounds.map(|read| buffer(bound, read)),
            has_matrices: self.has_matrices,
            plane: self.device.plane(plan.types()),
        };
        (compiled.folded().iter().sum::<usize>() * 8 <= FOLDED).then_some((compiled, numbers))
    }
}

fn launch(form: Form, compiled: StreamPlan, numbers: Vec<usize>, plan: &LoopPlan) -> Result<()> {
    let width = form.width();
    let wide = compiled.parts.iter().filter(|part| part.is_wide).map(|part| part.operand).collect();
    let arguments = Arguments::with_factors(plan, &Factors { width, wide, numbers })?;
    let count = CubeCount::Static(form.tiles.count() as u32, form.batches as u32, 1);
    let units = CubeDim::new_1d(compiled.units() as u32);
    let [float, int] = plan.types();
    // SAFETY: units beyond the last row repeat it and store nothing, columns beyond the last are not read,
    // and all steps stay inside of their tensors.
    unsafe {
        stream_kernel::launch_unchecked(
            plan.device.client(),
            count,
            units,
            arguments.address,
            width,
            arguments.inputs,
            arguments.outputs,
            arguments.scalars,
            arguments.numbers,
            known(Arc::new(compiled)),
            [form.elem, float, int],
        );
    }
    Ok(())
}

/// Whether a kernel of these sizes has enough registers in some shape.
pub(crate) fn fits(size: &FusedSize) -> bool {
    SHAPES.iter().any(|shape| registers(*shape, size.scores.len(), &size.scores, &size.sums) <= REGISTERS)
}

/// Registers of a unit for a number of scores, for factors of these sizes on their way, and for sums of these
/// sizes.
fn registers([heights, block]: [usize; 2], scores: usize, moving: &[usize], sums: &[usize]) -> usize {
    let of_result = |columns: usize| heights * columns / 2;
    let of_sum = |size: &usize| of_result(size.next_multiple_of(DEPTH));
    let of_factor = |size: &usize| size.next_multiple_of(DEPTH) * block / (2 * TEAMS * TEAM);
    scores * of_result(block)
        + moving.iter().map(of_factor).sum::<usize>()
        + sums.iter().map(of_sum).sum::<usize>()
}

/// The factors of all products, each once. `None` if one is taken in two ways.
fn factors(bound: &BoundStream<'_, CubeTensor>) -> Option<Vec<Factor>> {
    let of_scores = bound.scores.iter().flat_map(|score| {
        [(score.rows, Side::Rows, score.summed.clone()), (score.columns, Side::Scores, score.summed.clone())]
    });
    let of_sums = bound.sums.iter().map(|sum| (sum.columns, Side::Weights, sum.free.clone()));
    let mut factors: Vec<Factor> = Vec::new();
    for (read, side, axes) in of_scores.chain(of_sums) {
        match factors.iter().find(|(own, ..)| *own == read) {
            Some((_, own, known)) if (*own == Side::Rows) != (side == Side::Rows) || *known != axes => {
                return None;
            }
            Some(_) => {}
            None => factors.push((read, side, axes)),
        }
    }
    Some(factors)
}

/// Whether the device multiplies matrices of this type and adds up in f32, as the kernel does it.
fn has_matrices(elem: ElemType, device: &Opened) -> bool {
    let matmul = &device.properties().features.matmul;
    let float = ElemType::Float(FloatKind::F32);
    let config = MmaConfig { a_type: elem, b_type: elem, cd_type: float, m: 16, n: 8, k: 16 };
    matmul.mma.contains(&config) && matmul.ldmatrix.contains(&elem)
}

/// The size of a product's axes, as the kernel computes it.
fn padded(axes: &[BoundAxis]) -> usize {
    axes.iter().map(|bound| bound.size).product::<usize>().max(1).next_multiple_of(DEPTH)
}

/// The size and the step of a value along axes, if these can be one.
fn line(value: &Labeled<CubeTensor>, axes: &[BoundAxis]) -> Option<(usize, usize)> {
    let axis = |bound: &BoundAxis| Axis { size: bound.size, steps: vec![stride(value, bound.axis)] };
    let mut nest = Nest { axes: axes.iter().map(axis).collect() };
    nest.merge();
    (nest.axes.len() <= 1).then(|| (nest.len(), nest.innermost(0)))
}

/// Whether each row and column of an operand starts where a vector does.
fn is_aligned(plan: &LoopPlan, read: usize, width: usize) -> bool {
    let memory: Option<&Memory> = plan.reads[read].memory();
    let mut axes = plan.outer.axes.iter().chain(&plan.inner.axes);
    axes.all(|axis| axis.steps[read] % width == 0)
        && memory.is_some_and(|memory| memory.offset % width == 0 && memory.len() % width == 0)
}

/// Whether a read moves along an axis.
fn varies(bound: &BoundStream<'_, CubeTensor>, read: usize, axis: &BoundAxis) -> Option<bool> {
    match &bound.nest.reads[read] {
        Read::Memory(value) => Some(stride(value, axis.axis) != 0),
        Read::Index(positions) => Some(positions.axes.iter().any(|own| own.axis == axis.axis)),
        Read::Written(_) | Read::Window(_) | Read::Gathered(_) | Read::Kept(_) => None,
    }
}

/// The number of a read among the buffers.
fn buffer(bound: &BoundStream<'_, CubeTensor>, read: usize) -> usize {
    bound.nest.reads[..read].iter().filter(|read| matches!(read, Read::Memory(_))).count()
}
