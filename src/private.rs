//! The only items that generated code names. They may change with any release.

pub use tensor_op_autodiff::Autodiff;
pub use tensor_op_core::by_hand::ByHand;
pub use tensor_op_core::{Dynamic, Spec, Value};
pub use tensor_op_macros::{inline, picture};
pub use tensor_op_ndarray::CpuKernels;
pub use tensor_op_ndarray::block::{Block, Pass, PassFns};
pub use tensor_op_ndarray::lane::{IntLane, Lane, MaskLane};

#[cfg(feature = "testing")]
pub use tensor_op_testing::{Claim, check};

#[path = "editor/mod.rs"]
pub mod editor;

pub use crate::__burn_beside as burn_beside;
pub use crate::__burn_instead as burn_instead;
pub use crate::__editor_item as editor_item;
pub use crate::__offer_cube as offer_cube;
pub use crate::__spec as spec;
pub use crate::__tests as tests;
pub use crate::module::child;
use crate::{Axes, Backend, DType, Device, Error, ErrorKind, IntoTensor, Number, Op, Result, Shape, Tensor};
use std::any::{Any, TypeId};
use tensor_op_autodiff::ScopedCheckpointing;
pub use tensor_op_spec::ir::Kind;
use tensor_op_spec::ir::{ArgType, Scalar};

/// The backend behind [`Tensor`](crate::Tensor).
pub type Default = Autodiff<Dynamic, ScopedCheckpointing>;

/// Kernels for any backend.
pub type Kernels = dyn Any + Send + Sync;

/// Runs an op for all of its `N` declared results.
pub fn run<B: Backend, const N: usize>(op: &dyn Op, args: Vec<Value<B::Tensor>>) -> Result<[B::Tensor; N]> {
    #[cfg(feature = "testing")]
    crate::run_log::note(op);
    let graph = op.spec().graph();
    let results = if graph.outputs.len() == N {
        B::run(op, args, &[true; N])?
    } else {
        B::run(op, args, &graph.visible())?
    };
    let count = results.iter().flatten().count();
    if count != N {
        let message = format!("{count} results came back where {N} were asked for");
        return Err(Error::new(ErrorKind::Backend, message).with_op(op.spec().name()));
    }
    let mut outputs = results.into_iter().flatten();
    Ok(std::array::from_fn(|_| outputs.next().expect("there are as many, which was counted")))
}

/// Does the same for a formula that the kind of a tensor chose. Its errors name the op as it is declared,
/// because nothing that the user wrote names the formula.
pub fn run_as<B: Backend, const N: usize>(
    name: &str,
    op: &dyn Op,
    args: Vec<Value<B::Tensor>>,
) -> Result<[B::Tensor; N]> {
    run::<B, N>(op, args).map_err(|error| error.renamed(name))
}

/// The argument of an op with this index, from a scalar.
pub fn scalar<T: IntoScalar, U>(op: &dyn Op, index: usize, value: T) -> Result<Value<U>> {
    value.into_scalar().map(Value::Scalar).map_err(|error| error.of_arg(op.spec().graph(), index))
}

/// A scalar argument of the kind that a call has chosen, from a number.
pub fn number<U>(op: &str, arg: &str, kind: Kind, value: Number) -> Result<Value<U>> {
    value.of_kind(kind).map(Value::Scalar).map_err(|error| error.with_arg(arg).with_op(op))
}

/// The last argument of an op without tensors, which says where it runs and which dtype its floats have.
pub fn place<B: Backend>(op: &dyn Op, dtype: DType, device: &B::Device) -> Result<Value<B::Tensor>> {
    let graph = op.spec().graph();
    let wanted = match graph.args.last().map(|arg| &arg.ty) {
        Some(ArgType::Tensor { kind, .. }) => *kind,
        Some(_) | None => Kind::Bool,
    };
    let message = if dtype.kind() != wanted {
        format!("is {dtype}, and the op has results of floats: write f64, f32, f16 or bf16")
    } else if !B::supports_dtype(device, dtype) {
        format!("{} has no tensors of {dtype}", B::name(device))
    } else {
        let tensor = B::full(Shape::scalar(), Scalar::Bool(false), dtype, device);
        return tensor.map(Value::Tensor).map_err(|error| error.with_op(&graph.name));
    };
    Err(Error::new(ErrorKind::DType, message).with_arg("dtype").with_op(&graph.name))
}

/// The error of an op on floats or ints that is given bools.
pub fn no_number(op: &str, arg: &str) -> Error {
    let message = "is bool, and the op takes floats or ints; cast it to one of them";
    Error::new(ErrorKind::DType, message).with_arg(arg).with_op(op)
}

/// The seed that a caller has passed, or one from the default generator of the device.
pub fn seed(given: impl Into<Option<i64>>, device: &Device) -> i64 {
    given.into().unwrap_or_else(|| crate::tensor::next_seed(device))
}

/// What the method of an op is called on: a tensor, which it borrows, or the result of another op.
pub trait Receiver: IntoTensor + Sized {}
impl Receiver for &Tensor {}
impl Receiver for Result<Tensor> {}

/// The device as backends know it.
pub fn device(device: &Device) -> &tensor_op_core::Device {
    device.core()
}

/// The kernels, if they have the wanted type.
pub fn offer<K: Any + Send + Sync>(kernels: &'static K, wanted: TypeId) -> Option<&'static Kernels> {
    (wanted == TypeId::of::<K>()).then_some(kernels as &'static Kernels)
}

/// Offers a kernel for all GPUs.
#[cfg(feature = "gpu")]
#[doc(hidden)]
#[macro_export]
macro_rules! __offer_cube {
    ($kernel:path, $kernel_type:expr) => {{
        static BY_HAND: $crate::__private::ByHand<$crate::gpu::AnyGpu, $crate::gpu::CubeTensor> =
            $crate::__private::ByHand::new($kernel);
        $crate::__private::offer(&BY_HAND, $kernel_type)
    }};
}

/// A build without GPUs has no such kernel. Its function needs the same feature.
#[cfg(not(feature = "gpu"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __offer_cube {
    ($kernel:path, $kernel_type:expr) => {
        ::core::option::Option::None
    };
}

/// Tells a generated module of tests its op. The module can't see the function in which an op may be
/// declared.
pub trait Tested {
    /// The op.
    const OP: &'static dyn Op;
}

/// The spec of a declared op, including the graph with which tests compare it.
#[cfg(feature = "testing")]
#[doc(hidden)]
#[macro_export]
macro_rules! __spec {
    ($text:expr, $source:expr, $written:expr) => {
        $crate::__private::Spec::with_written($text, $source, $written)
    };
}

/// Without the feature nothing is compared, so the text of that graph is left out.
#[cfg(not(feature = "testing"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __spec {
    ($text:expr, $source:expr, $written:expr) => {
        $crate::__private::Spec::new($text, $source)
    };
}

/// The tests of an op: one for each claim.
#[cfg(feature = "testing")]
#[doc(hidden)]
#[macro_export]
macro_rules! __tests {
    ($module:ident $op:ident $(in [$($dtype:ident),*])? { $($test:ident = $claim:ident),* }) => {
        #[cfg(test)]
        impl $crate::__private::Tested for $module::Tests {
            const OP: &'static dyn $crate::Op = &$op;
        }
        #[cfg(test)]
        #[allow(unnameable_test_items, reason = "an op inside of a function has no tests")]
        mod $module {
            pub(super) struct Tests;
            const DTYPES: &[$crate::DType] = &[$($($crate::DType::$dtype),*)?];
            $(
                #[test]
                fn $test() {
                    $crate::__private::check($crate::__private::Claim::$claim, <Tests as $crate::__private::Tested>::OP, DTYPES);
                }
            )*
        }
    };
}

/// Without the feature nothing can be tested. One ignored test says so.
#[cfg(not(feature = "testing"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __tests {
    ($module:ident $op:ident $(in [$($dtype:ident),*])? { $($test:ident = $claim:ident),* }) => {
        #[cfg(test)]
        #[allow(unnameable_test_items, reason = "an op inside of a function has no tests")]
        mod $module {
            #[test]
            #[ignore = "enable the feature `testing` of tensor-op under dev-dependencies"]
            fn untested() {}
        }
    };
}

/// The items that functions on Burn's tensors are made of.
#[cfg(feature = "burn")]
pub mod burn {
    pub use tensor_op_burn::burn::Tensor;
    pub use tensor_op_burn::burn::tensor::{Bool, Device, Int, TensorCreationOptions};
    pub use tensor_op_burn::{Number, NumberKind, TensorKind, arg, function, result};
}

/// A function on Burn's tensors, in place of a function on ours.
#[cfg(feature = "burn")]
#[doc(hidden)]
#[macro_export]
macro_rules! __burn_instead {
    ($($function:tt)*) => { $($function)* };
}

/// Without the feature there is no such function.
#[cfg(not(feature = "burn"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __burn_instead {
    ($($function:tt)*) => {
        ::core::compile_error! { "`#[tensor_op(burn)]` takes the feature `burn` of tensor-op" }
    };
}

/// A function on Burn's tensors, in addition to ours. It exists for users who build with Burn.
#[cfg(feature = "burn")]
#[doc(hidden)]
#[macro_export]
macro_rules! __burn_beside {
    ($($function:tt)*) => { $($function)* };
}

/// Without the feature there is no such function.
#[cfg(not(feature = "burn"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __burn_beside {
    ($($function:tt)*) => {};
}

/// Scalars that a declaration can have as arguments.
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
        let value = i64::try_from(self).map_err(|_| {
            let message = format!("{self} is too large; the largest is {}", i64::MAX);
            Error::new(ErrorKind::Overflow, message)
        })?;
        Ok(Scalar::Int(value))
    }
}

impl IntoScalar for Axes {
    fn into_scalar(self) -> Result<Scalar> {
        self.code().map(Scalar::Int)
    }
}

impl IntoScalar for bool {
    fn into_scalar(self) -> Result<Scalar> {
        Ok(Scalar::Bool(self))
    }
}
