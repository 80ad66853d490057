//! The readable form of a schedule, for snapshots and docs.

use super::{Class, Contraction, Index, Kernel, Leaf, Loop, Schedule, Source, Target};
use crate::ir::{DimSet, Graph, NodeId};
use std::fmt::{self, Display, Write};

impl Schedule {
    /// A line for each kernel, pass and result.
    pub fn explain(&self, graph: &Graph) -> String {
        let mut out = String::new();
        let text = Text { schedule: self, graph };
        for (index, kernel) in self.kernels.iter().enumerate() {
            // Writing to a string does not fail.
            let _ = text.kernel(&mut out, index, kernel);
        }
        out
    }
}

impl Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Class::Pointwise => "pointwise",
            Class::Row => "row",
            Class::Column => "column",
            Class::Mixed => "mixed",
            Class::Contraction => "contraction",
            Class::Index => "index",
        })
    }
}

struct Text<'a> {
    schedule: &'a Schedule,
    graph: &'a Graph,
}

impl Text<'_> {
    fn kernel(&self, out: &mut String, index: usize, kernel: &Kernel) -> fmt::Result {
        match kernel {
            Kernel::Loop(nest) => {
                writeln!(out, "kernel {index}: {}", nest.class)?;
                self.nest(out, nest)
            }
            Kernel::Contraction(product) => {
                writeln!(out, "kernel {index}: contraction")?;
                self.contraction(out, product)
            }
            Kernel::Gather(gather) => self.index(out, index, "gather", gather),
            Kernel::Scatter(scatter) => self.index(out, index, "scatter", scatter),
        }
    }

    fn nest(&self, out: &mut String, nest: &Loop) -> fmt::Result {
        writeln!(out, "  for each of {} over {}", self.dims(nest.outer), self.dims(nest.inner))?;
        for (index, pass) in nest.passes.iter().enumerate() {
            let once = if pass.is_per_row() { " once per row" } else { "" };
            writeln!(
                out,
                "  pass {index}{once}: uniforms ({}), elements ({})",
                self.leaves(&pass.uniforms),
                self.leaves(&pass.elements)
            )?;
            for result in &pass.results {
                let value = self.node(result.value);
                match result.target {
                    Target::Fold { fold, node } => {
                        writeln!(out, "    {} = {} of {value}", self.node(node), fold.name())?
                    }
                    Target::Element(buffer) | Target::Row(buffer) => {
                        writeln!(out, "    {} <- {value}", self.buffer(buffer))?
                    }
                    Target::Column { fold, buffer } => {
                        writeln!(out, "    {} <- {} over rows of {value}", self.buffer(buffer), fold.name())?;
                    }
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
            self.leaf(*lhs),
            self.leaf(*rhs),
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

    fn index(&self, out: &mut String, index: usize, what: &str, kernel: &Index) -> fmt::Result {
        let Index { source, index: by, dim, out: buffer } = kernel;
        writeln!(out, "kernel {index}: index")?;
        let dim = &self.graph.dim(*dim).name;
        writeln!(
            out,
            "  {} <- {what} {} at {dim} = {}",
            self.buffer(*buffer),
            self.leaf(*source),
            self.leaf(*by)
        )
    }

    fn buffer(&self, id: super::BufferId) -> String {
        let buffer = self.schedule.buffer(id);
        let dims = self.dims(buffer.dims);
        match buffer.outputs.first() {
            Some(output) => format!("{}{dims}", self.graph.outputs[*output].name),
            None => format!("temp {}{dims}", self.node(buffer.node)),
        }
    }

    fn leaves(&self, leaves: &[Leaf]) -> String {
        leaves.iter().map(|leaf| self.leaf(*leaf)).collect::<Vec<_>>().join(", ")
    }

    fn leaf(&self, leaf: Leaf) -> String {
        match leaf.source {
            Source::Arg(arg) => self.graph.args[arg].name.clone(),
            Source::Buffer(_) | Source::Statistic => self.node(leaf.node),
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
