//! Exchange with [candle](https://docs.rs/candle-core): its tensors, and functions in its graph.
//!
//! `Tensor::try_from` takes a tensor of candle, and `candle_core::Tensor::try_from` one of ours. Any strides
//! come in. The elements are copied on the way in, because candle may write to them later, and on the way out
//! if another tensor holds them too. Tensors on a GPU, on either side, go through the host: the result of a
//! conversion is on the CPU. Gradients do not cross the border; [`apply`] is for them.
//!
//! | candle | here |
//! |---|---|
//! | f64, f32, f16, bf16, i64, i32, u32, u8 | the same |
//! | u8, of 0 and 1 | bool, on the way out only; a u8 that comes in stays one: `ne(0)` makes bools of it |
//! | i16, and floats of 8 bits and fewer | none: an `Err` of kind `DType` |
//!
//! ```
//! use candle_core::{Device, Tensor as Candle};
//! use tensor_op::prelude::*;
//!
//! # fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
//! let x = Candle::new(&[[1.0_f32, 2.0], [3.0, 4.0]], &Device::Cpu)?;
//! let y = Tensor::try_from(&x.t()?)?.softmax(-1)?;
//! assert_eq!(Candle::try_from(y)?.dims(), [2, 2]);
//! # Ok(())
//! # }
//! ```

mod convert;

use crate::Tensor;
use candle_core::{CpuStorage, CustomOp1, CustomOp2, CustomOp3, Device, Layout, Result, Shape};
use candle_core::{Error, Tensor as Candle};
use convert::{from_cpu, into_cpu};
use std::sync::{Mutex, PoisonError};

/// Calls a function of ops as one operation of candle's graph: candle's `backward` gets the gradients from
/// it. So a model of candle uses declared ops, with their fused kernels on the CPU, and trains.
///
/// The function gets one tensor for each input, on the CPU, and may move them. What needs no gradient, such
/// as indices, may also be an input, or the function captures it. All inputs from the third on are copied
/// into one, if there are more than three: these must have the same dtype. Tensors of candle's GPUs go
/// through the host and come back.
///
/// What the function keeps for its gradient is kept until the first `backward`; a later one calls the
/// function again. The gradients are constants for candle: take a second derivative inside of the function,
/// by [`grad`](crate::grad()).
///
/// ```
/// use candle_core::{DType, Device, Tensor as Candle, Var};
/// use tensor_op::prelude::*;
///
/// /// SwiGLU gate.
/// #[tensor_op]
/// fn silu_mul(x: Tensor, gate: Tensor) -> Tensor {
///     x * gate * sigmoid(gate)
/// }
///
/// # fn main() -> candle_core::Result<()> {
/// let x = Var::ones((2, 3), DType::F32, &Device::Cpu)?;
/// let gate = Var::zeros((2, 3), DType::F32, &Device::Cpu)?;
/// let y = tensor_op::candle::apply(|[x, gate]| silu_mul(x, gate), [&x, &gate])?;
/// let gradients = y.sum_all()?.backward()?;
/// let gradient = gradients.get(&gate).expect("the result depends on it");
/// assert_eq!(gradient.flatten_all()?.to_vec1::<f32>()?, [0.5; 6]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The error of the function. A dtype that has no counterpart. Inputs on several devices.
pub fn apply<const N: usize, F>(f: F, inputs: [&Candle; N]) -> Result<Candle>
where
    F: Fn(&[Tensor; N]) -> crate::Result<Tensor> + Send + Sync + 'static,
{
    let Some(device) = inputs.first().map(|input| input.device()) else {
        return Err(Error::msg("`tensor_op::candle::apply` needs a tensor"));
    };
    if let Some(other) = inputs.iter().find(|input| !input.device().same_device(device)) {
        let (one, other) = (device.location(), other.device().location());
        return Err(Error::msg(format!("the inputs are on {one:?} and {other:?}; move one of them")));
    }
    let here: Vec<Candle> =
        inputs.iter().map(|input| input.to_device(&Device::Cpu)).collect::<Result<_>>()?;
    let is_tracked = here.iter().any(Candle::track_op);
    let operation = |f| Operation { f, is_tracked, kept: Mutex::new(None) };
    let plain = move |tensors: Vec<Tensor>| match <[Tensor; N]>::try_from(tensors) {
        Ok(tensors) => f(&tensors),
        Err(tensors) => unreachable!("{} tensors came for {N} inputs", tensors.len()),
    };
    let result = match &*here {
        [] => unreachable!("there is a first input"),
        [x] => x.apply_op1(operation(Box::new(plain)))?,
        [x, y] => x.apply_op2(y, operation(Box::new(plain)))?,
        [x, y, z] => x.apply_op3(y, z, operation(Box::new(plain)))?,
        [x, y, rest @ ..] => {
            if let Some(other) = rest.iter().find(|input| input.dtype() != rest[0].dtype()) {
                let (one, other) = (rest[0].dtype(), other.dtype());
                return Err(Error::msg(format!(
                    "`tensor_op::candle::apply` takes one dtype from the third of four inputs on, and found \
                     {one:?} and {other:?}"
                )));
            }
            let flat: Vec<Candle> = rest.iter().map(Candle::flatten_all).collect::<Result<_>>()?;
            let shapes: Vec<Vec<usize>> = rest.iter().map(|input| input.dims().to_vec()).collect();
            let unpacked = move |tensors: Vec<Tensor>| plain(unpacked(tensors, &shapes)?);
            x.apply_op3(y, &Candle::cat(&flat, 0)?, operation(Box::new(unpacked)))?
        }
    };
    result.to_device(device)
}

/// Cuts the last tensor into tensors of these shapes.
fn unpacked(mut tensors: Vec<Tensor>, shapes: &[Vec<usize>]) -> crate::Result<Vec<Tensor>> {
    let Some(packed) = tensors.pop() else { return Ok(tensors) };
    let mut start = 0;
    for shape in shapes {
        let end = start + shape.iter().product::<usize>() as i64;
        tensors.push(packed.slice(0, start..end)?.reshape(shape.clone())?);
        start = end;
    }
    Ok(tensors)
}

type Call = Box<dyn Fn(Vec<Tensor>) -> crate::Result<Tensor> + Send + Sync>;

/// One call in candle's graph.
struct Operation {
    f: Call,
    /// Whether candle may ask for gradients.
    is_tracked: bool,
    /// The inputs and the result, which know how to compute the gradient.
    kept: Mutex<Option<Recorded>>,
}

type Recorded = (Vec<Tensor>, Tensor);

impl Operation {
    fn forward(&self, inputs: &[(&CpuStorage, &Layout)]) -> Result<(CpuStorage, Shape)> {
        let inputs = inputs.iter().map(|(storage, layout)| from_cpu(storage, layout));
        let inputs = inputs.collect::<crate::Result<_>>().map_err(Error::wrap)?;
        let result = if self.is_tracked {
            let recorded = self.record(inputs)?;
            let result = recorded.1.detach();
            *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(recorded);
            result
        } else {
            (self.f)(inputs).map_err(Error::wrap)?
        };
        let shape = Shape::from(result.shape().to_vec());
        Ok((into_cpu(result).map_err(Error::wrap)?, shape))
    }

    fn record(&self, inputs: Vec<Tensor>) -> Result<Recorded> {
        let inputs: Vec<Tensor> = inputs.into_iter().map(Tensor::require_grad).collect();
        let result = (self.f)(inputs.clone()).map_err(Error::wrap)?;
        Ok((inputs, result))
    }

    fn backward<const N: usize>(&self, inputs: [&Candle; N], seed: &Candle) -> Result<[Option<Candle>; N]> {
        let ours = |tensor: &Candle| Tensor::try_from(tensor).map_err(Error::wrap);
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (tracked, result) = match kept {
            Some(kept) => kept,
            None => self.record(inputs.into_iter().map(ours).collect::<Result<_>>()?)?,
        };
        let mut found = [const { None }; N];
        if !result.is_tracked() {
            return Ok(found);
        }
        let seed = ours(seed)?.to(&result.device()).map_err(Error::wrap)?;
        let gradients = result.backward_with(seed).map_err(Error::wrap)?;
        for (found, input) in found.iter_mut().zip(&tracked) {
            let gradient = gradients.get(input).map(Candle::try_from).transpose();
            *found = gradient.map_err(Error::wrap)?;
        }
        Ok(found)
    }
}

const NAME: &str = "tensor-op";

impl CustomOp1 for Operation {
    fn name(&self) -> &'static str {
        NAME
    }

    fn cpu_fwd(&self, x: &CpuStorage, at: &Layout) -> Result<(CpuStorage, Shape)> {
        self.forward(&[(x, at)])
    }

    fn bwd(&self, x: &Candle, _: &Candle, seed: &Candle) -> Result<Option<Candle>> {
        self.backward([x], seed).map(|[x]| x)
    }
}

impl CustomOp2 for Operation {
    fn name(&self) -> &'static str {
        NAME
    }

    fn cpu_fwd(
        &self,
        x: &CpuStorage,
        x_at: &Layout,
        y: &CpuStorage,
        y_at: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        self.forward(&[(x, x_at), (y, y_at)])
    }

    fn bwd(
        &self,
        x: &Candle,
        y: &Candle,
        _: &Candle,
        seed: &Candle,
    ) -> Result<(Option<Candle>, Option<Candle>)> {
        self.backward([x, y], seed).map(<_>::from)
    }
}

impl CustomOp3 for Operation {
    fn name(&self) -> &'static str {
        NAME
    }

    fn cpu_fwd(
        &self,
        x: &CpuStorage,
        x_at: &Layout,
        y: &CpuStorage,
        y_at: &Layout,
        z: &CpuStorage,
        z_at: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        self.forward(&[(x, x_at), (y, y_at), (z, z_at)])
    }

    fn bwd(
        &self,
        x: &Candle,
        y: &Candle,
        z: &Candle,
        _: &Candle,
        seed: &Candle,
    ) -> Result<(Option<Candle>, Option<Candle>, Option<Candle>)> {
        self.backward([x, y, z], seed).map(<_>::from)
    }
}
