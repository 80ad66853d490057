//! What a device says of its memory, reads of several tensors, and the number of threads. One test, because
//! others would change the figures.

use tensor_op::prelude::*;
use tensor_op::{MemoryUse, cpu};

fn memory() -> MemoryUse {
    Device::default().memory().expect("the CPU counts its memory")
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
