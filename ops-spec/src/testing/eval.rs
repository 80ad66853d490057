//! Evaluates a graph in f64 for given sizes, by the plain meaning of every node.

use crate::ir::{DimId, DimSet, Graph, Kind, Node, NodeId, Op, Output, Position, Size};
use crate::prim::{Fold, Order, Prim, Scan};

/// Elements over dims, row-major in order of declaration.
#[derive(Clone, Debug)]
struct Array {
    dims: DimSet,
    data: Vec<f64>,
}

/// Sizes of the dims, by index.
pub(crate) struct Sizes(pub(crate) Vec<usize>);

impl Sizes {
    pub(crate) fn count(&self, dims: DimSet) -> usize {
        dims.iter().map(|d| self.0[d.index()]).product()
    }

    fn points(&self, dims: DimSet) -> Vec<Vec<usize>> {
        let mut points = vec![vec![0; self.0.len()]];
        for dim in dims.iter() {
            let along = |p: Vec<usize>| {
                (0..self.0[dim.index()]).map(move |i| {
                    let mut p = p.clone();
                    p[dim.index()] = i;
                    p
                })
            };
            points = points.into_iter().flat_map(along).collect();
        }
        points
    }

    fn offset(&self, dims: DimSet, point: &[usize]) -> usize {
        dims.iter().fold(0, |offset, d| offset * self.0[d.index()] + point[d.index()])
    }

    fn get(&self, array: &Array, point: &[usize]) -> f64 {
        array.data[self.offset(array.dims, point)]
    }

    /// Where a window reads, if that is inside of its source.
    fn position(&self, position: &Position, dim: DimId, point: &[usize], args: &[Vec<f64>]) -> Option<usize> {
        let value = |size: &Size| {
            let len = |dim: DimId| Some(self.0[dim.index()] as i64);
            size.value(&len, &|arg| Some(args[arg][0] as i64)).expect("a number")
        };
        let terms = position.index.steps.iter().map(|(dim, step)| value(step) * point[dim.index()] as i64);
        let (sum, divisor) = (value(&position.index.offset) + terms.sum::<i64>(), value(&position.divisor));
        let at = usize::try_from(sum.div_euclid(divisor)).ok()?;
        (sum.rem_euclid(divisor) == 0 && at < self.0[dim.index()]).then_some(at)
    }

    fn tabulate(&self, dims: DimSet, value: impl FnMut(&Vec<usize>) -> f64) -> Array {
        Array { dims, data: self.points(dims).iter().map(value).collect() }
    }
}

/// The results of a graph over their declared dims.
pub(crate) fn eval(graph: &Graph, sizes: &Sizes, args: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut values: Vec<Array> = vec![];
    for id in graph.ids() {
        let value = eval_node(graph, id, sizes, args, &values);
        values.push(value);
    }
    let output = |output: &Output| {
        let array = &values[output.node.0 as usize];
        sizes.tabulate(graph.output_dims(output), |p| sizes.get(array, p)).data
    };
    graph.outputs.iter().map(output).collect()
}

fn eval_node(graph: &Graph, id: NodeId, sizes: &Sizes, args: &[Vec<f64>], values: &[Array]) -> Array {
    let node = graph.node(id);
    let array = |id: NodeId| &values[id.0 as usize];
    let with = |point: &[usize], dim: DimId, index: usize| {
        let mut point = point.to_vec();
        point[dim.index()] = index;
        point
    };
    match &node.op {
        Op::Input(arg) => Array { dims: node.dims, data: args[*arg].clone() },
        Op::Literal(value) => Array { dims: DimSet::EMPTY, data: vec![value.as_f64()] },
        Op::Len(dims) => Array { dims: DimSet::EMPTY, data: vec![sizes.count(*dims) as f64] },
        Op::Iota(dim) => sizes.tabulate(node.dims, |p| p[dim.index()] as f64),
        Op::Apply(prim, operands) => sizes.tabulate(node.dims, |p| {
            let operands: Vec<f64> = operands.iter().map(|x| sizes.get(array(*x), p)).collect();
            let value = (prim.row().reference)(&operands);
            if node.kind == Kind::Int { value.trunc() } else { value }
        }),
        Op::Cast(x) | Op::StopGrad(x) | Op::Given { value: x, .. } => array(*x).clone(),
        Op::Reduce(fold, dims, x) => {
            let inner = sizes.points(*dims);
            sizes.tabulate(node.dims, |p| {
                let element = |q: &Vec<usize>| {
                    let point: Vec<usize> = p.iter().zip(q).map(|(p, q)| p + q).collect();
                    sizes.get(array(*x), &point)
                };
                fold_all(*fold, &inner.iter().map(element).collect::<Vec<_>>())
            })
        }
        Op::Scan { scan, dim, reverse, operands } => sizes.tabulate(node.dims, |p| {
            let (last, count) = (p[dim.index()], sizes.0[dim.index()]);
            let way: Vec<usize> = if *reverse { (last..count).rev().collect() } else { (0..=last).collect() };
            let read = |x: &NodeId| way.iter().map(|at| sizes.get(array(*x), &with(p, *dim, *at))).collect();
            scanned(*scan, &operands.iter().map(read).collect::<Vec<Vec<f64>>>())
        }),
        Op::Order { order, dim, operands } => sizes.tabulate(node.dims, |p| {
            let count = 0..sizes.0[dim.index()];
            let row = count.map(|at| sizes.get(array(operands[0]), &with(p, *dim, at))).collect();
            ordered(*order, row, p, |operand| sizes.get(array(operands[operand]), p))
        }),
        Op::At { source, dim, index } => sizes.tabulate(node.dims, |p| {
            sizes.get(array(*source), &with(p, *dim, sizes.get(array(*index), p) as usize))
        }),
        Op::Window { source, dim, position } => {
            sizes.tabulate(node.dims, |p| match sizes.position(position, *dim, p, args) {
                Some(at) => sizes.get(array(*source), &with(p, *dim, at)),
                None => position.outside.map_or(f64::NAN, |value| value.as_f64()),
            })
        }
        Op::Scatter { fold, dim, .. } => scattered(node, *fold, *dim, sizes, values),
        Op::Seed(_) => Array { dims: node.dims, data: vec![f64::NAN; sizes.count(node.dims)] },
    }
}

/// The reductions of the elements that have one index.
fn scattered(node: &Node, fold: Fold, dim: DimId, sizes: &Sizes, values: &[Array]) -> Array {
    let operands = node.operands();
    let [source, index] = [0, 1].map(|at| &values[operands[at].0 as usize]);
    let mut out = sizes.tabulate(node.dims, |_| fold_all(fold, &[]));
    let walked = source.dims.union(index.dims);
    for p in sizes.points(walked.union(node.dims.difference(DimSet::one(dim)))) {
        let mut to = p.clone();
        to[dim.index()] = sizes.get(index, &p) as usize;
        let place = &mut out.data[sizes.offset(node.dims, &to)];
        *place = fold_all(fold, &[*place, sizes.get(source, &p)]);
    }
    out
}

/// A position in a row, at this point of the result.
fn ordered(order: Order, row: Vec<f64>, point: &[usize], operand: impl Fn(usize) -> f64) -> f64 {
    match order {
        Order::Sort { to, descending } => {
            // The element that so many others come before.
            let before = |a: (usize, f64), b: (usize, f64)| {
                let first = if descending { a.1 > b.1 } else { a.1 < b.1 };
                first || a.1 == b.1 && a.0 < b.0
            };
            let pairs: Vec<(usize, f64)> = row.into_iter().enumerate().collect();
            let rank = |x: &(usize, f64)| pairs.iter().filter(|y| before(**y, *x)).count();
            pairs.iter().find(|x| rank(x) == point[to.index()]).map_or(f64::NAN, |x| x.0 as f64)
        }
        Order::Search { right } => {
            let x = operand(1);
            row.iter().filter(|y| **y < x || right && **y == x).count() as f64
        }
    }
}

/// The last result of a scan of these operands.
fn scanned(scan: Scan, operands: &[Vec<f64>]) -> f64 {
    match (scan, operands) {
        (Scan::Sum, [x]) => fold_all(Fold::Sum, x),
        (Scan::Prod, [x]) => fold_all(Fold::Prod, x),
        (Scan::Max, [x]) => fold_all(Fold::Max, x),
        (Scan::Min, [x]) => fold_all(Fold::Min, x),
        (Scan::Linear, [a, x]) => (1..x.len()).fold(x[0], |y, at| a[at] * y + x[at]),
        (Scan::Sum | Scan::Prod | Scan::Max | Scan::Min | Scan::Linear, _) => f64::NAN,
    }
}

fn fold_all(fold: Fold, values: &[f64]) -> f64 {
    // Not by the table of reductions, which the tests that use this would share with what they check.
    let combine = |prim: Prim| move |a: f64, b: &f64| (prim.row().reference)(&[a, *b]);
    let first = |wanted: f64| values.iter().position(|v| *v == wanted).unwrap_or(0) as f64;
    let max = || values.iter().fold(f64::NEG_INFINITY, combine(Prim::Maximum));
    let min = || values.iter().fold(f64::INFINITY, combine(Prim::Minimum));
    match fold {
        Fold::Sum => values.iter().sum(),
        Fold::Prod => values.iter().product(),
        Fold::Max => max(),
        Fold::Min => min(),
        Fold::ArgMax => first(max()),
        Fold::ArgMin => first(min()),
        Fold::Any => values.iter().fold(0.0, combine(Prim::Or)),
        Fold::All => values.iter().fold(1.0, combine(Prim::And)),
    }
}
