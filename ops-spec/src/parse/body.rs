//! The body of a formula: `let`s, then the result.

use super::expr::expr;
use super::plain_name;
use crate::ast::{Expr, ExprKind, Form, Let};
use crate::diag::{Errors, TokenRange};
use proc_macro2::Ident;
use syn::spanned::Spanned;
use syn::{Block, Local, Pat, Stmt};

/// Reads the `let`s and the last expression or tuple. After a mistake there may be no last expression.
pub(super) fn body(errors: &mut Errors, block: &Block) -> (Vec<Let>, Vec<Expr>) {
    let mut lets = Vec::new();
    let (last, rest) = match block.stmts.split_last() {
        Some((Stmt::Expr(last, None), rest)) => (Some(last), rest),
        Some(_) => (None, &block.stmts[..]),
        None => {
            errors.at(block.brace_token.span.join(), "an empty formula: write the expression of the result");
            return (vec![], vec![]);
        }
    };
    let before = errors.count();
    for (index, stmt) in rest.iter().enumerate() {
        let is_last = last.is_none() && index + 1 == rest.len();
        lets.extend(statement(errors, stmt, is_last));
    }
    match last {
        Some(last) => (lets, tail(errors, last)),
        None => {
            if errors.count() == before {
                errors.at(block.stmts[block.stmts.len() - 1].span(), NO_RESULT);
            }
            (lets, vec![])
        }
    }
}

const NO_RESULT: &str = "a formula ends with its result: an expression without `;`";

fn tail(errors: &mut Errors, last: &syn::Expr) -> Vec<Expr> {
    let value = expr(errors, last);
    match value.kind {
        ExprKind::Tuple(values) => values,
        ExprKind::Error => vec![],
        ExprKind::Name(_) | ExprKind::Group | ExprKind::Int(_) | ExprKind::Literal(_) => vec![value],
        ExprKind::Operator(..) | ExprKind::Call(..) | ExprKind::OpCall(_) | ExprKind::Form(_) => vec![value],
    }
}

fn statement(errors: &mut Errors, stmt: &Stmt, is_last: bool) -> Option<Let> {
    match stmt {
        Stmt::Local(local) => return binding(errors, local),
        Stmt::Item(syn::Item::Const(item)) => {
            errors.at(item.const_token.span, "a formula has no `const`: write `let scale = 0.5;`")
        }
        Stmt::Item(item) => {
            errors.at(item.span(), "a formula holds `let`s and expressions: move the item out")
        }
        Stmt::Macro(stmt) => errors.at(stmt.mac.path.span(), super::expr::NO_MACROS),
        Stmt::Expr(value, semi) => {
            let before = errors.count();
            expr(errors, value);
            match semi {
                Some(semi) if is_last && errors.count() == before => {
                    errors.at(semi.span, "a formula ends with its result: remove this `;`");
                }
                _ if errors.count() == before => {
                    errors.at(
                        TokenRange::of(value),
                        "this value is dropped: give it a name, `let y = ..;`, or remove it",
                    );
                }
                _ => {}
            }
        }
    }
    None
}

fn binding(errors: &mut Errors, local: &Local) -> Option<Let> {
    if let Some(attr) = local.attrs.first() {
        errors.at(attr.path().span(), "a `let` in a formula takes no attributes");
    }
    let names = names(errors, &local.pat);
    let Some(init) = &local.init else {
        if names.is_some() {
            errors.at(local.let_token.span, "a `let` has a value: `let y = ..;`");
        }
        return Some(Let { value: Expr { kind: ExprKind::Error, span: local.span() }, names: names? });
    };
    if let Some((token, _)) = &init.diverge {
        errors.at(token.span, "a `let` has no `else`");
    }
    let value = expr(errors, &init.expr);
    let names = names?;
    if names.len() > 1 && !has_several(&value) {
        errors.at(
            value.span,
            "only a call of an op, such as `self::f(x)`, has several results: give each value its own `let`",
        );
    }
    Some(Let { names, value })
}

/// Whether an expression may have several results.
fn has_several(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::OpCall(_) | ExprKind::Error => true,
        ExprKind::Form(Form::If(parts)) => parts[1..].iter().all(has_several),
        ExprKind::Form(Form::Match(_, arms)) => arms.iter().all(|arm| has_several(&arm.value)),
        ExprKind::Form(Form::Block(_, value)) => has_several(value),
        ExprKind::Form(Form::UnwrapOr(_) | Form::IsSome(_) | Form::Instead(..)) => false,
        ExprKind::Form(Form::Absent | Form::Variant(_)) => false,
        ExprKind::Name(_) | ExprKind::Group | ExprKind::Int(_) | ExprKind::Literal(_) => false,
        ExprKind::Operator(..) | ExprKind::Call(..) | ExprKind::Tuple(_) => false,
    }
}

/// `y`, or `(y, s)`, in which `_` drops a result.
fn names(errors: &mut Errors, pat: &Pat) -> Option<Vec<Option<Ident>>> {
    let Pat::Tuple(tuple) = pat else {
        return Some(vec![Some(plain_name(errors, pat, "a `let` of a formula")?)]);
    };
    if tuple.elems.len() < 2 {
        errors.at(tuple.paren_token.span.join(), "a tuple names two or more results: write `let y = ..;`");
        return None;
    }
    let name = |pat: &Pat| match pat {
        Pat::Wild(_) => Some(None),
        other => plain_name(errors, other, "a result of an op").map(Some),
    };
    let names: Vec<_> = tuple.elems.iter().map(name).collect();
    names.into_iter().collect()
}
