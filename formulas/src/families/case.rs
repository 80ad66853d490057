//! One formula with its arguments, its results and the sizes at which it is measured.

use super::Family;
use super::value::{Dims, Value};

/// Names of values in both languages, in the order of the lines that compute them.
pub(super) struct Case {
    pub(super) family: Family,
    pub(super) name: String,
    /// The names of the dims, outermost first.
    pub(super) frame: Vec<&'static str>,
    pub(super) args: Vec<Arg>,
    pub(super) lines: Vec<Value>,
    pub(super) results: Vec<Value>,
    /// The sizes of the dims in the frame's order; one of them is 0 and takes what is left of the elements.
    pub(super) sizes: Vec<Vec<usize>>,
}

/// What is in an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Floats from -1 to 1, whose gradient is wanted.
    Float,
    /// Bools, half of which are true.
    Bool,
    /// Ints from 0 to this.
    Below(usize),
}

pub(super) struct Arg {
    pub(super) name: String,
    pub(super) content: Content,
    pub(super) dims: Dims,
    /// The rows of a table stand in front of its dims.
    pub(super) table: Option<usize>,
}

impl Case {
    pub(super) fn new(family: Family, index: usize, frame: &[&'static str], sizes: &[&[usize]]) -> Case {
        Case {
            family,
            name: format!("{}_{index}", family.name()),
            frame: frame.to_vec(),
            args: vec![],
            lines: vec![],
            results: vec![],
            sizes: sizes.iter().map(|sizes| sizes.to_vec()).collect(),
        }
    }

    /// The dims with these names.
    pub(super) fn dims(&self, names: &str) -> Dims {
        let bit = |name| 1 << self.frame.iter().position(|dim| *dim == name).expect("a dim of the frame");
        Dims(names.split_whitespace().map(bit).sum())
    }

    pub(super) fn float(&mut self, names: &str) -> Value {
        self.arg(Content::Float, names)
    }

    pub(super) fn arg(&mut self, content: Content, names: &str) -> Value {
        let dims = self.dims(names);
        let name = format!("x{}", self.args.len());
        self.args.push(Arg { name: name.clone(), content, dims, table: None });
        Value { rust: name.clone(), torch: name, dims }
    }

    /// A table of `rows` rows over these dims, read at an argument of ints.
    pub(super) fn rows_of_table(&mut self, rows: usize, names: &str, at: &Value) -> Value {
        let dims = self.dims(names);
        let name = format!("x{}", self.args.len());
        self.args.push(Arg { name: name.clone(), content: Content::Float, dims, table: Some(rows) });
        let rust = format!("at({name}, rows_{name} = {})", at.rust);
        // Ids have one dim, the first of the frame, and a table's other dims follow.
        let torch = format!("{name}[{}.flatten()]", at.torch);
        self.named(Value { rust, torch, dims: dims.union(at.dims) })
    }

    /// The same value under a name.
    pub(super) fn named(&mut self, value: Value) -> Value {
        let name = format!("v{}", self.lines.len());
        let dims = value.dims;
        self.lines.push(value);
        Value { rust: name.clone(), torch: name, dims }
    }

    /// These dims as a declaration lists them.
    pub(super) fn listed(&self, dims: Dims) -> String {
        let names: Vec<&str> =
            (0..self.frame.len()).filter(|at| dims.has(*at)).map(|at| self.frame[at]).collect();
        names.join(", ")
    }
}
