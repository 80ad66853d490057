//! The values of a recorded call. The arguments are the first ones, and each tensor that a step makes is the
//! next one.

use crate::layout::{Few, Layout};
use crate::parallel::Shared;
use crate::tensor::NdArrayTensor;
use smallvec::SmallVec;
use tensor_op_core::{Shape, Value};
use tensor_op_spec::ir::Scalar;

/// A value, or a view of one.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) value: usize,
    /// The layout of the view, with its place counted from the first element of the value.
    pub(super) view: Option<(Shape, Few<isize>, isize)>,
}

/// The values of a call.
pub(super) struct Values {
    args: Vec<Value<NdArrayTensor>>,
    made: SmallVec<[Option<NdArrayTensor>; 4]>,
}

impl Values {
    /// The arguments of a call.
    pub(super) fn new(args: Vec<Value<NdArrayTensor>>) -> Values {
        Values { args, made: SmallVec::new() }
    }

    /// Adds a tensor that a step has made.
    pub(super) fn push(&mut self, tensor: NdArrayTensor) {
        self.made.push(Some(tensor));
    }

    /// The tensor that is a value.
    pub(super) fn tensor(&self, value: usize) -> &NdArrayTensor {
        let made = value.checked_sub(self.args.len());
        let tensor = match made {
            Some(made) => self.made[made].as_ref(),
            None => self.args[value].tensor(),
        };
        tensor.expect(IN_ORDER)
    }

    /// The tensor that is a value, for writing.
    pub(super) fn tensor_mut(&mut self, value: usize) -> &mut NdArrayTensor {
        let made = value.checked_sub(self.args.len());
        let tensor = match made {
            Some(made) => self.made[made].as_mut(),
            None => match &mut self.args[value] {
                Value::Tensor(tensor) => Some(tensor),
                Value::Scalar(_) | Value::Shape(_) => None,
            },
        };
        tensor.expect(IN_ORDER)
    }

    /// The number that is an argument.
    pub(super) fn scalar(&self, arg: usize) -> Scalar {
        match &self.args[arg] {
            Value::Scalar(scalar) => *scalar,
            Value::Tensor(_) | Value::Shape(_) => unreachable!("{IN_ORDER}"),
        }
    }

    /// The first element of a value or of the view of it, which has the type `E`.
    pub(super) fn start<E>(&self, part: &Part) -> Shared<E> {
        let start = self.tensor(part.value).as_ptr().cast_mut().cast::<E>();
        Shared(part.view.as_ref().map_or(start, |(_, _, distance)| start.wrapping_offset(*distance)))
    }

    /// The value or the view of it.
    pub(super) fn part(&self, part: &Part) -> NdArrayTensor {
        part.of(self.tensor(part.value).clone())
    }

    /// The tensor that is a value, at its last use.
    pub(super) fn take(&mut self, value: usize) -> Option<NdArrayTensor> {
        match value.checked_sub(self.args.len()) {
            Some(made) => self.made[made].take(),
            None => {
                std::mem::replace(&mut self.args[value], Value::Scalar(Scalar::Bool(false))).into_tensor()
            }
        }
    }
}

/// Why a value is there.
const IN_ORDER: &str = "a tape runs the steps of its call in their order, with arguments of the same kinds";

impl Part {
    /// This part of a tensor.
    pub(super) fn of(&self, tensor: NdArrayTensor) -> NdArrayTensor {
        let Some((shape, strides, start)) = &self.view else { return tensor };
        let offset = tensor.layout().offset.wrapping_add_signed(*start);
        tensor.with_layout(Layout { shape: shape.clone(), strides: strides.clone(), offset })
    }
}
