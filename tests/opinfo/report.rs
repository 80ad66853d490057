//! The results as text: the table of docs/opinfo.md.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

/// The lines of the page before and after the report.
const FROM: &str = "<!-- opinfo -->\n";
const TO: &str = "<!-- end of opinfo -->\n";

#[derive(Default)]
pub(crate) struct Report {
    right: BTreeMap<String, usize>,
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
    pub(crate) fn ran(&mut self, op: &str, sample: u64, wrong: Vec<String>) {
        if wrong.is_empty() {
            *self.right.entry(op.to_string()).or_default() += 1;
        } else {
            self.wrong.push(format!("{op}, sample {sample}: {}", wrong.join("; ")));
        }
    }

    pub(crate) fn tolerance(&mut self, op: &str, relative: f64, because: &'static str) {
        self.wide.insert(op.to_string(), (relative, because));
    }

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

    /// Compares the page with the results, or writes it.
    pub(crate) fn is_documented(&self) {
        assert!(self.unknown.is_empty(), "neither declared nor listed in not_stated.rs: {:?}", self.unknown);
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/opinfo.md");
        let page = std::fs::read_to_string(&path).unwrap_or_default();
        let (head, rest) = page.split_once(FROM).expect("the page says where the report begins");
        let (_, tail) = rest.split_once(TO).expect("the page says where the report ends");
        let expected = format!("{head}{FROM}{}{TO}{tail}", self.page());
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, &expected).expect("the folder is in the repository");
        } else if self.is_right() {
            assert!(page == expected, "docs/opinfo.md is out of date: run this test with UPDATE=1");
        }
    }

    fn page(&self) -> String {
        let mut page = format!("`{}`\n\n| skipped samples of | | reason |\n|---|---|---|\n", self.summary());
        for ((op, reason), samples) in &self.skipped {
            page += &format!("| `{op}` | {samples} | {reason} |\n");
        }
        page += "\n| operators that are not stated | samples | reason |\n|---|---|---|\n";
        for (reason, ops) in &self.not_stated {
            let samples: usize = ops.values().sum();
            let ops: Vec<String> = ops.keys().map(|op| format!("`{op}`")).collect();
            page += &format!("| {} | {samples} | {reason} |\n", ops.join(", "));
        }
        page += "\n| wider tolerance of | relative | reason |\n|---|---|---|\n";
        for (op, (relative, because)) in &self.wide {
            page += &format!("| `{op}` | {relative:e} | {because} |\n");
        }
        page += "\nRight samples by operator:\n\n";
        let right: Vec<String> = self.right.iter().map(|(op, samples)| format!("`{op}` {samples}")).collect();
        page + &right.join(", ") + "\n"
    }

    fn summary(&self) -> String {
        let right: usize = self.right.values().sum();
        let skipped: usize = self.skipped.values().sum();
        let not_stated: usize = self.not_stated.values().flat_map(|ops| ops.values()).sum();
        let (ops, wrong, skipped) = (self.right.len(), self.wrong.len(), skipped + not_stated);
        format!("opinfo: {right} samples of {ops} ops right, {wrong} wrong, {skipped} skipped")
    }
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
