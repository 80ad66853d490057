//! Conversion from and to ndarray arrays, without a copy if strides allow it.

use crate::array::Array;
use crate::layout::Layout;
use crate::tensor::{NdArrayTensor, Stored};
use ndarray::{ArrayD, ArrayViewD, Axis, IxDyn, ShapeBuilder};
use tensor_op_core::{Result, Shape};

impl<T: Stored> From<ArrayD<T>> for NdArrayTensor {
    /// Never copies: the tensor takes over the buffer with its strides.
    fn from(array: ArrayD<T>) -> NdArrayTensor {
        let shape = Shape::new(array.shape());
        let strides = array.strides().into();
        let (data, offset) = array.into_raw_vec_and_offset();
        T::into_tensor(Array::from_parts(data, Layout { shape, strides, offset: offset.unwrap_or(0) }))
    }
}

impl NdArrayTensor {
    /// The elements as an ndarray view; an `Err` if they are of another type.
    pub fn view<T: Stored>(&self) -> Result<ArrayViewD<'_, T>> {
        self.array::<T>().map(view)
    }

    /// The elements as an ndarray array. An `Err` if they are of another type. They are not copied if no
    /// other tensor shares the buffer and it holds exactly these elements, in any order of axes.
    pub fn into_ndarray<T: Stored>(self) -> Result<ArrayD<T>> {
        let array = self.into_array::<T>()?;
        if !array.layout().is_dense() || array.layout().bounds().is_none_or(|(low, _)| low != 0) {
            return copied(&array);
        }
        match array.into_parts() {
            Ok((data, layout)) => Ok(owned(data, &layout)),
            Err(shared) => copied(&shared),
        }
    }
}

fn copied<T: Stored>(array: &Array<T>) -> Result<ArrayD<T>> {
    let copy = ArrayD::from_shape_vec(IxDyn(array.shape()), array.to_vec()?);
    Ok(copy.expect("a copy has as many elements as its shape says"))
}

/// An array over a whole buffer. Its layout is dense and starts at the first element of the buffer.
fn owned<T: Stored>(mut data: Vec<T>, layout: &Layout) -> ArrayD<T> {
    data.truncate(layout.len());
    // The axes from the largest stride to the smallest are row-major. Permuting them back costs nothing.
    let mut order: Vec<usize> = (0..layout.shape.len()).collect();
    order.sort_by_key(|&axis| (std::cmp::Reverse(layout.strides[axis]), layout.shape[axis] == 1));
    let sizes: Vec<usize> = order.iter().map(|&axis| layout.shape[axis]).collect();
    let mut back = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, &axis)| back[axis] = place);
    let row_major = ArrayD::from_shape_vec(IxDyn(&sizes), data)
        .expect("a dense layout has as many elements as its buffer");
    row_major.permuted_axes(IxDyn(&back))
}

pub(crate) fn view<T: Stored>(array: &Array<T>) -> ArrayViewD<'_, T> {
    let layout = array.layout();
    let Some((low, _)) = layout.bounds() else {
        return ArrayViewD::from_shape(IxDyn(&layout.shape), &[])
            .expect("a shape without elements fits an empty slice");
    };
    // ndarray takes no negative strides here, so axes that go backwards are reversed afterwards.
    let first = array.as_ptr().wrapping_offset(low as isize - layout.offset as isize);
    let strides: Vec<usize> = layout.strides.iter().map(|stride| stride.unsigned_abs()).collect();
    let shape = IxDyn(&layout.shape).strides(IxDyn(&strides));
    // SAFETY: the layout was checked to stay inside the buffer, which the view borrows. `first` is the lowest
    // address of the layout.
    let mut view = unsafe { ArrayViewD::from_shape_ptr(shape, first) };
    for (axis, &stride) in layout.strides.iter().enumerate() {
        if stride < 0 {
            view.invert_axis(Axis(axis));
        }
    }
    view
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array as NdArray, s};

    fn sample() -> ArrayD<i64> {
        NdArray::from_shape_vec((2, 3, 4), (0..24).collect()).unwrap().into_dyn()
    }

    #[test]
    fn any_view_survives_the_way_there_and_back() {
        let base = sample();
        let mut turned = base.clone();
        turned.invert_axis(Axis(1));
        let parts = base.clone().slice_move(s![1.., ..;2, 1..3]).into_dyn();
        let empty = base.clone().slice_move(s![.., 0..0, ..]).into_dyn();
        let transposed = base.clone().permuted_axes(IxDyn(&[2, 0, 1]));
        for array in [base, turned, parts, empty, transposed] {
            let tensor = NdArrayTensor::from(array.clone());
            assert_eq!(tensor.view::<i64>().unwrap(), array);
            assert_eq!(
                tensor.clone().into_data().unwrap().into_vec::<i64>().unwrap(),
                array.iter().copied().collect::<Vec<_>>()
            );
            assert_eq!(tensor.into_ndarray::<i64>().unwrap(), array);
        }
    }

    #[test]
    fn a_whole_buffer_moves_without_a_copy() {
        for axes in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
            let array = sample().permuted_axes(IxDyn(&axes));
            let address = array.as_ptr();
            let tensor = NdArrayTensor::from(array);
            assert_eq!(tensor.into_ndarray::<i64>().unwrap().as_ptr(), address);
        }
        let tensor = NdArrayTensor::from(sample());
        let (other, address) = (tensor.clone(), tensor.view::<i64>().unwrap().as_ptr());
        assert_ne!(other.into_ndarray::<i64>().unwrap().as_ptr(), address);
    }

    #[test]
    fn another_type_is_an_error() {
        let message = NdArrayTensor::from(sample()).view::<f32>().unwrap_err().to_string();
        assert_eq!(message, "the tensor is i64, not f32; cast it first");
    }
}
