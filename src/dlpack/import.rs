//! A tensor from another library.

use super::{CPU, CUDA, DlPack, RawTensor, VERSION, raw_dtype, wrong};
use crate::{DType, Element, Error, ErrorKind, Result, Shape, Tensor, TensorData};
use tensor_op_core::{match_dtype, memory};
use tensor_op_ndarray::{Lent, NdArrayTensor, Stored};

impl TryFrom<DlPack> for Tensor {
    type Error = Error;

    /// A tensor on the CPU that shares the memory, with its strides, until its last user is gone. Nothing is
    /// ever written there: the other library may hold it too. Bools are copied, because a byte of another
    /// library may be neither 0 nor 1, and so is memory whose address is no multiple of an element's size.
    /// Memory of CUDA is copied on its device, and the tensor is there.
    ///
    /// # Errors
    /// The version, the device or the dtype is another one, or sizes or strides are impossible. On CUDA also
    /// a negative stride, or a device that fails. The deleter is called then too.
    fn try_from(pack: DlPack) -> Result<Tensor> {
        let managed = pack.managed();
        if managed.version.major != VERSION.major {
            let message = format!(
                "the struct is of version {}.{}, and version {} is known",
                managed.version.major, managed.version.minor, VERSION.major
            );
            return Err(wrong(ErrorKind::Unsupported, message));
        }
        check_device(&managed.tensor)?;
        let view = View::new(&managed.tensor)?;
        #[cfg(feature = "cuda")]
        if managed.tensor.device.device_type == super::CUDA {
            return super::cuda::copied(&view, managed.tensor.device.device_id);
        }
        let tensor = match_dtype!(view.dtype, T => tensor::<T>(pack, &view)?);
        Tensor::of_cpu(tensor)
    }
}

/// Returns an `Err` unless memory of this device is known.
fn check_device(raw: &RawTensor) -> Result<()> {
    let why = match raw.device.device_type {
        CPU => return Ok(()),
        CUDA if cfg!(feature = "cuda") => return Ok(()),
        CUDA => "CUDA, for which this build lacks the feature `cuda`",
        _ => "neither the CPU nor CUDA, which is not supported",
    };
    let message = format!(
        "the memory is that of device type {}: {why}; copy it to the CPU first",
        raw.device.device_type
    );
    Err(wrong(ErrorKind::Unsupported, message))
}

/// What was checked: where elements are.
pub(super) struct View {
    pub(super) dtype: DType,
    pub(super) shape: Vec<usize>,
    pub(super) strides: Vec<isize>,
    /// The address of the lowest element.
    pub(super) start: *const u8,
    /// Elements from the lowest to the highest, both included; 0 if there are none.
    pub(super) len: usize,
    /// Place of the first element.
    pub(super) offset: usize,
}

impl View {
    fn new(raw: &RawTensor) -> Result<View> {
        let dtype = DType::ALL.into_iter().find(|dtype| raw_dtype(*dtype) == raw.dtype).ok_or_else(|| {
            let super::RawDType { code, bits, lanes } = raw.dtype;
            let message =
                format!("there are no tensors of the dtype with code {code}, {bits} bits and {lanes} lanes");
            wrong(ErrorKind::DType, message)
        })?;
        let rank = usize::try_from(raw.ndim)
            .map_err(|_| wrong(ErrorKind::Rank, format!("the number of axes is {}", raw.ndim)))?;
        let impossible = |what: &str| wrong(ErrorKind::Shape, format!("{what} is impossible"));
        // SAFETY: the specification says that there are as many sizes and strides as axes.
        let (sizes, strides) = unsafe { (list(raw.shape, rank), list(raw.strides, rank)) };
        let sizes = sizes.ok_or_else(|| impossible("a shape that is null"))?;
        let shape: Vec<usize> = sizes
            .iter()
            .map(|size| usize::try_from(*size).map_err(|_| impossible(&format!("the size {size}"))))
            .collect::<Result<_>>()?;
        let elements = Shape::new(&shape).elements()?;
        let strides: Vec<isize> = match strides {
            Some(strides) => strides
                .iter()
                .map(|stride| {
                    isize::try_from(*stride).map_err(|_| impossible(&format!("the stride {stride}")))
                })
                .collect::<Result<_>>()?,
            None => Shape::new(&shape).strides().iter().map(|stride| *stride as isize).collect(),
        };
        let mut view = View { dtype, shape, strides, start: std::ptr::null(), len: 0, offset: 0 };
        if elements > 0 {
            view.place(raw)?;
        }
        Ok(view)
    }

    /// Finds the lowest element, if there are any.
    fn place(&mut self, raw: &RawTensor) -> Result<()> {
        if raw.data.is_null() {
            return Err(wrong(ErrorKind::Backend, "the memory is null, and there are elements"));
        }
        let far = || wrong(ErrorKind::Overflow, "the elements are farther apart than memory is large");
        let (mut low, mut high) = (0_isize, 0_isize);
        for (size, stride) in self.shape.iter().zip(&self.strides) {
            let reach =
                isize::try_from(size - 1).ok().and_then(|last| stride.checked_mul(last)).ok_or_else(far)?;
            let end = if reach < 0 { &mut low } else { &mut high };
            *end = end.checked_add(reach).ok_or_else(far)?;
        }
        let size = self.dtype.size();
        let span = high.checked_sub(low).and_then(|span| span.checked_add(1)).ok_or_else(far)?;
        span.checked_mul(size as isize).ok_or_else(far)?;
        let bytes = usize::try_from(raw.byte_offset).map_err(|_| far())?;
        self.start =
            raw.data.cast::<u8>().cast_const().wrapping_add(bytes).wrapping_offset(low * size as isize);
        self.len = span as usize;
        self.offset = low.unsigned_abs();
        Ok(())
    }
}

/// A list of another library. `None` if it is null, unless it is empty.
///
/// # Safety
/// The pointer is null or points to as many numbers, which nobody changes.
unsafe fn list<'a>(start: *const i64, len: usize) -> Option<&'a [i64]> {
    match (len, start.is_null()) {
        (0, _) => Some(&[]),
        (_, true) => None,
        // SAFETY: by the contract of this function.
        (_, false) => Some(unsafe { std::slice::from_raw_parts(start, len) }),
    }
}

fn tensor<T: Stored + Element>(pack: DlPack, view: &View) -> Result<NdArrayTensor> {
    let start = view.start.cast::<T>();
    if view.len == 0 {
        let data = TensorData::new(Vec::<T>::new(), view.shape.as_slice())?;
        return Ok(NdArrayTensor::from_data(data));
    }
    if T::DTYPE == DType::Bool || !start.is_aligned() {
        return copied(view);
    }
    let memory = Foreign { start, len: view.len, _pack: pack };
    NdArrayTensor::lent(Box::new(memory), &view.shape, &view.strides, view.offset)
}

/// A copy, element by element.
fn copied(view: &View) -> Result<NdArrayTensor> {
    let size = view.dtype.size();
    let count = Shape::new(&view.shape).elements()?;
    let mut bytes = memory::reserved::<u8>(count.saturating_mul(size))?;
    let mut places = vec![0; view.shape.len()];
    for _ in 0..count {
        let along =
            places.iter().zip(&view.strides).map(|(place, stride): (&usize, _)| *place as isize * stride);
        let place = view.offset as isize + along.sum::<isize>();
        let element = view.start.wrapping_offset(place * size as isize);
        // SAFETY: the place is one of an element, and by the contract of `DlPack::from_raw` the memory holds
        // all of them. Bytes need no alignment.
        bytes.extend_from_slice(unsafe { std::slice::from_raw_parts(element, size) });
        for (place, size) in places.iter_mut().zip(&view.shape).rev() {
            *place += 1;
            if *place < *size {
                break;
            }
            *place = 0;
        }
    }
    if cfg!(target_endian = "big") {
        bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    }
    TensorData::from_le_bytes(&bytes, view.dtype, view.shape.as_slice()).map(NdArrayTensor::from_data)
}

/// Memory of another library, until the last tensor in it is dropped.
struct Foreign<T> {
    start: *const T,
    len: usize,
    _pack: DlPack,
}

// SAFETY: by the contract of `DlPack::from_raw` the memory can be read on any thread, and the pack can be
// dropped there.
unsafe impl<T: Send> Send for Foreign<T> {}
// SAFETY: the same.
unsafe impl<T: Sync> Sync for Foreign<T> {}

// SAFETY: the view was checked: all its elements lie in the memory, which by the contract of
// `DlPack::from_raw` stays and is not written until the pack is dropped. What lies between elements of a view
// with larger strides belongs to the same memory. The address is aligned.
unsafe impl<T: 'static + Send + Sync> Lent<T> for Foreign<T> {
    fn start(&self) -> *const T {
        self.start
    }

    fn len(&self) -> usize {
        self.len
    }

    /// The other library may hold it.
    fn start_mut(&mut self) -> Option<*mut T> {
        None
    }
}
