//! The kernels of an op as a picture in its docs. rustdoc alone sees the attribute, and asks for the picture
//! by a macro, so that no other build draws one or carries it.

use super::op::raw_string;
use super::{Formula, Scheduled};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// The attribute with the graphs that the picture is drawn from.
pub(super) fn attribute(formula: &Formula) -> TokenStream {
    let text = |op: &Scheduled| raw_string(&op.graph.to_string());
    let (forward, backward) = (text(&formula.forward), formula.backward.as_ref().map(text));
    quote! {
        #[cfg_attr(
            all(doc, not(doctest)),
            doc = ::tensor_op::__private::picture!(#forward #backward)
        )]
    }
}

/// The picture in HTML as the text of an attribute. Markdown takes lines without an empty one between them as
/// they are. The space stands before each line of the docs.
pub(crate) fn drawn(svg: &str) -> TokenStream {
    let svg = svg.trim_end().replace('\n', "");
    let html = format!(" <figure style=\"margin:0;overflow-x:auto\">{svg}</figure>");
    let literal = Literal::string(&html);
    quote!(#literal)
}
