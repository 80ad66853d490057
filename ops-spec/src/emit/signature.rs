//! The arguments of generated functions: how each is declared, handed on and turned into a value of the run.

use super::op_type;
use crate::ast::{Arg, ArgType, DEVICE, DTYPE, Item, Param, Place};
use crate::ir::{Kind, Scalar, ScalarType};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;

/// The arguments and results of a declaration, ready to be quoted.
pub(super) struct Signature {
    /// `x: impl IntoTensor, eps: impl IntoFloat<Option<f64>>`.
    pub(super) function_args: Vec<TokenStream>,
    /// What a function does first: it takes lists apart, and a seed that a caller leaves out comes from the
    /// device of the first tensor.
    pub(super) prepare: TokenStream,
    /// `x.into_tensor()?.into_primitive()`, `eps.into_float().unwrap_or(1e-6)`.
    pub(super) hand_on: Vec<TokenStream>,
    /// `x: Self::Tensor, eps: f64`.
    pub(super) method_args: Vec<TokenStream>,
    /// Number of results.
    pub(super) results: usize,
}

impl Signature {
    pub(super) fn new(item: &Item) -> Signature {
        let mut signature = Signature {
            function_args: item.params().iter().map(function_param).collect(),
            prepare: prepare(item),
            hand_on: item.args.iter().map(hand_on).collect(),
            method_args: item.args.iter().map(method_arg).collect(),
            results: item.results.len(),
        };
        if let Some(place) = item.place() {
            signature.add_place(place);
        }
        signature
    }

    /// Without a tensor among the arguments, the functions take a device, and a dtype if a result is a float.
    fn add_place(&mut self, place: Place) {
        let [dtype, device] = [DTYPE, DEVICE].map(|name| Ident::new(name, Span::mixed_site()));
        if place.is_float {
            for args in [&mut self.function_args, &mut self.method_args] {
                args.push(quote!(#dtype: ::tensor_op::DType));
            }
            self.hand_on.push(quote!(#dtype));
        }
        self.function_args.push(quote!(#device: &::tensor_op::Device));
        self.method_args.push(quote!(#device: &Self::Device));
        self.hand_on.push(quote!(::tensor_op::__private::device(#device)));
    }

    /// The type that a function with these results returns, for a tensor type.
    pub(super) fn result_type(&self, tensor: &TokenStream) -> TokenStream {
        let tensors = std::iter::repeat_n(tensor, self.results);
        if self.results == 1 { quote!(#tensor) } else { quote!((#(#tensors),*)) }
    }
}

/// `Value::Tensor(x), scalar(&RmsNorm, 1, eps)?`, for a formula with nothing left to choose. Errors call the
/// op by the declared name where a call has chosen a kind.
pub(super) fn values(item: &Item, declared: &Ident) -> Vec<TokenStream> {
    let op = op_type(&item.name);
    let values = item.args.iter().enumerate().map(|(index, arg)| {
        let name = &arg.name;
        let number = number(item, declared, arg, &quote!(#name));
        number.map_or_else(|| value(&op, index, arg), |number| quote!(#number?))
    });
    values.chain(item.place().map(|place| place_value(&op, place))).collect()
}

fn place_value(op: &Ident, place: Place) -> TokenStream {
    let [dtype, device] = [DTYPE, DEVICE].map(|name| Ident::new(name, Span::mixed_site()));
    let dtype = if place.is_float { quote!(#dtype) } else { quote!(::tensor_op::DType::Bool) };
    quote!(::tensor_op::__private::place::<Self>(&#op, #dtype, #device)?)
}

fn function_param(param: &Param<'_>) -> TokenStream {
    match param {
        Param::One(arg) => function_arg(arg),
        Param::List(name, elements) => list_arg(name, &elements.iter().collect::<Vec<_>>()),
    }
}

fn function_arg(arg: &Arg) -> TokenStream {
    let name = &arg.name;
    match &arg.ty {
        ArgType::Tensor(_) | ArgType::Error => quote!(#name: impl ::tensor_op::IntoTensor),
        ArgType::Optional(_) => quote!(#name: impl ::tensor_op::IntoOptionalTensor),
        ArgType::Scalar(_) | ArgType::Number | ArgType::Axis | ArgType::Axes | ArgType::Enum(_) => {
            scalar_arg(arg)
        }
    }
}

/// Statements that take lists apart, and give a value to seeds, which a caller may leave out.
fn prepare(item: &Item) -> TokenStream {
    let lists = lists(item);
    let seeds: Vec<&Ident> = item.args.iter().filter(|arg| is_seed(arg)).map(|arg| &arg.name).collect();
    if seeds.is_empty() {
        return lists;
    }
    let tensor = item.args.iter().find(|arg| matches!(arg.ty, ArgType::Tensor(_))).map(|arg| &arg.name);
    let (converted, device) = match (tensor, item.place()) {
        (Some(x), _) => (
            quote!(let #x = ::tensor_op::IntoTensor::into_tensor(#x)?;),
            quote!(&::tensor_op::Tensor::device(&#x)),
        ),
        (None, Some(_)) => {
            let device = Ident::new(DEVICE, Span::mixed_site());
            (TokenStream::new(), quote!(#device))
        }
        (None, None) => (TokenStream::new(), quote!(&::tensor_op::Device::default())),
    };
    quote! {
        #lists
        #converted
        #(let #seeds = ::tensor_op::__private::seed(#seeds, #device);)*
    }
}

/// Whether it is the seed of random numbers.
pub(super) fn is_seed(arg: &Arg) -> bool {
    matches!(arg.ty, ArgType::Scalar(ScalarType::Seed))
}

fn hand_on(arg: &Arg) -> TokenStream {
    let name = &arg.name;
    match &arg.ty {
        ArgType::Tensor(_) | ArgType::Error => {
            quote!(::tensor_op::IntoTensor::into_tensor(#name)?.into_primitive())
        }
        ArgType::Optional(_) => quote! {
            ::tensor_op::IntoOptionalTensor::into_optional_tensor(#name)?.map(::tensor_op::Tensor::into_primitive)
        },
        ArgType::Scalar(_) | ArgType::Number | ArgType::Axis | ArgType::Axes | ArgType::Enum(_) => {
            scalar_value(arg)
        }
    }
}

/// `stride: impl IntoList<Option<[usize; 2]>>`.
pub(super) fn list_arg(name: &Ident, elements: &[&Arg]) -> TokenStream {
    let wanted = list_type(elements);
    quote!(#name: impl ::tensor_op::IntoList<#wanted>)
}

/// The type of a list, or with defaults an option of it.
fn list_type(elements: &[&Arg]) -> TokenStream {
    let (ty, count) = (scalar_type(&elements[0].ty), Literal::usize_unsuffixed(elements.len()));
    let list = quote!([#ty; #count]);
    if has_default(elements[0]) { quote!(::core::option::Option<#list>) } else { list }
}

/// `let [sh, sw] = IntoList::<Option<[usize; 2]>>::into_list(stride).unwrap_or([1, 1]);`
pub(super) fn lists(item: &Item) -> TokenStream {
    let statements = item.params().into_iter().filter_map(|param| {
        let Param::List(name, elements) = param else { return None };
        let elements: Vec<&Arg> = elements.iter().collect();
        let (wanted, names) = (list_type(&elements), elements.iter().map(|element| &element.name));
        let default = |element: &&Arg| match &element.default_arg {
            Some(like) => Some(quote!(#like)),
            None => element.default.map(literal),
        };
        let defaults: Option<Vec<TokenStream>> = elements.iter().map(default).collect();
        let defaults = defaults.map(|defaults| quote!(.unwrap_or([#(#defaults),*])));
        Some(quote! {
            let [#(#names),*] = ::tensor_op::IntoList::<#wanted>::into_list(#name) #defaults;
        })
    });
    statements.collect()
}

/// A scalar as a function takes it: `k: i64`, `eps: impl IntoFloat<f64>`, or with a default an option of it.
pub(super) fn scalar_arg(arg: &Arg) -> TokenStream {
    let (name, wanted) = (&arg.name, wanted(arg));
    match conversion(&arg.ty) {
        Some((conversion, _)) => quote!(#name: impl ::tensor_op::#conversion<#wanted>),
        None if has_default(arg) => quote!(#name: impl ::core::convert::Into<#wanted>),
        None => quote!(#name: #wanted),
    }
}

/// The number that a function was given, or the default. Elements of lists and seeds are numbers already.
pub(super) fn scalar_value(arg: &Arg) -> TokenStream {
    let (name, wanted) = (&arg.name, wanted(arg));
    if is_seed(arg) || arg.list.is_some() {
        return quote!(#name);
    }
    let default = match &arg.ty {
        ArgType::Scalar(_) if arg.default_arg.is_some() => arg.default_arg.as_ref().map(|like| quote!(#like)),
        ArgType::Axes => arg.default.map(|_| quote!(::tensor_op::Axes::all())),
        ArgType::Enum(_) => arg.default_variant.as_ref().map(|path| quote!(#path)),
        ArgType::Axis | ArgType::Scalar(_) => arg.default.map(literal),
        ArgType::Number => arg.default.map(|default| {
            let default = literal(default);
            quote!(::tensor_op::Number::Int(#default))
        }),
        ArgType::Tensor(_) | ArgType::Optional(_) | ArgType::Error => None,
    };
    let default = default.map(|default| quote!(.unwrap_or(#default)));
    match conversion(&arg.ty) {
        Some((conversion, method)) => {
            quote!(::tensor_op::#conversion::<#wanted>::#method(#name) #default)
        }
        None if has_default(arg) => quote!(::core::convert::Into::<#wanted>::into(#name) #default),
        None => quote!(#name),
    }
}

/// Whether a caller may pass `None` for it.
pub(super) fn has_default(arg: &Arg) -> bool {
    arg.default.is_some() || arg.default_variant.is_some() || arg.default_arg.is_some() || is_seed(arg)
}

/// The type of a scalar, or with a default an option of it.
fn wanted(arg: &Arg) -> TokenStream {
    let ty = scalar_type(&arg.ty);
    if has_default(arg) { quote!(::core::option::Option<#ty>) } else { ty }
}

/// The trait of what a function takes for a scalar, and its method, if a function takes more than the type.
fn conversion(ty: &ArgType) -> Option<(TokenStream, TokenStream)> {
    match ty {
        ArgType::Scalar(ty) if ty.kind() == Kind::Float => Some((quote!(IntoFloat), quote!(into_float))),
        ArgType::Number => Some((quote!(IntoNumber), quote!(into_number))),
        ArgType::Axes => Some((quote!(IntoAxes), quote!(into_axes))),
        ArgType::Scalar(_) | ArgType::Axis | ArgType::Enum(_) => None,
        ArgType::Tensor(_) | ArgType::Optional(_) | ArgType::Error => None,
    }
}

fn method_arg(arg: &Arg) -> TokenStream {
    let name = &arg.name;
    match &arg.ty {
        ArgType::Tensor(_) | ArgType::Error => quote!(#name: Self::Tensor),
        ArgType::Optional(_) => quote!(#name: ::core::option::Option<Self::Tensor>),
        ArgType::Scalar(_) | ArgType::Number | ArgType::Axis | ArgType::Axes | ArgType::Enum(_) => {
            let ty = scalar_type(&arg.ty);
            quote!(#name: #ty)
        }
    }
}

/// A scalar of the kind that a call has chosen, if it is one, from this number.
pub(super) fn number(item: &Item, declared: &Ident, arg: &Arg, value: &TokenStream) -> Option<TokenStream> {
    let (ArgType::Number, Some(kind)) = (&arg.ty, item.kind) else { return None };
    let kind = format_ident!("{kind:?}");
    let [op, name] = [declared, &arg.name].map(|name| name.unraw().to_string());
    Some(quote!(::tensor_op::__private::number(#op, #name, ::tensor_op::__private::Kind::#kind, #value)))
}

fn value(op: &Ident, index: usize, arg: &Arg) -> TokenStream {
    let (name, index) = (&arg.name, Literal::usize_unsuffixed(index));
    match &arg.ty {
        ArgType::Tensor(_) | ArgType::Optional(_) | ArgType::Error => {
            quote!(::tensor_op::__private::Value::Tensor(#name))
        }
        ArgType::Scalar(_) | ArgType::Number | ArgType::Axis | ArgType::Axes | ArgType::Enum(_) => {
            quote!(::tensor_op::__private::scalar(&#op, #index, #name)?)
        }
    }
}

fn scalar_type(ty: &ArgType) -> TokenStream {
    let ty = match ty {
        ArgType::Scalar(ty) => *ty,
        ArgType::Axes => return quote!(::tensor_op::Axes),
        ArgType::Enum(path) => return quote!(#path),
        ArgType::Number => return quote!(::tensor_op::Number),
        ArgType::Axis | ArgType::Tensor(_) | ArgType::Optional(_) | ArgType::Error => ScalarType::I64,
    };
    let name = Ident::new(ty.rust(), Span::mixed_site());
    quote!(#name)
}

fn literal(value: Scalar) -> TokenStream {
    match value {
        Scalar::Float(x) => super::cpu::float(x),
        Scalar::Int(x) => {
            let x = Literal::i64_unsuffixed(x);
            quote!(#x)
        }
        Scalar::Bool(x) => quote!(#x),
    }
}
