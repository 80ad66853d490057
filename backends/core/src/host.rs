//! A plain backend for the tests of this crate. It computes every structural primitive by its definition. It
//! has two devices and a broken one. Its storage is shared, and reused if nobody else holds it.

use crate::{Backend, DType, Element, Error, ErrorKind, Result, Shape, Storage, TensorData, match_dtype};
use std::sync::Arc;
use tensor_op_spec::ir::{Kind, Scalar};
use tensor_op_spec::prim::{Fold, Prim};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Host;

#[derive(Clone, Debug)]
pub(crate) struct HostTensor {
    pub(crate) data: Arc<TensorData>,
    pub(crate) device: usize,
}

impl HostTensor {
    fn scalar(&self, at: usize) -> Scalar {
        fn get<T: Element>(x: &[T], at: usize) -> Scalar {
            x[at].to_scalar()
        }
        match self.data.storage() {
            Storage::F64(x) => get(x, at),
            Storage::F32(x) => get(x, at),
            Storage::F16(x) => get(x, at),
            Storage::BF16(x) => get(x, at),
            Storage::I64(x) => get(x, at),
            Storage::I32(x) => get(x, at),
            Storage::U32(x) => get(x, at),
            Storage::U8(x) => get(x, at),
            Storage::Bool(x) => get(x, at),
        }
    }

    fn get(&self, point: &[usize]) -> Scalar {
        let strides = self.data.shape().strides();
        self.scalar(point.iter().zip(strides.iter()).map(|(i, s)| i * s).sum())
    }
}

/// A tensor, made from its value at each point.
fn build(
    device: usize,
    shape: Shape,
    dtype: DType,
    at: impl FnMut(&[usize]) -> Result<Scalar>,
) -> Result<HostTensor> {
    let values: Vec<Scalar> = points(&shape).iter().map(Vec::as_slice).map(at).collect::<Result<_>>()?;
    let data =
        match_dtype!(dtype, T => TensorData::new(values.into_iter().map(T::from_scalar).collect(), shape))?;
    Ok(HostTensor { data: Arc::new(data), device })
}

fn points(shape: &Shape) -> Vec<Vec<usize>> {
    let unravel = |flat: usize| shape.strides().iter().zip(shape.iter()).map(|(s, n)| flat / s % n).collect();
    (0..shape.elements().expect("tests are small")).map(unravel).collect()
}

fn dtype_of(kind: Kind, like: DType) -> DType {
    match kind {
        Kind::Bool => DType::Bool,
        Kind::Float | Kind::Int => like,
    }
}

fn position(index: Scalar, size: usize) -> Result<usize> {
    let index = i64::from_scalar(index);
    let position = usize::try_from(index).ok().filter(|position| *position < size);
    position
        .ok_or_else(|| Error::new(ErrorKind::Index, format!("index {index} is out of range for size {size}")))
}

fn with<const N: usize>(point: &[usize], at: usize, replaced: [usize; N]) -> Vec<usize> {
    [&point[..at], &replaced, &point[at + 1..]].concat()
}

/// Combines two elements as the reduction's primitive does.
fn fold_pair(fold: Fold, a: Scalar, b: Scalar) -> Scalar {
    fold.row().combine.eval(&[a, b]).expect("operands of one kind")
}

impl Backend for Host {
    type Device = usize;
    type Tensor = HostTensor;

    fn name(device: &usize) -> String {
        format!("host {device}")
    }
    fn device_count() -> usize {
        3
    }
    /// The last device has a driver that fails.
    fn nth_device(index: usize) -> Result<usize> {
        if index < 2 {
            return Ok(index);
        }
        Err(Error::new(
            ErrorKind::Device,
            format!("device {index} of `host` can't be opened: its driver failed"),
        ))
    }
    fn supports_dtype(_: &usize, _: DType) -> bool {
        true
    }
    fn sync(_: &usize) -> Result<()> {
        Ok(())
    }
    fn memory_cleanup(_: &usize) {}

    fn from_data(data: TensorData, device: &usize) -> Result<HostTensor> {
        Ok(HostTensor { data: Arc::new(data), device: *device })
    }
    fn into_data(tensor: HostTensor) -> Result<TensorData> {
        Ok(Arc::unwrap_or_clone(tensor.data))
    }
    fn shape(tensor: &HostTensor) -> Shape {
        tensor.data.shape().clone()
    }
    fn dtype(tensor: &HostTensor) -> DType {
        tensor.data.dtype()
    }
    fn device(tensor: &HostTensor) -> usize {
        tensor.device
    }

    fn apply(prim: Prim, args: Vec<HostTensor>) -> Result<HostTensor> {
        let shape = args[0].data.shape().clone();
        assert!(args.iter().all(|arg| *arg.data.shape() == shape), "operands of one shape");
        let kinds: Vec<Kind> = args.iter().map(|arg| arg.data.dtype().kind()).collect();
        let kind = prim.result_kind(&kinds).expect("operands of the right kinds");
        let last = args.last().expect("at least one operand").data.dtype();
        build(args[0].device, shape, dtype_of(kind, last), |point| {
            let operands: Vec<Scalar> = args.iter().map(|arg| arg.get(point)).collect();
            Ok(prim.eval(&operands).expect("operands of the right kinds"))
        })
    }

    fn reduce(fold: Fold, tensor: HostTensor, axes: &[usize]) -> Result<HostTensor> {
        let full = tensor.data.shape();
        let kept: Vec<usize> = (0..full.rank()).filter(|axis| !axes.contains(axis)).collect();
        let dtype = if fold.finds_position() { DType::I64 } else { tensor.data.dtype() };
        let all = points(full);
        build(tensor.device, kept.iter().map(|axis| full[*axis]).collect(), dtype, |outer| {
            let row = all.iter().filter(|p| kept.iter().zip(outer).all(|(axis, i)| p[*axis] == *i));
            let row: Vec<Scalar> = row.map(|point| tensor.get(point)).collect();
            let kind = tensor.data.dtype().kind();
            let start = if fold.needs_elements() { row[0] } else { fold.of_nothing(kind) };
            let folded = row.iter().fold(start, |a, b| fold_pair(fold, a, *b));
            if !fold.finds_position() {
                return Ok(folded);
            }
            let at = row
                .iter()
                .position(|x| fold_pair(fold, *x, folded) == *x && fold_pair(fold, folded, *x) == *x);
            Ok(Scalar::Int(at.expect("the best is in the row") as i64))
        })
    }

    fn matmul(lhs: HostTensor, rhs: HostTensor) -> Result<HostTensor> {
        let (l, r) = (lhs.data.shape(), rhs.data.shape());
        assert_eq!((l.rank(), r.rank(), l[0], l[2]), (3, 3, r[0], r[1]));
        build(lhs.device, Shape::new(&[l[0], l[1], r[2]]), lhs.data.dtype(), |p| {
            let term =
                |k| f64::from_scalar(lhs.get(&[p[0], p[1], k])) * f64::from_scalar(rhs.get(&[p[0], k, p[2]]));
            Ok(Scalar::Float((0..l[2]).map(term).sum()))
        })
    }

    fn gather(tensor: HostTensor, axis: usize, index: HostTensor) -> Result<HostTensor> {
        let shape = index.data.shape().clone();
        let size = tensor.data.shape()[axis];
        assert_eq!(with(&shape, axis, [size]), **tensor.data.shape());
        build(tensor.device, shape, tensor.data.dtype(), |point| {
            Ok(tensor.get(&with(point, axis, [position(index.get(point), size)?])))
        })
    }

    fn scatter_add(source: HostTensor, axis: usize, index: HostTensor, size: usize) -> Result<HostTensor> {
        assert_eq!(source.data.shape(), index.data.shape());
        let all = points(source.data.shape());
        let targets: Vec<Vec<usize>> = all
            .iter()
            .map(|point| Ok(with(point, axis, [position(index.get(point), size)?])))
            .collect::<Result<_>>()?;
        let shape = Shape::from(with(source.data.shape(), axis, [size]));
        build(source.device, shape, source.data.dtype(), |point| {
            let hits = all.iter().zip(&targets).filter(|(_, target)| *target == point);
            let zero = Scalar::Int(0).cast(source.data.dtype().kind());
            Ok(hits.fold(zero, |sum, (from, _)| fold_pair(Fold::Sum, sum, source.get(from))))
        })
    }

    fn cast(tensor: HostTensor, dtype: DType) -> Result<HostTensor> {
        Ok(HostTensor { data: Arc::new(Arc::unwrap_or_clone(tensor.data).cast(dtype)), ..tensor })
    }
    fn reshape(tensor: HostTensor, shape: Shape) -> Result<HostTensor> {
        Ok(HostTensor { data: Arc::new(Arc::unwrap_or_clone(tensor.data).reshape(shape)?), ..tensor })
    }
    fn permute(tensor: HostTensor, axes: &[usize]) -> Result<HostTensor> {
        let shape = axes.iter().map(|axis| tensor.data.shape()[*axis]).collect();
        build(tensor.device, shape, tensor.data.dtype(), |point| {
            let mut from = vec![0; axes.len()];
            axes.iter().zip(point).for_each(|(axis, i)| from[*axis] = *i);
            Ok(tensor.get(&from))
        })
    }
    fn expand(tensor: HostTensor, shape: Shape) -> Result<HostTensor> {
        let own = tensor.data.shape().clone();
        assert!(own.rank() == shape.rank() && own.iter().zip(shape.iter()).all(|(a, b)| a == b || *a == 1));
        build(tensor.device, shape, tensor.data.dtype(), |point| {
            let from: Vec<usize> =
                point.iter().zip(own.iter()).map(|(i, n)| if *n == 1 { 0 } else { *i }).collect();
            Ok(tensor.get(&from))
        })
    }
    fn slice(_: HostTensor, _: &[(usize, usize, usize)]) -> Result<HostTensor> {
        Err(unused())
    }
    fn slice_assign(_: HostTensor, _: &[(usize, usize, usize)], _: HostTensor) -> Result<HostTensor> {
        Err(unused())
    }
    fn cat(_: Vec<HostTensor>, _: usize) -> Result<HostTensor> {
        Err(unused())
    }
    fn full(shape: Shape, value: Scalar, dtype: DType, device: &usize) -> Result<HostTensor> {
        Host::from_data(TensorData::full(shape, value, dtype)?, device)
    }
}

fn unused() -> Error {
    Error::new(ErrorKind::Unsupported, "no op is composed of this primitive")
}
