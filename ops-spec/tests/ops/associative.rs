/// Two steps of a recurrence as one.
#[tensor_op(associative)]
pub fn steps(decay: Tensor, x: Tensor, next_decay: Tensor, next_x: Tensor) -> (Tensor, Tensor) {
    (decay * next_decay, next_decay * x + next_x)
}
