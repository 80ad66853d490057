//! ONNX's node tests as an exam for declared ops: cases of ONNX's operators with reference values.
//!
//! `TENSOR_OP_ONNX` names a folder of other cases. By default the cases are those of `cases.tar.gz`, and
//! docs/onnx.md shows the results. `ops/` has a line for each operator that is declared, and `not_stated.rs`
//! says why the others are not.

#![allow(clippy::print_stdout, reason = "the report is printed")]

#[path = "../exams/data.rs"]
mod data;
#[path = "../exams/files.rs"]
mod files;
mod node;
mod not_stated;
mod ops;
#[path = "../exams/report.rs"]
mod report;
#[path = "../exams/windows.rs"]
mod windows;
mod written;

use data::difference;
use node::{Outcome, Stop};
use report::{Exam, Report};
use std::collections::HashMap;
use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use tensor_op::{DType, testing};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::var_os("TENSOR_OP_ONNX").map(PathBuf::from);
    let entries: HashMap<&str, ops::Run> = ops::all().into_iter().collect();
    let mut report = Report::new(Exam { name: "onnx", samples: "cases", operators: Some("operators") });
    for file in written::files(folder.as_deref())? {
        let Some(run) = entries.get(file.name.as_str()) else {
            report.not_stated(&file.name, not_stated::reason(&file.name), file.cases.len());
            continue;
        };
        for (at, case) in file.cases.iter().enumerate() {
            let (node, outputs) = file.load(at)?;
            for output in &outputs {
                let ((relative, _), because) = tolerance(&file.name, output.dtype, case);
                because.into_iter().for_each(|because| report.tolerance(&file.name, relative, because));
            }
            let check = || check(&file.name, *run, &node, &outputs, case);
            let (found, called) = testing::ops_called_by(|| catch_unwind(AssertUnwindSafe(check)));
            let wrong = match found.unwrap_or_else(|_| Err(Stop::Failed("panicked".to_string()))) {
                Ok(wrong) => wrong,
                Err(Stop::Failed(what)) => vec![what],
                Err(Stop::Skip(reason)) => {
                    report.skipped(&file.name, reason, 1);
                    continue;
                }
            };
            report.ran(&file.name, &case.name, wrong, &called);
        }
    }
    if folder.is_none() {
        report.is_documented();
    }
    println!("{report}");
    if report.is_right() { Ok(()) } else { Err(format!("{} cases are wrong", report.wrong()).into()) }
}

/// The differences from the case's results.
fn check(
    op: &str,
    run: ops::Run,
    node: &node::Node,
    outputs: &[data::Values],
    case: &written::Case,
) -> Outcome<Vec<String>> {
    let names = case.node_outputs.iter().map(String::as_str).chain(std::iter::repeat("unnamed"));
    let found = run(node)?.into_iter().zip(names);
    let found: Vec<_> = found.filter(|(_, name)| !name.is_empty()).map(|(found, _)| found).collect();
    if found.len() < outputs.len() {
        return Ok(vec![format!("{} outputs, not {}", found.len(), outputs.len())]);
    }
    let mut wrong = vec![];
    for (i, (found, reference)) in found.iter().zip(outputs).enumerate() {
        // The files have one axis where a tensor has none.
        let is_scalar = found.rank() == 0 && reference.shape == [1];
        let found = if is_scalar { found.reshape([1])? } else { found.clone() };
        let what = difference(&found, reference, tolerance(op, reference.dtype, case).0)?;
        wrong.extend(what.map(|what| format!("output {i}: {what}")));
    }
    Ok(wrong)
}

/// The tolerance of a case, relative and absolute; and why it is wider than the case's own.
fn tolerance(op: &str, dtype: DType, case: &written::Case) -> ((f64, f64), Option<&'static str>) {
    match (op, dtype) {
        // Twice the distance of neighbours.
        (_, DType::BF16) => (
            (2.0 / 128.0, case.atol),
            Some("numbers in bf16 are farther apart than the tolerance of the cases"),
        ),
        ("DFT", _) => {
            ((case.rtol, 1e-6), Some("an absolute 1e-6: the expected numbers have the noise of f32"))
        }
        (..) => ((case.rtol, case.atol), None),
    }
}
