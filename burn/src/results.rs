//! Shapes and dtypes of the results of an op, computed from its arguments alone.

use crate::tensor::{OpTensor, declared_shape, scalars};
use tensor_op_core::{Binding, DType, Dtypes, Result, Shape, Value};
use tensor_op_spec::ir::{Graph, Output};

/// Dtype of a result, and its shape in Burn.
pub(crate) fn shape_and_dtype<B: burn::backend::Backend>(
    graph: &Graph,
    output: usize,
    args: &[Value<OpTensor<B>>],
) -> Result<(Shape, DType)> {
    let shapes: Vec<Value<Shape>> = args
        .iter()
        .zip(scalars(graph, args))
        .map(|(arg, is_scalar)| match arg {
            Value::Tensor(tensor) => Value::Tensor(declared_shape(is_scalar, tensor.shape())),
            Value::Scalar(scalar) => Value::Scalar(*scalar),
            Value::Shape(shape) => Value::Shape(declared_shape(is_scalar, shape.clone())),
        })
        .collect();
    let binding = Binding::from_args(graph, &shapes, Shape::clone)?;
    let found = args.iter().map(|arg| arg.clone().try_map(|tensor| tensor.dtype()));
    let dtypes = Dtypes::new(graph, &found.collect::<Result<Vec<_>>>()?)?;
    let shape = shape(graph, &graph.outputs[output], &binding)?;
    let shape = if shape.rank() == 0 { Shape::new(&[1]) } else { shape };
    Ok((shape, dtypes.of_result(graph, output)))
}

/// The declared shape of a result. Unlike a shape in Burn, it distinguishes a tensor without axes from one
/// with an axis.
pub(crate) fn shape(graph: &Graph, output: &Output, binding: &Binding) -> Result<Shape> {
    match output.like {
        Some(arg) => Ok(binding.like_shape(arg)),
        None => binding.result_shape(&output.axes, graph.node(output.node).dims),
    }
}
