//! Refuses names of ops whose op type would hide a type that generated or surrounding code uses.

use crate::ast::Item;
use crate::diag::Errors;

/// The types in the preludes of Rust and of tensor-op, written as the function names that would generate
/// them.
const RESERVED: [&str; 20] = [
    "self_",
    "tensor",
    "int_tensor",
    "bool_tensor",
    "axis",
    "device",
    "d_type",
    "result",
    "option",
    "some",
    "none",
    "ok",
    "err",
    "box",
    "vec",
    "string",
    "clone",
    "copy",
    "default",
    "debug",
];

/// Reports a reserved name.
pub(super) fn check(errors: &mut Errors, item: &Item) {
    let name = item.name.to_string();
    let name = name.trim_start_matches("r#");
    if RESERVED.contains(&name) {
        errors.at(
            item.name.span(),
            format!("the type of an op `{name}` would hide another type: choose another name"),
        );
    }
}
