//! Scans by an associative op that a user declares.

use tensor_op::prelude::*;
use tensor_op::testing::Claim;
use tensor_op::{ErrorKind, associative_scan, grad};

/// Two steps of `h -> decay * h + x` as one.
#[tensor_op(associative)]
fn steps(decay: Tensor, x: Tensor, next_decay: Tensor, next_x: Tensor) -> (Tensor, Tensor) {
    (decay * next_decay, next_decay * x + next_x)
}

#[tensor_op(tests = false)]
fn recurrence(decay: Tensor![.., t], x: Tensor![.., t]) -> Tensor![.., t] {
    linear_recurrence(decay, x, t)
}

/// Products of matrices do not commute.
#[tensor_op(associative)]
fn product(a: Tensor![.., i, j], b: Tensor![.., j, k]) -> Tensor![.., i, k] {
    sum(a * b, j)
}

/// The largest number so far, and its place, the first one of equals.
#[tensor_op(associative)]
fn larger(x: Tensor, place: IntTensor, y: Tensor, other: IntTensor) -> (Tensor, IntTensor) {
    (select(y > x, y, x), select(y > x, other, place))
}

/// Is not associative.
#[tensor_op(tests = false)]
fn difference(a: Tensor, b: Tensor) -> Tensor {
    a - b
}

/// Changes a shape.
#[tensor_op(tests = false)]
fn all(a: Tensor![.., n], b: Tensor![.., n]) -> Tensor![..] {
    sum(a + b, n)
}

/// The CPU, and a GPU if the build has one.
fn devices() -> Result<Vec<Device>> {
    let gpu = cfg!(feature = "wgpu").then(|| Device::new("wgpu"));
    std::iter::once(Ok(Device::default())).chain(gpu).collect()
}

/// Compares elements. Those of a scan are added in another order.
fn near(found: &Tensor, wanted: &Tensor, tolerance: f32) -> Result<()> {
    assert_eq!(found.shape(), wanted.shape());
    let (found, wanted) = (found.to_vec::<f32>()?, wanted.to_vec::<f32>()?);
    for (at, (found, wanted)) in found.into_iter().zip(wanted).enumerate() {
        let is_near = (found - wanted).abs() <= tolerance * wanted.abs().max(1.0);
        assert!(is_near, "element {at} is {found}, not {wanted}");
    }
    Ok(())
}

fn numbers(shape: [usize; 2], start: f64, device: &Device) -> Result<Tensor> {
    let values = (0..shape[0] * shape[1]).map(|i| ((i as f64 * 0.7 + start).sin()) as f32);
    Tensor::from_vec(values.collect(), shape, device)
}

#[test]
fn the_recurrence_and_its_gradient_are_those_of_the_language() -> Result<()> {
    for device in devices()? {
        for len in [0, 1, 2, 3, 7, 8, 33] {
            let inputs = [numbers([3, len], 0.1, &device)?, numbers([3, len], 2.0, &device)?];
            let scanned = |x: &[Tensor]| Ok(steps_scan(&x[0], &x[1], -1, None)?.1);
            let written = |x: &[Tensor]| recurrence(&x[0], &x[1]);
            near(&scanned(&inputs)?, &written(&inputs)?, 1e-5)?;
            let weighted =
                |f: fn(&[Tensor]) -> Result<Tensor>| grad(move |x: &[Tensor]| f(x)? * x[1].exp()?);
            let (found, wanted) = (weighted(scanned)(&inputs)?, weighted(written)(&inputs)?);
            for (found, wanted) in found.iter().zip(&wanted) {
                near(found, wanted, 1e-4)?;
            }
        }
    }
    Ok(())
}

#[test]
fn elements_keep_their_order() -> Result<()> {
    for device in devices()? {
        // Three rows of five matrices, one after the other.
        let matrices = numbers([3 * 5, 4], 0.3, &device)?.reshape([3, 5, 2, 2])?;
        let (along, back) = (product_scan(&matrices, 1, None)?, product_scan(&matrices, -3, true)?);
        let (mut so_far, mut to_come) = (matrices.slice(1, 0..1)?, matrices.slice(1, 4..5)?);
        for at in 1..5 {
            so_far = product(&so_far, matrices.slice(1, at..at + 1)?)?;
            to_come = product(&to_come, matrices.slice(1, 4 - at..5 - at)?)?;
            near(&along.slice(1, at..at + 1)?, &so_far, 1e-5)?;
            near(&back.slice(1, 4 - at..5 - at)?, &to_come, 1e-5)?;
        }
    }
    Ok(())
}

#[test]
fn ints_go_along() -> Result<()> {
    for device in devices()? {
        let x = Tensor::from_vec(vec![1_f32, 4.0, 4.0, 2.0, 7.0, 7.0], [6], &device)?;
        let places = Tensor::from_vec((0..6_i64).collect(), [6], &device)?;
        let (largest, place) = larger_scan(&x, &places, 0, false)?;
        assert_eq!(largest.to_vec::<f32>()?, [1.0, 4.0, 4.0, 4.0, 7.0, 7.0]);
        assert_eq!(place.to_vec::<i64>()?, [0, 1, 1, 1, 4, 4]);
    }
    Ok(())
}

#[test]
fn an_op_that_is_not_associative_is_found() {
    let failure = Claim::Associative.check(&Difference).expect_err("1 - (1 - 1) is not (1 - 1) - 1");
    assert!(failure.to_string().contains("it is not associative: `out` is"), "{failure}");
    assert!(Claim::Associative.check(&Steps).is_ok());
}

#[test]
fn what_has_no_scan_is_an_error() -> Result<()> {
    let (x, y) = (Tensor::from([1.0, 2.0]), Tensor::from([1.0, 2.0, 3.0]));
    let check = |found: Result<Tensor>, kind: ErrorKind, wanted: &str| {
        let error = found.expect_err(wanted);
        assert_eq!((error.kind(), error.message()), (kind, wanted));
    };
    let sizes = "the tensors have the sizes [2, 3] along axis 0, not one";
    check(steps_scan(&x, &y, 0, None).map(|both| both.1), ErrorKind::Shape, sizes);
    check(
        product_scan(&x, 1, None),
        ErrorKind::Rank,
        "axis 1 is out of range for shape [2]: write one of -1..=0",
    );
    let changed = associative_scan(|[a], [b]| Ok([all(a, b)?]), [x], 0, None);
    let message = "f64 tensors of shape [1] were combined to f64 of shape []: both stay the same";
    check(changed.map(|[y]| y), ErrorKind::Shape, message);
    Ok(())
}
