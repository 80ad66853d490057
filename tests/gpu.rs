//! GPUs through the facade: devices are chosen by name, and the code of a model runs on them unchanged.

#[allow(unused_imports, reason = "which tests there are depends on features")]
use tensor_op::ErrorKind;
use tensor_op::prelude::*;

#[cfg(feature = "wgpu")]
mod capture;

#[cfg(feature = "wgpu")]
#[test]
fn recorded_steps_do_what_steps_do() -> Result<()> {
    capture::check(&Device::new("wgpu")?, true)
}

#[cfg(feature = "wgpu")]
mod fourier;

#[cfg(feature = "wgpu")]
#[test]
fn transforms_are_those_of_the_cpu() -> Result<()> {
    fourier::check(&Device::new("wgpu")?)
}

#[cfg(not(feature = "cuda"))]
#[test]
fn a_runtime_that_the_build_lacks_names_its_feature() {
    let error = Device::new("cuda:1").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Device);
    assert_eq!(error.to_string(), "this build has no `cuda`; turn on the feature `cuda` of tensor-op");
    let error = Device::new("cudda").unwrap_err();
    assert!(error.to_string().starts_with("no backend is registered as `cudda`"), "{error}");
}

#[cfg(feature = "wgpu")]
#[test]
fn gradients_are_those_of_the_cpu() -> Result<()> {
    use tensor_op::catalogue::nn;
    let gradients = |device: &Device| -> Result<(f64, Vec<f32>, Vec<f32>)> {
        let numbers =
            |count: usize| (0..count).map(|i| (i * 37 % 101) as f32 / 50.0 - 1.0).collect::<Vec<_>>();
        let x = Tensor::from_vec(numbers(6 * 8), [6, 8], device)?.require_grad();
        let w = Tensor::from_vec(numbers(8 * 5), [8, 5], device)?.require_grad();
        let labels = Tensor::from_vec(vec![0_i64, 1, 2, 3, 4, 0], [6], device)?;
        let loss = nn::cross_entropy(&nn::matmul(&x, &w)?, &labels)?;
        let gradients = loss.backward_with(&loss.ones_like()?)?;
        let of = |tensor: &Tensor| gradients.get(tensor).expect("tracked").to_vec::<f32>();
        let total = loss.to_vec::<f32>()?.iter().map(|x| f64::from(*x)).sum();
        Ok((total, of(&x)?, of(&w)?))
    };
    let (cpu, gpu) = (gradients(&Device::default())?, gradients(&Device::new("wgpu")?)?);
    assert!((cpu.0 - gpu.0).abs() < 1e-4, "{} and {}", cpu.0, gpu.0);
    for (cpu, gpu) in cpu.1.iter().chain(&cpu.2).zip(gpu.1.iter().chain(&gpu.2)) {
        assert!((cpu - gpu).abs() < 1e-5, "{cpu} and {gpu}");
    }
    Ok(())
}

/// Words are packed and read on the device, and tensors that were quantized elsewhere mean the same there.
#[cfg(feature = "wgpu")]
#[test]
fn quantized_tensors_are_those_of_the_cpu() -> Result<()> {
    use tensor_op::quantized::{self, QuantScheme};
    let (cpu, gpu) = (Device::default(), Device::new("wgpu")?);
    let numbers = |count: usize| (0..count).map(|i| (i as f32 * 1.7 + 0.3).sin()).collect::<Vec<_>>();
    let near = |a: &Tensor, b: &Tensor| -> Result<()> {
        for (a, b) in a.to_vec::<f32>()?.into_iter().zip(b.to_vec::<f32>()?) {
            assert!((a - b).abs() < 1e-4 || (a.is_nan() && b.is_nan()), "{a} and {b}");
        }
        Ok(())
    };
    let [int8, int4] = [QuantScheme::int8(), QuantScheme::int4()];
    let affine = int4.affine();
    for scheme in [int8, int8.per_channel(0), int4.per_channel(1), affine.per_channel(0), affine.per_block(7)]
    {
        let run = |device: &Device| -> Result<_> {
            let weight = Tensor::from_vec(numbers(5 * 21), [5, 21], device)?.require_grad();
            let (packed, fake) = (weight.quantize(&scheme)?, weight.fake_quantize(&scheme)?);
            let slopes = fake.square()?.sum(..)?.backward()?.remove(&weight).expect("it is tracked");
            Ok((packed, vec![fake, slopes]))
        };
        let ((packed, floats), (packed_there, floats_there)) = (run(&cpu)?, run(&gpu)?);
        assert_eq!(packed.int_repr()?.to_vec::<i64>()?, packed_there.int_repr()?.to_vec::<i64>()?);
        assert_eq!(packed.values().to_vec::<i32>()?, packed_there.values().to_vec::<i32>()?);
        floats.iter().zip(&floats_there).try_for_each(|(a, b)| near(a, b))?;
        let moved = packed.to(&gpu)?;
        near(&packed.dequantize()?, &moved.dequantize()?)?;
        for rows in [1, 3] {
            let run = |device: &Device| -> Result<[Tensor; 2]> {
                let x = Tensor::from_vec(numbers(rows * 21), [rows, 21], device)?.require_grad();
                let y = quantized::linear(&x, &packed.to(device)?, None)?;
                let slopes = y.square()?.sum(..)?.backward()?.remove(&x).expect("it is tracked");
                Ok([y, slopes])
            };
            run(&cpu)?.iter().zip(&run(&gpu)?).try_for_each(|(a, b)| near(a, b))?;
        }
    }
    // A row that is not finite, zeros, and a tensor without elements.
    let bad = Tensor::from([[1.0_f32, f32::NAN], [f32::INFINITY, 1.0], [0.0, 0.0]]);
    for scheme in [int8.per_channel(0), affine.per_channel(0)] {
        near(&bad.quantize(&scheme)?.dequantize()?, &bad.to(&gpu)?.quantize(&scheme)?.dequantize()?)?;
    }
    let empty = Tensor::zeros([2, 0], DType::F32, &gpu)?.quantize(&int4.per_block(4))?;
    assert_eq!(empty.dequantize()?.shape().to_vec(), [2, 0]);
    Ok(())
}

/// A device that has f64 at all has tensors of f64, whatever functions it lacks.
#[cfg(feature = "wgpu")]
#[test]
fn f64_is_kept_moved_and_added_where_the_device_has_it() -> Result<()> {
    let device = Device::new("wgpu")?;
    if !device.supports_dtype(DType::F64) {
        return Ok(());
    }
    let x = Tensor::from_vec(vec![0.1_f64, 1e300], [2], &device)?;
    let y = (&x + &x)?.to(&Device::default())?.to(&device)?;
    assert_eq!(y.to_vec::<f64>()?, [0.2, 2e300]);
    match tensor_op::catalogue::nn::softmax(&y, -1) {
        Ok(z) => assert_eq!(z.to_vec::<f64>()?, [0.0, 1.0]),
        Err(error) => assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}"),
    }
    Ok(())
}

#[cfg(feature = "wgpu")]
#[test]
fn what_is_too_large_for_the_device_names_the_op() -> Result<()> {
    let device = Device::new("wgpu")?;
    let ones = Tensor::ones([2], DType::F32, &device)?;
    let errors = [
        Tensor::ones([1 << 40], DType::F32, &device),
        Tensor::uniform([1 << 40], 0.0, 1.0, DType::F32, &device),
        ones.broadcast_to([1 << 39, 2])?.reshape([1_i64 << 40]),
        ones.broadcast_to([1 << 39, 2])?.cast(DType::I32),
    ];
    for (error, op) in errors.into_iter().zip(["ones", "uniform", "reshape", "cast"]) {
        let error = error.expect_err("no device has as much memory");
        assert_eq!((error.kind(), error.op()), (ErrorKind::Overflow, Some(op)), "{error}");
    }
    Ok(())
}

#[cfg(feature = "wgpu")]
#[test]
fn a_device_that_the_machine_lacks_is_an_error() {
    let error = Device::new("wgpu:77").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Device);
    assert!(error.to_string().starts_with("there is no device `wgpu:77`"), "{error}");
}

/// A product with the precision of the process, which is `highest` here.
#[cfg(feature = "gpu")]
#[tensor_op(tests = false)]
fn product(x: Tensor![m, k], y: Tensor![k, n]) -> Tensor![m, n] {
    sum(x * y, k)
}

#[cfg(feature = "gpu")]
#[tensor_op(tests = false)]
#[precision(high)]
fn rounded_product(x: Tensor![m, k], y: Tensor![k, n]) -> Tensor![m, n] {
    sum(x * y, k)
}

/// Without tensor cores both are the same. CUDA devices have them.
#[cfg(feature = "gpu")]
#[test]
#[allow(clippy::print_stdout, reason = "`cargo test -- --nocapture` shows the errors")]
fn f32_is_rounded_to_tf32_only_on_request() -> Result<()> {
    let (m, k, n) = (256, 512, 384);
    let numbers =
        |count: usize| (0..count).map(|i| (i * 7919 % 10_007) as f32 / 10_007.0 + 0.5).collect::<Vec<_>>();
    let (x, y) = (numbers(m * k), numbers(k * n));
    let exact = |at: usize| {
        let (row, column) = (at / n, at % n);
        (0..k).map(|i| f64::from(x[row * k + i]) * f64::from(y[i * n + column])).sum::<f64>()
    };
    for name in ["wgpu", "vulkan", "metal", "cuda", "hip"] {
        let Ok(device) = Device::new(name) else { continue };
        let (x, y) =
            (Tensor::from_vec(x.clone(), [m, k], &device)?, Tensor::from_vec(y.clone(), [k, n], &device)?);
        let error = |found: Tensor| -> Result<f64> {
            let errors = found.to_vec::<f32>()?.into_iter().enumerate();
            Ok(errors.map(|(at, found)| (f64::from(found) / exact(at) - 1.0).abs()).fold(0.0, f64::max))
        };
        let [own, rounded] = [error(product(&x, &y)?)?, error(rounded_product(&x, &y)?)?];
        println!("{device:?}: largest relative error {own:.1e}, and {rounded:.1e} with `high`");
        // Terms are positive. Each of their factors may be cut off after ten digits.
        assert!(own < 512.0 * 2f64.powi(-24) && rounded < 2.0 * 2f64.powi(-10), "{own} and {rounded}");
        assert!(name != "cuda" || rounded > 10.0 * own, "not rounded: {own} and {rounded}");
    }
    Ok(())
}

/// Runs the whole suite on every runtime of this build that finds a device on this machine: `cargo test
/// --features cuda --test gpu`.
#[cfg(feature = "gpu")]
#[test]
#[allow(clippy::print_stdout, reason = "`cargo test -- --nocapture` shows the report")]
fn every_gpu_conforms() {
    let mut found = 0;
    for name in ["wgpu", "vulkan", "metal", "cuda", "hip", "cpu-jit"] {
        let device = match Device::new(name) {
            Ok(device) => device,
            Err(error) => {
                println!("{error}");
                continue;
            }
        };
        found += 1;
        let report = tensor_op::testing::run_backend_tests(&device);
        println!("{name}: {} of {}\n{}", report.passed, report.total, report.matrix());
        for failure in &report.failures {
            println!("{failure}");
        }
        assert!(
            report.total > 4000 && report.score() > 0.98,
            "{name}: {} of {}",
            report.passed,
            report.total
        );
    }
    assert!(found > 0, "no runtime of this build finds a device on this machine");
}
