//! Which kernels can run together on a few rows at a time.
//!
//! In `softmax(q * k) * v`, a row of the scores is computed, normalised and multiplied without the other
//! rows. So the three kernels can run on a tile of rows, then on the next tile, and the scores are never
//! stored whole. A [`Stream`] says which kernels these are. It changes no kernel: a backend that does not
//! stream runs them one after the other, whole.
//!
//! A scan goes along each row alone, so it can run on a tile of rows, too, with what it takes and what reads
//! its states. Then what a scan takes and gives is never stored whole either.
//!
//! A kernel can be in a stream if a tile of rows gives a part of its results that needs no other tile, or a
//! term of a sum over rows. The gradients of `k` and `v` are such sums. The idea of tiles of rows is that of
//! FlashAttention (Dao, 2023, arXiv 2307.08691), here for any formula.

use super::uses::Uses;
use super::{BufferId, Contraction, Fused, Kernel, Loop, Schedule, Target};
use crate::ir::{DimId, DimSet};
use crate::prim::Fold;
use std::collections::BTreeSet;
use std::ops::Range;

/// Kernels that can run on a tile of rows, then on the next one.
#[derive(Clone, Debug, PartialEq)]
pub struct Stream {
    /// The kernels, by their place in the schedule.
    pub kernels: Range<usize>,
    /// The dims of rows. Each kernel runs over all of them.
    pub rows: DimSet,
    /// The dims of rows that all factors of all products of the stream have.
    pub batch: DimSet,
    /// The other dims of the values that pass between the kernels: those along a row.
    pub along: DimSet,
    /// What only these kernels use, so that a tile at a time is enough.
    pub local: Vec<BufferId>,
    /// What is summed over rows: each tile gives a term.
    pub sums: Vec<BufferId>,
    /// The kernels that can run instead and store nothing over rows and columns. Empty if there are none, or
    /// if nobody has asked for them ([`with_fused`](super::with_fused)).
    pub fused: Vec<Fused>,
}

/// Finds the streams of a schedule, and puts the kernels of each next to each other. Products make streams,
/// and scans if they are `with_scans`.
pub(super) fn with_streams(mut schedule: Schedule, with_scans: bool) -> Schedule {
    let uses = Uses::new(&schedule);
    let mut found: Vec<Candidate> = Vec::new();
    let kernels = || schedule.kernels.iter().enumerate();
    let products = kernels().filter_map(|(at, kernel)| Some((at, kernel.product()?.out)));
    let scans = kernels().filter(|_| with_scans).filter_map(|(at, kernel)| Some((at, kernel.scan()?.out)));
    for (at, value) in products.chain(scans) {
        if !found.iter().any(|stream| stream.members.contains(&at))
            && let Some(best) = uses.best_stream(&found, at, value)
        {
            found.push(best);
        }
    }
    if found.is_empty() {
        return schedule;
    }
    let members: Vec<&BTreeSet<usize>> = found.iter().map(|stream| &stream.members).collect();
    let order = uses.order(&members).expect("a stream was taken only if there is one");
    schedule.streams = found.iter().map(|stream| stream.finished(&schedule, &order)).collect();
    schedule.streams.sort_by_key(|stream| stream.kernels.start);
    let mut kernels: Vec<Option<Kernel>> = schedule.kernels.into_iter().map(Some).collect();
    schedule.kernels = order.into_iter().filter_map(|at| kernels[at].take()).collect();
    schedule
}

/// A stream whose kernels are not next to each other yet.
struct Candidate {
    members: BTreeSet<usize>,
    rows: DimSet,
    along: DimSet,
    local: Vec<BufferId>,
    sums: Vec<BufferId>,
    /// How many of the local values pass between kernels and are as large as the value that it starts from.
    saved: usize,
}

impl Candidate {
    fn finished(&self, schedule: &Schedule, order: &[usize]) -> Stream {
        let products = self.members.iter().filter_map(|at| Some(schedule.kernels[*at].product()?.batch));
        let start = order.iter().position(|at| self.members.contains(at)).unwrap_or(0);
        Stream {
            kernels: start..start + self.members.len(),
            rows: self.rows,
            batch: products.fold(self.rows, DimSet::intersection),
            along: self.along,
            local: self.local.clone(),
            sums: self.sums.clone(),
            fused: Vec::new(),
        }
    }
}

impl Uses<'_> {
    /// The stream through the product `value` of the kernel `at` that keeps the most values local. It can run
    /// beside the streams that were found before.
    fn best_stream(&self, found: &[Candidate], at: usize, value: BufferId) -> Option<Candidate> {
        let candidates = self.rows_of(value).into_iter().filter_map(|rows| self.stream(at, value, rows));
        let candidates = candidates.filter(|new| {
            let others = || found.iter().map(|stream| &stream.members);
            let members: Vec<&BTreeSet<usize>> = others().chain([&new.members]).collect();
            others().all(|members| members.is_disjoint(&new.members)) && self.order(&members).is_some()
        });
        // `max_by_key` gives the last of equals; the first counts.
        candidates.collect::<Vec<_>>().into_iter().rev().max_by_key(|stream| stream.saved)
    }

    /// The dims that may be the rows of a value: those of a row kernel that reads it, or those that a product
    /// keeps. No scan goes along them.
    fn rows_of(&self, value: BufferId) -> BTreeSet<DimSet> {
        let dims = self.schedule.buffer(value).dims;
        let scans = self.schedule.kernels.iter().filter_map(Kernel::scan);
        let scans = scans.filter(|scan| self.schedule.buffer(scan.out).dims == dims);
        let scanned = scans.map(|scan| DimSet::one(scan.dim)).fold(DimSet::EMPTY, DimSet::union);
        let of_kernel = |kernel: &Kernel| match kernel {
            Kernel::Loop(nest) if nest.has_folds() => Some(nest.outer.intersection(dims)),
            Kernel::Contraction(product) if product.k.is_subset(dims) => Some(dims.difference(product.k)),
            Kernel::Loop(_)
            | Kernel::Contraction(_)
            | Kernel::View(_)
            | Kernel::Scan(_)
            | Kernel::Order(_)
            | Kernel::Gather(_)
            | Kernel::Scatter(..) => None,
        };
        let rows = self.schedule.kernels.iter().filter_map(of_kernel);
        let all = (!scanned.is_empty()).then_some(dims);
        let rows = rows.chain(all).map(|rows| rows.difference(scanned));
        // A tile of what a scan gives has whole pieces of memory.
        let is_whole = |rows: &DimSet| {
            let along = dims.difference(*rows);
            let is_before = |dim: DimId| scanned.contains(dim) || rows.iter().all(|own| own < dim);
            let ends = along.iter().last() == dims.iter().last();
            scanned.is_empty() || ends && along.iter().all(is_before)
        };
        rows.filter(|rows| !rows.is_empty() && *rows != dims).filter(is_whole).collect()
    }

    /// The stream over these rows through the product `value` of the kernel `first`.
    fn stream(&self, first: usize, value: BufferId, rows: DimSet) -> Option<Candidate> {
        let wide = self.schedule.buffer(value).dims;
        let members = self.members(first, wide, rows)?;
        let kernels = || members.iter().map(|at| &self.schedule.kernels[*at]);
        let parts: Vec<Parts> = kernels().filter_map(|kernel| Parts::of(kernel, rows)).collect();
        let are_late = |id| parts.iter().any(|parts| parts.terms.contains(&id) || parts.late.contains(&id));
        if kernels().zip(&parts).any(|(kernel, parts)| parts.read_early(kernel).any(are_late)) {
            return None;
        }
        let local = parts.iter().flat_map(|parts| &parts.rows).copied();
        let local = local.filter(|id| self.is_local(*id, &members));
        let local: Vec<BufferId> = local.collect();
        let passes_on = |id: &&BufferId| {
            wide.is_subset(self.schedule.buffer(**id).dims)
                && self.readers(**id).iter().any(|at| self.writer(**id) != Some(*at))
        };
        let saved = local.iter().filter(passes_on).count();
        let sums = parts.iter().flat_map(|parts| parts.terms.iter().copied()).collect();
        let along = wide.difference(rows);
        (saved > 0).then_some(Candidate { members, rows, along, local, sums, saved })
    }

    /// Whether nobody but these kernels uses a buffer, or a view of it.
    fn is_local(&self, id: BufferId, members: &BTreeSet<usize>) -> bool {
        let is_inside = |at: &usize| match &self.schedule.kernels[*at] {
            Kernel::View(view) => members.contains(at) && self.is_local(view.out, members),
            Kernel::Loop(_) | Kernel::Contraction(_) | Kernel::Scan(_) | Kernel::Order(_) => {
                members.contains(at)
            }
            Kernel::Gather(_) | Kernel::Scatter(..) => members.contains(at),
        };
        self.schedule.buffer(id).outputs.is_empty() && self.readers(id).iter().all(is_inside)
    }

    /// The kernels that write or read values over all of the dims `wide`, starting from the kernel `first`,
    /// and those that run between two of them.
    fn members(&self, first: usize, wide: DimSet, rows: DimSet) -> Option<BTreeSet<usize>> {
        let kernels = &self.schedule.kernels;
        let can_join = |at: usize| Parts::of(&kernels[at], rows).is_some();
        let mut members = BTreeSet::new();
        let mut open = vec![first];
        while let Some(at) = open.pop().or_else(|| self.between(&members)) {
            if !can_join(at) {
                return None;
            }
            if members.insert(at) {
                let touched = kernels[at].read_buffers().chain(kernels[at].written());
                for id in touched.filter(|id| wide.is_subset(self.schedule.buffer(*id).dims)) {
                    let users = self.readers(id).iter().copied().chain(self.writer(id));
                    open.extend(users.filter(|at| !members.contains(at) && can_join(*at)));
                }
            }
        }
        Some(members)
    }
}

/// What the results of a kernel are if it runs on a tile of rows.
#[derive(Default)]
struct Parts {
    /// The tile's part of a result.
    rows: Vec<BufferId>,
    /// A term of a sum over rows.
    terms: Vec<BufferId>,
    /// Computed once from sums: by the epilogue of a product that sums over rows.
    late: Vec<BufferId>,
}

impl Parts {
    /// `None` if the kernel can't run on a tile.
    fn of(kernel: &Kernel, rows: DimSet) -> Option<Parts> {
        match kernel {
            Kernel::Contraction(product) => Parts::of_product(product, rows),
            Kernel::Loop(nest) => Parts::of_loop(nest, rows),
            Kernel::Scan(scan) => Parts::of_rows(scan.out, DimSet::one(scan.dim), rows),
            Kernel::View(view) => {
                let moved = view.positions.iter().map(|(dim, at)| at.all_dims().union(DimSet::one(*dim)));
                Parts::of_rows(view.out, moved.fold(DimSet::EMPTY, DimSet::union), rows)
            }
            Kernel::Order(_) | Kernel::Gather(_) | Kernel::Scatter(..) => None,
        }
    }

    /// Of a kernel that computes each row alone, unless they lie along some dims.
    fn of_rows(out: BufferId, others: DimSet, rows: DimSet) -> Option<Parts> {
        let are_alone = rows.intersection(others).is_empty();
        are_alone.then(|| Parts { rows: vec![out], ..Parts::default() })
    }

    fn of_product(product: &Contraction, rows: DimSet) -> Option<Parts> {
        let space = product.batch.union(product.m).union(product.n).union(product.k);
        if !rows.is_subset(space) {
            return None;
        }
        let in_epilogue =
            || product.epilogue.iter().flat_map(|nest| nest.passes.iter().flat_map(|p| p.written()));
        let is_sum = !product.k.intersection(rows).is_empty();
        Some(if is_sum {
            Parts { terms: vec![product.out], late: in_epilogue().collect(), ..Parts::default() }
        } else {
            Parts { rows: [product.out].into_iter().chain(in_epilogue()).collect(), ..Parts::default() }
        })
    }

    fn of_loop(nest: &Loop, rows: DimSet) -> Option<Parts> {
        if !rows.is_subset(nest.outer.union(nest.inner)) {
            return None;
        }
        let are_outer = rows.is_subset(nest.outer);
        let mut parts = Parts::default();
        for target in nest.passes.iter().flat_map(|pass| &pass.targets) {
            match *target {
                Target::Fold { .. } | Target::Kept(_) if are_outer => {}
                Target::Row(id) if are_outer => parts.rows.push(id),
                Target::Element(id) => parts.rows.push(id),
                Target::Column { fold: Fold::Sum, buffer } if are_outer => parts.terms.push(buffer),
                Target::Fold { .. } | Target::Kept(_) | Target::Row(_) | Target::Column { .. } => {
                    return None;
                }
            }
        }
        Some(parts)
    }

    /// The buffers that the kernel reads before sums are complete.
    fn read_early(&self, kernel: &Kernel) -> impl Iterator<Item = BufferId> {
        let factors = match kernel {
            Kernel::Contraction(product) if !self.terms.is_empty() => Some(product.factors()),
            Kernel::Contraction(_)
            | Kernel::Loop(_)
            | Kernel::View(_)
            | Kernel::Scan(_)
            | Kernel::Order(_)
            | Kernel::Gather(_)
            | Kernel::Scatter(..) => None,
        };
        let is_whole = factors.is_none();
        let of_factors = factors.into_iter().flatten();
        of_factors.chain(kernel.read_buffers().filter(move |_| is_whole))
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::Graph;
    use crate::schedule::{CostModel, regroup, schedule};

    /// Checks the streams in the readable form of a schedule.
    fn check_streams(graph: &str, expected: &str) {
        let graph = regroup(Graph::parse(graph).expect("test graphs parse"));
        let explained = schedule(&graph, CostModel::CPU).explain(&graph);
        let found = explained.find("stream of").map_or("", |at| &explained[at..]);
        assert_eq!(found.trim(), expected.trim(), "\n{explained}");
    }

    /// A graph over `b`, `t`, `s` and `d` that starts with the scores of queries and keys.
    fn after_scores(rest: &str) -> String {
        format!(
            "op scores
dim b named
dim t named
dim s named
dim d named
arg q: float[b, t, d], forward 0
arg k: float[b, s, d], forward 1
%0 = input q : float[b, t, d]
%1 = input k : float[b, s, d]
%2 = mul(%0, %1) : float[b, t, s, d]
%3 = sum(%2; d) : float[b, t, s]
{rest}"
        )
    }

    #[test]
    fn what_is_summed_over_rows_may_be_in_a_stream() {
        check_streams(
            &after_scores(
                "%4 = sum(%3; s) : float[b, t]
%5 = mul(%3, %4) : float[b, t, s]
%6 = mul(%5, %1) : float[b, t, s, d]
%7 = sum(%6; s) : float[b, t, d]
%8 = mul(%5, %0) : float[b, t, s, d]
%9 = sum(%8; t) : float[b, s, d]
%10 = exp(%9) : float[b, s, d]
out rows = %7 [b, t, d]
out columns = %10 [b, s, d]
",
            ),
            "
stream of kernels 0 to 3
  rows [b, t], of which batch [b], along [s]
  local (%3, %5, %4, %8), sums over rows (%11)
",
        );
    }

    #[test]
    fn a_product_that_is_a_result_is_no_stream() {
        check_streams(&after_scores("%4 = exp(%3) : float[b, t, s]\nout out = %4 [b, t, s]\n"), "");
    }

    #[test]
    fn what_needs_all_scores_is_a_row_of_its_batch() {
        // The largest score of each column, then a sum over rows and columns.
        check_streams(
            &after_scores(
                "%4 = max(%3; t) : float[b, s]
%5 = sub(%3, %4) : float[b, t, s]
%6 = abs(%5) : float[b, t, s]
%7 = mul(%6, %1) : float[b, t, s, d]
%8 = sum(%7; t, s) : float[b, d]
out out = %8 [b, d]
",
            ),
            "
stream of kernels 0 to 2
  rows [b], of which batch [b], along [t, s]
  local (%3, %4), sums over rows ()
",
        );
    }

    #[test]
    fn what_runs_between_two_kernels_of_a_stream_is_in_it() {
        // `%5` has no columns, but needs a sum over them, and is a factor of a product of the scores.
        check_streams(
            &after_scores(
                "%4 = sum(%3; s) : float[b, t]
%5 = add(%4, %0) : float[b, t, d]
%6 = exp(%3) : float[b, t, s]
%7 = mul(%6, %5) : float[b, t, s, d]
%8 = sum(%7; t) : float[b, s, d]
out out = %8 [b, s, d]
",
            ),
            "
stream of kernels 0 to 3
  rows [b, t], of which batch [b], along [s]
  local (%3, %6, %4, %5), sums over rows (%8)
",
        );
    }
}
