//! Which kernels run as sweeps, and what their passes compute.

use crate::schedule::schedule_for_gpu;
use crate::ir::Graph;

/// Checks the sweeps in the readable form of a schedule.
#[track_caller]
fn check(graph: &str, expected: &str) {
    let graph = Graph::parse(graph).expect("a graph");
    let explained = schedule_for_gpu(&graph).explain(&graph);
    let found = explained.find("sweep of").map_or("", |at| &explained[at..]);
    assert_eq!(found.trim(), expected.trim(), "\n{explained}");
}

/// The state has the dim `s`, and the result has not.
const STATES: &str = "op states
dim t named
dim d named
dim s named
arg u: float[t, d], forward 0
arg a: float[d, s], forward 1
arg c: float[t, s], forward 2
%0 = input u : float[t, d]
%1 = input a : float[d, s]
%2 = input c : float[t, s]
%3 = mul(%0, %1) : float[t, d, s]
%4 = exp(%3) : float[t, d, s]
%5 = linear_recurrence(%4, %0; t) : float[t, d, s]
%6 = mul(%5, %2) : float[t, d, s]
%7 = sum(%6; s) : float[t, d]
%8 = add(%7, %0) : float[t, d]
out out = %8 [t, d]
";

#[test]
fn a_state_that_is_summed_is_not_stored() {
    check(STATES, "");
}
