//! Forms that speak of what a call chooses: `if`, `match` and their arms, methods of optional tensors.

use super::body::body;
use super::expr::{expr, refuse};
use crate::ast::{Argument, Arm, Expr, ExprKind, Form, Pattern};
use crate::diag::{Errors, TokenRange};
use proc_macro2::Span;
use syn::Pat;

const ARMS: &str = "an arm is for variants of an enum, `Reduction::Mean`, or for `true` and `false`";

/// `if flag { a } else { b }`.
pub(super) fn choice(errors: &mut Errors, e: &syn::ExprIf) -> Expr {
    let Some((_, otherwise)) = &e.else_branch else {
        return refuse(
            errors,
            e.if_token.span,
            "an `if` is a value and needs its `else`: write `if flag { a } else { b }`",
        );
    };
    let parts = [expr(errors, &e.cond), block(errors, &e.then_branch), arm(errors, otherwise)];
    form(e.if_token.span, Form::If(Box::new(parts)))
}

/// `match reduction { Reduction::None => a, .. }`.
pub(super) fn selection(errors: &mut Errors, e: &syn::ExprMatch) -> Expr {
    if e.arms.is_empty() {
        return refuse(errors, e.match_token.span, "a `match` has an arm for each variant of the enum");
    }
    let on = expr(errors, &e.expr);
    let arms: Vec<Arm> = e
        .arms
        .iter()
        .map(|found| Arm { patterns: patterns(errors, &found.pat), value: arm(errors, &found.body) })
        .collect();
    form(e.match_token.span, Form::Match(Box::new(on), arms))
}

/// `bias.unwrap_or(0.0)` or `bias.is_some()`, with the argument in front. `None` for other names.
pub(super) fn of_option(name: &str, args: &[Argument], span: Span) -> Option<Result<Expr, &'static str>> {
    match (name, args) {
        ("is_some", [Argument::Plain(value)]) => Some(Ok(form(span, Form::IsSome(Box::new(value.clone()))))),
        ("is_some", _) => Some(Err("`is_some` takes nothing: write `bias.is_some()`")),
        ("unwrap_or", [Argument::Plain(value), Argument::Plain(other)]) => {
            Some(Ok(form(span, Form::UnwrapOr(Box::new([value.clone(), other.clone()])))))
        }
        ("unwrap_or", _) => Some(Err("`unwrap_or` takes one value: write `bias.unwrap_or(0.0)`")),
        _ => None,
    }
}

/// `Reduction::Mean` as an argument of an op.
pub(super) fn variant(e: &syn::Expr) -> Option<Expr> {
    let syn::Expr::Path(e) = e else { return None };
    let path = is_variant(&e.path).then(|| e.path.clone()).filter(|_| e.qself.is_none())?;
    Some(form(path.segments.last()?.ident.span(), Form::Variant(path)))
}

/// Whether a path may be that of a variant: two words or more.
pub(super) fn is_variant(path: &syn::Path) -> bool {
    path.segments.len() > 1 && path.segments.iter().all(|segment| segment.arguments.is_none())
}

fn form(span: Span, form: Form) -> Expr {
    Expr { kind: ExprKind::Form(form), span }
}

/// The value of an arm: an expression, or `let`s and an expression in braces.
fn arm(errors: &mut Errors, e: &syn::Expr) -> Expr {
    match e {
        syn::Expr::Block(e) if e.label.is_none() => block(errors, &e.block),
        other => expr(errors, other),
    }
}

fn block(errors: &mut Errors, block: &syn::Block) -> Expr {
    let (lets, mut values) = body(errors, block);
    let span = values.first().map_or_else(|| block.brace_token.span.join(), |value| value.span);
    let value = match values.len() {
        0 => Expr { kind: ExprKind::Error, span },
        1 => values.remove(0),
        _ => Expr { kind: ExprKind::Tuple(values), span },
    };
    if lets.is_empty() { value } else { form(span, Form::Block(lets, Box::new(value))) }
}

fn patterns(errors: &mut Errors, pat: &Pat) -> Vec<Pattern> {
    match pat {
        Pat::Or(pat) => pat.cases.iter().flat_map(|case| patterns(errors, case)).collect(),
        Pat::Paren(pat) => patterns(errors, &pat.pat),
        Pat::Lit(syn::ExprLit { lit: syn::Lit::Bool(lit), .. }) => vec![Pattern::Bool(lit.value, lit.span)],
        Pat::Path(pat) if pat.qself.is_none() && is_variant(&pat.path) => {
            vec![Pattern::Variant(pat.path.clone())]
        }
        other => {
            errors.at(TokenRange::of(other), not_a_pattern(other));
            vec![]
        }
    }
}

fn not_a_pattern(pat: &Pat) -> String {
    match pat {
        Pat::Wild(_) => {
            "a formula for each variant: name them, as in `Reduction::Mean | Reduction::Sum`".to_string()
        }
        Pat::Guard(_) => "an arm has no guard: a formula is chosen by a variant alone".to_string(),
        Pat::Ident(pat) => format!("a variant is named with its enum: write `Reduction::{}`", pat.ident),
        Pat::TupleStruct(_) | Pat::Struct(_) => {
            "a variant carries nothing: pass what it has as arguments of their own".to_string()
        }
        _ => ARMS.to_string(),
    }
}
