//! Internal: use [tensor-op](https://docs.rs/tensor-op). The items of this crate change in any release.
//!
//! The attribute of tensor-op. All of its logic is in `tensor-op-spec`; use it through the crate `tensor-op`.

use proc_macro::{Span, TokenStream};

/// Generates an operation from one formula.
///
/// The attribute stands on a function whose arguments are `Tensor`, `IntTensor` or `BoolTensor` (with named
/// dims: `Tensor![.., m, k]`), optional ones, scalars, an `Axis` or an enum, and whose body is a formula over
/// named dims. It generates the function, a backend trait with the op as a method, the op type and its
/// backward op type with their kernels. The grammar is in `LANGUAGE.md`.
///
/// ```ignore
/// use tensor_op::prelude::*;
///
/// #[tensor_op]
/// pub fn silu_mul(x: Tensor, gate: Tensor) -> Tensor {
///     x * gate * sigmoid(gate)
/// }
/// ```
#[proc_macro_attribute]
pub fn tensor_op(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let site = Span::call_site();
    let site = format!("{}:{}:{}", site.file(), site.line(), site.column());
    tensor_op_spec::expand(attribute.into(), item.into(), &site).into()
}

/// Derives `tensor_op::Module`, which names the tensors of a struct by its fields. `#[module(name = "..")]`
/// gives a field another name, and `#[module(skip)]` says that it has no tensors.
#[proc_macro_derive(Module, attributes(module))]
pub fn derive_module(item: TokenStream) -> TokenStream {
    tensor_op_spec::derive_module(item.into()).into()
}

/// Draws the kernels of an op for its docs. Only generated code calls it.
#[doc(hidden)]
#[proc_macro]
pub fn picture(tokens: TokenStream) -> TokenStream {
    tensor_op_spec::picture_of(tokens.into()).into()
}

/// Goes on with a declaration that calls another one. Only generated code calls it.
#[doc(hidden)]
#[proc_macro]
pub fn inline(tokens: TokenStream) -> TokenStream {
    tensor_op_spec::inline(tokens.into()).into()
}
