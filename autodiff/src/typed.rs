//! The typed interface of a backend with gradients, for code that is generic over backends.

use crate::backend::Autodiff;
use crate::checkpoint::Checkpointing;
use crate::distributed::DistributedParams;
use crate::gradients::Gradients;
use crate::tensor::AutodiffTensor;
use tensor_op_core::{Backend, Quantized, Result};

/// A backend that records gradients of an inner backend.
///
/// Float, int and bool tensors have one type here, so each function serves all of them. `inner` and
/// `from_inner` convert any tensor. Ints and bools are never tracked: for them `backward` is an `Err`, and
/// `grad` is `None`. Quantized tensors have their own functions.
pub trait AutodiffBackend: Backend {
    /// The backend whose ops are recorded.
    type InnerBackend: Backend<Device = Self::Device>;
    /// The result of a backward pass.
    type Gradients: Send + Sync;

    /// Gradients of the sum of the tensor's elements; see [`AutodiffTensor::backward`].
    fn backward(tensor: &Self::Tensor) -> Result<Self::Gradients>;

    /// The gradient of a tensor that requires one, if the pass reached it.
    fn grad(tensor: &Self::Tensor, gradients: &Self::Gradients) -> Option<Inner<Self>>;

    /// Removes the gradient of a tensor and returns it.
    fn grad_remove(tensor: &Self::Tensor, gradients: &mut Self::Gradients) -> Option<Inner<Self>>;

    /// Replaces the gradient that was found; see [`Gradients::replace`].
    fn grad_replace(
        tensor: &Self::Tensor,
        gradients: &mut Self::Gradients,
        gradient: Inner<Self>,
    ) -> Result<()>;

    /// The tensor of the inner backend, detached from the graph.
    fn inner(tensor: Self::Tensor) -> Inner<Self>;

    /// A tensor of the inner backend, as a constant.
    fn from_inner(tensor: Inner<Self>) -> Self::Tensor;

    /// A quantized tensor of the inner backend; Burn's `q_inner`. Quantized tensors are never tracked.
    fn quantized_inner(tensor: Quantized<Self::Tensor>) -> Quantized<Inner<Self>> {
        tensor.map(Self::inner)
    }

    /// A quantized tensor of the inner backend, as a constant; Burn's `q_from_inner`.
    fn quantized_from_inner(tensor: Quantized<Inner<Self>>) -> Quantized<Self::Tensor> {
        tensor.map(Self::from_inner)
    }

    /// The tensor as a distributed parameter; see [`AutodiffTensor::set_distributed_params`].
    fn set_distributed_params(
        tensor: Self::Tensor,
        params: DistributedParams<Self::InnerBackend>,
    ) -> Result<Self::Tensor>;

    /// The properties of the tensor as a distributed parameter, if it is one.
    fn distributed_params(tensor: &Self::Tensor) -> Option<DistributedParams<Self::InnerBackend>>;

    /// Whether the tensor is a distributed parameter.
    fn is_distributed(tensor: &Self::Tensor) -> bool {
        Self::distributed_params(tensor).is_some()
    }
}

/// A tensor of the inner backend.
type Inner<A> = <<A as AutodiffBackend>::InnerBackend as Backend>::Tensor;

impl<B: Backend, C: Checkpointing> AutodiffBackend for Autodiff<B, C> {
    type InnerBackend = B;
    type Gradients = Gradients<B>;

    fn backward(tensor: &AutodiffTensor<B>) -> Result<Gradients<B>> {
        tensor.backward()
    }

    fn grad(tensor: &AutodiffTensor<B>, gradients: &Gradients<B>) -> Option<B::Tensor> {
        gradients.get(tensor).cloned()
    }

    fn grad_remove(tensor: &AutodiffTensor<B>, gradients: &mut Gradients<B>) -> Option<B::Tensor> {
        gradients.remove(tensor)
    }

    fn grad_replace(
        tensor: &AutodiffTensor<B>,
        gradients: &mut Gradients<B>,
        gradient: B::Tensor,
    ) -> Result<()> {
        gradients.replace(tensor, gradient).map(drop)
    }

    fn inner(tensor: AutodiffTensor<B>) -> B::Tensor {
        tensor.into_inner()
    }

    fn from_inner(tensor: B::Tensor) -> AutodiffTensor<B> {
        AutodiffTensor::from_inner(tensor)
    }

    fn set_distributed_params(
        tensor: AutodiffTensor<B>,
        params: DistributedParams<B>,
    ) -> Result<AutodiffTensor<B>> {
        tensor.set_distributed_params(params)
    }

    fn distributed_params(tensor: &AutodiffTensor<B>) -> Option<DistributedParams<B>> {
        tensor.distributed_params().cloned()
    }
}
