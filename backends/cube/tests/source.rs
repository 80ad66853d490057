//! The source that CubeCL makes of kernels, as a snapshot: arguments are read once and in vectors, results written once.
//!
//! `CUBECL_DEBUG_LOG=stdout` shows the same of any program.
#![cfg(feature = "wgpu")]

use cubecl::config::compilation::CompilationLogLevel;
use cubecl::config::{CubeClRuntimeConfig, RuntimeConfig};
use std::fs;
use std::path::PathBuf;
use tensor_op::catalogue::nn;
use tensor_op::prelude::*;

/// A kernel forward, one that fills the gradient of the result, and one backward.
#[test]
fn kernels_of_silu_mul() -> Result<()> {
    let log = log_kernels();
    let device = Device::new("wgpu")?;
    let ones = || Tensor::from_vec(vec![1.0_f32; 1 << 16], [64, 1024], &device);
    let (x, gate) = (ones()?.require_grad(), ones()?.require_grad());
    let gradients = nn::silu_mul(&x, &gate)?.backward()?;
    gradients.get(&gate).expect("it is tracked").to_vec::<f32>()?;
    let text = fs::read_to_string(log).expect("kernels were compiled");
    let kernels: Vec<String> = text.split("[START_KERNEL_COMPILATION]").skip(1).map(kernel).collect();
    insta::assert_snapshot!("silu_mul", kernels.join("\n\n"));
    Ok(())
}

/// Has CubeCL write what it compiles to a file, which must be asked for before a device is opened.
fn log_kernels() -> PathBuf {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("kernels.log");
    let mut config = CubeClRuntimeConfig::default();
    let logger = &mut config.compilation.logger;
    (logger.file, logger.append, logger.level) = (Some(file.clone()), false, CompilationLogLevel::Full);
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
