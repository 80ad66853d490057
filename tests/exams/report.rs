//! The results of an exam as text: the tables of its page in docs, and which ops of the catalogue its
//! operators examine.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use tensor_op::Op;

/// What an exam is called, and what its samples and operators are called. Without a name for operators each
/// sample stands for itself.
#[derive(Clone, Copy, Default)]
pub(crate) struct Exam {
    pub(crate) name: &'static str,
    pub(crate) samples: &'static str,
    pub(crate) operators: Option<&'static str>,
}

#[derive(Default)]
pub(crate) struct Report {
    exam: Exam,
    right: BTreeMap<String, usize>,
    /// Right samples by operator and by the ops of the catalogue that it called.
    examined: BTreeMap<(String, String), usize>,
    wrong: Vec<String>,
    /// Samples by operator and reason.
    skipped: BTreeMap<(String, &'static str), usize>,
    /// Operators by the reason why none of their samples can be stated, with the number of samples.
    not_stated: BTreeMap<&'static str, BTreeMap<String, usize>>,
    unknown: BTreeSet<String>,
    /// Relative tolerances that are wider than usual, and why.
    wide: BTreeMap<String, (f64, &'static str)>,
}

impl Report {
    pub(crate) fn new(exam: Exam) -> Report {
        Report { exam, ..Report::default() }
    }

    /// Adds a sample that ran, with what is wrong with it, and the ops of the catalogue that it called.
    pub(crate) fn ran(
        &mut self,
        op: &str,
        sample: impl fmt::Display,
        wrong: Vec<String>,
        called: &[&dyn Op],
    ) {
        if !wrong.is_empty() {
            self.wrong.push(format!("{op}, {sample}: {}", wrong.join("; ")));
            return;
        }
        *self.right.entry(op.to_string()).or_default() += 1;
        let called: Vec<&str> = called.iter().map(|op| op.spec().name()).collect();
        if !called.is_empty() {
            *self.examined.entry((op.to_string(), called.join(" "))).or_default() += 1;
        }
    }

    pub(crate) fn tolerance(&mut self, op: &str, relative: f64, because: &'static str) {
        self.wide.insert(op.to_string(), (relative, because));
    }

    #[allow(dead_code, reason = "no problem of KernelBench is skipped")]
    pub(crate) fn skipped(&mut self, op: &str, reason: &'static str, samples: usize) {
        *self.skipped.entry((op.to_string(), reason)).or_default() += samples;
    }

    /// Adds an operator without a declaration, with the reason. Without a reason, nobody has looked at the
    /// operator yet.
    pub(crate) fn not_stated(&mut self, op: &str, reason: Option<&'static str>, samples: usize) {
        if reason.is_none() {
            self.unknown.insert(op.to_string());
        }
        let reason = reason.unwrap_or("not looked at");
        self.not_stated.entry(reason).or_default().insert(op.to_string(), samples);
    }

    pub(crate) fn wrong(&self) -> usize {
        self.wrong.len()
    }

    pub(crate) fn is_right(&self) -> bool {
        self.wrong.is_empty()
    }

    /// Compares the page and the list of examined ops with the results, or writes them.
    pub(crate) fn is_documented(&self) {
        assert!(self.unknown.is_empty(), "neither declared nor listed as not stated: {:?}", self.unknown);
        let name = self.exam.name;
        let file = format!("docs/{name}.md");
        let page = std::fs::read_to_string(in_repository(&file)).unwrap_or_default();
        let (from, to) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->\n"));
        let (head, rest) = page.split_once(&from).expect("the page says where the report begins");
        let (_, tail) = rest.split_once(&to).expect("the page says where the report ends");
        let expected = format!("{head}{from}{}{to}{tail}", self.page());
        self.is_written(&file, &expected);
        self.is_written(&format!("tests/exams/{name}.txt"), &self.examined());
    }

    /// Compares a file with what it should be, or writes it.
    fn is_written(&self, file: &str, expected: &str) {
        let path = in_repository(file);
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, expected).expect("the folder is in the repository");
        } else if self.is_right() {
            let found = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(found == expected, "{file} is out of date: run this test with UPDATE=1");
        }
    }

    /// A line for each operator and the ops that its samples called: `add: 6 add_float`. The page of the
    /// catalogue reads it.
    fn examined(&self) -> String {
        let line = |((op, called), right): (&(String, String), &usize)| format!("{op}: {right} {called}\n");
        self.examined.iter().map(line).collect()
    }

    fn page(&self) -> String {
        let Exam { samples, operators, .. } = self.exam;
        let mut page = format!("`{}`\n", self.summary());
        if !self.skipped.is_empty() {
            page += &format!("\n| skipped {samples} of | | reason |\n|---|---|---|\n");
        }
        for ((op, reason), count) in &self.skipped {
            page += &format!("| `{op}` | {count} | {reason} |\n");
        }
        if !self.not_stated.is_empty() {
            page += &format!("\n| operators that are not stated | {samples} | reason |\n|---|---|---|\n");
        }
        for (reason, ops) in &self.not_stated {
            let count: usize = ops.values().sum();
            let ops: Vec<String> = ops.keys().map(|op| format!("`{op}`")).collect();
            page += &format!("| {} | {count} | {reason} |\n", ops.join(", "));
        }
        if !self.wide.is_empty() {
            page += "\n| wider tolerance of | relative | reason |\n|---|---|---|\n";
        }
        for (op, (relative, because)) in &self.wide {
            page += &format!("| `{op}` | {relative:e} | {because} |\n");
        }
        let by_operator = if operators.is_some() { " by operator" } else { "" };
        page += &format!("\nRight {samples}{by_operator}:\n\n");
        let right = self.right.iter().map(|(op, count)| match operators {
            Some(_) => format!("`{op}` {count}"),
            None => format!("`{op}`"),
        });
        let right: Vec<String> = right.collect();
        page + &right.join(", ") + "\n"
    }

    fn summary(&self) -> String {
        let right: usize = self.right.values().sum();
        let skipped: usize = self.skipped.values().sum();
        let not_stated: usize = self.not_stated.values().flat_map(|ops| ops.values()).sum();
        let (ops, wrong, skipped) = (self.right.len(), self.wrong.len(), skipped + not_stated);
        let Exam { name, samples, operators } = self.exam;
        let right = match operators {
            Some(operators) => format!("{right} {samples} of {ops} {operators}"),
            None => format!("{right} of {} {samples}", right + wrong + skipped),
        };
        format!("{name}: {right} right, {wrong} wrong, {skipped} skipped")
    }
}

fn in_repository(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for ((op, reason), samples) in &self.skipped {
            writeln!(formatter, "skipped: {op}, {samples}: {reason}")?;
        }
        for (reason, ops) in &self.not_stated {
            let names: Vec<&str> = ops.keys().map(String::as_str).collect();
            writeln!(formatter, "skipped: {}, {}: {reason}", names.join(", "), ops.values().sum::<usize>())?;
        }
        for wrong in &self.wrong {
            writeln!(formatter, "wrong: {wrong}")?;
        }
        formatter.write_str(&self.summary())
    }
}
