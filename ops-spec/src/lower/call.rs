//! Calls: which function a name means, and how many arguments it takes.

use super::border::Border;
use super::names::{Function, did_you_mean, function, nearest, unknown_function};
use super::scope::Scope;
use super::{Lower, Term};
use crate::ast::{Argument, Expr, ExprKind};
use crate::ir::Kind;
use proc_macro2::Ident;
use syn::ext::IdentExt;

impl Lower<'_> {
    /// `f(a, b)`.
    pub(super) fn call(&mut self, scope: &Scope, name: &Ident, args: &[Argument]) -> Term {
        let text = name.unraw().to_string();
        let Some(function) = function(&text) else {
            return self.report(name.span(), unknown_function(&text));
        };
        if let Function::At = function {
            return self.at(scope, name, args);
        }
        if let Function::Scan(scan) = function {
            return self.scan(scan, scope, name, args);
        }
        if let Function::Sorting(sorting) = function {
            return self.sorting(sorting, scope, name, args);
        }
        if let Function::Scatter(scattering) = function {
            return self.scatter(scattering, scope, name, args);
        }
        if let Function::DivExact = function {
            return self.report(
                name.span(),
                "`div_exact(a, b)` is the whole index of an `at`: write `at(x, n = div_exact(a, b), or = 0.0)`",
            );
        }
        if let (Function::Iota, [Argument::Index(dim, _)]) = (function, args) {
            scope.make(&dim.unraw().to_string());
            return self.iota(scope, &Expr { kind: ExprKind::Name(dim.clone()), span: dim.span() });
        }
        // `clamp` is a formula as well: one argument in an index tells which is meant.
        let is_border = |border| border != Border::Clamp || (self.indices > 0 && args.len() == 1);
        if Border::from_name(&text).is_some_and(is_border) {
            let message = format!("`{text}(i)` is the whole index of an `at`: write `at(x, n = {text}(i))`");
            return self.report(name.span(), message);
        }
        if let Function::Formula(formula) = function
            && let Some(graph) = self.drawing(formula)
        {
            return self.draw(scope, &graph, name, args);
        }
        self.plain_call(function, scope, name, args)
    }

    /// A call whose arguments are values and dims alone.
    fn plain_call(&mut self, function: Function, scope: &Scope, name: &Ident, args: &[Argument]) -> Term {
        let mut plain: Vec<&Expr> = Vec::new();
        for arg in args {
            match arg {
                Argument::Plain(e) => plain.push(e),
                Argument::Index(dim, _) => {
                    let text = name.unraw().to_string();
                    return self.report(dim.span(), no_setting(&text, &dim.unraw().to_string()));
                }
            }
        }
        match function {
            Function::Prim(prim) => match self.arity(name, &plain, prim.row().operands) {
                true => self.apply(prim, scope, &plain),
                false => Term::Error,
            },
            Function::Fold(fold) => self.reduce(fold, scope, name, &plain),
            Function::Formula(formula) => self.formula_call(scope, formula, name, &plain),
            Function::Cast if self.arity(name, &plain, &["x", "float"]) => {
                self.cast(scope, plain[0], plain[1])
            }
            Function::Len if self.arity(name, &plain, &["n"]) => self.len(scope, plain[0]),
            Function::Iota if self.arity(name, &plain, &["n"]) => self.iota(scope, plain[0]),
            Function::StopGrad if self.arity(name, &plain, &["x"]) => self.stop_grad(scope, plain[0]),
            Function::At
            | Function::Scan(_)
            | Function::Sorting(_)
            | Function::Scatter(_)
            | Function::DivExact
            | Function::Border
            | Function::Cast
            | Function::Len
            | Function::Iota
            | Function::StopGrad => Term::Error,
        }
    }

    /// Whether the number of given arguments is right.
    pub(super) fn arity(&mut self, name: &Ident, given: &[&Expr], places: &[&str]) -> bool {
        let right = given.len() == places.len();
        if !right {
            let plural = if places.len() == 1 { "argument" } else { "arguments" };
            let message = format!(
                "`{0}` takes {1} {plural} and has {2}: write `{0}({3})`",
                name.unraw(),
                places.len(),
                given.len(),
                places.join(", ")
            );
            self.report(name.span(), message);
        }
        right
    }

    fn cast(&mut self, scope: &Scope, value: &Expr, kind: &Expr) -> Term {
        let term = self.expr(scope, value);
        let Some(kind) = self.kind_named(kind) else { return Term::Error };
        match (term, kind) {
            (Term::Number { float, .. }, Kind::Float) => Term::Node(float),
            (Term::Number { int: id, .. } | Term::Node(id), _) => {
                Term::Node(self.builder.value(id).cast(kind).id)
            }
            (Term::Error, _) => Term::Error,
        }
    }

    fn kind_named(&mut self, e: &Expr) -> Option<Kind> {
        let name = match &e.kind {
            ExprKind::Name(name) => name.unraw().to_string(),
            ExprKind::Error => return None,
            ExprKind::Group | ExprKind::Int(_) | ExprKind::Literal(_) | ExprKind::Operator(..) => {
                String::new()
            }
            ExprKind::Call(..) | ExprKind::OpCall(_) | ExprKind::Tuple(_) | ExprKind::Form(_) => {
                String::new()
            }
        };
        let kinds = [Kind::Float, Kind::Int, Kind::Bool];
        let found = kinds.into_iter().find(|kind| kind.name() == name);
        if found.is_none() {
            let near = match name.as_str() {
                "f64" | "f32" => Some("float"),
                "i64" | "usize" => Some("int"),
                _ => nearest(&name, kinds.iter().map(|kind| kind.name())),
            };
            let hint = near.map_or("write `cast(x, float)`".to_string(), did_you_mean);
            self.report(e.span, format!("a value is cast to `float`, `int` or `bool`: {hint}"));
        }
        found
    }

    fn stop_grad(&mut self, scope: &Scope, value: &Expr) -> Term {
        match self.expr(scope, value) {
            Term::Node(id) => Term::Node(self.builder.value(id).stop_grad().id),
            number @ (Term::Number { .. } | Term::Error) => number,
        }
    }
}

/// Why a function takes no `dim = ..`.
fn no_setting(function: &str, name: &str) -> String {
    match name {
        "keepdim" | "keepdims" => KEEPDIM.to_string(),
        _ if function == "iota" => format!("`iota` makes one dim at a time: write `iota({name} = ..)` alone"),
        "dim" | "axis" | "dims" | "axes" => format!("dims go by name: write `{function}(x, n)`"),
        _ => format!("`{function}` takes no `{name} = ..`: only `at(x, n = ids)` does"),
    }
}

/// The message for users who know the reductions of NumPy.
pub(super) const KEEPDIM: &str = "a formula has no `keepdim`: values broadcast by the names of their dims, so that `x - sum(x, n)` just works";
