//! What a device says of its memory, reads of several tensors, and the number of threads. One test, because
//! others would change the figures.

use tensor_op::prelude::*;
use tensor_op::{MemoryUse, cpu};

fn memory() -> MemoryUse {
    Device::default().memory().expect("the CPU counts its memory")
}

/// Each pixel scaled by the root of the mean square of its channels.
#[tensor_op(tests = false)]
fn rms_norm_pixels(x: Tensor![b, c, h, w], gamma: Tensor![c]) -> Tensor![b, c, h, w] {
    x * rsqrt(mean(x * x, c) + 1e-6) * gamma
}

/// An op on images.
type Call<'c> = &'c dyn Fn(&Tensor) -> Result<Tensor>;

/// An op on images in NHWC memory needs no copy of them all, and gives what it gives for NCHW memory. Sums
/// over the pixels copy one image at a time on each thread, so this runs on one thread.
fn layouts_are_not_copied() -> Result<()> {
    let device = Device::default();
    let gamma = Tensor::uniform([32], 0.5, 1.5, DType::F64, &device)?;
    let ops: [Call<'_>; 4] = [
        &|x| x.silu(),
        &|x| rms_norm_pixels(x, &gamma),
        &|x| x.max_pool2d(2, None, None, None, None),
        &|x| x.sum([2, 3]),
    ];
    let nhwc = Tensor::uniform([8, 40, 40, 32], -1.0, 1.0, DType::F64, &device)?;
    let view = nhwc.permute([0, 3, 1, 2])?;
    let nchw = Tensor::from_data(view.to_data()?, &device)?;
    let copied = nchw.elements() as u64 * 8;
    for (index, op) in ops.iter().enumerate() {
        device.memory_cleanup();
        device.reset_peak_memory();
        let before = memory().in_use;
        let found = op(&view)?;
        let (needed, result) = (memory().peak - before, memory().in_use - before);
        assert!(needed < result + copied / 2, "op {index}: {needed} bytes, of which the result has {result}");
        let (found, wanted) = (found.to_vec::<f64>()?, op(&nchw)?.to_vec::<f64>()?);
        let near = |(found, wanted): (&f64, &f64)| (found - wanted).abs() <= 1e-13 * (1.0 + wanted.abs());
        assert!(found.iter().zip(&wanted).all(near), "op {index}");
    }
    Ok(())
}

#[test]
fn bytes_are_counted_while_tensors_live() -> Result<()> {
    let device = Device::default();
    let before = memory();
    let x = Tensor::ones([1 << 20], DType::F32, &device)?;
    // Buffers are as large as their size class.
    let one = memory().in_use - before.in_use;
    assert!((1 << 22..=5 << 20).contains(&one), "{one}");
    let (view, other) = (x.slice(0, 5..)?, x.clone());
    assert_eq!(memory().in_use - before.in_use, one);
    drop((x, other));
    assert_eq!(memory().in_use - before.in_use, one);
    drop(view);
    let after = memory();
    assert_eq!(after.in_use, before.in_use);
    // The pool keeps the buffer for the next tensor.
    assert!(after.reserved >= after.in_use + one && after.peak >= before.in_use + one, "{after:?}");
    device.reset_peak_memory();
    assert_eq!(memory().peak, memory().in_use);
    device.memory_cleanup();
    assert_eq!(memory().reserved, memory().in_use);

    // A task that makes a tensor, and one that panics.
    let weights = device.persistent(|| Tensor::zeros([3, 5], DType::F32, &device))?;
    assert_eq!(weights.shape(), [3, 5]);
    let panic =
        std::panic::catch_unwind(|| Device::default().persistent(|| panic!("no weights"))).unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"no weights"));

    cpu::set_threads(1)?;
    layouts_are_not_copied()?;
    cpu::set_threads(0)?;

    // The same bits with any number of threads.
    let x = Tensor::uniform([512, 700], -1.0, 1.0, DType::F32, &device)?;
    let all = cpu::threads();
    let bits = || -> Result<Vec<u32>> {
        let y = x.matmul(x.transpose(0, 1)?)?.softmax(-1)?;
        Ok(y.to_vec::<f32>()?.into_iter().map(f32::to_bits).collect())
    };
    let expected = bits()?;
    for count in [1, 3, 8] {
        cpu::set_threads(count)?;
        assert_eq!((cpu::threads(), bits()? == expected), (count, true));
    }
    cpu::set_threads(0)?;
    assert_eq!(cpu::threads(), all);
    Ok(())
}
