//! The function on the tensors of Burn: what a declaration says of ranks as const generics, of the kind that
//! a call chooses as a type parameter, and one call of the crate `tensor-op-burn`.
//!
//! Whatever else Burn's extensions are made of doesn't depend on the op and is written there once.

mod ranks;

use super::choice::{KindFrom, chosen};
use super::docs::Doc;
use super::op::{outs, shared_attrs};
use super::signature::{has_default, is_seed, list_arg, lists, number, scalar_arg, scalar_value};
use super::{Formula, method, op_type};
use crate::ast::{Arg, ArgType, Burn, DEVICE, Item, Method, Place};
use crate::choose::Choice;
use crate::ir::{Graph, Kind};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};
use ranks::{KindParam, Ranks, generics, tensor_type};
use syn::ext::IdentExt;

/// The function, and the trait that gives it as a method if the op is one.
pub(super) fn items(item: &Item, choices: &[Choice], formulas: &[Formula], docs: &[Doc]) -> [TokenStream; 2] {
    let Item { attrs, vis, .. } = item;
    let name = named(item).0;
    let graphs: Vec<&Graph> = formulas.iter().map(|formula| &formula.forward.graph).collect();
    let ranks = Ranks::new(item, &graphs);
    let generics = generics(&ranks.generics, ranks.kind.as_ref());
    let (args, result, method) = (args(item, &ranks), result_type(item, &ranks), method(item, &graphs));
    let seeds = item.args.iter().filter(|arg| is_seed(arg)).map(|arg| {
        let name = &arg.name;
        quote!(let #name = ::tensor_op::__private::seed(#name, &::tensor_op::Device::default());)
    });
    let lists = lists(item);
    let given = choices.iter().filter_map(|choice| given(&item.args[choice.arg], choice.arg, &ranks));
    let kind = ranks.kind.as_ref().map_or(KindFrom::Dtype, |kind| KindFrom::Type(&kind.name));
    let body = match formulas {
        [one] if choices.is_empty() => run(one, &one.forward.graph.name),
        _ => chosen(item, choices, formulas, kind, |formula| {
            let declared = item.name.unraw().to_string();
            let name = if ranks.kind.is_some() { &declared } else { &formula.forward.graph.name };
            let run = run(formula, name);
            quote!({ #run })
        }),
    };
    let function = quote! {
        #(#attrs)*
        #(#docs)*
        #[track_caller]
        #[allow(clippy::too_many_arguments)]
        #vis fn #name #generics (#(#args),*) -> #result {
            #lists
            #(#seeds)*
            #(#given)*
            #body
        }
    };
    [function, method]
}

/// Items in a macro that drops them where the crate is built without Burn, or says so.
pub(super) fn guarded(item: &Item, items: [TokenStream; 2]) -> TokenStream {
    let macro_name = named(item).1;
    let items = items.into_iter().filter(|items| !items.is_empty());
    quote!(#(::tensor_op::__private::#macro_name! { #items })*)
}

/// The trait that gives the function as a method, if the op is one. Burn's methods take their tensor.
fn method(item: &Item, graphs: &[&Graph]) -> TokenStream {
    let (Method::Extension | Method::Inherent, Some(Arg { ty: ArgType::Tensor(first), .. })) =
        (item.method, item.args.first())
    else {
        return TokenStream::new();
    };
    let function = named(item).0;
    let (name, op, vis, attrs) = (method::trait_name(function), &item.name, &item.vis, shared_attrs(item));
    let ranks = Ranks::new(item, graphs);
    let (of_trait, of_method) = ranks.generics.split_at(usize::from(first.has_group()));
    let (kind_of_trait, kind_of_method) =
        if first.kinds.is_some() { (ranks.kind.as_ref(), None) } else { (None, ranks.kind.as_ref()) };
    let names = of_trait.iter().map(|(_, name)| quote!({ #name }));
    let names = names.chain(kind_of_trait.map(|KindParam { name, .. }| quote!(#name)));
    let names = quote!(<#(#names),*>);
    let (of_trait, of_method) = (generics(of_trait, kind_of_trait), generics(of_method, kind_of_method));
    let tensor = ranks.args.iter().flatten().next().map(|rank| ranks.tensor(first, rank));
    let (args, result) = (args(item, &ranks), result_type(item, &ranks));
    let (args, values, head) = (&args[1..], method::values(item), method::method_head(item, function));
    let doc = format!(" [`{function}`] as a method.");
    quote! {
        #(#attrs)*
        #[doc = #doc]
        #vis trait #name #of_trait: ::core::convert::Into<#tensor> {
            #head
            #[track_caller]
            fn #op #of_method(self, #(#args),*) -> #result {
                #function(::core::convert::Into::<#tensor>::into(self), #(#values),*)
            }
        }
        #(#attrs)*
        impl #of_trait #name #names for #tensor {}
    }
}

/// The results of one formula. Errors call the op by this name.
fn run(formula: &Formula, name: &str) -> TokenStream {
    let item = &formula.item;
    let ty = op_type(&item.name);
    let values = item.args.iter().enumerate().map(|(index, arg)| {
        number(item, &item.name, arg, &scalar_value(arg)).unwrap_or_else(|| value(&ty, index, arg))
    });
    let values = values.chain(item.place().map(place_value));
    let outs = outs(item.results.len());
    let results = outs.iter().map(|out| quote!(::tensor_op::__private::burn::result(#name, #out)));
    let results = if outs.len() == 1 { quote!(#(#results)*) } else { quote!((#(#results),*)) };
    quote! {
        let [#(#outs),*] = ::tensor_op::__private::burn::function(#name, &#ty, ::std::vec![#(#values),*]);
        #results
    }
}

/// The value of an argument that chooses, in place of what the caller passed for it.
fn given(arg: &Arg, index: usize, ranks: &Ranks) -> Option<TokenStream> {
    let name = &arg.name;
    let value = match (&arg.ty, &ranks.args[index]) {
        (ArgType::Optional(ty), Some(rank)) => {
            let ty = ranks.tensor(ty, rank);
            quote!(::core::convert::Into::<::core::option::Option<#ty>>::into(#name))
        }
        (ArgType::Scalar(_) | ArgType::Enum(_), _) if has_default(arg) => scalar_value(arg),
        (
            ArgType::Scalar(_)
            | ArgType::Number
            | ArgType::Enum(_)
            | ArgType::Tensor(_)
            | ArgType::Optional(_),
            _,
        ) => {
            return None;
        }
        (ArgType::Axis | ArgType::Axes | ArgType::Error, _) => return None,
    };
    Some(quote!(let #name = #value;))
}

/// The function of a declaration with mistakes.
pub(super) fn stub(item: &Item) -> TokenStream {
    let name = named(item).0;
    let ranks = Ranks::new(item, &[]);
    let (vis, attrs, method) = (&item.vis, shared_attrs(item), method(item, &[]));
    let generics = generics(&ranks.generics, ranks.kind.as_ref());
    let (args, result) = (args(item, &ranks), result_type(item, &ranks));
    let function = quote! {
        #(#attrs)*
        #[allow(unused_variables, clippy::too_many_arguments)]
        #vis fn #name #generics (#(#args),*) -> #result {
            ::core::unreachable!("the declaration does not compile")
        }
    };
    guarded(item, [function, method])
}

fn named(item: &Item) -> (&Ident, Ident) {
    match &item.burn {
        Burn::Beside(name) => (name, format_ident!("burn_beside")),
        Burn::No | Burn::Instead => (&item.name, format_ident!("burn_instead")),
    }
}

fn args(item: &Item, ranks: &Ranks) -> Vec<TokenStream> {
    let args: Vec<(&Arg, &Option<TokenStream>)> = item.args.iter().zip(&ranks.args).collect();
    let params = args.chunk_by(|(a, _), (b, _)| a.shares_list(b));
    let param = |args: &[(&Arg, &Option<TokenStream>)]| match &args[0].0.list {
        Some(list) => {
            let elements: Vec<&Arg> = args.iter().map(|(arg, _)| *arg).collect();
            list_arg(list, &elements)
        }
        None => arg(args[0].0, args[0].1.as_ref(), ranks),
    };
    params.map(param).chain(item.place().map(place_arg)).collect()
}

fn arg(arg: &Arg, rank: Option<&TokenStream>, ranks: &Ranks) -> TokenStream {
    let name = &arg.name;
    match (&arg.ty, rank) {
        (ArgType::Tensor(ty), Some(rank)) => {
            let ty = ranks.tensor(ty, rank);
            quote!(#name: #ty)
        }
        (ArgType::Error, Some(rank)) => {
            let ty = tensor_type(Kind::Float, rank);
            quote!(#name: #ty)
        }
        (ArgType::Optional(ty), Some(rank)) => {
            let ty = ranks.tensor(ty, rank);
            quote!(#name: impl ::core::convert::Into<::core::option::Option<#ty>>)
        }
        (ArgType::Tensor(_) | ArgType::Optional(_) | ArgType::Error, None) => scalar_arg(arg),
        (ArgType::Scalar(_) | ArgType::Number | ArgType::Axis | ArgType::Axes | ArgType::Enum(_), _) => {
            scalar_arg(arg)
        }
    }
}

/// Without a tensor among the arguments, the function takes what Burn's `Tensor::zeros` does.
fn place_arg(place: Place) -> TokenStream {
    let device = Ident::new(DEVICE, Span::mixed_site());
    match place.is_float {
        true => {
            quote!(#device: impl ::core::convert::Into<::tensor_op::__private::burn::TensorCreationOptions>)
        }
        false => quote!(#device: &::tensor_op::__private::burn::Device),
    }
}

fn place_value(place: Place) -> TokenStream {
    let device = Ident::new(DEVICE, Span::mixed_site());
    let kind = if place.is_float { Kind::Float } else { Kind::Bool };
    let tensor = tensor_type(kind, &quote!(1));
    quote! {
        ::core::result::Result::Ok(::tensor_op::__private::burn::arg(<#tensor>::zeros([1], #device)))
    }
}

fn result_type(item: &Item, ranks: &Ranks) -> TokenStream {
    let types: Vec<TokenStream> =
        item.results.iter().zip(&ranks.results).map(|(ty, rank)| ranks.tensor(ty, rank)).collect();
    if types.len() == 1 { quote!(#(#types)*) } else { quote!((#(#types),*)) }
}

/// The argument as a value of the run.
fn value(op: &Ident, index: usize, arg: &Arg) -> TokenStream {
    let name = &arg.name;
    match &arg.ty {
        ArgType::Tensor(_) | ArgType::Optional(_) | ArgType::Error => {
            quote!(::core::result::Result::Ok(::tensor_op::__private::burn::arg(#name)))
        }
        ArgType::Scalar(_) | ArgType::Number | ArgType::Axis | ArgType::Axes | ArgType::Enum(_) => {
            let (value, index) = (scalar_value(arg), Literal::usize_unsuffixed(index));
            quote!(::tensor_op::__private::scalar(&#op, #index, #value))
        }
    }
}
