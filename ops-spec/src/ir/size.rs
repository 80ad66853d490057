//! Sizes: whole numbers that are known when an op is called.
//!
//! A size is an expression over the sizes of dims and the integer arguments of the op, such as
//! `(h + 2 * pad - k) / stride + 1`. Division rounds down.

#[cfg(all(test, feature = "syntax"))]
mod tests;
mod text;

pub(super) use text::SizeText;

use super::{ArgType, Builder, DimId, DimKind, DimSet, Graph, Kind, NodeId, Op, Scalar, Value};
use crate::prim::Prim;

/// An integer that is known when the op is called.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Size {
    /// A number.
    Literal(i64),
    /// The size of a dim.
    Len(DimId),
    /// The integer argument with this index.
    Arg(usize),
    /// Arithmetic on two sizes.
    Pair(SizeOp, Box<[Size; 2]>),
}

/// What is done with two sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SizeOp {
    /// Addition.
    Add,
    /// Subtraction.
    Sub,
    /// Multiplication.
    Mul,
    /// Division, rounded down.
    Div,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
}

impl SizeOp {
    /// All of them.
    pub const ALL: [SizeOp; 6] =
        [SizeOp::Add, SizeOp::Sub, SizeOp::Mul, SizeOp::Div, SizeOp::Min, SizeOp::Max];

    /// The operator, or the function of the language.
    pub fn sign(self) -> &'static str {
        match self {
            SizeOp::Add => "+",
            SizeOp::Sub => "-",
            SizeOp::Mul => "*",
            SizeOp::Div => "/",
            SizeOp::Min => "minimum",
            SizeOp::Max => "maximum",
        }
    }

    /// The operation that a primitive is. The primitive `div` is none: it rounds toward zero.
    pub(super) fn of_prim(prim: Prim) -> Option<SizeOp> {
        match prim {
            Prim::Add => Some(SizeOp::Add),
            Prim::Sub => Some(SizeOp::Sub),
            Prim::Mul => Some(SizeOp::Mul),
            Prim::Minimum => Some(SizeOp::Min),
            Prim::Maximum => Some(SizeOp::Max),
            _ => None,
        }
    }

    /// The result; `None` if it does not fit into `i64`, or for a division by zero.
    pub fn of(self, a: i64, b: i64) -> Option<i64> {
        match self {
            SizeOp::Add => a.checked_add(b),
            SizeOp::Sub => a.checked_sub(b),
            SizeOp::Mul => a.checked_mul(b),
            SizeOp::Div => {
                let quotient = a.checked_div(b)?;
                Some(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
            }
            SizeOp::Min => Some(a.min(b)),
            SizeOp::Max => Some(a.max(b)),
        }
    }
}

impl Size {
    /// Whether it becomes larger with a part that is this one, and not smaller.
    pub fn grows_with(&self, is_part: &impl Fn(&Size) -> bool) -> bool {
        match self {
            Size::Literal(_) | Size::Arg(_) | Size::Len(_) => is_part(self),
            Size::Pair(SizeOp::Add | SizeOp::Mul, pair) => pair.iter().any(|size| size.grows_with(is_part)),
            Size::Pair(SizeOp::Min | SizeOp::Max, pair) => pair.iter().all(|size| size.grows_with(is_part)),
            Size::Pair(SizeOp::Sub | SizeOp::Div, pair) => pair[0].grows_with(is_part),
        }
    }

    /// Whether something in it is divided by another size.
    fn divides_by(&self, divisor: &Size) -> bool {
        match self {
            Size::Literal(_) | Size::Arg(_) | Size::Len(_) => false,
            Size::Pair(operation, pair) => {
                (*operation == SizeOp::Div && pair[1] == *divisor)
                    || pair.iter().any(|size| size.divides_by(divisor))
            }
        }
    }

    /// Arithmetic on two sizes. Numbers are combined, and what changes nothing is left out.
    pub fn pair(operation: SizeOp, a: Size, b: Size) -> Size {
        match (operation, &a, &b) {
            (_, Size::Literal(x), Size::Literal(y)) if operation.of(*x, *y).is_some() => {
                Size::Literal(operation.of(*x, *y).unwrap_or_default())
            }
            (SizeOp::Add | SizeOp::Sub, ..) => {
                sum(operation, &a, &b).unwrap_or_else(|| Size::Pair(operation, Box::new([a, b])))
            }
            (SizeOp::Min | SizeOp::Max, ..) if a == b => a,
            (SizeOp::Mul, Size::Literal(1), _) => b,
            (SizeOp::Mul | SizeOp::Div, _, Size::Literal(1)) => a,
            (SizeOp::Mul, Size::Literal(-1), _) => b.negative(),
            (SizeOp::Mul, _, Size::Literal(-1)) => a.negative(),
            (SizeOp::Mul, Size::Literal(0), _) | (SizeOp::Mul, _, Size::Literal(0)) => Size::Literal(0),
            _ => Size::Pair(operation, Box::new([a, b])),
        }
    }

    /// The negative.
    pub fn negative(self) -> Size {
        match self {
            Size::Pair(SizeOp::Sub, pair) => {
                let [a, b] = *pair;
                Size::pair(SizeOp::Sub, b, a)
            }
            other => Size::pair(SizeOp::Sub, Size::Literal(0), other),
        }
    }

    /// Whether the size is written as a negative, and the size without the minus.
    pub(super) fn magnitude(&self) -> (bool, Size) {
        match self {
            Size::Literal(value) if *value < 0 && *value > i64::MIN => (true, Size::Literal(-value)),
            Size::Pair(SizeOp::Sub, pair) if pair[0] == Size::Literal(0) => (true, pair[1].clone()),
            Size::Literal(_) | Size::Len(_) | Size::Arg(_) | Size::Pair(..) => (false, self.clone()),
        }
    }

    /// The number, if the size is one.
    pub fn literal(&self) -> Option<i64> {
        match self {
            Size::Literal(value) => Some(*value),
            Size::Len(_) | Size::Arg(_) | Size::Pair(..) => None,
        }
    }

    /// The value, given those of dims and arguments. `None` if one is unknown, or if it does not fit.
    pub fn value(
        &self,
        len: &impl Fn(DimId) -> Option<i64>,
        arg: &impl Fn(usize) -> Option<i64>,
    ) -> Option<i64> {
        match self {
            Size::Literal(value) => Some(*value),
            Size::Len(dim) => len(*dim),
            Size::Arg(index) => arg(*index),
            Size::Pair(operation, pair) => operation.of(pair[0].value(len, arg)?, pair[1].value(len, arg)?),
        }
    }

    /// The same expression with other leaves. `None` if a leaf has no counterpart.
    pub fn map(
        &self,
        len: &impl Fn(DimId) -> Option<Size>,
        arg: &impl Fn(usize) -> Option<Size>,
    ) -> Option<Size> {
        match self {
            Size::Literal(value) => Some(Size::Literal(*value)),
            Size::Len(dim) => len(*dim),
            Size::Arg(index) => arg(*index),
            Size::Pair(operation, pair) => {
                Some(Size::pair(*operation, pair[0].map(len, arg)?, pair[1].map(len, arg)?))
            }
        }
    }

    /// The size as an int value.
    pub fn node<'b>(&self, builder: &'b Builder) -> Value<'b> {
        match self {
            Size::Literal(value) => builder.literal(Scalar::Int(*value)),
            Size::Len(dim) => builder.len(DimSet::one(*dim), Kind::Int),
            Size::Arg(arg) => {
                let is_bool = builder.read(|graph| graph.args[*arg].is_bool());
                let kind = if is_bool { Kind::Bool } else { Kind::Int };
                builder.input(*arg, DimSet::EMPTY, kind).cast(Kind::Int)
            }
            Size::Pair(operation, pair) => {
                let [a, b] = [pair[0].node(builder), pair[1].node(builder)];
                match operation {
                    SizeOp::Add => a + b,
                    SizeOp::Sub => a - b,
                    SizeOp::Mul => a * b,
                    // The primitive rounds toward zero, a size rounds down.
                    SizeOp::Div => {
                        let rest = a.zip(Prim::Rem, b);
                        (a - (rest + b).zip(Prim::Rem, b)) / b
                    }
                    SizeOp::Min => a.zip(Prim::Minimum, b),
                    SizeOp::Max => a.zip(Prim::Maximum, b),
                }
            }
        }
    }

    /// The dims whose sizes it uses.
    pub fn dims(&self) -> DimSet {
        match self {
            Size::Literal(_) | Size::Arg(_) => DimSet::EMPTY,
            Size::Len(dim) => DimSet::one(*dim),
            Size::Pair(_, pair) => pair[0].dims().union(pair[1].dims()),
        }
    }

    /// The arguments that it uses.
    pub fn args(&self) -> Vec<usize> {
        match self {
            Size::Literal(_) | Size::Len(_) => vec![],
            Size::Arg(index) => vec![*index],
            Size::Pair(_, pair) => [pair[0].args(), pair[1].args()].concat(),
        }
    }

    /// Renumbers arguments.
    pub fn renumber(&mut self, new_index: &[usize]) {
        match self {
            Size::Literal(_) | Size::Len(_) => {}
            Size::Arg(index) => *index = new_index[*index],
            Size::Pair(_, pair) => pair.iter_mut().for_each(|size| size.renumber(new_index)),
        }
    }

    /// The expression, as it is written in a declaration.
    pub fn text<'a>(&'a self, graph: &'a Graph) -> SizeText<'a> {
        SizeText { size: self, graph, in_formula: false }
    }

    /// The expression, as it is written in a formula.
    pub fn formula<'a>(&'a self, graph: &'a Graph) -> SizeText<'a> {
        SizeText { size: self, graph, in_formula: true }
    }
}

/// A sum or difference in which equal terms are one, and terms that cancel are gone. `None` if a number does
/// not fit.
fn sum(operation: SizeOp, a: &Size, b: &Size) -> Option<Size> {
    let mut terms = Terms { times: vec![], number: 0 };
    terms.add(a, 1)?;
    terms.add(b, if operation == SizeOp::Sub { -1 } else { 1 })?;
    Some(terms.size())
}

/// A sum of sizes, each times a number, in the order in which they were found; and a number.
struct Terms {
    times: Vec<(Size, i64)>,
    number: i64,
}

impl Terms {
    fn add(&mut self, size: &Size, times: i64) -> Option<()> {
        match size {
            Size::Literal(value) => self.number = self.number.checked_add(value.checked_mul(times)?)?,
            Size::Pair(SizeOp::Add, pair) => {
                self.add(&pair[0], times)?;
                self.add(&pair[1], times)?;
            }
            Size::Pair(SizeOp::Sub, pair) => {
                self.add(&pair[0], times)?;
                self.add(&pair[1], times.checked_neg()?)?;
            }
            Size::Pair(SizeOp::Mul, pair) if pair[0].literal().is_some() => {
                self.add(&pair[1], times.checked_mul(pair[0].literal()?)?)?;
            }
            Size::Pair(SizeOp::Mul, pair) if pair[1].literal().is_some() => {
                self.add(&pair[0], times.checked_mul(pair[1].literal()?)?)?;
            }
            Size::Len(_)
            | Size::Arg(_)
            | Size::Pair(SizeOp::Mul | SizeOp::Div | SizeOp::Min | SizeOp::Max, _) => {
                match self.times.iter_mut().find(|(own, _)| own == size) {
                    Some((_, sum)) => *sum = sum.checked_add(times)?,
                    None => self.times.push((size.clone(), times)),
                }
            }
        }
        Some(())
    }

    /// What is added comes before what is subtracted, and the number comes last.
    fn size(self) -> Size {
        let pair = |operation, a, b| Size::Pair(operation, Box::new([a, b]));
        let term = |(size, times): &(Size, i64)| match times.unsigned_abs() {
            1 => size.clone(),
            times => pair(SizeOp::Mul, Size::Literal(times as i64), size.clone()),
        };
        let added = self.times.iter().filter(|(_, times)| *times > 0).map(term);
        let added = added.reduce(|a, b| pair(SizeOp::Add, a, b));
        let subtracted = self.times.iter().filter(|(_, times)| *times < 0).map(term);
        match (added, self.number) {
            (Some(added), number) => {
                let size = subtracted.fold(added, |a, b| pair(SizeOp::Sub, a, b));
                match number {
                    0 => size,
                    1.. => pair(SizeOp::Add, size, Size::Literal(number)),
                    _ => pair(SizeOp::Sub, size, Size::Literal(number.saturating_neg())),
                }
            }
            (None, number) => subtracted.fold(Size::Literal(number), |a, b| pair(SizeOp::Sub, a, b)),
        }
    }
}

impl Graph {
    /// The sizes of dims that are expressions.
    pub fn computed_sizes(&self) -> impl Iterator<Item = &Size> {
        self.dims.iter().filter_map(|dim| match &dim.kind {
            DimKind::Computed(size) => Some(size),
            DimKind::Group | DimKind::Named | DimKind::Axis(_) | DimKind::Sized(_) | DimKind::Fixed(_) => {
                None
            }
        })
    }

    /// Whether a size is not zero in any call that is valid.
    pub fn is_never_zero(&self, size: &Size) -> bool {
        match size {
            Size::Literal(value) => *value != 0,
            Size::Len(_) | Size::Arg(_) => self.computed_sizes().any(|own| own.divides_by(size)),
            Size::Pair(SizeOp::Mul, pair) => pair.iter().all(|factor| self.is_never_zero(factor)),
            Size::Pair(SizeOp::Min | SizeOp::Max, pair) => pair.iter().all(|one| self.is_never_zero(one)),
            Size::Pair(SizeOp::Add | SizeOp::Sub | SizeOp::Div, _) => false,
        }
    }

    /// The size that a value is, if it is a number of the call: made of integers, integer and bool
    /// arguments and sizes by `+ - *`, `minimum` and `maximum`.
    pub fn as_size(&self, id: NodeId) -> Option<Size> {
        let node = self.node(id);
        match &node.op {
            // A bool is 0 or 1.
            Op::Literal(Scalar::Bool(flag)) => return Some(Size::Literal(i64::from(*flag))),
            Op::Input(arg) if self.args[*arg].is_bool() => return Some(Size::Arg(*arg)),
            Op::Cast(flag) if self.node(*flag).kind == Kind::Bool => return self.as_size(*flag),
            _ if node.kind != Kind::Int => return None,
            _ => {}
        }
        match &node.op {
            Op::Literal(Scalar::Int(value)) => Some(Size::Literal(*value)),
            Op::Len(dims) => dims
                .iter()
                .map(|dim| self.has_one_size(dim).then_some(Size::Len(dim)))
                .try_fold(Size::Literal(1), |product, len| Some(Size::pair(SizeOp::Mul, product, len?))),
            Op::Input(arg) => match self.args[*arg].ty {
                ArgType::Scalar { .. } => Some(Size::Arg(*arg)),
                ArgType::Tensor { .. } | ArgType::Shape { .. } | ArgType::Axis { .. } => None,
            },
            Op::Apply(Prim::Neg, args) => Some(self.as_size(args[0])?.negative()),
            Op::Apply(prim, args) => {
                let operation = SizeOp::of_prim(*prim)?;
                Some(Size::pair(operation, self.as_size(args[0])?, self.as_size(args[1])?))
            }
            Op::Literal(_) | Op::Iota(_) | Op::Cast(_) | Op::Reduce(..) | Op::Scan { .. } => None,
            Op::At { .. } | Op::Order { .. } => None,
            Op::Window { .. } | Op::Scatter { .. } | Op::StopGrad(_) | Op::Given { .. } | Op::Seed(_) => None,
        }
    }
}
