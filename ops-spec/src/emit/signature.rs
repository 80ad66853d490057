//! The arguments of generated functions: how each is declared, handed on and turned into a value of the run.

use crate::ast::{Arg, ArgType, Item};
use crate::ir::{Scalar, ScalarType};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

/// The arguments and results of a declaration, ready to be quoted.
pub(super) struct Signature {
    /// `x: impl Into<Tensor>, eps: impl Into<Option<f64>>`.
    pub(super) function_args: Vec<TokenStream>,
    /// `x.into().into_primitive()`, `eps.into().unwrap_or(1e-6)`.
    pub(super) hand_on: Vec<TokenStream>,
    /// `x: Self::Tensor, eps: f64`.
    pub(super) method_args: Vec<TokenStream>,
    /// `Value::Tensor(x), Value::Scalar(Scalar::Float(eps))`.
    pub(super) values: Vec<TokenStream>,
    /// Number of results.
    pub(super) results: usize,
}

impl Signature {
    pub(super) fn new(item: &Item) -> Signature {
        Signature {
            function_args: item.args.iter().map(function_arg).collect(),
            hand_on: item.args.iter().map(hand_on).collect(),
            method_args: item.args.iter().map(method_arg).collect(),
            values: item.args.iter().map(value).collect(),
            results: item.results.len(),
        }
    }

    /// The type that a function with these results returns, for a tensor type.
    pub(super) fn result_type(&self, tensor: &TokenStream) -> TokenStream {
        let tensors = std::iter::repeat_n(tensor, self.results);
        if self.results == 1 { quote!(#tensor) } else { quote!((#(#tensors),*)) }
    }
}

fn function_arg(arg: &Arg) -> TokenStream {
    let name = &arg.name;
    match (&arg.ty, arg.default) {
        (ArgType::Tensor(_) | ArgType::Error, _) => {
            quote!(#name: impl ::core::convert::Into<::tensor_op::Tensor>)
        }
        (ArgType::Scalar(_) | ArgType::Axis, Some(_)) => {
            let ty = scalar_type(&arg.ty);
            quote!(#name: impl ::core::convert::Into<::core::option::Option<#ty>>)
        }
        (ArgType::Scalar(_) | ArgType::Axis, None) => {
            let ty = scalar_type(&arg.ty);
            quote!(#name: #ty)
        }
    }
}

fn hand_on(arg: &Arg) -> TokenStream {
    let name = &arg.name;
    match (&arg.ty, arg.default) {
        (ArgType::Tensor(_) | ArgType::Error, _) => {
            quote!(::core::convert::Into::<::tensor_op::Tensor>::into(#name).into_primitive())
        }
        (ArgType::Scalar(_) | ArgType::Axis, Some(default)) => {
            let ty = scalar_type(&arg.ty);
            let default = literal(default);
            quote!(::core::convert::Into::<::core::option::Option<#ty>>::into(#name).unwrap_or(#default))
        }
        (ArgType::Scalar(_) | ArgType::Axis, None) => quote!(#name),
    }
}

fn method_arg(arg: &Arg) -> TokenStream {
    let name = &arg.name;
    match &arg.ty {
        ArgType::Tensor(_) | ArgType::Error => quote!(#name: Self::Tensor),
        ArgType::Scalar(_) | ArgType::Axis => {
            let ty = scalar_type(&arg.ty);
            quote!(#name: #ty)
        }
    }
}

fn value(arg: &Arg) -> TokenStream {
    let name = &arg.name;
    match &arg.ty {
        ArgType::Tensor(_) | ArgType::Error => quote!(::tensor_op::__private::Value::Tensor(#name)),
        ArgType::Scalar(_) | ArgType::Axis => quote!(::tensor_op::__private::scalar(#name)?),
    }
}

pub(super) fn scalar_type(ty: &ArgType) -> Ident {
    let name = match ty {
        ArgType::Scalar(ScalarType::F64) => "f64",
        ArgType::Scalar(ScalarType::F32) => "f32",
        ArgType::Scalar(ScalarType::Usize) => "usize",
        ArgType::Scalar(ScalarType::Bool) => "bool",
        ArgType::Scalar(ScalarType::I64) | ArgType::Axis | ArgType::Tensor(_) | ArgType::Error => "i64",
    };
    Ident::new(name, proc_macro2::Span::mixed_site())
}

pub(super) fn literal(value: Scalar) -> TokenStream {
    match value {
        Scalar::Float(x) => super::cpu::float(x),
        Scalar::Int(x) => {
            let x = Literal::i64_unsuffixed(x);
            quote!(#x)
        }
        Scalar::Bool(x) => quote!(#x),
    }
}
