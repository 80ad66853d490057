//! Transforms on GPUs, by cubek.

use crate::{Error, ErrorKind, Result, Tensor};
use tensor_op_autodiff::AutodiffTensor;
use tensor_op_core::DynTensor;
use tensor_op_cube::{Cube, CubeTensor, Runtime, Transform, has_transform, transform};

/// Returns what a function of a runtime gives for the runtime of its tensors.
macro_rules! of_its_runtime {
    ($function:ident $arguments:tt: $($feature:literal $runtime:ident),*) => {
        $(
            #[cfg(feature = $feature)]
            if let Some(found) = $function::<tensor_op_cube::$runtime> $arguments {
                return found;
            }
        )*
    };
    ($function:ident $arguments:tt) => {
        of_its_runtime!($function $arguments: "wgpu" Wgpu, "vulkan" Vulkan, "metal" Metal, "cuda" Cuda,
            "hip" Hip, "cpu-jit" CpuJit)
    };
}

/// Whether the tensor is on a GPU, which has transforms of this length for it.
pub(super) fn serves(x: &Tensor, length: usize) -> bool {
    of_its_runtime!(serves_on(x, length));
    false
}

/// Transforms rows of complex numbers.
pub(super) fn complete(x: &Tensor, is_inverse: bool) -> Result<Tensor> {
    let kind = if is_inverse { Transform::Inverse } else { Transform::Forward };
    let length = x.shape()[x.rank() - 2];
    Tensor::stack(&rows([x.select(-1, 0)?, x.select(-1, 1)?], kind, length)?, -1)
}

/// Transforms rows of real numbers to the first half.
pub(super) fn half(x: &Tensor) -> Result<Tensor> {
    let length = x.shape()[x.rank() - 1];
    Tensor::stack(&rows([x.clone()], Transform::Half, length)?, -1)
}

/// Transforms rows of the first half to real numbers, and divides them by the length.
pub(super) fn whole(x: &Tensor, length: usize) -> Result<Tensor> {
    Ok(rows([x.select(-1, 0)?, x.select(-1, 1)?], Transform::Whole, length)?.remove(0))
}

fn rows<const N: usize>(parts: [Tensor; N], kind: Transform, length: usize) -> Result<Vec<Tensor>> {
    // cubek's shortest transform is that of two numbers.
    if length == 1 {
        let zeros = match kind {
            Transform::Half => Some(parts[0].zeros_like()?),
            Transform::Forward | Transform::Inverse | Transform::Whole => None,
        };
        return Ok(parts.into_iter().chain(zeros).collect());
    }
    of_its_runtime!(rows_on(&parts, kind, length));
    Err(Error::new(ErrorKind::Device, "is on no GPU that has it"))
}

fn serves_on<R: Runtime>(x: &Tensor, length: usize) -> Option<bool> {
    Some(length == 1 || has_transform(&taken::<R>(x)?, length))
}

fn rows_on<R: Runtime>(parts: &[Tensor], kind: Transform, length: usize) -> Option<Result<Vec<Tensor>>> {
    let parts = parts.iter().map(taken::<R>).collect::<Option<_>>()?;
    let given = |found| {
        let found = DynTensor::from_primitive::<Cube<R>>(found)?;
        Ok(Tensor::from_primitive(AutodiffTensor::from_inner(found)))
    };
    Some(transform(parts, kind, length).and_then(|found| found.into_iter().map(given).collect()))
}

fn taken<R: Runtime>(x: &Tensor) -> Option<CubeTensor> {
    x.primitive().inner().clone().try_into_primitive::<Cube<R>>().ok()
}
