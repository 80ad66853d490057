//! What [`Bridge`](super::Bridge) does for any backend, on a device with a time limit: each call goes to
//! another thread, with arguments that it may keep.

use super::erased::{Downloading, Erased, ErasedTensor};
use super::watch::{Ask, Watch};
use super::{ErasedBackend, Range, far};
use crate::recording::{Recording, Step};
use crate::{DType, DTypeUsage, Draw, MemoryUse, Op, Result, Shape, TensorData, Value};
use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;
use tensor_op_spec::ir::Scalar;
use tensor_op_spec::prim::{Fold, Prim};

/// The backend of a device with a time limit.
pub(crate) struct Watched {
    watch: &'static Watch,
    /// What the backend does with dtypes, as far as it was asked. A device that is lost can't be asked again.
    usages: RwLock<Vec<(DType, DTypeUsage)>>,
}

impl Watched {
    pub(crate) fn new(
        backend: &'static dyn ErasedBackend,
        name: &'static str,
        device: String,
        limit: Duration,
    ) -> &'static Watched {
        let watch = Watch::new(backend, name, device, limit);
        Box::leak(Box::new(Watched { watch, usages: RwLock::default() }))
    }

    /// Whether a call has blocked.
    pub(crate) fn is_lost(&self) -> bool {
        self.watch.is_lost()
    }

    pub(crate) fn limit(&self) -> Duration {
        self.watch.limit
    }

    /// The device gets another limit, or none.
    pub(crate) fn replace(&self) {
        self.watch.replace();
    }

    /// What is known of a dtype, or what `ask` finds.
    fn usage(
        &self,
        dtype: DType,
        ask: impl FnOnce(&'static dyn ErasedBackend, ()) -> Result<DTypeUsage> + Send + 'static,
    ) -> DTypeUsage {
        let known = self.usages.read().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, usage)) = known.iter().find(|(own, _)| *own == dtype) {
            return *usage;
        }
        drop(known);
        match self.watch.call("dtype_usage", (), ask) {
            Ok(usage) => {
                self.usages.write().unwrap_or_else(PoisonError::into_inner).push((dtype, usage));
                usage
            }
            // Callers go on to what they want the dtype for: its error says that the device is lost.
            Err(_) => DTypeUsage::GENERAL,
        }
    }

    /// A future of a call, which waits on a thread of its own.
    fn later<T: Send + 'static>(&self, call: impl FnOnce() -> Result<T> + Send + 'static) -> Downloading<T> {
        let place = Arc::new(Mutex::new(Arriving { found: None, waker: None }));
        let there = place.clone();
        let started = thread::Builder::new().spawn(move || arrive(&there, call()));
        if let Err(why) = started {
            arrive(&place, Err(self.watch.failed(format!("a time limit needs a thread: {why}"))));
        }
        Box::pin(poll_fn(move |context| {
            let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
            place.waker = Some(context.waker().clone());
            place.found.take().map_or(Poll::Pending, Poll::Ready)
        }))
    }
}

/// The result of a call on another thread, and who waits for it.
struct Arriving<T> {
    found: Option<Result<T>>,
    waker: Option<Waker>,
}

fn arrive<T>(place: &Mutex<Arriving<T>>, found: Result<T>) {
    let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
    place.found = Some(found);
    let waker = place.waker.take();
    drop(place);
    waker.inspect(Waker::wake_by_ref);
}

/// Waits for a future on this thread.
fn wait<T>(mut future: Downloading<T>) -> Result<T> {
    let waker = Waker::from(Arc::new(Unparked(thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(found) => return found,
            Poll::Pending => thread::park(),
        }
    }
}

/// A thread that waits for a future.
struct Unparked(Thread);

impl Wake for Unparked {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

#[rustfmt::skip]
impl ErasedBackend for Watched {
    fn device_count(&self) -> usize {
        self.watch.call("device_count", (), |backend, ()| Ok(backend.device_count())).unwrap_or(0)
    }
    fn open(&self, device: usize) -> Result<()> {
        self.watch.call("nth_device", (), move |backend, ()| backend.open(device))
    }
    fn dtype_usage(&self, device: usize, dtype: DType) -> DTypeUsage {
        self.usage(dtype, move |backend, ()| Ok(backend.dtype_usage(device, dtype)))
    }
    fn ad_enabled(&self, device: usize) -> bool {
        self.watch.call("ad_enabled", (), move |backend, ()| Ok(backend.ad_enabled(device))).unwrap_or(false)
    }
    fn sync(&self, device: usize) -> Result<()> {
        self.watch.call("sync", (), move |backend, ()| backend.sync(device))
    }
    fn memory_cleanup(&self, device: usize) {
        // It has no error; the next call tells that the device is lost.
        let _ = self.watch.call("memory_cleanup", (), move |backend, ()| { backend.memory_cleanup(device); Ok(()) });
    }
    fn memory(&self, device: usize) -> Option<MemoryUse> {
        self.watch.call("memory", (), move |backend, ()| Ok(backend.memory(device))).ok()?
    }
    fn reset_peak_memory(&self, device: usize) {
        let _ = self.watch.call("reset_peak_memory", (), move |backend, ()| { backend.reset_peak_memory(device); Ok(()) });
    }
    fn persistent(&self, device: usize, task: &mut (dyn FnMut() + Send)) {
        let work = move |backend: &'static dyn ErasedBackend, (), ask: &mut Ask<'_, (), ()>| {
            backend.persistent(device, &mut || drop(ask(())));
            Ok(())
        };
        let mut has_run = false;
        let _ = self.watch.converse(self.watch.worker(), "persistent", (), work, &mut |()| { has_run = true; task(); Ok(()) });
        if !has_run {
            task();
        }
    }
    fn begin_together(&self, device: usize) {
        let _ = self.watch.call("begin_together", (), move |backend, ()| { backend.begin_together(device); Ok(()) });
    }
    fn end_together(&self, device: usize) {
        let _ = self.watch.call("end_together", (), move |backend, ()| { backend.end_together(device); Ok(()) });
    }
    /// The worker gets data of its own, since the caller may not wait for it.
    fn staging(&self, data: &mut [TensorData], device: usize) {
        let work = move |backend: &dyn ErasedBackend, mut own: Vec<TensorData>| { backend.staging(&mut own, device); Ok(own) };
        if let Ok(mut staged) = self.watch.call("staging", data.to_vec(), work) {
            data.swap_with_slice(&mut staged);
        }
    }
    fn record(&self, device: usize, state: &[&Erased], inputs: &[&Erased], step: &mut Step<'_, Erased>) -> Result<Option<Box<dyn Recording<Erased>>>> {
        far::record(self.watch, device, [state, inputs], step)
    }
    fn has_transport(&self, devices: &[usize]) -> bool {
        let devices = devices.to_vec();
        self.watch.call("has_transport", (), move |backend, ()| Ok(backend.has_transport(&devices))).unwrap_or(false)
    }
    fn all_reduce_mean(&self, tensor: Erased, devices: &[usize], meet: &mut dyn FnMut() -> Result<()>) -> Result<Erased> {
        let devices = devices.to_vec();
        let work = move |backend: &'static dyn ErasedBackend, tensor, ask: &mut Ask<'_, (), ()>| {
            backend.all_reduce_mean(tensor, &devices, &mut || ask(()))
        };
        self.watch.converse(self.watch.worker(), "all_reduce_mean", tensor, work, &mut |()| meet())
    }
    fn upload(&self, data: TensorData, device: usize) -> Result<Erased> {
        self.watch.call("from_data", data, move |backend, data| backend.upload(data, device))
    }
    fn download(&self, tensor: Erased) -> Result<TensorData> {
        self.watch.call("into_data", tensor, |backend, tensor| backend.download(tensor))
    }
    fn download_async(&self, tensor: Erased) -> Downloading<TensorData> {
        let watch = self.watch;
        self.later(move || watch.call("into_data_async", tensor, |backend, tensor| wait(backend.download_async(tensor))))
    }
    fn download_all(&self, tensors: Vec<Erased>) -> Result<Vec<TensorData>> {
        self.watch.call("into_data_all", tensors, |backend, tensors| backend.download_all(tensors))
    }
    fn download_all_async(&self, tensors: Vec<Erased>) -> Downloading<Vec<TensorData>> {
        let watch = self.watch;
        let read = |backend: &dyn ErasedBackend, tensors| wait(backend.download_all_async(tensors));
        self.later(move || watch.call("into_data_all_async", tensors, read))
    }
    fn to_device(&self, tensor: Erased, device: usize) -> Result<Erased> {
        self.watch.call("to_device", tensor, move |backend, tensor| backend.to_device(tensor, device))
    }
    fn shape(&self, tensor: &dyn ErasedTensor) -> Shape {
        self.watch.backend.shape(tensor)
    }
    fn dtype(&self, tensor: &dyn ErasedTensor) -> DType {
        self.watch.backend.dtype(tensor)
    }
    fn run(&self, op: &dyn Op, args: Vec<Value<Erased>>, wanted: &[bool]) -> Result<Vec<Option<Erased>>> {
        let (shared, wanted) = (op.shared(), wanted.to_vec());
        let results = self.watch.call("run", args, move |backend, args| backend.run(&*shared, args, &wanted));
        results.map_err(|error| error.with_op(op.spec().name()))
    }
    fn apply(&self, prim: Prim, args: Vec<Erased>) -> Result<Erased> {
        self.watch.call("apply", args, move |backend, args| backend.apply(prim, args))
    }
    fn reduce(&self, fold: Fold, tensor: Erased, axes: &[usize]) -> Result<Erased> {
        let axes = axes.to_vec();
        self.watch.call("reduce", tensor, move |backend, tensor| backend.reduce(fold, tensor, &axes))
    }
    fn matmul(&self, lhs: Erased, rhs: Erased) -> Result<Erased> {
        self.watch.call("matmul", (lhs, rhs), |backend, (lhs, rhs)| backend.matmul(lhs, rhs))
    }
    fn gather(&self, tensor: Erased, axis: usize, index: Erased) -> Result<Erased> {
        self.watch.call("gather", (tensor, index), move |backend, (tensor, index)| backend.gather(tensor, axis, index))
    }
    fn scatter_add(&self, source: Erased, axis: usize, index: Erased, size: usize) -> Result<Erased> {
        let work = move |backend: &dyn ErasedBackend, (source, index)| backend.scatter_add(source, axis, index, size);
        self.watch.call("scatter_add", (source, index), work)
    }
    fn cast(&self, tensor: Erased, dtype: DType) -> Result<Erased> {
        self.watch.call("cast", tensor, move |backend, tensor| backend.cast(tensor, dtype))
    }
    fn reshape(&self, tensor: Erased, shape: Shape) -> Result<Erased> {
        self.watch.call("reshape", tensor, move |backend, tensor| backend.reshape(tensor, shape))
    }
    fn permute(&self, tensor: Erased, axes: &[usize]) -> Result<Erased> {
        let axes = axes.to_vec();
        self.watch.call("permute", tensor, move |backend, tensor| backend.permute(tensor, &axes))
    }
    fn expand(&self, tensor: Erased, shape: Shape) -> Result<Erased> {
        self.watch.call("expand", tensor, move |backend, tensor| backend.expand(tensor, shape))
    }
    fn slice(&self, tensor: Erased, ranges: &[Range]) -> Result<Erased> {
        let ranges = ranges.to_vec();
        self.watch.call("slice", tensor, move |backend, tensor| backend.slice(tensor, &ranges))
    }
    fn slice_assign(&self, into: Erased, ranges: &[Range], source: Erased) -> Result<Erased> {
        let ranges = ranges.to_vec();
        let work = move |backend: &dyn ErasedBackend, (into, source)| backend.slice_assign(into, &ranges, source);
        self.watch.call("slice_assign", (into, source), work)
    }
    fn cat(&self, tensors: Vec<Erased>, axis: usize) -> Result<Erased> {
        self.watch.call("cat", tensors, move |backend, tensors| backend.cat(tensors, axis))
    }
    fn full(&self, shape: Shape, value: Scalar, dtype: DType, device: usize) -> Result<Erased> {
        self.watch.call("full", (), move |backend, ()| backend.full(shape, value, dtype, device))
    }
    fn random(&self, draw: &Draw, device: usize) -> Result<Erased> {
        let draw = draw.clone();
        self.watch.call("random", (), move |backend, ()| backend.random(&draw, device))
    }
}
