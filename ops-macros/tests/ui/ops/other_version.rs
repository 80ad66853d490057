use tensor_op::prelude::*;

#[doc(hidden)]
macro_rules! carrier {
    ($($declaration:tt)*) => {
        ::tensor_op::__private::inline! { "tensor-op 0.0.1\nop old\n" $($declaration)* }
    };
}
use carrier as old;

#[tensor_op]
fn act(x: Tensor) -> Tensor {
    self::old(x)
}

fn main() {}
