//! What programs are made of; what they compute is tested against compiled bodies and the composed run.

use super::{Place, Program, Recycled, Slot};
use crate::kernel::scheduled::Scheduled;
use tensor_op_spec::ir::Graph;

/// The programs of a graph over `x` of dims `[m, n]`, with these lines and results.
fn programs(lines: &str) -> Vec<Program> {
    let text = format!(
        "op f\ndim m named\ndim n named\narg x: float[m, n], forward 0\n%0 = input x : float[m, n]\n{lines}"
    );
    let graph = Graph::parse(&text).unwrap();
    Scheduled::new(&graph, &vec![true; graph.outputs.len()]).unwrap().programs
}

#[test]
fn registers_are_used_again_once_nobody_reads_them() {
    let chain: String = (1..9).map(|i| format!("%{i} = exp(%{}) : float[m, n]\n", i - 1)).collect();
    let [program] = &programs(&format!("{chain}out out = %8 [m, n]\n"))[..] else { panic!("one pass") };
    assert_eq!((program.each.len(), program.registers.floats), (8, 2));
}

#[test]
fn no_step_reads_the_place_that_it_writes() {
    let lines = "%1 = exp(%0) : float[m, n]\n%2 = mul(%1, %1) : float[m, n]\n%3 = add(%2, %1) : float[m, n]\n\
        %4 = sub(%3, %2) : float[m, n]\n%5 = lt(%4, %1) : bool[m, n]\n%6 = select(%5, %4, %3) : float[m, n]\n\
        out out0 = %6 [m, n]\nout out1 = %3 [m, n]\nout out2 = %5 [m, n]\n";
    for program in programs(lines) {
        for step in &program.each {
            let read = |slots: &[Slot]| slots.contains(&Slot::Place(step.to));
            let of_kind = match step.kind {
                tensor_op_spec::ir::Kind::Float => read(&step.args.floats),
                tensor_op_spec::ir::Kind::Int => read(&step.args.ints),
                tensor_op_spec::ir::Kind::Bool => read(&step.args.bools),
            };
            assert!(!of_kind, "{step:?}");
        }
    }
}

#[test]
fn a_result_is_computed_where_it_belongs_and_copied_for_another() {
    let lines = "%1 = exp(%0) : float[m, n]\n%2 = sum(%1; n) : float[m]\n%3 = div(%1, %2) : float[m, n]\n\
        out out = %3 [m, n]\n";
    let [sums, quotients] = &programs(lines)[..] else { panic!("two passes") };
    assert_eq!(sums.each.last().map(|step| step.to), Some(Place::Result(0)));
    assert_eq!(quotients.registers.floats, 1, "the sum is a scalar of the row, and no register");
    assert!(quotients.spread.floats.is_empty(), "a division by a scalar takes it as one");
}

#[test]
fn what_does_not_vary_along_the_row_is_computed_once() {
    let lines = "%1 = sum(%0; n) : float[m]\n%2 = exp(%1) : float[m]\n%3 = pow(%0, %2) : float[m, n]\n\
        out out = %3 [m, n]\n";
    let [_, powers] = &programs(lines)[..] else { panic!("two passes") };
    assert_eq!((powers.once.len(), powers.each.len(), powers.spread.floats.len()), (1, 1, 1));
}

#[test]
fn scalars_are_the_same_by_their_bits() {
    assert!(!0.0_f32.is_same(-0.0) && f64::NAN.is_same(f64::NAN) && 2_i64.is_same(2) && !true.is_same(false));
}
