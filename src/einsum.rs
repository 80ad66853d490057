//! Products that are written as an equation at run time: Einstein's sums, in PyTorch's notation.

mod equation;
mod graph;

use crate::{__private, Error, ErrorKind, Result, Tensor};
use equation::{Equation, Label};
use graph::Plan;
use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap};
use std::sync::{LazyLock, Mutex, PoisonError};
use tensor_op_core::{GraphOp, Value};
use tensor_op_spec::ir::Kind;

/// How many graphs are kept. When there are so many, all are forgotten.
const KEPT: usize = 256;

/// The graphs of earlier calls.
static GRAPHS: LazyLock<Mutex<HashMap<Plan, GraphOp>>> = LazyLock::new(Mutex::default);

/// The sum of products that an equation says: `einsum("bij,bjk->bik", &[&x, &y])`. `torch.einsum`.
///
/// Each operand has a letter for each of its axes, and `...` for all axes that have none. Axes of one letter
/// go together; one of size 1 is repeated. What is behind `->` are the axes of the result, and over all other
/// letters the products are summed. Without `->` the result has `...` and the letters that stand there once,
/// in alphabetic order, capitals first. A letter that an operand has twice means its diagonal. Spaces don't
/// count.
///
/// It is one op, made of the same graph as a formula (`sum(x * y, j)`) and scheduled in the same way, on
/// every backend and with derivatives of any order. The graph is kept for later calls. Of three or more
/// operands it multiplies two at a time and sums as early as possible; the next two are those whose product
/// has the fewest elements, less the elements of the two, and among equals the leftmost. Operands are all
/// floats or all ints of one dtype. Of ints a sum is i64, as in
/// [`catalogue::reduce::sum`](crate::catalogue::reduce::sum()).
///
/// ```
/// use tensor_op::einsum;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]);
/// assert_eq!(einsum("ij,jk->ik", &[&x, &x])?.to_vec::<f64>()?, [7.0, 10.0, 15.0, 22.0]);
/// assert_eq!(einsum("ii", &[&x])?.item::<f64>()?, 5.0);
/// assert_eq!(einsum("...i -> ...", &[&x])?.to_vec::<f64>()?, [3.0, 7.0]);
///
/// let error = einsum("ij,jk->ik", &[&x, &Tensor::from([[1.0, 2.0, 3.0]; 3])]).unwrap_err();
/// let message = "einsum: operand 1: `j` has size 3 here, and size 2 in operand 0";
/// assert_eq!(error.to_string(), message);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The equation is not in this notation, it does not fit the operands, or sizes of a letter differ.
pub fn einsum<T: Borrow<Tensor>>(equation: &str, operands: &[T]) -> Result<Tensor> {
    let operands: Vec<&Tensor> = operands.iter().map(Borrow::borrow).collect();
    run(equation, &operands).map_err(|error| error.renamed("einsum"))
}

fn run(equation: &str, operands: &[&Tensor]) -> Result<Tensor> {
    let equation = Equation::parse(equation, operands.len())?;
    let kind = kind(operands)?;
    let mut sizes = Sizes::default();
    for (place, (labels, tensor)) in equation.operands.iter().zip(operands).enumerate() {
        sizes.add(place, labels, tensor)?;
    }
    // An axis of size 1 whose letter has another size elsewhere is dropped: a graph repeats what it lacks.
    let laid: Vec<(Vec<Label>, Tensor)> = equation
        .operands
        .iter()
        .zip(operands)
        .map(|(labels, tensor)| sizes.without_repeated(labels, tensor))
        .collect::<Result<_>>()?;
    let labels: Vec<Vec<Label>> = laid.iter().map(|(labels, _)| labels.clone()).collect();
    let order = order(&labels, &equation.result, &sizes);
    let op = kept(Plan { kind, operands: labels, result: equation.result, order })?;
    let args = laid.into_iter().map(|(_, tensor)| Value::Tensor(tensor.into_primitive())).collect();
    let [result] = __private::run::<__private::Default, 1>(&op, args)?;
    Ok(Tensor::from_primitive(result))
}

fn kept(plan: Plan) -> Result<GraphOp> {
    let graphs = || GRAPHS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(op) = graphs().get(&plan) {
        return Ok(op.clone());
    }
    // Other threads need not wait for the graph.
    let op = GraphOp::new(plan.graph()?);
    let mut graphs = graphs();
    if graphs.len() >= KEPT {
        graphs.clear();
    }
    graphs.insert(plan, op.clone());
    Ok(op)
}

/// The kind of all operands, which have one dtype.
fn kind(operands: &[&Tensor]) -> Result<Kind> {
    let dtype = operands[0].dtype();
    for (place, tensor) in operands.iter().enumerate() {
        let found = tensor.dtype();
        let message = if found.kind() == Kind::Bool {
            "is bool, and products are of floats or ints; cast it".to_string()
        } else if found != dtype {
            format!("is {found}, and operand 0 is {dtype}; cast one of them")
        } else {
            continue;
        };
        return Err(Error::new(ErrorKind::DType, format!("operand {place} {message}")));
    }
    Ok(dtype.kind())
}

/// The sizes of labels, with the operand that says each. `...` has the shape of all its axes.
#[derive(Default)]
struct Sizes {
    letters: BTreeMap<char, (usize, usize)>,
    /// Sizes of the axes of `...`, from the last one.
    rest: Vec<usize>,
}

impl Sizes {
    fn add(&mut self, place: usize, labels: &[Label], tensor: &Tensor) -> Result<()> {
        let wrong = |kind, message: String| Err(Error::new(kind, format!("operand {place}: {message}")));
        let shape = tensor.shape();
        let Some(axes) = axes(labels, tensor.rank()) else {
            let letters = labels.iter().filter(|label| **label != Label::Rest).count();
            let has = if letters == labels.len() { "has" } else { "has at least" };
            let message = format!("the equation {has} {letters} axes for it, and its shape is {shape}");
            return wrong(ErrorKind::Rank, message);
        };
        let mut own: BTreeMap<char, usize> = BTreeMap::new();
        for (label, axes) in labels.iter().zip(axes) {
            match label {
                Label::Letter(letter) => {
                    let size = shape[axes.start];
                    let before = *own.entry(*letter).or_insert(size);
                    if before != size {
                        let message =
                            format!("`{letter}` has sizes {before} and {size} in its shape {shape}");
                        return wrong(ErrorKind::Shape, message);
                    }
                    let known = self.letters.entry(*letter).or_insert((size, place));
                    if known.0 == 1 {
                        *known = (size, place);
                    } else if size != 1 && size != known.0 {
                        let (size_there, there) = known;
                        let message = format!(
                            "`{letter}` has size {size} here, and size {size_there} in operand {there}"
                        );
                        return wrong(ErrorKind::Shape, message);
                    }
                }
                Label::Rest => {
                    for (from_end, axis) in axes.rev().enumerate() {
                        let size = shape[axis];
                        match self.rest.get_mut(from_end) {
                            None => self.rest.push(size),
                            Some(known) if *known == 1 => *known = size,
                            Some(known) if size == 1 || size == *known => {}
                            Some(known) => {
                                let message = format!(
                                    "axis {axis}, of `...`, has size {size}, and size {known} in an operand before"
                                );
                                return wrong(ErrorKind::Shape, message);
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn without_repeated(&self, labels: &[Label], tensor: &Tensor) -> Result<(Vec<Label>, Tensor)> {
        let shape = tensor.shape();
        let axes = axes(labels, tensor.rank()).into_iter().flatten();
        let (mut left, mut sizes) = (vec![], vec![]);
        for (label, axes) in labels.iter().zip(axes) {
            let is_repeated = match label {
                Label::Letter(letter) => shape[axes.start] != self.letters[letter].0,
                Label::Rest => false,
            };
            if !is_repeated {
                left.push(*label);
                sizes.extend_from_slice(&shape[axes]);
            }
        }
        let tensor = if left.len() == labels.len() { tensor.clone() } else { tensor.reshape(sizes)? };
        Ok((left, tensor))
    }

    fn elements(&self, labels: &[Label]) -> f64 {
        let size = |label: &Label| match label {
            Label::Letter(letter) => self.letters[letter].0 as f64,
            Label::Rest => self.rest.iter().map(|size| *size as f64).product(),
        };
        labels.iter().map(size).product()
    }
}

/// The axes of each label. `None` if they are not as many as the tensor has.
fn axes(labels: &[Label], rank: usize) -> Option<Vec<std::ops::Range<usize>>> {
    let has_rest = labels.contains(&Label::Rest);
    let rest =
        rank.checked_sub(labels.len() - usize::from(has_rest)).filter(|rest| has_rest || *rest == 0)?;
    let mut start = 0;
    let axes = labels.iter().map(|label| {
        let first = start;
        start += if *label == Label::Rest { rest } else { 1 };
        first..start
    });
    Some(axes.collect())
}

/// Which two operands are multiplied, step by step. The product takes the place of the first of them.
fn order(operands: &[Vec<Label>], result: &[Label], sizes: &Sizes) -> Vec<(usize, usize)> {
    let mut left: Vec<Vec<Label>> = operands.to_vec();
    let mut order = vec![];
    while left.len() > 1 {
        let pairs = (0..left.len()).flat_map(|i| (i + 1..left.len()).map(move |j| (i, j)));
        let cost = |(i, j): (usize, usize)| {
            let product = graph::product_labels(&left, i, j, result);
            sizes.elements(&product) - sizes.elements(&left[i]) - sizes.elements(&left[j])
        };
        let best = pairs.map(|pair| (cost(pair), pair)).min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((_, (i, j))) = best else { break };
        left[i] = graph::product_labels(&left, i, j, result);
        left.remove(j);
        order.push((i, j));
    }
    order
}
