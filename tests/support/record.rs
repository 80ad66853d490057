//! What the conformance suite found on a backend, as a file of this folder. `softmax: f32 f16` has the dtypes
//! in which all cases are right, and `softmax: f64 refused: ..` has what the backend says of another one. The
//! page `docs/support.md` is made of these files.

use std::collections::BTreeMap;
use std::path::Path;
use tensor_op::DType;

/// How a backend does something in a dtype.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cell {
    Right,
    /// What the backend says.
    Refused(String),
    /// Why this is known to be wrong.
    Wrong(String),
}

/// By the function of the trait `Backend` or the op.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Record(pub(crate) BTreeMap<String, BTreeMap<DType, Cell>>);

impl Record {
    pub(crate) fn read(file: &Path) -> Record {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let mut record = Record::default();
        for line in text.lines() {
            let (name, cells) = line.split_once(": ").expect("a name, and what is known of it");
            let row = record.0.entry(name.to_string()).or_default();
            let with_reason = |(dtype, reason): (&str, &str), cell: fn(String) -> Cell| {
                (dtype.parse().expect("a dtype"), cell(reason.to_string()))
            };
            match (cells.split_once(" refused: "), cells.split_once(" wrong: ")) {
                (Some(cell), _) => row.extend([with_reason(cell, Cell::Refused)]),
                (None, Some(cell)) => row.extend([with_reason(cell, Cell::Wrong)]),
                (None, None) => {
                    let dtypes = cells.split(' ').map(|dtype| dtype.parse().expect("a dtype"));
                    row.extend(dtypes.map(|dtype| (dtype, Cell::Right)));
                }
            }
        }
        record
    }
}

impl std::fmt::Display for Record {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (name, row) in &self.0 {
            let right = row.iter().filter(|(_, cell)| **cell == Cell::Right);
            let right: Vec<&str> = right.map(|(dtype, _)| dtype.name()).collect();
            if !right.is_empty() {
                writeln!(f, "{name}: {}", right.join(" "))?;
            }
            for (dtype, cell) in row {
                match cell {
                    Cell::Right => {}
                    Cell::Refused(says) => writeln!(f, "{name}: {dtype} refused: {says}")?,
                    Cell::Wrong(why) => writeln!(f, "{name}: {dtype} wrong: {why}")?,
                }
            }
        }
        Ok(())
    }
}
