//! Calls of backends that somebody else wrote. They may panic, fail, or return what was not asked for: each
//! is an `Err` that names the backend.

use super::expected::Form;
use crate::bind::{Binding, Dtypes};
use crate::{Backend, DType, Error, ErrorKind, Op, Result, Shape, TensorData, Value};
use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::task::Poll;

/// Calls a function of a backend, which is named by the error that it returns or panics with. A backend that
/// checks itself tells what is wrong with a call, as it would be on any device: only its failures are named.
pub(super) fn call<B: Backend, R>(backend: &str, run: impl FnOnce() -> Result<R>) -> Result<R> {
    caught(backend, run).map_err(|error| match B::CHECKS_ITSELF && error.kind() != ErrorKind::Backend {
        true => error,
        false => error.of_backend(backend),
    })
}

/// Calls a function of a backend that calls the program back, through [`Program::answer`].
pub(super) fn call_back<B: Backend, R>(
    backend: &str,
    run: impl FnOnce(&mut Program) -> Result<R>,
) -> Result<R> {
    let mut program = Program::default();
    let found = call::<B, R>(backend, || run(&mut program));
    program.outcome(found)
}

/// What went wrong in the program while a backend called it back. The backend is not to blame for it.
#[derive(Default)]
pub(super) struct Program {
    error: Option<Error>,
    panic: Option<Box<dyn Any + Send>>,
}

impl Program {
    /// Runs a part of the program. The backend gets an `Err` also if it panics.
    pub(super) fn answer<R>(&mut self, run: impl FnOnce() -> Result<R>) -> Result<R> {
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(found) => found.inspect_err(|error| self.error = Some(error.clone())),
            Err(panic) => {
                self.panic = Some(panic);
                Err(Error::new(ErrorKind::Backend, "the program that was called back panicked"))
            }
        }
    }

    /// The outcome of the call of the backend: a panic of the program goes on, and an error of the program is
    /// the one to tell.
    pub(super) fn outcome<R>(mut self, found: Result<R>) -> Result<R> {
        self.resume();
        found.map_err(|error| self.error.unwrap_or(error))
    }

    /// Runs a part of the program that has no result.
    pub(super) fn run(&mut self, task: impl FnOnce()) {
        self.panic = catch_unwind(AssertUnwindSafe(task)).err().or(self.panic.take());
    }

    /// Lets a panic go on.
    pub(super) fn resume(&mut self) {
        if let Some(panic) = self.panic.take() {
            resume_unwind(panic);
        }
    }
}

/// Runs what may panic in functions of a backend.
pub(super) fn caught<R>(backend: &str, run: impl FnOnce() -> Result<R>) -> Result<R> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| Err(of_panic(backend, &*panic)))
}

/// A future of a backend, which is named by the error that it returns or panics with.
pub(super) fn polled<B: Backend, T: Send>(
    backend: String,
    future: impl Future<Output = Result<T>> + Send,
) -> impl Future<Output = Result<T>> + Send {
    let mut future = Box::pin(future);
    poll_fn(move |context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(result)) => Poll::Ready(call::<B, T>(&backend, || result)),
        Err(panic) => Poll::Ready(Err(of_panic(&backend, &*panic))),
    })
}

/// Calls a function that has no errors; `otherwise` is the result of one that panics.
pub(super) fn call_or<R>(otherwise: R, run: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or(otherwise)
}

fn of_panic(backend: &str, panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    wrong(backend, format!("panicked: {}", text.unwrap_or("no message")))
}

fn wrong(backend: &str, what: impl Into<String>) -> Error {
    Error::new(ErrorKind::Backend, what).of_backend(backend)
}

/// Moves data to the device, and checks what the backend makes of it.
pub(super) fn upload<B: Backend>(backend: &str, data: TensorData, device: &B::Device) -> Result<B::Tensor> {
    let (shape, dtype) = (data.shape().clone(), data.dtype());
    if !B::CHECKS_ITSELF && !call_or(false, || B::supports_dtype(device, dtype)) {
        let message = format!("has no tensors of {dtype}; cast to another dtype before the move");
        return Err(Error::new(ErrorKind::DType, message));
    }
    let form = (!B::CHECKS_ITSELF).then_some((shape, dtype));
    made::<B>(backend, form, || B::from_data(data, device))
}

/// Reads a tensor, and checks what the backend returns.
pub(crate) fn download<B: Backend>(backend: &str, tensor: B::Tensor) -> Result<TensorData> {
    let (shape, dtype) = (B::shape(&tensor), B::dtype(&tensor));
    let data = B::into_data(tensor)?;
    if !B::CHECKS_ITSELF {
        same(backend, (data.shape(), data.dtype()), (&shape, dtype), "returned data")?;
    }
    Ok(data)
}

/// Does the same without blocking.
pub(super) fn download_async<B: Backend>(
    backend: &str,
    tensor: B::Tensor,
) -> Result<impl Future<Output = Result<TensorData>> + Send + use<B>> {
    let (backend, shape, dtype) = (backend.to_string(), B::shape(&tensor), B::dtype(&tensor));
    let found = B::into_data_async(tensor);
    Ok(async move {
        let data = found.await?;
        if !B::CHECKS_ITSELF {
            same(&backend, (data.shape(), data.dtype()), (&shape, dtype), "returned data")?;
        }
        Ok(data)
    })
}

/// Reads several tensors, and checks what the backend returns.
pub(super) fn download_all<B: Backend>(backend: &str, tensors: Vec<B::Tensor>) -> Result<Vec<TensorData>> {
    if B::CHECKS_ITSELF {
        return B::into_data_all(tensors);
    }
    let forms: Vec<(Shape, DType)> = tensors.iter().map(|x| (B::shape(x), B::dtype(x))).collect();
    read_as(backend, B::into_data_all(tensors)?, &forms)
}

/// Does the same without blocking.
pub(super) fn download_all_async<B: Backend>(
    backend: &str,
    tensors: Vec<B::Tensor>,
) -> Result<impl Future<Output = Result<Vec<TensorData>>> + Send + use<B>> {
    let (backend, forms) = (backend.to_string(), tensors.iter().map(|x| (B::shape(x), B::dtype(x))));
    let forms: Vec<(Shape, DType)> = forms.collect();
    let found = B::into_data_all_async(tensors);
    Ok(async move { read_as(&backend, found.await?, &forms) })
}

/// The data that a backend has read, if it is that of tensors of these shapes and dtypes.
fn read_as(backend: &str, found: Vec<TensorData>, forms: &[(Shape, DType)]) -> Result<Vec<TensorData>> {
    if found.len() != forms.len() {
        return Err(wrong(backend, format!("returned data of {} tensors for {}", found.len(), forms.len())));
    }
    for (data, (shape, dtype)) in found.iter().zip(forms) {
        same(backend, (data.shape(), data.dtype()), (shape, *dtype), "returned data")?;
    }
    Ok(found)
}

/// Makes a tensor, and checks that it has this form, if there is one.
pub(super) fn made<B: Backend>(
    backend: &str,
    form: Option<Form>,
    make: impl FnOnce() -> Result<B::Tensor>,
) -> Result<B::Tensor> {
    let tensor = make()?;
    if let Some((shape, dtype)) = form {
        same(backend, (&B::shape(&tensor), B::dtype(&tensor)), (&shape, dtype), "made a tensor")?;
    }
    Ok(tensor)
}

/// Checks tensors that were made together.
pub(super) fn all_made<B: Backend>(
    backend: &str,
    tensors: Vec<B::Tensor>,
    forms: &[Form],
) -> Result<Vec<B::Tensor>> {
    if B::CHECKS_ITSELF {
        return Ok(tensors);
    }
    if tensors.len() != forms.len() {
        return Err(wrong(backend, format!("made {} tensors for {}", tensors.len(), forms.len())));
    }
    let checked = tensors.into_iter().zip(forms);
    checked.map(|(tensor, form)| made::<B>(backend, Some(form.clone()), || Ok(tensor))).collect()
}

/// Runs an op, and checks the results.
pub(super) fn run<B: Backend>(
    backend: &str,
    op: &dyn Op,
    args: Vec<Value<B::Tensor>>,
    wanted: &[bool],
) -> Result<Vec<Option<B::Tensor>>> {
    if B::CHECKS_ITSELF {
        return call::<B, _>(backend, || B::run(op, args, wanted));
    }
    caught(backend, || run_checked::<B>(backend, op, args, wanted))
}

fn run_checked<B: Backend>(
    backend: &str,
    op: &dyn Op,
    args: Vec<Value<B::Tensor>>,
    wanted: &[bool],
) -> Result<Vec<Option<B::Tensor>>> {
    let graph = op.spec().graph();
    let name = |error: Error| error.with_op(&graph.name);
    crate::execute::check_wanted(graph, wanted)?;
    let binding = Binding::from_args(graph, &args, B::shape).map_err(name)?;
    let dtypes = Dtypes::from_args(graph, &args, B::dtype).map_err(name)?;
    let results = call::<B, _>(backend, || B::run(op, args, wanted)).map_err(name)?;
    if !results.iter().map(Option::is_some).eq(wanted.iter().copied()) {
        let found = results.iter().flatten().count();
        let asked = wanted.iter().filter(|wanted| **wanted).count();
        let message =
            format!("returned {found} results in {} places, and {asked} were wanted", results.len());
        return Err(name(wrong(backend, message)));
    }
    for (index, result) in results.iter().enumerate() {
        let Some(result) = result else { continue };
        let shape = crate::by_hand::declared_shape(graph, index, &binding)?;
        let what = format!("returned `{}`", graph.outputs[index].name);
        let declared = (&shape, dtypes.of_result(graph, index));
        same(backend, (&B::shape(result), B::dtype(result)), declared, &what).map_err(name)?;
    }
    Ok(results)
}

fn same(backend: &str, found: (&Shape, DType), wanted: (&Shape, DType), what: &str) -> Result<()> {
    if found == wanted {
        return Ok(());
    }
    let ((shape, dtype), (right, wanted)) = (found, wanted);
    Err(wrong(backend, format!("{what} of shape {shape} and {dtype}, which should be {right} and {wanted}")))
}
