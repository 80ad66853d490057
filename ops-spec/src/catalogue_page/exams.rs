//! Which ops the exams of other libraries examine: the files that the exams write.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Operators of an exam that a cell names. The others are counted.
const NAMED: usize = 3;

/// An exam, with a line for each operator and the formulas that some of its samples called.
pub(super) struct Exam {
    pub(super) name: String,
    lines: Vec<Line>,
}

struct Line {
    operator: String,
    /// The samples that are right.
    right: usize,
    called: BTreeSet<String>,
}

/// The exams, by the names of their files.
pub(super) fn all() -> Vec<Exam> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/exams");
    let entries = std::fs::read_dir(folder).expect("the folder is in the repository");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    paths.sort();
    let exam = |path: &std::path::PathBuf| Exam {
        name: path.file_stem().expect("a file has a name").to_string_lossy().into_owned(),
        lines: std::fs::read_to_string(path).expect("the file is text").lines().map(line).collect(),
    };
    let exams: Vec<Exam> = paths.iter().map(exam).collect();
    assert!(exams.len() >= 2, "{} exams were found", exams.len());
    exams
}

/// `add: 6 add_float`.
fn line(text: &str) -> Line {
    let (operator, rest) = text.split_once(": ").expect("an operator and its samples");
    let mut words = rest.split(' ');
    let right = words.next().and_then(|count| count.parse().ok()).expect("a number of samples");
    Line { operator: operator.to_string(), right, called: words.map(str::to_string).collect() }
}

/// Right samples of an operator that call an op.
#[derive(Clone, Copy, Default)]
struct Samples {
    right: usize,
    /// Those of them that call no other op.
    alone: usize,
}

impl Exam {
    /// Whether an op of these formulas is examined.
    pub(super) fn examines(&self, formulas: &BTreeSet<&str>) -> bool {
        !self.of(formulas).is_empty()
    }

    /// The operators that examine an op of these formulas.
    fn of(&self, formulas: &BTreeSet<&str>) -> BTreeMap<&str, Samples> {
        let mut found: BTreeMap<&str, Samples> = BTreeMap::new();
        for line in &self.lines {
            if line.called.iter().any(|name| formulas.contains(name.as_str())) {
                let samples = found.entry(line.operator.as_str()).or_default();
                samples.right += line.right;
                samples.alone += if line.called.len() == 1 { line.right } else { 0 };
            }
        }
        found
    }

    /// `` opinfo `add` 6, `__radd__` 5, 3 more 12 ``, those first that are about the op alone; nothing if the
    /// op is not examined.
    pub(super) fn cell(&self, formulas: &BTreeSet<&str>) -> Option<String> {
        let mut operators: Vec<(&str, Samples)> = self.of(formulas).into_iter().collect();
        if operators.is_empty() {
            return None;
        }
        operators.sort_by_key(|(_, Samples { right, alone })| std::cmp::Reverse((*alone, *right)));
        let (named, rest) = operators.split_at(NAMED.min(operators.len()));
        let mut parts: Vec<String> =
            named.iter().map(|(operator, samples)| format!("`{operator}` {}", samples.right)).collect();
        if !rest.is_empty() {
            let right: usize = rest.iter().map(|(_, samples)| samples.right).sum();
            parts.push(format!("{} more {right}", rest.len()));
        }
        Some(format!("{} {}", self.name, parts.join(", ")))
    }
}
