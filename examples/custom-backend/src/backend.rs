//! Tensors in vectors of the host. Floats are `f32`, and those of a bf16 tensor are rounded to bf16 whenever
//! they are stored.

use std::sync::Arc;
use tensor_op::backend::{Backend, Fold, Prim, on_host};
use tensor_op::{DType, DTypeUsage, Error, ErrorKind, Result, Shape, TensorData};

/// The backend.
#[derive(Clone, Copy, Debug)]
pub struct Mine;

/// A tensor, whose elements lie row-major.
#[derive(Clone, Debug)]
pub struct MineTensor {
    elements: Elements,
    shape: Shape,
    dtype: DType,
}

/// Elements that several tensors may share.
#[derive(Clone, Debug)]
enum Elements {
    Floats(Arc<Vec<f32>>),
    /// Ints, and bools as 0 and 1.
    Ints(Arc<Vec<i64>>),
}

impl MineTensor {
    /// A tensor of floats.
    pub(crate) fn of_floats(mut elements: Vec<f32>, shape: &Shape, dtype: DType) -> MineTensor {
        if dtype == DType::BF16 {
            elements.iter_mut().for_each(|x| *x = to_bf16(*x));
        }
        MineTensor { elements: Elements::Floats(Arc::new(elements)), shape: shape.clone(), dtype }
    }

    /// The elements of a tensor of floats.
    pub(crate) fn floats(&self) -> Result<&[f32]> {
        match &self.elements {
            Elements::Floats(floats) => Ok(floats),
            Elements::Ints(_) => Err(Error::new(ErrorKind::DType, format!("{} is no float", self.dtype))),
        }
    }
}

/// The nearest bf16, and of two that are as near the even one: a bf16 is the upper half of an f32.
fn to_bf16(x: f32) -> f32 {
    if x.is_nan() {
        return x;
    }
    let bits = x.to_bits();
    let is_odd = bits >> 16 & 1;
    f32::from_bits((bits + 0x7fff + is_odd) & 0xffff_0000)
}

impl Backend for Mine {
    type Device = ();
    type Tensor = MineTensor;

    // What a backend must have.

    fn name((): &()) -> String {
        "mine".to_string()
    }
    fn dtype_usage((): &(), dtype: DType) -> DTypeUsage {
        DTypeUsage::general_if(matches!(dtype, DType::F32 | DType::BF16 | DType::I64 | DType::Bool))
    }
    fn from_data(data: TensorData, (): &()) -> Result<MineTensor> {
        let (shape, dtype) = (data.shape().clone(), data.dtype());
        match dtype {
            DType::F32 | DType::BF16 => Ok(MineTensor::of_floats(data.to_vec()?, &shape, dtype)),
            DType::I64 | DType::Bool => {
                Ok(MineTensor { elements: Elements::Ints(Arc::new(data.to_vec()?)), shape, dtype })
            }
            _ => Err(Error::new(ErrorKind::DType, format!("mine has no tensors of {dtype}"))),
        }
    }
    fn into_data(tensor: MineTensor) -> Result<TensorData> {
        let data = match tensor.elements {
            Elements::Floats(floats) => TensorData::new(Arc::unwrap_or_clone(floats), tensor.shape)?,
            Elements::Ints(ints) => TensorData::new(Arc::unwrap_or_clone(ints), tensor.shape)?,
        };
        Ok(data.cast(tensor.dtype))
    }
    fn shape(tensor: &MineTensor) -> Shape {
        tensor.shape.clone()
    }
    fn dtype(tensor: &MineTensor) -> DType {
        tensor.dtype
    }
    fn device(_: &MineTensor) {}

    // What it does itself, because that is faster than by default.

    fn reshape(tensor: MineTensor, shape: Shape) -> Result<MineTensor> {
        Ok(MineTensor { shape, ..tensor })
    }
    fn cast(tensor: MineTensor, dtype: DType) -> Result<MineTensor> {
        match (&tensor.elements, dtype) {
            (Elements::Floats(floats), DType::F32 | DType::BF16) => {
                Ok(MineTensor::of_floats(floats.to_vec(), &tensor.shape, dtype))
            }
            _ => on_host::cast::<Mine>(tensor, dtype),
        }
    }
    fn apply(prim: Prim, args: Vec<MineTensor>) -> Result<MineTensor> {
        let f: fn(f32, f32) -> f32 = match prim {
            Prim::Add => |x, y| x + y,
            Prim::Sub => |x, y| x - y,
            Prim::Mul => |x, y| x * y,
            Prim::Div => |x, y| x / y,
            _ => return on_host::apply::<Mine>(prim, args),
        };
        match &args[..] {
            [MineTensor { elements: Elements::Floats(x), shape, dtype }, y] => {
                let results = x.iter().zip(y.floats()?).map(|(x, y)| f(*x, *y)).collect();
                Ok(MineTensor::of_floats(results, shape, *dtype))
            }
            _ => on_host::apply::<Mine>(prim, args),
        }
    }
    fn reduce(fold: Fold, tensor: MineTensor, axes: &[usize]) -> Result<MineTensor> {
        let rank = tensor.shape.rank();
        let are_last = axes.iter().rev().enumerate().all(|(behind, axis)| *axis == rank - 1 - behind);
        let (Fold::Sum, true, Elements::Floats(floats)) = (fold, are_last, &tensor.elements) else {
            return on_host::reduce::<Mine>(fold, tensor, axes);
        };
        let (kept, reduced) = tensor.shape.split_at(rank - axes.len());
        let (rows, length) = (Shape::new(kept).elements()?, Shape::new(reduced).elements()?);
        let row = |at: usize| floats[at * length..][..length].iter();
        let sums = (0..rows).map(|at| row(at).fold(0.0, |sum, x| sum + f64::from(*x)) as f32).collect();
        Ok(MineTensor::of_floats(sums, &Shape::new(kept), tensor.dtype))
    }
    fn matmul(lhs: MineTensor, rhs: MineTensor) -> Result<MineTensor> {
        let (left, right) = (lhs.floats()?, rhs.floats()?);
        let (batch, m, k, n) = (lhs.shape[0], lhs.shape[1], lhs.shape[2], rhs.shape[2]);
        let mut product = vec![0.0; batch * m * n];
        for (row, out) in product.chunks_exact_mut(n.max(1)).enumerate() {
            for i in 0..k {
                let factor = left[row * k + i];
                let right = &right[(row / m * k + i) * n..][..n];
                out.iter_mut().zip(right).for_each(|(sum, x)| *sum += factor * x);
            }
        }
        Ok(MineTensor::of_floats(product, &Shape::new(&[batch, m, n]), lhs.dtype))
    }
}
