//! Declared ops on Burn's tensors: forward and gradient against Burn's own operations in f64, for every dtype, layout, mask of tracked
//! arguments and checkpoint strategy.

mod case;
mod catalogue;
mod layouts;

use tensor_op_burn::burn;
