//! Devices, and tensors on them in several layouts.

use ndarray::{Array, ArrayD, Axis, IxDyn};
use std::fmt;
use std::sync::Once;
use tensor_op_core::{
    Backend, Device, DynTensor, Dynamic, Op, Result, Shape, TensorData, Value, match_dtype, register_backend,
};
use tensor_op_ndarray::{NdArray, NdArrayTensor, Stored};

/// How the elements of a tensor lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Row-major.
    Contiguous,
    /// The axes lie in memory in the opposite order.
    Transposed,
    /// Every other element of a larger tensor, starting with the second.
    Sliced,
    /// Stride 0 along the first axis, so that all of its elements are the first one.
    Broadcast,
    /// Negative strides along each axis. Only the CPU has them.
    Backwards,
}

impl Layout {
    /// The layouts that tensors of a device can have.
    pub fn of(device: &Device) -> Vec<Layout> {
        let mut layouts = vec![Layout::Contiguous, Layout::Transposed, Layout::Sliced, Layout::Broadcast];
        layouts.extend(has_negative_strides(device).then_some(Layout::Backwards));
        layouts
    }

    /// The same as [`Layout::of`], without the contiguous layout.
    pub fn views(device: &Device) -> Vec<Layout> {
        Layout::of(device).split_off(1)
    }
}

/// The layouts of the tensors of a call: one for the first, third, .. tensor, and one for those between.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layouts([Layout; 2]);

impl Layouts {
    /// For each view, two combinations with row-major tensors: the view first, and the view second.
    pub(crate) fn mixed(device: &Device) -> Vec<Layouts> {
        let beside = |view| [Layouts([view, Layout::Contiguous]), Layouts([Layout::Contiguous, view])];
        Layout::views(device).into_iter().flat_map(beside).collect()
    }

    /// Whether some tensors have this layout.
    pub(crate) fn contain(self, layout: Layout) -> bool {
        self.0.contains(&layout)
    }
}

impl From<Layout> for Layouts {
    fn from(layout: Layout) -> Layouts {
        Layouts([layout; 2])
    }
}

/// Prints `Transposed`, or `Transposed and Contiguous by turns`.
impl fmt::Debug for Layouts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Layouts([first, second]) = self;
        if first == second { write!(f, "{first:?}") } else { write!(f, "{first:?} and {second:?} by turns") }
    }
}

/// All devices of all backends: those of this build, and those that the program has registered.
pub fn devices() -> Vec<Device> {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        // This fails only if the program has registered its own `cpu`, which is then used.
        drop(register_backend::<NdArray>("cpu"));
        #[cfg(feature = "gpu")]
        tensor_op_cube::register();
    });
    Device::all()
}

/// Devices that are left out because their drivers fail, with the reasons.
pub(crate) fn unopened() -> Vec<String> {
    let failed = devices().into_iter().filter_map(|device| Device::new(&device.name()).err());
    failed.map(|error| format!("a device left out: {error}")).collect()
}

/// Runs an op and returns all of its results.
pub(crate) fn run(
    op: &dyn Op,
    args: &[Value<TensorData>],
    device: &Device,
    layout: Layouts,
) -> Result<Vec<TensorData>> {
    run_placed(op, place_all(args, device, layout)?)
}

pub(crate) fn place_all(
    args: &[Value<TensorData>],
    device: &Device,
    layout: impl Into<Layouts>,
) -> Result<Vec<Value<DynTensor>>> {
    let mut turns = layout.into().0.into_iter().cycle();
    let mut next = || turns.next().unwrap_or(Layout::Contiguous);
    args.iter().cloned().map(|arg| arg.try_map(|data| place(data, device, next()))).collect()
}

/// Does the same as [`run`], with tensors that are already on a device.
pub(crate) fn run_placed(op: &dyn Op, args: Vec<Value<DynTensor>>) -> Result<Vec<TensorData>> {
    let wanted = vec![true; op.spec().graph().outputs.len()];
    Dynamic::run(op, args, &wanted)?.into_iter().flatten().map(Dynamic::into_data).collect()
}

/// Puts data on a device in a layout.
pub(crate) fn place(data: TensorData, device: &Device, layout: Layout) -> Result<DynTensor> {
    let shape = data.shape().clone();
    let axes: Vec<usize> = (0..shape.rank()).rev().collect();
    match layout {
        Layout::Contiguous => Dynamic::from_data(data, device),
        Layout::Transposed => {
            let turned = Dynamic::permute(Dynamic::from_data(data, device)?, &axes)?;
            // The elements are now contiguous in the order of the permuted axes.
            let turned = Dynamic::from_data(Dynamic::into_data(turned)?, device)?;
            Dynamic::permute(turned, &axes)
        }
        Layout::Sliced => {
            let larger: Shape = shape.iter().map(|size| 2 * size + 2).collect();
            let ranges: Vec<_> = shape.iter().map(|size| (1, 1 + 2 * size, 2)).collect();
            let filler = Dynamic::full(larger, filler(&data), data.dtype(), device)?;
            let written = Dynamic::slice_assign(filler, &ranges, Dynamic::from_data(data, device)?)?;
            Dynamic::slice(written, &ranges)
        }
        Layout::Broadcast => {
            if shape.first().is_none_or(|size| *size < 2) {
                return Dynamic::from_data(data, device);
            }
            let mut ranges: Vec<_> = shape.iter().map(|size| (0, *size, 1)).collect();
            ranges[0] = (0, 1, 1);
            let row = Dynamic::slice(Dynamic::from_data(data, device)?, &ranges)?;
            Dynamic::expand(row, shape)
        }
        Layout::Backwards if has_negative_strides(device) => {
            match_dtype!(data.dtype(), T => backwards(data.as_slice::<T>()?, &shape))
        }
        Layout::Backwards => Dynamic::from_data(data, device),
    }
}

/// Only tensors of the CPU backend can be made from arrays that go backwards.
fn has_negative_strides(device: &Device) -> bool {
    is_cpu(device)
}

/// Whether the device's kernels go through a shading language, which allows less exact arithmetic.
pub(crate) fn has_shaders(device: &Device) -> bool {
    ["wgpu", "vulkan", "metal"].contains(&device.backend())
}

/// Whether the device is of our own CPU backend.
pub(crate) fn is_cpu(device: &Device) -> bool {
    device.backend() == "cpu"
}

/// A value that is easy to notice if it is read by mistake.
fn filler(data: &TensorData) -> tensor_op_spec::ir::Scalar {
    use tensor_op_spec::ir::{Kind, Scalar};
    match data.dtype().kind() {
        Kind::Float => Scalar::Float(f64::NAN),
        Kind::Int => Scalar::Int(77),
        Kind::Bool => Scalar::Bool(true),
    }
}

fn backwards<T: Stored>(values: &[T], shape: &Shape) -> Result<DynTensor> {
    let array: ArrayD<T> =
        Array::from_shape_vec(IxDyn(shape), values.to_vec()).expect("as many elements as the shape says");
    // The elements are stored in the opposite order, and each axis is walked backwards.
    let mut turned = array;
    (0..shape.rank()).for_each(|axis| turned.invert_axis(Axis(axis)));
    let mut turned = turned.as_standard_layout().into_owned();
    (0..shape.rank()).for_each(|axis| turned.invert_axis(Axis(axis)));
    DynTensor::from_primitive::<NdArray>(NdArrayTensor::from(turned))
}
