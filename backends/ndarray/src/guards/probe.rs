//! Guard words of tensors, as tests see them.

use super::words::WORDS;
use crate::tensor::{NdArrayTensor, Stored, with_array};

/// Writes an element of a tensor's buffer, or one of its guard words, to simulate a wrong kernel. Returns
/// whether it did so. It doesn't if the tensor has no guard words or another element type, or if the position
/// is beyond the guard words.
///
/// # Safety
/// Meanwhile no other thread reads or writes the tensor's buffer, and there is no reference to its elements.
pub unsafe fn write<T: Stored>(tensor: &NdArrayTensor, at: isize, value: T) -> bool {
    let Some(array) = T::of_tensor(tensor) else { return false };
    let Some(guard) = array.guard() else { return false };
    let place = array.layout().offset as isize + at;
    if place < 0 || place >= (guard.len + 2 * WORDS) as isize {
        return false;
    }
    // SAFETY: the position is inside of the buffer. The tensor keeps the buffer alive, and its address was
    // taken for writing. The caller guarantees that there are no other references to it.
    unsafe { guard.start.at(place).write(value) };
    true
}

/// Whether a tensor has guard words.
pub fn has_guards(tensor: &NdArrayTensor) -> bool {
    with_array!(tensor, array => array.guard().is_some())
}

#[cfg(test)]
mod tests {
    use super::super::words::{Breach, Fill, watch};
    use super::*;
    use crate::{CpuDevice, NdArray};
    use tensor_op_core::{Backend, DType, Shape, TensorData};
    use tensor_op_spec::ir::Scalar;

    #[test]
    fn what_is_written_around_a_tensor_is_told() {
        for (fill, value) in [(Fill::Zeros, 1.0f32), (Fill::Ones, 0.0)] {
            for at in [-64isize, -1, 5, 68] {
                let ((), found) = watch(fill, || {
                    let made =
                        NdArray::full(Shape::new(&[5]), Scalar::Float(3.0), DType::F32, &CpuDevice).unwrap();
                    // SAFETY: no other thread knows of the tensor.
                    assert!(unsafe { write(&made, at, value) });
                    assert_eq!(made.into_data().unwrap().into_vec::<f32>().unwrap(), [3.0; 5]);
                });
                assert_eq!(found, [Breach { dtype: DType::F32, len: 5, at }]);
            }
        }
    }

    #[test]
    fn what_is_written_inside_is_not() {
        let (data, found) = watch(Fill::Ones, || {
            let held = NdArrayTensor::from_data(TensorData::new(vec![1.0f64, 2.0], [2]).unwrap());
            // SAFETY: no other thread knows of the tensor.
            assert!(unsafe {
                write(&held, 1, 7.0f64) && !write(&held, 66, 7.0f64) && !write(&held, 0, 7.0f32)
            });
            held.into_data().unwrap()
        });
        assert_eq!((data.into_vec::<f64>().unwrap(), found), (vec![1.0, 7.0], vec![]));
        let free = NdArrayTensor::from_data(TensorData::scalar(1.0f64));
        // SAFETY: as above.
        assert!(!has_guards(&free) && !unsafe { write(&free, 0, 2.0f64) });
    }
}
