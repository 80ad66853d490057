//! Mistakes in declarations. Each file under `ui` has one mistake, and its `.stderr` has the one message at
//! the wrong token.
//!
//! After a change of a message, run `TRYBUILD=overwrite cargo test -p tensor-op-macros --test ui`, then
//! read the difference.

#[test]
fn mistakes() {
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
}
