//! What a backend's arithmetic costs, compared with its memory.

use crate::prim::{FloatBinary, Function, Group, Prim};

/// The costs of a backend, which decide what its kernels compute again and what they read.
#[derive(Clone, Copy, Debug)]
pub struct CostModel {
    /// Whether computing a primitive takes much longer than reading a value from memory.
    pub is_costly: fn(Prim) -> bool,
}

impl CostModel {
    /// The costs of the CPU backend. They are here because the macro schedules for the CPU too.
    pub const CPU: CostModel = CostModel { is_costly: takes_many_instructions };
    /// The costs of the GPU backend. They are here because its kernels are printed as source too.
    pub const GPU: CostModel = CostModel { is_costly: takes_many_instructions };
}

/// The functions that a CPU computes element by element, and a GPU by dozens of instructions: they reduce
/// large arguments exactly, or are made of several other functions. The rest run nearly as fast as memory
/// delivers their operands.
fn takes_many_instructions(prim: Prim) -> bool {
    match prim.group() {
        Group::Function(function) => match function {
            Function::Sin | Function::Cos | Function::Tan => true,
            Function::Asin | Function::Acos | Function::Atan => true,
            Function::Sinh | Function::Cosh | Function::Asinh | Function::Acosh | Function::Atanh => true,
            Function::Lgamma | Function::Digamma | Function::Trigamma => true,
            Function::Exp | Function::Exp2 | Function::Expm1 => false,
            Function::Ln | Function::Log2 | Function::Log1p => false,
            Function::Sqrt | Function::Rsqrt | Function::Recip => false,
            Function::Tanh | Function::Erf | Function::Erfc => false,
        },
        Group::FloatBinary(FloatBinary::Pow | FloatBinary::Atan2) => true,
        // Ten rounds, on whole vectors.
        Group::Draw(_) => false,
        Group::Rounding(_)
        | Group::Unary(_)
        | Group::Arithmetic(_)
        | Group::Comparison(_)
        | Group::Equality(_)
        | Group::Logic(_)
        | Group::Bits(_)
        | Group::Test(_)
        | Group::Choice(_) => false,
    }
}
