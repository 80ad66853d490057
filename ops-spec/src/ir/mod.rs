//! The graph of one operation: what the language means, with names resolved and dims known.
//!
//! A graph comes from lowering at macro time or from [`Graph::parse`] at run time. It goes to
//! differentiation, simplification, scheduling, emission and the interpreters. It does not use syn, so all of
//! these exist at run time too.

mod arg;
mod axes;
mod build;
mod bytes;
mod dims;
mod formula;
mod int_source;
mod kinds;
mod made;
mod operands;
mod place;
mod position;
mod precision;
mod size;
mod text;

pub use axes::ALL_AXES;
pub use build::{Builder, Value};
pub use bytes::{Bytes, Count, FloatWidth};
pub use dims::{DimId, DimSet};
pub use formula::{copies, formula, kept, lines, word};
pub use int_source::IntSource;
pub use position::{Affine, Place, Position};
pub use precision::Precision;
pub use size::{Size, SizeOp};
pub use text::TextError;

use crate::prim::{Fold, Order, Prim, Scan};

/// One operation: a list of nodes in topological order over named dims.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    /// The op's name in snake case.
    pub name: String,
    /// How exactly the op multiplies matrices, if it says so.
    pub precision: Option<Precision>,
    /// All dims, indexed by [`DimId`].
    pub dims: Vec<Dim>,
    /// Arguments in call order.
    pub args: Vec<Arg>,
    /// Nodes; operands come before their users.
    pub nodes: Vec<Node>,
    /// Results in declared order.
    pub outputs: Vec<Output>,
}

/// A dim of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dim {
    /// `n` for a named dim, `..` for the group, the argument's name for an `Axis`.
    pub name: String,
    /// Where its size comes from.
    pub kind: DimKind,
}

/// Where the size of a dim comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DimKind {
    /// `..`: any number of dims, with NumPy broadcasting inside the group.
    Group,
    /// A named dim, bound by the tensors that carry it.
    Named,
    /// An axis of the group, or a set of axes, that the `Axis` or `Axes` argument with this index chooses.
    Axis(usize),
    /// A named dim whose size is the `usize` argument with this index.
    Sized(usize),
    /// A named dim of a written size: `(half = 2, d)`.
    Fixed(usize),
    /// A named dim of a result, with an expression for its size: `o = (n - k) / stride + 1`.
    Computed(Size),
}

/// An argument of an operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Arg {
    /// The declared name.
    pub name: String,
    /// The list that it is an element of: `stride` for both of `stride @ [sh, sw]: [usize; 2]`.
    pub list: Option<String>,
    /// The argument before it whose value it has by default: `kernel_size` for a `stride`.
    pub like: Option<String>,
    /// What the caller passes.
    pub ty: ArgType,
    /// What autodiff passes for it.
    pub role: Role,
}

/// What an argument is to the op that was differentiated. All arguments of a forward op are `Forward`. A
/// gradient has no `Tangent`, and a forward-mode derivative has no `Grad`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The argument with this index.
    Forward(usize),
    /// The saved result with this index.
    Output(usize),
    /// The gradient of the result with this index.
    Grad(usize),
    /// The tangent of the argument with this index: the direction of a forward-mode derivative.
    Tangent(usize),
}

/// What the caller passes for an argument.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgType {
    /// A tensor of this kind with these axes.
    Tensor {
        /// `Tensor`, `IntTensor` or `BoolTensor`.
        kind: Kind,
        /// Declared axes; `[..]` for the plain type.
        axes: Vec<Axis>,
        /// No gradient exists for it: int, bool or `#[no_grad]`.
        no_grad: bool,
    },
    /// Only the shape of a tensor with these axes: some gradients need no more of an argument.
    Shape {
        /// The axes that the forward op declares.
        axes: Vec<Axis>,
    },
    /// A scalar.
    Scalar {
        /// The declared Rust type.
        ty: ScalarType,
        /// From `#[default(..)]`.
        default: Option<Scalar>,
    },
    /// A dim that the caller chooses; negative values count from the end.
    Axis {
        /// From `#[default(..)]`. For several axes it is [`ALL_AXES`].
        default: Option<i64>,
        /// Whether the dim is any number of axes: an argument of type `Axes`. Its value is a code for a set.
        several: bool,
    },
}

/// One declared axis of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Axis {
    /// A dim or the group.
    Dim(DimId),
    /// A composite `(g, c)`, which is split or merged row-major.
    Parts(Vec<DimId>),
}

/// Kind of a value's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// f64, f32, f16 or bf16 in storage; f64 or f32 in arithmetic.
    Float,
    /// i64, i32, u32 or u8 in storage; i64 in arithmetic.
    Int,
    /// bool.
    Bool,
}

/// Rust type of a scalar argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarType {
    /// Float kind.
    F64,
    /// Float kind.
    F32,
    /// Float kind: a number from 0 to 1. Another one is an error of the call.
    Fraction,
    /// Int kind.
    I64,
    /// Int kind; may give a dim its size.
    Usize,
    /// Int kind: the seed of random numbers. A caller who passes none gets one from the device's generator.
    Seed,
    /// Bool kind.
    Bool,
}

/// A scalar value. Floats are equal if their bits are: NaN equals NaN, and -0 does not equal 0, so that equal
/// constants can be shared.
#[derive(Clone, Copy, Debug)]
pub enum Scalar {
    /// Of kind float.
    Float(f64),
    /// Of kind int.
    Int(i64),
    /// Of kind bool.
    Bool(bool),
}

/// Index of a node in [`Graph::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// A value: the operation that computes it, its dims and its kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The operation that computes it.
    pub op: Op,
    /// The dims that it varies over. Operands broadcast by name.
    pub dims: DimSet,
    /// Kind of its elements.
    pub kind: Kind,
    /// Name of the `let` that bound it, for readable output.
    pub name: Option<String>,
}

/// The operation that computes a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// The argument with this index: a tensor, or a scalar (which has no dims).
    Input(usize),
    /// A constant of the node's kind.
    Literal(Scalar),
    /// The product of the sizes of dims, as the node's kind (int or float).
    Len(DimSet),
    /// The index along a dim; int. Along the group, and along several axes, it counts row-major.
    Iota(DimId),
    /// An elementwise primitive; the node's dims are the union of the operands'.
    Apply(Prim, Vec<NodeId>),
    /// Conversion to the node's kind. Float to int truncates and saturates, NaN gives 0; to bool is `!= 0`.
    Cast(NodeId),
    /// A reduction over dims of the operand. The result no longer has these dims.
    Reduce(Fold, DimSet, NodeId),
    /// A scan: each element is combined with the result before it. The dims are those of the operands and
    /// `dim`.
    Scan {
        /// How.
        scan: Scan,
        /// Along which dim.
        dim: DimId,
        /// Whether it goes from the last element to the first.
        reverse: bool,
        /// What it takes, in the order of its row in the table.
        operands: Vec<NodeId>,
    },
    /// Positions in what is sorted along a dim; int. The dims are those of the operands, without the dim of
    /// what is sorted, and that of the result.
    Order {
        /// What is asked for.
        order: Order,
        /// Along which dim of the first operand.
        dim: DimId,
        /// What it takes: the elements; for a search, the sorted elements and what is looked up.
        operands: Vec<NodeId>,
    },
    /// `at(source, dim = index)`. The dims are those of the source without `dim`, and those of the index. A
    /// source that lacks `dim` is the same at each index; only an index out of range is still an error.
    At {
        /// The float, int or bool value that is indexed.
        source: NodeId,
        /// Dim of the source that the index replaces.
        dim: DimId,
        /// Int value; an index out of range is an error at run time.
        index: NodeId,
    },
    /// `at(source, dim = i * stride + k - pad, or = 0.0)`: the source at a position that is known without
    /// reading anything. The dims are those of the source without `dim`, and those of the position.
    Window {
        /// The float, int or bool value that is read. It has `dim`.
        source: NodeId,
        /// Dim of the source that the position replaces.
        dim: DimId,
        /// Where the source is read.
        position: Position,
    },
    /// Combines elements that have one index: starts with the identity over the node's dims and combines it
    /// with each element of `source` at `dim = index`. Dims of source and index that the node lacks are
    /// reduced. If the source has `dim`, that is the position before indexing. The sum is the adjoint of
    /// [`Op::At`].
    Scatter {
        /// How elements are combined.
        fold: Fold,
        /// What is combined.
        source: NodeId,
        /// Dim of the result that the index addresses.
        dim: DimId,
        /// Int value.
        index: NodeId,
        /// Whether it is known that this is a sum in which no place gets more than one element.
        once: bool,
    },
    /// The operand, with no gradient.
    StopGrad(NodeId),
    /// The value, with a given gradient rule.
    Given {
        /// The value.
        value: NodeId,
        /// One rule for each input whose gradient is overridden. Paths into `value` that end at another input
        /// keep their derived gradient.
        rules: Vec<GivenRule>,
    },
    /// The output gradient inside a given rule. It is replaced when the rule is applied. The index tells
    /// nested rules apart.
    Seed(u32),
}

/// A given gradient: `rule`, with `seed` replaced by the gradient of the value, is the gradient of `input`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GivenRule {
    /// The node that receives the gradient.
    pub input: NodeId,
    /// The gradient's expression, in the same graph.
    pub rule: NodeId,
    /// The node that stands for the value's gradient inside `rule`.
    pub seed: NodeId,
}

/// A result of an operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// `out`, `out0`, .. in a forward op; `grad_x` for the gradient of `x`.
    pub name: String,
    /// The value. If it lacks dims of `axes`, it is broadcast along them.
    pub node: NodeId,
    /// Declared axes, in memory order.
    pub axes: Vec<Axis>,
    /// Index of a tensor or shape argument, if the result takes that argument's actual shape. Such a result
    /// is a gradient: it is summed over the dims of the group along which the argument was broadcast. `None`
    /// for forward results.
    pub like: Option<usize>,
    /// Kept for the backward op, in the arithmetic's dtype; not declared. Computed only if asked for.
    pub hidden: bool,
    /// What decides the dtype of the result, if it is an int.
    pub ints: IntSource,
}

impl Graph {
    /// A graph without nodes and results.
    pub fn new(name: String, dims: Vec<Dim>, args: Vec<Arg>) -> Graph {
        Graph { name, precision: None, dims, args, nodes: vec![], outputs: vec![] }
    }

    /// The node with this id.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// Ids of all nodes in topological order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// The dim with this id.
    pub fn dim(&self, id: DimId) -> &Dim {
        &self.dims[id.index()]
    }

    /// Which results are declared ones; these are all that a caller asks for.
    pub fn visible(&self) -> Vec<bool> {
        self.outputs.iter().map(|output| !output.hidden).collect()
    }

    /// The graph with only its hidden results, or only its declared ones, for display. Nodes that these don't
    /// need stay.
    pub fn with_results(&self, hidden: bool) -> Graph {
        let mut graph = self.clone();
        graph.outputs.retain(|output| output.hidden == hidden);
        // A hidden result already has the name of its `let`.
        for output in graph.outputs.iter().filter(|output| output.hidden) {
            graph.nodes[output.node.0 as usize].name = None;
        }
        graph
    }

    /// Id of the group `..`, if the op has one.
    pub fn group(&self) -> Option<DimId> {
        self.dims.iter().position(|d| d.kind == DimKind::Group).map(DimId::new)
    }

    /// Whether the graph has `stop_grad` or given rules, which change derivatives but not values.
    pub fn has_gradient_markers(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node.op, Op::StopGrad(_) | Op::Given { .. }))
    }

    /// The fold, its dims and its operand, if the node is a reduction.
    pub fn reduction(&self, id: NodeId) -> Option<(Fold, DimSet, NodeId)> {
        let Op::Reduce(fold, dims, operand) = self.node(id).op else { return None };
        Some((fold, dims, operand))
    }

    /// The product of the written sizes of these dims. `None` if it does not fit into `i64`.
    pub fn fixed_size(&self, dims: DimSet) -> Option<i64> {
        let sizes = dims.iter().filter_map(|dim| match self.dim(dim).kind {
            DimKind::Fixed(size) => Some(size),
            DimKind::Group | DimKind::Named | DimKind::Axis(_) | DimKind::Sized(_) => None,
            DimKind::Computed(_) => None,
        });
        let mut sizes: Vec<usize> = sizes.collect();
        // Zeros come first: after a zero the product can't overflow.
        sizes.sort_unstable();
        sizes.into_iter().try_fold(1_i64, |product, size| product.checked_mul(i64::try_from(size).ok()?))
    }
}
