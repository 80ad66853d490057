//! The ops that the tests run: graphs in text form, with the bodies that the macro would generate.

use super::Sample;
use crate::CpuKernels;
use crate::block::{Block, Pass, PassFns};
use crate::lane::{IntLane, Lane};
use tensor_op_core::Spec;

/// Declares an op: name, graph, and the bodies of its passes.
macro_rules! op {
    ($name:ident, $graph:literal, $($body:expr),* $(,)?) => {
        pub(super) static $name: Sample = Sample {
            spec: Spec::new($graph, None),
            kernels: CpuKernels { passes: &[$($body),*], schedule: None },
        };
    };
}

/// A body from a closure over the block.
macro_rules! body {
    (|$block:ident, $lane:ident| $run:expr) => {{
        struct Body;
        impl Pass for Body {
            #[inline(always)]
            fn run<$lane: Lane>($block: &mut Block<'_, '_, $lane>) {
                $run
            }
        }
        PassFns::of::<Body>()
    }};
}

op!(
    MIXTURE,
    "op mixture
dim .. group
dim n named
arg x: float[.., n], forward 0
arg bias: float[n], forward 1
arg ids: int[.., n], forward 2
arg scale: f64, forward 3
%0 = input x : float[.., n]
%1 = input bias : float[n]
%2 = input ids : int[.., n]
%3 = input scale : float[]
%4 = mul(%0, %3) : float[.., n]
%5 = add(%4, %1) : float[.., n]
%6 = iota(n) : int[n]
%7 = lt(%2, %6) : bool[.., n]
%8 = select(%7, %5, %0) : float[.., n]
%9 = add(%2, %6) : int[.., n]
out out0 = %8 [.., n]
out out1 = %9 [n, ..]
out out2 = %7 [.., n]
",
    body!(|block, L| {
        let ([scale], [], []) = block.uniforms();
        block.elements(|[x, bias], [ids, iota], []| {
            let below = ids.lt(iota);
            ([L::select(below, x * scale + bias, x)], [ids + iota], [below])
        });
    })
);

op!(
    SOFTMAX,
    "op softmax
dim .. group
dim axis axis axis
arg x: float[..], forward 0
arg axis: axis, forward 1
%0 = input x : float[.., axis]
%1 = max(%0; axis) : float[..]
%2 = sub(%0, %1) : float[.., axis]
%3 = exp(%2) : float[.., axis]
%4 = sum(%3; axis) : float[..]
%5 = div(%3, %4) : float[.., axis]
out out = %5 [..]
",
    body!(|block, L| block.elements(|[x], [], []| ([x], [], []))),
    body!(|block, L| {
        let ([max], [], []) = block.uniforms();
        block.elements(|[x], [], []| {
            let exponential = (x - max).exp();
            ([exponential, exponential], [], [])
        });
    }),
    body!(|block, L| {
        let ([sum], [], []) = block.uniforms();
        block.elements(|[exponential], [], []| ([exponential / sum], [], []));
    })
);

op!(
    COLUMNS,
    "op columns
dim b named
dim n named
arg x: float[b, n], forward 0
%0 = input x : float[b, n]
%1 = sum(%0; b) : float[n]
%2 = max(%0; b) : float[n]
%3 = literal 0.0 : float[]
%4 = gt(%0, %3) : bool[b, n]
%5 = all(%4; b) : bool[n]
out sum = %1 [n]
out max = %2 [n]
out all = %5 [n]
",
    body!(|block, L| block.elements(|[x], [], []| ([x, x], [], [x.gt(L::float(0.0))])))
);

op!(
    NORM_BACKWARD,
    "op norm_backward
dim .. group
dim n named
arg x: float[.., n], forward 0
arg gamma: float[n], forward 1
arg grad: float[.., n], grad 0
%0 = input x : float[.., n]
%1 = input gamma : float[n]
%2 = input grad : float[.., n]
%3 = mul(%0, %2) : float[.., n]
%4 = mul(%3, %1) : float[.., n]
%5 = sum(%4; n) : float[..]
%6 = sum(%3; ..) : float[n]
%7 = mul(%2, %1) : float[.., n]
%8 = mul(%0, %5) : float[.., n]
%9 = sub(%7, %8) : float[.., n]
out grad_x = %9 [.., n] like x
out grad_gamma = %6 [n] like gamma
",
    body!(|block, L| block.elements(|[x, grad, gamma], [], []| ([x * grad * gamma, x * grad], [], []))),
    body!(|block, L| {
        let ([sum], [], []) = block.uniforms();
        block.elements(|[grad, gamma, x], [], []| ([grad * gamma - x * sum], [], []));
    })
);

op!(
    STATISTICS,
    "op statistics
dim .. group
dim n named
dim c named
arg x: float[.., n, c], forward 0
arg ids: int[.., n, c], forward 1
%0 = input x : float[.., n, c]
%1 = input ids : int[.., n, c]
%2 = argmax(%0; n, c) : int[..]
%3 = argmin(%0; n, c) : int[..]
%4 = min(%0; n, c) : float[..]
%5 = sum(%1; n, c) : int[..]
%6 = literal 3 : int[]
%7 = eq(%1, %6) : bool[.., n, c]
%8 = any(%7; n, c) : bool[..]
%9 = argmax(%1; n, c) : int[..]
out argmax = %2 [..]
out argmin = %3 [..]
out min = %4 [..]
out sum = %5 [..]
out any = %8 [..]
out argmax_ids = %9 [..]
",
    body!(|block, L| block.elements(|[x], [ids], []| ([x, x, x], [ids, ids], [ids.equal(L::int(3))]))),
    body!(|block, L| {
        let ([min], [argmax, argmin, sum, of_ids], [any]) = block.uniforms();
        block.per_row([min], [argmax, argmin, sum, of_ids], [any]);
    })
);

op!(
    SCALE_BACKWARD,
    "op scale_backward
dim .. group
arg x: shape[..], forward 0
arg scale: float[..], forward 1
arg grad: float[..], grad 0
%0 = input scale : float[..]
%1 = input grad : float[..]
%2 = mul(%1, %0) : float[..]
out grad_x = %2 [..] like x
",
    body!(|block, L| block.elements(|[grad, scale], [], []| ([grad * scale], [], [])))
);

op!(
    ROTATE,
    "op rotate
dim .. group
dim half fixed 2
dim d named
arg x: float[.., (half, d)], forward 0
%0 = input x : float[.., half, d]
out out = %0 [.., (d, half)]
",
    body!(|block, L| block.elements(|[x], [], []| ([x], [], [])))
);

op!(
    LINEAR,
    "op linear
dim .. group
dim m named
dim k named
dim n named
arg lhs: float[.., m, k], forward 0
arg rhs: float[.., k, n], forward 1
arg bias: float[n], forward 2
%0 = input lhs : float[.., m, k]
%1 = input rhs : float[.., k, n]
%2 = input bias : float[n]
%3 = mul(%0, %1) : float[.., m, k, n]
%4 = sum(%3; k) : float[.., m, n]
%5 = add(%4, %2) : float[.., m, n]
out out = %5 [.., m, n]
",
    body!(|block, L| block.elements(|[product, bias], [], []| ([product + bias], [], [])))
);

op!(
    OUTER_SUMS,
    "op outer_sums
dim a named
dim b named
dim c named
dim d named
dim e named
arg lhs: float[a, d, b, c], forward 0
arg rhs: float[c, b, e], forward 1
%0 = input lhs : float[a, b, c, d]
%1 = input rhs : float[b, c, e]
%2 = mul(%0, %1) : float[a, b, c, d, e]
%3 = sum(%2; b, c) : float[a, d, e]
out out = %3 [d, e, a]
",
);

op!(
    EMBEDDING,
    "op embedding
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
",
);

op!(
    EMBEDDING_BACKWARD,
    "op embedding_backward
dim v named
dim d named
dim b named
dim t named
arg table: shape[v, d], forward 0
arg ids: int[b, t], forward 1
arg grad: float[b, t, d], grad 0
%0 = input ids : int[b, t]
%1 = input grad : float[d, b, t]
%2 = scatter_add(%1; v = %0) : float[v, d]
out grad_table = %2 [v, d] like table
",
);
