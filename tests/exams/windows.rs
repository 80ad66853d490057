//! Windows whose numbers differ from axis to axis, out of ops of the catalogue, which take one number for all
//! axes. For the exams of other libraries.

use tensor_op::catalogue::convolution::{
    conv_transpose1d, conv_transpose2d, conv_transpose3d, conv1d, conv2d, conv3d,
};
use tensor_op::catalogue::pooling::{
    avg_pool1d, avg_pool2d, avg_pool3d, max_pool1d_with_indices, max_pool2d_with_indices,
    max_pool3d_with_indices,
};
use tensor_op::prelude::*;

/// The numbers of windows, for each axis.
#[derive(Clone, Debug)]
pub(crate) struct Windows {
    pub(crate) kernel: Vec<i64>,
    pub(crate) stride: Vec<i64>,
    /// Before and behind the axis.
    pub(crate) padding: Vec<(i64, i64)>,
    pub(crate) dilation: Vec<i64>,
    /// Whether a last window may end behind the padding.
    pub(crate) ceil: bool,
}

impl Windows {
    fn reach(&self, axis: usize) -> i64 {
        self.dilation[axis] * (self.kernel[axis] - 1) + 1
    }

    /// How many elements the windows need behind the padding. The last window may begin in the axis or in the
    /// padding before it, but not behind it.
    fn extra(&self, axis: usize, size: i64) -> i64 {
        let (stride, (before, behind)) = (self.stride[axis], self.padding[axis]);
        let span = size + before + behind - self.reach(axis);
        let mut last = (span + if self.ceil { stride - 1 } else { 0 }).div_euclid(stride);
        if self.ceil && last * stride >= size + before {
            last -= 1;
        }
        last * stride - span
    }

    /// Stride, padding and dilation, if they are the same for all axes of these sizes.
    fn shared(&self, sizes: &[usize]) -> Option<(usize, usize, usize)> {
        let (before, behind) = shared(&self.padding)?;
        let has_extra = (0..sizes.len()).any(|axis| self.extra(axis, sizes[axis] as i64) > 0);
        let size = |value: i64| usize::try_from(value).ok();
        (before == behind && !has_extra).then_some((
            size(*shared(&self.stride)?)?,
            size(*before)?,
            size(*shared(&self.dilation)?)?,
        ))
    }

    fn kernel(&self, axis: usize) -> usize {
        self.kernel[axis] as usize
    }
}

/// The value that all have.
fn shared<T: PartialEq>(values: &[T]) -> Option<&T> {
    values.first().filter(|first| values.iter().all(|value| value == *first))
}

/// Runs an op for the last axis along another axis.
pub(crate) fn on_last(x: &Tensor, axis: i64, op: impl Fn(Tensor) -> Result<Tensor>) -> Result<Tensor> {
    op(x.transpose(axis, -1)?)?.transpose(axis, -1)
}

/// Adds a bias, one number for each channel, to `[b, c, ..]`.
pub(crate) fn biased(y: Tensor, bias: Option<Tensor>) -> Result<Tensor> {
    let Some(bias) = bias else { return Ok(y) };
    let mut shape = vec![1; y.rank() - 1];
    shape[0] = bias.elements();
    y + bias.reshape(shape)
}

/// Pads the axes after `lead` others.
pub(crate) fn padded(x: &Tensor, lead: usize, padding: &[(i64, i64)], value: f64) -> Result<Tensor> {
    let mut pairs = vec![(0, 0); x.rank() - lead - padding.len()];
    pairs.extend(padding.iter().rev());
    x.pad(pairs, None, value)
}

/// Keeps each element at a multiple of the stride, along the axes after `lead` others.
pub(crate) fn strided(x: &Tensor, lead: usize, strides: &[i64]) -> Result<Tensor> {
    let along =
        |x: Tensor, (axis, stride): (usize, &i64)| x.slice_step((lead + axis) as i64, .., *stride as usize);
    strides.iter().enumerate().try_fold(x.clone(), along)
}

/// Puts zeros between the elements of the axes after two others, so that neighbours have these distances.
fn spaced(x: &Tensor, distances: &[i64]) -> Result<Tensor> {
    distances.iter().enumerate().filter(|(_, distance)| **distance > 1).try_fold(
        x.clone(),
        |x, (axis, distance)| {
            let (axis, mut shape) = (axis + 2, x.shape());
            let apart = x.unsqueeze(axis as i64 + 1)?;
            let apart = on_last(&apart, axis as i64 + 1, |x| x.pad([(0, distance - 1)], None, None))?;
            shape[axis] *= *distance as usize;
            let whole = shape[axis] as i64;
            apart.reshape(shape)?.slice(axis as i64, ..(whole - distance + 1).max(0))
        },
    )
}

fn spread(weight: &Tensor, windows: &Windows) -> Result<Tensor> {
    spaced(weight, &windows.dilation)
}

/// A convolution of `[b, c, ..]` with a weight of `[o, c, ..]`.
pub(crate) fn convolution(x: &Tensor, weight: &Tensor, windows: &Windows, groups: usize) -> Result<Tensor> {
    let op = |x: &Tensor, weight: &Tensor, (stride, padding, dilation)| match windows.kernel.len() {
        1 => conv1d(x, weight, None, stride, padding, dilation, groups),
        2 => conv2d(x, weight, None, stride, padding, dilation, groups),
        _ => conv3d(x, weight, None, stride, padding, dilation, groups),
    };
    if let Some(shared) = windows.shared(&x.shape()[2..]) {
        return op(x, weight, shared);
    }
    let x = padded(x, 2, &windows.padding, 0.0)?;
    strided(&op(&x, &spread(weight, windows)?, (1, 0, 1))?, 2, &windows.stride)
}

/// A transposed convolution of `[b, c, ..]` with a weight of `[c, o, ..]`. Padding is what is cut off the
/// result; a negative number adds zeros.
pub(crate) fn transposed_convolution(
    x: &Tensor,
    weight: &Tensor,
    windows: &Windows,
    groups: usize,
) -> Result<Tensor> {
    type Numbers = (usize, usize, usize, usize);
    let op = |x: &Tensor, weight: &Tensor, (stride, padding, output, dilation): Numbers| match windows
        .kernel
        .len()
    {
        1 => conv_transpose1d(x, weight, None, stride, padding, output, groups, dilation),
        2 => conv_transpose2d(x, weight, None, stride, padding, output, groups, dilation),
        _ => conv_transpose3d(x, weight, None, stride, padding, output, groups, dilation),
    };
    let numbers = || {
        let (before, behind) = shared(&windows.padding)?;
        let size = |value: i64| usize::try_from(value).ok();
        let (stride, dilation) = (shared(&windows.stride)?, shared(&windows.dilation)?);
        Some((size(*stride)?, size(*before)?, size(before - behind)?, size(*dilation)?))
    };
    if let Some(numbers) = numbers() {
        return op(x, weight, numbers);
    }
    let whole = op(&spaced(x, &windows.stride)?, &spread(weight, windows)?, (1, 0, 0, 1))?;
    let cut: Vec<(i64, i64)> = windows.padding.iter().map(|(before, behind)| (-before, -behind)).collect();
    padded(&whole, 2, &cut, 0.0)
}

#[tensor_op(tests = false)]
fn read_along(x: IntTensor![.., n, w], ids: IntTensor![.., m, w]) -> IntTensor![.., m, w] {
    at(x, n = ids)
}

/// The largest elements of windows over `[b, c, ..]`, and their positions in an image of one row.
pub(crate) fn max_pool(x: &Tensor, windows: &Windows) -> Result<(Tensor, Tensor)> {
    let k = |axis| windows.kernel(axis);
    if let Some((s, p, d)) = windows.shared(&x.shape()[2..]) {
        return match windows.kernel.len() {
            1 => max_pool1d_with_indices(x, k(0), s, p, d),
            2 => max_pool2d_with_indices(x, k(0), k(1), s, p, d),
            _ => max_pool3d_with_indices(x, k(0), k(1), k(2), s, p, d),
        };
    }
    let mut found: Option<(Tensor, i64)> = None;
    let mut y = x.clone();
    for axis in (0..windows.kernel.len()).rev() {
        let size = x.shape()[axis + 2] as i64;
        let (before, behind) = windows.padding[axis];
        let place = axis as i64 + 2;
        let padding = (before, behind + windows.extra(axis, size).max(0));
        let last = padded(&y.transpose(place, -1)?, x.rank() - 1, &[padding], f64::NEG_INFINITY)?;
        let mut shape = last.shape().to_vec();
        let line = last.reshape([1, -1, shape[x.rank() - 1] as i64])?;
        let (stride, dilation) = (windows.stride[axis] as usize, windows.dilation[axis] as usize);
        let (best, at) = max_pool1d_with_indices(line, k(axis), stride, 0, dilation)?;
        shape[x.rank() - 1] = best.shape()[2];
        y = best.reshape(shape.clone())?.transpose(place, -1)?;
        let at = (at.reshape(shape)?.transpose(place, -1)? - before)?;
        found = Some(match found {
            None => (at, size),
            // The positions along the axes behind, at the best place of this axis.
            Some((behind, step)) => {
                let (rows, ids) = (behind.transpose(place, -2)?, at.transpose(place, -2)?);
                let behind = read_along(rows, ids)?.transpose(place, -2)?;
                ((at * step + behind)?, step * size)
            }
        });
    }
    Ok((y, found.expect("windows have axes").0))
}

/// The means of windows over `[b, c, ..]`. What lies behind the padding does not count, and the padding
/// counts only if `is_padding_in`. A divisor takes the place of the number of elements.
pub(crate) fn avg_pool(
    x: &Tensor,
    windows: &Windows,
    is_padding_in: bool,
    divisor: Option<f64>,
) -> Result<Tensor> {
    let k = |axis| windows.kernel(axis);
    if let (Some((s, p, 1)), None) = (windows.shared(&x.shape()[2..]), divisor) {
        return match windows.kernel.len() {
            1 => avg_pool1d(x, k(0), s, p, is_padding_in),
            2 => avg_pool2d(x, k(0), k(1), s, p, is_padding_in),
            _ => avg_pool3d(x, k(0), k(1), k(2), s, p, is_padding_in),
        };
    }
    let mut y = x.clone();
    for axis in 0..windows.kernel.len() {
        let size = x.shape()[axis + 2] as i64;
        let (before, behind) = windows.padding[axis];
        let extra = windows.extra(axis, size).max(0);
        let sums = |x: Tensor, padding: (i64, i64)| {
            let mut shape = x.shape().to_vec();
            let last = shape.len() - 1;
            let lines = padded(&x.reshape([-1, 1, shape[last] as i64])?, 2, &[padding], 0.0)?;
            let weight = Tensor::ones([1, 1, k(axis)], x.dtype(), &x.device())?;
            let found = conv1d(
                lines,
                weight,
                None,
                windows.stride[axis] as usize,
                0,
                windows.dilation[axis] as usize,
                1,
            )?;
            shape[last] = found.shape()[2];
            found.reshape(shape)
        };
        let ones = |size: i64| Tensor::ones([size as usize], x.dtype(), &x.device());
        let counts = match (divisor, is_padding_in) {
            (Some(_), _) => None,
            (None, true) => Some(sums(ones(size + before + behind)?, (0, extra))?),
            (None, false) => Some(sums(ones(size)?, (before, behind + extra))?),
        };
        y = on_last(&y, axis as i64 + 2, |x| {
            let sums = sums(x, (before, behind + extra))?;
            counts.as_ref().map_or_else(|| Ok(sums.clone()), |counts| sums.clone() / counts)
        })?;
    }
    divisor.map_or_else(|| Ok(y.clone()), |divisor| y.clone() / divisor)
}
