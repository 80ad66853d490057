//! Windows: runs of a few elements, at steps and with divisors, inside and outside of their source.

use super::{Memory, compare, floats, run_programs};
use tensor_op_core::{DType, Value, interpret};
use tensor_op_spec::ir::Graph;

#[test]
fn results_are_those_of_the_interpreter() {
    let declarations = [
        "fn f(x: Tensor![c, h, w]) -> (Tensor![c, p = (h - 1) / 2 + 1, q = (w - 1) / 2 + 1], IntTensor![c, p, q]) \
            { let y = at(x, h = p * 2 + iota(a = 3) - 1, w = q * 2 + iota(b = 3) - 1, or = -1.5); \
              (max(y, (a, b)), argmax(stop_grad(y), (a, b))) }",
        "fn f(x: Tensor![c, h, w]) -> Tensor![c, p = h - 2, q = (w - 2) / 3 + 1] \
            { mean(at(x, h = p + iota(a = 3), w = q * 3 + iota(b = 2)), (a, b)) }",
        "fn f(x: Tensor![c, h, w]) -> (Tensor![c, h, w], Tensor![c, h, w]) \
            { let y = at(x, h = h + iota(a = 3) - 1, w = w + 1 - iota(b = 3), or = 0.0); \
              (sum(y * cast(iota(b), float), (a, b)), x - max(y, (a, b))) }",
        "fn f(x: Tensor![c, h, w]) -> Tensor![c, p = 2 * h, q = 3 * w] \
            { sum(at(x, h = div_exact(p + 1 - iota(a = 3), 2), w = div_exact(q - iota(b = 5), 3), or = 0.0), \
              (a, b)) }",
        // Each second place is asked for twice.
        "fn f(x: Tensor![c, h, w]) -> Tensor![c, h, q = 2 * w] \
            { at(x, h = div_exact(q, 2), w = div_exact(q, 2), or = 0.5) + max(x, w) }",
    ];
    for declaration in declarations {
        let stages = tensor_op_spec::stages(declaration.parse().unwrap()).unwrap();
        let graph = Graph::parse(&stages.graph).unwrap();
        for [h, w] in [[9, 40], [33, 35], [3, 131]] {
            for dtype in [DType::F64, DType::F32, DType::BF16] {
                let args = [floats(&[2, h, w], w).cast(dtype)];
                let expected = interpret(&graph, &args.clone().map(Value::Tensor)).unwrap();
                for memory in [Memory::Plain, Memory::Transposed] {
                    let found = run_programs(&graph, &args, |_| memory);
                    for (found, expected) in found.iter().zip(&expected) {
                        compare(found, expected, dtype, &format!("{declaration}: {h} x {w} {dtype}"));
                    }
                }
            }
        }
    }
}
