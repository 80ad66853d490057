//! Products of matrices and vectors, distances, attention.

use super::Entry;
use super::along::Along;
use crate::call::{Argument, Call, Outcome, Stop};
use tensor_op::catalogue::attention::scaled_dot_product_attention;
use tensor_op::catalogue::{losses, nn, product, select};
use tensor_op::prelude::*;

super::known! {
    "bmm" nn::matmul(x: Tensor, mat2: Tensor)
    "bmm triton_optimized" nn::matmul(x: Tensor, mat2: Tensor)
    "dot" product::dot(x: Tensor, tensor: Tensor)
    "mm" nn::matmul(x: Tensor, mat2: Tensor)
    "mv" product::mv(x: Tensor, vec: Tensor)
    "nn.functional.bilinear" product::bilinear(x: Tensor, input2: Tensor, weight: Tensor, bias: Option)
    "outer" product::outer(x: Tensor, vec2: Tensor)
    "vdot" product::dot(x: Tensor, other: Tensor)
}

/// The logarithm of the sum of the weights of attention, before they are divided by it.
#[tensor_op(tests = false)]
fn log_weights(
    q: Tensor![.., t, d],
    k: Tensor![.., s, d],
    mask: Option<Tensor![.., t, s]>,
    causal: bool,
    scale: f64,
) -> Tensor![.., t] {
    let scores = sum(q * k, d) * scale + mask.unwrap_or(0.0);
    logsumexp(select(causal & (iota(s) > iota(t)), -INFINITY, scores), s)
}

/// Follows PyTorch's rules for ranks: a vector is a row or a column, and the result loses that axis again.
fn matmul(x: Tensor, y: Tensor) -> Outcome {
    Ok(vec![match (x.rank(), y.rank()) {
        (1, 1) => product::dot(x, y)?,
        (_, 1) => product::mv(x, y)?,
        (1, _) => product::mv(y.transpose(-1, -2), x)?,
        _ => nn::matmul(x, y)?,
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
    added(call, product::addmm, |a, b| vec![a.shape()[0], b.shape()[1]])
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
    Ok(vec![nn::linear(flat(&x)?, flat(&y)?, None)?.reshape(sizes)?])
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
    Ok(vec![nn::linear(a, b, None)?.reshape([rows, columns].concat())?])
}

/// A weight of one axis is that of a single feature, which the result has no axis for.
fn linear(x: Tensor, weight: Tensor, bias: Option<Tensor>) -> Result<Tensor> {
    if weight.rank() > 1 {
        return nn::linear(x, weight, bias);
    }
    let bias = bias.map(|bias| bias.reshape([1])).transpose()?;
    nn::linear(x, weight.unsqueeze(0)?, bias)?.squeeze(-1)
}

fn linear_cross_entropy(call: &Call) -> Outcome {
    let (x, rows, target) = (call.x()?, call.float(1, "linear_weight")?, call.tensor(2, "target")?);
    let (bias, weight) = (call.optional(3, "linear_bias")?, call.optional(usize::MAX, "weight")?);
    let (ignored, smoothing) =
        (call.int(usize::MAX, "ignore_index")?, call.number(usize::MAX, "label_smoothing")?);
    let reduction = super::loss::reduction(call)?;
    let loss = losses::linear_cross_entropy(x, rows, target, bias, weight, reduction, ignored, smoothing)?;
    Ok(vec![loss])
}

/// The counts of `fweights` are ints.
fn cov(call: &Call) -> Outcome {
    let x = call.x()?;
    let counts = match call.get(2, "fweights") {
        Argument::None => None,
        _ => Some(call.ints(2, "fweights")?),
    };
    let importance = call.optional(3, "aweights")?.map(|weights| weights.cast(x.dtype())).transpose()?;
    Ok(vec![product::cov(x, call.number(1, "correction")?, counts, importance)?])
}

fn cross_along(call: &Call, default: Option<i64>) -> Outcome {
    let (x, y) = (call.x()?, call.float(1, "other")?);
    let shape = x.shape();
    let first = || shape.iter().position(|size| *size == 3).map(|axis| axis as i64 - shape.rank() as i64);
    let axis = call.int(2, "dim")?.or(default).or_else(first).unwrap_or(-1);
    let found = product::cross(x.transpose(axis, -1), y.transpose(axis, -1))?;
    Ok(vec![found.transpose(axis, -1)?])
}

fn cdist(call: &Call) -> Outcome {
    let (x, y, p) = (call.x()?, call.float(1, "x2")?, call.number(2, "p")?.unwrap_or(2.0));
    if p == 2.0 {
        return Ok(vec![product::cdist(x, y)?]);
    }
    let difference = (x.unsqueeze(-2)? - y.unsqueeze(-3)?)?;
    Ok(vec![Along::axis(-1, false).over(&difference, super::reduction::norm(p))?])
}

fn pdist(call: &Call) -> Outcome {
    let (x, p) = (call.x()?, call.number(1, "p")?.unwrap_or(2.0));
    if p == 2.0 {
        return Ok(vec![product::pdist(x)?]);
    }
    let n = x.shape()[0] as i64;
    let pairs: Vec<(i64, i64)> = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).collect();
    let ids = |ids: Vec<i64>| Tensor::from_vec(ids, [pairs.len()], &x.device());
    let first = ids(pairs.iter().map(|pair| pair.0).collect())?;
    let second = ids(pairs.iter().map(|pair| pair.1).collect())?;
    let difference = (select::index_select(&x, 0, first)? - select::index_select(&x, 0, second)?)?;
    Ok(vec![Along::axis(-1, false).over(&difference, super::reduction::norm(p))?])
}

fn attention(call: &Call) -> Outcome<Tensor> {
    let dropout = call.number(4, "dropout_p")?.unwrap_or(0.0);
    if dropout > 0.0 && dropout < 1.0 {
        return Err(Stop::Skip("random: dropout"));
    }
    let mask = match call.get(3, "attn_mask") {
        Argument::None => None,
        _ => Some(call.tensor(3, "attn_mask")?),
    };
    let (k, v) = (call.float(1, "key")?, call.float(2, "value")?);
    let (causal, scale) = (call.flag(5, "is_causal", false)?, call.number(usize::MAX, "scale")?);
    let groups = call.flag(usize::MAX, "enable_gqa", false)?;
    Ok(scaled_dot_product_attention(call.x()?, k, v, mask, dropout, causal, scale, groups, None)?)
}

/// PyTorch's sums of the weights have no gradient.
fn attention_with_sums(call: &Call) -> Outcome {
    let (q, k, mask) = (call.x()?, call.float(1, "key")?, call.optional(3, "attn_mask")?);
    let (causal, width) = (call.flag(5, "is_causal", false)?, q.shape()[q.rank() - 1] as f64);
    let scale = call.number(usize::MAX, "scale")?.unwrap_or(1.0 / width.sqrt());
    Ok(vec![attention(call)?, log_weights(q, k, mask, causal, scale)?.detach()])
}

pub(super) fn table() -> Vec<Entry> {
    let mut table = known();
    table.extend([
        Entry::new("__rmatmul__", |call| matmul(call.float(1, "other")?, call.x()?)),
        Entry::new("addbmm", |call| added(call, product::addbmm, |a, b| vec![a.shape()[1], b.shape()[2]])),
        Entry::new("addmm", of_matrices),
        Entry::new("addmm decomposed", of_matrices),
        Entry::new("addmv", |call| added(call, product::addmv, |a, _| vec![a.shape()[0]])),
        Entry::new("addr", |call| added(call, product::addr, |a, b| vec![a.shape()[0], b.shape()[0]])),
        Entry::new("baddbmm", |call| {
            added(call, product::baddbmm, |a, b| vec![a.shape()[0], a.shape()[1], b.shape()[2]])
        }),
        Entry::new("cdist", cdist),
        Entry::new("corrcoef", |call| Ok(vec![product::corrcoef(call.x()?)?])),
        Entry::new("cov", cov).within(1e-4, "PyTorch multiplies weights of f32 in f32"),
        Entry::new("cross", |call| cross_along(call, None)),
        Entry::new("inner", inner),
        Entry::new("linalg.cross", |call| cross_along(call, Some(-1))),
        Entry::new("linalg.vecdot", |call| {
            let (x, y) = (call.x()?, call.float(1, "y")?);
            Ok(vec![product::vecdot(x, y, call.int(2, "dim")?)?])
        }),
        Entry::new("matmul", |call| matmul(call.x()?, call.float(1, "other")?)),
        Entry::new("nn.functional.linear", |call| {
            Ok(vec![linear(call.x()?, call.float(1, "weight")?, call.optional(2, "bias")?)?])
        }),
        Entry::new("nn.functional.linear_cross_entropy", linear_cross_entropy),
        Entry::new("nn.functional.pdist", pdist),
        Entry::new("nn.functional.scaled_dot_product_attention", |call| Ok(vec![attention(call)?])),
        Entry::new("tensordot", tensordot),
        Entry::new("torch.ops.aten._scaled_dot_product_flash_attention_for_cpu", attention_with_sums),
    ]);
    table
}
