//! Ops that call ops give the same numbers and gradients as the ops run one after the other.

use tensor_op::catalogue::nn;
use tensor_op::prelude::*;
use tensor_op::{Error, ErrorKind, jvp};

/// Ops that others call. The caller of a private op is declared before it.
mod ops {
    use tensor_op::prelude::*;

    #[tensor_op]
    pub(crate) fn gated(x: Tensor![.., n], gamma: Tensor![n], gate: Tensor![.., n]) -> Tensor![.., n] {
        super::silu_mul(self::rms_norm(x, gamma), gate)
    }

    #[tensor_op]
    fn rms_norm(x: Tensor![.., n], gamma: Tensor![n], #[default(1e-6)] eps: f64) -> Tensor![.., n] {
        x * rsqrt(mean(x * x, n) + eps) * gamma
    }

    /// The rule is for one argument only, and differs from the derived one. This shows whether a rule is kept
    /// when the op is inlined.
    #[tensor_op(tests = false)]
    #[grad(x = 3.0 * grad * gate)]
    pub fn scaled(x: Tensor, gate: Tensor) -> Tensor {
        x * gate * gate
    }

    /// The doubled result of the op above.
    #[tensor_op]
    pub fn nested(x: Tensor, gate: Tensor) -> Tensor {
        2 * self::scaled(x, gate)
    }

    #[tensor_op]
    pub fn rows_and_rest(x: Tensor, y: Tensor, axis: Axis) -> Tensor {
        norm(x, axis) * sum(x + y, axis) + x + y
    }
}

/// An op with the same name and the same text, in another module.
mod twin {
    use tensor_op::prelude::*;

    #[tensor_op]
    pub fn scaled(x: Tensor, gate: Tensor) -> Tensor {
        x * gate
    }
}

use nn::silu_mul;
use ops::nested as twice;

#[tensor_op]
fn through_crate(x: Tensor, gate: Tensor) -> Tensor {
    crate::inlining::ops::scaled(x, gate) + crate::inlining::twin::scaled(x, gate) + self::twice(x, gate)
}

#[tensor_op]
fn attention(q: Tensor![.., t, d], k: Tensor![.., s, d], v: Tensor![.., s, e]) -> Tensor![.., t, e] {
    let scores = sum(q * k, d) / sqrt(cast(len(d), float));
    sum(::tensor_op::catalogue::nn::softmax(scores, s) * v, s)
}

#[tensor_op]
fn cross_entropy(logits: Tensor![b, v], target: IntTensor![b]) -> Tensor![b] {
    -at(tensor_op::catalogue::nn::log_softmax(logits, v), v = target)
}

/// The norm's dim `n` is `d` here.
#[tensor_op]
fn block(
    x: Tensor![t, d],
    residual: Tensor![t, d],
    gamma: Tensor![d],
    w: Tensor![d, e],
) -> (Tensor![t, e], Tensor![t, d]) {
    let (normed, s) = nn::add_rms_norm(x, residual, gamma, 1e-5, n = d);
    (sum(normed * w, d), s)
}

#[tensor_op]
fn only_the_sum(x: Tensor![t, d], residual: Tensor![t, d], gamma: Tensor![d]) -> Tensor![t, d] {
    let (_, s) = nn::add_rms_norm(x, residual, gamma, n = d);
    s * s
}

/// The other argument depends on the argument that the rule is for.
#[tensor_op]
fn of_itself(x: Tensor) -> Tensor {
    self::ops::scaled(x, exp(x)) + self::ops::scaled(x, x)
}

/// The rule applies along the rows too, which `bias` lacks.
#[tensor_op]
fn broadcast(bias: Tensor![n], x: Tensor![m, n]) -> Tensor![m, n] {
    self::ops::scaled(bias, x)
}

/// The reductions go over the rows, which `bias` lacks.
#[tensor_op]
fn rows_of_a_bias(bias: Tensor![n], x: Tensor![m, n]) -> Tensor![m, n] {
    self::ops::rows_and_rest(bias, x, m)
}

/// Two dims are passed for one axis.
#[tensor_op]
fn plane(x: Tensor![b, h, w]) -> Tensor![b, h, w] {
    nn::softmax(x, (h, w))
}

#[tensor_op]
fn split(x: Tensor![b, (g, c)], g: usize) -> Tensor![b, c] {
    self::sum_of_groups(x, len(g))
}

#[tensor_op]
fn sum_of_groups(x: Tensor![.., (g, c)], g: usize) -> Tensor![.., c] {
    sum(x, g) / cast(g, float)
}

/// Ops that are declared in the body of a function can be called too, also by ops that stand before them.
#[test]
fn declared_in_a_body() -> Result<()> {
    #[tensor_op]
    pub fn local(x: Tensor, gate: Tensor) -> Tensor {
        self::silu_mul(x, gate) + 0.0
    }
    let [x, gate] = [tensor(&[5], 1), tensor(&[5], 2)];
    agree(&[x, gate], |a| local(&a[0], &a[1]), |a| nn::silu_mul(&a[0], &a[1]))
}

fn tensor(shape: &[usize], seed: u64) -> Tensor {
    let count = shape.iter().product::<usize>() as u64;
    let value = |k: u64| ((k * 37 + seed * 101 + 13) % 89) as f64 / 40.0 - 1.1;
    let values: Vec<f64> = (0..count).map(value).collect();
    Tensor::from_vec(values, shape.to_vec(), &Device::default())
        .expect("as many as the shape has")
        .require_grad()
}

/// Checks that the results and gradients of two functions agree.
#[track_caller]
fn agree(
    args: &[Tensor],
    inlined: impl Fn(&[Tensor]) -> Result<Tensor>,
    composed: impl Fn(&[Tensor]) -> Result<Tensor>,
) -> Result<()> {
    let run = |f: &dyn Fn(&[Tensor]) -> Result<Tensor>| {
        let y = f(args)?;
        let weight = tensor(&y.shape(), 7).detach();
        let gradients = y.backward_with(&weight)?;
        let of = |arg: &Tensor| match gradients.get(arg) {
            Some(gradient) => gradient.to_vec::<f64>(),
            None => Ok(vec![0.0; arg.elements()]),
        };
        let gradients = args.iter().map(of).collect::<Result<Vec<_>>>()?;
        Ok::<_, Error>((y.shape().to_vec(), y.to_vec::<f64>()?, gradients))
    };
    let (found, expected) = (run(&inlined)?, run(&composed)?);
    assert_eq!(found.0, expected.0, "shapes");
    close("results", &found.1, &expected.1);
    for (index, (found, expected)) in found.2.iter().zip(&expected.2).enumerate() {
        close(&format!("gradient of argument {index}"), found, expected);
    }
    Ok(())
}

#[track_caller]
fn close(what: &str, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let is_close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * (1.0 + b.abs());
    assert!(found.iter().zip(expected).all(is_close), "{what}: {found:?} instead of {expected:?}");
}

#[test]
fn norm_then_gate() -> Result<()> {
    agree(
        &[tensor(&[2, 3, 4], 1), tensor(&[4], 2), tensor(&[3, 4], 3)],
        |a| ops::gated(&a[0], &a[1], &a[2]),
        |a| nn::silu_mul(nn::rms_norm(&a[0], &a[1], None)?, &a[2]),
    )
}

#[test]
fn rules_travel_and_every_path_counts() -> Result<()> {
    let args = [tensor(&[2, 3], 1), tensor(&[3], 2)];
    agree(
        &args,
        |a| through_crate(&a[0], &a[1]),
        |a| {
            let own = ops::scaled(&a[0], &a[1])?;
            own.clone() + twin::scaled(&a[0], &a[1])? + (own * 2.0)?
        },
    )?;
    agree(
        &args[..1],
        |a| of_itself(&a[0]),
        |a| ops::scaled(&a[0], exp(&a[0])?)? + ops::scaled(&a[0], &a[0])?,
    )?;
    agree(&[tensor(&[3], 1), tensor(&[4, 3], 2)], |a| broadcast(&a[0], &a[1]), |a| ops::scaled(&a[0], &a[1]))
}

#[tensor_op]
fn exp(x: Tensor) -> Tensor {
    exp(x)
}

#[test]
fn attention_and_cross_entropy() -> Result<()> {
    agree(
        &[tensor(&[2, 3, 4], 1), tensor(&[2, 5, 4], 2), tensor(&[2, 5, 6], 3)],
        |a| attention(&a[0], &a[1], &a[2]),
        |a| {
            let scores = nn::matmul(&a[0], a[1].transpose(1, 2)?)? / 2.0;
            nn::matmul(nn::softmax(scores?, -1)?, &a[2])
        },
    )?;
    let target = Tensor::from_vec(vec![2_i64, 0, 4], [3], &Device::default())?;
    agree(&[tensor(&[3, 5], 1)], |a| cross_entropy(&a[0], &target), |a| nn::cross_entropy(&a[0], &target))
}

#[test]
fn several_results() -> Result<()> {
    let args = [tensor(&[3, 4], 1), tensor(&[3, 4], 2), tensor(&[4], 3), tensor(&[4, 2], 4)];
    let composed = |a: &[Tensor]| {
        let (normed, s) = nn::add_rms_norm(&a[0], &a[1], &a[2], 1e-5)?;
        Ok::<_, Error>((nn::matmul(normed, &a[3])?, s))
    };
    agree(&args, |a| Ok(block(&a[0], &a[1], &a[2], &a[3])?.0), |a| Ok(composed(a)?.0))?;
    agree(&args, |a| Ok(block(&a[0], &a[1], &a[2], &a[3])?.1), |a| Ok(composed(a)?.1))?;
    agree(
        &args[..3],
        |a| only_the_sum(&a[0], &a[1], &a[2]),
        |a| {
            let s = nn::add_rms_norm(&a[0], &a[1], &a[2], None)?.1;
            &s * &s
        },
    )
}

#[test]
fn dims_of_the_call() -> Result<()> {
    agree(
        &[tensor(&[3], 1), tensor(&[4, 3], 2)],
        |a| rows_of_a_bias(&a[0], &a[1]),
        |a| ops::rows_and_rest(&a[0], &a[1], 0),
    )?;
    agree(
        &[tensor(&[2, 3, 4], 1)],
        |a| plane(&a[0]),
        |a| nn::softmax(a[0].reshape([2, 12])?, -1)?.reshape([2, 3, 4]),
    )?;
    agree(&[tensor(&[2, 6], 1)], |a| split(&a[0], 3), |a| sum_of_groups(&a[0], 3))
}

#[test]
fn forward_mode_takes_the_rules_too() -> Result<()> {
    let (x, tangent) = (tensor(&[4], 1).detach(), tensor(&[4], 2).detach());
    let (_, inlined) = jvp(|a| of_itself(&a[0]), std::slice::from_ref(&x), std::slice::from_ref(&tangent))?;
    let composed = |a: &[Tensor]| ops::scaled(&a[0], exp(&a[0])?)? + ops::scaled(&a[0], &a[0])?;
    let (_, expected) = jvp(composed, &[x], &[tangent])?;
    close("tangents", &inlined.to_vec::<f64>()?, &expected.to_vec::<f64>()?);
    Ok(())
}

#[test]
fn an_error_names_the_caller() -> Result<()> {
    let error = ops::gated(tensor(&[2, 4], 1), tensor(&[3], 1), tensor(&[4], 1)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Shape);
    assert!(error.to_string().contains("gated"), "{error}");
    Ok(())
}
