//! The arguments of a call, from which an adapter for PyTorch's signature takes them: by position or by name.

use crate::data::is_float;
use tensor_op::{DType, Device, Error, Tensor};

/// Why a sample has no result.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The sample needs something that the language can't express.
    Skip(&'static str),
    /// An argument has a form that the adapter doesn't know.
    Argument(String),
    Failed(Error),
}

pub(crate) type Outcome<T = Vec<Tensor>> = Result<T, Stop>;

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Failed(error)
    }
}

#[derive(Debug)]
pub(crate) enum Argument {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<Argument>),
    Tensor(Tensor),
    /// A value that only Python has, as Python prints it.
    Python(String),
}

pub(crate) struct Call {
    pub(crate) input: Argument,
    pub(crate) args: Vec<Argument>,
    pub(crate) kwargs: Vec<(String, Argument)>,
}

impl Call {
    /// The argument at a position, where 0 is the input, or with a name. `None` is an argument that is left
    /// out.
    pub(crate) fn get(&self, place: usize, name: &str) -> &Argument {
        let named = || self.kwargs.iter().find(|(of, _)| of == name).map(|(_, argument)| argument);
        let placed = if place == 0 { Some(&self.input) } else { self.args.get(place - 1) };
        placed.or_else(named).unwrap_or(&Argument::None)
    }

    /// The number of arguments without names after the input.
    pub(crate) fn places(&self) -> usize {
        self.args.len()
    }

    /// The input.
    pub(crate) fn x(&self) -> Outcome<Tensor> {
        self.float(0, "input")
    }

    /// A tensor of any dtype. A number becomes a tensor without axes.
    pub(crate) fn tensor(&self, place: usize, name: &str) -> Outcome<Tensor> {
        self.get(place, name).tensor().ok_or_else(|| self.wrong(name, "a tensor"))?
    }

    /// A tensor of floats. Other tensors are cast.
    pub(crate) fn float(&self, place: usize, name: &str) -> Outcome<Tensor> {
        let tensor = self.tensor(place, name)?;
        Ok(if is_float(tensor.dtype()) { tensor } else { tensor.cast(DType::F64)? })
    }

    /// Does the same as [`Call::float`], for an argument that may be left out.
    pub(crate) fn optional(&self, place: usize, name: &str) -> Outcome<Option<Tensor>> {
        if matches!(self.get(place, name), Argument::None) {
            Ok(None)
        } else {
            self.float(place, name).map(Some)
        }
    }

    /// A tensor of ints. Other tensors are cast.
    pub(crate) fn ints(&self, place: usize, name: &str) -> Outcome<Tensor> {
        let tensor = self.tensor(place, name)?;
        Ok(if is_float(tensor.dtype()) || tensor.dtype() == DType::Bool {
            tensor.cast(DType::I64)?
        } else {
            tensor
        })
    }

    /// A tensor of bools. Other tensors are cast.
    pub(crate) fn bools(&self, place: usize, name: &str) -> Outcome<Tensor> {
        Ok(self.tensor(place, name)?.cast(DType::Bool)?)
    }

    /// All tensors of a list, or the input and the tensors after it.
    pub(crate) fn tensors(&self) -> Outcome<Vec<Tensor>> {
        if let Argument::List(list) = &self.input {
            let tensors = list
                .iter()
                .map(|one| one.tensor().ok_or_else(|| self.wrong("input", "a list of tensors"))?);
            return tensors.collect();
        }
        (0..=self.places()).map(|place| self.tensor(place, "")).collect()
    }

    pub(crate) fn number(&self, place: usize, name: &str) -> Outcome<Option<f64>> {
        Ok(match self.get(place, name) {
            Argument::None => None,
            Argument::Float(value) => Some(*value),
            Argument::Int(value) => Some(*value as f64),
            Argument::Bool(value) => Some(f64::from(u8::from(*value))),
            Argument::Tensor(tensor) if tensor.elements() == 1 => {
                Some(tensor.cast(DType::F64)?.item::<f64>()?)
            }
            _ => return Err(self.wrong(name, "a number")),
        })
    }

    pub(crate) fn int(&self, place: usize, name: &str) -> Outcome<Option<i64>> {
        match self.get(place, name) {
            Argument::None => Ok(None),
            Argument::Int(value) => Ok(Some(*value)),
            Argument::Bool(value) => Ok(Some(i64::from(*value))),
            Argument::Tensor(tensor) if tensor.elements() == 1 => {
                Ok(Some(tensor.cast(DType::I64)?.item::<i64>()?))
            }
            _ => Err(self.wrong(name, "an int")),
        }
    }

    pub(crate) fn flag(&self, place: usize, name: &str, default: bool) -> Outcome<bool> {
        match self.get(place, name) {
            Argument::None => Ok(default),
            Argument::Bool(value) => Ok(*value),
            Argument::Int(value) => Ok(*value != 0),
            _ => Err(self.wrong(name, "a bool")),
        }
    }

    pub(crate) fn text<'c>(&'c self, place: usize, name: &str, default: &'c str) -> Outcome<&'c str> {
        match self.get(place, name) {
            Argument::None => Ok(default),
            Argument::Text(text) => Ok(text),
            _ => Err(self.wrong(name, "text")),
        }
    }

    /// A list of ints. A single int is a list of one.
    pub(crate) fn list(&self, place: usize, name: &str) -> Outcome<Option<Vec<i64>>> {
        match self.get(place, name) {
            Argument::List(list) => {
                let ints = list.iter().map(|one| match one {
                    Argument::Int(value) => Ok(*value),
                    _ => Err(self.wrong(name, "a list of ints")),
                });
                ints.collect::<Outcome<_>>().map(Some)
            }
            _ => Ok(self.int(place, name)?.map(|one| vec![one])),
        }
    }

    /// Sizes, as one list or as the arguments from this position on: `x.view(2, 3)`.
    pub(crate) fn rest(&self, place: usize, name: &str) -> Outcome<Vec<i64>> {
        if let Argument::Int(_) = self.get(place, name) {
            return (place..=self.places())
                .map(|place| Ok(self.int(place, "")?.unwrap_or_default()))
                .collect();
        }
        self.list(place, name)?.ok_or_else(|| self.wrong(name, "sizes"))
    }

    pub(crate) fn wrong(&self, name: &str, wanted: &str) -> Stop {
        Stop::Argument(format!("`{name}` is not {wanted}"))
    }
}

impl Argument {
    fn tensor(&self) -> Option<Outcome<Tensor>> {
        let device = Device::default();
        match self {
            Argument::Tensor(tensor) => Some(Ok(tensor.clone())),
            Argument::Float(value) => Some(Tensor::scalar(*value, &device).map_err(Stop::Failed)),
            Argument::Int(value) => Some(Tensor::scalar(*value, &device).map_err(Stop::Failed)),
            Argument::Bool(value) => Some(Tensor::scalar(*value, &device).map_err(Stop::Failed)),
            Argument::None | Argument::Text(_) | Argument::List(_) | Argument::Python(_) => None,
        }
    }
}
