//! Faults of indexing: ids out of range, ids that occur twice, offsets of parts.

use crate::by_hand::{Args, Results, array, floats, like_first, mapped, scalar, tensors};
use crate::family::{Family, kernels};
use ndarray::{ArrayD, Axis, IxDyn};
use tensor_op::{DType, Error, ErrorKind};

pub(crate) fn families() -> Vec<Family> {
    vec![embedding(), every_other(), index_add(), rotate_half(), ramp()]
}

fn embedding() -> Family {
    kernels!(
        [(weight: Tensor![v, d], ids: IntTensor) -> Tensor![.., d] { at(weight, v = ids) }],
        right => |args| gathered(args, |id, v| (0..v).contains(&id).then_some(id)),
        "an id out of range is clamped" => |args| gathered(args, |id, v| (v > 0).then(|| id.clamp(0, v - 1))),
        "a negative id counts from the end" => |args| gathered(args, |id, v| {
            let id = if id < 0 { id + v } else { id };
            (0..v).contains(&id).then_some(id)
        }),
        "an id out of range reads zeros" => |args| gathered(args, |id, v| Some(if (0..v).contains(&id) { id } else { -1 })),
        "an id is kept in a byte" => |args| gathered(args, |id, v| (0..v).contains(&id).then_some(id % 256)),
        "an id of u8 is read as a signed byte" => |args| {
            let is_byte = tensors(args)[1].dtype() == DType::U8;
            gathered(args, |id, v| Some(if is_byte { i64::from(id as i8) } else { id }).filter(|id| (0..v).contains(id)))
        },
    )
}

/// Rows of the table. A row is zero if `place` says -1.
fn gathered(args: Args<'_>, place: impl Fn(i64, i64) -> Option<i64>) -> Results {
    let weight = array::<f64>(tensors(args)[0])?;
    let ids = array::<i64>(tensors(args)[1])?;
    let [v, d] = [weight.shape()[0], weight.shape()[1]];
    let mut elements = vec![];
    for id in &ids {
        let place = place(*id, v as i64)
            .ok_or_else(|| Error::new(ErrorKind::Index, format!("{id} is not below {v}")))?;
        match usize::try_from(place) {
            Ok(row) => elements.extend(weight.index_axis(Axis(0), row)),
            Err(_) => elements.extend(vec![0.0; d]),
        }
    }
    let shape: Vec<usize> = ids.shape().iter().copied().chain([d]).collect();
    like_first(args, ArrayD::from_shape_vec(IxDyn(&shape), elements).expect("as many elements"))
}

fn every_other() -> Family {
    kernels!(
        [(x: Tensor![n], ids: IntTensor![m], off: i64) -> Tensor![m] { at(x, n = 2 * ids - off) }],
        right => |args| picked(args, |id, off, n| Some(2 * id - off).filter(|at| (0..n).contains(at))),
        "the offset has the other sign" => |args| picked(args, |id, off, n| Some(2 * id + off).filter(|at| (0..n).contains(at))),
        "the step is forgotten" => |args| picked(args, |id, off, n| Some(id - off).filter(|at| (0..n).contains(at))),
        "a computed position out of range wraps around" => |args| picked(args, |id, off, n| (n > 0).then(|| (2 * id - off).rem_euclid(n))),
    )
}

/// Elements of `x`. `place` computes the position from the id, the offset and the number of elements.
fn picked(args: Args<'_>, place: impl Fn(i64, i64, i64) -> Option<i64>) -> Results {
    let x = array::<f64>(tensors(args)[0])?;
    let ids = array::<i64>(tensors(args)[1])?;
    let (off, n) = (scalar(args, 2) as i64, x.len() as i64);
    let mut elements = vec![];
    for id in &ids {
        let at = place(*id, off, n).and_then(|at| usize::try_from(at).ok());
        let at = at.ok_or_else(|| Error::new(ErrorKind::Index, format!("{id} leads out of {n}")))?;
        elements.push(x[[at]]);
    }
    like_first(args, ArrayD::from_shape_vec(IxDyn(&[elements.len()]), elements).expect("as many elements"))
}

fn index_add() -> Family {
    kernels!(
        [(x: Tensor![v, d], ids: IntTensor![t], y: Tensor![t, d]) -> Tensor![v, d] {
            x + sum(select(ids == iota(v), y, 0.0), t)
        }],
        right => |args| scattered(args, |sum, y, _| sum + y),
        "of equal ids the last is kept" => |args| scattered(args, |_, y, x| x + y),
        "of equal ids the largest is kept" => |args| scattered(args, |sum, y, x| if sum == x { x + y } else { sum.max(x + y) }),
    )
}

/// `x` after adding the rows of `y`. `put` computes an element from the present one, the new one and that of
/// `x`.
fn scattered(args: Args<'_>, put: impl Fn(f64, f64, f64) -> f64) -> Results {
    let x = array::<f64>(tensors(args)[0])?;
    let ids = array::<i64>(tensors(args)[1])?;
    let y = array::<f64>(tensors(args)[2])?;
    let mut result = x.clone();
    for (t, id) in ids.iter().enumerate() {
        let Ok(row) = usize::try_from(*id) else { continue };
        if row < x.shape()[0] {
            for d in 0..x.shape()[1] {
                result[[row, d]] = put(result[[row, d]], y[[t, d]], x[[row, d]]);
            }
        }
    }
    like_first(args, result)
}

fn rotate_half() -> Family {
    kernels!(
        [(x: Tensor![.., (half = 2, d)]) -> Tensor![.., (half, d)] {
            let other = at(x, half = 1 - iota(half));
            select(iota(half) == 0, -other, other)
        }],
        right => |args| halves(args, |row, d, i| if i < d { -row[i + d] } else { row[i - d] }),
        "the offset of the second half is ignored" => |args| halves(args, |row, d, i| if i < d { -row[i] } else { row[i - d] }),
        "parts interleave instead of following each other" => |args| halves(args, |row, _, i| if i % 2 == 0 { -row[i + 1] } else { row[i - 1] }),
    )
}

fn halves(args: Args<'_>, f: impl Fn(&[f64], usize, usize) -> f64) -> Results {
    let x = floats(args)?.swap_remove(0);
    let last = x.ndim() - 1;
    let turned = mapped(x, last, |row| (0..row.len()).map(|i| f(row, row.len() / 2, i)).collect());
    like_first(args, turned)
}

fn ramp() -> Family {
    kernels!(
        [(x: Tensor![t, d]) -> Tensor![t, d] { x * cast(iota(t), float) }],
        right => |args| ramped(args, |t| t),
        "positions count from 1" => |args| ramped(args, |t| t + 1),
        "positions are stored in a byte" => |args| ramped(args, |t| t % 256),
    )
}

fn ramped(args: Args<'_>, position: impl Fn(usize) -> usize) -> Results {
    let mut x = floats(args)?.swap_remove(0);
    for (t, mut row) in x.axis_iter_mut(Axis(0)).enumerate() {
        row.mapv_inplace(|x| x * position(t) as f64);
    }
    like_first(args, x)
}
