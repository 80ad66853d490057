//! Activations of neural networks.

use super::Entry;
use crate::call::{Call, Outcome};
use crate::windows::on_last;
use tensor_op::catalogue::movement;
use tensor_op::prelude::*;

super::ops! {
    "nn.functional.celu" fn celu(x: Tensor, #[default(1.0)] alpha: f64) -> Tensor {
        select(x > 0.0, x, alpha * expm1(minimum(x, 0.0) / alpha))
    }
    "nn.functional.elu" fn elu(x: Tensor, #[default(1.0)] alpha: f64) -> Tensor {
        select(x > 0.0, x, alpha * expm1(minimum(x, 0.0)))
    }
    "nn.functional.hardshrink" fn hardshrink(x: Tensor, #[default(0.5)] lambd: f64) -> Tensor {
        select(abs(x) <= lambd, 0.0, x)
    }
    "nn.functional.hardswish" fn hardswish(x: Tensor) -> Tensor { x * clamp(x + 3.0, 0.0, 6.0) / 6.0 }
    "nn.functional.hardtanh" fn hardtanh(x: Tensor, #[default(-1.0)] min_val: f64, #[default(1.0)] max_val: f64) -> Tensor {
        clamp(x, min_val, max_val)
    }
    "nn.functional.leaky_relu" fn leaky_relu(x: Tensor, #[default(0.01)] negative_slope: f64) -> Tensor {
        select(x > 0.0, x, negative_slope * x)
    }
    "nn.functional.logsigmoid" fn logsigmoid(x: Tensor) -> Tensor { -softplus(-x) }
    "nn.functional.mish" fn mish(x: Tensor) -> Tensor { mish(x) }
    "nn.functional.relu" fn relu(x: Tensor) -> Tensor { relu(x) }
    "nn.functional.relu6" fn relu6(x: Tensor) -> Tensor { clamp(x, 0.0, 6.0) }
    "nn.functional.selu" fn selu(x: Tensor) -> Tensor {
        1.0507009873554805 * select(x > 0.0, x, 1.6732632423543772 * expm1(minimum(x, 0.0)))
    }
    "nn.functional.silu" fn silu(x: Tensor) -> Tensor { silu(x) }
    "nn.functional.softplus" fn softplus(x: Tensor, #[default(1.0)] beta: f64, #[default(20.0)] threshold: f64) -> Tensor {
        select(x * beta > threshold, x, softplus(x * beta) / beta)
    }
    "nn.functional.softshrink" fn softshrink(x: Tensor, #[default(0.5)] lambd: f64) -> Tensor {
        select(x > lambd, x - lambd, select(x < -lambd, x + lambd, x * 0.0))
    }
    "nn.functional.softsign" fn softsign(x: Tensor) -> Tensor { x / (1.0 + abs(x)) }
    "nn.functional.tanhshrink" fn tanhshrink(x: Tensor) -> Tensor { x - tanh(x) }
    "nn.functional.threshold" fn threshold(x: Tensor, threshold: f64, value: f64) -> Tensor {
        select(x <= threshold, value, x)
    }
}

#[tensor_op(tests = false)]
fn hardsigmoid(x: Tensor) -> Tensor {
    clamp(x + 3.0, 0.0, 6.0) / 6.0
}

#[tensor_op(tests = false)]
fn gelu_erf(x: Tensor) -> Tensor {
    gelu(x)
}

#[tensor_op(tests = false)]
fn gelu_by_tanh(x: Tensor) -> Tensor {
    gelu_tanh(x)
}

#[tensor_op(tests = false)]
fn leaky(x: Tensor, weight: Tensor) -> Tensor {
    select(x > 0.0, x, weight * x)
}

fn gelu(call: &Call) -> Outcome {
    let exact = call.text(1, "approximate", "none")? == "none";
    Ok(vec![if exact { gelu_erf(call.x()?)? } else { gelu_by_tanh(call.x()?)? }])
}

/// Each channel has its own slope. Channels are axis 1.
fn prelu(call: &Call) -> Outcome {
    let (x, weight) = (call.x()?, call.float(1, "weight")?);
    let mut shape = vec![1_i64; x.rank().max(1)];
    *shape.get_mut(1).unwrap_or(&mut 0) = -1;
    let weight = if weight.elements() == 1 { weight.reshape([0_i64; 0])? } else { weight.reshape(shape)? };
    Ok(vec![leaky(x, weight)?])
}

pub(super) fn table() -> Vec<Entry> {
    let mut table = declared();
    table.extend([
        Entry::new("nn.functional.gelu", gelu),
        Entry::new("nn.functional.glu", |call| {
            let axis = call.int(1, "dim")?.unwrap_or(-1);
            Ok(vec![on_last(&call.x()?, axis, movement::glu)?])
        }),
        Entry::new("nn.functional.hardsigmoid", |call| Ok(vec![hardsigmoid(call.x()?)?]))
            .within(1e-7, "PyTorch's gradient has 1/6 as an f32"),
        Entry::new("nn.functional.prelu", prelu),
    ]);
    table
}
