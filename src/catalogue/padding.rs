//! Padding in all modes of `torch.nn.functional.pad`, of floats, ints and bools. The constant is a whole
//! number beside ints, and 0 or 1 beside bools.
//!
//! [`pad()`] takes any number of axes. It calls the ops below it, which take one to three axes, and which
//! formulas may call. Their numbers of elements have PyTorch's order: before and behind the last axis, then
//! before and behind the axis before it. A negative number cuts elements off; the ops of mode `circular` take
//! none.
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use crate::{Error, ErrorKind, IntoNumber, IntoTensor, Number, Result, Tensor, tensor_op};

/// The tensor with more elements around its last axes. `pad` has a pair for each of them, from the last one
/// on: how many elements come before the axis, and how many behind it. A negative number cuts elements off.
/// `torch.nn.functional.pad`, which has the numbers of all pairs in one list.
///
/// `None` stands for the mode [`PadMode::Constant`] and the value 0. Any number of axes may be padded, in
/// each mode. PyTorch refuses a padding in the modes `reflect` and `circular` that is larger than the axis;
/// here the elements are mirrored again, or go around again.
///
/// ```
/// use tensor_op::catalogue::padding::{PadMode, pad};
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[1.0, 2.0, 3.0]]);
/// assert_eq!(pad(&x, [(1, -1)], None, 9)?.to_vec::<f64>()?, [9.0, 1.0, 2.0]);
/// assert_eq!(x.pad([(0, 0), (1, 0)], None, None)?.to_vec::<f64>()?, [0.0, 0.0, 0.0, 1.0, 2.0, 3.0]);
/// assert_eq!(x.pad([(2, 0)], PadMode::Reflect, None)?.to_vec::<f64>()?, [3.0, 2.0, 1.0, 2.0, 3.0]);
///
/// let error = x.pad([(0, -4)], None, None).unwrap_err();
/// assert_eq!(error.to_string(), "pad: axis 1 has size 3, and `pad` cuts 4 elements off it");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// There are more pairs than axes, more elements are cut off than there are, a mode other than the constant
/// one has a value, or the kind of the tensor does not hold the value. The other modes need an element of
/// each axis that they pad.
pub fn pad(
    input: impl IntoTensor,
    pad: impl AsRef<[(i64, i64)]>,
    mode: impl Into<Option<PadMode>>,
    value: impl IntoNumber<Option<Number>>,
) -> Result<Tensor> {
    let input = input.into_tensor()?;
    let (mode, value) = (mode.into().unwrap_or(PadMode::Constant), value.into_number());
    let run = || {
        if value.is_some() && mode != PadMode::Constant {
            let message = format!("the mode `{mode:?}` has no `value`: write `None`");
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        let pairs = checked(&input, pad.as_ref())?;
        padded(input, &pairs, mode, value)
    };
    run().map_err(|error| error.renamed("pad"))
}

impl Tensor {
    /// [`catalogue::padding::pad`](pad()) as a method.
    pub fn pad(
        &self,
        pad: impl AsRef<[(i64, i64)]>,
        mode: impl Into<Option<PadMode>>,
        value: impl IntoNumber<Option<Number>>,
    ) -> Result<Tensor> {
        self::pad(self, pad, mode, value)
    }
}

/// What stands around a tensor that is padded: the modes of `torch.nn.functional.pad`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PadMode {
    /// A constant.
    Constant,
    /// The elements, mirrored at the ends, which are not repeated.
    Reflect,
    /// The ends, repeated.
    Replicate,
    /// The elements, continued around.
    Circular,
}

/// The pairs without those at the end that change nothing, if no axis loses more than it has.
fn checked(input: &Tensor, pairs: &[(i64, i64)]) -> Result<Vec<(i64, i64)>> {
    let shape = input.shape();
    let rank = shape.rank();
    if pairs.len() > rank {
        let message = format!("`pad` has {} pairs, and the shape {shape} has {rank} axes", pairs.len());
        return Err(Error::new(ErrorKind::Rank, message));
    }
    for (place, (before, behind)) in pairs.iter().enumerate() {
        let (axis, cut) = (rank - 1 - place, |number: &i64| number.min(&0).unsigned_abs());
        let (size, cut) = (shape[axis], cut(before).saturating_add(cut(behind)));
        if cut > size as u64 {
            let message = format!("axis {axis} has size {size}, and `pad` cuts {cut} elements off it");
            return Err(Error::new(ErrorKind::Length, message));
        }
        let whole = before.checked_add(*behind).and_then(|added| added.checked_add(size as i64));
        if whole.is_none() {
            let message = format!("`pad` adds {before} and {behind} elements, more than can be counted");
            return Err(Error::new(ErrorKind::Overflow, message));
        }
    }
    let last = pairs.iter().rposition(|pair| *pair != (0, 0));
    Ok(pairs[..last.map_or(0, |last| last + 1)].to_vec())
}

/// Pads up to three axes by one op. Then the axes before them come to the end, for the next op.
fn padded(x: Tensor, pairs: &[(i64, i64)], mode: PadMode, value: Option<Number>) -> Result<Tensor> {
    let Some((last, rest)) = pairs.split_at_checked(3).filter(|(_, rest)| !rest.is_empty()) else {
        return match mode {
            PadMode::Constant => with_constant(x, pairs, value),
            PadMode::Reflect => reflected(x, pairs),
            PadMode::Replicate => replicated(x, pairs),
            PadMode::Circular => continued(x, pairs),
        };
    };
    let rank = x.rank() as i64;
    let turned = |by: i64| (0..rank).map(|axis| (axis + by) % rank).collect::<Vec<i64>>();
    let x = padded(x, last, mode, value)?.permute(turned(rank - 3))?;
    padded(x, rest, mode, value)?.permute(turned(3))
}

fn with_constant(x: Tensor, pairs: &[(i64, i64)], value: Option<Number>) -> Result<Tensor> {
    match *pairs {
        [(l, r)] => constant_pad1d(x, l, r, value),
        [(l, r), (t, b)] => constant_pad2d(x, l, r, t, b, value),
        [(l, r), (t, b), (f, k)] => constant_pad3d(x, l, r, t, b, f, k, value),
        _ => Ok(x),
    }
}

fn reflected(x: Tensor, pairs: &[(i64, i64)]) -> Result<Tensor> {
    match *pairs {
        [(l, r)] => reflection_pad1d(x, l, r),
        [(l, r), (t, b)] => reflection_pad2d(x, l, r, t, b),
        [(l, r), (t, b), (f, k)] => reflection_pad3d(x, l, r, t, b, f, k),
        _ => Ok(x),
    }
}

fn replicated(x: Tensor, pairs: &[(i64, i64)]) -> Result<Tensor> {
    match *pairs {
        [(l, r)] => replication_pad1d(x, l, r),
        [(l, r), (t, b)] => replication_pad2d(x, l, r, t, b),
        [(l, r), (t, b), (f, k)] => replication_pad3d(x, l, r, t, b, f, k),
        _ => Ok(x),
    }
}

/// Elements that are cut off are not repeated.
fn continued(mut x: Tensor, pairs: &[(i64, i64)]) -> Result<Tensor> {
    for (place, (before, behind)) in pairs.iter().enumerate() {
        let axis = x.rank() - 1 - place;
        let size = x.shape()[axis] as i64;
        x = x.slice(axis as i64, (-before).max(0)..size + behind.min(&0))?;
    }
    let added: Vec<(usize, usize)> =
        pairs.iter().map(|(l, r)| (*l.max(&0) as usize, *r.max(&0) as usize)).collect();
    match added[..] {
        [(l, r)] => circular_pad1d(x, l, r),
        [(l, r), (t, b)] => circular_pad2d(x, l, r, t, b),
        [(l, r), (t, b), (f, k)] => circular_pad3d(x, l, r, t, b, f, k),
        _ => Ok(x),
    }
}

/// A constant before and behind the last axis. `torch.nn.ConstantPad1d`.
#[tensor_op(burn = constant_pad1d_burn)]
pub fn constant_pad1d(
    input: AnyTensor![.., n],
    left: i64,
    right: i64,
    #[default(0)] value: Number,
) -> AnyTensor![.., l = n + left + right] {
    at(input, n = l - left, or = value)
}

/// A constant around the last two axes. `torch.nn.ConstantPad2d`.
#[tensor_op(burn = constant_pad2d_burn)]
pub fn constant_pad2d(
    input: AnyTensor![.., h, w],
    left: i64,
    right: i64,
    top: i64,
    bottom: i64,
    #[default(0)] value: Number,
) -> AnyTensor![.., oh = h + top + bottom, ow = w + left + right] {
    at(input, h = oh - top, w = ow - left, or = value)
}

/// A constant around the last three axes. `torch.nn.ConstantPad3d`.
#[tensor_op(burn = constant_pad3d_burn)]
pub fn constant_pad3d(
    input: AnyTensor![.., d, h, w],
    left: i64,
    right: i64,
    top: i64,
    bottom: i64,
    front: i64,
    back: i64,
    #[default(0)] value: Number,
) -> AnyTensor![.., od = d + front + back, oh = h + top + bottom, ow = w + left + right] {
    at(input, d = od - front, h = oh - top, w = ow - left, or = value)
}

/// The last axis, mirrored at the ends, which are not repeated.
/// `torch.nn.functional.pad` in mode `reflect`. PyTorch refuses a padding that is
/// as large as the axis; here it is mirrored again.
///
/// ```
/// use tensor_op::catalogue::padding::reflection_pad1d;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![1.0, 2.0, 3.0], [3], &Device::default())?;
/// assert_eq!(reflection_pad1d(&x, 2, 1)?.to_vec::<f64>()?, [3.0, 2.0, 1.0, 2.0, 3.0, 2.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(burn = reflection_pad1d_burn)]
pub fn reflection_pad1d(
    input: AnyTensor![.., n],
    left: i64,
    right: i64,
) -> AnyTensor![.., l = n + left + right] {
    at(input, n = reflect(l - left))
}

/// The last two axes, mirrored at the ends, which are not repeated.
/// `torch.nn.functional.pad` in mode `reflect`. PyTorch refuses a padding that is
/// as large as the axis; here it is mirrored again.
#[tensor_op(burn = reflection_pad2d_burn)]
pub fn reflection_pad2d(
    input: AnyTensor![.., h, w],
    left: i64,
    right: i64,
    top: i64,
    bottom: i64,
) -> AnyTensor![.., oh = h + top + bottom, ow = w + left + right] {
    at(input, h = reflect(oh - top), w = reflect(ow - left))
}

/// The last three axes, mirrored at the ends, which are not repeated.
/// `torch.nn.functional.pad` in mode `reflect`. PyTorch refuses a padding that is
/// as large as the axis; here it is mirrored again.
#[tensor_op(burn = reflection_pad3d_burn)]
pub fn reflection_pad3d(
    input: AnyTensor![.., d, h, w],
    left: i64,
    right: i64,
    top: i64,
    bottom: i64,
    front: i64,
    back: i64,
) -> AnyTensor![.., od = d + front + back, oh = h + top + bottom, ow = w + left + right] {
    at(input, d = reflect(od - front), h = reflect(oh - top), w = reflect(ow - left))
}

/// The ends of the last axis, repeated. `torch.nn.functional.pad` in mode `replicate`.
///
/// ```
/// use tensor_op::catalogue::padding::replication_pad1d;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![1.0, 2.0], [2], &Device::default())?;
/// assert_eq!(replication_pad1d(&x, 2, 1)?.to_vec::<f64>()?, [1.0, 1.0, 1.0, 2.0, 2.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(burn = replication_pad1d_burn)]
pub fn replication_pad1d(
    input: AnyTensor![.., n],
    left: i64,
    right: i64,
) -> AnyTensor![.., l = n + left + right] {
    at(input, n = clamp(l - left))
}

/// The ends of the last two axes, repeated. `torch.nn.functional.pad` in mode `replicate`.
#[tensor_op(burn = replication_pad2d_burn)]
pub fn replication_pad2d(
    input: AnyTensor![.., h, w],
    left: i64,
    right: i64,
    top: i64,
    bottom: i64,
) -> AnyTensor![.., oh = h + top + bottom, ow = w + left + right] {
    at(input, h = clamp(oh - top), w = clamp(ow - left))
}

/// The ends of the last three axes, repeated. `torch.nn.functional.pad` in mode `replicate`.
#[tensor_op(burn = replication_pad3d_burn)]
pub fn replication_pad3d(
    input: AnyTensor![.., d, h, w],
    left: i64,
    right: i64,
    top: i64,
    bottom: i64,
    front: i64,
    back: i64,
) -> AnyTensor![.., od = d + front + back, oh = h + top + bottom, ow = w + left + right] {
    at(input, d = clamp(od - front), h = clamp(oh - top), w = clamp(ow - left))
}

/// The last axis, continued around. `torch.nn.functional.pad` in mode `circular`. PyTorch
/// refuses a padding that is larger than the axis; here it goes around again.
///
/// ```
/// use tensor_op::catalogue::padding::circular_pad1d;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![1.0, 2.0], [2], &Device::default())?;
/// assert_eq!(circular_pad1d(&x, 1, 2)?.to_vec::<f64>()?, [2.0, 1.0, 2.0, 1.0, 2.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(burn = circular_pad1d_burn)]
pub fn circular_pad1d(
    input: AnyTensor![.., n],
    left: usize,
    right: usize,
) -> AnyTensor![.., l = n + left + right] {
    at(input, n = wrap(l - left))
}

/// The last two axes, continued around. `torch.nn.functional.pad` in mode `circular`. PyTorch
/// refuses a padding that is larger than the axis; here it goes around again.
#[tensor_op(burn = circular_pad2d_burn)]
pub fn circular_pad2d(
    input: AnyTensor![.., h, w],
    left: usize,
    right: usize,
    top: usize,
    bottom: usize,
) -> AnyTensor![.., oh = h + top + bottom, ow = w + left + right] {
    at(input, h = wrap(oh - top), w = wrap(ow - left))
}

/// The last three axes, continued around. `torch.nn.functional.pad` in mode `circular`. PyTorch
/// refuses a padding that is larger than the axis; here it goes around again.
#[tensor_op(burn = circular_pad3d_burn)]
pub fn circular_pad3d(
    input: AnyTensor![.., d, h, w],
    left: usize,
    right: usize,
    top: usize,
    bottom: usize,
    front: usize,
    back: usize,
) -> AnyTensor![.., od = d + front + back, oh = h + top + bottom, ow = w + left + right] {
    at(input, d = wrap(od - front), h = wrap(oh - top), w = wrap(ow - left))
}
