//! Windows on GPUs: views that run forwards and backwards, and convolutions that are large enough for the
//! library of products. Expected values are the CPU's.
#![cfg(any(feature = "wgpu", feature = "cuda"))]

use tensor_op::catalogue::{convolution, movement, padding, pooling};
use tensor_op::prelude::*;

const GPU: &str = if cfg!(feature = "cuda") { "cuda" } else { "wgpu" };

fn numbers(shape: &[usize], device: &Device) -> Result<Tensor> {
    let count: usize = shape.iter().product();
    let values: Vec<f32> = (0..count).map(|i| ((i * 37 + i / 11) % 101) as f32 / 64.0 - 0.8).collect();
    Ok(Tensor::from_vec(values, shape.to_vec(), device)?.require_grad())
}

/// The result and the gradients are those of the CPU, within some roundings of the largest number.
#[track_caller]
fn check(shapes: &[&[usize]], op: impl Fn(&[Tensor]) -> Result<Tensor>) {
    let run = |device: &Device| -> Result<Vec<Vec<f32>>> {
        let args: Vec<Tensor> = shapes.iter().map(|shape| numbers(shape, device)).collect::<Result<_>>()?;
        let y = op(&args)?;
        let gradients = y.backward_with(&y.ones_like()?)?;
        let all = args.iter().map(|arg| gradients.get(arg).expect("it is tracked").to_vec());
        std::iter::once(y.to_vec()).chain(all).collect()
    };
    let cpu = run(&Device::default()).expect("it runs on the CPU");
    let gpu = run(&Device::new(GPU).expect("a GPU, or what poses as one")).expect("it runs on the GPU");
    for (at, (cpu, gpu)) in cpu.iter().zip(&gpu).enumerate() {
        let most = cpu.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        assert_eq!(cpu.len(), gpu.len());
        for (i, (cpu, gpu)) in cpu.iter().zip(gpu).enumerate() {
            assert!((cpu - gpu).abs() <= 2e-5 * most, "number {i} of value {at}: {gpu}, not {cpu}");
        }
    }
}

#[test]
fn convolutions() {
    let sizes: [&[usize]; 2] = [&[3, 16, 13, 12], &[24, 16, 3, 3]];
    check(&sizes, |args| convolution::conv2d(&args[0], &args[1], None, 1, 1, None, None));
    check(&sizes, |args| convolution::conv2d(&args[0], &args[1], None, 2, 1, 2, None));
    // The terms of the gradient in the weight are larger than the factors.
    check(&[&[12, 16, 5, 4], &[24, 16, 3, 3]], |args| {
        convolution::conv2d(&args[0], &args[1], None, 1, 1, None, None)
    });
    let groups: [&[usize]; 2] = [&[2, 16, 20], &[32, 4, 5]];
    check(&groups, |args| convolution::conv1d(&args[0], &args[1], None, 1, 2, None, 4));
    let transposed: [&[usize]; 2] = [&[2, 16, 9, 8], &[16, 12, 3, 3]];
    check(&transposed, |args| convolution::conv_transpose2d(&args[0], &args[1], None, 2, 1, 1, None, None));
    check(&[&[2, 8, 40], &[8, 4]], |args| convolution::causal_conv1d(&args[0], &args[1]));
}

/// One channel in each group, and one channel out: loops, and no products of matrices.
#[test]
fn convolutions_of_single_channels() {
    let sizes: [&[usize]; 2] = [&[2, 24, 18, 16], &[24, 1, 3, 3]];
    check(&sizes, |args| convolution::conv2d(&args[0], &args[1], None, 1, 1, None, 24));
    check(&sizes, |args| convolution::conv2d(&args[0], &args[1], None, 2, 1, None, 24));
    let one: [&[usize]; 2] = [&[2, 6, 40], &[1, 6, 5]];
    check(&one, |args| convolution::conv1d(&args[0], &args[1], None, 1, 2, None, None));
    let transposed: [&[usize]; 2] = [&[2, 6, 9, 8], &[6, 1, 3, 3]];
    check(&transposed, |args| convolution::conv_transpose2d(&args[0], &args[1], None, 2, 1, 1, 6, None));
}

#[test]
fn pools_and_views() {
    check(&[&[2, 3, 11, 14]], |args| pooling::max_pool2d(&args[0], [3, 2], 2, 1, None, None));
    check(&[&[2, 3, 11, 14]], |args| pooling::avg_pool2d(&args[0], [3, 2], 2, 1, None, None, None));
    check(&[&[5, 130]], |args| movement::flip(&args[0], None));
    check(&[&[5, 130]], |args| movement::roll(&args[0], 7, None));
    check(&[&[5, 130]], |args| padding::constant_pad1d(&args[0], 3, 2, 0.5));
    check(&[&[2, 6, 64], &[6, 32], &[6, 32]], |args| movement::rotary_pairs(&args[0], &args[1], &args[2]));
    check(&[&[2, 6, 64], &[6, 32], &[6, 32]], |args| movement::rotary_halves(&args[0], &args[1], &args[2]));
}
