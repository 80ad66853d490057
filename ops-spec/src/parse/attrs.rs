//! Attributes of the function and of its arguments.

use super::expr::expr;
use super::kernel;
use crate::ast::{ALL, ArgType, Expr, ExprKind, Keep, Kernels, Rule};
use crate::diag::Errors;
use crate::ir::{ALL_AXES, Precision, Scalar, ScalarType};
use crate::prim::Prim;
use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Meta, Token};

/// The contents of a function's attributes.
#[derive(Default)]
pub(super) struct OfFunction {
    pub(super) kept: Vec<Attribute>,
    pub(super) rules: Vec<Rule>,
    pub(super) no_grad: bool,
    pub(super) keep: Keep,
    pub(super) precision: Option<Precision>,
    pub(super) kernels: Kernels,
}

/// The contents of an argument's attributes.
#[derive(Default)]
pub(super) struct OfArg {
    pub(super) default: Option<Scalar>,
    /// The argument whose value is the default.
    pub(super) argument: Option<Ident>,
    /// The default of an enum.
    pub(super) variant: Option<syn::Path>,
    pub(super) no_grad: bool,
}

/// `name = value`.
struct Setting<T> {
    name: Ident,
    value: T,
}

impl<T: Parse> Parse for Setting<T> {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.call(Ident::parse_any)?;
        input.parse::<Token![=]>()?;
        Ok(Setting { name, value: input.parse()? })
    }
}

/// Reads the attributes of the function.
pub(super) fn of_function(errors: &mut Errors, attrs: &[Attribute]) -> OfFunction {
    let mut found = OfFunction::default();
    for attr in attrs {
        match name(attr).as_str() {
            "doc" | "cfg" | "allow" | "expect" | "must_use" | "inline" | "deprecated" => {
                found.kept.push(attr.clone());
            }
            // It is for the declaration, which rustfmt has seen.
            "rustfmt::skip" => {}
            "grad" => found.rules.extend(rules(errors, attr)),
            "no_grad" => found.no_grad |= word(errors, attr),
            word @ ("save" | "recompute") => {
                let keep = if word == "save" { save(errors, attr) } else { recompute(errors, attr) };
                if !matches!(std::mem::replace(&mut found.keep, keep), Keep::Cheapest) {
                    errors.at(attr.path().span(), "a second word on what is kept: remove one");
                }
            }
            "precision" => {
                let second = precision(errors, attr).and_then(|word| found.precision.replace(word));
                if second.is_some() {
                    errors.at(attr.path().span(), "a second precision: remove one");
                }
            }
            "kernel" => kernel::kernels(errors, attr, &mut found.kernels),
            "default" => errors.at(attr.path().span(), "`#[default(..)]` goes on an argument: `#[default(1e-6)] eps: f64`"),
            _ => errors.at(
                attr.path().span(),
                format!(
                    "unsupported attribute `{}`: an op takes grad, no_grad, save, recompute, precision, kernel, doc, cfg, allow, expect, must_use, inline, deprecated and rustfmt::skip",
                    name(attr)
                ),
            ),
        }
    }
    found
}

/// Reads the attributes of an argument.
pub(super) fn of_arg(errors: &mut Errors, attrs: &[Attribute], arg: &Ident, ty: &ArgType) -> OfArg {
    let mut found = OfArg::default();
    for attr in attrs {
        let span = attr.path().span();
        match name(attr).as_str() {
            "default" => {
                if found.default.is_some() || found.variant.is_some() || found.argument.is_some() {
                    errors.at(span, "a second default: remove one");
                }
                match ty {
                    ArgType::Enum(_) => found.variant = variant(errors, attr),
                    ArgType::Scalar(ScalarType::Usize | ScalarType::I64)
                        if attr.parse_args::<Ident>().is_ok() =>
                    {
                        found.argument = attr.parse_args().ok();
                    }
                    ArgType::Tensor(_) | ArgType::Optional(_) | ArgType::Scalar(_) | ArgType::Number => {
                        found.default = default(errors, attr, arg, ty)
                    }
                    ArgType::Axis | ArgType::Axes | ArgType::Error => {
                        found.default = default(errors, attr, arg, ty)
                    }
                }
            }
            "no_grad" if ty.is_float_tensor() => found.no_grad = word(errors, attr),
            "no_grad" => match ty {
                ArgType::Error => {}
                ArgType::Tensor(_)
                | ArgType::Optional(_)
                | ArgType::Enum(_)
                | ArgType::Scalar(_)
                | ArgType::Number
                | ArgType::Axis
                | ArgType::Axes => errors.at(
                    span,
                    format!(
                        "only a `Tensor` has a gradient, and `{}` is none: remove `#[no_grad]`",
                        arg.unraw()
                    ),
                ),
            },
            other => errors
                .at(span, format!("unsupported attribute `{other}`: an argument takes default and no_grad")),
        }
    }
    found
}

fn name(attr: &Attribute) -> String {
    let segments: Vec<String> = attr.path().segments.iter().map(|s| s.ident.to_string()).collect();
    segments.join("::")
}

fn word(errors: &mut Errors, attr: &Attribute) -> bool {
    match &attr.meta {
        Meta::Path(_) => true,
        Meta::List(_) | Meta::NameValue(_) => {
            errors.at(attr.path().span(), format!("`#[{0}]` stands alone: write `#[{0}]`", name(attr)));
            false
        }
    }
}

pub(super) fn list<T: Parse>(
    errors: &mut Errors,
    parsed: syn::Result<Punctuated<T, Token![,]>>,
    hint: &str,
) -> Vec<T> {
    match parsed {
        Ok(list) => list.into_iter().collect(),
        Err(error) => {
            errors.at(error.span(), format!("{error}: {hint}"));
            vec![]
        }
    }
}

/// The elements in the parentheses of an attribute, separated by commas.
pub(super) fn listed<T: Parse>(errors: &mut Errors, attr: &Attribute, hint: &str) -> Option<Vec<T>> {
    let inside = inside(errors, attr, hint)?;
    Some(list(errors, inside.parse_args_with(Punctuated::parse_terminated), hint))
}

fn inside<'a>(errors: &mut Errors, attr: &'a Attribute, hint: &str) -> Option<&'a syn::MetaList> {
    match &attr.meta {
        Meta::List(list) if !list.tokens.is_empty() => Some(list),
        Meta::List(_) | Meta::Path(_) | Meta::NameValue(_) => {
            errors.at(attr.path().span(), hint);
            None
        }
    }
}

fn rules(errors: &mut Errors, attr: &Attribute) -> Vec<Rule> {
    let hint = "write `#[grad(x = grad * ..)]`, with the argument's name on the left";
    let list = listed::<Setting<syn::Expr>>(errors, attr, hint).unwrap_or_default();
    list.into_iter().map(|s| Rule { input: s.name, value: expr(errors, &s.value) }).collect()
}

/// `#[save(mu, rstd)]`.
fn save(errors: &mut Errors, attr: &Attribute) -> Keep {
    let hint = "write `#[save(mu, rstd)]`, with names of `let`s";
    match listed(errors, attr, hint) {
        Some(names) if !names.is_empty() => Keep::Lets(names),
        Some(_) | None => Keep::Cheapest,
    }
}

fn recompute(errors: &mut Errors, attr: &Attribute) -> Keep {
    if word(errors, attr) { Keep::Nothing(attr.path().span()) } else { Keep::Cheapest }
}

/// `#[precision(highest)]`.
fn precision(errors: &mut Errors, attr: &Attribute) -> Option<Precision> {
    let hint = "write `#[precision(highest)]` or `#[precision(high)]`";
    let words: Vec<Ident> = listed(errors, attr, hint)?;
    let [word] = &words[..] else {
        if words.len() > 1 {
            errors.at(words[1].span(), hint);
        }
        return None;
    };
    let found = Precision::from_name(&word.to_string());
    if found.is_none() {
        errors.at(word.span(), format!("`{word}` is no precision of matrix products: {hint}"));
    }
    found
}

fn default(errors: &mut Errors, attr: &Attribute, arg: &Ident, ty: &ArgType) -> Option<Scalar> {
    let name = arg.unraw();
    let mut refuse = |message: String| {
        errors.at(attr.path().span(), message);
        None
    };
    match ty {
        ArgType::Scalar(ScalarType::Seed) => {
            return refuse(format!(
                "a `Seed` needs no default: where a call has `None`, the device's generator gives `{name}`"
            ));
        }
        ArgType::Tensor(_) => {
            return refuse(format!(
                "`{name}` is a tensor: only scalars, enums, `Axis` and `Axes` have defaults"
            ));
        }
        ArgType::Optional(_) => {
            return refuse(format!(
                "the default of `{name}` stands in the formula: write `{name}.unwrap_or(..)`"
            ));
        }
        ArgType::Enum(_) | ArgType::Error => return None,
        ArgType::Scalar(_) | ArgType::Number | ArgType::Axis | ArgType::Axes => {}
    }
    let hint = format!("write `#[default(..)]` with {}", wanted(ty));
    match inside(errors, attr, &hint)?.parse_args::<syn::Expr>() {
        Ok(value) => {
            let value = expr(errors, &value);
            default_value(errors, &value, arg, ty)
        }
        Err(error) => {
            errors.at(error.span(), format!("{error}: {hint}"));
            None
        }
    }
}

/// The value that a default is written as.
pub(super) fn default_value(errors: &mut Errors, value: &Expr, arg: &Ident, ty: &ArgType) -> Option<Scalar> {
    if matches!(value.kind, ExprKind::Error) {
        return None;
    }
    let scalar = match (ty, &value.kind) {
        (ArgType::Axes, ExprKind::Name(word)) if word == ALL => Some(Scalar::Int(ALL_AXES)),
        _ => literal(value).and_then(|scalar| fit(scalar, ty)),
    };
    if scalar.is_none() {
        let message = format!("the default of `{}` is written out: {}", arg.unraw(), wanted(ty));
        errors.at(value.span, message);
    }
    scalar
}

/// What a default of this type looks like.
fn wanted(ty: &ArgType) -> &'static str {
    match ty {
        ArgType::Scalar(ScalarType::F64 | ScalarType::F32) => "a number, such as `1e-6`",
        ArgType::Scalar(ScalarType::Fraction) => "a number from 0 to 1, such as `0.5`",
        ArgType::Scalar(ScalarType::I64) | ArgType::Axis => "an integer, such as `-1`",
        ArgType::Axes => "`all`",
        ArgType::Scalar(ScalarType::Usize) => "an integer of at least 0",
        ArgType::Scalar(ScalarType::Bool) => "`true` or `false`",
        ArgType::Number => "a whole number, such as `0`",
        // These have no default.
        ArgType::Scalar(ScalarType::Seed) | ArgType::Tensor(_) | ArgType::Optional(_) => "nothing",
        ArgType::Enum(_) | ArgType::Error => "nothing",
    }
}

/// `#[default(Reduction::Mean)]`.
fn variant(errors: &mut Errors, attr: &Attribute) -> Option<syn::Path> {
    let hint = "the default of an enum is one of its variants: write `#[default(Reduction::Mean)]`";
    let found = inside(errors, attr, hint)?.parse_args::<syn::Path>();
    let found = found.ok().filter(super::form::is_variant);
    if found.is_none() {
        errors.at(attr.path().span(), hint);
    }
    found
}

/// The value of a literal, with or without a minus.
fn literal(value: &Expr) -> Option<Scalar> {
    match &value.kind {
        ExprKind::Int(i) => Some(Scalar::Int(*i)),
        ExprKind::Literal(scalar) => Some(*scalar),
        ExprKind::Operator(Prim::Neg, operands) => match literal(operands.first()?)? {
            Scalar::Float(x) => Some(Scalar::Float(-x)),
            Scalar::Int(i) => Some(Scalar::Int(-i)),
            Scalar::Bool(_) => None,
        },
        ExprKind::Operator(..) | ExprKind::Name(_) | ExprKind::Group => None,
        ExprKind::Call(..) | ExprKind::OpCall(_) | ExprKind::Tuple(_) => None,
        ExprKind::Form(_) | ExprKind::Error => None,
    }
}

fn fit(scalar: Scalar, ty: &ArgType) -> Option<Scalar> {
    match (ty, scalar) {
        (ArgType::Scalar(ScalarType::F64 | ScalarType::F32), Scalar::Int(i)) => Some(Scalar::Float(i as f64)),
        (ArgType::Scalar(ScalarType::Fraction), Scalar::Float(_) | Scalar::Int(_)) => {
            Some(Scalar::Float(scalar.as_f64())).filter(|scalar| scalar.is_fraction())
        }
        (ArgType::Scalar(ScalarType::Usize), Scalar::Int(i)) => (i >= 0).then_some(scalar),
        (ArgType::Axis | ArgType::Number, Scalar::Int(_)) => Some(scalar),
        (ArgType::Scalar(ty), _) => (ty.kind() == scalar.kind()).then_some(scalar),
        (ArgType::Axis | ArgType::Axes | ArgType::Tensor(_) | ArgType::Optional(_), _) => None,
        (ArgType::Number | ArgType::Enum(_) | ArgType::Error, _) => None,
    }
}
