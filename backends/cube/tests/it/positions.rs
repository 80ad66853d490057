//! Positions as ints, compared with constants on GPUs. Mesa 22.3 had them all below or none.
#![cfg(feature = "wgpu")]

use tensor_op::prelude::*;

#[tensor_op(tests = false)]
fn largest(x: Tensor![n]) -> Tensor![n] {
    cast(maximum(iota(n), 1), float) + 0.0 * x
}

#[tensor_op(tests = false)]
fn smallest(x: Tensor![n]) -> Tensor![n] {
    cast(minimum(iota(n), 7), float) + 0.0 * x
}

#[tensor_op(tests = false)]
fn chosen(x: Tensor![n]) -> Tensor![n] {
    select(iota(n) < 2, 5.0, select(iota(n) >= 6, 9.0, 0.0 * x))
}

#[tensor_op(tests = false)]
fn neighbour(x: Tensor![n]) -> Tensor![n] {
    at(x, n = clamp(maximum(iota(n), 1) - 1))
}

#[test]
fn positions_beside_constants() -> Result<()> {
    let device = Device::new("wgpu")?;
    // Lengths of vectors of 4, of 2, and of one element.
    for len in [8_i64, 6, 9, 33] {
        let x = Tensor::from_vec((0..len).map(|i| i as f32).collect(), [len as usize], &device)?;
        let check = |name: &str, found: Result<Tensor>, wanted: &dyn Fn(i64) -> i64| -> Result<()> {
            let wanted: Vec<f32> = (0..len).map(|i| wanted(i) as f32).collect();
            assert_eq!(found?.to_vec::<f32>()?, wanted, "{name} of {len}");
            Ok(())
        };
        check("largest", largest(&x), &|i| i.max(1))?;
        check("smallest", smallest(&x), &|i| i.min(7))?;
        let of_three = |i| match i {
            0 | 1 => 5,
            2..6 => 0,
            _ => 9,
        };
        check("chosen", chosen(&x), &of_three)?;
        check("neighbour", neighbour(&x), &|i| i.max(1) - 1)?;
    }
    Ok(())
}
