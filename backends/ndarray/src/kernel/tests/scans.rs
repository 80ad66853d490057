//! Scans of long rows that are cut into pieces: results, and their bits on any number of threads.

use super::{Memory, bits, compare, floats, run_programs, with_threads};
use tensor_op_core::{DType, Value, interpret};
use tensor_op_spec::ir::Graph;

/// A few neighbouring pieces are one task. They cross the ends of rows if rows have no multiple of so many
/// pieces.
#[test]
fn long_rows() {
    let declarations = [
        "fn f(x: Tensor![r, n], a: Tensor![r, n]) -> Tensor![r, n] { cumsum(x - 0.5, n) * a }",
        "fn f(x: Tensor![r, n], a: Tensor![r, n]) -> Tensor![r, n] { cumsum(x * a, n, reverse = true) }",
        "fn f(x: Tensor![r, n], a: Tensor![r, n]) -> Tensor![r, n] { cummax(x * a, n) }",
        "fn f(x: Tensor![r, n], a: Tensor![r, n]) -> Tensor![r, n] \
            { linear_recurrence(0.9 + 0.1 * tanh(a), x, n) }",
        "fn f(x: Tensor![r, n], a: Tensor![r, n]) -> Tensor![r, n] \
            { linear_recurrence(tanh(a), x, n, reverse = true) }",
    ];
    for declaration in declarations {
        let stages = tensor_op_spec::stages(declaration.parse().unwrap()).unwrap();
        let graph = Graph::parse(&stages.graph).unwrap();
        for shape in [[1, 16_384], [3, 40_000], [2, 70_001], [31, 17_000]] {
            let args = [floats(&shape, 1), floats(&shape, 2)];
            let run = |threads: usize, dtype: DType, memory: Memory| {
                let args = args.clone().map(|arg| arg.cast(dtype));
                with_threads(threads, || run_programs(&graph, &args, |_| memory).remove(0))
            };
            let expected = interpret(&graph, &args.clone().map(Value::Tensor)).unwrap();
            for memory in [Memory::Plain, Memory::Transposed] {
                let case = format!("{declaration}: {shape:?} {memory:?}");
                compare(&run(2, DType::F64, memory), &expected[0], DType::F64, &case);
            }
            let first = bits(&run(1, DType::F32, Memory::Plain));
            for threads in [2, 3, 8] {
                let case = format!("{declaration}: {shape:?} on {threads} threads");
                assert!(bits(&run(threads, DType::F32, Memory::Plain)) == first, "{case}");
            }
        }
    }
}
