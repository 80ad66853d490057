//! Arguments of a gradient, from those of the op: saved results, shapes, and gradients of results.

use super::{floats, is_float};
use tensor_op_core::{DType, Result, TensorData, Value, interpret};
use tensor_op_spec::ir::{ArgType, Graph, Role};

/// The arguments of `backward` at a point of `forward`, as they are stored in a dtype. What was saved is what a backend would have
/// stored: rounded to the dtype, or to that of its arithmetic where the result is hidden.
pub fn backward_args(
    forward: &Graph,
    backward: &Graph,
    args: &[Value<TensorData>],
    dtype: DType,
    seed: u64,
) -> Result<Vec<Value<TensorData>>> {
    let results = interpret(forward, args)?;
    let of = |arg: &tensor_op_spec::ir::Arg| match (arg.role, &arg.ty) {
        (Role::Forward(i) | Role::Tangent(i), ArgType::Shape { .. }) => Ok(match &args[i] {
            Value::Tensor(data) => Value::Shape(data.shape().clone()),
            Value::Shape(_) | Value::Scalar(_) => args[i].clone(),
        }),
        (Role::Forward(i) | Role::Tangent(i), _) => Ok(args[i].clone()),
        (Role::Output(k), ArgType::Shape { .. }) => Ok(Value::Shape(results[k].shape().clone())),
        (Role::Output(k), _) => {
            let dtype = if forward.outputs[k].hidden { dtype.compute() } else { dtype };
            Ok(Value::Tensor(convert(results[k].clone(), dtype)))
        }
        (Role::Grad(k), _) => floats(results[k].shape(), &[seed, k as u64]).map(Value::Tensor),
    };
    let given: Result<Vec<Value<TensorData>>> = backward.args.iter().map(of).collect();
    Ok(given?
        .into_iter()
        .map(|arg| arg.map(|data| if data.dtype() == DType::F64 { convert(data, dtype) } else { data }))
        .collect())
}

/// Floats as another dtype; other kinds stay.
pub fn convert(data: TensorData, dtype: DType) -> TensorData {
    if is_float(&data) { data.cast(dtype) } else { data }
}
