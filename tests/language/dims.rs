//! Dims in types: `..` in front, behind and between named dims. Each op is generated with its tests.

use tensor_op::prelude::*;

/// As PyTorch's, over any number of dims behind the channels.
#[tensor_op]
fn batch_norm(
    x: Tensor![b, c, ..],
    gamma: Tensor![c],
    beta: Tensor![c],
    #[default(1e-5)] eps: f64,
) -> Tensor![b, c, ..] {
    let centered = x - mean(x, (b, ..));
    centered * rsqrt(mean(square(centered), (b, ..)) + eps) * gamma + beta
}

/// The group is in the middle of one type, and in front and behind in others.
#[tensor_op]
fn heads(
    q: Tensor![b, .., d],
    k: Tensor![.., d, h],
    bias: Tensor![h, ..],
) -> (Tensor![b, .., h], Tensor![h, ..]) {
    let scores = sum(q * k, d) + bias;
    (scores, max(scores, b))
}

#[tensor_op]
fn last_to_front(x: Tensor![.., n]) -> Tensor![n, ..] {
    x
}

#[tensor_op]
fn pick(x: Tensor![n, .., m], ids: IntTensor![..]) -> Tensor![.., m] {
    at(x, n = ids)
}

#[tensor_op]
fn shifted(x: Tensor![b, .., n], #[default(1)] by: usize) -> Tensor![b, o = n + by, ..] {
    at(x, n = o - by, or = 0.0)
}

/// The called op has the group in another place.
#[tensor_op]
fn normed_heads(x: Tensor![t, .., c], gamma: Tensor![c], beta: Tensor![c]) -> Tensor![.., c, t] {
    self::batch_norm(x, gamma, beta, b = t)
}

fn numbers(shape: &[usize]) -> Tensor {
    let count: usize = shape.iter().product();
    let values: Vec<f64> = (0..count).map(|i| ((i * 37 + i / 5) % 23) as f64 - 7.0).collect();
    Tensor::from_vec(values, shape.to_vec(), &Device::default()).expect("as many values as the shape")
}

#[test]
fn statistics_of_channels() -> Result<()> {
    let (b, c, h, w) = (2, 3, 2, 2);
    let x = numbers(&[b, c, h, w]);
    let (gamma, beta) = (numbers(&[c]), Tensor::ones([c], DType::F64, &Device::default())?);
    let found = batch_norm(&x, &gamma, &beta, 0.5)?.to_vec::<f64>()?;
    let (x, gamma) = (x.to_vec::<f64>()?, gamma.to_vec::<f64>()?);
    for (channel, gamma) in gamma.iter().enumerate() {
        let places: Vec<usize> =
            (0..b).flat_map(|i| (0..h * w).map(move |p| (i * c + channel) * h * w + p)).collect();
        let count = places.len() as f64;
        let mean = places.iter().map(|at| x[*at]).sum::<f64>() / count;
        let var = places.iter().map(|at| (x[*at] - mean).powi(2)).sum::<f64>() / count;
        for at in places {
            let wanted = (x[at] - mean) / (var + 0.5).sqrt() * gamma + 1.0;
            assert!((found[at] - wanted).abs() < 1e-12, "{} and {wanted}", found[at]);
        }
    }
    Ok(())
}

#[test]
fn groups_are_aligned_wherever_they_stand() -> Result<()> {
    let (q, k, bias) = (numbers(&[2, 3, 4, 5]), numbers(&[4, 5, 6]), numbers(&[6, 3, 1]));
    let (scores, best) = heads(&q, &k, &bias)?;
    assert_eq!((scores.shape().to_vec(), best.shape().to_vec()), (vec![2, 3, 4, 6], vec![6, 3, 4]));
    let scores = scores.to_vec::<f64>()?;
    let (q, k, bias) = (q.to_vec::<f64>()?, k.to_vec::<f64>()?, bias.to_vec::<f64>()?);
    for (at, found) in scores.iter().enumerate() {
        let (b, i, j, h) = (at / 72, at / 24 % 3, at / 6 % 4, at % 6);
        let product: f64 = (0..5).map(|d| q[((b * 3 + i) * 4 + j) * 5 + d] * k[(j * 5 + d) * 6 + h]).sum();
        assert_eq!(*found, product + bias[h * 3 + i]);
    }
    let error = heads(numbers(&[2, 3, 5]), numbers(&[2, 5, 6]), numbers(&[6, 1])).expect_err("3 and 2");
    let text = error.to_string();
    assert!(text.contains("`k`: dim `..` has size 2 at axis 0, but `q` has 3 at axis 1"), "{text}");
    let text = heads(numbers(&[2]), numbers(&[5, 6]), numbers(&[6])).expect_err("no dim d").to_string();
    assert!(text.contains("shape [2] has rank 1, but [b, .., d] needs at least rank 2"), "{text}");
    Ok(())
}

#[test]
fn a_group_may_move() -> Result<()> {
    let x = numbers(&[2, 3]);
    assert_eq!(last_to_front(&x)?.to_vec::<f64>()?, x.permute([1, 0])?.to_vec::<f64>()?);
    assert_eq!(last_to_front(numbers(&[4]))?.shape().to_vec(), [4]);
    assert_eq!(normed_heads(numbers(&[2, 5, 3]), numbers(&[3]), numbers(&[3]))?.shape().to_vec(), [5, 3, 2]);
    Ok(())
}
