//! Decides how many units and cubes a loop gets.

use super::fold::cells_before;
use super::grid::UNITS;
use super::pass::{Dest, PassPlan, kept_loads};
use super::plan::{LoopPlan, Read};
use super::vectors::{Direction, width};
use crate::device::Opened;

/// How rows are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// Units that share a row, or a chunk of it.
    pub(super) lanes: usize,
    /// Rows that a cube handles at the same time.
    pub(super) rows: usize,
    /// What the lanes of a vector are. If they are the same element of neighbouring rows, these rows are a
    /// band, and what is said of rows here is said of bands.
    pub(super) direction: Direction,
    /// Whether the units of a row are next to each other in the cube.
    pub(super) adjacent: bool,
    /// Vectors that a unit keeps in registers.
    pub(super) kept: usize,
    /// Whether a row is cut into chunks.
    pub(super) chunked: bool,
    /// Cubes that share a row.
    pub(super) chunks: usize,
    /// Number of cubes along the rows.
    pub(super) groups: usize,
    /// Vectors that a unit reads at once if it keeps none in registers.
    pub(super) stream: usize,
}

impl Cut {
    pub(super) fn is_across(&self) -> bool {
        self.direction == Direction::Across
    }

    /// Vectors of a row, if they have `width` lanes.
    pub(super) fn vectors(&self, plan: &LoopPlan, width: usize) -> usize {
        match self.direction {
            Direction::Along => plan.inner.len() / width,
            Direction::Across => plan.inner.len(),
        }
    }

    /// Rows, or bands of rows.
    pub(super) fn bands(&self, plan: &LoopPlan, width: usize) -> usize {
        match self.direction {
            Direction::Along => plan.outer.len(),
            Direction::Across => plan.outer.len() / width,
        }
    }

    /// The same rows, shared by several cubes, which read them once. Rows whose elements are far apart share
    /// a cube with their neighbours, so that its units read next to each other.
    pub(super) fn in_chunks(&self, plan: &LoopPlan, width: usize, chunks: usize) -> Cut {
        let rows = self.bands(plan, width);
        let units = plan.device.units(UNITS);
        let (neighbours, units) = match self.direction {
            Direction::Along => (NEIGHBOURS, units),
            Direction::Across => (BANDS, units.min(units_with_room(plan, width)).max(BANDS)),
        };
        let at_once = if self.adjacent { 1 } else { neighbours.min(rows.next_power_of_two()).min(units) };
        Cut {
            lanes: units / at_once,
            rows: at_once,
            direction: self.direction,
            adjacent: self.adjacent,
            kept: 0,
            chunked: true,
            chunks,
            groups: rows.div_ceil(at_once),
            stream: STREAM,
        }
    }

    /// Whether every vector that a unit visits exists, if a row has `vectors` vectors.
    pub(super) fn full(&self, vectors: usize) -> bool {
        match self.kept {
            0 => vectors.is_multiple_of(self.lanes * self.stream) || self.stream == 1,
            kept => vectors == self.lanes * kept * self.chunks,
        }
    }
}

/// Vectors that a unit reads at once if it keeps none in registers.
const STREAM: usize = 4;
/// Units of a cube if the rows leave the choice: with small cubes fewer processors are idle.
const ROW_UNITS: usize = 128;
/// Units of a cube if its rows need that many.
const MOST_UNITS: usize = 1024;
/// Rows of a cube whose elements are far apart, if there is room: with so many the units read whole lines of
/// memory.
const NEIGHBOURS: usize = 32;
/// The same for bands of rows.
const BANDS: usize = 8;
/// The most units that share a band.
const BAND_UNITS: usize = 128;
/// The most elements of a band that a unit keeps in registers. With more, too few units run at once: the
/// functions of a pass take registers for each lane.
const BAND_REGISTERS: usize = 16;
/// Shorter bands have one unit, or vectors go along rows.
const SHARED_BAND: usize = 1024;
/// The most memory of a cube that folds of bands take, in bytes: with more, fewer cubes run at once.
const FOLD_MEMORY: usize = 1 << 15;
/// Units that keep a device busy.
const BUSY: usize = 1 << 17;
/// Rows of fewer vectors are not cut into chunks. If there are few of them, all units of a cube share a row.
const LONG: usize = 2048;
/// So few rows don't fill a line of memory side by side.
const FEW_ROWS: usize = 8;
/// The most elements that a unit keeps in registers.
const REGISTERS: usize = 64;
/// The number of cubes that keep a device busy if each of them goes from row to row.
const PERSISTENT: usize = 512;
/// The number of rows from which such a cube is worth its partial columns.
const ROWS_PER_CUBE: usize = 16;

/// How a loop without columns is cut.
pub(super) fn cut_rows(plan: &LoopPlan, width: usize) -> Cut {
    Rows::of(plan, width).without_columns(is_adjacent(plan))
}

/// The width of vectors across rows, and how bands of rows are cut. `None` if vectors along rows are as good.
pub(super) fn cut_bands(plan: &LoopPlan) -> Option<(usize, Cut)> {
    // How an index is read is decided for lanes along rows: neighbouring rows may have different indices.
    let has_indices = plan.reads.iter().any(|read| matches!(read, Read::Gathered(..)));
    let beside = plan.outer.axes.last().map_or(1, |axis| axis.size);
    if has_indices || beside < NEIGHBOURS || is_adjacent(plan) || plan.device.units(BANDS) < BANDS {
        return None;
    }
    let width = width(plan, Direction::Across);
    let rows =
        Rows { width, vectors: plan.inner.len(), count: plan.outer.len() / width, ..Rows::of(plan, width) };
    let is_worth_it = width > 1 && rows.count >= FEW_ROWS;
    is_worth_it.then(|| rows.in_bands(units_with_room(plan, width))).flatten().map(|cut| (width, cut))
}

/// The units of a cube whose folds have room in its memory, if each unit has the folds of a band.
fn units_with_room(plan: &LoopPlan, width: usize) -> usize {
    let bytes = plan.types().map(|elem| elem.size());
    let of_pass = |pass: &PassPlan| {
        let folds = pass.folds();
        let cells = cells_before(&folds, folds.len());
        width * (cells[0] * bytes[0] + cells[1] * bytes[1])
    };
    let of_unit = plan.passes.iter().map(of_pass).max().unwrap_or(0).max(1);
    let room = plan.device.properties().hardware.max_shared_memory_size.min(FOLD_MEMORY);
    (room / of_unit + 1).next_power_of_two() / 2
}

/// How a loop with columns is cut; `None` if they don't fit into registers.
pub(super) fn cut_columns(plan: &LoopPlan, width: usize) -> Option<Cut> {
    let rows = Rows::of(plan, width);
    let mut dests = plan.passes.iter().flat_map(|pass| &pass.results);
    let has_folds = dests.any(|dest| matches!(dest, Dest::Fold(_)));
    if has_folds { rows.persistent() } else { Some(rows.only_columns()) }
}

/// The number of cubes that should share each row of a loop without columns. `None` if it is as good to have
/// one cube for a row or for several rows.
pub(super) fn chunks(plan: &LoopPlan, cut: &Cut, width: usize) -> Option<usize> {
    const FEW: usize = 16;
    let cores = plan.device.properties().hardware.num_streaming_multiprocessors;
    let cores = cores.map_or(FEW, |cores| cores as usize);
    let Cut { lanes, groups, .. } = cut.in_chunks(plan, width, 1);
    // A cube should read several times as much as its units read at once.
    let most = cut.vectors(plan, width) / (lanes * STREAM);
    // A pass over one chunk must not have more turns than the driver makes.
    let least = most / plan.device.most_turns + 1;
    let chunks = most.min((2 * cores / groups.max(1)).max(least));
    // Rows whose elements are far apart are always counted as those that share a cube.
    let cubes = if cut.adjacent { cut.groups } else { groups };
    let is_better = cubes * 2 <= cores || least > 1;
    (is_better && chunks > 1).then_some(chunks)
}

/// What decides how rows are cut.
struct Rows {
    count: usize,
    vectors: usize,
    width: usize,
    /// Number of operands whose vectors a unit keeps.
    kept: usize,
    /// Number of folds over the rows; a unit keeps their results too.
    columns: usize,
    device: &'static Opened,
}

impl Rows {
    fn of(plan: &LoopPlan, width: usize) -> Rows {
        Rows {
            count: plan.outer.len(),
            vectors: plan.inner.len() / width,
            width,
            kept: kept_loads(&plan.passes).len(),
            columns: plan.columns.len(),
            device: plan.device,
        }
    }

    /// Elements that a unit keeps for each vector.
    fn elements(&self) -> usize {
        self.width * (self.kept + self.columns)
    }

    /// Vectors that a unit can keep.
    fn most_kept(&self) -> usize {
        (REGISTERS / self.elements().max(1)).clamp(1, 16)
    }

    fn without_columns(&self, is_adjacent: bool) -> Cut {
        let (vectors, most_kept) = (self.vectors, self.most_kept());
        let is_small = self.count < UNITS && vectors < LONG;
        let adjacent = is_adjacent || is_small || self.count < FEW_ROWS;
        let lanes = match (vectors, adjacent) {
            (0, _) => 1,
            (_, true) => self.lanes(most_kept),
            // If there are fewer rows, each needs more units to keep the device busy. With more units per
            // row, each access reads less adjacent memory.
            (_, false) => vectors.div_ceil(most_kept).next_power_of_two().min(self.most_distant_lanes()),
        };
        let kept = vectors.div_ceil(lanes);
        // A row that is read only once need not be kept, and a loop is shorter code than its unrolled form.
        let is_read_once = self.kept == 0;
        // All units of a cube share the registers of a processor, so a unit of the largest cube has fewer.
        let spills = lanes == MOST_UNITS && kept * self.elements() > REGISTERS / 2;
        let is_kept = vectors > 0 && kept <= most_kept && !spills && !(is_read_once && kept > 4);
        let kept = if is_kept { kept } else { 0 };
        let at_once = (self.device.units(ROW_UNITS) / lanes).max(1);
        let neighbours = (self.device.units(2 * UNITS) / lanes).clamp(1, NEIGHBOURS);
        let rows =
            if adjacent { at_once.min(self.count.next_power_of_two()) } else { at_once.max(neighbours) };
        let stream = if is_kept { 1 } else { STREAM.min(vectors / lanes).max(1) };
        let groups = self.count.div_ceil(rows);
        let direction = Direction::Along;
        Cut { lanes, rows, direction, adjacent, kept, chunked: false, chunks: 1, groups, stream }
    }

    /// Bands of rows, each with a vector of a unit. Few bands get more units for each. A cube has at most so
    /// many units if they share bands. `None` for short bands that several units would share.
    fn in_bands(&self, most_units: usize) -> Option<Cut> {
        let (vectors, most_kept) = (self.vectors, (BAND_REGISTERS / self.elements().max(1)).max(1));
        let is_read_once = self.kept == 0;
        let most_lanes = (self.device.units(MOST_UNITS).min(most_units) / BANDS).clamp(1, BAND_UNITS);
        let to_keep = if is_read_once { 1 } else { vectors.div_ceil(most_kept) };
        let to_be_busy = (BUSY / self.count.max(1)).min(vectors / STREAM).max(1);
        let lanes = to_keep.max(to_be_busy).next_power_of_two().min(most_lanes);
        let kept = vectors.div_ceil(lanes);
        let is_kept = vectors > 0 && kept <= most_kept && !(is_read_once && kept > 4);
        // A short row is not worth the memory through which units share it.
        if lanes > 1 && vectors < SHARED_BAND {
            return None;
        }
        let kept = if is_kept { kept } else { 0 };
        let units = self.device.units(ROW_UNITS);
        let units = if lanes > 1 { units.min(most_units) } else { units };
        let rows = (units / lanes).max(BANDS);
        let stream = if is_kept { 1 } else { STREAM.min(vectors / lanes).max(1) };
        let groups = self.count.div_ceil(rows);
        let direction = Direction::Across;
        Some(Cut { lanes, rows, direction, adjacent: false, kept, chunked: false, chunks: 1, groups, stream })
    }

    /// Number of units for a row whose vectors lie next to each other. Each unit gets a few vectors, or more
    /// if the cube would be large otherwise.
    fn lanes(&self, most_kept: usize) -> usize {
        let units = |kept: usize| self.vectors.div_ceil(most_kept.min(kept)).next_power_of_two();
        let lanes = if units(4) <= UNITS { units(4) } else { units(8) };
        lanes.min(self.device.units(MOST_UNITS))
    }

    fn most_distant_lanes(&self) -> usize {
        self.device.units(if self.count < 1 << 16 { 32 } else { 8 })
    }

    fn persistent(&self) -> Option<Cut> {
        let most_kept = self.most_kept();
        let lanes =
            self.vectors.div_ceil(most_kept.min(4)).next_power_of_two().min(self.device.units(MOST_UNITS));
        let kept = self.vectors.div_ceil(lanes);
        if kept > most_kept {
            return None;
        }
        let rows = (self.device.units(ROW_UNITS) / lanes).max(1).min(self.count.next_power_of_two());
        // The other registers that a unit needs, as measured with `ncu`. It needs more if there are several
        // columns, or if the rows of a cube combine their columns.
        let others = if rows == 1 && self.columns == 1 { 16 } else { 20 };
        let most = resident(self.device, lanes * rows, kept * self.elements() + others);
        let groups = self.count.div_ceil(rows).div_ceil(ROWS_PER_CUBE).clamp(1, most);
        let direction = Direction::Along;
        Some(Cut {
            lanes,
            rows,
            direction,
            adjacent: true,
            kept,
            chunked: false,
            chunks: 1,
            groups,
            stream: 1,
        })
    }

    fn only_columns(&self) -> Cut {
        let kept = if self.vectors > UNITS { self.most_kept().min(2) } else { 1 };
        let units = self.device.units(UNITS);
        let lanes = self.vectors.div_ceil(kept).next_power_of_two().min(units);
        let chunks = self.vectors.div_ceil(lanes * kept);
        let rows = (units / lanes).max(1).min(self.count.next_power_of_two());
        let most = PERSISTENT.div_ceil(chunks);
        let groups = self.count.div_ceil(rows).div_ceil(ROWS_PER_CUBE).clamp(1, most);
        let direction = Direction::Along;
        Cut { lanes, rows, direction, adjacent: true, kept, chunked: true, chunks, groups, stream: 1 }
    }
}

/// Number of cubes that can run at the same time, if each unit needs this many registers. If there were more
/// cubes, some would run alone at the end.
fn resident(device: &Opened, units: usize, registers: usize) -> usize {
    /// Registers of a processor, on NVIDIA's GPUs; other GPUs have about as many.
    const REGISTER_FILE: usize = 1 << 16;
    let registers = registers.next_multiple_of(8);
    let cores = device.properties().hardware.num_streaming_multiprocessors;
    cores.map_or(PERSISTENT, |cores| cores as usize * (REGISTER_FILE / (units * registers)).clamp(1, 16))
}

/// Whether the elements of a row, and not the rows, are next to each other in memory. The first operand in
/// memory that varies along a row decides. A few elements of a row that are next to each other are not
/// enough, if those of the next row follow.
fn is_adjacent(plan: &LoopPlan) -> bool {
    let moves = |at: &usize| plan.inner.innermost(*at) != 0;
    let operand = (0..plan.reads.len()).filter(|at| plan.reads[*at].memory().is_some()).find(moves);
    let Some(operand) = operand else { return true };
    let length = |step: usize| (step as isize).unsigned_abs();
    let along =
        plan.outer.axes.iter().map(|axis| length(axis.steps[operand])).filter(|step| *step != 0).min();
    let step = length(plan.inner.innermost(operand));
    let size = plan.inner.axes.last().map_or(1, |axis| axis.size);
    let is_split = size <= FEW_ELEMENTS && plan.inner.axes.len() > 1;
    along.is_none_or(|along| step <= along && !(is_split && along <= step.saturating_mul(size)))
}

/// The most elements at the end of a row whose axis is no run of memory.
const FEW_ELEMENTS: usize = 8;
