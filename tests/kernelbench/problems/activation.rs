//! Level 1: activations.

use super::Problem;

pub(super) const PROBLEMS: &[Problem] = &[
    ("1/019 ReLU", |m| m.x().relu()),
    ("1/020 LeakyReLU", |m| m.x().leaky_relu(m.number("negative_slope"))),
    ("1/021 Sigmoid", |m| m.x().sigmoid()),
    ("1/022 Tanh", |m| m.x().tanh()),
    ("1/023 Softmax", |m| m.x().softmax(1)),
    ("1/024 LogSoftmax", |m| m.x().log_softmax(m.int("dim"))),
    ("1/025 Swish", |m| m.x().silu()),
    ("1/026 GELU", |m| m.x().gelu()),
    ("1/027 SELU", |m| m.x().selu()),
    ("1/028 HardSigmoid", |m| m.x().hardsigmoid()),
    ("1/029 Softplus", |m| m.x().softplus(None, None)),
    ("1/030 Softsign", |m| m.x().softsign()),
    ("1/031 ELU", |m| m.x().elu(m.number("alpha"))),
    ("1/032 HardTanh", |m| m.x().hardtanh(-1.0, 1.0)),
    ("1/088 MinGPTNewGelu", |m| m.x().gelu_tanh()),
];
