//! Expressions: literals, names, operators, calls, tuples of dims. All other forms of Rust are refused, with
//! a message at their token.

use super::{constants, form};
use crate::ast::{Argument, Expr, ExprKind, Form, OpCall};
use crate::diag::{Errors, TokenRange};
use crate::inline;
use crate::ir::Scalar;
use crate::prim::Prim;
use proc_macro2::{Ident, Span};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{BinOp, Lit, Token, UnOp};

pub(super) const NO_MACROS: &str = "a formula has no macros: write the expression itself";

/// Reads an expression.
pub(super) fn expr(errors: &mut Errors, e: &syn::Expr) -> Expr {
    match e {
        syn::Expr::Paren(e) => expr(errors, &e.expr),
        syn::Expr::Group(e) => expr(errors, &e.expr),
        syn::Expr::Lit(e) => literal(errors, &e.lit),
        syn::Expr::Path(e) => match plain_ident(e) {
            Some(name) if name == "None" => Expr { span: name.span(), kind: ExprKind::Form(Form::Absent) },
            Some(name) => Expr { span: name.span(), kind: ExprKind::Name(name) },
            None => refuse(errors, TokenRange::of(e), &no_name(e)),
        },
        syn::Expr::Unary(e) => unary(errors, e),
        syn::Expr::Binary(e) => binary(errors, e),
        syn::Expr::Call(e) => call(errors, e),
        syn::Expr::MethodCall(e) => method(errors, e),
        syn::Expr::If(e) => form::choice(errors, e),
        syn::Expr::Match(e) => form::selection(errors, e),
        syn::Expr::Tuple(e) => {
            let parts = e.elems.iter().map(|part| expr(errors, part)).collect();
            Expr { kind: ExprKind::Tuple(parts), span: e.paren_token.span.join() }
        }
        syn::Expr::Range(syn::ExprRange {
            start: None,
            end: None,
            limits: syn::RangeLimits::HalfOpen(dots),
            ..
        }) => Expr { kind: ExprKind::Group, span: dots.spans[0] },
        other => {
            let (span, message) = instead(other);
            refuse(errors, span, message)
        }
    }
}

/// Reports what stands here, and stands for it.
#[track_caller]
pub(super) fn refuse(errors: &mut Errors, place: impl Into<TokenRange>, message: &str) -> Expr {
    let place = place.into();
    errors.at(place, message);
    Expr { kind: ExprKind::Error, span: place.start }
}

const NO_LOOPS: &str = "a formula has no loops: reduce over a dim, such as `sum(x, n)`";

/// For a form that is not part of the language: its token, and what to write instead.
fn instead(e: &syn::Expr) -> (Span, &'static str) {
    match e {
        syn::Expr::ForLoop(e) => (e.for_token.span, NO_LOOPS),
        syn::Expr::While(e) => (e.while_token.span, NO_LOOPS),
        syn::Expr::Loop(e) => (e.loop_token.span, NO_LOOPS),
        syn::Expr::Return(e) => {
            (e.return_token.span, "a formula has no `return`: its last expression is the result")
        }
        syn::Expr::Reference(e) => (e.and_token.span, "a formula has no references: write the value itself"),
        syn::Expr::Macro(e) => (e.mac.path.span(), NO_MACROS),
        syn::Expr::Let(e) => {
            (e.let_token.span, "a formula has no `if let`: write `if bias.is_some() { a } else { b }`")
        }
        syn::Expr::Struct(e) => {
            (e.path.span(), "a formula makes no structs: its values are tensors, numbers and bools")
        }
        syn::Expr::Closure(e) => {
            (e.span(), "a formula has no closures: write the expression itself, or give it a name with `let`")
        }
        syn::Expr::Cast(e) => (
            e.as_token.span,
            "a formula has no `as`: write `cast(x, float)`, `cast(x, int)` or `cast(x, bool)`",
        ),
        syn::Expr::Index(e) => (
            e.bracket_token.span.join(),
            "a formula has no `[..]` on values: write `at(x, n = i)` with the dim's name",
        ),
        syn::Expr::Assign(e) => {
            (e.eq_token.span, "a formula has no assignment: give each value its name, `let y = ..;`")
        }
        syn::Expr::Field(e) => (e.dot_token.span, no_field(&e.member)),
        syn::Expr::Try(e) => (e.question_token.span, "a formula has no `?`: its parts can't fail one by one"),
        syn::Expr::Range(e) => {
            (e.limits.span(), "a formula has no ranges: `iota(n)` is the index along dim `n`")
        }
        syn::Expr::Array(e) => {
            (e.bracket_token.span.join(), "a formula has no arrays: pass them as tensor arguments")
        }
        syn::Expr::Repeat(e) => (
            e.bracket_token.span.join(),
            "a formula has no arrays: values broadcast by the names of their dims",
        ),
        syn::Expr::Block(e) => {
            (e.block.brace_token.span.join(), "a formula has no blocks: move the `let`s to the formula")
        }
        syn::Expr::Unsafe(e) => (e.unsafe_token.span, "a formula has no `unsafe`: remove the block"),
        syn::Expr::Async(e) => (e.async_token.span, "a formula has no `async`: remove the block"),
        syn::Expr::Await(e) => (e.await_token.span, "a formula has no `await`"),
        syn::Expr::Break(e) => (e.break_token.span, NO_LOOPS),
        syn::Expr::Continue(e) => (e.continue_token.span, NO_LOOPS),
        other => {
            (other.span(), "not an expression of the language: there are names, numbers, operators and calls")
        }
    }
}

/// Why a path is not a value.
fn no_name(e: &syn::ExprPath) -> String {
    let last = e.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
    match constants::value(&last) {
        Some(_) => format!("a constant is one word: write `{last}`"),
        None if constants::looks_like_one(&last) => constants::unseen(&last),
        None => "a name is one word: an argument, a `let`, or a constant such as `PI`".to_string(),
    }
}

/// What to write instead of `x.shape`, `x.T`, `x.0`.
fn no_field(member: &syn::Member) -> &'static str {
    let name = match member {
        syn::Member::Named(name) => name.to_string(),
        syn::Member::Unnamed(_) => {
            return "a value has no parts: name the results of an op, as in `let (a, b) = self::f(x);`";
        }
    };
    match name.as_str() {
        "shape" | "size" | "ndim" => "a value has no fields: `len(n)` is the size of dim `n`",
        "T" | "mT" | "H" | "mH" => {
            "a value has no order of axes: values combine by the names of their dims, and the result type gives the order"
        }
        _ => "a value has no fields: write a call, such as `x.exp()`",
    }
}

fn plain_ident(e: &syn::ExprPath) -> Option<Ident> {
    if e.qself.is_some() { None } else { e.path.get_ident().cloned() }
}

fn literal(errors: &mut Errors, lit: &Lit) -> Expr {
    let span = lit.span();
    let kind = match lit {
        Lit::Bool(lit) => Ok(ExprKind::Literal(Scalar::Bool(lit.value))),
        Lit::Int(lit) => int(lit),
        Lit::Float(lit) => float(lit.base10_digits(), lit.suffix()),
        Lit::Str(lit) if lit.value().contains("->") => Err(
            "a formula has no strings: a sum over a shared dim is written `sum(x * y, k)`, where the types of `x` and `y` name their dims",
        ),
        Lit::Str(_) | Lit::ByteStr(_) | Lit::CStr(_) => {
            Err("a formula has no strings: declare an op for each case")
        }
        _ => Err("a literal is a number, `true` or `false`"),
    };
    match kind {
        Ok(kind) => Expr { kind, span },
        Err(message) => refuse(errors, span, message),
    }
}

fn int(lit: &syn::LitInt) -> Result<ExprKind, &'static str> {
    let value = || {
        lit.base10_parse::<i64>()
            .map_err(|_| "the integer does not fit into `i64`: write a smaller one, or a float")
    };
    match lit.suffix() {
        "" => Ok(ExprKind::Int(value()?)),
        "i64" | "usize" => Ok(ExprKind::Literal(Scalar::Int(value()?))),
        suffix => float(lit.base10_digits(), suffix),
    }
}

fn float(digits: &str, suffix: &str) -> Result<ExprKind, &'static str> {
    if !matches!(suffix, "" | "f64" | "f32") {
        return Err(match suffix.chars().next() {
            Some('i' | 'u' | 'f') => "a number has no suffix, or one of f64, f32, i64, usize",
            _ => "not a number: a product is written with `*`, as in `2 * x`",
        });
    }
    match digits.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(ExprKind::Literal(Scalar::Float(value))),
        Ok(_) => Err("the number does not fit into `f64`: write `INFINITY`"),
        Err(_) => Err("a literal is a number, `true` or `false`"),
    }
}

fn unary(errors: &mut Errors, e: &syn::ExprUnary) -> Expr {
    let prim = match e.op {
        UnOp::Neg(_) => Prim::Neg,
        UnOp::Not(_) => Prim::Not,
        _ => return refuse(errors, e.op.span(), "a formula has no references: remove `*`"),
    };
    Expr { kind: ExprKind::Operator(prim, vec![expr(errors, &e.expr)]), span: e.op.span() }
}

fn binary(errors: &mut Errors, e: &syn::ExprBinary) -> Expr {
    let (span, place) = (e.op.span(), TokenRange::of(&e.op));
    if let (BinOp::Mul(_), syn::Expr::Unary(syn::ExprUnary { op: UnOp::Deref(star), .. })) =
        (&e.op, &*e.right)
    {
        let message = "a formula has no operator `**`: a power is `pow(x, 2)`, and a square `square(x)`";
        return refuse(errors, TokenRange { start: span, end: star.span }, message);
    }
    let prim = match e.op {
        BinOp::Add(_) => Prim::Add,
        BinOp::Sub(_) => Prim::Sub,
        BinOp::Mul(_) => Prim::Mul,
        BinOp::Div(_) => Prim::Div,
        BinOp::Rem(_) => Prim::Rem,
        BinOp::And(_) => Prim::And,
        BinOp::Or(_) => Prim::Or,
        BinOp::BitAnd(_) => Prim::BitAnd,
        BinOp::BitOr(_) => Prim::BitOr,
        BinOp::BitXor(_) => Prim::BitXor,
        BinOp::Shl(_) => Prim::Shl,
        BinOp::Shr(_) => Prim::Shr,
        BinOp::Eq(_) => Prim::Eq,
        BinOp::Ne(_) => Prim::Ne,
        BinOp::Lt(_) => Prim::Lt,
        BinOp::Le(_) => Prim::Le,
        BinOp::Gt(_) => Prim::Gt,
        BinOp::Ge(_) => Prim::Ge,
        _ => {
            return refuse(
                errors,
                place,
                "a formula has no assignment: give each value its name, `let y = ..;`",
            );
        }
    };
    let operands = vec![expr(errors, &e.left), expr(errors, &e.right)];
    Expr { kind: ExprKind::Operator(prim, operands), span }
}

fn call(errors: &mut Errors, e: &syn::ExprCall) -> Expr {
    let syn::Expr::Path(callee) = &*e.func else {
        arguments(errors, &e.args);
        return refuse(errors, TokenRange::of(&e.func), "a function is called by its name, such as `exp(x)`");
    };
    match plain_ident(callee) {
        Some(name) => {
            let args = arguments(errors, &e.args);
            named_call(errors, name, args)
        }
        None => {
            let args = e.args.iter().map(|arg| match (form::variant(arg), arg) {
                (Some(variant), _) => Argument::Plain(variant),
                (None, syn::Expr::Array(list)) => Argument::Plain(self::list(errors, list)),
                (None, _) => argument(errors, arg),
            });
            let args = args.collect();
            op_call(errors, callee, args)
        }
    }
}

/// `[2, 1]`, which an op takes for a list.
fn list(errors: &mut Errors, list: &syn::ExprArray) -> Expr {
    let elements = list.elems.iter().map(|element| expr(errors, element)).collect();
    Expr { kind: ExprKind::Tuple(elements), span: list.bracket_token.span.join() }
}

/// `exp(x)`, or `x.exp()`.
fn named_call(errors: &mut Errors, name: Ident, args: Vec<Argument>) -> Expr {
    let span = name.span();
    match form::of_option(&name.to_string(), &args, span) {
        Some(Ok(form)) => form,
        Some(Err(message)) => refuse(errors, span, message),
        None => Expr { span, kind: ExprKind::Call(name, args) },
    }
}

/// `self::f(x)`.
fn op_call(errors: &mut Errors, callee: &syn::ExprPath, args: Vec<Argument>) -> Expr {
    let path = &callee.path;
    let is_plain = path.segments.iter().all(|segment| segment.arguments.is_none());
    if let Some(first) = path.segments.first().filter(|first| is_type(&first.ident)) {
        let message = format!(
            "`{}` is a type, and a formula calls no functions of types: write a function of the language, such as `exp(x)`, or a number, which broadcasts",
            first.ident
        );
        return refuse(errors, TokenRange::of(callee), &message);
    }
    if callee.qself.is_some() || !is_plain || path.segments.len() < 2 {
        return refuse(
            errors,
            TokenRange::of(callee),
            "a formula calls functions by one word, such as `exp(x)`, and ops by their path, such as `self::f(x)`",
        );
    }
    let call = OpCall { path: path.clone(), args };
    if let Some(segment) = path.segments.last()
        && inline::is_macro_of_rust(&segment.ident)
    {
        let message = format!(
            "`{0}!` is a macro of Rust, and an op of that name can't be called in a formula",
            segment.ident
        );
        return refuse(errors, call.span(), &message);
    }
    Expr { span: call.span(), kind: ExprKind::OpCall(call) }
}

/// Names of types that users may try to call. No module of ops has such a name.
fn is_type(name: &Ident) -> bool {
    const TYPES: [&str; 11] =
        ["Self", "Tensor", "IntTensor", "BoolTensor", "f64", "f32", "i64", "i32", "usize", "bool", "Vec"];
    TYPES.iter().any(|ty| name == ty)
}

fn method(errors: &mut Errors, e: &syn::ExprMethodCall) -> Expr {
    let mut args = vec![Argument::Plain(expr(errors, &e.receiver))];
    args.extend(arguments(errors, &e.args));
    if let Some(turbofish) = &e.turbofish {
        return refuse(
            errors,
            TokenRange::of(turbofish),
            "a function has no type parameters: remove `::<..>`",
        );
    }
    named_call(errors, e.method.clone(), args)
}

fn arguments(errors: &mut Errors, args: &Punctuated<syn::Expr, Token![,]>) -> Vec<Argument> {
    args.iter().map(|arg| argument(errors, arg)).collect()
}

fn argument(errors: &mut Errors, arg: &syn::Expr) -> Argument {
    if let syn::Expr::Assign(assign) = arg
        && let syn::Expr::Path(path) = &*assign.left
        && let Some(dim) = plain_ident(path)
    {
        return Argument::Index(dim, expr(errors, &assign.right));
    }
    Argument::Plain(expr(errors, arg))
}
