//! A backend as a third party would write it: only storage and structural primitives, which it borrows from
//! the CPU backend. Every op runs on it as a composition. A fault can be added to it.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};
use tensor_op::backend::{Backend, Fold, Prim, Scalar};
use tensor_op::{DType, DTypeUsage, Error, ErrorKind, NdArray, Result, Shape, TensorData};

/// The CPU backend without its kernels, but with a fault.
#[derive(Clone, Debug)]
pub(crate) struct Faulty<F>(PhantomData<F>);

/// The backend without a fault.
pub(crate) type Composed = Faulty<Sound>;

/// The possible faults of a backend. By default there is none.
pub(crate) trait Fault: Clone + Debug + Send + Sync + 'static {
    const TRANSPOSES_IN_PLACE: bool = false;
    const SKIPS_THE_LAST: bool = false;
    const CLAMPS_INDICES: bool = false;
    const PANICS_ON_EMPTY: bool = false;
    const TAKES_I64_INDICES_ONLY: bool = false;
    const SUMS_AS_THREADS_COME: bool = false;
    const LOSES_ELEMENTS_ON_THE_WAY: bool = false;
    const DOUBLES_THE_MEAN: bool = false;
    const LACKS_HALVES: bool = false;
    const DIVIDES_NO_F64: bool = false;
}

/// No fault.
#[derive(Clone, Debug)]
pub(crate) struct Sound;
impl Fault for Sound {}

type Inner = NdArray;
type InnerTensor = <NdArray as Backend>::Tensor;
type InnerDevice = <NdArray as Backend>::Device;

impl<F: Fault> Backend for Faulty<F> {
    type Device = InnerDevice;
    type Tensor = InnerTensor;

    fn name(_: &InnerDevice) -> String {
        "composed".to_string()
    }
    fn device_count() -> usize {
        1
    }
    fn dtype_usage(device: &InnerDevice, dtype: DType) -> DTypeUsage {
        let is_half = dtype == DType::F16 || dtype == DType::BF16;
        if F::LACKS_HALVES && is_half { DTypeUsage::NONE } else { Inner::dtype_usage(device, dtype) }
    }
    /// From a device to itself.
    fn has_transport(devices: &[InnerDevice]) -> bool {
        devices.len() == 1
    }
    fn all_reduce_mean(
        tensor: InnerTensor,
        _: &[InnerDevice],
        meet: &mut dyn FnMut() -> Result<()>,
    ) -> Result<InnerTensor> {
        meet()?;
        let parts = vec![tensor.clone(), tensor.clone()];
        if F::DOUBLES_THE_MEAN { Inner::apply(Prim::Add, parts) } else { Ok(tensor) }
    }
    fn sync(device: &InnerDevice) -> Result<()> {
        Inner::sync(device)
    }
    fn memory_cleanup(device: &InnerDevice) {
        Inner::memory_cleanup(device);
    }
    fn from_data(data: TensorData, device: &InnerDevice) -> Result<InnerTensor> {
        Inner::from_data(data, device)
    }
    fn into_data(tensor: InnerTensor) -> Result<TensorData> {
        Inner::into_data(tensor)
    }
    fn to_device(tensor: InnerTensor, device: &InnerDevice) -> Result<InnerTensor> {
        if F::LOSES_ELEMENTS_ON_THE_WAY {
            return Inner::full(Inner::shape(&tensor), Scalar::Int(0), Inner::dtype(&tensor), device);
        }
        Inner::to_device(tensor, device)
    }
    fn shape(tensor: &InnerTensor) -> Shape {
        Inner::shape(tensor)
    }
    fn dtype(tensor: &InnerTensor) -> DType {
        Inner::dtype(tensor)
    }
    fn device(tensor: &InnerTensor) -> InnerDevice {
        Inner::device(tensor)
    }
    fn apply(prim: Prim, args: Vec<InnerTensor>) -> Result<InnerTensor> {
        let divides = matches!(prim, Prim::Div | Prim::Recip) && Inner::dtype(&args[0]) == DType::F64;
        if F::DIVIDES_NO_F64 && divides {
            return Err(Error::new(ErrorKind::Unsupported, "no division of f64"));
        }
        Inner::apply(prim, args)
    }
    fn reduce(fold: Fold, mut tensor: InnerTensor, axes: &[usize]) -> Result<InnerTensor> {
        let shape = Inner::shape(&tensor);
        assert!(!(F::PANICS_ON_EMPTY && shape.contains(&0)), "attempt to divide by zero");
        if F::SKIPS_THE_LAST && fold == Fold::Sum && axes.iter().all(|axis| shape[*axis] > 16) {
            let mut ranges: Vec<_> = shape.iter().map(|size| (0, *size, 1)).collect();
            axes.iter().for_each(|axis| ranges[*axis].1 -= 1);
            tensor = Inner::slice(tensor, &ranges)?;
        }
        Inner::reduce(fold, tensor, axes)
    }
    fn matmul(lhs: InnerTensor, rhs: InnerTensor) -> Result<InnerTensor> {
        Inner::matmul(lhs, rhs)
    }
    fn gather(tensor: InnerTensor, axis: usize, mut index: InnerTensor) -> Result<InnerTensor> {
        assert!(!F::TAKES_I64_INDICES_ONLY || Inner::dtype(&index) == DType::I64, "indices are i64");
        if F::CLAMPS_INDICES {
            let last = Scalar::Int(Inner::shape(&tensor)[axis] as i64 - 1);
            let last = Inner::full(Inner::shape(&index), last, Inner::dtype(&index), &Inner::device(&index))?;
            index = Inner::apply(Prim::Minimum, vec![index, last])?;
        }
        Inner::gather(tensor, axis, index)
    }
    fn scatter_add(source: InnerTensor, axis: usize, index: InnerTensor, size: usize) -> Result<InnerTensor> {
        static CALLS: AtomicUsize = AtomicUsize::new(0);
        let rows = Inner::shape(&source).first().copied().unwrap_or(0);
        if F::SUMS_AS_THREADS_COME && rows > 1 && CALLS.fetch_add(1, Ordering::Relaxed) % 2 == 1 {
            let part = |tensor: &InnerTensor, from: usize, to: usize| {
                let mut ranges: Vec<_> = Inner::shape(tensor).iter().map(|size| (0, *size, 1)).collect();
                ranges[0] = (from, to, 1);
                Inner::slice(tensor.clone(), &ranges)
            };
            let sum =
                |from, to| Inner::scatter_add(part(&source, from, to)?, axis, part(&index, from, to)?, size);
            if axis == 0 {
                return Inner::apply(Prim::Add, vec![sum(0, rows / 2)?, sum(rows / 2, rows)?]);
            }
        }
        Inner::scatter_add(source, axis, index, size)
    }
    fn cast(tensor: InnerTensor, dtype: DType) -> Result<InnerTensor> {
        Inner::cast(tensor, dtype)
    }
    fn reshape(tensor: InnerTensor, shape: Shape) -> Result<InnerTensor> {
        Inner::reshape(tensor, shape)
    }
    fn permute(tensor: InnerTensor, axes: &[usize]) -> Result<InnerTensor> {
        if F::TRANSPOSES_IN_PLACE {
            let shape: Shape = axes.iter().map(|axis| Inner::shape(&tensor)[*axis]).collect();
            return Inner::reshape(tensor, shape);
        }
        Inner::permute(tensor, axes)
    }
    fn expand(tensor: InnerTensor, shape: Shape) -> Result<InnerTensor> {
        Inner::expand(tensor, shape)
    }
    fn slice(tensor: InnerTensor, ranges: &[(usize, usize, usize)]) -> Result<InnerTensor> {
        Inner::slice(tensor, ranges)
    }
    fn slice_assign(
        into: InnerTensor,
        ranges: &[(usize, usize, usize)],
        source: InnerTensor,
    ) -> Result<InnerTensor> {
        Inner::slice_assign(into, ranges, source)
    }
    fn cat(tensors: Vec<InnerTensor>, axis: usize) -> Result<InnerTensor> {
        Inner::cat(tensors, axis)
    }
    fn full(shape: Shape, value: Scalar, dtype: DType, device: &InnerDevice) -> Result<InnerTensor> {
        Inner::full(shape, value, dtype, device)
    }
}
