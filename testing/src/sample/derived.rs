//! The arguments of a gradient, made from those of the op: saved results, shapes, and gradients of results.

use super::is_float;
use tensor_op_core::{DType, TensorData, Value};
use tensor_op_spec::ir::{ArgType, Graph, Role};

/// The arguments of `backward`, made from arguments and results of `forward` and one gradient for each
/// result, as they are stored in a dtype. A saved result is what a backend would have stored: it is rounded
/// to the dtype, or to the dtype of its arithmetic if the result is hidden.
pub fn backward_args(
    forward: &Graph,
    backward: &Graph,
    args: &[Value<TensorData>],
    results: &[TensorData],
    gradients: &[Option<TensorData>],
    dtype: DType,
) -> Vec<Value<TensorData>> {
    let bare = |data: &TensorData| Value::Shape(data.shape().clone());
    let of = |arg: &tensor_op_spec::ir::Arg| {
        let is_shape = matches!(arg.ty, ArgType::Shape { .. });
        match arg.role {
            Role::Forward(i) | Role::Tangent(i) => match &args[i] {
                Value::Tensor(data) if is_shape => bare(data),
                Value::Tensor(_) | Value::Shape(_) | Value::Scalar(_) => args[i].clone(),
            },
            Role::Output(k) if is_shape => bare(&results[k]),
            Role::Output(k) => {
                let dtype = if forward.outputs[k].hidden { dtype.compute() } else { dtype };
                Value::Tensor(convert(results[k].clone(), dtype))
            }
            Role::Grad(k) => match gradients.get(k) {
                Some(Some(gradient)) => Value::Tensor(convert(gradient.clone(), dtype)),
                Some(None) | None => bare(&results[k]),
            },
        }
    };
    backward.args.iter().map(of).collect()
}

/// Converts floats to another dtype; other kinds stay as they are.
pub fn convert(data: TensorData, dtype: DType) -> TensorData {
    if is_float(&data) { data.cast(dtype) } else { data }
}
