//! The schedule of an op for a GPU.

use std::sync::OnceLock;
use tensor_op_core::Spec;
use tensor_op_spec::prim::Prim;
use tensor_op_spec::schedule::{CostModel, Schedule, schedule};

/// The costs of a GPU.
const GPU: CostModel = CostModel { is_costly: has_many_instructions };

/// The functions that take dozens of instructions: they reduce large arguments exactly, or are made of
/// several other functions. The rest run as fast as memory delivers their operands.
fn has_many_instructions(prim: Prim) -> bool {
    use Prim::{Acos, Acosh, Asin, Asinh, Atan, Atan2, Atanh, Cos, Cosh, Pow, Sin, Sinh, Tan};
    matches!(prim, Sin | Cos | Tan | Asin | Acos | Atan | Atan2 | Sinh | Cosh | Asinh | Acosh | Atanh | Pow)
}

#[derive(Debug, Default)]
struct Scheduled(OnceLock<Schedule>);

/// The schedule of an op for a GPU, which is made once.
pub(super) fn of(spec: &Spec) -> &Schedule {
    spec.memo::<Scheduled>().0.get_or_init(|| schedule(spec.graph(), GPU))
}
