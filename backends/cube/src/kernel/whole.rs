//! Loops over whole tensors: copies, casts, single primitives, folds and fills. Each has a program of a few
//! steps.

use super::launch;
use super::nest::{Axis, Nest};
use super::pass::{Dest, Element, Output, PassPlan, Uniform};
use super::plan::{LoopPlan, Memory, Read, Write};
use super::program::Digits;
use super::simple;
use crate::layout::Layout;
use crate::tensor::CubeTensor;
use std::sync::Arc;
use tensor_op_core::{DType, Element as _, Error, ErrorKind, Result, Shape, check, match_dtype};
use tensor_op_spec::ir::{Kind, Scalar};
use tensor_op_spec::prim::{Fold, Prim};
use tensor_op_spec::schedule::{Compute, Program, Step, ValueId};

/// The tensor itself if it is row-major, or else a row-major copy.
pub(crate) fn contiguous(tensor: CubeTensor) -> Result<CubeTensor> {
    if tensor.layout.is_contiguous() && tensor.layout.offset == 0 {
        return Ok(tensor);
    }
    let out = CubeTensor::empty(tensor.shape(), tensor.dtype, tensor.device)?;
    copy(&tensor, &out)?;
    Ok(out)
}

/// Copies the elements of a tensor to another one of the same shape and kind.
pub(crate) fn copy(from: &CubeTensor, to: &CubeTensor) -> Result<()> {
    let pass = simple::copy(from.dtype.kind(), read(0), write(1));
    pointwise(&[from], to, pass, Vec::new())
}

/// Converts a tensor to another element type.
pub(crate) fn cast(tensor: CubeTensor, dtype: DType) -> Result<CubeTensor> {
    if tensor.dtype == dtype {
        return Ok(tensor);
    }
    let out = CubeTensor::empty(tensor.shape(), dtype, tensor.device)?;
    let (from, to) = (tensor.dtype.kind(), dtype.kind());
    let bounds = match (from, dtype) {
        (Kind::Float, DType::I32) => Some((i64::from(i32::MIN), i64::from(i32::MAX))),
        (Kind::Float, DType::U32) => Some((0, i64::from(u32::MAX))),
        (Kind::Float, DType::U8) => Some((0, 255)),
        (Kind::Float | Kind::Int | Kind::Bool, _) => None,
    };
    let mut steps = Vec::new();
    let mut push = |compute, kind| {
        steps.push(Step { compute, kind });
        ValueId(steps.len() as u32)
    };
    let mut value = ValueId(0);
    if from != to {
        value = push(Compute::Cast(value), to);
    }
    if let Some((low, high)) = bounds {
        let low = push(Compute::Literal(Scalar::Int(low)), Kind::Int);
        value = push(Compute::Apply(Prim::Maximum, vec![value, low]), Kind::Int);
        let high = push(Compute::Literal(Scalar::Int(high)), Kind::Int);
        value = push(Compute::Apply(Prim::Minimum, vec![value, high]), Kind::Int);
    }
    let program = Program::from_parts([vec![], vec![from]], steps, 0, vec![value]);
    let pass = PassPlan {
        program: Arc::new(program),
        uniforms: vec![],
        elements: vec![read(0)],
        results: vec![write(1)],
        per_row: false,
        digits: Digits::All,
        neighbours: false,
        body: None,
    };
    pointwise(&[&tensor], &out, pass, Vec::new())?;
    Ok(out)
}

/// Applies an elementwise primitive to tensors of the same shape.
pub(crate) fn apply(prim: Prim, args: &[CubeTensor]) -> Result<CubeTensor> {
    let kinds: Vec<Kind> = args.iter().map(|arg| arg.dtype.kind()).collect();
    let (Some(kind), Some(last)) = (prim.result_kind(&kinds), args.last()) else {
        let found: Vec<&str> = args.iter().map(|arg| arg.dtype.name()).collect();
        let message = format!("{} does not take {}", prim.name(), found.join(", "));
        return Err(Error::new(ErrorKind::DType, message));
    };
    check::apply(prim, &args.iter().map(CubeTensor::form).collect::<Vec<_>>())?;
    let dtype = if kind == last.dtype.kind() { last.dtype } else { DType::Bool };
    let out = CubeTensor::empty(last.shape(), dtype, last.device)?;
    let operands = (0..args.len()).map(|at| ValueId(at as u32)).collect();
    let elements = kinds.iter().enumerate().map(|(at, kind)| (read(at), *kind)).collect();
    let pass = simple::step(Compute::Apply(prim, operands), kind, elements, write(args.len()));
    pointwise(&args.iter().collect::<Vec<_>>(), &out, pass, Vec::new())?;
    Ok(out)
}

/// Reduces over axes. The result does not have these axes.
pub(crate) fn reduce(fold: Fold, tensor: CubeTensor, axes: &[usize]) -> Result<CubeTensor> {
    let dtype = check::reduce_dtype(fold, tensor.dtype);
    let out_shape = check::reduce(fold, tensor.shape(), tensor.dtype, axes)?;
    let out = CubeTensor::empty(&out_shape, dtype, tensor.device)?;
    fold_into(fold, &tensor, axes, &out)?;
    Ok(out)
}

/// Folds over axes. `out` has the other axes.
pub(crate) fn fold_into(fold: Fold, tensor: &CubeTensor, axes: &[usize], out: &CubeTensor) -> Result<()> {
    let (shape, strides) = (tensor.shape(), &tensor.layout.strides);
    let (reduced, kept): (Vec<usize>, Vec<usize>) = (0..shape.rank()).partition(|axis| axes.contains(axis));
    let outer = kept.iter().zip(out.layout.strides.iter());
    let outer = outer.map(|(axis, to)| Axis { size: shape[*axis], steps: vec![strides[*axis], *to] });
    let inner = reduced.iter().map(|axis| Axis { size: shape[*axis], steps: vec![strides[*axis], 0] });
    let [mut outer, mut inner] = [Nest { axes: outer.collect() }, Nest { axes: inner.collect() }];
    outer.merge();
    if !fold.finds_position() {
        inner.sort_by(&[0]);
    }
    inner.merge();
    launch::run(LoopPlan {
        device: tensor.device,
        reads: vec![Read::Memory(Memory::of(tensor))],
        writes: vec![Write { memory: Memory::of(out), over: None }],
        columns: Vec::new(),
        partials: Vec::new(),
        outer,
        inner,
        passes: simple::fold_passes(fold, tensor.dtype.kind(), read(0), Output { output: 0, operand: 1 }),
        scalars: Vec::new(),
        float: tensor.dtype.compute(),
    })
}

/// The elements in row-major order, in another shape of the same size. They are copied only if strides can't
/// express that shape.
pub(crate) fn reshape(tensor: CubeTensor, shape: Shape) -> Result<CubeTensor> {
    if *tensor.shape() == shape {
        return Ok(tensor);
    }
    check::reshape(tensor.shape(), &shape)?;
    if let Some(layout) = tensor.layout.reshape(&shape) {
        return Ok(tensor.with_layout(layout));
    }
    let tensor = contiguous(tensor)?;
    Ok(tensor.with_layout(Layout::row_major(&shape)))
}

/// Sets all elements to the same value.
pub(crate) fn fill(out: &CubeTensor, value: Scalar) -> Result<()> {
    let kind = out.dtype.kind();
    // The value in the tensor's dtype: a float is converted to an int by the rules of a cast.
    let value = match_dtype!(out.dtype, T => T::from_scalar(value).to_scalar());
    let pass = simple::store_uniform(kind, Uniform::Scalar(0), write(0));
    pointwise(&[], out, pass, vec![value])
}

fn read(operand: usize) -> Element {
    Element::Input { buffer: operand, operand }
}

fn write(operand: usize) -> Dest {
    Dest::Element(Output { output: 0, operand })
}

/// Runs a pass over tensors of the same shape.
fn pointwise(inputs: &[&CubeTensor], out: &CubeTensor, pass: PassPlan, scalars: Vec<Scalar>) -> Result<()> {
    let tensors = || inputs.iter().copied().chain([out]);
    let axis =
        |at: usize| Axis { size: out.shape()[at], steps: tensors().map(|t| t.layout.strides[at]).collect() };
    let mut inner = Nest { axes: (0..out.shape().rank()).map(axis).collect() };
    inner.sort_by(&(0..=inputs.len()).rev().collect::<Vec<_>>());
    inner.merge();
    let is_double = tensors().any(|tensor| tensor.dtype == DType::F64);
    launch::run(LoopPlan {
        device: out.device,
        reads: inputs.iter().map(|tensor| Read::Memory(Memory::of(tensor))).collect(),
        writes: vec![Write { memory: Memory::of(out), over: None }],
        columns: Vec::new(),
        partials: Vec::new(),
        outer: Nest::default(),
        inner,
        passes: vec![pass],
        scalars,
        float: if is_double { DType::F64 } else { DType::F32 },
    })
}

#[cfg(all(test, feature = "wgpu"))]
mod tests {
    use crate::device::open;
    use crate::kernel::whole::fill;
    use crate::storage::Types;
    use crate::tensor::CubeTensor;
    use cubecl::device::WgpuDeviceKind;
    use cubecl::future::block_on;
    use cubecl::ir::{ElemType, IntKind};
    use tensor_op_core::{DType, ErrorKind, Result, Shape};
    use tensor_op_spec::ir::Scalar;

    #[test]
    fn scalars_that_are_too_long_for_the_ints_of_a_device_are_refused() -> Result<()> {
        let device =
            cubecl::Device::wgpu(WgpuDeviceKind::DefaultDevice).expect("a GPU, or what poses as one");
        let mut device = open(&device, 0).expect("its driver works");
        let mut properties = device.properties().clone();
        properties.features.types.elem.remove(&ElemType::Int(IntKind::I64));
        device.types = Types::new(&properties);
        let out = CubeTensor::empty(&Shape::new(&[2]), DType::I64, Box::leak(Box::new(device)))?;
        let filled = |value| {
            fill(&out, Scalar::Int(value))?;
            block_on(CubeTensor::into_data_all(vec![out.clone()]))?.remove(0).into_vec::<i64>()
        };
        assert_eq!(filled(-(1 << 31))?, [-(1 << 31); 2]);
        for long in [1 << 31, -(1 << 40)] {
            assert_eq!(filled(long).unwrap_err().kind(), ErrorKind::DType);
        }
        Ok(())
    }
}

#[cfg(feature = "wgpu")]
#[cfg(test)]
mod digits_tests {
    use super::*;
    use crate::device::open;
    use crate::primitive;
    use cubecl::device::WgpuDeviceKind;
    use cubecl::future::block_on;
    use tensor_op_core::TensorData;

    /// Checks a function with the digits of halves against the same function of f64.
    fn check(prim: Prim, args: [Vec<f32>; 2], exact: fn(f64, f64) -> f64, tolerance: f64) {
        let device =
            cubecl::Device::wgpu(WgpuDeviceKind::DefaultDevice).expect("a GPU, or what poses as one");
        let device = Box::leak(Box::new(open(&device, 0).expect("its driver works")));
        let arity = prim.row().operands.len();
        let data = |values: &Vec<f32>| TensorData::new(values.clone(), [values.len()]).expect("a vector");
        let tensors = args.iter().take(arity).map(|values| CubeTensor::from_data(&data(values), device));
        let tensors: Vec<CubeTensor> = tensors.collect::<Result<_>>().expect("there is memory");
        let out = CubeTensor::empty(tensors[0].shape(), DType::F32, device).expect("there is memory");
        let operands = (0..arity).map(|at| ValueId(at as u32)).collect();
        let elements = (0..arity).map(|at| (read(at), Kind::Float)).collect();
        let pass = simple::step(Compute::Apply(prim, operands), Kind::Float, elements, write(arity));
        let pass = PassPlan { digits: Digits::OfHalves, ..pass };
        pointwise(&tensors.iter().collect::<Vec<_>>(), &out, pass, Vec::new()).expect("it runs");
        let found =
            block_on(primitive::into_data(out)).expect("it is read back").to_vec::<f32>().expect("f32");
        for ((x, y), found) in args[0].iter().zip(&args[1]).zip(found) {
            let (exact, found) = (exact(f64::from(*x), f64::from(*y)), f64::from(found));
            let is_alike = found == exact || (found.is_nan() && exact.is_nan());
            assert!(
                is_alike || (found - exact).abs() <= tolerance * exact.abs(),
                "{prim:?} of {x} and {y}: {found}, not {exact}"
            );
        }
    }

    #[test]
    fn functions_with_the_digits_of_halves() {
        let special = [0.0, -0.0, 1e-30, 0.2499, 0.25, 20.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
        let many = (0..4000).map(|at| (at as f32 - 2000.0) / 321.0);
        let x: Vec<f32> = special.into_iter().chain(many).collect();
        check(Prim::Tanh, [x.clone(), x.clone()], |x, _| x.tanh(), 1e-6);
        check(Prim::Erf, [x.clone(), x.clone()], |x, _| libm::erf(x), 4e-7);
        let normal: Vec<f32> = x.iter().copied().filter(|x| !(*x > 9.1 && x.is_finite())).collect();
        check(Prim::Erfc, [normal.clone(), normal], |x, _| libm::erfc(x), 6e-5);
        // Divisors whose reciprocals are no normal numbers, and special ones.
        let pairs =
            [(3.0, 2e38), (1e30, 3e38), (1e-30, 1e-37), (1.0, 0.0), (0.0, 0.0), (-2.0, f32::INFINITY)];
        let (a, b): (Vec<f32>, Vec<f32>) = pairs.into_iter().chain(x.iter().map(|x| (1.5, *x))).unzip();
        check(Prim::Div, [a, b], |a, b| a / b, 3e-7);
    }
}
