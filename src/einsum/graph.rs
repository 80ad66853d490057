//! The graph of an equation: products of two operands at a time, which are summed as early as possible.

use super::equation::Label;
use crate::{Error, ErrorKind, Result};
use tensor_op_spec::ir::{
    Affine, Arg, ArgType, Axis, Builder, Dim, DimId, DimKind, DimSet, Graph, IntSource, Kind, Output,
    Position, Role, Size, Value,
};
use tensor_op_spec::prim::Fold;

/// What decides a graph.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Plan {
    pub(super) kind: Kind,
    pub(super) operands: Vec<Vec<Label>>,
    pub(super) result: Vec<Label>,
    pub(super) order: Vec<(usize, usize)>,
}

/// The labels that the product of two operands keeps: those that the result or another operand has.
pub(super) fn product_labels(left: &[Vec<Label>], i: usize, j: usize, result: &[Label]) -> Vec<Label> {
    let others = left.iter().enumerate().filter(|(place, _)| *place != i && *place != j);
    let wanted: Vec<Label> = others.flat_map(|(_, labels)| labels).chain(result).copied().collect();
    let mut labels: Vec<Label> = left[i].iter().chain(&left[j]).copied().collect();
    labels.sort_unstable();
    labels.dedup();
    labels.retain(|label| wanted.contains(label));
    labels
}

impl Plan {
    pub(super) fn graph(&self) -> Result<Graph> {
        let mut dims = Dims::default();
        let axes: Vec<Vec<DimId>> =
            self.operands.iter().map(|labels| dims.of_operand(labels)).collect::<Result<_>>()?;
        let result: Vec<DimId> = self.result.iter().map(|label| dims.of(*label)).collect::<Result<_>>()?;
        let args = axes.iter().enumerate().map(|(place, axes)| Arg {
            list: None,
            like: None,
            name: format!("operand{place}"),
            ty: ArgType::Tensor {
                kind: self.kind,
                axes: axes.iter().copied().map(Axis::Dim).collect(),
                no_grad: self.kind != Kind::Float,
            },
            role: Role::Forward(place),
        });
        let graph = Graph::new("einsum".to_string(), dims.dims.clone(), args.collect());
        let builder = Builder::new(graph);
        let kept: DimSet = result.iter().copied().collect();
        let mut left: Vec<Value<'_>> = axes
            .iter()
            .zip(&self.operands)
            .enumerate()
            .map(|(place, (axes, labels))| {
                let x = builder.input(place, axes.iter().copied().collect(), self.kind);
                dims.diagonal(x, axes, labels)
            })
            .collect();
        (0..left.len()).for_each(|place| sum_alone(&mut left, place, kept));
        for (i, j) in &self.order {
            let second = left.remove(*j);
            left[*i] = left[*i] * second;
            sum_alone(&mut left, *i, kept);
        }
        let Some(product) = left.first().map(|product| product.id) else {
            return Err(Error::new(ErrorKind::Length, "there are no operands"));
        };
        let mut graph = builder.finish();
        graph.outputs.push(Output {
            name: "out".to_string(),
            node: product,
            axes: result.into_iter().map(Axis::Dim).collect(),
            like: None,
            hidden: false,
            ints: IntSource::default(),
        });
        Ok(graph.with_int_sources())
    }
}

/// Sums a value over the dims that only it has.
fn sum_alone(left: &mut [Value<'_>], place: usize, kept: DimSet) {
    let others = left.iter().enumerate().filter(|(other, _)| *other != place);
    let wanted = others.fold(kept, |all, (_, value)| all.union(value.dims()));
    let alone = left[place].dims().difference(wanted);
    if !alone.is_empty() {
        left[place] = left[place].reduce(Fold::Sum, alone);
    }
}

/// The dims of labels. A letter that an operand has again gets another dim for each further place.
#[derive(Default)]
struct Dims {
    dims: Vec<Dim>,
    labels: Vec<(Label, usize)>,
}

impl Dims {
    fn of(&mut self, label: Label) -> Result<DimId> {
        self.again(label, 0)
    }

    fn again(&mut self, label: Label, time: usize) -> Result<DimId> {
        if let Some(known) = self.labels.iter().position(|known| *known == (label, time)) {
            return Ok(DimId::new(known));
        }
        if self.dims.len() == DimId::MAX {
            let message = format!("there are more than {} different axes", DimId::MAX);
            return Err(Error::new(ErrorKind::Length, message));
        }
        self.labels.push((label, time));
        self.dims.push(match label {
            Label::Rest => Dim { name: "..".to_string(), kind: DimKind::Group },
            Label::Letter(letter) if time == 0 => Dim { name: letter.to_string(), kind: DimKind::Named },
            Label::Letter(letter) => Dim { name: format!("{letter}{time}"), kind: DimKind::Named },
        });
        Ok(DimId::new(self.dims.len() - 1))
    }

    fn of_operand(&mut self, labels: &[Label]) -> Result<Vec<DimId>> {
        let dims = labels.iter().enumerate().map(|(place, label)| {
            let time = labels[..place].iter().filter(|before| *before == label).count();
            self.again(*label, time)
        });
        dims.collect()
    }

    /// The elements whose indices along the axes of one letter are equal.
    fn diagonal<'b>(&self, x: Value<'b>, axes: &[DimId], labels: &[Label]) -> Value<'b> {
        let again = axes.iter().zip(labels).filter(|(dim, _)| self.labels[dim.index()].1 > 0);
        again.fold(x, |x, (dim, label)| {
            let first = self.labels.iter().position(|known| *known == (*label, 0));
            let steps = first.map(|first| (DimId::new(first), Size::Literal(1))).into_iter().collect();
            let index = Affine { offset: Size::Literal(0), steps };
            x.window(*dim, Position { index, divisor: Size::Literal(1), outside: None })
        })
    }
}
