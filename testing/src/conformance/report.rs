//! What a run of the suite found: counts, failures, and which op works with which dtype.

use super::Verdict;
use std::collections::BTreeMap;
use std::fmt;
use tensor_op_core::DType;

/// Outcome of the conformance suite.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Cases that gave the right result.
    pub passed: usize,
    /// All cases, without the dtypes that the backend says it lacks and without refused cases.
    pub total: usize,
    /// Cases that the backend refuses as unsupported in a float dtype that it has, such as `exp` in f64. f32
    /// is never refused.
    pub refused: usize,
    /// What went wrong, in the order of the cases.
    pub failures: Vec<Failure>,
    /// Primitives and ops in the order of their first case.
    order: Vec<String>,
    matrix: BTreeMap<(String, DType), Cell>,
    /// Dtypes that the backend says it lacks.
    lacking: Vec<DType>,
}

/// A case that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The primitive or op.
    pub what: String,
    /// Element type of the arguments.
    pub dtype: DType,
    /// Sizes and layouts.
    pub case: String,
    /// The element that is wrong, with both values, or the error.
    pub reason: String,
}

/// Counts of the cases of one op in one dtype.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cell {
    passed: usize,
    total: usize,
    refused: usize,
}

impl Report {
    /// Share of the cases that passed, from 0 to 1; 1 if there were none.
    pub fn score(&self) -> f64 {
        if self.total == 0 { 1.0 } else { self.passed as f64 / self.total as f64 }
    }

    /// The support matrix: a line for each primitive and op, a column for each dtype. A cell is `ok` or
    /// `passed/total`. It is empty if there is no such case, and `-` if the backend lacks the dtype or
    /// refuses some cases.
    pub fn matrix(&self) -> String {
        let is_known =
            |dtype: &DType| self.lacking.contains(dtype) || self.matrix.keys().any(|(_, own)| own == dtype);
        let columns: Vec<DType> = DType::ALL.into_iter().filter(is_known).collect();
        let width = self.order.iter().map(|what| what.len()).max().unwrap_or(0);
        let mut text = format!("{:width$}", "");
        columns.iter().for_each(|dtype| text += &format!(" {dtype:>9}"));
        for what in &self.order {
            text += &format!("\n{what:width$}");
            for dtype in &columns {
                let cell = match self.matrix.get(&(what.clone(), *dtype)) {
                    Some(cell) => cell.to_string(),
                    None if self.lacking.contains(dtype) => "-".to_string(),
                    None => String::new(),
                };
                text += &format!(" {cell:>9}");
            }
        }
        text.lines().map(|line| line.trim_end().to_string() + "\n").collect()
    }

    /// Adds the cases of another report.
    pub(super) fn append(&mut self, mut other: Report) {
        for what in &other.order {
            for dtype in DType::ALL {
                let Some(more) = other.matrix.remove(&(what.clone(), dtype)) else { continue };
                let cell = self.cell(what, dtype);
                cell.passed += more.passed;
                cell.total += more.total;
                cell.refused += more.refused;
            }
        }
        self.passed += other.passed;
        self.total += other.total;
        self.refused += other.refused;
        self.failures.extend(other.failures);
        self.lacking.extend(other.lacking);
    }

    /// Notes that the backend lacks a dtype.
    pub(super) fn lacks(&mut self, dtype: DType) {
        self.lacking.push(dtype);
    }

    pub(super) fn add(&mut self, what: &str, dtype: DType, case: String, verdict: Verdict) {
        let [right, wrong, refused] = match &verdict {
            Verdict::Right => [1, 0, 0],
            Verdict::Wrong(_) => [0, 1, 0],
            Verdict::Refused => [0, 0, 1],
        };
        let cell = self.cell(what, dtype);
        cell.passed += right;
        cell.total += right + wrong;
        cell.refused += refused;
        self.passed += right;
        self.total += right + wrong;
        self.refused += refused;
        if let Verdict::Wrong(reason) = verdict {
            self.failures.push(Failure { what: what.to_string(), dtype, case, reason });
        }
    }

    fn cell(&mut self, what: &str, dtype: DType) -> &mut Cell {
        if !self.order.iter().any(|known| known == what) {
            self.order.push(what.to_string());
        }
        self.matrix.entry((what.to_string(), dtype)).or_default()
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell { passed, total, .. } if passed < total => write!(f, "{passed}/{total}"),
            Cell { refused: 0, .. } => f.write_str("ok"),
            Cell { .. } => f.write_str("-"),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}: {}", self.what, self.dtype, self.case, self.reason)
    }
}

/// Prints the failures, then the counts.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.failures.iter().try_for_each(|failure| writeln!(f, "{failure}"))?;
        write!(f, "{} of {} passed", self.passed, self.total)?;
        if self.refused > 0 { write!(f, "; {} refused", self.refused) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_matrix() {
        let mut report = Report::default();
        let mut add = |what, dtype, case: &str, verdict| report.add(what, dtype, case.into(), verdict);
        add("exp", DType::F32, "[2]", Verdict::Right);
        add("exp", DType::F32, "[3]", Verdict::Wrong("element 0 is 1, not 2".into()));
        add("exp", DType::F64, "[2]", Verdict::Refused);
        add("matmul", DType::F64, "[2, 2]", Verdict::Right);
        add("matmul", DType::F64, "[2, 3]", Verdict::Refused);
        report.lacks(DType::BF16);
        assert_eq!((report.passed, report.total, report.refused), (2, 3, 2));
        let rows = [
            "             f64       f32      bf16\n",
            "exp            -       1/2         -\n",
            "matmul         -                   -\n",
        ];
        assert_eq!(report.matrix(), rows.concat());
        assert_eq!(report.to_string(), "exp f32 [3]: element 0 is 1, not 2\n2 of 3 passed; 2 refused");
    }

    #[test]
    fn one_report_of_two() {
        let cases = [
            ("exp", Verdict::Right),
            ("sum", Verdict::Refused),
            ("exp", Verdict::Wrong("1".into())),
            ("exp", Verdict::Refused),
        ];
        let report = |cases: &[(&str, Verdict)]| {
            let mut report = Report::default();
            cases.iter().for_each(|(what, verdict)| report.add(what, DType::F32, "".into(), verdict.clone()));
            report
        };
        let mut both = report(&cases[..2]);
        both.append(report(&cases[2..]));
        let whole = report(&cases);
        assert_eq!(both.matrix(), whole.matrix());
        assert_eq!(both.to_string(), whole.to_string());
    }
}
