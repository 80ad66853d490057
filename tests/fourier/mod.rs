//! Fourier transforms on a GPU beside the CPU's.

use tensor_op::fft::{Norm, fft, ifft, irfft, rfft};
use tensor_op::prelude::*;
use tensor_op::{ErrorKind, through_host};

type Transform = fn(&Tensor, usize, i64) -> Result<Tensor>;

/// Each with a norm of its own. A real tensor is made complex, and a complex result real, by what does not
/// hide an error.
const TRANSFORMS: [(&str, Transform); 4] = [
    ("fft", |x, n, dim| fft(pairs(x)?, Some(n), dim, Norm::Ortho)),
    ("ifft", |x, n, dim| ifft(pairs(x)?, Some(n), dim, Norm::Forward)),
    ("rfft", |x, n, dim| rfft(x, Some(n), dim, Norm::Backward)),
    ("irfft", |x, n, dim| irfft(pairs(x)?, Some(n), dim, Norm::Backward)),
];

fn pairs(x: &Tensor) -> Result<Tensor> {
    Tensor::stack(&[x, &(0.5 - x)?], -1)
}

/// Numbers between -1 and 1, without a pattern.
fn numbers(shape: &[usize]) -> Result<Tensor> {
    let number = |i: usize| ((i as f64 * 0.7131).sin() * 43758.5453).fract() as f32;
    Tensor::from_vec((0..shape.iter().product()).map(number).collect(), shape.to_vec(), &Device::default())
}

/// The root of the mean square of the differences, as a part of that of the right numbers.
fn difference(found: &Tensor, right: &Tensor) -> Result<f64> {
    assert_eq!((found.dtype(), found.shape()), (DType::F32, right.shape()));
    let (found, right) = (found.to_vec::<f64>()?, right.to_vec::<f64>()?);
    let squares = |numbers: &mut dyn Iterator<Item = f64>| numbers.map(|x| x * x).sum::<f64>();
    let wrong = squares(&mut found.iter().zip(&right).map(|(found, right)| found - right));
    Ok((wrong / squares(&mut right.into_iter())).sqrt())
}

/// Results and gradients of rows of this length, beside those of the CPU in f64.
fn compare(device: &Device, shape: &[usize], n: usize, dim: i64) -> Result<()> {
    let x = numbers(shape)?;
    let bound = BOUND * f64::from(1 + n.ilog2());
    for (name, transform) in TRANSFORMS {
        let here = x.cast(DType::F64)?.require_grad();
        let there = x.to(device)?.require_grad();
        let (right, found) = (transform(&here, n, dim)?, transform(&there, n, dim)?);
        assert_eq!(found.device(), *device);
        let seed = numbers(&right.shape())?;
        let slope = right.backward_with(seed.cast(DType::F64)?)?[&here].clone();
        let gradient = found.backward_with(seed.to(device)?)?[&there].clone();
        for (what, found, right) in [("result", &found, &right), ("gradient", &gradient, &slope)] {
            let difference = difference(found, right)?;
            eprintln!("{name} of {n} in {shape:?}: {what} {difference:.1e}");
            assert!(difference <= bound, "{name} of {n} in {shape:?}: {what} differs by {difference}");
        }
    }
    Ok(())
}

/// Powers of two, through the library's ways for short rows, for long ones and for the longest, along each
/// axis. A row grows by log(n) roundings of its sines and products.
pub(crate) fn check(device: &Device) -> Result<()> {
    for log in (0..=13).chain([16, 20]) {
        let n = 1 << log;
        compare(device, &[3, n], n, -1)?;
    }
    for shape in [[2, 16, 3], [16, 2, 3], [1, 64, 1]] {
        for dim in 0..3 {
            // Cut, as it is, and with zeros at the end.
            for n in [8, 16, 32] {
                compare(device, &shape, n, dim)?;
            }
        }
    }
    // More rows than a GPU counts in one dimension.
    compare(device, &[70_000, 4], 4, -1)?;
    none(device)?;
    refused(device)
}

/// For each step of a transform: some roundings of f32.
const BOUND: f64 = 2.0 * f32::EPSILON as f64;

fn none(device: &Device) -> Result<()> {
    let x = Tensor::zeros([0, 8], DType::F32, device)?;
    assert_eq!(rfft(&x, None, -1, Norm::Backward)?.shape().to_vec(), [0, 5, 2]);
    let x = Tensor::zeros([3, 0], DType::F32, device)?;
    assert_eq!(rfft(&x, Some(4), -1, Norm::Backward)?.to_vec::<f32>()?, [0.0; 18]);
    Ok(())
}

/// What the library lacks is an `Err`, and goes through the host if that is asked for.
fn refused(device: &Device) -> Result<()> {
    for n in [3, 6, 100, 4095, 1 << 21] {
        for (name, transform) in TRANSFORMS {
            let x = numbers(&[2, n])?;
            let error = transform(&x.to(device)?, n, -1).unwrap_err();
            assert_eq!((error.kind(), error.op()), (ErrorKind::Device, Some(name)));
            assert!(error.to_string().contains("through_host"), "{error}");
            let found = through_host(|| transform(&x.to(device)?, n, -1))?;
            assert_eq!((found.device(), found.to_vec::<f32>()?.len()), (*device, found.elements()));
            assert!(difference(&found, &transform(&x.cast(DType::F64)?, n, -1)?)? < 1e-6);
        }
    }
    Ok(())
}
