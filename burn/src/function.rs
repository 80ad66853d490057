//! The functions that generated functions call. They take and return the tensors of Burn's users, and panic
//! on a mistake, as Burn does.

use crate::backend::OpBackend;
use crate::dtype::{from_burn, int};
use crate::tensor::OpTensor;
use burn::Tensor;
use burn::backend::ops::IntTensorOps;
use burn::backend::{Dispatch, TensorMetadata, get_or_init_device_settings};
use burn::tensor::{Bool, Float, Int};
use std::cell::Cell;
use tensor_op_core::{DType, Error, ErrorKind, IntRule, Op, Result, Value};
use tensor_op_spec::ir::{IntSource, Kind};

thread_local! {
    static COMPOSED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `run`. Meanwhile all declared ops are composed of Burn's own operations and differentiated by Burn:
/// without kernels, and without tensor-op's derived gradients or a given `#[grad]`. This is for tests and
/// measurements.
///
/// It concerns functions on Burn's tensors that this thread calls meanwhile, and the gradients of their
/// results, whenever these are computed. [`OpBackend::run_op`] of a backend other than Burn's `Dispatch` runs
/// as usual.
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

/// A kind of Burn's tensors: `Float`, `Int` or `Bool`. A function of an `AnyTensor` takes each of them.
pub trait TensorKind: burn::tensor::kind::Basic + Sized + sealed::Sealed {
    /// The kind as ops know it.
    const KIND: Kind;
    /// Converts a tensor that users hold to the primitive below it.
    fn lower<const D: usize>(tensor: Tensor<D, Self>) -> OpTensor<Dispatch>;
    /// Converts a primitive to a tensor that users hold.
    fn raise<const D: usize>(tensor: OpTensor<Dispatch>) -> Result<Tensor<D, Self>>;
}

/// A kind whose elements are numbers: `Float` or `Int`. A function of a `NumTensor` takes both.
#[diagnostic::on_unimplemented(
    message = "the op takes floats or ints, and this is `{Self}`",
    label = "neither floats nor ints",
    note = "convert bools with `.int()` or `.float()`"
)]
pub trait NumberKind: TensorKind {
    /// Which of the two it is.
    const NUMBER: Number;
}

/// The kinds of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Floats.
    Float,
    /// Ints.
    Int,
}

impl NumberKind for Float {
    const NUMBER: Number = Number::Float;
}

impl NumberKind for Int {
    const NUMBER: Number = Number::Int;
}

mod sealed {
    use burn::tensor::{Bool, Float, Int};

    pub trait Sealed {}
    impl Sealed for Float {}
    impl Sealed for Int {}
    impl Sealed for Bool {}
}

impl TensorKind for Float {
    const KIND: Kind = Kind::Float;
    fn lower<const D: usize>(tensor: Tensor<D>) -> OpTensor<Dispatch> {
        OpTensor::Float(tensor.dequantize().into_dispatch())
    }
    fn raise<const D: usize>(tensor: OpTensor<Dispatch>) -> Result<Tensor<D>> {
        tensor.float().map(Tensor::from_dispatch)
    }
}

impl TensorKind for Int {
    const KIND: Kind = Kind::Int;
    fn lower<const D: usize>(tensor: Tensor<D, Int>) -> OpTensor<Dispatch> {
        OpTensor::Int(tensor.into_dispatch())
    }
    fn raise<const D: usize>(tensor: OpTensor<Dispatch>) -> Result<Tensor<D, Int>> {
        tensor.int().map(Tensor::from_dispatch)
    }
}

impl TensorKind for Bool {
    const KIND: Kind = Kind::Bool;
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

/// A result of the generated function with this name.
///
/// # Panics
///
/// If its number of axes is not the one of the caller's type.
#[doc(hidden)]
#[track_caller]
pub fn result<const D: usize, K: TensorKind>(name: &str, tensor: OpTensor<Dispatch>) -> Tensor<D, K> {
    let rank = tensor.shape().rank();
    if rank != D {
        let shape = tensor.shape();
        panic!("{name}: the result has shape {shape}, so that it is a `Tensor<{rank}>`, not a `Tensor<{D}>`");
    }
    match K::raise(tensor) {
        Ok(tensor) => tensor,
        Err(error) => panic!("{}", error.with_op(name)),
    }
}

/// Runs an op for all of its `N` declared results. Errors call it by this name, which is the declared one
/// where the kind of a tensor chose the op.
///
/// # Panics
/// If sizes, dtypes or backends of the arguments disagree, with a message that names the op, the argument and
/// the dim.
#[doc(hidden)]
#[track_caller]
pub fn function<const N: usize>(
    name: &str,
    op: &dyn Op,
    args: Vec<Result<Value<OpTensor<Dispatch>>>>,
) -> [OpTensor<Dispatch>; N] {
    match try_function(op, args) {
        Ok(results) => results,
        Err(error) => panic!("{}", error.renamed(name)),
    }
}

/// The dtypes of the int arguments; i64 for other arguments, and for ints that the op will refuse.
fn int_dtypes(args: &[Value<OpTensor<Dispatch>>]) -> Vec<DType> {
    let dtype = |arg: &Value<OpTensor<Dispatch>>| match arg {
        Value::Tensor(tensor @ OpTensor::Int(_)) => tensor.dtype().unwrap_or(DType::I64),
        Value::Tensor(OpTensor::Float(_) | OpTensor::Bool(_)) | Value::Scalar(_) | Value::Shape(_) => {
            DType::I64
        }
    };
    args.iter().map(dtype).collect()
}

/// Casts a result to the dtype that Burn's own operations would give it: positions and counts have the
/// device's int dtype, and sums have the dtype of the summed tensor.
fn as_in_burn(source: &IntSource, ints: &[DType], result: OpTensor<Dispatch>) -> Result<OpTensor<Dispatch>> {
    let OpTensor::Int(tensor) = result else { return Ok(result) };
    let of_device = get_or_init_device_settings::<Dispatch>(&tensor.device()).int_dtype;
    let wanted = if source.args.is_empty() {
        of_device
    } else {
        let rule = IntRule { counts: from_burn(of_device.into())?, sums: None };
        int(rule.dtype(source, |arg| ints[arg]))
    };
    let is_wanted = tensor.dtype() == wanted.into();
    Ok(OpTensor::Int(if is_wanted { tensor } else { Dispatch::int_cast(tensor, wanted) }))
}

fn try_function<const N: usize>(
    op: &dyn Op,
    args: Vec<Result<Value<OpTensor<Dispatch>>>>,
) -> Result<[OpTensor<Dispatch>; N]> {
    let args: Vec<Value<OpTensor<Dispatch>>> = args.into_iter().collect::<Result<_>>()?;
    let graph = op.spec().graph();
    let ints = int_dtypes(&args);
    let results = Dispatch::run_op(op, args, &graph.visible())?;
    let results = graph.outputs.iter().zip(results).filter_map(|(output, result)| Some((output, result?)));
    let results: Vec<_> =
        results.map(|(output, result)| as_in_burn(&output.ints, &ints, result)).collect::<Result<_>>()?;
    results.try_into().map_err(|results: Vec<_>| {
        let message = format!("{} results came back where {N} were asked for", results.len());
        Error::new(ErrorKind::Backend, message)
    })
}
