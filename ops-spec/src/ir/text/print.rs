//! Printing. Floats are printed in the shortest form that reads back as the same number.

use crate::ir::{
    Arg, ArgType, Axis, Dim, DimId, DimKind, DimSet, Graph, IntSource, NodeId, Op, Output, Role, Scalar, Size,
};
use crate::prim::Order;
use std::fmt::{self, Display, Formatter};

impl Display for Graph {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "op {}", self.name)?;
        if let Some(precision) = self.precision {
            writeln!(f, "precision {}", precision.name())?;
        }
        for dim in &self.dims {
            self.print_dim(f, dim)?;
        }
        for arg in &self.args {
            self.print_arg(f, arg)?;
        }
        for id in self.ids() {
            self.print_node(f, id)?;
        }
        for output in &self.outputs {
            self.print_output(f, output)?;
        }
        Ok(())
    }
}

impl Graph {
    fn print_dim(&self, f: &mut Formatter<'_>, dim: &Dim) -> fmt::Result {
        write!(f, "dim {} ", dim.name)?;
        match &dim.kind {
            DimKind::Group => writeln!(f, "group"),
            DimKind::Named => writeln!(f, "named"),
            DimKind::Axis(arg) => writeln!(f, "axis {}", self.args[*arg].name),
            DimKind::Sized(arg) => writeln!(f, "sized {}", self.args[*arg].name),
            DimKind::Fixed(size) => writeln!(f, "fixed {size}"),
            DimKind::Computed(size) => writeln!(f, "computed {}", SizeForm(self, size)),
        }
    }

    fn print_arg(&self, f: &mut Formatter<'_>, arg: &Arg) -> fmt::Result {
        write!(f, "arg {}: ", arg.name)?;
        match &arg.ty {
            ArgType::Tensor { kind, axes, no_grad } => {
                write!(f, "{kind}{}{}", AxesText(self, axes), if *no_grad { " no_grad" } else { "" })?;
            }
            ArgType::Shape { axes } => write!(f, "shape{}", AxesText(self, axes))?,
            ArgType::Scalar { ty, default } => {
                f.write_str(ty.name())?;
                if let Some(value) = default {
                    write!(f, " = {value}")?;
                }
            }
            ArgType::Axis { default, several } => {
                f.write_str(if *several { "axes" } else { "axis" })?;
                if let Some(value) = default {
                    write!(f, " = {value}")?;
                }
            }
        }
        if let Some(like) = &arg.like {
            write!(f, " like {like}")?;
        }
        if let Some(list) = &arg.list {
            write!(f, " of {list}")?;
        }
        match arg.role {
            Role::Forward(i) => writeln!(f, ", forward {i}"),
            Role::Output(i) => writeln!(f, ", output {i}"),
            Role::Grad(i) => writeln!(f, ", grad {i}"),
            Role::Tangent(i) => writeln!(f, ", tangent {i}"),
        }
    }

    fn print_node(&self, f: &mut Formatter<'_>, id: NodeId) -> fmt::Result {
        let node = self.node(id);
        write!(f, "{id}")?;
        if let Some(name) = &node.name {
            write!(f, " {name}")?;
        }
        f.write_str(" = ")?;
        match &node.op {
            Op::Input(arg) => write!(f, "input {}", self.args[*arg].name)?,
            Op::Literal(value) => write!(f, "literal {value}")?,
            Op::Len(dims) => write!(f, "len({})", DimsText(self, *dims))?,
            Op::Iota(dim) => write!(f, "iota({})", self.dim(*dim).name)?,
            Op::Apply(prim, args) => {
                let args: Vec<String> = args.iter().map(NodeId::to_string).collect();
                write!(f, "{}({})", prim.name(), args.join(", "))?;
            }
            Op::Cast(x) => write!(f, "cast({x})")?,
            Op::Reduce(fold, dims, x) => write!(f, "{}({x}; {})", fold.name(), DimsText(self, *dims))?,
            Op::Scan { scan, dim, reverse, operands } => {
                let operands: Vec<String> = operands.iter().map(NodeId::to_string).collect();
                let direction = if *reverse { "reverse " } else { "" };
                let (operands, dim) = (operands.join(", "), &self.dim(*dim).name);
                write!(f, "{}({operands}; {direction}{dim})", scan.name())?;
            }
            Op::Order { order, dim, operands } => self.print_order(f, *order, *dim, operands)?,
            Op::At { source, dim, index } => write!(f, "at({source}; {} = {index})", self.dim(*dim).name)?,
            Op::Window { source, dim, position } => {
                write!(
                    f,
                    "window({source}; {} = {}",
                    self.dim(*dim).name,
                    SizeForm(self, &position.index.offset)
                )?;
                for (dim, step) in &position.index.steps {
                    write!(f, ", {} {}", self.dim(*dim).name, SizeForm(self, step))?;
                }
                write!(f, " / {}", SizeForm(self, &position.divisor))?;
                if let Some(value) = position.outside {
                    write!(f, " or {value}")?;
                }
                f.write_str(")")?;
            }
            Op::Scatter { fold, source, dim, index, once } => {
                let (name, dim) = (fold.scatter_name(), &self.dim(*dim).name);
                let once = if *once { "; once" } else { "" };
                write!(f, "{name}({source}; {dim} = {index}{once})")?;
            }
            Op::StopGrad(x) => write!(f, "stop_grad({x})")?,
            Op::Given { value, rules } => {
                write!(f, "given({value}")?;
                for rule in rules {
                    write!(f, "; {} <- {} by {}", rule.input, rule.rule, rule.seed)?;
                }
                f.write_str(")")?;
            }
            Op::Seed(index) => write!(f, "seed {index}")?,
        }
        writeln!(f, " : {}[{}]", node.kind, DimsText(self, node.dims))
    }

    fn print_order(
        &self,
        f: &mut Formatter<'_>,
        order: Order,
        dim: DimId,
        operands: &[NodeId],
    ) -> fmt::Result {
        let operands: Vec<String> = operands.iter().map(NodeId::to_string).collect();
        let (operands, dim) = (operands.join(", "), &self.dim(dim).name);
        let special = match order {
            Order::Sort { descending: true, .. } => "descending ",
            Order::Search { right: true } => "right ",
            Order::Sort { descending: false, .. } | Order::Search { right: false } => "",
        };
        let to = order.to().map_or(String::new(), |to| format!(" to {}", self.dim(to).name));
        write!(f, "{}({operands}; {special}{dim}{to})", order.name())
    }

    fn print_output(&self, f: &mut Formatter<'_>, output: &Output) -> fmt::Result {
        write!(f, "out {} = {} {}", output.name, output.node, AxesText(self, &output.axes))?;
        if let Some(arg) = output.like {
            write!(f, " like {}", self.args[arg].name)?;
        }
        if output.hidden {
            f.write_str(" hidden")?;
        }
        self.print_ints(f, &output.ints)?;
        writeln!(f)
    }
}

impl Graph {
    /// Prints nothing if nothing decides the dtype.
    fn print_ints(&self, f: &mut Formatter<'_>, ints: &IntSource) -> fmt::Result {
        if !ints.args.is_empty() {
            let args: Vec<&str> = ints.args.iter().map(|arg| self.args[*arg].name.as_str()).collect();
            write!(f, " of({})", args.join(", "))?;
        }
        f.write_str(if ints.sums { " sums" } else { "" })?;
        f.write_str(if ints.counts { " counts" } else { "" })
    }
}

struct AxesText<'g>(&'g Graph, &'g [Axis]);

impl Display for AxesText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let axes = self.1.iter().map(|axis| match axis {
            Axis::Dim(dim) => self.0.dim(*dim).name.clone(),
            Axis::Parts(parts) => format!("({})", names(self.0, parts.iter().copied())),
        });
        write!(f, "[{}]", axes.collect::<Vec<_>>().join(", "))
    }
}

/// A size with the operation in front: `(+ len(h) pad)`.
struct SizeForm<'g>(&'g Graph, &'g Size);

impl Display for SizeForm<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let graph = self.0;
        match self.1 {
            Size::Literal(value) => write!(f, "{value}"),
            Size::Len(dim) => write!(f, "len({})", graph.dim(*dim).name),
            Size::Arg(arg) => f.write_str(&graph.args[*arg].name),
            Size::Pair(operation, pair) => {
                let [a, b] = [SizeForm(graph, &pair[0]), SizeForm(graph, &pair[1])];
                write!(f, "({} {a} {b})", operation.sign())
            }
        }
    }
}

struct DimsText<'g>(&'g Graph, DimSet);

impl Display for DimsText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&names(self.0, self.1.iter()))
    }
}

fn names(graph: &Graph, dims: impl Iterator<Item = DimId>) -> String {
    dims.map(|d| graph.dim(d).name.as_str()).collect::<Vec<_>>().join(", ")
}

impl Display for NodeId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

impl Display for Scalar {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Float(x) => write!(f, "{x:?}"),
            Scalar::Int(x) => write!(f, "{x}"),
            Scalar::Bool(x) => write!(f, "{x}"),
        }
    }
}
