//! A call that moves elements, compared with where each element of its result comes from.

use super::values::{elements, points, same, scalar};
use super::{Function, Suite};
use crate::place::{Layout, place};
use tensor_op_core::{Backend, DType, DynTensor, Dynamic, Element, Result, Shape, TensorData, match_dtype};
use tensor_op_spec::ir::Scalar;

/// Where each element of a result comes from: its shape, and the source point of each of its points.
pub(super) type Origin<'f> = (Shape, Box<dyn Fn(&[usize]) -> Vec<usize> + 'f>);

/// A call that moves the elements of one tensor; `origin` says from where, for the shape of the tensor.
#[allow(clippy::too_many_arguments)]
pub(super) fn moved<'f>(
    suite: &mut Suite,
    what: Function,
    dtype: DType,
    sizes: &[usize],
    layout: Layout,
    detail: &str,
    call: impl FnOnce(DynTensor) -> Result<DynTensor>,
    origin: impl FnOnce(&Shape) -> Origin<'f>,
) {
    let device = suite.device;
    let shape = Shape::new(sizes);
    suite.check(what, dtype, format!("{shape} {detail} {layout:?}").replace("  ", " "), || {
        let data = elements(dtype, &shape, 1)?;
        let tensor = place(data.clone(), &device, layout)?;
        let given = tabulate(dtype, &shape, |point| scalar(&data, &seen(point, layout)))?;
        let kept = tensor.clone();
        let (result_shape, from) = origin(&shape);
        let expected = tabulate(dtype, &result_shape, |point| scalar(&given, &from(point)))?;
        let (found, kept) = (Dynamic::into_data(call(tensor)?)?, Dynamic::into_data(kept)?);
        Ok(same(&found, &expected).and_then(|()| same(&kept, &given)))
    });
}

/// The point whose element is seen at a point: stride 0 shows the first along the first axis.
fn seen(point: &[usize], layout: Layout) -> Vec<usize> {
    let mut point = point.to_vec();
    if layout == Layout::Broadcast {
        point.iter_mut().take(1).for_each(|first| *first = 0);
    }
    point
}

/// Elements by their points.
pub(super) fn tabulate(
    dtype: DType,
    shape: &Shape,
    at: impl FnMut(&[usize]) -> Scalar,
) -> Result<TensorData> {
    let values: Vec<Scalar> = points(shape).iter().map(Vec::as_slice).map(at).collect();
    match_dtype!(dtype, T => {
        TensorData::new(values.into_iter().map(T::from_scalar).collect(), shape.clone())
    })
}
