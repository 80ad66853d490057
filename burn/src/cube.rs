//! The GPU kernels on the memory of Burn's GPU backend. Both use the same CubeCL and the same device. Strides
//! stay as they are, and an argument that nobody else holds is overwritten.

use crate::backend::OpBackend;
use crate::dtype::from_burn;
use crate::tensor::{OpTensor, burn_shape, declared_shape, same_device, scalars};
use burn::backend::cubecl::dtype_to_elem_type;
use burn::backend::{DType as BurnDType, DeviceOps, TensorMetadata};
use burn_cubecl::cubecl::ir::{ElemType, IntKind};
use burn_cubecl::kernel::untile;
use burn_cubecl::tensor::CubeTensor;
use burn_cubecl::{CubeBackend, CubeDevice};
use tensor_op_core::{DType, Error, ErrorKind, Op, Result, Shape, Value};
use tensor_op_cube::{Lent, LentDevice};
use tensor_op_spec::ir::Kind;

impl OpBackend for CubeBackend {
    fn run_op(
        op: &dyn Op,
        args: Vec<Value<OpTensor<CubeBackend>>>,
        wanted: &[bool],
    ) -> Result<Vec<Option<OpTensor<CubeBackend>>>> {
        let graph = op.spec().graph();
        let Some(OpTensor::Float(first) | OpTensor::Int(first) | OpTensor::Bool(first)) =
            args.iter().find_map(Value::tensor)
        else {
            return Err(Error::new(ErrorKind::Length, "there is no tensor argument").with_op(&graph.name));
        };
        let (client, device) = (first.client.clone(), first.device.clone());
        let scalars = scalars(graph, &args);
        let lend = |(at, arg): (usize, Value<OpTensor<CubeBackend>>)| {
            lend(scalars[at], arg, &device).map_err(|error| error.of_arg(graph, at))
        };
        let args = args.into_iter().enumerate().map(lend).collect::<Result<_>>()?;
        let results = LentDevice::of(&device)?.run(op, args, wanted)?;
        let give_back = |lent: Lent| {
            let (kind, dtype) = (lent.dtype.kind(), dtype_of(lent.dtype, lent.elem, &device));
            let strides = if lent.shape.rank() == 0 { Shape::new(&[1]) } else { lent.strides };
            let shape = burn_shape(&lent.shape);
            let mut tensor =
                CubeTensor::new_contiguous(client.clone(), device.clone(), shape, lent.handle, dtype);
            tensor.meta.strides.copy_from_slice(&strides);
            match kind {
                Kind::Float => OpTensor::Float(tensor),
                Kind::Int => OpTensor::Int(tensor),
                Kind::Bool => OpTensor::Bool(tensor),
            }
        };
        Ok(results.into_iter().map(|result| result.map(give_back)).collect())
    }

    fn stored(dtype: DType, device: &CubeDevice) -> Result<BurnDType> {
        let elem = LentDevice::of(device)?.elem(dtype)?;
        Ok(dtype_of(dtype, elem, device))
    }
}

fn lend(is_scalar: bool, arg: Value<OpTensor<CubeBackend>>, device: &CubeDevice) -> Result<Value<Lent>> {
    let tensor = match arg {
        Value::Tensor(OpTensor::Float(tensor) | OpTensor::Int(tensor) | OpTensor::Bool(tensor)) => {
            untile(tensor)
        }
        Value::Scalar(scalar) => return Ok(Value::Scalar(scalar)),
        Value::Shape(shape) => return Ok(Value::Shape(declared_shape(is_scalar, shape))),
    };
    same_device(&tensor.device, device)?;
    let dtype = from_burn(tensor.dtype)?;
    let shape = declared_shape(is_scalar, Shape::new(&tensor.shape()));
    let strides: Shape = tensor.meta.strides().iter().take(shape.rank()).copied().collect();
    let elem = dtype_to_elem_type(tensor.dtype);
    Ok(Value::Tensor(Lent { handle: tensor.handle, shape, strides, dtype, elem }))
}

/// Burn's dtype for a result: an i64 that the device stores in 32 bits is an i32.
fn dtype_of(dtype: DType, elem: ElemType, device: &CubeDevice) -> BurnDType {
    match (dtype, elem) {
        (DType::I64, ElemType::Int(IntKind::I32)) => BurnDType::I32,
        (dtype, _) => crate::dtype::to_burn(dtype, device.defaults().bool_dtype),
    }
}
