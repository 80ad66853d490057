//! How many lanes, units and cubes a loop gets.

use super::launch::{UNITS, lanes};
use super::operand::Lanes;
use super::pass::Dest;
use super::plan::{LoopPlan, Memory};
use super::row::kept_loads;

/// How rows are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// Units that share a row, or a chunk of it.
    pub(super) lanes: usize,
    /// Rows that a cube does at once.
    pub(super) rows: usize,
    /// Whether units of a row are next to each other.
    pub(super) adjacent: bool,
    /// Vectors that a unit keeps.
    pub(super) kept: usize,
    /// Whether a row is cut into chunks.
    pub(super) chunked: bool,
    /// Cubes that share a row.
    pub(super) chunks: usize,
    /// Cubes along the rows.
    pub(super) groups: usize,
    /// Vectors that a unit reads at once if it keeps none.
    pub(super) stream: usize,
}

impl Cut {
    /// Few rows, each shared by some cubes that read it once.
    pub(super) fn of_chunks(rows: usize, chunks: usize) -> Cut {
        Cut {
            lanes: UNITS,
            rows: 1,
            adjacent: true,
            kept: 0,
            chunked: true,
            chunks,
            groups: rows,
            stream: STREAM,
        }
    }

    /// Whether each vector that a unit looks at exists, of so many in a row.
    pub(super) fn full(&self, vectors: usize) -> bool {
        match self.kept {
            0 => vectors.is_multiple_of(self.lanes * self.stream) || self.stream == 1,
            kept => vectors == self.lanes * kept * self.chunks,
        }
    }
}

/// Vectors that a unit asks for at once where it keeps none.
pub(super) const STREAM: usize = 4;
/// Elements that a unit keeps in registers at most.
const REGISTERS: usize = 64;
/// Cubes that keep a device busy while they go from row to row.
const PERSISTENT: usize = 512;
/// Rows that make such a cube worth its partial columns.
const ROWS_PER_CUBE: usize = 16;

fn knob(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// The most lanes that divide the innermost axis and that all results, and most inputs, can be moved in.
pub(super) fn width(plan: &LoopPlan) -> usize {
    let Some(innermost) = plan.inner.axes.last() else { return 1 };
    let reads = plan.reads.iter().enumerate().filter_map(|(at, read)| Some((at, read.memory()?)));
    let reads: Vec<(usize, &Memory)> = reads.filter(|(at, _)| plan.inner.innermost(*at) != 0).collect();
    let first = plan.reads.len();
    let writes = plan.writes.iter().enumerate().map(|(at, write)| (first + at, &write.memory));
    let writes: Vec<(usize, &Memory)> = writes.filter(|(at, _)| plan.inner.innermost(*at) != 0).collect();
    let most = plan.device.client.properties().hardware.max_vector_size;
    let fits = |width: &usize| {
        let moved = |(at, memory): &(usize, &Memory)| {
            lanes(plan, Some(memory), *at, *width) == Lanes::Vector && memory.elem.size() * width <= 16
        };
        innermost.size % width == 0
            && *width <= most
            && writes.iter().all(moved)
            && reads.iter().filter(|read| moved(read)).count() * 2 >= reads.len()
            && !(reads.is_empty() && writes.is_empty())
    };
    [8, 4, 2].into_iter().find(fits).unwrap_or(1)
}

/// How a loop over rows is cut; `None` if its columns don't fit into registers.
pub(super) fn cut(plan: &LoopPlan, width: usize) -> Option<Cut> {
    let dests = || plan.passes.iter().flat_map(|pass| &pass.results);
    let folds = dests().any(|dest| matches!(dest, Dest::Fold(_)));
    let vectors = plan.inner.len() / width;
    let most_kept = (knob("REGS", REGISTERS)
        / (width * (kept_loads(&plan.passes).len() + plan.columns.len()).max(1)))
    .clamp(1, 16);
    let most_units = (plan.device.client.properties().hardware.max_units_per_cube as usize).min(1024);
    if plan.columns.is_empty() {
        return Some(rows_only(plan, vectors, most_kept, most_units));
    }
    if folds {
        return persistent(plan, vectors, most_kept, most_units);
    }
    Some(columns_only(plan, vectors, most_kept))
}

fn rows_only(plan: &LoopPlan, vectors: usize, most_kept: usize, most_units: usize) -> Cut {
    let rows = plan.outer.len();
    let adjacent = is_adjacent(plan) || rows < UNITS;
    let lanes = match (vectors, adjacent) {
        (0, _) => 1,
        (_, true) => {
            vectors.div_ceil(most_kept.min(knob("KEPT", 4))).next_power_of_two().min(knob("MAXU", most_units))
        }
        (_, false) => vectors.div_ceil(most_kept).next_power_of_two().min(if rows < 65536 { 32 } else { 8 }),
    };
    let kept = vectors.div_ceil(lanes);
    // A row that is read once need not be kept, and a loop is shorter than what it unrolls to.
    let is_read_once = kept_loads(&plan.passes).is_empty();
    let spills = lanes == 1024 && kept * (width(plan) * kept_loads(&plan.passes).len()) > knob("SPILL", 32);
    let kept =
        if vectors == 0 || kept > most_kept || spills || (is_read_once && kept > 4) { 0 } else { kept };
    let at_once = (knob("UNITS", 128) / lanes).max(1);
    let at_once = if adjacent { at_once.min(rows.next_power_of_two()) } else { at_once };
    let stream = if kept == 0 { STREAM.min(vectors / lanes.max(1)).max(1) } else { 1 };
    Cut {
        lanes,
        rows: at_once,
        adjacent,
        kept,
        chunked: false,
        chunks: 1,
        groups: rows.div_ceil(at_once),
        stream,
    }
}

fn persistent(plan: &LoopPlan, vectors: usize, most_kept: usize, most_units: usize) -> Option<Cut> {
    let lanes = vectors.div_ceil(most_kept.min(knob("PKEPT", 4))).next_power_of_two().min(most_units);
    let kept = vectors.div_ceil(lanes);
    if kept > most_kept {
        return None;
    }
    let rows = plan.outer.len();
    let at_once = (knob("PUNITS", UNITS) / lanes).max(1).min(rows.next_power_of_two());
    let groups = rows.div_ceil(at_once).div_ceil(ROWS_PER_CUBE).clamp(1, knob("PERSIST", PERSISTENT));
    Some(Cut { lanes, rows: at_once, adjacent: true, kept, chunked: false, chunks: 1, groups, stream: 1 })
}

fn columns_only(plan: &LoopPlan, vectors: usize, most_kept: usize) -> Cut {
    let kept = if vectors > UNITS { most_kept.min(2) } else { 1 };
    let lanes = vectors.div_ceil(kept).next_power_of_two().min(UNITS);
    let chunks = vectors.div_ceil(lanes * kept);
    let rows = plan.outer.len();
    let at_once = (UNITS / lanes).max(1).min(rows.next_power_of_two());
    let groups = rows.div_ceil(at_once).div_ceil(ROWS_PER_CUBE).clamp(1, PERSISTENT.div_ceil(chunks));
    Cut { lanes, rows: at_once, adjacent: true, kept, chunked: true, chunks, groups, stream: 1 }
}

/// Whether elements of a row, rather than rows, are next to each other in the largest operand.
fn is_adjacent(plan: &LoopPlan) -> bool {
    let moves = |at: &usize| plan.inner.innermost(*at) != 0;
    let operand = (0..plan.reads.len()).filter(|at| plan.reads[*at].memory().is_some()).find(moves);
    let Some(operand) = operand else { return true };
    let along = plan.outer.axes.iter().map(|axis| axis.steps[operand]).filter(|step| *step != 0).min();
    along.is_none_or(|step| plan.inner.innermost(operand) <= step)
}
