//! PyTorch's OpInfo as an exam for declared ops: samples of PyTorch's operators, with reference values and
//! gradients in f64.
//!
//! `TENSOR_OP_OPINFO` names a folder of other samples. By default the samples are those of `samples.tar.gz`
//! and `linalg.tar.gz`, and docs/opinfo.md shows the results. `ops/` has a line for each operator.

#![allow(clippy::print_stdout, reason = "the report is printed")]

mod call;
#[path = "../exams/check.rs"]
mod check;
#[path = "../exams/data.rs"]
mod data;
#[path = "../exams/files.rs"]
mod files;
mod ops;
#[path = "../exams/report.rs"]
mod report;
mod sample;
#[path = "../exams/windows.rs"]
mod windows;
mod written;

use call::Stop;
use report::{Exam, Report};
use std::collections::HashMap;
use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use tensor_op::testing;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::var_os("TENSOR_OP_OPINFO").map(PathBuf::from);
    let entries: HashMap<&str, ops::Entry> =
        ops::all().into_iter().map(|entry| (entry.name, entry)).collect();
    let mut report = Report::new(Exam { name: "opinfo", samples: "samples", operators: Some("ops") });
    for file in written::files(folder.as_deref())? {
        let Some(entry) = entries.get(file.name.as_str()) else {
            report.not_stated(&file.name, None, file.samples.len());
            continue;
        };
        if let Some(because) = entry.because {
            report.tolerance(&file.name, entry.tolerance.0, because);
        }
        for written in &file.samples {
            let sample = sample::Sample::load(&file, written, entry.constants)?;
            let check = || {
                catch_unwind(AssertUnwindSafe(|| {
                    check::differences(&sample.expected, entry.tolerance, || (entry.run)(&sample.call))
                }))
            };
            let (found, called) = testing::ops_called_by(check);
            let wrong = match found.unwrap_or_else(|_| Err(Stop::Argument("panicked".to_string()))) {
                Ok(wrong) => wrong,
                Err(Stop::Argument(what)) => vec![what],
                Err(Stop::Failed(error)) => vec![error.to_string()],
                Err(Stop::Skip(reason)) => {
                    report.skipped(&file.name, reason, 1);
                    continue;
                }
            };
            report.ran(&file.name, format_args!("sample {}", written.n), wrong, &called);
        }
    }
    if folder.is_none() {
        report.is_documented();
    }
    println!("{report}");
    if report.is_right() { Ok(()) } else { Err(format!("{} samples are wrong", report.wrong()).into()) }
}
