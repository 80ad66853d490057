//! Finds the arguments by which a call chooses, and reports each wrong use of one.

use super::{Choice, MOST, Values, combinations, last_word, path_text};
use crate::ast::{
    Arg, ArgType, Argument, Arm, Expr, ExprKind, Form, Item, Kinds, Let, OpCall, Pattern, TensorType,
};
use crate::diag::Errors;
use crate::inline::{Callees, ParamKind};
use crate::ir::{Scalar, ScalarType};
use crate::parse::NOT_A_TYPE;
use crate::prim::Prim;
use proc_macro2::{Ident, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use syn::ext::IdentExt;

/// The choices of a declaration, in the order of its arguments. `callees` are the ops that it calls, to which
/// it may pass what it was given.
pub(crate) fn choices(errors: &mut Errors, item: &Item, callees: &Callees) -> Vec<Choice> {
    let (flags, variants) = (BTreeSet::new(), BTreeMap::new());
    let mut find = Find { errors, item, callees, flags, variants, bare: vec![], hidden: vec![] };
    find.lets(&item.lets);
    item.tail.iter().chain(item.rules.iter().map(|rule| &rule.value)).for_each(|e| find.expr(e));
    find.default_variants();
    find.complete();
    let choices = find.choices();
    one_kind(errors, item);
    let count = combinations(&choices).len();
    if let (true, Some(last)) = (count > MOST, choices.last()) {
        errors.at(
            last.name.span(),
            format!("{count} formulas, one for each choice: an op has at most {MOST}, so declare two ops"),
        );
    } else if !item.kernels.list.is_empty() && !choices.is_empty() {
        let message = "a hand-written kernel computes one formula, and here a call chooses among several: declare an op for each";
        errors.at(item.name.span(), message);
    }
    choices
}

struct Find<'a> {
    errors: &'a mut Errors,
    item: &'a Item,
    callees: &'a Callees,
    /// The `bool` arguments that choose.
    flags: BTreeSet<usize>,
    /// For each enum argument its variants, in the order in which they were found, and the arms of each
    /// `match`.
    variants: BTreeMap<usize, Found>,
    /// Names of enum arguments where values are expected.
    bare: Vec<Ident>,
    /// Names of `let`s, which hide arguments.
    hidden: Vec<Ident>,
}

#[derive(Default)]
struct Found {
    /// Whether a `match` is over it, or a call passes it on.
    is_used: bool,
    all: Vec<syn::Path>,
    matches: Vec<(Span, Vec<String>)>,
}

impl<'a> Find<'a> {
    fn arg(&self, name: &Ident) -> Option<(usize, &'a Arg)> {
        if self.hidden.iter().any(|hidden| hidden.unraw() == name.unraw()) {
            return None;
        }
        self.item.args.iter().enumerate().find(|(_, arg)| arg.name.unraw() == name.unraw())
    }

    #[track_caller]
    fn report(&mut self, span: Span, message: impl Display) {
        self.errors.at(span, message);
    }

    fn lets(&mut self, lets: &[Let]) {
        for binding in lets {
            self.expr(&binding.value);
            self.hidden.extend(binding.names.iter().flatten().cloned());
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Name(name) => self.bare(name),
            ExprKind::OpCall(call) => self.op_call(call),
            ExprKind::Form(Form::If(parts)) => {
                self.condition(&parts[0]);
                parts[1..].iter().for_each(|part| self.expr(part));
            }
            ExprKind::Form(Form::Match(on, arms)) => {
                self.selection(e.span, on, arms);
                arms.iter().for_each(|arm| self.expr(&arm.value));
            }
            ExprKind::Form(Form::UnwrapOr(parts)) => {
                self.option(&parts[0], "unwrap_or");
                self.expr(&parts[1]);
            }
            ExprKind::Form(Form::IsSome(value)) => self.option(value, "is_some"),
            ExprKind::Form(Form::Block(lets, value)) => {
                let outside = self.hidden.len();
                self.lets(lets);
                self.expr(value);
                self.hidden.truncate(outside);
            }
            ExprKind::Form(Form::Instead(..) | Form::Absent | Form::Variant(_)) => {
                e.parts().into_iter().for_each(|part| self.expr(part));
            }
            ExprKind::Operator(..) | ExprKind::Call(..) | ExprKind::Tuple(_) | ExprKind::Group => {
                e.parts().into_iter().for_each(|part| self.expr(part));
            }
            ExprKind::Int(_) | ExprKind::Literal(_) | ExprKind::Error => {}
        }
    }

    /// A name where a value is expected.
    fn bare(&mut self, name: &Ident) {
        let text = name.unraw();
        match self.arg(name).map(|(_, arg)| &arg.ty) {
            Some(ArgType::Optional(_)) => self.report(
                name.span(),
                format!(
                    "`{text}` may be `None`: write `{text}.unwrap_or(0.0)`, with the value that stands for it"
                ),
            ),
            Some(ArgType::Enum(_)) => self.bare.push(name.clone()),
            Some(
                ArgType::Tensor(_)
                | ArgType::Scalar(_)
                | ArgType::Number
                | ArgType::Axis
                | ArgType::Axes
                | ArgType::Error,
            )
            | None => {}
        }
    }

    /// The value in front of `unwrap_or` and `is_some`.
    fn option(&mut self, value: &Expr, method: &str) {
        if let ExprKind::Name(name) = &value.kind
            && let Some(ArgType::Optional(_) | ArgType::Error) = self.arg(name).map(|(_, arg)| &arg.ty)
        {
            return;
        }
        let message = format!("`{method}` is for an argument of type `Option<Tensor>`, and this is none");
        self.report(value.span, message);
    }

    /// What decides an `if`: known when the call chooses.
    fn condition(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Name(name) => match self.arg(name) {
                Some((index, Arg { ty: ArgType::Scalar(ScalarType::Bool), .. })) => {
                    self.flags.insert(index);
                }
                Some(_) | None => self.undecided(e),
            },
            ExprKind::Form(Form::IsSome(value)) => self.option(value, "is_some"),
            ExprKind::Operator(Prim::Not | Prim::And | Prim::Or | Prim::BitAnd | Prim::BitOr, parts) => {
                parts.iter().for_each(|part| self.condition(part));
            }
            ExprKind::Literal(Scalar::Bool(_)) | ExprKind::Error => {}
            ExprKind::Operator(..) | ExprKind::Call(..) | ExprKind::OpCall(_) => self.undecided(e),
            ExprKind::Group | ExprKind::Int(_) | ExprKind::Literal(_) => self.undecided(e),
            ExprKind::Tuple(_) | ExprKind::Form(_) => self.undecided(e),
        }
    }

    fn undecided(&mut self, e: &Expr) {
        self.report(
            e.span,
            "a formula is chosen before anything is computed, by a `bool` argument, `bias.is_some()`, or `! && ||` of these: elementwise write `select(cond, a, b)`",
        );
    }

    /// `match on { arms }`.
    fn selection(&mut self, span: Span, on: &Expr, arms: &[Arm]) {
        if let ExprKind::Name(name) = &on.kind
            && let Some((index, Arg { ty: ArgType::Enum(_), .. })) = self.arg(name)
        {
            return self.of_enum(index, span, arms);
        }
        self.condition(on);
        let before = self.errors.count();
        let mut seen = BTreeSet::new();
        for pattern in arms.iter().flat_map(|arm| &arm.patterns) {
            match pattern {
                Pattern::Bool(value, span) if !seen.insert(*value) => {
                    self.report(*span, format!("a second arm for `{value}`: remove one"));
                }
                Pattern::Bool(..) => {}
                Pattern::Variant(path) => {
                    let span = path.segments.last().map_or(span, |segment| segment.ident.span());
                    self.report(span, "this `match` is over a `bool`: its arms are `true` and `false`");
                }
            }
        }
        if seen.len() == 1 && self.errors.count() == before {
            self.report(span, format!("this `match` has no arm for `{}`", !seen.contains(&true)));
        }
    }

    fn of_enum(&mut self, arg: usize, span: Span, arms: &[Arm]) {
        self.variants.entry(arg).or_default().is_used = true;
        let before = self.errors.count();
        let mut names = Vec::new();
        for pattern in arms.iter().flat_map(|arm| &arm.patterns) {
            match pattern {
                Pattern::Variant(path) if names.contains(&last_word(path)) => {
                    let span = path.segments.last().map_or(span, |segment| segment.ident.span());
                    self.report(span, format!("a second arm for `{}`: remove one", path_text(path)));
                }
                Pattern::Variant(path) => {
                    names.push(last_word(path));
                    self.variant(arg, path.clone());
                }
                Pattern::Bool(_, span) => {
                    let name = self.item.args[arg].name.unraw();
                    self.report(*span, format!("`{name}` is no `bool`: the arms are variants of its type"));
                }
            }
        }
        if self.errors.count() == before {
            self.variants.entry(arg).or_default().matches.push((span, names));
        }
    }

    fn variant(&mut self, arg: usize, path: syn::Path) {
        let all = &mut self.variants.entry(arg).or_default().all;
        if all.iter().all(|known| last_word(known) != last_word(&path)) {
            all.push(path);
        }
    }

    /// A call may pass on what this op was given.
    fn op_call(&mut self, call: &OpCall) {
        let callee = self.callees.get(&call.name());
        let mut params = callee.into_iter().flat_map(|callee| &callee.params);
        for arg in &call.args {
            let (Argument::Plain(e) | Argument::Index(_, e)) = arg;
            let param = if let Argument::Plain(_) = arg { params.next() } else { None };
            let own = if let ExprKind::Name(name) = &e.kind { self.arg(name) } else { None };
            match (own, param.map(|param| &param.kind)) {
                (Some((_, Arg { ty: ArgType::Optional(_), .. })), Some(ParamKind::Optional)) => {}
                (Some((own, Arg { ty: ArgType::Enum(ty), .. })), Some(ParamKind::Enum { variants, .. })) => {
                    self.variants.entry(own).or_default().is_used = true;
                    for word in variants {
                        let mut path = ty.clone();
                        path.segments.push(Ident::new(word, e.span).into());
                        self.variant(own, path);
                    }
                }
                (
                    Some((own, Arg { ty: ArgType::Scalar(ScalarType::Bool), .. })),
                    Some(ParamKind::Flag { .. }),
                ) => {
                    self.flags.insert(own);
                }
                (Some(_) | None, _) => self.expr(e),
            }
        }
    }

    /// The variant in `#[default(..)]` is one of the variants.
    fn default_variants(&mut self) {
        for (index, arg) in self.item.args.iter().enumerate() {
            arg.default_variant.iter().for_each(|path| self.variant(index, path.clone()));
        }
    }

    /// Each `match` over an argument has an arm for each variant that is known. If nothing chooses by a type,
    /// it is a mistake, and what its uses lack is not.
    fn complete(&mut self) {
        for (index, arg) in self.item.args.iter().enumerate() {
            let ArgType::Enum(ty) = &arg.ty else { continue };
            let found = self.variants.remove(&index).unwrap_or_default();
            if !found.is_used {
                let span = ty.segments.last().map_or(arg.name.span(), |segment| segment.ident.span());
                self.report(span, NOT_A_TYPE);
                continue;
            }
            for (span, names) in &found.matches {
                let missing = found.all.iter().find(|path| !names.contains(&last_word(path)));
                if let Some(path) = missing {
                    let path = path_text(path);
                    self.report(
                        *span,
                        format!("this `match` has no arm for `{path}`, which stands elsewhere"),
                    );
                }
            }
            for name in self.bare.clone().into_iter().filter(|name| *name == arg.name) {
                let (text, ty) = (name.unraw(), path_text(ty));
                let message = format!(
                    "`{text}` chooses a formula and is no value: write `match {text} {{ {ty}::A => .. }}`"
                );
                self.report(name.span(), message);
            }
            self.variants.insert(index, found);
        }
    }

    fn choices(self) -> Vec<Choice> {
        let choice = |(arg, declared): (usize, &Arg)| {
            let values = match &declared.ty {
                ArgType::Optional(_) => Values::Optional,
                ArgType::Enum(_) => Values::Enum(self.variants.get(&arg)?.all.clone()),
                ArgType::Scalar(_) if self.flags.contains(&arg) => Values::Flag,
                ArgType::Tensor(TensorType { kinds: Some(kinds), .. })
                    if chooses_kind(self.item) == Some(arg) =>
                {
                    Values::Kind(*kinds)
                }
                ArgType::Scalar(_) | ArgType::Number | ArgType::Tensor(_) => return None,
                ArgType::Axis | ArgType::Axes | ArgType::Error => return None,
            };
            Some(Choice { arg, name: declared.name.clone(), values })
        };
        self.item.args.iter().enumerate().filter_map(choice).collect()
    }
}

/// The argument by whose elements a call chooses a kind.
fn chooses_kind(item: &Item) -> Option<usize> {
    item.args.iter().position(|arg| matches!(&arg.ty, ArgType::Tensor(TensorType { kinds: Some(_), .. })))
}

/// The tensors whose kind a call chooses have one type, which an argument has that is always passed.
fn one_kind(errors: &mut Errors, item: &Item) {
    let tensor = |arg: &'_ Arg| match &arg.ty {
        ArgType::Tensor(ty) | ArgType::Optional(ty) => Some((ty.kinds?, ty.span)),
        ArgType::Enum(_)
        | ArgType::Scalar(_)
        | ArgType::Number
        | ArgType::Axis
        | ArgType::Axes
        | ArgType::Error => None,
    };
    let of_kind = item.args.iter().find(|arg| matches!(arg.ty, ArgType::Number));
    if let (Some(arg), None) = (of_kind, chooses_kind(item)) {
        let message = format!(
            "`{}` has the kind that a call chooses, and here none does: declare a `NumTensor` or an `AnyTensor`, or write `f64` or `i64`",
            arg.name.unraw()
        );
        errors.at(arg.name.span(), message);
    }
    let results = item.results.iter().filter_map(|ty| Some((ty.kinds?, ty.span)));
    let all: Vec<_> = item.args.iter().filter_map(tensor).chain(results).collect();
    let Some((first, span)) = all.first() else { return };
    let is_no_bool = |arg: &&Arg| {
        matches!(arg.ty, ArgType::Number) && !matches!(arg.default, None | Some(Scalar::Int(0 | 1)))
    };
    if let (Kinds::All, Some(arg)) = (first, item.args.iter().find(is_no_bool)) {
        let message = format!("`{}` may be a bool, so that its default is 0 or 1", arg.name.unraw());
        errors.at(arg.name.span(), message);
    }
    let word = first.tensor();
    if let Some((other, span)) = all.iter().find(|(kinds, _)| kinds != first) {
        let message = format!(
            "the tensors whose kind a call chooses have one kind, and `{word}` stands before: write `{word}` here, not `{}`",
            other.tensor()
        );
        errors.at(*span, message);
    } else if chooses_kind(item).is_none() {
        let message = format!(
            "the kind of a `{word}` is that of an argument which is always passed: declare one as `{word}`, or write the kind, `Tensor` or `IntTensor`"
        );
        errors.at(*span, message);
    }
}
