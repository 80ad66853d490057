//! The ops that are measured, their arguments, and the traffic that each needs at least.

use crate::{random, scalar};
use tensor_op::catalogue::nn;
use tensor_op::{DType, Op};
use tensor_op_core::{Backend, Device, DynTensor, Dynamic, Result, TensorData, Value};
use tensor_op_spec::ir::Scalar;

/// Arguments of a dtype, for so many rows and columns.
type Args = fn(&Device, DType, [usize; 2]) -> Result<Vec<Value<DynTensor>>>;

/// An op over rows.
pub(crate) struct Case {
    pub(crate) op: &'static dyn Op,
    args: Args,
    /// Whole tensors that the op must read and write.
    pub(crate) forward: f64,
    /// The same of its gradient.
    pub(crate) backward: f64,
}

impl Case {
    pub(crate) fn args(
        &self,
        device: &Device,
        dtype: DType,
        shape: [usize; 2],
    ) -> Result<Vec<Value<DynTensor>>> {
        (self.args)(device, dtype, shape)
    }
}

pub(crate) const CASES: &[Case] = &[
    Case { op: &nn::SiluMul, args: two, forward: 3.0, backward: 5.0 },
    Case { op: &nn::Softmax, args: with_axis, forward: 2.0, backward: 3.0 },
    Case { op: &nn::LayerNorm, args: layer_norm, forward: 2.0, backward: 3.0 },
    Case { op: &nn::RmsNorm, args: rms_norm, forward: 2.0, backward: 3.0 },
    Case { op: &nn::AddRmsNorm, args: add_rms_norm, forward: 4.0, backward: 4.0 },
    Case { op: &nn::CrossEntropy, args: cross_entropy, forward: 1.0, backward: 2.0 },
];

fn two(device: &Device, dtype: DType, shape: [usize; 2]) -> Result<Vec<Value<DynTensor>>> {
    Ok(vec![random(device, dtype, &shape)?, random(device, dtype, &shape)?])
}

fn with_axis(device: &Device, dtype: DType, shape: [usize; 2]) -> Result<Vec<Value<DynTensor>>> {
    Ok(vec![random(device, dtype, &shape)?, Value::Scalar(Scalar::Int(-1))])
}

fn layer_norm(device: &Device, dtype: DType, shape: [usize; 2]) -> Result<Vec<Value<DynTensor>>> {
    let row = || random(device, dtype, &shape[1..]);
    Ok(vec![random(device, dtype, &shape)?, row()?, row()?, scalar(1e-5)])
}

fn rms_norm(device: &Device, dtype: DType, shape: [usize; 2]) -> Result<Vec<Value<DynTensor>>> {
    Ok(vec![random(device, dtype, &shape)?, random(device, dtype, &shape[1..])?, scalar(1e-6)])
}

fn add_rms_norm(device: &Device, dtype: DType, shape: [usize; 2]) -> Result<Vec<Value<DynTensor>>> {
    let mut args = vec![random(device, dtype, &shape)?];
    args.extend(rms_norm(device, dtype, shape)?);
    Ok(args)
}

fn cross_entropy(device: &Device, dtype: DType, shape: [usize; 2]) -> Result<Vec<Value<DynTensor>>> {
    let [rows, cols] = shape;
    let targets =
        TensorData::new((0..rows).map(|row| (row * 7919 % cols) as i64).collect::<Vec<i64>>(), [rows])?;
    Ok(vec![random(device, dtype, &shape)?, Value::Tensor(Dynamic::from_data(targets, device)?)])
}
