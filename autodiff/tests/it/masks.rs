//! What a tracked call computes and writes, for each choice of tracked inputs: hidden results that no tracked
//! input needs are never computed, gradients that nobody wants neither.

use crate::metered::{Metered, read};
use std::sync::Arc;
use tensor_op_autodiff::{Autodiff, AutodiffTensor};
use tensor_op_core::{Backend, Op, Spec, TensorData, Value};
use tensor_op_spec::ir::{ArgType, Scalar};

type Diff = Autodiff<Metered>;

/// A declaration as the macro makes it, without kernels.
#[derive(Clone)]
struct Declared {
    spec: &'static Spec,
    backward: Option<&'static Spec>,
}

impl Op for Declared {
    fn spec(&self) -> &Spec {
        self.spec
    }
    fn backward(&self) -> Option<Arc<dyn Op>> {
        Some(Arc::new(Declared { spec: self.backward?, backward: None }))
    }
}

fn declared(text: &str) -> Declared {
    let stages = tensor_op_spec::stages(text.parse().unwrap()).unwrap();
    let spec = |text: String| -> &'static Spec { Box::leak(Box::new(Spec::new(text.leak(), None))) };
    Declared { spec: spec(stages.graph), backward: stages.gradient.map(spec) }
}

const SILU_MUL: &str = "fn silu_mul(x: Tensor, gate: Tensor) -> Tensor { x * gate * sigmoid(gate) }";
const LAYER_NORM: &str =
    "fn layer_norm(x: Tensor![.., n], gamma: Tensor![n], beta: Tensor![n], eps: f64) -> Tensor![.., n] {
    let centered = x - mean(x, n);
    centered * rsqrt(mean(centered * centered, n) + eps) * gamma + beta
}";
const MATMUL_ADD_RELU: &str =
    "fn matmul_add_relu(lhs: Tensor![m, k], rhs: Tensor![k, n], bias: Tensor![n]) -> Tensor![m, n] {
    relu(sum(lhs * rhs, k) + bias)
}";

/// Results that are computed and bytes of f64 that are written, forward and backward, as `"10"` and 48.
fn computed(text: &str, shapes: &[&[usize]], tracked: &str) -> [(String, usize); 2] {
    let op = declared(text);
    let mut tensors = shapes.iter().zip(tracked.chars()).map(|(shape, tracked)| {
        let numbers: Vec<f64> = (0..shape.iter().product()).map(|i: usize| i as f64 / 4.0 - 1.0).collect();
        let tensor = Diff::from_data(TensorData::new(numbers, *shape).unwrap(), &Default::default()).unwrap();
        if tracked == '1' { tensor.require_grad() } else { tensor }
    });
    let args = op.spec.graph().args.iter().map(|arg| match arg.ty {
        ArgType::Tensor { .. } => Value::Tensor(tensors.next().unwrap()),
        ArgType::Scalar { .. } | ArgType::Shape { .. } | ArgType::Axis { .. } => {
            Value::Scalar(Scalar::Float(0.1))
        }
    });
    let args: Vec<_> = args.collect();
    let inputs: Vec<AutodiffTensor<Metered>> = args.iter().filter_map(Value::tensor).cloned().collect();
    let _ = read();
    let results = Diff::run(&op, args, &op.spec.graph().visible()).unwrap();
    let gradients = results[0].as_ref().unwrap().backward().unwrap();
    for (input, tracked) in inputs.iter().zip(tracked.chars()) {
        assert_eq!(gradients.get(input).is_some(), tracked == '1');
    }
    let asked = read().asked.into_iter().map(|(_, wanted, bytes)| {
        (wanted.iter().map(|wanted| if *wanted { '1' } else { '0' }).collect::<String>(), bytes)
    });
    asked.collect::<Vec<_>>().try_into().expect("one call forward, one backward")
}

macro_rules! cases {
    ($($name:ident: $op:ident, $shapes:expr, $tracked:literal => $forward:expr, $backward:expr;)*) => {$(
        #[test]
        fn $name() {
            let [forward, backward] = [$forward, $backward].map(|(wanted, bytes): (&str, usize)| (wanted.to_string(), bytes));
            assert_eq!(computed($op, &$shapes, $tracked), [forward, backward]);
        }
    )*};
}

cases! {
    silu_mul_both: SILU_MUL, [&[2, 3], &[2, 3]], "11" => ("1", 48), ("11", 96);
    silu_mul_x: SILU_MUL, [&[2, 3], &[2, 3]], "10" => ("1", 48), ("10", 48);
    silu_mul_gate: SILU_MUL, [&[2, 3], &[2, 3]], "01" => ("1", 48), ("01", 48);
    layer_norm_all: LAYER_NORM, [&[2, 3], &[3], &[3]], "111" => ("111", 80), ("111", 96);
    layer_norm_x: LAYER_NORM, [&[2, 3], &[3], &[3]], "100" => ("111", 80), ("100", 48);
    layer_norm_gamma: LAYER_NORM, [&[2, 3], &[3], &[3]], "010" => ("111", 80), ("010", 24);
    layer_norm_beta: LAYER_NORM, [&[2, 3], &[3], &[3]], "001" => ("100", 48), ("001", 24);
    layer_norm_gamma_beta: LAYER_NORM, [&[2, 3], &[3], &[3]], "011" => ("111", 80), ("011", 48);
    layer_norm_x_beta: LAYER_NORM, [&[2, 3], &[3], &[3]], "101" => ("111", 80), ("101", 72);
    matmul_add_relu_all: MATMUL_ADD_RELU, [&[2, 4], &[4, 3], &[3]], "111" => ("1", 48), ("111", 184);
    matmul_add_relu_lhs: MATMUL_ADD_RELU, [&[2, 4], &[4, 3], &[3]], "100" => ("1", 48), ("100", 64);
    matmul_add_relu_rhs: MATMUL_ADD_RELU, [&[2, 4], &[4, 3], &[3]], "010" => ("1", 48), ("010", 96);
    matmul_add_relu_bias: MATMUL_ADD_RELU, [&[2, 4], &[4, 3], &[3]], "001" => ("1", 48), ("001", 24);
}
