//! How many bytes an op keeps and moves, as a function of its dims.

use super::{Arg, ArgType, Axis, DimId, DimKind, DimSet, Graph, Kind, Role};
use std::collections::BTreeMap;

impl Graph {
    /// The size of what a tracked call keeps for this gradient, such as `8·m·n + 4·m`: in bytes, where floats
    /// are f32 and ints are i64.
    pub fn saved_bytes(&self) -> String {
        let args = self.args.iter().enumerate().filter(|(_, arg)| arg.is_saved());
        written(args.filter_map(|(index, arg)| self.arg_bytes(index, arg)))
    }

    /// The least that a call moves: each argument is read once, and each declared result is written once.
    pub fn ideal_bytes(&self) -> String {
        let read = self.args.iter().enumerate().filter_map(|(index, arg)| self.arg_bytes(index, arg));
        let results = self.outputs.iter().filter(|output| !output.hidden);
        let written_once = results.map(|output| {
            let node = self.node(output.node);
            let like = output.like.map(|arg| self.arg_dims(arg));
            (self.factors(like.unwrap_or(node.dims), &output.axes), size(node.kind))
        });
        written(read.chain(written_once))
    }

    fn arg_bytes(&self, index: usize, arg: &Arg) -> Option<(Vec<String>, usize)> {
        let ArgType::Tensor { kind, axes, .. } = &arg.ty else { return None };
        Some((self.factors(self.arg_dims(index), axes), size(*kind)))
    }

    /// Names of the dims that a tensor spans, in order; `..` stands for the group.
    fn factors(&self, dims: DimSet, axes: &[Axis]) -> Vec<String> {
        let name = |dim: DimId| self.dim(dim).name.clone();
        let of_axis = |axis: &Axis| match axis {
            Axis::Dim(dim) if self.dim(*dim).kind == DimKind::Group => {
                let carved = self.axis_dims().intersection(dims);
                std::iter::once(*dim).chain(carved.iter()).map(name).collect::<Vec<_>>()
            }
            Axis::Dim(dim) => vec![name(*dim)],
            Axis::Parts(parts) => parts.iter().copied().map(name).collect(),
        };
        axes.iter().flat_map(of_axis).collect()
    }
}

impl Arg {
    /// Whether a tracked call keeps the elements of this argument of a gradient.
    pub fn is_saved(&self) -> bool {
        match (&self.ty, self.role) {
            (ArgType::Tensor { .. }, Role::Forward(_) | Role::Output(_)) => true,
            (_, Role::Grad(_) | Role::Tangent(_)) => false,
            (ArgType::Shape { .. } | ArgType::Scalar { .. } | ArgType::Axis { .. }, _) => false,
        }
    }
}

/// The bytes of an element.
fn size(kind: Kind) -> usize {
    match kind {
        Kind::Float => 4,
        Kind::Int => 8,
        Kind::Bool => 1,
    }
}

/// A sum with the largest terms first.
fn written(parts: impl Iterator<Item = (Vec<String>, usize)>) -> String {
    let mut terms: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for (factors, bytes) in parts {
        *terms.entry(factors).or_default() += bytes;
    }
    let mut terms: Vec<(Vec<String>, usize)> = terms.into_iter().collect();
    terms.sort_by_key(|(factors, _)| std::cmp::Reverse(factors.len()));
    let term = |(factors, count): &(Vec<String>, usize)| {
        std::iter::once(count.to_string()).chain(factors.iter().cloned()).collect::<Vec<_>>().join("·")
    };
    if terms.is_empty() { "0".into() } else { terms.iter().map(term).collect::<Vec<_>>().join(" + ") }
}

#[cfg(all(test, feature = "syntax"))]
mod tests {
    use crate::testing::scheduled;

    /// Counted by hand: arguments and results in f32, i64 and bool.
    #[test]
    fn bytes_of_an_op() {
        for (declaration, forward, backward, saved) in [
            ("(x: Tensor) -> Tensor { x * x }", "8·..", "12·..", "4·.."),
            (
                "(a: Tensor![m, k], b: Tensor![k, n]) -> Tensor![m, n] { sum(a * b, k) }",
                "4·k·n + 4·m·k + 4·m·n",
                "8·k·n + 8·m·k + 4·m·n",
                "4·k·n + 4·m·k",
            ),
            ("(x: Tensor, n: Axis) -> Tensor![..] { sum(x, n) }", "4·..·n + 4·..", "4·..·n + 4·..", "0"),
            (
                "(x: Tensor![n], keep: BoolTensor![n]) -> Tensor![] { sum(select(keep, x, 0.0), n) }",
                "5·n + 4",
                "5·n + 4",
                "1·n",
            ),
            (
                "(table: Tensor![v, d], ids: IntTensor![n]) -> Tensor![n, d] { at(table, v = ids) }",
                "4·n·d + 4·v·d + 8·n",
                "4·n·d + 4·v·d + 8·n",
                "8·n",
            ),
        ] {
            let op = scheduled(&format!("fn op{declaration}"))
                .unwrap_or_else(|error| panic!("{declaration}: {error}"));
            let gradient = op.1.expect("it has a gradient").graph;
            let found = (op.0.graph.ideal_bytes(), gradient.ideal_bytes(), gradient.saved_bytes());
            assert_eq!(found, (forward.into(), backward.into(), saved.into()), "{declaration}");
        }
    }
}
