//! The conformance suite on the CPU backend where addresses have 32 bits and there are no threads: as a
//! program of WebAssembly, which `tests/wasi/run.mjs` starts. With an argument `n`, one of `n` ops runs. The
//! primitives always run.

use std::process::ExitCode;
use tensor_op::testing::run_backend_tests_with;
use tensor_op::{Device, catalogue};

fn main() -> ExitCode {
    let one_of = std::env::args().nth(1).map_or(Ok(1), |number| number.parse());
    let Ok(one_of @ 1..) = one_of else {
        eprintln!("the argument is a number from 1 on");
        return ExitCode::FAILURE;
    };
    let ops: Vec<_> = catalogue::ops().into_iter().step_by(one_of).collect();
    let report = run_backend_tests_with(&Device::default(), &ops);
    for failure in &report.failures {
        println!("{failure}");
    }
    println!("{} of {} cases of {} ops passed", report.passed, report.total, ops.len());
    let is_right = report.failures.is_empty() && report.total > 0 && !ops.is_empty();
    if is_right { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
