//! Types of arguments and results: `Tensor![.., m, (g, c), (half = 2, d)]` and the like, scalars, `Axis`.

use super::expr::expr;
use crate::ast::{AXES, AXIS, ArgType, Axis, Dim, Kinds, NUMBER, TensorType};
use crate::diag::{Errors, TokenRange};
use crate::ir::{Kind, ScalarType};
use proc_macro2::{Ident, Span, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Token, Type, token};

/// Reads the type of an argument. For a generic parameter, whose declaration was already reported, there is
/// no further message.
pub(super) fn arg(errors: &mut Errors, ty: &Type, generics: &[Ident]) -> ArgType {
    if let Some(tensor) = tensor(errors, ty) {
        return ArgType::Tensor(tensor);
    }
    if let Some(tensor) = inner(ty, "Option").and_then(|inner| tensor(errors, inner)) {
        return ArgType::Optional(tensor);
    }
    let message = not_a_type(ty);
    let Some(name) = bare_name(ty) else {
        errors.at(TokenRange::of(ty), message.unwrap_or(NOT_A_TYPE));
        return ArgType::Error;
    };
    if name == NUMBER {
        return ArgType::Number;
    }
    if name == AXIS {
        return ArgType::Axis;
    }
    if name == AXES {
        return ArgType::Axes;
    }
    if let Some(scalar) = ScalarType::from_name(&name.to_string()) {
        return ArgType::Scalar(scalar);
    }
    if generics.contains(name) {
        return ArgType::Error;
    }
    if let (Some(path), None) = (path(ty), message) {
        return ArgType::Enum(path.clone());
    }
    errors.at(name.span(), message.unwrap_or(NOT_A_TYPE));
    ArgType::Error
}

/// Reads the result: a tensor type or a tuple of them. Empty after a mistake.
pub(super) fn results(errors: &mut Errors, ty: &Type, generics: &[Ident]) -> Vec<TensorType> {
    let before = errors.count();
    let list: Vec<&Type> = match ty {
        Type::Tuple(tuple) if tuple.elems.len() < 2 => {
            errors.at(TokenRange::of(ty), "a tuple of results has at least two: write `-> Tensor` for one");
            return vec![];
        }
        Type::Tuple(tuple) => tuple.elems.iter().collect(),
        _ => vec![ty],
    };
    let results = list.into_iter().filter_map(|ty| result(errors, ty, generics)).collect();
    if errors.count() == before { results } else { vec![] }
}

fn result(errors: &mut Errors, ty: &Type, generics: &[Ident]) -> Option<TensorType> {
    let found = tensor(errors, ty);
    if found.is_none() && !bare_name(ty).is_some_and(|name| generics.contains(name)) {
        let message = match inner(ty, "Result") {
            Some(_) => {
                "a result is written without `Result`: the generated function returns one, so write `-> Tensor`"
            }
            None => {
                "a result is a `Tensor`, `IntTensor`, `BoolTensor`, `NumTensor` or `AnyTensor`, or a tuple of them; one number is `Tensor![]`"
            }
        };
        errors.at(TokenRange::of(ty), message);
    }
    found
}

/// The tensor type, if the type is one.
fn tensor(errors: &mut Errors, ty: &Type) -> Option<TensorType> {
    match ty {
        Type::Macro(ty) => {
            let name = &ty.mac.path.segments.last()?.ident;
            let of_axes = tensor_type(name)?;
            Some(of_axes(axes(errors, ty.mac.tokens.clone())))
        }
        Type::Path(_) => {
            let name = bare_name(ty)?;
            Some(tensor_type(name)?(vec![Axis::Group(name.span())]))
        }
        Type::Group(group) => tensor(errors, &group.elem),
        Type::Paren(paren) => tensor(errors, &paren.elem),
        _ => None,
    }
}

/// The tensor type that a word names, once its axes are known.
fn tensor_type(name: &Ident) -> Option<impl FnOnce(Vec<Axis>) -> TensorType> {
    let kinds = Kinds::ALL.into_iter().find(|kinds| name == kinds.tensor());
    let kind = Kind::ALL.into_iter().find(|kind| name == kind.tensor());
    let kind = kind.or(kinds.map(|_| Kind::Float))?;
    let span = name.span();
    Some(move |axes| TensorType { kind, kinds, axes, span, may_lack: false })
}

/// The scalar that a type is.
pub(super) fn scalar(ty: &Type) -> Option<ScalarType> {
    ScalarType::from_name(&bare_name(ty)?.to_string())
}

/// The last name of a path without type parameters.
fn bare_name(ty: &Type) -> Option<&Ident> {
    let last = path(ty)?.segments.last()?;
    last.arguments.is_none().then_some(&last.ident)
}

fn path(ty: &Type) -> Option<&syn::Path> {
    match ty {
        Type::Path(path) if path.qself.is_none() => Some(&path.path),
        Type::Group(group) => path(&group.elem),
        Type::Paren(paren) => path(&paren.elem),
        _ => None,
    }
}

/// The type between the brackets of `Option<..>` and similar types.
fn inner<'t>(ty: &'t Type, outer: &str) -> Option<&'t Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == outer)?;
    match &last.arguments {
        syn::PathArguments::AngleBracketed(list) => list.args.iter().find_map(|arg| match arg {
            syn::GenericArgument::Type(ty) => Some(ty),
            _ => None,
        }),
        syn::PathArguments::None | syn::PathArguments::Parenthesized(_) => None,
    }
}

/// What may stand for the type of an argument.
pub(crate) const NOT_A_TYPE: &str = "not a type of the language: there are Tensor, IntTensor, BoolTensor, NumTensor, AnyTensor, Option of these, Axis, Axes, f64, f32, Fraction, i64, usize, bool, Number, Seed, and enums that a `match` chooses by";

/// What to write instead of a type that the language has not. `None` if nothing is known about it.
fn not_a_type(ty: &Type) -> Option<&'static str> {
    if inner(ty, "Option").is_some() {
        return Some(
            "a scalar is optional by its default: write `#[default(1e-6)] eps: f64`, and a caller may pass `None`",
        );
    }
    const LIST: &str = "an op has a fixed list of arguments: name each tensor, `x: Tensor, y: Tensor`";
    const STRING: &str = "an op has no strings: declare an op for each case, or pass a `bool`";
    let instead = match ty {
        Type::Reference(reference) if matches!(&*reference.elem, Type::Slice(_)) => LIST,
        Type::Slice(_) | Type::Array(_) => LIST,
        Type::Tuple(_) => "an argument is one tensor or one number: write an argument for each part",
        Type::ImplTrait(_) => {
            "an argument has one type: write `x: Tensor`, and callers may pass `x`, `&x` or a `Result`"
        }
        Type::Reference(reference) if bare_name(&reference.elem).is_some_and(|name| name == "str") => STRING,
        Type::Reference(_) => {
            "no reference is needed: a caller keeps its tensor with `&x`, on Burn's tensors with `x.clone()`"
        }
        Type::Path(path) => match path.path.segments.last().map(|s| s.ident.to_string()).as_deref() {
            Some("Tensor" | "IntTensor" | "BoolTensor" | "NumTensor" | "AnyTensor") => {
                "a tensor has no type parameters: its element type and device are known at run time, and dims are named in `Tensor![m, n]`"
            }
            Some("i8" | "i16" | "i32" | "i128" | "u8" | "u16" | "u32" | "u64" | "u128" | "isize") => {
                "not a type of the language: an integer is `i64`, a size is `usize`"
            }
            Some("Vec") => LIST,
            Some("String" | "char") => STRING,
            Some("Result") => {
                "an argument is written without `Result`: the generated function takes one too, so write `x: Tensor`"
            }
            Some("Device" | "DType" | "Shape") => {
                "not an argument of an op: its results have the device and the dtype of its tensors, and sizes are `usize`; an op without tensors takes both at its end by itself"
            }
            Some("f16" | "bf16" | "f128") => "not a type of the language: a float scalar is `f64` or `f32`",
            _ => "",
        },
        _ => "",
    };
    Some(instead).filter(|message| !message.is_empty())
}

/// The axes between the brackets of `Tensor![..]`.
fn axes(errors: &mut Errors, tokens: TokenStream) -> Vec<Axis> {
    let mut axes = Vec::new();
    // A mistake behind the last token is reported at that token.
    let last = tokens.clone().into_iter().last().map(|token| token.span());
    let parsed = (|input: ParseStream<'_>| {
        while !input.is_empty() {
            axes.extend(axis(errors, input, &axes)?);
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(())
    })
    .parse2(tokens);
    if let Err(error) = parsed {
        let is_at_the_end = error.to_string().starts_with("unexpected end of input");
        let span = last.filter(|_| is_at_the_end).unwrap_or_else(|| error.span());
        errors.at(span, "an axis is `n`, `n = 3`, `m = n + 1`, `(g, c)`, or `..`");
    }
    unique(errors, &axes);
    axes
}

fn axis(errors: &mut Errors, input: ParseStream<'_>, before: &[Axis]) -> syn::Result<Option<Axis>> {
    if input.peek(Token![..]) {
        let dots = input.parse::<Token![..]>()?;
        let is_second = before.iter().any(|axis| matches!(axis, Axis::Group(_)));
        if is_second {
            errors
                .at(TokenRange::of(&dots), "a second `..`: it stands once in a type, so name the other dims");
        }
        return Ok((!is_second).then_some(Axis::Group(dots.spans[0])));
    }
    if input.peek(token::Paren) {
        let content;
        let span = syn::parenthesized!(content in input).span.join();
        return Ok(parts(errors, &content, span)?.map(Axis::Parts));
    }
    Ok(dim(errors, input)?.map(Axis::Dim))
}

fn parts(errors: &mut Errors, content: ParseStream<'_>, span: Span) -> syn::Result<Option<Vec<Dim>>> {
    let mut parts = Vec::new();
    let before = errors.count();
    while !content.is_empty() {
        if content.peek(Token![..]) {
            let dots = content.parse::<Token![..]>()?;
            errors.at(TokenRange::of(&dots), "`..` is no part of an axis: write it between the axes");
        } else if content.peek(token::Paren) {
            let inner;
            let nested = syn::parenthesized!(inner in content).span.join();
            let _: TokenStream = inner.parse()?;
            errors.at(nested, "the parts of an axis are not nested: write `(a, b, c)`");
        } else {
            parts.extend(dim(errors, content)?);
        }
        if !content.is_empty() {
            content.parse::<Token![,]>()?;
        }
    }
    if errors.count() == before && parts.len() < 2 {
        errors.at(span, "an axis in parentheses has at least two parts: `(g, c)`");
    }
    Ok((parts.len() > 1).then_some(parts))
}

fn dim(errors: &mut Errors, input: ParseStream<'_>) -> syn::Result<Option<Dim>> {
    if input.peek(syn::LitInt) {
        let size: syn::LitInt = input.parse()?;
        if !input.is_empty() && !input.peek(Token![,]) {
            return Err(input.error("no axis"));
        }
        errors.at(size.span(), format!("a dim has a name: write `c = {size}`"));
        return Ok(None);
    }
    let name: Ident = input.parse()?;
    if !input.peek(Token![=]) {
        return Ok(Some(Dim { name, size: None }));
    }
    input.parse::<Token![=]>()?;
    let size: syn::Expr = input.parse()?;
    Ok(Some(Dim { name, size: Some(expr(errors, &size)) }))
}

/// Checks that a dim occurs only once in a type.
fn unique(errors: &mut Errors, axes: &[Axis]) {
    let mut seen: Vec<&Ident> = Vec::new();
    for dim in axes.iter().flat_map(Axis::dims) {
        if seen.contains(&&dim.name) {
            let name = dim.name.unraw();
            errors.at(
                dim.name.span(),
                format!(
                    "dim `{name}` stands twice in one type: give the second axis a name of its own, `{name}2`, or `{name}2 = {name}` if both have one size"
                ),
            );
        }
        seen.push(&dim.name);
    }
}
