//! Derivatives of functions of tensors: the gradient of a function, or a product with its Jacobian or
//! Hessian.
//!
//! Each function runs with its inputs as new tensors that require a gradient. Therefore calls nest: a result
//! that depends on tensors that were tracked before stays tracked, and can be differentiated again.

pub use crate::apply::{Tracked, apply};
use crate::backward::{Plain, Recorded, Root, backward};
use crate::error::no_gradient;
use crate::graph::depends_on_others;
use crate::like::{Like, is_float, ones, zeros};
use crate::node::NodeId;
use crate::tensor::{AutodiffTensor, Level};
use std::collections::BTreeSet;
use tensor_op_core::{Backend, Error, ErrorKind, Result};

/// A function that returns the gradients of `f` with respect to its inputs. If the result of `f` has several
/// elements, their sum is differentiated. An input on which the result does not depend has the gradient zero.
pub fn grad<B, F>(f: F) -> impl Fn(&[AutodiffTensor<B>]) -> Result<Vec<AutodiffTensor<B>>>
where
    B: Backend,
    F: Fn(&[AutodiffTensor<B>]) -> Result<AutodiffTensor<B>>,
{
    let both = value_and_grad(f);
    move |inputs| Ok(both(inputs)?.1)
}

/// Does the same as [`grad`], and also returns the result of `f`, before the gradients.
#[allow(clippy::type_complexity, reason = "a function, which has no name")]
pub fn value_and_grad<B, F>(
    f: F,
) -> impl Fn(&[AutodiffTensor<B>]) -> Result<(AutodiffTensor<B>, Vec<AutodiffTensor<B>>)>
where
    B: Backend,
    F: Fn(&[AutodiffTensor<B>]) -> Result<AutodiffTensor<B>>,
{
    move |inputs| {
        let call = Traced::new("grad", &f, inputs)?;
        let seed = AutodiffTensor::from_inner(ones::<B>(call.output.inner())?);
        let gradients = call.pull(seed)?;
        Ok((call.value(), gradients))
    }
}

/// The result of `f`, and a function that multiplies a tensor like the result by the Jacobians of `f` with
/// respect to its inputs. The function can be called only once, because it frees what was saved for it.
#[allow(clippy::type_complexity, reason = "a result and a function, which has no name")]
pub fn vjp<B, F>(
    f: F,
    inputs: &[AutodiffTensor<B>],
) -> Result<(AutodiffTensor<B>, impl FnOnce(&AutodiffTensor<B>) -> Result<Vec<AutodiffTensor<B>>> + use<B, F>)>
where
    B: Backend,
    F: FnOnce(&[AutodiffTensor<B>]) -> Result<AutodiffTensor<B>>,
{
    let call = Traced::new("vjp", f, inputs)?;
    let value = call.value();
    Ok((value, move |seed: &AutodiffTensor<B>| {
        call.output.check_like("vjp", "seed", seed.inner())?;
        seed.check_no_tangent("vjp")?;
        call.pull(seed.clone())
    }))
}

/// The result of `f`, and its derivative along `tangents`: the product of its Jacobian with them. There is
/// one tangent like each input. The derivative is computed together with the result, in forward mode, and
/// nothing is kept for it.
pub fn jvp<B, F>(
    f: F,
    inputs: &[AutodiffTensor<B>],
    tangents: &[AutodiffTensor<B>],
) -> Result<(AutodiffTensor<B>, AutodiffTensor<B>)>
where
    B: Backend,
    F: FnOnce(&[AutodiffTensor<B>]) -> Result<AutodiffTensor<B>>,
{
    const NAME: &str = "jvp";
    check_floats(NAME, inputs)?;
    check_vectors(NAME, "tangent", inputs, tangents)?;
    let level = Level::next();
    let pair = |(x, tangent): (&AutodiffTensor<B>, &AutodiffTensor<B>)| {
        AutodiffTensor::pair(level, x.clone(), tangent.clone())
    };
    let output = f(&inputs.iter().zip(tangents).map(pair).collect::<Vec<_>>())?;
    if output.level().is_some_and(|other| other > level) {
        return Err(no_gradient(
            NAME,
            "the result is a tensor from inside of another `jvp`, whose direction it has",
        ));
    }
    let (value, tangent) = output.split(level);
    let tangent = tangent.map_or_else(|| zeros_like(&value), Ok);
    Ok((value, tangent?))
}

/// The products of the Hessian of `f` with `vectors`: derivatives of the gradients of `f` along them. There
/// is one vector like each input. If the result of `f` has several elements, their sum is used.
pub fn hessian_vector_product<B, F>(
    f: F,
    inputs: &[AutodiffTensor<B>],
    vectors: &[AutodiffTensor<B>],
) -> Result<Vec<AutodiffTensor<B>>>
where
    B: Backend,
    F: FnOnce(&[AutodiffTensor<B>]) -> Result<AutodiffTensor<B>>,
{
    const NAME: &str = "hessian_vector_product";
    check_vectors(NAME, "vector", inputs, vectors)?;
    vectors.iter().try_for_each(|vector| vector.check_no_tangent(NAME))?;
    let call = Traced::new(NAME, f, inputs)?;
    let seed = AutodiffTensor::from_inner(ones::<B>(call.output.inner())?);
    let gradients = call.tracked(call.output.edge().map(|_| (&call.output, seed)))?;
    let roots = || gradients.iter().zip(vectors).filter(|(gradient, _)| gradient.is_tracked());
    let depends = call.depends_on_others(gradients.iter().chain(vectors));
    let roots = roots().map(|(gradient, vector)| (gradient, vector.clone()));
    if depends { call.tracked(roots) } else { call.freed(roots) }
}

/// A call of a function whose inputs require a gradient.
struct Traced<B: Backend> {
    locals: Vec<AutodiffTensor<B>>,
    output: AutodiffTensor<B>,
}

impl<B: Backend> Traced<B> {
    fn new(
        name: &str,
        f: impl FnOnce(&[AutodiffTensor<B>]) -> Result<AutodiffTensor<B>>,
        inputs: &[AutodiffTensor<B>],
    ) -> Result<Traced<B>> {
        check_floats(name, inputs)?;
        let locals: Vec<_> = inputs.iter().map(|input| input.clone().require_grad()).collect();
        let output = f(&locals)?;
        output.check_no_tangent(name)?;
        Ok(Traced { locals, output })
    }

    /// The result. It is tracked if it depends on tensors that were tracked before the call.
    fn value(&self) -> AutodiffTensor<B> {
        if self.depends_on_others([&self.output]) {
            return self.output.clone();
        }
        AutodiffTensor::from_inner(self.output.inner().clone())
    }

    /// The gradients of the inputs, given the gradient of the result.
    fn pull(&self, seed: AutodiffTensor<B>) -> Result<Vec<AutodiffTensor<B>>> {
        let depends = self.depends_on_others([&self.output, &seed]);
        let root = self.output.edge().map(|_| (&self.output, seed));
        if depends { self.tracked(root) } else { self.freed(root) }
    }

    fn tracked<'r>(
        &self,
        roots: impl IntoIterator<Item = (&'r AutodiffTensor<B>, AutodiffTensor<B>)>,
    ) -> Result<Vec<AutodiffTensor<B>>>
    where
        B: 'r,
    {
        let roots = roots
            .into_iter()
            .filter_map(|(tensor, gradient)| Some(Root { edge: tensor.edge()?.clone(), gradient }));
        let mut found = backward::<B, Recorded<B>>(roots.collect(), Some(&self.targets()))?;
        self.gradients(|id| found.remove(&id))
    }

    fn freed<'r>(
        &self,
        roots: impl IntoIterator<Item = (&'r AutodiffTensor<B>, AutodiffTensor<B>)>,
    ) -> Result<Vec<AutodiffTensor<B>>>
    where
        B: 'r,
    {
        let roots = roots.into_iter().filter_map(|(tensor, gradient)| {
            Some(Root { edge: tensor.edge()?.clone(), gradient: gradient.into_inner() })
        });
        let mut found = backward::<B, Plain<B>>(roots.collect(), Some(&self.targets()))?;
        self.gradients(|id| found.remove(&id).map(AutodiffTensor::from_inner))
    }

    /// The gradient of each input. It is zero if the pass found none.
    fn gradients(
        &self,
        mut found: impl FnMut(NodeId) -> Option<AutodiffTensor<B>>,
    ) -> Result<Vec<AutodiffTensor<B>>> {
        let of = |local: &AutodiffTensor<B>| match local.node_id().and_then(&mut found) {
            Some(gradient) => Ok(gradient),
            None => zeros_like(local),
        };
        self.locals.iter().map(of).collect()
    }

    fn targets(&self) -> BTreeSet<NodeId> {
        self.locals.iter().filter_map(AutodiffTensor::node_id).collect()
    }

    /// Whether tensors were computed from tensors that require a gradient, other than the inputs.
    fn depends_on_others<'t>(&self, tensors: impl IntoIterator<Item = &'t AutodiffTensor<B>>) -> bool
    where
        B: 't,
    {
        depends_on_others(tensors.into_iter().filter_map(AutodiffTensor::edge), &self.targets())
    }
}

fn zeros_like<B: Backend>(tensor: &AutodiffTensor<B>) -> Result<AutodiffTensor<B>> {
    zeros::<B>(&Like::of::<B>(tensor.inner())).map(AutodiffTensor::from_inner)
}

/// Returns an `Err` if an input has a dtype without gradients.
fn check_floats<B: Backend>(name: &str, inputs: &[AutodiffTensor<B>]) -> Result<()> {
    let Some(index) = inputs.iter().position(|input| !is_float::<B>(input.inner())) else { return Ok(()) };
    let dtype = B::dtype(inputs[index].inner());
    let reason =
        format!("input {index} is a tensor of {dtype}, which has no gradient; let the function capture it");
    Err(no_gradient(name, &reason))
}

/// Returns an `Err` unless there is one vector like each input. `what` is their name in the error.
fn check_vectors<B: Backend>(
    name: &str,
    what: &str,
    inputs: &[AutodiffTensor<B>],
    vectors: &[AutodiffTensor<B>],
) -> Result<()> {
    if inputs.len() != vectors.len() {
        let message = format!("{} {what}s were given for {} inputs", vectors.len(), inputs.len());
        return Err(Error::new(ErrorKind::Length, message).with_op(name));
    }
    inputs.iter().zip(vectors).enumerate().try_for_each(|(index, (input, vector))| {
        input.check_like(name, &format!("{what} for input {index}"), vector.inner())
    })
}
