//! Parsing. A cursor walks over each line; there are no tokens in between. Text that the printer can't have
//! written is an error with its line number.

mod check;

use super::cursor::{Cursor, Parsed, kind_named};
use crate::ir::{
    Affine, Arg, ArgType, Axis, Dim, DimId, DimKind, DimSet, GivenRule, Graph, IntSource, Node, NodeId, Op,
    Output, Position, Precision, Role, ScalarType, Size, SizeOp,
};
use crate::prim::{Fold, Order, Prim, Scan};
use std::fmt;

/// Text that is not a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// Line number, starting at 1.
    pub line: usize,
    /// What was found and what was expected.
    pub message: String,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for TextError {}

impl Graph {
    /// Reads what `Display` printed.
    pub fn parse(text: &str) -> Result<Graph, TextError> {
        let mut parser = Parser {
            graph: Graph::new(String::new(), vec![], vec![]),
            args: text.lines().filter_map(declared_arg).collect(),
        };
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let mut cursor = Cursor { rest: line.trim() };
            parser.line(&mut cursor).map_err(|message| TextError { line: index + 1, message })?;
        }
        let unfinished = parser.graph.args.len() != parser.args.len() || parser.graph.name.is_empty();
        if unfinished {
            let message = "the text ends before all arguments are read, or names no op".to_string();
            return Err(TextError { line: text.lines().count(), message });
        }
        Ok(parser.graph)
    }
}

/// Sizes that the printer writes are far less deep.
const DEEPEST_SIZE: usize = 64;

struct Parser<'t> {
    graph: Graph,
    /// Names of all arguments. They are known before the lines of the arguments are parsed, because dims
    /// refer to them earlier.
    args: Vec<&'t str>,
}

fn precision(word: &str) -> Parsed<Precision> {
    Precision::from_name(word).ok_or_else(|| format!("`{word}` is no precision"))
}

fn declared_arg(line: &str) -> Option<&str> {
    line.trim().strip_prefix("arg ")?.split(':').next()
}

impl<'t> Parser<'t> {
    fn line(&mut self, line: &mut Cursor<'t>) -> Parsed<()> {
        if line.rest.starts_with('%') {
            let node = self.node(line)?;
            self.graph.nodes.push(node);
        } else {
            match line.word()? {
                "op" => self.graph.name = line.word()?.to_string(),
                "precision" => self.graph.precision = Some(precision(line.word()?)?),
                "dim" => self.dim(line)?,
                "arg" => self.arg(line)?,
                "out" => self.output(line)?,
                other => {
                    return Err(format!(
                        "`{other}` begins no line: expected op, precision, dim, arg, out or a node"
                    ));
                }
            }
        }
        if line.rest.is_empty() { Ok(()) } else { Err(format!("`{}` is left over", line.rest)) }
    }

    fn dim(&mut self, line: &mut Cursor<'t>) -> Parsed<()> {
        let name = line.word()?.to_string();
        let kind = match line.word()? {
            "group" => DimKind::Group,
            "named" => DimKind::Named,
            "axis" => DimKind::Axis(self.arg_index(line)?),
            "sized" => DimKind::Sized(self.arg_index(line)?),
            "fixed" => DimKind::Fixed(line.number()?),
            "computed" => DimKind::Computed(self.size(line, 0)?),
            other => return Err(format!("`{other}` is no kind of dim")),
        };
        if self.graph.dims.len() == DimId::MAX || self.graph.dims.iter().any(|d| d.name == name) {
            return Err(format!("dim `{name}` is one too many or there already"));
        }
        self.graph.dims.push(Dim { name, kind });
        Ok(())
    }

    fn arg(&mut self, line: &mut Cursor<'t>) -> Parsed<()> {
        let name = line.word()?.to_string();
        if self.graph.args.iter().any(|a| a.name == name) {
            return Err(format!("argument `{name}` is there already"));
        }
        line.expect(":")?;
        let ty = self.arg_type(line)?;
        let like = if line.eat("like") { Some(line.word()?.to_string()) } else { None };
        let list = if line.eat("of") { Some(line.word()?.to_string()) } else { None };
        line.expect(",")?;
        let role = match line.word()? {
            "forward" => Role::Forward(line.number()?),
            "output" => Role::Output(line.number()?),
            "grad" => Role::Grad(line.number()?),
            "tangent" => Role::Tangent(line.number()?),
            other => return Err(format!("`{other}` is no role of an argument")),
        };
        self.graph.args.push(Arg { name, list, like, ty, role });
        Ok(())
    }

    fn arg_type(&self, line: &mut Cursor<'t>) -> Parsed<ArgType> {
        let word = line.word()?;
        if let Some(kind) = kind_named(word)
            && line.rest.starts_with('[')
        {
            let axes = self.axes(line)?;
            let no_grad = line.eat("no_grad");
            return Ok(ArgType::Tensor { kind, axes, no_grad });
        }
        let scalar = match word {
            "shape" => return Ok(ArgType::Shape { axes: self.axes(line)? }),
            "axis" | "axes" => {
                let default = if line.eat("=") { Some(line.number()?) } else { None };
                return Ok(ArgType::Axis { default, several: word == "axes" });
            }
            other => {
                ScalarType::from_name(other).ok_or_else(|| format!("`{other}` is no type of an argument"))?
            }
        };
        let default = if line.eat("=") { Some(line.scalar(scalar.kind())?) } else { None };
        Ok(ArgType::Scalar { ty: scalar, default })
    }

    fn output(&mut self, line: &mut Cursor<'t>) -> Parsed<()> {
        let name = line.word()?.to_string();
        line.expect("=")?;
        let node = self.operand(line)?;
        let axes = self.axes(line)?;
        let like = if line.eat("like") { Some(self.arg_index(line)?) } else { None };
        let hidden = line.eat("hidden");
        let ints = self.ints(line)?;
        self.graph.outputs.push(Output { name, node, axes, like, hidden, ints });
        Ok(())
    }

    fn ints(&self, line: &mut Cursor<'t>) -> Parsed<IntSource> {
        let has_args = line.eat("of(");
        let args = if has_args { self.list(line, ")", |line| self.arg_index(line))? } else { vec![] };
        Ok(IntSource { args, sums: line.eat("sums"), counts: line.eat("counts") })
    }

    fn node(&self, line: &mut Cursor<'t>) -> Parsed<Node> {
        line.expect("%")?;
        let id: usize = line.number()?;
        if id != self.graph.nodes.len() {
            return Err(format!("node %{id} is out of order: expected %{}", self.graph.nodes.len()));
        }
        let name = if line.rest.starts_with('=') { None } else { Some(line.word()?.to_string()) };
        line.expect("=")?;
        let word = line.word()?;
        let op = if word == "literal" { self.literal(line)? } else { self.op(word, line)? };
        line.expect(":")?;
        let kind = line.kind()?;
        line.expect("[")?;
        let node = Node { op, dims: self.dims(line, "]")?, kind, name };
        self.check(&node)?;
        Ok(node)
    }

    /// The kind of a literal is written after it.
    fn literal(&self, line: &mut Cursor<'t>) -> Parsed<Op> {
        let (_, kind) = line.rest.split_once(':').ok_or("expected `:` behind the literal")?;
        let kind = Cursor { rest: kind.trim() }.kind()?;
        Ok(Op::Literal(line.scalar(kind)?))
    }

    fn op(&self, word: &str, line: &mut Cursor<'t>) -> Parsed<Op> {
        match word {
            "input" => return Ok(Op::Input(self.arg_index(line)?)),
            "seed" => return Ok(Op::Seed(line.number()?)),
            _ => line.expect("(")?,
        }
        let op = match word {
            "len" => return Ok(Op::Len(self.dims(line, ")")?)),
            "iota" => Op::Iota(self.one_dim(line)?),
            "cast" => Op::Cast(self.operand(line)?),
            "stop_grad" => Op::StopGrad(self.operand(line)?),
            "at" => {
                let (source, dim, index) = self.indexed(line)?;
                Op::At { source, dim, index }
            }
            "window" => self.window(line)?,
            "given" => self.given(line)?,
            other => return self.call(other, line),
        };
        line.expect(")")?;
        Ok(op)
    }

    fn window(&self, line: &mut Cursor<'t>) -> Parsed<Op> {
        let source = self.operand(line)?;
        line.expect(";")?;
        let dim = self.one_dim(line)?;
        line.expect("=")?;
        let mut index = Affine { offset: self.size(line, 0)?, steps: vec![] };
        while line.eat(",") {
            let step = (self.one_dim(line)?, self.size(line, 0)?);
            if index.steps.last().is_some_and(|(last, _)| *last >= step.0) {
                return Err("dims of a position stand in their order".to_string());
            }
            index.steps.push(step);
        }
        line.expect("/")?;
        let divisor = self.size(line, 0)?;
        let kind = self.graph.node(source).kind;
        let outside = if line.eat("or ") { Some(line.scalar(kind)?) } else { None };
        Ok(Op::Window { source, dim, position: Position { index, divisor, outside } })
    }

    /// A size, inside of so many parentheses.
    fn size(&self, line: &mut Cursor<'t>, depth: usize) -> Parsed<Size> {
        if depth > DEEPEST_SIZE {
            return Err("a size is nested too deeply".to_string());
        }
        if line.eat("len(") {
            let dim = self.one_dim(line)?;
            line.expect(")")?;
            return Ok(Size::Len(dim));
        }
        if line.eat("(") {
            let operation = SizeOp::ALL.into_iter().find(|operation| line.eat(operation.sign()));
            let operation =
                operation.ok_or_else(|| format!("expected + - * / minimum maximum at `{}`", line.rest))?;
            let pair = [self.size(line, depth + 1)?, self.size(line, depth + 1)?];
            line.expect(")")?;
            return Ok(Size::Pair(operation, Box::new(pair)));
        }
        if line.rest.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
            return Ok(Size::Literal(line.number()?));
        }
        Ok(Size::Arg(self.arg_index(line)?))
    }

    fn given(&self, line: &mut Cursor<'t>) -> Parsed<Op> {
        let value = self.operand(line)?;
        let mut rules = vec![];
        while line.eat(";") {
            let input = self.operand(line)?;
            line.expect("<-")?;
            let rule = self.operand(line)?;
            line.expect("by")?;
            rules.push(GivenRule { input, rule, seed: self.operand(line)? });
        }
        Ok(Op::Given { value, rules })
    }

    fn call(&self, name: &str, line: &mut Cursor<'t>) -> Parsed<Op> {
        if let Some(fold) = Fold::from_name(name) {
            let x = self.operand(line)?;
            line.expect(";")?;
            return Ok(Op::Reduce(fold, self.dims(line, ")")?, x));
        }
        if let Some(fold) = Fold::from_scatter_name(name) {
            let (source, dim, index) = self.indexed(line)?;
            let once = line.eat("; once");
            line.expect(")")?;
            return Ok(Op::Scatter { fold, source, dim, index, once });
        }
        if let Some(scan) = Scan::from_name(name) {
            return self.scan(scan, line);
        }
        if let Order::SORT | Order::SEARCH = name {
            return self.order(name == Order::SORT, line);
        }
        let prim = Prim::from_name(name).ok_or_else(|| format!("`{name}` is no operation"))?;
        let args = self.operands(line)?;
        line.expect(")")?;
        Ok(Op::Apply(prim, args))
    }

    fn scan(&self, scan: Scan, line: &mut Cursor<'t>) -> Parsed<Op> {
        let operands = self.operands(line)?;
        line.expect(";")?;
        let reverse = line.eat("reverse ");
        let dim = self.one_dim(line)?;
        line.expect(")")?;
        Ok(Op::Scan { scan, dim, reverse, operands })
    }

    fn indexed(&self, line: &mut Cursor<'t>) -> Parsed<(NodeId, DimId, NodeId)> {
        let source = self.operand(line)?;
        line.expect(";")?;
        let dim = self.one_dim(line)?;
        line.expect("=")?;
        Ok((source, dim, self.operand(line)?))
    }

    fn order(&self, is_sort: bool, line: &mut Cursor<'t>) -> Parsed<Op> {
        let operands = self.operands(line)?;
        line.expect(";")?;
        let is_special = line.eat(if is_sort { "descending " } else { "right " });
        let dim = self.one_dim(line)?;
        let order = if is_sort {
            line.expect("to")?;
            Order::Sort { to: self.one_dim(line)?, descending: is_special }
        } else {
            Order::Search { right: is_special }
        };
        line.expect(")")?;
        Ok(Op::Order { order, dim, operands })
    }

    fn operands(&self, line: &mut Cursor<'t>) -> Parsed<Vec<NodeId>> {
        let mut operands = vec![self.operand(line)?];
        while line.eat(",") {
            operands.push(self.operand(line)?);
        }
        Ok(operands)
    }

    fn operand(&self, line: &mut Cursor<'t>) -> Parsed<NodeId> {
        line.expect("%")?;
        let id: u32 = line.number()?;
        if (id as usize) < self.graph.nodes.len() {
            Ok(NodeId(id))
        } else {
            Err(format!("%{id} comes later"))
        }
    }

    fn arg_index(&self, line: &mut Cursor<'t>) -> Parsed<usize> {
        let name = line.word()?;
        self.args.iter().position(|a| *a == name).ok_or_else(|| format!("no argument is named `{name}`"))
    }

    fn one_dim(&self, line: &mut Cursor<'t>) -> Parsed<DimId> {
        let name = line.word()?;
        let index = self.graph.dims.iter().position(|d| d.name == name);
        index.map(DimId::new).ok_or_else(|| format!("no dim is named `{name}`"))
    }

    fn dims(&self, line: &mut Cursor<'t>, end: &str) -> Parsed<DimSet> {
        Ok(self.list(line, end, |line| self.one_dim(line))?.into_iter().collect())
    }

    fn axes(&self, line: &mut Cursor<'t>) -> Parsed<Vec<Axis>> {
        line.expect("[")?;
        self.list(line, "]", |line| {
            if line.eat("(") {
                Ok(Axis::Parts(self.list(line, ")", |line| self.one_dim(line))?))
            } else {
                Ok(Axis::Dim(self.one_dim(line)?))
            }
        })
    }

    fn list<T>(
        &self,
        line: &mut Cursor<'t>,
        end: &str,
        item: impl Fn(&mut Cursor<'t>) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = vec![];
        while !line.eat(end) {
            if !items.is_empty() {
                line.expect(",")?;
            }
            items.push(item(line)?);
        }
        Ok(items)
    }
}
