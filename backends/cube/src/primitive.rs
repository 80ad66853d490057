//! The structural primitives that are no loop over whole tensors (`kernel/whole.rs`): products, what moves by
//! an index, and views.

use crate::device::Opened;
use crate::fault::Site;
use crate::kernel::contraction;
use crate::kernel::index::indexed::Indexed;
use crate::kernel::index::sorted::LastOrder;
use crate::kernel::index::{gather, scatter};
use crate::kernel::library::matrices::Product;
use crate::kernel::nest::{Axis, Nest};
use crate::kernel::whole::{cast, contiguous, copy};
use crate::tensor::CubeTensor;
use cubecl::server::ReduceOperation;
use tensor_op_core::{Error, ErrorKind, Result, Shape, TensorData, check};
use tensor_op_spec::prim::Fold;

/// Moves the data of any tensor to the host.
pub(crate) async fn into_data(tensor: CubeTensor) -> Result<TensorData> {
    let data = into_data_all(vec![tensor]).await?.pop();
    data.ok_or_else(|| Error::new(ErrorKind::Backend, "the device returned no data"))
}

/// The data of tensors, read in one transaction for each device. The first call that failed is the error.
pub(crate) async fn into_data_all(tensors: Vec<CubeTensor>) -> Result<Vec<TensorData>> {
    let mut groups: Vec<Vec<(usize, CubeTensor)>> = Vec::new();
    for (place, tensor) in tensors.into_iter().enumerate() {
        tensor.doubts.check().await?;
        let is_plain = tensor.layout.is_contiguous() && tensor.layout.offset == 0;
        let tensor = if is_plain || tensor.elements() == 0 { tensor } else { contiguous(tensor)? };
        match groups.iter_mut().find(|group| std::ptr::eq(group[0].1.device, tensor.device)) {
            Some(group) => group.push((place, tensor)),
            None => groups.push(vec![(place, tensor)]),
        }
    }
    let mut found = Vec::new();
    for group in groups {
        let (places, tensors): (Vec<usize>, Vec<CubeTensor>) = group.into_iter().unzip();
        found.extend(places.into_iter().zip(CubeTensor::into_data_all(tensors).await?));
    }
    found.sort_by_key(|(place, _)| *place);
    Ok(found.into_iter().map(|(_, data)| data).collect())
}

/// The mean of the tensors that these devices pass, by the transport of their runtime.
pub(crate) fn all_reduce_mean(
    tensor: CubeTensor,
    devices: &[&Opened],
    meet: &mut dyn FnMut() -> Result<()>,
) -> Result<CubeTensor> {
    let tensor = contiguous(tensor)?;
    let out = CubeTensor::empty(tensor.shape(), tensor.dtype, tensor.device)?;
    meet()?;
    if tensor.elements() == 0 {
        return Ok(tensor);
    }
    let ids = devices.iter().map(|device| device.client().service_id().device).collect();
    let mut client = tensor.device.client().clone();
    client.all_reduce(tensor.handle.clone(), out.handle.clone(), out.elem(), ids, ReduceOperation::Mean);
    client.sync_collective();
    Ok(out)
}

/// `[b, m, k]` times `[b, k, n]`.
pub(crate) fn matmul(lhs: &CubeTensor, rhs: &CubeTensor) -> Result<CubeTensor> {
    let shape = check::matmul(lhs.form(), rhs.form())?;
    let [lhs, rhs] = &[contraction::aligned(lhs.clone())?, contraction::aligned(rhs.clone())?];
    let [b, m, k] = [0, 1, 2].map(|axis| lhs.shape()[axis]);
    let n = shape[2];
    let out = CubeTensor::empty(&shape, lhs.dtype, lhs.device)?;
    let [l, r, o] = [lhs, rhs, &out].map(|tensor| &tensor.layout.strides);
    let nest = |size, steps: [usize; 3]| Nest { axes: vec![Axis { size, steps: steps.into() }] };
    let product = Product {
        batch: nest(b, [l[0], r[0], o[0]]),
        m: nest(m, [l[1], 0, o[1]]),
        n: nest(n, [0, r[2], o[2]]),
        k: nest(k, [l[2], r[1], 0]),
    };
    contraction::product(product, lhs, rhs, &out, out.device.precision())?;
    Ok(out)
}

/// `out[p.., j, s..] = tensor[p.., index[p.., j, s..], s..]`.
pub(crate) fn gather(tensor: &CubeTensor, axis: usize, index: &CubeTensor) -> Result<CubeTensor> {
    let shape = check::gather(tensor.shape(), axis, index.form())?;
    let out = CubeTensor::empty(&shape, tensor.dtype, tensor.device)?;
    let axes = (0..index.shape().rank()).map(|at| {
        let from = if at == axis { 0 } else { tensor.layout.strides[at] };
        Axis { size: index.shape()[at], steps: vec![from, index.layout.strides[at], out.layout.strides[at]] }
    });
    let indexed = indexed(tensor, axis, "gather");
    let doubts = gather::gather(&indexed, Nest { axes: axes.collect() }, tensor, index, &out)?;
    out.doubted(&doubts)
}

/// The adjoint of [`gather`] for an axis of this size.
pub(crate) fn scatter_add(
    source: CubeTensor,
    axis: usize,
    index: &CubeTensor,
    size: usize,
) -> Result<CubeTensor> {
    let shape = check::scatter_add(source.shape(), axis, index.form(), size)?;
    let dtype = source.dtype;
    let source = cast(source, dtype.compute())?;
    let out = CubeTensor::empty(&shape, source.dtype, source.device)?;
    let axis_of = |at: usize| {
        let to = if at == axis { 0 } else { out.layout.strides[at] };
        Axis {
            size: source.shape()[at],
            steps: vec![source.layout.strides[at], index.layout.strides[at], to],
        }
    };
    let outer = (0..source.shape().rank()).filter(|at| *at != axis).map(axis_of).collect();
    let inner = vec![axis_of(axis)];
    let indexed = indexed(&out, axis, "scatter_add");
    let doubts = scatter::scatter(
        Fold::Sum,
        &indexed,
        [Nest { axes: outer }, Nest { axes: inner }],
        [&source, index, &out],
        &mut LastOrder::default(),
    )?;
    cast(out, dtype)?.doubted(&doubts)
}

fn indexed(tensor: &CubeTensor, axis: usize, op: &str) -> Indexed {
    let size = tensor.shape()[axis];
    let site = Site { op: Some(op.to_string()), arg: None, dim: None, size };
    Indexed { step: tensor.layout.strides[axis], size, site }
}

/// Axis `i` of the result is axis `axes[i]`.
pub(crate) fn permute(tensor: CubeTensor, axes: &[usize]) -> Result<CubeTensor> {
    check::permute(tensor.shape(), axes)?;
    let layout = tensor.layout.permute(axes);
    Ok(tensor.with_layout(layout))
}

/// Broadcasts axes of size 1 to another size.
pub(crate) fn expand(tensor: CubeTensor, shape: &Shape) -> Result<CubeTensor> {
    check::expand(tensor.shape(), shape)?;
    let layout = tensor.layout.expand(shape);
    Ok(tensor.with_layout(layout))
}

/// The part of each axis given by start, end and step.
pub(crate) fn slice(tensor: CubeTensor, ranges: &[(usize, usize, usize)]) -> Result<CubeTensor> {
    check::slice(tensor.shape(), ranges)?;
    let layout = tensor.layout.slice(ranges);
    Ok(tensor.with_layout(layout))
}

/// A tensor like `into`, with `source` written at `ranges`.
pub(crate) fn slice_assign(
    into: CubeTensor,
    ranges: &[(usize, usize, usize)],
    source: &CubeTensor,
) -> Result<CubeTensor> {
    check::slice_assign(into.form(), ranges, source.form())?;
    let is_own = into.is_unique() && into.layout.is_contiguous();
    let out = if is_own { into } else { duplicate(&into)? };
    copy(source, &out.clone().with_layout(out.layout.slice(ranges)))?;
    Ok(out)
}

fn duplicate(tensor: &CubeTensor) -> Result<CubeTensor> {
    let out = CubeTensor::empty(tensor.shape(), tensor.dtype, tensor.device)?;
    copy(tensor, &out)?;
    Ok(out)
}

/// Joins tensors along an axis.
pub(crate) fn cat(tensors: &[CubeTensor], axis: usize) -> Result<CubeTensor> {
    let shape = check::cat(&tensors.iter().map(CubeTensor::form).collect::<Vec<_>>(), axis)?;
    let out = CubeTensor::empty(&shape, tensors[0].dtype, tensors[0].device)?;
    let mut ranges: Vec<(usize, usize, usize)> = shape.iter().map(|size| (0, *size, 1)).collect();
    let mut start = 0;
    let mut copy_next = |tensor: &CubeTensor| {
        let end = start + tensor.shape()[axis];
        ranges[axis] = (start, end, 1);
        start = end;
        copy(tensor, &out.clone().with_layout(out.layout.slice(&ranges)))
    };
    // A few copies are not worth a kernel of their own.
    let _together = (tensors.len() >= 4).then(|| out.device.together());
    tensors.iter().try_for_each(&mut copy_next)?;
    Ok(out)
}
