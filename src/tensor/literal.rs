//! Tensors of numbers that are written in code: `Tensor::from([[1.0, 2.0], [3.0, 4.0]])`.

use super::Tensor;
use crate::{Device, Element, TensorData};
use tensor_op_core::{bf16, f16};

/// What the arrays that [`Tensor::from`] takes are made of: elements, or arrays of them, of one length each.
/// A number alone is no array: [`Tensor::scalar`] takes it.
pub trait Nested {
    /// The type of the elements.
    type Element: Element;

    /// Adds the sizes of the axes, outermost first.
    fn add_sizes(sizes: &mut Vec<usize>);
    /// Adds the elements, row-major.
    fn add_elements(self, elements: &mut Vec<Self::Element>);
}

macro_rules! elements {
    ($($element:ty),*) => {$(
        impl Nested for $element {
            type Element = $element;
            fn add_sizes(_: &mut Vec<usize>) {}
            fn add_elements(self, elements: &mut Vec<$element>) {
                elements.push(self);
            }
        }
    )*};
}
elements!(f64, f32, f16, bf16, i64, i32, u32, u8, bool);

impl<T: Nested, const N: usize> Nested for [T; N] {
    type Element = T::Element;
    fn add_sizes(sizes: &mut Vec<usize>) {
        sizes.push(N);
        T::add_sizes(sizes);
    }
    fn add_elements(self, elements: &mut Vec<T::Element>) {
        self.into_iter().for_each(|part| part.add_elements(elements));
    }
}

impl<T: Nested, const N: usize> From<[T; N]> for Tensor {
    /// A tensor on the default device, with an axis for each level of the arrays. The dtype is the type of
    /// the elements, so a literal without a suffix is an f64 or an i32.
    ///
    /// ```
    /// use tensor_op::prelude::*;
    ///
    /// let x = Tensor::from([[1f32, 2.0], [3.0, 4.0]]);
    /// assert_eq!((x.shape().to_vec(), x.dtype()), (vec![2, 2], DType::F32));
    /// assert_eq!(Tensor::from([true, false]).to_vec::<bool>()?, [true, false]);
    /// # Ok::<(), tensor_op::Error>(())
    /// ```
    fn from(array: [T; N]) -> Tensor {
        let (mut sizes, mut elements) = (Vec::new(), Vec::new());
        <[T; N]>::add_sizes(&mut sizes);
        array.add_elements(&mut elements);
        let data = TensorData::new(elements, sizes).expect("an array has as many elements as its sizes say");
        Tensor::from_data(data, &Device::default()).expect("the default device holds all dtypes")
    }
}
