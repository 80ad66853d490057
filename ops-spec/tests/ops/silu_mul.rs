/// SwiGLU gate.
pub fn silu_mul(x: Tensor, gate: Tensor) -> Tensor {
    x * gate * sigmoid(gate)
}
