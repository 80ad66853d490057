//! The text of a failing case, the same for every claim: what differs and how it was run, the operands of
//! that element, and the arguments of the call.

use crate::place::{Layout, Layouts};
use crate::sample::axes_text;
use std::collections::BTreeMap;
use tensor_op_core::{
    AxisId, Binding, BoundAxis, DType, Device, Element, Result, Shape, TensorData, Value, match_dtype,
};
use tensor_op_spec::ir::{ArgType, Graph, Kind, Scalar};

/// A call, and how it was run.
#[derive(Clone, Copy)]
pub(crate) struct Case<'c> {
    pub(crate) graph: &'c Graph,
    pub(crate) args: &'c [Value<TensorData>],
    pub(crate) device: Option<Device>,
    pub(crate) layout: Layouts,
}

/// An element of a result, or of a tensor with the shape of an argument.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ElementOf {
    /// An element of the result with this index.
    Result(usize),
    /// An element of the gradient of the argument with this index.
    Arg(usize),
}

impl<'c> Case<'c> {
    /// A call with row-major arguments on a device.
    pub(crate) fn new(graph: &'c Graph, args: &'c [Value<TensorData>], device: &Device) -> Case<'c> {
        Case { graph, args, device: Some(*device), layout: Layout::Contiguous.into() }
    }

    /// A call that only the reference runs.
    pub(crate) fn reference(graph: &'c Graph, args: &'c [Value<TensorData>]) -> Case<'c> {
        Case { graph, args, device: None, layout: Layout::Contiguous.into() }
    }

    /// Says what is wrong with the call as a whole.
    pub(crate) fn told(&self, what: &str) -> String {
        format!("{}{what}\ncalled with\n{}", self.how(), self.arguments())
    }

    /// Says what is wrong with one element. `what` follows the element's name and place.
    pub(crate) fn told_at(&self, name: &str, place: ElementOf, index: usize, what: &str) -> String {
        let Ok(axes) = self.axes(place) else { return self.told(&format!("{name} {what}")) };
        let shape: Shape = axes.iter().map(|bound| bound.size).collect();
        let operands = self.operands(&axes, index);
        let of = if operands.is_empty() { String::new() } else { format!("\nof {}", operands.join(", ")) };
        let at = point(&shape, index);
        format!("{}{name}[{at}] {what}{of}\ncalled with\n{}", self.how(), self.arguments())
    }

    /// Says how the call was run: `on cpu, f32, transposed: `.
    fn how(&self) -> String {
        let Some(device) = self.device else { return String::new() };
        let mut words = vec![format!("on {device}")];
        let dtypes = [Kind::Float, Kind::Int].map(|kind| self.dtype(kind));
        words.extend(dtypes.into_iter().flatten().map(|dtype| dtype.to_string()));
        if self.layout != Layout::Contiguous.into() {
            words.push(format!("{:?}", self.layout).to_lowercase());
        }
        words.join(", ") + ": "
    }

    /// The dtype of the arguments of a kind.
    fn dtype(&self, kind: Kind) -> Option<DType> {
        self.args.iter().filter_map(Value::tensor).map(TensorData::dtype).find(|dtype| dtype.kind() == kind)
    }

    fn binding(&self) -> Result<Binding> {
        Binding::from_args(self.graph, self.args, |data| data.shape().clone())
    }

    fn axes(&self, place: ElementOf) -> Result<Vec<BoundAxis>> {
        let binding = self.binding()?;
        Ok(match place {
            ElementOf::Arg(arg) => binding.arg_axes(arg).to_vec(),
            ElementOf::Result(result) => {
                let output = &self.graph.outputs[result];
                match output.like {
                    Some(arg) => binding.arg_axes(arg).to_vec(),
                    None => binding.result_axes(&output.axes, self.graph.node(output.node).dims),
                }
            }
        })
    }

    /// The elements of each argument that belong to an element of the result: one element, or several along
    /// the axes that the result lacks.
    fn operands(&self, axes: &[BoundAxis], index: usize) -> Vec<String> {
        let Ok(binding) = self.binding() else { return vec![] };
        let place = places(axes, index);
        let of = |(arg, value): (usize, &Value<TensorData>)| {
            let name = &self.graph.args[arg].name;
            match value {
                Value::Tensor(data) => {
                    Some(format!("{name} = {}", read(data, binding.arg_axes(arg), &place)?))
                }
                Value::Scalar(scalar) => Some(format!("{name} = {scalar}")),
                Value::Shape(_) => None,
            }
        };
        self.args.iter().enumerate().filter_map(of).collect()
    }

    /// All arguments, one a line.
    pub(crate) fn arguments(&self) -> String {
        let lines = self.graph.args.iter().zip(self.args).map(|(arg, value)| match (value, &arg.ty) {
            (Value::Tensor(data), _) => tensor(&arg.name, data),
            (Value::Shape(shape), _) => format!("    {}: shape {shape}", arg.name),
            (Value::Scalar(scalar), ArgType::Axis { several, .. }) => {
                format!("    {}: axis {}", arg.name, axes_text(*scalar, *several))
            }
            (Value::Scalar(scalar), _) => format!("    {} = {scalar}", arg.name),
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// How many elements of a list are shown.
const SHOWN: usize = 24;

/// A tensor as one line of text.
pub(crate) fn tensor(name: &str, data: &TensorData) -> String {
    let all = (0..data.elements().min(SHOWN + 1)).filter_map(|at| element(data, at)).collect();
    format!("    {name}: {} {} = {}", data.dtype(), data.shape(), list(all, SHOWN))
}

/// A float as Rust writes it: `1.5`, `1e-7`.
pub(crate) fn number(x: f64) -> String {
    format!("{x:?}")
}

fn list(elements: Vec<Scalar>, most: usize) -> String {
    let rest = if elements.len() > most { ", .." } else { "" };
    let shown: Vec<String> = elements.iter().take(most).map(Scalar::to_string).collect();
    format!("[{}{rest}]", shown.join(", "))
}

pub(crate) fn element(data: &TensorData, at: usize) -> Option<Scalar> {
    match_dtype!(data.dtype(), T => data.as_slice::<T>().ok().and_then(|x| x.get(at)).map(|x| x.to_scalar()))
}

/// The index of a row-major element along each axis.
fn places(axes: &[BoundAxis], index: usize) -> BTreeMap<AxisId, usize> {
    let mut rest = index;
    let mut places = BTreeMap::new();
    for bound in axes.iter().rev() {
        places.insert(bound.axis, rest % bound.size.max(1));
        rest /= bound.size.max(1);
    }
    places
}

/// The elements of `data` at a place, with all elements along the axes that the place does not name.
fn read(data: &TensorData, axes: &[BoundAxis], place: &BTreeMap<AxisId, usize>) -> Option<String> {
    const MOST: usize = 6;
    let mut offsets = vec![0];
    for bound in axes {
        let at = if bound.size == 1 { Some(&0) } else { place.get(&bound.axis) };
        let along = at.map_or(0..bound.size.min(MOST + 1), |at| *at..at + 1);
        let step = |offset: &usize| {
            let offset = offset * bound.size;
            along.clone().map(move |at| offset + at)
        };
        offsets = offsets.iter().flat_map(step).collect();
    }
    let is_one = axes.iter().all(|bound| bound.size == 1 || place.contains_key(&bound.axis));
    let elements: Vec<Scalar> = offsets.into_iter().filter_map(|at| element(data, at)).collect();
    match elements.as_slice() {
        [one] if is_one => Some(one.to_string()),
        [] => None,
        [..] => Some(list(elements, MOST)),
    }
}

/// The indices of an element: `1, 0`.
fn point(shape: &Shape, index: usize) -> String {
    let mut rest = index;
    let mut indices: Vec<String> = vec![];
    for size in shape.iter().rev() {
        indices.push((rest % size.max(&1)).to_string());
        rest /= size.max(&1);
    }
    indices.reverse();
    indices.join(", ")
}
