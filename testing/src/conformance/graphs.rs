//! Graphs of one primitive each.

use tensor_op_spec::ir::{Graph, Kind};
use tensor_op_spec::prim::{Fold, Prim};

/// The lists of operand kinds that a primitive accepts.
pub(super) fn operand_kinds(prim: Prim) -> Vec<Vec<Kind>> {
    let arity = prim.row().operands.len();
    let all = [Kind::Float, Kind::Int, Kind::Bool].into_iter().flat_map(|kind| {
        let same = vec![kind; arity];
        let mut chosen = same.clone();
        chosen[0] = Kind::Bool;
        if same == chosen { vec![same] } else { vec![same, chosen] }
    });
    all.filter(|kinds| prim.result_kind(kinds).is_some()).collect()
}

/// A primitive over operands of these kinds.
pub(super) fn apply(prim: Prim, kinds: &[Kind]) -> Graph {
    let result = prim.result_kind(kinds).expect("only kinds that it takes");
    let mut text = format!("op {}\ndim .. group\n", prim.name());
    for (at, kind) in kinds.iter().enumerate() {
        text += &format!("arg x{at}: {}[..], forward {at}\n", kind.name());
    }
    for (at, kind) in kinds.iter().enumerate() {
        text += &format!("%{at} = input x{at} : {}[..]\n", kind.name());
    }
    let operands: Vec<String> = (0..kinds.len()).map(|at| format!("%{at}")).collect();
    let (count, operands) = (kinds.len(), operands.join(", "));
    text += &format!("%{count} = {}({operands}) : {}[..]\n", prim.name(), result.name());
    graph(&(text + &format!("out out = %{count} [..]\n")))
}

/// The larger and the smaller of two operands; of bools, whether any and whether both are true.
pub(super) fn two_results(kind: Kind) -> Graph {
    let (first, second) = match kind {
        Kind::Float | Kind::Int => (Prim::Maximum, Prim::Minimum),
        Kind::Bool => (Prim::Or, Prim::And),
    };
    let (first, second, kind) = (first.name(), second.name(), kind.name());
    graph(&format!(
        "op two_results
dim .. group
arg x: {kind}[..], forward 0
arg y: {kind}[..], forward 1
%0 = input x : {kind}[..]
%1 = input y : {kind}[..]
%2 = {first}(%0, %1) : {kind}[..]
%3 = {second}(%0, %1) : {kind}[..]
out first = %2 [..]
out second = %3 [..]
"
    ))
}

/// A reduction of `x[m, n]` over some dims; `left` are the dims that stay.
pub(super) fn reduce(fold: Fold, dims: &str, left: &str, kind: Kind) -> Graph {
    let (name, result, kind) = (fold.name(), fold.result_kind(kind).name(), kind.name());
    graph(&format!(
        "op {name}
dim m named
dim n named
arg x: {kind}[m, n], forward 0
%0 = input x : {kind}[m, n]
%1 = {name}(%0; {dims}) : {result}[{left}]
out out = %1 [{left}]
"
    ))
}

/// `[b, m, k]` times `[b, k, n]`.
pub(super) fn matmul() -> Graph {
    graph(
        "op matmul
dim b named
dim m named
dim k named
dim n named
arg lhs: float[b, m, k], forward 0
arg rhs: float[b, k, n], forward 1
%0 = input lhs : float[b, m, k]
%1 = input rhs : float[b, k, n]
%2 = mul(%0, %1) : float[b, m, k, n]
%3 = sum(%2; k) : float[b, m, n]
out out = %3 [b, m, n]
",
    )
}

/// `x[index[t], d]`; the first axis of `x` has the size `v`.
pub(super) fn gather(kind: Kind) -> Graph {
    let kind = kind.name();
    graph(&format!(
        "op gather
dim v named
dim d named
dim t named
arg x: {kind}[v, d], forward 0
arg index: int[t], forward 1
%0 = input x : {kind}[v, d]
%1 = input index : int[t]
%2 = at(%0; v = %1) : {kind}[d, t]
out out = %2 [t, d]
"
    ))
}

/// `out[index[t], d] += x[t, d]`; `out` has as many rows as `like`.
pub(super) fn scatter_add(kind: Kind) -> Graph {
    let kind = kind.name();
    graph(&format!(
        "op scatter_add
dim v named
dim d named
dim t named
arg x: {kind}[t, d], forward 0
arg index: int[t], forward 1
arg like: {kind}[v], forward 2
%0 = input x : {kind}[d, t]
%1 = input index : int[t]
%2 = scatter_add(%0; v = %1) : {kind}[v, d]
out out = %2 [v, d]
"
    ))
}

fn graph(text: &str) -> Graph {
    Graph::parse(text).expect("the text is a graph")
}
