//! `#[tensor_op]` on arbitrary tokens, as the attribute, as the item and as what a carrier hands on: no panic
//! and no hang.

#![no_main]

use libfuzzer_sys::fuzz_target;
use proc_macro2::TokenStream;
use tensor_op_spec::{expand, inline};

fuzz_target!(|text: &str| {
    let Ok(tokens) = text.parse::<TokenStream>() else { return };
    drop(expand(TokenStream::new(), tokens.clone(), "site"));
    drop(expand(tokens.clone(), "fn double(x: Tensor) -> Tensor { x + x }".parse().expect("tokens"), "site"));
    drop(inline(tokens));
});
