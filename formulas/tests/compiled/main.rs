//! Random declarations as a user's crate has them: through the macro into kernels, run against the
//! interpreter, forward and gradient.
//!
//! `declarations.rs` is written by `UPDATE=1 cargo test -p tensor-op-formulas --test compiled
//! declarations_are_current`, and checked by that test.

#[rustfmt::skip]
mod declarations;

use rayon::prelude::*;
use std::path::Path;
use tensor_op_formulas::declaration;
use tensor_op_testing::{Claim, Failure};

/// Not those of `tests/pipeline`.
const SEEDS: std::ops::Range<u64> = 10_000..10_160;

#[test]
fn kernels_agree_with_the_interpreter() {
    let check = |op: &&'static dyn tensor_op::Op| Claim::Forward.check(*op).err();
    let failures: Vec<Failure> = declarations::OPS.par_iter().filter_map(check).collect();
    // Some overflow wherever they are tried: no bound could be given.
    let (failures, overflowing): (Vec<&Failure>, Vec<&Failure>) =
        failures.iter().partition(|failure| failure.is_wrong);
    assert!(overflowing.len() < 5, "{} of {} ops", overflowing.len(), declarations::OPS.len());
    let failures: Vec<String> = failures.into_iter().map(Failure::to_string).collect();
    assert!(failures.is_empty(), "{} ops fail:\n{}", failures.len(), failures.join("\n\n"));
}

#[test]
fn declarations_are_current() {
    let functions: String =
        SEEDS.map(|seed| format!("#[tensor_op(tests = false)]\n{}\n", declaration(seed))).collect();
    let ops: String = SEEDS.map(|seed| format!("    &Formula{seed},\n")).collect();
    let text = format!(
        "//! Written by `UPDATE=1 cargo test -p tensor-op-formulas --test compiled declarations_are_current`.\n\n\
         use tensor_op::Op;\nuse tensor_op::prelude::*;\n\n{functions}\
         pub(super) const OPS: &[&dyn Op] = &[\n{ops}];\n"
    );
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compiled/declarations.rs");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &text).expect("the folder is in the repository");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "compiled/declarations.rs is out of date: run this test with UPDATE=1");
}
