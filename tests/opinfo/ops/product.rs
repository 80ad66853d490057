//! Products of matrices and vectors, distances, attention.

use super::Entry;
use super::along::Along;
use crate::call::{Argument, Call, Outcome, Stop};
use tensor_op::catalogue::nn::matmul as product;
use tensor_op::catalogue::product;
use tensor_op::prelude::*;

super::ops! {
    "bmm" fn bmm(x: Tensor![b, m, k], mat2: Tensor![b, k, n]) -> Tensor![b, m, n] { sum(x * mat2, k) }
    "bmm triton_optimized" fn bmm_outer(x: Tensor![b, m, k], mat2: Tensor![b, k, n]) -> Tensor![b, m, n] { sum(x * mat2, k) }
    "mm" fn mm(x: Tensor![m, k], mat2: Tensor![k, n]) -> Tensor![m, n] { sum(x * mat2, k) }
    "vdot" fn vdot(x: Tensor![k], other: Tensor![k]) -> Tensor![] { sum(x * other, k) }
}

super::known! {
    "dot" product::dot(x: Tensor, tensor: Tensor)
    "mv" product::mv(x: Tensor, vec: Tensor)
    "outer" product::outer(x: Tensor, vec2: Tensor)
}

#[tensor_op(tests = false)]
fn addmm(x: Tensor![m, n], a: Tensor![m, k], b: Tensor![k, n], beta: f64, alpha: f64) -> Tensor![m, n] {
    select(beta == 0.0, 0.0, beta * x) + alpha * sum(a * b, k)
}

#[tensor_op(tests = false)]
fn addbmm(
    x: Tensor![m, n],
    a: Tensor![b, m, k],
    c: Tensor![b, k, n],
    beta: f64,
    alpha: f64,
) -> Tensor![m, n] {
    select(beta == 0.0, 0.0, beta * x) + alpha * sum(a * c, (b, k))
}

#[tensor_op(tests = false)]
fn baddbmm(
    x: Tensor![b, m, n],
    a: Tensor![b, m, k],
    c: Tensor![b, k, n],
    beta: f64,
    alpha: f64,
) -> Tensor![b, m, n] {
    select(beta == 0.0, 0.0, beta * x) + alpha * sum(a * c, k)
}

#[tensor_op(tests = false)]
fn addr(x: Tensor![m, n], a: Tensor![m], b: Tensor![n], beta: f64, alpha: f64) -> Tensor![m, n] {
    select(beta == 0.0, 0.0, beta * x) + alpha * a * b
}

#[tensor_op(tests = false)]
fn addmv(x: Tensor![m], a: Tensor![m, k], b: Tensor![k], beta: f64, alpha: f64) -> Tensor![m] {
    select(beta == 0.0, 0.0, beta * x) + alpha * sum(a * b, k)
}

#[tensor_op(tests = false)]
fn matrix_vector(x: Tensor![.., m, k], y: Tensor![k]) -> Tensor![.., m] {
    sum(x * y, k)
}

#[tensor_op(tests = false)]
fn vector_matrix(x: Tensor![k], y: Tensor![.., k, n]) -> Tensor![.., n] {
    sum(x * y, k)
}

#[tensor_op(tests = false)]
fn inner_products(x: Tensor![m, k], y: Tensor![n, k]) -> Tensor![m, n] {
    sum(x * y, k)
}

#[tensor_op(tests = false)]
fn linear(x: Tensor![.., i], weight: Tensor![o, i]) -> Tensor![.., o] {
    sum(x * weight, i)
}

#[tensor_op(tests = false)]
fn linear_with_bias(x: Tensor![.., i], weight: Tensor![o, i], bias: Tensor![o]) -> Tensor![.., o] {
    sum(x * weight, i) + bias
}

#[tensor_op(tests = false)]
fn bilinear(x: Tensor![.., i], y: Tensor![.., j], weight: Tensor![o, i, j]) -> Tensor![.., o] {
    sum(sum(x * weight, i) * y, j)
}

#[tensor_op(tests = false)]
fn add(x: Tensor, bias: Tensor) -> Tensor {
    x + bias
}

#[tensor_op(tests = false)]
fn dot_along(x: Tensor, y: Tensor, axis: Axis) -> Tensor {
    sum(x * y, axis)
}

/// The cross product of vectors with three elements.
#[tensor_op(tests = false)]
fn cross(x: Tensor![.., n], y: Tensor![.., n]) -> Tensor![.., n] {
    let next = (iota(n) + 1) % 3;
    let last = (iota(n) + 2) % 3;
    at(x, n = next) * at(y, n = last) - at(x, n = last) * at(y, n = next)
}

#[tensor_op(tests = false)]
fn distances(x: Tensor![.., m, d], y: Tensor![.., n, d]) -> Tensor![.., m, n] {
    norm(x - y, d)
}

#[tensor_op(tests = false)]
fn distances_by_sum(x: Tensor![.., m, d], y: Tensor![.., n, d]) -> Tensor![.., m, n] {
    sum(abs(x - y), d)
}

#[tensor_op(tests = false)]
fn distances_by_largest(x: Tensor![.., m, d], y: Tensor![.., n, d]) -> Tensor![.., m, n] {
    max(abs(x - y), d)
}

#[tensor_op(tests = false)]
fn distances_by_count(x: Tensor![.., m, d], y: Tensor![.., n, d]) -> Tensor![.., m, n] {
    sum(select(x == y, 0.0, 1.0), d)
}

#[tensor_op(tests = false)]
fn distances_by_power(x: Tensor![.., m, d], y: Tensor![.., n, d], p: f64) -> Tensor![.., m, n] {
    pow(sum(pow(abs(x - y), p), d), 1.0 / p)
}

#[tensor_op(tests = false)]
fn differences_of_rows(x: Tensor![m, d], first: IntTensor![k], second: IntTensor![k]) -> Tensor![k, d] {
    at(x, m = first) - at(x, m = second)
}

#[tensor_op(tests = false)]
fn attention(
    q: Tensor![.., t, d],
    k: Tensor![.., s, d],
    v: Tensor![.., s, e],
    bias: Tensor![.., t, s],
    scale: f64,
    causal: bool,
) -> (Tensor![.., t, e], Tensor![.., t]) {
    let hidden = causal & (iota(s) > iota(t));
    let scores = select(hidden, -INFINITY, sum(q * k, d) * scale + bias);
    (sum(softmax(scores, s) * v, s), logsumexp(scores, s))
}

#[tensor_op(tests = false)]
fn bias_of(mask: BoolTensor) -> Tensor {
    select(mask, 0.0, -INFINITY)
}

/// Follows PyTorch's rules for ranks: a vector is a row or a column, and the result loses that axis again.
fn matmul(x: Tensor, y: Tensor) -> Outcome {
    Ok(vec![match (x.rank(), y.rank()) {
        (1, 1) => dot(x, y)?,
        (_, 1) => matrix_vector(x, y)?,
        (1, _) => vector_matrix(x, y)?,
        _ => product(x, y)?,
    }])
}

type Added = fn(Tensor, Tensor, Tensor, f64, f64) -> Result<Tensor>;

/// `beta` of a tensor that is broadcast to the product's shape.
fn added(call: &Call, op: Added, shape: impl Fn(&Tensor, &Tensor) -> Vec<usize>) -> Outcome {
    let (a, b) = (call.float(1, "a")?, call.float(2, "b")?);
    let x = call.x()?.broadcast_to(shape(&a, &b))?;
    let (beta, alpha) =
        (call.number(usize::MAX, "beta")?.unwrap_or(1.0), call.number(usize::MAX, "alpha")?.unwrap_or(1.0));
    Ok(vec![op(x, a, b, beta, alpha)?])
}

fn of_matrices(call: &Call) -> Outcome {
    added(call, addmm, |a, b| vec![a.shape()[0], b.shape()[1]])
}

/// Sums over the last axes of both tensors. The other axes of both stay.
fn inner(call: &Call) -> Outcome {
    let (x, y) = (call.x()?, call.float(1, "other")?);
    if x.rank() == 0 || y.rank() == 0 {
        return Ok(vec![(x * y)?]);
    }
    let (rows, columns) = (x.shape(), y.shape());
    let k = rows[rows.rank() - 1];
    let flat = |x: &Tensor| x.reshape(vec![x.shape()[..x.rank() - 1].iter().product(), k]);
    let sizes = [&rows[..rows.rank() - 1], &columns[..columns.rank() - 1]].concat();
    Ok(vec![inner_products(flat(&x)?, flat(&y)?)?.reshape(sizes)?])
}

/// The axes of each side that are summed: given as their number, or as two lists.
fn tensordot(call: &Call) -> Outcome {
    let (x, y) = (call.x()?, call.float(1, "other")?);
    let (left, right): (Vec<i64>, Vec<i64>) = match call.get(2, "dims") {
        Argument::List(lists) => {
            let list = |place: usize| match lists.get(place) {
                Some(Argument::List(axes)) => axes
                    .iter()
                    .map(|axis| match axis {
                        Argument::Int(axis) => Ok(*axis),
                        _ => Err(call.wrong("dims", "lists of ints")),
                    })
                    .collect(),
                Some(Argument::Int(axis)) => Ok(vec![*axis]),
                _ => Err(call.wrong("dims", "two lists")),
            };
            (list(0)?, list(1)?)
        }
        _ => {
            let count = call.int(2, "dims")?.unwrap_or(2);
            ((x.rank() as i64 - count..x.rank() as i64).collect(), (0..count).collect())
        }
    };
    // An axis of size 1 is repeated to the size of its partner.
    let (mut wide, mut tall) = (x.shape().to_vec(), y.shape().to_vec());
    for (a, b) in left.iter().zip(&right) {
        let (a, b) = (x.shape().axis(*a)?, y.shape().axis(*b)?);
        let size = if wide[a] == 1 { tall[b] } else { wide[a] };
        (wide[a], tall[b]) = (size, size);
    }
    let (x, y) = (x.broadcast_to(wide)?, y.broadcast_to(tall)?);
    let split = |x: &Tensor, summed: &[i64]| {
        let summed = summed.iter().map(|axis| x.shape().axis(*axis)).collect::<Result<Vec<_>>>()?;
        let kept: Vec<usize> = (0..x.rank()).filter(|axis| !summed.contains(axis)).collect();
        let order: Vec<i64> = kept.iter().chain(&summed).map(|axis| *axis as i64).collect();
        let sizes: Vec<usize> = kept.iter().map(|axis| x.shape()[*axis]).collect();
        let inner: usize = summed.iter().map(|axis| x.shape()[*axis]).product();
        Ok::<_, tensor_op::Error>((x.permute(&order)?.reshape(vec![sizes.iter().product(), inner])?, sizes))
    };
    let ((a, rows), (b, columns)) = (split(&x, &left)?, split(&y, &right)?);
    Ok(vec![inner_products(a, b)?.reshape([rows, columns].concat())?])
}

fn linear_of(x: Tensor, weight: Tensor, bias: Option<Tensor>) -> Outcome<Tensor> {
    if weight.rank() == 1 {
        let y = matrix_vector(x.reshape(if x.rank() == 1 { vec![1, -1] } else { sizes(&x) })?, weight)?;
        let y = if x.rank() == 1 { y.reshape([0_i64; 0])? } else { y };
        return Ok(match bias {
            Some(bias) => add(y, bias)?,
            None => y,
        });
    }
    Ok(match bias {
        Some(bias) => linear_with_bias(x, weight, bias)?,
        None => linear(x, weight)?,
    })
}

fn sizes(x: &Tensor) -> Vec<i64> {
    x.shape().iter().map(|size| *size as i64).collect()
}

/// The classes are the rows of the weight, in any shape. The features are its last axis.
fn linear_cross_entropy(call: &Call) -> Outcome {
    let (x, weight, target) = (call.x()?, call.float(1, "linear_weight")?, call.tensor(2, "target")?);
    let (features, classes) = (weight.rank() - 1, weight.shape());
    let rows = weight.reshape(vec![classes[..features].iter().product(), classes[features]])?;
    let bias = call.optional(3, "linear_bias")?.map(|bias| bias.reshape([-1])).transpose()?;
    let logits = linear_of(x.clone(), rows, bias)?;
    let sizes = [&x.shape()[..x.rank() - 1], &classes[..features]].concat();
    super::loss::cross_entropy_of(
        call,
        &logits.reshape(sizes)?,
        &target,
        call.optional(usize::MAX, "weight")?,
    )
}

fn bilinear_of(call: &Call) -> Outcome {
    let y = bilinear(call.x()?, call.float(1, "input2")?, call.float(2, "weight")?)?;
    Ok(vec![match call.optional(3, "bias")? {
        Some(bias) => add(y, bias)?,
        None => y,
    }])
}

fn cross_along(call: &Call, default: Option<i64>) -> Outcome {
    let (x, y) = (call.x()?, call.float(1, "other")?);
    let shape = x.shape();
    let first = || shape.iter().position(|size| *size == 3).map(|axis| axis as i64 - shape.rank() as i64);
    let axis = call.int(2, "dim")?.or(default).or_else(first).unwrap_or(-1);
    Ok(vec![cross(x.transpose(axis, -1)?, y.transpose(axis, -1)?)?.transpose(axis, -1)?])
}

fn distances_of(x: Tensor, y: Tensor, p: f64) -> Result<Tensor> {
    match p {
        0.0 => distances_by_count(x.detach(), y.detach()),
        1.0 => distances_by_sum(x, y),
        2.0 => distances(x, y),
        f64::INFINITY => distances_by_largest(x, y),
        p => distances_by_power(x, y, p),
    }
}

fn pdist(call: &Call) -> Outcome {
    let x = call.x()?;
    let n = x.shape()[0] as i64;
    let pairs: Vec<(i64, i64)> = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).collect();
    let ids = |ids: Vec<i64>| Tensor::from_vec(ids, [pairs.len()], &x.device());
    let first = ids(pairs.iter().map(|pair| pair.0).collect())?;
    let second = ids(pairs.iter().map(|pair| pair.1).collect())?;
    let norm = super::reduction::norm(call.number(1, "p")?.unwrap_or(2.0));
    Ok(vec![Along::axis(-1, false).one(&differences_of_rows(&x, first, second)?, norm)?])
}

/// The output, and the logarithm of the sum of the weights.
fn attention_of(call: &Call) -> Outcome<(Tensor, Tensor)> {
    if call.number(4, "dropout_p")?.unwrap_or(0.0) > 0.0 {
        return Err(Stop::Skip("random: dropout"));
    }
    let (q, mut k, mut v) = (call.x()?, call.float(1, "key")?, call.float(2, "value")?);
    if call.flag(usize::MAX, "enable_gqa", false)? {
        (k, v) = (shared(&k, &q)?, shared(&v, &q)?);
    }
    let bias = match call.get(3, "attn_mask") {
        Argument::None => Tensor::zeros([1, 1], q.dtype(), &q.device())?,
        _ if call.tensor(3, "attn_mask")?.dtype() == DType::Bool => bias_of(call.bools(3, "attn_mask")?)?,
        _ => call.float(3, "attn_mask")?,
    };
    let shape = [q.shape()[q.rank() - 2], k.shape()[k.rank() - 2]];
    let bias = if bias.rank() <= 2 { bias.broadcast_to(shape)? } else { bias };
    let scale = call.number(usize::MAX, "scale")?.unwrap_or(1.0 / (q.shape()[q.rank() - 1] as f64).sqrt());
    Ok(attention(q, k, v, bias, scale, call.flag(5, "is_causal", false)?)?)
}

/// The heads of keys. Each is repeated for the heads of queries that share it.
fn shared(k: &Tensor, q: &Tensor) -> Result<Tensor> {
    let (own, shape) = (k.shape(), q.shape());
    if k.rank() < 3 || q.rank() < 3 || own[k.rank() - 3] == shape[q.rank() - 3] {
        return Ok(k.clone());
    }
    let heads = k.rank() - 3;
    let (mut wide, mut merged) = (own.to_vec(), own.to_vec());
    wide.insert(heads + 1, shape[q.rank() - 3] / own[heads]);
    merged[heads] = shape[q.rank() - 3];
    k.unsqueeze(heads as i64 + 1)?.broadcast_to(wide)?.reshape(merged)
}

pub(super) fn table() -> Vec<Entry> {
    let mut table = declared();
    table.extend(known());
    table.extend([
        Entry::new("__rmatmul__", |call| matmul(call.float(1, "other")?, call.x()?)),
        Entry::new("addbmm", |call| added(call, addbmm, |a, b| vec![a.shape()[1], b.shape()[2]])),
        Entry::new("addmm", of_matrices),
        Entry::new("addmm decomposed", of_matrices),
        Entry::new("addmv", |call| added(call, addmv, |a, _| vec![a.shape()[0]])),
        Entry::new("addr", |call| added(call, addr, |a, b| vec![a.shape()[0], b.shape()[0]])),
        Entry::new("baddbmm", |call| {
            added(call, baddbmm, |a, b| vec![a.shape()[0], a.shape()[1], b.shape()[2]])
        }),
        Entry::new("cdist", |call| {
            Ok(vec![distances_of(call.x()?, call.float(1, "x2")?, call.number(2, "p")?.unwrap_or(2.0))?])
        }),
        Entry::new("cross", |call| cross_along(call, None)),
        Entry::new("inner", inner),
        Entry::new("linalg.cross", |call| cross_along(call, Some(-1))),
        Entry::new("linalg.vecdot", |call| {
            let (x, y) = (call.x()?, call.float(1, "y")?);
            Ok(vec![dot_along(x, y, call.int(2, "dim")?.unwrap_or(-1))?])
        }),
        Entry::new("matmul", |call| matmul(call.x()?, call.float(1, "other")?)),
        Entry::new("nn.functional.bilinear", bilinear_of),
        Entry::new("nn.functional.linear", |call| {
            Ok(vec![linear_of(call.x()?, call.float(1, "weight")?, call.optional(2, "bias")?)?])
        }),
        Entry::new("nn.functional.linear_cross_entropy", linear_cross_entropy),
        Entry::new("nn.functional.pdist", pdist),
        Entry::new("nn.functional.scaled_dot_product_attention", |call| Ok(vec![attention_of(call)?.0])),
        Entry::new("tensordot", tensordot),
        Entry::new("torch.ops.aten._scaled_dot_product_flash_attention_for_cpu", |call| {
            // PyTorch's sums of the weights have no gradient.
            let (out, logs) = attention_of(call)?;
            Ok(vec![out, logs.detach()])
        }),
    ]);
    table
}
