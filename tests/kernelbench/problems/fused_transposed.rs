//! Level 2: a transposed convolution, and what follows it.

use super::{Problem, kept};
use tensor_op::catalogue::adaptive::adaptive_avg_pool3d;
use tensor_op::prelude::*;

#[tensor_op(tests = false)]
fn bounded_twice(x: Tensor, bias: Tensor, factor: f64) -> Tensor {
    clamp(clamp(x + bias, 0.0, 1.0) * factor, 0.0, 1.0) / factor
}

#[tensor_op(tests = false)]
fn tanh_of_difference(x: Tensor, bias: Tensor) -> Tensor {
    tanh(x - bias)
}

#[tensor_op(tests = false)]
fn scaled_tanh_of_softmax(x: Tensor![b, c, ..], factor: f64) -> Tensor![b, c, ..] {
    tanh(softmax(x, c)) * factor
}

#[tensor_op(tests = false)]
fn centered(x: Tensor![b, c, ..]) -> Tensor![b, c, ..] {
    x - mean(x, ..)
}

#[tensor_op(tests = false)]
fn bounded_mish(x: Tensor, more: f64, factor: f64) -> Tensor {
    clamp(mish(x) + more, -1.0, 1.0) * factor
}

#[tensor_op(tests = false)]
fn residual_product(x: Tensor, bias: Tensor) -> Tensor {
    let own = stop_grad(x);
    (x + bias + own) * own + own
}

#[tensor_op(tests = false)]
fn hardswish_of_sum(x: Tensor, y: Tensor) -> Tensor {
    let s = x + y;
    s * (s * clamp(s + 3.0, 0.0, 6.0) / 6.0)
}

#[tensor_op(tests = false)]
fn scaled_sum(x: Tensor, bias: Tensor, scale: Tensor) -> Tensor {
    (x + bias) * scale
}

#[tensor_op(tests = false)]
fn swish_of_total(x: Tensor![b, c, ..]) -> Tensor![b, ..] {
    let total = logsumexp(x, c);
    total * sigmoid(total + 3.0) / 6.0
}

#[tensor_op(tests = false)]
fn leaky_times_leaky(x: Tensor, multiplier: Tensor, slope: f64) -> Tensor {
    let y = select(x > 0.0, x, slope * x) * multiplier;
    select(y > 0.0, y, slope * y)
}

#[tensor_op(tests = false)]
fn sigmoid_of_scaled(x: Tensor, bias: Tensor, factor: f64) -> Tensor {
    sigmoid((x + bias) * factor)
}

#[tensor_op(tests = false)]
fn scaled_gelu_of_negative(x: Tensor, more: f64, factor: f64) -> Tensor {
    gelu(minimum(x + more, 0.0)) * factor
}

pub(super) const PROBLEMS: &[Problem] = &[
    ("2/002 ConvTranspose2d_BiasAdd_Clamp_Scaling_Clamp_Divide", |m| {
        bounded_twice(m.conv_transpose("conv_transpose", m.x()), m.weight("bias"), m.number("scaling_factor"))
    }),
    ("2/003 ConvTranspose3d_Sum_LayerNorm_AvgPool_GELU", |m| {
        let y = (m.conv_transpose("conv_transpose", m.x())? + m.weight("sum_weight"))?;
        m.avg_pool("avg_pool", &m.layer_norm("norm", &y)?)?.gelu()
    }),
    ("2/005 ConvTranspose2d_Subtract_Tanh", |m| {
        tanh_of_difference(m.conv_transpose("conv_transpose", m.x()), m.weight("bias"))
    }),
    ("2/010 ConvTranspose2d_MaxPool_Hardtanh_Mean_Tanh", |m| {
        let y = m.max_pool("maxpool", &m.conv_transpose("conv_transpose", m.x())?)?;
        let y = y.hardtanh(m.number("hardtanh_min"), m.number("hardtanh_max"))?;
        kept(y.mean([2, 3]), [2, 3])?.tanh()
    }),
    ("2/011 ConvTranspose2d_BatchNorm_Tanh_MaxPool_GroupNorm", |m| {
        let y = m.batch_norm("batch_norm", &m.conv_transpose("conv_transpose", m.x())?)?;
        m.group_norm("group_norm", &m.max_pool("max_pool", &y.tanh()?)?)
    }),
    ("2/013 ConvTranspose3d_Mean_Add_Softmax_Tanh_Scaling", |m| {
        let y = kept(m.conv_transpose("conv_transpose", m.x())?.mean(2), [2])? + m.weight("bias");
        scaled_tanh_of_softmax(y, m.number("scaling_factor"))
    }),
    ("2/015 ConvTranspose3d_BatchNorm_Subtract", |m| {
        centered(m.batch_norm("batch_norm", &m.conv_transpose("conv_transpose", m.x())?))
    }),
    ("2/016 ConvTranspose2d_Mish_Add_Hardtanh_Scaling", |m| {
        bounded_mish(m.conv_transpose("conv_transpose", m.x()), m.number("add_value"), m.number("scale"))
    }),
    ("2/019 ConvTranspose2d_GELU_GroupNorm", |m| {
        m.group_norm("group_norm", &m.conv_transpose("conv_transpose", m.x())?.gelu()?)
    }),
    ("2/020 ConvTranspose3d_Sum_ResidualAdd_Multiply_ResidualAdd", |m| {
        residual_product(m.conv_transpose("conv_transpose", m.x()), m.weight("bias"))
    }),
    ("2/026 ConvTranspose3d_Add_HardSwish", |m| {
        hardswish_of_sum(m.conv_transpose("conv_transpose", m.x()), m.input("add_input"))
    }),
    ("2/034 ConvTranspose3d_LayerNorm_GELU_Scaling", |m| {
        let y = m.layer_norm("layer_norm", &m.conv_transpose("conv_transpose", m.x())?)?;
        y.gelu()? * m.number("scaling_factor")
    }),
    ("2/036 ConvTranspose2d_Min_Sum_GELU_Add", |m| {
        let y = kept(m.conv_transpose("conv_transpose", m.x())?.amin(1), [1])?;
        kept(y.sum(2), [2])?.gelu()? + m.weight("bias")
    }),
    ("2/038 ConvTranspose3d_AvgPool_Clamp_Softmax_Multiply", |m| {
        let y = m.conv_transpose("conv_transpose", &m.avg_pool("avg_pool", m.x())?)?;
        let y = y.clamp(m.number("clamp_min"), m.number("clamp_max"))?;
        y.flatten(2, -1)?.softmax(2)?.reshape(y.shape())? * m.weight("scale")
    }),
    ("2/042 ConvTranspose2d_GlobalAvgPool_BiasAdd_LogSumExp_Sum_Multiply", |m| {
        let y = kept(m.conv_transpose("conv_transpose", m.x())?.mean([2, 3]), [2, 3])? + m.weight("bias");
        kept(y?.logsumexp(1), [1])?.sum([2, 3])? * 10.0
    }),
    ("2/044 ConvTranspose2d_Multiply_GlobalAvgPool_GlobalAvgPool_Mean", |m| {
        let y = (m.conv_transpose("conv_transpose", m.x())? * m.number("multiplier"))?;
        kept(kept(y.mean([2, 3]), [2, 3])?.mean([2, 3]), [2, 3])
    }),
    ("2/049 ConvTranspose3d_Softmax_Sigmoid", |m| {
        m.conv_transpose("conv_transpose", m.x())?.softmax(1)?.sigmoid()
    }),
    ("2/050 ConvTranspose3d_Scaling_AvgPool_BiasAdd_Scaling", |m| {
        let y = (m.conv_transpose("conv_transpose", m.x())? * m.weight("scale1"))?;
        scaled_sum(m.avg_pool("avg_pool", &y), m.weight("bias"), m.weight("scale2"))
    }),
    ("2/058 ConvTranspose3d_LogSumExp_HardSwish_Subtract_Clamp", |m| {
        let y = kept(swish_of_total(m.conv_transpose("conv_transpose", m.x())), [1])?;
        (y - m.weight("bias"))?.clamp(-1.0, 1.0)
    }),
    ("2/060 ConvTranspose3d_Swish_GroupNorm_HardSwish", |m| {
        let y = m.conv_transpose("conv_transpose", m.x())?.silu()?;
        m.group_norm("group_norm", &y)?.hardswish()
    }),
    ("2/061 ConvTranspose3d_ReLU_GroupNorm", |m| {
        m.group_norm("group_norm", &m.conv_transpose("conv_transpose", m.x())?.relu()?)
    }),
    ("2/072 ConvTranspose3d_BatchNorm_AvgPool_AvgPool", |m| {
        let y = m.batch_norm("batch_norm", &m.conv_transpose("conv_transpose", m.x())?)?;
        m.avg_pool("avg_pool2", &m.avg_pool("avg_pool1", &y)?)
    }),
    ("2/074 ConvTranspose3d_LeakyReLU_Multiply_LeakyReLU_Max", |m| {
        let y = leaky_times_leaky(m.conv_transpose("conv_transpose", m.x()), m.weight("multiplier"), 0.2)?;
        m.max_pool("max_pool", &y)
    }),
    ("2/077 ConvTranspose3d_Scale_BatchNorm_GlobalAvgPool", |m| {
        let y = (m.conv_transpose("conv_transpose", m.x())? * m.number("scale_factor"))?;
        adaptive_avg_pool3d(m.batch_norm("batch_norm", &y), 1)
    }),
    ("2/078 ConvTranspose3d_Max_Max_Sum", |m| {
        let y = m.max_pool("max_pool1", &m.conv_transpose("conv_transpose", m.x())?)?;
        kept(m.max_pool("max_pool2", &y)?.sum(1), [1])
    }),
    ("2/089 ConvTranspose3d_MaxPool_Softmax_Subtract_Swish_Max", |m| {
        let y = m.max_pool("max_pool", &m.conv_transpose("conv_transpose", m.x())?)?.softmax(1)?;
        (y - m.weight("subtract").reshape([1, -1, 1, 1, 1]))?.silu()?.amax(1)
    }),
    ("2/091 ConvTranspose2d_Softmax_BiasAdd_Scaling_Sigmoid", |m| {
        let y = m.conv_transpose("conv_transpose", m.x())?.softmax(1);
        sigmoid_of_scaled(y, m.weight("bias"), m.number("scaling_factor"))
    }),
    ("2/093 ConvTranspose2d_Add_Min_GELU_Multiply", |m| {
        let (more, factor) = (m.number("add_value"), m.number("multiply_value"));
        scaled_gelu_of_negative(m.conv_transpose("conv_transpose", m.x()), more, factor)
    }),
    ("2/096 ConvTranspose3d_Multiply_Max_GlobalAvgPool_Clamp", |m| {
        let y = (m.conv_transpose("conv_transpose", m.x())? * m.number("scale"))?;
        adaptive_avg_pool3d(m.max_pool("maxpool", &y), 1)?.clamp(0.0, 1.0)
    }),
    ("2/100 ConvTranspose3d_Clamp_Min_Divide", |m| {
        m.conv_transpose("conv_transpose", m.x())?.clamp_min(m.number("min_value"))? / m.number("divisor")
    }),
];
