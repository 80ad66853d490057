//! Which kernels run as sweeps, and what their passes compute.

use crate::ir::Graph;
use crate::schedule::schedule_for_gpu;

/// Checks the sweeps of a graph over `t`, `d` and `s`, in the readable form of a schedule.
#[track_caller]
fn check(nodes: &str, expected: &str) {
    let dims = "op states\ndim t named\ndim d named\ndim s named\n";
    let args =
        "arg u: float[t, d], forward 0\narg a: float[d, s], forward 1\narg c: float[t, s], forward 2\n";
    let inputs = "%0 = input u : float[t, d]\n%1 = input a : float[d, s]\n%2 = input c : float[t, s]\n";
    let graph = Graph::parse(&format!("{dims}{args}{inputs}{}\n", nodes.trim())).expect("a graph");
    let explained = schedule_for_gpu(&graph).explain(&graph);
    let found = explained.find("sweep of").map_or("", |at| &explained[at..]);
    assert_eq!(found.trim(), expected.trim(), "\n{explained}");
}

#[test]
fn a_state_that_is_summed_is_not_stored() {
    check(
        "
%3 = mul(%0, %1) : float[t, d, s]
%4 = exp(%3) : float[t, d, s]
%5 = linear_recurrence(%4, %0; t) : float[t, d, s]
%6 = mul(%5, %2) : float[t, d, s]
%7 = sum(%6; s) : float[t, d]
%8 = add(%7, %0) : float[t, d]
out out = %8 [t, d]",
        "
sweep of kernels 0 to 2, along t
  state %5 = linear_recurrence of %4, %0
  for each of [t, d] over [s]
  pass 0: uniforms (u), elements (a)
    temp %4[t, d, s] <- %4
    temp %0[t, d] <- %0
  pass 1: uniforms (), elements (%5, c)
    %7 = sum of %6
  pass 2 once per row: uniforms (%7, u), elements ()
    out[t, d] <- %8",
    );
}

/// The sum over `d` reads the state from memory: the last dim of a state in memory is `s`.
#[test]
fn a_state_that_is_stored_is_folded_over_its_last_dims() {
    check(
        "
%3 = mul(%0, %1) : float[t, d, s]
%4 = cumsum(%3; t) : float[t, d, s]
%5 = sum(%4; d) : float[t, s]
out state = %4 [t, d, s]
out sum = %5 [t, s]",
        "
sweep of kernels 0 to 1, along t
  state %4 = cumsum of %3
  for each of [t] over [d, s]
  pass 0: uniforms (), elements (u, a)
    temp %3[t, d, s] <- %3",
    );
}

#[test]
fn a_state_that_is_not_stored_is_folded_over_any_dims() {
    check(
        "
%3 = mul(%0, %1) : float[t, d, s]
%4 = cumsum(%3; t) : float[t, d, s]
%5 = sum(%4; d) : float[t, s]
out sum = %5 [t, s]",
        "
sweep of kernels 0 to 2, along t
  state %4 = cumsum of %3
  for each of [t, s] over [d]
  pass 0: uniforms (), elements (u, a)
    temp %3[t, d, s] <- %3
  pass 1: uniforms (), elements (%4)
    %5 = sum of %4
  pass 2 once per row: uniforms (%5), elements ()
    sum[t, s] <- %5",
    );
}

/// The value of the step before is kept, and the sum over the steps is a state of its own.
#[test]
fn nothing_of_the_step_before_is_read_again() {
    check(
        "
%3 = mul(%0, %1) : float[t, d, s]
%4 = linear_recurrence(%1, %3; reverse t) : float[t, d, s]
%5 = window(%4; t = 1, t 1 / 1 or 0.5) : float[t, d, s]
%6 = mul(%4, %5) : float[t, d, s]
%7 = sum(%6; t) : float[d, s]
out out = %7 [d, s]",
        "
sweep of kernels 0 to 3, from the last element of t
  state %4 = linear_recurrence of %1, %3
  %5 = %4 of the step before, or 0.5
  out[d, s] <- sum over the steps of %6
  for each of [t] over [d, s]
  pass 0: uniforms (), elements (a, u)
    temp %1[d, s] <- %1
    temp %3[t, d, s] <- %3
  pass 1: uniforms (), elements (%4, %5)
    temp %4[t, d, s] <- %4
    temp %6[t, d, s] <- %6",
    );
}

/// A scan of a scan, and what divides it, are one kernel; the other direction is another one.
#[test]
fn scans_in_one_direction_are_together() {
    check(
        "
%3 = exp(%0) : float[t, d]
%4 = cumsum(%3; t) : float[t, d]
%5 = cumsum(%4; t) : float[t, d]
%6 = cumsum(%3; reverse t) : float[t, d]
%7 = div(%5, %4) : float[t, d]
out ratio = %7 [t, d]
out rest = %6 [t, d]",
        "
sweep of kernels 0 to 3, along t
  state %4 = cumsum of %3
  state %5 = cumsum of %4
  for each of [t] over [d]
  pass 0: uniforms (), elements (u)
    temp %3[t, d] <- %3
  pass 1: uniforms (), elements (%4)
    temp %4[t, d] <- %4
  pass 2: uniforms (), elements (%5, %4)
    ratio[t, d] <- %7
sweep of kernels 4 to 5, from the last element of t
  state %6 = cumsum of %3
  for each of [t] over [d]
  pass 0: uniforms (), elements (u)
    temp %3[t, d] <- %3",
    );
}

/// A value that needs a sum over all steps is computed after them.
#[test]
fn a_sum_over_the_steps_is_complete_after_them() {
    check(
        "
%3 = mul(%0, %1) : float[t, d, s]
%4 = cumsum(%3; t) : float[t, d, s]
%5 = sum(%4; t) : float[d, s]
%6 = div(%4, %5) : float[t, d, s]
%7 = sum(%6; s) : float[t, d]
out out = %7 [t, d]",
        "
sweep of kernels 0 to 2, along t
  state %4 = cumsum of %3
  temp %5[d, s] <- sum over the steps of %4
  for each of [t] over [d, s]
  pass 0: uniforms (), elements (u, a)
    temp %3[t, d, s] <- %3
  pass 1: uniforms (), elements (%4)
    temp %4[t, d, s] <- %4",
    );
}

/// Two steps before is no step before: another kernel reads it from memory.
#[test]
fn a_scan_may_be_alone() {
    check(
        "
%3 = cumsum(%0; t) : float[t, d]
%4 = window(%3; t = -2, t 1 / 1 or 0.0) : float[t, d]
%5 = exp(%4) : float[t, d]
out out = %5 [t, d]",
        "
sweep of kernels 0 to 0, along t
  state %3 = cumsum of %0
  for each of [t] over [d]
  pass 0: uniforms (), elements (u)
    temp %0[t, d] <- %0",
    );
}

/// One state leaves a device idle, and ints are exact in any order.
#[test]
fn other_scans_are_kernels_of_their_own() {
    check(
        "
%3 = sum(%0; d) : float[t]
%4 = cumsum(%3; t) : float[t]
%5 = iota(t) : int[t]
%6 = iota(d) : int[d]
%7 = mul(%5, %6) : int[t, d]
%8 = cumsum(%7; t) : int[t, d]
out out = %4 [t]
out counts = %8 [t, d]",
        "",
    );
}

/// What a stream has, a scan alone, and steps that are neighbours in memory run kernel by kernel on the CPU.
#[cfg(feature = "syntax")]
#[test]
fn the_cpu_sweeps_what_is_folded() {
    use crate::schedule::{CostModel, schedule};
    let sweeps = |declaration: &str| {
        let graph = Graph::parse(&crate::stages(declaration.parse().unwrap()).unwrap().graph).unwrap();
        schedule(&graph, CostModel::CPU).sweeps.len()
    };
    assert_eq!(sweeps("fn f(x: Tensor![t, d]) -> Tensor![d] { sum(square(cumsum(x, t)), t) }"), 1);
    assert_eq!(
        sweeps("fn f(x: Tensor![t, d]) -> Tensor![t, d] { at(cumsum(x, t), t = t - 1, or = 0.0) * x }"),
        1
    );
    assert_eq!(sweeps("fn f(x: Tensor![t, d]) -> Tensor![t, d] { let e = exp(x); cumsum(e, t) / e }"), 0);
    assert_eq!(
        sweeps("fn f(x: Tensor![d, t]) -> Tensor![d, t] { at(cumsum(x, t), t = t - 1, or = 0.0) * x }"),
        0
    );
}
