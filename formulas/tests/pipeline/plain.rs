//! What somebody else would write to bring hardware: memory, and one kernel of each class as plain loops over
//! named axes.

mod order;
mod rows;
mod window;

use rows::{RowState, run_pass};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tensor_op_core::execute::{
    BoundIndex, BoundLoop, BoundProduct, BoundScan, BoundSearch, BoundSort, Dest, Gathered, Kernels, Labeled,
    Read, StreamSize, Strides, TileSize, execute,
};
use tensor_op_core::{
    AxisId, BoundAxis, DType, Element, Error, ErrorKind, Op, Positions, Result, Shape, TensorData, Value,
    match_dtype,
};
use tensor_op_spec::ir::{Kind, Scalar};
use tensor_op_spec::prim::{Fold, Prim};

/// Runs an op with plain loops, and its streams in tiles of this many rows.
pub(crate) fn run(
    op: &dyn Op,
    args: &[Value<TensorData>],
    wanted: &[bool],
    rows: Option<usize>,
) -> Result<Vec<Option<TensorData>>> {
    let args = args.iter().map(|arg| arg.clone().try_map(|data| Plain::from_data(&data)));
    let args = args.collect::<Result<_>>()?;
    let spec = op.spec();
    let results = execute(spec.graph(), spec.schedule(), args, wanted, &mut Loops { rows })?;
    results.into_iter().map(|result| result.map(|tensor| tensor.data()).transpose()).collect()
}

/// Numbers in row-major order. Clones share them.
#[derive(Clone, Debug)]
struct Plain {
    shape: Shape,
    dtype: DType,
    numbers: Arc<Mutex<Vec<Scalar>>>,
}

/// A place in named axes.
type Point = BTreeMap<AxisId, usize>;

impl Plain {
    fn new(shape: Shape, dtype: DType, numbers: Vec<Scalar>) -> Plain {
        Plain { shape, dtype, numbers: Arc::new(Mutex::new(numbers)) }
    }

    fn numbers(&self) -> MutexGuard<'_, Vec<Scalar>> {
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn from_data(data: &TensorData) -> Result<Plain> {
        fn scalars<T: Element>(elements: Vec<T>) -> Vec<Scalar> {
            elements.into_iter().map(T::to_scalar).collect()
        }
        let numbers = match_dtype!(data.dtype(), T => scalars(data.to_vec::<T>()?));
        Ok(Plain::new(data.shape().clone(), data.dtype(), numbers))
    }

    fn data(&self) -> Result<TensorData> {
        let numbers = self.numbers();
        match_dtype!(self.dtype, T => TensorData::new(numbers.iter().map(|x| T::from_scalar(*x)).collect(), self.shape.clone()))
    }
}

/// All points of some axes, with the last axis moving first.
fn points(axes: &[BoundAxis]) -> Vec<Point> {
    axes.iter().fold(vec![Point::new()], |points, axis| {
        let along = |point: &Point| {
            let step = |at| point.iter().map(|(axis, at)| (*axis, *at)).chain([(axis.axis, at)]).collect();
            (0..axis.size).map(step).collect::<Vec<Point>>()
        };
        points.iter().flat_map(along).collect()
    })
}

fn joined(a: &Point, b: &Point) -> Point {
    a.iter().chain(b).map(|(axis, at)| (*axis, *at)).collect()
}

/// The place of a point in row-major axes. An axis of size 1 is the same everywhere.
fn place(axes: &[BoundAxis], point: &Point) -> usize {
    axes.iter().fold(0, |place, axis| place * axis.size + if axis.size == 1 { 0 } else { point[&axis.axis] })
}

fn get(value: &Labeled<Plain>, point: &Point) -> Scalar {
    value.tensor.numbers()[place(&value.axes, point)]
}

fn set(value: &Labeled<Plain>, point: &Point, number: Scalar) {
    value.tensor.numbers()[place(&value.axes, point)] = number;
}

/// A reduction of all these numbers by its definition.
fn fold(fold: Fold, numbers: &[Scalar], kind: Kind) -> Scalar {
    // Not by the table of reductions, which the interpreter reads.
    let prim = match fold {
        Fold::Sum => Prim::Add,
        Fold::Prod => Prim::Mul,
        Fold::Max | Fold::ArgMax => Prim::Maximum,
        Fold::Min | Fold::ArgMin => Prim::Minimum,
        Fold::Any => Prim::Or,
        Fold::All => Prim::And,
    };
    let both = |a, b| prim.eval(&[a, b]).expect("numbers of one kind");
    let Some(best) = numbers.iter().copied().reduce(both) else { return fold.of_nothing(kind) };
    if !matches!(fold, Fold::ArgMax | Fold::ArgMin) {
        return best;
    }
    let is_nan = |x: &Scalar| x.as_f64().is_nan();
    let first = numbers.iter().position(|x| is_nan(x) || !is_nan(&best) && x.as_f64() == best.as_f64());
    Scalar::Int(first.expect("the extremum is one of them") as i64)
}

fn read(nest: &BoundLoop<'_, Plain>, read: usize, point: &Point) -> Scalar {
    match &nest.reads[read] {
        Read::Memory(value) => get(value, point),
        Read::Written(write) => get(&nest.writes[*write].value, point),
        Read::Index(Positions { first, axes, steps }) => {
            let at = |(axis, step): (&BoundAxis, &usize)| {
                if axis.size == 1 { 0 } else { point[&axis.axis] * step }
            };
            Scalar::Int((first + axes.iter().zip(steps).map(at).sum::<usize>()) as i64)
        }
        Read::Kept(_) => unreachable!("a row has what its passes keep"),
        Read::Window(window) => window::at_window(window, point),
        Read::Gathered(Gathered { source, index, along }) => {
            let mut moved = point.clone();
            moved.insert(*along, get(index, point).as_f64() as usize);
            get(source, &moved)
        }
    }
}

/// The kernels.
struct Loops {
    /// The number of rows in a tile of a stream.
    rows: Option<usize>,
}

impl Kernels for Loops {
    type Tensor = Plain;

    fn shape(tensor: &Plain) -> Shape {
        tensor.shape.clone()
    }
    fn dtype(tensor: &Plain) -> DType {
        tensor.dtype
    }
    fn empty(&self, shape: &Shape, dtype: DType) -> Result<Plain> {
        let zero = Scalar::Bool(false).cast(dtype.kind());
        Ok(Plain::new(shape.clone(), dtype, vec![zero; shape.elements()?]))
    }
    fn filled(&self, shape: &Shape, value: Scalar, dtype: DType) -> Result<Plain> {
        Ok(Plain::new(shape.clone(), dtype, vec![value; shape.elements()?]))
    }
    fn is_reusable(tensor: &mut Plain) -> bool {
        Arc::strong_count(&tensor.numbers) == 1
    }
    fn reshape(tensor: Plain, shape: Shape) -> Result<Plain> {
        Ok(Plain { shape, ..tensor })
    }
    fn permute(tensor: Plain, axes: &[usize]) -> Result<Plain> {
        let shape: Shape = axes.iter().map(|axis| tensor.shape[*axis]).collect();
        let from = numbered(&tensor.shape);
        let to: Vec<BoundAxis> = axes.iter().map(|axis| from[*axis]).collect();
        let numbers = tensor.numbers();
        let numbers = points(&to).iter().map(|point| numbers[place(&from, point)]).collect();
        Ok(Plain::new(shape, tensor.dtype, numbers))
    }
    fn cast(tensor: Plain, dtype: DType) -> Result<Plain> {
        if tensor.dtype == dtype { Ok(tensor) } else { Plain::from_data(&tensor.data()?.cast(dtype)) }
    }
    fn sum(tensor: Plain, axes: &[usize]) -> Result<Plain> {
        let all = numbered(&tensor.shape);
        let (summed, kept): (Vec<_>, Vec<_>) = (0..all.len()).partition(|axis| axes.contains(axis));
        let [summed, kept] = [summed, kept].map(|of| of.iter().map(|axis| all[*axis]).collect::<Vec<_>>());
        let numbers = tensor.numbers();
        let at = |point: &Point| {
            let along = points(&summed);
            let row: Vec<Scalar> =
                along.iter().map(|own| numbers[place(&all, &joined(point, own))]).collect();
            fold(Fold::Sum, &row, tensor.dtype.kind())
        };
        let shape = kept.iter().map(|axis| axis.size).collect();
        Ok(Plain::new(shape, tensor.dtype, points(&kept).iter().map(at).collect()))
    }
    fn part(tensor: Plain, ranges: &[Range<usize>]) -> Result<Plain> {
        let ranges: Vec<(usize, usize, usize)> = ranges.iter().map(|own| (own.start, own.end, 1)).collect();
        let (from, to) = places(&tensor.shape, &ranges);
        let numbers = from.iter().map(|at| tensor.numbers()[*at]).collect();
        Ok(Plain::new(to, tensor.dtype, numbers))
    }
    fn with_part(tensor: Plain, ranges: &[(usize, usize, usize)], part: &Plain) -> Result<Plain> {
        let (to, _) = places(&tensor.shape, ranges);
        to.iter().zip(part.numbers().iter()).for_each(|(at, number)| tensor.numbers()[*at] = *number);
        Ok(tensor)
    }
    fn view(tensor: Plain, view: &Strides) -> Result<Plain> {
        let strides: Vec<isize> = tensor.shape.strides().iter().map(|stride| *stride as isize).collect();
        let (start, steps) = view.within(&strides);
        let along = |point: &Point| -> isize {
            point.iter().map(|(axis, at)| steps[axis.part as usize] * *at as isize).sum()
        };
        let all = points(&numbered(&view.shape()));
        let numbers = all.iter().map(|point| tensor.numbers()[(start + along(point)) as usize]).collect();
        Ok(Plain::new(view.shape(), tensor.dtype, numbers))
    }
    fn add(left: Plain, right: &Plain) -> Result<Plain> {
        let pairs = left.numbers().clone().into_iter().zip(right.numbers().clone());
        let sums = pairs.map(|(a, b)| Prim::Add.eval(&[a, b]).expect("numbers of one kind"));
        Ok(Plain::new(left.shape.clone(), left.dtype, sums.collect()))
    }
    fn tile(&self, _size: &StreamSize) -> Option<TileSize> {
        self.rows.map(|rows| TileSize { rows, close: 2, block: 1, tasks: 3 })
    }

    fn run_loop(&mut self, nest: &mut BoundLoop<'_, Plain>) -> Result<()> {
        let mut columns: BTreeMap<(usize, Point), Vec<Scalar>> = BTreeMap::new();
        for row in points(&nest.outer) {
            let mut state = RowState::default();
            for pass in &nest.passes {
                run_pass(nest, pass, &row, &mut state, &mut columns);
            }
        }
        for pass in &nest.passes {
            for (dest, result) in pass.dests.iter().zip(pass.pass.program.results()) {
                let Dest::Column(how, write) = *dest else { continue };
                for point in points(&nest.inner) {
                    let column = columns.remove(&(write, point.clone())).unwrap_or_default();
                    let kind = pass.pass.program.kind(*result);
                    set(&nest.writes[write].value, &point, fold(how, &column, kind));
                }
            }
        }
        Ok(())
    }

    fn multiply(&mut self, product: BoundProduct<Plain>) -> Result<Plain> {
        let BoundProduct { lhs, rhs, k, out, dtype, .. } = product;
        let at = |point: &Point| {
            let factors = points(&k).iter().map(|own| joined(point, own)).collect::<Vec<_>>();
            let products = factors.iter().map(|at| get(&lhs, at).as_f64() * get(&rhs, at).as_f64());
            Scalar::Float(products.sum())
        };
        let numbers = points(&out).iter().map(at).collect();
        Ok(Plain::new(out.iter().map(|axis| axis.size).collect(), dtype, numbers))
    }

    fn scan(&mut self, scan: BoundScan<Plain>) -> Result<Plain> {
        let BoundScan { scan, reverse, operands, along, out: axes, computed, .. } = scan;
        let shape: Shape = axes.iter().map(|axis| axis.size).collect();
        let out = Labeled { tensor: self.empty(&shape, computed)?, axes };
        let both = |prim: Prim, a, b| prim.eval(&[a, b]).expect("numbers of one kind");
        let mut places = points(&out.axes);
        if reverse {
            places.reverse();
        }
        for point in places {
            let at = point.get(&along.axis).copied().unwrap_or(0);
            let before = if reverse { Some(at + 1).filter(|at| *at < along.size) } else { at.checked_sub(1) };
            let [a, x] = [&operands[0], &operands[operands.len() - 1]].map(|operand| get(operand, &point));
            let next = before.map_or(x, |before| {
                let mut from = point.clone();
                from.insert(along.axis, before);
                let (y, prim) = (get(&out, &from), scan.row().fold.map(|fold| fold.row().combine));
                prim.map_or_else(|| both(Prim::Add, both(Prim::Mul, a, y), x), |prim| both(prim, y, x))
            });
            set(&out, &point, next);
        }
        Ok(out.tensor)
    }

    fn sort(&mut self, sort: BoundSort<Plain>) -> Result<Plain> {
        Ok(order::sort(sort))
    }

    fn search(&mut self, search: BoundSearch<Plain>) -> Result<Plain> {
        Ok(order::search(search))
    }

    /// An index out of range is an error of the gather.
    fn defers(&mut self, indexing: &BoundIndex<'_, Plain>) -> Result<bool> {
        let size = indexing.along.size as f64;
        let is_inside = |at: &Scalar| (0.0..size).contains(&at.as_f64());
        Ok(indexing.index.tensor.numbers().iter().all(is_inside))
    }
    fn gather(&mut self, indexing: BoundIndex<'_, Plain>) -> Result<Plain> {
        let BoundIndex { source, index, along, out, .. } = indexing;
        let at = |point: &Point| {
            let mut from = point.clone();
            from.insert(along.axis, position(get(&index, point), along.size)?);
            Ok(get(&source, &from))
        };
        let numbers = points(&out).iter().map(at).collect::<Result<_>>()?;
        Ok(Plain::new(out.iter().map(|axis| axis.size).collect(), source.tensor.dtype, numbers))
    }

    fn scatter(&mut self, how: Fold, indexing: BoundIndex<'_, Plain>) -> Result<Plain> {
        let BoundIndex { source, index, along, out: axes, walked, computed, .. } = indexing;
        let shape: Shape = axes.iter().map(|axis| axis.size).collect();
        let start = how.of_nothing(computed.kind());
        let out = Labeled { tensor: self.filled(&shape, start, computed)?, axes };
        for point in points(&walked) {
            let mut to = point.clone();
            to.insert(along.axis, position(get(&index, &point), along.size)?);
            let both = how.row().combine.eval(&[get(&out, &to), get(&source, &point)]);
            set(&out, &to, both.expect("numbers of one kind"));
        }
        Ok(out.tensor)
    }
}

/// The places of a part in row-major order, and its shape.
fn places(shape: &Shape, ranges: &[(usize, usize, usize)]) -> (Vec<usize>, Shape) {
    let whole = numbered(shape);
    let part: Vec<BoundAxis> = whole
        .iter()
        .zip(ranges)
        .map(|(axis, (start, end, step))| BoundAxis { size: (end - start).div_ceil(*step), ..*axis })
        .collect();
    let moved = |point: Point| -> Point {
        let moved = |(axis, at): (AxisId, usize)| {
            let (start, _, step) = ranges[axis.part as usize];
            (axis, start + at * step)
        };
        point.into_iter().map(moved).collect()
    };
    let at = points(&part).into_iter().map(|point| place(&whole, &moved(point))).collect();
    (at, part.iter().map(|axis| axis.size).collect())
}

/// The axes of a shape as axes of one dim.
fn numbered(shape: &Shape) -> Vec<BoundAxis> {
    let axis = |part: usize| AxisId { dim: tensor_op_spec::ir::DimId::new(0), part: part as u32 };
    shape.iter().enumerate().map(|(part, size)| BoundAxis { axis: axis(part), size: *size }).collect()
}

fn position(index: Scalar, size: usize) -> Result<usize> {
    let position = usize::try_from(i64::from_scalar(index)).ok().filter(|position| *position < size);
    position.ok_or_else(|| Error::new(ErrorKind::Index, format!("{index} is out of range for size {size}")))
}
