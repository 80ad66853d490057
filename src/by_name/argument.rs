//! What is passed to a function by name, and how the arguments of an op are made of it.

use crate::tensor::next_seed;
use crate::{__private, Axes, Backend, Device, Error, ErrorKind, Number, Op, Result, Tensor};
use std::fmt;
use tensor_op_core::Value;
use tensor_op_spec::ir::{Arg, ArgType, Kind, Scalar, ScalarType};

type Inner = <__private::Default as Backend>::Tensor;

/// An argument of [`call`](crate::call). `From` makes one of a tensor, a number, a bool or [`Axes`].
#[derive(Clone, Debug)]
pub enum Argument {
    /// A tensor.
    Tensor(Tensor),
    /// A number: a float, an int, a size, an axis, or a seed.
    Number(Number),
    /// A bool.
    Bool(bool),
    /// A list of numbers; a number stands for a list of equal ones.
    List(Vec<Number>),
    /// A set of axes.
    Axes(Axes),
    /// The default that the declaration has.
    Default,
}

impl From<&Tensor> for Argument {
    fn from(tensor: &Tensor) -> Argument {
        Argument::Tensor(tensor.clone())
    }
}

macro_rules! from {
    ($($ty:ty, $value:ident => $argument:expr;)*) => {$(
        impl From<$ty> for Argument {
            fn from($value: $ty) -> Argument {
                $argument
            }
        }
    )*};
}
from! {
    Tensor, tensor => Argument::Tensor(tensor);
    Number, number => Argument::Number(number);
    f64, x => Argument::Number(x.into());
    f32, x => Argument::Number(x.into());
    i64, n => Argument::Number(n.into());
    i32, n => Argument::Number(n.into());
    usize, n => Argument::Number(n.into());
    bool, is => Argument::Bool(is);
    Axes, axes => Argument::Axes(axes);
    &[usize], list => Argument::List(list.iter().map(|n| (*n).into()).collect());
    &[i64], list => Argument::List(list.iter().map(|n| (*n).into()).collect());
    &[f64], list => Argument::List(list.iter().map(|x| (*x).into()).collect());
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Argument::Tensor(tensor) => write!(f, "a tensor of {}", tensor.dtype()),
            Argument::Number(number) => write!(f, "the number {number}"),
            Argument::Bool(is) => write!(f, "the bool {is}"),
            Argument::List(list) => {
                let list: Vec<String> = list.iter().map(Number::to_string).collect();
                write!(f, "the list [{}]", list.join(", "))
            }
            Argument::Axes(axes) => write!(f, "the axes {axes}"),
            Argument::Default => f.write_str("the default"),
        }
    }
}

/// Runs the formula whose tensors are of the kinds that are given.
pub(super) fn run(name: &str, formulas: &[&'static dyn Op], given: &[Argument]) -> Result<Vec<Tensor>> {
    // The formulas of an op have the same lists.
    let given = elements(&formulas[0].spec().graph().args, given).map_err(|error| error.with_op(name))?;
    let op = chosen(name, formulas, &given)?;
    let declared = &op.spec().graph().args;
    let device = given.iter().find_map(device).unwrap_or_default();
    let mut args: Vec<Value<Inner>> = Vec::with_capacity(declared.len());
    for (arg, given) in declared.iter().zip(&given) {
        let like = declared.iter().position(|other| arg.like.as_ref() == Some(&other.name));
        let value = match (given, like) {
            (Argument::Default, Some(like)) => Ok(args[like].clone()),
            (_, _) => value(arg, given, &device),
        };
        let called = arg.list.as_ref().unwrap_or(&arg.name);
        args.push(value.map_err(|error| error.with_arg(called).with_op(name))?);
    }
    #[cfg(feature = "testing")]
    crate::run_log::note(op);
    let results = __private::Default::run(op, args, &op.spec().graph().visible());
    let results = results.map_err(|error| error.renamed(name))?;
    Ok(results.into_iter().flatten().map(Tensor::from_primitive).collect())
}

/// What is passed for each argument, where lists are taken apart.
fn elements(declared: &[Arg], given: &[Argument]) -> Result<Vec<Argument>> {
    let params: Vec<&[Arg]> = declared.chunk_by(Arg::shares_list).collect();
    let name = |args: &&[Arg]| args[0].list.clone().unwrap_or_else(|| args[0].name.clone());
    if given.len() > params.len() {
        let names: Vec<String> = params.iter().map(name).collect();
        let message = format!("takes {}: {} arguments are too many", names.join(", "), given.len());
        return Err(Error::new(ErrorKind::Length, message));
    }
    let mut elements = Vec::with_capacity(declared.len());
    for (args, given) in params.iter().zip(given.iter().chain(std::iter::repeat(&Argument::Default))) {
        match given {
            Argument::List(list) if args[0].list.is_some() && list.len() == args.len() => {
                elements.extend(list.iter().copied().map(Argument::Number));
            }
            Argument::List(list) if args[0].list.is_some() => {
                let message = format!("is a list of {}, and here are {}", args.len(), list.len());
                return Err(Error::new(ErrorKind::Length, message).with_arg(&name(args)));
            }
            one => elements.extend(std::iter::repeat_n(one.clone(), args.len())),
        }
    }
    Ok(elements)
}

/// The first formula that takes tensors of these kinds.
fn chosen(name: &str, formulas: &[&'static dyn Op], given: &[Argument]) -> Result<&'static dyn Op> {
    let taken = |op: &&dyn Op, place: usize| match op.spec().graph().args.get(place)?.ty {
        ArgType::Tensor { kind, .. } => Some(kind),
        ArgType::Shape { .. } | ArgType::Scalar { .. } | ArgType::Axis { .. } => None,
    };
    let mut left: Vec<&'static dyn Op> = formulas.to_vec();
    for (place, arg) in given.iter().enumerate() {
        let Argument::Tensor(tensor) = arg else { continue };
        let found = tensor.dtype();
        let mut kinds: Vec<Kind> = left.iter().filter_map(|op| taken(op, place)).collect();
        // What takes no tensor here is refused with the name of the argument, later.
        left.retain(|op| taken(op, place).is_none_or(|kind| kind == found.kind()));
        if left.is_empty() {
            kinds.sort_unstable();
            kinds.dedup();
            let kinds: Vec<String> = kinds.iter().map(Kind::to_string).collect();
            let message = format!("is a tensor of {found}, and the function takes {}", kinds.join(" or "));
            let error = Error::new(ErrorKind::DType, message);
            return Err(match formulas[0].spec().graph().args.get(place) {
                Some(arg) => error.with_arg(&arg.name).with_op(name),
                None => error.with_op(name),
            });
        }
    }
    Ok(left[0])
}

fn device(arg: &Argument) -> Option<Device> {
    match arg {
        Argument::Tensor(tensor) => Some(tensor.device()),
        Argument::Number(_) | Argument::Bool(_) | Argument::List(_) | Argument::Axes(_) => None,
        Argument::Default => None,
    }
}

fn value(arg: &Arg, given: &Argument, device: &Device) -> Result<Value<Inner>> {
    match &arg.ty {
        ArgType::Tensor { .. } => match given {
            Argument::Tensor(tensor) => Ok(Value::Tensor(tensor.primitive().clone())),
            Argument::Number(_) | Argument::Bool(_) | Argument::List(_) | Argument::Axes(_) => {
                Err(wrong(given, "a tensor"))
            }
            Argument::Default => Err(missing("a tensor")),
        },
        ArgType::Scalar { ty, default } => scalar(*ty, *default, given, device).map(Value::Scalar),
        ArgType::Axis { default, several } => axis(*default, *several, given).map(Value::Scalar),
        ArgType::Shape { .. } => {
            Err(Error::new(ErrorKind::Unsupported, "is a shape, which only gradients take"))
        }
    }
}

fn scalar(ty: ScalarType, default: Option<Scalar>, given: &Argument, device: &Device) -> Result<Scalar> {
    let wanted = match ty {
        ScalarType::F64 | ScalarType::F32 | ScalarType::Fraction => "a number",
        ScalarType::I64 | ScalarType::Seed => "a whole number",
        ScalarType::Usize => "a whole number from 0 on",
        ScalarType::Bool => "a bool",
    };
    match (given, ty) {
        (Argument::Default, ScalarType::Seed) => Ok(Scalar::Int(next_seed(device))),
        (Argument::Default, _) => default.ok_or_else(|| missing(wanted)),
        (Argument::Bool(is), ScalarType::Bool) => Ok(Scalar::Bool(*is)),
        (Argument::Number(number), ScalarType::F32) => match number.of_kind(Kind::Float) {
            Ok(Scalar::Float(x)) => Ok(Scalar::Float(f64::from(x as f32))),
            Ok(_) | Err(_) => Err(wrong(given, wanted)),
        },
        (Argument::Number(Number::Int(n)), ScalarType::Usize) if *n < 0 => Err(wrong(given, wanted)),
        (Argument::Number(number), _) if ty != ScalarType::Bool => {
            number.of_kind(ty.kind()).map_err(|_| wrong(given, wanted))
        }
        (Argument::Tensor(_) | Argument::Number(_) | Argument::Bool(_), _) => Err(wrong(given, wanted)),
        (Argument::List(_) | Argument::Axes(_), _) => Err(wrong(given, wanted)),
    }
}

fn axis(default: Option<i64>, several: bool, given: &Argument) -> Result<Scalar> {
    let wanted = if several { "axes" } else { "an axis" };
    match given {
        Argument::Default => default.map(Scalar::Int).ok_or_else(|| missing(wanted)),
        Argument::Number(Number::Int(n)) => match i64::try_from(*n) {
            Ok(axis) if several => Axes::of(&[axis]).code().map(Scalar::Int),
            Ok(axis) => Ok(Scalar::Int(axis)),
            Err(_) => Err(wrong(given, wanted)),
        },
        Argument::Axes(axes) if several => axes.code().map(Scalar::Int),
        Argument::Tensor(_) | Argument::Number(_) | Argument::Bool(_) => Err(wrong(given, wanted)),
        Argument::List(_) | Argument::Axes(_) => Err(wrong(given, wanted)),
    }
}

fn wrong(given: &Argument, wanted: &str) -> Error {
    Error::new(ErrorKind::DType, format!("is {given}, and the function takes {wanted}"))
}

fn missing(wanted: &str) -> Error {
    Error::new(ErrorKind::Length, format!("is missing, and has no default: pass {wanted}"))
}
