//! The ops, each composed of Burn's operations and declared, and their inputs.

use burn::tensor::{DType, Device, Distribution, Gradients, Int, Tensor, activation};
use tensor_op::burn as declared;

pub type Run = fn(&Inputs) -> Tensor<2>;

/// No op: what is left is what stands around one in `in_network`.
pub const NOTHING: Run = |i| i.x.clone();

pub struct Case {
    pub name: &'static str,
    pub composed: Run,
    pub declared: Run,
}

pub const CASES: &[Case] = &[
    Case {
        name: "silu_mul",
        composed: |i| i.x.clone() * activation::silu(i.y.clone()),
        declared: |i| declared::silu_mul(i.x.clone(), i.y.clone()),
    },
    Case {
        name: "softmax",
        composed: |i| activation::softmax(i.x.clone(), 1),
        declared: |i| declared::softmax(i.x.clone(), 1),
    },
    Case {
        name: "layer_norm",
        composed: |i| {
            let (variance, mean) = i.x.clone().var_mean_bias(1);
            let normal = (i.x.clone() - mean) / (variance + 1e-5).sqrt();
            normal * i.gamma.clone().unsqueeze() + i.beta.clone().unsqueeze()
        },
        declared: |i| declared::layer_norm(i.x.clone(), i.gamma.clone(), i.beta.clone(), 1e-5),
    },
    Case {
        name: "rms_norm",
        composed: |i| {
            let square = i.x.clone().powi_scalar(2).mean_dim(1);
            i.x.clone() / (square + 1e-6).sqrt() * i.gamma.clone().unsqueeze()
        },
        declared: |i| declared::rms_norm(i.x.clone(), i.gamma.clone(), 1e-6),
    },
    Case {
        name: "cross_entropy",
        composed: |i| {
            let targets = i.targets.clone().unsqueeze_dim(1);
            activation::log_softmax(i.x.clone(), 1).gather(1, targets).neg()
        },
        declared: |i| declared::cross_entropy(i.x.clone(), i.targets.clone()).unsqueeze_dim(1),
    },
];

pub struct Inputs {
    x: Tensor<2>,
    y: Tensor<2>,
    gamma: Tensor<1>,
    beta: Tensor<1>,
    targets: Tensor<1, Int>,
    /// The gradient of a result.
    gradient: Tensor<2>,
    /// That of a result with an element for each row.
    narrow: Tensor<2>,
}

impl Inputs {
    pub fn new([rows, cols]: [usize; 2], device: &Device, dtype: DType) -> Inputs {
        let normal = Distribution::Normal(0.0, 1.0);
        let matrix = || Tensor::<2>::random([rows, cols], normal, (device, dtype));
        let row = || Tensor::<1>::random([cols], normal, (device, dtype));
        let targets = Distribution::Uniform(0.0, cols as f64 - 1.0);
        Inputs {
            x: matrix(),
            y: matrix(),
            gamma: row(),
            beta: row(),
            targets: Tensor::random([rows], targets, device),
            gradient: matrix(),
            narrow: Tensor::random([rows, 1], normal, (device, dtype)),
        }
    }

    /// The same as what gradients are taken by.
    pub fn tracked(self) -> Inputs {
        let Inputs { x, y, gamma, beta, targets, gradient, narrow } = self;
        let (x, y) = (x.require_grad(), y.require_grad());
        let (gamma, beta) = (gamma.require_grad(), beta.require_grad());
        Inputs { x, y, gamma, beta, targets, gradient, narrow }
    }

    /// Forward and backward as in a network: the result is kept, and its gradient is read from memory.
    pub fn in_network(&self, run: Run) -> (Tensor<2>, Gradients) {
        let result = run(self);
        let gradient = if result.dims() == self.x.dims() { &self.gradient } else { &self.narrow };
        let gradients = (result.clone() * gradient.clone()).sum_dim(1).backward();
        (result, gradients)
    }
}
