//! Level 2: a convolution, and what follows it.

use super::{Problem, kept};
use tensor_op::catalogue::adaptive::{adaptive_avg_pool2d, adaptive_avg_pool3d};
use tensor_op::prelude::*;

#[tensor_op(tests = false)]
fn many_activations(x: Tensor, bias: Tensor) -> Tensor {
    let y = relu(x);
    sigmoid(gelu(select(y > 0.0, y, 0.01 * y))) + bias
}

#[tensor_op(tests = false)]
fn sigmoid_of_scaled(x: Tensor, bias: Tensor, scale: Tensor) -> Tensor {
    sigmoid((x + bias) * scale)
}

#[tensor_op(tests = false)]
fn bounded_plus(x: Tensor, bound: f64, bias: Tensor, factor: f64) -> Tensor {
    (minimum(x, bound) + bias) * factor
}

#[tensor_op(tests = false)]
fn tanh_of_difference(x: Tensor, before: f64, behind: f64) -> Tensor {
    tanh(x - before) - behind
}

#[tensor_op(tests = false)]
fn sigmoid_of_tanh(x: Tensor, scale: Tensor, bias: Tensor) -> Tensor {
    sigmoid(tanh(x * scale) * bias)
}

#[tensor_op(tests = false)]
fn gelu_of_leaky(x: Tensor, multiplier: Tensor, slope: f64) -> Tensor {
    let y = x * multiplier;
    gelu(select(y > 0.0, y, slope * y))
}

#[tensor_op(tests = false)]
fn hardswish_of_relu(x: Tensor) -> Tensor {
    let y = relu(x);
    y * clamp((y + 3.0) / 6.0, 0.0, 1.0)
}

#[tensor_op(tests = false)]
fn bounded_times(x: Tensor, min: f64, max: f64, multiplier: Tensor) -> Tensor {
    clamp(x, min, max) * multiplier
}

#[tensor_op(tests = false)]
fn scaled_tanh(x: Tensor, factor: f64, bias: Tensor) -> Tensor {
    tanh(x) * factor + bias
}

#[tensor_op(tests = false)]
fn between(x: Tensor, min: f64, max: f64) -> Tensor {
    clamp(minimum(x, min), min, max)
}

#[tensor_op(tests = false)]
fn mish_of_difference(x: Tensor, first: f64, second: f64) -> Tensor {
    mish(x - first - second)
}

#[tensor_op(tests = false)]
fn gelu_of_bounded(x: Tensor, more: Tensor) -> Tensor {
    gelu(clamp(select(x > 0.0, x, 0.2 * x) + more, -1.0, 1.0))
}

#[tensor_op(tests = false)]
fn total_with_residual(x: Tensor![b, c, ..], normed: Tensor![b, c, ..]) -> Tensor![b, ..] {
    let y = tanh(normed);
    logsumexp(x + y * clamp(y + 3.0, 0.0, 6.0) / 6.0, c)
}

pub(super) const PROBLEMS: &[Problem] = &[
    ("2/001 Conv2D_ReLU_BiasAdd", |m| m.conv("conv", m.x())?.relu()? + m.weight("bias")),
    ("2/004 Conv2d_Mish_Mish", |m| m.conv("conv", m.x())?.mish()?.mish()),
    ("2/006 Conv3d_Softmax_MaxPool_MaxPool", |m| {
        m.max_pool("pool2", &m.max_pool("pool1", &m.conv("conv", m.x())?.softmax(1)?)?)
    }),
    ("2/007 Conv3d_ReLU_LeakyReLU_GELU_Sigmoid_BiasAdd", |m| {
        many_activations(m.conv("conv", m.x()), m.weight("bias"))
    }),
    ("2/008 Conv3d_Divide_Max_GlobalAvgPool_BiasAdd_Sum", |m| {
        let y = m.max_pool("max_pool", &(m.conv("conv", m.x())? / m.number("divisor"))?);
        (adaptive_avg_pool3d(y, 1)? + m.weight("bias"))?.sum(m.int("sum_dim"))
    }),
    ("2/017 Conv2d_InstanceNorm_Divide", |m| {
        m.instance_norm("instance_norm", &m.conv("conv", m.x())?)? / m.number("divide_by")
    }),
    ("2/021 Conv2d_Add_Scale_Sigmoid_GroupNorm", |m| {
        let y = sigmoid_of_scaled(m.conv("conv", m.x()), m.weight("bias"), m.weight("scale"))?;
        m.group_norm("group_norm", &y)
    }),
    ("2/023 Conv3d_GroupNorm_Mean", |m| {
        m.group_norm("group_norm", &m.conv("conv", m.x())?)?.mean([1, 2, 3, 4])
    }),
    ("2/024 Conv3d_Min_Softmax", |m| m.conv("conv", m.x())?.amin(m.int("dim"))?.softmax(1)),
    ("2/025 Conv2d_Min_Tanh_Tanh", |m| kept(m.conv("conv", m.x())?.amin(1), [1])?.tanh()?.tanh()),
    ("2/027 Conv3d_HardSwish_GroupNorm_Mean", |m| {
        m.group_norm("group_norm", &m.conv("conv", m.x())?.hardswish()?)?.mean([2, 3, 4])
    }),
    ("2/031 Conv2d_Min_Add_Multiply", |m| {
        let (bound, factor) = (m.number("constant_value"), m.number("scaling_factor"));
        bounded_plus(m.conv("conv", m.x()), bound, m.weight("bias"), factor)
    }),
    ("2/032 Conv2d_Scaling_Min", |m| kept((m.conv("conv", m.x())? * m.number("scale_factor"))?.amin(1), [1])),
    ("2/035 Conv2d_Subtract_HardSwish_MaxPool_Mish", |m| {
        let y = (m.conv("conv", m.x())? - m.number("subtract_value"))?.hardswish()?;
        m.max_pool("pool", &y)?.mish()
    }),
    ("2/043 Conv3d_Max_LogSumExp_ReLU", |m| {
        kept(m.max_pool("max_pool", &m.conv("conv", m.x())?)?.logsumexp(1), [1])?.relu()
    }),
    ("2/046 Conv2d_Subtract_Tanh_Subtract_AvgPool", |m| {
        let [before, behind] = ["subtract1_value", "subtract2_value"].map(|name| m.number(name));
        m.avg_pool("avgpool", &tanh_of_difference(m.conv("conv", m.x()), before, behind)?)
    }),
    ("2/047 Conv3d_Mish_Tanh", |m| m.conv("conv", m.x())?.mish()?.tanh()),
    ("2/048 Conv3d_Scaling_Tanh_Multiply_Sigmoid", |m| {
        sigmoid_of_tanh(m.conv("conv", m.x()), m.weight("scaling_factor"), m.weight("bias"))
    }),
    ("2/052 Conv2d_Activation_BatchNorm", |m| m.batch_norm("bn", &m.conv("conv", m.x())?.mish()?)),
    ("2/054 Conv2d_Multiply_LeakyReLU_GELU", |m| {
        gelu_of_leaky(m.conv("conv", m.x()), m.weight("multiplier"), 0.01)
    }),
    ("2/057 Conv2d_ReLU_HardSwish", |m| hardswish_of_relu(m.conv("conv", m.x()))),
    ("2/065 Conv2d_AvgPool_Sigmoid_Sum", |m| {
        m.avg_pool("avg_pool", &m.conv("conv", m.x())?)?.sigmoid()?.sum([1, 2, 3])
    }),
    ("2/067 Conv2d_GELU_GlobalAvgPool", |m| {
        adaptive_avg_pool2d(m.conv("conv", m.x())?.gelu(), 1)?.squeeze(-1)?.squeeze(-1)
    }),
    ("2/069 Conv2d_HardSwish_ReLU", |m| m.conv("conv", m.x())?.hardswish()?.relu()),
    ("2/071 Conv2d_Divide_LeakyReLU", |m| (m.conv("conv", m.x())? / m.number("divisor"))?.leaky_relu(0.01)),
    ("2/073 Conv2d_BatchNorm_Scaling", |m| {
        m.batch_norm("bn", &m.conv("conv", m.x())?)? * m.number("scaling_factor")
    }),
    ("2/079 Conv3d_Multiply_InstanceNorm_Clamp_Multiply_Max", |m| {
        let multiplier = m.weight("multiplier");
        let y = m.instance_norm("instance_norm", &(m.conv("conv", m.x())? * &multiplier)?);
        bounded_times(y, m.number("clamp_min"), m.number("clamp_max"), multiplier)?.amax(1)
    }),
    ("2/082 Conv2d_Tanh_Scaling_BiasAdd_Max", |m| {
        let y = scaled_tanh(m.conv("conv", m.x()), m.number("scaling_factor"), m.weight("bias"))?;
        m.max_pool("max_pool", &y)
    }),
    ("2/083 Conv3d_GroupNorm_Min_Clamp_Dropout", |m| {
        let y = m.group_norm("norm", &m.conv("conv", m.x())?);
        between(y, m.number("min_value"), m.number("max_value"))?.dropout(m.number("dropout_p"), None)
    }),
    ("2/085 Conv2d_GroupNorm_Scale_MaxPool_Clamp", |m| {
        let y = (m.group_norm("group_norm", &m.conv("conv", m.x())?)? * m.weight("scale"))?;
        m.max_pool("maxpool", &y)?.clamp(m.number("clamp_min"), m.number("clamp_max"))
    }),
    ("2/087 Conv2d_Subtract_Subtract_Mish", |m| {
        let [first, second] = ["subtract_value_1", "subtract_value_2"].map(|name| m.number(name));
        mish_of_difference(m.conv("conv", m.x()), first, second)
    }),
    ("2/090 Conv3d_LeakyReLU_Sum_Clamp_GELU", |m| {
        gelu_of_bounded(m.conv("conv", m.x()), m.weight("sum_tensor"))
    }),
    ("2/092 Conv2d_GroupNorm_Tanh_HardSwish_ResidualAdd_LogSumExp", |m| {
        let y = m.conv("conv", m.x())?;
        kept(total_with_residual(&y, m.group_norm("group_norm", &y)), [1])
    }),
];
