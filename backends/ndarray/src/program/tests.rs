//! What programs are made of, and what those compute; all that real ops derive is tested against compiled
//! bodies and the composed run.

use super::buffer::Recycled;
use super::{CHUNK, Cell, Registers, Slot};
use crate::NdArray;
use crate::kernel::cpu::Cpu;
use crate::kernel::scheduled::Scheduled;
use std::sync::Arc;
use tensor_op_core::{Backend, DType, TensorData, Value, interpret};
use tensor_op_spec::ir::Graph;

/// A graph over `x` of dims `[m, n]`, with these lines and results.
fn graph(lines: &str) -> Graph {
    let text = format!(
        "op f\ndim m named\ndim n named\narg x: float[m, n], forward 0\n%0 = input x : float[m, n]\n{lines}"
    );
    Graph::parse(&text).unwrap()
}

fn scheduled(graph: &Graph) -> Scheduled {
    Scheduled::new(graph, &vec![true; graph.outputs.len()]).unwrap()
}

fn programs(lines: &str) -> Vec<Arc<Registers>> {
    scheduled(&graph(lines)).programs
}

/// Runs the programs on rows of more than two blocks. What they compute is exact.
fn agree_with_the_interpreter(lines: &str) {
    let (graph, columns) = (graph(lines), 2 * CHUNK + 5);
    let x: Vec<f64> = (0..3 * columns).map(|i| (i * 37 % 101) as f64 / 4.0 - 11.0).collect();
    let x = TensorData::new(x, [3, columns]).unwrap();
    let expected = interpret(&graph, &[Value::Tensor(x.clone())]).unwrap();
    let x = NdArray::from_data(x, &Default::default()).unwrap();
    let scheduled = scheduled(&graph);
    let kernels = &mut Cpu { bodies: &scheduled.bodies(), is_generated: true };
    let found = scheduled.run_with(vec![Value::Tensor(x)], kernels).unwrap();
    let numbers = |data: TensorData| data.cast(DType::F64).into_vec::<f64>().unwrap();
    for (found, expected) in found.into_iter().zip(expected) {
        let found = NdArray::into_data(found.unwrap()).unwrap();
        assert_eq!((found.shape(), found.dtype()), (expected.shape(), expected.dtype()), "{graph}");
        assert_eq!(numbers(found), numbers(expected), "{graph}");
    }
}

#[test]
fn ints_and_bools_have_registers_of_their_own() {
    let lines = "%1 = cast(%0) : int[m, n]\n%2 = mul(%1, %1) : int[m, n]\n%3 = lt(%1, %2) : bool[m, n]\n\
        %4 = not(%3) : bool[m, n]\n%5 = select(%4, %1, %2) : int[m, n]\n%6 = cast(%5) : float[m, n]\n\
        %7 = add(%6, %0) : float[m, n]\nout out = %7 [m, n]\n";
    let [program] = &programs(lines)[..] else { panic!("one pass") };
    assert!(program.registers.ints >= 2 && program.registers.bools >= 1, "{:?}", program.registers);
    agree_with_the_interpreter(lines);
}

#[test]
fn a_result_that_is_a_scalar_of_the_row_is_given() {
    let lines = "%1 = max(%0; n) : float[m]\n%2 = add(%1, %1) : float[m]\n%3 = sub(%0, %2) : float[m, n]\n\
        out out0 = %2 [m, n]\nout out1 = %3 [m, n]\n";
    assert!(programs(lines).iter().any(|program| !program.given.is_empty()), "{:?}", programs(lines));
    agree_with_the_interpreter(lines);
}

#[test]
fn a_later_step_reads_a_result() {
    let lines = "%1 = mul(%0, %0) : float[m, n]\n%2 = lt(%1, %0) : bool[m, n]\n%3 = select(%2, %0, %1) : float[m, n]\n\
        out out0 = %1 [m, n]\nout out1 = %2 [m, n]\nout out2 = %3 [m, n]\n";
    let [program] = &programs(lines)[..] else { panic!("one pass") };
    let is_result = |slot: &Slot| matches!(slot, Slot::Cell(Cell::Result(_)));
    let reads = |of: &dyn Fn(&super::Step) -> bool| program.each.iter().any(of);
    assert!(reads(&|step| step.args.floats.iter().any(is_result)), "{program:?}");
    assert!(reads(&|step| step.args.bools.iter().any(is_result)), "{program:?}");
    agree_with_the_interpreter(lines);
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
            let read = |slots: &[Slot]| slots.contains(&Slot::Cell(step.to));
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
    let lines = "%1 = abs(%0) : float[m, n]\n%2 = sum(%1; n) : float[m]\n%3 = div(%1, %2) : float[m, n]\n\
        out out = %3 [m, n]\n";
    let [sums, quotients] = &programs(lines)[..] else { panic!("two passes") };
    assert_eq!(sums.each.last().map(|step| step.to), Some(Cell::Result(0)));
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
