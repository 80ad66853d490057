//! Linear algebra and Fourier transforms: errors, empty shapes, other devices, and derivatives of order two.
//! Values and gradients beside PyTorch's are in tests/opinfo.

use tensor_op::catalogue::nn::matmul;
use tensor_op::prelude::*;
use tensor_op::{
    Autodiff, Error, ErrorKind, NdArray, fft, grad, jvp, linalg, register_backend, through_host,
};

fn matrix() -> Tensor {
    Tensor::from([[2.0, 0.5, 0.1], [0.3, 3.0, 0.2], [0.4, -0.6, 4.0]])
}

fn close(found: &Tensor, wanted: &Tensor, tolerance: f64) {
    assert_eq!(found.shape(), wanted.shape());
    let (found, wanted) = (found.to_vec::<f64>().unwrap(), wanted.to_vec::<f64>().unwrap());
    for (a, b) in found.iter().zip(&wanted) {
        assert!((a - b).abs() <= tolerance * b.abs().max(1.0), "{found:?} is not {wanted:?}");
    }
}

fn transposed(x: &Tensor) -> Tensor {
    x.transpose(-2, -1).unwrap()
}

/// A symmetric and positive definite matrix.
fn positive(x: &Tensor) -> Result<Tensor> {
    matmul(x, transposed(x))
}

type Case = (&'static str, fn(&Tensor) -> Result<Tensor>);

/// Functions of one matrix that do not depend on free signs.
const SMOOTH: &[Case] = &[
    ("solve", |x| linalg::solve(x, x * x)),
    ("inv", |x| linalg::inv(x)),
    ("det", |x| linalg::det(x)),
    ("slogdet", |x| Ok(linalg::slogdet(x)?.1)),
    ("cholesky", |x| linalg::cholesky(positive(x)?, false)),
    ("cholesky upper", |x| linalg::cholesky(positive(x)?, true)),
    ("cholesky_solve", |x| linalg::cholesky_solve(x, linalg::cholesky(positive(x)?, false)?, false)),
    ("solve_triangular", |x| linalg::solve_triangular(x, x * x, true, true, false)),
    ("solve_triangular right", |x| linalg::solve_triangular(x, x * x, false, false, true)),
    ("pinv", |x| linalg::pinv(x.slice(1, ..2)?, None)),
    ("lstsq", |x| linalg::lstsq(x.slice(1, ..2)?, x * x, None)),
    ("qr", |x| {
        let (q, r) = linalg::qr(x)?;
        (&q * &q)? + (&r * &r)?
    }),
    ("qr tall", |x| {
        let (q, r) = linalg::qr(x.slice(1, ..2)?)?;
        matmul((&q * &q)?, (&r * &r)?)
    }),
    ("qr wide", |x| {
        let (q, r) = linalg::qr(x.slice(0, ..2)?)?;
        matmul((&q * &q)?, (&r * &r)?)
    }),
    ("eigh", |x| {
        let (values, vectors) = linalg::eigh(positive(x)?, false)?;
        matmul((&vectors * &vectors)?, values.unsqueeze(-1)?)
    }),
    ("svd", |x| {
        let (u, s, vh) = linalg::svd(x)?;
        ((&u * &u)? * s)? + (&vh * &vh)?
    }),
    ("svd tall", |x| {
        let (u, s, vh) = linalg::svd(x.slice(1, ..2)?)?;
        matmul((&u * &u)? * s, (&vh * &vh)?)
    }),
    ("svd wide", |x| {
        let (u, s, vh) = linalg::svd(x.slice(0, ..2)?)?;
        matmul((&u * &u)? * s, (&vh * &vh)?)
    }),
    ("norm nuclear", |x| linalg::matrix_norm(x, linalg::MatrixNorm::Nuclear)),
    ("norm two", |x| linalg::matrix_norm(x, linalg::MatrixNorm::Two)),
    ("fft", |x| fft::fft(Tensor::stack(&[x, &(x * x)?], -1)?, Some(4), 0, fft::Norm::Ortho)),
    ("ifft", |x| fft::ifft(Tensor::stack(&[x, &(x * x)?], -1)?, Some(2), -1, fft::Norm::Backward)),
    ("rfft", |x| fft::rfft(x * x, None, 0, fft::Norm::Forward)),
    ("rfft even", |x| fft::rfft(x * x, Some(4), -1, fft::Norm::Backward)),
    ("irfft", |x| fft::irfft(Tensor::stack(&[x, &(x * x)?], -1)?, None, 0, fft::Norm::Backward)),
    ("irfft odd", |x| fft::irfft(Tensor::stack(&[x, &(x * x)?], -1)?, Some(5), 1, fft::Norm::Ortho)),
];

/// Elements that weight results, so that no symmetry hides an error.
fn weighted(y: Tensor) -> Result<Tensor> {
    let count = y.elements();
    let weights: Vec<f64> = (0..count).map(|i| 1.0 + (i as f64 * 1.7).sin()).collect();
    let loss = (y.reshape([count])? * Tensor::from_vec(weights, [count], &Device::default())?)?;
    (&loss * &loss)?.sum(..)
}

/// The matrix with `step` added along the direction.
fn moved(step: f64) -> Tensor {
    (matrix() + step * &direction()).unwrap()
}

fn direction() -> Tensor {
    Tensor::from([[0.3, -0.7, 0.2], [0.5, 0.1, -0.4], [0.6, 0.9, -0.8]])
}

/// The derivative along the direction by differences, with an error of the fourth order.
fn slope(f: impl Fn(&Tensor) -> Tensor) -> Tensor {
    let h = 1e-3;
    let difference = |h: f64| (f(&moved(h)) - f(&moved(-h))).unwrap();
    ((8.0 * difference(h) - difference(2.0 * h)).unwrap() / (12.0 * h)).unwrap()
}

#[test]
fn derivatives_of_both_orders_agree_with_differences() {
    for (name, f) in SMOOTH {
        eprintln!("{name}");
        let loss = |x: &[Tensor]| weighted(f(&x[0])?);
        let gradient = |x: &[Tensor]| Ok(grad(loss)(x)?.remove(0));
        let along = |y: Tensor| (y * direction()).unwrap().sum(..).unwrap();
        let first = along(gradient(&[matrix()]).unwrap());
        close(&first, &slope(|x| loss(std::slice::from_ref(x)).unwrap()), 1e-7);
        let second = grad(|x| (gradient(x)? * direction())?.sum(..))(&[matrix()]).unwrap().remove(0);
        close(&along(second), &slope(|x| along(gradient(std::slice::from_ref(x)).unwrap())), 1e-6);
        let (value, tangent) = jvp(|x| f(&x[0]), &[matrix()], &[direction()]).unwrap();
        close(&value, &f(&matrix()).unwrap(), 0.0);
        close(&tangent, &slope(|x| f(x).unwrap()), 1e-7);
    }
}

#[test]
fn factors_multiply_to_the_matrix_for_each_dtype_and_shape() {
    for dtype in [DType::F32, DType::F64] {
        for shape in [[3, 3], [3, 2], [2, 3], [1, 4], [0, 2], [2, 0], [0, 0]] {
            let count: usize = 2 * shape[0] * shape[1];
            let elements: Vec<f64> = (0..count).map(|i| (i as f64 * 0.7).sin() + 0.1).collect();
            let a = Tensor::from_vec(elements, [2, shape[0], shape[1]], &Device::default()).unwrap();
            let a = a.cast(dtype).unwrap();
            let (q, r) = linalg::qr(&a).unwrap();
            let (u, s, vh) = linalg::svd(&a).unwrap();
            for product in [matmul(&q, &r), matmul(u * s.unsqueeze(-2).unwrap(), vh)] {
                assert_eq!(q.dtype(), dtype);
                close(&product.unwrap(), &a, if dtype == DType::F32 { 1e-6 } else { 1e-13 });
            }
        }
    }
}

#[test]
fn matrices_and_batches_without_elements_have_results() {
    let empty = |shape: &[usize]| Tensor::zeros(shape.to_vec(), DType::F64, &Device::default()).unwrap();
    let shape = |x: Result<Tensor>| x.unwrap().shape().to_vec();
    assert_eq!(linalg::det(empty(&[0, 0])).unwrap().item::<f64>().unwrap(), 1.0);
    assert_eq!(linalg::slogdet(empty(&[0, 0])).unwrap().1.item::<f64>().unwrap().to_bits(), 0);
    assert_eq!(shape(linalg::inv(empty(&[0, 0]))), [0, 0]);
    assert_eq!(shape(linalg::inv(empty(&[0, 3, 3]))), [0, 3, 3]);
    assert_eq!(shape(linalg::solve(empty(&[0, 3, 3]), empty(&[3, 2]))), [0, 3, 2]);
    assert_eq!(shape(linalg::cholesky(empty(&[2, 0, 0]), false)), [2, 0, 0]);
    assert_eq!(shape(linalg::eigvalsh(empty(&[2, 0, 0]), false)), [2, 0]);
    assert_eq!(shape(linalg::svdvals(empty(&[0, 2, 5]))), [0, 2]);
    assert_eq!(shape(linalg::pinv(empty(&[0, 5]), None)), [5, 0]);
    assert_eq!(shape(fft::rfft(empty(&[0, 4]), None, -1, fft::Norm::Backward)), [0, 3, 2]);
    let x = empty(&[0, 3, 3]).require_grad();
    let y = linalg::det(&x).unwrap().sum(..).unwrap();
    assert_eq!(shape(Ok(y.backward().unwrap()[&x].clone())), [0, 3, 3]);
}

#[test]
fn a_singular_matrix_has_a_determinant_with_a_gradient() {
    let x = Tensor::from([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 1.0, 1.0]]).require_grad();
    let gradient = linalg::det(&x).unwrap().backward().unwrap()[&x].clone();
    close(&gradient, &Tensor::from([[-2.0, 4.0, -2.0], [1.0, -2.0, 1.0], [0.0, 0.0, 0.0]]), 1e-12);
    let zeros = Tensor::zeros([3, 3], DType::F64, &Device::default()).unwrap().require_grad();
    let gradient = linalg::det(&zeros).unwrap().backward().unwrap()[&zeros].clone();
    close(&gradient, &Tensor::zeros([3, 3], DType::F64, &Device::default()).unwrap(), 0.0);
    assert_eq!(linalg::slogdet(&zeros).unwrap().0.item::<f64>().unwrap(), 0.0);
    let error = linalg::slogdet(&zeros).unwrap().1.backward().unwrap_err().to_string();
    assert!(error.starts_with("slogdet: `a`: has a singular matrix"), "{error}");
    // Neither a regular matrix nor NaN beside it changes that.
    let all = [[[1.0, 2.0], [2.0, 4.0]], [[2.0, 0.0], [0.0, 3.0]], [[f64::NAN, 0.0], [0.0, 1.0]]];
    let all = Tensor::from(all).require_grad();
    let gradients = linalg::det(&all).unwrap().sum(..).unwrap().backward().unwrap();
    let found = gradients[&all].to_vec::<f64>().unwrap();
    for (found, cofactor) in found.iter().zip([4.0, -2.0, -2.0, 1.0, 3.0, 0.0, 0.0, 2.0]) {
        assert!((found - cofactor).abs() < 1e-12, "{found} is not {cofactor}");
    }
    assert!(found[8..].iter().any(|found| found.is_nan()));
    assert_eq!(linalg::slogdet(&zeros).unwrap().1.item::<f64>().unwrap(), f64::NEG_INFINITY);
}

#[test]
fn errors_name_the_function_and_the_argument() {
    let square = matrix();
    let wide = Tensor::zeros([2, 3], DType::F64, &Device::default()).unwrap();
    let zeros = Tensor::zeros([2, 2], DType::F64, &Device::default()).unwrap();
    let nan = Tensor::from([[f64::NAN, 0.0], [0.0, 1.0]]);
    let infinite = Tensor::from([[f64::INFINITY, 0.0], [0.0, 1.0]]);
    let half = square.cast(DType::F16).unwrap();
    let vector = Tensor::from([1.0, 2.0]);
    let back = fft::Norm::Backward;
    let cases: Vec<(Result<Tensor>, &str)> = vec![
        (
            linalg::solve(&wide, &wide),
            "solve: `a`: has matrices of 2 rows and 3 columns; they must be square",
        ),
        (linalg::solve(&square, &wide), "solve: `b`: has 2 rows, and the matrices of `a` have 3"),
        (linalg::solve(&zeros, &zeros), "solve: `a`: has a singular matrix"),
        (linalg::solve(&square, square.cast(DType::F32)), "solve: `b`: has dtype f32"),
        (linalg::inv(&zeros), "inv: `a`: has a singular matrix"),
        (linalg::inv(&half), "inv: `a`: has dtype f16, and this takes f32 and f64; cast it"),
        (linalg::inv(&vector), "inv: `a`: has shape [2], and a matrix has two axes or more"),
        (linalg::cholesky(-&square, false), "cholesky: `a`: has a matrix that is not positive definite"),
        (linalg::cholesky(&nan, false), "cholesky: `a`: has a matrix that is not positive definite"),
        (linalg::cholesky(&infinite, false), "cholesky: `a`: has a matrix that is not positive definite"),
        (linalg::eigvalsh(&nan, false), "eigvalsh: `a`: has elements that are NaN or infinite"),
        (linalg::svdvals(&infinite), "svdvals: `a`: has elements that are NaN or infinite"),
        (linalg::cholesky_solve(&square, &vector, false), "cholesky_solve: `l`: has shape [2]"),
        (linalg::pinv(&square, Some(f64::NAN)), "pinv: `rtol`: is NaN"),
        (fft::fftfreq(usize::MAX, 1.0, DType::F64, &Device::default()), "fftfreq: needs"),
        (linalg::pinv(&nan, None), "pinv: `a`: has elements that are NaN or infinite"),
        (fft::fft(&square, None, -1, back), "fft: `x`: has shape [3, 3], and the last axis"),
        (fft::rfft(&square, Some(0), -1, back), "rfft: `n`: a transform of length 0"),
        (fft::rfft(Tensor::zeros([2, 0], DType::F64, &Device::default()), None, -1, back), "rfft: `n`:"),
        (fft::rfft(&square, None, 2, back), "rfft: `dim`:"),
        (fft::irfft(vector.unsqueeze(0).unwrap(), None, -1, back), "irfft: `n`: a transform of length 0"),
        (fft::rfft(&half, None, -1, back), "rfft: `x`: has dtype f16"),
        (fft::fftfreq(3, 1.0, DType::I64, &Device::default()), "fftfreq: `dtype`: has dtype i64"),
    ];
    for (found, message) in cases {
        let error = found.expect_err(message).to_string();
        assert!(error.starts_with(message), "{error}\nis not\n{message}");
    }
}

/// A batch without elements may have any size, and a row that nobody has any length.
#[test]
fn what_has_no_elements_takes_no_memory_and_no_time() {
    let many = Tensor::zeros([1 << 40, 0, 0], DType::F64, &Device::default()).unwrap();
    assert_eq!(linalg::inv(&many).unwrap().shape(), many.shape());
    assert_eq!(linalg::svd(&many).unwrap().1.shape()[..], [1 << 40, 0]);
    assert!(linalg::det(&many).is_err());
    let none = Tensor::zeros([0, 4], DType::F64, &Device::default()).unwrap();
    let found = fft::rfft(&none, Some(1 << 40), -1, fft::Norm::Backward).unwrap();
    assert_eq!(found.shape()[..], [0, (1 << 39) + 1, 2]);
}

#[test]
fn nan_and_extreme_numbers_end_in_a_result_or_an_error() {
    let elements = [f64::NAN, f64::INFINITY, f64::MAX, f64::MIN_POSITIVE / 4.0, 0.0];
    for element in elements {
        let a = Tensor::full([4, 4], element, &Device::default()).unwrap();
        let b = (&a * matrix().slice(0, ..1).unwrap().slice(1, ..1).unwrap()).unwrap();
        drop((linalg::solve(&a, &b), linalg::det(&a), linalg::qr(&a), linalg::svd(&a)));
        drop((linalg::eigh(&a, false), linalg::cholesky(&a, true), linalg::pinv(&a, None)));
        drop((linalg::slogdet(&a), linalg::lstsq(&a, &b, None)));
    }
    let nan = Tensor::from([[f64::NAN, 0.0], [0.0, 1.0]]);
    assert!(linalg::det(&nan).unwrap().item::<f64>().unwrap().is_nan());
    assert!(linalg::inv(&nan).unwrap().to_vec::<f64>().unwrap()[0].is_nan());
}

#[test]
fn values_have_a_gradient_where_vectors_have_none() {
    let x = Tensor::from([[2.0, 0.0], [0.0, 2.0]]).require_grad();
    let values = linalg::eigvalsh(&x, false).unwrap().sum(..).unwrap();
    close(&values.backward().unwrap()[&x], &Tensor::from([[1.0, 0.0], [0.0, 1.0]]), 1e-14);
    let norm = linalg::matrix_norm(&x, linalg::MatrixNorm::Nuclear).unwrap();
    close(&norm.backward().unwrap()[&x], &Tensor::from([[1.0, 0.0], [0.0, 1.0]]), 1e-14);
    let (_, vectors) = linalg::eigh(&x, false).unwrap();
    let weights = Tensor::from([[1.0, 2.0], [3.0, 5.0]]);
    let gradient = vectors.backward_with(weights).unwrap()[&x].to_vec::<f64>().unwrap();
    assert!(gradient.iter().any(|element| !element.is_finite()), "{gradient:?}");
}

#[test]
fn tensors_of_other_devices_go_through_the_host_only_if_asked() -> Result<()> {
    register_backend::<Autodiff<NdArray>>("away")?;
    let away = Device::new("away")?;
    let x = matrix().to(&away)?.require_grad();
    let error: Error = linalg::inv(&x).unwrap_err();
    assert_eq!((error.kind(), error.op()), (ErrorKind::Device, Some("inv")));
    assert!(error.to_string().contains("through_host"), "{error}");
    assert!(fft::rfft(&x, None, -1, fft::Norm::Backward).is_err());
    let y = through_host(|| {
        assert!(std::thread::scope(|scope| scope.spawn(|| linalg::inv(&x).is_err()).join().unwrap()));
        linalg::inv(&x)
    })?;
    assert_eq!(y.device(), away);
    close(&y.to(&Device::default())?, &linalg::inv(matrix())?, 0.0);
    assert!(linalg::inv(&x).is_err());
    let gradient = y.sum(..)?.backward()?[&x].clone();
    assert_eq!(gradient.device(), away);
    let here = matrix().require_grad();
    let wanted = linalg::inv(&here)?.sum(..)?.backward()?[&here].clone();
    close(&gradient.to(&Device::default())?, &wanted, 1e-14);
    let mixed = through_host(|| linalg::solve(&x, matrix())).unwrap_err();
    assert_eq!(mixed.kind(), ErrorKind::Device);
    Ok(())
}
