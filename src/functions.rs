//! Derivatives of functions of tensors: the gradient of a function, or a product with its Jacobian or
//! Hessian.
//!
//! If the function's result has several elements, their sum is differentiated. Calls nest, to any order: a
//! result that depends on tensors that were tracked before the call stays tracked.

use crate::{Gradients, Result, Tensor};
use tensor_op_autodiff::{AutodiffTensor, functions};
use tensor_op_core::Dynamic;

type Inner = AutodiffTensor<Dynamic>;

/// A function that returns the gradients of `f` with respect to its inputs. An input on which the result does
/// not depend has the gradient zero.
///
/// ```
/// use tensor_op::{Device, Result, Tensor, grad};
///
/// # fn main() -> Result<()> {
/// let cube = |x: &[Tensor]| (&x[0] * &x[0])? * &x[0];
/// let slope = |x: &[Tensor]| Ok(grad(cube)(x)?.remove(0));
/// let x = [Tensor::scalar(2.0, &Device::default())?];
/// assert_eq!(slope(&x)?.item::<f64>()?, 12.0);
/// assert_eq!(grad(slope)(&x)?[0].item::<f64>()?, 12.0);
/// # Ok(())
/// # }
/// ```
pub fn grad<F>(f: F) -> impl Fn(&[Tensor]) -> Result<Vec<Tensor>>
where
    F: Fn(&[Tensor]) -> Result<Tensor>,
{
    let grad = functions::grad(inner(f));
    move |inputs| grad(&unwrapped(inputs)).map(wrapped)
}

/// Does the same as [`grad`], and also returns the result of `f`, before the gradients.
pub fn value_and_grad<F>(f: F) -> impl Fn(&[Tensor]) -> Result<(Tensor, Vec<Tensor>)>
where
    F: Fn(&[Tensor]) -> Result<Tensor>,
{
    let both = functions::value_and_grad(inner(f));
    move |inputs| {
        let (value, gradients) = both(&unwrapped(inputs))?;
        Ok((Tensor::from_primitive(value), wrapped(gradients)))
    }
}

/// Gradients of several tensors in one pass, each with its seed: those of the sum of all elements, weighted
/// by the seeds. What they were computed from together is visited once; a pass for each would visit it again,
/// and free what the next one needs. A seed has its tensor's shape, dtype and device. The same as PyTorch's
/// `torch.autograd.backward(tensors, grad_tensors)`.
///
/// ```
/// use tensor_op::prelude::*;
/// use tensor_op::backward;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([3.0]).require_grad();
/// let (square, double) = ((&x * &x)?, (&x * 2)?);
/// let gradients = backward(&[(&square, &square.ones_like()?), (&double, &double.ones_like()?)])?;
/// assert_eq!(gradients[&x].to_vec::<f64>()?, [8.0]);
/// # Ok(())
/// # }
/// ```
pub fn backward(roots: &[(&Tensor, &Tensor)]) -> Result<Gradients> {
    let roots: Vec<_> =
        roots.iter().map(|(tensor, seed)| (tensor.primitive(), seed.primitive().inner())).collect();
    Inner::backward_of(&roots).map(Gradients::new)
}

/// The result of `f`, and a function that multiplies a tensor like the result by the Jacobians of `f` with
/// respect to its inputs. The function can be called only once, because it frees what was saved for it.
#[allow(clippy::type_complexity, reason = "a result and a function, which has no name")]
pub fn vjp<F>(
    f: F,
    inputs: &[Tensor],
) -> Result<(Tensor, impl FnOnce(&Tensor) -> Result<Vec<Tensor>> + use<F>)>
where
    F: Fn(&[Tensor]) -> Result<Tensor>,
{
    let (value, pull) = functions::vjp(inner(f), &unwrapped(inputs))?;
    Ok((Tensor::from_primitive(value), move |seed: &Tensor| pull(seed.primitive()).map(wrapped)))
}

/// The result of `f`, and its derivative along `tangents`: the product of its Jacobian with them. There is
/// one tangent like each input. The derivative is computed together with the result, in forward mode, and
/// nothing is kept for it.
///
/// ```
/// use tensor_op::{Device, Result, Tensor, jvp};
///
/// # fn main() -> Result<()> {
/// let device = Device::default();
/// let (x, along) = ([Tensor::scalar(3.0, &device)?], [Tensor::scalar(1.0, &device)?]);
/// let (value, slope) = jvp(|x| &x[0] * &x[0], &x, &along)?;
/// assert_eq!((value.item::<f64>()?, slope.item::<f64>()?), (9.0, 6.0));
/// # Ok(())
/// # }
/// ```
pub fn jvp<F>(f: F, inputs: &[Tensor], tangents: &[Tensor]) -> Result<(Tensor, Tensor)>
where
    F: Fn(&[Tensor]) -> Result<Tensor>,
{
    let (value, tangent) = functions::jvp(inner(f), &unwrapped(inputs), &unwrapped(tangents))?;
    Ok((Tensor::from_primitive(value), Tensor::from_primitive(tangent)))
}

/// The products of the Hessian of `f` with `vectors`: derivatives of the gradients of `f` along them. There
/// is one vector like each input.
pub fn hessian_vector_product<F>(f: F, inputs: &[Tensor], vectors: &[Tensor]) -> Result<Vec<Tensor>>
where
    F: Fn(&[Tensor]) -> Result<Tensor>,
{
    functions::hessian_vector_product(inner(f), &unwrapped(inputs), &unwrapped(vectors)).map(wrapped)
}

/// Runs `f` such that its tracked results need less memory until the backward pass: results of memory-bound
/// ops are not kept, but computed again in the backward pass, as
/// [`BalancedCheckpointing`](crate::autodiff::BalancedCheckpointing) describes. Gradients are the same bit
/// for bit. This concerns ops that `f` calls on this thread. Scopes nest.
///
/// ```
/// use tensor_op::catalogue::nn::silu_mul;
/// use tensor_op::{Device, Result, Tensor, checkpoint};
///
/// # fn main() -> Result<()> {
/// let x = Tensor::scalar(2.0, &Device::default())?.require_grad();
/// let y = checkpoint(|| silu_mul(&x, silu_mul(&x, &x)?))?;
/// assert!(y.backward()?.get(&x).is_some());
/// # Ok(())
/// # }
/// ```
pub fn checkpoint<T>(f: impl FnOnce() -> T) -> T {
    tensor_op_autodiff::checkpoint(f)
}

fn inner<F>(f: F) -> impl Fn(&[Inner]) -> Result<Inner>
where
    F: Fn(&[Tensor]) -> Result<Tensor>,
{
    move |inputs| f(&wrapped(inputs.to_vec())).map(Tensor::into_primitive)
}

fn wrapped(tensors: Vec<Inner>) -> Vec<Tensor> {
    tensors.into_iter().map(Tensor::from_primitive).collect()
}

fn unwrapped(tensors: &[Tensor]) -> Vec<Inner> {
    tensors.iter().map(|tensor| tensor.primitive().clone()).collect()
}
