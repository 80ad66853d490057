//! Mistakes in declarations: each file under `ui` has one, and its `.stderr` the one message at the token at
//! fault.
//!
//! After a change of a message: `TRYBUILD=overwrite cargo test --test ui`, then read the difference.

#[test]
fn mistakes() {
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
}
