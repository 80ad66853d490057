//! What decides how a call runs. Calls with equal keys do the same work on other memory.

use crate::kernel::way::CpuKernels;
use crate::tensor::NdArrayTensor;
use smallvec::SmallVec;
use std::ops::Deref;
use std::ptr;
use std::sync::OnceLock;
use tensor_op_core::{Spec, Value};
use tensor_op_spec::ir::{ArgType, DimKind, Graph, Op, Scalar, ScalarType};

/// The key of a call, as numbers.
#[derive(Default)]
pub(super) struct Key {
    numbers: SmallVec<[u64; 32]>,
    /// For each tensor among the arguments, whether a result may be written over it, as the key says. Another
    /// thread may give its clone up in the meantime.
    pub(super) unique: SmallVec<[bool; 8]>,
}

/// Calls with more elements than this take so long that it does not matter how they are planned.
pub(super) const MOST_ELEMENTS: usize = 1 << 15;

impl Deref for Key {
    type Target = [u64];
    fn deref(&self) -> &[u64] {
        &self.numbers
    }
}

impl Key {
    /// Writes the key of a call; `None` if the call is not kept.
    pub(super) fn fill(
        &mut self,
        spec: &Spec,
        kernels: Option<&'static CpuKernels>,
        args: &mut [Value<NdArrayTensor>],
        wanted: &[bool],
    ) -> Option<()> {
        let key = &mut self.numbers;
        key.push(spec.id());
        key.push(kernels.map_or(0, |kernels| ptr::from_ref(kernels).addr() as u64));
        key.push(wanted.len() as u64);
        for flags in wanted.chunks(64) {
            key.push(flags.iter().fold(0, |bits, wanted| bits << 1 | u64::from(*wanted)));
        }
        let mut left = MOST_ELEMENTS;
        for (index, arg) in args.iter_mut().enumerate() {
            match arg {
                Value::Tensor(tensor) => {
                    left = left.checked_sub(tensor.elements())?;
                    let is_unique = tensor.is_unique();
                    self.unique.push(is_unique);
                    add_tensor(key, tensor, is_unique)?;
                }
                Value::Shape(shape) => {
                    key.push(tag(SHAPE, shape.rank(), 0));
                    key.extend(shape.iter().map(|size| *size as u64));
                }
                Value::Scalar(scalar) => {
                    key.push(tag(SCALAR, scalar.kind() as usize, 0));
                    if decides(spec, index) {
                        key.push(bits(*scalar));
                    }
                }
            }
        }
        Some(())
    }
}

const TENSOR: u64 = 1;
const SHAPE: u64 = 2;
const SCALAR: u64 = 3;

fn tag(argument: u64, count: usize, rest: u64) -> u64 {
    argument | (count as u64) << 2 | rest << 32
}

/// The dtype and layout of a tensor, and whether a result may be written over it. `None` if a number is too
/// large for its place.
fn add_tensor(key: &mut SmallVec<[u64; 32]>, tensor: &NdArrayTensor, is_unique: bool) -> Option<()> {
    let dtype = tensor.dtype() as u64;
    let layout = tensor.layout();
    key.push(tag(TENSOR, layout.shape.rank(), dtype << 1 | u64::from(is_unique)));
    for (size, stride) in layout.shape.iter().zip(&layout.strides) {
        let (size, stride) = (u32::try_from(*size).ok()?, i32::try_from(*stride).ok()?);
        key.push(u64::from(size) << 32 | u64::from(stride.cast_unsigned()));
    }
    Some(())
}

fn bits(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::Float(value) => value.to_bits(),
        Scalar::Int(value) => value.cast_unsigned(),
        Scalar::Bool(value) => u64::from(value),
    }
}

/// For each argument of an op, whether its number decides more than what is computed at each point: sizes,
/// axes, positions, or whether the call is an error.
#[derive(Debug, Default)]
struct Deciding(OnceLock<Vec<bool>>);

fn decides(spec: &Spec, index: usize) -> bool {
    let Deciding(deciding) = spec.memo();
    deciding.get_or_init(|| of_graph(spec.graph())).get(index).copied().unwrap_or(true)
}

fn of_graph(graph: &Graph) -> Vec<bool> {
    let in_dims = graph.dims.iter().flat_map(|dim| match &dim.kind {
        DimKind::Computed(size) => size.args(),
        DimKind::Group | DimKind::Named | DimKind::Fixed(_) => Vec::new(),
        DimKind::Axis(arg) | DimKind::Sized(arg) => vec![*arg],
    });
    let positions = graph.nodes.iter().filter_map(|node| match &node.op {
        Op::Window { position, .. } => Some(position),
        Op::Input(_) | Op::Literal(_) | Op::Seed(_) | Op::Len(_) | Op::Iota(_) | Op::Cast(_) => None,
        Op::Apply(..) | Op::Reduce(..) | Op::Scan { .. } | Op::Order { .. } => None,
        Op::At { .. } | Op::Scatter { .. } | Op::StopGrad(_) | Op::Given { .. } => None,
    });
    let in_windows = positions.flat_map(|position| position.sizes().flat_map(|size| size.args()));
    let named: Vec<usize> = in_dims.chain(in_windows).collect();
    let decides = |index: usize, ty: &ArgType| match ty {
        ArgType::Tensor { .. } | ArgType::Shape { .. } | ArgType::Axis { .. } => true,
        ArgType::Scalar { ty, .. } => match ty {
            ScalarType::Fraction | ScalarType::Usize => true,
            ScalarType::I64 | ScalarType::Seed | ScalarType::Bool => named.contains(&index),
            ScalarType::F64 | ScalarType::F32 => false,
        },
    };
    graph.args.iter().enumerate().map(|(index, arg)| decides(index, &arg.ty)).collect()
}
