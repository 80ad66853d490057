//! Windows as other libraries state them, by ops of the catalogue: with padding that differs before and
//! behind an axis, and with gaps in averages. For the exams of other libraries.

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

    /// The padding that both sides have, and what is left of each.
    fn even_padding(&self) -> (Vec<i64>, Vec<(i64, i64)>) {
        let even = |(before, behind): &(i64, i64)| (*before).min(*behind);
        let left = |sides: &(i64, i64)| (sides.0 - even(sides), sides.1 - even(sides));
        (self.padding.iter().map(even).collect(), self.padding.iter().map(left).collect())
    }
}

/// As an op takes it for so many axes.
pub(crate) fn list<const N: usize>(values: &[i64]) -> [usize; N] {
    std::array::from_fn(|axis| {
        usize::try_from(values[axis]).expect("the exams have no negative numbers here")
    })
}

/// Runs an op for the last axis along another axis.
pub(crate) fn on_last(x: &Tensor, axis: i64, op: impl Fn(Tensor) -> Result<Tensor>) -> Result<Tensor> {
    op(x.transpose(axis, -1)?)?.transpose(axis, -1)
}

/// Adds a bias, one number for each channel, to `[.., c, ..]` with so many axes behind the channels.
pub(crate) fn biased(y: Tensor, axes: usize, bias: Option<Tensor>) -> Result<Tensor> {
    let Some(bias) = bias else { return Ok(y) };
    let mut shape = vec![1; axes + 1];
    shape[0] = bias.elements();
    y + bias.reshape(shape)
}

/// Pads the axes after `lead` others.
pub(crate) fn padded(x: &Tensor, lead: usize, padding: &[(i64, i64)], value: f64) -> Result<Tensor> {
    let mut pairs = vec![(0, 0); x.rank() - lead - padding.len()];
    pairs.extend(padding.iter().rev());
    x.pad(pairs, None, value)
}

/// A convolution of `[.., c, ..]` with a weight of `[o, c, ..]`.
pub(crate) fn convolution(
    x: &Tensor,
    weight: &Tensor,
    bias: Option<Tensor>,
    windows: &Windows,
    groups: usize,
) -> Result<Tensor> {
    let Windows { kernel, stride, dilation, .. } = windows;
    let (even, left) = windows.even_padding();
    let x = padded(x, x.rank() - kernel.len(), &left, 0.0)?;
    match kernel.len() {
        1 => {
            conv1d(x, weight, bias, list::<1>(stride)[0], list::<1>(&even)[0], list::<1>(dilation)[0], groups)
        }
        2 => conv2d(x, weight, bias, list(stride), list(&even), list(dilation), groups),
        _ => conv3d(x, weight, bias, list(stride), list(&even), list(dilation), groups),
    }
}

/// A transposed convolution of `[.., c, ..]` with a weight of `[c, o, ..]`. Padding is what is cut off the
/// result; a negative number adds zeros.
pub(crate) fn transposed_convolution(
    x: &Tensor,
    weight: &Tensor,
    bias: Option<Tensor>,
    windows: &Windows,
    groups: usize,
) -> Result<Tensor> {
    let Windows { kernel, stride: s, padding, dilation: d, .. } = windows;
    let cut: Vec<i64> = padding.iter().map(|(before, _)| (*before).max(0)).collect();
    let more: Vec<i64> = padding.iter().zip(&cut).map(|((_, behind), cut)| (cut - behind).max(0)).collect();
    let (p, q) = (&cut, &more);
    let y = match kernel.len() {
        1 => {
            let [s, p, q, d] = [s, p, q, d].map(|values| list::<1>(values)[0]);
            conv_transpose1d(x, weight, None, s, p, q, groups, d)?
        }
        2 => conv_transpose2d(x, weight, None, list(s), list(p), list(q), groups, list(d))?,
        _ => conv_transpose3d(x, weight, None, list(s), list(p), list(q), groups, list(d))?,
    };
    let left =
        |((before, behind), (cut, more)): (&(i64, i64), (&i64, &i64))| (cut - before, cut - more - behind);
    let left: Vec<(i64, i64)> = padding.iter().zip(cut.iter().zip(&more)).map(left).collect();
    biased(padded(&y, y.rank() - kernel.len(), &left, 0.0)?, kernel.len(), bias)
}

/// The largest elements of windows over `[.., c, ..]`, and their positions in an image of one row.
pub(crate) fn max_pool(x: &Tensor, windows: &Windows) -> Result<(Tensor, Tensor)> {
    let Windows { kernel, stride: s, dilation: d, ceil, .. } = windows;
    let (even, left) = windows.even_padding();
    let lead = x.rank() - kernel.len();
    let wide = padded(x, lead, &left, f64::NEG_INFINITY)?;
    let (best, place) = match kernel.len() {
        1 => {
            let [k, s, p, d] = [kernel, s, &even, d].map(|values| list::<1>(values)[0]);
            max_pool1d_with_indices(&wide, k, s, p, d, *ceil)?
        }
        2 => max_pool2d_with_indices(&wide, list(kernel), list(s), list(&even), list(d), *ceil)?,
        _ => max_pool3d_with_indices(&wide, list(kernel), list(s), list(&even), list(d), *ceil)?,
    };
    if left.iter().all(|sides| *sides == (0, 0)) {
        return Ok((best, place));
    }
    let (mut rest, mut own, mut step) = (place, None, 1);
    for axis in (0..kernel.len()).rev() {
        let size = wide.shape()[lead + axis] as i64;
        let lines = (&rest / size)?;
        let along = (((rest - &lines * size)? - left[axis].0)? * step)?;
        own = Some(own.map_or_else(|| Ok(along.clone()), |own: Tensor| own + &along)?);
        rest = lines;
        step *= x.shape()[lead + axis] as i64;
    }
    Ok((best, own.expect("windows have axes")))
}

/// The means of windows over `[.., c, ..]`. What lies behind the padding does not count, and the padding
/// counts only if `is_padding_in`. A divisor that is not 0
/// takes the place of the number of elements.
pub(crate) fn avg_pool(x: &Tensor, windows: &Windows, is_padding_in: bool, divisor: i64) -> Result<Tensor> {
    let Windows { kernel, stride: s, ceil, .. } = windows;
    let (even, left) = windows.even_padding();
    if windows.dilation.iter().all(|step| *step == 1) && left.iter().all(|sides| *sides == (0, 0)) {
        return match kernel.len() {
            1 => {
                let [k, s, p] = [kernel, s, &even].map(|values| list::<1>(values)[0]);
                avg_pool1d(x, k, s, p, *ceil, is_padding_in)
            }
            2 => avg_pool2d(x, list(kernel), list(s), list(&even), *ceil, is_padding_in, divisor),
            _ => avg_pool3d(x, list(kernel), list(s), list(&even), *ceil, is_padding_in, divisor),
        };
    }
    let mut y = x.clone();
    for (axis, reach) in kernel.iter().enumerate() {
        let size = x.shape()[axis + 2] as i64;
        let (before, behind) = windows.padding[axis];
        let extra = windows.extra(axis, size).max(0);
        let sums = |x: Tensor, padding: (i64, i64)| {
            let mut shape = x.shape().to_vec();
            let last = shape.len() - 1;
            let lines = padded(&x.reshape([-1, 1, shape[last] as i64])?, 2, &[padding], 0.0)?;
            let weight = Tensor::ones([1, 1, *reach as usize], x.dtype(), &x.device())?;
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
        let counts = match is_padding_in {
            true => sums(ones(size + before + behind)?, (0, extra))?,
            false => sums(ones(size)?, (before, behind + extra))?,
        };
        y = on_last(&y, axis as i64 + 2, |x| sums(x, (before, behind + extra))? / &counts)?;
    }
    Ok(y)
}
