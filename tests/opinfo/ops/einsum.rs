//! Einstein's sums.

use super::Entry;
use crate::call::{Call, Outcome};
use tensor_op::prelude::*;

fn einsum(call: &Call) -> Outcome {
    let operands: Vec<Tensor> = call.tensors()?;
    Ok(vec![tensor_op::einsum(call.text(1, "equation", "")?, &operands)?])
}

pub(super) fn table() -> Vec<Entry> {
    vec![Entry::new("einsum", einsum)]
}
