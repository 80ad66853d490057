//! Ops whose formula a call chooses: by an optional tensor, by an enum, or by a `bool`.

use tensor_op::prelude::*;
use tensor_op::{Gradients, Op, Reduction};

/// `bias` has its own kernels, or none.
#[tensor_op]
fn linear(x: Tensor![.., i], weight: Tensor![o, i], bias: Option<Tensor![o]>) -> Tensor![.., o] {
    sum(x * weight, i) + bias.unwrap_or(0.0)
}

#[tensor_op]
fn mse_loss(x: Tensor, y: Tensor, #[default(Reduction::Mean)] reduction: Reduction) -> Tensor {
    let e = square(x - y);
    match reduction {
        Reduction::None => e,
        Reduction::Mean => mean(e, ..),
        Reduction::Sum => sum(e, ..),
    }
}

/// Two optional tensors, of which one is of ints.
#[tensor_op]
fn scored(
    logits: Tensor![b, v],
    weight: Option<Tensor![v]>,
    ids: Option<IntTensor![b]>,
    #[default(false)] square: bool,
) -> Tensor![b] {
    let weight = weight.unwrap_or(1.0);
    let weighted = logits * weight;
    let score = if ids.is_some() {
        let at = at(weighted, v = ids.unwrap_or(0));
        at + at
    } else {
        sum(weighted, v)
    };
    if !square { score } else { score * score }
}

/// Passes on the bias that it was given, or none.
#[tensor_op]
fn halved(x: Tensor![b, i], weight: Tensor![o, i], bias: Option<Tensor![o]>) -> Tensor![b, o] {
    self::linear(x, weight, bias) * 0.5
}

/// Passes on the reduction, by which its own result varies.
#[tensor_op]
fn scaled_loss(x: Tensor![b, o], y: Tensor![b, o], by: f64, reduction: Reduction) -> Tensor![b, o] {
    self::mse_loss(x * by, y, reduction)
}

#[tensor_op]
fn without_bias(x: Tensor![b, i], weight: Tensor![o, i], bias: Tensor![o]) -> Tensor![b, o] {
    self::linear(x, weight, None) - self::linear(x, weight, bias)
}

#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
    Both,
}

/// Arms that share a value, blocks, and an argument that one formula alone uses.
#[tensor_op]
fn shift(x: Tensor![n], by: Tensor![n], side: Side) -> (Tensor![n], Tensor![]) {
    match side {
        Side::Left | Side::Both => {
            let moved = x - by;
            (moved, sum(moved, n))
        }
        Side::Right => (x, sum(x, n)),
    }
}

/// One formula uses no tensor, and has one for its device; the gradient is that of the other.
#[tensor_op]
fn constant(x: Tensor![n], #[default(true)] summed: bool) -> Tensor![] {
    if summed { sum(x, n) } else { 2.0 }
}

/// A rule for an argument that may be left out goes with it.
#[tensor_op]
#[grad(by = sum(grad * x, ..))]
fn times(x: Tensor![.., n], by: Option<Tensor![n]>) -> Tensor![.., n] {
    x * by.unwrap_or(1.0)
}

/// One formula keeps `mu`, and the other has none.
#[tensor_op]
#[save(mu)]
fn spread(x: Tensor![.., n], center: bool) -> Tensor![.., n] {
    let mu = mean(x, n);
    if center { square(x - mu) } else { x * x }
}

/// The ops that are called have several results.
#[tensor_op]
fn parts(x: Tensor![n], side: Side) -> (Tensor![n], Tensor![]) {
    let (y, total) = match side {
        Side::Left => self::shift(x, x * 2.0, Side::Left),
        Side::Right => {
            let y = x + 1.0;
            self::shift(y, y, Side::Right)
        }
        Side::Both => self::shift(x, x, side),
    };
    (y * x, total)
}

fn tensor<const N: usize>(values: [f64; N], shape: &[usize]) -> Tensor {
    Tensor::from_vec(values.to_vec(), shape, &Device::default()).expect("sizes agree").require_grad()
}

fn values(tensor: &Tensor) -> Vec<f64> {
    tensor.to_vec::<f64>().expect("floats")
}

const X: [f64; 4] = [1.0, -2.0, 0.5, 3.0];
const W: [f64; 6] = [2.0, 1.0, -1.0, 0.0, 0.5, 4.0];
const B: [f64; 3] = [10.0, 20.0, 30.0];

fn linear_by_hand(bias: Option<[f64; 3]>) -> Vec<f64> {
    let element = |row: usize, out: usize| {
        let sum: f64 = (0..2).map(|i| X[2 * row + i] * W[2 * out + i]).sum();
        sum + bias.map_or(0.0, |bias| bias[out])
    };
    (0..2).flat_map(|row| (0..3).map(move |out| element(row, out))).collect()
}

#[test]
fn a_bias_is_added_if_it_is_passed() -> Result<()> {
    let (x, weight, bias) = (tensor(X, &[2, 2]), tensor(W, &[3, 2]), tensor(B, &[3]));
    assert_eq!(values(&linear(&x, &weight, None)?), linear_by_hand(None));
    for with in [
        linear(&x, &weight, &bias)?,
        linear(&x, &weight, bias.clone())?,
        linear(&x, &weight, Some(bias.clone()))?,
    ] {
        assert_eq!(values(&with), linear_by_hand(Some(B)));
    }
    struct Layer {
        bias: Option<Tensor>,
    }
    for layer in [Layer { bias: None }, Layer { bias: Some(bias.clone()) }] {
        let wanted = linear_by_hand(layer.bias.as_ref().map(|_| B));
        assert_eq!(values(&linear(&x, &weight, &layer.bias)?), wanted);
        assert_eq!(values(&linear(&x, &weight, layer.bias)?), wanted);
    }
    // The result of another op, and its error.
    let sum = linear(&x, &weight, mse_loss(&bias, &bias, Reduction::None))?;
    assert_eq!(values(&sum), linear_by_hand(Some([0.0; 3])));
    assert!(linear(&x, &weight, mse_loss(&bias, &x, Reduction::None)).is_err());
    Ok(())
}

/// The gradients of the sum of the elements.
fn of_sum(y: &Tensor) -> Result<Gradients> {
    y.backward_with(&y.ones_like()?)
}

#[test]
fn each_formula_has_its_own_gradient() -> Result<()> {
    let (x, weight, bias) = (tensor(X, &[2, 2]), tensor(W, &[3, 2]), tensor(B, &[3]));
    let by_x: Vec<f64> = (0..4).map(|at| (0..3).map(|out| W[2 * out + at % 2]).sum()).collect();
    for passed in [None, Some(bias.clone())] {
        let gradients = of_sum(&linear(&x, &weight, &passed)?)?;
        assert_eq!(values(gradients.get(&x).expect("it is tracked")), by_x);
        let by_bias = gradients.get(&bias).map(values);
        assert_eq!(by_bias, passed.map(|_| vec![2.0; 3]));
    }
    let y = tensor([0.0; 4], &[2, 2]);
    for (reduction, by) in [(Reduction::None, 2.0), (Reduction::Sum, 2.0), (Reduction::Mean, 0.5)] {
        let gradients = of_sum(&mse_loss(&x, &y, reduction)?)?;
        assert_eq!(values(gradients.get(&x).expect("it is tracked")), X.map(|x| by * x));
    }
    Ok(())
}

/// The formula without a bias takes no argument for it, saves nothing for it, and runs no kernel for it.
#[test]
fn nothing_is_left_of_what_was_not_passed() {
    let (with, without) = (LinearWithBias, LinearWithoutBias);
    let names = |op: &dyn Op| op.spec().graph().args.iter().map(|arg| arg.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&without), ["x", "weight"]);
    assert_eq!(names(&with), ["x", "weight", "bias"]);
    assert!(!without.spec().graph().to_string().contains("add("));
    let backward = |op: &dyn Op| op.backward().expect("it has a gradient");
    assert!(!names(&*backward(&without)).contains(&"bias".to_string()));
    assert_eq!(backward(&without).spec().graph().outputs.len(), 2);
    assert_eq!(backward(&with).spec().graph().outputs.len(), 3);
    let kernels = |op: &dyn Op| {
        let graph = op.spec().graph();
        tensor_op_spec::schedule::schedule(graph, tensor_op_spec::schedule::CostModel::CPU).kernels.len()
    };
    assert!(kernels(&without) <= kernels(&with));
    assert!(kernels(&*backward(&without)) < kernels(&*backward(&with)));
    assert_eq!(names(&ShiftRight), ["x"]);
}

#[test]
fn a_reduction_chooses_the_dims_of_the_result() -> Result<()> {
    let (x, y) = (tensor(X, &[2, 2]), tensor([0.0; 4], &[2, 2]));
    let squares = X.map(|x| x * x);
    let none = mse_loss(&x, &y, Reduction::None)?;
    assert_eq!((none.shape().to_vec(), values(&none)), (vec![2, 2], squares.to_vec()));
    assert_eq!(mse_loss(&x, &y, Reduction::Sum)?.item::<f64>()?, squares.iter().sum::<f64>());
    let mean = squares.iter().sum::<f64>() / 4.0;
    assert_eq!(mse_loss(&x, &y, Reduction::Mean)?.item::<f64>()?, mean);
    // `None` is the default, which is not `Reduction::None`.
    assert_eq!(mse_loss(&x, &y, None)?.item::<f64>()?, mean);
    Ok(())
}

#[test]
fn choices_multiply() -> Result<()> {
    let logits = tensor(X, &[2, 2]);
    let weight = tensor([2.0, 3.0], &[2]);
    let ids = Tensor::from_vec(vec![1_i64, 0], [2], &Device::default())?;
    for (weight, by) in [(None, [1.0, 1.0]), (Some(weight), [2.0, 3.0])] {
        for chosen in [None, Some(ids.clone())] {
            for square in [true, false] {
                let weighted = [X[0] * by[0], X[1] * by[1], X[2] * by[0], X[3] * by[1]];
                let sums = match chosen {
                    None => [weighted[0] + weighted[1], weighted[2] + weighted[3]],
                    Some(_) => [2.0 * weighted[1], 2.0 * weighted[2]],
                };
                let wanted = sums.map(|sum| if square { sum * sum } else { sum });
                assert_eq!(values(&scored(&logits, &weight, &chosen, square)?), wanted);
            }
        }
    }
    Ok(())
}

#[test]
fn an_op_passes_on_what_it_was_given() -> Result<()> {
    let (x, weight, bias) = (tensor(X, &[2, 2]), tensor(W, &[3, 2]), tensor(B, &[3]));
    for (passed, given) in [(None, None), (Some(bias.clone()), Some(B))] {
        let wanted: Vec<f64> = linear_by_hand(given).iter().map(|out| out * 0.5).collect();
        assert_eq!(values(&halved(&x, &weight, &passed)?), wanted);
    }
    let y = tensor([1.0; 4], &[2, 2]);
    let losses = X.map(|x| (x * 0.5 - 1.0).powi(2));
    assert_eq!(values(&scaled_loss(&x, &y, 0.5, Reduction::None)?), losses);
    assert_eq!(scaled_loss(&x, &y, 0.5, Reduction::Sum)?.item::<f64>()?, losses.iter().sum::<f64>());
    assert_eq!(scaled_loss(&x, &y, 0.5, Reduction::Mean)?.item::<f64>()?, losses.iter().sum::<f64>() / 4.0);
    let difference = without_bias(&x, &weight, &bias)?;
    assert_eq!(values(&difference), [-10.0, -20.0, -30.0, -10.0, -20.0, -30.0]);
    Ok(())
}

#[test]
fn arms_share_values_and_results() -> Result<()> {
    let (x, by) = (tensor([1.0, 2.0], &[2]), tensor([3.0, 5.0], &[2]));
    for side in [Side::Left, Side::Both] {
        let (moved, sum) = shift(&x, &by, side)?;
        assert_eq!((values(&moved), sum.item::<f64>()?), (vec![-2.0, -3.0], -5.0));
    }
    let (same, sum) = shift(&x, &by, Side::Right)?;
    assert_eq!((values(&same), sum.item::<f64>()?), (vec![1.0, 2.0], 3.0));
    Ok(())
}

#[test]
fn rules_and_kept_values_are_those_of_the_formula() -> Result<()> {
    let (x, by) = (tensor(X, &[2, 2]), tensor([2.0, 5.0], &[2]));
    let gradients = of_sum(&times(&x, &by)?)?;
    assert_eq!(values(gradients.get(&by).expect("it is tracked")), [X[0] + X[2], X[1] + X[3]]);
    let gradients = of_sum(&times(&x, None)?)?;
    assert_eq!(values(gradients.get(&x).expect("it is tracked")), [1.0; 4]);
    let kept = |op: &dyn Op| op.spec().graph().outputs.iter().filter(|output| output.hidden).count();
    assert_eq!((kept(&SpreadCenter), kept(&SpreadNotCenter)), (1, 0));
    assert_eq!(values(&spread(&x, false)?), X.map(|x| x * x));
    Ok(())
}

#[test]
fn a_choice_may_have_several_results() -> Result<()> {
    let x = tensor([1.0, 2.0], &[2]);
    for (side, y, total) in
        [(Side::Left, [-1.0, -2.0], -3.0), (Side::Right, [2.0, 3.0], 5.0), (Side::Both, [0.0, 0.0], 0.0)]
    {
        let (product, sum) = parts(&x, side)?;
        assert_eq!(values(&product), [y[0], 2.0 * y[1]]);
        assert_eq!(sum.item::<f64>()?, total);
    }
    Ok(())
}

#[test]
fn losses_are_those_of_loops() -> Result<()> {
    use tensor_op::catalogue::losses::{kl_div, l1_loss, nll_loss};
    let (log, y) = (tensor([-1.0, -0.5, -2.0, -0.25], &[2, 2]), tensor([0.5, 0.5, 0.0, 1.0], &[2, 2]));
    let (input, target) = (values(&log), values(&y));
    let xlogx = |t: f64| if t > 0.0 { t * t.ln() } else { 0.0 };
    let pairs = || input.iter().zip(&target);
    let plain: Vec<f64> = pairs().map(|(i, t)| xlogx(*t) - t * i).collect();
    assert_eq!(values(&kl_div(&log, &y, Reduction::None, None)?), plain);
    let logs: Vec<f64> = pairs().map(|(i, t)| t.exp() * (t - i)).collect();
    let sum = kl_div(&log, &y, Reduction::Sum, true)?.item::<f64>()?;
    assert!((sum - logs.iter().sum::<f64>()).abs() < 1e-12);
    let distance: f64 = pairs().map(|(i, t)| (i - t).abs()).sum();
    assert_eq!(l1_loss(&log, &y, None)?.item::<f64>()?, distance / 4.0);

    let classes = Tensor::from_vec(vec![1_i64, 0], [2], &Device::default())?;
    let weight = tensor([2.0, 3.0], &[2]);
    let each = [0.5, 2.0];
    assert_eq!(values(&nll_loss(&log, &classes, None, None, Reduction::None)?), each);
    assert_eq!(nll_loss(&log, &classes, None, None, None)?.item::<f64>()?, 1.25);
    assert_eq!(values(&nll_loss(&log, &classes, &weight, None, Reduction::None)?), [1.5, 4.0]);
    assert_eq!(nll_loss(&log, &classes, &weight, None, None)?.item::<f64>()?, 5.5 / 5.0);
    Ok(())
}

#[test]
fn a_formula_needs_no_tensor() -> Result<()> {
    let x = tensor(X, &[4]);
    assert_eq!(constant(&x, None)?.item::<f64>()?, X.iter().sum::<f64>());
    assert_eq!(constant(&x, false)?.item::<f64>()?, 2.0);
    Ok(())
}

/// An error names the formula that was chosen, which says what was passed.
#[test]
fn errors_name_the_formula() -> Result<()> {
    let (x, weight, bias) = (tensor(X, &[2, 2]), tensor(W, &[3, 2]), tensor([1.0; 2], &[2]));
    let error = linear(&x, &weight, &bias).unwrap_err().to_string();
    assert!(
        error.contains("linear_with_bias") && error.contains("`bias`") && error.contains("`o`"),
        "{error}"
    );
    Ok(())
}
