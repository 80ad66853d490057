//! Levels 1 and 2 of KernelBench as an exam for declared ops: its problems in small, with PyTorch's results
//! and gradients in f64.
//!
//! `TENSOR_OP_KERNELBENCH` names a folder of other cases. By default the cases are those of `cases.tar.gz`,
//! and docs/kernelbench.md shows the results. `problems/` has an entry for each problem.

#![allow(clippy::print_stdout, reason = "the report is printed")]

mod case;
#[path = "../exams/check.rs"]
mod check;
#[path = "../exams/data.rs"]
mod data;
#[path = "../exams/files.rs"]
mod files;
mod layers;
mod problems;
#[path = "../exams/report.rs"]
mod report;
#[path = "../exams/windows.rs"]
mod windows;

use check::TOLERANCE;
use report::{Exam, Report};
use std::collections::HashMap;
use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use tensor_op::testing;

/// Problems with a wider relative tolerance, and why.
const WIDER: &[(&str, f64, &str)] = &[("1/028 HardSigmoid", 1e-7, "PyTorch's gradient has 1/6 as an f32")];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::var_os("TENSOR_OP_KERNELBENCH").map(PathBuf::from);
    let entries: HashMap<&str, problems::Run> = problems::all().collect();
    let mut report = Report::new(Exam { name: "kernelbench", samples: "problems", operators: None });
    for case in case::cases(folder.as_deref())? {
        let Some(run) = entries.get(case.name.as_str()) else {
            report.not_stated(&case.name, None, 1);
            continue;
        };
        let mut tolerance = TOLERANCE;
        for (name, relative, because) in WIDER.iter().filter(|(name, ..)| *name == case.name) {
            tolerance.0 = *relative;
            report.tolerance(name, *relative, because);
        }
        let check =
            || check::differences(&case.expected, tolerance, || run(&case).map(|result| vec![result]));
        let (found, called) = testing::ops_called_by(|| catch_unwind(AssertUnwindSafe(check)));
        let wrong = match found {
            Ok(Ok(wrong)) => wrong,
            Ok(Err(error)) => vec![error.to_string()],
            Err(_) => vec!["panicked".to_string()],
        };
        report.ran(&case.name, "in small", wrong, &called);
    }
    if folder.is_none() {
        report.is_documented();
    }
    println!("{report}");
    if report.is_right() { Ok(()) } else { Err(format!("{} problems are wrong", report.wrong()).into()) }
}
