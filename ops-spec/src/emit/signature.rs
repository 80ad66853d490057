//! The arguments of generated functions: how each is declared, handed on and turned into a value of the run.

use super::op_type;
use crate::ast::{Arg, ArgType, Item};
use crate::ir::{Kind, Scalar, ScalarType};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

/// The arguments and results of a declaration, ready to be quoted.
pub(super) struct Signature {
    /// `x: impl IntoTensor, eps: impl IntoFloat<Option<f64>>`.
    pub(super) function_args: Vec<TokenStream>,
    /// `x.into_tensor()?.into_primitive()`, `eps.into_float().unwrap_or(1e-6)`.
    pub(super) hand_on: Vec<TokenStream>,
    /// `x: Self::Tensor, eps: f64`.
    pub(super) method_args: Vec<TokenStream>,
    /// Number of results.
    pub(super) results: usize,
}

impl Signature {
    pub(super) fn new(item: &Item) -> Signature {
        Signature {
            function_args: item.args.iter().map(function_arg).collect(),
            hand_on: item.args.iter().map(hand_on).collect(),
            method_args: item.args.iter().map(method_arg).collect(),
            results: item.results.len(),
        }
    }

    /// The type that a function with these results returns, for a tensor type.
    pub(super) fn result_type(&self, tensor: &TokenStream) -> TokenStream {
        let tensors = std::iter::repeat_n(tensor, self.results);
        if self.results == 1 { quote!(#tensor) } else { quote!((#(#tensors),*)) }
    }
}

/// `Value::Tensor(x), scalar(&RmsNorm, 1, eps)?`, for a formula with nothing left to choose.
pub(super) fn values(item: &Item) -> Vec<TokenStream> {
    let op = op_type(&item.name);
    item.args.iter().enumerate().map(|(index, arg)| value(&op, index, arg)).collect()
}

fn function_arg(arg: &Arg) -> TokenStream {
    let name = &arg.name;
    match &arg.ty {
        ArgType::Tensor(_) | ArgType::Error => quote!(#name: impl ::tensor_op::IntoTensor),
        ArgType::Optional(_) => quote!(#name: impl ::tensor_op::IntoOptionalTensor),
        ArgType::Scalar(_) | ArgType::Axis | ArgType::Enum(_) => scalar_arg(arg),
    }
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
        ArgType::Scalar(_) | ArgType::Axis | ArgType::Enum(_) => scalar_value(arg),
    }
}

/// A scalar as a function takes it: `k: i64`, `eps: impl IntoFloat<f64>`, or with a default an option of it.
pub(super) fn scalar_arg(arg: &Arg) -> TokenStream {
    let (name, ty) = (&arg.name, scalar_type(&arg.ty));
    match (is_float(&arg.ty), has_default(arg)) {
        (true, true) => quote!(#name: impl ::tensor_op::IntoFloat<::core::option::Option<#ty>>),
        (true, false) => quote!(#name: impl ::tensor_op::IntoFloat<#ty>),
        (false, true) => quote!(#name: impl ::core::convert::Into<::core::option::Option<#ty>>),
        (false, false) => quote!(#name: #ty),
    }
}

/// The number that a function was given, or the default.
pub(super) fn scalar_value(arg: &Arg) -> TokenStream {
    let (name, ty) = (&arg.name, scalar_type(&arg.ty));
    let default = arg.default.map(literal).or(arg.default_variant.as_ref().map(|path| quote!(#path)));
    let default = default.map(|default| quote!(.unwrap_or(#default)));
    match (is_float(&arg.ty), has_default(arg)) {
        (true, true) => {
            quote!(::tensor_op::IntoFloat::<::core::option::Option<#ty>>::into_float(#name) #default)
        }
        (true, false) => quote!(::tensor_op::IntoFloat::<#ty>::into_float(#name)),
        (false, true) => {
            quote!(::core::convert::Into::<::core::option::Option<#ty>>::into(#name) #default)
        }
        (false, false) => quote!(#name),
    }
}

/// Whether a caller may pass `None` for it.
pub(super) fn has_default(arg: &Arg) -> bool {
    arg.default.is_some() || arg.default_variant.is_some()
}

fn is_float(ty: &ArgType) -> bool {
    match ty {
        ArgType::Scalar(ty) => ty.kind() == Kind::Float,
        ArgType::Axis | ArgType::Enum(_) | ArgType::Optional(_) | ArgType::Tensor(_) | ArgType::Error => {
            false
        }
    }
}

fn method_arg(arg: &Arg) -> TokenStream {
    let name = &arg.name;
    match &arg.ty {
        ArgType::Tensor(_) | ArgType::Error => quote!(#name: Self::Tensor),
        ArgType::Optional(_) => quote!(#name: ::core::option::Option<Self::Tensor>),
        ArgType::Scalar(_) | ArgType::Axis | ArgType::Enum(_) => {
            let ty = scalar_type(&arg.ty);
            quote!(#name: #ty)
        }
    }
}

fn value(op: &Ident, index: usize, arg: &Arg) -> TokenStream {
    let (name, index) = (&arg.name, Literal::usize_unsuffixed(index));
    match &arg.ty {
        ArgType::Tensor(_) | ArgType::Optional(_) | ArgType::Error => {
            quote!(::tensor_op::__private::Value::Tensor(#name))
        }
        ArgType::Scalar(_) | ArgType::Axis | ArgType::Enum(_) => {
            quote!(::tensor_op::__private::scalar(&#op, #index, #name)?)
        }
    }
}

fn scalar_type(ty: &ArgType) -> TokenStream {
    let ty = match ty {
        ArgType::Scalar(ty) => *ty,
        ArgType::Enum(path) => return quote!(#path),
        ArgType::Axis | ArgType::Tensor(_) | ArgType::Optional(_) | ArgType::Error => ScalarType::I64,
    };
    let ty = Ident::new(ty.name(), proc_macro2::Span::mixed_site());
    quote!(#ty)
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
