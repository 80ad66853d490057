//! Maxima of windows whose places are drawn: fractional max-pooling.
//!
//! Source: Graham, Fractional Max-Pooling, 2014 (arXiv 1412.6071).

use crate::tensor_op;

/// Where the `count` windows of an axis start. They are spread over it evenly, moved by the draw, and the
/// last one ends with the axis.
#[tensor_op(tests = false)]
pub(crate) fn fractional_starts(
    draw: Tensor![..],
    size: f64,
    window: f64,
    count: usize,
) -> IntTensor![.., count] {
    let step = (size - window) / (cast(count, float) - 1.0);
    let place = cast(iota(count), float);
    let start = floor((place + draw) * step) - floor(draw * step);
    cast(select(place == cast(count, float) - 1.0, size - window, start), int)
}

/// The largest element of each of `oh` by `ow` windows of size `kh` by `kw`, whose places are drawn.
/// `samples` has two draws from 0 to 1 for each image and channel: one for the columns, one for the rows.
/// `torch.nn.functional.fractional_max_pool2d` with `output_size`, which makes the draws itself if there are
/// none. Windows repeat where there are more of them than places, which PyTorch refuses.
///
/// ```
/// use tensor_op::catalogue::pooling::fractional_max_pool2d;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let device = Device::default();
/// let x = Tensor::arange(0.0, 25.0, 1.0, &device)?.reshape([1, 1, 5, 5])?;
/// let samples = Tensor::from([[[0.5, 0.9]]]);
/// let y = fractional_max_pool2d(&x, samples, 2, 3)?;
/// assert_eq!(y.to_vec::<f64>()?, [6.0, 8.0, 9.0, 11.0, 13.0, 14.0, 21.0, 23.0, 24.0]);
/// # Ok(())
/// # }
/// ```
// Where windows start jumps with a draw, so that random ones have no bound: tests have PyTorch's values.
#[tensor_op(method(inherent), burn = fractional_max_pool2d_burn, tests(skip = (forward, shapes, special_values, views)))]
pub fn fractional_max_pool2d(
    input: Tensor![b, c, h, w],
    #[no_grad] samples: Tensor![b, c, axis = 2],
    kernel_size @ [kh, kw]: [usize; 2],
    output_size @ [oh, ow]: [usize; 2],
) -> Tensor![b, c, oh, ow] {
    let column =
        self::fractional_starts(at(samples, axis = 0), cast(len(w), float), cast(kw, float), ow, count = ow);
    let row =
        self::fractional_starts(at(samples, axis = 1), cast(len(h), float), cast(kh, float), oh, count = oh);
    max(at(input, h = row + iota(kh), w = column + iota(kw)), (kh, kw))
}

/// The largest element of each of `od` by `oh` by `ow` windows of size `kd` by `kh` by `kw`, whose places are
/// drawn. `samples` has three draws from 0 to 1 for each volume and channel: for planes, rows and columns.
/// `torch.nn.functional.fractional_max_pool3d` with `output_size`.
// Where windows start jumps with a draw, so that random ones have no bound: tests have PyTorch's values.
#[tensor_op(method(inherent), burn = fractional_max_pool3d_burn, tests(skip = (forward, shapes, special_values, views)))]
pub fn fractional_max_pool3d(
    input: Tensor![b, c, d, h, w],
    #[no_grad] samples: Tensor![b, c, axis = 3],
    kernel_size @ [kd, kh, kw]: [usize; 3],
    output_size @ [od, oh, ow]: [usize; 3],
) -> Tensor![b, c, od, oh, ow] {
    let plane =
        self::fractional_starts(at(samples, axis = 0), cast(len(d), float), cast(kd, float), od, count = od);
    let row =
        self::fractional_starts(at(samples, axis = 1), cast(len(h), float), cast(kh, float), oh, count = oh);
    let column =
        self::fractional_starts(at(samples, axis = 2), cast(len(w), float), cast(kw, float), ow, count = ow);
    max(at(input, d = plane + iota(kd), h = row + iota(kh), w = column + iota(kw)), (kd, kh, kw))
}
