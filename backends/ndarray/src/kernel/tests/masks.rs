//! What is run if only some results of an op are wanted: kernels, passes and statistics that only the other
//! results need are left out.

use crate::kernel::scheduled::Scheduled;
use tensor_op_core::Spec;
use tensor_op_spec::ir::Graph;
use tensor_op_spec::schedule::Target;

const SILU_MUL: &str = "fn silu_mul(x: Tensor, gate: Tensor) -> Tensor { x * gate * sigmoid(gate) }";
const LAYER_NORM: &str = include_str!("../../../../../ops-spec/tests/ops/layer_norm.rs");
const MATMUL_ADD_RELU: &str = include_str!("../../../../../ops-spec/tests/ops/matmul_add_relu.rs");

/// For the backward op of a declaration, with gradients of these inputs: the numbers of kernels, passes,
/// folds along rows and stored values, and whether a program is chosen instead of the compiled bodies.
fn runs(declaration: &str, wanted: &[bool]) -> (usize, usize, usize, usize, bool) {
    let stages = tensor_op_spec::stages(declaration.parse().unwrap()).unwrap();
    let text: &'static str = stages.gradient.unwrap().leak();
    let Scheduled { schedule, .. } = Scheduled::new(&Graph::parse(text).unwrap(), wanted).unwrap();
    let folds = schedule.passes().flat_map(|pass| &pass.targets);
    let folds = folds.filter(|target| matches!(target, Target::Fold { .. }));
    let is_program = Scheduled::beats_compiled(&Spec::new(text, None), wanted).unwrap();
    (schedule.kernels.len(), schedule.passes().count(), folds.count(), schedule.buffers.len(), is_program)
}

macro_rules! cases {
    ($($name:ident: $declaration:ident, $wanted:expr => $runs:expr;)*) => {$(
        #[test]
        fn $name() {
            assert_eq!(runs($declaration, &$wanted.map(|wanted| wanted == 1)), $runs);
        }
    )*};
}

cases! {
    silu_mul_all: SILU_MUL, [1, 1] => (1, 1, 0, 2, false);
    silu_mul_x: SILU_MUL, [1, 0] => (1, 1, 0, 1, true);
    silu_mul_gate: SILU_MUL, [0, 1] => (1, 1, 0, 1, false);
    layer_norm_all: LAYER_NORM, [1, 1, 1] => (1, 2, 2, 3, false);
    layer_norm_x: LAYER_NORM, [1, 0, 0] => (1, 2, 2, 1, false);
    layer_norm_gamma: LAYER_NORM, [0, 1, 0] => (1, 1, 0, 1, true);
    layer_norm_beta: LAYER_NORM, [0, 0, 1] => (1, 1, 0, 1, true);
    layer_norm_gamma_beta: LAYER_NORM, [0, 1, 1] => (1, 1, 0, 2, true);
    layer_norm_x_beta: LAYER_NORM, [1, 0, 1] => (1, 2, 2, 2, false);
    layer_norm_x_gamma: LAYER_NORM, [1, 1, 0] => (1, 2, 2, 2, false);
    matmul_add_relu_all: MATMUL_ADD_RELU, [1, 1, 1] => (3, 1, 0, 4, false);
    matmul_add_relu_lhs: MATMUL_ADD_RELU, [1, 0, 0] => (2, 1, 0, 2, false);
    matmul_add_relu_rhs: MATMUL_ADD_RELU, [0, 1, 0] => (2, 1, 0, 2, false);
    matmul_add_relu_bias: MATMUL_ADD_RELU, [0, 0, 1] => (1, 1, 0, 1, false);
}
