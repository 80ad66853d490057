//! Level 2: a linear layer, and what follows it.

use super::{Problem, kept};
use tensor_op::catalogue::norm::instance_norm;
use tensor_op::prelude::*;

#[tensor_op(tests = false)]
fn relu_of_difference(x: Tensor, less: f64, factor: f64) -> Tensor {
    relu((x - less) * factor)
}

#[tensor_op(tests = false)]
fn mish_of_total(x: Tensor![b, n], factor: f64, min: f64, max: f64) -> Tensor![b] {
    let scaled = x * factor;
    let total = logsumexp(clamp(scaled + scaled, min, max), n);
    total * mish(total)
}

#[tensor_op(tests = false)]
fn sum_times(x: Tensor, y: Tensor) -> Tensor {
    (x + y) * y
}

#[tensor_op(tests = false)]
fn silu_plus(x: Tensor, bias: Tensor) -> Tensor {
    silu(x) + bias
}

#[tensor_op(tests = false)]
fn plus_constant_copy(x: Tensor, factor: f64) -> Tensor {
    x * factor + stop_grad(x)
}

#[tensor_op(tests = false)]
fn gelu_of_bounded(x: Tensor, factor: f64, min: f64, max: f64) -> Tensor {
    gelu(clamp(x * factor, min, max))
}

#[tensor_op(tests = false)]
fn twice_leaky_twice_gelu(x: Tensor, slope: f64) -> Tensor {
    let once = select(x > 0.0, x, slope * x);
    gelu(gelu(select(once > 0.0, once, slope * once)))
}

#[tensor_op(tests = false)]
fn at_most(x: Tensor, bound: Tensor) -> Tensor {
    minimum(x, bound) - bound
}

#[tensor_op(tests = false)]
fn residual_sigmoid(x: Tensor, factor: f64) -> Tensor {
    sigmoid(x) * factor + x
}

#[tensor_op(tests = false)]
fn relu_of_sum(x: Tensor, bias: Tensor) -> Tensor {
    relu(x + bias)
}

#[tensor_op(tests = false)]
fn bounded_swish(x: Tensor) -> Tensor {
    clamp(tanh(clamp(silu(x) / 2.0, -1.0, 1.0)), -1.0, 1.0)
}

#[tensor_op(tests = false)]
fn silu_times_silu(x: Tensor, weight: Tensor) -> Tensor {
    silu(silu(x) * weight)
}

#[tensor_op(tests = false)]
fn mish_of_bounded(x: Tensor, bias: Tensor) -> Tensor {
    mish(clamp(x + bias, -1.0, 1.0))
}

#[tensor_op(tests = false)]
fn many_activations(x: Tensor, more: Tensor) -> Tensor {
    clamp(gelu(tanh(silu(x + more))), -1.0, 1.0)
}

#[tensor_op(tests = false)]
fn silu_of_quotient(x: Tensor, bias: Tensor, divisor: f64) -> Tensor {
    silu((x + bias) / divisor)
}

pub(super) const PROBLEMS: &[Problem] = &[
    ("2/009 Matmul_Subtract_Multiply_ReLU", |m| {
        let y = m.linear("linear", m.x());
        relu_of_difference(y, m.number("subtract_value"), m.number("multiply_value"))
    }),
    ("2/012 Gemm_Multiply_LeakyReLU", |m| {
        let y = (m.linear("gemm", m.x())? * m.number("multiplier"))?;
        y.leaky_relu(m.number("negative_slope"))
    }),
    ("2/014 Gemm_Divide_Sum_Scaling", |m| {
        let y = (m.x().linear(m.weight("weight"), None)? / 2.0)?;
        kept(y.sum(1), [1]).mul(m.number("scaling_factor"))
    }),
    ("2/018 Matmul_Sum_Max_AvgPool_LogSumExp_LogSumExp", |m| {
        let y = kept(m.linear("linear", m.x())?.sum(1), [1])?;
        let y = kept(kept(y.amax(1), [1])?.mean(1), [1])?;
        kept(kept(y.logsumexp(1), [1])?.logsumexp(1), [1])
    }),
    ("2/022 Matmul_Scale_ResidualAdd_Clamp_LogSumExp_Mish", |m| {
        let [factor, min, max] = ["scale_factor", "clamp_min", "clamp_max"].map(|name| m.number(name));
        kept(mish_of_total(m.linear("matmul", m.x()), factor, min, max), [1])
    }),
    ("2/028 BMM_InstanceNorm_Sum_ResidualAdd_Multiply", |m| {
        // The norm takes the features of a sample for the positions of one channel.
        let x = m.linear("bmm", m.x())?.unsqueeze(1);
        let (y, ..) = instance_norm(x, None, None, None, None, None, None, m.number("eps"))?;
        sum_times(y.squeeze(1), m.input("y"))
    }),
    ("2/029 Matmul_Mish_Mish", |m| m.linear("linear", m.x())?.mish()?.mish()),
    ("2/030 Gemm_GroupNorm_Hardtanh", |m| {
        let y = m.group_norm("group_norm", &m.linear("gemm", m.x())?)?;
        y.hardtanh(m.number("hardtanh_min"), m.number("hardtanh_max"))
    }),
    ("2/033 Gemm_Scale_BatchNorm", |m| m.batch_norm("bn", &(m.linear("gemm", m.x())? * m.weight("scale"))?)),
    ("2/037 Matmul_Swish_Sum_GroupNorm", |m| {
        m.group_norm("group_norm", &silu_plus(m.linear("matmul", m.x()), m.weight("bias"))?)
    }),
    ("2/039 Gemm_Scale_BatchNorm", |m| m.batch_norm("bn", &(m.linear("gemm", m.x())? * m.weight("scale"))?)),
    ("2/040 Matmul_Scaling_ResidualAdd", |m| {
        plus_constant_copy(m.linear("matmul", m.x()), m.number("scaling_factor"))
    }),
    ("2/041 Gemm_BatchNorm_GELU_ReLU", |m| {
        m.batch_norm("batch_norm", &m.linear("gemm", m.x())?)?.gelu()?.relu()
    }),
    ("2/045 Gemm_Sigmoid_LogSumExp", |m| {
        m.linear("linear2", &m.linear("linear1", m.x())?.sigmoid()?)?.logsumexp(1)
    }),
    ("2/051 Gemm_Subtract_GlobalAvgPool_LogSumExp_GELU_ResidualAdd", |m| {
        let y = kept((m.linear("gemm", m.x())? - m.weight("subtract"))?.mean(1), [1])?;
        kept(y.logsumexp(1), [1])?.gelu()? + m.x().detach()
    }),
    ("2/053 Gemm_Scaling_Hardtanh_GELU", |m| {
        let bounds = ["hardtanh_min", "hardtanh_max"].map(|name| m.number(name));
        gelu_of_bounded(m.linear("gemm", m.x()), m.number("scaling_factor"), bounds[0], bounds[1])
    }),
    ("2/055 Matmul_MaxPool_Sum_Scale", |m| {
        let y = m.max_pool("max_pool", &m.linear("matmul", m.x())?.unsqueeze(1)?)?.squeeze(1)?;
        y.sum(1)? * m.number("scale_factor")
    }),
    ("2/056 Matmul_Sigmoid_Sum", |m| kept(m.linear("linear", m.x())?.sigmoid()?.sum(1), [1])),
    ("2/059 Matmul_Swish_Scaling", |m| m.linear("matmul", m.x())?.silu()? * m.number("scaling_factor")),
    ("2/062 Matmul_GroupNorm_LeakyReLU_Sum", |m| {
        let y = m.group_norm("gn", &m.linear("fc", m.x())?)?.leaky_relu(m.number("negative_slope"))?;
        &y + &y
    }),
    ("2/063 Gemm_ReLU_Divide", |m| m.linear("linear", m.x())?.relu()? / m.number("divisor")),
    ("2/064 Gemm_LogSumExp_LeakyReLU_LeakyReLU_GELU_GELU", |m| {
        twice_leaky_twice_gelu(kept(m.linear("linear", m.x())?.logsumexp(1), [1]), 0.01)
    }),
    ("2/066 Matmul_Dropout_Softmax", |m| {
        m.linear("matmul", m.x())?.dropout(m.number("dropout_p"), None)?.softmax(1)
    }),
    ("2/068 Matmul_Min_Subtract", |m| at_most(m.linear("linear", m.x()), m.weight("constant"))),
    ("2/070 Gemm_Sigmoid_Scaling_ResidualAdd", |m| {
        residual_sigmoid(m.linear("gemm", m.x()), m.number("scaling_factor"))
    }),
    ("2/075 Gemm_GroupNorm_Min_BiasAdd", |m| {
        let y = m.group_norm("group_norm", &m.linear("gemm", m.x())?)?;
        kept(y.amin(1), [1])? + m.weight("bias")
    }),
    ("2/076 Gemm_Add_ReLU", |m| relu_of_sum(m.linear("gemm", m.x()), m.weight("bias"))),
    ("2/080 Gemm_Max_Subtract_GELU", |m| {
        let dim = m.int("max_dim");
        let y = kept(m.linear("gemm", m.x())?.amax(dim), [dim])?;
        (&y - kept(y.mean(1), [1]))?.gelu()
    }),
    ("2/081 Gemm_Swish_Divide_Clamp_Tanh_Clamp", |m| bounded_swish(m.linear("gemm", m.x()))),
    ("2/084 Gemm_BatchNorm_Scaling_Softmax", |m| {
        (m.weight("scale") * m.batch_norm("bn", &m.linear("gemm", m.x())?))?.softmax(1)
    }),
    ("2/086 Matmul_Divide_GELU", |m| (m.linear("linear", m.x())? / m.number("divisor"))?.gelu()),
    ("2/088 Gemm_GroupNorm_Swish_Multiply_Swish", |m| {
        silu_times_silu(m.group_norm("group_norm", &m.linear("gemm", m.x())?), m.weight("multiply_weight"))
    }),
    ("2/094 Gemm_BiasAdd_Hardtanh_Mish_GroupNorm", |m| {
        m.group_norm("groupnorm", &mish_of_bounded(m.linear("gemm", m.x()), m.weight("bias"))?)
    }),
    ("2/095 Matmul_Add_Swish_Tanh_GELU_Hardtanh", |m| {
        many_activations(m.linear("matmul", m.x()), m.weight("add_value"))
    }),
    ("2/097 Matmul_BatchNorm_BiasAdd_Divide_Swish", |m| {
        let y = m.batch_norm("bn", &m.linear("matmul", m.x())?);
        silu_of_quotient(y, m.weight("bias"), m.number("divide_value"))
    }),
    ("2/098 Matmul_AvgPool_GELU_Scale_Max", |m| {
        let y = m.avg_pool("avg_pool", &m.linear("matmul", m.x())?.unsqueeze(1)?)?.squeeze(1)?;
        (y.gelu()? * m.number("scale_factor"))?.amax(1)
    }),
    ("2/099 Matmul_GELU_Softmax", |m| m.linear("linear", m.x())?.gelu()?.softmax(1)),
];
