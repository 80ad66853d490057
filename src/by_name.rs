//! Functions that are found by a name at run time: the ops of the catalogue, and what a program registers.

mod argument;

pub use argument::Argument;

use crate::catalogue;
use crate::{Error, ErrorKind, Op, Result, Tensor};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

/// A function with a name.
#[derive(Clone)]
enum Named {
    /// The formulas of an op, which differ in the kinds of their tensors.
    Op(Vec<&'static dyn Op>),
    /// A function of this number of tensors.
    Function(usize, Arc<Function>),
}

type Function = dyn Fn(&[Tensor]) -> Result<Tensor> + Send + Sync;

static REGISTERED: LazyLock<RwLock<BTreeMap<String, Named>>> = LazyLock::new(|| RwLock::new(of_catalogue()));

/// Gives a function of tensors a name, by which [`call`] and [`function`] find it in the whole program. Its
/// argument is an array, so that its number of tensors is known. Gradients flow through the ops that it
/// calls.
///
/// ```
/// use tensor_op::{call, function, grad, register_function};
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// register_function("cubed_difference", |[x, y]| {
///     let d = (x - y)?;
///     (&d * &d)? * &d
/// })?;
/// let [x, y] = [3.0, 1.0].map(|x| Tensor::from([x]));
/// let z = call("cubed_difference", &[(&x).into(), (&y).into()])?;
/// assert_eq!(z[0].to_vec::<f64>()?, [8.0]);
/// let gradients = grad(function("cubed_difference")?)(&[x, y])?;
/// assert_eq!(gradients[0].to_vec::<f64>()?, [12.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The name is empty, or a function has it already: an op of the catalogue, or one that was registered. No
/// function is ever replaced, so that a name means the same thing everywhere.
pub fn register_function<const N: usize>(
    name: &str,
    function: impl Fn(&[Tensor; N]) -> Result<Tensor> + Send + Sync + 'static,
) -> Result<()> {
    let called = name.to_string();
    let function = move |tensors: &[Tensor]| {
        let found = tensors.len();
        let tensors = tensors.try_into().map_err(|_| wrong_count(&called, N, found))?;
        function(tensors)
    };
    register("register_function", name, Named::Function(N, Arc::new(function)))
}

/// Gives a declared op a name, by which [`call`] and [`function`] find it in the whole program. It takes its
/// scalars too, with their defaults. An op of several formulas is registered by all of them: a call takes the
/// first whose tensors are of the kinds that it was given.
///
/// ```
/// use tensor_op::{call, register_op};
/// use tensor_op::prelude::*;
///
/// #[tensor_op]
/// fn scaled(x: NumTensor, #[default(2)] by: Number) -> NumTensor {
///     x * by
/// }
///
/// # fn main() -> Result<()> {
/// register_op("my scaled", &[&ScaledFloat, &ScaledInt])?;
/// let x = Tensor::from([1.5, 2.0]);
/// assert_eq!(call("my scaled", &[(&x).into()])?[0].to_vec::<f64>()?, [3.0, 4.0]);
/// let ids = Tensor::from([1, 2]);
/// assert_eq!(call("my scaled", &[(&ids).into(), 3.into()])?[0].to_vec::<i32>()?, [3, 6]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The name is empty, a function has it already, or there is no formula.
pub fn register_op(name: &str, formulas: &[&'static dyn Op]) -> Result<()> {
    if formulas.is_empty() {
        let message = format!("`{name}` has no formula; pass one, such as `&[&Softmax]`");
        return Err(Error::new(ErrorKind::Length, message).with_op("register_op"));
    }
    register("register_op", name, Named::Op(formulas.to_vec()))
}

/// Calls a function by its name, and returns its results. An argument of an op may be
/// [`Argument::Default`], and defaults at the end may be left out.
///
/// Every op of the catalogue has a name: that of its function, such as `softmax` and `add`. Of an op that
/// chooses among formulas by other things than the kind of tensors, each formula has a name:
/// `linear_with_bias`, `mse_loss_mean`, `sort_descending`. An op without tensors takes one at its end, which
/// says the dtype and the device.
///
/// ```
/// use tensor_op::call;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]);
/// assert_eq!(call("sum", &[(&x).into(), 0.into()])?[0].to_vec::<f64>()?, [4.0, 6.0]);
/// assert_eq!(call("add", &[(&x).into(), (&x).into()])?[0].to_vec::<f64>()?, [2.0, 4.0, 6.0, 8.0]);
///
/// let error = call("sofmax", &[(&x).into()]).unwrap_err();
/// assert_eq!(error.to_string(), "call: there is no function `sofmax`; there is `softmax`, `fmax`");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// No function has this name, an argument is missing, too many or of a wrong type or kind, or the function
/// fails.
pub fn call(name: &str, args: &[Argument]) -> Result<Vec<Tensor>> {
    match find("call", name)? {
        Named::Op(formulas) => argument::run(name, &formulas, args),
        Named::Function(count, function) => {
            if args.len() != count {
                return Err(wrong_count(name, count, args.len()));
            }
            let tensors = args.iter().enumerate().map(|(place, arg)| match arg {
                Argument::Tensor(tensor) => Ok(tensor.clone()),
                Argument::Number(_)
                | Argument::Bool(_)
                | Argument::List(_)
                | Argument::Axes(_)
                | Argument::Default => {
                    let message = format!("argument {place} is {arg}, and the function takes a tensor");
                    Err(Error::new(ErrorKind::DType, message).with_op(name))
                }
            });
            Ok(vec![function(&tensors.collect::<Result<Vec<_>>>()?)?])
        }
    }
}

/// The function of this name, as [`grad`](crate::grad) and its kin take it: from tensors to the one result.
/// Scalars of an op have their defaults.
///
/// ```
/// use tensor_op::{function, value_and_grad};
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([3.0]);
/// let (value, gradients) = value_and_grad(function("square")?)(&[x])?;
/// assert_eq!((value.item::<f64>()?, gradients[0].item::<f64>()?), (9.0, 6.0));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// No function has this name. A call fails as [`call`] does, and if there are several results.
pub fn function(name: &str) -> Result<impl Fn(&[Tensor]) -> Result<Tensor> + Clone + Send + Sync + use<>> {
    let (name, named) = (name.to_string(), find("function", name)?);
    Ok(move |tensors: &[Tensor]| match &named {
        Named::Function(_, function) => function(tensors),
        Named::Op(formulas) => {
            let args: Vec<Argument> = tensors.iter().map(Argument::from).collect();
            let results = argument::run(&name, formulas, &args)?;
            <[Tensor; 1]>::try_from(results).map(|[result]| result).map_err(|results| {
                let message = format!("there are {} results; `call` returns all of them", results.len());
                Error::new(ErrorKind::Length, message).with_op(&name)
            })
        }
    })
}

/// The names of all functions that [`call`] finds, in order.
///
/// ```
/// let names = tensor_op::registered_functions();
/// assert!(names.iter().any(|name| name == "softmax"));
/// ```
pub fn registered_functions() -> Vec<String> {
    REGISTERED.read().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
}

fn register(op: &str, name: &str, named: Named) -> Result<()> {
    let wrong = |message: String| Err(Error::new(ErrorKind::Name, message).with_op(op));
    if name.is_empty() {
        return wrong("the name is empty".to_string());
    }
    let mut all = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
    if all.contains_key(name) {
        return wrong(format!("there is a function `{name}` already; choose another name"));
    }
    all.insert(name.to_string(), named);
    Ok(())
}

/// The function of a name. The lock is not held while it runs, so that it may call and register others.
fn find(op: &str, name: &str) -> Result<Named> {
    let all = REGISTERED.read().unwrap_or_else(PoisonError::into_inner);
    all.get(name).cloned().ok_or_else(|| {
        let near: Vec<String> = near(name, all.keys()).into_iter().map(|near| format!("`{near}`")).collect();
        let hint = match near.is_empty() {
            true => "`registered_functions` lists the names".to_string(),
            false => format!("there is {}", near.join(", ")),
        };
        Error::new(ErrorKind::Name, format!("there is no function `{name}`; {hint}")).with_op(op)
    })
}

/// The names that differ little from what was written, or begin with it; at most five.
fn near<'a>(written: &str, names: impl Iterator<Item = &'a String>) -> Vec<&'a str> {
    let far = written.chars().count() / 3;
    let distance = |name: &str| match !written.is_empty() && name.starts_with(written) {
        true => 0,
        false => changes(written, name),
    };
    let mut near: Vec<(usize, &str)> = names.map(|name| (distance(name), name.as_str())).collect();
    near.retain(|(distance, _)| *distance <= far);
    near.sort_unstable();
    near.into_iter().take(5).map(|(_, name)| name).collect()
}

/// How many characters must be changed, added or removed to get from one word to the other.
fn changes(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (before, a) in from.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], before + 1);
        for (place, b) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[place + 1];
            row[place + 1] = replaced.min(diagonal + 1).min(row[place] + 1);
        }
    }
    row[to.len()]
}

/// The ops of the catalogue. Formulas that differ only in kinds have one name.
fn of_catalogue() -> BTreeMap<String, Named> {
    let mut all: BTreeMap<String, Vec<&'static dyn Op>> = BTreeMap::new();
    for op in catalogue::ops() {
        let words = op.spec().name().split('_');
        let name: Vec<&str> = words.filter(|word| !matches!(*word, "float" | "int" | "bool")).collect();
        all.entry(name.join("_")).or_default().push(op);
    }
    all.into_iter().map(|(name, formulas)| (name, Named::Op(formulas))).collect()
}

fn wrong_count(name: &str, wanted: usize, found: usize) -> Error {
    let message = format!("takes {wanted} tensors, and {found} were given");
    Error::new(ErrorKind::Length, message).with_op(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tensor_op_spec::ir::{ArgType, Kind};

    #[test]
    fn formulas_of_one_name_in_the_catalogue_differ_in_kinds() {
        let kinds = |op: &&dyn Op| -> Vec<Kind> {
            let args = op.spec().graph().args.iter();
            args.filter_map(|arg| if let ArgType::Tensor { kind, .. } = arg.ty { Some(kind) } else { None })
                .collect()
        };
        let all = of_catalogue();
        assert!(all.len() > 300, "{} names", all.len());
        for (name, named) in all {
            let Named::Op(formulas) = named else { panic!("`{name}` is no op") };
            let mut found: Vec<Vec<Kind>> = formulas.iter().map(kinds).collect();
            found.sort();
            found.dedup();
            assert_eq!(found.len(), formulas.len(), "`{name}`");
        }
    }

    #[test]
    fn changes_are_counted() {
        assert_eq!(changes("sofmax", "softmax"), 1);
        assert_eq!(changes("", "abc"), 3);
        assert_eq!(changes("relu", "gelu"), 1);
        assert_eq!(changes("abc", "abc"), 0);
    }
}
