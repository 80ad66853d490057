//! The only door for generated code: what it names lives here, and may change with any release.

pub use tensor_op_autodiff::Autodiff;
pub use tensor_op_core::{Dynamic, Spec, Value};
pub use tensor_op_ndarray::CpuKernels;
pub use tensor_op_ndarray::block::{Block, Pass, PassFns};
pub use tensor_op_ndarray::lane::{IntLane, Lane, MaskLane};

use crate::{Backend, Error, ErrorKind, Op, Result};
use std::any::{Any, TypeId};
use tensor_op_autodiff::ScopedCheckpointing;
use tensor_op_spec::ir::Scalar;

/// The backend behind [`Tensor`](crate::Tensor).
pub type Default = Autodiff<Dynamic, ScopedCheckpointing>;

/// Kernels of any backend.
pub type Kernels = dyn Any + Send + Sync;

/// Runs an op for all of its `N` declared results.
pub fn run<B: Backend, const N: usize>(op: &dyn Op, args: Vec<Value<B::Tensor>>) -> Result<[B::Tensor; N]> {
    let graph = op.spec().graph();
    let results = if graph.outputs.len() == N {
        B::run(op, args, &[true; N])?
    } else {
        B::run(op, args, &graph.visible())?
    };
    let outputs: Vec<B::Tensor> = results.into_iter().flatten().collect();
    outputs.try_into().map_err(|outputs: Vec<B::Tensor>| {
        let message = format!("{} results came back where {N} were asked for", outputs.len());
        Error::new(ErrorKind::Backend, message).with_op(op.spec().name())
    })
}

/// An argument from a scalar.
pub fn scalar<T: IntoScalar, U>(value: T) -> Result<Value<U>> {
    value.into_scalar().map(Value::Scalar)
}

/// The kernels, if they are of the wanted type.
pub fn offer<K: Any + Send + Sync>(kernels: &'static K, wanted: TypeId) -> Option<&'static Kernels> {
    (wanted == TypeId::of::<K>()).then_some(kernels as &'static Kernels)
}

/// Scalars that a declaration can take.
pub trait IntoScalar {
    /// The value in the formula.
    fn into_scalar(self) -> Result<Scalar>;
}

impl IntoScalar for f64 {
    fn into_scalar(self) -> Result<Scalar> {
        Ok(Scalar::Float(self))
    }
}

impl IntoScalar for f32 {
    fn into_scalar(self) -> Result<Scalar> {
        Ok(Scalar::Float(f64::from(self)))
    }
}

impl IntoScalar for i64 {
    fn into_scalar(self) -> Result<Scalar> {
        Ok(Scalar::Int(self))
    }
}

impl IntoScalar for usize {
    fn into_scalar(self) -> Result<Scalar> {
        let value = i64::try_from(self)
            .map_err(|_| Error::new(ErrorKind::Overflow, format!("the scalar {self} is too large")))?;
        Ok(Scalar::Int(value))
    }
}

impl IntoScalar for bool {
    fn into_scalar(self) -> Result<Scalar> {
        Ok(Scalar::Bool(self))
    }
}
