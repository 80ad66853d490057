//! A run of the conformance suite, compared with the record of its backend: with `UPDATE=1` the record is
//! written, all of it with `TENSOR_OP_TESTS=full`, and with `TENSOR_OP_TESTS=new` some of what it lacks.

use super::record::{Cell, Record};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use tensor_op::testing::conformance::{Failure, Report, Standing, Support};
use tensor_op::{DType, Op, catalogue};

fn asks_for(tests: &str) -> bool {
    std::env::var("TENSOR_OP_TESTS").is_ok_and(|asked| asked == tests)
}

/// Kernels stay in memory, so that more new ops at once may take all of it.
const MOST_NEW: usize = 40;

/// Whether only ops without a record run.
pub(crate) fn is_of_new() -> bool {
    asks_for("new")
}

/// All ops of the catalogue with `TENSOR_OP_TESTS=full`, and some of those without a record with
/// `TENSOR_OP_TESTS=new`. Else one of so many: neighbours are formulas of one op.
pub(crate) fn ops(one_of: usize, file: &str) -> Vec<&'static dyn Op> {
    let all = catalogue::ops().into_iter();
    if is_of_new() {
        let record = Record::read(Path::new(file));
        return all.filter(|op| !record.0.contains_key(op.spec().name())).take(MOST_NEW).collect();
    }
    all.step_by(if asks_for("full") { 1 } else { one_of }).collect()
}

/// How a run is compared with the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// All is as the record has it.
    Same,
    /// What is right in the record is right: another driver may do more.
    Kept,
}

/// Fails with what is wrong, except for what is known to be.
pub(crate) fn is_right(report: &Report, known: impl Fn(&Failure) -> Option<&'static str>) {
    let wrong = report.failures.iter().filter(|failure| known(failure).is_none());
    let wrong: Vec<String> = wrong.map(Failure::to_string).collect();
    assert!(wrong.is_empty(), "{}\n{}", report.matrix(), wrong.join("\n"));
}

/// Compares what ran with the record, or writes it. `known` says why a failure is one; messages name the
/// device `the device`.
pub(crate) fn is_recorded(
    report: &Report,
    (file, device): (&str, &str),
    wanted: Wanted,
    known: impl Fn(&Failure) -> Option<&'static str>,
) {
    is_right(report, &known);
    let found = found(report, device, known);
    let mut record = Record::read(Path::new(file));
    if std::env::var_os("UPDATE").is_some() {
        // Ops that are gone have no record.
        let ops: BTreeSet<&str> = catalogue::ops().iter().map(|op| op.spec().name()).collect();
        record.0.retain(|name, _| !asks_for("full") && ops.contains(name.as_str()));
        record.0.extend(found.0);
        std::fs::write(file, record.to_string()).expect("the folder is in the repository");
        return;
    }
    let differs = differences(&found, &record, wanted);
    assert!(
        differs.is_empty(),
        "{file} is out of date, and with it docs/support.md, which says how to write both:\n{}",
        differs.join("\n")
    );
}

fn found(report: &Report, device: &str, known: impl Fn(&Failure) -> Option<&'static str>) -> Record {
    let mut found = Record::default();
    for Support { what, dtype, standing } in report.support() {
        let is_own = |failure: &&Failure| failure.what == what && failure.dtype == dtype;
        let cell = match standing {
            Standing::Right => Cell::Right,
            Standing::Refused(says) => Cell::Refused(says.replace(device, "the device")),
            Standing::Wrong => {
                let why = report.failures.iter().filter(is_own).find_map(&known);
                Cell::Wrong(why.expect("each failure is known").to_string())
            }
        };
        found.0.entry(what.to_string()).or_default().insert(dtype, cell);
    }
    found
}

/// Where a run is not what the record says, as lines of a record.
fn differences(found: &Record, record: &Record, wanted: Wanted) -> Vec<String> {
    let mut differs = vec![];
    for (name, now) in &found.0 {
        let before = record.0.get(name).cloned().unwrap_or_default();
        let is_as_wanted = match wanted {
            Wanted::Same => *now == before,
            Wanted::Kept => {
                let right = before.iter().filter(|(_, cell)| **cell == Cell::Right);
                record.0.contains_key(name)
                    && right.into_iter().all(|(dtype, cell)| now.get(dtype) == Some(cell))
            }
        };
        if !is_as_wanted {
            let row = |row: &BTreeMap<DType, Cell>| Record([(name.clone(), row.clone())].into()).to_string();
            differs.push(format!("found:\n{}recorded:\n{}", row(now), row(&before)));
        }
    }
    differs
}

#[test]
fn what_is_right_must_stay_so() {
    let record =
        |cells: &[(DType, Cell)]| Record([("exp".to_string(), cells.iter().cloned().collect())].into());
    let refused = || (DType::F64, Cell::Refused("no exp".into()));
    let (right, wrong) = ((DType::F32, Cell::Right), (DType::F32, Cell::Wrong("inexact".into())));
    let before = record(&[refused(), right.clone()]);
    let differ = |now: &Record, wanted| !differences(now, &before, wanted).is_empty();
    assert!(!differ(&before, Wanted::Same) && !differ(&before, Wanted::Kept));
    for more in [record(&[(DType::F64, Cell::Right), right.clone()]), record(&[right])] {
        assert!(differ(&more, Wanted::Same) && !differ(&more, Wanted::Kept));
    }
    for less in [record(&[refused()]), record(&[refused(), wrong])] {
        assert!(differ(&less, Wanted::Same) && differ(&less, Wanted::Kept));
    }
    assert!(!differences(&before, &Record::default(), Wanted::Kept).is_empty(), "an op without a record");
    assert!(differences(&Record::default(), &before, Wanted::Same).is_empty(), "only what ran is compared");
}
