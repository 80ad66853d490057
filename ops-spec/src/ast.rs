//! A declaration as it was written. Names are not resolved yet and spans are kept, but everything that is not
//! part of the language has been refused.
//!
//! The tree comes from `parse`. It goes to `lower` for its meaning and to `emit` for its signature. A part
//! that could not be read is an error node, which was already reported. So the rest is still checked, and the
//! signature is still emitted.

mod by_hand;
mod form;
mod options;
mod params;

pub(crate) use by_hand::{ByHand, Kernels, Target};
pub(crate) use form::{Arm, Form, Pattern};
pub(crate) use options::{Burn, Method, TestClaim, TestDtype, Tests};
pub(crate) use params::Param;

use crate::ir::{Kind, Precision, Scalar, ScalarType};
use crate::prim::Prim;
use proc_macro2::{Ident, Span};
use quote::ToTokens;

/// A function under `#[tensor_op]`.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// Attributes that go to the generated items: docs, `cfg`, lints, `must_use`, `inline`, `deprecated`.
    pub(crate) attrs: Vec<syn::Attribute>,
    /// Visibility of the generated items.
    pub(crate) vis: syn::Visibility,
    /// Name of the function.
    pub(crate) name: Ident,
    /// The kind that a call has chosen for tensors. A declaration has none, only a formula that was chosen.
    pub(crate) kind: Option<Kind>,
    /// Arguments in order.
    pub(crate) args: Vec<Arg>,
    /// Result types; several if a tuple was declared. Empty if the result could not be read.
    pub(crate) results: Vec<TensorType>,
    /// `let`s in order.
    pub(crate) lets: Vec<Let>,
    /// The last expression, or the expressions of the last tuple. Without mistakes there are as many as
    /// results.
    pub(crate) tail: Vec<Expr>,
    /// Given gradients.
    pub(crate) rules: Vec<Rule>,
    /// Whether the op has `#[no_grad]`.
    pub(crate) no_grad: bool,
    /// What the op keeps for its gradient: `#[save(..)]` or `#[recompute]`.
    pub(crate) keep: Keep,
    /// The word in `#[precision(highest)]`.
    pub(crate) precision: Option<Precision>,
    /// The kernels in `#[kernel(cpu = path, ..)]`.
    pub(crate) kernels: Kernels,
    /// Which tests are generated.
    pub(crate) tests: Tests,
    /// Whether there is a function on Burn's tensors.
    pub(crate) burn: Burn,
    /// Whether the op is a method of its first argument, which is a tensor then.
    pub(crate) method: Method,
    /// Whether the op combines two tuples of tensors into one, so that there is a scan by it.
    pub(crate) associative: bool,
}

/// An argument.
#[derive(Clone, Debug)]
pub(crate) struct Arg {
    /// Its name.
    pub(crate) name: Ident,
    /// The list that it is an element of: `stride` for both of `stride @ [sh, sw]: [usize; 2]`.
    pub(crate) list: Option<Ident>,
    /// Its type.
    pub(crate) ty: ArgType,
    /// The value in `#[default(..)]`, of the type's kind.
    pub(crate) default: Option<Scalar>,
    /// The argument in `#[default(kernel_size)]`, whose value is the default.
    pub(crate) default_arg: Option<Ident>,
    /// The path in `#[default(Reduction::Mean)]`, for a type of the user.
    pub(crate) default_variant: Option<syn::Path>,
    /// Whether it has `#[no_grad]`.
    pub(crate) no_grad: bool,
}

/// Type of an argument.
#[derive(Clone, Debug)]
pub(crate) enum ArgType {
    /// `Tensor`, `IntTensor`, `BoolTensor`, `NumTensor`, `AnyTensor`.
    Tensor(TensorType),
    /// `Option<Tensor![n]>`. A formula that was chosen has none: `choose` made tensors of them or left them
    /// out.
    Optional(TensorType),
    /// A user's enum, by whose variants a call chooses a formula. A formula that was chosen has none.
    Enum(syn::Path),
    /// `f64`, `f32`, `i64`, `usize`, `bool`.
    Scalar(ScalarType),
    /// `Number`: a scalar of the kind that a call chooses for tensors.
    Number,
    /// `Axis`.
    Axis,
    /// `Axes`.
    Axes,
    /// Any other type, which was reported.
    Error,
}

/// The type of a scalar of the kind that a call chooses.
pub(crate) const NUMBER: &str = "Number";
/// The type of an argument that chooses a dim.
pub(crate) const AXIS: &str = "Axis";
/// The type of an argument that chooses any number of dims.
pub(crate) const AXES: &str = "Axes";
/// The default of an argument that chooses all dims.
pub(crate) const ALL: &str = "all";

/// Type of a tensor.
#[derive(Clone, Debug)]
pub(crate) struct TensorType {
    /// Kind of the elements.
    pub(crate) kind: Kind,
    /// The kinds among which a call chooses. A formula that was chosen has none here, and one in `kind`.
    pub(crate) kinds: Option<Kinds>,
    /// Axes; a bare `Tensor` has the group.
    pub(crate) axes: Vec<Axis>,
    /// The span of the word `Tensor`.
    pub(crate) span: Span,
    /// For a result: whether it lacks the axes that the formula has reduced. `choose` says so, where other
    /// formulas of the op keep them.
    pub(crate) may_lack: bool,
}

/// The kinds of a tensor whose kind a call chooses. All such tensors of an op have one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kinds {
    /// `NumTensor`: floats or ints.
    Numbers,
    /// `AnyTensor`: also bools.
    All,
}

impl Kinds {
    pub(crate) const ALL: [Kinds; 2] = [Kinds::Numbers, Kinds::All];

    /// The word for a tensor of these kinds.
    pub(crate) fn tensor(self) -> &'static str {
        match self {
            Kinds::Numbers => "NumTensor",
            Kinds::All => "AnyTensor",
        }
    }

    /// The kinds in the order of the formulas.
    pub(crate) fn list(self) -> &'static [Kind] {
        match self {
            Kinds::Numbers => &[Kind::Float, Kind::Int],
            Kinds::All => &[Kind::Float, Kind::Int, Kind::Bool],
        }
    }
}

/// An axis of a tensor type.
#[derive(Clone, Debug)]
pub(crate) enum Axis {
    /// `..`, or the group of a bare type.
    Group(Span),
    /// `n` or `n = 3`.
    Dim(Dim),
    /// `(g, c)`.
    Parts(Vec<Dim>),
}

/// A dim that a type names.
#[derive(Clone, Debug)]
pub(crate) struct Dim {
    /// Its name.
    pub(crate) name: Ident,
    /// The size, if one is written: a number or an expression.
    pub(crate) size: Option<Expr>,
}

/// `let name = value;`, or `let (a, b) = call;` for the results of an op.
#[derive(Clone, Debug)]
pub(crate) struct Let {
    /// The name, or one name for each result. `None` for `_`, which is only allowed in a tuple.
    pub(crate) names: Vec<Option<Ident>>,
    /// The value.
    pub(crate) value: Expr,
}

/// What the op keeps for its gradient, in addition to arguments.
#[derive(Clone, Debug, Default)]
pub(crate) enum Keep {
    /// Whatever is cheapest.
    #[default]
    Cheapest,
    /// `#[recompute]`: nothing is kept.
    Nothing(Span),
    /// `#[save(mu, rstd)]`: the values of these `let`s.
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
    /// The form of the expression.
    pub(crate) kind: ExprKind,
    /// The span of the token that stands for it: a name, a literal, an operator.
    pub(crate) span: Span,
}

/// The form of an expression.
#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    /// An argument, `let` or constant, or a dim where dims are expected.
    Name(Ident),
    /// `..`, where dims are expected.
    Group,
    /// An integer, which adapts to the kind of the values that it is combined with.
    Int(i64),
    /// A literal of a fixed kind.
    Literal(Scalar),
    /// An operator.
    Operator(Prim, Vec<Expr>),
    /// `f(a, b)`, or `a.f(b)`, whose receiver is the first argument.
    Call(Ident, Vec<Argument>),
    /// `self::f(a, n = d)`: a call of a declared op.
    OpCall(OpCall),
    /// Several dims, or in a call of an op the elements of a list.
    Tuple(Vec<Expr>),
    /// A form that speaks of what a call chooses.
    Form(Form),
    /// A mistake that was reported.
    Error,
}

/// A call of a declared op.
#[derive(Clone, Debug)]
pub(crate) struct OpCall {
    /// A path of two or more words.
    pub(crate) path: syn::Path,
    /// Values for the op's arguments, and dims that are given by name, as in `n = d`.
    pub(crate) args: Vec<Argument>,
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub(crate) enum Argument {
    /// A value or dims.
    Plain(Expr),
    /// `n = ids` or `or = 0.0`, which `at` takes, or `n = d`, which an op takes.
    Index(Ident, Expr),
}

impl Argument {
    /// Its expression, if it has no name.
    pub(crate) fn plain(&self) -> Option<&Expr> {
        match self {
            Argument::Plain(e) => Some(e),
            Argument::Index(..) => None,
        }
    }

    /// Its expression, with or without a name.
    pub(crate) fn expr(&self) -> &Expr {
        match self {
            Argument::Plain(e) | Argument::Index(_, e) => e,
        }
    }
}

/// What the function of an op without tensors takes at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Whether it takes a float dtype before the device.
    pub(crate) is_float: bool,
}

/// The argument of a generated function for the device, and the one for the dtype.
pub(crate) const DEVICE: &str = "device";
pub(crate) const DTYPE: &str = "dtype";

impl Item {
    /// Whether a kernel that is written by hand computes the declared results and nothing else, on some
    /// backend.
    pub(crate) fn has_bare_kernel(&self) -> bool {
        self.kernels.saves.is_none() && self.kernels.list.iter().any(|kernel| !kernel.is_backward)
    }

    /// What the generated function takes in addition, if no argument is a tensor.
    pub(crate) fn place(&self) -> Option<Place> {
        let is_tensor =
            |arg: &Arg| matches!(arg.ty, ArgType::Tensor(_) | ArgType::Optional(_) | ArgType::Error);
        let has_tensor = self.args.iter().any(is_tensor);
        let is_float = self.results.iter().any(|ty| ty.kind == Kind::Float);
        (!has_tensor).then_some(Place { is_float })
    }

    /// The expressions of the `let`s and of the results, and then those of the given gradients.
    pub(crate) fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let lets = self.lets.iter().map(|binding| &binding.value);
        lets.chain(&self.tail).chain(self.rules.iter().map(|rule| &rule.value))
    }

    /// Names of all `let`s in order.
    pub(crate) fn let_names(&self) -> impl Iterator<Item = &Ident> {
        self.lets.iter().flat_map(|binding| binding.names.iter().flatten())
    }
}

impl Expr {
    /// The expressions that it is made of, in order.
    pub(crate) fn parts(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Name(_) | ExprKind::Group | ExprKind::Int(_) | ExprKind::Literal(_) => vec![],
            ExprKind::Error => vec![],
            ExprKind::Operator(_, parts) | ExprKind::Tuple(parts) => parts.iter().collect(),
            ExprKind::Call(_, args) | ExprKind::OpCall(OpCall { args, .. }) => {
                args.iter().map(Argument::expr).collect()
            }
            ExprKind::Form(form) => form.parts(),
        }
    }
}

impl OpCall {
    /// The path as it was written, without spaces.
    pub(crate) fn name(&self) -> String {
        self.path.to_token_stream().to_string().replace(' ', "")
    }

    /// The span of the last word of the path, which is the op's own name.
    pub(crate) fn span(&self) -> Span {
        self.path.segments.last().map_or_else(Span::call_site, |segment| segment.ident.span())
    }
}

impl ArgType {
    /// Whether a gradient can flow to it.
    pub(crate) fn is_float_tensor(&self) -> bool {
        match self {
            ArgType::Tensor(ty) | ArgType::Optional(ty) => ty.kind == Kind::Float,
            ArgType::Enum(_)
            | ArgType::Scalar(_)
            | ArgType::Number
            | ArgType::Axis
            | ArgType::Axes
            | ArgType::Error => false,
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

    /// Dims that the type names, in order.
    pub(crate) fn dims(&self) -> impl Iterator<Item = &Dim> {
        self.axes.iter().flat_map(Axis::dims)
    }
}

impl Axis {
    /// Dims that the axis names.
    pub(crate) fn dims(&self) -> &[Dim] {
        match self {
            Axis::Group(_) => &[],
            Axis::Dim(dim) => std::slice::from_ref(dim),
            Axis::Parts(parts) => parts,
        }
    }
}
