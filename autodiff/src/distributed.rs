//! Distributed parameters: their gradient goes to a reducer during the backward pass, as soon as it is
//! complete.

use crate::like::Like;
use std::fmt;
use std::sync::Arc;
use tensor_op_core::{Backend, Result};

/// The properties of a distributed parameter: its number among the parameters of all processes, and the
/// function that reduces its gradient over the processes.
pub struct DistributedParams<B: Backend> {
    id: u64,
    reduce: Reduce<B>,
}

/// Maps a parameter's number and gradient to the reduced gradient.
type Reduce<B> = Arc<dyn Fn(u64, <B as Backend>::Tensor) -> Result<<B as Backend>::Tensor> + Send + Sync>;

impl<B: Backend> DistributedParams<B> {
    /// `reduce` is called once in each backward pass that reaches the parameter, with `id` and the
    /// parameter's complete gradient. The pass calls it on its own thread, and waits for it. It returns a
    /// tensor like the gradient, which the pass reports as the gradient; an error ends the pass.
    pub fn new(
        id: u64,
        reduce: impl Fn(u64, B::Tensor) -> Result<B::Tensor> + Send + Sync + 'static,
    ) -> DistributedParams<B> {
        DistributedParams { id, reduce: Arc::new(reduce) }
    }

    /// The parameter's number.
    pub fn id(&self) -> u64 {
        self.id
    }

    pub(crate) fn reduce(&self, gradient: B::Tensor) -> Result<B::Tensor> {
        let name = format!("reducer of parameter {}", self.id);
        let like = Like::of::<B>(&gradient);
        let reduced = (self.reduce)(self.id, gradient).map_err(|error| error.with_op(&name))?;
        like.check::<B>(&name, "reduced gradient", &reduced)?;
        Ok(reduced)
    }
}

impl<B: Backend> Clone for DistributedParams<B> {
    fn clone(&self) -> DistributedParams<B> {
        DistributedParams { id: self.id, reduce: self.reduce.clone() }
    }
}

impl<B: Backend> fmt::Debug for DistributedParams<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DistributedParams").field("id", &self.id).finish_non_exhaustive()
    }
}
