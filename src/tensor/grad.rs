//! Gradients of tensors.

use super::{Tensor, error};
use crate::{ErrorKind, IntoTensor, Result};
use std::collections::BTreeMap;
use std::collections::btree_map::Values;
use std::ops::Index;
use tensor_op_autodiff::{AutodiffTensor, DistributedParams, NodeId, TrackedGradients};
use tensor_op_core::{DynTensor, Dynamic};

/// The gradients that a backward pass found, by the tensors that require them.
///
/// ```
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([1.0, 2.0]).require_grad();
/// let gradients = (&x * &x)?.backward_with(&x.ones_like()?)?;
/// assert_eq!(gradients[&x].to_vec::<f64>()?, [2.0, 4.0]);
/// assert!(gradients.get(&Tensor::from([1.0])).is_none());
///
/// let mut norm = 0.0;
/// for gradient in &gradients {
///     norm += (gradient * gradient)?.to_vec::<f64>()?.iter().sum::<f64>();
/// }
/// assert_eq!(norm, 20.0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Gradients(BTreeMap<NodeId, Tensor>);

impl Gradients {
    /// The gradient of a tensor that requires one, if the backward pass reached it. It has the tensor's
    /// shape, dtype and device.
    pub fn get(&self, tensor: &Tensor) -> Option<&Tensor> {
        self.0.get(&tensor.0.node_id()?)
    }

    /// The gradients, in the order in which their tensors began to require one.
    pub fn iter(&self) -> impl Iterator<Item = &Tensor> {
        self.0.values()
    }

    /// The gradients of these tensors, each with its tensor. Those without one are left out.
    ///
    /// ```
    /// # use tensor_op::prelude::*;
    /// let (x, y) = (Tensor::from([2.0]).require_grad(), Tensor::from([3.0]).require_grad());
    /// let gradients = (&x * &x)?.backward()?;
    /// for (parameter, gradient) in gradients.of([&x, &y]) {
    ///     assert_eq!((parameter.item::<f64>()?, gradient.item::<f64>()?), (2.0, 4.0));
    /// }
    /// assert_eq!(gradients.of([&x, &y]).count(), 1);
    /// # Ok::<(), tensor_op::Error>(())
    /// ```
    pub fn of<'p>(
        &self,
        tensors: impl IntoIterator<Item = &'p Tensor>,
    ) -> impl Iterator<Item = (&'p Tensor, &Tensor)> {
        tensors.into_iter().filter_map(|tensor| Some((tensor, self.get(tensor)?)))
    }

    /// How many gradients there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes the gradient of a tensor and returns it.
    pub fn remove(&mut self, tensor: &Tensor) -> Option<Tensor> {
        self.0.remove(&tensor.0.node_id()?)
    }

    /// Replaces the gradient of a tensor, and returns the one that was found, if any. An `Err` unless the
    /// tensor requires a gradient and the new gradient has its shape, dtype and device.
    pub fn replace(&mut self, tensor: &Tensor, gradient: Tensor) -> Result<Option<Tensor>> {
        let id = tensor.0.check_gradient("replace", gradient.0.inner())?;
        Ok(self.0.insert(id, gradient))
    }

    pub(crate) fn new(found: tensor_op_autodiff::Gradients<Dynamic>) -> Gradients {
        let tensors = found.into_nodes().map(|(node, gradient)| (node, constant(gradient)));
        Gradients(tensors.collect())
    }

    fn tracked(found: TrackedGradients<Dynamic>) -> Gradients {
        Gradients(found.into_nodes().map(|(node, gradient)| (node, Tensor(gradient))).collect())
    }
}

impl Index<&Tensor> for Gradients {
    type Output = Tensor;

    /// The gradient of a tensor.
    ///
    /// # Panics
    ///
    /// If there is none, as the maps of the standard library do. [`get`](Gradients::get) returns an `Option`.
    fn index(&self, tensor: &Tensor) -> &Tensor {
        self.get(tensor).expect("no gradient was found for the tensor: it was not asked for, or not reached")
    }
}

impl<'a> IntoIterator for &'a Gradients {
    type Item = &'a Tensor;
    type IntoIter = Values<'a, NodeId, Tensor>;

    fn into_iter(self) -> Values<'a, NodeId, Tensor> {
        self.0.values()
    }
}

/// How a parameter is tracked.
pub(crate) enum Tracking {
    /// It is a constant.
    None,
    /// It has a gradient.
    Own,
    /// It has a gradient that is reduced over the members of a group.
    Distributed(DistributedParams<Dynamic>),
}

impl Tensor {
    /// The same tensor, for which [`Tensor::backward`] reports a gradient. Int and bool tensors have no
    /// gradient, and are returned unchanged.
    #[must_use = "what is computed from the returned tensor is tracked"]
    pub fn require_grad(self) -> Tensor {
        Tensor(self.0.require_grad())
    }

    /// How the tensor is tracked, for [`tracked_as`](Tensor::tracked_as).
    pub(crate) fn tracking(&self) -> Tracking {
        match self.0.distributed_params() {
            Some(params) => Tracking::Distributed(params.clone()),
            None if self.is_tracked() => Tracking::Own,
            None => Tracking::None,
        }
    }

    /// A new value of a parameter, tracked as the old one was.
    pub(crate) fn tracked_as(self, tracking: Tracking) -> Result<Tensor> {
        match tracking {
            Tracking::None => Ok(self),
            Tracking::Own => Ok(self.require_grad()),
            Tracking::Distributed(params) => self.0.set_distributed_params(params).map(Tensor),
        }
    }

    /// Whether gradients flow through the tensor.
    pub fn is_tracked(&self) -> bool {
        self.0.is_tracked()
    }

    /// The same elements as a constant: no gradient flows through it.
    #[must_use = "the tensor itself stays tracked"]
    pub fn detach(&self) -> Tensor {
        constant(self.0.inner().clone())
    }

    /// Gradients of the only element. If there are several, [`backward_with`](Tensor::backward_with) takes a
    /// seed, which says how much each of them counts. The values that were saved for the gradients are freed,
    /// so a second pass through the same computation is an error.
    ///
    /// ```
    /// use tensor_op::prelude::*;
    ///
    /// # fn main() -> Result<()> {
    /// let x = Tensor::from([3.0]).require_grad();
    /// let y = (&x * &x)?;
    /// assert_eq!(y.backward()?[&x].to_vec::<f64>()?, [6.0]);
    ///
    /// let pair = Tensor::from([1.0, 2.0]).require_grad();
    /// let error = (&pair * 2)?.backward().unwrap_err();
    /// assert!(error.to_string().contains("`backward_with(&y.ones_like()?)`"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn backward(&self) -> Result<Gradients> {
        self.check_one_element("backward")?;
        self.0.backward().map(Gradients::new)
    }

    /// Computes the same gradients as [`Tensor::backward`], but they are tracked: they depend on the tensors
    /// from which this one was computed, and can be differentiated again. Nothing is freed, so a later pass
    /// can go through the same computation.
    pub fn backward_tracked(&self) -> Result<Gradients> {
        self.check_one_element("backward_tracked")?;
        self.0.backward_tracked().map(Gradients::tracked)
    }

    /// Does the same as [`Tensor::backward_tracked`], for the sum of the elements weighted by `seed`. The
    /// gradients depend on `seed` too.
    pub fn backward_tracked_with(&self, seed: impl IntoTensor) -> Result<Gradients> {
        self.0.backward_tracked_with(&seed.into_tensor()?.0).map(Gradients::tracked)
    }

    /// Gradients of the sum of the elements weighted by `seed`, which must have the tensor's shape, dtype and
    /// device.
    pub fn backward_with(&self, seed: impl IntoTensor) -> Result<Gradients> {
        self.0.backward_with(seed.into_tensor()?.0.inner()).map(Gradients::new)
    }

    fn check_one_element(&self, op: &str) -> Result<()> {
        // What is not tracked has no gradient at all, which the pass says.
        if self.elements() == 1 || !self.is_tracked() {
            return Ok(());
        }
        let message = format!(
            "shape {} has {} elements, and a gradient is that of one: reduce them to a loss, or write `{op}_with(&y.ones_like()?)` for the gradient of their sum",
            self.shape(),
            self.elements()
        );
        Err(error(op, ErrorKind::Gradient, message))
    }
}

fn constant(inner: DynTensor) -> Tensor {
    Tensor(AutodiffTensor::from_inner(inner))
}
