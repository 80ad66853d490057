//! The structural primitives by their definitions. Floats are computed in f64 and ints in i64.

use crate::interpret::{Domain, Plain};
use crate::{DType, Element, Error, ErrorKind, Result, Shape, TensorData, match_dtype};
use tensor_op_spec::ir::{Kind, Scalar};
use tensor_op_spec::prim::{Fold, Prim};

pub(super) fn apply(prim: Prim, args: &[TensorData]) -> Result<TensorData> {
    let last = args.last().ok_or_else(|| wrong("a primitive without operands"))?;
    let kinds: Vec<Kind> = args.iter().map(|arg| arg.dtype().kind()).collect();
    let kind = prim.result_kind(&kinds).ok_or_else(|| wrong("operands of these kinds"))?;
    let dtype = if kind == Kind::Bool { DType::Bool } else { last.dtype() };
    let columns: Vec<Vec<Scalar>> = args.iter().map(TensorData::to_scalars).collect();
    let mut operands = Vec::with_capacity(args.len());
    let values = (0..last.elements()).map(|at| {
        operands.clear();
        operands.extend(columns.iter().map(|column| column[at]));
        prim.eval(&operands).ok_or_else(|| wrong("operands of these kinds"))
    });
    data(values.collect::<Result<_>>()?, dtype, last.shape().clone())
}

pub(super) fn reduce(fold: Fold, tensor: &TensorData, axes: &[usize]) -> Result<TensorData> {
    let (shape, strides) = (tensor.shape(), tensor.shape().strides());
    let of = |axes: &[usize]| -> (Vec<usize>, Vec<usize>) {
        axes.iter().map(|axis| (shape[*axis], strides[*axis])).unzip()
    };
    let kept: Vec<usize> = (0..shape.rank()).filter(|axis| !axes.contains(axis)).collect();
    let ((sizes, outer), (inner_sizes, inner)) = (of(&kept), of(axes));
    let (values, kind) = (tensor.to_scalars(), fold.result_kind(tensor.dtype().kind()));
    let inner = offsets(&inner_sizes, &inner);
    let folded = offsets(&sizes, &outer).into_iter().map(|start| {
        let mut row = inner.iter().map(|step| values[start + step]);
        Plain.fold(fold, &mut row, kind)
    });
    let dtype = if fold.finds_position() { DType::I64 } else { tensor.dtype() };
    data(folded.collect::<Result<_>>()?, dtype, sizes)
}

pub(super) fn matmul(lhs: &TensorData, rhs: &TensorData) -> Result<TensorData> {
    let (&[batch, m, k], &[_, _, n]) = (&lhs.shape()[..], &rhs.shape()[..]) else {
        return Err(wrong("a product of matrices without three axes"));
    };
    let (left, right) = (lhs.to_vec::<f64>()?, rhs.to_vec::<f64>()?);
    let mut sums = Vec::with_capacity(batch * m * n);
    for row in 0..batch * m {
        let first = row / m * k * n;
        for column in 0..n {
            let terms = (0..k).map(|i| left[row * k + i] * right[first + i * n + column]);
            // The sum of no terms is 0, and not -0, which `sum` gives.
            sums.push(Scalar::Float(terms.fold(0.0, |sum, term| sum + term)));
        }
    }
    data(sums, lhs.dtype(), [batch, m, n])
}

pub(super) fn gather(tensor: &TensorData, axis: usize, index: &TensorData) -> Result<TensorData> {
    let values = tensor.to_scalars();
    let places = places(index, axis, tensor.shape()[axis])?;
    let gathered = places.into_iter().map(|place| values[place]).collect();
    data(gathered, tensor.dtype(), index.shape().clone())
}

pub(super) fn scatter_add(
    source: &TensorData,
    axis: usize,
    index: &TensorData,
    size: usize,
) -> Result<TensorData> {
    let mut shape = source.shape().clone();
    shape[axis] = size;
    let mut sums = vec![Scalar::Int(0).cast(source.dtype().kind()); shape.elements()?];
    for (place, value) in places(index, axis, size)?.into_iter().zip(source.to_scalars()) {
        sums[place] = Prim::Add.eval(&[sums[place], value]).ok_or_else(|| wrong("a sum of bools"))?;
    }
    data(sums, source.dtype(), shape)
}

/// For each index, the place of its element in a tensor with this size along the axis.
fn places(index: &TensorData, axis: usize, size: usize) -> Result<Vec<usize>> {
    let mut shape = index.shape().clone();
    shape[axis] = size;
    let mut strides = shape.strides();
    let step = std::mem::take(&mut strides[axis]);
    let found = index.to_scalars().into_iter().zip(offsets(index.shape(), &strides));
    let place = |(index, start): (Scalar, usize)| {
        let index = i64::from_scalar(index);
        let position = usize::try_from(index).ok().filter(|position| *position < size);
        position.map(|position| start + position * step).ok_or_else(|| {
            Error::new(ErrorKind::Index, format!("index {index} is out of range for size {size}"))
        })
    };
    found.map(place).collect()
}

pub(super) fn permute(tensor: &TensorData, axes: &[usize]) -> Result<TensorData> {
    let (shape, strides) = (tensor.shape(), tensor.shape().strides());
    let sizes: Shape = axes.iter().map(|axis| shape[*axis]).collect();
    let strides: Vec<usize> = axes.iter().map(|axis| strides[*axis]).collect();
    let places = offsets(&sizes, &strides);
    picked(tensor, &places, sizes)
}

pub(super) fn expand(tensor: &TensorData, shape: Shape) -> Result<TensorData> {
    let (own, mut strides) = (tensor.shape(), tensor.shape().strides());
    own.iter().zip(strides.iter_mut()).filter(|(size, _)| **size == 1).for_each(|(_, stride)| *stride = 0);
    let places = offsets(&shape, &strides);
    picked(tensor, &places, shape)
}

pub(super) fn slice(tensor: &TensorData, ranges: &[(usize, usize, usize)]) -> Result<TensorData> {
    let (shape, places) = part(tensor.shape(), ranges);
    picked(tensor, &places, shape)
}

pub(super) fn slice_assign(
    mut into: TensorData,
    ranges: &[(usize, usize, usize)],
    source: &TensorData,
) -> Result<TensorData> {
    let (_, places) = part(into.shape(), ranges);
    match_dtype!(into.dtype(), T => {
        let source = source.as_slice::<T>()?;
        let into = into.as_mut_slice::<T>()?;
        places.into_iter().zip(source).for_each(|(place, value)| into[place] = *value);
    });
    Ok(into)
}

pub(super) fn cat(tensors: &[TensorData], axis: usize) -> Result<TensorData> {
    let Some(first) = tensors.first() else { return Err(wrong("nothing to join")) };
    let mut shape = first.shape().clone();
    shape[axis] = tensors.iter().map(|tensor| tensor.shape()[axis]).sum();
    let mut joined = TensorData::full(shape.clone(), Scalar::Bool(false), first.dtype())?;
    let mut start = 0;
    for tensor in tensors {
        let end = start + tensor.shape()[axis];
        let mut ranges: Vec<_> = shape.iter().map(|size| (0, *size, 1)).collect();
        ranges[axis] = (start, end, 1);
        joined = slice_assign(joined, &ranges, tensor)?;
        start = end;
    }
    Ok(joined)
}

/// The shape of a part of a tensor, and the places of its elements.
fn part(shape: &Shape, ranges: &[(usize, usize, usize)]) -> (Shape, Vec<usize>) {
    let strides = shape.strides();
    let sizes: Shape = ranges.iter().map(|(start, end, step)| (end - start).div_ceil(*step)).collect();
    let first: usize = ranges.iter().zip(strides.iter()).map(|((start, _, _), stride)| start * stride).sum();
    let steps: Vec<usize> =
        ranges.iter().zip(strides.iter()).map(|((_, _, step), stride)| step * stride).collect();
    let places = offsets(&sizes, &steps).into_iter().map(|place| first + place).collect();
    (sizes, places)
}

/// The elements at these places, in this shape.
fn picked(tensor: &TensorData, places: &[usize], shape: Shape) -> Result<TensorData> {
    match_dtype!(tensor.dtype(), T => {
        let elements = tensor.as_slice::<T>()?;
        TensorData::new(places.iter().map(|place| elements[*place]).collect(), shape)
    })
}

/// The offset of each point of some axes, row-major.
fn offsets(sizes: &[usize], strides: &[usize]) -> Vec<usize> {
    let mut all = vec![0];
    for (size, stride) in sizes.iter().zip(strides) {
        all = all.into_iter().flat_map(|start| (0..*size).map(move |i| start + i * stride)).collect();
    }
    all
}

fn data(values: Vec<Scalar>, dtype: DType, shape: impl Into<Shape>) -> Result<TensorData> {
    match_dtype!(dtype, T => TensorData::new(values.into_iter().map(T::from_scalar).collect(), shape))
}

/// What no graph asks for.
fn wrong(what: &str) -> Error {
    Error::new(ErrorKind::Unsupported, format!("{what}: no backend computes that"))
}
