//! The readable form of a schedule, for snapshots and docs.

use super::{
    Buffer, BufferId, Carry, Contraction, Fused, Index, Kernel, Loop, Ordering, Pass, Recurrence, Schedule,
    Source, StepSum, Stream, Sweep, Swept, Target, View,
};
use crate::ir::{DimSet, Graph, NodeId, Size};
use crate::prim::Order;
use std::fmt::{self, Write};

impl Schedule {
    /// A line for each kernel, pass and result.
    pub fn explain(&self, graph: &Graph) -> String {
        let mut out = String::new();
        let text = Text { schedule: self, graph };
        for (index, kernel) in self.kernels.iter().enumerate() {
            // Writing to a string does not fail.
            let _ = text.kernel(&mut out, index, kernel);
        }
        for stream in &self.streams {
            let _ = text.stream(&mut out, stream);
        }
        for sweep in &self.sweeps {
            let _ = text.sweep(&mut out, sweep);
        }
        out
    }
}

impl Schedule {
    /// A number that tells schedules apart: a hash of what [`Schedule::explain`] says and of all programs. It
    /// is the same on every platform, so that the macro and the library can compare theirs.
    pub fn fingerprint(&self, graph: &Graph) -> u64 {
        let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
        // Writing to a hash does not fail.
        let _ = hash.write_str(&self.explain(graph));
        for pass in self.passes() {
            let _ = write!(hash, "{:?}", pass.program);
        }
        // What the readable form leaves out.
        for Buffer { dims, kind, outputs, .. } in &self.buffers {
            let _ = write!(hash, "{dims:?} {kind} {outputs:?}");
        }
        for kernel in &self.kernels {
            if let Kernel::Gather(index) | Kernel::Scatter(_, index) = kernel {
                let _ = write!(hash, "{:?}", index.read);
            }
        }
        hash.0
    }
}

/// The hash FNV-1a of what is written. Source: <http://www.isthe.com/chongo/tech/comp/fnv/>.
struct Fnv(u64);

impl Write for Fnv {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Ok(())
    }
}

struct Text<'a> {
    schedule: &'a Schedule,
    graph: &'a Graph,
}

impl Text<'_> {
    fn kernel(&self, out: &mut String, index: usize, kernel: &Kernel) -> fmt::Result {
        writeln!(out, "kernel {index}: {}", kernel.name())?;
        match kernel {
            Kernel::Loop(nest) => self.nest(out, nest),
            Kernel::Contraction(product) => self.contraction(out, product),
            Kernel::View(view) => self.view(out, view),
            Kernel::Scan(scan) => self.scan(out, scan),
            Kernel::Order(kernel) => self.order(out, kernel),
            Kernel::Gather(gather) => self.index(out, "gather", gather),
            Kernel::Scatter(fold, scatter) => self.index(out, fold.scatter_name(), scatter),
        }
    }

    fn nest(&self, out: &mut String, nest: &Loop) -> fmt::Result {
        writeln!(out, "  for each of {} over {}", self.dims(nest.outer), self.dims(nest.inner))?;
        let targets = nest.passes.iter().flat_map(|pass| &pass.targets);
        let statistics = targets.filter_map(|target| match target {
            Target::Fold { node, .. } => Some(*node),
            Target::Kept(_) | Target::Element(_) | Target::Row(_) | Target::Column { .. } => None,
        });
        let statistics: Vec<NodeId> = statistics.collect();
        for (index, pass) in nest.passes.iter().enumerate() {
            let once = if pass.is_per_row() { " once per row" } else { "" };
            let sources = |sources: &[Source]| {
                let names = sources.iter().map(|source| self.source(*source, &statistics));
                names.collect::<Vec<_>>().join(", ")
            };
            let [uniforms, elements] = [&pass.uniforms, &pass.elements].map(|of| sources(of));
            writeln!(out, "  pass {index}{once}: uniforms ({uniforms}), elements ({elements})")?;
            self.targets(out, pass)?;
        }
        Ok(())
    }

    fn targets(&self, out: &mut String, pass: &Pass) -> fmt::Result {
        for (result, target) in pass.program.results().iter().zip(&pass.targets) {
            let value = self.node(pass.nodes[result.0 as usize]);
            match *target {
                Target::Fold { fold, node } => {
                    writeln!(out, "    {} = {} of {value}", self.node(node), fold.name())?
                }
                Target::Kept(_) => writeln!(out, "    kept {value}")?,
                Target::Element(buffer) | Target::Row(buffer) => {
                    writeln!(out, "    {} <- {value}", self.buffer(buffer))?
                }
                Target::Column { fold, buffer } => {
                    writeln!(out, "    {} <- {} over rows of {value}", self.buffer(buffer), fold.name())?;
                }
            }
        }
        Ok(())
    }

    fn contraction(&self, out: &mut String, product: &Contraction) -> fmt::Result {
        let Contraction { lhs, rhs, batch, m, n, k, out: buffer, epilogue } = product;
        writeln!(
            out,
            "  {} <- {} * {}, batch {}, m {}, n {}, k {}",
            self.buffer(*buffer),
            self.source(*lhs, &[]),
            self.source(*rhs, &[]),
            self.dims(*batch),
            self.dims(*m),
            self.dims(*n),
            self.dims(*k)
        )?;
        match epilogue {
            Some(nest) => self.nest(out, nest),
            None => Ok(()),
        }
    }

    fn index(&self, out: &mut String, what: &str, kernel: &Index) -> fmt::Result {
        let Index { source, index: by, dim, once, out: buffer, .. } = kernel;
        let dim = &self.graph.dim(*dim).name;
        let once = if *once { ", once" } else { "" };
        writeln!(
            out,
            "  {} <- {what} {} at {dim} = {}{once}",
            self.buffer(*buffer),
            self.source(*source, &[]),
            self.source(*by, &[])
        )
    }

    fn scan(&self, out: &mut String, kernel: &Recurrence) -> fmt::Result {
        let operands = kernel.operands.iter().map(|operand| self.source(*operand, &[]));
        let operands = operands.collect::<Vec<_>>().join(", ");
        let direction = if kernel.reverse { "from the last element of" } else { "along" };
        let (buffer, name) = (self.buffer(kernel.out), kernel.scan.name());
        writeln!(out, "  {buffer} <- {name} of {operands} {direction} {}", self.graph.dim(kernel.dim).name)
    }

    fn order(&self, out: &mut String, kernel: &Ordering) -> fmt::Result {
        let operands = kernel.operands.iter().map(|operand| self.source(*operand, &[]));
        let operands = operands.collect::<Vec<_>>().join(", ");
        let (buffer, dim) = (self.buffer(kernel.out), &self.graph.dim(kernel.dim).name);
        let special = match kernel.order {
            Order::Sort { to, descending } => {
                let direction = if descending { ", descending" } else { "" };
                let kept = &self.graph.dim(to).name;
                if to == kernel.dim { direction.to_string() } else { format!(", first {kept}{direction}") }
            }
            Order::Search { right } => if right { ", right" } else { "" }.to_string(),
        };
        writeln!(out, "  {buffer} <- {} of {operands} along {dim}{special}", kernel.order.name())
    }

    fn view(&self, out: &mut String, view: &View) -> fmt::Result {
        let positions = view.positions.iter().map(|(dim, position)| {
            let index = position.index.text(self.graph);
            let divisor = match &position.divisor {
                Size::Literal(1) => String::new(),
                divisor => format!(" by {}", divisor.formula(self.graph)),
            };
            let outside = position.outside.map_or(String::new(), |value| format!(" or {value}"));
            format!("{} = {index}{divisor}{outside}", self.graph.dim(*dim).name)
        });
        let positions = positions.collect::<Vec<_>>().join(", ");
        writeln!(
            out,
            "  {} <- view of {} at {positions}",
            self.buffer(view.out),
            self.source(view.source, &[])
        )
    }

    fn stream(&self, out: &mut String, stream: &Stream) -> fmt::Result {
        let Stream { kernels, rows, batch, along, local, sums, fused } = stream;
        let [rows, batch, along] = [*rows, *batch, *along].map(|dims| self.dims(dims));
        writeln!(out, "stream of kernels {} to {}", kernels.start, kernels.end - 1)?;
        writeln!(out, "  rows {rows}, of which batch {batch}, along {along}")?;
        let names = |ids: &[BufferId]| {
            let names = ids.iter().map(|id| self.node(self.schedule.buffer(*id).node));
            names.collect::<Vec<_>>().join(", ")
        };
        writeln!(out, "  local ({}), sums over rows ({})", names(local), names(sums))?;
        for Fused { scores, nest, sums, .. } in fused {
            writeln!(out, "  as one kernel: scores of kernels {scores:?}, sums of kernels {sums:?}")?;
            self.nest(out, nest)?;
        }
        Ok(())
    }

    fn sweep(&self, out: &mut String, sweep: &Sweep) -> fmt::Result {
        let Sweep { kernels, dim, reverse, nest, carried, sums, .. } = sweep;
        let direction = if *reverse { "from the last element of" } else { "along" };
        let dim = &self.graph.dim(*dim).name;
        writeln!(out, "sweep of kernels {} to {}, {direction} {dim}", kernels.start, kernels.end - 1)?;
        let value = |id: &BufferId| self.node(self.schedule.buffer(*id).node);
        for Swept { how, operands, out: buffer } in carried {
            let operands = operands.iter().map(value).collect::<Vec<_>>().join(", ");
            match how {
                Carry::Scan(scan) => {
                    writeln!(out, "  state {} = {} of {operands}", value(buffer), scan.name())?
                }
                Carry::Delay(outside) => {
                    writeln!(out, "  {} = {operands} of the step before, or {outside}", value(buffer))?;
                }
            }
        }
        for StepSum { operand, out: buffer } in sums {
            writeln!(out, "  {} <- sum over the steps of {}", self.buffer(*buffer), value(operand))?;
        }
        self.nest(out, nest)
    }

    fn buffer(&self, id: BufferId) -> String {
        let buffer = self.schedule.buffer(id);
        let dims = self.dims(buffer.dims);
        match buffer.outputs.first() {
            Some(output) => format!("{}{dims}", self.graph.outputs[*output].name),
            None => format!("temp {}{dims}", self.node(buffer.node)),
        }
    }

    fn source(&self, source: Source, statistics: &[NodeId]) -> String {
        match source {
            Source::Arg(arg) => self.graph.args[arg].name.clone(),
            Source::Buffer(id) => self.node(self.schedule.buffer(id).node),
            Source::Statistic(index) => self.node(statistics[index]),
            Source::Kept(kept) => format!("kept {}", self.node(kept.node)),
            Source::Len(dims) => format!("len{}", self.dims(dims)),
            Source::Iota(dim) => format!("iota[{}]", self.graph.dim(dim).name),
        }
    }

    fn node(&self, id: NodeId) -> String {
        match &self.graph.node(id).name {
            Some(name) => format!("%{} {name}", id.0),
            None => format!("%{}", id.0),
        }
    }

    fn dims(&self, dims: DimSet) -> String {
        let names: Vec<&str> = dims.iter().map(|d| self.graph.dim(d).name.as_str()).collect();
        format!("[{}]", names.join(", "))
    }
}
