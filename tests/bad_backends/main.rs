//! Backends that panic, fail, or return what was not asked for: each is an `Err` that says so, and other
//! tensors stay usable. `hooked` has a backend whose fault is in one function of the trait, for `failing` and
//! `blocking`.

mod blocking;
mod failing;
mod hooked;

use std::sync::atomic::{AtomicBool, Ordering};
use tensor_op::backend::{Backend, Fold, Prim, Value, composed, on_host};
use tensor_op::prelude::tensor_op;
use tensor_op::register_backend;
use tensor_op::{DType, DTypeUsage, Device, Error, ErrorKind, Op, Result, Shape, Tensor, TensorData};

/// What a backend does wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    UploadPanics,
    UploadIsOutOfMemory,
    UploadLosesAxes,
    UploadChangesDtype,
    DownloadPanics,
    DownloadFails,
    DownloadLosesAxes,
    DownloadChangesDtype,
    DownloadLeavesOneOut,
    RunPanics,
    RunFails,
    RunReturnsNothing,
    RunReturnsTooMany,
    RunLeavesOneOut,
    RunReturnsAnotherShape,
    RunReturnsAnotherDtype,
    ApplyPanics,
    ApplyIsShort,
    ApplyReturnsBools,
    ReducePanics,
    ReduceKeepsTheAxis,
    ReduceFails,
    CastDoesNothing,
    SyncPanics,
    SyncFails,
    DeviceDoesNotOpen,
    OpeningPanics,
    CountingPanics,
    DtypesPanic,
}

/// What the backends of this program do: their types differ in this number alone.
const FAULTS: [(Fault, &str); 29] = [
    (Fault::UploadPanics, "panicked: no memory of that size"),
    (Fault::UploadIsOutOfMemory, "out of memory"),
    (Fault::UploadLosesAxes, "made a tensor of shape [6] and f32, which should be [2, 3] and f32"),
    (Fault::UploadChangesDtype, "made a tensor of shape [2, 3] and f64, which should be [2, 3] and f32"),
    (Fault::DownloadPanics, "panicked: the bus is gone"),
    (Fault::DownloadFails, "a driver says no"),
    (Fault::DownloadLosesAxes, "returned data of shape [6] and f32, which should be [2, 3] and f32"),
    (Fault::DownloadChangesDtype, "returned data of shape [2, 3] and f64, which should be [2, 3] and f32"),
    (Fault::DownloadLeavesOneOut, "returned data of 1 tensors for 2"),
    (Fault::RunPanics, "panicked: index out of bounds"),
    (Fault::RunFails, "a driver says no"),
    (Fault::RunReturnsNothing, "returned 0 results in 0 places, and 2 were wanted"),
    (Fault::RunReturnsTooMany, "returned 3 results in 3 places, and 2 were wanted"),
    (Fault::RunLeavesOneOut, "returned 1 results in 2 places, and 2 were wanted"),
    (
        Fault::RunReturnsAnotherShape,
        "returned `out0` of shape [3, 2] and f32, which should be [2, 3] and f32",
    ),
    (
        Fault::RunReturnsAnotherDtype,
        "returned `out0` of shape [2, 3] and f64, which should be [2, 3] and f32",
    ),
    (Fault::ApplyPanics, "panicked: not implemented"),
    (Fault::ApplyIsShort, "shape [2, 3] has 6 elements, but 1 were given"),
    (Fault::ApplyReturnsBools, "panicked: sums and comparisons take two numbers of one kind"),
    (Fault::ReducePanics, "panicked: not implemented"),
    (Fault::ReduceKeepsTheAxis, "scores: "),
    (Fault::ReduceFails, "a driver says no"),
    (Fault::CastDoesNothing, "made a tensor of shape [2, 3] and bf16, which should be [2, 3] and f32"),
    (Fault::SyncPanics, "panicked: the queue is gone"),
    (Fault::SyncFails, "a driver says no"),
    (Fault::DeviceDoesNotOpen, "a driver says no"),
    (Fault::OpeningPanics, "panicked: no driver"),
    (Fault::CountingPanics, "finds no device"),
    (Fault::DtypesPanic, "has no tensors of f32"),
];

/// With these a backend has no device or no dtypes, which is no error of a call.
const WITHOUT_ERROR: [Fault; 2] = [Fault::CountingPanics, Fault::DtypesPanic];

/// A backend with the fault of this number. It has none before [`IS_BAD`] is set.
#[derive(Clone, Copy, Debug)]
struct Bad<const FAULT: usize>;

static IS_BAD: [AtomicBool; FAULTS.len()] = [const { AtomicBool::new(false) }; FAULTS.len()];

impl<const FAULT: usize> Bad<FAULT> {
    fn does(fault: Fault) -> bool {
        FAULTS[FAULT].0 == fault && IS_BAD[FAULT].load(Ordering::Relaxed)
    }

    fn panics(fault: Fault, message: &str) {
        assert!(!Self::does(fault), "{message}");
    }

    fn fails(fault: Fault) -> Result<()> {
        if Self::does(fault) { Err(Error::new(ErrorKind::Backend, "a driver says no")) } else { Ok(()) }
    }

    /// Data as it is, or without axes, or as f64.
    fn data(data: TensorData, flat: Fault, wide: Fault) -> Result<TensorData> {
        let elements = data.elements();
        let data = if Self::does(flat) { data.reshape([elements])? } else { data };
        Ok(if Self::does(wide) { data.cast(DType::F64) } else { data })
    }
}

impl<const FAULT: usize> Backend for Bad<FAULT> {
    type Device = ();
    type Tensor = TensorData;

    fn name((): &()) -> String {
        format!("bad-{FAULT}")
    }
    fn dtype_usage((): &(), _: DType) -> DTypeUsage {
        Self::panics(Fault::DtypesPanic, "no such dtype");
        DTypeUsage::GENERAL
    }
    fn from_data(data: TensorData, (): &()) -> Result<TensorData> {
        Self::panics(Fault::UploadPanics, "no memory of that size");
        if Self::does(Fault::UploadIsOutOfMemory) {
            return Err(Error::new(ErrorKind::Overflow, "out of memory"));
        }
        Self::data(data, Fault::UploadLosesAxes, Fault::UploadChangesDtype)
    }
    fn into_data(tensor: TensorData) -> Result<TensorData> {
        Self::panics(Fault::DownloadPanics, "the bus is gone");
        Self::fails(Fault::DownloadFails)?;
        Self::data(tensor, Fault::DownloadLosesAxes, Fault::DownloadChangesDtype)
    }
    fn into_data_all(tensors: Vec<TensorData>) -> Result<Vec<TensorData>> {
        let left = usize::from(Self::does(Fault::DownloadLeavesOneOut));
        tensors.into_iter().skip(left).map(Self::into_data).collect()
    }
    fn shape(tensor: &TensorData) -> Shape {
        tensor.shape().clone()
    }
    fn dtype(tensor: &TensorData) -> DType {
        tensor.dtype()
    }
    fn device(_: &TensorData) {}

    fn device_count() -> usize {
        Self::panics(Fault::CountingPanics, "no driver");
        1
    }
    fn nth_device(_: usize) -> Result<()> {
        Self::panics(Fault::OpeningPanics, "no driver");
        Self::fails(Fault::DeviceDoesNotOpen)
    }
    fn sync((): &()) -> Result<()> {
        Self::panics(Fault::SyncPanics, "the queue is gone");
        Self::fails(Fault::SyncFails)
    }
    fn run(op: &dyn Op, args: Vec<Value<TensorData>>, wanted: &[bool]) -> Result<Vec<Option<TensorData>>> {
        Self::panics(Fault::RunPanics, "index out of bounds");
        Self::fails(Fault::RunFails)?;
        let mut results = composed::run::<Self>(op, args, wanted)?;
        if Self::does(Fault::RunReturnsNothing) {
            results.clear();
        } else if Self::does(Fault::RunReturnsTooMany) {
            results.push(results[0].clone());
        } else if Self::does(Fault::RunLeavesOneOut) {
            results[1] = None;
        } else if Self::does(Fault::RunReturnsAnotherShape) {
            results[0] = results[0].take().map(|data| data.reshape([3, 2])).transpose()?;
        } else if Self::does(Fault::RunReturnsAnotherDtype) {
            results[0] = results[0].take().map(|data| data.cast(DType::F64));
        }
        Ok(results)
    }
    fn apply(prim: Prim, args: Vec<TensorData>) -> Result<TensorData> {
        Self::panics(Fault::ApplyPanics, "not implemented");
        let right = on_host::apply::<Self>(prim, args)?;
        if Self::does(Fault::ApplyIsShort) {
            return TensorData::new(vec![0.0_f32], [1]);
        }
        Ok(if Self::does(Fault::ApplyReturnsBools) { right.cast(DType::Bool) } else { right })
    }
    fn reduce(fold: Fold, tensor: TensorData, axes: &[usize]) -> Result<TensorData> {
        Self::panics(Fault::ReducePanics, "not implemented");
        Self::fails(Fault::ReduceFails)?;
        if Self::does(Fault::ReduceKeepsTheAxis) {
            return Ok(tensor);
        }
        on_host::reduce::<Self>(fold, tensor, axes)
    }
    fn cast(tensor: TensorData, dtype: DType) -> Result<TensorData> {
        if Self::does(Fault::CastDoesNothing) { Ok(tensor) } else { on_host::cast::<Self>(tensor, dtype) }
    }
}

/// Uses elementwise primitives, a reduction, and a cast where the arguments are halves.
#[tensor_op(tests = false)]
#[no_grad]
fn scores(x: Tensor![m, n]) -> (Tensor![m, n], Tensor![m]) {
    let e = exp(x);
    (e / sum(e, n), sum(x * x, n))
}

/// Moves tensors to the device, runs an op on them, and reads the results.
fn use_all(device: &str) -> Result<()> {
    let device = Device::new(device)?;
    for dtype in [DType::F32, DType::BF16] {
        let x = Tensor::from([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]).cast(dtype)?;
        let (y, z) = scores(x.to(&device)?)?;
        // Data that is left out must not become that of the tensor behind it.
        let read = pollster::block_on(Tensor::to_data_all_async(&[&y, &z, &x]))?;
        assert_eq!(read[2], x.to_data()?);
        y.cast(DType::F32)?.to_vec::<f32>()?;
        z.cast(DType::F32)?.to_vec::<f32>()?;
    }
    device.sync()
}

/// What is wrong with the error of a fault.
fn check<const FAULT: usize>() -> Option<String> {
    let (fault, words) = FAULTS[FAULT];
    let name = format!("bad-{FAULT}");
    register_backend::<Bad<FAULT>>(&name).expect("a new name");
    use_all(&name).unwrap_or_else(|error| panic!("without {fault:?}: {error}"));
    let before = Tensor::from([[1.0_f32, 2.0]]).to(&Device::new(&name).expect("it is registered"));
    let before = before.expect("nothing is wrong yet");

    IS_BAD[FAULT].store(true, Ordering::Relaxed);
    let error = match use_all(&name) {
        Ok(()) => return Some(format!("{fault:?} does not show")),
        Err(error) => error.to_string(),
    };
    let named = format!("the backend `{name}`: ");
    let names_it = error.contains(if WITHOUT_ERROR.contains(&fault) { &name } else { &named });
    let told = if error.contains(words) && names_it { None } else { Some(format!("{fault:?}: {error}")) };

    IS_BAD[FAULT].store(false, Ordering::Relaxed);
    use_all(&name).unwrap_or_else(|error| panic!("after {fault:?}: {error}"));
    assert_eq!(before.to_vec::<f32>().expect("it is as it was"), [1.0, 2.0]);
    told
}

macro_rules! checks {
    ($($fault:literal)*) => {
        #[test]
        fn each_fault_is_an_error() {
            assert_eq!([$($fault),*].len(), FAULTS.len());
            let wrong: Vec<String> = [$(check::<$fault>()),*].into_iter().flatten().collect();
            assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        }
    };
}

checks!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28);
