//! Functions whose gradient is given, on [`Tensor`].

use crate::{Result, Tensor};
use std::borrow::Borrow;
use tensor_op_autodiff::{AutodiffTensor, functions};
use tensor_op_core::Dynamic;

impl From<AutodiffTensor<Dynamic>> for Tensor {
    /// See [`Tensor::from_primitive`].
    fn from(tensor: AutodiffTensor<Dynamic>) -> Tensor {
        Tensor::from_primitive(tensor)
    }
}

impl From<Tensor> for AutodiffTensor<Dynamic> {
    /// See [`Tensor::into_primitive`].
    fn from(tensor: Tensor) -> AutodiffTensor<Dynamic> {
        tensor.into_primitive()
    }
}

/// Calls a function that no formula states, and whose gradient is given: a [`Function`](crate::Function).
/// `torch.autograd.Function`.
///
/// The call is recorded like an op, and keeps its inputs and results for the gradient. Gradients of any
/// order, [`grad`](crate::grad), [`jvp`](crate::jvp) and every backend work, because the gradient is written
/// with ops on tensors. A `jvp` inside of a `jvp` is an `Err`. JAX calls such a function `custom_vjp`.
///
/// ```
/// use tensor_op::prelude::*;
/// use tensor_op::{Arrived, Function, apply};
///
/// /// The real root of `y^5 + y = x`, by Newton's method. The gradient is that of the inverse function.
/// struct Root;
///
/// impl Function<Tensor> for Root {
///     fn name(&self) -> &str {
///         "root"
///     }
///
///     fn forward(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
///         let mut found = inputs[0].to_vec::<f64>()?;
///         for y in &mut found {
///             let x = *y;
///             for _ in 0..100 {
///                 *y -= (y.powi(5) + *y - x) / (5.0 * y.powi(4) + 1.0);
///             }
///         }
///         Ok(vec![Tensor::from_vec(found, inputs[0].shape(), &inputs[0].device())?])
///     }
///
///     fn backward(&self, call: &Arrived<'_, Tensor>) -> Result<Vec<Option<Tensor>>> {
///         let Some(gradient) = &call.gradients[0] else { return Ok(vec![None]) };
///         let square = (&call.results[0] * &call.results[0])?;
///         let slope = (1.0 + (5.0 * &square * &square)?)?;
///         Ok(vec![Some((gradient / slope)?)])
///     }
/// }
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([2.0, 34.0]).require_grad();
/// let y = apply(Root, &[&x])?.remove(0);
/// assert_eq!(y.to_vec::<f64>()?, [1.0, 2.0]);
/// let gradients = y.backward_with(&y.ones_like()?)?;
/// assert_eq!(gradients[&x].to_vec::<f64>()?, [1.0 / 6.0, 1.0 / 81.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The error of the function. Gradients that are not one for each input, or that differ from their input in
/// shape, dtype or device. A result that was computed from a tracked tensor that is no input.
pub fn apply<T: Borrow<Tensor>>(function: impl crate::Function<Tensor>, inputs: &[T]) -> Result<Vec<Tensor>> {
    let inputs: Vec<Tensor> = inputs.iter().map(|input| input.borrow().clone()).collect();
    functions::apply::<Dynamic, Tensor>(function, &inputs)
}
