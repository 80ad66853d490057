//! Kernels that are written by hand and run in place of what is generated or composed: those that an op names
//! (`#[kernel(..)]`), and those that a program registers for an op of another crate.

use crate::{Backend, Binding, Dtypes, Element, Error, ErrorKind, Op, Result, Shape, Spec, Value};
use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};
use tensor_op_spec::ir::Graph;

#[cfg(test)]
mod tests;

/// A kernel: takes the arguments of an op, and returns all its results in declared order.
pub type Kernel<T> = fn(&Args<'_, T>) -> Result<Vec<T>>;

/// The arguments of an op, by their names. Those of a backward op are named in the docs of the op: they are
/// arguments and results of the op itself, and `grad_out` or `grad_NAME` for each result.
#[derive(Debug)]
pub struct Args<'a, T> {
    spec: &'a Spec,
    values: &'a [Value<T>],
}

/// A kernel that an op offers for the backend `B`, whose tensors are `T`.
pub struct ByHand<B, T> {
    kernel: Kernel<T>,
    backend: PhantomData<fn() -> B>,
}

impl<B, T> ByHand<B, T> {
    /// The offer of a kernel.
    pub const fn new(kernel: Kernel<T>) -> ByHand<B, T> {
        ByHand { kernel, backend: PhantomData }
    }
}

impl<B, T> fmt::Debug for ByHand<B, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ByHand")
    }
}

impl<'a, T> Args<'a, T> {
    /// What is known of the op without its arguments.
    pub fn spec(&self) -> &'a Spec {
        self.spec
    }

    /// The arguments in declared order.
    pub fn values(&self) -> &'a [Value<T>] {
        self.values
    }

    /// The tensor argument of this name.
    ///
    /// # Errors
    /// The op has no such argument, or it is no tensor: a gradient may take only the shape of an argument.
    pub fn tensor(&self, name: &str) -> Result<&'a T> {
        self.value(name)?.tensor().ok_or_else(|| self.is_no(name, "tensor"))
    }

    /// The scalar argument of this name: an `f64` of a float, an `i64` of an int, a `bool`. An `Axis` is an
    /// int, which may count from the end, and an `Axes` is the code of [`Axes`](crate::Axes).
    ///
    /// # Errors
    /// The op has no such argument, or it is no scalar of this kind.
    pub fn scalar<E: Element>(&self, name: &str) -> Result<E> {
        match self.value(name)? {
            Value::Scalar(scalar) if scalar.kind() == E::DTYPE.kind() => Ok(E::from_scalar(*scalar)),
            Value::Scalar(_) | Value::Tensor(_) | Value::Shape(_) => {
                Err(self.is_no(name, &format!("scalar of {}", E::DTYPE)))
            }
        }
    }

    /// The shape of an argument of which a gradient takes no more than that.
    ///
    /// # Errors
    /// The op has no such argument, or the op takes its elements as well.
    pub fn shape(&self, name: &str) -> Result<&'a Shape> {
        match self.value(name)? {
            Value::Shape(shape) => Ok(shape),
            Value::Tensor(_) | Value::Scalar(_) => Err(self.is_no(name, "shape")),
        }
    }

    fn value(&self, name: &str) -> Result<&'a Value<T>> {
        let at = self.spec.graph().args.iter().position(|arg| arg.name == name);
        at.and_then(|at| self.values.get(at)).ok_or_else(|| {
            let names: Vec<&str> = self.spec.graph().args.iter().map(|arg| arg.name.as_str()).collect();
            let message =
                format!("its kernel asks for `{name}`, but the arguments are `{}`", names.join("`, `"));
            Error::new(ErrorKind::Backend, message)
        })
    }

    fn is_no(&self, name: &str, what: &str) -> Error {
        Error::new(ErrorKind::Backend, format!("its kernel takes `{name}` for a {what}, which it is not"))
    }
}

/// The type of an op and that of a backend.
type Key = (TypeId, TypeId);

/// Kernels of any type, by what they are for. A kernel of the backend `B` is a `Kernel<B::Tensor>`.
static REGISTERED: RwLock<BTreeMap<Key, Box<dyn Any + Send + Sync>>> = RwLock::new(BTreeMap::new());

/// Whether there is any, so that programs without such kernels pay nothing for them.
static IS_ANY_REGISTERED: AtomicBool = AtomicBool::new(false);

/// From now on runs an op of any crate by this kernel, on one backend. This may be a backward op, such as
/// `&RmsNormBackward`. The gradient of an op stays what it is. A later kernel replaces an earlier one.
///
/// The backend looks for it in the default [`Backend::run`], and so do the CPU and the GPUs; one with a `run`
/// of its own calls [`kernel`]. A decorator, such as autodiff, runs the kernels of the backend inside.
///
/// A kernel returns all results of the op. If the op keeps values for its gradient that are no results of the
/// function, they are results here: its docs list them under "Gradient".
///
/// # Errors
/// The op was made from a graph at run time, and so has no type of its own.
pub fn register_kernel<B: Backend>(op: &dyn Op, kernel: Kernel<B::Tensor>) -> Result<()> {
    register::<B, B::Tensor>(op, kernel)
}

/// The same for a backend, or for a family of backends that has a type and whose tensors are `T`.
///
/// # Errors
/// Those of [`register_kernel`].
pub fn register<B: 'static, T: 'static>(op: &dyn Op, kernel: Kernel<T>) -> Result<()> {
    if op.op_type() == TypeId::of::<crate::GraphOp>() {
        let message = "was made from a graph at run time: a kernel is registered for an op with a type";
        return Err(Error::new(ErrorKind::Unsupported, message).with_op(op.spec().name()));
    }
    let mut registered = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
    registered.insert((op.op_type(), TypeId::of::<B>()), Box::new(kernel));
    IS_ANY_REGISTERED.store(true, Ordering::Release);
    Ok(())
}

/// The kernel that was registered for an op, or that the op offers for this backend.
pub fn kernel<B: Backend>(op: &dyn Op) -> Option<Kernel<B::Tensor>> {
    kernel_of::<B, B::Tensor>(op)
}

/// The same for a backend, or for a family of backends that has a type and whose tensors are `T`.
pub fn kernel_of<B: 'static, T: 'static>(op: &dyn Op) -> Option<Kernel<T>> {
    registered::<B, T>(op).or_else(|| offered::<B, T>(op))
}

fn offered<B: 'static, T: 'static>(op: &dyn Op) -> Option<Kernel<T>> {
    let offered = op.kernels(TypeId::of::<ByHand<B, T>>())?.downcast_ref::<ByHand<B, T>>()?;
    Some(offered.kernel)
}

fn registered<B: 'static, T: 'static>(op: &dyn Op) -> Option<Kernel<T>> {
    if !IS_ANY_REGISTERED.load(Ordering::Acquire) {
        return None;
    }
    let registered = REGISTERED.read().unwrap_or_else(PoisonError::into_inner);
    registered.get(&(op.op_type(), TypeId::of::<B>()))?.downcast_ref().copied()
}

/// Runs an op by a kernel, and checks what it returns.
pub fn run<B: Backend>(
    kernel: Kernel<B::Tensor>,
    op: &dyn Op,
    args: &[Value<B::Tensor>],
    wanted: &[bool],
) -> Result<Vec<Option<B::Tensor>>> {
    let spec = op.spec();
    checked::<B>(kernel, spec, args, wanted).map_err(|error| error.with_op(spec.name()))
}

fn checked<B: Backend>(
    kernel: Kernel<B::Tensor>,
    spec: &Spec,
    args: &[Value<B::Tensor>],
    wanted: &[bool],
) -> Result<Vec<Option<B::Tensor>>> {
    let graph = spec.graph();
    crate::execute::check_wanted(graph, wanted)?;
    let binding = Binding::from_args(graph, args, B::shape)?;
    let dtypes = Dtypes::from_args(graph, args, B::dtype)?;
    let results = returned::<B>(kernel, spec, args, &binding, &dtypes);
    let results = results.map_err(|error| error.of_backend(&backend_of::<B>(args)))?;
    Ok(results.into_iter().zip(wanted).map(|(result, wanted)| wanted.then_some(result)).collect())
}

/// The name of the backend that has these arguments.
fn backend_of<B: Backend>(args: &[Value<B::Tensor>]) -> String {
    let device = args.iter().find_map(Value::tensor).map(B::device);
    B::name(&device.unwrap_or_default())
}

/// Calls a kernel, and checks what it returns.
fn returned<B: Backend>(
    kernel: Kernel<B::Tensor>,
    spec: &Spec,
    args: &[Value<B::Tensor>],
    binding: &Binding,
    dtypes: &Dtypes,
) -> Result<Vec<B::Tensor>> {
    let graph = spec.graph();
    let results = kernel(&Args { spec, values: args })?;
    if results.len() != graph.outputs.len() {
        let names: Vec<&str> = graph.outputs.iter().map(|output| output.name.as_str()).collect();
        let names = names.join("`, `");
        let message = format!("its kernel returned {} results; declared are `{names}`", results.len());
        return Err(Error::new(ErrorKind::Length, message));
    }
    for (index, result) in results.iter().enumerate() {
        check_returned::<B>(graph, index, binding, dtypes, result)?;
    }
    Ok(results)
}

/// The shape of a result.
pub(crate) fn declared_shape(graph: &Graph, index: usize, binding: &Binding) -> Result<Shape> {
    let output = &graph.outputs[index];
    match output.like {
        Some(arg) => Ok(binding.like_shape(arg)),
        None => binding.result_shape(&output.axes, graph.node(output.node).dims),
    }
}

/// Checks that a kernel returned what is declared.
fn check_returned<B: Backend>(
    graph: &Graph,
    index: usize,
    binding: &Binding,
    dtypes: &Dtypes,
    result: &B::Tensor,
) -> Result<()> {
    let output = &graph.outputs[index];
    let shape = declared_shape(graph, index, binding)?;
    let (found, dtype) = (B::shape(result), dtypes.of_result(graph, index));
    let returned = format!("its kernel returned `{}`", output.name);
    if found != shape {
        let message = format!("{returned} of shape {found}; {shape} is declared");
        return Err(Error::new(ErrorKind::Shape, message));
    }
    if B::dtype(result) != dtype {
        let message = format!("{returned} as {}; {dtype} is declared", B::dtype(result));
        return Err(Error::new(ErrorKind::DType, message));
    }
    Ok(())
}
