//! The kernels that an op offers: generated ones for the CPU, and those that are written by hand.

use super::Scheduled;
use super::cpu::{self, Kernels};
use crate::ast::{ByHand, Item, Target};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// The kernels of an op.
pub(super) struct Offered {
    /// Bodies of generated kernels.
    pub(super) bodies: TokenStream,
    /// What gives the kernels of the type `kernel_type`.
    pub(super) offers: TokenStream,
}

/// The kernels of an op, or of its gradient. Nothing is generated where a kernel is written by hand.
pub(super) fn offered(item: &Item, op: &Ident, scheduled: &Scheduled, is_backward: bool) -> Offered {
    let by_hand: Vec<&ByHand> =
        item.kernels.list.iter().filter(|kernel| kernel.is_backward == is_backward).collect();
    let is_generated = !by_hand.iter().any(|kernel| matches!(kernel.target, Target::Cpu));
    let (bodies, cpu) = if is_generated {
        let Kernels { bodies, table } = cpu::kernels(op, &scheduled.graph, &scheduled.schedule);
        let cpu = quote! {
            static CPU: ::tensor_op::__private::CpuKernels = #table;
            ::tensor_op::__private::offer(&CPU, kernel_type)
        };
        (bodies, Some(cpu))
    } else {
        (TokenStream::new(), None)
    };
    if by_hand.is_empty() {
        return Offered { bodies, offers: cpu.unwrap_or_default() };
    }
    let first = cpu.map_or(quote!(::core::option::Option::None), |cpu| quote!({ #cpu }));
    let offers = by_hand.into_iter().map(offer);
    Offered { bodies, offers: quote!(#first #(.or_else(|| #offers))*) }
}

/// The offer of one kernel.
fn offer(kernel: &ByHand) -> TokenStream {
    let path = &kernel.path;
    let backend = match &kernel.target {
        Target::Cpu => quote!(::tensor_op::NdArray),
        // A build without GPUs has no type of their tensors.
        Target::Cube => return quote!(::tensor_op::__private::offer_cube!(#path, kernel_type)),
        Target::Backend(backend) => quote!(#backend),
    };
    quote! {{
        static BY_HAND: ::tensor_op::__private::ByHand<#backend, <#backend as ::tensor_op::Backend>::Tensor> =
            ::tensor_op::__private::ByHand::new(#path);
        ::tensor_op::__private::offer(&BY_HAND, kernel_type)
    }}
}
