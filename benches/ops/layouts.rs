//! The same ops on images whose memory is NCHW, and on views of NHWC memory: `cargo bench --bench ops --
//! layouts`. Dims are named, so nobody copies all images; sums over pixels copy one at a time.

use crate::case::SAMPLES;
use divan::Bencher;
use std::fmt;
use std::hint::black_box;
use tensor_op::catalogue::pooling::max_pool2d;
use tensor_op::prelude::*;

/// An offset for each channel, and what is positive of it.
#[tensor_op]
fn bias_relu(x: Tensor![b, c, h, w], bias: Tensor![c]) -> Tensor![b, c, h, w] {
    maximum(x + bias, 0.0)
}

/// Each pixel scaled by the root of the mean square of its channels.
#[tensor_op]
fn rms_norm_pixels(x: Tensor![b, c, h, w], gamma: Tensor![c]) -> Tensor![b, c, h, w] {
    x * rsqrt(mean(x * x, c) + 1e-6) * gamma
}

/// Each image and channel with the mean 0 and the variance 1.
#[tensor_op]
fn instance_norm(x: Tensor![b, c, h, w]) -> Tensor![b, c, h, w] {
    let centered = x - mean(x, (h, w));
    centered * rsqrt(mean(centered * centered, (h, w)) + 1e-5)
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Silu,
    BiasRelu,
    RmsNormPixels,
    InstanceNorm,
    MaxPool,
}

/// The order of the dims in memory.
#[derive(Clone, Copy, Debug)]
enum Memory {
    Nchw,
    Nhwc,
}

#[derive(Clone, Copy, Debug)]
struct Case(Op, Memory);

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:?} {:?}", self.0, self.1))
    }
}

const CASES: [Case; 10] = [
    Case(Op::Silu, Memory::Nchw),
    Case(Op::Silu, Memory::Nhwc),
    Case(Op::BiasRelu, Memory::Nchw),
    Case(Op::BiasRelu, Memory::Nhwc),
    Case(Op::RmsNormPixels, Memory::Nchw),
    Case(Op::RmsNormPixels, Memory::Nhwc),
    Case(Op::InstanceNorm, Memory::Nchw),
    Case(Op::InstanceNorm, Memory::Nhwc),
    Case(Op::MaxPool, Memory::Nchw),
    Case(Op::MaxPool, Memory::Nhwc),
];

const SIZES: [usize; 4] = [16, 64, 56, 56];

/// An image batch `[b, c, h, w]` in this memory, and a number for each channel.
fn images(memory: Memory) -> Result<(Tensor, Tensor)> {
    let (device, [b, c, h, w]) = (Device::default(), SIZES);
    let x = match memory {
        Memory::Nhwc => Tensor::normal([b, h, w, c], 0.0, 1.0, DType::F32, &device)?.permute([0, 3, 1, 2])?,
        Memory::Nchw => Tensor::normal([b, c, h, w], 0.0, 1.0, DType::F32, &device)?,
    };
    Ok((x, Tensor::normal([c], 0.0, 1.0, DType::F32, &device)?))
}

#[divan::bench(args = CASES, sample_count = SAMPLES, sample_size = 1)]
fn forward(bencher: Bencher<'_, '_>, Case(op, memory): Case) {
    let (x, channel) = images(memory).expect("there is memory");
    let call = || match op {
        Op::Silu => x.silu(),
        Op::BiasRelu => bias_relu(&x, &channel),
        Op::RmsNormPixels => rms_norm_pixels(&x, &channel),
        Op::InstanceNorm => instance_norm(&x),
        Op::MaxPool => max_pool2d(&x, 2, None, None, None, None),
    };
    call().expect("the arguments fit");
    bencher.bench_local(|| drop(black_box(call())));
}
