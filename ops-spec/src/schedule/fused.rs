//! Streams as kernels that store nothing as large as what passes between their products.
//!
//! Attention has a product that gives scores, passes over each row of scores, and a product that sums the
//! results over the columns. A kernel can compute a block of scores, run the passes on it, and add up the
//! second product, block after block. Its gradient has sums over columns, and others over rows. Each kind is
//! a kernel of its own, which computes the scores again: from then on its rows are the dims that its sums
//! keep, and its columns the dims that they sum. What the first kernel folds along a row, the others read.
//!
//! The programs are made from the graph, so that everything between the products is in one pass, whatever
//! kernels the schedule makes of it. The idea is that of FlashAttention 2 (Dao, 2023, arXiv 2307.08691); here
//! the passes are any formula.

use super::barrier::{is_barrier, leaf};
use super::pass::pass;
use super::{Buffer, BufferId, Contraction, Kernel, Loop, Pass, Schedule, Source, Stream, Target};
use crate::ir::{DimSet, Graph, NodeId};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;

/// Kernels of a stream that may run as one: products, passes over each row, and products that sum the passes'
/// results over the columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Fused {
    /// The products that give scores, by their place in the schedule.
    pub scores: Vec<usize>,
    /// The passes over each row. They read the scores.
    pub nest: Loop,
    /// What the passes write for the sums. It is stored nowhere.
    pub weights: Vec<BufferId>,
    /// The products that sum over the columns, by their place in the schedule.
    pub sums: Vec<usize>,
}

/// Finds which streams of a schedule can run as kernels that store no scores.
pub fn with_fused(graph: &Graph, mut schedule: Schedule) -> Schedule {
    for at in 0..schedule.streams.len() {
        let mut buffers = schedule.buffers.clone();
        let found = Search::new(graph, &schedule, &schedule.streams[at]).and_then(|s| s.fused(&mut buffers));
        if let Some(fused) = found {
            schedule.buffers = buffers;
            schedule.streams[at].fused = fused;
        }
    }
    schedule
}

/// What the kernels of a stream do, in the order of the schedule.
struct Search<'g> {
    graph: &'g Graph,
    schedule: &'g Schedule,
    stream: &'g Stream,
    /// Products over rows and columns.
    scores: Vec<usize>,
    /// Folds along a row, of the passes in order.
    folds: Vec<Vec<(NodeId, Target)>>,
    /// What is stored once per row.
    rows: Vec<(NodeId, Target)>,
    /// Products that sum values over rows and columns.
    sums: Vec<usize>,
}

impl<'g> Search<'g> {
    /// `None` if a kernel is of another kind.
    fn new(graph: &'g Graph, schedule: &'g Schedule, stream: &'g Stream) -> Option<Search<'g>> {
        let (scores, folds, rows, sums) = Default::default();
        let mut search = Search { graph, schedule, stream, scores, folds, rows, sums };
        for at in stream.kernels.clone() {
            match &schedule.kernels[at] {
                Kernel::Contraction(product) => search.add_product(at, product)?,
                Kernel::Loop(nest) => search.add_loop(nest)?,
                Kernel::View(_) | Kernel::Scan(_) | Kernel::Order(_) => return None,
                Kernel::Gather(_) | Kernel::Scatter(..) => return None,
            }
        }
        Some(search)
    }

    fn add_product(&mut self, at: usize, product: &Contraction) -> Option<()> {
        let space = self.space();
        let factors = [product.lhs, product.rhs].into_iter();
        let (wide, others): (Vec<Source>, Vec<Source>) = factors.partition(|factor| self.is_wide(*factor));
        // Another factor that the stream computes would be complete only after its kernels.
        let is_other = |id| others.contains(&Source::Buffer(id));
        if self.written_by(self.stream.kernels.clone()).any(is_other) {
            return None;
        }
        if self.schedule.buffer(product.out).dims == space {
            let epilogue = product.epilogue.iter().flat_map(|nest| &nest.passes);
            let is_inside =
                self.is_inside(product.out) && epilogue.flat_map(Pass::written).all(|id| self.is_inside(id));
            (wide.is_empty() && is_inside).then(|| self.scores.push(at))
        } else {
            (wide.len() == 1 && product.k.is_subset(space)).then(|| self.sums.push(at))
        }
    }

    fn add_loop(&mut self, nest: &Loop) -> Option<()> {
        let along_rows = nest.outer == self.stream.rows && nest.inner == self.stream.along;
        for pass in &nest.passes {
            let mut folds = Vec::new();
            for (value, target) in pass.results() {
                match target {
                    Target::Fold { .. } if along_rows => folds.push((value, target)),
                    Target::Row(_) if along_rows => self.rows.push((value, target)),
                    Target::Element(id) if self.is_inside(id) => {}
                    // The one kernel has passes of its own.
                    Target::Kept(_) => {}
                    Target::Fold { .. } | Target::Row(_) | Target::Element(_) | Target::Column { .. } => {
                        return None;
                    }
                }
            }
            if !folds.is_empty() {
                self.folds.push(folds);
            }
        }
        Some(())
    }

    /// The kernels of a stream: first the one whose rows are those of the stream, then one for each set of
    /// dims that other products sum.
    fn fused(self, buffers: &mut Vec<Buffer>) -> Option<Vec<Fused>> {
        let of = |at: &usize| self.product(*at).k;
        let mut columns: Vec<DimSet> = self.sums.iter().map(of).filter(|k| *k != self.stream.along).collect();
        columns.sort();
        columns.dedup();
        let statistics = RefCell::new(Statistics { search: &self, rows: self.rows.clone(), buffers });
        let others = columns.iter().map(|along| self.kernel(*along, &statistics));
        let others: Vec<Fused> = others.collect::<Option<_>>()?;
        let rows = statistics.into_inner().rows;
        let first = self.first(rows)?;
        let has_work = !first.nest.passes.is_empty();
        let all: Vec<Fused> = has_work.then_some(first).into_iter().chain(others).collect();
        let has_sums = all.iter().any(|fused| !fused.sums.is_empty());
        (has_sums && all.iter().all(|fused| !fused.scores.is_empty())).then_some(all)
    }

    /// The kernel along the rows of the stream, which also computes statistics and stores what is one per
    /// row.
    fn first(&self, rows: Vec<(NodeId, Target)>) -> Option<Fused> {
        let along = self.stream.along;
        let sums = self.sums_over(along);
        let weights = self.results(&sums);
        let nodes = self.folds.iter().flatten().filter_map(|(_, target)| target.folded());
        let statistics: BTreeMap<NodeId, usize> = nodes.zip(0..).collect();
        let source =
            |id: NodeId| statistics.get(&id).copied().map(Source::Statistic).or_else(|| self.source(id));
        let passes = self.folds.iter().cloned().chain([weights, rows]).filter(|results| !results.is_empty());
        let passes = passes.map(|results| self.pass(along, &results, source)).collect::<Option<Vec<_>>>()?;
        self.finished(Loop { outer: self.stream.rows, inner: along, passes }, sums)
    }

    /// The kernel of the sums over other dims.
    fn kernel(&self, along: DimSet, statistics: &RefCell<Statistics<'_, '_>>) -> Option<Fused> {
        let sums = self.sums_over(along);
        let source = |id: NodeId| self.source(id).or_else(|| statistics.borrow_mut().source(id));
        let pass = self.pass(along, &self.results(&sums), source)?;
        let outer = self.space().difference(along);
        self.finished(Loop { outer, inner: along, passes: vec![pass] }, sums)
    }

    /// `None` if a score has columns on both sides: no factor of it stays the same along a row.
    fn finished(&self, nest: Loop, sums: Vec<usize>) -> Option<Fused> {
        let reads = |at: &usize| {
            let out = Source::Buffer(self.product(*at).out);
            nest.passes.iter().any(|pass| pass.elements.contains(&out))
        };
        let scores: Vec<usize> = self.scores.iter().copied().filter(reads).collect();
        let has_sides = |at: &usize| {
            let Contraction { batch, m, n, .. } = self.product(*at);
            let [batch, m, n] = [batch, m, n].map(|dims| !dims.intersection(nest.inner).is_empty());
            !batch && m != n
        };
        let weights = self.weights(&sums);
        scores.iter().all(has_sides).then_some(Fused { scores, nest, weights, sums })
    }

    fn pass(
        &self,
        inner: DimSet,
        results: &[(NodeId, Target)],
        source: impl Fn(NodeId) -> Option<Source>,
    ) -> Option<Pass> {
        let are_computed = results.iter().all(|(value, _)| self.is_computed(*value, &source));
        are_computed.then(|| pass(self.graph, inner, results, source))
    }

    /// Whether a value follows from what can be read, without a reduction or an index.
    fn is_computed(&self, value: NodeId, source: &impl Fn(NodeId) -> Option<Source>) -> bool {
        let (mut open, mut seen) = (vec![value], std::collections::BTreeSet::new());
        while let Some(id) = open.pop() {
            if !seen.insert(id) || source(id).is_some() {
                continue;
            }
            if is_barrier(self.graph, id) {
                return false;
            }
            open.extend(self.graph.node(id).operands());
        }
        true
    }

    /// Where a value can be read that the stream does not compute, or a score.
    fn source(&self, id: NodeId) -> Option<Source> {
        let of_scores = self.scores.iter().map(|at| self.product(*at).out);
        let before = self.written_by(0..self.stream.kernels.start);
        let is_it = |buffer: &BufferId| self.schedule.buffer(*buffer).is_value(self.graph, id);
        leaf(self.graph, id).or_else(|| of_scores.chain(before).find(is_it).map(Source::Buffer))
    }

    fn written_by(&self, kernels: Range<usize>) -> impl Iterator<Item = BufferId> {
        self.schedule.kernels[kernels].iter().flat_map(Kernel::written)
    }

    /// What these products sum, as results of a pass.
    fn results(&self, sums: &[usize]) -> Vec<(NodeId, Target)> {
        let result = |id: BufferId| (self.schedule.buffer(id).node, Target::Element(id));
        self.weights(sums).into_iter().map(result).collect()
    }

    fn weights(&self, sums: &[usize]) -> Vec<BufferId> {
        let weight = |at: &usize| {
            let product = self.product(*at);
            let mut factors = product.factors();
            factors.find(|id| self.is_wide(Source::Buffer(*id))).expect("a sum has a wide factor")
        };
        let mut ids: Vec<BufferId> = sums.iter().map(weight).collect();
        ids.sort();
        ids.dedup();
        ids
    }

    fn sums_over(&self, along: DimSet) -> Vec<usize> {
        self.sums.iter().copied().filter(|at| self.product(*at).k == along).collect()
    }

    fn product(&self, at: usize) -> &'g Contraction {
        self.schedule.kernels[at].product().expect("a product was found here")
    }

    /// All rows and columns.
    fn space(&self) -> DimSet {
        self.stream.rows.union(self.stream.along)
    }

    /// Whether a value passes between the kernels of the stream only, over all rows and columns.
    fn is_inside(&self, id: BufferId) -> bool {
        self.stream.local.contains(&id) && self.schedule.buffer(id).dims == self.space()
    }

    fn is_wide(&self, source: Source) -> bool {
        source.buffer().is_some_and(|id| self.is_inside(id))
    }
}

/// What the first kernel stores once per row for the others.
struct Statistics<'s, 'b> {
    search: &'s Search<'s>,
    rows: Vec<(NodeId, Target)>,
    buffers: &'b mut Vec<Buffer>,
}

impl Statistics<'_, '_> {
    /// The buffer of a fold along a row.
    fn source(&mut self, id: NodeId) -> Option<Source> {
        let mut folds = self.search.folds.iter().flatten();
        folds.find(|(_, target)| target.folded() == Some(id))?;
        let stored = self.rows.iter().find_map(|(value, target)| match *target {
            Target::Row(buffer) if *value == id => Some(buffer),
            Target::Row(_) | Target::Kept(_) | Target::Element(_) => None,
            Target::Fold { .. } | Target::Column { .. } => None,
        });
        Some(Source::Buffer(stored.unwrap_or_else(|| {
            let (kind, dims) = (self.search.graph.node(id).kind, self.search.stream.rows);
            self.buffers.push(Buffer { node: id, kind, dims, outputs: Vec::new(), windows: Vec::new() });
            let buffer = BufferId(self.buffers.len() as u32 - 1);
            self.rows.push((id, Target::Row(buffer)));
            buffer
        })))
    }
}
