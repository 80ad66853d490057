//! Says whether this build is optimised. If not, bodies are compiled for one instruction set: lanes gain
//! nothing there, and each body costs the time of its build.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(unoptimized)");
    if std::env::var("OPT_LEVEL").is_ok_and(|level| level == "0") {
        println!("cargo::rustc-cfg=unoptimized");
    }
}
