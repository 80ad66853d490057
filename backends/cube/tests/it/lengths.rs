//! Tensors whose number of elements is odd, or has few factors of two: vectors take all but the last
//! elements. Expected values are the CPU's.
#![cfg(any(feature = "wgpu", feature = "cuda"))]

use tensor_op::prelude::*;
use tensor_op::tensor_op;

const GPU: &str = if cfg!(feature = "cuda") { "cuda" } else { "wgpu" };

/// Reads tensors, a number and positions, and has two results.
#[tensor_op(tests = false)]
fn mixed(x: Tensor![n], y: Tensor![n], one: Tensor![], by: f64) -> (Tensor![n], BoolTensor![n]) {
    (x * by + y * one + cast(iota(n) % 7, float), stop_grad(x) < stop_grad(y))
}

/// Checks tensors of so many elements that start at this element of larger ones.
fn check(len: usize, dtype: DType, start: usize) -> Result<()> {
    let run = |device: &Device| -> Result<[Vec<f32>; 2]> {
        // Multiples of 1/8, which every dtype has.
        let tensor = |by: usize| {
            let values = (0..start + len + 5).map(|i| (i * by % 61) as f32 / 8.0 - 3.0).collect();
            let whole = Tensor::from_vec::<f32>(values, [start + len + 5], device)?.cast(dtype)?;
            whole.slice(0, start as i64..(start + len) as i64)
        };
        let one = Tensor::full([], 1.0_f32, device)?.cast(dtype)?;
        let (sums, is_less) = mixed(&tensor(7)?, &tensor(11)?, &one, 0.5)?;
        Ok([sums, is_less].map(|result| result.cast(DType::F32).and_then(|x| x.to_vec()).expect("readable")))
    };
    let [found, expected] = [run(&Device::new(GPU)?)?, run(&Device::new("cpu")?)?];
    assert!(found == expected, "{len} of {dtype} from {start} on");
    Ok(())
}

#[test]
fn the_last_elements_are_computed_too() -> Result<()> {
    // The third is too short for a kernel of its own.
    for len in [(1 << 20) + 1, (1 << 20) + 7, (1 << 20) - 1, (1 << 20) + 4] {
        for dtype in [DType::F32, DType::F16] {
            for start in [0, 3, 8] {
                check(len, dtype, start)?;
            }
        }
    }
    Ok(())
}
