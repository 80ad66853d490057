//! Bytes as a function of the sizes of dims.

use super::{Arg, ArgType, DimId, DimSet, Graph, Kind, Role};
use std::collections::BTreeMap;

/// A dtype of floats, by its widths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatWidth {
    /// f64.
    Double,
    /// f32.
    Single,
    /// f16 and bf16, which are computed in f32.
    Half,
}

impl FloatWidth {
    /// The bytes of a stored element.
    pub fn stored(self, kind: Kind) -> u64 {
        match (kind, self) {
            (Kind::Float, FloatWidth::Half) => 2,
            (Kind::Float, FloatWidth::Single | FloatWidth::Double) | (Kind::Int | Kind::Bool, _) => {
                self.computed(kind)
            }
        }
    }

    /// The bytes of an element as it was computed.
    pub fn computed(self, kind: Kind) -> u64 {
        match (kind, self) {
            (Kind::Float, FloatWidth::Half | FloatWidth::Single) => 4,
            (Kind::Float, FloatWidth::Double) | (Kind::Int, _) => 8,
            (Kind::Bool, _) => 1,
        }
    }
}

/// How many elements a value has, or a kernel uses of it: the least of some products of sizes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Count(Vec<DimSet>);

impl Count {
    /// All points of these dims.
    pub fn of(dims: DimSet) -> Count {
        Count(vec![dims])
    }

    /// At most as many as the points of these dims.
    pub fn at_most(mut self, dims: DimSet) -> Count {
        // A product over fewer dims is smaller, except where a size is 0.
        if !self.0.iter().any(|own| own.is_subset(dims)) {
            self.0.retain(|own| !dims.is_subset(*own));
            self.0.push(dims);
            self.0.sort();
        }
        self
    }

    fn value(&self, len: &impl Fn(DimId) -> Option<u64>) -> Option<u64> {
        let product = |dims: &DimSet| dims.iter().try_fold(1_u64, |all, dim| all.checked_mul(len(dim)?));
        self.0.iter().map(product).collect::<Option<Vec<u64>>>()?.into_iter().min()
    }

    /// The number of factors of its longest product.
    fn degree(&self) -> usize {
        self.0.iter().map(|dims| dims.len()).max().unwrap_or_default()
    }
}

/// A number of bytes as a function of the sizes of dims: a sum of counts, each times a number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bytes(BTreeMap<Count, u64>);

impl Bytes {
    /// So many elements of this width.
    pub fn new(count: Count, width: u64) -> Bytes {
        Bytes(BTreeMap::from([(count, width)]))
    }

    /// The number, given the sizes of dims. `None` if one is unknown, or if it does not fit.
    pub fn value(&self, len: &impl Fn(DimId) -> Option<u64>) -> Option<u64> {
        let mut terms = self.0.iter();
        terms.try_fold(0_u64, |sum, (count, width)| sum.checked_add(count.value(len)?.checked_mul(*width)?))
    }

    /// The dims whose sizes it uses.
    pub fn dims(&self) -> DimSet {
        self.0.keys().flat_map(|count| &count.0).fold(DimSet::EMPTY, |all, dims| all.union(*dims))
    }

    /// `8·m·n + 4·m`, with the largest terms first; `..` stands for the elements of the group.
    pub fn text(&self, graph: &Graph) -> String {
        let mut terms: Vec<(&Count, &u64)> = self.0.iter().collect();
        terms.sort_by_key(|(count, _)| std::cmp::Reverse(count.degree()));
        let product = |dims: &DimSet| {
            let names: Vec<&str> = dims.iter().map(|dim| graph.dim(dim).name.as_str()).collect();
            if names.is_empty() { "1".to_string() } else { names.join("·") }
        };
        let term = |(count, width): (&Count, &u64)| match &count.0[..] {
            [one] if one.is_empty() => width.to_string(),
            [one] => format!("{width}·{}", product(one)),
            several => {
                let products: Vec<String> = several.iter().map(product).collect();
                format!("{width}·min({})", products.join(", "))
            }
        };
        if terms.is_empty() {
            "0".into()
        } else {
            terms.into_iter().map(term).collect::<Vec<_>>().join(" + ")
        }
    }
}

impl std::iter::Sum for Bytes {
    fn sum<I: Iterator<Item = Bytes>>(parts: I) -> Bytes {
        let mut sum = Bytes::default();
        for (count, width) in parts.flat_map(|part| part.0) {
            *sum.0.entry(count).or_default() += width;
        }
        sum
    }
}

impl Arg {
    /// Whether a gradient takes it as a tensor that the forward pass has saved.
    pub fn is_saved(&self) -> bool {
        match (&self.ty, self.role) {
            (ArgType::Tensor { .. }, Role::Forward(_) | Role::Output(_)) => true,
            (_, Role::Grad(_) | Role::Tangent(_)) => false,
            (ArgType::Shape { .. } | ArgType::Scalar { .. } | ArgType::Axis { .. }, _) => false,
        }
    }
}

impl Graph {
    /// The bytes of an element of an argument; `None` if it is no tensor. `forward` is the graph that was
    /// differentiated: what it keeps for this one is kept as it was computed.
    pub fn arg_width(&self, at: usize, forward: &Graph, floats: FloatWidth) -> Option<u64> {
        let ArgType::Tensor { kind, .. } = self.args[at].ty else { return None };
        let is_kept = match self.args[at].role {
            Role::Output(output) => forward.outputs.get(output).is_some_and(|output| output.hidden),
            Role::Forward(_) | Role::Grad(_) | Role::Tangent(_) => false,
        };
        Some(if is_kept { floats.computed(kind) } else { floats.stored(kind) })
    }

    /// The bytes of an argument; none if it is no tensor.
    pub fn arg_bytes(&self, at: usize, forward: &Graph, floats: FloatWidth) -> Bytes {
        let width = self.arg_width(at, forward, floats);
        width.map(|width| Bytes::new(Count::of(self.arg_dims(at)), width)).unwrap_or_default()
    }

    /// What a tracked call keeps for this gradient of `forward`.
    pub fn saved_bytes(&self, forward: &Graph, floats: FloatWidth) -> Bytes {
        let saved = (0..self.args.len()).filter(|at| self.args[*at].is_saved());
        saved.map(|at| self.arg_bytes(at, forward, floats)).sum()
    }

    /// The least that a call moves: each argument is read once, and each declared result is written once.
    pub fn ideal_bytes(&self, forward: &Graph, floats: FloatWidth) -> Bytes {
        let read = (0..self.args.len()).map(|at| self.arg_bytes(at, forward, floats));
        let results = self.outputs.iter().filter(|output| !output.hidden);
        let written = results.map(|output| {
            let node = self.node(output.node);
            let dims = output.like.map_or(node.dims, |arg| self.arg_dims(arg));
            Bytes::new(Count::of(dims), floats.stored(node.kind))
        });
        read.chain(written).sum()
    }
}

#[cfg(all(test, feature = "syntax"))]
mod tests {
    use super::FloatWidth;
    use crate::testing::scheduled;

    /// Counted by hand: arguments and results in f32, i64 and bool.
    #[test]
    fn bytes_of_an_op() {
        for (declaration, forward, backward, saved) in [
            ("(x: Tensor) -> Tensor { x * x }", "8·..", "12·..", "4·.."),
            (
                "(a: Tensor![m, k], b: Tensor![k, n]) -> Tensor![m, n] { sum(a * b, k) }",
                "4·m·k + 4·m·n + 4·k·n",
                "8·m·k + 4·m·n + 8·k·n",
                "4·m·k + 4·k·n",
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
                "4·v·d + 4·d·n + 8·n",
                "4·v·d + 4·d·n + 8·n",
                "8·n",
            ),
        ] {
            let op = scheduled(&format!("fn op{declaration}"))
                .unwrap_or_else(|error| panic!("{declaration}: {error}"));
            let gradient = op.1.expect("it has a gradient").graph;
            let op = op.0.graph;
            let f32 = FloatWidth::Single;
            let found = [
                op.ideal_bytes(&op, f32).text(&op),
                gradient.ideal_bytes(&op, f32).text(&gradient),
                gradient.saved_bytes(&op, f32).text(&gradient),
            ];
            assert_eq!(found, [forward, backward, saved], "{declaration}");
        }
    }
}
