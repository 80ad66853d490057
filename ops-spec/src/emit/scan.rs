//! The scan by an associative op: a function that calls the op on many elements at once.

use super::op::{head, outs, passed_on, shared_attrs};
use super::signature::Signature;
use crate::ast::Item;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;

/// `combine_scan` of an op `combine`, if the op is declared as associative.
pub(super) fn function(item: &Item, signature: &Signature) -> TokenStream {
    // A declaration with mistakes may have too few arguments.
    if !item.associative || item.args.len() != 2 * signature.results {
        return TokenStream::new();
    }
    let (attrs, op, count) = (shared_attrs(item), &item.name, signature.results);
    let name = format_ident!("{}_scan", op.unraw(), span = op.span());
    let (args, elements) =
        (&signature.function_args[..count], item.args[..count].iter().map(|arg| &arg.name));
    let [dim, reverse] = ["dim", "reverse"].map(|name| Ident::new(name, Span::mixed_site()));
    let sides = |side: &str| -> Vec<Ident> {
        (0..count).map(|at| Ident::new(&format!("{side}{at}"), Span::mixed_site())).collect()
    };
    let (left, right, outs) = (sides("left"), sides("right"), outs(count));
    // A tuple of one would be parentheses that the compiler warns of.
    let tuple = if count == 1 { quote!(#(#outs)*) } else { quote!((#(#outs),*)) };
    let result = signature.result_type(&quote!(::tensor_op::Tensor));
    let passed_on = passed_on(item);
    let docs = [
        format!(" [`{op}`] along an axis: each result combines all elements up to its own, with `reverse`"),
        " from the last one on. [`associative_scan`](::tensor_op::associative_scan) says more.".to_string(),
        String::new(),
        " # Errors".to_string(),
        format!(" A tensor lacks the axis, sizes along it differ, or [`{op}`] fails or changes a shape."),
    ];
    let head = head(item, &name, &quote!(fn));
    quote! {
        #(#attrs)*
        #(#passed_on)*
        #(#[doc = #docs])*
        #[allow(deprecated, clippy::too_many_arguments)]
        #head(
            #(#args,)*
            #dim: i64,
            #reverse: impl ::core::convert::Into<::core::option::Option<bool>>,
        ) -> ::tensor_op::Result<#result> {
            let [#(#outs),*] = ::tensor_op::associative_scan(
                |[#(#left),*], [#(#right),*]| {
                    let #tuple = #op(#(#left,)* #(#right),*)?;
                    ::core::result::Result::Ok([#(#outs),*])
                },
                [#(::tensor_op::IntoTensor::into_tensor(#elements)?),*],
                #dim,
                #reverse,
            )?;
            ::core::result::Result::Ok(#tuple)
        }
    }
}
