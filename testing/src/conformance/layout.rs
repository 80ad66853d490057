//! One tensor in several layouts: what a kernel must read right however its elements lie in memory.

use std::fmt;
use tensor_op_core::{Backend, Result, Shape, TensorData};
use tensor_op_spec::ir::{Kind, Scalar};

/// How the elements of a tensor lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Row-major.
    Contiguous,
    /// The last axis first.
    Transposed,
    /// Every other element of a larger tensor, from the second on.
    Sliced,
    /// Stride 0 along the first axis: all its elements are the first.
    Broadcast,
}

impl Layout {
    /// Every layout.
    pub const ALL: [Layout; 4] = [Layout::Contiguous, Layout::Transposed, Layout::Sliced, Layout::Broadcast];
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Layout::Contiguous => "contiguous",
            Layout::Transposed => "transposed",
            Layout::Sliced => "sliced",
            Layout::Broadcast => "broadcast",
        })
    }
}

/// The data on a device in a layout. Of a broadcast tensor only the first elements along the first axis are taken.
pub fn place<B: Backend>(data: &TensorData, layout: Layout, device: &B::Device) -> Result<B::Tensor> {
    let shape = data.shape().clone();
    let tensor = B::from_data(data.clone(), device)?;
    if shape.rank() == 0 || shape.contains(&0) {
        return Ok(tensor);
    }
    match layout {
        Layout::Contiguous => Ok(tensor),
        Layout::Transposed => {
            let last_first: Vec<usize> = (0..shape.rank()).rev().collect();
            let turned = B::into_data(B::permute(tensor, &last_first)?)?;
            B::permute(B::from_data(turned, device)?, &last_first)
        }
        Layout::Sliced => {
            let doubled: Shape = shape.iter().map(|size| size * 2 + 1).collect();
            let ranges: Vec<(usize, usize, usize)> = shape.iter().map(|size| (1, size * 2, 2)).collect();
            let larger = B::full(doubled, zero(data.dtype().kind()), data.dtype(), device)?;
            B::slice(B::slice_assign(larger, &ranges, tensor)?, &ranges)
        }
        Layout::Broadcast => {
            let mut ranges: Vec<(usize, usize, usize)> = shape.iter().map(|size| (0, *size, 1)).collect();
            ranges[0] = (0, 1, 1);
            B::expand(B::slice(tensor, &ranges)?, shape)
        }
    }
}

fn zero(kind: Kind) -> Scalar {
    Scalar::Int(0).cast(kind)
}
