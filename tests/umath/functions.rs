//! The functions of the sets, as ops of the catalogue.

use crate::places::Place;
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
    /// Whether it is an exponential of the number, which WGSL lets be off by two more units for each unit of
    /// the number.
    is_exponential: bool,
}

impl Function {
    /// The bound at a number.
    pub(crate) fn bound(&self, width: Width, place: Place, x: f64) -> u64 {
        match (place, width) {
            (Place::Avx512 | Place::Avx2 | Place::Sse2, Width::F32) => self.cpu.0,
            (Place::Avx512 | Place::Avx2 | Place::Sse2, Width::F64) => self.cpu.1,
            (Place::Wgpu, _) if self.is_exponential => self.gpu.saturating_add((2.0 * x.abs()) as u64),
            (Place::Wgpu | Place::Cuda, _) => self.gpu,
        }
    }

    /// The bounds as text: on the CPU, and on GPUs.
    pub(crate) fn bounds(&self, width: Width) -> [String; 2] {
        let cpu = self.bound(width, Place::Sse2, 0.0).to_string();
        let more = if self.is_exponential { ", `wgpu` + 2 abs(x)" } else { "" };
        [cpu, format!("{}{more}", self.gpu)]
    }
}

/// The cube root: PyTorch has none. A power of f64 loses digits where the logarithm is large; a step of
/// Newton's method gives them back. Subnormal numbers, which a GPU may not have, are scaled by 2^60.
#[tensor_op(tests = false)]
fn cbrt(input: Tensor) -> Tensor {
    let is_small = abs(input) < 1e-30;
    let size = abs(input) * select(is_small, 1152921504606846976.0, 1.0);
    let root = pow(size, 1.0 / 3.0);
    let better = root - (root - size / (root * root)) / 3.0;
    let scaled =
        select((size == 0.0) | !is_finite(size), size, better) * select(is_small, 1.0 / 1048576.0, 1.0);
    select(input < 0.0, -scaled, select(input == 0.0, input, scaled))
}

#[rustfmt::skip]
pub(crate) fn all() -> [Function; 20] {
    [
        Function { name: "arccos", op: |x| math::acos(x), cpu: (1, 1), gpu: 4, is_exponential: false },
        Function { name: "arccosh", op: |x| math::acosh(x), cpu: (1, 1), gpu: 4, is_exponential: false },
        Function { name: "arcsin", op: |x| math::asin(x), cpu: (1, 1), gpu: 4, is_exponential: false },
        Function { name: "arcsinh", op: |x| math::asinh(x), cpu: (1, 1), gpu: 4, is_exponential: false },
        Function { name: "arctan", op: |x| math::atan(x), cpu: (1, 1), gpu: 5, is_exponential: false },
        Function { name: "arctanh", op: |x| math::atanh(x), cpu: (1, 1), gpu: 5, is_exponential: false },
        Function { name: "cbrt", op: |x| cbrt(x), cpu: (1, 1), gpu: 16, is_exponential: false },
        Function { name: "cos", op: |x| math::cos(x), cpu: (1, 1), gpu: 4, is_exponential: false },
        Function { name: "cosh", op: |x| math::cosh(x), cpu: (1, 1), gpu: 4, is_exponential: true },
        Function { name: "exp", op: |x| math::exp(x), cpu: (1, 1), gpu: 3, is_exponential: true },
        Function { name: "exp2", op: |x| math::exp2(x), cpu: (1, 1), gpu: 3, is_exponential: false },
        Function { name: "expm1", op: |x| math::expm1(x), cpu: (1, 2), gpu: 3, is_exponential: false },
        Function { name: "log", op: |x| math::log(x), cpu: (1, 1), gpu: 3, is_exponential: false },
        Function { name: "log10", op: |x| math::log10(x), cpu: (1, 2), gpu: 6, is_exponential: false },
        Function { name: "log1p", op: |x| math::log1p(x), cpu: (1, 1), gpu: 2, is_exponential: false },
        Function { name: "log2", op: |x| math::log2(x), cpu: (1, 1), gpu: 3, is_exponential: false },
        Function { name: "sin", op: |x| math::sin(x), cpu: (1, 1), gpu: 4, is_exponential: false },
        Function { name: "sinh", op: |x| math::sinh(x), cpu: (1, 2), gpu: 4, is_exponential: true },
        Function { name: "tan", op: |x| math::tan(x), cpu: (1, 1), gpu: 5, is_exponential: false },
        Function { name: "tanh", op: |x| math::tanh(x), cpu: (2, 2), gpu: 5, is_exponential: false },
    ]
}
