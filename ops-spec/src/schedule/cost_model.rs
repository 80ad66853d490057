//! What a backend's arithmetic costs, compared with its memory.

use crate::ir::Kind;
use crate::prim::{Arithmetic, FloatBinary, Function, Group, Prim};

/// What a backend computes again, and what it stores or keeps instead.
#[derive(Clone, Copy, Debug)]
pub struct CostModel {
    /// A value that takes at least as long is stored before a loop that has more dims than it.
    pub stored: Cost,
    /// A value that takes at least as long is kept by a pass over a row for later passes. `None` if passes
    /// keep nothing.
    pub kept: Option<Cost>,
    /// Whether scans run on a few rows at a time with what stands around them, as streams.
    pub streams_scans: bool,
    /// Which other scans run with what stands around them, as [`Sweep`](super::Sweep)s.
    pub sweeps: Sweeps,
}

/// Which scans run as sweeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sweeps {
    /// All that can.
    All,
    /// Those around which something is folded, or reads the step before, and whose steps are no neighbours in
    /// memory. Loops of compiled code compute values at each point faster.
    Folding,
}

impl CostModel {
    /// The costs of the CPU backend. They are here because the macro schedules for the CPU too.
    pub const CPU: CostModel = CostModel {
        stored: Cost::Exponential,
        kept: Some(Cost::Division),
        streams_scans: true,
        sweeps: Sweeps::Folding,
    };
    /// The costs of the GPU backend, whose kernels have no memory for whole rows but registers. They are here
    /// because its kernels are printed as source too.
    pub const GPU: CostModel =
        CostModel { stored: Cost::Large, kept: None, streams_scans: false, sweeps: Sweeps::All };

    /// Whether it takes less time to store a value than to compute it again in a loop. `times` says how
    /// often, if that is known.
    pub(super) fn is_stored(self, cost: Cost, times: Option<usize>) -> bool {
        let is_rarely_needed = times.is_some_and(|times| times < FEW);
        cost >= if is_rarely_needed { Cost::Large } else { self.stored }
    }

    /// Whether a pass keeps a value that takes this primitive.
    pub(super) fn is_kept(self, prim: Prim) -> bool {
        self.kept.is_some_and(|kept| Cost::of(prim) >= kept)
    }
}

/// Computing an exponential fewer times takes less time than memory.
const FEW: usize = 4;

/// How long a primitive takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cost {
    /// One instruction, or a few.
    Cheap,
    /// One instruction that takes as long as several loads.
    Division,
    /// A polynomial and what is around it, or a remainder.
    Exponential,
    /// Dozens of instructions: they reduce large arguments exactly, or are made of several other functions.
    Large,
}

impl Cost {
    /// The cost of a primitive.
    pub fn of(prim: Prim) -> Cost {
        match prim.group() {
            Group::Function(function) => match function {
                Function::Sin | Function::Cos | Function::Tan => Cost::Large,
                Function::Asin | Function::Acos | Function::Atan => Cost::Large,
                Function::Sinh | Function::Cosh | Function::Asinh | Function::Acosh | Function::Atanh => {
                    Cost::Large
                }
                Function::Lgamma | Function::Digamma | Function::Trigamma => Cost::Large,
                Function::Exp | Function::Exp2 | Function::Expm1 => Cost::Exponential,
                Function::Ln | Function::Log2 | Function::Log1p => Cost::Exponential,
                Function::Tanh | Function::Erf | Function::Erfc => Cost::Exponential,
                Function::Sqrt | Function::Rsqrt | Function::Recip => Cost::Division,
            },
            Group::FloatBinary(FloatBinary::Pow | FloatBinary::Atan2) => Cost::Large,
            // Ten rounds of ints, on whole vectors: they are kept, and drawn again for a loop.
            Group::Draw(_) => Cost::Division,
            Group::Arithmetic(Arithmetic::Div) => Cost::Division,
            Group::Arithmetic(Arithmetic::Rem) => Cost::Exponential,
            Group::Arithmetic(
                Arithmetic::Add
                | Arithmetic::Sub
                | Arithmetic::Mul
                | Arithmetic::Maximum
                | Arithmetic::Minimum,
            )
            | Group::Rounding(_)
            | Group::Unary(_)
            | Group::Comparison(_)
            | Group::Equality(_)
            | Group::Logic(_)
            | Group::Bits(_)
            | Group::Test(_)
            | Group::Choice(_) => Cost::Cheap,
        }
    }
}

/// Whether the lanes of a CPU compute a primitive with results of this kind one element at a time.
pub(super) fn is_scalar(prim: Prim, kind: Kind) -> bool {
    match prim.group() {
        Group::Function(function) => {
            matches!(function, Function::Lgamma | Function::Digamma | Function::Trigamma)
        }
        Group::Arithmetic(Arithmetic::Rem) => kind == Kind::Float,
        Group::Arithmetic(_)
        | Group::Unary(_)
        | Group::Rounding(_)
        | Group::FloatBinary(_)
        | Group::Comparison(_)
        | Group::Equality(_)
        | Group::Logic(_)
        | Group::Bits(_)
        | Group::Test(_)
        | Group::Choice(_)
        | Group::Draw(_) => false,
    }
}
