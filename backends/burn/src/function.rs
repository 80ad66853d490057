//! What generated functions call: a tensor of Burn's users in, a tensor of Burn's users out, and a panic for a mistake, as Burn does.

use crate::backend::OpBackend;
use crate::tensor::OpTensor;
use burn::Tensor;
use burn::backend::ops::IntTensorOps;
use burn::backend::{Dispatch, TensorMetadata, get_or_init_device_settings};
use burn::tensor::{Bool, Float, Int};
use std::cell::Cell;
use tensor_op_core::{Error, ErrorKind, Op, Result, Value};

thread_local! {
    static COMPOSED: Cell<bool> = const { Cell::new(false) };
}

/// Runs what it is given with all declared ops composed of Burn's own operations, differentiated by Burn: without a kernel, and without a
/// derived gradient or a given `#[grad]` of tensor-op. To test against, and to measure.
///
/// This holds for the functions on Burn's tensors that this thread calls meanwhile, and for the gradients of their results, whenever
/// these are taken. [`OpBackend::run_op`] of a backend that isn't Burn's `Dispatch` runs as ever.
pub fn composed<T>(run: impl FnOnce() -> T) -> T {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            COMPOSED.set(self.0);
        }
    }
    let _restore = Restore(COMPOSED.replace(true));
    run()
}

pub(crate) fn is_composed() -> bool {
    COMPOSED.get()
}

/// A kind of Burn's tensors.
pub trait TensorKind: burn::tensor::kind::Basic + Sized {
    /// The tensor below the one that users hold.
    fn lower<const D: usize>(tensor: Tensor<D, Self>) -> OpTensor<Dispatch>;
    /// The tensor that users hold.
    fn raise<const D: usize>(tensor: OpTensor<Dispatch>) -> Result<Tensor<D, Self>>;
}

impl TensorKind for Float {
    fn lower<const D: usize>(tensor: Tensor<D>) -> OpTensor<Dispatch> {
        OpTensor::Float(tensor.dequantize().into_dispatch())
    }
    fn raise<const D: usize>(tensor: OpTensor<Dispatch>) -> Result<Tensor<D>> {
        tensor.float().map(Tensor::from_dispatch)
    }
}

impl TensorKind for Int {
    fn lower<const D: usize>(tensor: Tensor<D, Int>) -> OpTensor<Dispatch> {
        OpTensor::Int(tensor.into_dispatch())
    }
    fn raise<const D: usize>(tensor: OpTensor<Dispatch>) -> Result<Tensor<D, Int>> {
        tensor.int().map(Tensor::from_dispatch)
    }
}

impl TensorKind for Bool {
    fn lower<const D: usize>(tensor: Tensor<D, Bool>) -> OpTensor<Dispatch> {
        OpTensor::Bool(tensor.into_dispatch())
    }
    fn raise<const D: usize>(tensor: OpTensor<Dispatch>) -> Result<Tensor<D, Bool>> {
        tensor.bool().map(Tensor::from_dispatch)
    }
}

/// An argument of a generated function.
#[doc(hidden)]
pub fn arg<const D: usize, K: TensorKind>(tensor: Tensor<D, K>) -> Value<OpTensor<Dispatch>> {
    Value::Tensor(K::lower(tensor))
}

/// A result of a generated function.
///
/// # Panics
/// If it has another number of axes than the caller takes it as.
#[doc(hidden)]
#[track_caller]
pub fn result<const D: usize, K: TensorKind>(op: &dyn Op, tensor: OpTensor<Dispatch>) -> Tensor<D, K> {
    let rank = tensor.shape().rank();
    if rank != D {
        let shape = tensor.shape();
        panic!(
            "{}: the result has shape {shape}, so that it is a `Tensor<{rank}>`, not a `Tensor<{D}>`",
            op.spec().name()
        );
    }
    match K::raise(tensor) {
        Ok(tensor) => tensor,
        Err(error) => panic!("{}", error.with_op(op.spec().name())),
    }
}

/// Runs an op for all of its `N` declared results.
///
/// # Panics
/// If sizes, dtypes or backends of the arguments disagree, with a message that names the op, the argument and the dim.
#[doc(hidden)]
#[track_caller]
pub fn function<const N: usize>(
    op: &dyn Op,
    args: Vec<Result<Value<OpTensor<Dispatch>>>>,
) -> [OpTensor<Dispatch>; N] {
    match try_function(op, args) {
        Ok(results) => results,
        Err(error) => panic!("{}", error.with_op(op.spec().name())),
    }
}

/// Ints that no argument decides have the dtype that Burn's own operations give on the device.
fn with_default_ints(result: OpTensor<Dispatch>) -> OpTensor<Dispatch> {
    let OpTensor::Int(tensor) = result else { return result };
    let wanted = get_or_init_device_settings::<Dispatch>(&tensor.device()).int_dtype;
    let is_wanted = tensor.dtype() == wanted.into();
    OpTensor::Int(if is_wanted { tensor } else { Dispatch::int_cast(tensor, wanted) })
}

fn try_function<const N: usize>(
    op: &dyn Op,
    args: Vec<Result<Value<OpTensor<Dispatch>>>>,
) -> Result<[OpTensor<Dispatch>; N]> {
    let args: Vec<Value<OpTensor<Dispatch>>> = args.into_iter().collect::<Result<_>>()?;
    let has_ints = args.iter().any(|arg| matches!(arg, Value::Tensor(OpTensor::Int(_))));
    let results = Dispatch::run_op(op, args, &op.spec().graph().visible())?.into_iter().flatten();
    let results: Vec<_> = if has_ints { results.collect() } else { results.map(with_default_ints).collect() };
    results.try_into().map_err(|results: Vec<_>| {
        let message = format!("{} results came back where {N} were asked for", results.len());
        Error::new(ErrorKind::Backend, message)
    })
}
