//! Extreme arguments: sizes that no tensor can have, and reductions over no elements.

use tensor_op::ErrorKind;
use tensor_op::catalogue::nn;
use tensor_op::prelude::*;

/// `g` is the size of a dim, and `by` a number in the formula.
#[tensor_op(tests = false)]
pub fn shifted(x: Tensor![b, (g, c)], g: usize, #[default(1)] by: usize) -> Tensor![b, g, c] {
    x + cast(by, float)
}

#[tensor_op(tests = false)]
pub fn spread(x: Tensor![m, n]) -> (Tensor![m, n], Tensor![m]) {
    (x - min(x, n), max(x, n))
}

#[tensor_op(tests = false)]
pub fn largest(x: Tensor![m, n]) -> IntTensor![m] {
    argmax(x, n)
}

fn empty(shape: [usize; 2]) -> Result<Tensor> {
    Ok(Tensor::zeros(shape, DType::F64, &Device::default())?.require_grad())
}

#[test]
fn a_size_that_is_too_large_is_an_error_of_its_argument() -> Result<()> {
    let x = Tensor::zeros([2, 6], DType::F64, &Device::default())?;
    assert_eq!(shifted(&x, 3, 1)?.shape(), [2, 3, 2]);
    for (g, by, arg) in [(usize::MAX, 1, "g"), (3, usize::MAX, "by"), (1 << 63, usize::MAX, "g")] {
        let error = shifted(&x, g, by).unwrap_err();
        assert_eq!(
            (error.kind(), error.op(), error.arg()),
            (ErrorKind::Overflow, Some("shifted"), Some(arg))
        );
    }
    let message = shifted(&x, usize::MAX, 1).unwrap_err().to_string();
    assert_eq!(
        message,
        "shifted: `g`: 18446744073709551615 is too large; the largest is 9223372036854775807"
    );
    Ok(())
}

/// As in PyTorch, an empty result needs no largest element.
#[test]
fn a_reduction_over_nothing_is_an_error_only_where_a_result_has_elements() -> Result<()> {
    let x = empty([3, 0])?;
    let y = nn::softmax(&x, 1)?;
    assert_eq!(y.shape(), [3, 0]);
    assert_eq!(y.backward_with(&y.ones_like()?)?.get(&x).expect("tracked").shape(), [3, 0]);
    assert_eq!(nn::log_softmax(&x, 1)?.shape(), [3, 0]);
    assert_eq!(spread(&empty([0, 0])?)?.1.shape(), [0]);
    assert_eq!(largest(&empty([0, 0])?)?.shape(), [0]);
    for error in [spread(&x).map(|results| results.0), largest(&x)] {
        let error = error.unwrap_err();
        assert_eq!((error.kind(), error.arg(), error.dim()), (ErrorKind::Empty, Some("x"), Some("n")));
    }
    Ok(())
}
