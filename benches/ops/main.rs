//! Declared ops beside the same ops by hand and composed of ndarray's operations: `cargo bench --bench ops`.
//!
//! Sizes are those of a layer that does not fit in cache. Read ratios between lines of one run, from the
//! column `fastest`: other work on the machine moves all lines. GB/s count the bytes that any implementation
//! must move.

#![allow(missing_docs, reason = "a program")]
#![allow(clippy::print_stdout, reason = "a program that prints")]

mod case;
mod derived;
mod functions;
mod isa;
mod layer_norm;
mod layouts;
mod masks;
mod matmul_add_relu;
mod rms_norm;
mod short;
mod silu_mul;
mod small;
mod softmax;

fn main() {
    if std::env::args().any(|arg| arg == "short") {
        return short::table();
    }
    if std::env::args().any(|arg| arg == "functions") {
        return functions::table();
    }
    divan::main();
}
