//! The values that a formula has so far, and its results.

use crate::random::Random;
use crate::signature::{Dims, Signature};

/// Kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Float,
    Int,
    Bool,
}

impl Kind {
    /// The type of a tensor of the kind.
    pub(crate) fn tensor(self) -> &'static str {
        match self {
            Kind::Float => "Tensor",
            Kind::Int => "IntTensor",
            Kind::Bool => "BoolTensor",
        }
    }
}

/// A value and what may be done with it.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    /// A name, or an expression that binds as tightly as one.
    pub(crate) text: String,
    pub(crate) kind: Kind,
    pub(crate) dims: Dims,
    /// A float that carries a gradient, or a bool that was chosen by one: no number may be made of the
    /// latter.
    pub(crate) moves: bool,
    pub(crate) used: bool,
    /// An argument that samples keep in the range of what it indexes.
    pub(crate) index: bool,
}

/// The values, arguments first, and the `let`s among them.
pub(crate) struct Pool {
    values: Vec<Value>,
    lets: Vec<String>,
    /// Operands of the operation that is being made.
    taken: Vec<usize>,
    pub(crate) dims: Vec<&'static str>,
    pub(crate) plain: bool,
    pub(crate) factors: bool,
}

/// Longer expressions get a name.
const LONGEST: usize = 60;

impl Pool {
    pub(crate) fn new(signature: &Signature) -> Pool {
        let values = signature.values.clone();
        let Signature { dims, plain, factors, .. } = signature;
        Pool { values, lets: vec![], taken: vec![], dims: dims.clone(), plain: *plain, factors: *factors }
    }

    /// Begins an operation: what the last one took for nothing is free again.
    pub(crate) fn begin(&mut self) {
        self.taken.clear();
    }

    /// Adds a value, with a name of its own or not.
    pub(crate) fn add(&mut self, random: &mut Random, text: String, kind: Kind, dims: Dims, moves: bool) {
        std::mem::take(&mut self.taken).into_iter().for_each(|at| self.values[at].used = true);
        let text = if text.len() > LONGEST || random.percent(50) { self.name(text) } else { text };
        self.values.push(Value { text, kind, dims, moves, used: false, index: false });
    }

    fn name(&mut self, text: String) -> String {
        let name = format!("v{}", self.lets.len());
        self.lets.push(format!("    let {name} = {text};\n"));
        name
    }

    /// A value that fits, one that nobody has used if the dice say so.
    pub(crate) fn take(&mut self, random: &mut Random, fits: impl Fn(&Value) -> bool) -> Option<Value> {
        let all: Vec<usize> = (0..self.values.len()).filter(|at| fits(&self.values[*at])).collect();
        let fresh: Vec<usize> = all.iter().copied().filter(|at| !self.values[*at].used).collect();
        let from = if fresh.is_empty() || random.percent(40) { all } else { fresh };
        if from.is_empty() {
            return None;
        }
        let at = random.pick(&from);
        self.taken.push(at);
        Some(self.values[at].clone())
    }

    /// The results: the last value, and all that nobody has used, alone or added up. Each `Axis` is named.
    pub(crate) fn results(&mut self, random: &mut Random) -> Vec<Value> {
        for axis in self.dims.iter().filter(|dim| self.plain && **dim != "..") {
            if !self
                .lets
                .iter()
                .chain(self.values.iter().map(|value| &value.text))
                .any(|text| text.contains(axis))
            {
                self.values.push(Value {
                    text: format!("cast(len({axis}), float)"),
                    kind: Kind::Float,
                    dims: Dims::new(),
                    moves: false,
                    used: false,
                    index: false,
                });
            }
        }
        let mut results: Vec<Value> = self.values.iter().filter(|value| !value.used).cloned().collect();
        if results.is_empty() {
            results.extend(self.values.last().cloned());
        }
        while results.len() > 1 + random.below(3) || results.iter().any(|value| !self.declares(value)) {
            let last = results.pop().expect("there is one");
            let sum = match results.pop() {
                Some(first) => self.sum(first, last),
                None => self.sum(self.values[0].clone(), last),
            };
            results.push(sum);
        }
        results
    }

    /// Whether a result can have its dims: of plain tensors, dims are reduced by an `Axis` or all at once.
    fn declares(&self, value: &Value) -> bool {
        !self.plain || value.dims.is_empty() || value.dims.contains("..")
    }

    fn sum(&self, a: Value, b: Value) -> Value {
        let dims = a.dims.union(&b.dims).copied().collect();
        let text = format!("{} + {}", number(&a), number(&b));
        Value { text: format!("({text})"), kind: Kind::Float, dims, moves: true, used: false, index: false }
    }

    /// The `let`s, and the expression of the results.
    pub(crate) fn body(&self, results: &[Value]) -> (String, String) {
        let values: Vec<&str> = results.iter().map(|value| value.text.as_str()).collect();
        let tuple = if values.len() == 1 { values.concat() } else { format!("({})", values.join(", ")) };
        (self.lets.concat(), tuple)
    }
}

/// A value as a float.
fn number(value: &Value) -> String {
    let text = &value.text;
    match value.kind {
        Kind::Float => text.clone(),
        Kind::Int => format!("cast({text}, float)"),
        Kind::Bool => format!("select({text}, 1.0, 0.25)"),
    }
}

/// Dims of a value to reduce over, and their text.
pub(crate) fn dims_of(
    pool: &Pool,
    value: &Value,
    random: &mut Random,
) -> Option<(Vec<&'static str>, String)> {
    // In plain tensors the group stays, so that the result can be declared.
    let free: Vec<&'static str> = pool
        .dims
        .iter()
        .copied()
        .filter(|dim| value.dims.contains(dim) && !(pool.plain && *dim == ".."))
        .collect();
    let mut chosen = random.some(&free, 50);
    if chosen.is_empty() && !free.is_empty() {
        chosen.push(random.pick(&free));
    }
    let text = match chosen[..] {
        [] => return None,
        [one] => one.to_string(),
        [..] => format!("({})", chosen.join(", ")),
    };
    Some((chosen, text))
}

pub(crate) fn without(value: &Value, dims: &[&'static str]) -> Dims {
    value.dims.iter().copied().filter(|dim| !dims.contains(dim)).collect()
}
