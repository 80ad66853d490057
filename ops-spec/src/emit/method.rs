//! The op as a method of its first argument. It calls the function with the same arguments.

use super::op::{head, passed_on, shared_attrs};
use super::op_type;
use super::signature::Signature;
use crate::ast::{Burn, Item, Method};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// The method on our tensors, if the op is one and has a function on them.
pub(super) fn on_tensors(item: &Item, signature: &Signature) -> TokenStream {
    match (item.method, &item.burn) {
        (Method::No, _) | (Method::Extension | Method::Inherent, Burn::Instead) => TokenStream::new(),
        (Method::Extension, Burn::No | Burn::Beside(_)) => extension(item, signature),
        (Method::Inherent, Burn::No | Burn::Beside(_)) => inherent(item, signature),
    }
}

/// A trait for `&Tensor`, which a call borrows, and for the `Result<Tensor>` of another op, which it takes.
fn extension(item: &Item, signature: &Signature) -> TokenStream {
    let name = trait_name(&item.name);
    let (attrs, head) = (shared_attrs(item), head(item, &name, &quote!(trait)));
    let doc = format!(" [`{}`] as a method of a tensor or of a result.", item.name);
    let method = method(item, &TokenStream::new(), &quote!(self), signature);
    quote! {
        #(#attrs)*
        #[doc = #doc]
        #head: ::tensor_op::__private::Receiver {
            #method
        }
        #(#attrs)*
        impl<T: ::tensor_op::__private::Receiver> #name for T {}
    }
}

/// A method in an `impl` of `Tensor` itself.
fn inherent(item: &Item, signature: &Signature) -> TokenStream {
    let (vis, attrs) = (&item.vis, shared_attrs(item));
    let method = method(item, &quote!(#vis), &quote!(&self), signature);
    quote! {
        #(#attrs)*
        impl ::tensor_op::Tensor {
            #method
        }
    }
}

fn method(item: &Item, vis: &TokenStream, receiver: &TokenStream, signature: &Signature) -> TokenStream {
    let name = &item.name;
    let result = signature.result_type(&quote!(::tensor_op::Tensor));
    let (head, args, values) = (method_head(item, name), &signature.function_args[1..], values(item));
    quote! {
        #head
        #vis fn #name(#receiver, #(#args),*) -> ::tensor_op::Result<#result> {
            #name(self, #(#values),*)
        }
    }
}

/// `SoftmaxMethod` for `softmax`.
pub(super) fn trait_name(function: &Ident) -> Ident {
    format_ident!("{}Method", op_type(function))
}

/// The docs of a method that calls this function, and its attributes.
pub(super) fn method_head(item: &Item, function: &Ident) -> TokenStream {
    let attrs = passed_on(item);
    let doc = format!(" [`{function}`] of this tensor.");
    quote! {
        #(#attrs)*
        #[doc = #doc]
        #[allow(deprecated, clippy::too_many_arguments, clippy::wrong_self_convention)]
    }
}

/// The arguments behind the first one.
pub(super) fn values(item: &Item) -> impl Iterator<Item = Ident> {
    item.params().into_iter().skip(1).map(|param| param.name().clone())
}
