//! What kernels move, as a table: bytes as functions of sizes, or as numbers where sizes are given.

use crate::page::Settings;
use crate::sizes::{human, human_time};
use tensor_op_spec::Planned;
use tensor_op_spec::ir::{Bytes, Graph};
use tensor_op_spec::picture::{KernelBox, Picture};
use tensor_op_spec::schedule::{Access, Traffic};

/// A row of the table.
struct Row {
    name: String,
    reads: Bytes,
    writes: Bytes,
}

/// One side, forward or backward, as rows.
struct Side<'s> {
    rows: Vec<Row>,
    total: Bytes,
    ideal: Bytes,
    graph: &'s Graph,
}

/// The lines of the table.
pub(crate) fn table(
    forward: &Planned,
    picture: &Picture,
    backward: Option<(&Planned, &Picture)>,
    settings: &Settings,
) -> Result<Vec<String>, String> {
    let graphs: Vec<&Graph> =
        [Some(&forward.graph), backward.map(|(op, _)| &op.graph)].into_iter().flatten().collect();
    settings.sizes.check(&graphs)?;
    let mut sides = vec![side("forward", &forward.graph, picture)];
    sides.extend(backward.map(|(op, picture)| side("backward", &op.graph, picture)));
    let names = sides.iter().flat_map(|side| &side.rows).map(|row| row.name.chars().count());
    let width = names.max().unwrap_or_default();
    let mut lines = Vec::new();
    for side in &sides {
        lines.extend(match settings.sizes.is_empty() {
            true => functions(side, width),
            false => numbers(side, width, settings)?,
        });
    }
    lines.extend(untracked(forward, settings)?);
    if let (Some(rate), false) = (settings.rate, settings.sizes.is_empty()) {
        lines.extend([format!("Times are those of the bytes at {rate}.")]);
    }
    Ok(lines)
}

fn side<'s>(name: &str, graph: &'s Graph, picture: &Picture) -> Side<'s> {
    let sum = |accesses: &[&Access]| accesses.iter().map(|access| access.bytes.clone()).sum::<Bytes>();
    let moved = |own: &&(usize, &KernelBox)| !own.1.reads.is_empty() || !own.1.writes.is_empty();
    let boxes: Vec<(usize, &KernelBox)> = picture.boxes.iter().enumerate().collect();
    let row = |(at, own): &(usize, &KernelBox)| Row {
        name: format!("{name} {} {}", at + 1, own.class),
        reads: own.reads.iter().map(|chip| chip.bytes.clone()).sum(),
        writes: own.writes.iter().map(|chip| chip.bytes.clone()).sum(),
    };
    let mut rows: Vec<Row> = boxes.iter().filter(moved).map(row).collect();
    let Traffic { steps, arguments, results } = &picture.traffic;
    let reads: Vec<&Access> = steps.iter().flat_map(|step| &step.reads).collect();
    let writes: Vec<&Access> = steps.iter().flat_map(|step| &step.writes).collect();
    if rows.len() != 1 {
        rows.push(Row { name: format!("{name} in total"), reads: sum(&reads), writes: sum(&writes) });
    }
    let [arguments, results] = [arguments, results].map(|accesses| accesses.iter().collect::<Vec<_>>());
    rows.push(Row { name: format!("{name} ideal"), reads: sum(&arguments), writes: sum(&results) });
    Side { rows, total: picture.traffic.total(), ideal: picture.traffic.ideal(), graph }
}

/// Two lines for each row: what it reads and what it writes, as functions.
fn functions(side: &Side<'_>, width: usize) -> Vec<String> {
    let lines = |row: &Row| {
        let [reads, writes] = [&row.reads, &row.writes].map(|bytes| bytes.text(side.graph));
        [format!("{:width$}  reads   {reads} B", row.name), format!("{:width$}  writes  {writes} B", "")]
    };
    side.rows.iter().flat_map(lines).collect()
}

/// A line for each row: bytes and time.
fn numbers(side: &Side<'_>, width: usize, settings: &Settings) -> Result<Vec<String>, String> {
    let bytes = |bytes: &Bytes| settings.sizes.bytes(bytes, side.graph);
    let mut lines =
        vec![format!("{:width$}  {:>9}  {:>9}  {:>9}  {:>9}", "", "reads", "writes", "both", "time")];
    for row in &side.rows {
        let (reads, writes) = (bytes(&row.reads)?, bytes(&row.writes)?);
        let both = reads.saturating_add(writes);
        let time = settings.rate.map(|rate| human_time(rate.seconds(both))).unwrap_or_default();
        let [reads, writes, both] = [reads, writes, both].map(human);
        lines.push(format!("{:width$}  {reads:>9}  {writes:>9}  {both:>9}  {time:>9}", row.name));
    }
    let (total, ideal) = (bytes(&side.total)?, bytes(&side.ideal)?);
    if ideal > 0 {
        lines.push(format!("{:width$}  {:.2} times the ideal", "", total as f64 / ideal as f64));
    }
    lines.push(String::new());
    Ok(lines)
}

/// What a call moves if no gradient may be asked for, where that is less.
fn untracked(forward: &Planned, settings: &Settings) -> Result<Option<String>, String> {
    let graph = &forward.graph;
    if !graph.outputs.iter().any(|output| output.hidden) {
        return Ok(None);
    }
    let traffic = Traffic::new(graph, &forward.schedule, graph, &graph.visible(), settings.dtype.width());
    let bytes = match settings.sizes.is_empty() {
        true => format!("{} B", traffic.total().text(graph)),
        false => human(settings.sizes.bytes(&traffic.total(), graph)?),
    };
    Ok(Some(format!("Forward, a call that can't be asked for a gradient moves {bytes}.")))
}
