//! Kernels that are written by hand, in a few lines of arithmetic. Arguments come as arrays of f64 or i64,
//! whatever their dtype is, and results are rounded once to the dtype of the arguments. So a kernel with a
//! correct closure is correct, and every fault is in the closure.

use ndarray::{ArrayD, ArrayView1, Axis, IxDyn};
use tensor_op::cpu::{NdArrayTensor, Value};
use tensor_op::{DType, Element, Result, Shape, TensorData};

/// The arguments of a kernel.
pub(crate) type Args<'a> = &'a tensor_op::cpu::Args<'a, NdArrayTensor>;
/// The results of a kernel.
pub(crate) type Results = Result<Vec<NdArrayTensor>>;

/// The tensors among the arguments.
pub(crate) fn tensors(args: Args<'_>) -> Vec<&NdArrayTensor> {
    args.values().iter().filter_map(Value::tensor).collect()
}

/// A scalar argument.
pub(crate) fn scalar(args: Args<'_>, arg: usize) -> f64 {
    match &args.values()[arg] {
        Value::Scalar(scalar) => scalar.as_f64(),
        Value::Tensor(_) | Value::Shape(_) => f64::NAN,
    }
}

/// The elements of a tensor as another type.
pub(crate) fn array<T: Element>(tensor: &NdArrayTensor) -> Result<ArrayD<T>> {
    let shape = tensor.shape().clone();
    let elements = tensor.clone().into_data()?.cast(T::DTYPE).into_vec::<T>()?;
    Ok(ArrayD::from_shape_vec(IxDyn(&shape), elements).expect("as many elements as the shape says"))
}

/// The tensor arguments as floats.
pub(crate) fn floats(args: Args<'_>) -> Result<Vec<ArrayD<f64>>> {
    tensors(args).into_iter().map(array).collect()
}

/// An array as a tensor of this dtype.
pub(crate) fn stored<T: Element>(array: ArrayD<T>, dtype: DType) -> Result<NdArrayTensor> {
    let shape = Shape::new(array.shape());
    let data = TensorData::new(array.into_iter().collect(), shape)?;
    Ok(NdArrayTensor::from_data(data.cast(dtype)))
}

/// A result in the dtype of the first tensor.
pub(crate) fn like_first<T: Element>(args: Args<'_>, array: ArrayD<T>) -> Results {
    Ok(vec![stored(array, tensors(args)[0].dtype())?])
}

/// Applies a function to each element of the only tensor.
pub(crate) fn unary(args: Args<'_>, f: impl Fn(f64) -> f64) -> Results {
    like_first(args, floats(args)?.swap_remove(0).mapv_into(f))
}

/// Applies a function to each pair of elements of two tensors, which are broadcast to one shape.
pub(crate) fn pairs<T: Element>(a: &ArrayD<T>, b: &ArrayD<T>, f: impl Fn(T, T) -> T) -> Result<ArrayD<T>> {
    let shape = Shape::new(a.shape()).broadcast(&Shape::new(b.shape()))?;
    let wide =
        |x: &ArrayD<T>| x.broadcast(IxDyn(&shape)).expect("shapes broadcast to their common one").to_owned();
    let b = wide(b);
    let mut b = b.iter();
    Ok(wide(a).mapv_into(|a| b.next().map_or(a, |b| f(a, *b))))
}

/// Applies a function to each pair of elements of the two tensors.
pub(crate) fn binary(args: Args<'_>, f: impl Fn(f64, f64) -> f64) -> Results {
    let x = floats(args)?;
    like_first(args, pairs(&x[0], &x[1], f)?)
}

/// Does the same as [`binary`], for ints.
pub(crate) fn binary_ints(args: Args<'_>, f: impl Fn(i64, i64) -> i64) -> Results {
    let x: Vec<ArrayD<i64>> = tensors(args).into_iter().map(array).collect::<Result<_>>()?;
    like_first(args, pairs(&x[0], &x[1], f)?)
}

/// Computes one number for each row of the last axis.
pub(crate) fn folded(x: &ArrayD<f64>, f: impl FnMut(ArrayView1<'_, f64>) -> f64) -> ArrayD<f64> {
    x.map_axis(Axis(x.ndim() - 1), f)
}

/// Computes a row for each row along an axis.
pub(crate) fn mapped(mut x: ArrayD<f64>, axis: usize, f: impl Fn(&[f64]) -> Vec<f64>) -> ArrayD<f64> {
    for mut row in x.lanes_mut(Axis(axis)) {
        let result = f(&row.to_vec());
        row.iter_mut().zip(result).for_each(|(target, value)| *target = value);
    }
    x
}

/// A number rounded to a dtype.
pub(crate) fn rounded(x: f64, dtype: DType) -> f64 {
    let data = TensorData::scalar(x).cast(dtype).cast(DType::F64);
    data.to_vec::<f64>().map_or(f64::NAN, |elements| elements[0])
}
