//! Functions of functions: gradients, products with Jacobians and Hessians, and what nests.

use crate::ops::{
    Diff, Tensor, binary, call, call1, ints, matmul, mul, norm, op, place_and_max, product_and_sum,
    scaled_mask, silu, sum, tensor, values, varied,
};
use tensor_op_autodiff::AutodiffBackend;
use tensor_op_autodiff::functions::{grad, hessian_vector_product, jvp, value_and_grad, vjp};
use tensor_op_core::{Backend, DType, ErrorKind, Result, Shape, Value};
use tensor_op_ndarray::NdArray;
use tensor_op_spec::ir::Scalar;
use tensor_op_spec::prim::{Fold, Prim};

fn cube(x: &[Tensor]) -> Result<Tensor> {
    Ok(call1(&mul(), &[&call1(&mul(), &[&x[0], &x[0]]), &x[0]]))
}

/// `silu(x * y) * x`, summed over the last axis.
fn mixed(x: &[Tensor]) -> Result<Tensor> {
    let product = call1(&silu(), &[&call1(&mul(), &[&x[0], &x[1]])]);
    Ok(call1(&sum(), &[&call1(&mul(), &[&product, &x[0]])]))
}

fn elements(tensor: &Tensor) -> Vec<f64> {
    values::<NdArray>(tensor.inner())
}

fn close(found: &[f64], wanted: &[f64], tolerance: f64) {
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.iter().zip(wanted) {
        assert!((found - wanted).abs() <= tolerance * wanted.abs().max(1.0), "{found} is not {wanted}");
    }
}

#[test]
fn gradients_and_values() {
    let x = tensor(&[2.0, -1.0], &[2]);
    let (value, gradients) = value_and_grad(cube)(&[x]).unwrap();
    assert_eq!((elements(&value), elements(&gradients[0])), (vec![8.0, -1.0], vec![12.0, 3.0]));
    assert!(!value.is_tracked() && !gradients[0].is_tracked(), "nothing outside was tracked");
}

#[test]
fn an_input_that_plays_no_part_has_the_gradient_zero() {
    let f = |x: &[Tensor]| cube(&x[1..]);
    let gradients = grad(f)(&[varied(&[2, 3], 0), tensor(&[2.0], &[1])]).unwrap();
    assert_eq!((elements(&gradients[0]), elements(&gradients[1])), (vec![0.0; 6], vec![12.0]));
    let constant = tensor(&[5.0], &[1]);
    let gradients = grad(|_: &[Tensor]| Ok(constant.clone()))(&[tensor(&[2.0], &[1])]).unwrap();
    assert_eq!(elements(&gradients[0]), [0.0]);
}

#[test]
fn calls_nest_to_any_order() {
    let first = |x: &[Tensor]| Ok(grad(cube)(x)?.remove(0));
    let second = |x: &[Tensor]| Ok(grad(first)(x)?.remove(0));
    let third = |x: &[Tensor]| Ok(grad(second)(x)?.remove(0));
    let x = [tensor(&[2.0], &[1])];
    assert_eq!(elements(&second(&x).unwrap()), [12.0]);
    assert_eq!(elements(&third(&x).unwrap()), [6.0]);
    assert_eq!(elements(&grad(third)(&x).unwrap()[0]), [0.0]);
}

#[test]
fn a_gradient_depends_on_what_the_function_captures() {
    // d/dw of d/dx (x^3 w) = 3 x^2, where `w` is captured by the inner function.
    let x = tensor(&[2.0], &[1]);
    let outer = |w: &[Tensor]| {
        let inner = |x: &[Tensor]| Ok(call1(&mul(), &[&cube(x)?, &w[0]]));
        Ok(grad(inner)(std::slice::from_ref(&x))?.remove(0))
    };
    assert_eq!(elements(&grad(outer)(&[tensor(&[5.0], &[1])]).unwrap()[0]), [12.0]);
    // Two levels that use one name for two things: d/dx (x d/dy (x + y)) = 1.
    let outer = |x: &[Tensor]| {
        let inner = |y: &[Tensor]| Diff::apply(Prim::Add, vec![x[0].clone(), y[0].clone()]);
        Ok(call1(&mul(), &[&x[0], &grad(inner)(&[tensor(&[1.0], &[1])])?[0]]))
    };
    assert_eq!(elements(&grad(outer)(&[x]).unwrap()[0]), [1.0]);
}

#[test]
fn parameters_outside_keep_their_graph() {
    let w = tensor(&[5.0], &[1]).require_grad();
    let captured = call1(&mul(), &[&w, &w]);
    let f = |x: &[Tensor]| Ok(call1(&mul(), &[&cube(x)?, &captured]));
    let (value, gradients) = value_and_grad(f)(&[tensor(&[2.0], &[1])]).unwrap();
    assert_eq!((elements(&value), elements(&gradients[0])), (vec![200.0], vec![300.0]));
    let total = call1(&mul(), &[&value, &gradients[0]]);
    // (8 w^2) (12 w^2) = 96 w^4.
    assert_eq!(values::<NdArray>(total.backward().unwrap().get(&w).unwrap()), [4.0 * 96.0 * 125.0]);
}

#[test]
fn vjp_weighs_the_result() {
    let x = [tensor(&[2.0, -1.0], &[2])];
    let (value, pull) = vjp(cube, &x).unwrap();
    assert_eq!(elements(&value), [8.0, -1.0]);
    assert_eq!(elements(&pull(&tensor(&[1.0, 10.0], &[2])).unwrap()[0]), [12.0, 30.0]);
    let (_, pull) = vjp(cube, &x).unwrap();
    let error = pull(&tensor(&[1.0], &[1])).unwrap_err();
    assert_eq!(error.to_string(), "vjp: the seed has shape [1], the tensor has [2]; they must agree");
    // The derivative by the seed is the product with the Jacobian.
    let by_seed = |seed: &[Tensor]| Ok(vjp(cube, &x)?.1(&seed[0])?.remove(0));
    assert_eq!(elements(&grad(by_seed)(&[tensor(&[1.0, 1.0], &[2])]).unwrap()[0]), [12.0, 3.0]);
}

#[test]
fn hessian_products_agree_with_differences_of_gradients() {
    let inputs = [varied(&[2, 3], 0), varied(&[3], 1)];
    let vectors = [varied(&[2, 3], 2), varied(&[3], 3)];
    let found = hessian_vector_product(mixed, &inputs, &vectors).unwrap();
    const STEP: f64 = 1e-5;
    let at = |step: f64| {
        let moved = inputs.iter().zip(&vectors).map(|(x, v)| {
            let moved: Vec<f64> = elements(x).iter().zip(elements(v)).map(|(x, v)| x + step * v).collect();
            tensor(&moved, &NdArray::shape(x.inner()))
        });
        grad(mixed)(&moved.collect::<Vec<_>>()).unwrap()
    };
    for ((found, above), below) in found.iter().zip(at(STEP)).zip(at(-STEP)) {
        let slope = elements(&above).into_iter().zip(elements(&below));
        let wanted: Vec<f64> = slope.map(|(above, below)| (above - below) / (2.0 * STEP)).collect();
        close(&elements(found), &wanted, 1e-8);
        assert!(!found.is_tracked());
    }
}

#[test]
fn hessian_products_of_linear_functions_are_zero_and_those_of_products_nest() {
    let x = [tensor(&[2.0], &[1])];
    let linear = |x: &[Tensor]| Diff::apply(Prim::Neg, vec![x[0].clone()]);
    assert_eq!(elements(&hessian_vector_product(linear, &x, &x).unwrap()[0]), [0.0]);
    // d/dx of the product of the Hessian of x^3 with 1, 6 x.
    let one = [tensor(&[1.0], &[1])];
    let f = |x: &[Tensor]| Ok(hessian_vector_product(cube, x, &one)?.remove(0));
    assert_eq!(elements(&grad(f)(&x).unwrap()[0]), [6.0]);
    let error = hessian_vector_product(cube, &x, &[]).unwrap_err();
    assert_eq!(error.to_string(), "hessian_vector_product: 0 vectors were given for 1 inputs");
}

#[test]
fn what_has_no_gradient_is_an_error_and_no_zero() {
    let floor = op("op steps\ndim .. group\narg x: float[..], forward 0\n%0 = input x : float[..]\n\
                    %1 = floor(%0) : float[..]\nout out = %1 [..]\n");
    let f = |x: &[Tensor]| Ok(call1(&mul(), &[&call1(&floor, &[&x[0]]), &x[0]]));
    let error = grad(f)(&[tensor(&[1.5], &[1])]).unwrap_err();
    assert_eq!((error.kind(), error.op()), (ErrorKind::Gradient, Some("steps")));
}

#[test]
fn tracked_gradients_are_differentiated_again_and_free_nothing() {
    let x = tensor(&[2.0], &[1]).require_grad();
    let y = cube(std::slice::from_ref(&x)).unwrap();
    let first = y.backward_tracked().unwrap().remove(&x).unwrap();
    let second = first.backward_tracked().unwrap().remove(&x).unwrap();
    let third = second.backward().unwrap();
    assert_eq!((elements(&first), elements(&second)), (vec![12.0], vec![12.0]));
    assert_eq!(values::<NdArray>(third.get(&x).unwrap()), [6.0]);
    assert!(y.backward().is_err(), "the third pass went through `y`'s graph and freed it");
}

fn dot(x: &[Tensor], y: &[Tensor]) -> f64 {
    let products =
        |(x, y): (&Tensor, &Tensor)| elements(x).iter().zip(elements(y)).map(|(x, y)| x * y).sum::<f64>();
    x.iter().zip(y).map(products).sum()
}

/// `u` times the Jacobian times `v` is the same from both sides.
fn check_inner_products(name: &str, inputs: &[Tensor], f: impl Fn(&[Tensor]) -> Result<Tensor>) {
    let shape = |x: &Tensor| NdArray::shape(x.inner());
    let along: Vec<Tensor> = inputs.iter().enumerate().map(|(i, x)| varied(&shape(x), 7 + i)).collect();
    let (value, tangent) = jvp(&f, inputs, &along).unwrap();
    let weights = varied(&shape(&value), 17);
    let (same, pull) = vjp(&f, inputs).unwrap();
    assert_eq!(elements(&value), elements(&same), "{name}");
    let (forward, reverse) =
        (dot(&[tangent], std::slice::from_ref(&weights)), dot(&pull(&weights).unwrap(), &along));
    assert!(
        (forward - reverse).abs() <= 1e-10 * forward.abs().max(1.0),
        "{name}: {forward} is not {reverse}"
    );
}

#[test]
fn forward_and_reverse_mode_are_transposes() {
    let inputs = [varied(&[2, 3], 0), varied(&[3], 1)];
    check_inner_products("mixed", &inputs, mixed);
    check_inner_products("norm", &inputs, |x| Ok(call1(&norm(), &[&x[0], &x[1]])));
    check_inner_products("matmul", &[varied(&[2, 3], 0), varied(&[3, 4], 1)], |x| {
        Ok(call1(&matmul(), &[&x[0], &x[1]]))
    });
    check_inner_products("two results", &[varied(&[3], 0), varied(&[3], 1)], |x| {
        let outputs = call(&product_and_sum(), &[&x[0], &x[1]]);
        Ok(call1(&mul(), &[&outputs[0], &outputs[1]]))
    });
    check_inner_products("an int result", &[varied(&[4], 0)], |x| {
        let outputs = call(&place_and_max(), &[&x[0]]);
        assert_eq!(Diff::dtype(&outputs[0]), DType::I64);
        Ok(outputs[1].clone())
    });
}

/// What is a constant adds no `0 * inf` or `0 / 0` to a tangent: forward mode gives what reverse mode gives,
/// NaN for NaN.
#[test]
fn constants_have_no_tangents_at_special_points() {
    const POINTS: [f64; 7] = [0.0, -0.0, 1.0, -2.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    let ops =
        ["mul(%0, %1)", "div(%0, %1)", "pow(%0, %1)", "maximum(%0, %1)", "atan2(%0, %1)", "sub(%0, %1)"];
    for text in ops {
        let op = binary("f", text);
        for (a, b) in POINTS.iter().flat_map(|a| POINTS.map(|b| (*a, b))) {
            let constant = tensor(&[b], &[1]);
            for place in 0..2 {
                let f = |x: &[Tensor]| {
                    let mut args = [&x[0], &constant];
                    args.swap(0, place);
                    Ok(call1(&op, &args))
                };
                let x = [tensor(&[a], &[1])];
                let tangent = elements(&jvp(f, &x, &[tensor(&[1.0], &[1])]).unwrap().1)[0];
                let gradient = elements(&grad(f)(&x).unwrap()[0])[0];
                let same = tangent == gradient || (tangent.is_nan() && gradient.is_nan());
                assert!(same, "{text} by {place} at {a}, other {b}: {tangent} is not {gradient}");
            }
        }
    }
}

#[test]
fn results_of_constants_alone_are_constants() {
    let f = |x: &[Tensor]| {
        let both = op("op f\ndim .. group\narg x: float[..], forward 0\narg y: float[..], forward 1\n\
            %0 = input x : float[..]\n%1 = input y : float[..]\n%2 = mul(%0, %0) : float[..]\n%3 = neg(%1) : float[..]\n\
            out out0 = %2 [..]\nout out1 = %3 [..]\n");
        let results = call(&both, &[&x[0], &tensor(&[-2.0], &[1])]);
        Ok(call1(&mul(), &[&results[0], &results[1]]))
    };
    let (_, tangent) = jvp(f, &[tensor(&[f64::INFINITY], &[1])], &[tensor(&[1.0], &[1])]).unwrap();
    assert_eq!(elements(&tangent), [f64::INFINITY]);
}

#[test]
fn a_refused_gradient_outside_of_the_inputs_plays_no_part() {
    let floor = op("op steps\ndim .. group\narg x: float[..], forward 0\n%0 = input x : float[..]\n\
                    %1 = floor(%0) : float[..]\nout out = %1 [..]\n");
    let captured = call1(&floor, &[&tensor(&[2.5], &[1]).require_grad()]);
    let f = |x: &[Tensor]| Ok(call1(&mul(), &[&x[0], &captured]));
    assert_eq!(elements(&grad(f)(&[tensor(&[7.0], &[1])]).unwrap()[0]), [2.0]);
}

#[test]
fn tangents_move_with_their_tensors() {
    let inputs = [varied(&[2, 3], 0), varied(&[2, 1], 1)];
    check_inner_products("movements", &inputs, |x| {
        let wide = Diff::expand(x[1].clone(), Shape::new(&[2, 3]))?;
        let both = Diff::cat(vec![wide, x[0].clone()], 1)?;
        let turned = Diff::permute(Diff::reshape(both, Shape::new(&[3, 4]))?, &[1, 0])?;
        let part = Diff::slice(turned, &[(0, 4, 2), (1, 3, 1)])?;
        let into = Diff::from_inner(varied(&[2, 3], 5).into_inner());
        let written = Diff::slice_assign(into, &[(0, 2, 1), (0, 2, 1)], part)?;
        Diff::to_device(Diff::cast(written, DType::F64)?, &Default::default())
    });
    check_inner_products("primitives", &[varied(&[2, 3, 4], 0), varied(&[2, 4, 2], 1)], |x| {
        let product = Diff::matmul(x[0].clone(), Diff::apply(Prim::Sin, vec![x[1].clone()])?)?;
        let rows = Diff::reduce(Fold::Prod, product, &[2])?;
        let index = ints(&[1, 0, 2, 2], &[2, 2]);
        let taken = Diff::gather(rows, 1, index.clone())?;
        Diff::scatter_add(taken, 1, index, 4)
    });
    let (_, tangent) =
        jvp(|x: &[Tensor]| Diff::cast(x[0].clone(), DType::I64), &inputs[..1], &inputs[..1]).unwrap();
    assert_eq!(Diff::dtype(&tangent), DType::I64, "an int has no derivative but zero");
}

#[test]
fn nested_directions_are_told_apart() {
    let one = [tensor(&[1.0], &[1])];
    let x = [tensor(&[3.0], &[1])];
    // d/dx (x d/dy (x + y)) = 1.
    let outer = |x: &[Tensor]| {
        let inner = |y: &[Tensor]| Diff::apply(Prim::Add, vec![x[0].clone(), y[0].clone()]);
        Ok(call1(&mul(), &[&x[0], &jvp(inner, &one, &one)?.1]))
    };
    assert_eq!(elements(&jvp(outer, &x, &one).unwrap().1), [1.0]);
    let first = |x: &[Tensor]| Ok(jvp(cube, x, &one)?.1);
    let second = |x: &[Tensor]| Ok(jvp(first, x, &one)?.1);
    assert_eq!(elements(&jvp(second, &x, &one).unwrap().1), [6.0]);
    // Reverse mode over forward mode.
    assert_eq!(elements(&grad(second)(&x).unwrap()[0]), [6.0]);
    assert_eq!(elements(&hessian_vector_product(first, &x, &one).unwrap()[0]), [6.0]);
    let constant = |_: &[Tensor]| Ok(x[0].clone());
    assert_eq!(elements(&jvp(constant, &one, &one).unwrap().1), [0.0]);
}

#[test]
fn what_forward_mode_refuses() {
    let x = [tensor(&[3.0], &[1])];
    let slope = |x: &[Tensor]| Ok(grad(cube)(x)?.remove(0));
    let error = jvp(slope, &x, &x).unwrap_err();
    assert_eq!(
        error.to_string(),
        "grad: a gradient inside of `jvp` has no tangent; take the gradient of the `jvp` instead"
    );
    let backward = |x: &[Tensor]| {
        let tracked = x[0].clone().require_grad();
        cube(std::slice::from_ref(&tracked))?.backward().map(|_| x[0].clone())
    };
    assert_eq!(jvp(backward, &x, &x).unwrap_err().kind(), ErrorKind::Gradient);
    let masked = |x: &[Tensor]| {
        let args = [x[0].clone(), x[0].clone()].map(Value::Tensor).into_iter();
        let args = args.chain([Value::Scalar(Scalar::Float(2.0))]).collect();
        Ok(Diff::run(&scaled_mask(), args, &[true])?.into_iter().flatten().next().expect("wanted"))
    };
    let error = jvp(masked, &x, &x).unwrap_err();
    assert_eq!(
        error.to_string(),
        "scaled_mask: `y` is declared `#[no_grad]` and has no gradient; detach it if it is a constant here"
    );
    let error = jvp(cube, &[ints(&[1], &[1])], &x).unwrap_err();
    assert!(error.to_string().contains("has no gradient"), "{error}");
    let error = jvp(cube, &x, &[tensor(&[1.0, 1.0], &[2])]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "jvp: the tangent for input 0 has shape [2], the tensor has [1]; they must agree"
    );
    let escaped = std::cell::RefCell::new(None);
    let leak = |x: &[Tensor]| {
        *escaped.borrow_mut() = Some(x[0].clone());
        Ok(x[0].clone())
    };
    let outer = |x: &[Tensor]| {
        jvp(leak, x, x)?;
        Ok(escaped.borrow().clone().expect("it was put there"))
    };
    assert!(jvp(outer, &x, &x).unwrap_err().to_string().contains("another `jvp`"));
}
