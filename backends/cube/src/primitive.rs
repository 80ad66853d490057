//! Structural primitives. Each is a loop with a program of one or two steps, run by the skeletons.

use crate::fault::Site;
use crate::kernel::contraction::{self, Product};
use crate::kernel::index::{self, Indexed};
use crate::kernel::launch;
use crate::kernel::nest::{Axis, Nest};
use crate::kernel::pass::{Dest, Element, Output, PassPlan, Uniform};
use crate::kernel::plan::{LoopPlan, Memory, Read, Write};
use crate::kernel::simple;
use crate::layout::Layout;
use crate::tensor::CubeTensor;
use std::sync::Arc;
use tensor_op_core::{DType, Element as _, Error, ErrorKind, Result, Shape, TensorData, check, match_dtype};
use tensor_op_spec::ir::{Kind, Scalar};
use tensor_op_spec::prim::{Fold, Prim};
use tensor_op_spec::schedule::{Compute, Program, Step, ValueId};

/// Moves the data of any tensor to the host.
pub(crate) async fn into_data(tensor: CubeTensor) -> Result<TensorData> {
    tensor.doubts.check().await?;
    let is_plain = tensor.layout.is_contiguous() && tensor.layout.offset == 0;
    let tensor = if is_plain || tensor.elements() == 0 { tensor } else { contiguous(tensor)? };
    tensor.into_data().await
}

/// The tensor itself if it is row-major, or else a row-major copy.
pub(crate) fn contiguous(tensor: CubeTensor) -> Result<CubeTensor> {
    if tensor.layout.is_contiguous() && tensor.layout.offset == 0 {
        return Ok(tensor);
    }
    let out = CubeTensor::empty(tensor.shape(), tensor.dtype, tensor.device)?;
    copy(&tensor, &out)?;
    Ok(out)
}

/// Copies the elements of a tensor to another one of the same shape and kind.
pub(crate) fn copy(from: &CubeTensor, to: &CubeTensor) -> Result<()> {
    let pass = simple::copy(from.dtype.kind(), read(0), write(1));
    pointwise(&[from], to, pass, Vec::new())
}

/// Converts a tensor to another element type.
pub(crate) fn cast(tensor: CubeTensor, dtype: DType) -> Result<CubeTensor> {
    if tensor.dtype == dtype {
        return Ok(tensor);
    }
    let out = CubeTensor::empty(tensor.shape(), dtype, tensor.device)?;
    let (from, to) = (tensor.dtype.kind(), dtype.kind());
    let bounds = match (from, dtype) {
        (Kind::Float, DType::I32) => Some((i64::from(i32::MIN), i64::from(i32::MAX))),
        (Kind::Float, DType::U32) => Some((0, i64::from(u32::MAX))),
        (Kind::Float, DType::U8) => Some((0, 255)),
        (Kind::Float | Kind::Int | Kind::Bool, _) => None,
    };
    let mut steps = Vec::new();
    let mut push = |compute, kind| {
        steps.push(Step { compute, kind });
        ValueId(steps.len() as u32)
    };
    let mut value = ValueId(0);
    if from != to {
        value = push(Compute::Cast(value), to);
    }
    if let Some((low, high)) = bounds {
        let low = push(Compute::Literal(Scalar::Int(low)), Kind::Int);
        value = push(Compute::Apply(Prim::Maximum, vec![value, low]), Kind::Int);
        let high = push(Compute::Literal(Scalar::Int(high)), Kind::Int);
        value = push(Compute::Apply(Prim::Minimum, vec![value, high]), Kind::Int);
    }
    let program = Program::from_parts([vec![], vec![from]], steps, 0, vec![value]);
    let pass = PassPlan {
        program: Arc::new(program),
        uniforms: vec![],
        elements: vec![read(0)],
        results: vec![write(1)],
        per_row: false,
    };
    pointwise(&[&tensor], &out, pass, Vec::new())?;
    Ok(out)
}

/// Applies an elementwise primitive to tensors of the same shape.
pub(crate) fn apply(prim: Prim, args: &[CubeTensor]) -> Result<CubeTensor> {
    let kinds: Vec<Kind> = args.iter().map(|arg| arg.dtype.kind()).collect();
    let (Some(kind), Some(last)) = (prim.result_kind(&kinds), args.last()) else {
        let found: Vec<&str> = args.iter().map(|arg| arg.dtype.name()).collect();
        let message = format!("{} does not take {}", prim.name(), found.join(", "));
        return Err(Error::new(ErrorKind::DType, message));
    };
    check::apply(prim, &args.iter().map(CubeTensor::form).collect::<Vec<_>>())?;
    let dtype = if kind == last.dtype.kind() { last.dtype } else { DType::Bool };
    let out = CubeTensor::empty(last.shape(), dtype, last.device)?;
    let operands = (0..args.len()).map(|at| ValueId(at as u32)).collect();
    let elements = kinds.iter().enumerate().map(|(at, kind)| (read(at), *kind)).collect();
    let pass = simple::step(Compute::Apply(prim, operands), kind, elements, write(args.len()));
    pointwise(&args.iter().collect::<Vec<_>>(), &out, pass, Vec::new())?;
    Ok(out)
}

/// Reduces over axes. The result does not have these axes.
pub(crate) fn reduce(fold: Fold, tensor: CubeTensor, axes: &[usize]) -> Result<CubeTensor> {
    let dtype = check::reduce_dtype(fold, tensor.dtype);
    let out_shape = check::reduce(fold, tensor.shape(), tensor.dtype, axes)?;
    let out = CubeTensor::empty(&out_shape, dtype, tensor.device)?;
    fold_into(fold, &tensor, axes, &out)?;
    Ok(out)
}

/// Folds over axes. `out` has the other axes.
pub(crate) fn fold_into(fold: Fold, tensor: &CubeTensor, axes: &[usize], out: &CubeTensor) -> Result<()> {
    let (shape, strides) = (tensor.shape(), &tensor.layout.strides);
    let (reduced, kept): (Vec<usize>, Vec<usize>) = (0..shape.rank()).partition(|axis| axes.contains(axis));
    let outer = kept.iter().zip(out.layout.strides.iter());
    let outer = outer.map(|(axis, to)| Axis { size: shape[*axis], steps: vec![strides[*axis], *to] });
    let inner = reduced.iter().map(|axis| Axis { size: shape[*axis], steps: vec![strides[*axis], 0] });
    let [mut outer, mut inner] = [Nest { axes: outer.collect() }, Nest { axes: inner.collect() }];
    outer.merge();
    if !fold.finds_position() {
        inner.sort_by(&[0]);
    }
    inner.merge();
    launch::run(LoopPlan {
        device: tensor.device,
        reads: vec![Read::Memory(Memory::of(tensor))],
        writes: vec![Write { memory: Memory::of(out), over: None }],
        columns: Vec::new(),
        partials: Vec::new(),
        outer,
        inner,
        passes: simple::fold_passes(fold, tensor.dtype.kind(), read(0), Output { output: 0, operand: 1 }),
        scalars: Vec::new(),
        float: tensor.dtype.compute(),
    })
}

/// `[b, m, k]` times `[b, k, n]`.
pub(crate) fn matmul(lhs: &CubeTensor, rhs: &CubeTensor) -> Result<CubeTensor> {
    let shape = check::matmul(lhs.form(), rhs.form())?;
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
    contraction::product(product, lhs, rhs, &out)?;
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
    let doubts = index::gather(&indexed, Nest { axes: axes.collect() }, tensor, index, &out)?;
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
    let doubts =
        index::scatter(&indexed, [Nest { axes: outer }, Nest { axes: inner }], &source, index, &out)?;
    cast(out, dtype)?.doubted(&doubts)
}

fn indexed(tensor: &CubeTensor, axis: usize, op: &str) -> Indexed {
    let size = tensor.shape()[axis];
    let site = Site { op: Some(op.to_string()), arg: None, dim: None, size };
    Indexed { step: tensor.layout.strides[axis], size, site }
}

/// The elements in row-major order, in another shape of the same size. They are copied only if strides can't
/// express that shape.
pub(crate) fn reshape(tensor: CubeTensor, shape: Shape) -> Result<CubeTensor> {
    if *tensor.shape() == shape {
        return Ok(tensor);
    }
    check::reshape(tensor.shape(), &shape)?;
    if let Some(layout) = tensor.layout.reshape(&shape) {
        return Ok(tensor.with_layout(layout));
    }
    let tensor = contiguous(tensor)?;
    Ok(tensor.with_layout(Layout::row_major(&shape)))
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
    for tensor in tensors {
        let end = start + tensor.shape()[axis];
        ranges[axis] = (start, end, 1);
        copy(tensor, &out.clone().with_layout(out.layout.slice(&ranges)))?;
        start = end;
    }
    Ok(out)
}

/// Sets all elements to the same value.
pub(crate) fn fill(out: &CubeTensor, value: Scalar) -> Result<()> {
    let kind = out.dtype.kind();
    // The value in the tensor's dtype: a float is converted to an int by the rules of a cast.
    let value = match_dtype!(out.dtype, T => T::from_scalar(value).to_scalar());
    let pass = simple::store_uniform(kind, Uniform::Scalar(0), write(0));
    pointwise(&[], out, pass, vec![value])
}

fn read(operand: usize) -> Element {
    Element::Input { buffer: operand, operand }
}

fn write(operand: usize) -> Dest {
    Dest::Element(Output { output: 0, operand })
}

/// Runs a pass over tensors of the same shape.
fn pointwise(inputs: &[&CubeTensor], out: &CubeTensor, pass: PassPlan, scalars: Vec<Scalar>) -> Result<()> {
    let tensors = || inputs.iter().copied().chain([out]);
    let axis =
        |at: usize| Axis { size: out.shape()[at], steps: tensors().map(|t| t.layout.strides[at]).collect() };
    let mut inner = Nest { axes: (0..out.shape().rank()).map(axis).collect() };
    inner.sort_by(&(0..=inputs.len()).rev().collect::<Vec<_>>());
    inner.merge();
    let is_double = tensors().any(|tensor| tensor.dtype == DType::F64);
    launch::run(LoopPlan {
        device: out.device,
        reads: inputs.iter().map(|tensor| Read::Memory(Memory::of(tensor))).collect(),
        writes: vec![Write { memory: Memory::of(out), over: None }],
        columns: Vec::new(),
        partials: Vec::new(),
        outer: Nest::default(),
        inner,
        passes: vec![pass],
        scalars,
        float: if is_double { DType::F64 } else { DType::F32 },
    })
}
