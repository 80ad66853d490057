//! Activations of neural networks.

use super::Entry;
use crate::call::{Call, Outcome};
use tensor_op::catalogue::{activation, movement};

super::known! {
    "nn.functional.celu" activation::celu(x: Tensor, alpha: f64 = 1.0)
    "nn.functional.elu" activation::elu(x: Tensor, alpha: f64 = 1.0)
    "nn.functional.hardshrink" activation::hardshrink(x: Tensor, lambd: f64 = 0.5)
    "nn.functional.hardswish" activation::hardswish(x: Tensor)
    "nn.functional.hardtanh" activation::hardtanh(x: Tensor, min_val: f64 = -1.0, max_val: f64 = 1.0)
    "nn.functional.leaky_relu" activation::leaky_relu(x: Tensor, negative_slope: f64 = 0.01)
    "nn.functional.logsigmoid" activation::logsigmoid(x: Tensor)
    "nn.functional.mish" activation::mish(x: Tensor)
    "nn.functional.relu" activation::relu(x: Tensor)
    "nn.functional.relu6" activation::relu6(x: Tensor)
    "nn.functional.selu" activation::selu(x: Tensor)
    "nn.functional.silu" activation::silu(x: Tensor)
    "nn.functional.softplus" activation::softplus(x: Tensor, beta: f64 = 1.0, threshold: f64 = 20.0)
    "nn.functional.softshrink" activation::softshrink(x: Tensor, lambd: f64 = 0.5)
    "nn.functional.softsign" activation::softsign(x: Tensor)
    "nn.functional.tanhshrink" activation::tanhshrink(x: Tensor)
    "nn.functional.threshold" activation::threshold(x: Tensor, threshold: f64, value: f64)
}

fn gelu(call: &Call) -> Outcome {
    let (x, exact) = (call.x()?, call.text(1, "approximate", "none")? == "none");
    Ok(vec![if exact { activation::gelu(x)? } else { activation::gelu_tanh(x)? }])
}

/// A single slope is that of all channels. A tensor without channels has one.
fn prelu(call: &Call) -> Outcome {
    let (x, weight) = (call.x()?, call.float(1, "weight")?);
    let shape = x.shape();
    let channels = if shape.rank() < 2 { x.reshape([x.elements(), 1])? } else { x };
    let weight = weight.broadcast_to([channels.shape()[1]])?;
    Ok(vec![activation::prelu(channels, weight)?.reshape(shape)?])
}

pub(super) fn table() -> Vec<Entry> {
    let mut table = known();
    table.extend([
        Entry::new("nn.functional.gelu", gelu),
        Entry::new("nn.functional.glu", |call| Ok(vec![movement::glu(call.x()?, call.int(1, "dim")?)?])),
        Entry::new("nn.functional.hardsigmoid", |call| Ok(vec![activation::hardsigmoid(call.x()?)?]))
            .within(1e-7, "PyTorch's gradient has 1/6 as an f32"),
        Entry::new("nn.functional.prelu", prelu),
    ]);
    table
}
