//! Gradients of the user's tensor.

use tensor_op::catalogue::nn;
use tensor_op::{
    DType, Device, ErrorKind, Result, Tensor, grad, hessian_vector_product, jvp, value_and_grad, vjp,
};

fn tensor(elements: &[f64], shape: &[usize]) -> Result<Tensor> {
    Tensor::from_vec(elements.to_vec(), shape, &Device::default())
}

#[test]
fn arithmetic_has_gradients() -> Result<()> {
    let x = tensor(&[2.0, 3.0], &[2])?.require_grad();
    let y = tensor(&[5.0], &[1])?.require_grad();
    let z = ((((&x * &x)? - &y)? / &y)? + (-(&x * 2.0)?)?)?;
    let grads = z.backward_with(&z.ones_like()?)?;
    for (input, wanted) in
        [(&x, vec![2.0 * 2.0 / 5.0 - 2.0, 2.0 * 3.0 / 5.0 - 2.0]), (&y, vec![-(4.0 + 9.0) / 25.0])]
    {
        let gradient = grads.get(input).expect("it requires one");
        assert_eq!(gradient.shape(), input.shape());
        for (found, wanted) in gradient.to_vec::<f64>()?.iter().zip(&wanted) {
            assert!((found - wanted).abs() < 1e-14, "{found} is not {wanted}");
        }
    }
    Ok(())
}

#[test]
fn every_operator_form_has_its_gradient() -> Result<()> {
    type Form = fn(Tensor) -> Result<Tensor>;
    let forms: [(&str, Form, f64); 8] = [
        ("x + 3", |x| x + 3.0, 1.0),
        ("3 + x", |x| 3.0 + x, 1.0),
        ("x - 3", |x| x - 3, 1.0),
        ("3 - x", |x| 3 - x, -1.0),
        ("x * 3", |x| x * 3, 3.0),
        ("3 * x", |x| 3.0 * x, 3.0),
        ("x / 4", |x| x / 4.0, 0.25),
        ("4 / x", |x| 4.0 / x, -1.0),
    ];
    for (name, form, wanted) in forms {
        let x = tensor(&[2.0], &[1])?.require_grad();
        let grads = form(x.clone())?.backward()?;
        assert_eq!(grads.get(&x).expect(name).item::<f64>()?, wanted, "{name}");
    }
    Ok(())
}

#[test]
fn moving_elements_has_gradients() -> Result<()> {
    let x = tensor(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3])?.require_grad();
    let part = x.transpose(0, 1)?.slice(0, 1..)?.reshape([-1])?;
    let wide = Tensor::stack(&[&part, &part], 0)?.broadcast_to([3, 2, 4])?;
    let grads = wide.backward_with(&wide.ones_like()?)?;
    assert_eq!(grads.get(&x).expect("required").to_vec::<f64>()?, [0.0, 6.0, 6.0, 0.0, 6.0, 6.0]);
    Ok(())
}

#[test]
fn a_seed_weighs_the_elements() -> Result<()> {
    let x = tensor(&[2.0, 3.0], &[2])?.require_grad();
    let y = (&x * &x)?;
    let error = y.backward_with(&tensor(&[1.0], &[1])?).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Gradient);
    let mut grads = y.backward_with(&tensor(&[1.0, 10.0], &[2])?)?;
    assert_eq!(grads.remove(&x).expect("required").to_vec::<f64>()?, [4.0, 60.0]);
    assert!(grads.get(&x).is_none());
    Ok(())
}

#[test]
fn detached_and_cast_tensors() -> Result<()> {
    let x = tensor(&[2.0], &[1])?.require_grad();
    let y = (&x * x.detach())?;
    assert_eq!(y.backward()?.get(&x).expect("required").item::<f64>()?, 2.0);
    assert!(!x.detach().is_tracked());
    let single = x.cast(DType::F32)?;
    let grads = (&single * &single)?.backward()?;
    let gradient = grads.get(&x).expect("required");
    assert_eq!((gradient.dtype(), gradient.item::<f64>()?), (DType::F64, 4.0));
    let error = x.detach().backward().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Gradient);
    Ok(())
}

#[test]
fn a_step_of_descent_starts_anew() -> Result<()> {
    let mut x = tensor(&[1.0], &[1])?.require_grad();
    for _ in 0..50 {
        let loss = (&x * &x)?;
        let grads = loss.backward()?;
        let slope = grads.get(&x).expect("required");
        x = (x.detach() - (slope * 0.1)?)?.require_grad();
    }
    assert!(x.item::<f64>()?.abs() < 1e-4);
    Ok(())
}

fn weighted_cube(x: &[Tensor]) -> Result<Tensor> {
    ((&x[0] * &x[0])? * &x[0])? * &x[1]
}

#[test]
fn functions_of_functions() -> Result<()> {
    let inputs = [tensor(&[2.0, -1.0], &[2])?, tensor(&[3.0], &[1])?];
    let (value, gradients) = value_and_grad(weighted_cube)(&inputs)?;
    assert_eq!(value.to_vec::<f64>()?, [24.0, -3.0]);
    assert_eq!(gradients[0].to_vec::<f64>()?, [36.0, 9.0]);
    assert_eq!(gradients[1].to_vec::<f64>()?, [8.0 - 1.0]);
    let slope = |x: &[Tensor]| Ok(grad(weighted_cube)(x)?.remove(0));
    assert_eq!(grad(slope)(&inputs)?[0].to_vec::<f64>()?, [36.0, -18.0]);
    let (value, pull) = vjp(weighted_cube, &inputs)?;
    let pulled = pull(&tensor(&[0.0, 1.0], &[2])?)?;
    assert_eq!(value.to_vec::<f64>()?, [24.0, -3.0]);
    assert_eq!((pulled[0].to_vec::<f64>()?, pulled[1].item::<f64>()?), (vec![0.0, 9.0], -1.0));
    let along = [tensor(&[1.0, 0.0], &[2])?, tensor(&[1.0], &[1])?];
    let products = hessian_vector_product(weighted_cube, &inputs, &along)?;
    assert_eq!(products[0].to_vec::<f64>()?, [36.0 + 12.0, 3.0]);
    assert_eq!(products[1].to_vec::<f64>()?, [12.0]);
    Ok(())
}

#[test]
fn tracked_gradients_can_be_differentiated() -> Result<()> {
    let x = tensor(&[2.0], &[1])?.require_grad();
    let first = ((&x * &x)? * &x)?.backward_tracked()?.remove(&x).expect("required");
    assert_eq!(first.item::<f64>()?, 12.0);
    // The penalty on the gradient is 9 x^4.
    let mut gradients = (&first * &first)?.backward()?;
    assert_eq!(gradients.get(&x).expect("required").item::<f64>()?, 36.0 * 8.0);
    let old = gradients.replace(&x, tensor(&[1.0], &[1])?)?.expect("one was found");
    assert_eq!(old.item::<f64>()?, 36.0 * 8.0);
    assert_eq!(gradients.get(&x).expect("required").item::<f64>()?, 1.0);
    assert!(gradients.replace(&x, tensor(&[1.0, 2.0], &[2])?).is_err());
    Ok(())
}

fn varied(shape: &[usize], seed: usize) -> Result<Tensor> {
    let count = shape.iter().product();
    let elements: Vec<f64> = (0..count).map(|i| ((i * 7 + seed * 13) as f64 * 0.37).sin() + 1.5).collect();
    tensor(&elements, shape)
}

fn dot(x: &Tensor, y: &Tensor) -> Result<f64> {
    Ok(x.to_vec::<f64>()?.iter().zip(y.to_vec::<f64>()?).map(|(x, y)| x * y).sum())
}

/// Checks that weights times the Jacobian times a direction is the same number by reverse mode and by forward
/// mode.
fn check_inner_products(
    name: &str,
    shapes: &[&[usize]],
    f: impl Fn(&[Tensor]) -> Result<Tensor>,
) -> Result<()> {
    let tensors =
        |seed: usize| (0..).zip(shapes).map(|(i, shape)| varied(shape, seed + i)).collect::<Result<Vec<_>>>();
    let (inputs, along) = (tensors(0)?, tensors(20)?);
    let (value, tangent) = jvp(&f, &inputs, &along)?;
    let weights = varied(&value.shape(), 40)?;
    let gradients = vjp(&f, &inputs)?.1(&weights)?;
    let reverse = gradients.iter().zip(&along).map(|(x, y)| dot(x, y)).sum::<Result<f64>>()?;
    let forward = dot(&tangent, &weights)?;
    assert!(
        (forward - reverse).abs() <= 1e-10 * forward.abs().max(1.0),
        "{name}: {forward} is not {reverse}"
    );
    Ok(())
}

#[test]
fn forward_mode_is_the_transpose_of_reverse_mode() -> Result<()> {
    let ids = Tensor::from_vec(vec![1i64, 3, 0], [3], &Device::default())?;
    check_inner_products("silu_mul", &[&[2, 3], &[3]], |x| nn::silu_mul(&x[0], &x[1]))?;
    check_inner_products("softmax", &[&[2, 3]], |x| nn::softmax(&x[0], -1))?;
    check_inner_products("log_softmax", &[&[3, 2]], |x| nn::log_softmax(&x[0], 0))?;
    check_inner_products("rms_norm", &[&[2, 4], &[4]], |x| nn::rms_norm(&x[0], &x[1], None))?;
    check_inner_products("layer_norm", &[&[2, 4], &[4], &[4]], |x| {
        nn::layer_norm(&x[0], &x[1], &x[2], None)
    })?;
    check_inner_products("add_rms_norm", &[&[2, 3], &[2, 3], &[3]], |x| {
        let (norm, sum) = nn::add_rms_norm(&x[0], &x[1], &x[2], None)?;
        norm * sum
    })?;
    check_inner_products("cross_entropy", &[&[3, 4]], |x| nn::cross_entropy(&x[0], &ids))?;
    check_inner_products("embedding", &[&[4, 2]], |x| nn::embedding(&x[0], &ids))?;
    check_inner_products("matmul_add_relu", &[&[2, 2, 3], &[3, 2], &[2]], |x| {
        nn::matmul_add_relu(&x[0], &x[1], &x[2])
    })?;
    check_inner_products("attention", &[&[2, 3], &[4, 3], &[4, 2]], |x| nn::attention(&x[0], &x[1], &x[2]))?;
    check_inner_products("views", &[&[2, 3]], |x| x[0].transpose(0, 1)?.slice(0, 1..)?.reshape([-1]))
}
