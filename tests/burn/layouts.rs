//! Tensors of one shape in any layout.

use crate::burn::Tensor;
use crate::burn::tensor::{Device, TensorData};

/// How the elements lie in their buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Layout {
    Contiguous,
    Transposed,
    Sliced,
    Stepped,
    Flipped,
    RowRepeated,
    ColumnRepeated,
}

impl Layout {
    pub(crate) const ALL: [Layout; 7] = [
        Layout::Contiguous,
        Layout::Transposed,
        Layout::Sliced,
        Layout::Stepped,
        Layout::Flipped,
        Layout::RowRepeated,
        Layout::ColumnRepeated,
    ];

    /// The sizes of the tensor from which a view of this shape is taken.
    pub(crate) fn base(self, [m, n]: [usize; 2]) -> [usize; 2] {
        match self {
            Layout::Contiguous | Layout::Flipped => [m, n],
            Layout::Transposed => [n, m],
            Layout::Sliced => [m + 2, n + 3],
            Layout::Stepped => [m, 2 * n],
            Layout::RowRepeated => [1, n],
            Layout::ColumnRepeated => [m, 1],
        }
    }

    /// Takes the view of this shape.
    pub(crate) fn view(self, base: Tensor<2>, [m, n]: [usize; 2]) -> Tensor<2> {
        match self {
            Layout::Contiguous => base,
            Layout::Transposed => base.swap_dims(0, 1),
            Layout::Sliced => base.slice([1..m + 1, 2..n + 2]),
            Layout::Stepped => base.slice(crate::burn::tensor::s![.., ..;2]),
            Layout::Flipped => base.flip([0, 1]),
            Layout::RowRepeated | Layout::ColumnRepeated => base.expand([m, n]),
        }
    }
}

/// Values between -2 and 2. The same seed gives the same values.
pub(crate) fn values(shape: [usize; 2], seed: u64) -> TensorData {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1_u64 << 24) as f64 * 4.0 - 2.0
    };
    TensorData::new((0..shape[0] * shape[1]).map(|_| next()).collect::<Vec<f64>>(), shape)
}

/// The values in f64 on a device.
pub(crate) fn tensor(data: &TensorData, device: &Device) -> Tensor<2> {
    Tensor::from_data(data.clone(), (device, crate::burn::tensor::DType::F64))
}
