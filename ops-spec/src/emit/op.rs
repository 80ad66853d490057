//! The function, the backend trait, and the types that stand for the op and its backward op.

use super::choice::{KindFrom, chosen};
use super::docs::{Doc, OpDocs};
use super::kernels::{Offered, offered};
use super::signature::{Signature, values};
use super::{Formula, Scheduled, burn, method, op_type, scan};
use crate::ast::{Burn, Item};
use crate::choose::{Choice, Values};
use crate::ir::Graph;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;

/// The function on `Tensor`.
pub(super) fn function(item: &Item, signature: &Signature, docs: &[Doc]) -> TokenStream {
    let Item { attrs, name, .. } = item;
    let Signature { function_args, prepare, hand_on, .. } = signature;
    let head = head(item, name, &quote!(fn));
    let result = signature.result_type(&quote!(::tensor_op::Tensor));
    let backend_trait = backend_trait_name(item);
    let call = quote!(<::tensor_op::__private::Default as #backend_trait>::#name(#(#hand_on),*)?);
    let body = if signature.results == 1 {
        quote!(::core::result::Result::Ok(::tensor_op::Tensor::from_primitive(#call)))
    } else {
        let outs = outs(signature.results);
        quote! {
            let (#(#outs),*) = #call;
            ::core::result::Result::Ok((#(::tensor_op::Tensor::from_primitive(#outs)),*))
        }
    };
    quote! {
        #(#attrs)*
        #(#docs)*
        #[allow(clippy::too_many_arguments)]
        #head(#(#function_args),*) -> ::tensor_op::Result<#result> {
            #prepare
            #body
        }
    }
}

/// The extension trait that gives every backend the op as a method.
pub(super) fn backend_trait(
    item: &Item,
    signature: &Signature,
    choices: &[Choice],
    formulas: &[Formula],
) -> TokenStream {
    let Item { name, .. } = item;
    let Signature { method_args, .. } = signature;
    let attrs = shared_attrs(item);
    let backend_trait = backend_trait_name(item);
    let head = head(item, &backend_trait, &quote!(trait));
    let result = signature.result_type(&quote!(Self::Tensor));
    let outs = outs(signature.results);
    let tuple = if outs.len() == 1 { quote!(#(#outs)*) } else { quote!((#(#outs),*)) };
    let doc = format!(" [`{name}`] on the tensors of any backend.");
    let types: Vec<String> =
        formulas.iter().map(|formula| format!("[`{}`]", op_type(&formula.item.name))).collect();
    let method_doc = format!(" Runs {}.", types.join(" or "));
    let by_kind = choices.iter().any(|choice| matches!(choice.values, Values::Kind(_)));
    let run = chosen(item, choices, formulas, KindFrom::Dtype, |formula| {
        let (ty, values) = (op_type(&formula.item.name), values(&formula.item, name));
        if by_kind {
            let called = name.unraw().to_string();
            quote!(::tensor_op::__private::run_as::<Self, _>(#called, &#ty, ::std::vec![#(#values),*])?)
        } else {
            quote!(::tensor_op::__private::run::<Self, _>(&#ty, ::std::vec![#(#values),*])?)
        }
    });
    quote! {
        #(#attrs)*
        #[doc = #doc]
        #head: ::tensor_op::Backend {
            #[doc = #method_doc]
            #[allow(clippy::too_many_arguments)]
            fn #name(#(#method_args),*) -> ::tensor_op::Result<#result> {
                let [#(#outs),*] = #run;
                ::core::result::Result::Ok(#tuple)
            }
        }
        #(#attrs)*
        impl<B: ::tensor_op::Backend> #backend_trait for B {}
    }
}

/// The op type and its backward op type.
pub(super) fn types(formula: &Formula, docs: &OpDocs) -> TokenStream {
    let Formula { item, forward, backward, .. } = formula;
    let (ty, backward_ty) = (op_type(&item.name), backward_type(item));
    let kernels = offered(item, &ty, forward, false);
    let then = backward.as_ref().map(|_| &backward_ty);
    let body = op_impl(&ty, Some(&formula.declared), forward, &kernels, then);
    let forward = op_struct(item, &ty, &docs.forward, &body);
    let backward = backward.as_ref().map(|scheduled| {
        let kernels = offered(item, &backward_ty, scheduled, true);
        let body = op_impl(&backward_ty, None, scheduled, &kernels, None);
        op_struct(item, &backward_ty, &docs.backward, &body)
    });
    quote!(#forward #backward)
}

/// A unit struct with its implementation in a scope of its own.
fn op_struct(item: &Item, ty: &Ident, docs: &[Doc], body: &TokenStream) -> TokenStream {
    let attrs = shared_attrs(item);
    let head = head(item, ty, &quote!(struct));
    quote! {
        #(#attrs)*
        #(#docs)*
        #[derive(Clone, Copy, Debug)]
        #head;
        #(#attrs)*
        #[allow(clippy::approx_constant)]
        const _: () = { #body };
    }
}

/// `pub struct SiluMul`, all of it at the function's name, so that an error about the item points there.
pub(super) fn head(item: &Item, name: &Ident, keyword: &TokenStream) -> TokenStream {
    let vis = &item.vis;
    let located = keyword.clone().into_iter().map(|mut token| {
        token.set_span(item.name.span());
        token
    });
    quote!(#vis #(#located)* #name)
}

/// Bodies and the `impl Op`.
fn op_impl(
    ty: &Ident,
    written: Option<&Graph>,
    op: &Scheduled,
    kernels: &Offered,
    backward: Option<&Ident>,
) -> TokenStream {
    let text = raw_string(&op.graph.to_string());
    let source = if op.source.has_gradient_markers() {
        let source = raw_string(&op.source.to_string());
        quote!(::core::option::Option::Some(#source))
    } else {
        quote!(::core::option::Option::None)
    };
    let spec = match written.map(|graph| raw_string(&graph.to_string())) {
        Some(written) => quote!(::tensor_op::__private::spec!(#text, #source, #written)),
        None => quote!(::tensor_op::__private::Spec::new(#text, #source)),
    };
    let backward = match backward {
        Some(ty) => quote!(::core::option::Option::Some(::std::sync::Arc::new(#ty))),
        None => quote!(::core::option::Option::None),
    };
    let Offered { bodies, offers } = kernels;
    quote! {
        #bodies
        impl ::tensor_op::Op for #ty {
            fn spec(&self) -> &::tensor_op::__private::Spec {
                static SPEC: ::tensor_op::__private::Spec = #spec;
                &SPEC
            }
            fn kernels(&self, kernel_type: ::core::any::TypeId) -> ::core::option::Option<&'static ::tensor_op::__private::Kernels> {
                #offers
            }
            fn backward(&self) -> ::core::option::Option<::std::sync::Arc<dyn ::tensor_op::Op>> {
                #backward
            }
        }
    }
}

/// Names for the results.
pub(super) fn outs(count: usize) -> Vec<Ident> {
    (0..count).map(|index| Ident::new(&format!("out{index}"), Span::mixed_site())).collect()
}

/// What stands for a declaration with mistakes.
pub(super) fn stub(item: &Item, signature: &Signature) -> TokenStream {
    let name = &item.name;
    let attrs = shared_attrs(item);
    let Signature { function_args, .. } = signature;
    let result = signature.result_type(&quote!(::tensor_op::Tensor));
    let ty = op_type(name);
    let function = head(item, name, &quote!(fn));
    let function = quote! {
        #(#attrs)*
        #[allow(unused_variables, clippy::too_many_arguments)]
        #function(#(#function_args),*) -> ::tensor_op::Result<#result> {
            ::core::unreachable!("the declaration does not compile")
        }
    };
    let function = match &item.burn {
        Burn::No => function,
        Burn::Instead => burn::stub(item),
        Burn::Beside(_) => {
            let beside = burn::stub(item);
            quote!(#function #beside)
        }
    };
    let method = method::on_tensors(item, signature);
    let scan = scan::function(item, signature);
    let forward = head(item, &ty, &quote!(struct));
    let backward = head(item, &backward_type(item), &quote!(struct));
    let backend_trait = head(item, &backend_trait_name(item), &quote!(trait));
    quote! {
        #function
        #method
        #scan
        #(#attrs)*
        #[derive(Clone, Copy, Debug)]
        #forward;
        #(#attrs)*
        #[derive(Clone, Copy, Debug)]
        #backward;
        #(#attrs)*
        #backend_trait: ::tensor_op::Backend {}
    }
}

fn backward_type(item: &Item) -> Ident {
    format_ident!("{}Backward", op_type(&item.name))
}

fn backend_trait_name(item: &Item) -> Ident {
    format_ident!("{}Backend", op_type(&item.name))
}

/// The attributes of the declaration that every generated item takes.
pub(super) fn shared_attrs(item: &Item) -> Vec<&syn::Attribute> {
    item.attrs.iter().filter(|attr| attr.path().is_ident("cfg") || attr.path().is_ident("allow")).collect()
}

/// The attributes of the function that those which call it take too.
pub(super) fn passed_on(item: &Item) -> impl Iterator<Item = &syn::Attribute> {
    item.attrs.iter().filter(|attr| attr.path().is_ident("must_use") || attr.path().is_ident("deprecated"))
}

/// A raw string literal, so that text over several lines stays readable in the expansion.
pub(super) fn raw_string(text: &str) -> Literal {
    let mut hashes = String::new();
    while text.contains(&format!("\"{hashes}")) {
        hashes.push('#');
    }
    format!("r{hashes}\"\n{text}\"{hashes}").parse().unwrap_or_else(|_| Literal::string(text))
}
