//! What CubeCL compiles: the source of kernels, in which arguments are read once and in vectors and results
//! written once, as a snapshot; and how many kernels there are.
//!
//! `CUBECL_DEBUG_LOG=stdout` shows the same of any program.
#![cfg(feature = "wgpu")]

use cubecl::config::compilation::CompilationLogLevel;
use cubecl::config::{CubeClRuntimeConfig, RuntimeConfig};
use std::fs;
use std::path::{Path, PathBuf};
use tensor_op::catalogue::nn;
use tensor_op::prelude::*;

/// One test, as a process has one log, and compiles a kernel once.
#[test]
fn kernels_are_good_and_few() -> Result<()> {
    let log = log_kernels();
    kernels_of_silu_mul(&log)?;
    shapes_share_kernels(&log)
}

/// A kernel forward, one that fills the gradient of the result, and one backward.
fn kernels_of_silu_mul(log: &Path) -> Result<()> {
    let text = logged(log, |device| {
        let ones = || Tensor::from_vec(vec![1.0_f32; 1 << 16], [64, 1024], device);
        let (x, gate) = (ones()?.require_grad(), ones()?.require_grad());
        let y = nn::silu_mul(&x, &gate)?;
        let gradients = y.backward_with(&y.ones_like()?)?;
        gradients.get(&gate).expect("it is tracked").to_vec::<f32>()
    })?;
    let kernels: Vec<String> = text.split(START).skip(1).map(kernel).collect();
    insta::assert_snapshot!("silu_mul", kernels.join("\n\n"));
    Ok(())
}

/// They depend on lengths by powers of two, by what divides them, and by what registers hold.
fn shapes_share_kernels(log: &Path) -> Result<()> {
    let lengths = [64, 1024, 40_000].into_iter().flat_map(|most| (0..200).map(move |i| 1 + i * 7919 % most));
    let text = logged(log, |device| {
        for length in lengths {
            nn::softmax(&Tensor::ones([64, length], DType::F32, device)?, -1)?;
        }
        device.sync()
    })?;
    let kernels = text.matches(START).count();
    assert!(kernels < 150, "{kernels} kernels for 600 lengths");
    Ok(())
}

const START: &str = "[START_KERNEL_COMPILATION]";

/// What CubeCL writes of the kernels that it compiles meanwhile.
fn logged<T>(log: &Path, run: impl FnOnce(&Device) -> Result<T>) -> Result<String> {
    let read = || fs::read_to_string(log).unwrap_or_default();
    let before = read().len();
    run(&Device::new("wgpu")?)?;
    Ok(read().split_off(before))
}

/// Has CubeCL write what it compiles to a file, which must be asked for before a device is opened.
fn log_kernels() -> PathBuf {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("kernels.log");
    // An earlier run's.
    drop(fs::remove_file(&file));
    let mut config = CubeClRuntimeConfig::default();
    let logger = &mut config.compilation.logger;
    (logger.file, logger.level) = (Some(file.clone()), CompilationLogLevel::Full);
    CubeClRuntimeConfig::set(config);
    file
}

/// The pass that a kernel unrolls, and its source without the hash in the name.
fn kernel(log: &str) -> String {
    let program =
        between(log, "program: ", ",\n                uniforms:").replace("\n                ", "\n");
    let source = between(log, "```wgsl\n", "\n```");
    let name = between(source, "fn ", "(");
    let plain = name.rsplit_once('_').map_or(name, |(plain, _hash)| plain);
    format!("{program}\n\n{}", source.replace(name, plain))
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let rest = text.split_once(start).unwrap_or_else(|| panic!("no {start} in {text}")).1;
    rest.split_once(end).unwrap_or_else(|| panic!("no {end} in {rest}")).0
}
