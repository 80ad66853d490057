//! Elementwise primitives on tensors. Each has one body, which runs as a pointwise loop.

use crate::block::{ByKind, PassFns};
use crate::bodies::body;
use crate::kernel::plan::{Base, Body, Dest, LoopPlan, Operand, PassPlan};
use crate::kernel::real::{Real, match_real};
use crate::kernel::rows;
use crate::layout::Few;
use crate::nest::Nest;
use crate::parallel::Shared;
use crate::tensor::NdArrayTensor;
use tensor_op_core::{DType, Error, ErrorKind, Result, check};
use tensor_op_spec::ir::Kind;
use tensor_op_spec::prim::Prim;

/// Applies a primitive to tensors of the same shape.
pub(crate) fn apply(prim: Prim, args: Vec<NdArrayTensor>) -> Result<NdArrayTensor> {
    let kinds: Few<Kind> = args.iter().map(|arg| arg.dtype().kind()).collect();
    let (Some(result), Some(last)) = (prim.result_kind(&kinds), args.last()) else {
        return Err(wrong_kinds(prim, &args));
    };
    let body = body(prim, last.dtype().kind()).ok_or_else(|| wrong_kinds(prim, &args))?;
    check::apply(prim, &args.iter().map(|arg| (arg.shape(), arg.dtype())).collect::<Vec<_>>())?;
    let dtype = if result == Kind::Bool { DType::Bool } else { last.dtype() };
    match_real!(float_dtype(&args), E => run::<E>(body, args, dtype))
}

fn float_dtype(args: &[NdArrayTensor]) -> DType {
    args.iter().map(NdArrayTensor::dtype).find(|dtype| dtype.kind() == Kind::Float).unwrap_or(DType::F32)
}

fn run<E: Real>(body: &'static PassFns, mut args: Vec<NdArrayTensor>, dtype: DType) -> Result<NdArrayTensor> {
    let shape = args.first().map(|arg| arg.shape().clone()).unwrap_or_default();
    let strides: Few<Few<isize>> = args.iter().map(|arg| arg.layout().strides.clone()).collect();
    let mut operands: Vec<Operand> = args.iter().map(operand).collect();
    let reused = args
        .iter_mut()
        .position(|arg| arg.dtype() == dtype && arg.layout().is_contiguous() && arg.is_unique());
    let mut result = match reused {
        Some(index) => args.swap_remove(index),
        None => NdArrayTensor::recycled(&shape, dtype)?,
    };
    let base = Base::Memory(Shared(result.as_mut_ptr().expect("a new or unique buffer has one owner")));
    operands.push(Operand { base, dtype, in_place: reused.is_some() });
    let mut elements = ByKind::<Vec<usize>, Vec<usize>, Vec<usize>>::default();
    for (index, operand) in operands[..strides.len()].iter().enumerate() {
        match operand.dtype.kind() {
            Kind::Float => elements.floats.push(index),
            Kind::Int => elements.ints.push(index),
            Kind::Bool => elements.bools.push(index),
        }
    }
    let out = strides.len();
    let of_kind = |kind| if dtype.kind() == kind { vec![Dest::Element(out)] } else { Vec::new() };
    let results =
        ByKind { floats: of_kind(Kind::Float), ints: of_kind(Kind::Int), bools: of_kind(Kind::Bool) };
    let pass = PassPlan::<E> {
        body: Body::Compiled(body),
        program: None,
        per_row: false,
        uniforms: ByKind::default(),
        row_uniforms: Vec::new(),
        elements,
        results,
    };
    let mut inner = Nest::new(out + 1);
    for (axis, size) in shape.iter().enumerate() {
        let all = strides.iter().chain([&result.layout().strides]);
        inner.push(*size, all.map(|strides| strides[axis]));
    }
    inner.sort_by(&[out]);
    inner.merge();
    let outer = Nest::new(out + 1);
    let (passes, columns, windows) = (vec![pass], Vec::new(), Vec::new());
    rows::run(&LoopPlan { operands, outer, inner, passes, statistics: 0, columns, windows, kept: 0 })?;
    Ok(result)
}

fn operand(tensor: &NdArrayTensor) -> Operand {
    let base = Base::Memory(Shared(tensor.as_ptr().cast_mut()));
    Operand { base, dtype: tensor.dtype(), in_place: false }
}

fn wrong_kinds(prim: Prim, args: &[NdArrayTensor]) -> Error {
    let found: Vec<&str> = args.iter().map(|arg| arg.dtype().name()).collect();
    let message = format!("does not take {} operands of {}", args.len(), found.join(", "));
    Error::new(ErrorKind::DType, message).with_op(prim.row().name)
}
