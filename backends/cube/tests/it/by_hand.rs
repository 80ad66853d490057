//! Kernels that are written by hand in CubeCL run in place of the generated ones, forward and backward: that
//! of the example, and those of a square.
#![cfg(feature = "runtime")]

#[path = "../../examples/matmul_add_relu/kernel.rs"]
mod kernel;

use cubecl::prelude::CubeDim;
use kernel::takes_f32;
use std::sync::atomic::{AtomicUsize, Ordering};
use tensor_op::Result;
use tensor_op::gpu::{Args, CubeTensor};
use tensor_op::prelude::{DType, Device, Tensor, tensor_op};

/// What runs on the device.
mod units {
    use cubecl::prelude::*;

    /// Both tensors and the result are row-major.
    #[cube(launch)]
    pub(super) fn product<F: Float>(
        x: &Tensor<F>,
        y: &Tensor<F>,
        out: &mut Tensor<F>,
        #[comptime] is_twice: bool,
    ) {
        if ABSOLUTE_POS < out.len() {
            let once = x[ABSOLUTE_POS] * y[ABSOLUTE_POS];
            // A product with 2 may be moved to `x`, which then overflows.
            if is_twice {
                out[ABSOLUTE_POS] = once + once;
            } else {
                out[ABSOLUTE_POS] = once;
            }
        }
    }
}

/// How often each kernel of `counted` ran.
static CALLS: [AtomicUsize; 3] = [const { AtomicUsize::new(0) }; 3];

fn calls(kernel: usize) -> usize {
    CALLS[kernel].load(Ordering::Relaxed)
}

#[tensor_op(tests(dtypes = f32))]
#[kernel(cube = square, cube_backward = square_backward)]
fn squared(x: Tensor) -> Tensor {
    x * x
}

fn product(x: &CubeTensor, y: &CubeTensor, is_twice: bool) -> Result<Vec<CubeTensor>> {
    takes_f32(&[x, y])?;
    let (x, y) = (x.contiguous()?, y.contiguous()?);
    let mut out = x.empty_beside(x.shape(), x.dtype())?;
    let elements = x.shape().elements()?;
    if elements > 0 {
        let (count, dim) = (x.cubes(elements, 64)?, CubeDim::new_1d(64));
        units::product::launch::<f32>(x.client(), count, dim, x.arg()?, y.arg()?, out.out_arg()?, is_twice);
    }
    Ok(vec![out])
}

fn square(args: &Args<'_, CubeTensor>) -> Result<Vec<CubeTensor>> {
    product(args.tensor("x")?, args.tensor("x")?, false)
}

fn square_backward(args: &Args<'_, CubeTensor>) -> Result<Vec<CubeTensor>> {
    product(args.tensor("x")?, args.tensor("grad_out")?, true)
}

fn gpus() -> impl Iterator<Item = Device> {
    ["wgpu", "vulkan", "metal", "cuda", "hip"].into_iter().filter_map(|name| Device::new(name).ok())
}

/// The same kernels; no generated tests raise the counts beside the test below.
#[tensor_op(tests = false)]
#[kernel(cube = counted_product)]
fn counted(lhs: Tensor![.., m, k], rhs: Tensor![.., k, n], bias: Tensor![n]) -> Tensor![.., m, n] {
    relu(sum(lhs * rhs, k) + bias)
}

#[tensor_op(tests = false)]
#[kernel(cube = counted_square, cube_backward = counted_backward)]
fn counted_squared(x: Tensor) -> Tensor {
    x * x
}

fn counted_product(args: &Args<'_, CubeTensor>) -> Result<Vec<CubeTensor>> {
    CALLS[0].fetch_add(1, Ordering::Relaxed);
    kernel::launch(args)
}

fn counted_square(args: &Args<'_, CubeTensor>) -> Result<Vec<CubeTensor>> {
    CALLS[1].fetch_add(1, Ordering::Relaxed);
    square(args)
}

fn counted_backward(args: &Args<'_, CubeTensor>) -> Result<Vec<CubeTensor>> {
    CALLS[2].fetch_add(1, Ordering::Relaxed);
    square_backward(args)
}

#[test]
fn they_replace_generated_kernels() -> Result<()> {
    let gpus: Vec<Device> = gpus().collect();
    assert!(!gpus.is_empty(), "a GPU, or a processor that poses as one");
    for device in gpus {
        let place = |values: Vec<f32>, shape: &[usize]| {
            Tensor::from_vec(values, shape.to_vec(), &Device::default())?.to(&device)
        };
        let x = place((0..12).map(|i| i as f32 - 5.0).collect(), &[2, 1, 2, 3])?;
        let weight = place((0..18).map(|i| i as f32 - 8.0).collect(), &[3, 3, 2])?;
        let bias = place(vec![1.0, -1.0], &[2])?;
        let before = [0, 1, 2].map(calls);
        let found = counted(&x, &weight, &bias)?;
        let on_host = |x: &Tensor| x.to(&Device::default());
        let expected = counted(on_host(&x)?, on_host(&weight)?, on_host(&bias)?)?;
        assert_eq!(found.shape(), [2, 3, 2, 2]);
        assert_eq!(found.to_vec::<f32>()?, expected.to_vec::<f32>()?);

        let x = place(vec![3.0, -2.0], &[2])?.require_grad();
        let gradients = counted_squared(&x)?.backward_with(place(vec![1.0, 10.0], &[2])?)?;
        assert_eq!(gradients[&x].to_vec::<f32>()?, [6.0, -40.0]);
        assert_eq!([0, 1, 2].map(calls), before.map(|calls| calls + 1), "on {device}");

        let halves = place(vec![1.0, 2.0], &[2])?.cast(DType::F16)?;
        let error = squared(&halves).expect_err("the kernel takes f32").to_string();
        assert!(error.starts_with("squared: the backend `"), "{error}");
        assert!(error.ends_with("`: the kernel takes f32, not f16"), "{error}");
    }
    Ok(())
}

/// More elements than cubes of one dimension have units on wgpu.
#[test]
fn large_tensors_need_two_dimensions_of_cubes() -> Result<()> {
    for device in gpus() {
        let x = Tensor::full([65_536 * 64 + 1], 1.0_f32, &device)?;
        assert_eq!(squared(&x)?.sum(..)?.to_vec::<f32>()?, [65_536.0 * 64.0 + 1.0]);
    }
    Ok(())
}

/// A part of a larger tensor does not begin at its start, so it is copied for the kernel, also by calls that
/// are launched together.
#[test]
fn kernels_read_copies_of_views() -> Result<()> {
    for device in gpus() {
        let elements = (0..96).map(|i| (i * 7 % 23) as f32 / 8.0 - 1.0).collect();
        let x = Tensor::from_vec(elements, [6, 4, 4], &device)?;
        let ones = Tensor::ones([4], DType::F32, &device)?;
        let call = |at: usize| kernel::matmul_add_relu(x.i(at)?, x.i(5 - at)?, &ones);
        let values =
            |results: Vec<Tensor>| results.iter().map(Tensor::to_vec::<f32>).collect::<Result<Vec<_>>>();
        let alone = (0..6).map(call).collect::<Result<Vec<_>>>()?;
        assert_eq!(values(device.foreach(0..6, call)?)?, values(alone)?);
    }
    Ok(())
}
