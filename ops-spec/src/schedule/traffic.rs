//! How many bytes the kernels of a schedule move, as functions of sizes.
//!
//! Each kernel reads each of its inputs once and writes each of its results once: what the passes of a row
//! read again is in a cache or in registers. So this is the least that these kernels move. Caches that hold
//! less than a row, or less than the shared factor of a product, make it more.
//!
//! - A view is read where its source is, and at most the whole source.
//! - A gather reads at most one element of its source for each element of its result. A scatter fills its
//!   result, then reads and writes the places that get elements.
//! - A product writes its result, and its epilogue reads it again.
//! - What passes between the kernels of a stream stays in a cache, and where they run as one kernel, it is
//!   never stored. What passes from step to step of a sweep is not stored either.
//! - A group `..` counts as if no argument were broadcast in it.

use super::reads::{Read, Reads};
use super::{BufferId, Contraction, Fused, Index, Kernel, Launch, Loop, Schedule, Source, Target};
use crate::ir::{ArgType, Bytes, Count, DimSet, FloatWidth, Graph};

/// What kernels read or write of one value.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    /// An argument or a buffer.
    pub source: Source,
    /// How much.
    pub bytes: Bytes,
}

/// What one step moves.
#[derive(Clone, Debug, PartialEq)]
pub struct StepTraffic {
    /// What runs.
    pub launch: Launch,
    /// What it reads.
    pub reads: Vec<Access>,
    /// What it writes.
    pub writes: Vec<Access>,
}

/// What the kernels of a schedule move in a call.
///
/// ```
/// use tensor_op_spec::ir::{FloatWidth, Graph};
/// use tensor_op_spec::schedule::{CostModel, Traffic, schedule};
///
/// let graph = Graph::parse(
///     "op double\ndim n named\narg x: float[n], forward 0\n%0 = input x : float[n]\n\
///      %1 = add(%0, %0) : float[n]\nout out = %1 [n]\n",
/// )
/// .unwrap();
/// let kernels = schedule(&graph, CostModel::CPU);
/// let traffic = Traffic::new(&graph, &kernels, &graph, &[true], FloatWidth::Single);
/// assert_eq!(traffic.total().text(&graph), "8·n");
/// assert_eq!(traffic.total().value(&|_| Some(1000)), Some(8000));
/// assert_eq!(traffic.total(), traffic.ideal());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Traffic {
    /// In the order in which they run. Views move nothing.
    pub steps: Vec<StepTraffic>,
    /// Each argument that is read, once.
    pub arguments: Vec<Access>,
    /// Each declared result, once.
    pub results: Vec<Access>,
}

impl Traffic {
    /// The traffic of a call that wants these outputs of the graph. `forward` is the graph that was
    /// differentiated, if this is a gradient, else the graph itself. It says what was kept as computed.
    pub fn new(
        graph: &Graph,
        schedule: &Schedule,
        forward: &Graph,
        wanted: &[bool],
        floats: FloatWidth,
    ) -> Traffic {
        let needed = schedule.needed_buffers(wanted);
        let count = Counting { graph, schedule, forward, floats, wanted, needed };
        let mut steps: Vec<StepTraffic> = Vec::new();
        for launch in schedule.launches() {
            steps.extend(count.step(launch));
        }
        let buffers = || (0..schedule.buffers.len() as u32).map(BufferId);
        steps.extend(buffers().filter(|id| count.is_rounded(*id)).map(|id| count.rounding(id)));
        let mut arguments = Reads::default();
        for kernel in schedule.kernels.iter().filter(|kernel| count.is_run(kernel)) {
            count.kernel_reads(kernel, &mut arguments);
        }
        arguments.found.retain(|read| matches!(read.source, Source::Arg(_)));
        let results = buffers().filter(|id| count.is_result(*id)).map(|id| {
            let buffer = schedule.buffer(id);
            let bytes = Bytes::new(Count::of(buffer.dims), floats.stored(buffer.kind));
            Access { source: Source::Buffer(id), bytes }
        });
        Traffic { steps, arguments: count.accesses(arguments), results: results.collect() }
    }

    /// What all steps read and write.
    pub fn total(&self) -> Bytes {
        self.steps.iter().map(StepTraffic::total).sum()
    }

    /// What any kernels would have to move: each argument read once, each result written once.
    pub fn ideal(&self) -> Bytes {
        self.arguments.iter().chain(&self.results).map(|access| access.bytes.clone()).sum()
    }
}

impl StepTraffic {
    /// What it reads and writes.
    pub fn total(&self) -> Bytes {
        self.reads.iter().chain(&self.writes).map(|access| access.bytes.clone()).sum()
    }
}

struct Counting<'g> {
    graph: &'g Graph,
    schedule: &'g Schedule,
    forward: &'g Graph,
    floats: FloatWidth,
    /// The results that the call wants.
    wanted: &'g [bool],
    /// The buffers that it needs.
    needed: Vec<bool>,
}

impl Counting<'_> {
    fn step(&self, launch: Launch) -> Option<StepTraffic> {
        let (mut reads, mut writes) = (Reads::default(), Vec::new());
        let mut local: &[BufferId] = &[];
        match launch {
            Launch::Kernel(at) => {
                let kernel = &self.schedule.kernels[at];
                if !self.is_run(kernel) {
                    return None;
                }
                if let Some(stream) = self.schedule.streams.iter().find(|stream| stream.kernels.contains(&at))
                {
                    local = &stream.local;
                }
                self.kernel_reads(kernel, &mut reads);
                self.kernel_writes(kernel, &mut reads, &mut writes);
            }
            Launch::Fused(stream, at) => {
                let stream = &self.schedule.streams[stream];
                local = &stream.local;
                self.fused(&stream.fused[at], &mut reads, &mut writes);
            }
            Launch::Sweep(at) => {
                let sweep = &self.schedule.sweeps[at];
                if !self.schedule.kernels[sweep.kernels.clone()].iter().any(|kernel| self.is_run(kernel)) {
                    return None;
                }
                sweep.sources().for_each(|source| self.read(source, &mut reads));
                sweep.stored(self.schedule).for_each(|id| self.write(id, &mut writes));
            }
            Launch::Rounding(_) => return None,
        }
        let is_local = |source: Source| source.buffer().is_some_and(|id| local.contains(&id));
        reads.found.retain(|read| !is_local(read.source));
        writes.retain(|write: &Access| !is_local(write.source));
        Some(StepTraffic { launch, reads: self.accesses(reads), writes })
    }

    fn rounding(&self, id: BufferId) -> StepTraffic {
        let buffer = self.schedule.buffer(id);
        let access =
            |width| Access { source: Source::Buffer(id), bytes: Bytes::new(Count::of(buffer.dims), width) };
        let [from, to] = [self.floats.computed(buffer.kind), self.floats.stored(buffer.kind)];
        StepTraffic { launch: Launch::Rounding(id), reads: vec![access(from)], writes: vec![access(to)] }
    }

    /// Its scores and weights are stored nowhere.
    fn fused(&self, fused: &Fused, reads: &mut Reads, writes: &mut Vec<Access>) {
        let product = |at: &usize| self.schedule.kernels[*at].product();
        let scores: Vec<&Contraction> = fused.scores.iter().filter_map(product).collect();
        let sums: Vec<&Contraction> = fused.sums.iter().filter_map(product).collect();
        let factors = scores.iter().chain(&sums).flat_map(|product| [product.lhs, product.rhs]);
        factors.for_each(|factor| self.read(factor, reads));
        self.loop_reads(&fused.nest, reads);
        self.loop_writes(&fused.nest, writes);
        sums.iter().for_each(|product| {
            self.product_writes(product, writes);
            if let Some(nest) = &product.epilogue {
                self.loop_reads(nest, reads);
                self.loop_writes(nest, writes);
            }
        });
        let scores: Vec<BufferId> = scores.iter().map(|product| product.out).collect();
        let is_inside = |source: Source| {
            source.buffer().is_some_and(|id| scores.contains(&id) || fused.weights.contains(&id))
        };
        reads.found.retain(|read| !is_inside(read.source));
        writes.retain(|write| !is_inside(write.source));
    }

    /// Whether the call runs it and it moves something.
    fn is_run(&self, kernel: &Kernel) -> bool {
        match kernel {
            Kernel::View(_) => false,
            Kernel::Loop(_) | Kernel::Contraction(_) | Kernel::Scan(_) | Kernel::Order(_) => {
                kernel.is_needed(&self.needed)
            }
            Kernel::Gather(_) | Kernel::Scatter(..) => kernel.is_needed(&self.needed),
        }
    }

    fn kernel_reads(&self, kernel: &Kernel, reads: &mut Reads) {
        match kernel {
            Kernel::View(_) => {}
            Kernel::Loop(nest) => self.loop_reads(nest, reads),
            Kernel::Contraction(product) => {
                self.read(product.lhs, reads);
                self.read(product.rhs, reads);
                if let Some(nest) = &product.epilogue {
                    self.loop_reads(nest, reads);
                }
            }
            Kernel::Scan(scan) => scan.operands.iter().for_each(|source| self.read(*source, reads)),
            Kernel::Order(order) => order.operands.iter().for_each(|source| self.read(*source, reads)),
            Kernel::Gather(index) => {
                self.read(index.index, reads);
                if self.deferred(index.out).is_none() {
                    self.read_at_most(index.source, Some(self.schedule.buffer(index.out).dims), reads);
                }
            }
            Kernel::Scatter(_, index) => {
                self.read(index.index, reads);
                self.read(index.source, reads);
            }
        }
    }

    fn kernel_writes(&self, kernel: &Kernel, reads: &mut Reads, writes: &mut Vec<Access>) {
        match kernel {
            Kernel::View(_) => {}
            Kernel::Loop(nest) => self.loop_writes(nest, writes),
            Kernel::Contraction(product) => {
                self.product_writes(product, writes);
                if let Some(nest) = &product.epilogue {
                    self.loop_writes(nest, writes);
                }
            }
            Kernel::Scan(scan) => self.write(scan.out, writes),
            Kernel::Order(order) => self.write(order.out, writes),
            Kernel::Gather(index) if self.deferred(index.out).is_some() => {}
            Kernel::Gather(index) => self.write(index.out, writes),
            Kernel::Scatter(_, index) => self.scatter(index, reads, writes),
        }
    }

    fn scatter(&self, index: &Index, reads: &mut Reads, writes: &mut Vec<Access>) {
        self.write(index.out, writes);
        let (out, width) = (self.schedule.buffer(index.out), self.buffer_width(index.out));
        let places = Count::of(out.dims).at_most(index.read);
        writes.push(Access { source: Source::Buffer(index.out), bytes: Bytes::new(places.clone(), width) });
        if !index.once {
            let read = Read { source: Source::Buffer(index.out), count: places, through: None };
            reads.add(read, Count::of(out.dims));
        }
    }

    fn loop_reads(&self, nest: &Loop, reads: &mut Reads) {
        let is_run = |target: &Target| match *target {
            Target::Fold { .. } | Target::Kept(_) => true,
            Target::Element(id) | Target::Row(id) | Target::Column { buffer: id, .. } => self.is_needed(id),
        };
        for pass in nest.passes.iter().filter(|pass| pass.targets.iter().any(is_run)) {
            pass.uniforms.iter().chain(&pass.elements).for_each(|source| self.read(*source, reads));
        }
    }

    fn loop_writes(&self, nest: &Loop, writes: &mut Vec<Access>) {
        nest.passes.iter().flat_map(|pass| pass.written()).for_each(|id| self.write(id, writes));
    }

    fn product_writes(&self, product: &Contraction, writes: &mut Vec<Access>) {
        self.write(product.out, writes);
    }

    fn write(&self, id: BufferId, writes: &mut Vec<Access>) {
        if self.is_needed(id) {
            let bytes = Bytes::new(Count::of(self.schedule.buffer(id).dims), self.buffer_width(id));
            writes.push(Access { source: Source::Buffer(id), bytes });
        }
    }

    fn read(&self, source: Source, reads: &mut Reads) {
        self.read_at_most(source, None, reads);
    }

    fn read_at_most(&self, source: Source, most: Option<DimSet>, reads: &mut Reads) {
        let through = source.buffer().filter(|id| self.view(*id).is_some());
        if let Some(gather) = through.and_then(|id| self.deferred(id)) {
            self.read(gather.index, reads);
        }
        if let Some((source, mut count)) = self.behind_views(source) {
            let whole = self.dims(source);
            if let Some(most) = most {
                count = count.at_most(most);
            }
            reads.add(Read { source, count, through }, Count::of(whole));
        }
    }

    /// The value in memory behind views, and how much of it they show. `None` if nothing is in memory.
    fn behind_views(&self, source: Source) -> Option<(Source, Count)> {
        match source {
            Source::Arg(arg) => match &self.graph.args[arg].ty {
                ArgType::Tensor { .. } => Some((source, Count::of(self.graph.arg_dims(arg)))),
                ArgType::Shape { .. } | ArgType::Scalar { .. } | ArgType::Axis { .. } => None,
            },
            Source::Buffer(id) => match self.view(id) {
                Some(shown) => {
                    let (source, count) = self.behind_views(shown)?;
                    Some((source, count.at_most(self.schedule.buffer(id).dims)))
                }
                None => Some((source, Count::of(self.schedule.buffer(id).dims))),
            },
            Source::Len(_) | Source::Iota(_) | Source::Statistic(_) | Source::Kept(_) => None,
        }
    }

    /// What a buffer shows of another value, if it is a view, or loops read it by an index.
    fn view(&self, id: BufferId) -> Option<Source> {
        let view = self.schedule.kernels.iter().find_map(|kernel| match kernel {
            Kernel::View(view) if view.out == id => Some(view.source),
            Kernel::View(_) | Kernel::Loop(_) | Kernel::Contraction(_) | Kernel::Scan(_) => None,
            Kernel::Order(_) | Kernel::Gather(_) | Kernel::Scatter(..) => None,
        });
        view.or_else(|| self.deferred(id).map(|gather| gather.source))
    }

    /// The gather that leaves this buffer to the loops that read it, and only checks the index. Several
    /// elements have one index then.
    fn deferred(&self, id: BufferId) -> Option<&Index> {
        let gather = self.schedule.looped_gather(id).filter(|_| !self.is_result(id))?;
        let indexed = self.dims(gather.index).union(DimSet::one(gather.dim));
        (!self.dims(gather.source).difference(indexed).is_empty()).then_some(gather)
    }

    fn accesses(&self, reads: Reads) -> Vec<Access> {
        let access = |Read { source, count, .. }| {
            let width = match source {
                Source::Arg(arg) => self.graph.arg_width(arg, self.forward, self.floats).unwrap_or_default(),
                Source::Buffer(id) => self.buffer_width(id),
                Source::Len(_) | Source::Iota(_) | Source::Statistic(_) | Source::Kept(_) => 0,
            };
            Access { source, bytes: Bytes::new(count, width) }
        };
        reads.found.into_iter().map(access).collect()
    }

    fn dims(&self, source: Source) -> DimSet {
        match source {
            Source::Arg(arg) => self.graph.arg_dims(arg),
            Source::Buffer(id) => self.schedule.buffer(id).dims,
            Source::Len(_) | Source::Iota(_) | Source::Statistic(_) | Source::Kept(_) => DimSet::EMPTY,
        }
    }

    fn buffer_width(&self, id: BufferId) -> u64 {
        let kind = self.schedule.buffer(id).kind;
        let is_final = self.is_result(id) && !self.is_rounded(id);
        if is_final { self.floats.stored(kind) } else { self.floats.computed(kind) }
    }

    /// Whether it is a declared result.
    fn is_result(&self, id: BufferId) -> bool {
        self.outputs(id).any(|hidden| !hidden)
    }

    /// Whether it is a declared result that something else reads or keeps as it was computed.
    fn is_rounded(&self, id: BufferId) -> bool {
        let kind = self.schedule.buffer(id).kind;
        let is_read = |kernel: &Kernel| {
            kernel.is_needed(&self.needed) && kernel.read_buffers().any(|other| other == id)
        };
        self.is_result(id)
            && self.floats.computed(kind) != self.floats.stored(kind)
            && (self.outputs(id).any(|hidden| hidden) || self.schedule.kernels.iter().any(is_read))
    }

    /// Whether each of the results that a buffer is, of those that the call wants, is hidden.
    fn outputs(&self, id: BufferId) -> impl Iterator<Item = bool> {
        let outputs = self.schedule.buffer(id).outputs.iter();
        outputs.filter(|output| self.wanted[**output]).map(|output| self.graph.outputs[*output].hidden)
    }

    fn is_needed(&self, id: BufferId) -> bool {
        self.needed[id.0 as usize]
    }
}
