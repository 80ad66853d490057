//! What a kernel takes that is written by hand in CubeCL (`#[kernel(cube = path)]`): the client of a device,
//! and tensors as arguments of a launch.

use crate::backend::AnyGpu;
use crate::kernel::grid::spread;
use crate::kernel::whole;
use crate::tensor::CubeTensor;
use cubecl::client::Client;
use cubecl::prelude::{CubeCount, TensorArg};
use cubecl::zspace::{Shape as CubeShape, Strides};
use tensor_op_core::by_hand::{self, Kernel};
use tensor_op_core::{DType, Error, ErrorKind, Op, Result, Shape};

/// From now on runs an op of any crate by this kernel, on every GPU, as `#[kernel(cube = ..)]` does for an op
/// of your own. A kernel that is registered for one runtime, such as `Cube<Cuda>`, goes before it. The rest
/// is as for [`tensor_op_core::by_hand::register_kernel`].
///
/// # Errors
/// The op was made from a graph at run time, and so has no type of its own.
pub fn register_kernel(op: &dyn Op, kernel: Kernel<CubeTensor>) -> Result<()> {
    by_hand::register::<AnyGpu, CubeTensor>(op, kernel)
}

impl CubeTensor {
    /// The client of the device, by which kernels are launched.
    pub fn client(&self) -> &Client {
        self.device.client()
    }

    /// Element type of the tensor. Of the dtypes that a device lacks it stores another: ask a kernel for f32,
    /// f16 and i32 only, or read the features of the [client](CubeTensor::client).
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Whether the elements are row-major without gaps.
    pub fn is_contiguous(&self) -> bool {
        self.layout.is_contiguous()
    }

    /// The same elements, row-major without gaps; a copy if they are not so.
    ///
    /// # Errors
    /// There is no memory for the copy.
    pub fn contiguous(&self) -> Result<CubeTensor> {
        whole::contiguous(self.clone())
    }

    /// A view with other axes in front, and with axes of size 1 repeated: its strides are 0 there.
    ///
    /// # Errors
    /// The sizes do not broadcast to this shape.
    pub fn broadcast_to(&self, shape: &Shape) -> Result<CubeTensor> {
        let own = self.shape();
        let leading = shape.rank().checked_sub(own.rank());
        let fits =
            |at: usize| own.iter().zip(&shape[at..]).all(|(size, wanted)| size == wanted || *size == 1);
        let Some(leading) = leading.filter(|at| fits(*at)) else {
            return Err(Error::new(ErrorKind::Shape, format!("{own} does not broadcast to {shape}")));
        };
        let mut layout = self.layout.clone();
        layout.shape = std::iter::repeat_n(1, leading).chain(own.iter().copied()).collect();
        layout.strides = std::iter::repeat_n(0, leading).chain(self.layout.strides.iter().copied()).collect();
        let layout = layout.expand(shape);
        Ok(self.clone().with_layout(layout))
    }

    /// A new row-major tensor on the same device, for the result of a kernel. Its elements are not written
    /// yet.
    ///
    /// # Errors
    /// There is no memory for it, or the device lacks the dtype.
    pub fn empty_beside(&self, shape: &Shape, dtype: DType) -> Result<CubeTensor> {
        CubeTensor::empty(shape, dtype, self.device)
    }

    /// The number of cubes for a launch with a unit for each element, or some more. It has two dimensions if
    /// the device can't count them in one, so that a kernel compares `ABSOLUTE_POS` with the number of
    /// elements.
    ///
    /// # Errors
    /// The device can't launch as many.
    pub fn cubes(&self, elements: usize, units: usize) -> Result<CubeCount> {
        spread(elements.div_ceil(units.max(1)), self.device)
    }

    /// The tensor as an argument that a kernel reads, with its strides. One without axes gets an axis of
    /// size 1. A part of a larger tensor that does not begin at its start is copied.
    ///
    /// # Errors
    /// There is no memory for the copy.
    pub fn arg(&self) -> Result<TensorArg> {
        let tensor = if self.layout.offset == 0 { self.clone() } else { self.contiguous()? };
        Ok(tensor.bound())
    }

    /// The tensor as an argument that a kernel writes.
    ///
    /// # Errors
    /// Somebody else holds its memory, as that of an argument. One from [`CubeTensor::empty_beside`] is new.
    pub fn out_arg(&mut self) -> Result<TensorArg> {
        if self.layout.offset == 0 && self.layout.is_contiguous() && self.is_unique() {
            return Ok(self.bound());
        }
        let message = "a kernel would write to a tensor that others use; take one from `empty_beside`";
        Err(Error::new(ErrorKind::Backend, message))
    }

    fn bound(&self) -> TensorArg {
        // A kernel asks for the client first, and a copy that its argument needed may wait since then.
        self.device.start_waiting();
        // CubeCL's tensors have at least one axis.
        let axes = |of: &Shape| if of.rank() == 0 { vec![1] } else { of.to_vec() };
        let shape: CubeShape = axes(self.shape()).into();
        let strides: Strides = axes(&self.layout.strides).into();
        // SAFETY: all points of a layout lie inside of its buffer.
        unsafe { TensorArg::from_raw_parts(self.handle.clone(), strides, shape) }
    }
}
