//! The schedule of an op for a GPU.

use std::sync::OnceLock;
use tensor_op_core::Spec;
use tensor_op_spec::prim::{FloatBinary, Function, Group, Prim};
use tensor_op_spec::schedule::{CostModel, Schedule, schedule, with_fused};

/// The costs of a GPU.
const GPU: CostModel = CostModel { is_costly: has_many_instructions };

/// The functions that take dozens of instructions: they reduce large arguments exactly, or are made of
/// several other functions. The rest run as fast as memory delivers their operands.
fn has_many_instructions(prim: Prim) -> bool {
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
        Group::Rounding(_)
        | Group::Unary(_)
        | Group::Arithmetic(_)
        | Group::Comparison(_)
        | Group::Equality(_)
        | Group::Logic(_)
        | Group::Bits(_)
        | Group::Test(_)
        | Group::Choice(_)
        | Group::Draw(_) => false,
    }
}

#[derive(Debug, Default)]
struct Scheduled(OnceLock<Schedule>);

/// The schedule of an op for a GPU, which is made once.
pub(super) fn of(spec: &Spec) -> &Schedule {
    spec.memo::<Scheduled>().0.get_or_init(|| with_fused(spec.graph(), schedule(spec.graph(), GPU)))
}
