//! Declared ops on Burn's tensors. Results and gradients are compared with Burn's own operations in f64, for
//! every dtype, layout, mask of tracked arguments and checkpoint strategy.

mod burns;
mod case;
mod catalogue;
mod conformance;
mod declared;
mod expected;
#[cfg(feature = "burn-wgpu")]
mod gpu;
mod layouts;
mod memory;
mod mistakes;
mod names;
mod nested;
mod one_axis;

use tensor_op_burn::burn;
