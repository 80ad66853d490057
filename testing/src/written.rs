//! The formula as it was written, in addition to the graph that kernels run.
//!
//! The graph of an op has gone through our own passes. A test that compares a kernel only with that graph
//! can't notice a pass that changes the meaning. So the op is also compared with the graph of its
//! declaration, and its gradient with the chain rule for that graph. The op has to agree with them wherever
//! they are finite.

use crate::agree::Setting;
use crate::bound::{Bounded, Rounding};
use tensor_op_core::{Evaluated, Op, Result, TensorData, Value};
use tensor_op_spec::grad::chain_rule;
use tensor_op_spec::ir::{Graph, Scalar};
use tensor_op_spec::schedule::regroup;

/// A graph that no pass has changed, with its arguments. Only products of matrices are put into the order
/// that LANGUAGE.md defines.
pub(crate) struct Written {
    graph: Graph,
    args: Vec<Value<TensorData>>,
    of: Of,
}

/// What the graph is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    /// A formula. Kernels keep its order.
    Formula,
    /// The chain rule of a formula. The gradient is computed in another order, so its rounding is bounded by
    /// its own graph alone, and only its value is compared with this graph. Constants may move in a gradient,
    /// so nothing is claimed for values close to the largest number.
    ChainRule,
}

/// The largest constant that may move in a gradient (`ops-spec/src/simplify/range.rs`).
const MOVED: f64 = 1024.0;

/// The rounding of the kernels' graph is at most this many times that of the formula as written: passes may
/// change a constant or a sign, but nothing else.
const FORMULA: f64 = 4.0;

impl Written {
    /// The formula of an op.
    pub(crate) fn formula(op: &dyn Op, args: &[Value<TensorData>]) -> Written {
        Written { graph: regroup(op.spec().written().clone()), args: args.to_vec(), of: Of::Formula }
    }

    /// The chain rule of an op's formula; `args` makes the arguments for its graph. `None` if the formula has
    /// no gradient.
    pub(crate) fn gradient(
        op: &dyn Op,
        args: impl FnOnce(&Graph) -> Vec<Value<TensorData>>,
    ) -> Option<Written> {
        let graph = regroup(chain_rule(op.spec().written()).ok()?);
        let args = args(&graph);
        Some(Written { graph, args, of: Of::ChainRule })
    }

    /// Narrows the expected results of a graph to what the formula as written allows. How the device rounds
    /// factors of matrices is taken from the graph that runs. Our passes may make a product of matrices where
    /// none is written, as in the sum of a negated product.
    ///
    /// # Errors
    ///
    /// Those of the reference interpreter.
    pub(crate) fn narrow(
        &self,
        own: &Graph,
        args: &[Value<TensorData>],
        expected: &mut [Evaluated<Bounded>],
        setting: Setting,
    ) -> Result<()> {
        let rounding = Rounding::new(setting.dtype);
        let rounding = match self.of {
            Of::Formula => rounding,
            Of::ChainRule => rounding.short_of_overflow_by(MOVED),
        };
        let written = setting.expected_by(rounding, &self.graph, &self.args)?;
        let plain = match setting.factors(own) {
            Some(_) => Some(setting.expected_by(Rounding::new(setting.dtype), own, args)?),
            None => None,
        };
        for (index, (output, expected)) in own.outputs.iter().zip(expected).enumerate() {
            let same =
                self.graph.outputs.iter().position(|other| other.name == output.name && !output.hidden);
            let Some(written) = same.map(|index| &written[index]) else { continue };
            for (at, (own, written)) in expected.values.iter_mut().zip(&written.values).enumerate() {
                *own = match plain.as_ref().map(|plain| &plain[index].values[at]) {
                    None => self.narrowed(own, written),
                    Some(plain) if plain.is_free() => *own,
                    Some(plain) => {
                        let found = self.narrowed(plain, written);
                        Bounded { error: found.error + (own.error - plain.error), ..found }
                    }
                };
            }
        }
        Ok(())
    }

    fn narrowed(&self, own: &Bounded, written: &Bounded) -> Bounded {
        let Scalar::Float(value) = written.value else {
            // Ints and bools are exact, unless rounding decides their value.
            return if own.is_free() || written.is_free() { *own } else { *written };
        };
        // If the formula overflows, or may overflow, it says nothing about the result.
        if written.is_free() || !value.is_finite() {
            return *own;
        }
        let most = FORMULA * written.error;
        let of_own = match self.of {
            Of::Formula => own.error.min(most),
            Of::ChainRule => own.error,
        };
        let error = written.error + if own.is_free() { most } else { of_own };
        // The sign of a zero is taken from the kernels' graph.
        let value = if own.value.as_f64() == value { own.value } else { written.value };
        Bounded { value, error }
    }
}
