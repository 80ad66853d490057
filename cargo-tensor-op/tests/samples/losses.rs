use tensor_op::tensor_op;

/// A call chooses one of three formulas.
#[tensor_op]
pub fn squared_error(
    x: Tensor,
    y: Tensor,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Tensor {
    let error = (x - y) * (x - y);
    match reduction {
        Reduction::None => error,
        Reduction::Sum => sum(error, ..),
        Reduction::Mean => mean(error, ..),
    }
}
