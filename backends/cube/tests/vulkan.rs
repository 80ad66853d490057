//! Devices with kernels in SPIR-V: each computes, or is refused when it is opened.
#![cfg(feature = "vulkan")]

use tensor_op::backend::{Backend, Fold, Scalar};
use tensor_op::{DType, Device, ErrorKind, Result, Shape};
use tensor_op_cube::{Cube, Vulkan};

type Gpu = Cube<Vulkan>;

/// A device that is refused is so by name too.
#[test]
fn the_first_device_is_opened_when_it_is_named() {
    if Gpu::device_count() > 0 {
        assert_eq!(Device::new("vulkan").is_ok(), Gpu::nth_device(0).is_ok());
    }
}

/// Mesa's processor driver takes the process with it.
#[test]
fn rows_are_reduced_or_the_device_is_refused() -> Result<()> {
    for index in 0..Gpu::device_count() {
        match Gpu::nth_device(index) {
            Ok(device) => {
                let ones = Gpu::full(Shape::new(&[3, 1000]), Scalar::Float(1.0), DType::F32, &device)?;
                let sums = Gpu::into_data(Gpu::reduce(Fold::Sum, ones, &[1])?)?;
                assert_eq!(sums.into_vec::<f32>()?, [1000.0; 3]);
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Device);
                assert!(error.to_string().contains("use `wgpu` without it"), "{error}");
            }
        }
    }
    Ok(())
}
