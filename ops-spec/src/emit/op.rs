//! The function, the backend trait, and the types that stand for the op and its backward op.

use super::signature::Signature;
use super::{Scheduled, cpu, op_type};
use crate::ast::Item;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};

/// The function on `Tensor`.
pub(super) fn function(item: &Item, signature: &Signature, docs: &[String]) -> TokenStream {
    let Item { attrs, vis, name, .. } = item;
    let Signature { function_args, hand_on, .. } = signature;
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
        #(#[doc = #docs])*
        #[allow(clippy::too_many_arguments)]
        #vis fn #name(#(#function_args),*) -> ::tensor_op::Result<#result> {
            #body
        }
    }
}

/// The extension trait that gives every backend the op as a method.
pub(super) fn backend_trait(item: &Item, signature: &Signature) -> TokenStream {
    let Item { vis, name, .. } = item;
    let Signature { method_args, values, .. } = signature;
    let cfgs = cfgs(item);
    let (backend_trait, ty) = (backend_trait_name(item), op_type(name));
    let result = signature.result_type(&quote!(Self::Tensor));
    let outs = outs(signature.results);
    let tuple = if outs.len() == 1 { quote!(#(#outs)*) } else { quote!((#(#outs),*)) };
    let doc = format!(" [`{name}`] on the tensors of any backend.");
    let method_doc = format!(" Runs [`{ty}`].");
    quote! {
        #(#cfgs)*
        #[doc = #doc]
        #vis trait #backend_trait: ::tensor_op::Backend {
            #[doc = #method_doc]
            #[allow(clippy::too_many_arguments)]
            fn #name(#(#method_args),*) -> ::tensor_op::Result<#result> {
                let [#(#outs),*] = ::tensor_op::__private::run::<Self, _>(&#ty, ::std::vec![#(#values),*])?;
                ::core::result::Result::Ok(#tuple)
            }
        }
        #(#cfgs)*
        impl<B: ::tensor_op::Backend> #backend_trait for B {}
    }
}

/// The op type and its backward op type.
pub(super) fn types(
    item: &Item,
    ty: &Ident,
    forward: &Scheduled,
    backward: Option<(&Ident, &Scheduled)>,
) -> TokenStream {
    let (name, vis) = (&item.name, &item.vis);
    let cfgs = cfgs(item);
    let replaced = item.cpu_kernel.as_ref();
    let then = backward.map(|(backward_ty, _)| backward_ty);
    let forward_impl =
        op_impl(ty, forward, cpu::kernels(ty, &forward.graph, &forward.schedule, replaced), then);
    let doc = format!(" The op behind [`{name}`].");
    let backward = backward.map(|(backward_ty, scheduled)| {
        let doc = format!(" The gradient of [`{name}`].");
        let kernels = cpu::kernels(backward_ty, &scheduled.graph, &scheduled.schedule, None);
        let backward_impl = op_impl(backward_ty, scheduled, kernels, None);
        quote! {
            #(#cfgs)*
            #[doc = #doc]
            #[derive(Clone, Copy, Debug)]
            #vis struct #backward_ty;
            #(#cfgs)*
            #[allow(clippy::approx_constant)]
        const _: () = { #backward_impl };
        }
    });
    quote! {
        #(#cfgs)*
        #[doc = #doc]
        #[derive(Clone, Copy, Debug)]
        #vis struct #ty;
        #(#cfgs)*
        #[allow(clippy::approx_constant)]
        const _: () = { #forward_impl };
        #backward
    }
}

/// Bodies and the `impl Op`.
fn op_impl(ty: &Ident, op: &Scheduled, kernels: TokenStream, backward: Option<&Ident>) -> TokenStream {
    let text = raw_string(&op.graph.to_string());
    let source = if op.source.has_gradient_markers() {
        let source = raw_string(&op.source.to_string());
        quote!(::core::option::Option::Some(#source))
    } else {
        quote!(::core::option::Option::None)
    };
    let backward = match backward {
        Some(ty) => quote!(::core::option::Option::Some(::std::sync::Arc::new(#ty))),
        None => quote!(::core::option::Option::None),
    };
    quote! {
        #kernels
        static SPEC: ::tensor_op::__private::Spec = ::tensor_op::__private::Spec::new(#text, #source);
        impl ::tensor_op::Op for #ty {
            fn spec(&self) -> &::tensor_op::__private::Spec {
                &SPEC
            }
            fn kernels(&self, kernel_type: ::core::any::TypeId) -> ::core::option::Option<&'static ::tensor_op::__private::Kernels> {
                ::tensor_op::__private::offer(&CPU, kernel_type)
            }
            fn backward(&self) -> ::core::option::Option<::std::sync::Arc<dyn ::tensor_op::Op>> {
                #backward
            }
        }
    }
}

fn outs(count: usize) -> Vec<Ident> {
    (0..count).map(|index| Ident::new(&format!("out{index}"), Span::mixed_site())).collect()
}

/// What stands for a declaration with mistakes.
pub(super) fn stub(item: &Item, signature: &Signature) -> TokenStream {
    let Item { vis, name, .. } = item;
    let cfgs = cfgs(item);
    let Signature { function_args, .. } = signature;
    let result = signature.result_type(&quote!(::tensor_op::Tensor));
    let ty = op_type(name);
    let backward_ty = format_ident!("{ty}Backward");
    let backend_trait = backend_trait_name(item);
    quote! {
        #(#cfgs)*
        #[allow(unused_variables, clippy::too_many_arguments)]
        #vis fn #name(#(#function_args),*) -> ::tensor_op::Result<#result> {
            ::core::unreachable!("the declaration does not compile")
        }
        #(#cfgs)*
        #[derive(Clone, Copy, Debug)]
        #vis struct #ty;
        #(#cfgs)*
        #[derive(Clone, Copy, Debug)]
        #vis struct #backward_ty;
        #(#cfgs)*
        #vis trait #backend_trait: ::tensor_op::Backend {}
    }
}

fn backend_trait_name(item: &Item) -> Ident {
    format_ident!("{}Backend", op_type(&item.name))
}

/// The `cfg`s of the declaration, which every generated item takes.
fn cfgs(item: &Item) -> Vec<&syn::Attribute> {
    item.attrs.iter().filter(|attr| attr.path().is_ident("cfg")).collect()
}

/// A raw string literal, so that text over several lines stays readable in the expansion.
fn raw_string(text: &str) -> Literal {
    let mut hashes = String::new();
    while text.contains(&format!("\"{hashes}")) {
        hashes.push('#');
    }
    format!("r{hashes}\"\n{text}\"{hashes}").parse().unwrap_or_else(|_| Literal::string(text))
}
