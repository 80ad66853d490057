//! A declaration as written: names are not resolved yet, spans are kept, and what the language lacks is gone.
//!
//! Comes from `parse`; goes to `lower` for its meaning and to `emit` for its signature. What could not be
//! read stands as an error node, already reported, so that the rest is still checked and the signature still
//! emitted.

use crate::ir::{Kind, Scalar, ScalarType};
use crate::prim::Prim;
use proc_macro2::{Ident, Span};
use quote::ToTokens;

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
    /// Which tests are generated.
    pub(crate) tests: Tests,
    /// Whether there is a function on Burn's tensors.
    pub(crate) burn: Burn,
}

/// Which tests are generated.
#[derive(Clone, Debug)]
pub(crate) struct Tests {
    /// Not after `#[tensor_op(tests = false)]`.
    pub(crate) generated: bool,
    /// Those of `#[tensor_op(tests(skip = ..))]` are left out.
    pub(crate) skip: Vec<TestClaim>,
    /// Those of `#[tensor_op(tests(dtypes = ..))]`, or all if there are none.
    pub(crate) dtypes: Vec<TestDtype>,
}

impl Default for Tests {
    fn default() -> Tests {
        Tests { generated: true, skip: vec![], dtypes: vec![] }
    }
}

/// A list of words: an enum with the names that are written, and those that generated code has.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident, $written:ident, $count:literal: $($variant:ident = $word:literal),*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $name {
            $(#[doc = concat!("`", $word, "`")] $variant),*
        }

        impl $name {
            pub(crate) const ALL: [$name; $count] = [$($name::$variant),*];

            /// As it is written.
            pub(crate) fn $written(self) -> &'static str {
                match self {
                    $($name::$variant => $word),*
                }
            }

            /// As generated code names it.
            pub(crate) fn variant(self) -> &'static str {
                match self {
                    $($name::$variant => stringify!($variant)),*
                }
            }
        }
    };
}

words! {
    /// A generated test.
    TestClaim, test, 15:
    Forward = "forward", Views = "views", Shapes = "shapes", SpecialValues = "special_values", Lanes = "lanes",
    SameBuffers = "same_buffers", Repeatable = "repeatable", Guards = "guards", Masks = "masks", Jvp = "jvp",
    Checkpoint = "checkpoint", GradLayouts = "grad_layouts", GivenRule = "given_rule", Gradcheck = "gradcheck",
    Gradgradcheck = "gradgradcheck"
}

words! {
    /// A dtype that generated tests run in.
    TestDtype, name, 8:
    F64 = "f64", F32 = "f32", F16 = "f16", BF16 = "bf16", I64 = "i64", I32 = "i32", U32 = "u32", U8 = "u8"
}

impl TestDtype {
    /// Whether it is of floats.
    pub(crate) fn is_float(self) -> bool {
        match self {
            TestDtype::F64 | TestDtype::F32 | TestDtype::F16 | TestDtype::BF16 => true,
            TestDtype::I64 | TestDtype::I32 | TestDtype::U32 | TestDtype::U8 => false,
        }
    }
}

/// Whether there is a function on the tensors of Burn.
#[derive(Clone, Debug, Default)]
pub(crate) enum Burn {
    /// There is none.
    #[default]
    No,
    /// `#[tensor_op(burn)]`: it has the declared name, and there is no function on tensors of our own.
    Instead,
    /// `#[tensor_op(burn = name)]`: it has this name, beside the other.
    Beside(Ident),
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

/// The type of an argument that names a dim.
pub(crate) const AXIS: &str = "Axis";

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

/// `let name = value;`, or `let (a, b) = call;` for the results of an op.
#[derive(Clone, Debug)]
pub(crate) struct Let {
    /// The name, or one for each result; `None` for `_`, which stands in a tuple only.
    pub(crate) names: Vec<Option<Ident>>,
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
    /// `self::f(a, n = d)`: a call of a declared op.
    OpCall(OpCall),
    /// Several dims.
    Tuple(Vec<Expr>),
    /// Reported.
    Error,
}

/// A call of a declared op.
#[derive(Clone, Debug)]
pub(crate) struct OpCall {
    /// Of two or more words.
    pub(crate) path: syn::Path,
    /// Values for its arguments, and the dims that it goes over, as in `n = d`.
    pub(crate) args: Vec<Argument>,
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub(crate) enum Argument {
    /// A value or dims.
    Plain(Expr),
    /// `n = ids`, as `at` takes it, or `n = d`, as an op does.
    Index(Ident, Expr),
}

impl Item {
    /// Names of all `let`s in order.
    pub(crate) fn let_names(&self) -> impl Iterator<Item = &Ident> {
        self.lets.iter().flat_map(|binding| binding.names.iter().flatten())
    }
}

impl OpCall {
    /// The path as it is written, without spaces.
    pub(crate) fn name(&self) -> String {
        self.path.to_token_stream().to_string().replace(' ', "")
    }

    /// The last word of the path: the op's own name.
    pub(crate) fn span(&self) -> Span {
        self.path.segments.last().map_or_else(Span::call_site, |segment| segment.ident.span())
    }
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
