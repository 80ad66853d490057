//! Which streams can run as kernels that store no scores.

use super::with_fused;
use crate::ir::Graph;
use crate::schedule::{CostModel, regroup, schedule};

const ATTENTION: &str = "op attention
dim b named
dim t named
dim s named
dim d named
arg q: float[b, t, d], forward 0
arg k: float[b, s, d], forward 1
%0 = input q : float[b, t, d]
%1 = input k : float[b, s, d]
%2 = mul(%0, %1) : float[b, t, s, d]
%3 = sum(%2; d) : float[b, t, s]
%4 = max(%3; s) : float[b, t]
%5 = sub(%3, %4) : float[b, t, s]
%6 = exp(%5) : float[b, t, s]
%7 = sum(%6; s) : float[b, t]
%8 = div(%6, %7) : float[b, t, s]
%9 = mul(%8, %1) : float[b, t, s, d]
%10 = sum(%9; s) : float[b, t, d]
out out = %10 [b, t, d]
";

/// Checks the kernels that store no scores, in the readable form of a schedule.
#[track_caller]
fn check(graph: &str, expected: &str) {
    let graph = regroup(Graph::parse(graph).expect("a graph"));
    let explained = with_fused(&graph, schedule(&graph, CostModel::CPU)).explain(&graph);
    let found = explained.find("  as one kernel").map_or("", |at| &explained[at..]);
    assert_eq!(found.trim(), expected.trim(), "\n{explained}");
}

#[test]
fn a_result_over_rows_and_columns_is_stored_by_other_kernels() {
    check(&format!("{ATTENTION}out weights = %8 [b, t, s]\n"), "");
}

/// The gradient of what all batches share sums over them, and so over both factors of the scores.
#[test]
fn a_score_has_columns_on_one_side() {
    let shared = GRADIENT.replace("%13 = sum(%11; t) : float[b, s, d]", "%13 = sum(%11; b, t) : float[s, d]");
    check(&shared.replace("out grad_v = %13 [b, s, d] like k", "out grad_v = %13 [s, d]"), "");
}

#[test]
fn attention_is_one_kernel() {
    check(
        ATTENTION,
        "
  as one kernel: scores of kernels [0], sums of kernels [2]
  for each of [b, t] over [s]
  pass 0: uniforms (), elements (%3)
    %4 = max of %3
  pass 1: uniforms (%4), elements (%3)
    %7 = sum of %6
  pass 2: uniforms (%4, %7), elements (%3)
    temp %8[b, t, s] <- %8
",
    );
}

const GRADIENT: &str = "op attention_backward
dim b named
dim t named
dim s named
dim d named
arg q: float[b, t, d], forward 0
arg k: float[b, s, d], forward 1
arg sum: float[b, t], output 1
arg max: float[b, t], output 2
arg grad: float[b, t, d], grad 0
%0 = input q : float[b, t, d]
%1 = input k : float[b, s, d]
%2 = mul(%0, %1) : float[b, t, s, d]
%3 = sum(%2; d) : float[b, t, s]
%4 = input max : float[b, t]
%5 = sub(%3, %4) : float[b, t, s]
%6 = exp(%5) : float[b, t, s]
%7 = input sum : float[b, t]
%8 = div(%6, %7) : float[b, t, s]
%9 = input grad : float[b, t, d]
%10 = mul(%9, %1) : float[b, t, s, d]
%11 = mul(%9, %8) : float[b, t, s, d]
%12 = sum(%10; d) : float[b, t, s]
%13 = sum(%11; t) : float[b, s, d]
%14 = mul(%12, %8) : float[b, t, s]
%15 = sum(%14; s) : float[b, t]
%16 = sub(%12, %15) : float[b, t, s]
%17 = mul(%8, %16) : float[b, t, s]
%18 = mul(%17, %1) : float[b, t, s, d]
%19 = sum(%18; s) : float[b, t, d]
%20 = mul(%17, %0) : float[b, t, s, d]
%21 = sum(%20; t) : float[b, s, d]
out grad_q = %19 [b, t, d] like q
out grad_k = %21 [b, s, d] like k
out grad_v = %13 [b, s, d] like k
";

#[test]
fn its_gradient_is_two_kernels() {
    check(
        GRADIENT,
        "
  as one kernel: scores of kernels [0, 1], sums of kernels [4]
  for each of [b, t] over [s]
  pass 0: uniforms (max, sum), elements (%12, %3)
    %15 = sum of %14
  pass 1: uniforms (max, sum, %15), elements (%3, %12)
    temp %17[b, t, s] <- %17
  pass 2 once per row: uniforms (%15), elements ()
    temp %15[b, t] <- %15
  as one kernel: scores of kernels [0, 1], sums of kernels [3, 5]
  for each of [b, s] over [t]
  pass 0: uniforms (), elements (%3, max, sum, %12, %15)
    temp %8[b, t, s] <- %8
    temp %17[b, t, s] <- %17
",
    );
}
