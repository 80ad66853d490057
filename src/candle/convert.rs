//! Conversion from and to candle's tensors.

use crate::{Device, Element, Error, ErrorKind, Result, Tensor};
use candle_core::op::BackpropOp;
use candle_core::{CpuStorage, Layout, Storage, Tensor as Candle};
use tensor_op_autodiff::Autodiff;
use tensor_op_core::{Backend, Dynamic, Storage as Elements, memory};

impl TryFrom<&Candle> for Tensor {
    type Error = Error;

    /// A tensor on the CPU, by a copy of the elements.
    fn try_from(tensor: &Candle) -> Result<Tensor> {
        let candle = |error: candle_core::Error| wrong(ErrorKind::Backend, error.to_string());
        let here = tensor.to_device(&candle_core::Device::Cpu).map_err(candle)?;
        let (storage, layout) = here.storage_and_layout();
        match &*storage {
            Storage::Cpu(storage) => from_cpu(storage, layout),
            Storage::Cuda(_) | Storage::Metal(_) => {
                Err(wrong(ErrorKind::Backend, "candle moved a tensor to the CPU, and it is not there"))
            }
        }
    }
}

impl TryFrom<Candle> for Tensor {
    type Error = Error;

    /// A tensor on the CPU, by a copy of the elements.
    fn try_from(tensor: Candle) -> Result<Tensor> {
        Tensor::try_from(&tensor)
    }
}

impl TryFrom<Tensor> for Candle {
    type Error = Error;

    /// A tensor on candle's CPU. There is no copy if the elements are on the CPU, in row-major order, and
    /// nobody else holds them. Bools are u8.
    fn try_from(tensor: Tensor) -> Result<Candle> {
        let shape = tensor.shape().to_vec();
        Ok(Candle::from_storage(Storage::Cpu(into_cpu(tensor)?), shape, BackpropOp::none(), false))
    }
}

impl TryFrom<&Tensor> for Candle {
    type Error = Error;

    /// A copy of the elements, on candle's CPU. Bools are u8.
    fn try_from(tensor: &Tensor) -> Result<Candle> {
        Candle::try_from(tensor.clone())
    }
}

pub(super) fn from_cpu(storage: &CpuStorage, layout: &Layout) -> Result<Tensor> {
    match storage {
        CpuStorage::F64(all) => copied(all, layout),
        CpuStorage::F32(all) => copied(all, layout),
        CpuStorage::F16(all) => copied(all, layout),
        CpuStorage::BF16(all) => copied(all, layout),
        CpuStorage::I64(all) => copied(all, layout),
        CpuStorage::I32(all) => copied(all, layout),
        CpuStorage::U32(all) => copied(all, layout),
        CpuStorage::U8(all) => copied(all, layout),
        CpuStorage::I16(_) => Err(no_counterpart("i16")),
        CpuStorage::F8E4M3(_) => Err(no_counterpart("f8e4m3")),
        CpuStorage::F6E2M3(_) => Err(no_counterpart("f6e2m3")),
        CpuStorage::F6E3M2(_) => Err(no_counterpart("f6e3m2")),
        CpuStorage::F4(_) => Err(no_counterpart("f4")),
        CpuStorage::F8E8M0(_) => Err(no_counterpart("f8e8m0")),
    }
}

fn copied<T: Element>(all: &[T], layout: &Layout) -> Result<Tensor> {
    let count = layout.shape().elem_count();
    let mut elements = memory::reserved(count)?;
    if count > 0 {
        copy(all, layout.start_offset(), layout.dims(), layout.stride(), &mut elements);
    }
    Tensor::from_vec(elements, layout.dims(), &Device::new("cpu")?)
}

/// Appends the elements of a view in row-major order.
fn copy<T: Element>(all: &[T], start: usize, sizes: &[usize], strides: &[usize], elements: &mut Vec<T>) {
    match (sizes, strides) {
        ([size], [1]) => elements.extend_from_slice(&all[start..start + size]),
        ([size], [stride]) => elements.extend((0..*size).map(|i| all[start + i * stride])),
        ([size, sizes @ ..], [stride, strides @ ..]) => {
            (0..*size).for_each(|i| copy(all, start + i * stride, sizes, strides, elements));
        }
        ([], _) | (_, []) => elements.push(all[start]),
    }
}

pub(super) fn into_cpu(tensor: Tensor) -> Result<CpuStorage> {
    let (_, elements) = Autodiff::<Dynamic>::into_data(tensor.into_primitive())?.into_parts();
    Ok(match elements {
        Elements::F64(elements) => CpuStorage::F64(elements),
        Elements::F32(elements) => CpuStorage::F32(elements),
        Elements::F16(elements) => CpuStorage::F16(elements),
        Elements::BF16(elements) => CpuStorage::BF16(elements),
        Elements::I64(elements) => CpuStorage::I64(elements),
        Elements::I32(elements) => CpuStorage::I32(elements),
        Elements::U32(elements) => CpuStorage::U32(elements),
        Elements::U8(elements) => CpuStorage::U8(elements),
        Elements::Bool(elements) => CpuStorage::U8(elements.into_iter().map(u8::from).collect()),
    })
}

fn no_counterpart(dtype: &str) -> Error {
    wrong(ErrorKind::DType, format!("there are no tensors of {dtype}; cast it in candle with `to_dtype`"))
}

fn wrong(kind: ErrorKind, message: impl Into<String>) -> Error {
    Error::new(kind, message).with_op("candle")
}
