fn mse_loss(x: Tensor, y: Tensor, #[default(Reduction::Mean)] reduction: Reduction) -> Tensor {
    let e = square(x - y);
    match reduction {
        Reduction::None => e,
        Reduction::Mean => mean(e, ..),
        Reduction::Sum => sum(e, ..),
    }
}
