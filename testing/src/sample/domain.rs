//! Finds the ranges in which arguments are in the domain of a formula: every index is in its dim, and every
//! value is finite. Ranges are carried forward through the graph; what is required of values is carried back
//! to the arguments.
//!
//! A range stands for all elements of a value. A range that is carried back holds for an operand *whatever*
//! the values of the other operands are, so values that are drawn from such ranges one after the other are
//! valid together. Correlations between operands, except `x * x`, are not seen. Therefore points are tried as
//! well.

use super::preimage::{Asked, Interval};
use tensor_op_core::{Binding, Result};
use tensor_op_spec::ir::{DimId, Graph, Kind, Node, NodeId, Op, Scalar};
use tensor_op_spec::prim::{Fold, Prim, Scan};

/// What is required of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asks {
    /// Indices are in range.
    Indices,
    /// All floats are finite, too.
    Finite,
}

/// A graph with sizes, which can be asked for the ranges of its arguments.
pub(super) struct Ranges<'g> {
    graph: &'g Graph,
    binding: Binding,
    asks: Asks,
    /// The index of the range that is taken where there are several.
    pick: usize,
}

impl<'g> Ranges<'g> {
    pub(super) fn new(graph: &'g Graph, binding: Binding, asks: Asks, pick: usize) -> Ranges<'g> {
        Ranges { graph, binding, asks, pick }
    }

    /// Whether the requirement concerns the arguments at all.
    pub(super) fn matter(graph: &Graph, asks: Asks) -> bool {
        asks == Asks::Finite || indexed(graph).next().is_some()
    }

    /// The ranges in which the arguments must be, given the known ranges. `None` if an argument may have any
    /// value.
    pub(super) fn of_args(&self, known: &[Interval]) -> Result<Vec<Option<Interval>>> {
        let hulls = self.hulls(known)?;
        let mut asked: Vec<Option<Interval>> =
            self.graph.nodes.iter().map(|node| self.at_first(node)).collect();
        for (dim, index) in indexed(self.graph) {
            let size = self.binding.size(dim) as f64;
            narrow(&mut asked[index.0 as usize], Interval { low: 0.0, high: size - 1.0 });
        }
        let mut args = vec![None; self.graph.args.len()];
        for id in self.graph.ids().rev() {
            let Some(wanted) = asked[id.0 as usize] else { continue };
            if let Op::Input(arg) = self.graph.node(id).op {
                narrow(&mut args[arg], wanted);
            }
            for (operand, range) in self.back(id, wanted, &hulls)? {
                narrow(&mut asked[operand.0 as usize], range);
            }
        }
        Ok(args
            .into_iter()
            .map(|range: Option<Interval>| range.filter(|range| *range != Interval::ALL))
            .collect())
    }

    fn at_first(&self, node: &Node) -> Option<Interval> {
        (self.asks == Asks::Finite && node.kind == Kind::Float).then_some(Interval::ALL)
    }

    /// The range of each node.
    pub(super) fn hulls(&self, known: &[Interval]) -> Result<Vec<Interval>> {
        let mut hulls: Vec<Interval> = vec![];
        for node in &self.graph.nodes {
            let of = |id: &NodeId| hulls[id.0 as usize];
            let hull = match &node.op {
                Op::Input(arg) => known[*arg],
                Op::Literal(value) => Interval::point(value.as_f64()),
                Op::Len(dims) => Interval::point(self.binding.len(*dims)? as f64),
                Op::Iota(dim) => Interval { low: 0.0, high: (self.binding.size(*dim) as f64 - 1.0).max(0.0) },
                Op::Apply(prim, args) => {
                    let corners = corners(args, &args.iter().map(of).collect::<Vec<_>>());
                    Interval::around(corners.iter().map(|corner| self.value(*prim, args, corner)))
                }
                Op::Cast(x) => {
                    let cast = |x: f64| scalar(x, self.kind(operand(node))).cast(node.kind).as_f64();
                    Interval { low: cast(of(x).low), high: cast(of(x).high) }
                }
                Op::Reduce(fold, dims, x) => reduced(*fold, self.binding.len(*dims)? as f64, of(x)),
                Op::Scan { scan, dim, operands, .. } => {
                    let of: Vec<Interval> = operands.iter().map(of).collect();
                    scanned(*scan, self.binding.size(*dim) as f64, &of)
                }
                Op::Order { dim, .. } => Interval { low: 0.0, high: self.binding.size(*dim) as f64 },
                Op::At { source: x, .. } | Op::StopGrad(x) | Op::Given { value: x, .. } => of(x),
                Op::Window { source: x, position, .. } => match position.outside {
                    Some(outside) => Interval::around([outside.as_f64(), of(x).low, of(x).high].into_iter()),
                    None => of(x),
                },
                Op::Scatter { fold, source, .. } => {
                    let nothing = Some(fold.of_nothing(node.kind).as_f64()).filter(|x| x.is_finite());
                    let all = nothing.into_iter().chain([of(source).low, of(source).high]);
                    Interval::around(all)
                }
                Op::Seed(_) => Interval::point(1.0),
            };
            hulls.push(hull);
        }
        Ok(hulls)
    }

    /// The ranges that a node requires of its operands, so that its own value is in a wanted range.
    fn back(&self, id: NodeId, wanted: Interval, hulls: &[Interval]) -> Result<Vec<(NodeId, Interval)>> {
        let node = self.graph.node(id);
        Ok(match &node.op {
            Op::Input(_) | Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Seed(_) => vec![],
            Op::Apply(prim, args) => {
                let moved = args.iter().filter(|arg| !matches!(self.graph.node(**arg).op, Op::Literal(_)));
                let asked = moved.map(|arg| Some((*arg, self.operand(*prim, args, *arg, wanted, hulls)?)));
                asked.flatten().collect()
            }
            Op::Cast(x) => {
                let value = |x: f64| scalar(x, self.kind(operand(node))).cast(node.kind).as_f64();
                let range = self.solve(&|x| wanted.contains(value(x)), &value, wanted, *x, vec![], hulls);
                range.map(|range| (*x, range)).into_iter().collect()
            }
            Op::Reduce(fold, dims, x) => {
                let count = self.binding.len(*dims)? as f64;
                unreduced(*fold, count, wanted).map(|range| (*x, range)).into_iter().collect()
            }
            Op::Scan { scan, dim, operands, .. } => {
                let count = self.binding.size(*dim) as f64;
                let range = scan.row().fold.and_then(|fold| unreduced(fold, count, wanted));
                range.map(|range| (operands[0], range)).into_iter().collect()
            }
            Op::At { source: x, .. } | Op::StopGrad(x) | Op::Given { value: x, .. } => vec![(*x, wanted)],
            Op::Window { source, .. } => vec![(*source, wanted)],
            Op::Order { .. } | Op::Scatter { .. } => vec![],
        })
    }

    /// The range of one operand of a primitive that is valid whatever the other operands are.
    fn operand(
        &self,
        prim: Prim,
        args: &[NodeId],
        asked: NodeId,
        wanted: Interval,
        hulls: &[Interval],
    ) -> Option<Interval> {
        let hull = |id: &NodeId| if *id == asked { Interval::point(0.0) } else { hulls[id.0 as usize] };
        let corners = corners(args, &args.iter().map(hull).collect::<Vec<_>>());
        let at = |corner: &[f64; 3], x: f64| {
            let mut corner = *corner;
            args.iter().zip(&mut corner).filter(|(id, _)| **id == asked).for_each(|(_, place)| *place = x);
            self.value(prim, args, &corner)
        };
        let holds = |x: f64| {
            corners
                .iter()
                .map(|corner| at(corner, x))
                .all(|value| value.is_finite() && wanted.contains(value))
        };
        let value = |x: f64| corners.first().map_or(f64::NAN, |corner| at(corner, x));
        let mut points = prim.row().special.to_vec();
        for (other, _) in args.iter().zip(0..).filter(|(id, _)| **id != asked) {
            let Interval { low, high } = hulls[other.0 as usize];
            for (a, b) in [low, high].into_iter().flat_map(|a| [(a, wanted.low), (a, wanted.high)]) {
                points.extend([a, b - a, b + a, a - b, b * a, b / a, a / b]);
            }
        }
        self.solve(&holds, &value, wanted, asked, points, hulls)
    }

    fn solve(
        &self,
        holds: &dyn Fn(f64) -> bool,
        value: &dyn Fn(f64) -> f64,
        wanted: Interval,
        of: NodeId,
        points: Vec<f64>,
        hulls: &[Interval],
    ) -> Option<Interval> {
        let whole = match self.kind(of) {
            Kind::Float => false,
            Kind::Int => true,
            Kind::Bool => return None,
        };
        let hull = hulls[of.0 as usize];
        let near = (self.pick.is_multiple_of(2)).then(|| hull.low + hull.width() / 2.0);
        Asked { holds, value, wanted, whole }.preimage(points, near, self.pick / 2)
    }

    fn kind(&self, id: NodeId) -> Kind {
        self.graph.node(id).kind
    }

    fn value(&self, prim: Prim, args: &[NodeId], values: &[f64; 3]) -> f64 {
        let values = &values[..args.len()];
        let ints = args.iter().any(|arg| self.kind(*arg) == Kind::Int);
        if !ints || prim == Prim::Select {
            return (prim.row().reference)(values);
        }
        let values: Vec<Scalar> =
            args.iter().zip(values).map(|(arg, x)| scalar(*x, self.kind(*arg))).collect();
        prim.eval(&values).map_or(f64::NAN, Scalar::as_f64)
    }
}

/// Each dim that is indexed, with the node of its index.
pub(super) fn indexed(graph: &Graph) -> impl Iterator<Item = (DimId, NodeId)> + '_ {
    graph.nodes.iter().filter_map(|node| match node.op {
        Op::At { dim, index, .. } | Op::Scatter { dim, index, .. } => Some((dim, index)),
        Op::Input(_) | Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Apply(..) | Op::Cast(_) => None,
        Op::Reduce(..) | Op::Scan { .. } | Op::Window { .. } | Op::StopGrad(_) => None,
        Op::Order { .. } | Op::Given { .. } | Op::Seed(_) => None,
    })
}

fn scalar(x: f64, kind: Kind) -> Scalar {
    Scalar::Float(x).cast(kind)
}

fn operand(node: &Node) -> NodeId {
    node.operands()[0]
}

/// A value that has two ranges must be in both. If they have nothing in common, the first one stays.
fn narrow(asked: &mut Option<Interval>, range: Interval) {
    let met = asked.map_or(Some(range), |asked| asked.meet(range));
    *asked = met.or(*asked);
}

/// All combinations of the ends of the operands' ranges. An operand that occurs twice has the same end in
/// both places.
fn corners(args: &[NodeId], hulls: &[Interval]) -> Vec<[f64; 3]> {
    let mut corners = vec![[0.0; 3]];
    for (place, (id, hull)) in args.iter().zip(hulls).enumerate().take(3) {
        if let Some(first) = args[..place].iter().position(|other| other == id) {
            corners.iter_mut().for_each(|corner| corner[place] = corner[first]);
            continue;
        }
        let ends: &[f64] = if hull.low == hull.high { &[hull.low] } else { &[hull.low, hull.high] };
        let with = |corner: &[f64; 3], end: &f64| {
            let mut corner = *corner;
            corner[place] = *end;
            corner
        };
        corners = corners.iter().flat_map(|corner| ends.iter().map(move |end| with(corner, end))).collect();
    }
    corners
}

/// The range of a reduction of `count` elements that are in a range.
fn reduced(fold: Fold, count: f64, of: Interval) -> Interval {
    match fold {
        Fold::Sum => Interval { low: count * of.low, high: count * of.high },
        Fold::Prod => Interval::around([of.low, of.high].into_iter().flat_map(|end| [end, end.powf(count)])),
        Fold::Max | Fold::Min => of,
        Fold::ArgMax | Fold::ArgMin => Interval { low: 0.0, high: (count - 1.0).max(0.0) },
        Fold::Any | Fold::All => Interval { low: 0.0, high: 1.0 },
    }
}

/// The range of a scan of `count` elements that are in a range.
fn scanned(scan: Scan, count: f64, of: &[Interval]) -> Interval {
    let largest = |x: &Interval| x.low.abs().max(x.high.abs());
    match (scan.row().fold, of) {
        (Some(fold), [x, ..]) => {
            let all = reduced(fold, count, *x);
            Interval::around([x.low, x.high, all.low, all.high].into_iter())
        }
        (None, [factor, x]) => {
            let reach = largest(x) * count * largest(factor).max(1.0).powf(count);
            Interval { low: -reach, high: reach }
        }
        (_, _) => Interval::ALL,
    }
}

/// A range for each of `count` elements such that their reduction is in the wanted range.
fn unreduced(fold: Fold, count: f64, wanted: Interval) -> Option<Interval> {
    let count = count.max(1.0);
    match fold {
        Fold::Sum => Some(Interval { low: wanted.low / count, high: wanted.high / count }),
        Fold::Max | Fold::Min => Some(wanted),
        Fold::Prod | Fold::ArgMax | Fold::ArgMin | Fold::Any | Fold::All => None,
    }
}
