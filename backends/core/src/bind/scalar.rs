//! Arguments of frameworks in which every tensor has an axis, such as Burn. There a tensor without axes comes
//! as one of shape `[1]`.

use super::check::Given;
use super::group::{chosen, lacks};
use super::{declared_axes, is_group};
use crate::{Shape, Value};
use tensor_op_spec::ir::Graph;

/// For each argument, whether its shape `[1]` stands for no axes.
///
/// It does if the argument is declared without axes. It does also if the argument has only axes of the group,
/// and lacks all that other arguments have: the sum over the only axis of a tensor has no axis.
pub fn without_axes<T>(graph: &Graph, args: &[Value<T>], shape: impl Fn(&T) -> Shape) -> Vec<bool> {
    let given = |arg: &Value<T>| match arg {
        Value::Tensor(tensor) => Given::Shape(shape(tensor)),
        Value::Shape(shape) => Given::Shape(shape.clone()),
        Value::Scalar(scalar) => Given::Scalar(*scalar),
    };
    let given: Vec<Given> = args.iter().map(given).collect();
    if !given.iter().filter_map(Given::shape).any(|shape| *shape == [1]) {
        return vec![false; given.len()];
    }
    let found: Vec<Option<Found>> = (0..given.len()).map(|arg| Found::new(graph, &given, arg)).collect();
    let group = found.iter().flatten().filter_map(|found| found.group).max();
    let is_one = |found: &Option<Found>| {
        found.as_ref().is_some_and(|found| match found.lacked {
            Lacked::All => found.is_one,
            Lacked::Axes(count) => found.is_one && count > 0 && group == Some(count),
        })
    };
    found.iter().map(is_one).collect()
}

/// A tensor argument.
struct Found {
    is_one: bool,
    lacked: Lacked,
    /// The rank of the group, as far as this argument tells it.
    group: Option<usize>,
}

/// The axes that an argument does not have.
#[derive(Clone, Copy)]
enum Lacked {
    /// All, as the declaration or the call says.
    All,
    /// So many of the group. It is 0 for an argument that has other axes too.
    Axes(usize),
}

impl Found {
    fn new(graph: &Graph, given: &[Given], arg: usize) -> Option<Found> {
        let axes = declared_axes(&graph.args.get(arg)?.ty)?;
        let shape = given[arg].shape()?;
        let is_one = *shape == [1];
        if axes.is_empty() {
            return Some(Found { is_one, lacked: Lacked::All, group: None });
        }
        let others = axes.iter().filter(|axis| !is_group(graph, axis)).count();
        let has_group = others < axes.len();
        let dims = lacks(graph, graph.axis_dims(), arg)?;
        let counts = dims.iter().map(|dim| Some(chosen(graph, given, dim)?.len()));
        let (lacked, count) = match counts.sum::<Option<usize>>() {
            Some(count) if others == 0 => (Lacked::Axes(count), count),
            Some(count) => (Lacked::Axes(0), count),
            None if others == 0 => return Some(Found { is_one, lacked: Lacked::All, group: None }),
            None => return Some(Found { is_one, lacked: Lacked::Axes(0), group: None }),
        };
        let is_open = is_one && count > 0 && others == 0;
        let own = shape.rank().checked_sub(others).filter(|_| has_group && !is_open);
        Some(Found { is_one, lacked, group: own.map(|own| own + count) })
    }
}
