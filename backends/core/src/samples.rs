//! Small graphs in text form for the tests of this crate.

use tensor_op_spec::ir::Graph;

pub(crate) fn graph(text: &str) -> Graph {
    Graph::parse(text.trim_start()).expect("a graph in text form")
}

pub(crate) const SOFTMAX: &str = "
op softmax
dim .. group
dim axis axis axis
arg x: float[..], forward 0
arg axis: axis = -1, forward 1
%0 = input x : float[.., axis]
%1 = max(%0; axis) : float[..]
%2 = stop_grad(%1) : float[..]
%3 = sub(%0, %2) : float[.., axis]
%4 = exp(%3) : float[.., axis]
%5 = sum(%4; axis) : float[..]
%6 = div(%4, %5) : float[.., axis]
out out = %6 [..]
";

pub(crate) const MATMUL: &str = "
op matmul
dim .. group
dim m named
dim k named
dim n named
arg lhs: float[.., m, k], forward 0
arg rhs: float[.., k, n], forward 1
%0 = input lhs : float[.., m, k]
%1 = input rhs : float[.., k, n]
%2 = mul(%0, %1) : float[.., m, k, n]
%3 = sum(%2; k) : float[.., m, n]
out out = %3 [.., m, n]
";

/// Both factors and the result are transposed, and `n` is the first dim.
pub(crate) const MATMUL_TRANSPOSED: &str = "
op matmul_transposed
dim n named
dim k named
dim m named
dim b named
arg lhs: float[k, b, m], forward 0
arg rhs: float[n, b, k], forward 1
%0 = input lhs : float[k, m, b]
%1 = input rhs : float[n, k, b]
%2 = mul(%0, %1) : float[n, k, m, b]
%3 = sum(%2; k) : float[n, m, b]
%4 = literal 1.0 : float[]
%5 = add(%3, %4) : float[n, m, b]
out out = %5 [m, n, b]
";

pub(crate) const CROSS_ENTROPY: &str = "
op cross_entropy
dim b named
dim v named
arg logits: float[b, v], forward 0
arg target: int[b], forward 1
%0 = input logits : float[b, v]
%1 = input target : int[b]
%2 = max(%0; v) : float[b]
%3 = sub(%0, %2) : float[b, v]
%4 = exp(%3) : float[b, v]
%5 = sum(%4; v) : float[b]
%6 = ln(%5) : float[b]
%7 = add(%6, %2) : float[b]
%8 = at(%0; v = %1) : float[b]
%9 = sub(%7, %8) : float[b]
out out = %9 [b]
";

pub(crate) const CROSS_ENTROPY_BACKWARD: &str = "
op cross_entropy_backward
dim b named
dim v named
arg logits: float[b, v], forward 0
arg target: int[b], forward 1
arg grad_out: float[b], grad 0
%0 = input logits : float[b, v]
%1 = input target : int[b]
%2 = input grad_out : float[b]
%3 = max(%0; v) : float[b]
%4 = sub(%0, %3) : float[b, v]
%5 = exp(%4) : float[b, v]
%6 = sum(%5; v) : float[b]
%7 = div(%5, %6) : float[b, v]
%8 = mul(%7, %2) : float[b, v]
%9 = neg(%2) : float[b]
%10 = scatter_add(%9; v = %1) : float[b, v]
%11 = add(%8, %10) : float[b, v]
out grad_logits = %11 [b, v] like logits
";

/// Takes rows of a table; the adjoint is below. The index has dims that the source lacks.
pub(crate) const EMBEDDING: &str = "
op embedding
dim v named
dim d named
dim b named
dim t named
arg table: float[v, d], forward 0
arg ids: int[b, t], forward 1
%0 = input table : float[v, d]
%1 = input ids : int[b, t]
%2 = at(%0; v = %1) : float[d, b, t]
out out = %2 [b, t, d]
";

pub(crate) const EMBEDDING_BACKWARD: &str = "
op embedding_backward
dim v named
dim d named
dim b named
dim t named
arg table: shape[v, d], forward 0
arg ids: int[b, t], forward 1
arg grad_out: float[b, t, d], grad 0
%0 = input ids : int[b, t]
%1 = input grad_out : float[d, b, t]
%2 = scatter_add(%1; v = %0) : float[v, d]
out grad_table = %2 [v, d] like table
";

/// A reversal: the index varies over the dim that it indexes.
pub(crate) const REVERSE: &str = "
op reverse
dim m named
dim n named
arg x: float[m, n], forward 0
%0 = input x : float[m, n]
%1 = len(n) : int[]
%2 = literal 1 : int[]
%3 = sub(%1, %2) : int[]
%4 = iota(n) : int[n]
%5 = sub(%3, %4) : int[n]
%6 = at(%0; n = %5) : float[m, n]
%7 = scatter_add(%6; n = %5) : float[m, n]
%8 = sub(%0, %7) : float[m, n]
out out = %6 [n, m]
out same = %8 [m, n]
";

pub(crate) const ROTATE: &str = "
op rotate
dim .. group
dim half fixed 2
dim d named
arg x: float[.., (half, d)], forward 0
%0 = input x : float[.., half, d]
out out = %0 [.., (d, half)]
";

pub(crate) const SCALE_BACKWARD: &str = "
op scale_backward
dim .. group
arg x: shape[..], forward 0
arg scale: float[..], forward 1
arg grad_out: float[..], grad 0
%0 = input scale : float[..]
%1 = input grad_out : float[..]
%2 = mul(%1, %0) : float[..]
out grad_x = %2 [..] like x
";

/// The gradient of a mean over a chosen axis. It is constant along the axis.
pub(crate) const MEAN_BACKWARD: &str = "
op mean_backward
dim .. group
dim axis axis axis
arg x: shape[..], forward 0
arg axis: axis, forward 1
arg grad_out: float[..], grad 0
%0 = input grad_out : float[..]
%1 = len(axis) : float[]
%2 = div(%0, %1) : float[..]
out grad_x = %2 [..] like x
";

/// Every reduction, of floats and bools.
pub(crate) const STATISTICS: &str = "
op statistics
dim .. group
dim n named
arg x: float[.., n], forward 0
%0 = input x : float[.., n]
%1 = sum(%0; n) : float[..]
%2 = prod(%0; n) : float[..]
%3 = max(%0; n) : float[..]
%4 = min(%0; n) : float[..]
%5 = argmax(%0; n) : int[..]
%6 = argmin(%0; n) : int[..]
%7 = literal 0.0 : float[]
%8 = gt(%0, %7) : bool[.., n]
%9 = any(%8; n) : bool[..]
%10 = all(%8; n) : bool[..]
out sum = %1 [..]
out prod = %2 [..]
out max = %3 [..]
out min = %4 [..]
out argmax = %5 [..]
out argmin = %6 [..]
out any = %9 [..]
out all = %10 [..]
";
