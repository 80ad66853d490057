use tensor_op::prelude::*;

#[tensor_op]
pub struct Double;

fn main() {}
