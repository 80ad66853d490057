//! The functions of the sets, as ops of the catalogue.

use crate::sets::Width;
use tensor_op::catalogue::math;
use tensor_op::{Result, Tensor, tensor_op};

/// A function, and how far from the correctly rounded result it may be, in units in the last place.
pub(crate) struct Function {
    /// NumPy's name.
    pub(crate) name: &'static str,
    pub(crate) op: fn(&Tensor) -> Result<Tensor>,
    /// On the CPU in f32 and f64. These were measured, and are the same for each instruction set.
    cpu: (u64, u64),
    /// On a GPU: what the primitive promises, `Prim::ulps`, and half a unit for the rounding of the set.
    gpu: u64,
}

impl Function {
    pub(crate) fn bound(&self, width: Width, is_gpu: bool) -> u64 {
        match (is_gpu, width) {
            (true, _) => self.gpu,
            (false, Width::F32) => self.cpu.0,
            (false, Width::F64) => self.cpu.1,
        }
    }
}

/// The cube root: PyTorch has none. A power of f64 loses digits where the logarithm is large; a step of
/// Newton's method gives them back.
#[tensor_op(tests = false)]
fn cbrt(input: Tensor) -> Tensor {
    let root = pow(abs(input), 1.0 / 3.0);
    let is_root = (input == 0.0) | !is_finite(input);
    let size = select(is_root, root, root - (root - abs(input) / (root * root)) / 3.0);
    select(input < 0.0, -size, select(input == 0.0, input, size))
}

#[rustfmt::skip]
pub(crate) fn all() -> [Function; 20] {
    [
        Function { name: "arccos", op: |x| math::acos(x), cpu: (1, 1), gpu: 4 },
        Function { name: "arccosh", op: |x| math::acosh(x), cpu: (1, 1), gpu: 4 },
        Function { name: "arcsin", op: |x| math::asin(x), cpu: (1, 1), gpu: 4 },
        Function { name: "arcsinh", op: |x| math::asinh(x), cpu: (1, 1), gpu: 4 },
        Function { name: "arctan", op: |x| math::atan(x), cpu: (1, 1), gpu: 5 },
        Function { name: "arctanh", op: |x| math::atanh(x), cpu: (1, 1), gpu: 5 },
        Function { name: "cbrt", op: |x| cbrt(x), cpu: (1, 1), gpu: 16 },
        Function { name: "cos", op: |x| math::cos(x), cpu: (1, 1), gpu: 4 },
        Function { name: "cosh", op: |x| math::cosh(x), cpu: (1, 1), gpu: 4 },
        Function { name: "exp", op: |x| math::exp(x), cpu: (1, 1), gpu: 3 },
        Function { name: "exp2", op: |x| math::exp2(x), cpu: (1, 1), gpu: 3 },
        Function { name: "expm1", op: |x| math::expm1(x), cpu: (1, 2), gpu: 3 },
        Function { name: "log", op: |x| math::log(x), cpu: (1, 1), gpu: 3 },
        Function { name: "log10", op: |x| math::log10(x), cpu: (1, 2), gpu: 6 },
        Function { name: "log1p", op: |x| math::log1p(x), cpu: (1, 1), gpu: 2 },
        Function { name: "log2", op: |x| math::log2(x), cpu: (1, 1), gpu: 3 },
        Function { name: "sin", op: |x| math::sin(x), cpu: (1, 1), gpu: 4 },
        Function { name: "sinh", op: |x| math::sinh(x), cpu: (1, 1), gpu: 4 },
        Function { name: "tan", op: |x| math::tan(x), cpu: (1, 1), gpu: 5 },
        Function { name: "tanh", op: |x| math::tanh(x), cpu: (2, 2), gpu: 5 },
    ]
}
