fn mse_loss(x: Tensor, y: Tensor, #[default(tensor_op::Reduction::Mean)] reduction: tensor_op::Reduction) -> Tensor {
    let e = square(x - y);
    match reduction {
        tensor_op::Reduction::None => e,
        tensor_op::Reduction::Mean => mean(e, ..),
        tensor_op::Reduction::Sum => sum(e, ..),
    }
}
