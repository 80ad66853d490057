//! Reductions over axes. Names are PyTorch's. `dim` is an axis, a list of axes, or `..` for all of them; what
//! was reduced leaves the shape, so PyTorch's `keepdim=True` is `x.sum(1)?.unsqueeze(1)`.
//!
//! ```
//! use tensor_op::prelude::*;
//!
//! # fn main() -> Result<()> {
//! let x = Tensor::from_vec(vec![1.0, 2.0, 3.0, 6.0], [2, 2], &Device::default())?;
//! assert_eq!(x.sum(1)?.to_vec::<f64>()?, [3.0, 9.0]);
//! assert_eq!(x.mean(..)?.item::<f64>()?, 3.0);
//! assert_eq!(x.argmax(-1)?.to_vec::<i64>()?, [1, 1]);
//! // Ints too.
//! assert_eq!(x.cast(DType::I32)?.amax([0, 1])?.item::<i32>()?, 6);
//! # Ok(())
//! # }
//! ```
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use super::{arith, math};
use crate::{Axes, IntoAxes, IntoFloat, IntoTensor, Result, Tensor, tensor_op};

/// The sum. For ints it is an i64. `torch.sum`.
///
/// ```
/// use tensor_op::catalogue::reduce::sum;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]);
/// assert_eq!(sum(&x, 0)?.to_vec::<f64>()?, [4.0, 6.0]);
/// assert_eq!(sum(&x, ..)?.item::<f64>()?, 10.0);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent))]
pub fn sum(input: NumTensor, #[default(all)] dim: Axes) -> NumTensor {
    sum(input, dim)
}

/// The product. For ints it is an i64. `torch.prod`.
///
/// ```
/// use tensor_op::catalogue::reduce::prod;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]);
/// assert_eq!(prod(&x, 1)?.to_vec::<f64>()?, [2.0, 12.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent))]
pub fn prod(input: NumTensor, #[default(all)] dim: Axes) -> NumTensor {
    prod(input, dim)
}

/// The mean. `torch.mean`.
///
/// ```
/// use tensor_op::catalogue::reduce::mean;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]);
/// assert_eq!(mean(&x, 1)?.to_vec::<f64>()?, [1.5, 3.5]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent))]
pub fn mean(input: Tensor, #[default(all)] dim: Axes) -> Tensor {
    mean(input, dim)
}

/// The sum of what is not NaN. `torch.nansum`.
#[tensor_op(method(inherent))]
pub fn nansum(input: Tensor, #[default(all)] dim: Axes) -> Tensor {
    sum(select(is_nan(input), 0.0, input), dim)
}

/// The mean of what is not NaN. `torch.nanmean`.
#[tensor_op(method(inherent))]
pub fn nanmean(input: Tensor, #[default(all)] dim: Axes) -> Tensor {
    sum(select(is_nan(input), 0.0, input), dim) / sum(select(is_nan(input), 0.0, 1.0), dim)
}

/// The largest element. Equal elements share the gradient. `torch.amax`.
///
/// ```
/// use tensor_op::catalogue::reduce::amax;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]);
/// assert_eq!(amax(&x, 0)?.to_vec::<f64>()?, [3.0, 4.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent))]
pub fn amax(input: NumTensor, #[default(all)] dim: Axes) -> NumTensor {
    max(input, dim)
}

/// The smallest element. Equal elements share the gradient. `torch.amin`.
#[tensor_op(method(inherent))]
pub fn amin(input: NumTensor, #[default(all)] dim: Axes) -> NumTensor {
    min(input, dim)
}

/// The smallest and the largest element. `torch.aminmax`.
#[tensor_op(method(inherent))]
pub fn aminmax(input: NumTensor, #[default(all)] dim: Axes) -> (NumTensor, NumTensor) {
    (min(input, dim), max(input, dim))
}

/// The index of the largest element; of equal ones the first. `torch.argmax`.
///
/// ```
/// use tensor_op::catalogue::reduce::argmax;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]);
/// assert_eq!(argmax(&x, 1)?.to_vec::<i64>()?, [1, 1]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent))]
pub fn argmax(input: NumTensor, dim: Axis) -> IntTensor {
    argmax(input, dim)
}

/// The index of the smallest element; of equal ones the first. `torch.argmin`.
#[tensor_op(method(inherent))]
pub fn argmin(input: NumTensor, dim: Axis) -> IntTensor {
    argmin(input, dim)
}

/// Whether all hold. `torch.all`.
#[tensor_op(method(inherent))]
pub fn all(input: BoolTensor, #[default(all)] dim: Axes) -> BoolTensor {
    all(input, dim)
}

/// Whether any holds. `torch.any`.
#[tensor_op(method(inherent))]
pub fn any(input: BoolTensor, #[default(all)] dim: Axes) -> BoolTensor {
    any(input, dim)
}

/// How many elements are not 0. `torch.count_nonzero`.
#[tensor_op(method(inherent))]
pub fn count_nonzero(input: NumTensor, #[default(all)] dim: Axes) -> IntTensor {
    sum(cast(input != 0, int), dim)
}

/// The logarithm of the sum of the exponentials, without overflow on the way. `torch.logsumexp`.
///
/// ```
/// use tensor_op::catalogue::reduce::logsumexp;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// assert!((logsumexp(Tensor::from([0.0, 0.0]), 0)?.item::<f64>()? - std::f64::consts::LN_2).abs() < 1e-12);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent))]
pub fn logsumexp(input: Tensor, #[default(all)] dim: Axes) -> Tensor {
    logsumexp(input, dim)
}

/// The variance: squared deviations, divided by their number less `correction`. `torch.var`.
///
/// ```
/// use tensor_op::catalogue::reduce::var;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]);
/// assert_eq!(var(&x, 1, None)?.to_vec::<f64>()?, [0.5, 0.5]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent))]
pub fn var(input: Tensor, #[default(all)] dim: Axes, #[default(1.0)] correction: f64) -> Tensor {
    let count = cast(len(dim), float);
    sum(square(input - mean(input, dim)), dim) / maximum(count - correction, 0.0)
}

/// The standard deviation, the square root of `var`. Its gradient is 0 where it is 0. `torch.std`.
#[tensor_op(method(inherent))]
pub fn std(input: Tensor, #[default(all)] dim: Axes, #[default(1.0)] correction: f64) -> Tensor {
    let var = self::var(input, dim, correction);
    select(var == 0.0, 0.0, sqrt(select(var == 0.0, 1.0, var)))
}

/// The variance and the mean. `torch.var_mean`.
#[tensor_op(method(inherent))]
pub fn var_mean(
    input: Tensor,
    #[default(all)] dim: Axes,
    #[default(1.0)] correction: f64,
) -> (Tensor, Tensor) {
    (self::var(input, dim, correction), mean(input, dim))
}

/// The standard deviation and the mean. `torch.std_mean`.
#[tensor_op(method(inherent))]
pub fn std_mean(
    input: Tensor,
    #[default(all)] dim: Axes,
    #[default(1.0)] correction: f64,
) -> (Tensor, Tensor) {
    (self::std(input, dim, correction), mean(input, dim))
}

/// The Euclidean norm. `torch.linalg.vector_norm`.
///
/// ```
/// use tensor_op::catalogue::reduce::norm;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// assert_eq!(norm(Tensor::from([[3.0, 4.0]]), 1)?.to_vec::<f64>()?, [5.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent))]
pub fn norm(input: Tensor, #[default(all)] dim: Axes) -> Tensor {
    norm(input, dim)
}

/// The norm of the order `p`, which is not 0: `(sum of |x|^p)^(1/p)`. The order `f64::INFINITY` gives the
/// largest absolute value. Zeros have the gradient 0. `torch.linalg.vector_norm(x, p)`; [`vector_norm`] takes
/// any order.
#[tensor_op(method(inherent))]
pub fn p_norm(input: Tensor, p: f64, #[default(all)] dim: Axes) -> Tensor {
    let order = select(p == INFINITY, 1.0, p);
    let power = pow(select(input == 0.0, 1.0, abs(input)), order);
    let total = sum(select(input == 0.0, select(p < 0.0, INFINITY, 0.0), power), dim);
    let root = select(total == 0.0, 0.0, pow(select(total == 0.0, 1.0, total), 1.0 / order));
    select(p == INFINITY, max(abs(input), dim), root)
}

/// The norm of any order, 2 if it is `None`: `(sum of |x|^ord)^(1/ord)`. Order 0 counts what is not 0, and
/// the infinities give the largest and the smallest absolute value. `torch.linalg.vector_norm`.
///
/// ```
/// use tensor_op::catalogue::reduce::vector_norm;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([3.0, 0.0, -4.0]);
/// assert_eq!(vector_norm(&x, None, None)?.item::<f64>()?, 5.0);
/// assert_eq!(vector_norm(&x, 0, None)?.item::<f64>()?, 2.0);
/// assert_eq!(vector_norm(&x, f64::NEG_INFINITY, None)?.item::<f64>()?, 0.0);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// An axis out of range, and an infinite order of no elements.
pub fn vector_norm(
    input: impl IntoTensor,
    ord: impl IntoFloat<Option<f64>>,
    dim: impl IntoAxes<Option<Axes>>,
) -> Result<Tensor> {
    let (input, dim) = (input.into_tensor()?, dim.into_axes());
    let dtype = input.dtype();
    let found = match ord.into_float().unwrap_or(2.0) {
        0.0 => count_nonzero(input, dim).and_then(|count| count.cast(dtype)),
        1.0 => sum(math::abs(input), dim),
        2.0 => norm(input, dim),
        f64::INFINITY => amax(math::abs(input), dim),
        f64::NEG_INFINITY => amin(math::abs(input), dim),
        ord => p_norm(input, ord, dim),
    };
    found.map_err(|error| error.renamed("vector_norm"))
}

/// The norm of the difference of two tensors, of the order `p`, which is 2 if it is `None`. `torch.dist`.
///
/// # Errors
///
/// Shapes that do not broadcast, and an infinite order of no elements.
pub fn dist(
    input: impl IntoTensor,
    other: impl IntoTensor,
    p: impl IntoFloat<Option<f64>>,
) -> Result<Tensor> {
    let difference = arith::sub(input, other);
    vector_norm(difference, p, ..).map_err(|error| error.renamed("dist"))
}

impl Tensor {
    /// [`dist`] of this tensor and another one.
    pub fn dist(&self, other: impl IntoTensor, p: impl IntoFloat<Option<f64>>) -> Result<Tensor> {
        dist(self, other, p)
    }
}

/// The sum of the elements on the diagonal of a matrix. `torch.trace`.
#[tensor_op(method(inherent))]
pub fn trace(input: NumTensor![m, n]) -> NumTensor![] {
    sum(at(input, n = m, or = 0), m)
}
