//! The formula for each combination of values.

use super::{Choice, Values, Variant, combinations, last_word};
use crate::ast::{Arg, ArgType, Argument, Arm, Expr, ExprKind, Form, Item, Let, OpCall, Pattern, Rule};
use crate::ir::{Kind, Scalar};
use crate::prim::Prim;
use proc_macro2::Ident;
use syn::ext::IdentExt;

/// The variants of a declaration. Without choices there is one, which is the declaration itself.
pub(crate) fn variants(item: &Item, choices: &[Choice]) -> Vec<Variant> {
    if choices.is_empty() {
        return vec![Variant { picks: vec![], item: item.clone() }];
    }
    let variant = |picks: Vec<usize>| {
        let item = Resolve { item, choices, picks: &picks, hidden: vec![] }.item();
        Variant { picks, item }
    };
    combinations(choices).into_iter().map(variant).collect()
}

/// One combination of values.
struct Resolve<'a> {
    item: &'a Item,
    choices: &'a [Choice],
    picks: &'a [usize],
    /// Names of `let`s, which hide arguments.
    hidden: Vec<Ident>,
}

impl<'a> Resolve<'a> {
    fn item(&mut self) -> Item {
        let mut item = self.item.clone();
        let words: Vec<String> =
            self.choices.iter().zip(self.picks).map(|(choice, pick)| choice.word(*pick)).collect();
        let name = item.name.unraw().to_string();
        let name = format!("{}_{}", name.trim_end_matches('_'), words.join("_"));
        item.name = Ident::new(&name, item.name.span());
        self.kinds(&mut item);
        item.args =
            item.args.into_iter().enumerate().filter_map(|(index, arg)| self.arg(index, arg)).collect();
        let is_left = |rule: &Rule| {
            let declared = self.item.args.iter().find(|arg| arg.name == rule.input);
            declared
                .is_none_or(|arg| item.args.iter().any(|left| left.name == arg.name && self.is_float(arg)))
        };
        item.rules.retain(is_left);
        self.results(&mut item);
        item.lets = self.lets(&item.lets);
        item.rules.iter_mut().for_each(|rule| rule.value = self.expr(&rule.value));
        let mut tail: Vec<Expr> = item.tail.iter().map(|e| self.expr(e)).collect();
        // Nothing follows on the last value, so that the `let`s of its arm can be those of the formula.
        while let [Expr { kind: ExprKind::Form(Form::Block(lets, value)), .. }] = &tail[..] {
            item.lets.extend(lets.iter().cloned());
            tail = vec![(**value).clone()];
        }
        if let [Expr { kind: ExprKind::Tuple(values), .. }] = &tail[..] {
            tail = values.clone();
        }
        item.tail = tail;
        item
    }

    /// The kind that is chosen, if one is.
    fn kind(&self) -> Option<Kind> {
        self.choices.iter().zip(self.picks).find_map(|(choice, pick)| match &choice.values {
            Values::Kind(kinds) => Some(kinds.list()[*pick]),
            Values::Optional | Values::Flag | Values::Enum(_) => None,
        })
    }

    /// Tensors whose kind is chosen have it.
    fn kinds(&self, item: &mut Item) {
        item.kind = self.kind();
        let Some(kind) = item.kind else { return };
        let args = item.args.iter_mut().filter_map(|arg| match &mut arg.ty {
            ArgType::Tensor(ty) | ArgType::Optional(ty) => Some(ty),
            ArgType::Enum(_)
            | ArgType::Scalar(_)
            | ArgType::Number
            | ArgType::Axis
            | ArgType::Axes
            | ArgType::Error => None,
        });
        for ty in args.chain(&mut item.results) {
            if ty.kinds.take().is_some() {
                ty.kind = kind;
            }
        }
    }

    /// Whether a rule may be for this argument: not if the call has chosen ints or bools for it.
    fn is_float(&self, arg: &Arg) -> bool {
        match &arg.ty {
            ArgType::Tensor(ty) | ArgType::Optional(ty) => {
                ty.kinds.is_none() || self.kind() == Some(Kind::Float)
            }
            ArgType::Enum(_)
            | ArgType::Scalar(_)
            | ArgType::Number
            | ArgType::Axis
            | ArgType::Axes
            | ArgType::Error => true,
        }
    }

    /// A result may lack what a formula has reduced if the last value is chosen, here or by an op that is
    /// called.
    fn results(&self, item: &mut Item) {
        let may_lack = |e: &Expr| match &e.kind {
            ExprKind::Form(_) | ExprKind::OpCall(_) => true,
            ExprKind::Name(_) | ExprKind::Group | ExprKind::Int(_) | ExprKind::Literal(_) => false,
            ExprKind::Operator(..) | ExprKind::Call(..) | ExprKind::Tuple(_) | ExprKind::Error => false,
        };
        for (place, result) in item.results.iter_mut().enumerate() {
            let last =
                if self.item.tail.len() == 1 { self.item.tail.first() } else { self.item.tail.get(place) };
            result.may_lack = last.is_some_and(may_lack);
        }
    }

    /// The argument as the formula takes it. `None` if it only chooses.
    fn arg(&self, index: usize, mut arg: Arg) -> Option<Arg> {
        let Some(place) = self.choices.iter().position(|choice| choice.arg == index) else {
            return Some(arg);
        };
        match &arg.ty {
            ArgType::Tensor(_) => Some(arg),
            ArgType::Optional(ty) => {
                arg.ty = ArgType::Tensor(ty.clone());
                Some(arg).filter(|_| self.picks[place] == Values::YES)
            }
            ArgType::Enum(_)
            | ArgType::Scalar(_)
            | ArgType::Number
            | ArgType::Axis
            | ArgType::Axes
            | ArgType::Error => None,
        }
    }

    fn pick(&self, name: &Ident) -> Option<(&'a Choice, usize)> {
        if self.hidden.iter().any(|hidden| hidden.unraw() == name.unraw()) {
            return None;
        }
        let mut known = self.choices.iter().zip(self.picks);
        known.find(|(choice, _)| choice.name.unraw() == name.unraw()).map(|(choice, pick)| (choice, *pick))
    }

    fn lets(&mut self, lets: &[Let]) -> Vec<Let> {
        let mut chosen = Vec::new();
        for Let { names, value } in lets {
            chosen.push(Let { names: names.clone(), value: self.expr(value) });
            self.hidden.extend(names.iter().flatten().cloned());
        }
        chosen
    }

    fn expr(&mut self, e: &Expr) -> Expr {
        let kind = match &e.kind {
            ExprKind::Name(name) => self.name(name),
            ExprKind::Operator(prim, parts) => ExprKind::Operator(*prim, self.all(parts)),
            ExprKind::Call(name, args) => ExprKind::Call(name.clone(), self.args(args)),
            ExprKind::OpCall(call) => {
                ExprKind::OpCall(OpCall { path: call.path.clone(), args: self.args(&call.args) })
            }
            ExprKind::Tuple(parts) => ExprKind::Tuple(self.all(parts)),
            ExprKind::Form(form) => return self.form(e, form),
            ExprKind::Group | ExprKind::Int(_) | ExprKind::Literal(_) | ExprKind::Error => e.kind.clone(),
        };
        Expr { kind, span: e.span }
    }

    /// A name that chooses is what was chosen.
    fn name(&self, name: &Ident) -> ExprKind {
        match self.pick(name) {
            Some((Choice { values: Values::Flag, .. }, pick)) => {
                ExprKind::Literal(Scalar::Bool(pick == Values::YES))
            }
            Some((Choice { values: Values::Enum(paths), .. }, pick)) => {
                ExprKind::Form(Form::Variant(paths[pick].clone()))
            }
            Some((Choice { values: Values::Optional, .. }, pick)) if pick != Values::YES => {
                ExprKind::Form(Form::Absent)
            }
            Some((Choice { values: Values::Optional | Values::Kind(_), .. }, _)) | None => {
                ExprKind::Name(name.clone())
            }
        }
    }

    fn all(&mut self, parts: &[Expr]) -> Vec<Expr> {
        parts.iter().map(|part| self.expr(part)).collect()
    }

    fn args(&mut self, args: &[Argument]) -> Vec<Argument> {
        let mut arg = |arg: &Argument| match arg {
            Argument::Plain(e) => Argument::Plain(self.expr(e)),
            Argument::Index(name, e) => Argument::Index(name.clone(), self.expr(e)),
        };
        args.iter().map(&mut arg).collect()
    }

    fn form(&mut self, e: &Expr, form: &Form) -> Expr {
        let of = |kind: ExprKind| Expr { kind, span: e.span };
        match form {
            Form::If(parts) => {
                let chosen = usize::from(!self.holds(&parts[0]));
                self.expr(&parts[1 + chosen])
            }
            Form::Match(on, arms) => {
                self.arm(on, arms).map_or(of(ExprKind::Error), |arm| self.expr(&arm.value))
            }
            Form::UnwrapOr(parts) => match self.option(&parts[0]) {
                Some((name, _, true)) => Expr { kind: ExprKind::Name(name.clone()), span: parts[0].span },
                Some((name, kind, false)) => {
                    let value = Box::new(self.expr(&parts[1]));
                    of(ExprKind::Form(Form::Instead(name.clone(), kind, value)))
                }
                None => of(ExprKind::Error),
            },
            Form::IsSome(_) => of(ExprKind::Literal(Scalar::Bool(self.holds(e)))),
            Form::Block(lets, value) => {
                let outside = self.hidden.len();
                let (lets, value) = (self.lets(lets), self.expr(value));
                self.hidden.truncate(outside);
                of(ExprKind::Form(Form::Block(lets, Box::new(value))))
            }
            Form::Instead(..) | Form::Absent | Form::Variant(_) => e.clone(),
        }
    }

    /// An optional tensor: its name, its kind, and whether it is passed.
    fn option<'e>(&self, value: &'e Expr) -> Option<(&'e Ident, Kind, bool)> {
        let ExprKind::Name(name) = &value.kind else { return None };
        let (choice, pick) = self.pick(name)?;
        let ArgType::Optional(ty) = &self.item.args[choice.arg].ty else { return None };
        let kind = self.kind().filter(|_| ty.kinds.is_some()).unwrap_or(ty.kind);
        Some((name, kind, pick == Values::YES))
    }

    /// Whether a condition holds. It was checked that it is known.
    fn holds(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Name(name) => self.pick(name).is_some_and(|(_, pick)| pick == Values::YES),
            ExprKind::Form(Form::IsSome(value)) => self.option(value).is_some_and(|(_, _, passed)| passed),
            ExprKind::Operator(Prim::And | Prim::BitAnd, parts) => parts.iter().all(|part| self.holds(part)),
            ExprKind::Operator(Prim::Or | Prim::BitOr, parts) => parts.iter().any(|part| self.holds(part)),
            ExprKind::Operator(_, parts) => !parts.iter().all(|part| self.holds(part)),
            ExprKind::Literal(scalar) => *scalar == Scalar::Bool(true),
            ExprKind::Group | ExprKind::Int(_) | ExprKind::Call(..) | ExprKind::OpCall(_) => false,
            ExprKind::Tuple(_) | ExprKind::Form(_) | ExprKind::Error => false,
        }
    }

    fn arm<'e>(&self, on: &Expr, arms: &'e [Arm]) -> Option<&'e Arm> {
        let variant = if let ExprKind::Name(name) = &on.kind { self.pick(name) } else { None };
        let is_chosen = |pattern: &Pattern| match (pattern, variant) {
            (Pattern::Variant(path), Some((Choice { values: Values::Enum(paths), .. }, pick))) => {
                last_word(path) == last_word(&paths[pick])
            }
            (Pattern::Bool(value, _), _) => *value == self.holds(on),
            (Pattern::Variant(_), _) => false,
        };
        arms.iter().find(|arm| arm.patterns.iter().any(is_chosen))
    }
}
