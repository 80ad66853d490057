//! A node: its inputs and attributes, from which an adapter takes what its op needs.

use crate::data::is_float;
use serde::Deserialize;
use std::collections::BTreeMap;
use tensor_op::{DType, Error, Tensor};

/// Why a case has no result.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The case needs something that is not stated here.
    Skip(&'static str),
    Failed(String),
}

pub(crate) type Outcome<T = Vec<Tensor>> = Result<T, Stop>;

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Failed(error.to_string())
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Attribute {
    Int(i64),
    Float(f64),
    Text(String),
    Ints(Vec<i64>),
    #[allow(dead_code, reason = "no operator here takes it, but files have it")]
    Floats(Vec<f64>),
}

pub(crate) struct Node {
    pub(crate) attributes: BTreeMap<String, Attribute>,
    pub(crate) inputs: Vec<Option<Tensor>>,
    /// How many results the node has.
    pub(crate) outputs: usize,
}

impl Node {
    pub(crate) fn optional(&self, place: usize) -> Option<Tensor> {
        self.inputs.get(place).cloned().flatten()
    }

    pub(crate) fn x(&self, place: usize) -> Outcome<Tensor> {
        self.optional(place).ok_or_else(|| Stop::Failed(format!("there is no input {place}")))
    }

    /// All inputs.
    pub(crate) fn all(&self) -> Outcome<Vec<Tensor>> {
        (0..self.inputs.len()).map(|place| self.x(place)).collect()
    }

    /// An input as numbers.
    pub(crate) fn numbers(&self, place: usize) -> Outcome<Option<Vec<f64>>> {
        self.optional(place).map(|x| Ok(x.cast(DType::F64)?.to_vec::<f64>()?)).transpose()
    }

    /// An input as whole numbers.
    pub(crate) fn ints(&self, place: usize) -> Outcome<Option<Vec<i64>>> {
        Ok(self.numbers(place)?.map(|all| all.into_iter().map(|value| value as i64).collect()))
    }

    /// The one number of an input.
    pub(crate) fn number(&self, place: usize) -> Outcome<Option<f64>> {
        Ok(self.numbers(place)?.and_then(|all| all.first().copied()))
    }

    pub(crate) fn int(&self, name: &str, default: i64) -> Outcome<i64> {
        match self.attributes.get(name) {
            None => Ok(default),
            Some(Attribute::Int(value)) => Ok(*value),
            Some(_) => Err(wrong(name)),
        }
    }

    pub(crate) fn flag(&self, name: &str, default: bool) -> Outcome<bool> {
        Ok(self.int(name, i64::from(default))? != 0)
    }

    pub(crate) fn real(&self, name: &str, default: f64) -> Outcome<f64> {
        match self.attributes.get(name) {
            None => Ok(default),
            Some(Attribute::Float(value)) => Ok(*value),
            Some(Attribute::Int(value)) => Ok(*value as f64),
            Some(_) => Err(wrong(name)),
        }
    }

    pub(crate) fn text<'n>(&'n self, name: &str, default: &'n str) -> Outcome<&'n str> {
        match self.attributes.get(name) {
            None => Ok(default),
            Some(Attribute::Text(text)) => Ok(text),
            Some(_) => Err(wrong(name)),
        }
    }

    pub(crate) fn list(&self, name: &str) -> Outcome<Option<Vec<i64>>> {
        match self.attributes.get(name) {
            None => Ok(None),
            Some(Attribute::Ints(values)) => Ok(Some(values.clone())),
            Some(_) => Err(wrong(name)),
        }
    }

    /// A list with one number for each axis.
    pub(crate) fn each(&self, name: &str, axes: usize, default: i64) -> Outcome<Vec<i64>> {
        Ok(self.list(name)?.unwrap_or_else(|| vec![default; axes]))
    }
}

fn wrong(name: &str) -> Stop {
    Stop::Failed(format!("the attribute `{name}` is of another type"))
}

/// Runs an op of floats on ints too: they go there and back through f64, which holds them exactly.
pub(crate) fn through_floats(
    x: Tensor,
    op: impl FnOnce(Tensor) -> tensor_op::Result<Tensor>,
) -> tensor_op::Result<Tensor> {
    let dtype = x.dtype();
    if is_float(dtype) { op(x) } else { op(x.cast(DType::F64)?)?.cast(dtype) }
}
