//! A declaration as written: names are not resolved yet, spans are kept, and what the language lacks is gone.
//!
//! Comes from `parse`; goes to `lower` for its meaning and to `emit` for its signature. What could not be read stands as
//! an error node, already reported, so that the rest is still checked and the signature still emitted.

use crate::ir::{Kind, Scalar, ScalarType};
use crate::prim::Prim;
use proc_macro2::{Ident, Span};

/// A function under `#[tensor_op]`.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// Attributes that go to the generated items: docs, `cfg`, lints, `must_use`, `inline`, `deprecated`.
    pub(crate) attrs: Vec<syn::Attribute>,
    /// Visibility of what is generated.
    pub(crate) vis: syn::Visibility,
    /// Name of the function.
    pub(crate) name: Ident,
    /// Arguments in order.
    pub(crate) args: Vec<Arg>,
    /// Result types; more than one if a tuple was declared. Empty if the result could not be read.
    pub(crate) results: Vec<TensorType>,
    /// `let`s in order.
    pub(crate) lets: Vec<Let>,
    /// The last expression: as many as results if all is well.
    pub(crate) tail: Vec<Expr>,
    /// Given gradients.
    pub(crate) rules: Vec<Rule>,
    /// `#[no_grad]` on the op.
    pub(crate) no_grad: bool,
    /// `#[save(..)]` or `#[recompute]`.
    pub(crate) keep: Keep,
    /// `#[kernel(cpu = path)]`.
    pub(crate) cpu_kernel: Option<syn::Path>,
    /// Whether tests are generated: not after `#[tensor_op(tests = false)]`.
    pub(crate) tests: bool,
}

/// An argument.
#[derive(Clone, Debug)]
pub(crate) struct Arg {
    /// Its name.
    pub(crate) name: Ident,
    /// Its type.
    pub(crate) ty: ArgType,
    /// `#[default(..)]`, of the kind of the type.
    pub(crate) default: Option<Scalar>,
    /// `#[no_grad]`.
    pub(crate) no_grad: bool,
}

/// Type of an argument.
#[derive(Clone, Debug)]
pub(crate) enum ArgType {
    /// `Tensor`, `IntTensor`, `BoolTensor`.
    Tensor(TensorType),
    /// `f64`, `f32`, `i64`, `usize`, `bool`.
    Scalar(ScalarType),
    /// `Axis`.
    Axis,
    /// Reported: anything else.
    Error,
}

/// Type of a tensor.
#[derive(Clone, Debug)]
pub(crate) struct TensorType {
    /// Kind of the elements.
    pub(crate) kind: Kind,
    /// Axes; a bare `Tensor` has the group.
    pub(crate) axes: Vec<Axis>,
    /// The word `Tensor`.
    pub(crate) span: Span,
}

/// An axis of a tensor type.
#[derive(Clone, Debug)]
pub(crate) enum Axis {
    /// `..`, or what a bare type stands for.
    Group(Span),
    /// `n` or `n = 3`.
    Dim(Dim),
    /// `(g, c)`.
    Parts(Vec<Dim>),
}

/// A dim where a type names it.
#[derive(Clone, Debug)]
pub(crate) struct Dim {
    /// Its name.
    pub(crate) name: Ident,
    /// A written size.
    pub(crate) size: Option<usize>,
}

/// `let name = value;`
#[derive(Clone, Debug)]
pub(crate) struct Let {
    /// The name.
    pub(crate) name: Ident,
    /// The value.
    pub(crate) value: Expr,
}

/// What the op keeps for its gradient, beside arguments.
#[derive(Clone, Debug, Default)]
pub(crate) enum Keep {
    /// What is cheapest.
    #[default]
    Cheapest,
    /// `#[recompute]`: nothing.
    Nothing(Span),
    /// `#[save(mu, rstd)]`: these lets.
    Lets(Vec<Ident>),
}

/// `name = value` in `#[grad(..)]`.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    /// The argument.
    pub(crate) input: Ident,
    /// Its gradient.
    pub(crate) value: Expr,
}

/// An expression.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    /// What it is.
    pub(crate) kind: ExprKind,
    /// The token that stands for it: a name, a literal, an operator.
    pub(crate) span: Span,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    /// An argument, `let`, constant, or where dims are named a dim.
    Name(Ident),
    /// `..`, where dims are named.
    Group,
    /// An integer, which adapts to the kind it meets.
    Int(i64),
    /// A literal of a fixed kind.
    Literal(Scalar),
    /// An operator.
    Operator(Prim, Vec<Expr>),
    /// `f(a, b)`, or `a.f(b)`, whose receiver is the first argument.
    Call(Ident, Vec<Argument>),
    /// Several dims.
    Tuple(Vec<Expr>),
    /// Reported.
    Error,
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub(crate) enum Argument {
    /// A value or dims.
    Plain(Expr),
    /// `n = ids`, as `at` takes it.
    Index(Ident, Expr),
}

impl ArgType {
    /// Whether a gradient can flow to it.
    pub(crate) fn is_float_tensor(&self) -> bool {
        match self {
            ArgType::Tensor(ty) => ty.kind == Kind::Float,
            ArgType::Scalar(_) | ArgType::Axis | ArgType::Error => false,
        }
    }
}

impl TensorType {
    /// Whether the type is `Tensor` or `Tensor![..]`.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self.axes[..], [Axis::Group(_)])
    }

    /// Whether the type has `..`.
    pub(crate) fn has_group(&self) -> bool {
        self.axes.iter().any(|a| matches!(a, Axis::Group(_)))
    }

    /// Dims that it names, in order.
    pub(crate) fn dims(&self) -> impl Iterator<Item = &Dim> {
        self.axes.iter().flat_map(|axis| match axis {
            Axis::Group(_) => &[][..],
            Axis::Dim(dim) => std::slice::from_ref(dim),
            Axis::Parts(parts) => &parts[..],
        })
    }
}
