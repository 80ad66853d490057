//! Softmax and its kin.

use super::Entry;
use super::along::within;
use crate::call::{Call, Outcome};
use tensor_op::catalogue::nn::{log_softmax, safe_softmax, softmax, softmin};
use tensor_op::prelude::*;

#[tensor_op(tests = false)]
fn softmax_backward(grad_out: Tensor, #[no_grad] out: Tensor, axis: Axis) -> Tensor {
    out * (grad_out - sum(grad_out * out, axis))
}

fn along(call: &Call, op: fn(Tensor, i64) -> Result<Tensor>) -> Outcome {
    let axis = call.int(1, "dim")?.ok_or_else(|| call.wrong("dim", "given"))?;
    let x = call.x()?;
    Ok(vec![within(&x, axis, op)?])
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        Entry::new("_softmax_backward_data", |call| {
            let (out, axis) = (call.float(1, "output")?, call.int(2, "dim")?.unwrap_or(-1));
            Ok(vec![softmax_backward(call.x()?, out, axis)?])
        }),
        Entry::new("log_softmax", |call| along(call, log_softmax)),
        Entry::new("log_softmax with_dtype", |call| along(call, log_softmax)),
        Entry::new("nn.functional.softmin", |call| along(call, softmin)),
        Entry::new("nn.functional.softmin with_dtype", |call| along(call, softmin)),
        Entry::new("softmax", |call| along(call, softmax)),
        Entry::new("softmax with_dtype", |call| along(call, softmax)),
        Entry::new("torch.ops.aten._safe_softmax.default", |call| along(call, safe_softmax)),
    ]
}
