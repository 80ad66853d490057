//! What a function is whose gradient is given, and not derived.

use tensor_op_core::Result;

/// A function with a gradient of its own, for what no formula states. `T` is the type of its tensors.
///
/// [`apply`](crate::functions::apply) calls it. Its gradient is written with ops on `T`, so it can be
/// differentiated again. It must be linear in the gradients that arrive; then it also gives the derivative
/// along a direction, in [`jvp`](crate::functions::jvp), which passes zeros: `backward` must not choose by
/// their values.
pub trait Function<T>: Send + Sync + 'static {
    /// The name in errors.
    fn name(&self) -> &str;

    /// The results. The inputs are constants here, since what this computes is not recorded.
    fn forward(&self, inputs: &[T]) -> Result<Vec<T>>;

    /// The gradient of each input. `None` stands for zero.
    fn backward(&self, call: &Arrived<'_, T>) -> Result<Vec<Option<T>>>;
}

/// What a [`Function`] computes its gradients from.
#[derive(Clone, Copy, Debug)]
pub struct Arrived<'a, T> {
    /// The inputs of the call.
    pub inputs: &'a [T],
    /// The results of the call.
    pub results: &'a [T],
    /// The gradient of each result. `None` if nothing depends on the result, or if it is no float.
    pub gradients: &'a [Option<T>],
    /// The inputs whose gradient is wanted. The gradients of others are dropped.
    pub wanted: &'a [bool],
}
