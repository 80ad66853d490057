//! The stack of the compiler in a browser.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        // The linker gives 1 MiB. A program has 8 MiB elsewhere, for which the depth of formulas is bounded.
        println!("cargo::rustc-link-arg-cdylib=-zstack-size=8388608");
    }
}
