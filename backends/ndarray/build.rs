//! Says whether this crate is optimised. If not, the bodies of ops are compiled for one instruction set:
//! lanes gain nothing there, and each body costs the time of its build. Bodies are compiled in the crates
//! that declare ops, which cargo does not tell of here. So whoever optimises those in a debug build
//! optimises this crate too, as `[profile.dev.package."*"]` does.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(unoptimized)");
    if std::env::var("OPT_LEVEL").is_ok_and(|level| level == "0") {
        println!("cargo::rustc-cfg=unoptimized");
    }
}
