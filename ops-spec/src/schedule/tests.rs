//! Schedules of small graphs: which kernels, in which passes.

use super::{CostModel, regroup, schedule};
use crate::ir::Graph;

/// Checks the readable form of a schedule.
fn check(graph: &str, expected: &str) {
    let graph = regroup(Graph::parse(graph).expect("test graphs parse"));
    let found = schedule(&graph, CostModel::CPU).explain(&graph);
    assert_eq!(found.trim(), expected.trim(), "\n{found}");
}

#[test]
fn softmax_is_one_row_kernel() {
    check(
        "op softmax
dim .. group
dim axis axis axis
arg x: float[..], forward 0
arg axis: axis, forward 1
%0 = input x : float[.., axis]
%1 = max(%0; axis) : float[..]
%2 = sub(%0, %1) : float[.., axis]
%3 e = exp(%2) : float[.., axis]
%4 = sum(%3; axis) : float[..]
%5 = div(%3, %4) : float[.., axis]
out out = %5 [..]
",
        "
kernel 0: row
  for each of [..] over [axis]
  pass 0: uniforms (), elements (x)
    %1 = max of %0
  pass 1: uniforms (%1), elements (x)
    %4 = sum of %3 e
    kept %3 e
  pass 2: uniforms (%4), elements (kept %3 e)
    out[.., axis] <- %5
",
    );
}

#[test]
fn a_reduction_is_stored_for_a_later_kernel_where_a_result_spreads_its_value() {
    check(
        "op spread_and_total
dim m named
dim n named
arg x: float[m, n], forward 0
%0 = input x : float[m, n]
%1 = sum(%0; n) : float[m]
%2 = sqrt(%1) : float[m]
%3 = sum(%2; m) : float[]
out spread = %2 [m, n]
out total = %3 []
",
        "
kernel 0: row
  for each of [m] over [n]
  pass 0: uniforms (), elements (x)
    %1 = sum of %0
  pass 1: uniforms (%1), elements ()
    spread[m, n] <- %2
  pass 2 once per row: uniforms (%1), elements ()
    temp %1[m] <- %1
kernel 1: row
  for each of [] over [m]
  pass 0: uniforms (), elements (%1)
    %3 = sum of %2
  pass 1 once per row: uniforms (%3), elements ()
    total[] <- %3
",
    );
}

#[test]
fn a_reduction_that_is_stored_along_its_own_dims_waits_for_its_pass() {
    check(
        "op spread
dim m named
dim n named
arg x: shape[m, n], forward 0
arg grad: float[n, m], grad 0
%0 = input grad : float[m, n]
%1 = sum(%0; n) : float[m]
out grad_x = %1 [m, n] like x
",
        "
kernel 0: row
  for each of [m] over [n]
  pass 0: uniforms (), elements (grad)
    %1 = sum of %0
  pass 1: uniforms (%1), elements ()
    grad_x[m, n] <- %1
",
    );
}

#[test]
fn costly_functions_of_fewer_dims_are_computed_once() {
    check(
        "op turn
dim b named
dim t named
dim d named
arg x: float[b, t, d], forward 0
arg rate: float[d], forward 1
%0 = input x : float[b, t, d]
%1 = input rate : float[d]
%2 = iota(t) : int[t]
%3 = cast(%2) : float[t]
%4 = pow(%1, %1) : float[d]
%5 = mul(%3, %4) : float[t, d]
%6 = cos(%5) : float[t, d]
%7 = sin(%5) : float[t, d]
%8 = mul(%0, %6) : float[b, t, d]
%9 = add(%8, %7) : float[b, t, d]
out out = %9 [b, t, d]
",
        "
kernel 0: pointwise
  for each of [] over [d]
  pass 0: uniforms (), elements (rate)
    temp %4[d] <- %4
kernel 1: pointwise
  for each of [] over [t, d]
  pass 0: uniforms (), elements (iota[t], %4)
    temp %6[t, d] <- %6
    temp %7[t, d] <- %7
kernel 2: pointwise
  for each of [] over [b, t, d]
  pass 0: uniforms (), elements (x, %6, %7)
    out[b, t, d] <- %9
",
    );
}

#[test]
fn a_product_with_an_epilogue_is_one_kernel() {
    check(
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
        "
kernel 0: contraction
  temp %4[.., m, n] <- lhs * rhs, batch [..], m [m], n [n], k [k]
  for each of [] over [.., m, n]
  pass 0: uniforms (), elements (%4, bias)
    out[.., m, n] <- %5
",
    );
}

#[test]
fn a_reduction_over_leading_dims_is_a_column_kernel() {
    check(
        "op column
dim b named
dim n named
arg x: float[b, n], forward 0
%0 = input x : float[b, n]
%1 = mul(%0, %0) : float[b, n]
%2 = sum(%1; b) : float[n]
%3 = sum(%0; b) : float[n]
out out0 = %2 [n]
out out1 = %3 [n]
",
        "
kernel 0: column
  for each of [b] over [n]
  pass 0: uniforms (), elements (x)
    out0[n] <- sum over rows of %1
    out1[n] <- sum over rows of %0
",
    );
}

#[test]
fn rows_and_columns_of_one_pass_share_a_kernel() {
    check(
        "op norm_backward
dim .. group
dim n named
arg x: float[.., n], forward 0
arg grad: float[.., n], grad 0
%0 = input x : float[.., n]
%1 = input grad : float[.., n]
%2 = mul(%0, %1) : float[.., n]
%3 = sum(%2; n) : float[..]
%4 = mul(%1, %3) : float[.., n]
%5 = mul(%2, %3) : float[.., n]
%6 = sum(%5; ..) : float[n]
out grad_x = %4 [.., n] like x
out grad_gamma = %6 [n]
",
        "
kernel 0: mixed
  for each of [..] over [n]
  pass 0: uniforms (), elements (x, grad)
    %3 = sum of %2
  pass 1: uniforms (%3), elements (x, grad)
    grad_gamma[n] <- sum over rows of %5
    grad_x[.., n] <- %4
",
    );
}

#[test]
fn operands_of_products_are_stored_on_the_way() {
    check(
        "op attention
dim t named
dim s named
dim d named
arg q: float[t, d], forward 0
arg k: float[s, d], forward 1
arg v: float[s, d], forward 2
%0 = input q : float[t, d]
%1 = input k : float[s, d]
%2 = input v : float[s, d]
%3 = mul(%0, %1) : float[t, s, d]
%4 = sum(%3; d) : float[t, s]
%5 = exp(%4) : float[t, s]
%6 = sum(%5; s) : float[t]
%7 p = div(%5, %6) : float[t, s]
%8 = mul(%7, %2) : float[t, s, d]
%9 = sum(%8; s) : float[t, d]
out out = %9 [t, d]
",
        "
kernel 0: contraction
  temp %4[t, s] <- q * k, batch [], m [t], n [s], k [d]
kernel 1: row
  for each of [t] over [s]
  pass 0: uniforms (), elements (%4)
    %6 = sum of %5
    kept %5
  pass 1: uniforms (%6), elements (kept %5)
    temp %7 p[t, s] <- %7 p
kernel 2: contraction
  out[t, d] <- %7 p * v, batch [], m [t], n [d], k [s]
stream of kernels 0 to 2
  rows [t], of which batch [], along [s]
  local (%4, %7 p), sums over rows ()
",
    );
}

#[test]
fn products_of_three_factors_are_regrouped() {
    check(
        "op scaled
dim m named
dim k named
dim n named
arg x: float[m, k], forward 0
arg s: float[k], forward 1
arg y: float[k, n], forward 2
%0 = input x : float[m, k]
%1 = input s : float[k]
%2 = input y : float[k, n]
%3 = mul(%1, %2) : float[k, n]
%4 = mul(%0, %3) : float[m, k, n]
%5 = sum(%4; k) : float[m, n]
out out = %5 [m, n]
",
        "
kernel 0: pointwise
  for each of [] over [m, k]
  pass 0: uniforms (), elements (x, s)
    temp %5[m, k] <- %5
kernel 1: contraction
  out[m, n] <- %5 * y, batch [], m [m], n [n], k [k]
",
    );
}

#[test]
fn statistics_that_a_later_kernel_reads_are_stored() {
    check(
        "op mean_of_rows
dim b named
dim v named
arg x: float[b, v], forward 0
arg t: int[b], forward 1
%0 = input x : float[b, v]
%1 = input t : int[b]
%2 = sum(%0; v) : float[b]
%3 = at(%0; v = %1) : float[b]
%4 = sub(%2, %3) : float[b]
%5 = sum(%4; b) : float[]
out out = %5 []
",
        "
kernel 0: index
  temp %3[b] <- gather x at v = t
kernel 1: row
  for each of [b] over [v]
  pass 0: uniforms (), elements (x)
    %2 = sum of %0
  pass 1 once per row: uniforms (%2), elements ()
    temp %2[b] <- %2
kernel 2: row
  for each of [] over [b]
  pass 0: uniforms (), elements (%2, %3)
    %5 = sum of %4
  pass 1 once per row: uniforms (%5), elements ()
    out[] <- %5
",
    );
}
