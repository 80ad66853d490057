//! The kernels of an op as boxes: what all pictures show.

use super::formulas::{self, Part};
use super::names::{Names, Role, dims_text};
use super::plan::Plan;
use crate::ir::{Bytes, DimSet, FloatWidth, Graph};
use crate::schedule::{
    Access, BufferId, Contraction, Fused, Kernel, Launch, Loop, Source, StepTraffic, Traffic,
};

/// A kernel for readers.
#[derive(Clone, Debug)]
pub struct KernelBox {
    /// What kind of kernel it is, in a word.
    pub class: String,
    /// Over which dims it runs.
    pub space: String,
    /// What it computes.
    pub parts: Vec<Part>,
    /// What it reads.
    pub reads: Vec<Chip>,
    /// What it writes.
    pub writes: Vec<Chip>,
}

/// A value in memory.
#[derive(Clone, Debug)]
pub struct Chip {
    /// The name.
    pub name: String,
    /// `[.., n]`.
    pub dims: String,
    /// What it is to the op.
    pub role: Role,
    /// What the kernel moves of it.
    pub bytes: Bytes,
    /// Whether it is made and used a tile at a time, so that it stays in a cache.
    pub is_cached: bool,
}

impl Chip {
    /// The bytes as a function of sizes.
    pub fn bytes_text(&self, graph: &Graph) -> String {
        if self.is_cached { "in a cache".to_string() } else { format!("{} B", self.bytes.text(graph)) }
    }
}

/// The kernels of one pass of an op: forward, or backward.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The kernels in the order in which they run.
    pub boxes: Vec<KernelBox>,
    /// What they move.
    pub traffic: Traffic,
}

impl Picture {
    /// `forward` is the graph itself, or the one that was differentiated.
    pub fn new(op: Plan<'_>, forward: &Graph, floats: FloatWidth) -> Picture {
        let wanted = vec![true; op.graph.outputs.len()];
        let traffic = Traffic::new(op.graph, op.schedule, forward, &wanted, floats);
        let rounding = traffic.steps.iter().map(|step| step.launch);
        let rounding = rounding.filter(|launch| matches!(launch, Launch::Rounding(_)));
        let launches = op.schedule.launches().into_iter().chain(rounding);
        let mut names = Names::new(op);
        let boxes = launches.map(|launch| {
            let step = traffic.steps.iter().find(|step| step.launch == launch);
            kernel_box(op, &mut names, launch, step)
        });
        Picture { boxes: boxes.collect(), traffic }
    }
}

/// What one of the kernels up to here wrote and a later one reads.
pub fn passed(boxes: &[KernelBox], at: usize) -> Vec<&str> {
    let (before, after) = boxes.split_at(at + 1);
    let written = before.iter().flat_map(|own| &own.writes);
    let is_read = |chip: &&Chip| {
        after
            .iter()
            .flat_map(|own| &own.reads)
            .any(|read| read.role != Role::Argument && read.name == chip.name)
    };
    let mut names: Vec<&str> = Vec::new();
    for chip in written.filter(is_read) {
        if !names.contains(&chip.name.as_str()) {
            names.push(&chip.name);
        }
    }
    names
}

/// The kernels in words, for readers who do not see a picture: `1 row reads x, gamma, writes out`.
pub fn spoken(boxes: &[KernelBox]) -> String {
    let names = |chips: &[Chip]| match chips {
        [] => "nothing".to_string(),
        _ => chips.iter().map(|chip| chip.name.as_str()).collect::<Vec<_>>().join(", "),
    };
    let one = |(at, own): (usize, &KernelBox)| {
        format!("{} {} reads {}, writes {}", at + 1, own.class, names(&own.reads), names(&own.writes))
    };
    let all: Vec<String> = boxes.iter().enumerate().map(one).collect();
    if all.is_empty() { "none".to_string() } else { all.join("; ") }
}

fn kernel_box(op: Plan<'_>, names: &mut Names<'_>, launch: Launch, step: Option<&StepTraffic>) -> KernelBox {
    let (class, space, parts) = match launch {
        Launch::Kernel(at) => {
            let kernel = &op.schedule.kernels[at];
            (kernel.name().to_string(), space(op, kernel), parts(op, names, kernel))
        }
        Launch::Fused(stream, at) => {
            let stream = &op.schedule.streams[stream];
            let fused = &stream.fused[at];
            ("fused".to_string(), nest_space(op, &fused.nest), fused_parts(op, names, fused))
        }
        Launch::Sweep(at) => {
            let sweep = &op.schedule.sweeps[at];
            let steps = dims_text(op.graph, DimSet::one(sweep.dim));
            let space = format!("{}, step by step along {steps}", nest_space(op, &sweep.nest));
            ("sweep".to_string(), space, formulas::sweep(op, names, sweep))
        }
        Launch::Rounding(id) => {
            let line = format!("{} is rounded to the half", names.buffer(id));
            let part = Part { title: String::new(), lines: vec![line] };
            ("cast".to_string(), over(op, op.schedule.buffer(id).dims), vec![part])
        }
    };
    let chips = |accesses: &[Access]| chips(names, accesses);
    let mut own = KernelBox {
        class,
        space,
        parts,
        reads: step.map(|step| chips(&step.reads)).unwrap_or_default(),
        writes: step.map(|step| chips(&step.writes)).unwrap_or_default(),
    };
    if let Launch::Kernel(at) = launch {
        add_tiles(op, names, at, &mut own);
    }
    own
}

/// What a kernel of a stream reads and writes a tile at a time.
fn add_tiles(op: Plan<'_>, names: &Names<'_>, at: usize, own: &mut KernelBox) {
    let Some(stream) = op.schedule.streams.iter().find(|stream| stream.kernels.contains(&at)) else { return };
    let kernel = &op.schedule.kernels[at];
    own.space += &format!(", in tiles of {}", dims_text(op.graph, stream.rows));
    let cached = |ids: &mut dyn Iterator<Item = BufferId>| {
        let mut found: Vec<BufferId> = ids.filter(|id| stream.local.contains(id)).collect();
        found.sort_unstable();
        found.dedup();
        let chips = found.into_iter().map(|id| {
            let accesses = [Access { source: Source::Buffer(id), bytes: Bytes::default() }];
            chips(names, &accesses).into_iter().map(|chip| Chip { is_cached: true, ..chip })
        });
        chips.flatten().collect::<Vec<Chip>>()
    };
    let own_sum = |id: &BufferId| kernel.written().any(|written| written == *id);
    own.reads.extend(cached(&mut kernel.read_buffers().filter(|id| !own_sum(id))));
    own.writes.extend(cached(&mut kernel.written()));
}

/// The values that a kernel moves, each once.
fn chips(names: &Names<'_>, accesses: &[Access]) -> Vec<Chip> {
    let mut found: Vec<(Source, Chip)> = Vec::new();
    for Access { source, bytes } in accesses {
        match found.iter_mut().find(|(other, _)| other == source) {
            Some((_, chip)) => chip.bytes = [chip.bytes.clone(), bytes.clone()].into_iter().sum(),
            None => {
                let (name, dims, role) = (names.source(*source), names.shape(*source), names.role(*source));
                let bytes = bytes.clone();
                found.push((*source, Chip { name, dims, role, bytes, is_cached: false }));
            }
        }
    }
    found.into_iter().map(|(_, chip)| chip).collect()
}

fn over(op: Plan<'_>, dims: DimSet) -> String {
    format!("over {}", dims_text(op.graph, dims))
}

fn nest_space(op: Plan<'_>, nest: &Loop) -> String {
    let text = |dims| dims_text(op.graph, dims);
    match (nest.outer.is_empty(), nest.inner.is_empty()) {
        (true, _) => over(op, nest.inner),
        (false, true) => over(op, nest.outer),
        (false, false) => format!("for each of {} over {}", text(nest.outer), text(nest.inner)),
    }
}

fn space(op: Plan<'_>, kernel: &Kernel) -> String {
    let buffer = |id| op.schedule.buffer(id).dims;
    match kernel {
        Kernel::Loop(nest) => nest_space(op, nest),
        Kernel::Contraction(product) => product_space(op, product),
        Kernel::View(_) => "computes nothing: later kernels read its source with other strides".to_string(),
        Kernel::Scan(scan) => {
            let along = DimSet::one(scan.dim);
            let rows = buffer(scan.out).difference(along);
            format!("for each of {} along {}", dims_text(op.graph, rows), dims_text(op.graph, along))
        }
        Kernel::Order(order) => over(op, buffer(order.out)),
        Kernel::Gather(index) => over(op, buffer(index.out)),
        Kernel::Scatter(_, index) => over(op, index.read),
    }
}

fn product_space(op: Plan<'_>, product: &Contraction) -> String {
    let text = |name: &str, dims: DimSet| format!("{name} {}", dims_text(op.graph, dims));
    let Contraction { batch, m, n, k, .. } = product;
    let batch = if batch.is_empty() { String::new() } else { text("batch", *batch) + ", " };
    format!("{batch}{}, {}, {}", text("m", *m), text("n", *n), text("k", *k))
}

fn parts(op: Plan<'_>, names: &mut Names<'_>, kernel: &Kernel) -> Vec<Part> {
    let one = |line: String| vec![Part { title: String::new(), lines: vec![line] }];
    match kernel {
        Kernel::Loop(nest) => formulas::passes(op, names, nest, ""),
        Kernel::Contraction(product) => product_parts(op, names, product),
        Kernel::View(view) => one(formulas::view(op, names, view)),
        Kernel::Scan(scan) => one(formulas::scan(op, names, scan)),
        Kernel::Order(order) => one(formulas::order(op, names, order)),
        Kernel::Gather(index) => one(formulas::gather(op, names, index)),
        Kernel::Scatter(fold, index) => one(formulas::scatter(op, names, *fold, index)),
    }
}

fn product_parts(op: Plan<'_>, names: &mut Names<'_>, product: &Contraction) -> Vec<Part> {
    let line = formulas::product(op, names, product);
    let mut parts = vec![Part { title: "product".to_string(), lines: vec![line] }];
    if let Some(nest) = &product.epilogue {
        parts.extend(formulas::passes(op, names, nest, "then"));
    }
    parts
}

/// Products that give scores, passes over each row of them, and products that sum over the columns.
fn fused_parts(op: Plan<'_>, names: &mut Names<'_>, fused: &Fused) -> Vec<Part> {
    let mut parts = Vec::new();
    // The passes of a row do what the epilogues of the scores do.
    let products = |at: &[usize], names: &mut Names<'_>, title: &str, parts: &mut Vec<Part>| {
        for at in at {
            if let Kernel::Contraction(product) = &op.schedule.kernels[*at] {
                let own = product_parts(op, names, product).into_iter().enumerate();
                let own = own.filter(|(at, _)| *at == 0 || title == "sums");
                parts.extend(own.map(|(at, part)| match at {
                    0 => Part { title: title.to_string(), ..part },
                    _ => part,
                }));
            }
        }
    };
    products(&fused.scores, names, "scores", &mut parts);
    parts.extend(formulas::passes(op, names, &fused.nest, "rows"));
    products(&fused.sums, names, "sums", &mut parts);
    parts
}
