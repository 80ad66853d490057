//! What a run of the suite found: counts, failures, and what works with which dtype.

use super::{Subject, Verdict};
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
    /// is never refused. A case in which only the gradient is refused is one of them.
    pub refused: usize,
    /// What went wrong, in the order of the cases.
    pub failures: Vec<Failure>,
    /// What the cases are about, in the order of their first case.
    order: Vec<Subject>,
    matrix: BTreeMap<(Subject, DType), Cell>,
    /// Dtypes that the backend says it lacks.
    lacking: Vec<DType>,
}

/// A case that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The function of the backend, or the op.
    pub what: Subject,
    /// Element type of the arguments.
    pub dtype: DType,
    /// Sizes and layouts.
    pub case: String,
    /// The element that is wrong, with both values, or the error.
    pub reason: String,
}

/// How a backend does what a case is about, in one dtype.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Support {
    /// The function of the backend, or the op.
    pub what: Subject,
    /// Element type of the arguments.
    pub dtype: DType,
    /// How it does it.
    pub standing: Standing,
}

/// How a backend does something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// All cases are right.
    Right,
    /// Some cases are refused, and the others are right. The text is what the backend says of the first.
    Refused(String),
    /// Some cases are wrong: [`Report::failures`] has them.
    Wrong,
}

/// Counts of the cases of one subject in one dtype.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Cell {
    passed: usize,
    total: usize,
    /// What the backend says of the first case that it refuses.
    refused: Option<String>,
}

impl Report {
    /// Share of the cases that passed, from 0 to 1; 1 if there were none.
    pub fn score(&self) -> f64 {
        if self.total == 0 { 1.0 } else { self.passed as f64 / self.total as f64 }
    }

    /// How the backend does each function of the trait, and each op, in the dtypes in which it has cases.
    pub fn support(&self) -> impl Iterator<Item = Support> + '_ {
        let cell = |what: &Subject, dtype| Some((dtype, self.matrix.get(&(what.clone(), dtype))?));
        self.order.iter().flat_map(move |what| {
            let cells = DType::ALL.into_iter().filter_map(move |dtype| cell(what, dtype));
            cells.map(|(dtype, cell)| Support { what: what.clone(), dtype, standing: cell.standing() })
        })
    }

    /// The support matrix: a line for each function of the trait and each op, a column for each dtype. A cell
    /// is `ok` or `passed/total`. It is empty if there is no such case, and `-` if the backend lacks the
    /// dtype or refuses some cases.
    pub fn matrix(&self) -> String {
        let is_known =
            |dtype: &DType| self.lacking.contains(dtype) || self.matrix.keys().any(|(_, own)| own == dtype);
        let columns: Vec<DType> = DType::ALL.into_iter().filter(is_known).collect();
        let names: Vec<String> = self.order.iter().map(Subject::to_string).collect();
        let width = names.iter().map(String::len).max().unwrap_or(0);
        let mut text = format!("{:width$}", "");
        columns.iter().for_each(|dtype| text += &format!(" {dtype:>9}"));
        for (what, name) in self.order.iter().zip(&names) {
            text += &format!("\n{name:width$}");
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
                cell.refused = cell.refused.take().or(more.refused);
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

    pub(super) fn add(&mut self, what: Subject, dtype: DType, case: String, verdict: Verdict) {
        match verdict {
            Verdict::Right => {
                self.passed += 1;
                self.total += 1;
                let cell = self.cell(&what, dtype);
                cell.passed += 1;
                cell.total += 1;
            }
            Verdict::Wrong(reason) => {
                self.total += 1;
                self.cell(&what, dtype).total += 1;
                self.failures.push(Failure { what, dtype, case, reason });
            }
            Verdict::Refused(says) => {
                self.refused += 1;
                self.cell(&what, dtype).refused.get_or_insert(says);
            }
            Verdict::Empty => {}
        }
    }

    fn cell(&mut self, what: &Subject, dtype: DType) -> &mut Cell {
        if !self.order.contains(what) {
            self.order.push(what.clone());
        }
        self.matrix.entry((what.clone(), dtype)).or_default()
    }
}

impl Cell {
    fn standing(&self) -> Standing {
        match &self.refused {
            _ if self.passed < self.total => Standing::Wrong,
            Some(says) => Standing::Refused(says.clone()),
            None => Standing::Right,
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.standing() {
            Standing::Right => f.write_str("ok"),
            Standing::Refused(_) => f.write_str("-"),
            Standing::Wrong => write!(f, "{}/{}", self.passed, self.total),
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
    use crate::conformance::Function;
    use tensor_op_spec::prim::Prim;

    fn refused(says: &str) -> Verdict {
        Verdict::Refused(says.to_string())
    }

    #[test]
    fn counts_and_matrix() {
        let mut report = Report::default();
        let mut add =
            |what: Subject, dtype, case: &str, verdict| report.add(what, dtype, case.into(), verdict);
        let (exp, matmul) = (Subject::Apply(Prim::Exp), Subject::from(Function::Matmul));
        add(exp.clone(), DType::F32, "[2]", Verdict::Right);
        add(exp.clone(), DType::F32, "[3]", Verdict::Wrong("element 0 is 1, not 2".into()));
        add(exp.clone(), DType::F64, "[2]", refused("no exp"));
        add(matmul.clone(), DType::F64, "[2, 2]", Verdict::Right);
        add(matmul.clone(), DType::F64, "[2, 3]", refused("too large"));
        add(matmul.clone(), DType::F64, "[2, 4]", refused("too large too"));
        add(Subject::Op("matmul".into()), DType::F32, "[2, 3]", Verdict::Right);
        add(Subject::Op("matmul".into()), DType::F32, "[0]", Verdict::Empty);
        add(Subject::Op("embedding".into()), DType::F32, "[0]", Verdict::Empty);
        report.lacks(DType::BF16);
        assert_eq!((report.passed, report.total, report.refused), (3, 4, 3));
        let rows = [
            "                         f64       f32      bf16\n",
            "Backend::apply exp         -       1/2         -\n",
            "Backend::matmul            -                   -\n",
            "matmul                              ok         -\n",
        ];
        assert_eq!(report.matrix(), rows.concat());
        let failure = "Backend::apply exp f32 [3]: element 0 is 1, not 2\n";
        assert_eq!(report.to_string(), format!("{failure}3 of 4 passed; 3 refused"));
        let support = |what, dtype, standing| Support { what, dtype, standing };
        let expected = [
            support(exp.clone(), DType::F64, Standing::Refused("no exp".into())),
            support(exp, DType::F32, Standing::Wrong),
            support(matmul, DType::F64, Standing::Refused("too large".into())),
            support(Subject::Op("matmul".into()), DType::F32, Standing::Right),
        ];
        assert_eq!(report.support().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn one_report_of_two() {
        let cases = [
            ("exp", Verdict::Right),
            ("sum", refused("no sum")),
            ("exp", Verdict::Wrong("1".into())),
            ("exp", refused("no exp")),
        ];
        let report = |cases: &[(&str, Verdict)]| {
            let mut report = Report::default();
            let add = |(what, verdict): &(&str, Verdict)| {
                report.add(Subject::Op((*what).into()), DType::F32, "".into(), verdict.clone());
            };
            cases.iter().for_each(add);
            report
        };
        let mut both = report(&cases[..2]);
        both.append(report(&cases[2..]));
        let whole = report(&cases);
        assert_eq!(both.matrix(), whole.matrix());
        assert_eq!(both.to_string(), whole.to_string());
        assert_eq!(both.support().collect::<Vec<_>>(), whole.support().collect::<Vec<_>>());
    }
}
